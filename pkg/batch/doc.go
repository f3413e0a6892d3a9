// Package batch puts accepted updates together into batches: the ordered updates of one transaction. It groups them
// by project, signer and word of their ids, and says when a batch is full or has waited long enough. It is pure:
// no I/O, no clock, no goroutines.
//
// # Invariants
//
//   - A Builder never holds more than its Limits allow: what Build returns costs at most Gas, which is at most
//     MaxGas, even if every storage slot it touches is fresh, and its transaction has at most Bytes bytes.
//   - Build loses nothing and invents nothing: its updates are the added ones, each once. Updates keep their order
//     within a group, and groups stand in the order of their first update, so the same updates always give the
//     same bytes.
//   - The order of a batch's updates (groups first, then within each group) is the order of the contract's outcomes.
//
// # Rejected
//
//   - Gas by eth_estimateGas: it answers for the state of one moment. A batch that waits behind others may find
//     slots fresh that an estimate saw used, and a batch that runs out of gas reverts whole.
//   - Sorting updates by id to find more words: order does not matter to scores, but the first of two updates with
//     the same id should be the one that applies, as accepted.
package batch
