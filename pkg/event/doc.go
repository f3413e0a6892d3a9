// Package event reads a project's final facts, for webhooks and Server-Sent Events, from the ledger, which alone
// decides finality. The ledger has contract events in final blocks, and dead letters for other failures. Each read of
// a message builds the same events.
//
// # Invariants
//
//   - An event's id is its block hash, log index and index in the log, or its dead letter's name. An event that comes
//     again (a crashed reader, a dead letter stored again) has the same id.
//   - An event's content never changes, except for an action or a score type that the contract lacked at first
//     delivery. If only the project directory lacks it, the event waits for the directory.
//   - A reader that continues at its newest cursor misses no events. All readers of a project get the ledger's order.
//   - After a reorg deeper than finality, a reader gets ChainRewound before the new blocks. A reader that then drops
//     events of later blocks, and takes each id once, ends with exactly the contract's events. Superfluous rewinds
//     are harmless: valid events come again.
//   - Readers at the end share the Source's memory and cost no chain calls.
//
// # Rejected
//
//   - A JetStream stream for each project: as many copies of the ledger as projects, kept for years.
//   - Events that are included but not final: their readers would have to revert their actions.
//   - Starting over at an unknown cursor: millions of unrequested events would come again.
package event
