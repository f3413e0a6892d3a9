package chain_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// throttle answers 429, with the header if it is not empty.
func throttle(retryAfter string) fault {
	return func(w http.ResponseWriter, _ []question, _ bool, _ func() []byte) bool {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(http.StatusTooManyRequests)
		return true
	}
}

// A single endpoint that throttles is left alone as long as it asks for; sends say so and are not lost.
func TestThrottledAlone(t *testing.T) {
	t.Parallel()
	node := fresh.NewChain(t)
	p := newProxy(t, node.URL, throttle("3600"))
	c := dial(t, chain.Config{URLs: []string{p.URL}})
	for range 50 {
		_, err := c.Head(t.Context())
		require.Error(t, err)
		r := sendAll(t, c, transfer(t, 0, 0))[0]
		require.Equal(t, txpool.Throttled, r.Class)
		require.True(t, r.Class.Ambiguous())
	}
	require.Equal(t, 1, p.bodies())
	_, err := c.Latest(t.Context())
	require.ErrorContains(t, err, p.name()+" is left alone for")
	require.ErrorContains(t, err, "it throttles")

	p.inject(throttle("2"))
	c = dial(t, chain.Config{URLs: []string{p.URL}})
	began := time.Now()
	_, err = c.Head(t.Context())
	require.Error(t, err)
	p.inject(nil)
	require.Eventually(t, func() bool {
		_, err := c.Head(t.Context())
		return err == nil
	}, 2*time.Minute, 5*time.Millisecond)
	require.GreaterOrEqual(t, time.Since(began), 2*time.Second)
	send(t, c, transfer(t, 0, 0))
}

// TestThrottledInWords: what providers say of a rate or a quota that was exceeded, each under its own code, has the endpoint rest. What
// they say of one question does not.
func TestThrottledInWords(t *testing.T) {
	t.Parallel()
	node := fresh.NewChain(t)
	for _, c := range []struct {
		code  int
		text  string
		rests bool
	}{
		{-32005, "project ID request rate exceeded", true},
		{-32005, "request rate exceeded", true},
		{-32005, "exceeded project rate limit", true},
		{-32005, "limit exceeded", true},
		{-32005, "Too Many Request", true},
		{-32005, "monthly quota is spent", true},
		{-32000, "request rate exceeded", true},
		{-32000, "Too many requests, please try again later", true},
		{-32005, "You've exceeded the RPS limit available on the current plan.", true},
		{-32097, "RPS limit reached", true},
		{-32007, "50/second request limit reached - reduce calls per second or upgrade your account", true},
		{-32003, "daily request limit reached - upgrade your account", true},
		{-32016, "over rate limit", true},
		{-32029, "too many request", true},
		{-32001, "You have exceeded your monthly quota", true},
		{429, "Monthly capacity limit exceeded. Upgrade your scaling policy for continued service.", true},
		{-32000, "daily request count exceeded, request rate limited", true},
		{-32005, "query returned more than 10000 results", false},
		{-32005, "block range limit exceeded", false},
		{-32005, "method is switched off", false},
		{-32000, "gas limit exceeded", false},
		{-32000, "account limit exceeded: tx 3 over the limit", false},
		{-32000, "internal error", false},
	} {
		p := newProxy(t, node.URL, edit(func(_ string, _ []any, a map[string]any) { fail(a, c.code, c.text) }))
		client := dial(t, chain.Config{URLs: []string{p.URL}})
		_, err := client.Head(t.Context())
		require.ErrorContains(t, err, c.text)
		health := client.Health()[0]
		assert.Equal(t, c.rests, !health.Up, c.text)
		if c.rests {
			assert.Equal(t, "throttling", health.Why, c.text)
			assert.True(t, chain.Classify(coded{c.text, c.code}).Ambiguous(), c.text)
		}
	}

	// Nodes say the same of logs, where it is the question that is too large.
	p := newProxy(t, node.URL, edit(func(_ string, _ []any, a map[string]any) { fail(a, -32005, "limit exceeded") }))
	client := dial(t, chain.Config{URLs: []string{p.URL}})
	_, err := client.ShowsLogs(t.Context(), emitter, nil, 0, 1)
	require.ErrorContains(t, err, "limit exceeded")
	require.True(t, client.Health()[0].Up)
}

// Some throttle in the answers to elements of a batch.
func TestThrottledElement(t *testing.T) {
	t.Parallel()
	node := fresh.NewChain(t)
	node.Commit()
	p := newProxy(t, node.URL, edit(func(_ string, _ []any, a map[string]any) {
		fail(a, 429, "Your app has exceeded its compute units per second capacity")
	}))
	c := dial(t, chain.Config{URLs: []string{p.URL}})
	for range 10 {
		_, err := c.Blocks(t.Context(), p.name(), 0, 1)
		require.Error(t, err)
	}
	require.Equal(t, 1, p.bodies())
}

// What an endpoint is asked is counted, each element of a batch by itself; idle polling is one call.
func TestCallsAreCounted(t *testing.T) {
	t.Parallel()
	node := fresh.NewChain(t)
	node.Commit()
	reg := prometheus.NewRegistry()
	c, err := chain.Dial(t.Context(), chain.Config{URLs: []string{node.URL}}, discard(), reg)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	for range 5 {
		_, err := c.Latest(t.Context())
		require.NoError(t, err)
	}
	require.InDelta(t, 5, counted(t, reg, "scorelay_chain_calls_total"), 0)
	_, err = c.Blocks(t.Context(), node.URL[len("http://"):], 0, 1)
	require.NoError(t, err)
	require.InDelta(t, 7, counted(t, reg, "scorelay_chain_calls_total"), 0)
}
