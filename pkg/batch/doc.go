// Package batch puts accepted updates together into batches: the ordered updates of one transaction. It decides which of
// them share a group and how the group is written, knows what that costs, and says when a batch is full or has waited
// long enough. It is pure: no I/O, no clock, no goroutines.
//
// # Invariants
//
//   - A Builder never holds more than its Limits allow: what Build returns costs at most Gas, which is at most
//     MaxGas, even if every storage slot it touches is fresh, and its transaction has at most Bytes bytes. The one
//     exception is a signed group alone, which nothing can split.
//   - Build loses nothing and invents nothing: its updates are the added ones, each once, and signed groups are as
//     they were given. The same updates, added in the same order, always give the same groups.
//   - Of two updates with one id, the one that was added first stands first, whoever signed them and in whatever groups.
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
