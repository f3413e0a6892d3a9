// Package lane makes the decisions of a lane: one signer with its nonces and buckets. State folds the lane's journal,
// and Lane.Step returns the effects that an event calls for. The package does no I/O, reads no clock and starts no
// goroutine: package relay carries out the effects and returns their results as events. The comment of Slot shows the
// states of a pending transaction.
//
// # Invariants
//
// Apply rejects entries that break 1 to 5 or 10.
//
//  1. Nonces are contiguous: slot n+1 is created after slot n, and slots are settled from the lowest. Next falls only
//     if the lane is abandoned.
//  2. Work is in exactly one place: a pending transaction, the queue, Past, or a handoff. It moves to the queue only
//     if its slot is abandoned, or if the final transaction of the slot failed to carry it. If such a slot is
//     reopened, it is NonceOnly, though its attempts still carry the calldata and are broadcast again. Updates that
//     were executed before their project existed are queued again, too.
//  3. Every attempt carries the slot's work byte for byte, or is empty. It pays more than the attempt before it; at
//     the ceiling, a cancellation may pay the same. Only the last attempt is sent. Only Reopen changes the order: the
//     executed attempt becomes the last.
//  4. A stream position is assigned once, in a bucket of the lane. A low watermark (floor) only rises, and only past
//     assigned positions. The entry that raises it contains their number, counted while reading the stream, and the
//     fold verifies that number. A throttled (parked) project has its own floor and positions, which its bucket's
//     floor may pass.
//  5. An entry belongs to the newest term (epoch). All terms belong to the same stream, chain, contract and key.
//  6. A node's answer only decides about sending. After an unrecognized answer, the node may have the transaction. A
//     slot ends when the transaction that used its nonce, ours or not, is seen in a final block. A slot that is
//     NonceOnly or below a Resume also ends when a final account shows its nonce used. Absence proves nothing. A
//     batch that nodes accepted, and that blocks lack for long, is cancelled once, by one more attempt.
//  7. If the chain loses a final block, the lane reopens the transactions that it settled from there on, and
//     broadcasts the same bytes. Their other attempts stay in State, since a pool may still hold one.
//  8. Nonces that foreign transactions used are skipped if no slot is pending and those transactions are seen in
//     final blocks. At the journal's beginning the account's nonce suffices; if that was too high, empty transactions
//     fill the gap.
//  9. An unjournaled transaction of the signer to the contract ends no slot: the lane halts until an operator's
//     Resume, since the journal may be older than the chain. Until a transaction of the lane is final, the signer's
//     calls of relayers' functions in other contracts halt it, too.
//  10. A bucket has one owner or is in a handoff: Give ends the giver's ownership, Take begins the taker's. Handoffs
//     between two lanes are numbered, and each is taken once, in order. The giver keeps each until its entry Taken.
//
// # Crashes
//
// State is all that must survive (docs/crashes.md). After a crash the next session broadcasts the newest attempt of
// every pending transaction at the first head, and finds the receipts of those included meanwhile.
//
// # Rejected
//
//   - Asking a node for the pending nonce: the node forgets it with its mempool, counts foreign transactions, and
//     servers behind one address disagree.
//   - Recycling a nonce after an error, or filling "gaps" at start: reports of doubled transactions begin with these.
//     Invariant 8 fills only nonces below the lane's first that a final state shows unused.
//   - A map of buckets to lanes in a store: every lane would have to read each change of it before it may assign. The
//     journals suffice.
//   - Treating "nonce too low" as a failure: it is also the answer to a resend after success.
//   - Inferring a foreign transaction from a used nonce without a receipt: receipts are missing far more often than
//     keys are shared. Work released in error is paid twice and reported as a duplicate.
//   - Halting when the chain loses a final block: the signed bytes are at hand.
//   - Journaling each block and send: a write each, for facts that one query to the chain returns.
package lane
