// Package index makes of the contract's events what others read:
//
//   - DirectoryFold keeps the project directory: who is a member, which actions and score types there are.
//   - Statuses says in the status store what became final, and restores the store after it lost data.
//   - StandingsFold keeps the standings: scores, leaderboards, histories and statistics of all projects.
//   - Auditor compares what the stream accepted with what the contract did.
//   - Histories tell what the contract did with one wallet's updates; they keep nothing.
//
// # Invariants
//
//   - Only final blocks make records, statuses, standings and counts. Final is what the ledger says. The Auditor alone asks
//     Chain.FinalBlock: it believes no one else.
//   - A record is a pure function of the contract's events of its project up to its position. It is never patched: where
//     it cannot be right it is made again from the first event on.
//   - All of them may be killed anywhere and run again, and may run twice at once. The folds (Statuses, DirectoryFold,
//     StandingsFold) run where the ledger is written.
//   - A panic of one of these is an error as others are, tried again after a pause that grows: it begins again with what is stored.
//   - What an event says was executed of a project registry.ExecutedOf tells, to all who read it. The StandingsFold reads all projects from where it is;
//     Histories read backwards, from what is not final.
//   - An execution counts in the standings exactly once, also where a write fails and however often it is read.
//   - Statuses declares the store complete last, and the store refuses if it lost data, or another restore began or was requested,
//     since this one began (docs/crashes.md, Statuses).
//   - The Auditor believes only the stream and the contract. Of the lanes it asks one thing: up to where they claim to be
//     done. An accepted update before that position without an outcome is lost; one behind it is pending.
//
// # Why the directory is right
//
// The checkpoint has revisions, and each write, of the checkpoint or of a record, is stored only under the newest one. A fold begins with a write of the
// checkpoint, so its revision is its own: from then on no other writer can store anything, however late it comes. It stores the records that
// messages change, then the checkpoint with their position, the commit point, which is always at the end of a block. A writer that dies in between leaves
// records that are newer than the checkpoint. They are of the messages that come next, and the place of a record's newest event (DatedRecord.Block,
// LogIndex) tells which of these it holds.
//
// Records are made again in one way: all of them, in memory, from the chain's project events up to the ledger's end; then those that differ are
// replaced at once, so that no API sees a project's past. It is done where
//
//   - there is no checkpoint, or its block is gone and no Rewind tells of it (ledger.ErrReplaced);
//   - a Rewind names a block below a record's newest event, or the ledger does not hold what comes after the checkpoint, where it might have told
//     of one, and a record is newer than that. The checkpoint has no position from then until all are made;
//   - an event does not follow from its record (Followed.Gaps). Events of the ledger are proved; older ones have such proof as Chain.Logs has, and some
//     may be missing. Other projects are followed meanwhile.
//
// What is stored is evidence, too: of a project of which the chain's events tell less than the record up to a block that still stands, or tell
// of events that do not follow, the record stays, and all are made again later, a minute at least, until the endpoints give all. If its newest event may be
// in a block that was replaced, no event is folded into it until then.
//
// # Why statuses are right
//
// The status store has the fold's place in each of its tables, written with what is folded: the restore that made the table, Redis's process, and the
// position. So one comparison finds what Redis lost. Facts may be folded again: the store keeps what says more or is newer (package status). At a Rewind
// what the blocks that are gone told is taken back; where the ledger does not hold them any more, all statuses are made again.
//
// No event tells that an edit was made. Its lane says so from its journal, and a restore asks the contract.
//
// # Why each execution counts once
//
// A project's mark in the standings says which of its executions are in them, and each part that is appended says between which
// marks it lies: what is there is passed over, and a part that begins after the mark is refused. So the StandingsFold repeats what failed, or
// may have failed. It remembers the marks that it wrote; of a project that it meets it believes that nothing before the first block
// that it reads is missing, because the checkpoint says so. It counts a project's executions within a block, so its positions are at ends of blocks.
//
// Redis may lose its newest writes: of a checkpoint and the executions before it on one node, it loses the checkpoint first; of a Cluster
// another node may lose executions that the checkpoint vouches for. The checkpoint names the process of Redis that it was written to, and a position that
// was written ten to twenty minutes before (Checkpoint.Back). In another process all is read again from there on, however much of the ledger that is: the marks make no
// difference but where something is missing. So it is from where a part is refused. Where a project is missing, where final blocks were replaced, and
// where there is no checkpoint, all is read again under a new generation, whose number is in every key: what a late writer of the old one writes is
// read by nothing.
//
// What an endpoint said of blocks that are older than the ledger may be wrong all the same. It shows in the wallets that are compared with the contract where the
// fold reaches the ledger's end; then the standings are rebuilt, once an hour at most, since a difference that a rebuild does not cure would keep all from reading.
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
// It holds the updates of the stream in memory, nearly all as a hash and a byte, and of the contract's events the used ids as the contract
// does: in words. Of an update that is lost it reads the stream again for its name.
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
//   - Records with their position in the ledger, without a fence: a ledger that NATS lost counts from 1 again, so positions of two ledgers have no order, and a record that was
//     removed has none, so that a writer which slept brings it back.
//   - To continue, where Redis lost writes, ten minutes of the ledger before: a fold that catches up has written days of it in that time.
//   - Reading the status store in the audit: it may be flushed at any time, and nothing follows from what it says.
//   - Standings of blocks that are not final: each reorg would have to take them back. Who wants a newer score asks the contract.
//   - Waiting a while and calling what is then missing lost: a slow chain would lose updates, a fast one hide it.
package index
