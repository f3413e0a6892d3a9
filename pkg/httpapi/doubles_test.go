package httpapi_test

import (
	"bytes"
	"context"
	"errors"
	"math/big"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"

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

// faultyPublisher is the real stream, with faults on request.
type faultyPublisher struct {
	stream *stream.Stream
	alone  bool                         // only injected faults fail: the stream answers after the caller's patience if it must
	before atomic.Pointer[func() error] // an error: the publish fails and nothing is stored
	after  atomic.Pointer[func() error] // an error: the publish fails although it was stored
	calls  atomic.Int64
}

func (p *faultyPublisher) PublishEnvelope(
	ctx context.Context, msgID string, updates []score.Update, signed []score.Signed, traces ...score.Traced,
) error {
	return p.with(ctx, func(ctx context.Context) error {
		return p.stream.PublishEnvelope(ctx, msgID, updates, signed, traces...)
	})
}

func (p *faultyPublisher) PublishProject(ctx context.Context, msgID string, project *score.Project, replaces uint64, traces ...score.Traced) error {
	return p.with(ctx, func(ctx context.Context) error {
		return p.stream.PublishProject(ctx, msgID, project, replaces, traces...)
	})
}

func (p *faultyPublisher) PublishEdit(ctx context.Context, msgID string, e *score.SignedEdit, traces ...score.Traced) error {
	return p.with(ctx, func(ctx context.Context) error { return p.stream.PublishEdit(ctx, msgID, e, traces...) })
}

func (p *faultyPublisher) Edit(ctx context.Context, ref score.Ref) (*score.SignedEdit, *score.DeadLetter, error) {
	return p.stream.Edit(ctx, ref)
}

func (p *faultyPublisher) with(ctx context.Context, publish func(context.Context) error) error {
	p.calls.Add(1)
	if p.alone {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
	}
	if before := p.before.Load(); before != nil {
		if err := (*before)(); err != nil {
			return err
		}
	}
	if err := publish(ctx); err != nil {
		return err
	}
	if after := p.after.Load(); after != nil {
		return (*after)()
	}
	return nil
}

// always is a fault that happens every time; times one that happens n times.
func always(err error) *func() error {
	f := func() error { return err }
	return &f
}

func times(n int64, err error) *func() error {
	var count atomic.Int64
	f := func() error {
		if count.Add(1) <= n {
			return err
		}
		return nil
	}
	return &f
}

var errFault = errors.New("injected fault")

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
		return nil, errFault
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
		return nil, errFault
	}
	return registry.CarrierOf(told, shared.contract, project, update), nil
}

func (c *faultyChain) Extent(ctx context.Context) (score.Extent, error) {
	if c.down.Load() {
		return score.Extent{}, errFault
	}
	head, err := shared.chain.Client().BlockNumber(ctx)
	return score.Extent{First: 1, Final: c.final.Load(), Head: head}, err
}

func (c *faultyChain) History(
	ctx context.Context, project score.ProjectID, wallet common.Address, from, to uint64, _ score.Extent, fn func(uint64, []score.Execution) bool,
) error {
	for block := to; block >= from; block-- {
		number := new(big.Int).SetUint64(block)
		logs, err := shared.chain.Client().FilterLogs(ctx, ethereum.FilterQuery{
			FromBlock: number, ToBlock: number, Addresses: []common.Address{shared.contract}, Topics: [][]common.Hash{registry.UpdateTopics()},
		})
		if err != nil {
			return err
		}
		header, err := shared.chain.Client().HeaderByNumber(ctx, number)
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
					e.Tx, e.Block, e.Time = logs[i].TxHash, block, time.Unix(int64(header.Time), 0)
					found = append(found, e)
				}
			}
		}
		slices.Reverse(found)
		if !fn(block, found) {
			return nil
		}
	}
	return nil
}

func (c *faultyChain) HasCode(ctx context.Context, address common.Address) (bool, error) {
	if c.down.Load() {
		return false, errFault
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
