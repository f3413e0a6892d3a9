// Package model contains plain-data models for tests of a lane's sessions: a chain with its contract, nodes with
// faults, their client, and a journal. It starts no goroutine, reads no clock and draws no random number, so the same
// schedule of calls always gives the same results.
//
// # What is real
//
// Headers hash to their hashes and link to their parents. Roots match the transactions, receipts and accounts. Blooms
// and events are encoded as by the contract and the chain. An honest node's data passes all checks of package
// evidence. A Client makes those checks, as package chain does, wherever a node may lie.
//
// # What is simplified
//
// Gas is a percentage of the batch model's. There is no consensus: the schedule makes blocks and chooses the
// canonical branch. The state root does not cover the contract's storage. Updates of two special wallets (Poison,
// Glutton) make a batch revert or exceed a transaction's gas, to test batches that cannot be mined.
//
// Tests here and in package relay compare these models with geth, anvil and NATS on the same calls.
package model
