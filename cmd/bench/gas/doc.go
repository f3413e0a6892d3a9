// Package gas runs a relayer's batches on geth's EVM in memory and divides the transactions' gas by their updates.
//
// # Invariants
//
//   - Batches of the embedded contract are planned and encoded as a relayer does. Transactions are signed and applied
//     as in a block, with intrinsic gas, calldata floor and gas cap. Every outcome is checked.
//   - The figures are the same in every run: projects, wallets, ids and orders come from fixed seeds.
//   - Gas per update is rounded up; lower bounds are rounded down.
package gas
