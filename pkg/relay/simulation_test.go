package relay

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
)

var simSchedules = flag.Int64("sim.schedules", simUsual, "schedules that TestSimulation plays")

const (
	simUsual    = 300  // with the fixed seed they meet faults of all kinds
	simEnough   = 1500 // with any seed
	simFailures = 5    // after which it ends
)

// TestSimulation plays random schedules of several lanes and replicas, see simRun. The seed of one that fails is printed, with
// the command that plays it again.
func TestSimulation(t *testing.T) {
	t.Parallel()
	base, limit := testrand.Seed(t), *simSchedules
	began := time.Now()
	var next, failures, slowest atomic.Int64
	var running sync.WaitGroup
	total := simStats{did: map[string]int{}}
	var mu sync.Mutex
	for range runtime.GOMAXPROCS(0) {
		running.Go(func() {
			for failures.Load() < simFailures {
				i := next.Add(1) - 1
				if i >= limit {
					return
				}
				seed := base + uint64(i)
				stats, _, err := simulate(seed, simPlant{}, limit == 1 && testing.Verbose())
				if err != nil {
					failures.Add(1)
					t.Errorf("schedule %d: %v\nplay it again: %s=%d go test ./pkg/relay -run 'TestSimulation$' -v -args -sim.schedules=1", seed, err, testrand.Variable, seed)
				}
				mu.Lock()
				for kind, n := range stats.did {
					total.did[kind] += n
				}
				total.actions += stats.actions
				total.blocks += stats.blocks
				total.crashes += stats.crashes
				total.updates += stats.updates
				total.calmed += stats.calmed
				total.parks += stats.parks
				total.unparks += stats.unparks
				total.pauses += stats.pauses
				slowest.Store(max(slowest.Load(), int64(stats.calmed)))
				mu.Unlock()
			}
		})
	}
	running.Wait()
	played := min(next.Load(), limit)
	t.Logf("%d schedules in %s, %.1f a second: %+v; the slowest came to rest within %d s", played, time.Since(began).Round(time.Second),
		float64(played)/time.Since(began).Seconds(), total, slowest.Load())
	if played < simEnough && (played < simUsual || base != testrand.Fixed) {
		t.Logf("whether each kind of fault was met was not judged: that takes %d schedules", simEnough)
		return
	}
	for _, kind := range slices.Concat(simKinds, endpointFaults) {
		if total.did[kind] == 0 {
			t.Errorf("no fault of the kind %q was met in %d schedules: nothing of it was tried", kind, played)
		}
	}
}

// TestSimulationRepeats: a seed gives the same schedule each time.
func TestSimulationRepeats(t *testing.T) {
	t.Parallel()
	traces := map[uint64]bool{}
	for seed := range uint64(30) {
		_, first, err := simulate(seed+1, simPlant{}, false)
		_, second, again := simulate(seed+1, simPlant{}, false)
		require.Equal(t, first, second, "seed %d", seed+1)
		require.Equal(t, fmt.Sprint(err), fmt.Sprint(again))
		traces[first] = true
	}
	require.Len(t, traces, 30)
}

// plantFound plays schedules with a planted bug until one fails.
func plantFound(t *testing.T, plant simPlant) {
	t.Helper()
	const most = 4000
	for seed := range uint64(most) {
		if _, _, err := simulate(seed+1, plant, false); err != nil {
			t.Logf("found by schedule %d: %v", seed+1, err)
			return
		}
	}
	t.Fatalf("%d schedules did not find it", most)
}

// TestSimulationFindsFreedNonces: a send without an answer frees its nonce.
func TestSimulationFindsFreedNonces(t *testing.T) {
	t.Parallel()
	plantFound(t, simPlant{freesNonce: true})
}

// TestSimulationFindsUnfencedAppends: the journal takes entries of a session that lost its lane.
func TestSimulationFindsUnfencedAppends(t *testing.T) {
	t.Parallel()
	plantFound(t, simPlant{noFence: true})
}

// TestSimulationFindsEarlyFloors: the floor moves before the journal holds the attempt.
func TestSimulationFindsEarlyFloors(t *testing.T) {
	t.Parallel()
	plantFound(t, simPlant{floorEarly: true})
}

// TestSimulationFindsFloorsOverUnboundPositions: the count of what the floor passed says nothing of it.
func TestSimulationFindsFloorsOverUnboundPositions(t *testing.T) {
	t.Parallel()
	plantFound(t, simPlant{floorOver: true})
}

// TestSimulationFindsGiversThatContinue: a lane binds what is in buckets that it gave.
func TestSimulationFindsGiversThatContinue(t *testing.T) {
	t.Parallel()
	plantFound(t, simPlant{givesOn: true})
}

// TestSimulationFindsGiversThatDoNotWait: a bucket is given while a creation of it is open.
func TestSimulationFindsGiversThatDoNotWait(t *testing.T) {
	t.Parallel()
	plantFound(t, simPlant{givesEarly: true})
}

// TestSimulationFindsBucketsTakenTwice: a lane takes what was given to another.
func TestSimulationFindsBucketsTakenTwice(t *testing.T) {
	t.Parallel()
	plantFound(t, simPlant{takesTwice: true})
}

// TestSimulationFindsDeathsTooSoon: updates that overtook a project that another lane still creates are dead-lettered.
func TestSimulationFindsDeathsTooSoon(t *testing.T) {
	t.Parallel()
	plantFound(t, simPlant{ownOnly: true})
}

// TestSimulationFindsPausesThatAreIgnored: updates of paused projects are bound.
func TestSimulationFindsPausesThatAreIgnored(t *testing.T) {
	t.Parallel()
	plantFound(t, simPlant{pauseIgnored: true})
}

// TestSimulationFindsFoldsApart: the place of the statuses' fold is stored before what is folded.
func TestSimulationFindsFoldsApart(t *testing.T) {
	t.Parallel()
	plantFound(t, simPlant{foldApart: true})
}

// TestSimulationFindsLostRewinds: statuses of blocks that the chain lost stay.
func TestSimulationFindsLostRewinds(t *testing.T) {
	t.Parallel()
	plantFound(t, simPlant{rewindLost: true})
}

// TestSimulationFindsSlotsOverTheirEnds: a slot that is told of again replaces what its own transaction rejected.
func TestSimulationFindsSlotsOverTheirEnds(t *testing.T) {
	t.Parallel()
	plantFound(t, simPlant{boundOver: true})
}

// TestSimulationFindsForgottenProjects: what a parked project left out is not read again.
func TestSimulationFindsForgottenProjects(t *testing.T) {
	t.Parallel()
	plantFound(t, simPlant{parkedForgotten: true})
}

// TestSimulationFindsSecondReadingsThatEndEarly: what a parked project left out is read again, but not all of it.
func TestSimulationFindsSecondReadingsThatEndEarly(t *testing.T) {
	t.Parallel()
	plantFound(t, simPlant{secondEndsEarly: true})
}
