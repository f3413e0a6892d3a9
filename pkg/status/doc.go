// Package status keeps, in Redis, how far each update and creation has come, and the claim that makes a second post of
// an updateId a duplicate. Claim and status are one state of the id, the claim being its first:
//
//	           Claim              Accepted            Bound               Fold
//	(nothing) ───────► claimed ───────────► accepted ◄───────► bound ────────────────► final outcome
//	    ▲                 │                     ▲    Released  lane/nonce                  │
//	    └─────────────────┘                     │                                          │ rejected only
//	      Release, or expiry                    └──────────────── claimed ◄────────────────┘
//
// Where a bound update's transaction is, is kept once per slot, not once per update: a bump, an inclusion or a reorg
// costs one write. The hash of a final one is kept once for all that it made final.
//
// What is final is folded from the ledger (package ledger) and nothing else, but for edits (Final): APIs claim and accept, lanes tell
// in which slot work is.
//
// # Tables
//
// Redis spends some 60 to 110 bytes on each key or field beside what is in it, so an update has neither. A table is one hash
// whose fields are buckets of some four entries each, named by 4 bytes, and a few others with longer names. A bucket is entries one after
// the other, the one that was changed last at the end: 16 bytes that name a word, the 256 ids that share all but their last byte; 4 of
// the second in which it was changed; 2 of the length of what follows: runs. A run is the first and the last index in the word (a byte
// each) and the state that all of them are in (record.go); runs ascend. So consecutive ids share an entry and, when they are final by one
// transaction, a run; a random id is alone in its entry.
//
// The table grows by a bucket at a time, as entries come in (linear hashing): buckets 0 … power-1 are there, and those below buckets-power
// have given half of their entries to one that is power higher.
//
// On one Redis, or a Sentinel's, there is one table, so that a script call has work for all that waits. On a Cluster there are
// 64, each in one of its slots; a project is in one of them, since a group's claims are won in one script.
//
// What is older than the retention is at the front of a bucket, and a write that adds to it removes that. Sweep removes what no write
// comes upon.
//
// Invariants:
//   - A claim can never swallow an update: it belongs to a token, it expires, and Release by its token takes it back. If
//     the process dies between claim and ack, a retry of the same updateId gets through after the claim's lifetime; if
//     the update was stored after all, the contract applies it once. Accepted may come late, even after a rejection of
//     what it tells of: it takes the place of its own token's claim, of a first claim or of nothing, never of another
//     token's claim over a rejection.
//   - No id is taken for another: entries are named by 128 bits of a SHA-256 over the deployment's salt, project and word.
//   - Final never falls back, but for a rejected updateId that is claimed again (a rejection does not use the id up), and
//     where the chain lost the very transaction that made it final. Applied is never overwritten by Duplicate, nor Duplicate by a
//     rejection: the first says more about the id.
//   - A table says up to where the ledger is folded into it, in the very writes that fold. A fold that is elsewhere than its caller thinks
//     is refused: so two that fold at once, and a Redis that lost its newest writes, are noticed by one comparison.
//   - Facts may be folded again, in any number of calls. A rejection stays beneath the claim, the acceptance and the slot of the next try, so
//     one that is no newer than that is known to be folded again, and replaces none of them. A slot that is told of late replaces no
//     rejection by one of its own transactions.
//   - Nothing accepted depends on what is here: Redis may be flushed, restarted or gone at any moment. docs/crashes.md (Statuses) says how
//     what it lost is noticed and restored. While a table's generation is missing, neither "unknown" nor an outcome but applied is
//     an answer (Read). It is in the table, so a node of a Cluster that lost its data lost it, too.
//   - Every change of a table is one script call, whose writes come last, in one command each for what is set and what is
//     deleted: a Redis without memory refuses the first, and nothing has changed. Calls are idempotent, so a lost answer is repaired by
//     repeating the call. A slot has no transitions: the last write counts.
//   - Of a group's claims all that are free are won, or, when one is busy, none is: no caller that waits for an id holds
//     one that others wait for.
//   - What is claimed while an exchange with Redis is under way goes with the next: under load a call carries many claims.
//   - No call waits for a dead Redis longer than package redisdb lets it.
//
// Rejected: a separate dedupe set (two keys to keep in step, and a crash between them either swallows an update or
// forgets one); a key for each update (266 bytes each); a field for each update in a hash that is no listpack (70 to 100 bytes,
// though only 1.8 µs for a transition instead of 4: memory runs out first); a key
// for each bucket (a script pays about a microsecond for each key, and reads all buckets of a call at once from one hash); a hash for
// each day, which would expire as a whole (a claim would have to look into all of them); a mode for facts that are folded again (a slot
// that was told of before a loss would keep its own rejection away).
package status
