package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/sdk"
)

// cutting is a network on which connections break, at any byte.
type cutting struct {
	random *rand.Rand
	cuts   int // so far
}

func (c *cutting) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		res.Body = &cutBody{res.Body, c, 1 + c.random.IntN(2000)}
	}
	return res, err
}

type cutBody struct {
	io.ReadCloser
	of   *cutting
	left int
}

func (b *cutBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		b.of.cuts++
		return 0, io.ErrUnexpectedEOF
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	copy(p, bytes.Replace(p[:n], []byte("retry: 2000"), []byte("retry: 0001"), 1)) // a test has no time
	return n, err
}

// TestTheSDKMissesNoEvent, over broken connections and restarts of its caller; nor does it make one.
func TestTheSDKMissesNoEvent(t *testing.T) {
	b := newBench(t, func(s *setup) { s.config.Heartbeat = 50 * time.Millisecond })
	relay := b.executing()
	relay("one", "two", "three", "one")
	relay("four")
	all := b.events("start").next(6)
	network := &cutting{random: testrand.New(t)}
	theirs, id := b.key("theirs", apikey.Terms{})
	client := sdk.NewClient(b.url, theirs.Reveal(), &http.Client{Transport: network})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	cursor, seen := sdk.Start, []string{}
	for len(seen) < len(all) { // each round is a process, which ends after some events
		until := min(len(seen)+1+network.random.IntN(3), len(all))
		for e, err := range client.Events(ctx, b.project.ID, sdk.EventOptions{After: cursor}) {
			require.NoError(t, err)
			if len(seen) == 0 {
				require.Equal(t, b.project.Name, e.Data.(*sdk.ProjectData).Name)
			} else {
				require.Equal(t, "return", e.Data.(*sdk.UpdateData).Action)
				require.NotZero(t, e.Data.(*sdk.UpdateData).Block)
			}
			cursor, seen = e.Cursor, append(seen, e.ID)
			if len(seen) == until {
				break
			}
		}
	}
	require.Equal(t, idsOf(all), seen)

	live := make(chan error, 1)
	go func() {
		for e, err := range client.Events(ctx, b.project.ID, sdk.EventOptions{After: cursor}) {
			if err != nil {
				live <- err
				return
			}
			if e.Type == string(event.UpdateApplied) {
				live <- nil
			}
		}
	}()
	relay("five")
	require.NoError(t, <-live)
	require.NoError(t, b.keys.Revoke(t.Context(), id))
	var refused *sdk.Error
	require.ErrorAs(t, <-live, &refused)
	require.Equal(t, "invalid_api_key", refused.Code)
	require.Positive(t, network.cuts)
}

// TestTheSDKKnowsTheDataOfEvents: all fields of it.
func TestTheSDKKnowsTheDataOfEvents(t *testing.T) {
	t.Parallel()
	fields := func(v any) []string {
		raw, err := json.Marshal(v)
		require.NoError(t, err)
		var names map[string]any
		require.NoError(t, json.Unmarshal(raw, &names))
		return slices.Sorted(maps.Keys(names))
	}
	require.Equal(t, fields(event.UpdateData{}), fields(sdk.UpdateData{}))
	require.Equal(t, fields(event.ProjectData{}), fields(sdk.ProjectData{}))
	require.Equal(t, fields(event.EditData{}), fields(sdk.EditData{}))
	require.Equal(t, fields(event.RewindData{}), fields(sdk.RewindData{}))
	change := event.ChangeData{Member: new(sdk.Address), Roles: []string{}, Action: new(sdk.Action), ScoreType: new(string), SignedOnly: new(bool)}
	require.Equal(t, fields(change), fields(sdk.ChangeData{}))
	for _, is := range event.Types() {
		var e sdk.Event
		require.NoError(t, json.Unmarshal([]byte(`{"type":"`+string(is)+`","data":{}}`), &e))
		_, unknown := e.Data.(json.RawMessage)
		require.False(t, unknown, is)
	}
}
