// Package lease shares the lanes evenly among the relayer replicas that are alive.
//
// Every replica keeps a key of its own in the KV bucket LEASES, which says which lanes it has keys for, and one key for each lane
// it holds, and watches the bucket. From these each computes the same plan: which replica shall drive which lane. Shares are as
// even as the keys allow, with the fewest lanes taken from their holders. A replica takes a free lane that the plan gives it, and
// gives back, one in a round, what the plan gives to another.
//
//	free ──Create──► held ──renewed every quarter of the lifetime──► held
//	  ▲                │ given back (share, shutdown): deleted when its session has ended
//	  └────────────────┴ not renewed within the lifetime: the session ends, and another replica writes over the key
//
// # How fast a lane is taken over
//
// A replica that sees no renewal of a key for its lifetime (4 s by default) writes over exactly the revision it saw last. So
// a lane whose holder was killed is taken over one lifetime and two round trips to NATS after its last renewal, and opens
// then. Nothing waits for a round, nor for the server, which removes expired keys up to a second later; the watch tells of
// a lane that was given back at once.
//
// A holder that is slow keeps its lanes as long as one renewal in a lifetime is stored: renewals are sent together, one may
// take half of the lifetime, and one whose answer was lost is recognised by its value, which no other process writes.
//
// # Moves come to an end
//
// Each move that the plan asks for leaves a plan that asks for one less (situation.plan), in any order. So
// with replicas that stay, lanes soon stay too; TestMovesComeToAnEnd plays that with replicas that see the others late.
// A replica that ends deletes its own key first, so that no plan counts on it, and each lane's as soon as its session has ended.
//
// # What a lease is worth
//
// It says who should drive a lane, so that two seldom try. It does not say who can: a replica that slept past its lease
// finds out late. That is decided by the compare-and-set of the lane's journal. The holder counts the lease's lifetime
// from before the request that renewed it, by its own monotonic clock, and others from after they saw it, by theirs: so it
// stops no later than others may start, as long as it runs at all. A replica that slept, or whose watch is late, may think
// a live holder dead; the server refuses it, since the key has a newer revision.
//
// # Rejected
//
//   - Waiting for the server to expire keys: it does so in steps of a second, and each replica looked only now and then.
//   - A shorter lifetime: a busy machine with two cores, or a disk that syncs slowly, would lose lanes that it drives.
package lease
