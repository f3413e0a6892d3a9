// Package relay carries accepted updates to the chain. It reads the stream, packs the updates of a lane's buckets
// into transactions, and journals and sends them. It tracks each to a final block and an outcome.
//
// # One lane
//
//	stream ──Read──► horizon ──bind──► journal ──► nodes ──► block ──► final ──settle──► dead letters, status, journal
//	                 floors            commit point                              │
//	                    ▲                                                        │ reverted, foreign, cancelled
//	                    └──────────── queue of lost work ◄───────────────────────┘
//
// A session drives one lane while it holds the lane's lease. One goroutine owns all of the lane's state: package lane
// decides, and the session's parts carry out the effects. Other goroutines feed it: up to three readings of the
// stream, the tracker of the chain's heads (package heads), and the lease. Of these, lanes share only the tracker.
//
//	session, laneJournal   the loop; the order of assignments (bindall.go); append, the commit point
//	reading, intake        stream → next batch, creation or edit: floors, throttled, paused and fenced projects
//	binder, gas            price, sign, journal a slot (Bind) or an attempt (Replacement); gas limits
//	settler                end a slot (Settle), reopen it (Reopen), skip nonces (Skip)
//	requeue, handover      assign, split or drop work that lost its slot; move buckets between lanes (docs/lanes.md)
//	reporter, teller       publish slots and stages; publish backlogs
//	waiting, unread, ages, funds, tracer                metrics, logs and spans
//
// # Failures
//
//	                            package lane (step.go)   this package                      journal
//	not mined                   push, replacement        broadcast, binder.replace         Replacement
//	ambiguous answer to a send  onSent, push             broadcast                         –
//	reverted, cancelled         locate, final            settle, requeue.next              Settle; Bind, Split or Drop
//	reorg                       locate, push             reporter.stage, broadcast         –
//	… of a final block          reopen                   settler.reopen, reporter.replay   Reopen, later Settle
//	killed after an append      Folder, then push        Relayer.open, broadcast           Open
//	SIGTERM, another session    –                        Relayer.drive                     – (ErrFenced)
//	NATS is away                –                        Relayer.drive                     – (ErrAmbiguous), Open
//	NATS went back in time      –                        identify, blocked; package halt   –
//	Redis is away, was flushed  –                        reporter.replay, reporter.resume  –
//	no endpoint answers         –                        blocked                           –
//	endpoints lie               begins, reopen, fillGap  settler.reopen; heads, evidence   Reopen
//	foreign transaction         final, skip              readForeign, settler.skip         Settle, Skip
//	… to the contract           unjournaled              checkFence                        Resume, an operator's
//
// docs/crashes.md has the state after a crash at each point. TestSimulation plays random schedules with faults, and
// checks the invariants at each journal entry and send.
//
// # Invariants
//
//   - Bytes are journaled before they are broadcast (laneJournal.append).
//   - A signed group stays one unit from the stream to its outcomes: in one batch, in order, with its signature.
//   - A slot ends by a transaction seen in a final block (settler). If the chain loses the block, the slot is
//     reopened.
//   - Work that lost its slot is queued by the entry that ended the slot, and assigned again before new work. It is
//     given up only after it failed on the chain, alone, at least refusedTries times.
//   - Errors of nodes and servers make the lane wait and retry. They never free a nonce.
//
// # Rejected
//
//   - Acknowledging messages after confirmation: acknowledgements are not durable against a killed server, so every
//     crash would send updates again.
//   - One process-wide queue of transactions: one slow lane would hold up all.
//   - Estimating gas per batch: a round trip each, and wrong as soon as something else lands first.
package relay
