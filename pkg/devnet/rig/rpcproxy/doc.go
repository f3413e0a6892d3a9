// Package rpcproxy is a JSON-RPC proxy over HTTP in front of a real node, for tests and benchmarks only. It fails as
// RPC endpoints do: late or missing responses, pages of HTML, outdated or wrong data.
//
// A Proxy without faults forwards requests unchanged, counts calls by method, and is fast enough for benchmarks.
// Random choices depend only on the proxy's seed and the order of requests.
//
// An Emulator presents the node's chain as one of another kind. It can also lengthen the chain at once.
package rpcproxy
