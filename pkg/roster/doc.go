// Package roster defines the desired assignment of a deployment: its lanes, their signers, and the lane that should
// own each bucket.
//
// Operators change it by `scorelay lanes`. The actual assignment is in the journals: a lane owns a bucket from its
// Open or Take to its Give. The lanes' sessions hand buckets over until the journals agree with the roster.
//
//	         Add, Replace         Remove, Replace
//	nothing ─────────────► active ────────────────► leaving ───► gone
//	                         │                         │           ▲ Gone: nothing is left in its journal
//	                         └──────────► cut ◄────────┘           │
//	                                  Cut  └───────────────────────┘ and back by Wake
//
// # Invariants
//
//   - A lane is one signer for life. Ids count up from 0. Each id and signer is used once.
//   - Only active lanes should own buckets, and at least one lane is active.
//   - A change moves the fewest buckets that make the shares even: 256 ÷ lanes each, one more for some. Replace
//     moves only those of the replaced lane.
//
// All functions are pure: they return the next roster.
package roster
