// Package ledger keeps final facts, once for the whole deployment, in the JetStream stream LEDGER. A Writer appends
// from the chain. Statuses, the project directory and leaderboards are projections (Fold); event streams, webhooks
// and exports read the ledger (Source). Functions with a parameter fn end with its first error.
//
// # Messages
//
//   - Block contains the contract's events in a final block, and the cost of their transactions. A large block takes
//     several messages, the last marked Whole. A message without events covers all blocks up to its own.
//   - Rewind is a rollback: blocks above its own were final and are gone.
//   - Letter is a dead letter that has no contract event.
//
// # Invariants
//
//  1. Only blocks that the process's heads.Tracker reports as final are appended: one rule of finality.
//  2. The ledger has one order. Each append names the sequence before it (compare-and-set). If another writer was
//     first, the server rejects it, so any number of Writers may run.
//  3. A Writer decides from the newest message alone. It rereads that after every error, since a failed append may be
//     stored.
//  4. Folding the messages in order, and dropping at each Rewind the effects of higher blocks, yields exactly the
//     contract's events in final blocks, each once.
//  5. A Position identifies its message by sequence, block, hash and dead letters read. If a loss, purge or restore
//     removed that message, reading continues at the position's block if that is canonical.
//  6. Blocks older than the ledger are read from the chain as the same messages, without sequences, up to the join:
//     the ledger's newest Rewind, or else its first whole block. Chain.Logs proves their events.
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
//   - A message for each block and project: readers could filter by subject, but NATS would keep a subject for each
//     project.
//   - The lease as the fence: it may be held twice for a moment.
//   - Blocks before finality: each reorg would be a Rewind, and revert every action taken on an event.
package ledger
