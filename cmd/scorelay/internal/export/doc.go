// Package export writes a project's updates or scores as CSV or NDJSON, from the contract's events in final blocks.
//
// # Killed and run again
//
// An export to FILE keeps its kind and progress in FILE.state, so it may be killed at any point and run again.
//
//   - Updates are only appended. A checkpoint syncs them, then replaces the state, which contains the length of FILE
//     up to the state's block. The next run truncates FILE to that length and reads later blocks again, so every line
//     is there once.
//   - For scores, the state contains the sums so far. If they equal the contract's scores at the end, they are
//     written under another name, synced and renamed to FILE.
//
// The state contains its position in the ledger. Older blocks come from the chain; package ledger decides which. If
// the position is no longer in the ledger, or NATS lost the ledger, the export continues at the position's block.
//
// # Rollback of final blocks
//
// A Rewind in the ledger reports a rollback. If the export contains the project's data from those blocks, it restarts
// by itself: it replaces the state with an empty one, then truncates the file. If updates went to standard output,
// the rollback is an error. If the ledger has lost the Rewind and the block at the position was replaced, that is an
// error too: only an endpoint reports it then, and one endpoint's response must never empty a file.
//
// A FILE that has no state is not ours and is left alone. FILE.lock excludes a second export to FILE, until the
// process ends in any way.
package export
