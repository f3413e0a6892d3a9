package main

import (
	"maps"
	"time"

	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
)

type endpoint struct {
	proxy   *rpcproxy.Proxy
	quicken func() // ends the delay
}

func newEndpoint(url string, delay time.Duration) (*endpoint, error) {
	proxy, err := rpcproxy.Start(url, 0)
	if err != nil {
		return nil, err
	}
	e := &endpoint{proxy: proxy, quicken: func() {}}
	e.slow(delay)
	return e, nil
}

// slow replaces the delay of each request; a batch is one request.
func (e *endpoint) slow(delay time.Duration) {
	e.quicken()
	e.quicken = e.proxy.Add(rpcproxy.Delay(delay))
}

func (e *endpoint) refuse() (accept func()) { return e.proxy.Add(rpcproxy.Drop()) }

func (e *endpoint) calls() int { return e.proxy.Stats().Total() }

// since returns the number of calls by method since the earlier result before; nil: since the start.
func (e *endpoint) since(before map[string]int) map[string]int {
	calls := e.proxy.Stats().Calls
	for method, n := range before {
		calls[method] -= n
	}
	maps.DeleteFunc(calls, func(_ string, n int) bool { return n == 0 })
	return calls
}
