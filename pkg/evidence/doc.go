// Package evidence says what must have been seen before the program concludes something about the chain, and checks what
// can be checked of an endpoint's answer without asking anyone else. It does no I/O.
//
// Absence proves nothing, and one endpoint's word ends nothing: an answer of null, an empty list, an error and a lower
// number than before are all "not learnt". What is believed was seen, in a block whose header hashes to its hash and whose
// parents lead to the chain that was followed so far.
//
//	conclusion      what must have been seen
//	block           a header that hashes to its hash (CheckHeader), whose parent is a block of the chain
//	included        one of the slot's attempts in the list of a block of the chain, and its receipt under the
//	                header's receipts root (CheckReceipts); where no endpoint gives all receipts of a block, a receipt of
//	                which every endpoint that answers says the same, and that fits the list and the bloom (CheckReceipt)
//	final           a block of the chain that makes, with those on top of it, as many as configured; or, by the tag, the
//	                lowest of the endpoints' claims that are blocks of the chain
//	reverted        included, with status 0
//	applied,        included, with status 1 and the contract's event, which carries the batch's own data and an outcome
//	duplicate, …    for each of its updates
//	foreign         another transaction of the lane's signer with that nonce, in a block whose transactions hash to the
//	                header's transactions root (CheckTransactions), that is final
//	reorg           a block that hashes to its hash, whose parents lead to a block of the chain below its head; and, where
//	                that is below the final one, no endpoint left that has the old final block
//	nonce           a proof under the header's state root (CheckAccount); or the word of every endpoint that answers.
//	                A nonce alone ends no slot that carries work: it only says where to look for the transaction
//	membership,     the contract's log in a block of the chain, under the receipts root. That there is none: the header's
//	project exists  bloom has no such log, or all receipts under the receipts root hold none
//
// The package also holds what is asked of endpoints and answered (ask.go), in the words of the table, and how far the
// contract's events were followed (followed.go).
//
// Headers of some rollups have fields of their own and do not hash to what their nodes say; receipts of their deposit
// transactions neither. There nothing can be checked alone, and endpoints are compared (Block.Checked is false).
package evidence
