package horizon

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
)

func TestTrafficIsTheSameInEveryRunAndUsesIDsOnce(t *testing.T) {
	t.Parallel()
	for _, c := range cells {
		if c.wallets > 5_000 {
			continue
		}
		updates := newTraffic(c).next(3_000)
		require.Equal(t, updates, newTraffic(c).next(3_000), c.name)
		seen := map[score.Ref]bool{}
		members := map[[2]any]int{}
		for i := range updates {
			require.False(t, seen[updates[i].Ref()], "%s: an id is used once", c.name)
			seen[updates[i].Ref()] = true
			members[[2]any{updates[i].Project, updates[i].Signer}]++
		}
		require.Len(t, members, c.projects*c.members, c.name)
	}
}

func TestPopularityFollowsZipf(t *testing.T) {
	t.Parallel()
	traffic := newTraffic(cell{"", 1, 1, 100, 1})
	hits := map[any]int{}
	for _, u := range traffic.next(50_000) {
		hits[u.Target]++
	}
	first, tenth := hits[wallet(0, 0)], hits[wallet(0, 9)]
	require.InDelta(t, 10, float64(first)/float64(tenth), 1.5)
}

// TestBoundIsTheSumOfItsParts: 3 updates of two wallets in two words, two of them of one wallet in one word.
func TestBoundIsTheSumOfItsParts(t *testing.T) {
	t.Parallel()
	traffic := newTraffic(cell{"", 1, 1, 2, 0})
	stream := traffic.stream("ids", 0)
	updates := []score.Update{
		traffic.update(0, 0, wallet(0, 0), stream, 0), traffic.update(0, 0, wallet(0, 0), stream, 1),
		traffic.update(0, 0, wallet(0, 1), stream, 256),
	}
	require.InDelta(t, 15+330+(2*4_800+2*7_200+2*789)/3.0, traffic.bound(updates, 20_000, 2_000), 1e-9)
	require.InDelta(t, 15+330+(3*4_800+3*7_200+3*789)/3.0, traffic.bound(updates, 1, 2_000), 1e-9)
}

// TestChoosingPays runs a small cell of each kind on the EVM: nothing is lost, and it costs less.
func TestChoosingPays(t *testing.T) {
	t.Parallel()
	for _, c := range []cell{{"one", 1, 1, 500, 0.8}, {"many", 5, 2, 100, 0}} {
		f, err := c.measure(4_000)
		require.NoError(t, err)
		require.Less(t, f.Horizon, 0.9*f.FIFO, c.name)
		require.Less(t, f.Bound, f.Horizon, c.name)
		require.Positive(t, f.Planning, c.name)
	}
}

func TestTableIsTextAndOneLineOfJSON(t *testing.T) {
	t.Parallel()
	table := Table{"5k_uniform": {FIFO: 5000.4, Horizon: 2600, Bound: 2300, Planning: 1500}}
	var out bytes.Buffer
	require.NoError(t, table.WriteJSON(&out))
	require.Equal(t, 1, strings.Count(out.String(), "\n"))
	var read map[string]map[string]float64
	require.NoError(t, json.Unmarshal(out.Bytes(), &read))
	require.Equal(t, map[string]map[string]float64{"5k_uniform": {"fifo": 5000.4, "horizon": 2600, "bound": 2300, "planning_us": 1500}}, read)
	out.Reset()
	require.NoError(t, table.WriteText(&out))
	require.Contains(t, out.String(), "5k_uniform      5000            2600         2300                     1500")
}
