// Package index follows the contract's events. On them live:
//
//   - Follower keeps the project directory: who is a member, which actions and score types there are.
//   - Restorer brings the status store back after it lost its data.
//   - Projector keeps the standings: scores, leaderboards, histories and statistics of all projects.
//   - Auditor compares what the stream accepted with what the contract did.
//   - Histories tell what the contract did with one wallet's updates; they keep nothing.
//
// # Invariants
//
//   - Only final blocks make records, statuses, standings and counts. Final is what the relayer's tracker calls so (Follower,
//     Restorer, Projector), and what the ledger says (Histories). The Auditor alone asks Chain.FinalBlock: it believes no one else.
//   - A record is a pure function of the contract's events of its project up to its position. It is never patched: where
//     it cannot be right it is made again from the first event on.
//   - All of them may be killed anywhere and run again, and may run twice at once. In every relayer the Follower, the
//     Restorer and the Projector run.
//   - A panic of one of these three is an error as others are, tried again after a pause that grows: it begins again with what is stored.
//   - What an event says was executed of a project registry.ExecutedOf tells, to all who read it. The Projector reads all projects from where it is, with
//     points from the contract; Histories read backwards, from what is not final.
//   - An execution counts in the standings exactly once, also where a write fails and however often it is read.
//   - The Restorer declares the status store complete last, and the store refuses if it lost data, or another restore was requested,
//     since the restore began (docs/crashes.md, Statuses).
//   - The Auditor believes only the stream and the contract. Of the lanes it asks one thing: up to where they claim to be
//     done. An accepted update before that position without an outcome is lost; one behind it is pending.
//
// # What the Follower must have seen
//
// That a block holds no event of a project: a header that leads to the tracker's final block, and whose bloom has no such
// log. That it holds these: all its receipts under its receipts root. So the newest blocks (Recent) cost a call only where
// the bloom has a hit, and an endpoint whose logs are empty moves nothing. Older history is read in ranges of logs with
// such proof as Chain.Logs has; the records are held against the recent blocks at the start and every Recheck, and one that lacks
// an event, or has one that is not there, is made again.
//
// That the directory's last block is gone: in the recent blocks links of headers say so; below them an endpoint's other hash counts
// when it stays. Then the checkpoint goes back to the newest block of its trail that is in the chain, and every record as
// of a later block is made again as of that one. A project that was created only in replaced blocks is forgotten, once the
// contract, too, does not know it.
//
// # Why several Followers converge
//
// The checkpoint has revisions, and each write, of the checkpoint or of a record, is stored only under the newest one. A
// writer first announces up to which block it will write (Followed.Ahead), so that records beyond the checkpoint are always
// of a known chain: the next writer completes them if that block is in its chain, and has them made again if not
// (Followed.Suspect). A late writer of an old branch is refused by the revision. One that still follows the old branch, or
// woke up in it, may take the checkpoint back only if its own final block is as high, or if no writer moved it for
// Patience; as soon as all trackers are on one chain, the first to write takes it there, its checkpoint is in the chain of
// all others, and none takes it back again.
//
// What the Restorer writes twice, or writes again after a reorg, is harmless: its stores keep what says more. It relies on
// Chain.Logs for events that endpoints leave out, as the Auditor does.
//
// # Why each execution counts once
//
// A project's mark in the standings says which of its executions are in them, and each part that is appended says between which
// marks it lies: what is there is passed over, and a part that begins after the mark is refused. So the Projector repeats what failed, or
// may have failed. It remembers the marks that it wrote; of a project that it meets it believes that nothing before the first block
// that it reads is missing, because the checkpoint says so.
//
// Redis may lose its newest writes: of a checkpoint and the executions before it on one node, it loses the checkpoint first; of a Cluster
// another node may lose executions that the checkpoint vouches for. A loss shows when Redis is another process than before, when a part is
// refused, or when a project is missing. In the first two cases the blocks of the last minutes are read again, to which the marks make
// no difference but where something is missing. In the last one, when a final block was replaced, and when there is no
// checkpoint, all is read again under a new generation, whose number is in every key: what a late writer of the old one writes is
// read by nothing.
//
// The logs of blocks that the process remembers are proved, and of older ones have such proof as Chain.Logs has. What is wrong all the same
// shows in the wallets that are compared with the contract after each round; then the standings are rebuilt, once an hour at most,
// since a difference that a rebuild does not cure would keep all from reading.
//
// # How the audit counts
//
// The stream may hold an update several times: retries that no claim caught. Each acceptance must have an outcome of
// its own, in a batch's event or as a dead letter that no event tells of. So the audit counts by update, which is its id,
// what it says and whether it is in a signed group: of one accepted n times the newest n outcomes are its outcomes. Older
// ones belong to acceptances that the stream no longer holds, or to others who relay to the same contract, and
// are no error. That it no longer holds some, outcomes without an acceptance tell, or sequences that are missing: what NATS lost, and
// callers sent again under the same ids, leaves no outcome without one. What another relays under an id of ours, but with another signer, target, action or score type, or unsigned
// where ours is signed, or the other way round, is no outcome of ours. An update that came before its project is sent again;
// its first outcome (unknown project) does not count unless a dead letter confirms it. What a lane had sent that was declared dead may
// have been executed beside what other lanes bound again, so with such a lane more outcomes than acceptances are no fault.
//
// Of an update that no transaction could carry (unprocessable) the dead letter is the only outcome. So a dead letter stays
// when it is replayed, and an update that is rejected again has another one. A dead letter is the outcome of an acceptance between
// where its batch began and the stream's last message when it was stored; the replay comes later, so an old one never
// hides that a replay was lost. If the batch held the updateId several times, the dead letter stands for each of them.
//
// The audit reads in this order, so that work in progress cannot look like a fault: how far the lanes are, dead letters,
// the final block, the stream, the events, by number; then whether that block is still the one of its height, and the contract at its hash. What a lane called settled has its outcome in a block not above the head
// read later; what is in a final block was in the stream before.
//
// It holds the updates of the stream in memory, and of the contract's events the used ids as the contract does: in words.
// An account with the relayer role can fill events with rejections for next to no gas; none of these is remembered unless the stream holds
// its update, and of those only as many as there are acceptances. So what an audit needs is bounded by what was accepted and
// by what storage slots cost.
//
// # How the audit compares the ledger
//
// It reads the contract's events of final blocks from the chain, by its own rule of finality, and all messages that the ledger holds. A block with
// events that only one of them has, that they have differently, or that the ledger tells twice, is a fault. Compared are the blocks after the first that the
// ledger ends with one message, up to the newest that it has whole; what it lacks at its end is lag. Where they differ it reads the ledger again for
// some seconds: after a reorg deeper than finality a writer takes a moment to take blocks back.
//
// # Rejected
//
//   - Subscriptions to logs: they miss what happens while a connection is down, and have no finality.
//   - Reading the status store in the audit: it may be flushed at any time, and nothing follows from what it says.
//   - Standings of blocks that are not final: each reorg would have to take them back. Who wants a newer score asks the contract.
//   - A lock for the Projectors: it could expire at any moment all the same. The lead only spares the others the work.
//   - Waiting a while and calling what is then missing lost: a slow chain would lose updates, a fast one hide it.
package index
