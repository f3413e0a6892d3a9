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

	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
)

var (
	simUsual     = int64(long.Size(150, 300)) // with the fixed seed they meet faults of all kinds
	simSchedules = flag.Int64("sim.schedules", simUsual, "schedules that TestSimulation plays")
)

const (
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
				stats, _, err := simulate(seed, noPlant, limit == 1 && testing.Verbose())
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
	schedules := long.Size(10, 30)
	for seed := range uint64(schedules) {
		_, first, err := simulate(seed+1, noPlant, false)
		_, second, again := simulate(seed+1, noPlant, false)
		require.Equal(t, first, second, "seed %d", seed+1)
		require.Equal(t, fmt.Sprint(err), fmt.Sprint(again))
		traces[first] = true
	}
	require.Len(t, traces, schedules)
}

// TestSimulationFinds plays schedules with each of the planted bugs until one fails.
func TestSimulationFinds(t *testing.T) {
	t.Parallel()
	const most = 4000
	for _, plant := range simPlants {
		t.Run(string(plant), func(t *testing.T) {
			t.Parallel()
			first := max(1, map[simPlant]uint64{ownOnly: 73, boundOver: 16}[plant]) // a schedule that finds what few do
			for seed := first; seed < first+most; seed++ {
				if _, _, err := simulate(seed, plant, false); err != nil {
					t.Logf("found by schedule %d: %v", seed, err)
					without := newSimRun(seed, plant, false)
					without.plant = noPlant
					_, _, err = without.play()
					require.NoError(t, err, "schedule %d finds more than the planted bug: it fails without it", seed)
					return
				}
			}
			t.Fatalf("%d schedules did not find it", most)
		})
	}
}

// TestSimulationOfStoresThatFail plays schedules in which many writes fail while much happens, so that each kind of write fails somewhere.
func TestSimulationOfStoresThatFail(t *testing.T) {
	t.Parallel()
	failed := map[string]int{}
	for seed := range uint64(80) {
		stats, _, err := simulate(seed+1, storesFail, false)
		if err != nil {
			t.Errorf("schedule %d: %v", seed+1, err)
		}
		for kind, n := range stats.did {
			failed[kind] += n
		}
	}
	for _, kind := range []string{
		"killed", "notice lost", "journal: append", "journal: purge", "store: accepted", "store: bound", "store: slot", "store: released", "store: fold",
		"store: dead_letters", "store: purge", "store: post", "store: gone", "store: ledger_append",
	} {
		require.Positive(t, failed[kind], "nothing of the kind %q failed: play more schedules", kind)
	}
}
