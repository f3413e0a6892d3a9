package httpapi_test

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/score"
)

// gate holds look-ups of scores, as a slow chain does, until it is opened.
type gate struct {
	httpapi.Chain
	held chan struct{}
	open chan struct{}
}

func newGate(chain httpapi.Chain) *gate {
	return &gate{chain, make(chan struct{}, 1000), make(chan struct{})}
}

func (g *gate) Scores(ctx context.Context, project score.ProjectID, wallet common.Address) ([]int64, uint64, error) {
	g.held <- struct{}{}
	select {
	case <-g.open:
	case <-ctx.Done():
	}
	return g.Chain.Scores(context.WithoutCancel(ctx), project, wallet)
}

// holdLookUps has so many look-ups in progress until the returned function is called, which checks that they were answered.
func (b *bench) holdLookUps(n int) (release func()) {
	b.t.Helper()
	held := *b // with the key it has now
	var asked sync.WaitGroup
	for range n {
		asked.Go(func() {
			if r := held.get("/projects/%s/scores/%s", b.project.ID, devnet.Address(9)); r.status != http.StatusOK {
				b.t.Errorf("a look-up that was let in was answered %v", r)
			}
		})
	}
	for range n {
		<-b.gate.held
	}
	return func() {
		close(b.gate.open)
		asked.Wait()
	}
}

// TestOneKeyDoesNotTakeAllLookUps: a key alone has half of the places, and another one finds one whenever it comes.
func TestOneKeyDoesNotTakeAllLookUps(t *testing.T) {
	b := newBench(t, func(s *setup) {
		s.config.MaxReads = 8
		s.deps = func(d *httpapi.Deps) { d.Chain = newGate(d.Chain) }
	}).withProject()
	release := b.holdLookUps(4)
	for range 10 {
		r := b.get("/projects/%s", b.project.ID)
		require.Equal(t, "too_many_look_ups", r.code(), r)
		require.Equal(t, "4 are in progress", r.body["detail"])
	}
	first := b.secret
	b.withTerms(apikey.Terms{})
	more := *b
	var asked sync.WaitGroup
	for range 2 { // of the four that are left, half
		asked.Go(func() { more.get("/projects/%s/scores/%s", b.project.ID, devnet.Address(9)) })
		<-b.gate.held
	}
	require.Equal(t, "too_many_look_ups", b.get("/projects/%s", b.project.ID).code())
	b.withTerms(apikey.Terms{})
	require.Equal(t, http.StatusOK, b.get("/projects/%s", b.project.ID).status, "there is a place for a third")
	require.Equal(t, "accepted", b.post("/update-score", b.update("one")).body["status"], "posts have places of their own")
	release()
	asked.Wait()
	b.secret = first
	b.get("/projects/%s", b.project.ID).ok()
}
