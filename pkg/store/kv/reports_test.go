package kv

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestReports: of each replica the newest, until it says nothing for a while; what is not a report counts for nothing, and no report
// counts as a lease.
func TestReports(t *testing.T) {
	t.Parallel()
	ctx, js := t.Context(), fresh.JetStream(t)
	_, err := Reports(ctx, js)
	require.ErrorContains(t, err, "scorelay setup")
	setUp(t, js)

	began := time.Now()
	api := Report{Role: "api", Name: "a-1", Version: "v1.2.3", Began: began.UTC()}
	relayer := Report{
		Role: "relayer", Name: "a-1", Version: "v1.2.3", Began: began.UTC(),
		Endpoints: []EndpointReport{{Name: "node:8545", Why: "failing", Newest: 7, TookMS: 41}},
		Lanes:     map[score.Lane]LaneReport{1: {Wait: "funds", Since: began.UTC(), Waiting: 9}},
	}
	require.NoError(t, PutReport(ctx, js, api))
	require.NoError(t, PutReport(ctx, js, relayer))
	api.Version = "v1.2.4"
	require.NoError(t, PutReport(ctx, js, api))
	for _, key := range []string{"lane.1", "replica.a-1", "report.api.newer"} {
		_, err = js.Publish(ctx, "$KV.LEASES."+key, []byte("relayer-7 TOKEN"))
		require.NoError(t, err)
	}
	_, err = js.Publish(ctx, "$KV.LEASES.report.api.a-2", []byte(`{"role":"api","name":"a-2"}`)) // NATS keeps it
	require.NoError(t, err)
	bucket, err := js.Stream(ctx, "KV_"+leasesBucket)
	require.NoError(t, err)
	told, err := bucket.GetLastMsgForSubject(ctx, "$KV."+leasesBucket+".report.api.a-1")
	require.NoError(t, err)
	require.Equal(t, reportLifetime.String(), told.Header.Get(jetstream.MsgTTLHeader), "NATS removes it then")
	reports, err := Reports(ctx, js)
	require.NoError(t, err)
	for i := range reports {
		require.WithinDuration(t, began, reports[i].At, time.Minute)
		reports[i].At = time.Time{}
	}
	require.ElementsMatch(t, []Report{api, relayer, {Role: "api", Name: "a-2"}}, reports)
	drivers, err := Drivers(ctx, js)
	require.NoError(t, err)
	require.Equal(t, map[score.Lane]string{1: "relayer-7"}, drivers)

	if long.Runs() { // they expire: NATS is told so, and Reports passes over what it keeps all the same
		require.Eventually(t, func() bool {
			reports, err := Reports(ctx, js)
			return err == nil && len(reports) == 0
		}, 2*time.Minute, 100*time.Millisecond)
	}
}
