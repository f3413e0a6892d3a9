// Package gas measures what the contract costs: it plays the same batches as a relayer would send on geth's EVM in
// memory, and divides each transaction's gas by its updates.
//
// # Invariants
//
//   - The contract is the embedded one, the batches are planned by package batch and encoded by package registry, the
//     transactions are signed and applied as a block would: intrinsic gas, the floor of calldata and the cap of a
//     transaction's gas included. Every outcome is checked.
//   - The figures are the same in every run: projects, wallets, ids and orders come from fixed seeds.
//   - Figures are rounded up.
package gas
