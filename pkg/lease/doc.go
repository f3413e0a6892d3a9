// Package lease shares the lanes evenly among the relayer replicas that are alive.
//
// Every replica keeps a key of its own in the KV bucket LEASES, and one for each lane it holds; all of them expire by
// themselves when they are not renewed. From the replicas' keys each knows how many there are, and holds at most its
// share, ⌈lanes ÷ replicas⌉: one with more gives a lane back, one with less takes a free one.
//
//	free ──Create──► held ──renewed every third of the lifetime──► held
//	  ▲                │ given back (share, shutdown): deleted when its session has ended
//	  └────────────────┴ renewal refused, or not answered within the lifetime: the session ends, the key expires
//
// # What a lease is worth
//
// It says who should drive a lane, so that two seldom try. It does not say who can: a replica that slept past its lease
// finds out late. That is decided by the compare-and-set of the lane's journal. The holder counts the lease's lifetime
// from before the request that renewed it, by its own monotonic clock, so that it stops no later than others may start,
// as long as it runs at all.
package lease
