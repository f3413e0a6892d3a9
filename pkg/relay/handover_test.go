package relay_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/relay"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
)

// driveRoster drives the lanes of a roster, also those that come later.
type driveRoster struct{ roster relay.Roster }

func (d driveRoster) Run(ctx context.Context, lanes func() (driven, able []score.Lane), drive func(context.Context, score.Lane)) error {
	var running sync.WaitGroup
	defer running.Wait()
	began := map[score.Lane]bool{}
	for {
		_, changed := d.roster.Current()
		_, able := lanes()
		for _, id := range able {
			if !began[id] {
				began[id] = true
				running.Go(func() { drive(ctx, id) })
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// owned tells whether each lane's journal says that it owns what the roster says.
func (w *world) owned() bool {
	known, _ := w.roster.Current()
	for id, state := range w.states() {
		if len(state.Buckets) != len(known.Wanted(score.Lane(id))) {
			return false
		}
	}
	return true
}

// change changes the roster.
func (w *world) change(change func(roster.Roster) (roster.Roster, error)) {
	w.t.Helper()
	known, _ := w.roster.Current()
	next, err := change(known)
	require.NoError(w.t, err)
	w.roster.Set(next)
}

// addLane adds the lane of one of the world's keys.
func (w *world) addLane(key int) {
	w.t.Helper()
	w.change(func(r roster.Roster) (roster.Roster, error) {
		r, _, err := r.Add(w.keys[key].Address())
		return r, err
	})
}

// secondGone tells whether lane 1 is gone.
func (w *world) secondGone() bool {
	known, _ := w.roster.Current()
	return known.Lanes[1].State == roster.Gone
}

// TestLanesComeAndGo: a lane is added, another replaced, and one is cut, while updates and creations come. Two processes drive them all.
func TestLanesComeAndGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	first, err := roster.First([]common.Address{w.keys[0].Address()})
	require.NoError(t, err)
	w.roster = &liveRoster{roster.NewLive(first)}
	config := w.config()
	config.FirstLanes, config.GoneAfter = 1, 2
	for range 2 {
		deps := w.deps()
		deps.Leases = driveRoster{w.roster}
		w.start(config, deps)
	}
	n := 0
	round := func() { // each has a project of its own, whose updates come at once
		t.Helper()
		for p := range byte(12) {
			if n == 0 {
				w.create(20 + p)
			}
			w.accept(some(20+int(p), 100*n, 10)...)
		}
		w.create(100 + byte(n))
		w.accept(some(100+n, 0, 10)...)
		n++
		for range 3 {
			w.mine()
		}
	}
	round()
	w.addLane(1)
	round()
	w.change(func(r roster.Roster) (roster.Roster, error) {
		r, _, err := r.Replace(0, w.keys[2].Address(), true)
		return r, err
	})
	round()
	w.change(func(r roster.Roster) (roster.Roster, error) { return r.Cut(1, false) })
	round()
	w.addLane(3)
	round()
	w.drain()
	deadline := time.Now().Add(60 * time.Second)
	for !w.owned() {
		require.True(t, time.Now().Before(deadline), "buckets are not where they shall be")
		w.mine()
	}
	for {
		known, _ := w.roster.Current()
		if known.Lanes[0].State == roster.Gone && known.Lanes[1].State == roster.Gone {
			break
		}
		require.True(t, time.Now().Before(deadline), "lanes that have nothing left are not gone: %+v", known.Lanes)
		w.mine()
	}
	require.Equal(t, map[score.Outcome]int{score.Applied: 650}, w.audit())
}

// journalReads is a journal that counts how it is read.
type journalReads struct {
	relay.Journal
	last    atomic.Int32 // of lane 1
	states  atomic.Int32
	limited atomic.Int32 // of states: with a deadline
}

func (j *journalReads) Last(ctx context.Context, id score.Lane) (uint64, error) {
	if id == 1 {
		defer j.last.Add(1)
	}
	return j.Journal.Last(ctx, id)
}

func (j *journalReads) State(ctx context.Context, id score.Lane) (*lane.State, uint64, error) {
	if _, has := ctx.Deadline(); has {
		j.limited.Add(1)
	}
	j.states.Add(1)
	return j.Journal.State(ctx, id)
}

// oneLane is a world whose first lane has all buckets, and keys for more.
func oneLane(t *testing.T, keys int) (*world, relay.Config) {
	t.Helper()
	w := newWorld(t, keys)
	first, err := roster.First([]common.Address{w.keys[0].Address()})
	require.NoError(t, err)
	w.roster = &liveRoster{roster.NewLive(first)}
	config := w.config()
	config.FirstLanes, config.GoneAfter = 1, 1
	return w, config
}

// TestBucketsStayUntilTheirLaneIsDriven: a lane whose key no relayer has gets nothing. It does when one has, and is gone without when it
// was cut, as `scorelay lanes remove` has it.
func TestBucketsStayUntilTheirLaneIsDriven(t *testing.T) {
	t.Parallel()
	for _, comes := range []bool{true, false} {
		w, config := oneLane(t, 2)
		deps := w.deps()
		reads := &journalReads{Journal: w.journal}
		deps.Leases, deps.Journal, deps.Signer = driveRoster{w.roster}, reads, signers(w.keys[0].For(devnet.ChainID))
		w.start(config, deps)
		w.mineUntil(func() bool { return len(w.states()[0].Buckets) == score.Buckets })
		w.addLane(1)
		w.mineUntil(func() bool {
			require.Len(t, w.states()[0].Buckets, score.Buckets)
			return reads.last.Load() > 1
		})
		if comes {
			other := w.deps()
			other.Leases = driveRoster{w.roster}
			w.start(config, other)
			w.mineUntil(w.owned)
			continue
		}
		w.change(func(r roster.Roster) (roster.Roster, error) { return r.Cut(1, false) })
		w.mineUntil(w.secondGone)
		require.Len(t, w.states()[0].Buckets, score.Buckets)
		require.Zero(t, w.states()[0].Given[1].N)
	}
}

// deaf is a board on which lane 1 cannot say what it took.
type deaf struct {
	*board
	failed atomic.Int32
}

func (d *deaf) Post(ctx context.Context, from, to score.Lane, n lane.Notice) error {
	if from == 1 && n.Took > 0 {
		d.failed.Add(1)
		if n.Took = 0; n.Given == 0 {
			return errSilent
		}
	}
	return d.board.Post(ctx, from, to, n)
}

// TestAGiverLearnsWhatALaneTookThatIsGone: a lane went whose notices of what it took were never posted, and posts nothing more.
func TestAGiverLearnsWhatALaneTookThatIsGone(t *testing.T) {
	t.Parallel()
	w, config := oneLane(t, 2)
	deps := w.deps()
	notices := &deaf{board: w.board}
	deps.Leases, deps.Board = driveRoster{w.roster}, notices
	w.start(config, deps)
	w.addLane(1)
	w.mineUntil(func() bool { return w.owned() && notices.failed.Load() > 0 })
	w.change(func(r roster.Roster) (roster.Roster, error) { return r.Remove(1, true) })
	w.mineUntil(w.secondGone)
	w.mineUntil(func() bool { return len(w.states()[0].Given[1].Open) == 0 })
	require.Positive(t, w.states()[0].Given[1].N)
}
