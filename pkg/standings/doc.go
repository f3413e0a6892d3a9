// Package standings keeps, in Redis, the projection of the contract's final executions: each project's wallets by
// score, newest executions, and totals and fees by day. This cache of the chain may be flushed at any moment.
//
// # Keys
//
// A project's keys share a hash slot, under scorelay:standings:<generation>:{<project>}:
//
//	record         mark (how far the project is known), updates (applied), last (newest execution's time), only (below)
//	0, 1, … total  sorted sets, the boards: of each score type, and of the sums of all; a member is a wallet's 20 bytes
//	exact          scores beyond ±2^53, by board and wallet, since sorted sets hold float64
//	days           by UTC days since 1970
//	recent         a list of the newest executions, packed, newest first
//
// While a project has scores of one type, as most do, only names it and the total is its board. That halves memory
// and work. When a second type appears, an append first copies the total, part by part, while the mark stays.
//
// scorelay:standings:checkpoint has its own hash slot. A new storage format needs another name than standings, so
// that two versions can run side by side.
//
// # Invariants
//
//   - Each execution counts once. A step of an append reads the affected data with the project's mark, and adds in
//     Go. If the mark is unchanged, one script writes the result and the next mark. So appends may be repeated,
//     overlap, or run in two relayers at once.
//   - Scores are exact int64. Boards are sorted by float64: beyond ±2^53, scores with the same float64 share a rank,
//     in the order of wallets.
//   - A project is created before its first part. Reading a missing one returns score.ErrNotProjected, never an empty
//     result.
//   - A rebuild begins a generation with new keys. Its number is Redis's clock, and higher than the last one. A
//     relayer that has not noticed writes into the old generation, which no read uses.
//   - A script blocks Redis for some milliseconds at most: it writes maxStep executions, or reads maxScores scores or
//     a page.
//   - A script writes the record first. If Redis lacks memory, it refuses that write, and the data is unchanged.
//
// Data may be lost while the checkpoint remains, by promoting an asynchronous replica or flushing a Cluster node. The
// fold (package index) detects this by Process, a *score.GapError, score.ErrNotProjected, or a project missing in
// Marks.
//
// Rejected: adding in the script (float64 numbers). Board members that contain their score, for an exact order beyond
// ±2^53 (they need a hash from wallets to scores, which doubles the memory).
package standings
