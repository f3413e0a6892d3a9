package app

import (
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
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

// TestStoresTellHowFullTheyAre, and a cluster that lost a server how many copies it lacks, and of each lane when it was driven last.
func TestStoresTellHowFullTheyAre(t *testing.T) {
	t.Parallel()
	const allowed = 1 << 40
	servers, mesh := devnet.NATSServers(t, 3, nil)
	conn, err := nats.Connect(servers[0].URL)
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return stream.Setup(t.Context(), js, stream.Config{
			Deployment: score.Deployment{Lanes: 2, ChainID: 1, Contract: common.Address{1}}, Replicas: 3, MaxBytes: 1 << 20,
		}) == nil
	}, 3*time.Minute, 100*time.Millisecond)
	kept, err := stream.Open(t.Context(), js)
	require.NoError(t, err)
	_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "OTHERS", MaxBytes: 7})
	require.NoError(t, err)
	server := devnet.Redis(t)
	redis, err := redisdb.Open(server.URL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = redis.Close() })
	lanes, err := roster.First([]common.Address{{1}, {2}})
	require.NoError(t, err)
	reg := prometheus.NewRegistry()
	s := newStores(reg)
	s.js, s.monitors, s.redis, s.lanes = js, []string{servers[0].MonitorURL, "http://127.0.0.1:1", servers[1].MonitorURL}, redis, roster.NewLive(lanes)
	began := float64(time.Now().Unix())

	s.look(t.Context())
	is := gauges(t, reg)
	require.EqualValues(t, 1<<20, is["store_bound_bytes SCORELAY"])
	require.Zero(t, is["store_used_bytes SCORELAY"])
	require.EqualValues(t, 1<<30, is["store_bound_bytes DEADLETTERS"])
	require.NotContains(t, is, "store_bound_bytes JOURNAL")
	require.Contains(t, is, "store_used_bytes JOURNAL")
	require.NotContains(t, is, "store_used_bytes OTHERS")
	require.Greater(t, is["store_bound_bytes nats:"+devnet.NATSName(1)], float64(allowed))
	never, shown := is["lane_driven_timestamp_seconds 0 "+common.Address{1}.Hex()]
	require.True(t, shown)
	require.Zero(t, never)

	signed := make([]score.Signed, 0)
	require.NoError(t, kept.PublishEnvelope(t.Context(), "a", make([]score.Update, 1000), signed))
	_, err = js.Publish(t.Context(), "$KV.LEASES.lane.1", []byte("relayer-7 TOKEN"))
	require.NoError(t, err)
	mesh.Isolate(2)
	require.Eventually(t, func() bool {
		s.look(t.Context())
		is = gauges(t, reg)
		return is["store_copies_missing SCORELAY"] == 1 && is["store_copies_missing JOURNAL"] == 1 && is["store_copies_missing KV_LANES"] == 1
	}, 2*time.Minute, 100*time.Millisecond, "a copy is missing")
	require.Greater(t, is["store_used_bytes SCORELAY"], 10_000.0)
	require.Greater(t, is["store_used_bytes nats:"+devnet.NATSName(1)], is["store_used_bytes SCORELAY"])
	require.Zero(t, is["lane_driven_timestamp_seconds 0 "+common.Address{1}.Hex()], "no relayer has it")
	require.GreaterOrEqual(t, is["lane_driven_timestamp_seconds 1 "+common.Address{2}.Hex()], began)

	mesh.Heal(2)
	lanes, err = lanes.Remove(0)
	require.NoError(t, err)
	lanes, err = lanes.Gone(0)
	require.NoError(t, err)
	s.lanes.Set(lanes)
	require.Eventually(t, func() bool {
		s.look(t.Context())
		is = gauges(t, reg)
		return is["store_copies_missing SCORELAY"] == 0 && is["store_copies_missing JOURNAL"] == 0 && is["store_copies_missing KV_LANES"] == 0
	}, 2*time.Minute, 100*time.Millisecond, "all copies are there")
	require.NotContains(t, is, "lane_driven_timestamp_seconds 0 "+common.Address{1}.Hex())

	devnet.NeedsRedisServer(t)
	require.Positive(t, is["store_used_bytes redis"])
	require.NotContains(t, is, "store_bound_bytes redis")
	require.NoError(t, redis.ConfigSet(t.Context(), "maxmemory", "100mb").Err())
	s.look(t.Context())
	is = gauges(t, reg)
	require.InDelta(t, 100<<20, is["store_bound_bytes redis"], 1e6)
	require.Greater(t, is["store_used_bytes redis"], 100_000.0)
}
