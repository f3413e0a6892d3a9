// Package heads follows the chain for a whole process. One loop links the endpoints' claims into one chain of blocks.
// At every new head it gives each lane a View of its transactions. Package evidence defines what a conclusion
// requires.
//
// # Invariants
//
//  1. The remembered blocks (recent.go) have no gap: each is the parent of the next. A claim becomes the head only by
//     links from there. If it is further ahead than blocks are remembered, its endpoint must have our head, and the
//     blocks below the claim must link.
//  2. Lagging is normal. An endpoint that claims an unlinkable block is logged and skipped for some rounds.
//  3. A branch is taken if it is higher than the head, or if no responding endpoint shows the head any more: at once
//     if an endpoint that had the head answers, otherwise after 30 s. So two endpoints on equal branches cause no
//     flapping. Unchecked blocks follow or replace checked ones only after a minute without checked ones, and as far
//     as endpoints agree (Chain.Agreed). No checked block comes above them.
//  4. The final block moves down, or is replaced, only in a finality break: every responding endpoint, asked at that
//     moment, has left it. That is an alarm and a metric, and recovers by itself: lanes get Reorged once no
//     responding endpoint has the block of a settled nonce, and again if the old branch returns.
//  5. With confirmations, a block becomes final only if every responding endpoint has it. A lagging one is awaited
//     for 30 s; one on another branch counts while that grows, and two minutes longer. The last answer of a silent
//     endpoint counts for 30 s. By the tag, the final block may be at any depth: a skeleton links it.
//  6. Included requires a verified receipt in a block of the chain. A block's list of transactions is a hint. It is
//     verified against the header, and corrected, if the receipt is missing or may be of any transaction (it failed,
//     or has no log).
//  7. The account at the head only starts a search. The account at a final block ends empty transactions, and
//     whatever an operator vouched for (package lane, invariants 6 and 9).
//  8. Knowledge stays: a round that fails keeps linked blocks, receipts, and the progress of searches. Each call has
//     a deadline; rounds have none. While the head stays, only the newest block is requested.
//  9. If nothing needs the chain, the tracker rests (rest.go): it looks for new blocks and events, and concludes
//     nothing. A View is Old until a new head is followed and the account read there.
//  10. A round starts no goroutine, reads no clock but Config.Now, and sends requests in a fixed order.
//
// # An example
//
// Two endpoints, two confirmations, head 100. A lane watches transaction X with nonce 7 since block 100. Endpoint a
// claims 103, b lags at 102. Blocks 101 and 102 of a are read; they link, and 101 lists X. X's receipt is null in
// this round, so the View has only Head 103 and Final 102. The next round gets the receipt, under 101's receipts
// root: Included. The lane settles nonce 7 at block 101.
//
// Now a claims 104' with another parent than 103. Its blocks 96'…103' are read: only 100 is ours. That is below the
// final block 102, so b is asked for its block 102. If b has ours, a is distrusted. If b has 102' or is silent,
// 101'…104' replace ours, the alarm is raised, and Reorged contains nonce 7. The lane reopens it.
//
// If 101 had omitted X, the account read eight heads later would show nonce 8, and Find would name block 101. The
// full block matches its transactions root and contains X. Another transaction of the signer with nonce 7 would be
// Foreign.
//
// # Rejected
//
//   - Events ("block 101 is gone") instead of states: a slow subscriber would need each of them, and merged ones are
//     a third kind.
//   - The highest claim, or the majority's: one liar wins the first; two endpoints stop the second. A link needs no
//     vote.
//   - Ending a pending transaction if its nonce has passed without a receipt: a conclusion from absence. Blocks list
//     transactions for free.
//   - Bisecting the account's nonce at older blocks: most nodes drop states after 128, and one endpoint may decide.
//     Full blocks prove which transaction used a nonce.
//   - Following only final blocks: lanes would learn of inclusions too late to replace transactions.
//   - Reading every block after a long sleep: idle lanes need none, and searches read back as far as necessary.
package heads
