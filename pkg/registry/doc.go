// Package registry is the Go face of the ScoreRegistry contract: batches, creations and owners' edits to calldata and back, receipts
// to outcomes, logs to events, reads, reverts, gas, and deployment. It does no I/O; bytes go in and out.
//
// # Invariants
//
//   - DecodeBatch(EncodeBatch(b)) is b, and any bytes that DecodeBatch takes are what EncodeBatch makes of them: a
//     lane that finds calldata in its journal knows exactly which updates it carries, and their order.
//   - DecodeBatchData takes exactly the data that the contract takes (a test spoils batches and asks both), so that an
//     index can read all that a relayer wrote.
//   - Outcomes never guesses. It wants the contract's own event with the batch's own bytes; a receipt without it is
//     an error, not "all applied".
//   - Osaka and Amsterdam bound what the chain charges from above, for any outcomes, and the model's Estimate
//     is within 2 % of it where all apply (tests measure both on geth's EVM). The bounds of package score are the
//     contract's (a test compares them).
//   - VerifyCode knows every byte of a deployment's code, what the constructor writes into it included.
//
// # Rejected
//
//   - Bound contract instances (abigen's Transactor and Caller): they talk to a node by themselves, with their own idea of
//     nonces, fees and retries. The relayer journals bytes before they leave, so it needs bytes.
//   - ABI-encoded batches: a struct array costs 160 bytes an update where the packed record has 22.
package registry

//go:generate go run ./internal/bindgen
