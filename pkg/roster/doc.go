// Package roster defines the desired assignment of a deployment: its lanes, their signers, and the lane that should
// own each bucket.
//
// Operators change it by `scorelay lanes`. The actual assignment is in the lanes' journals: a lane owns a bucket
// from its Open or Take to its Give, even if the roster differs. The lanes' sessions read the roster and hand
// buckets over until the journals agree with it.
//
//	         Add, Replace         Remove, Replace
//	nothing ─────────────► active ────────────────► leaving ───► gone
//	                         │                         │           ▲ Gone: nothing is left in its journal
//	                         └──────────► cut ◄────────┘           │
//	                                  Cut  └───────────────────────┘ and back by Wake
//
// # Invariants
//
//   - A lane is one signer for life. Ids count up from 0. Ids and signers are never reused.
//   - Only active lanes should own buckets, and at least one lane is active.
//   - A change moves the fewest buckets that make the shares even: 256 ÷ lanes each, one more for some. Replace
//     moves only those of the replaced lane.
//
// All functions are pure: they return the next roster. Package store keeps it.
package roster
