// Package heads follows the chain for a whole process. One loop links the endpoints' claims (their newest blocks)
// into one chain of blocks. At every new head it gives each lane a View of its transactions. Package evidence defines
// the requirements of a conclusion.
//
// # Invariants
//
//  1. Each remembered block (recent.go) is the parent of the next. A claim becomes the head only by links from the
//     remembered blocks. If the claim is more than Config.Keep ahead, its endpoint must have our head, and the
//     blocks below the claim must link.
//  2. Lagging is normal. An endpoint that claims an unlinkable block is logged and skipped for some rounds.
//  3. A branch is taken if it is higher than the head, or if all responding endpoints left the head. The latter
//     counts at once if an endpoint that had the head answers, otherwise after 30 s, so that two endpoints on equal
//     branches cause no flapping. Unchecked blocks follow or replace checked ones only after a minute without
//     checked ones, and as far as endpoints agree (Chain.Agreed). A checked block above an unchecked one does not
//     link.
//  4. The final block moves down, or is replaced, only in a finality break: every responding endpoint, asked at that
//     moment, has left it. A break raises an alarm and a metric, and the tracker recovers by itself. Lanes get
//     Reorged once no responding endpoint has the block of a settled nonce, and again, for its new block, if the old
//     branch returns.
//  5. With confirmations, a block becomes final only if every responding endpoint has it. A lagging endpoint is
//     awaited for 30 s. An endpoint on another branch holds finality back while its branch grows, and two minutes
//     longer. The last answer of a silent endpoint counts for 30 s. With the tag, the final block may be at any
//     depth: a skeleton links it to the head.
//  6. Included requires a verified receipt in a block of the chain. A block's list of transactions is a hint. If the
//     receipt is missing, shows a failure or lacks logs, the list is verified against the header, and corrected.
//  7. The account at the head only starts a search for a transaction. The account at a final block ends pending
//     transactions without work, and nonces that an operator vouched for (package lane, invariants 6 and 9).
//  8. A failed round keeps linked blocks, receipts, and the progress of searches. Each call has a deadline; rounds
//     have none. While the head stays, only the newest block is requested.
//  9. While lanes and ledger are idle, the tracker rests (rest.go): it looks for new blocks and events, and concludes
//     nothing. After a rest, a View is Old until a new head is followed and the account read there.
//  10. A round starts no goroutine, reads no clock but Config.Now, and sends requests in a fixed order.
//
// # An example
//
// Two endpoints, two confirmations, head 100. A lane watches transaction X with nonce 7. Endpoint A claims 103, B
// lags at 102. A's blocks 101 and 102 link, and 101 lists X. While X's receipt is null, the View has only Head 103
// and Final 102. Once the receipt matches 101's receipts root, X is Included, and the lane settles nonce 7.
//
// Now A claims 104', on a branch from 100. The final block 102 is above 100, so B is asked for its block 102. If B
// has ours, A is distrusted. If B has 102' or stays silent, 101'…104' replace ours, the alarm is raised, and
// Reorged contains nonce 7.
//
// # Rejected
//
//   - Events ("block 101 is gone") instead of states: a slow subscriber would need each of them, and merged ones are
//     a third kind.
//   - The highest claim, or the majority's: one liar wins the first, and the second needs three endpoints. A link
//     needs no vote.
//   - Ending a pending transaction if its nonce has passed without a receipt: a conclusion from absence. Blocks list
//     transactions for free.
//   - Bisecting the account's nonce at older blocks: most nodes drop states after 128 blocks, and one endpoint may
//     decide. Full blocks prove which transaction used a nonce.
//   - Following only final blocks: lanes would learn of inclusions too late to replace transactions.
//   - Reading every block after a long sleep: idle lanes need none, and searches read back as far as necessary.
package heads
