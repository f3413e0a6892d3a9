package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/load"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestLoadMixesIDsAndGroups as its flags say, over projects and signers in turn.
func TestLoadMixesIDsAndGroups(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		command        loadCommand
		signed, random float64 // shares of the updates
	}{
		"random":      {loadCommand{Projects: 2, Signers: 3, IDs: "random", Group: 10}, 0, 1},
		"consecutive": {loadCommand{Projects: 2, Signers: 3, IDs: "consecutive", Group: 10}, 0, 0},
		"mixed":       {loadCommand{Projects: 1, Signers: 2, IDs: "mixed", Group: 10}, 0, 0.5},
		"a fifth":     {loadCommand{Projects: 2, Signers: 3, IDs: "consecutive", Group: 10, Signed: 20}, 0.2, 0},
		"all signed":  {loadCommand{Projects: 1, Signers: 1, IDs: "consecutive", Group: 256, Signed: 100}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			places := somePlaces(t, c.command.Projects, c.command.Signers)
			next := c.command.source(places)
			made, signed, alone := 0, 0, 0
			words := map[score.Word]int{}
			ids, signers := map[score.UpdateID]bool{}, map[*load.Wallet]int{}
			for made < 10_000 {
				post := next()
				made += len(post.Updates)
				if post.Signed {
					signed += len(post.Updates)
					require.Len(t, post.Updates, c.command.Group)
				} else {
					require.Len(t, post.Updates, 1)
				}
				for _, u := range post.Updates {
					require.False(t, ids[u.ID])
					ids[u.ID] = true
					words[u.ID.Word()]++
					signers[u.Wallet]++
					require.Same(t, post.Updates[0].Wallet, u.Wallet)
					require.Equal(t, post.Updates[0].Project, u.Project)
				}
			}
			for _, n := range words {
				if n == 1 {
					alone++
				}
			}
			require.InDelta(t, c.signed, float64(signed)/float64(made), 0.02)
			require.InDelta(t, c.random, float64(alone)/float64(made), 0.02)
			require.Len(t, signers, c.command.Projects*c.command.Signers)
		})
	}
}

func somePlaces(t *testing.T, projects, signers int) (places []*load.Place) {
	t.Helper()
	for i := range projects {
		place := &load.Place{Project: score.ProjectID{byte(i + 1)}, ScoreType: "s", Actions: []string{"a", "b"}, Targets: load.RandomTargets(7)}
		for range signers {
			wallet, err := load.RandomWallet()
			require.NoError(t, err)
			place.Updaters = append(place.Updaters, wallet)
		}
		places = append(places, place)
	}
	return places
}

// TestLoadMakesItsProjects, each with signers of its own, and ends when one is refused.
func TestLoadMakesItsProjects(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var created []map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body)
		if created = append(created, body); len(created) == 4 {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = w.Write([]byte(`{"status":"accepted"}`))
	}))
	defer server.Close()
	c := loadCommand{API: []string{server.URL}, Key: "key", Rate: 1, Duration: time.Second, Projects: 3, Signers: 4, Wallets: 5, MaxInFlight: 1, Group: 1}
	client, err := c.client()
	require.NoError(t, err)
	defer client.Close()
	places, err := c.places(t.Context(), client)
	require.NoError(t, err)
	require.Len(t, places, 3)
	members := map[any]bool{}
	for i, place := range places {
		require.Equal(t, place.Project.String(), created[i]["projectId"])
		require.Len(t, place.Targets, 5)
		require.Len(t, created[i]["inputActions"], len(place.Actions))
		for j, member := range created[i]["updaters"].([]any) {
			require.Equal(t, strings.ToLower(place.Updaters[j].Address.Hex()), member)
			members[member] = true
		}
	}
	require.Len(t, members, 12)
	_, err = c.places(t.Context(), client)
	require.ErrorContains(t, err, "couldn't create project 1 of 3: the API answered 403")
}

// TestLoadSaysWhatIsKnown: what was interrupted has not failed, and is not lost.
func TestLoadSaysWhatIsKnown(t *testing.T) {
	t.Parallel()
	counts := load.Counts{Sent: 10, Accepted: 6, Duplicate: 1, Rejected: 1, Failed: 2, Refusals: map[string]int{"forbidden": 1}}
	summary := loadSummary{Counts: counts, Offered: 100, PerSecond: 60, Latency: load.Percentiles{P50: 1, P90: 2, P99: 3, Max: 4}}
	require.True(t, summary.failed())
	require.Equal(t, "sent 10, accepted 6, duplicate 1, rejected 1 map[forbidden:1], failed 2, missed 0, retries 0, "+
		"60 accepted/s of 100 offered/s, latency p50 1.0 ms p90 2.0 ms p99 3.0 ms max 4 ms", summary.String())
	summary.Interrupted = true
	require.False(t, summary.failed())
	require.Contains(t, summary.String(), "interrupted with 2 unanswered (each may be stored or not), missed")
	require.NotContains(t, summary.String(), "lost")
	summary.Wrong = 1
	require.True(t, summary.failed(), "a wrong answer is one whenever the run ends")
	raw, err := json.Marshal(summary)
	require.NoError(t, err)
	for _, key := range []string{
		"sent", "accepted", "duplicate", "rejected", "failed", "retries", "wrong", "refusals", "missed", "offered_per_second",
		"accepted_per_second", "latency_ms", "duration_ms", "interrupted",
	} {
		require.Contains(t, string(raw), `"`+key+`":`)
	}
}

// TestLoadRefusesWrongFlags, all of them at once.
func TestLoadRefusesWrongFlags(t *testing.T) {
	t.Parallel()
	good := loadCommand{API: []string{"http://127.0.0.1:1"}, Key: "key", Rate: 1, Duration: 1, Projects: 1, Signers: 1, Wallets: 1, MaxInFlight: 1, Group: 1}
	_, err := good.client()
	require.NoError(t, err)
	for says, wrong := range map[string]func(c *loadCommand){
		"--rate must be more than 0":               func(c *loadCommand) { c.Rate = 0 },
		"--duration must be more than 0":           func(c *loadCommand) { c.Duration = -1 },
		"must be at least 1":                       func(c *loadCommand) { c.Wallets = 0 },
		"--signers must be at most 99":             func(c *loadCommand) { c.Signers = 100 },
		"--max-in-flight must be at least 1":       func(c *loadCommand) { c.MaxInFlight = 0 },
		"--signed must be from 0 to 100":           func(c *loadCommand) { c.Signed = 100.1 },
		"--group must be from 1 to 256":            func(c *loadCommand) { c.Group = 257 },
		"set --api-key":                            func(c *loadCommand) { c.Key = "" },
		"is no address of an API":                  func(c *loadCommand) { c.API = []string{"localhost:8080"} },
		"--contract needs --chain-id":              func(c *loadCommand) { c.Signed, c.Contract = 1, "0x5fbdb2315678afecb367f032d93f642f64180aa3" },
		"--contract must be 0x":                    func(c *loadCommand) { c.Signed, c.ChainID = 1, 1 },
		"or start one with `scorelay dev`":         func(c *loadCommand) { c.DataDir, c.API = t.TempDir(), nil },
		"with --chain-id and --contract, or start": func(c *loadCommand) { c.DataDir, c.Signed = t.TempDir(), 1 },
	} {
		c := good
		wrong(&c)
		_, err := c.client()
		require.ErrorContains(t, err, says)
	}
	both := good
	both.Rate, both.Key = 0, ""
	_, err = both.client()
	require.ErrorContains(t, err, "--rate")
	require.ErrorContains(t, err, "--api-key")

	signed := good
	signed.Signed, signed.ChainID, signed.Contract = 1, 7, "0x5fbdb2315678afecb367f032d93f642f64180aa3"
	client, err := signed.client()
	require.NoError(t, err)
	require.EqualValues(t, 7, client.Domain.ChainID())
}

// TestLoadEndsWhereTheAPIGoesAway, as it sends or before, after its time and the patience with what has no answer.
func TestLoadEndsWhereTheAPIGoesAway(t *testing.T) {
	t.Parallel()
	long.Test(t)
	run := func(posts int) error {
		var server *httptest.Server
		var answered atomic.Int64
		server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if answered.Add(1) > int64(posts) {
				_ = server.Listener.Close()
				panic(http.ErrAbortHandler)
			}
			_, _ = w.Write([]byte(`{"status":"accepted"}`))
		}))
		defer server.Close()
		c := loadCommand{API: []string{server.URL}, Key: "key", Rate: 20, Duration: 2 * time.Second, Projects: 1, Signers: 1, Wallets: 1, MaxInFlight: 99, Group: 1, IDs: "random"}
		return c.Run(signals{drain: t.Context(), kill: t.Context()})
	}
	var all sync.WaitGroup
	all.Go(func() { assert.ErrorIs(t, run(5), errFailed) })
	all.Go(func() { assert.ErrorContains(t, run(0), "couldn't create project 1 of 1") })
	all.Wait()
}
