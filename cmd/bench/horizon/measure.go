package horizon

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// Figures are a cell's, in gas per update except Planning.
type Figures struct {
	FIFO     float64 `json:"fifo"`
	Horizon  float64 `json:"horizon"`
	Bound    float64 `json:"bound"`
	Planning float64 `json:"planning_us"` // CPU to choose 1,000 updates, µs
}

const gasPerSecond = 30_000_000

var errCount = errors.New("a lane lost updates")

func (c *cell) measure(n int) (f Figures, err error) {
	t := newTraffic(*c)
	m, err := newMachine()
	if err != nil {
		return f, err
	}
	for i := range c.projects {
		p := c.project(i)
		if _, err := m.send(&m.contract, registry.EncodeCreateProject(p), registry.Osaka().CreateProject(p)); err != nil {
			return f, fmt.Errorf("couldn't create a project: %w", err)
		}
	}
	if _, err := m.fifo(t.first()); err != nil {
		return f, fmt.Errorf("couldn't give wallets scores: %w", err)
	}
	updates := t.next(n)
	fifo, err := m.fork().fifo(updates)
	if err != nil {
		return f, fmt.Errorf("first in, first out: %w", err)
	}
	if f.Planning, err = planning(updates); err != nil {
		return f, err
	}
	chosen, err := choose(updates, m.applyChoice)
	if err != nil {
		return f, fmt.Errorf("from a horizon: %w", err)
	}
	f.FIFO, f.Horizon = float64(fifo)/float64(n), float64(chosen)/float64(n)
	f.Bound = t.bound(updates, batch.DefaultHorizon().Updates, batch.DefaultLimits().MaxUpdates)
	return f, nil
}

func (m *machine) fifo(updates []score.Update) (total uint64, err error) {
	model := registry.Osaka().Batch
	builder, err := batch.NewBuilder(model, batch.DefaultLimits())
	if err != nil {
		return 0, fmt.Errorf("couldn't make batches: %w", err)
	}
	for len(updates) > 0 {
		builder.Reset()
		for len(updates) > 0 && builder.Add(updates[0]) {
			updates = updates[1:]
		}
		b := builder.Build()
		used, err := m.apply(b, model.Gas(b))
		if err != nil {
			return 0, err
		}
		total += used
	}
	return total, nil
}

// planning returns the CPU time of choosing, in µs per 1,000 updates: the median of several runs.
func planning(updates []score.Update) (us float64, err error) {
	const times = 5
	var took []float64
	for range times {
		runtime.GC() // excludes earlier garbage
		before, err := cpu()
		if err != nil {
			return 0, err
		}
		if _, err := choose(updates, func(c *batch.Choice) (uint64, error) { return c.Gas / 2, nil }); err != nil {
			return 0, err
		}
		after, err := cpu()
		if err != nil {
			return 0, err
		}
		took = append(took, float64((after-before).Microseconds())*1000/float64(len(updates)))
	}
	slices.Sort(took)
	return took[times/2], nil
}

func cpu() (time.Duration, error) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0, fmt.Errorf("couldn't read the CPU time of this process: %w", err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), nil
}

func (m *machine) applyChoice(c *batch.Choice) (used uint64, err error) {
	return m.apply(c.Batch, c.Gas)
}

// choose assigns the updates as a lane does, with apply, and returns the gas used. It fails if an update is never
// assigned.
func choose(updates []score.Update, apply func(*batch.Choice) (used uint64, err error)) (total uint64, err error) {
	model := registry.Osaka().Batch
	model.Known = batch.NewKnown()
	h, err := batch.NewHorizon(model, batch.DefaultLimits(), batch.DefaultHorizon())
	if err != nil {
		return 0, fmt.Errorf("couldn't make a horizon: %w", err)
	}
	now := time.Unix(1_800_000_000, 0)
	for added, bound := 0, 0; bound < len(updates); {
		for ; added < len(updates) && h.Room() > 0; added++ {
			h.Add(batch.Waiting{
				Unit: score.Unit{Updates: updates[added : added+1]}, At: score.Position{Seq: uint64(added + 1)}, Came: now,
			})
		}
		choice, ok := h.Next(now)
		if !ok {
			due, some := h.Due()
			if !some || !due.After(now) {
				return 0, fmt.Errorf("%w: %d of %d are bound", errCount, bound, len(updates))
			}
			now = due
			continue
		}
		used, err := apply(&choice)
		if err != nil {
			return 0, err
		}
		h.Bound()
		model.Known.Learn(choice.Batch, make([]score.Outcome, choice.Batch.Len())) // all applied
		bound += choice.Batch.Len()
		total += used
		now = now.Add(time.Duration(used) * time.Second / gasPerSecond)
	}
	return total, nil
}
