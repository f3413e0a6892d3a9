// Package evidence defines the observations required for a conclusion about the chain, and verifies the parts of an
// endpoint's answer that can be verified alone. It does no I/O.
//
// Absence proves nothing, and one endpoint's claim never ends a pending transaction. A null, an empty list, an error
// and a lower number than before mean "unknown". Only data in a block of the followed chain is believed: the header
// hashes to the block's hash, and its parents lead to that chain.
//
// docs/evidence.md has the table of conclusions and their requirements. Package chain checks headers as it decodes
// them.
//
// If a chain's headers do not hash to their blocks' hashes (Block.Checked is false), endpoints are compared instead.
// A hard fork that adds header fields can start this.
package evidence
