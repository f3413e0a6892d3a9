// Package chain accesses an EVM chain through JSON-RPC endpoints. It alone knows node clients: their methods, error
// texts (classify.go) and limits. The rules of verification are in package evidence.
//
// Results are verified:
//   - A block's header hashes to its hash, and the blocks of a range link (header.go, blocks.go). Accounts have a
//     proof under the state root (accounts.go). All receipts of a block match its receipts root (receipts.go), all
//     transactions the transactions root (transactions.go).
//   - If all headers of the chain are uncheckable (of unknown form), endpoints are compared. A block is rejected
//     while at least as many endpoints have another one at its height. A lone endpoint is believed.
//   - Once a header was checked, all must be, except above a hard fork with unknown header fields (header.go). Above
//     the fork, endpoints that have a block must return it identically. If endpoints other than its source answer,
//     one of them must have the block (Agreed). Receipts are checked against the agreed roots.
//   - An unproved account is the unanimous claim of the endpoints. A receipt that was read singly is used only if all
//     receipts of its block are unavailable or uncheckable. It must match the block's list of transactions and bloom;
//     status and gas are a claim.
//   - Prices (bounded), Call, View, Code, Find and the final block are one endpoint's claims. Only reversible
//     decisions depend on them. Logs of long histories are in between; see Client.Logs.
//
// Requests follow these rules:
//   - A read goes to the first endpoint that is up, preferably one that has the block. The next ones are asked only
//     for missing parts. A read at a block names its hash, which excludes lagging nodes behind a load balancer.
//   - ethereum.NotFound means that every endpoint that is up returned it. Any other error leaves the question open.
//   - Transactions go to all endpoints. They are refused only if every endpoint that got the bytes refused them.
//   - Every exchange has a deadline. An endpoint that keeps failing, or throttles once, rests, even if it is the only
//     one (breaker.go). After two contradictions it is set aside (trust.go). If all others rest, it is asked all the
//     same, at first only for checkable data.
//   - Logs, metrics and errors name endpoints by host, since URLs often contain keys (redact.go).
//
// Rejected:
//   - polling each transaction's receipt
//   - eth_estimateGas per batch: the gas model is exact enough and saves a round trip
//   - the pending nonce: it varies by node and hides gaps
//   - reading every header of a long history: one call a block
package chain
