package load

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

func TestSendRetriesWhatMayPass(t *testing.T) {
	t.Parallel()
	later := problem(503, "not_durable")
	later.header = http.Header{"Retry-After": {"3"}}
	for name, c := range map[string]struct {
		script    []answer
		duplicate []bool
		refusal   string
		tries     int
		takes     time.Duration
	}{
		"at once":         {[]answer{accepted()}, []bool{false}, "", 1, 0},
		"503, then well":  {[]answer{later, accepted()}, []bool{false}, "", 2, 3 * time.Second},
		"cut, then twice": {[]answer{hangUp(), duplicate()}, []bool{true}, "", 2, time.Second},
		"refused":         {[]answer{problem(400, "unknown_action")}, nil, "unknown_action", 1, 0},
		"nonsense":        {[]answer{{status: 200, body: `{}`}}, nil, "", 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				api := script(c.script...)
				u := Update{ID: score.UpdateID{1}, Project: score.ProjectID{2}, Action: "a", ScoreType: "s", Target: common.Address{3}, Wallet: someone(t)}
				result := api.client().Send(t.Context(), Alone(u), time.Now().Add(-time.Second))
				require.Equal(t, c.duplicate, result.Duplicate)
				require.Equal(t, c.refusal, result.refusal())
				require.Equal(t, c.duplicate == nil, result.Err != nil)
				require.Equal(t, c.tries-1, result.Retries)
				require.Equal(t, c.takes+time.Second, result.Latency, "it counts from when the post was due")
				require.Len(t, api.asked, c.tries)
				for _, asked := range api.asked {
					require.Equal(t, "/update-score", asked.path)
					require.Equal(t, "secret", asked.key)
					require.Equal(t, u.ID.String(), asked.body["updateId"])
					require.Equal(t, "0x0300000000000000000000000000000000000000", asked.body["targetWallet"])
				}
				require.Equal(t, c.takes > 0, api.asked[0].body["message"] != api.asked[c.tries-1].body["message"], "each try is fresh")
			})
		})
	}
}

func TestSendGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		tally := NewTally()
		tally.Add(script(problem(503, "not_durable")).client().Send(ctx, Alone(Update{Wallet: someone(t)}), time.Now()))
		require.Equal(t, 1, tally.Counts().Failed)
		require.Zero(t, tally.Counts().Rejected, "a 503 is no refusal for good")
		require.Empty(t, tally.Promised())
	})
}

// TestSendGroups: each update of a signed group has the answer the API gives it, and the same bytes go at every try.
func TestSendGroups(t *testing.T) {
	t.Parallel()
	at := place(t)
	updates := []Update{at.Update(0), at.Update(1), at.Update(2)}
	Assign(updates, at.Updaters[1], sdk.NewMinter(), false)
	group := func(status string, accepted int, duplicates ...score.UpdateID) answer {
		raw, _ := json.Marshal(map[string]any{"status": status, "accepted": accepted, "duplicates": duplicates})
		return answer{status: 200, body: string(raw)}
	}
	for name, c := range map[string]struct {
		script    []answer
		duplicate []bool
		refusal   string
	}{
		"accepted":      {[]answer{hangUp(), group("accepted", 3)}, []bool{false, false, false}, ""},
		"in part":       {[]answer{group("accepted", 2, updates[1].ID)}, []bool{false, true, false}, ""},
		"duplicate":     {[]answer{group("duplicate", 0, updates[2].ID, updates[0].ID, updates[1].ID)}, []bool{true, true, true}, ""},
		"refused":       {[]answer{problem(503, "not_durable"), problem(403, "signer_not_member")}, nil, "signer_not_member"},
		"miscounted":    {[]answer{group("accepted", 1)}, nil, ""},
		"of a stranger": {[]answer{group("accepted", 2, score.UpdateID{9})}, nil, ""},
		"contradicted":  {[]answer{group("duplicate", 3)}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				api := script(c.script...)
				result := api.client().Send(t.Context(), &Post{Updates: updates, Signed: true}, time.Now())
				require.Equal(t, c.duplicate, result.Duplicate)
				require.Equal(t, c.refusal, result.refusal())
				require.Equal(t, c.duplicate == nil, result.Err != nil)
				for _, asked := range api.asked {
					require.Equal(t, api.asked[0], asked)
					require.Equal(t, "/update-scores", asked.path)
					require.Equal(t, at.Project.String(), asked.body["projectId"])
				}
			})
		})
	}
}

// TestGroupsThatCannotBeSigned are not sent at all.
func TestGroupsThatCannotBeSigned(t *testing.T) {
	t.Parallel()
	at := place(t)
	twice := at.Update(0)
	api := script(accepted())
	for _, updates := range [][]Update{{twice, twice}, {{Project: at.Project, Wallet: at.Updaters[0]}}} {
		result := api.client().Send(t.Context(), &Post{Updates: updates, Signed: true}, time.Now())
		require.ErrorContains(t, result.Err, "couldn't sign a group")
		require.Nil(t, result.Duplicate)
	}
	client := api.client()
	client.Domain = sdk.Domain{}
	result := client.Send(t.Context(), &Post{Updates: []Update{twice}, Signed: true}, time.Now())
	require.ErrorIs(t, result.Err, sdk.ErrDomain)
	require.Empty(t, api.asked)
}

// TestReplicasAreAskedInTurn, so that a retry does not meet the same one again.
func TestReplicasAreAskedInTurn(t *testing.T) {
	t.Parallel()
	hits := make([]int, 3)
	var replicas []string
	for i := range hits {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			hits[i]++
			require.Equal(t, replicas[i], "http://"+r.Host)
			require.Equal(t, "/projects/"+score.ProjectID{7}.String(), r.URL.Path)
			_, _ = w.Write([]byte(`{"status":"final"}`))
		}))
		t.Cleanup(server.Close)
		replicas = append(replicas, server.URL)
	}
	client, err := NewClient("secret", 1, replicas...)
	require.NoError(t, err)
	defer client.Close()
	for range 6 {
		p, err := client.Project(t.Context(), score.ProjectID{7})
		require.NoError(t, err)
		require.True(t, p.Final())
	}
	require.Equal(t, []int{2, 2, 2}, hits)

	for _, wrong := range []string{"", "localhost", "http://", "http://[::1"} {
		_, err := NewClient("secret", 1, replicas[0], wrong)
		require.ErrorContains(t, err, "is no address of an API", wrong)
	}
}

func TestCreationsAreRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api := script(hangUp(), problem(503, "not_durable"), accepted())
		require.NoError(t, api.client().CreateProject(t.Context(), &score.Project{ID: score.ProjectID{1}, Name: "n"}))
		require.Len(t, api.asked, 3)
		require.Equal(t, "/create-project", api.asked[2].path)
		err := script(problem(400, "invalid_body")).client().CreateProject(t.Context(), &score.Project{})
		var refused *sdk.Error
		require.ErrorAs(t, err, &refused)
	})
}
