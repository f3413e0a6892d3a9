// Package evidence says what must have been seen before the program concludes something about the chain, and checks what
// can be checked of an endpoint's answer without asking anyone else. It does no I/O.
//
// Absence proves nothing, and one endpoint's word ends nothing: an answer of null, an empty list, an error and a lower
// number than before are all "not learnt". What is believed was seen, in a block whose header hashes to its hash and whose
// parents lead to the chain that was followed so far.
//
// docs/evidence.md has the table of conclusions and of what must have been seen for each; CheckAccount, CheckReceipts,
// CheckReceipt and CheckTransactions are its checks. Headers are checked where they are decoded, in package chain.
//
// The package also holds what is asked of endpoints and answered (ask.go), in the words of that table, and how far the
// contract's events were followed (followed.go).
//
// Where a chain's headers do not hash to their blocks' hashes (Block.Checked is false), nothing can be checked alone, and
// endpoints are compared. That may begin at a height, with a hard fork.
package evidence
