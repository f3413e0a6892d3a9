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
	return started(t, func() (*NATSServer, error) { return StartNATS(t.TempDir(), NATSOptions{}) })
}

// Redis starts a server of the test's own.
func Redis(t TB) *RedisServer {
	t.Helper()
	return started(t, func() (*RedisServer, error) { return StartRedis(t.TempDir(), RedisOptions{}) })
}

// NewChain starts a chain of the test's own that makes blocks only on Commit.
func NewChain(t TB) *Chain {
	t.Helper()
	return started(t, func() (*Chain, error) { return StartChain(ChainOptions{}) })
}

// NewAnvil starts an anvil of the test's own. It never skips: an anvil that cannot be installed fails the test.
func NewAnvil(t TB, opts AnvilOptions) *Anvil {
	t.Helper()
	return started(t, func() (*Anvil, error) { return StartAnvil(opts) })
}

// started starts what ends with the test.
func started[T interface{ Close() }](t TB, start func() (T, error)) T {
	t.Helper()
	server, err := start()
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(server.Close)
	return server
}
