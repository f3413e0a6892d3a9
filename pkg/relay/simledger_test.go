package relay

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/devnet/rig/model"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// simLedger is the stream of final facts, as NATS keeps it.
type simLedger struct {
	now func() time.Time
	// fault, if it is there, is told of each call, as simSource's.
	fault   func(what string) (before, after error)
	entries []stream.Entry // without a gap
	last    uint64         // sequence of the newest that there ever was
}

func (l *simLedger) call(what string, do func()) error { return simCall(l.fault, what, do) }

func (l *simLedger) Append(_ context.Context, last uint64, data []byte) (seq uint64, err error) {
	refused := error(nil)
	err = l.call("ledger_append", func() {
		if last != l.last {
			refused = stream.ErrMoved
			return
		}
		l.last++
		l.entries = append(l.entries, stream.Entry{Seq: l.last, Stored: l.now(), Data: data})
		seq = l.last
	})
	return seq, errors.Join(refused, err)
}

func (l *simLedger) Bounds(context.Context) (first, last uint64, err error) {
	err = l.call("ledger_bounds", func() { first, last = l.last+1-uint64(len(l.entries)), l.last })
	return first, last, err
}

func (l *simLedger) At(_ context.Context, seq uint64) (e stream.Entry, err error) {
	gone := error(nil)
	err = l.call("ledger_at", func() {
		i := slices.IndexFunc(l.entries, func(e stream.Entry) bool { return e.Seq == seq })
		if i < 0 {
			gone = stream.ErrGone
			return
		}
		e = l.entries[i]
	})
	return e, errors.Join(gone, err)
}

func (l *simLedger) Read(_ context.Context, from uint64, fn func(stream.Entry) error) (err error) {
	for _, e := range slices.Clone(l.entries) {
		if e.Seq < from {
			continue
		}
		if err = fn(e); err != nil {
			break
		}
	}
	if errors.Is(err, stream.ErrStop) {
		err = nil
	}
	return err
}

func (l *simLedger) Since(_ context.Context, at time.Time) (seq uint64, err error) {
	err = l.call("ledger_since", func() {
		seq = l.last + 1
		if i := slices.IndexFunc(l.entries, func(e stream.Entry) bool { return !e.Stored.Before(at) }); i >= 0 {
			seq = l.entries[i].Seq
		}
	})
	return seq, err
}

// Follow ends where a real one waits.
func (l *simLedger) Follow(ctx context.Context, from uint64, fn func(stream.Entry) error) error {
	return errors.Join(l.Read(ctx, from, fn), errNoMore)
}

// purge has the ledger hold its newest messages only.
func (l *simLedger) purge(keep int) { l.entries = l.entries[max(0, len(l.entries)-keep):] }

// restore has NATS be an older copy, without the newest messages.
func (l *simLedger) restore(lost int) {
	lost = min(lost, len(l.entries))
	l.entries, l.last = l.entries[:len(l.entries)-lost], l.last-uint64(lost)
}

// simFacts is the chain as a ledger and its folds read it.
type simFacts struct {
	*model.Client
	r *simRun
}

func (c simFacts) Paid(_ context.Context, logs []types.Log) (map[common.Hash]evidence.Paid, error) {
	paid := map[common.Hash]evidence.Paid{}
	for i := range logs {
		paid[logs[i].TxHash] = evidence.Paid{Time: logs[i].BlockTimestamp, Gas: 1, Fee: big.NewInt(1)}
	}
	return paid, nil
}

// Head and FinalBlock no one asks.
func (c simFacts) Head(context.Context) (evidence.Block, error) { return evidence.Block{}, errSimAway }

func (c simFacts) FinalBlock(context.Context, uint64) (evidence.Block, error) {
	return evidence.Block{}, errSimAway
}

func (c simFacts) Call(ctx context.Context, msg evidence.Call, at common.Hash) ([]byte, error) {
	said, err := c.CallEach(ctx, msg, at)
	if err != nil {
		return nil, err
	}
	if said[0].Refusal != nil {
		return nil, said[0].Refusal
	}
	return said[0].Data, nil
}

// simFold is what a replica with the ledger's lease runs: the real writer, and the real fold of statuses, a step at a time.
type simFold struct {
	writer *ledger.Writer
	source *ledger.Source
	fold   ledger.Fold
	check  func(context.Context) error
	at     *ledger.Position // nil: it begins
	lost   bool
}

const simReads = 10_000 // of the ledger at once, at most

// over is a context that has ended: what waits returns instead.
var over = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

func (r *simRun) newFold(p *simReplica) *simFold {
	facts := simFacts{p.client, r}
	deployment := score.Deployment{Lanes: r.plan.lanes, ChainID: r.chain.ID, Contract: r.chain.Contract}
	log := p.relayer.deps.Log
	f := &simFold{
		writer: &ledger.Writer{
			Deployment: deployment, Heads: p.tracker, Chain: facts, Letters: r.source, Ledger: r.ledger, Log: log, Metrics: noRegistry{},
			Now: r.clock.Now, Sleep: func(context.Context, time.Duration) error { return nil },
		},
		source: &ledger.Source{Ledger: r.ledger, Chain: facts, Deployment: deployment, Log: log, Metrics: noRegistry{}},
	}
	statuses := &index.Statuses{
		Deployment: deployment, Ledger: f.source, Chain: facts, Source: r.source, Journals: p.journal, Store: r.statuses, Log: log,
		Lanes: func(context.Context) (int, error) { return int(r.ids()), nil },
	}
	f.fold, f.check = statuses, statuses.Check
	if r.plant == rewindLost {
		f.fold = simNoRewinds{statuses}
	}
	return f
}

// simNoRewinds is the bug of a fold that does not take back.
type simNoRewinds struct{ ledger.Fold }

func (f simNoRewinds) Apply(ctx context.Context, messages []*ledger.Message) error {
	some := slices.Clone(messages)
	for i, m := range some {
		if m.Kind == ledger.Rewind {
			nothing := *m
			nothing.Kind = ledger.Block
			some[i] = &nothing
		}
	}
	return f.Fold.Apply(ctx, some)
}

// step writes the ledger, and folds what is new, as ledger.RunFold does.
func (f *simFold) step(r *simRun) {
	if err := f.writer.CatchUp(over); err != nil {
		r.note("the ledger cannot be written: %v", err)
	}
	_ = f.source.Follow(over)
	err := f.some(r)
	if err == nil && f.at != nil {
		err = f.check(over)
	}
	if err != nil {
		r.note("the fold begins again: %v", err)
		f.at, f.lost = nil, errors.Is(err, ledger.ErrReplaced) || errors.Is(err, ledger.ErrAhead)
	}
}

func (f *simFold) some(r *simRun) error {
	if f.at == nil {
		at, err := f.fold.Begin(over, f.lost)
		if err != nil {
			return err
		}
		f.at, f.lost = &at, false
	}
	for n := 0; ; n++ {
		if n > simReads {
			r.fail("the fold reads on and on, at %s", f.at)
			return nil
		}
		messages, err := f.source.Next(over, *f.at)
		if errors.Is(err, context.Canceled) {
			return nil // there is nothing new
		}
		if err != nil {
			return err
		}
		if err := f.fold.Apply(over, messages); err != nil {
			return err
		}
		f.at = &messages[len(messages)-1].Position
	}
}

// followLedger gives the replica that has the ledger's lease a turn, or another one that thinks that it has it.
func (r *simRun) followLedger() {
	if r.plan.ledger && r.chance(5) {
		r.keeper = r.draw(len(r.replicas))
		r.did("ledger's lease moved")
	}
	p := r.replicas[r.keeper]
	if r.plan.ledger && r.chance(10) {
		p = r.anyReplica()
	}
	r.foldOn(p)
}

func (r *simRun) foldOn(p *simReplica) {
	if r.alive(p) {
		r.turn(p, func() { p.fold.step(r) })
	}
}

// loseLedger has an operator purge the ledger, or NATS lose its end.
func (r *simRun) loseLedger() {
	if r.chance(50) {
		r.did("ledger purged")
		r.ledger.purge(r.draw(4))
		return
	}
	r.did("ledger restored")
	r.ledger.restore(1 + r.draw(6))
}

// foldedAll reports whether all that is final is in the statuses.
func (r *simRun) foldedAll() bool {
	if !r.statuses.complete || len(r.ledger.entries) == 0 {
		return false
	}
	fold := r.replicas[r.keeper].fold
	end, err := fold.source.End(over)
	return err == nil && fold.at != nil && *fold.at == end.Position && end.Seq == r.ledger.last && end.Block.Number >= r.watch.settledBy &&
		end.Position.Letters == r.source.letterSeq
}

var (
	_ ledger.Store      = (*simLedger)(nil)
	_ ledger.Chain      = simFacts{}
	_ ledger.Letters    = (*simSource)(nil)
	_ index.Source      = (*simSource)(nil)
	_ index.StatusStore = (*simStatuses)(nil)
)
