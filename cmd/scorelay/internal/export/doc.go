// Package export writes a project's updates or scores as CSV or NDJSON, from the contract's events in final blocks.
//
// # Killed and run again
//
// An export to FILE keeps its kind and progress in FILE.state, so it may be killed at any point and run again.
//
//   - Updates are only appended. A checkpoint syncs them, then replaces the state, which contains the length of FILE.
//     The next run truncates FILE to that length and reads later blocks again, so every line is there once.
//   - For scores, the state contains the sums so far. If they equal the contract's scores at the end, they are
//     written under another name, synced and renamed to FILE.
//
// If the state's position is no longer in the ledger, or NATS lost the ledger, the export continues at the position's
// block. Blocks older than the ledger come from the chain.
//
// # Rollback of final blocks
//
// If the ledger rewinds blocks with exported data of the project, the export restarts by itself. It replaces the
// state with an empty one, then truncates the file. If updates went to standard output, a rollback is an error. If
// the ledger lost the Rewind and the block at the position was replaced, that is an error, too. Then only an endpoint
// reports it, and one endpoint's response must never empty a file.
//
// A FILE without a state is not ours and is left alone. FILE.lock excludes a second export to FILE.
package export
