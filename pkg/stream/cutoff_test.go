package stream

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

// TestALeaderThatMostOfItsClusterDoesNotHearIsNotBelieved, since they may have another, nor one that led before: it answers while it knows of
// no leader, and may hear of the next one before its answer says who leads.
func TestALeaderThatMostOfItsClusterDoesNotHearIsNotBelieved(t *testing.T) {
	t.Parallel()
	heard, silent := &jetstream.PeerInfo{Active: time.Second}, &jetstream.PeerInfo{Active: silentFor}
	offline, never := &jetstream.PeerInfo{Offline: true}, &jetstream.PeerInfo{}
	since := time.Now()
	require.False(t, cutOff(nil))
	require.False(t, cutOff(&jetstream.ClusterInfo{Leader: "alone"}))
	for _, c := range []struct {
		replicas []*jetstream.PeerInfo
		want     bool
	}{
		{[]*jetstream.PeerInfo{heard, heard}, false},
		{[]*jetstream.PeerInfo{heard, silent}, false},
		{[]*jetstream.PeerInfo{offline, heard}, false},
		{[]*jetstream.PeerInfo{silent, silent}, true},
		{[]*jetstream.PeerInfo{silent, offline}, true},
		{[]*jetstream.PeerInfo{silent, never}, true},
		{[]*jetstream.PeerInfo{heard, never}, false},
		{[]*jetstream.PeerInfo{heard, heard, silent, offline}, false},
		{[]*jetstream.PeerInfo{heard, silent, silent, offline}, true},
	} {
		require.Equal(t, c.want, cutOff(&jetstream.ClusterInfo{Leader: "n0", LeaderSince: &since, Replicas: c.replicas}))
	}
	next := &jetstream.PeerInfo{Name: "n1", Active: time.Second}
	require.True(t, cutOff(&jetstream.ClusterInfo{Leader: "n1", Replicas: []*jetstream.PeerInfo{heard, next}}), "another leads")
	require.True(t, cutOff(&jetstream.ClusterInfo{Replicas: []*jetstream.PeerInfo{heard, heard}}), "none leads")
}

// TestALeaderThatTookOverWhileItAnsweredIsNotBelieved: it may have read where the stream ends before it had applied all that was acknowledged.
func TestALeaderThatTookOverWhileItAnsweredIsNotBelieved(t *testing.T) {
	t.Parallel()
	since := time.Now()
	one := &jetstream.ClusterInfo{LeaderSince: &since}
	three := &jetstream.ClusterInfo{LeaderSince: &since, Replicas: []*jetstream.PeerInfo{{}, {}}}
	for _, c := range []struct {
		cluster *jetstream.ClusterInfo
		leads   time.Duration
		want    bool
	}{
		{nil, 0, false},
		{one, 0, false},
		{three, 0, true},
		{three, 20 * time.Millisecond, true},
		{three, 21 * time.Millisecond, false},
		{three, -time.Millisecond, false}, // the server's clock was set back
	} {
		require.Equal(t, c.want, tookOver(&jetstream.StreamInfo{Cluster: c.cluster, TimeStamp: since.Add(c.leads)}, 20*time.Millisecond), c.leads)
	}
	heard := &jetstream.PeerInfo{Active: time.Second}
	answer := answered{info: jetstream.StreamInfo{Cluster: &jetstream.ClusterInfo{LeaderSince: &since, Replicas: []*jetstream.PeerInfo{heard, heard}}, TimeStamp: since}}
	_, err := infoOf(t.Context(), answer)
	require.ErrorContains(t, err, "came to lead it meanwhile")
	answer.info.TimeStamp = since.Add(time.Hour)
	_, err = infoOf(t.Context(), answer)
	require.NoError(t, err)
}

// answered is a stream of which a server told this.
type answered struct {
	jetstream.Stream

	info jetstream.StreamInfo
}

func (a answered) Info(context.Context, ...jetstream.StreamInfoOpt) (*jetstream.StreamInfo, error) {
	return &a.info, nil
}
