// Package batch puts accepted updates together into batches: the ordered updates of one transaction. It decides which of
// them share a group and how the group is written, knows what that costs, and says when a batch is full or has waited
// long enough. It is pure: no I/O, no clock, no goroutines.
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
//	B  w/7   y
//	B  r/91  z
//	B  s/4   z
//	A  w/20  x  \ signed
//	A  w/21  y  / together
//	A  t/180 x
//
// They become five groups:
//
//	round  signer  kind              header tells  updates
//	0      A       KindRuns          P A w         w/8 h, w/9 h, w/10 h, w/7 x
//	0      A       KindFree                        t/180 x
//	0      A       KindWord, signed  w             w/20 x, w/21 y
//	0      B       KindFree          B             r/91 z, s/4 z
//	1      B       KindWord                        w/7 y
//
// Decided by these, in turn:
//
//   - Rounds. The contract applies the first of an id that it sees, which must be the first that came, by any signer. So
//     B's w/7 is in a later round than A's, and rounds follow each other in the batch. A signed group is in a round behind
//     all that came before with any of its ids.
//   - Owners. What one signer has in one round is an owner's, and stands together, so that its header tells the signer once.
//   - Small words. An owner's words of few updates (at the contract's prices, of one or two) are small. Either all of them
//     go to one KindFree group, as r and s do, whose updates even share a run, or each has a group of its own, as B's w in
//     round 1: whichever is cheaper in sum. A KindFree group pays more for reading actions, which counts where the
//     owner has no other word to read them first; that is why t and B's w end up differently.
//   - Layouts. A word that has groups of its own is one KindWord group, one KindRuns group, or both: the loners, who are
//     alone in their run, in the first and the others in the second. A's w is cheapest in runs. With a dozen updates of h and a
//     dozen loners it would be split.
//   - Signed groups stay as they were signed, behind the other groups of their owner.
//   - Headers leave out what is as before: see Header. A signed body has its word in any case; the group behind it need not.
//
// # What fills a batch
//
// A Builder takes updates one by one and keeps the sum of what a Plan of them would cost at worst: every slot fresh, no byte
// zero, updates skipped. This bound (Builder.Gas, at least Model.Gas of the batch) fills a batch, beside its bytes and the
// number of its updates, and makes the gas limit of its transaction. Model.Estimate, with Batch.StorageSlots, Model.Used
// and Model.ZeroByte, is what a batch is likely to cost. Nothing in a relayer depends on it: it serves the calibration of
// the model, the report of `scorelay gas`, and who has to choose between ways to write the same updates.
//
// # Invariants
//
//   - A Builder never holds more than its Limits allow: what Build returns costs at most Gas, which is at most
//     MaxGas, even if every storage slot it touches is fresh, and its transaction has at most Bytes bytes. The one
//     exception is a signed group alone, which nothing can split.
//   - Build loses nothing and invents nothing: its updates are the added ones, each once, and signed groups are as
//     they were given. The same updates, added in the same order, always give the same groups.
//   - Of two updates with one id, the one that was added first stands first, by any signers and in any groups.
//   - The order of a batch's updates (groups first, then within each group) is the order of the contract's outcomes.
//   - EncodeBody has one form for updates of one order. DecodeBody takes what the contract takes.
//
// # Rejected
//
//   - Gas by eth_estimateGas: it answers for the state of one moment. A batch that waits behind others may find
//     slots fresh that an estimate saw used, and a batch that runs out of gas reverts whole.
//   - Keeping the order of acceptance in a batch: scores do not depend on it, and sorting is what lets groups share
//     headers and updates of a wallet share a run. Only updates of one id keep theirs.
//   - The cheapest of all groupings: words compete for one KindFree group, so finding it is a search. Each
//     word decides by its size, and all small words of a signer together.
//   - Waiting WordLinger for any word that is not complete: random ids never complete one, and would wait for nothing.
package batch
