// Package halt stops accepting after NATS went back in time: it was restored from an older copy, or the stream of
// accepted updates lost its end.
//
// # Why
//
// Such a stream assigns sequences a second time. In the journals these are already assigned, so lanes would skip the
// new updates: accepted and lost. Updates accepted since the copy are lost, too, unless an operator has the backends
// send them again. So all APIs refuse updates, and lanes assign none, until an operator decides.
//
// # Detection
//
// Each process looks every second: it reads the marker and the stream's end. It compares the end with the highest
// sequence that the stream is known to have held. The sources of that sequence are:
//
//   - the process's own publishes and reads, in memory.
//   - the lanes' journals, read on every new connection, since a restarted server may have other data.
//   - a note in Redis, which does not share NATS's disk. It is raised every second, so it may lack the last second
//     before a loss.
//
// A changed creation time reveals that the stream was created again. If a lane's signer sent the contract a
// transaction that the lane's journal lacks, the journals are older than the chain, or the key leaked. Both need an
// operator.
//
// # The marker
//
// The marker is the one value of a KV bucket. The first process that detects a loss writes it by compare-and-set; an
// operator's decision replaces it. If a later restore of NATS reverts the marker, the checks of the stream find the
// loss again. The marker also names the newest loss that an operator accepted. With such a decision, statuses of
// updates without an outcome are deleted from Redis, and Redis keeps the name, too. A Redis that lacks the name is an
// older copy, so relayers delete those statuses again.
//
// # Invariants
//
//   - A publish counts only if the last look, on the same connection, found no halt. A restore takes the server down,
//     so later publishes are on another connection.
//   - In a cluster, a restore may spare the connected server. But it takes most servers down, so publishes and looks
//     fail. After a failure, publishes count only after the next look, journals included.
//   - A process accepts only within 10 s of its last successful look.
//   - A loss found by one process halts the others only after a look, which may still disprove it, has written the
//     marker.
//   - A process that detects a loss stops accepting at once, before the marker is written, and until it is read.
//
// Rejected: reading all journals when an API starts: some hundred MB under load; each entry carries the one number
// instead. Moving the journals back to the stream's end: assigned sequences would have two meanings. A watch of the
// marker besides the look every second: two sources that may differ, for a second at most.
package halt
