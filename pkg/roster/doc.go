// Package roster says which lanes a deployment has: who signs for each, and which lane shall own each bucket.
//
// It is what operators want, changed by `scorelay lanes`. What is so is in the lanes' journals alone: a lane owns a bucket
// from its Open or Take to its Give, also where the roster says otherwise. The lanes' sessions read the roster and hand buckets over
// until their journals say the same.
//
//	         Add, Replace         Remove, Replace
//	nothing ─────────────► active ────────────────► leaving ───► gone
//	                         │                         │           ▲ Gone: nothing is left in its journal
//	                         └──────────► cut ◄────────┘           │
//	                                  Cut  └───────────────────────┘ and back by Wake
//
// # Invariants
//
//   - A lane is one signer for life. Ids count up from 0 and are never used again, and neither is a signer.
//   - Only active lanes shall own buckets, and there is always one at least.
//   - A change moves the fewest buckets that make the shares even: 256 ÷ lanes each, one more for some. Replace moves those of
//     the replaced lane and no others.
//
// All functions are pure: they return the next roster and leave theirs as it was. Package store keeps it.
package roster
