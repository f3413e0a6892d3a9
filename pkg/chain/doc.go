// Package chain accesses an EVM chain through JSON-RPC endpoints. It alone knows node clients: their methods, error
// texts (classify.go) and limits. The rules of verification are in package evidence.
//
// Results are verified:
//   - A block's header hashes to its hash, its number or hash is the requested one, and blocks of a range link
//     (header.go, blocks.go). Accounts have a proof under the state root (accounts.go). All receipts of a block match
//     its receipts root (receipts.go), all transactions the transactions root (transactions.go).
//   - If all headers in samples of the endpoints are uncheckable, Checked is false and endpoints are compared. A
//     block is rejected while at least as many endpoints have another one at its height. A lone endpoint is believed.
//   - Once a header of the chain was checked, all must be, except above a hard fork with unknown header fields.
//     Such blocks are accepted if endpoints returned no newer checked block for a minute (Config.Unchecked). At first
//     contact they are accepted at once, if every endpoint answers and all their newest blocks are uncheckable.
//   - A checked block at the fork's height or above ends the exception. An endpoint that returned a checked block
//     above an uncheckable one contradicts itself.
//   - Above such a fork, blocks are compared as a whole. Endpoints that have a block must agree, and if others
//     answer, one of them must have it (Agreed). Receipts are checked against the agreed roots.
//   - Weaker checks are marked. An account without a proof is the unanimous claim of the endpoints (Proved is
//     false). A single receipt matches the block's list and bloom, but its status and gas are a claim. It is used
//     only if all receipts of the block are unavailable or uncheckable.
//   - Unchecked claims of one endpoint are prices (bounded), Call, View, Code, Find and its final block. Only
//     reversible decisions depend on them. Logs of long histories are in between; see Client.Logs.
//
// Requests follow these rules:
//   - A read goes to the first endpoint that is up, preferably one that has the block. The next ones are asked only
//     for missing parts. A read at a block is pinned by its hash, which excludes lagging nodes behind a load
//     balancer.
//   - ethereum.NotFound means that every endpoint that is up returned it. Any other error leaves the question open.
//   - Transactions go to all endpoints. They are refused only if every endpoint that got the bytes refused them.
//     One open answer (a timeout, an unknown text) makes the result ambiguous.
//   - If eth_getBlockReceipts is empty for an older block, its receipts are read one by one, and checked against
//     the receipts root.
//   - Receipts that take over two seconds are read concurrently, with a longer deadline (late.go).
//   - Every exchange has its own deadline. An endpoint that keeps failing, or throttles once, rests, even if it is
//     the only one (breaker.go). After two contradictions it is set aside (trust.go). As the last one left, it is
//     asked only for checkable data.
//   - Batches shrink if an endpoint answers only single elements, log ranges if it refuses one. Both grow back
//     (batch.go).
//   - A JSON-RPC response in an HTTP 400 or 413 page is the node's. Other pages are a proxy's, and a refusal in
//     them is temporary.
//   - Logs, metrics and errors name endpoints by host, since URLs often contain keys. Other parts of the URL are
//     redacted from an endpoint's errors (redact.go).
//   - The tip is the market's: our transactions, and those to our contract, are excluded (market.go). A legacy gas
//     price is the node's and includes them.
//
// Rejected:
//   - polling each transaction's receipt
//   - eth_estimateGas per batch: the gas model is exact enough and saves a round trip
//   - the pending nonce: it varies by node and hides gaps
//   - reading every header of a long history: one call a block
package chain
