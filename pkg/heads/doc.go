// Package heads follows the chain: one loop for a whole process turns the endpoints' claims into one chain of blocks that
// was seen link by link, and tells every lane, at every new head, what happened to its transactions in it. Package evidence
// says what must have been seen for each conclusion.
//
// # Invariants
//
//  1. The remembered blocks (recent.go) have no gap: each block's parent is the one before it. A claim becomes the head only
//     by links from there, or, further ahead than blocks are remembered, when its endpoint has our head in its chain and
//     the links of those below it are seen.
//  2. An endpoint that lags is no event. One that claims what cannot be linked is passed over, named in the log, and left
//     alone for some rounds; the others are followed in the same round.
//  3. Another branch is taken when it is higher than the head, or when no endpoint shows the head any more: at once if one of
//     those that had it answers, after 30 seconds if none of them does. Two endpoints on two equal branches do not make the
//     chain swing. Blocks whose headers were checked are not followed or replaced by
//     blocks that cannot be, until nothing else has come for a minute. These are followed only as far as endpoints agree on them
//     (Chain.Agreed), and none that was checked comes above them.
//  4. The final block never moves down, and nothing below it is replaced, but in a finality break: every endpoint that
//     answers has left it, which is asked at that moment. That is an alarm and a metric. It takes no hands to recover:
//     lanes are told which settled nonces are Reorged, when no endpoint that answers has their blocks, and the same again if the old branch comes back.
//     With confirmations it does not move up to a block that an endpoint that answers does not have, but for one that only
//     lags, which is waited for 30 seconds. An endpoint that ceases to answer counts for 30 seconds with what it said last,
//     here and by the tag: a slow answer does not leave the word to the others. An endpoint on another branch counts as long as
//     that branch grows, and two minutes longer. By the tag it is a block of the chain at any depth: below the remembered
//     blocks a skeleton of the chain links it (recent.go), in bounded memory.
//  5. Included is a receipt that was checked, in a block of the chain. That a block lists a transaction is a hint; where
//     the receipt does not come, or could be any transaction's (it failed, or has no log), the list itself is checked
//     against the header, and corrected.
//  6. The account at the head ends nothing. It says that a transaction is to be looked for. The account in the state of a
//     final block ends what carries nothing, and what an operator vouched for (package lane, invariants 6 and 9).
//  7. What was learnt stays: a round that fails half-way keeps the blocks that linked, receipts, and how far a search came.
//     Every call has its own deadline; rounds have none.
//  8. While the head stays, only the newest block is asked for.
//  9. While nothing needs the chain the tracker rests (rest.go): it looks for new blocks and for events, and concludes nothing. No View
//     is given as current before a head was followed again, and the account read at it.
//  10. A round starts no goroutine, reads no clock but Config.Now, and asks in an order that does not depend on maps.
//
// # A round
//
// Latest, from all endpoints; follow (follow.go, fork.go); the final block (final.go); search (search.go, scan.go); one Read
// for all lanes at the head: accounts, receipts, price (learn.go); settled blocks (settled.go); a View to each lane.
// Files named after types hold them: recent, subscription, watch.
//
// # An example
//
// Two endpoints, two confirmations, head 100. A lane watches its nonce 7 with transaction X since block 100 and sends it.
//
// Endpoint a says 103; b lags at 102. 103's parent is not our head, so blocks 101 and 102 of a are read in one exchange. They
// link: 101 lists X. The Read of this round, at 103, asks for X's receipt; it is null. The View says Head 103, Final 102,
// nothing Included: absence proves nothing. In the next round the head is the same, the receipt is asked for again, comes,
// and is under 101's receipts root: Included. The lane settles nonce 7 at block 101 and the watch ends.
//
// Now a says 104', whose parent is not 103. Its blocks 96'…103' are read: 100 is ours, 101' is not. That is below the final
// block 102, so b is asked for its block 102. If it is ours, a is distrusted and nothing happens. If b has 102', or does not
// answer Latest either, 101'…104' replace ours, the alarm is raised, and the next View says that nonce 7 is Reorged. The lane
// reopens it and broadcasts X again.
//
// Had 101 not listed X, the account read eight heads later would say nonce 8. No transaction with nonce 7 is known, so X is
// asked for by hash (Find); that names block 101, which is ours and does not list X: the full block is read, hashes to its
// transactions root, and holds X. Had it held another transaction of the signer with nonce 7, that one would be Foreign.
//
// # Rejected
//
//   - Events ("block 101 is gone") instead of states: a subscriber that is slow has to be sent each of them, and two that
//     arrive merged are a third kind.
//   - The highest claim, or the one most endpoints share: the first needs one liar, the second stops where there are
//     two endpoints. A link needs no vote.
//   - Nonces each head, and ending a slot when the nonce has passed and no receipt is found: that is a conclusion from
//     absence. Blocks list transactions for free.
//   - A bisection with the account's nonce at older blocks to find who used one: it needs the states of old blocks, which
//     most nodes drop after 128, and often the word of one endpoint. Full blocks prove it.
//   - Following from the final block on only: lanes would learn of inclusions too late to bump.
//   - Reading every block after a long sleep: lanes without open slots need none of them, and for the others the search
//     reads back exactly as far as evidence asks.
package heads
