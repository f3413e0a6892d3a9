// Package batch puts accepted updates together into batches: the ordered updates of one transaction. It decides which of
// them share a group and how the group is written, knows what that costs, and says when a batch is full or has waited
// long enough. Of more than one batch holds, it chooses what belongs together. It is pure: no I/O, no clock, no goroutines.
//
// # An example
//
// Ten updates of a project P come in, in this order. A and B are signers; h, x, y and z are wallets; w is the word of a
// stream of ids, w/7 its id whose last byte is 7; r, s and t are the words of random ids.
//
//	A  w/7   x
//	A  w/8   h
//	A  w/9   h
//	A  w/10  h
//	B  w/11  y
//	B  r/91  z
//	B  s/4   z
//	A  w/20  x  \ signed
//	A  w/21  y  / together
//	A  t/180 x
//
// They become four groups:
//
//	signer  kind              header tells  updates
//	A       KindRuns          P A w         w/8 h, w/9 h, w/10 h, w/7 x
//	A       KindFree                        t/180 x
//	A       KindWord, signed  w             w/20 x, w/21 y
//	B       KindFree          B             w/11 y, r/91 z, s/4 z
//
// Decided by these, in turn:
//
//   - Owners. What one signer has in one project is an owner's, and stands together, so that its header tells both once.
//   - Small words. An owner's words of few updates (at the contract's prices, of one or two) are small. Either all of them
//     go to one KindFree group, whose updates even share a run, as B's do, or each has a group of its own: whichever is
//     cheaper in sum. A KindFree group pays more for reading actions, which counts where the owner has no other word to
//     read them first.
//   - Layouts. A word that has groups of its own is one KindWord group, one KindRuns group, or both: the singletons, who are
//     alone in their run, in the first and the others in the second. A's w is cheapest in runs. With a dozen updates of h and a
//     dozen singletons it would be split.
//   - Signed groups stay as they were signed, behind the other groups of their owner.
//   - Headers leave out what is as before: see Header. A signed body has its word in any case; the group behind it need not.
//
// # What fills a batch
//
// A Builder takes units one by one and keeps a bound of what a Plan of them costs at worst: every slot fresh that is not Known, no
// byte zero, updates skipped. It knows every slot the batch touches, and takes the rest as if each update stood alone in its run.
// This bound fills a batch, beside its bytes and the number of its updates. Model.Gas of the batch, which is at most the
// bound, makes the gas limit of its transaction. Model.Estimate, with Batch.StorageSlots, Model.Used and Model.ZeroByte, is
// what a batch is likely to cost. Nothing in a relayer depends on it: it serves the calibration of the model, the report of
// `scorelay gas`, and who has to choose between ways to write the same updates.
//
// # What a lane chooses
//
// A Horizon is what waits in a lane. A wallet's score is written once in a transaction, however often it is hit, and so is a
// word of ids; so the more waits, the less an update can cost. Next decides by these, in turn:
//
//   - The oldest unit that is late, having waited longer than HorizonLimits.Lateness, before all others.
//   - Light projects: one of which less waits than a sixteenth of a transaction, and that has not been ahead of the others by
//     more than a turn, does not wait for its turn. All of them have up to half a transaction.
//   - What else is late, the oldest first.
//   - Turns: the project that was served least is next, in updates, then the next. A turn ends when the project's plan is used up, or
//     when it has had as much as a transaction holds. One that begins to wait is served as if it had had its turns until then.
//   - The plan of a project: all that waits of it when its turn begins. First wallets (slots of scores) with two updates or more, those
//     with most first; then the others and signed groups, by the words of their ids. It is used up before the next is
//     made, over as many turns as that takes. A transaction ends with a plan if there is enough for another, so that the next plan
//     has all that waits to choose from.
//
// The transaction is full when one unit does not fit. Without a backlog everything that waits goes with it, so nothing waits
// longer than Limits.Linger.
//
// What is offered stays in the horizon until Bound, so that a lane that cannot bind now has lost nothing. Of units with an id in
// common the later can be chosen when the earlier is bound.
//
// # Invariants
//
//   - A Builder never holds more than its Limits allow: what Build returns costs at most MaxGas by Model.Gas, even if every
//     storage slot it touches is fresh that its Model does not know, and its transaction has at most MaxBytes bytes. The one exception is a signed group
//     alone, which nothing can split.
//   - Build loses nothing and invents nothing: its updates are the added ones, each once, and signed groups are as
//     they were given. The same units, added in the same order, always give the same groups.
//   - A batch has an id of a project at most once. The contract applies the first of an id that it sees, which must be the first that
//     came, by any signer: so a later one does not fit, and goes to a later transaction.
//   - A Horizon offers each unit until it is bound or removed, and never again after that. Of units with an id in common the
//     first that was added is bound first. A unit that is late, and the update of a light project, wait for no plan.
//   - The order of a batch's updates (groups first, then within each group) is the order of the contract's outcomes.
//   - EncodeBody has one form for updates of one order. DecodeBody takes what the contract takes.
//
// # Rejected
//
//   - Gas by eth_estimateGas: it answers for the state of one moment. A batch that waits behind others may find
//     slots fresh that an estimate saw used, and a batch that runs out of gas reverts whole.
//   - Keeping the order of acceptance in a batch: scores do not depend on it, and sorting is what lets groups share
//     headers and updates of a wallet share a run.
//   - The cheapest of all groupings: words compete for one KindFree group, so finding it is a search. Each
//     word decides by its size, and all small words of a signer together.
//   - The exact cost of a Plan while the batch grows: it needs an account of every run, word and layout, kept with each update.
//     The bound holds 3 % fewer updates of random ids, and of others hardly fewer.
//   - A new plan after each transaction, as if nothing had been planned: what is cold is then passed over until it is late, and
//     transactions touch more words.
//   - A longer horizon: with 100,000 updates, transactions touch so many words of ids that it takes back a part.
//   - Waiting for a word that is about to be complete: with a backlog it is complete anyway, without one a touched word costs
//     little beside the wallets.
package batch
