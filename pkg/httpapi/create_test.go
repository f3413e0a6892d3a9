package httpapi_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// creations lists the creations of the stream.
func (b *bench) creations() []score.Message {
	b.t.Helper()
	return b.messages(func(m score.Message) bool { return m.Project != nil })
}

func (b *bench) created(stage string) object {
	return object{"projectId": b.project.ID.String(), "status": stage, "statusUrl": "/projects/" + b.project.ID.String()}
}

func TestACreationIsInTheStreamAndTakesUpdatesAtOnce(t *testing.T) {
	b := newBench(t, nil)
	r := b.post("/create-project", createBody(b.project)).ok()
	require.Equal(t, b.created("accepted"), r.body)
	require.Equal(t, "accepted", b.post("/update-score", b.update("one")).body["status"])
	creations := b.creations()
	require.Len(t, creations, 1)
	require.Equal(t, b.project, creations[0].Project)

	r = b.get("%s", b.created("")["statusUrl"])
	require.Equal(t, object{
		"projectId": b.project.ID.String(), "status": "accepted", "outcome": nil, "transactionHash": nil, "blockNumber": nil,
		"name": b.project.Name, "scoreTypes": []any{"reputation", "volume"},
		"inputActions": []any{
			object{"name": "buy", "points": 10.0, "direction": 0.0}, object{"name": "return", "points": 3.0, "direction": 1.0},
		},
		"members": 3.0, "next": nil, "owners": []any{lower(devnet.Address(1))}, "updaters": r.body["updaters"], "signedOnly": false,
		"signing": r.body["signing"], // TestAProjectTellsWhatToSignUnder
	}, r.body)
	require.ElementsMatch(t, []any{lower(devnet.Address(2)), lower(contractWallet)}, r.body["updaters"])
}

func TestScoreTypesDefaultToTheConfiguredOnes(t *testing.T) {
	b := newBench(t, func(s *setup) { s.config.ScoreTypes = []string{"fame", "karma"} })
	body := createBody(b.project)
	delete(body, "scoreTypes")
	b.post("/create-project", body).ok()
	require.Equal(t, []any{"fame", "karma"}, b.get("/projects/%s", b.project.ID).body["scoreTypes"])
}

// TestATakenProjectID: the answer reports whether what was created under the id is what was sent, where that is known. What owners edited since
// makes no difference to a creation that is known.
func TestATakenProjectID(t *testing.T) {
	b := newBench(t, nil).withProject()
	others := map[string]any{
		"name": "other", "owners": []any{devnet.Address(7)}, "updaters": []any{}, "scoreTypes": []any{"x"}, "signedOnly": true,
		"inputActions": []any{object{"name": "buy", "points": 11, "direction": 0}},
	}
	taken := func(body object, same any) {
		t.Helper()
		r := b.post("/create-project", body)
		require.Equal(t, "project_exists", r.code(), r)
		require.Equal(t, same, r.body["same"], r.raw)
	}
	check := func() {
		t.Helper()
		taken(createBody(b.project), true)
		taken(set(createBody(b.project), "updaters", []any{contractWallet, devnet.Address(2)}), true) // members have no order
		for field, value := range others {
			taken(set(createBody(b.project), field, value), false)
		}
	}
	check()
	require.Len(t, b.creations(), 1)

	edited := score.RecordOf(b.project) // it has become final, and an owner added another
	edited.Members[devnet.Address(7)] = score.Owner
	b.final.records.Store(b.project.ID, edited)
	check()
	require.Equal(t, "final", b.get("/projects/%s", b.project.ID).body["status"])
	require.Equal(t, "applied", b.get("/projects/%s", b.project.ID).body["outcome"])

	old := newProject("known to the directory only")
	b.final.records.Store(old.ID, score.RecordOf(old))
	taken(createBody(old), true)
	taken(set(createBody(old), "owners", []any{devnet.Address(7)}), nil) // an edit may have made the difference

	unseen := newProject("accepted by another replica just now")
	require.NoError(t, b.stream.PublishProject(t.Context(), rand.Text(), unseen, 0))
	taken(createBody(unseen), true)
	taken(set(createBody(unseen), "name", "mine"), false)
}

func TestAProjectIDTakenOnTheChainOnly(t *testing.T) {
	b := newBench(t, nil)
	require.NoError(t, transact(&shared.contract, registry.EncodeCreateProject(b.project)))
	r := b.post("/create-project", createBody(b.project))
	require.Equal(t, "project_exists", r.code())
	require.NotContains(t, r.body, "same", "nothing here knows what it is")
	require.Empty(t, b.creations())
	b.chain.down.Store(true) // then the contract will refuse it
	b.post("/create-project", createBody(b.project)).ok()
}

// TestOfManyCreationsAtOnceOneIsAccepted: two replicas' worth of callers, each with a content of its own.
func TestOfManyCreationsAtOnceOneIsAccepted(t *testing.T) {
	b := newBench(t, nil)
	const callers = 8
	statuses := make([]int, callers)
	var wg sync.WaitGroup
	for i := range callers {
		body := set(createBody(b.project), "name", fmt.Sprint("caller ", i))
		wg.Go(func() { statuses[i] = b.post("/create-project", body).status })
	}
	wg.Wait()
	slices.Sort(statuses)
	require.Equal(t, append([]int{http.StatusOK}, slices.Repeat([]int{http.StatusConflict}, callers-1)...), statuses)
	require.Len(t, b.creations(), 1)
}

func TestACreationWhosePublishFailed(t *testing.T) {
	t.Parallel()
	fault.Each(t, func(t *testing.T, kind fault.Kind) {
		t.Run("retried here", func(t *testing.T) {
			b := newBench(t, nil)
			b.publisher.Set(fault.First(1, kind))
			b.post("/create-project", createBody(b.project)).ok()
			require.Len(t, b.creations(), 1)
		})
		t.Run("retried by the caller", func(t *testing.T) {
			b := newBench(t, func(s *setup) { s.config.AcceptTimeout = time.Nanosecond })
			b.publisher.Set(fault.Always(kind))
			require.Equal(t, "not_durable", b.post("/create-project", createBody(b.project)).code())
			require.InDelta(t, 1, b.count("scorelay_api_creations_total", "not_durable"), 0)
		})
	})
}

// TestACreationThatCanNeverApply: its projectId may be used again, and its updates are refused until then.
func TestACreationThatCanNeverApply(t *testing.T) {
	b := newBench(t, nil).withProject()
	dead := b.creations()[0]
	require.NoError(t, b.status.Final(t.Context(), updateTx, 5, []score.Ref{score.CreationRef(b.project.ID)}, []score.Outcome{score.ProjectExists}))
	require.NoError(t, b.stream.AddDeadLetters(t.Context(), []score.DeadLetter{{
		Seq: dead.Seq, Reason: "test", Outcome: score.ProjectExists, Project: b.project,
	}}))
	require.Eventually(t, func() bool {
		return b.get("/projects/%s", b.project.ID).body["outcome"] == "project_exists"
	}, time.Minute, 5*time.Millisecond)
	require.Equal(t, "final", b.get("/projects/%s", b.project.ID).body["status"])
	require.Equal(t, "unknown_project", b.post("/update-score", b.update("one")).code())

	other := set(createBody(b.project), "inputActions", []any{object{"name": "else", "points": 1, "direction": 0}})
	require.Equal(t, "project_exists", b.post("/create-project", other).code(), "updates of the first try may still come and must not mean something else")

	b.project.Name = "a new try"
	require.Equal(t, b.created("accepted"), b.post("/create-project", createBody(b.project)).body)
	require.Equal(t, "accepted", b.get("/projects/%s", b.project.ID).body["status"])
	require.Equal(t, "accepted", b.post("/update-score", b.update("one")).body["status"])
	require.Len(t, b.creations(), 2)
}

func TestProjectsAreToldInAnyOrder(t *testing.T) {
	t.Parallel()
	first, second := newProject("p"), newProject("second")
	second.ID = first.ID
	first5 := func(p *httpapi.Projects) { p.Accepted(5, first) }
	dead5 := func(p *httpapi.Projects) { p.Dead(5, first.ID) }
	second9 := func(p *httpapi.Projects) { p.Accepted(9, second) }
	dead9 := func(p *httpapi.Projects) { p.Dead(9, first.ID) }
	type told []func(*httpapi.Projects)
	for i, c := range []struct {
		told told
		want string
	}{
		{told{}, ""},
		{told{first5}, "p"},
		{told{first5, dead5}, ""},
		{told{dead5, first5}, ""},
		{told{first5, dead5, second9}, "second"},
		{told{second9, dead5}, "second"},
		{told{second9, first5, dead5}, "second"},
		{told{dead5, second9, dead9}, ""},
		{told{dead9, second9, dead5}, ""},
		{told{first5, dead5, first5, dead5, second9, second9, dead5}, "second"},
	} {
		p := httpapi.NewProjects(&directory{})
		for _, tell := range c.told {
			tell(p)
		}
		require.Equal(t, c.want, httpapi.AcceptedName(p, first.ID), i)
	}
}
