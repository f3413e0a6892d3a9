// Package export writes a project's updates or scores, as the contract's events in final blocks tell them, as CSV or NDJSON.
//
// # Killed and run again
//
// An export to FILE keeps what it is and how far it came in FILE.state, so it may be killed anywhere and be run again:
//
//   - Of updates, lines are only appended. A checkpoint first syncs them, and then replaces the state, which tells how many bytes of
//     FILE are of the blocks up to its own. What is behind these is cut off before the export continues: it is of blocks that are read
//     again. So no line is missing, and none is there twice.
//   - Of scores, the state holds the sums so far. FILE is written in the end, under another name, and takes its own when it is on disk
//     and the contract has the same scores.
//
// The state names the last block's hash. When the chain does not have that block any more, the export refuses to continue: a final block
// was replaced, and what was exported may be wrong.
//
// A FILE without a state is not ours, so nothing is written to it. FILE.lock keeps two exports to one file apart; the system
// releases it when the process ends, in any way.
package export
