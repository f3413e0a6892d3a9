package httpapi_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

func (b *bench) lookUp(ids ...score.UpdateID) response {
	b.t.Helper()
	return b.post("/look-up-updates", object{"projectId": b.project.ID, "updateIds": ids})
}

// lookUpOne looks up an update of the bench's project.
func (b *bench) lookUpOne(name string) response {
	b.t.Helper()
	return b.get("/projects/%s/updates/%s", b.project.ID, updateID(name))
}

// restored declares the status store complete.
func (b *bench) restored() {
	b.t.Helper()
	token, _, err := b.status.BeginRestore(b.t.Context())
	require.NoError(b.t, err)
	require.NoError(b.t, b.status.EndRestore(b.t.Context(), token))
}

// TestManyUpdatesAreLookedUpAtOnce: the answer has, for each, what a look-up of it alone says.
func TestManyUpdatesAreLookedUpAtOnce(t *testing.T) {
	b := newBench(t, nil).withProject()
	b.restored()
	for _, id := range []string{"accepted", "batched", "included", "final"} {
		require.Equal(t, "accepted", b.post("/update-score", b.update(id)).body["status"])
	}
	ctx, slot := t.Context(), uint64(3)
	for _, id := range []string{"batched", "included", "final"} {
		slot++
		require.NoError(t, b.status.Bound(ctx, 1, slot, b.refs(id), 1<<30, nil))
	}
	require.NoError(t, b.status.Slot(ctx, 1, 1, 5, score.Included, updateTx, 77))
	require.NoError(t, b.status.Final(ctx, updateTx, 78, b.refs("final"), []score.Outcome{score.NotMember}))

	ids := []score.UpdateID{updateID("final"), updateID("nothing"), updateID("included"), updateID("batched"), updateID("accepted"), updateID("final")}
	r := b.lookUp(ids...).ok()
	require.Equal(t, b.project.ID.String(), r.body["projectId"])
	updates := r.body["updates"].([]any)
	require.Len(t, updates, len(ids))
	for i, id := range ids {
		alone := b.get("/projects/%s/updates/%s", b.project.ID, id)
		if id == updateID("nothing") {
			require.Equal(t, "update_not_found", alone.code())
			alone.body = object{
				"updateId": id.String(), "projectId": b.project.ID.String(), "status": "unknown",
				"outcome": nil, "transactionHash": nil, "blockNumber": nil,
			}
		}
		require.Equal(t, alone.body, updates[i])
	}
}

// TestTheChainIsAskedOnceForManyUpdates that Redis does not know: those that were used up there are final.
func TestTheChainIsAskedOnceForManyUpdates(t *testing.T) {
	b := newBench(t, nil).withProject()
	require.NoError(t, transact(&shared.contract, registry.EncodeCreateProject(b.project)))
	var carried []string
	ids := make([]score.UpdateID, 256)
	for i := range ids {
		ids[i] = updateID(fmt.Sprint(i))
		if i%2 == 1 {
			carried = append(carried, fmt.Sprint(i))
		}
	}
	b.carry(returned(b.project.ID, 1, carried...))
	require.Equal(t, "accepted", b.post("/update-score", b.update("0")).body["status"])

	require.Equal(t, "status_rebuilding", b.lookUp(ids...).code(), "some are unknown, and Redis may have lost them")
	require.Equal(t, "status_rebuilding", b.lookUp(ids[0], ids[1], ids[255]).code(), "of what the chain alone knows, the transactions come back")
	b.restored()
	before := b.chain.asked.Load()
	r := b.lookUp(ids...)
	require.Equal(t, before+1, b.chain.asked.Load())
	for i, u := range r.body["updates"].([]any) {
		want := map[bool]string{true: "final", false: "unknown"}[i%2 == 1]
		if i == 0 {
			want = "accepted"
		}
		require.Equal(t, want, u.(object)["status"], i)
		require.Equal(t, ids[i].String(), u.(object)["updateId"])
	}
	require.Equal(t, "accepted", b.lookUp(ids[0]).body["updates"].([]any)[0].(object)["status"])
	require.Equal(t, before+1, b.chain.asked.Load(), "nothing is missing, the chain is not asked")
	b.chain.down.Store(true)
	require.Equal(t, "chain_unavailable", b.lookUp(ids[0], ids[1]).code(), "the second may have been applied")
	require.Equal(t, "chain_unavailable", b.get("/projects/%s/updates/%s", b.project.ID, ids[1]).code())
	require.Equal(t, "accepted", b.get("/projects/%s/updates/%s", b.project.ID, ids[0]).body["status"])
}

// TestAFinalStatusThatWent: after the retention, or early where Redis is short of memory, the contract tells of what was applied, and
// nothing tells of what was not.
func TestAFinalStatusThatWent(t *testing.T) {
	b := newBench(t, nil).withProject()
	require.NoError(t, transact(&shared.contract, registry.EncodeCreateProject(b.project)))
	applied, rejected := updateID("applied"), updateID("rejected")
	b.carry(returned(b.project.ID, 1, "applied"))
	b.restored()
	r := b.get("/projects/%s/updates/%s", b.project.ID, applied).ok()
	require.Equal(t, object{
		"updateId": applied.String(), "projectId": b.project.ID.String(), "status": "final", "outcome": "applied",
		"transactionHash": nil, "blockNumber": nil,
	}, r.body)
	require.Equal(t, "update_not_found", b.get("/projects/%s/updates/%s", b.project.ID, rejected).code())
	many := b.lookUp(applied, rejected).body["updates"].([]any)
	require.Equal(t, r.body, many[0])
	require.Equal(t, "unknown", many[1].(object)["status"])
	for _, name := range []string{"applied", "rejected"} {
		require.Equal(t, "accepted", b.post("/update-score", b.update(name)).body["status"], "the contract finds the duplicate")
	}
}

// TestNoEndIsToldThatARestoreMayChange: an event that repeats an update may be restored before the one that applied it.
func TestNoEndIsToldThatARestoreMayChange(t *testing.T) {
	b, ctx := newBench(t, nil).withProject(), t.Context()
	token, at, err := b.status.BeginRestore(ctx)
	require.NoError(t, err)
	updates := b.updates("twice", "refused", "waiting")
	require.NoError(t, b.status.RestoreAccepted(ctx, score.Refs(updates)))
	told := func(name string) string {
		t.Helper()
		r := b.lookUpOne(name)
		many := b.lookUp(updateID("waiting"), updateID(name))
		if r.status == http.StatusOK {
			require.Equal(t, r.body, many.body["updates"].([]any)[1])
			return fmt.Sprint(r.body["status"], " ", r.body["outcome"])
		}
		require.Equal(t, r.code(), many.code())
		return r.code()
	}
	require.Equal(t, "accepted <nil>", told("twice"))
	restore := func(block uint64, name string, outcome score.Outcome) {
		t.Helper()
		fact := score.Fact{Refs: b.refs(name), Outcomes: []score.Outcome{outcome}, Tx: updateTx, Block: block}
		require.NoError(t, b.status.Fold(ctx, at, "", []score.Fact{fact}))
	}
	restore(5, "twice", score.Duplicate)
	restore(5, "refused", score.NotMember)
	require.Equal(t, "status_rebuilding", told("twice"))
	require.Equal(t, "status_rebuilding", told("refused"))
	restore(4, "twice", score.Applied)
	require.Equal(t, "final applied", told("twice"))
	require.Equal(t, "status_rebuilding", told("refused"))
	require.NoError(t, b.status.EndRestore(ctx, token))
	require.Equal(t, "final applied", told("twice"))
	require.Equal(t, "final not_member", told("refused"))
	require.NoError(t, b.status.RequestRestore(ctx))
	require.Equal(t, "status_rebuilding", told("refused"))
}

// unreadable is a status store of which nothing can be read, at times, though it takes what is written.
type unreadable struct {
	httpapi.Statuses
	is atomic.Bool
}

func (u *unreadable) Read(ctx context.Context, refs []score.Ref) ([]score.Status, bool, error) {
	if u.is.Load() {
		return nil, false, fault.Err
	}
	return u.Statuses.Read(ctx, refs)
}

// TestADuplicateIsNeverCalledApplied: while Redis cannot be read the chain's word alone, that the id is used up, ends no update and no edit, for none of
// those who ask; the SDK waits.
func TestADuplicateIsNeverCalledApplied(t *testing.T) {
	t.Parallel()
	redis, statuses := fresh.Redis(t), &unreadable{}
	b := startBench(t, func(s *setup) {
		s.redis, s.timeout, s.config.Secret = redis.URL, 0, make([]byte, 32)
		s.deps = func(d *httpapi.Deps) { statuses.Statuses, d.Statuses = d.Statuses, statuses }
	}).withProject()
	require.NoError(t, transact(&shared.contract, registry.EncodeCreateProject(b.project)))
	b.carry(returned(b.project.ID, 1, "twice"))
	b.restored()
	require.NoError(t, b.status.Final(t.Context(), updateTx, 9, b.refs("twice"), []score.Outcome{score.Duplicate}))
	asked := b.chain.asked.Load()
	hidden := func() {
		t.Helper()
		require.Equal(t, "status_unavailable", b.lookUpOne("twice").code())
		require.Equal(t, "status_unavailable", b.lookUp(updateID("twice")).code())
		require.Equal(t, asked, b.chain.asked.Load(), "the chain could not tell")
	}
	require.Equal(t, "duplicate", b.lookUpOne("twice").body["outcome"])
	statuses.is.Store(true)
	hidden()

	// The SDK waits through it.
	waited := make(chan []sdk.Status, 1)
	looked := make(chan struct{}, 1)
	transport := roundTripper(func(r *http.Request) (*http.Response, error) {
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err == nil && answer.StatusCode == http.StatusServiceUnavailable {
			select {
			case looked <- struct{}{}:
			default:
			}
		}
		return answer, err
	})
	client := sdk.NewClient(b.url, b.secret.Reveal(), &http.Client{Transport: transport})
	go func() {
		seen, err := client.UntilFinal(t.Context(), b.project.ID, updateID("twice"))
		if err != nil {
			t.Error(err)
		}
		waited <- seen
	}()
	<-looked
	statuses.is.Store(false)
	require.Equal(t, "duplicate", (<-waited)[0].Outcome)

	redis.Close()
	hidden()
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestALookUpWithoutRedis(t *testing.T) {
	b := newBench(t, func(s *setup) { s.redis = nowhere })
	require.Equal(t, "status_unavailable", b.lookUp(updateID("one"), updateID("two")).code())
}

func TestEveryFieldOfALookUp(t *testing.T) {
	b := newBench(t, nil)
	b.restored()
	id := updateID("one").String()
	many := func(n int) []string { return strings.Split(strings.Repeat(id+",", n)[:n*67-1], ",") }
	for _, c := range []struct {
		name    string
		body    object
		pointer string // empty: valid
	}{
		{"one", object{"updateIds": []string{id}}, ""},
		{"any case", object{"updateIds": []string{"0x" + strings.ToUpper(id[2:])}}, ""},
		{"the most", object{"updateIds": many(256)}, ""},
		{"too many", object{"updateIds": many(257)}, "/updateIds"},
		{"none", object{"updateIds": []string{}}, "/updateIds"},
		{"no list", object{}, "/updateIds"},
		{"null", object{"updateIds": nil}, "/updateIds"},
		{"text", object{"updateIds": id}, "/updateIds"},
		{"a short id", object{"updateIds": []string{id, id[:65]}}, "/updateIds/1"},
		{"null among them", object{"updateIds": []any{nil}}, "/updateIds/0"},
		{"a number among them", object{"updateIds": []any{id, 7}}, "/updateIds/1"},
		{"a bad projectId", object{"updateIds": []string{id}, "projectId": "0x1"}, "/projectId"},
		{"no projectId", object{"updateIds": []string{id}, "projectId": nil}, "/projectId"},
		{"more", object{"updateIds": []string{id}, "updates": 1}, "/updates"},
	} {
		body := object{"projectId": b.project.ID}
		maps.Copy(body, c.body)
		r := b.post("/look-up-updates", body)
		if c.pointer == "" {
			r.ok()
			continue
		}
		require.Equal(t, "invalid_body", r.code(), c.name)
		require.Equal(t, c.pointer, r.field()["pointer"], c.name)
	}
}

// TestALookUpIsOneRequestOfTheRate, with any number of ids.
func TestALookUpIsOneRequestOfTheRate(t *testing.T) {
	b := newBench(t, func(s *setup) { s.config.LookUpsPerSecond = 50 })
	b.restored()
	ids := make([]score.UpdateID, 256)
	for range 10 {
		b.lookUp(ids...).ok()
	}
}
