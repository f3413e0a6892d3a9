// Package lease distributes the lanes evenly among the live relayer replicas.
//
// Every replica keeps a key in the KV bucket LEASES with the lanes that it can drive, and one key for each lane that
// it holds. All replicas watch the bucket and compute the same plan: which replica should drive which lane. A replica
// takes the free lanes that the plan assigns to it, and releases those of others, one a round.
//
//	free ──Create──► held ──renewed every quarter of the lifetime──► held
//	  ▲                │ released (share, shutdown): deleted when its session has ended
//	  └────────────────┴ not renewed within the lifetime: the session ends, and another replica writes over the key
//
// # How fast a lane is taken over
//
// A replica overwrites the last revision of a key that was not renewed for its lifetime (4 s by default). So a killed
// holder's lane opens again one lifetime and two round trips to NATS after its last renewal. This is independent of
// rounds and of the server, which removes expired keys up to a second later. The watch shows a released lane at once.
//
// A slow holder keeps its lanes if one renewal per lifetime is stored. Renewals are sent in parallel, and each may
// take half of the lifetime. A renewal with a lost reply is recognized by the process's unique value.
//
// # Moves come to an end
//
// Each move of the plan, in any order, leaves a plan with one move less. So with stable replicas, lanes soon settle:
// TestMovesComeToAnEnd. A replica that stops deletes its own key first, so that plans exclude it, and each lane's key
// when its session has ended.
//
// # Guarantee
//
// A lease makes it rare that two replicas drive a lane. The fence is the compare-and-set of the lane's journal, since
// a replica that slept past its lease finds out late. The holder counts the lifetime from before the renewing
// request, others from when they saw the renewal, each by its own monotonic clock. So a running holder stops before
// others may start. A replica that slept, or has a late watch, may take a live holder for dead. The server then
// refuses its write, since the key has a newer revision.
//
// # Rejected
//
//   - Waiting for the server to expire keys: it does so in steps of a second.
//   - A shorter lifetime: on a busy machine with two cores, or with slow syncs, replicas would lose their lanes.
package lease
