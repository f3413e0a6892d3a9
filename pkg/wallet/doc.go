// Package wallet parses and verifies addresses, signatures and signed times.
//
// Three schemes prove the signer of an update:
//   - EIP-191 (`personal_sign`) of the message, which is the time in milliseconds: the scheme of the spec. It covers
//     only the signer and the time. So any caller with the project's API key and a fresh signature can send any
//     updates of that signer.
//   - EIP-712 over the whole update (Domain.Digest), which serves only this update.
//   - EIP-712 over the bytes of a group of updates (Domain.GroupDigest), which the contract checks, too.
//
// An owner signs edits of a project by EIP-712 (Domain.EditDigest). The contract checks that signature.
//
// A contract wallet has no key, so it is called by ERC-1271: this package encodes and decodes that call, and the
// chain adapter makes it. Groups exclude such wallets, because the contract makes no external calls.
//
// Invariants:
//   - A signature has one accepted encoding per form: s is low, v is 0, 1, 27 or 28, and the 64-byte form is
//     EIP-2098's.
//   - A message is decimal digits only. Some signers (web3.js) treat text beginning with 0x as bytes, but sign digits
//     as all others do.
//   - A Domain parsed from JSON is one that NewDomain makes.
//
// Rejected: crypto.SigToPub alone (accepts high-s), common.IsHexAddress (accepts a missing 0x and wrong checksums).
package wallet
