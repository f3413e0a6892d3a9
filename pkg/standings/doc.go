// Package standings keeps, in Redis, the projection of the contract's final executions: each project's wallets by
// score, newest executions, and totals and fees by day. It is a cache of the chain, and may be flushed at any moment.
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
// If a project has scores of one type only, as most do, the total is that type's board (only names the type). That
// halves memory and work. When a second type appears, an append first copies the total, part by part, while the mark
// stays.
//
// scorelay:standings:checkpoint has its own hash slot. A new storage format gets another name than standings, so that
// two versions can run side by side.
//
// # Invariants
//
//   - Each execution counts once. A step of an append reads the affected data with the project's mark and adds to it
//     in Go. One script writes the result and the next mark if the mark is unchanged. So an append may be repeated,
//     overlap another one, or run in two relayers at once.
//   - Scores are exact int64. Boards are sorted by score as float64: beyond ±2^53, scores with the same float64 share
//     a rank, in the order of their wallets.
//   - A project is created before its first part. A missing project is never read as empty: score.ErrNotProjected.
//   - A rebuild begins a generation with new keys. Its number is Redis's clock, and higher than the last one's. A
//     relayer that has not noticed writes into the old generation, which no read uses.
//   - A script blocks Redis for some milliseconds at most: it writes maxStep executions, reads maxScores scores, or a
//     page.
//   - A script writes the record first: a Redis without memory refuses it, and the data is unchanged.
//
// Data may be lost while the checkpoint remains: an asynchronous replica was promoted, or a Cluster node was flushed.
// The fold (package index) detects this by Process, which Checkpoint contains too, by a *score.GapError, by
// score.ErrNotProjected, or by a project missing in Marks.
//
// Rejected: adding in the script (its numbers are float64). Board members that contain their score, for an exact
// order beyond ±2^53 (a second hash from wallets to scores, which doubles the memory).
package standings
