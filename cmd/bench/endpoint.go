package main

import (
	"maps"
	"time"

	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
)

// endpoint is what senders take for the node: it takes time, counts, and may be out of order.
type endpoint struct {
	proxy   *rpcproxy.Proxy
	quicken func() // ends the delay
}

// newEndpoint starts an endpoint in front of the node at a URL.
func newEndpoint(url string, delay time.Duration) (*endpoint, error) {
	proxy, err := rpcproxy.Start(url, 0)
	if err != nil {
		return nil, err
	}
	e := &endpoint{proxy: proxy, quicken: func() {}}
	e.slow(delay)
	return e, nil
}

// slow makes each request from now on take so much longer than the node does: a batch is one request.
func (e *endpoint) slow(delay time.Duration) {
	e.quicken()
	e.quicken = e.proxy.Add(rpcproxy.Delay(delay))
}

// refuse cuts the connections of all requests from now on, until accept.
func (e *endpoint) refuse() (accept func()) { return e.proxy.Add(rpcproxy.Drop()) }

// calls is the number of methods called so far, each of a batch counted.
func (e *endpoint) calls() int { return e.proxy.Stats().Total() }

// since tells the calls by method since an earlier answer; nil is the beginning.
func (e *endpoint) since(before map[string]int) map[string]int {
	calls := e.proxy.Stats().Calls
	for method, n := range before {
		calls[method] -= n
	}
	maps.DeleteFunc(calls, func(_ string, n int) bool { return n == 0 })
	return calls
}
