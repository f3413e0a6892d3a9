// Package rpcproxy is a JSON-RPC proxy over HTTP in front of a real node. It fails as RPC endpoints do: late
// responses or none, pages of HTML, outdated or wrong data.
//
// A Proxy without faults forwards requests unchanged, counts calls by method, and is fast enough for benchmarks. A
// Fault is active from Add until its remove function is called; several can be active at once. Random choices depend
// only on the proxy's seed and the order of requests.
//
// An Emulator presents the node's chain as one of another kind, such as OPStack or Avalanche, with computed roots and
// hashes. It can also lengthen the chain at once.
//
// The package is for tests and benchmarks: the api and the relayer must not link it.
package rpcproxy
