package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/directory"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/journal"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// NewAuditor makes an auditor of the deployment. confirmations is the rule by which blocks are final: the one the
// relayers have, or a stricter one; 0 is the chain's finalized tag.
func NewAuditor(ctx context.Context, js jetstream.JetStream, s *stream.Stream, c *chain.Client, confirmations uint64) (*index.Auditor, error) {
	journals, err := journal.Open(ctx, js)
	if err != nil {
		return nil, err
	}
	d := s.Deployment()
	return &index.Auditor{
		Deployment: indexed(d), Chain: events{c, d.Contract, confirmations},
		Source: archive{s}, Lanes: settled{journals, d.Lanes},
	}, nil
}

// newFollower makes the follower of the contract's events. tracked is the chain that the process follows.
func newFollower(
	ctx context.Context, js jetstream.JetStream, d stream.Deployment, tracked index.Heads, c *chain.Client, s *RelayerSettings,
	log *slog.Logger, metrics prometheus.Registerer,
) (*index.Follower, error) {
	records, err := directory.Open(ctx, js)
	if err != nil {
		return nil, err
	}
	return &index.Follower{
		Deployment: indexed(d), Chain: events{c, d.Contract, s.Confirmations}, Heads: tracked, Blocks: c, Directory: records,
		Moved: func(err error) bool { return errors.Is(err, directory.ErrMoved) },
		Skip:  func(err error) bool { return errors.Is(err, directory.ErrTooBig) },
		Poll:  s.PollInterval, Log: log, Metrics: metrics,
	}, nil
}

func indexed(d stream.Deployment) index.Deployment {
	return index.Deployment{ChainID: d.ChainID, Contract: d.Contract, Block: d.DeployBlock}
}

// events is the chain, seen from the contract, in the index's words.
type events struct {
	chain         *chain.Client
	contract      common.Address
	confirmations uint64 // of a final block, its own included; 0: the chain's finalized tag
}

func indexBlock(b evidence.Block) index.Block {
	return index.Block{Number: b.Number, Hash: b.Hash, Time: b.Time}
}

// Head is the newest block.
func (e events) Head(ctx context.Context) (index.Block, error) {
	b, err := e.chain.Head(ctx)
	return indexBlock(b), err
}

// Final is the newest final block.
func (e events) Final(ctx context.Context) (index.Block, error) {
	b, err := e.chain.FinalBlock(ctx, e.confirmations)
	return indexBlock(b), err
}

// BlockByNumber is the canonical block of that height.
func (e events) BlockByNumber(ctx context.Context, number uint64) (index.Block, error) {
	b, err := e.chain.BlockByNumber(ctx, number)
	return indexBlock(b), err
}

// Logs hands the contract's logs to fn, a range of blocks at a time.
func (e events) Logs(ctx context.Context, topics []common.Hash, from, to uint64, fn func(index.Block, []types.Log) error) error {
	return e.chain.Logs(ctx, e.contract, topics, from, to, func(through evidence.Block, logs []types.Log) error {
		return fn(indexBlock(through), logs)
	})
}

// View calls the contract on the state of a block.
func (e events) View(ctx context.Context, data []byte, at common.Hash) ([]byte, error) {
	return e.chain.Call(ctx, lane.Call{To: e.contract, Data: data}, at)
}

// archive is the stream in the index's words.
type archive struct{ stream *stream.Stream }

// ReadAll hands every message that the stream holds now to fn.
func (a archive) ReadAll(ctx context.Context, fn func(score.Lane, index.Record) error) error {
	return a.stream.ReadAll(ctx, func(id score.Lane, r stream.Record) error {
		return fn(id, index.Record{Seq: r.Seq, Updates: r.Updates, Signed: r.Signed, Project: r.Project, Corrupt: r.Corrupt})
	})
}

// DeadLetters hands every dead letter there is now to fn.
func (a archive) DeadLetters(ctx context.Context, fn func(index.DeadLetter) error) error {
	return a.stream.DeadLetters(ctx, func(d stream.DeadLetter) error {
		return fn(index.DeadLetter{
			Seq: d.Seq, Until: d.Until, Outcome: d.Outcome, Update: d.Update, Signed: d.Signed, Project: d.Project, Tx: d.Tx,
			Replayed: !d.Replayed.IsZero(),
		})
	})
}

// settled reads from the journals how far the lanes are.
type settled struct {
	journal *journal.Journal
	lanes   int
}

// Settled is for each lane the position before which everything is settled.
func (s settled) Settled(ctx context.Context) ([]score.Cursor, error) {
	cursors := make([]score.Cursor, s.lanes)
	err := s.states(ctx, func(i int, state *lane.State) { cursors[i] = state.Settled() })
	return cursors, err
}

// Block is the newest block of the chain that a lane has settled a slot in; 0 when none has.
func (s settled) Block(ctx context.Context) (newest uint64, err error) {
	err = s.states(ctx, func(_ int, state *lane.State) {
		if n := len(state.Past); n > 0 {
			newest = max(newest, state.Past[n-1].Block.Number)
		}
	})
	return newest, err
}

// states hands the state of every lane to fn.
func (s settled) states(ctx context.Context, fn func(i int, state *lane.State)) error {
	for i := range s.lanes {
		var folder lane.Folder
		if _, err := s.journal.Load(ctx, score.Lane(i), folder.Add); err != nil {
			return err
		}
		state, err := folder.State()
		if err != nil {
			return fmt.Errorf("couldn't make sense of the journal of lane %d: %w", i, err)
		}
		fn(i, state)
	}
	return nil
}
