// Package evidence defines the observations required for a conclusion about the chain. It verifies all parts of an
// endpoint's answer that can be verified alone. It does no I/O.
//
// Absence proves nothing, and one endpoint's claim ends nothing. A null, an empty list, an error and a lower number
// than before all mean "unknown". The program believes only data that it saw in a block of the followed chain: the
// header hashes to the block's hash, and its parents lead to that chain.
//
// docs/evidence.md has the table of conclusions and their requirements. CheckAccount, CheckReceipts, CheckReceipt
// and CheckTransactions are its checks; package chain checks headers as it decodes them. The package also defines
// requests to endpoints and their answers (ask.go), and the chain as a signer sees it (view.go).
//
// If a chain's headers do not hash to their blocks' hashes (Block.Checked is false), endpoints are compared
// instead. A hard fork can start that at some height.
package evidence
