package stream_test

import (
	"io"
	"math/big"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// slow is an address that leads to the server by a line that carries a chunk toward the client at each tick.
func slow(t *testing.T, server string, chunk int64, tick time.Duration) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var lines sync.WaitGroup
	t.Cleanup(lines.Wait)
	t.Cleanup(func() { _ = listener.Close() })
	lines.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			upstream, err := net.Dial("tcp", strings.TrimPrefix(server, "nats://"))
			if err != nil {
				_ = client.Close()
				continue
			}
			lines.Go(func() {
				_, _ = io.Copy(upstream, client)
				_ = upstream.Close()
			})
			lines.Go(func() {
				defer client.Close()
				ticker := time.NewTicker(tick)
				defer ticker.Stop()
				for range ticker.C {
					// io.CopyN would wait for a whole chunk.
					buffer := make([]byte, chunk)
					n, err := upstream.Read(buffer)
					if err == nil {
						_, err = client.Write(buffer[:n])
					}
					if err != nil {
						return
					}
				}
			})
		}
	})
	return "nats://" + listener.Addr().String()
}

// TestALongJournalOpensBehindASlowLine: 2,500 open slots of 20 kB and two snapshots, over a line that needs longer for all of them than
// for one entry is waited. Else, without SCORELAY_LONG_TESTS, fewer of them, which are more than is asked for at once.
func TestALongJournalOpensBehindASlowLine(t *testing.T) {
	t.Parallel()
	const size = 20_000
	slots := long.Size(80, 2500)
	server := fresh.NATS(t, devnet.NATSOptions{NoSync: true})
	j, _ := openJournalAt(t, server.URL)
	var folder lane.Folder
	var last uint64
	entries := 0
	add := func(e lane.Entry) {
		last = appends(t, j, 0, last, e)
		folder.Add(e)
		entries++
	}
	first := entry(1)
	first.Open.Buckets = []score.Bucket{0}
	add(first)
	data := make([]byte, size)
	random := rand.NewChaCha8([32]byte{})
	for nonce := range uint64(slots) {
		_, _ = random.Read(data)
		raw, err := types.NewTx(&types.DynamicFeeTx{Nonce: nonce, GasFeeCap: big.NewInt(1), GasTipCap: big.NewInt(1), Data: data}).MarshalBinary()
		require.NoError(t, err)
		bind := entry(1)
		bind.Open, bind.Bind = nil, &lane.Bind{
			Nonce: nonce, Raw: raw, Work: lane.Work{Kind: lane.Updates, Count: 1},
			Moves: []lane.Move{{Bound: score.Positions{{Position: score.Position{Seq: nonce}, Count: 1}}, Floor: score.Position{Seq: nonce + 1}, Passed: 1}},
		}
		add(bind)
		if nonce == uint64(slots/3) || nonce == uint64(slots/2) {
			state, err := folder.State()
			require.NoError(t, err)
			parts, err := state.Snapshots()
			require.NoError(t, err)
			for _, part := range parts {
				add(part)
			}
		}
	}

	const tick = 10 * time.Millisecond
	chunk := int64(64 << 10)
	if long.Runs() {
		of, err := fresh.JetStreamAt(t, server.URL).Stream(t.Context(), stream.JournalName)
		require.NoError(t, err)
		chunk = int64(of.CachedInfo().State.Bytes) / int64(3*stream.LoadQuiet/2/tick)
	}
	behind, err := stream.OpenJournal(t.Context(), fresh.JetStreamAt(t, slow(t, server.URL, chunk, tick)))
	require.NoError(t, err)
	var again lane.Folder
	read := 0
	got, err := behind.Load(t.Context(), 0, func(e lane.Entry) {
		again.Add(e)
		read++
	})
	require.NoError(t, err)
	require.Equal(t, last, got)
	require.Equal(t, entries, read)
	want, err := folder.State()
	require.NoError(t, err)
	state, err := again.State()
	require.NoError(t, err)
	require.Len(t, state.Slots, slots)
	require.Equal(t, want.Slots[slots-1], state.Slots[slots-1])
	appends(t, behind, 0, got, entry(2))
}
