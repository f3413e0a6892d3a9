// Package stream is Scorelay's durable memory of work in flight: one JetStream stream that holds every accepted update,
// creation and edit until it is final, and two that hold the dead letters.
//
// # The stream
//
// Subjects:
//
//	scorelay.updates          one message is an envelope: the updates of one durable publish
//	scorelay.project.<hex>    one message is an accepted creation
//	scorelay.project.<hex>-edit-<nonce>    one message is an accepted edit: a subject that older streams take, too
//	scorelay.filler           says nothing: it only uses a sequence up (Extend), and is purged soon
//
// An envelope marks which of its updates are signed groups, and keeps their signatures. A message begins with the version
// of its form; a program stops at one that it does not know (score.ErrNewer), since half of what a message says is worse than
// nothing.
//
// They are one log. Who publishes knows no lanes: every lane reads all of it, in stream order, and keeps what is in its
// buckets (score.BucketOf). Nothing is acknowledged and nothing is redelivered: what a lane has bound is in its journal.
// The lanes of a process share one consumer and the newest messages in memory (Tail); one that is further behind reads by
// itself until it has caught up.
//
// # What it promises
//
//   - A publish that returned nil is on disk, synced: the server runs with sync_interval always (VerifySyncAlways asks each of a cluster) and
//     the stream is file-backed with limits retention and no age limit (Open refuses anything else).
//   - A publish that returned score.ErrFull was not stored. ErrUnknown may have been stored; publishing again under the same
//     message id within the duplicate window stores it at most once.
//   - In a cluster, what is read singly is read from the stream's leader (Open refuses a stream whose copies answer), and what
//     reads all, or waits until all is known, reads up to what the leader holds. A new leader has applied all that was acknowledged.
//     One that led before, or that leads next, may answer where a stream ends, while no server leads: State and LastDeadLetter refuse that.
//     A leader that is cut off answers what it has until it notices (some 10 s); they refuse that at once, and who reads the rest
//     there can write nothing to the stream or a journal that was decided by it: most servers must store that.
//   - A projectId's creation is accepted at most once: its message is a compare-and-set on its own subject, so two API
//     replicas that race get one nil and one score.TakenError.
//   - An edit of a nonce of a project is accepted at most once, in the same way, until it is a dead letter.
//   - A stream that went back in time is noticed by the process that knows more of it: by each publish's sequence, and by package
//     halt, which stops accepting.
//   - A full stream refuses new messages (DiscardNew) rather than dropping old ones.
//
// # Dead letters
//
// A dead letter has a subject of its own, its id, so that storing it again replaces it. DEADLETTERS holds those that nothing
// else tells of, REJECTED those of updates that the contract rejected in a final transaction, whose event says the same.
// Both drop their oldest dead letters when full: a flood of rejections must not push out what only a dead letter tells.
//
// Many dead letters are stored at once (an atomic batch), since the server syncs a batch once and single messages each: eight
// thousand take 0.6 s instead of 8.5 s (BenchmarkDeadLetters). Rejected: several single publishes in flight, which wait
// for the same syncs; many dead letters in one message, which could not be marked and replaced one by one.
//
// The deployment (chain, contract, and how many lanes it began with) is metadata of the stream itself, so a process cannot
// read the updates of one deployment with the settings of another.
//
// Rejected: a work queue with acknowledgements (every ack is a synced delete, and no ack is durable against a killed
// server), one message per update (one fsync each), a subject per update; a subject per lane, which makes each API wait for
// as many syncs as there are lanes, and ties projects to lanes for good.
package stream
