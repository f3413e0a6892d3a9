// Package fault makes writes fail before they are stored, or after, with the response lost.
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

// Err is the cause of every injected fault.
var Err = errors.New("injected fault")

type Kind int

const (
	None      Kind = iota
	Failed         // not stored
	Persisted      // stored; response lost
)

func (k Kind) String() string {
	return [...]string{"none", "failed", "failed but persisted"}[k]
}

func Each(t *testing.T, run func(t *testing.T, kind Kind)) {
	t.Helper()
	for _, kind := range []Kind{Failed, Persisted} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			run(t, kind)
		})
	}
}

// Crash is a case of AtEachWrite: one write fails, then the same process retries or another one takes over.
type Crash struct {
	*Plan

	Write   int // that fails, counted from 1
	Kind    Kind
	Another bool // another process continues, instead of the same one
}

func (c Crash) String() string {
	return fmt.Sprintf("write %d %s, another process: %t", c.Write, c.Kind, c.Another)
}

// AtEachWrite calls run with each write failing in turn, with each kind, until a run ends before that write. The same
// process and another one continue alternately; with long.Runs, run is called for both. The test fails unless there
// are more than moreThan writes.
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

// Plan decides which writes fail; none by default. It is safe for concurrent use.
type Plan struct {
	mu       sync.Mutex
	writes   int
	failures int
	failed   atomic.Bool // whether a write ever failed, also before the rule was set
	rule     Rule
	before   map[int]func()
	after    func()
}

// Rule returns how a write fails. n counts writes since the rule was set, from 1.
type Rule func(write string, n int) Kind

func Nth(n int, kind Kind) Rule {
	return func(_ string, is int) Kind { return kind.when(is == n) }
}

func First(n int, kind Kind) Rule {
	return func(_ string, is int) Kind { return kind.when(is <= n) }
}

// Random fails one write in oneIn on average, with either kind, until most have failed.
func Random(rng *rand.Rand, oneIn, most int) Rule {
	return func(string, int) Kind {
		if most == 0 || rng.IntN(oneIn) > 0 {
			return None
		}
		most--
		return Kind(1 + rng.IntN(2))
	}
}

// Of applies a rule to the writes with a name, and counts only these.
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

func Always(kind Kind) Rule {
	return func(string, int) Kind { return kind }
}

func (k Kind) when(fails bool) Kind {
	if fails {
		return k
	}
	return None
}

func NewPlan(rule Rule) *Plan { return &Plan{rule: rule} }

// Set replaces the rule and resets the counts. nil lets all writes through.
func (p *Plan) Set(rule Rule) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rule, p.writes, p.failures, p.before = rule, 0, 0, nil
}

// Before calls fn before the n-th write from now on (from 1). Set cancels it.
func (p *Plan) Before(n int, fn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.before == nil {
		p.before = map[int]func(){}
	}
	p.before[p.writes+n] = fn
}

// After calls fn after each failed write, before Write returns.
func (p *Plan) After(fn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.after = fn
}

func (p *Plan) Writes() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.writes
}

func (p *Plan) Failures() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failures
}

// Write calls do unless the write's kind is Failed. If the kind is Failed or Persisted, it returns Err, or do's error
// if do fails.
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
	p.mu.Unlock() // do and callbacks may use the plan
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

// Value is Write for a write that returns a value. The value is zero if the write fails.
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

// JetStream opens buckets whose conditional writes follow the plan.
type JetStream struct {
	jetstream.JetStream
	*Plan
}

func (j JetStream) KeyValue(ctx context.Context, name string) (jetstream.KeyValue, error) {
	bucket, err := j.JetStream.KeyValue(ctx, name)
	return keyValue{bucket, j.Plan}, err
}

type keyValue struct {
	jetstream.KeyValue
	*Plan
}

func (k keyValue) Create(ctx context.Context, key string, value []byte, opts ...jetstream.KVCreateOpt) (uint64, error) {
	return Value(k.Plan, "create", func() (uint64, error) { return k.KeyValue.Create(ctx, key, value, opts...) })
}

func (k keyValue) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	return Value(k.Plan, "update", func() (uint64, error) { return k.KeyValue.Update(ctx, key, value, revision) })
}
