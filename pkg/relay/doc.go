// Package relay carries accepted updates to the chain: it reads the stream, packs what is in a lane's buckets into
// transactions, journals them, sends them, and sees each through to a final block and an outcome.
//
// # One lane
//
//	stream ──Read──► horizon ──bind──► journal ──► nodes ──► block ──► final ──settle──► dead letters, status, journal
//	                 floors            commit point                              │
//	                    ▲                                                        │ reverted, foreign, cancelled
//	                    └──────────── queue of lost work ◄───────────────────────┘
//
// A session drives one lane as long as it holds the lane's lease. It is one goroutine that owns all of the lane's state;
// package lane decides, this package does. Goroutines feed it: up to three readings of the stream, the tracker of the chain's
// heads (package heads, one per process), and the lease. Nothing else is shared between lanes.
//
// # The parts of a session
//
// Relayer.open makes them; each has what it may touch as fields. Every append to the journal is a commit point.
//
//	session      session.go    the loop: hear, bindAll, do what the lane decided; broadcast what is journaled
//	             bindall.go    what is bound before what, and when nothing is
//	laneJournal  journal.go    append, the only way the lane's state changes; snapshots
//	reading      reading.go    reads the stream for the session, in a goroutine of its own
//	intake       intake.go     messages of the stream → the next batch, creation or edit
//	             fill.go       how much of a block a batch asks for
//	             floors.go     how far each entry moves the floors; lost.go: what the stream lost of what is bound
//	             park.go       projects that take more than their share; second.go: the reading that brings them later;
//	                           parking.go is the session's part of both
//	             paused.go     projects that an operator paused
//	             fence.go      projects of which an edit waits for another lane
//	binder       bind.go       price, sign, journal a slot (Bind) or another attempt of one (Replacement)
//	settler      settle.go     end a slot (Settle): outcomes, dead letters, reports, journal; open it again (Reopen); Skip
//	             piece.go      what work is, as its calldata has it: a batch, a creation or an edit
//	             overtook.go   which updates came before their project, and go again
//	requeue      requeue.go    probe work that lost its slot; bind it again, Split or Drop it
//	             refused.go    how creations and edits end that the chain reverted
//	handover     handover.go   Give to other lanes, Take from them, as the roster says (docs/lanes.md)
//	reporter     report.go     in which slot work is, and how far that is; what fails is made again at a later head
//	teller       backlog.go    how much of each project waits, for the APIs' bounds
//	tracer       tracing.go    spans of what the API traced
//	gas          gas.go        how much gas transactions get, by rules that receipts and headers teach
//	waiting      waiting.go    why the lane binds nothing new, in metric and log
//	unread       unread.go     counts what the session has not come to, by a reading of its own
//	ages         ages.go       how long updates take until they are final, and since when the oldest waits
//	funds        funds.go      how long the signer's balance lasts; the next session of the lane here continues it
//
// The process has, beside its sessions: lanes.go, which lanes there are and have a key here; purge.go, which removes from the stream
// what is final everywhere; driven.go, what it tells of its lanes; metrics.go with gauges.go and largest.go, which projects pay most.
//
// # The unhappy paths, in the order in which to read them
//
//	what happens                   package lane (step.go)   this package                         journal
//	1 it is not mined              push, replacement        session.broadcast, binder.replace    Replacement
//	2 a send has no clear answer   onSent, push             session.broadcast                    –
//	3 it reverted, was cancelled   locate, final            settler.settle, requeue.next         Settle; Bind, Split or Drop
//	4 its block was replaced       locate, push             reporter.stage, session.broadcast    –
//	  … and had been final         reopen                   settler.reopen, reporter.replay      Reopen, later Settle
//	5 killed after an append       Folder, then push        Relayer.open, session.broadcast      Open
//	  … or another session begins  –                        Relayer.drive                        – (append: ErrFenced)
//	6 NATS is away                 –                        Relayer.drive                        – (append: ErrAmbiguous), Open
//	  Redis is away, was flushed   –                        reporter.replay, reporter.resume     –
//	  no endpoint answers          –                        session.blocked                      –
//	  NATS went back in time       –                        Relayer.identify, session.blocked;   –
//	                                                        package halt
//	  endpoints lie                begins, reopen, fillGap  settler.reopen; packages heads,      Reopen
//	                                                        chain and evidence
//	7 a foreign transaction        final, skip              settler.readForeign, settler.skip    Settle, Skip
//	  … to the contract            unjournaled              session.checkFence                   Resume, an operator's
//	8 SIGTERM                      –                        Relayer.drive                        –
//
// Of 3: settler.read finds out what used the nonce. Work that was not carried goes to the queue in the Settle entry itself.
// session.bindAll takes the queue before anything new: requeue.next has each endpoint probe its first piece by eth_call. It
// would succeed: binder.bind, as for new work. Else either everything would fail (requeue.own: the lane waits), or this piece is
// split until what fails alone is found. That is bound all the same: only when the chain reverted it, too, requeue.drop ends it
// with dead letters. Of 7: package lane has an example.
//
// # Invariants
//
//   - Journal before broadcast. A transaction's bytes are appended to the lane's journal, compare-and-set, before any node
//     sees them; the same append says which positions of the stream they carry. A session that lost its lane cannot append, so it cannot create
//     an attempt, and what it still broadcasts is bytes that its successor knows too.
//   - A signed group is one thing from the stream to its outcomes: in one batch, in its order, with its signature, whether
//     it is bound, split off, requeued or given up. One of which a part is bound stops the lane.
//   - An append that failed or whose answer was lost ends the session. The next one reads the journal: nothing is guessed.
//   - A slot is settled only when the transaction that used its nonce is seen in a final block: one of the slot's, with its
//     receipt, or a foreign one (package evidence says what counts as seen). Settling asks the chain nothing, but whether it has a
//     project by now that a transaction's outcome did not know (settler.overtook): that sends updates again, and ends none. Dead letters
//     come before the Settle entry and are idempotent, so a crash between them repeats them. What became of
//     updates and creations statuses have from the ledger; lanes report slots and edits as well as Redis allows, and nothing depends on that.
//     After an operator's Resume an account ends slots below the nonce that it names whose transaction is in none of the blocks that can hold it.
//   - Work whose slot was reverted or lost goes to the lane's queue in the same entry, and is bound again before anything
//     new. It is probed by eth_call first: a cause that concerns everything (the relayer role is gone) makes the lane
//     wait, never dead-letter; a cause that concerns one update or signed group is found by halving. Calls are endpoints' words
//     and end nothing: what is given up on failed on the chain, alone, at least twice (refusedTries). Work whose transactions
//     revert is halved after a bounded number of them (lostTries), even where calls pass. Nothing is dead-lettered for want of gas
//     that a transaction could have.
//   - The gas model is an upper bound on chains with Ethereum's prices, today's or those announced for its next fork. Which of them hold
//     is learnt from headers where they tell, else from receipts as soon as they are in blocks: work bound after the lane saw that one ran out of gas
//     that should have been enough is planned by the dearer ones. Where a batch used more than by any, or ran out, the session
//     gives later transactions more and puts less into them; a new session learns it again. What is learnt from a lie costs gas, or room in blocks.
//   - New work gets the gas that it takes at worst, with slots taken as fresh but those that transactions of this session used in blocks. These
//     have lower nonces, so they come first on any branch of the chain. One that does not apply there what it applied before may have the
//     work run out of gas: then it goes again, by what it takes if all slots are fresh, and the session forgets what it knew. It never counts
//     on what is bound and in no block yet, since a bad update of that could revert a batch with good ones.
//   - A reorg deeper than the finality rule opens settled slots again: the very bytes are broadcast, and the slots settle
//     again. The ledger takes statuses back, and the lane reports these slots at each head until they are settled. It never ends a session.
//   - No batch is planned for more gas than the chain's blocks hold, and a whole number of batches fills a block.
//   - A lane that binds nothing says why (lane.Wait): in its metric always, in the log once per reason that operators can act on.
//   - Errors of nodes and servers make the lane wait and try again. They never free a nonce.
//
// # Crashes
//
// docs/crashes.md says what is there after a crash at each point, and who continues.
//
// # The simulation
//
// TestSimulation plays random schedules of all this on virtual time, with faults of everything around it, and checks the
// invariants at each journal entry and send, and an audit at the end:
//
//	SCORELAY_TEST_SEED=random go test ./pkg/relay -run 'TestSimulation$' -timeout 30m -args -sim.schedules=10000
//
// Rejected: acknowledging messages after confirmation (no acknowledgement of the stream is durable against a killed
// server, and every crash would send again); one process-wide queue of transactions (one slow lane would hold all);
// estimating gas per batch (a round trip each, and wrong as soon as something else lands first).
package relay
