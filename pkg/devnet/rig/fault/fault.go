// Package fault has writes of tests fail in both ways in which a write to another system fails: nothing was stored, or it
// was stored and the answer was lost.
package fault

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
)

// Err is the error of every injected fault.
var Err = errors.New("injected fault")

// Kind is how a write fails.
type Kind int

// The kinds of faults. None lets a write through.
const (
	None      Kind = iota
	Failed         // nothing is stored
	Persisted      // it is stored, and the answer is lost
)

func (k Kind) String() string {
	return [...]string{"none", "failed", "failed but persisted"}[k]
}

// Each runs a parallel subtest for each way in which a write fails.
func Each(t *testing.T, run func(t *testing.T, kind Kind)) {
	t.Helper()
	for _, kind := range []Kind{Failed, Persisted} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			run(t, kind)
		})
	}
}

// Crash is one of the cases of AtEachWrite: a write fails in one of the ways, and then the same process tries again, or
// another one begins.
type Crash struct {
	*Plan // of the process's writes; its rule is set

	Write   int // that fails, counted from 1
	Kind    Kind
	Another bool // process continues
}

func (c Crash) String() string {
	return fmt.Sprintf("write %d %s, another process: %t", c.Write, c.Kind, c.Another)
}

// AtEachWrite runs what writes by a crash's plan with its first write failing, with its second, and so on, in both ways, until no
// run comes to the write that should fail. The same process continues after half of the runs, and another one after the others; after
// each of them where long.Runs. There must be more than so many writes.
func AtEachWrite(t testing.TB, moreThan int, run func(Crash)) {
	t.Helper()
	for n := 1; ; n++ {
		failed := false
		for _, kind := range []Kind{Failed, Persisted} {
			for _, another := range []bool{false, true} {
				if !long.Runs() && another != ((n+int(kind))%2 == 0) {
					continue
				}
				c := Crash{NewPlan(Nth(n, kind)), n, kind, another}
				run(c)
				failed = failed || c.failed.Load()
			}
		}
		if !failed {
			if n-1 <= moreThan {
				t.Fatalf("there are %d writes only", n-1)
			}
			return
		}
	}
}

// Plan decides which writes fail. The zero value lets all of them through. It is safe for concurrent use.
type Plan struct {
	mu       sync.Mutex
	writes   int
	failures int
	failed   atomic.Bool // ever, also before the rule was set
	rule     Rule
	before   map[int]func()
	after    func()
}

// Rule returns how the n-th write since it was set fails, counted from 1. write is its name.
type Rule func(write string, n int) Kind

// Nth fails the n-th write.
func Nth(n int, kind Kind) Rule {
	return func(_ string, is int) Kind { return kind.when(is == n) }
}

// First fails the first n writes.
func First(n int, kind Kind) Rule {
	return func(_ string, is int) Kind { return kind.when(is <= n) }
}

// Random fails one write in so many, either way, and not more than so many of them.
func Random(rng *rand.Rand, oneIn, most int) Rule {
	return func(string, int) Kind {
		if most == 0 || rng.IntN(oneIn) > 0 {
			return None
		}
		most--
		return Kind(1 + rng.IntN(2))
	}
}

// Of applies a rule to the writes of a name, which it counts by themselves.
func Of(name string, rule Rule) Rule {
	n := 0
	return func(write string, _ int) Kind {
		if write != name {
			return None
		}
		n++
		return rule(write, n)
	}
}

// Always fails all writes.
func Always(kind Kind) Rule {
	return func(string, int) Kind { return kind }
}

func (k Kind) when(fails bool) Kind {
	if fails {
		return k
	}
	return None
}

// NewPlan returns a plan with a rule.
func NewPlan(rule Rule) *Plan { return &Plan{rule: rule} }

// Set replaces the rule, and counts writes from 1 again. nil lets all writes through.
func (p *Plan) Set(rule Rule) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rule, p.writes, p.failures, p.before = rule, 0, 0, nil
}

// Before has fn run before the n-th write from now on, counted from 1, unless Set comes first: what happens elsewhere meanwhile.
func (p *Plan) Before(n int, fn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.before == nil {
		p.before = map[int]func(){}
	}
	p.before[p.writes+n] = fn
}

// After has fn run after each write that fails, before its error is returned: what happens elsewhere meanwhile.
func (p *Plan) After(fn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.after = fn
}

// Writes returns the number of writes since the rule was set.
func (p *Plan) Writes() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.writes
}

// Failures returns how many writes failed since the rule was set.
func (p *Plan) Failures() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failures
}

// Write does a write, or fails it with Err. A write that should be stored, and is refused, returns its own error.
func (p *Plan) Write(name string, do func() error) error {
	p.mu.Lock()
	p.writes++
	kind := None
	if p.rule != nil {
		kind = p.rule(name, p.writes)
	}
	if kind != None {
		p.failures++
		p.failed.Store(true)
	}
	before, after := p.before[p.writes], p.after
	p.mu.Unlock() // the write, and what a test does in it, may use the plan
	if before != nil {
		before()
	}
	if kind == None {
		return do()
	}
	if kind == Persisted {
		if err := do(); err != nil {
			return err
		}
	}
	if after != nil {
		after()
	}
	return fmt.Errorf("%w: %s", Err, name)
}

// Value is Write for a write that returns a value. A write that fails returns the zero value.
func Value[T any](p *Plan, name string, do func() (T, error)) (value T, err error) {
	err = p.Write(name, func() (err error) {
		value, err = do()
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return value, nil
}

// KeyValue is a bucket of JetStream whose creates and updates follow a plan.
type KeyValue struct {
	jetstream.KeyValue
	*Plan
}

// Create is the bucket's Create, if the plan lets it through.
func (k KeyValue) Create(ctx context.Context, key string, value []byte, opts ...jetstream.KVCreateOpt) (uint64, error) {
	return Value(k.Plan, "create", func() (uint64, error) { return k.KeyValue.Create(ctx, key, value, opts...) })
}

// Update is the bucket's Update, if the plan lets it through.
func (k KeyValue) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	return Value(k.Plan, "update", func() (uint64, error) { return k.KeyValue.Update(ctx, key, value, revision) })
}
