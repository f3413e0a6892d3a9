package httpapi_test

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
)

func (b *bench) reserve(count any) response {
	b.t.Helper()
	return b.post("/reserve-ids", object{"projectId": b.project.ID, "count": count})
}

func firstOf(t *testing.T, r response) score.UpdateID {
	t.Helper()
	first, err := score.ParseUpdateID(r.ok().body["first"].(string))
	require.NoError(t, err)
	return first
}

// counterOf is the number in the last four bytes of a minted id.
func counterOf(id score.UpdateID) uint32 { return binary.BigEndian.Uint32(id[28:]) }

func TestReservedIDsCountUp(t *testing.T) {
	b := newBench(t, nil).withProject()
	r := b.reserve(100)
	first := firstOf(t, r)
	require.Equal(t, object{"projectId": b.project.ID.String(), "first": first.String(), "count": 100.0}, r.body)
	second := firstOf(t, b.reserve(156))
	require.Equal(t, first.Word(), second.Word(), "the word is filled up")
	require.Equal(t, counterOf(first)+100, counterOf(second))
	firstOf(t, b.reserve(1))
	firstOf(t, b.reserve(1<<16))

	here := b.project
	b.project = newProject("another")
	b.withProject()
	other := firstOf(t, b.reserve(1))
	require.NotEqual(t, first[:28], other[:28], "each project has a prefix of its own")
	b.project = here
	require.Equal(t, first[:28], func() []byte { id := firstOf(t, b.reserve(1)); return id[:28] }())
}

// TestNoIDIsReservedTwice asks two replicas at once.
func TestNoIDIsReservedTwice(t *testing.T) {
	a, b := replicas(t, func(*setup) {})
	var mu sync.Mutex
	seen := map[score.UpdateID]bool{}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			id := firstOf(t, []*bench{a, b}[i%2].reserve(50))
			mu.Lock()
			defer mu.Unlock()
			for j := range 50 {
				binary.BigEndian.PutUint32(id[28:], counterOf(id)+uint32(min(j, 1)))
				require.False(t, seen[id])
				seen[id] = true
			}
		})
	}
	wg.Wait()
	require.Len(t, seen, 1000)
}

func TestBadReservations(t *testing.T) {
	b := newBench(t, nil).withProject()
	for _, c := range []struct {
		project, count any
		want           string
	}{
		{b.project.ID, 0, "/count invalid"},
		{b.project.ID, -1, "/count invalid"},
		{b.project.ID, 1<<16 + 1, "/count invalid"},
		{b.project.ID, 1.5, "/count wrong_type"},
		{b.project.ID, "1", "/count wrong_type"},
		{b.project.ID, nil, "/count required"},
		{"0x12", 1, "/projectId invalid"},
		{nil, 1, "/projectId required"},
		{score.ProjectID{9}, 1, "/projectId invalid"},
	} {
		r := b.post("/reserve-ids", object{"projectId": c.project, "count": c.count})
		require.Equal(t, http.StatusBadRequest, r.status, r)
		require.Equal(t, c.want, fmt.Sprint(r.field()["pointer"], " ", r.field()["code"]))
		require.Equal(t, c.project == any(score.ProjectID{9}), r.code() == "unknown_project", r)
	}
}
