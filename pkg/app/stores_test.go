package app

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

// gauges are what a registry shows, by name and values of labels.
func gauges(t *testing.T, reg *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := reg.Gather()
	require.NoError(t, err)
	all := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			key := strings.TrimPrefix(family.GetName(), "scorelay_api_")
			for _, label := range m.GetLabel() {
				key += " " + label.GetValue()
			}
			all[key] = m.GetGauge().GetValue()
		}
	}
	return all
}

// watchedStores are the stores of a deployment of two lanes, of which a test looks at the gauges.
type watchedStores struct {
	*stores
	t   *testing.T
	reg *prometheus.Registry
}

func newWatchedStores(t *testing.T, copies int, servers ...*devnet.NATSServer) *watchedStores {
	t.Helper()
	js := fresh.JetStreamAt(t, servers[0].URL)
	require.Eventually(t, func() bool { // servers of a cluster find each other first
		return stream.Setup(t.Context(), js, stream.Config{
			Deployment: score.Deployment{Lanes: 2, ChainID: 1, Contract: common.Address{1}}, Replicas: copies, MaxBytes: 1 << 20,
		}) == nil
	}, 3*time.Minute, 100*time.Millisecond)
	redis, err := redisdb.Open(fresh.Redis(t).URL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = redis.Close() })
	lanes, err := roster.First([]common.Address{{1}, {2}})
	require.NoError(t, err)
	w := &watchedStores{t: t, reg: prometheus.NewRegistry()}
	w.stores = newStores(w.reg)
	w.js, w.monitors, w.redis, w.lanes = js, []string{"http://127.0.0.1:1"}, redis, roster.NewLive(lanes)
	for _, s := range servers {
		w.monitors = append(w.monitors, s.MonitorURL)
	}
	return w
}

// shows looks until the gauges are so, and returns them.
func (w *watchedStores) shows(why string, so func(is map[string]float64) bool) (is map[string]float64) {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		w.look(w.t.Context())
		is = gauges(w.t, w.reg)
		return so(is)
	}, 2*time.Minute, 20*time.Millisecond, why)
	return is
}

// lacks expects so many copies of each store to be missing.
func (w *watchedStores) lacks(copies float64) {
	w.t.Helper()
	w.shows("copies that are missing", func(is map[string]float64) bool {
		for _, name := range []string{"SCORELAY", "JOURNAL", "KV_LANES"} {
			if n, shown := is["store_copies_missing "+name]; !shown || n != copies {
				return false
			}
		}
		return true
	})
}

// TestCopiesThatAreMissingAreTold of a cluster that lost a server, until it is back.
func TestCopiesThatAreMissingAreTold(t *testing.T) {
	t.Parallel()
	long.Test(t)
	servers, mesh := fresh.NATSServers(t, 3, nil)
	w := newWatchedStores(t, 3, servers...)
	w.lacks(0)
	mesh.Isolate(2)
	w.lacks(1)
	mesh.Heal(2)
	w.lacks(0)
}

// TestStoresTellHowFullTheyAre, and of each lane when it was driven last.
func TestStoresTellHowFullTheyAre(t *testing.T) {
	t.Parallel()
	const server, driven = "nats:scorelay-dev", "lane_driven_timestamp_seconds "
	lane0, lane1 := driven+"0 "+common.Address{1}.Hex(), driven+"1 "+common.Address{2}.Hex()
	w := newWatchedStores(t, 1, fresh.NATS(t))
	kept, err := stream.Open(t.Context(), w.js)
	require.NoError(t, err)
	_, err = w.js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "OTHERS", MaxBytes: 7})
	require.NoError(t, err)
	began := float64(time.Now().Unix())
	is := w.shows("the stores are shown", func(is map[string]float64) bool { return is["store_bound_bytes "+server] > 0 })
	require.EqualValues(t, 1<<20, is["store_bound_bytes SCORELAY"])
	require.Zero(t, is["store_used_bytes SCORELAY"])
	require.EqualValues(t, 1<<30, is["store_bound_bytes DEADLETTERS"])
	require.NotContains(t, is, "store_bound_bytes JOURNAL")
	require.Contains(t, is, "store_used_bytes JOURNAL")
	require.NotContains(t, is, "store_used_bytes OTHERS")
	require.Greater(t, is["store_bound_bytes "+server], float64(1<<40))
	require.Contains(t, is, "store_copies_missing JOURNAL")
	require.Contains(t, is, lane0)
	require.Zero(t, is[lane0], "no relayer had it")
	require.GreaterOrEqual(t, is["audit_timestamp_seconds"], began-600, "there was no audit yet")

	require.NoError(t, kv.PutAudit(t.Context(), w.js, kv.Audit{Status: 3}))
	require.NoError(t, kept.PublishEnvelope(t.Context(), "a", make([]score.Update, 1000), nil))
	_, err = w.js.Publish(t.Context(), "$KV.LEASES.lane.1", []byte("relayer-7 TOKEN"))
	require.NoError(t, err)
	is = w.shows("the stream holds more", func(is map[string]float64) bool {
		return is["store_used_bytes SCORELAY"] > 10_000 && is["store_used_bytes "+server] > is["store_used_bytes SCORELAY"]
	})
	require.GreaterOrEqual(t, is[lane1], began)
	require.GreaterOrEqual(t, is["audit_timestamp_seconds"], began)
	require.EqualValues(t, 3, is["audit_status"])
	require.Zero(t, is[lane0], "no relayer has it")

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	w.look(ended)
	require.Equal(t, is, gauges(t, w.reg), "what does not answer is shown as it was")

	lanes, _ := w.lanes.Current()
	lanes, err = lanes.Remove(0, true)
	require.NoError(t, err)
	lanes, err = lanes.Gone(0)
	require.NoError(t, err)
	w.lanes.Set(lanes)
	w.look(t.Context())
	is = gauges(t, w.reg)
	require.NotContains(t, is, lane0)

	fresh.NeedsRedisServer(t)
	require.Positive(t, is["store_used_bytes redis"])
	require.NotContains(t, is, "store_bound_bytes redis")
	require.NoError(t, w.redis.ConfigSet(t.Context(), "maxmemory", "100mb").Err())
	w.look(t.Context())
	is = gauges(t, w.reg)
	require.InDelta(t, 100<<20, is["store_bound_bytes redis"], 1e6)
	require.Greater(t, is["store_used_bytes redis"], 100_000.0)
}
