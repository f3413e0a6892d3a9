package httpapi_test

import (
	"bytes"
	"context"
	"math/big"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// directory is a set of final projects.
type directory struct{ records sync.Map }

func (d *directory) Project(id score.ProjectID) (*score.Record, bool) {
	rec, ok := d.records.Load(id)
	if !ok {
		return nil, false
	}
	return rec.(*score.Record), true
}

func (d *directory) After(id *score.ProjectID, most int) []*score.Record {
	var after []*score.Record
	d.records.Range(func(key, rec any) bool {
		if each := key.(score.ProjectID); id == nil || bytes.Compare(each[:], id[:]) > 0 {
			after = append(after, rec.(*score.Record))
		}
		return true
	})
	slices.SortFunc(after, func(a, b *score.Record) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return after[:min(len(after), most)]
}

// faultyPublisher is the real stream, whose publishes fail by a plan.
type faultyPublisher struct {
	*stream.Stream
	fault.Plan
	alone bool                         // only injected faults fail: the stream answers after the caller's patience if it must
	meets atomic.Pointer[func() error] // what a publish meets before it is stored, or not by its error
}

func (p *faultyPublisher) PublishEnvelope(
	ctx context.Context, msgID string, updates []score.Update, signed []score.Signed, traces ...score.Traced,
) error {
	return p.with(ctx, func(ctx context.Context) error {
		return p.Stream.PublishEnvelope(ctx, msgID, updates, signed, traces...)
	})
}

func (p *faultyPublisher) PublishProject(ctx context.Context, msgID string, project *score.Project, replaces uint64, traces ...score.Traced) error {
	return p.with(ctx, func(ctx context.Context) error {
		return p.Stream.PublishProject(ctx, msgID, project, replaces, traces...)
	})
}

func (p *faultyPublisher) PublishEdit(ctx context.Context, msgID string, e *score.SignedEdit, traces ...score.Traced) error {
	return p.with(ctx, func(ctx context.Context) error { return p.Stream.PublishEdit(ctx, msgID, e, traces...) })
}

func (p *faultyPublisher) with(ctx context.Context, publish func(context.Context) error) error {
	if p.alone {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
	}
	return p.Write("publish", func() error {
		if meets := p.meets.Load(); meets != nil {
			if err := (*meets)(); err != nil {
				return err
			}
		}
		return publish(ctx)
	})
}

// meet has publishes meet something from now on.
func (p *faultyPublisher) meet(what func() error) { p.meets.Store(&what) }

// refuse has publishes fail with an error; nil: no more.
func (p *faultyPublisher) refuse(err error) { p.meet(func() error { return err }) }

// hold has the next publish wait for release, and those behind it with it; held is closed when it does.
func (p *faultyPublisher) hold() (held <-chan struct{}, release func()) {
	waits, let := make(chan struct{}), make(chan struct{})
	var once sync.Once
	p.meet(func() error {
		once.Do(func() { close(waits); <-let })
		return nil
	})
	return waits, func() { close(let) }
}

// faultyChain reads the real contract on the real chain, or fails on request.
type faultyChain struct {
	down  atomic.Bool
	mute  atomic.Bool   // Used does not answer before its context ends
	asked atomic.Int64  // calls of Used
	final atomic.Uint64 // block

	behind atomic.Uint64 // edits of a project that are not final
}

func (c *faultyChain) call(ctx context.Context, data []byte) ([]byte, error) {
	if c.down.Load() {
		return nil, fault.Err
	}
	return shared.chain.Client().CallContract(ctx, ethereum.CallMsg{To: &shared.contract, Data: data}, nil)
}

func (c *faultyChain) ProjectExists(ctx context.Context, project score.ProjectID) (bool, error) {
	info, err := registry.ReadProject(project).Do(ctx, c.call)
	return info.Exists(), err
}

func (c *faultyChain) NextEdit(ctx context.Context, project score.ProjectID) (newest, final uint64, err error) {
	info, err := registry.ReadProject(project).Do(ctx, c.call)
	return info.EditNonce, info.EditNonce - min(info.EditNonce, c.behind.Load()), err
}

func (c *faultyChain) Used(ctx context.Context, project score.ProjectID, updates []score.UpdateID) ([]bool, error) {
	c.asked.Add(1)
	if c.mute.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return registry.ReadUsed(project, updates).Do(ctx, c.call)
}

func (c *faultyChain) Scores(ctx context.Context, project score.ProjectID, wallet common.Address) ([]int64, uint64, error) {
	scores, err := registry.ReadWalletScores(project, wallet).Do(ctx, c.call)
	if err != nil {
		return nil, 0, err
	}
	block, err := shared.chain.Client().BlockNumber(ctx)
	return scores, block, err
}

func (c *faultyChain) Carrier(ctx context.Context, tx common.Hash, project score.ProjectID, update score.UpdateID) (*score.Carrier, error) {
	told, _, err := shared.chain.Client().TransactionByHash(ctx, tx)
	if c.down.Load() || err != nil {
		return nil, fault.Err
	}
	return registry.CarrierOf(told, shared.contract, project, update), nil
}

func (c *faultyChain) Extent(ctx context.Context) (score.Extent, error) {
	if c.down.Load() {
		return score.Extent{}, fault.Err
	}
	head, err := shared.chain.Client().BlockNumber(ctx)
	return score.Extent{First: 1, Final: c.final.Load(), Head: head}, err
}

func (c *faultyChain) History(
	ctx context.Context, project score.ProjectID, wallet common.Address, from, to uint64, _ score.Extent, fn func(uint64, []score.Execution) bool,
) error {
	logs, err := shared.chain.Client().FilterLogs(ctx, ethereum.FilterQuery{
		FromBlock: new(big.Int).SetUint64(from), ToBlock: new(big.Int).SetUint64(to), Addresses: []common.Address{shared.contract}, Topics: [][]common.Hash{registry.UpdateTopics()},
	})
	if err != nil {
		return err
	}
	var found []score.Execution
	for i := range logs {
		event, err := registry.ParseLog(&logs[i])
		if err != nil {
			return err
		}
		for _, e := range registry.ExecutedOf(event, project) {
			if e.Target == wallet {
				e.Tx, e.Block, e.Time = logs[i].TxHash, logs[i].BlockNumber, time.Unix(int64(logs[i].BlockTimestamp), 0)
				found = append(found, e)
			}
		}
	}
	slices.Reverse(found)
	fn(from, found)
	return nil
}

func (c *faultyChain) HasCode(ctx context.Context, address common.Address) (bool, error) {
	if c.down.Load() {
		return false, fault.Err
	}
	code, err := shared.chain.Client().CodeAt(ctx, address, nil)
	return len(code) > 0, err
}

func (c *faultyChain) Call(ctx context.Context, to common.Address, data []byte) ([]byte, error) {
	return shared.chain.Client().CallContract(ctx, ethereum.CallMsg{To: &to, Data: data}, nil)
}

// backlog is what waits of every project.
type backlog score.Backlog

func (b backlog) Of(score.ProjectID) score.Backlog { return score.Backlog(b) }
