// Package event is the log of what became final of a project, for those who want to be told: webhooks and Server-Sent Events.
//
// It has two sources. What the contract did is in its events in final blocks. What never reached the contract, or could not be
// carried out, is in the dead letters that no event of the contract tells of (stream DEADLETTERS). Nothing is stored: an event is made of its source
// each time that it is read, and two readers make the same one.
//
// # Invariants
//
//   - Only blocks are read that are final by the relayers' rule, with such proof as the chain's Logs have.
//   - An event's id never changes: block hash, log index and index in the log, or the dead letter's name. An event may come more than once (a reader
//     that crashed, a dead letter that was stored again), always under the same id.
//   - An event says the same each time, but for an action or a score type that its project did not have when it was first told: what the directory
//     of projects does not know yet, and the contract has, it waits for.
//   - From a cursor on nothing is left out: a reader that repeats its newest cursor misses nothing. The events of one source come in its
//     order; those of the two come in any order.
//   - A cursor whose block was replaced, which takes a reorg deeper than finality, is refused with ErrReplaced, and never
//     continued elsewhere: the reader decides whether to begin again at the project's beginning (all events that still hold come again,
//     under the same ids where their blocks are the same) or at the end.
//   - Readers at the end cost the chain what one costs: the newest final blocks are read once for the process, and kept as far as
//     a bound of bytes goes. Few readers at a time read what is older.
//
// # Rejected
//
//   - A stream of events in JetStream: a second copy of the chain, which would have to be right under reorgs and kept for years.
//   - Standing order of both sources: a dead letter is in no block, and waiting for one to be final would hold it up.
//   - Telling of what is included and not final: those who act on it would have to take it back.
package event
