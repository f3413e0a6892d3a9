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
//	 ▲                          │  │ slow, too cheap: Replacement journaled, then sent
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
// Apply refuses an entry that breaks one of the first five, or the last, so no journal that folds can.
//
//  1. Nonces are contiguous: slot n+1 is bound after slot n, slots are settled from the lowest, and Next never falls.
//  2. A piece of work is in exactly one place: one open slot, the queue, the past, or on its way to another lane. It leaves a slot for
//     the queue only when the slot is final without having carried it (or some of it overtook its project, which goes again), or an
//     operator declared the lane dead (Abandon). A slot that is reopened after that is NonceOnly: its attempts still
//     carry the calldata, and are broadcast again, beside the place where the work is now.
//  3. Every attempt that is signed for a slot carries the slot's work byte for byte, or nothing, and pays more than the last
//     one. A cancelation may pay as much, where the ceiling leaves no more. Only Reopen changes the order: the attempt that
//     the chain had executed becomes the last, the one to send.
//  4. A position of the stream is bound once, and only in a bucket that the lane owns. A bucket's floor moves only forward, and
//     only over positions that are bound: the entry says how many of those that were read it passed, counted when they were read
//     even if the session lost sight of them since, and the fold counts those that it knows to be bound.
//     A project may be parked: its positions have a floor and a set of their own then, which its bucket's floor may pass.
//  5. An entry belongs to the epoch that was opened last, and the epoch to one stream, chain, contract and key.
//  6. An answer of a node never ends a slot, frees a nonce or releases work: it only decides what is
//     sent next. Unknown answers count as possibly sent. A slot ends when the transaction that used its nonce is seen in a
//     final block: one of its attempts, or another of the same signer. That none is seen proves nothing. (A slot that
//     carries nothing ends when its nonce is used in the state of a final block: nothing can be lost with it.) A batch that nodes took and that
//     is in no block for long is cancelled by one more attempt, once: its work is free when a final block used the nonce by that one.
//  7. Where the chain turns out to have been less final than the rule said, settled slots are opened again (Reopen), and
//     the very bytes that are gone are broadcast. They settle again like any others. Their other attempts stay known: a pool
//     may still hold one.
//  8. Nonces that the journal cannot explain are skipped when the transactions that used them are seen in final blocks and
//     no slot is open; where the journal begins, by the account alone. If that was wrong, the gap is filled: with slots
//     that carry nothing.
//  9. A transaction of the signer to the contract that the journal does not know ends nothing: the journal may be older
//     than the chain. Nor does a relayer's call of another contract before a transaction of the lane's own is final: another
//     deployment drives the signer. The lane halts until an operator's Resume. Open slots below the nonce that it names end as foreign when
//     a final account shows their nonces used and every block that can hold the transaction was read without finding it:
//     the operator has said that what used them stands.
//  10. A bucket has one owner, or is on its way from one lane to another: the giver's Give ends what it has, the taker's Take
//     begins it, and the handovers from one lane to another are numbered and taken in order, each once. The giver keeps what it
//     gave until it knows that it was taken (Taken). A bucket is not given while a creation or an edit of it is open in a slot.
//
// # An example: a transaction that is not the lane's
//
// Slots 7 and 8 are open and broadcast, Next is 9, the account said nonce 7 at block 119. In block 120 a transaction X of the
// lane's signer uses nonce 7, and the journal does not know X.
//
//  1. A node answers "nonce too low" to slot 7's bytes. onSent raises a doubt, TakeNeeds asks for the account, and at block 121
//     it says nonce 8. That ends nothing. Package heads looks where slot 7's attempts are (search.go), then reads the full
//     blocks from 120 on (scan.go), and finds X: View.Foreign[7].
//  2. The lane binds nothing (WaitForeign) and broadcasts slot 7 no longer; slot 8 it does. Where X does not go to the
//     contract: when block 120 is final, final says SettleSlot{7, X}, and Settle{7, foreign} puts slot 7's work into the
//     queue. It is bound again as slot 9.
//  3. Where X goes to the contract: perhaps the journal is an older copy, and X an attempt that it forgot. So nothing ends,
//     final or not, and the lane halts (WaitUnjournaled). The operator runs "lanes resume --below 8", which appends Open and
//     Resume{8}. The session finds itself fenced; the next one folds Resumed 8, finds X again and settles slot 7 as in 2.
//     What X did to updates is in its event alone, which the ledger tells.
//  4. X is in none of the blocks that can hold it, and all of them were read (View.Unfound is 7). Without a Resume slot 7
//     stays open, since absence proves nothing. With Resume{8} it ends as foreign when the account in the state of a final
//     block says nonce 8.
//  5. The journal ends before slot 7 (Next is 7, nothing is open): in place of Settle, skip journals Skip{8, X} when X is final;
//     where X goes to the contract, after a Resume.
//
// # Crashes
//
// State is all that must survive, and it is the journal. What a session learns (blocks, answers, receipts) it learns
// again: after a crash all open slots are waiting, their newest attempts are broadcast again at the first head, and
// receipts turn up for those that were included meanwhile. docs/crashes.md has the table.
//
// # Rejected
//
//   - Asking the node for the pending nonce: it forgets with its mempool, counts other people's transactions and differs
//     between the servers behind one address.
//   - Giving a nonce back after an error, or filling "gaps" at start: every bug report about doubled transactions begins so.
//     Invariant 8 fills no such gap: only nonces below the lane's first, which the state of a final block shows unused,
//     each by a journaled slot that carries nothing. Where that was wrong, nodes refuse it, and no work was at stake.
//   - A map of buckets to lanes in the stream or in a store of its own, with a message where it changes: every lane would have to
//     read up to each of these and take detours behind it. What the journals say suffices, and each is written by one session.
//   - Following "nonce too low" as a failure: it is how success looks after a lost answer.
//   - Taking a used nonce without a receipt for a foreign transaction: receipts are missing far more often than keys are
//     shared, and work released in error is paid for twice and reported as a duplicate.
//   - Halting when the chain lost what was final: nothing is gained by waiting, and the bytes are at hand.
//   - A status in the journal for every block and send: a write each, for what one question to the chain tells.
package lane
