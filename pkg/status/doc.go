// Package status keeps, in Redis, how far each update and creation has come, and the claim that makes a second post of
// an updateId a duplicate. Claim and status are one record, the claim being its first state:
//
//	           Claim              Accepted            Bound                 Final
//	(nothing) ───────► claimed ───────────► accepted ◄───────► bound ────────────────► final outcome
//	    ▲                 │                     ▲    Released  lane/nonce                  │
//	    └─────────────────┘                     │                                          │ rejected only
//	      Release, or expiry                    └──────────────── claimed ◄────────────────┘
//
// Where a bound update's transaction is, is kept once per slot, not once per update: a bump, an inclusion or a reorg
// costs one write, and an update's status is read from two keys.
//
// Invariants:
//   - A claim can never swallow an update: it belongs to a token, it expires, and Release by its token takes it back. If
//     the process dies between claim and ack, a retry of the same updateId gets through after the claim's lifetime; if
//     the update was stored after all, the contract applies it once. Accepted may come late, even after a rejection of
//     what it tells of: it takes the place of its own token's claim, of a first claim or of nothing, never of another
//     token's claim over a rejection.
//   - Final never falls back, but for a rejected updateId that is claimed again (a rejection does not use the id up), and
//     where the chain lost the very transaction that made it final (Reopened).
//     Applied is never overwritten by Duplicate, nor Duplicate by a rejection: the first says more about the id.
//   - Nothing accepted depends on what is here. Redis may be flushed, restarted or gone at any moment: the contract
//     dedupes, the journals know the slots, and package index writes everything back (Restore*). Until it has, the
//     generation key is missing, and neither "unknown" nor an outcome but applied is an answer (Complete). A Redis that
//     was killed and forgot its last second (appendfsync everysec) still has the key: an update of that second is
//     unknown until its lane binds it, or finds its note of what it has reported older than it was and has all restored.
//   - Every change of an update's or a creation's record is one Lua script, so transitions are atomic; scripts are idempotent,
//     so a lost answer is repaired by repeating the call. A slot's record has no transitions: the last write counts.
//   - Of a list of claims all that are free are won, or, when one is busy, none is: no caller that waits for an id holds
//     one that others wait for.
//   - No call waits for a dead Redis longer than package redisdb lets it.
//
// One script call changes many records, so this needs one Redis (or a sentinel's master), not a cluster with slots.
//
// Rejected: a separate dedupe set (two keys to keep in step, and a crash between them either swallows an update or
// forgets one); a status hash per update (five times the memory).
package status
