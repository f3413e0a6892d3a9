// Package chain is the EVM chain behind one or more JSON-RPC endpoints. It is the only place that knows node clients:
// their methods, their error texts (classify.go), their limits. Package evidence says what is believed.
//
// What it returns was checked against itself:
//   - A block's header hashes to its hash, a block asked for by number or hash has it, and blocks of a range link (header.go,
//     blocks.go). Accounts have a proof under the state root (accounts.go), receipts are all of their block's under the receipts
//     root (receipts.go), transactions all under theirs (transactions.go).
//   - Where no header of the chain can be checked, it takes a look at some blocks of each endpoint to conclude that. Then Checked is
//     false, and endpoints are compared: a block of a height is not believed while half or more of the endpoints that have one of that
//     height have another. A lone endpoint's word is taken there.
//   - Once any header of the chain was checked, each has to be, but above a hard fork that gave headers fields which this program does
//     not know: when for a minute (Config.Unchecked) no endpoint gave a checked block above those that it gave before; at the first contact at once, where
//     every endpoint answers and none has a checked one among its newest. A checked block at that height or above ends it. An
//     endpoint that gave a checked block above contradicts itself. Such blocks are compared whole, as the hash binds nothing in them: all endpoints that answer
//     have to say the same, and one that has no such block yet is waited for (Agreed). Receipts are held against the roots that
//     endpoints agree on.
//   - What has a weaker check says so: an account without a proof is the unanimous word of the endpoints (Proved is
//     false); a single receipt fits the block's list and bloom, but its status and gas are a word, so one that tells of a
//     failure or has no log is read under the root where an endpoint allows it.
//   - Words of one endpoint, which nothing depends on for good, are: prices (bounded), Call, View, Code, Find, and which
//     block it calls finalized. Logs of long histories are in between; see Client.Logs.
//
// Rules of asking:
//   - A read goes to the first endpoint that is up, those that have the block before those that lag, then to the next, which
//     is asked only for what is missing. A read at a block is pinned by its hash, so a lagging node behind a load balancer
//     has no say.
//   - ethereum.NotFound comes back only when every endpoint that is up says so. Any other error means that nothing was
//     learnt.
//   - Transactions go to all endpoints. Refused means refused by every endpoint that got the bytes; one answer that
//     leaves it open (a timeout, an unknown text) makes the whole result ambiguous.
//   - Of a block that is no longer new, and whose eth_getBlockReceipts is empty, the receipts of its transactions are read one by one, and
//     held against the receipts root as those of others are.
//   - Receipts that take longer than two seconds are read beside the rest, with a longer deadline (late.go).
//   - Every exchange has a deadline of its own. An endpoint that keeps failing, or throttles once, rests, alone too
//     (breaker.go); one that contradicts twice is set aside (trust.go), and asked, if it is the
//     last one left, for what can be checked.
//   - Batches shrink when an endpoint answers one element and not the batch, and ranges of logs when it refuses one; both grow back (batch.go).
//   - A JSON-RPC answer in a page of HTTP 400 or 413 is the node's. Other pages are a proxy's, and refuse nothing for good.
//   - Endpoints are named by host in logs, metrics and errors, since their URLs often carry keys, and what an endpoint echoes of
//     its URL besides is redacted in its errors (redact.go).
//   - The tip is what others pay: transactions of ours, and to our contract, do not count (market.go). A legacy gas price is
//     the node's, and does count them.
//
// Rejected: polling each transaction's receipt, eth_estimateGas per batch (the gas model is exact enough and needs no
// round trip), the pending nonce (it differs from node to node and hides gaps), and reading every header of a long
// history (one call a block).
package chain
