// Package index computes derived data from the contract's events:
//
//   - DirectoryFold keeps the project directory: members, actions and score types.
//   - Statuses writes final outcomes into the status store, and restores the store after data loss.
//   - StandingsFold keeps the standings: scores, leaderboards, histories and statistics.
//   - Auditor compares the updates accepted in the stream with the contract's results.
//   - Histories reads a wallet's executions from the chain.
//
// # Invariants
//
//  1. Records, statuses and standings reflect only final blocks, by the ledger's rule of finality. Only the Auditor
//     uses Chain.FinalBlock, to be independent.
//  2. A project record is a pure function of the project's contract events up to its position. A record that may be
//     wrong is rebuilt from the first event, never patched.
//  3. Each part may be killed anywhere, restarted, and run twice at once. The folds run in the relayer that writes
//     the ledger. After a panic, as after any error, a fold is retried from the stored state, with a growing pause.
//  4. registry.ExecutedOf defines, for all readers, which updates an event executed.
//  5. An execution counts in the standings exactly once, even if a write fails or the ledger is read repeatedly.
//  6. A restore declares the status store complete as its last step (StatusStore.EndRestore).
//  7. The Auditor believes only the stream and the contract. From each lane it takes only the position up to which
//     the lane claims to be done. If an accepted update has no outcome, it is lost if it precedes that position, else
//     pending.
//
// # Rejected
//
//   - Log subscriptions: they miss events while a connection is down, and precede finality.
//   - Fencing records by ledger position: if NATS loses the ledger, sequences begin at 1 again. A removed record has
//     no position, so a late writer would restore it.
//   - Continuing at the blocks of ten minutes ago after Redis lost writes: a fold that catches up writes days of the
//     ledger in that time. So it continues at Back, its own position of ten to twenty minutes ago.
//   - Reading the status store in the audit: it may be flushed at any time.
//   - Standings before finality: each reorg would have to revert them.
//   - Declaring missing outcomes lost after a timeout: with a slow chain, pending updates would look lost, and lost
//     ones look pending until the timeout.
package index
