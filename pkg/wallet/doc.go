// Package wallet reads what wallets write: addresses, signatures and the time a caller signed. It does no I/O.
//
// Three schemes prove who sent an update:
//   - EIP-191 (`personal_sign`) of the message, which is the time in milliseconds: the published interface. It binds the
//     signer and the time but not the payload, so one signature serves many updates as long as it is fresh, and a
//     caller with the project's API key and a fresh signature can send any update of that signer.
//   - EIP-712 over the whole update (Domain.Digest): a signature that can be used for nothing else.
//   - EIP-712 over the bytes of a group of updates (Domain.GroupDigest): the one the contract checks, too.
//
// A project's owner proves its edits by EIP-712, too (Domain.EditDigest): the contract checks that, for anyone who sends them.
//
// All are checked by recovering the address from a secp256k1 signature. A contract wallet has no key to recover: it is
// asked by ERC-1271, whose calldata and answer are here and whose call belongs to the chain adapter. It cannot sign
// groups: the contract calls no other contract.
//
// Invariants:
//   - One (digest, signer) has one accepted signature per form: high-s values are refused, v is 0, 1, 27 or 28, and the
//     64-byte form is EIP-2098's. Anything else is an error, never a guess.
//   - A message is decimal digits and nothing else. Signers that treat text beginning with 0x as bytes (web3.js does)
//     therefore agree with the others on every message we accept.
//   - A Domain that was read from JSON is one that NewDomain makes; of another name or version nothing is ever signed.
//
// Rejected: crypto.SigToPub alone (accepts high-s), common.IsHexAddress (accepts a missing 0x and wrong checksums).
package wallet
