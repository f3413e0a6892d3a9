// Package ledger keeps what became final, once for the whole deployment, in the JetStream stream LEDGER. A Writer reads the chain and
// appends; statuses, the directory of projects, and standings are folds of it (Fold); event streams, webhooks, and exports read it (Source).
//
// # Messages
//
// Block tells the contract's events in a final block and what their transactions cost. A large block takes several messages; Whole marks the
// last one. Without events it says that there are none up to its block. Rewind says that blocks above one were final and are gone. Letter is a dead
// letter that no event of the contract tells of, where it was appended.
//
// # Invariants
//
//  1. Only blocks that the process's heads.Tracker calls final are appended: there is one rule of finality.
//  2. The ledger is one order. Each append names the sequence before it, and the server refuses it if another writer was first. So any number of
//     Writers may run; the lease spares the others the work.
//  3. A Writer decides by the newest message alone, which it reads after every error. An append that failed may be stored: then it is the newest.
//  4. Folding the messages in order, and dropping at each Rewind what came of higher blocks, yields exactly the contract's events in the chain's final
//     blocks, each once.
//  5. A Position names a message and says what it is: block, hash, and dead letters read. A ledger that NATS lost, restored from an older copy, or an
//     operator purged does not hold it, and reading continues at the position's block if the chain still has it.
//  6. What is older than the ledger comes from the chain as the same messages, without sequences, up to the newest Rewind or the first whole block.
//     Their events have the proof of Chain.Logs.
//
// # Crash table
//
//	dies                                     stored                          the next writer
//	before an append                         nothing new                     appends it
//	after an append, before its answer       the message                     continues behind it
//	within a block of several messages       some parts, none Whole          appends the logs after the newest stored one
//	… and the block is replaced meanwhile    the same                        appends Rewind, which voids the parts too
//	paused for minutes                       what another writer appended    is refused (stream.ErrMoved), and reads the end
//
// # Rejected
//
//   - A message for each block and project: readers of one project would filter by subject, and NATS would keep a subject for each.
//   - The lease as the fence: it may be held twice for a moment.
//   - Blocks that are not final: each reorg would be a Rewind, and who acts on an event would have to take it back.
package ledger
