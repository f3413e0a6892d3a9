// Package status keeps, in Redis, the status of each update and creation, and the claim that makes a second request
// for an updateId a duplicate. The claim is the first state of an id:
//
//	           Claim              Accepted            Bound               Fold
//	(nothing) ───────► claimed ───────────► accepted ◄───────► bound ────────────────► final outcome
//	    ▲                 │                     ▲    Released  lane/nonce                  │
//	    └─────────────────┘                     │                                          │ rejected only
//	      Release, or expiry                    └──────────────── claimed ◄────────────────┘
//
// Bound updates (assigned to a slot) share the record of the slot's transaction: a replacement, an inclusion or a
// reorg costs one write. Updates that one transaction made final share its hash. Final outcomes come only from the
// fold of the ledger (package ledger), except those of edits (Final).
//
// # Tables
//
// Redis needs 60 to 110 bytes per key or field beyond its content, so updates share fields. A table is one hash. Its
// fields are buckets of about four entries, named by 4 bytes, and a few others with longer names. A bucket
// concatenates its entries, the last changed one at the end. An entry covers a word, the 256 ids that share all but
// their last byte: 16 bytes of the word's name, 4 of the second of its last change, 2 of the length of its runs. A
// run is the first and the last index in the word (a byte each) and their common state (record.go); runs ascend. So
// consecutive ids share an entry and, once one transaction made them final, a run. A random id has its own entry.
//
// A table grows by one bucket at a time (linear hashing). Buckets 0 … power-1 exist. Each one below buckets-power has
// given half of its entries to the bucket with a number higher by power. Expired entries are at the front of a
// bucket. A write that adds an entry removes them; Sweep removes the others.
//
// One Redis, with or without Sentinels, has one table, so that a script call serves the whole backlog. A Cluster has
// 64, each in one hash slot. A project is in one table, since one script claims a group.
//
// Invariants:
//   - A claim cannot swallow an update: it belongs to a token, expires, and is undone by Release with that token. If
//     a process dies between claim and ack, a retry of the updateId succeeds after the claim's lifetime; if the
//     update was stored after all, the contract applies it once. Accepted may come late, even after the update's
//     rejection. It replaces its own token's claim, a first claim or no state, but never another token's claim over a
//     rejection.
//   - Two ids never share a name: it is 128 bits of a SHA-256 over the deployment's salt, project and word.
//   - A final state is replaced only in two cases: a rejected updateId is claimed again (a rejection does not use the
//     id up), or the chain lost the transaction that made it final. Applied outlasts Duplicate, and Duplicate a
//     rejection.
//   - Each write of a fold also stores the table's position in the ledger. A fold from another position is refused.
//     So one comparison detects both concurrent folds and a Redis that lost its newest writes.
//   - Facts may be folded again, in any number of calls. A rejection stays beneath the claim, the acceptance and the
//     slot of the next try. So an equal or older rejection is recognized as a repetition and replaces none of them. A
//     late report of a slot replaces no rejection by the slot's own transactions.
//   - Accepted updates do not depend on this store: Redis may be flushed or down at any moment. docs/crashes.md
//     (Statuses) describes how losses are detected and restored. While a table's generation is missing, neither
//     "unknown" nor any outcome except Applied is reliable (Read). The generation is stored in its table, so a
//     Cluster node that lost its data lost both.
//   - Every change of a table is one script call. It writes last, with one command for all set fields and one for all
//     deleted ones: a Redis without memory refuses the first, and the table is unchanged. Calls are idempotent, so a
//     lost reply is repaired by a retry. A slot has no transitions: the last write of its newest epoch counts.
//   - A group's claims are won together, or none is if one is busy: no caller waits for an id while it holds another.
//
// Rejected: a separate set for deduplication (two keys to keep in step; a crash between them swallows or forgets an
// update); a key per update (266 bytes). A field per update in a hash that is no listpack (70 to 100 bytes: memory
// runs out first, though a transition takes 1.8 µs instead of 4). A key per bucket (a script pays about 1 µs per key,
// but reads all buckets of one hash at once). A hash per day that expires as a whole (a claim would search them all).
// A mode for facts that are folded again (a slot reported before the loss would hide its own rejection).
package status
