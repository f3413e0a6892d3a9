package load

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

// TestLoadMixesIDsAndGroups as its flags say, over projects and signers in turn.
func TestLoadMixesIDsAndGroups(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options        Options
		signed, random float64 // shares of the updates
	}{
		"random":      {Options{Projects: 2, Signers: 3, IDs: "random", Group: 10}, 0, 1},
		"consecutive": {Options{Projects: 2, Signers: 3, IDs: "consecutive", Group: 10}, 0, 0},
		"mixed":       {Options{Projects: 1, Signers: 2, IDs: "mixed", Group: 10}, 0, 0.5},
		"a fifth":     {Options{Projects: 2, Signers: 3, IDs: "consecutive", Group: 10, Signed: 20}, 0.2, 0},
		"all signed":  {Options{Projects: 1, Signers: 1, IDs: "consecutive", Group: 256, Signed: 100}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			places := somePlaces(t, c.options.Projects, c.options.Signers)
			next := c.options.source(places)
			made, signed, alone := 0, 0, 0
			words := map[score.Word]int{}
			ids, signers := map[score.UpdateID]bool{}, map[*Wallet]int{}
			for made < 10_000 {
				post := next()
				made += len(post.Updates)
				if post.Signed {
					signed += len(post.Updates)
					require.Len(t, post.Updates, c.options.Group)
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
			require.Len(t, signers, c.options.Projects*c.options.Signers)
		})
	}
}

func somePlaces(t *testing.T, projects, signers int) (places []*Place) {
	t.Helper()
	for i := range projects {
		place := &Place{Project: score.ProjectID{byte(i + 1)}, ScoreType: "s", Actions: []string{"a", "b"}, Targets: RandomTargets(7)}
		for range signers {
			wallet, err := RandomWallet()
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
	c := Options{URLs: []string{server.URL}, Key: "key", Rate: 1, Duration: time.Second, Projects: 3, Signers: 4, Wallets: 5, MaxInFlight: 1, Group: 1}
	client, err := NewClient(c.Key, c.MaxInFlight, c.URLs...)
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
	counts := Counts{Sent: 10, Accepted: 6, Duplicate: 1, Rejected: 1, Failed: 2, Refusals: map[string]int{"forbidden": 1}}
	summary := &Summary{Counts: counts, Offered: 100, PerSecond: 60, Latency: Percentiles{P50: 1, P90: 2, P99: 3, Max: 4}}
	require.True(t, summary.Bad())
	require.Equal(t, "sent 10, accepted 6, duplicate 1, rejected 1 map[forbidden:1], failed 2, missed 0, retries 0, "+
		"60 accepted/s of 100 offered/s, latency p50 1.0 ms p90 2.0 ms p99 3.0 ms max 4 ms", summary.String())
	summary.Interrupted = true
	require.False(t, summary.Bad())
	require.Contains(t, summary.String(), "interrupted with 2 unanswered (each may be stored or not), missed")
	require.NotContains(t, summary.String(), "lost")
	summary.Wrong = 1
	require.True(t, summary.Bad(), "a wrong answer is one whenever the run ends")
	raw, err := json.Marshal(summary)
	require.NoError(t, err)
	for _, key := range []string{
		"sent", "accepted", "duplicate", "rejected", "failed", "retries", "wrong", "refusals", "missed", "offered_per_second",
		"accepted_per_second", "latency_ms", "duration_ms", "interrupted",
	} {
		require.Contains(t, string(raw), `"`+key+`":`)
	}
}

// TestLoadRefusesWrongOptions, all of them at once.
func TestLoadRefusesWrongOptions(t *testing.T) {
	t.Parallel()
	good := DefaultOptions()
	good.URLs, good.Key = []string{"http://127.0.0.1:1"}, "key"
	require.NoError(t, good.Validate())
	for says, wrong := range map[string]func(o *Options){
		"--rate must be more than 0":         func(o *Options) { o.Rate = 0 },
		"--duration must be more than 0":     func(o *Options) { o.Duration = -1 },
		"must be at least 1":                 func(o *Options) { o.Wallets = 0 },
		"--signers must be at most 99":       func(o *Options) { o.Signers = 100 },
		"--ids must be random":               func(o *Options) { o.IDs = "hashed" },
		"--max-in-flight must be at least 1": func(o *Options) { o.MaxInFlight = 0 },
		"--signed must be from 0 to 100":     func(o *Options) { o.Signed = 100.1 },
		"--group must be from 1 to 256":      func(o *Options) { o.Group = 257 },
		"set SCORELAY_API_KEY":               func(o *Options) { o.Key = "" },
		"set --url":                          func(o *Options) { o.URLs = nil },
		"is no address of an API":            func(o *Options) { o.URLs = []string{"localhost:8080"} },
	} {
		o := good
		wrong(&o)
		_, err := Generate(t.Context(), o, io.Discard)
		require.ErrorContains(t, err, says)
	}
	both := good
	both.Rate, both.Key = 0, ""
	require.ErrorContains(t, both.Validate(), "--rate")
	require.ErrorContains(t, both.Validate(), "SCORELAY_API_KEY")
}

// TestLoadSignsForTheAPIsDomain, since it knows no other.
func TestLoadSignsForTheAPIsDomain(t *testing.T) {
	t.Parallel()
	signing, err := json.Marshal(domain())
	require.NoError(t, err)
	api := script(answer{status: 200, body: `{"signing":` + string(signing) + `}`})
	got, err := domainOf(t.Context(), api.client(), score.ProjectID{1})
	require.NoError(t, err)
	require.Equal(t, domain(), got)
	_, err = domainOf(t.Context(), script(answer{status: 200, body: `{}`}).client(), score.ProjectID{1})
	require.ErrorIs(t, err, sdk.ErrDomain)
}

// TestLoadEndsWhereTheAPIGoesAway, as it sends or before, after its time and the patience with what has no answer.
func TestLoadEndsWhereTheAPIGoesAway(t *testing.T) {
	t.Parallel()
	long.Test(t)
	run := func(posts int) (*Summary, error) {
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
		c := Options{URLs: []string{server.URL}, Key: "key", Rate: 20, Duration: 2 * time.Second, Projects: 1, Signers: 1, Wallets: 1, MaxInFlight: 99, Group: 1, IDs: "random"}
		return Generate(t.Context(), c, io.Discard)
	}
	var all sync.WaitGroup
	all.Go(func() {
		s, err := run(5)
		assert.NoError(t, err)
		assert.True(t, s.Bad())
	})
	all.Go(func() {
		_, err := run(0)
		assert.ErrorContains(t, err, "couldn't create project 1 of 1")
	})
	all.Wait()
}
