// Package halt stops accepting when NATS went back in time: when it was restored from an older copy, or the stream of accepted
// updates lost its end.
//
// # Why
//
// Such a stream gives new messages sequences that it had given before. Journals know these as bound, so lanes would pass over
// the new updates: accepted and lost. And what was accepted since the copy is lost unless the backends send it again, which
// only an operator can have them do. So accepting halts, on all APIs, until an operator decides; lanes bind nothing new.
//
// # How it is noticed
//
// A stream never ends before a sequence that it once held. Each process compares its end with the highest that is known:
//
//   - what the process itself published and read (stream.Stream.Seen), kept in memory;
//   - what the lanes' journals speak of (journal.Journal.Seen), asked on every new connection, since a server that restarted may
//     have other data;
//   - a note in Redis, which does not share NATS's disk: raised every second, so what was accepted within the last second before a
//     loss may be missing in it.
//
// The stream's time of creation tells one that was made again. A transaction of a lane's signer to the contract that the lane's
// journal does not know tells what no sequence does: that journals are older than the chain (or that the key leaked, which needs
// an operator as soon).
//
// # The marker
//
// The marker of a halt is the one value of a KV bucket, written by compare-and-set: who finds something first writes it, and the others
// add nothing. It stays when an operator resumes, and then says what was decided. It lives in NATS, so a later restore may take it
// back; then what is seen of the stream tells again. It also names the newest loss that was accepted: what has no outcome was forgotten in
// Redis under that name, so a Redis that does not know it is of before, and relayers have it forget that again.
//
// # Invariants
//
//   - A publish counts only if no halt was found, by what was looked at on the very connection that carried it. A restore takes
//     the server down, so a publish to what was restored is on another connection.
//   - In a cluster another server may be restored than the one that the process is connected to. That takes most of the servers
//     down, so publishes and looks fail: after one that did, nothing counts before the process has looked again, at the journals, too.
//   - A process that could not look does not accept: at the start, on a new connection, and once the last look is 10 s ago.
//   - What a look found counts for all only if the look that writes the marker finds it, too.
//   - What was found closes the process at once, before the marker is written, and until it is read.
//
// Rejected: reading all journals when an API starts (some hundred MB under load; each entry carries the one number instead);
// moving the journals back to the stream's end, which would have what they bound under two meanings; a watch of the marker beside
// looking every second (two sources that may differ, for a second at most).
package halt
