// Package export writes a project's updates or scores, as the contract's events in final blocks tell them, as CSV or
// NDJSON.
//
// # Killed and run again
//
// An export to FILE keeps what it is and how far it came in FILE.state, so it may be killed anywhere and be run again:
//
//   - Of updates, lines are only appended. A checkpoint first syncs them, and then replaces the state, which tells how
//     many bytes of FILE are of the blocks up to its own. What is behind these is cut off before the export continues:
//     it is of blocks that are read again. So no line is missing, and none is there twice.
//   - Of scores, the state holds the sums so far. FILE is written in the end, under another name, and takes its own
//     when it is on disk and the contract has the same scores.
//
// The state has the position in the ledger of final blocks up to which it goes. What is older than the ledger comes
// from the chain; package ledger decides which. Of another ledger than before (NATS lost it, or it holds the position
// no more) an export continues by the position's block.
//
// # Final blocks that are replaced
//
// The ledger says so (Rewind), which is rare. Where the export has something of the project from these blocks, it
// begins again by itself: it first replaces the state by one that has read nothing, and then cuts the file off as that
// says. After lines that went to the standard output it is an error. So is a position whose block was replaced in a
// ledger that does not hold that any more: an endpoint alone says so, and no file is emptied by its word.
//
// A FILE without a state is not ours, so nothing is written to it. FILE.lock keeps two exports to one file apart; the
// system releases it when the process ends, in any way.
package export
