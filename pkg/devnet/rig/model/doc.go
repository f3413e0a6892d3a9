// Package model contains plain-data models for tests of a lane's sessions: a chain with its contract, nodes with
// faults, their client, and a journal. Time is virtual and chance depends on seeds, so the same schedule of calls
// always gives the same results.
//
// Headers, roots, blooms and events are real, so an honest node's data passes all checks of package evidence. A
// Client makes those checks, as package chain does, wherever a node may lie.
//
// Gas is a percentage of the batch model's. The state root omits the contract's storage. The schedule makes blocks
// and chooses the canonical branch. Updates of Poison and Glutton make batches that cannot be mined.
//
// Tests here and in package relay compare these models with geth, anvil and NATS on the same calls.
package model
