// Package event reads the final facts of a project, for webhooks and Server-Sent Events. Its source is the ledger
// (package ledger), which orders contract events in final blocks, and dead letters for failures that have none.
// Events are not stored: each read builds the same ones from a message.
//
// # Invariants
//
//   - The ledger decides what is final; this package has no rule of its own.
//   - An event's id never changes: block hash, log index and index in the log, or the dead letter's name. An event
//     may come again (a crashed reader, a dead letter stored again), always under the same id.
//   - An event's content never changes, except for an action or a score type that its project lacked at first
//     delivery. If the contract has one that the project directory lacks, the event waits for the directory.
//   - A reader that repeats its newest cursor misses nothing. All readers of a project get the ledger's order.
//   - After a reorg deeper than finality, a reader gets ChainRewound before the new blocks. If it then drops events
//     of later blocks, and takes each id once, it ends with exactly the contract's events. Superfluous rewinds are
//     harmless: valid events come again.
//   - Reading continues only at the cursor. One inside a block names that block. If the ledger lost its message and
//     the chain has replaced its block, it is rejected with ErrReplaced.
//   - Readers at the end cost no chain calls: they share the Source's memory. Concurrent reads of older blocks are
//     bounded.
//
// # Rejected
//
//   - A JetStream stream of events for each project: as many copies of the ledger as projects, kept for years.
//   - Events that are included but not final: their readers would have to revert their actions.
//   - Starting over at an unknown cursor: millions of unrequested events would come again.
package event
