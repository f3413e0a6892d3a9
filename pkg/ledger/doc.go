// Package ledger keeps final facts, once for the whole deployment, in the JetStream stream LEDGER. A Writer reads the
// chain and appends. Statuses, the project directory and leaderboards are projections (Fold); event streams, webhooks
// and exports read it (Source).
//
// # Messages
//
//   - Block contains the contract's events in a final block, and the cost of their transactions. A large block takes
//     several messages, the last marked Whole. Without events it covers all blocks up to its own.
//   - Rewind is a rollback: blocks above its own were final and are gone.
//   - Letter is a dead letter that has no contract event, at the point where it was appended.
//
// # Invariants
//
//  1. Only blocks that the process's heads.Tracker reports as final are appended: there is one rule of finality.
//  2. The ledger has one order. Each append names the sequence before it (compare-and-set), so the server rejects it
//     if another writer was first. Any number of Writers may run.
//  3. A Writer decides from the newest message alone, and rereads it after every error. A failed append may be
//     stored: then it is the newest.
//  4. Folding the messages in order, and dropping at each Rewind the effects of higher blocks, yields exactly the
//     contract's events in final blocks, each once.
//  5. A Position identifies its message by sequence, block, hash and dead letters read. If a loss, purge or restore
//     removed that message, reading continues at the position's block, if the chain still has it.
//  6. Blocks older than the ledger are read from the chain as the same messages, without sequences, up to the newest
//     Rewind or the first whole block. Their events have the proof of Chain.Logs.
//
// # Crash table
//
//	dies                                   stored                     the next writer
//	before an append                       nothing new                appends it
//	after an append, before its answer     the message                continues after it
//	within a block of several messages     some parts, none Whole     appends the logs after the newest stored one
//	… and the block is replaced meanwhile  the same                   appends Rewind, which voids the parts too
//	paused for minutes                     another writer's messages  is refused (stream.ErrMoved), rereads the end
//
// # Rejected
//
//   - A message for each block and project: readers of one project would filter by subject, and NATS would keep a
//     subject for each.
//   - The lease as the fence: it may be held twice for a moment.
//   - Blocks that are not final: each reorg would be a Rewind, and every action taken on an event would have to be
//     reverted.
package ledger
