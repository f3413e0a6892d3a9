package devnet

// TB is what the helpers need of a *testing.T, so that no shipped binary links package testing.
type TB interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
	TempDir() string
}

// NATS starts a server of the test's own.
func NATS(t TB) *NATSServer {
	t.Helper()
	s, err := StartNATS(t.TempDir(), NATSOptions{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(s.Close)
	return s
}

// Redis starts a server of the test's own.
func Redis(t TB) *RedisServer {
	t.Helper()
	s, err := StartRedis(t.TempDir(), RedisOptions{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(s.Close)
	return s
}

// NewChain starts a chain of the test's own that makes blocks only on Commit.
func NewChain(t TB) *Chain {
	t.Helper()
	c, err := StartChain(ChainOptions{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(c.Close)
	return c
}

// NewAnvil starts an anvil of the test's own. It never skips: an anvil that cannot be installed fails the test.
func NewAnvil(t TB, opts AnvilOptions) *Anvil {
	t.Helper()
	a, err := StartAnvil(opts)
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(a.Close)
	return a
}
