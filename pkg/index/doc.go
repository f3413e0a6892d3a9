// Package index follows the contract's events. Three things live on them:
//
//   - Follower keeps the project directory: who is a member, which actions and score types there are.
//   - Restorer brings the status store back after it lost its data.
//   - Auditor compares what the stream accepted with what the contract did.
//
// # Invariants
//
//   - Only final blocks make records, statuses and counts, so nothing here is ever taken back. A chain whose final
//     block changed is another chain: the Follower refuses it (ErrReset).
//   - All three may be killed anywhere and run again, and may run twice at once. What they write says from which block
//     it is, and the stores keep what is further. In every relayer the Follower and the Restorer run.
//   - The Restorer declares the status store complete last, and the store refuses if it lost data since the restore
//     began. Until then "nothing known" is not an answer.
//   - The Auditor believes only the stream and the contract. Of the lanes it asks one thing: up to where they claim to be
//     done. An accepted update before that place without an outcome is lost; one behind it is pending.
//
// # How the audit counts
//
// The stream may hold an update several times: retries that no claim caught. Each acceptance must have an outcome of
// its own, in a batch's event or as a dead letter that no event tells of. So the audit counts by update, which is its id,
// what it says and whether it is in a signed group: of one accepted n times the newest n outcomes are its outcomes. Older
// ones belong to acceptances that the stream no longer holds, or to somebody else who relays to the same contract, and
// are no error. What somebody relays under an id of ours, but with another signer, target, action or score type, or unsigned
// where ours is signed, or the other way round, is nobody's outcome. An update that came before its project is sent again;
// its first outcome (unknown project) does not count unless a dead letter confirms it.
//
// Of an update that no transaction could carry (unprocessable) the dead letter is the only outcome. So a letter stays
// when it is replayed, and an update that dies again has another one. A letter is the outcome of an acceptance between
// where its batch began and the stream's last message when it died; the replay comes later, so an old letter never
// hides that a replay was lost. If the batch held the updateId several times, the letter stands for each of them.
//
// The audit reads in this order, so that work in progress cannot look like a fault: how far the lanes are, dead letters,
// the final block, the stream, the events. Whatever a lane called settled has its outcome in a block not above the head
// read later; whatever is in a final block was in the stream before.
//
// It holds the updates of the stream in memory, and of the contract's events the used ids as the contract does: in words.
// Whoever may relay can fill events with rejections for next to no gas; none of these is remembered unless the stream holds
// its update, and of those only as many as there are acceptances. So what an audit needs is bounded by what was accepted and
// by what storage slots cost.
//
// # Rejected
//
//   - Subscriptions to logs: they miss what happens while a connection is down, and have no finality.
//   - Reading the status store in the audit: it may be flushed at any time, and nothing follows from what it says.
//   - Waiting a while and calling what is then missing lost: a slow chain would lose updates, a fast one hide it.
package index
