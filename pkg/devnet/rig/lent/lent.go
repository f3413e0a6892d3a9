// Package lent reuses servers among a package's tests, because starting a server takes longer than most tests.
package lent

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/devnet"
)

const patience = time.Minute

// Main is for TestMain. It stops all servers.
func Main(m *testing.M) {
	code := m.Run()
	for _, end := range ends {
		end()
	}
	os.Exit(code)
}

var (
	mu      sync.Mutex
	ends    []func()
	chains  []*devnet.Chain
	streams []jetstream.JetStream
)

// Chain lends a chain with blocks only on Commit. It has blocks and contracts of earlier tests; its pool is empty.
func Chain(t testing.TB) *devnet.Chain {
	t.Helper()
	return lend(t, &chains, func() (*devnet.Chain, func(), error) {
		c, err := devnet.StartChain(devnet.ChainOptions{})
		if err != nil {
			return nil, nil, err
		}
		return c, c.Close, nil
	}, (*devnet.Chain).Rollback)
}

// JetStream lends a NATS server. Streams of earlier tests remain if they never held a message and have no metadata.
func JetStream(t testing.TB) jetstream.JetStream {
	t.Helper()
	return lend(t, &streams, startNATS, func(js jetstream.JetStream) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		list := js.ListStreams(ctx)
		for info := range list.Info() {
			if info.State.LastSeq > 0 || describes(info.Config.Metadata) {
				if err := js.DeleteStream(ctx, info.Config.Name); err != nil {
					t.Errorf("couldn't delete what the test wrote: %v", err)
				}
			}
		}
		if err := list.Err(); err != nil {
			t.Errorf("couldn't delete what the test wrote: %v", err)
		}
	})
}

// describes reports whether metadata is more than the server's own.
func describes(metadata map[string]string) bool {
	for key := range metadata {
		if !strings.HasPrefix(key, "_nats.") {
			return true
		}
	}
	return false
}

func startNATS() (jetstream.JetStream, func(), error) {
	dir, err := os.MkdirTemp("", "scorelay-lent")
	if err != nil {
		return nil, nil, err
	}
	server, err := devnet.StartNATS(dir, devnet.NATSOptions{})
	if err != nil {
		return nil, nil, err
	}
	conn, err := nats.Connect(server.URL, nats.Timeout(patience))
	if err != nil {
		return nil, nil, err
	}
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(patience))
	return js, func() {
		conn.Close()
		server.Close()
		_ = os.RemoveAll(dir)
	}, err
}

// lend returns a free server, or starts one. The cleanup that takes the server back runs after those that the test
// registers later.
func lend[T any](t testing.TB, free *[]T, start func() (T, func(), error), tidy func(T)) (server T) {
	t.Helper()
	mu.Lock()
	defer mu.Unlock()
	if last := len(*free) - 1; last >= 0 {
		server, *free = (*free)[last], (*free)[:last]
	} else {
		made, end, err := start()
		if err != nil {
			t.Fatalf("%v", err)
		}
		server, ends = made, append(ends, end)
	}
	t.Cleanup(func() {
		if t.Failed() {
			return // the server may be in any state
		}
		tidy(server)
		mu.Lock()
		defer mu.Unlock()
		*free = append(*free, server)
	})
	return server
}
