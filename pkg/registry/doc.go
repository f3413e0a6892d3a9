// Package registry encodes calls of the ScoreRegistry contract (batches, creations, edits) and decodes calldata,
// receipts, logs, reads and reverts. It also models gas and encodes deployment. It does no I/O.
//
// # Invariants
//
//   - DecodeBatch(EncodeBatch(b)) is b, and EncodeBatch restores any bytes that DecodeBatch accepts. A lane therefore
//     knows from journaled calldata exactly which updates it carries, and their order.
//   - DecodeBatchData accepts exactly the data that the contract accepts, so an index can read everything that a
//     relayer wrote. A test corrupts batches and asks both.
//   - Outcomes never guesses. It requires the contract's own event with the batch's own bytes. A receipt that lacks
//     it is an error, not "all applied".
//   - Osaka and Amsterdam are upper bounds of the gas charged, for any outcomes. The model's Estimate is within 2 %
//     of it if all updates apply. Tests measure both on geth's EVM, and compare the bounds of package score with the
//     contract's.
//   - VerifyCode checks every byte of the deployed code, including those that the constructor writes.
//
// # Rejected
//
//   - Bound contract instances (abigen's Transactor and Caller): they talk to a node by themselves and manage nonces,
//     fees and retries. The relayer journals bytes before they leave, so it needs bytes.
//   - ABI-encoded batches: a struct array costs 160 bytes an update, the packed record 22.
package registry

//go:generate go run ./internal/bindgen
