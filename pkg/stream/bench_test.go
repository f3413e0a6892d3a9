package stream_test

import (
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/stream"
)

// BenchmarkDeadLetters stores the letters of 8,000 rejected updates.
func BenchmarkDeadLetters(b *testing.B) {
	server, err := devnet.StartNATS(b.TempDir(), devnet.NATSOptions{})
	require.NoError(b, err)
	b.Cleanup(server.Close)
	conn, err := nats.Connect(server.URL, nats.Timeout(time.Minute))
	require.NoError(b, err)
	b.Cleanup(conn.Close)
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(30*time.Second))
	require.NoError(b, err)
	require.NoError(b, stream.Setup(b.Context(), js, stream.Config{Deployment: deployment}))
	s, err := stream.Open(b.Context(), js)
	require.NoError(b, err)

	letters := rejected(8000)
	for b.Loop() {
		for some := range slices.Chunk(letters, 500) { // as the relayer does
			require.NoError(b, s.AddDeadLetters(b.Context(), some))
		}
	}
}
