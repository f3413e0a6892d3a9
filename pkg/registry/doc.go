// Package registry encodes calls of the ScoreRegistry contract and decodes calldata, receipts, logs, reads and
// reverts. It also models gas. It does no I/O.
//
// # Invariants
//
//   - DecodeBatch(EncodeBatch(b)) is b, and EncodeBatch restores any bytes that DecodeBatch accepts. So journaled
//     calldata determines its updates and their order.
//   - DecodeBatchData accepts exactly the data that the contract accepts, so an index can read all batches. A test
//     compares both on corrupted batches.
//   - Osaka and Amsterdam bound the gas charged, for any outcomes. If all updates apply, the model's Estimate is
//     within 2 %. Tests measure both on geth's EVM, and compare package score's bounds with the contract's.
//
// # Rejected
//
//   - abigen's Transactor and Caller: they contact a node and manage nonces, fees and retries. The relayer needs
//     bytes, to journal them before they leave.
//   - `go tool abigen` in place of internal/bindgen: abigen writes only the creation code. VerifyCode compares the
//     deployed code, of which bindgen adds a constant (ScoreRegistryDeployedBin) from the same artifact.
//   - ABI-encoded batches: a struct array costs 160 bytes an update, the packed record 22.
package registry

//go:generate go run ./internal/bindgen
