// Package event reads what became final of a project, for webhooks and Server-Sent Events: from the ledger (package ledger), which has one order of
// both sources. What the contract did is in its events in final blocks. What never reached the contract, or could not be carried out, is in the dead
// letters that no event of the contract tells of. Nothing is stored: an event is made of a message each time that it is read, and two readers make the
// same one.
//
// # Invariants
//
//   - Final is what the ledger says. This package has no rule of its own.
//   - An event's id never changes: block hash, log index and index in the log, or the dead letter's name. An event may come more than once (a reader
//     that crashed, a dead letter that was stored again), always under the same id.
//   - An event says the same each time, but for an action or a score type that its project did not have when it was first told: what the directory
//     of projects does not know yet, and the contract has, it waits for.
//   - From a cursor on nothing is left out: a reader that repeats its newest cursor misses nothing. All readers of a project get the ledger's order.
//   - A reader that passes a reorg deeper than finality gets ChainRewound before anything of the new blocks. A reader that drops events of later blocks then,
//     and takes each id once, holds exactly the contract's events at the end (TestWhoObeysTheDocsHoldsTheContractsEvents). A rewind too many does no harm:
//     what holds comes again.
//   - A cursor is never continued elsewhere. One inside a block names that block; where the ledger lost its message and the chain has replaced
//     its block, it is refused with ErrReplaced.
//   - Readers at the end cost the chain nothing: they share the Source's memory. Few readers at a time read what is older.
//
// # Rejected
//
//   - A stream of events for each project in JetStream: as many copies of the ledger as projects, which would have to be kept for years.
//   - Telling of what is included and not final: those who act on it would have to take it back.
//   - Beginning again by itself where a cursor is unknown: millions of events would come again that no operator asked for.
package event
