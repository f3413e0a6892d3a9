// Package stream is Scorelay's durable store of work in flight. One JetStream stream holds every accepted update,
// creation and edit until it is final; two others hold the dead letters.
//
// # The stream
//
// Subjects:
//
//	scorelay.updates          an envelope: the updates of one durable publish
//	scorelay.project.<hex>    an accepted creation
//	scorelay.project.<hex>-edit-<nonce>    an accepted edit; streams of older versions accept this subject, too
//	scorelay.filler           an empty message that only uses up a sequence (Extend); purged soon
//
// An envelope marks its signed groups and keeps their signatures. A message begins with the version of its format. A
// reader stops at an unknown version (score.ErrNewer) instead of interpreting half of the message.
//
// All messages form one log. Publishers know no lanes: each lane reads the log in stream order, keeps the messages of
// its buckets (score.BucketOf), and journals the updates that it assigned. There are no acks and no redelivery. The
// lanes of a process share one consumer and the newest messages in memory (Tail). A lane that is further behind reads
// by itself until it has caught up.
//
// # Guarantees
//
//   - A publish that returned nil is synced to disk. The server runs with sync_interval always (VerifySyncAlways
//     checks each server). The stream is file-backed, with limits retention and no age limit (Open refuses others).
//   - score.ErrFull means that the message was refused. After ErrUnknown it may be stored; publishing again under the
//     same message id within the duplicate window stores it at most once.
//   - In a cluster, the stream's leader answers reads of single messages (Open refuses a stream with allow_direct).
//     Reads of everything, and watches until they are complete, read up to the leader's end. A new leader has applied
//     every acknowledged message.
//   - While a cluster has no leader, a former or future one may report an outdated end of the stream. A leader that
//     lost its majority serves old data until it notices (some 10 s). State and LastDeadLetter return an error for
//     both at once. Other reads there are harmless: a write to the stream or a journal that is based on them fails,
//     since a majority must store it.
//   - A creation is accepted at most once per projectId. Its message is a compare-and-set on its own subject, so of
//     two API replicas that race, one gets nil and the other score.TakenError.
//   - An edit is accepted at most once per project and nonce in the same way, until it is a dead letter.
//   - A process notices that the stream went back in time if it knows a higher sequence: at each publish, and in
//     package halt, which stops accepting.
//   - A full stream refuses new messages (DiscardNew) and keeps the old ones.
//
// # Dead letters
//
// A dead letter's subject is its id, so storing it again replaces it. DEADLETTERS holds those that are recorded
// nowhere else. REJECTED holds those of updates that the contract rejected in a final transaction; the contract's
// event records the same. Each stream drops its oldest letters when full. There are two so that a flood of rejections
// cannot evict the only record of something.
//
// Many dead letters are stored as an atomic batch, which the server syncs once: 8,000 take 0.6 s instead of 8.5 s
// (BenchmarkDeadLetters). Rejected: several single publishes in flight, which wait for the same syncs; many dead
// letters in one message, which could not be marked and replaced one by one.
//
// The stream's metadata contains the deployment (chain, contract, initial number of lanes), so a process with the
// settings of another is refused.
//
// Rejected: a work queue with acknowledgements: every ack is a synced delete, and no ack survives a killed server.
// One message per update (one fsync each), or a subject per update. A subject per lane: each API would wait for one
// sync per lane, and projects would be tied to lanes for good.
package stream
