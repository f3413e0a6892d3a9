// Package load is a client of Scorelay's HTTP API that signs updates as any backend does, alone or in groups, and the two
// ways the operator's tool uses it: a plan sent as fast as answers come back (the demo), and an open loop at a fixed rate (the load
// generator).
//
// It follows the API's one rule for callers: an update that got no 200 may be sent again under the same updateId. So an
// answer of 200 is a promise to be checked against the chain, and nothing else is.
package load
