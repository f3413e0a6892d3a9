package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// errDoubt says that an endpoint has another block than the checkpoint, below what can be proved. It is believed only when
// it stays so.
var errDoubt = errors.New("an endpoint has another block than the one up to which the project directory was written; " +
	"if that stays so, the directory is taken back")

// doubt is a state of things that is acted upon only after it lasted.
type doubt struct {
	about any
	since time.Time
}

// lasts tells whether the same was doubted for d.
func (o *doubt) lasts(about any, d time.Duration) bool {
	if o.about != about {
		o.about, o.since = about, time.Now()
	}
	return time.Since(o.since) >= d
}

// load reads the checkpoint, if it may be another than the one known.
func (f *Follower) load(ctx context.Context) error {
	if f.loaded {
		return nil
	}
	followed, revision, err := f.Directory.Followed(ctx)
	if err != nil {
		return err
	}
	d := f.Deployment
	if revision == 0 {
		followed = evidence.Followed{ChainID: d.ChainID, Contract: d.Contract}
	}
	if followed.ChainID != d.ChainID || followed.Contract != d.Contract {
		return fmt.Errorf("%w: contract %s on chain %d, not %s on chain %d; empty the KV bucket PROJECTS, or use another NATS account",
			ErrOtherDeployment, followed.Contract, followed.ChainID, d.Contract, d.ChainID)
	}
	if revision != f.revision {
		f.written = time.Now()
	}
	f.followed, f.revision, f.at, f.loaded = followed, revision, followed.At, true
	return nil
}

// move writes the checkpoint at f.at.
func (f *Follower) move(ctx context.Context) error {
	moved := f.followed
	switch {
	case moved.At != evidence.Ref{}:
		moved.Trail = moved.Trail.With(moved.At)
	case f.first != evidence.Ref{}:
		moved.Trail = evidence.Trail{f.first}
	}
	moved.At = f.at
	if moved.Ahead != nil && moved.Ahead.Number <= f.at.Number {
		moved.Ahead = nil
	}
	return f.store(ctx, moved)
}

// store writes the checkpoint.
func (f *Follower) store(ctx context.Context, next evidence.Followed) error {
	revision, err := f.Directory.SetFollowed(ctx, f.revision, next)
	if err != nil {
		return err
	}
	f.followed, f.revision, f.written = next, revision, time.Now()
	return nil
}

// branch makes sure that what is followed is the chain that the directory was written from; where it is not, it takes the
// directory back to a block that both have. ready says that the directory may be written from f.at on.
//
// A checkpoint is taken back by a writer whose own final block is as high as it, or higher. One whose chain is shorter may
// be the one that lags, so it waits until no other writer has moved the checkpoint for Patience.
func (f *Follower) branch(ctx context.Context, final evidence.Block) (ready bool, err error) {
	if err := f.load(ctx); err != nil {
		return false, err
	}
	if f.at != (evidence.Ref{}) && f.at.Number <= final.Number {
		if same, err := f.has(ctx, final, f.at, true); err != nil {
			return false, err
		} else if !same {
			f.at = f.followed.At // events since may be of the old chain, or gone with it
			return f.back(ctx, final)
		}
	}
	if f.at.Number > final.Number {
		return f.behind(ctx, final)
	}
	if ahead := f.followed.Ahead; ahead != nil {
		if ahead.Number > final.Number {
			return f.behind(ctx, final)
		}
		if same, err := f.has(ctx, final, *ahead, true); err != nil {
			return false, err
		} else if !same {
			return f.back(ctx, final)
		}
	}
	f.doubt = doubt{}
	return true, f.repairReplaced(ctx, final)
}

// behind waits: another writer was farther than this process's final block, or its chain was replaced by a shorter one.
func (f *Follower) behind(ctx context.Context, final evidence.Block) (ready bool, err error) {
	f.loaded = false // it may move
	known := f.known().Below(final.Number + 1)
	if !f.doubt.lasts(f.revision, f.Patience) || len(known) == 0 && f.followed.At != (evidence.Ref{}) {
		return false, nil
	}
	if f.at.Number > final.Number {
		if same, err := f.has(ctx, final, known[0], false); err != nil || same {
			return false, err
		}
	}
	return f.back(ctx, final)
}

// known are the blocks of the directory's chain, newest first.
func (f *Follower) known() evidence.Trail {
	if f.followed.At == (evidence.Ref{}) {
		return nil
	}
	return append(evidence.Trail{f.followed.At}, f.followed.Trail...)
}

// back takes the checkpoint back to the newest block of its trail that is in the chain, or to before the deployment. The
// records as of later blocks are made again from there.
func (f *Follower) back(ctx context.Context, final evidence.Block) (ready bool, err error) {
	next := f.followed
	next.At, next.Trail, next.Ahead, next.Suspect = evidence.Ref{}, nil, nil, true
	for trail := f.known().Below(final.Number + 1); len(trail) > 0; trail = trail[1:] {
		same, err := f.has(ctx, final, trail[0], false)
		if err != nil {
			return false, err
		}
		if same {
			next.At, next.Trail = trail[0], trail[1:]
			break
		}
	}
	was := f.followed
	if next.At == was.At && was.Ahead == nil { // what was replaced came after the checkpoint: no record knows of it
		return true, f.repairReplaced(ctx, final)
	}
	if err := f.store(ctx, next); err != nil {
		return false, err
	}
	f.at, f.doubt = next.At, doubt{}
	f.metrics.reorgs.Inc()
	f.Log.Error("final blocks that the project directory was written from are not in the chain any more: a reorg deeper than "+
		"finality, or another replica's endpoints follow another branch; following again from the last common block, "+
		"records of projects are made again",
		"was_block", was.At.Number, "was_hash", was.At.Hash, "announced", was.Ahead, "from_block", next.At.Number, "from_hash", next.At.Hash)
	return true, f.repairReplaced(ctx, final)
}

// has tells whether a block at or below the final one is in the chain. In the recent blocks that is proved, by links to the final
// block. Below it an endpoint's word must do; where it matters, a no must last for Poll times ten.
func (f *Follower) has(ctx context.Context, final evidence.Block, ref evidence.Ref, matters bool) (bool, error) {
	if ref.Number >= final.Number {
		return ref == final.Ref(), nil
	}
	if b, ok := f.Heads.Block(ref.Number); ok {
		return b.Hash == ref.Hash, nil
	}
	if final.Number-ref.Number < f.Recent {
		blocks, err := f.recent.chain(ctx, ref.Number+1, final)
		if err != nil {
			return false, err
		}
		return blocks[0].Parent == ref.Hash, nil
	}
	b, err := f.Chain.BlockByNumber(ctx, ref.Number)
	if err != nil {
		return false, fmt.Errorf("couldn't read block %d: %w", ref.Number, err)
	}
	if b.Hash != ref.Hash && matters && !f.doubt.lasts(ref, 10*f.Poll) {
		return false, fmt.Errorf("%w: block %d was %s and is %s", errDoubt, ref.Number, ref.Hash, b.Hash)
	}
	return b.Hash == ref.Hash, nil
}
