// Package model holds, for tests, what a lane's sessions live among, as plain data: a chain with its contract, its nodes
// and what they know, claim and keep back; a client of such nodes; and a journal. Nothing in it starts a goroutine, reads a
// clock or draws a number, so a schedule of calls gives the same answers each time it is played.
//
// # What is real
//
// Headers hash to their hashes and name their parents; their roots are those of the transactions, receipts and accounts
// that are there; blooms and events are encoded as the contract and the chain do it. What an honest node says passes all
// checks of package evidence. A Client makes those checks, as package chain does, wherever a node may lie.
//
// # What is not
//
// Gas is what the batch model says, times a percentage. There is no consensus: the schedule makes blocks, of what it likes,
// and says which branch counts. Storage is not in the state root. Two wallets that no real contract knows make it revert, or
// use more gas than there is, so that what cannot be carried can be met.
//
// The tests here and in package relay play the same calls on these models and on geth, anvil and NATS, and compare.
package model
