// Package rpcproxy stands between a program and a real node of a chain, speaks JSON-RPC over HTTP to both, and fails as
// endpoints of chains do: late, not at all, with another page, with an old or a wrong answer.
//
// A Proxy without faults hands every request on as it came, counts its calls by method, and is fast enough to measure
// with. A Fault is a small value with a name, active from Add until its remove function is called; several can be active at
// once. What is decided at random follows from the proxy's seed and the order of the requests.
//
// An Emulator tells the node's chain as one of another kind, such as OPStack or Avalanche, with roots and hashes computed,
// and can make it long at once.
//
// It is for tests and benchmarks: neither the api nor the relayer may link it.
package rpcproxy
