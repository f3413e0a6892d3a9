package index

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

var (
	// ErrReset says that the chain no longer holds the block up to which the directory was written: it was started anew,
	// or is another chain with the same id.
	ErrReset = errors.New("the chain was reset")
	// ErrOtherDeployment says that the directory was written for another contract or chain.
	ErrOtherDeployment = errors.New("the project directory belongs to another deployment")
)

// DefaultPoll is how often the Follower looks for a new final block.
const DefaultPoll = time.Second

// Follower writes the project directory from the contract's final events.
type Follower struct {
	Deployment Deployment
	Chain      Chain
	Directory  Directory
	// Skip tells whether an error of Directory.Put concerns only that one project, such as a document too large to store.
	// It is logged, the document stays as it was, and the others go on. nil means that none does.
	Skip func(error) bool
	Poll time.Duration // 0 means DefaultPoll
	Log  *slog.Logger
}

// Run follows until ctx ends. What fails is tried again; ErrReset and ErrOtherDeployment, which no repetition cures, end
// it. The context's end is no error.
func (f *Follower) Run(ctx context.Context) error {
	poll := f.Poll
	if poll == 0 {
		poll = DefaultPoll
	}
	for ctx.Err() == nil {
		err := f.CatchUp(ctx)
		switch {
		case errors.Is(err, ErrReset) || errors.Is(err, ErrOtherDeployment):
			return err
		case err != nil && ctx.Err() == nil:
			f.Log.Warn("couldn't follow the contract's events; trying again", "err", err)
		}
		pause(ctx, poll)
	}
	return nil
}

// CatchUp brings the directory up to the newest final block. It may end anywhere: the next call goes on.
func (f *Follower) CatchUp(ctx context.Context) error {
	final, err := f.Chain.Final(ctx)
	if errors.Is(err, ethereum.NotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("couldn't read the final block: %w", err)
	}
	from, err := f.resume(ctx)
	if err != nil {
		return err
	}
	if final.Number < from {
		return nil
	}
	return f.Chain.Logs(ctx, registry.ProjectTopics(), from, final.Number, func(through Block, logs []types.Log) error {
		if err := f.fold(ctx, logs); err != nil {
			return err
		}
		// After the records it covers: a crash in between repeats events that the records' positions recognise.
		return f.Directory.SetCheckpoint(ctx, f.Deployment.ChainID, f.Deployment.Contract, through.Number, through.Hash)
	})
}

// resume finds the first block to read, and checks that the chain is the one the directory was written from.
func (f *Follower) resume(ctx context.Context) (uint64, error) {
	chainID, contract, number, hash, ok, err := f.Directory.Checkpoint(ctx)
	if err != nil {
		return 0, err
	}
	if !ok {
		return f.Deployment.Block, nil
	}
	if chainID != f.Deployment.ChainID || contract != f.Deployment.Contract {
		return 0, fmt.Errorf("%w: contract %s on chain %d, not %s on chain %d; empty the bucket, or use another NATS account",
			ErrOtherDeployment, contract, chainID, f.Deployment.Contract, f.Deployment.ChainID)
	}
	block, err := f.Chain.BlockByNumber(ctx, number)
	if errors.Is(err, ethereum.NotFound) {
		return 0, fmt.Errorf("the chain has no block %d yet, up to which the directory was written: its nodes are behind, or it was reset", number)
	}
	if err != nil {
		return 0, fmt.Errorf("couldn't read block %d: %w", number, err)
	}
	if block.Hash != hash {
		return 0, fmt.Errorf("%w: block %d was %s when the directory was written and is %s now; nothing here fits that chain, set up a new deployment",
			ErrReset, number, hash, block.Hash)
	}
	return number + 1, nil
}

// fold brings the events of a range into the records they concern.
func (f *Follower) fold(ctx context.Context, logs []types.Log) error {
	changed := map[score.ProjectID]*projectAt{}
	for i := range logs {
		event, err := registry.ParseLog(&logs[i])
		if err != nil {
			return err
		}
		id, ok := projectOf(event)
		if !ok {
			continue
		}
		p := changed[id]
		if p == nil {
			p = &projectAt{}
			if p.record, p.block, p.logIndex, err = f.Directory.Project(ctx, id); err != nil {
				return err
			}
			changed[id] = p
		}
		if err := p.apply(event, logs[i].BlockNumber, logs[i].Index); err != nil {
			f.Log.Error("an event does not follow from the directory's record of its project; leaving the record as it is",
				"project", id, "block", logs[i].BlockNumber, "err", err)
		}
	}
	for id, p := range changed {
		if !p.dirty {
			continue
		}
		err := f.Directory.Put(ctx, p.record, p.block, p.logIndex)
		if err != nil && f.Skip != nil && f.Skip(err) {
			f.Log.Error("couldn't store a project's record; it stays as it was, so newer members and actions are not known to the API",
				"project", id, "block", p.block, "err", err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}
