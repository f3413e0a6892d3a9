// Package chain is the EVM chain behind one or more JSON-RPC endpoints. It is the only place that knows node clients:
// their methods, their error texts (classify.go), their limits.
//
// Rules it keeps:
//   - A read goes to the first endpoint that is up, then to the next. A read at a block (by hash) is answered only by an
//     endpoint that knows the block, so a lagging node behind a load balancer cannot make a transaction look absent.
//   - ethereum.NotFound comes back only when every endpoint that is up says so. Any other error means that nothing was
//     learnt.
//   - Transactions go to all endpoints. Refused means refused by every endpoint that got the bytes; one answer that
//     leaves it open (a timeout, a text nobody knows) makes the whole result ambiguous.
//   - The hash of a transaction is computed here, the hash of a block is the node's.
//   - Every request has a deadline of its own; an endpoint that keeps failing rests for a while, unless it is the last.
//   - Endpoints are named by host in logs, metrics and errors, since their URLs often carry keys.
//
// Rejected: polling each transaction's receipt (one request per transaction and head; Receipts asks for all of a lane
// in one), eth_estimateGas per batch (the gas model is exact enough and needs no round trip), and the pending nonce
// (it differs from node to node and hides gaps).
package chain
