package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

func laneSigner(n byte) common.Address { return common.Address{0xaa, n} }

// twoLanes is a deployment with two lanes that were driven, each with its first buckets.
func twoLanes(t *testing.T) *lanes {
	t.Helper()
	js := fresh.JetStream(t)
	require.NoError(t, stream.Setup(t.Context(), js, stream.Config{
		Deployment: score.Deployment{Lanes: 2, ChainID: 1337, Contract: common.Address{1}, DeployBlock: 1},
	}))
	l, err := openLanes(t.Context(), js)
	require.NoError(t, err)
	first, err := roster.First([]common.Address{laneSigner(0), laneSigner(1)})
	require.NoError(t, err)
	_, err = l.store.Create(t.Context(), first)
	require.NoError(t, err)
	for id := range score.Lane(2) {
		_, err := l.journals.Append(t.Context(), id, 0, lane.Entry{
			Version: lane.Version, Epoch: 1, Time: time.Now(),
			Open: &lane.Open{Replica: "a", Identity: lane.Identity{Signer: laneSigner(byte(id))}, Buckets: first.Wanted(id)},
		})
		require.NoError(t, err)
	}
	_, err = js.Publish(t.Context(), "$KV.LEASES.lane.1", []byte("relayer-7 TOKEN"))
	require.NoError(t, err)
	return l
}

func (l *lanes) listed(t *testing.T) []laneDocument {
	t.Helper()
	var lines, table strings.Builder
	require.NoError(t, (&lanesListCommand{JSON: true}).list(t.Context(), l, &lines))
	require.NoError(t, (&lanesListCommand{}).list(t.Context(), l, &table))
	var out []laneDocument
	decoder := json.NewDecoder(strings.NewReader(lines.String()))
	for decoder.More() {
		var d laneDocument
		require.NoError(t, decoder.Decode(&d))
		require.Contains(t, table.String(), d.Signer.Hex())
		out = append(out, d)
	}
	require.Equal(t, len(out)+1, strings.Count(table.String(), "\n"))
	return out
}

func TestLanesAreListed(t *testing.T) {
	t.Parallel()
	l := twoLanes(t)
	require.Equal(t, []laneDocument{
		{Lane: 0, Signer: laneSigner(0), State: roster.Active, Buckets: 128, Wanted: 128, Epoch: 1},
		{Lane: 1, Signer: laneSigner(1), State: roster.Active, Buckets: 128, Wanted: 128, Epoch: 1, Driver: "relayer-7"},
	}, l.listed(t))
}

// TestLanesComeAndGo: each command may be repeated, and does no more then.
func TestLanesComeAndGo(t *testing.T) {
	t.Parallel()
	l, ctx := twoLanes(t), t.Context()
	for range 2 {
		said, err := l.add(ctx, laneSigner(2))
		require.NoError(t, err)
		require.Contains(t, said, "lane 2 of "+laneSigner(2).Hex()+" shall own 85 buckets")
	}
	for range 2 {
		said, err := l.remove(ctx, 1)
		require.NoError(t, err)
		require.Contains(t, said, "lane 1 of "+laneSigner(1).Hex()+" is leaving")
	}
	for range 2 {
		said, err := l.replace(ctx, 0, laneSigner(3))
		require.NoError(t, err)
		require.Contains(t, said, "lane 3 of "+laneSigner(3).Hex()+" takes over from lane 0")
	}
	listed := l.listed(t)
	require.Len(t, listed, 4)
	for id, want := range map[int]laneDocument{0: {State: roster.Leaving}, 1: {State: roster.Leaving}, 2: {State: roster.Active, Wanted: 128}, 3: {State: roster.Active, Wanted: 128}} {
		require.Equal(t, want.State, listed[id].State)
		require.Equal(t, want.Wanted, listed[id].Wanted)
	}
	_, err := l.remove(ctx, 9)
	require.ErrorIs(t, err, roster.ErrNoLane)
	_, err = l.add(ctx, laneSigner(1))
	require.ErrorIs(t, err, roster.ErrSigner)
	_, err = l.replace(ctx, 2, laneSigner(3))
	require.ErrorIs(t, err, roster.ErrSigner)
	_, err = l.remove(ctx, 2)
	require.NoError(t, err)
	_, err = l.remove(ctx, 3)
	require.ErrorIs(t, err, roster.ErrLast)
}

// TestALaneThatWasNeverDrivenLeavesWithoutItsKey: no relayer may have it, and it has nothing to sign.
func TestALaneThatWasNeverDrivenLeavesWithoutItsKey(t *testing.T) {
	t.Parallel()
	l, ctx := twoLanes(t), t.Context()
	_, err := l.add(ctx, laneSigner(2))
	require.NoError(t, err)
	for range 2 {
		said, err := l.remove(ctx, 2)
		require.NoError(t, err)
		require.Contains(t, said, "lane 2 of "+laneSigner(2).Hex()+" was never driven; any relayer drives it without its key")
	}
	_, err = l.replace(ctx, 1, laneSigner(3))
	require.NoError(t, err)
	for range 2 {
		_, err = l.replace(ctx, 3, laneSigner(4))
		require.NoError(t, err)
	}
	listed := l.listed(t)
	for id, want := range []roster.State{roster.Active, roster.Leaving, roster.Cut, roster.Cut, roster.Active} {
		require.Equal(t, want, listed[id].State, "lane %d", id)
		require.False(t, listed[id].Dead)
	}
	_, err = l.cut(ctx, 1, false)
	require.NoError(t, err)
	_, err = l.remove(ctx, 1)
	require.ErrorIs(t, err, roster.ErrState, "one that was driven, and cut")
}

// TestCuttingFences: the session that may still have the key cannot append any more.
func TestCuttingFences(t *testing.T) {
	t.Parallel()
	l, ctx := twoLanes(t), t.Context()
	before, last, err := l.journals.State(ctx, 1)
	require.NoError(t, err)
	said, err := l.cut(ctx, 1, false)
	require.NoError(t, err)
	require.Contains(t, said, "--dead")
	after, _, err := l.journals.State(ctx, 1)
	require.NoError(t, err)
	require.Equal(t, before.Epoch+1, after.Epoch)
	require.Equal(t, before.Buckets, after.Buckets)
	_, err = l.journals.Append(ctx, 1, last, lane.Entry{Version: lane.Version, Epoch: 1, Time: time.Now(), Pass: &lane.Pass{}})
	require.ErrorIs(t, err, lane.ErrFenced)
	require.False(t, l.listed(t)[1].Dead)
	_, err = l.cut(ctx, 1, true)
	require.NoError(t, err)
	require.True(t, l.listed(t)[1].Dead)

	_, err = l.add(ctx, laneSigner(2))
	require.NoError(t, err)
	_, err = l.cut(ctx, 2, false)
	require.NoError(t, err, "one that was never driven has no session to fence off")
	never, _, err := l.journals.State(ctx, 2)
	require.NoError(t, err)
	require.Zero(t, never.Epoch)
}

// until is written to until a text was.
type until struct {
	strings.Builder
	text string
	then func()
}

func (u *until) Write(p []byte) (int, error) {
	n, err := u.Builder.Write(p)
	if strings.Contains(u.String(), u.text) {
		u.then()
	}
	return n, err
}

func TestWaitingForLanes(t *testing.T) {
	t.Parallel()
	l := twoLanes(t)
	var out strings.Builder
	leaving := score.Lane(1)
	require.NoError(t, l.await(t.Context(), &leaving, &out))
	require.Equal(t, "buckets to hand over: 0, handovers not taken: 0; lane 1: open slots 0, queue 0; no relayer drives lane 0\ndone\n", out.String())
	_, err := l.remove(t.Context(), 1)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	said := until{text: "buckets to hand over: 128,", then: cancel}
	require.ErrorContains(t, l.await(ctx, &leaving, &said), "the change continues")
}

// TestWaitingForWorkThatIsGiven: all buckets are where they shall be, and another lane does not have the work that it was given.
func TestWaitingForWorkThatIsGiven(t *testing.T) {
	t.Parallel()
	l := twoLanes(t)
	_, last, err := l.journals.State(t.Context(), 1)
	require.NoError(t, err)
	queued := lane.Handover{N: 1, Work: []lane.Work{{ID: 1, Kind: lane.Updates}}}
	for _, e := range []lane.Entry{
		{Take: &lane.Take{From: 0, Handover: queued}},
		{Give: &lane.Give{To: 0, Work: []uint64{1}}},
	} {
		e.Version, e.Epoch, e.Time = lane.Version, 1, time.Now()
		last, err = l.journals.Append(t.Context(), 1, last, e)
		require.NoError(t, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	said := until{text: "buckets to hand over: 0, handovers not taken: 1", then: cancel}
	require.ErrorContains(t, l.await(ctx, nil, &said), "the change continues")
	_, err = l.journals.Append(t.Context(), 1, last, lane.Entry{
		Version: lane.Version, Epoch: 1, Time: time.Now(), Taken: &lane.Taken{To: 0, N: 1},
	})
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, l.await(t.Context(), nil, &out))
	require.Contains(t, out.String(), "handovers not taken: 0")
}

// TestALaneIsADecimalNumber, since 0x1 or 010 may be mistyped, and a lane that is removed by mistake does not come back.
func TestALaneIsADecimalNumber(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0x1", "010", "+1", "-1", "1_0", "1.0", "", "65536", "0b1", " 1"} {
		var cli struct {
			Remove lanesRemoveCommand `cmd:""`
		}
		parser, err := kong.New(&cli, kong.Exit(func(int) {}))
		require.NoError(t, err)
		_, err = parser.Parse([]string{"remove", "--", text})
		require.ErrorContains(t, err, "a lane is a decimal number", text)
	}
	for text, want := range map[string]laneNumber{"0": 0, "10": 10, "65535": 65535} {
		var lane laneNumber
		require.NoError(t, lane.UnmarshalText([]byte(text)))
		require.Equal(t, want, lane)
	}
}
