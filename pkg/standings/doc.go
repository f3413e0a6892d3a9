// Package standings keeps, in Redis, the projection of the contract's final executions: of each project the wallets in the order of their
// scores, the newest executions, and what each day was and cost. It is a cache: the chain has it all, and Redis may be flushed at any moment.
//
// # Keys
//
// All keys of a project share a slot of a Cluster. Under scorelay:standings:<generation>:{<project>}: they are
//
//	record       mark, updates, last, only: how far the project is known, how many updates applied, when the newest execution was, and see below
//	0, 1, … total  sorted sets, the boards: a score type's, and the sums of all types; a member is a wallet's 20 bytes
//	exact        scores beyond ±2^53, by board and wallet: no float64 holds them all, and sorted sets have no other numbers
//	days         by the number of the UTC day since 1970
//	recent       a list of the newest executions, packed, the newest first
//
// A project whose scores are all of one type, as most are, has no board of that type: it is the total (only says which type), which halves memory and work. When
// a second type comes, an append first copies the total, a part at a time, while the project's mark stays.
//
// scorelay:standings:checkpoint has a slot of its own. If what is stored takes another form, it takes
// another name than standings, so that two versions run side by side.
//
// # Invariants
//
//   - Each execution counts once. A step of an append reads what it touches with the project's mark, adds to it in Go, and one script writes it if
//     the mark is still the one that was read, together with the next mark. So an append may be repeated, overlap another one, or be written by two relayers at once.
//   - Scores are exact int64. Boards are in the order of the scores as float64: beyond ±2^53, scores that differ by less than a float64 does
//     share a rank, and are in the order of their wallets.
//   - A project is created before its first part, and what is not there is never taken for empty: score.ErrNotProjected.
//   - A rebuild begins a generation, under which no key was before: its number is Redis's clock, and higher than the last one's. A relayer that has not
//     noticed writes into the old one, where it harms no read.
//   - A script holds Redis up for some milliseconds at most: it writes maxStep executions, reads maxScores scores, or a page.
//   - The record is the first thing that a script writes: a Redis without memory refuses it, and nothing has changed.
//
// What is lost while the checkpoint remains (an asynchronous replica took its master's place, one node of a Cluster was flushed) is for the fold (package index)
// to notice: by Process, which Checkpoint names too, by a *score.GapError, by score.ErrNotProjected, or because Marks has no mark of a project that there is.
//
// Rejected: adding in the script (its numbers are float64); a board whose members hold their score, so that its order is exact beyond ±2^53, too (a second
// hash from wallets to scores, which takes as much again).
package standings
