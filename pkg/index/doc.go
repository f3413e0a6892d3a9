// Package index computes derived data from the contract's events:
//
//   - DirectoryFold keeps the project directory: members, actions and score types.
//   - Statuses writes final outcomes into the status store, and restores the store after data loss.
//   - StandingsFold keeps the standings: scores, leaderboards, histories and statistics of all projects.
//   - Auditor compares the updates accepted in the stream with the contract's results.
//   - Histories reads a wallet's executions from the chain.
//
// # Invariants
//
//  1. Records, statuses and standings reflect only final blocks, by the ledger's rule. The Auditor alone uses
//     Chain.FinalBlock, to be independent.
//  2. A project record is a pure function of the project's contract events up to its position. It is never patched: a
//     record that may be wrong is rebuilt from the first event.
//  3. Each part may be killed anywhere, restarted, and run twice at once. The folds (Statuses, DirectoryFold,
//     StandingsFold) run where the ledger is written. A panic in a fold is an error like others: it is retried with a
//     growing pause, from the stored state.
//  4. registry.ExecutedOf defines which updates an event executed, for all readers. The StandingsFold reads all
//     projects forward; Histories reads backwards from the head, including blocks that are not final.
//  5. An execution counts in the standings exactly once, even if a write fails or the ledger is read repeatedly.
//  6. Statuses declares the store complete last. The store refuses if it lost data or if another restore began or was
//     requested since this one began (docs/crashes.md, Statuses).
//  7. The Auditor believes only the stream and the contract. From the lanes it takes only the position up to which
//     each claims to be done. An accepted update without an outcome is lost before that position, and pending after
//     it.
//
// # Fencing
//
// The folds fence late writers and detect lost writes in different ways; their types' comments have the details.
//
//   - DirectoryFold names its checkpoint's revision in each write.
//   - Statuses stores the fold's place in every table, in the same write as the statuses. One comparison finds
//     losses.
//   - StandingsFold appends parts that state the marks between which they lie, under a generation in every key.
//
// # Rejected
//
//   - Log subscriptions: they miss events while a connection is down, and precede finality.
//   - Records with a ledger position instead of a fence: a ledger lost by NATS counts from 1 again, so positions of
//     two ledgers have no order. A removed record has no position, so a writer that slept would restore it.
//   - Continuing ten minutes back in the ledger after Redis lost writes: a fold that catches up writes days of the
//     ledger in that time. Instead, the checkpoint contains a position written ten to twenty minutes earlier.
//   - Reading the status store in the audit: it may be flushed at any time, so its content proves nothing.
//   - Standings before finality: each reorg would have to revert them. A caller that needs a newer score can query
//     the contract.
//   - Declaring missing outcomes lost after a timeout: a slow chain would look like lost updates, and a fast one
//     would hide them.
package index
