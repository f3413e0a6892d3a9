// Package stream is Scorelay's durable store of work in flight. One JetStream stream holds every accepted update,
// creation and edit until it is final and older than the audit horizon; two others hold the dead letters. The lanes'
// journals are in a stream of their own (Journal), and so is the ledger.
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
// A message begins with the version of its format. A reader stops at an unknown version (score.ErrNewer) instead of
// interpreting half of the message.
//
// Each lane reads the stream in order, keeps the messages of its buckets (score.BucketOf), and journals the updates
// that it assigned. There are no acks and no redelivery. The lanes of a process share one consumer and the newest
// messages in memory (Tail). A lane further behind reads by itself until it has caught up.
//
// # Guarantees
//
//   - A publish that returned nil is synced to disk: the server syncs every write (VerifySyncAlways), and the stream
//     is file-backed, with limits retention and no age limit (Open).
//   - score.ErrFull means that the message was refused. After ErrUnknown it may be stored; publishing again under the
//     same message id within the duplicate window stores it at most once.
//   - In a cluster, the leader answers reads of single messages (Open refuses allow_direct). Reads of a whole stream,
//     and the first part of a watch, go up to the leader's end. A new leader has applied every acknowledged message.
//   - While a cluster has no leader, a former or future one may report an outdated end of the stream. A leader that
//     lost its majority serves old data until it notices (some 10 s). State and LastDeadLetter return an error in
//     both cases. Other reads from such servers are harmless: a write based on them fails, since a majority must
//     store it.
//   - A creation is accepted at most once per projectId, by a compare-and-set on its subject. Of two racing API
//     replicas, one gets score.TakenError.
//   - An edit is accepted at most once per project and nonce, until it is a dead letter.
//   - If the stream goes back in time, a process that knows a higher sequence notices it: at each publish, and in
//     package halt, which stops accepting.
//   - A full stream refuses new messages (DiscardNew).
//
// # Dead letters
//
// A dead letter's subject is its id, so storing it again replaces it. DEADLETTERS holds those recorded nowhere else.
// REJECTED holds those that the contract's events also record. Each stream drops its oldest letters when full. There
// are two so that a flood of rejections cannot evict the only record of something.
//
// Many dead letters are stored as an atomic batch, which the server syncs once: 8,000 take 0.6 s instead of 8.5 s
// (BenchmarkDeadLetters). Rejected: concurrent single publishes, which wait for the same syncs; many dead letters in
// one message, which could not be marked and replaced one by one.
//
// The stream's metadata contains the deployment, so a process with another deployment's settings is refused.
//
// Rejected: a work queue, since every ack is a synced delete, and no ack survives a killed server. One message per
// update, since each costs an fsync, or one subject per update. A subject per lane, since each API would wait for one
// sync per lane, and projects would be tied to lanes for good.
package stream
