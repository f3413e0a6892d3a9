// Package lane is the heart of a relayer without its hands: what a lane has done (State, the fold of its journal) and what
// an event means for it (Lane.Step). It does no I/O, reads no clock, starts no goroutine: package relay carries its effects
// out and brings their results back as events.
//
// # One slot
//
// A slot is one nonce of the lane's signer with the work it carries and every attempt signed for it. Of its attempts at
// most one can ever be executed: the chain sees to that, since they share the nonce.
//
//	        Bind journaled                any answer of a node
//	work ───────────────────► waiting ◄─────────────────────────────┐
//	 ▲                          │  │ slow, too cheap: Attempt journaled, then sent
//	 │                          │  └────────────────────────────────┘
//	 │                          │ seen in a block of the chain ▲
//	 │                          ▼                              │ its block was replaced
//	 │                       included ─────────────────────────┘
//	 │                          │ its block is beyond the finality rule          ▲
//	 │                          ▼                                                │ Reopen journaled: the chain
//	 │   Settle journaled: done        ours, status 1                            │ lost that block all the same
//	 └──────────────────── reverted    ours, status 0           the work goes to the queue,
//	 └──────────────────── foreign     not ours                 in the same entry
//	 └──────────────────── cancelled   ours, without the work
//
// # Invariants
//
// Apply refuses an entry that breaks one of the first five, so no journal that folds can.
//
//  1. Nonces are contiguous: slot n+1 is bound after slot n, slots are settled from the lowest, and Next never falls.
//  2. A piece of work is in exactly one place: one open slot, the queue, or the past. It leaves a slot for the queue only
//     when the slot is final without having carried it. A slot that is reopened after that is NonceOnly: its attempts still
//     carry the calldata, and are broadcast again, beside the place where the work is now.
//  3. Every attempt that is signed for a slot carries the slot's work byte for byte, or nothing, and pays more than the last
//     one. Only Reopen changes the order: the attempt that the chain had executed becomes the last, the one to send.
//  4. The cursor moves with a Bind and only forward; what is before it is bound, what is not is not.
//  5. An entry belongs to the epoch that was opened last, and the epoch to one stream, chain, contract and key.
//  6. An answer of a node never ends a slot, frees a nonce or releases work: it only decides what is
//     sent next. Unknown answers count as possibly sent. A slot ends when the transaction that used its nonce is seen in a
//     final block: one of its attempts, or another of the same signer. That none is seen proves nothing. (A slot that
//     carries nothing ends when its nonce is used in the state of a final block: nothing can be lost with it.)
//  7. Where the chain turns out to have been less final than the rule said, settled slots are opened again (Reopen), and
//     the very bytes that are gone are broadcast. They settle again like any others. Their other attempts stay known: a pool
//     may still hold one.
//  8. Nonces that the journal cannot explain are skipped when the transactions that used them are seen in final blocks and
//     no slot is open; where the journal begins, by the account alone. If that was wrong, the gap is filled: with slots
//     that carry nothing.
//  9. A transaction of the signer to the contract that the journal does not know ends nothing: the journal may be older
//     than the chain. The lane halts until an operator's Resume. Open slots below the nonce that it names end as foreign when
//     a final account shows their nonces used and every block that can hold the transaction was read without finding it:
//     the operator has said that what used them stands.
//
// # Crashes
//
// State is all that must survive, and it is the journal. What a session learns (blocks, answers, receipts) it learns
// again: after a crash all open slots are waiting, their newest attempts are broadcast again at the first head, and
// receipts turn up for those that were included meanwhile.
//
//	killed between …                     the next session finds
//	signing and the Bind's append        nothing: the same updates are read again
//	the append and its answer            a slot, or nothing; the session never knew and never sent
//	the Bind and the send                a slot whose bytes it sends
//	the send and its answer              the same: "already known" or a receipt
//	inclusion and Settle                 the same: a receipt
//	parts of a snapshot                  everything: only a whole snapshot counts
//
// # Rejected
//
//   - Asking the node for the pending nonce: it forgets with its mempool, counts other people's transactions and differs
//     between the servers behind one address.
//   - Giving a nonce back after an error, or filling "gaps" at start: every bug report about doubled transactions begins so.
//   - Following "nonce too low" as a failure: it is how success looks after a lost answer.
//   - Taking a used nonce without a receipt for a foreign transaction: receipts are missing far more often than keys are
//     shared, and work released in error is paid for twice and reported as a duplicate.
//   - Halting when the chain lost what was final: nothing is gained by waiting, and the bytes are at hand.
//   - A status in the journal for every block and send: a write each, for what one question to the chain tells.
package lane
