package heads

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// breakPatience is how long an endpoint that fails to return its block can delay a branch from below the final block.
const breakPatience = 30 * time.Second

var errFinal = errors.New("its branch leaves the chain below the final block")

// weigh considers branches that are at most as high as ours, by invariant 3.
func (t *Tracker) weigh(ctx context.Context) error {
	answered, below := false, true
	var aside []evidence.Claim
	for _, c := range t.claims {
		ours := t.recent.has(c.Block.Ref())
		if ours && (t.holders[c.Endpoint] || c.Block.Hash == t.recent.head().Hash) {
			t.lostSince = time.Time{}
			return nil
		}
		below = below && c.Block.Number < t.recent.base()
		answered = answered || t.holders[c.Endpoint]
		if !ours && c.Block.Number >= t.recent.base() && c.Block.Number <= t.recent.head().Number {
			aside = append(aside, c)
		}
	}
	if t.lostSince.IsZero() {
		t.lostSince = t.config.Now()
	}
	lost := t.config.Now().Sub(t.lostSince) >= breakPatience
	switch {
	case below && lost:
		err := t.retreat(ctx, t.claims[0])
		t.reckon(t.claims[0], err, err == nil)
		return err
	case !answered && !lost:
		return nil
	}
	var errs []error
	for _, c := range aside {
		err := t.fork(ctx, c.Endpoint, []evidence.Block{c.Block})
		t.reckon(c, err, err == nil)
		if err == nil {
			return nil
		}
		errs = append(errs, claimError(c, err))
	}
	return errors.Join(errs...)
}

// retreat follows the chain from a claim below the recent blocks. All claims are that low, perhaps on another branch.
func (t *Tracker) retreat(ctx context.Context, c evidence.Claim) error {
	blocks, err := t.ending(ctx, c)
	if err != nil {
		return err
	}
	if old := t.final; old.Hash != (common.Hash{}) {
		has := false
		if c.Block.Number >= old.Number {
			hash, err := t.hashAt(ctx, c.Endpoint, old.Number)
			if err != nil {
				return err
			}
			has = hash == old.Hash
		}
		if !has {
			if err := t.allLeft(ctx, old, c.Endpoint, blocks); err != nil {
				return err
			}
			t.broken(old, evidence.Ref{})
		}
	}
	t.metrics.reorgs.Inc()
	t.log.Warn("no endpoint that answers has the head any more, nor any block that is remembered; following the chain from a lower head on",
		"was", t.recent.head().Number, "head", c.Block.Number, "endpoint", c.Endpoint)
	t.startOver(c.Endpoint, blocks, 0)
	return nil
}

// startOver replaces all recent blocks. Knowledge from blocks under height below stays.
func (t *Tracker) startOver(endpoint string, blocks []evidence.Block, below uint64) {
	t.mu.Lock()
	t.recent = recentBlocks{}
	for _, s := range t.subs {
		s.doubtSettled()
	}
	t.mu.Unlock()
	t.put(endpoint, blocks)
	t.forget(below)
}

// fork finds where an endpoint's branch leaves ours, and takes it. branch is the part of it that was read.
func (t *Tracker) fork(ctx context.Context, endpoint string, branch []evidence.Block) error {
	size := uint64(firstRead / 2)
	for !t.recent.holdsParent(&branch[0]) && branch[0].Number > t.recent.base() {
		older, err := t.below(ctx, endpoint, branch[0], min(branch[0].Number-t.recent.base(), size))
		if err != nil {
			return err
		}
		i := len(older)
		for i > 0 && !t.recent.has(older[i-1].Ref()) {
			i--
		}
		branch = slices.Concat(older[i:], branch)
		if size = min(4*size, mostRead); !branch[0].Checked {
			size = min(size, uncheckedRead)
		}
	}
	if _, err := t.mayFollow(ctx, endpoint, branch); err != nil {
		return err
	}
	return t.take(ctx, endpoint, branch)
}

// take replaces our blocks by a branch. If it replaces final blocks, or all recent ones, all endpoints must have left
// them.
func (t *Tracker) take(ctx context.Context, endpoint string, branch []evidence.Block) error {
	first, head := branch[0].Number, *t.recent.head()
	rooted := t.recent.holdsParent(&branch[0])
	if t.undoesFinal(first) || !rooted {
		old := t.final
		if !t.undoesFinal(first) {
			old = t.recent.blocks[0]
		}
		if err := t.allLeft(ctx, old, endpoint, branch); err != nil {
			return err
		}
		last := evidence.Ref{}
		if rooted {
			last = evidence.Ref{Number: first - 1, Hash: branch[0].Parent}
		}
		t.broken(old, last)
	} else {
		t.offer = offer{}
	}
	t.metrics.reorgs.Inc()
	t.log.Warn("the chain was reorganised; transactions in the replaced blocks are looked for again",
		"from_block", first, "depth", head.Number+1-first, "head", branch[len(branch)-1].Number, "endpoint", endpoint)
	t.put(endpoint, branch)
	if !rooted {
		first = 0
	}
	t.forget(first)
	return nil
}

func (t *Tracker) undoesFinal(first uint64) bool {
	return t.final.Hash != (common.Hash{}) && first <= t.final.Number
}

// offer records that endpoints offer a branch from below the final block. since is when they first did, or last
// showed the final block after that; last is the time of the newest offer.
type offer struct{ since, last time.Time }

// allLeft returns nil if all endpoints that answer, or did so lately, have left block old. branch is the end of
// endpoint's new chain.
func (t *Tracker) allLeft(ctx context.Context, old evidence.Block, endpoint string, branch []evidence.Block) error {
	now := t.config.Now()
	if now.Sub(t.offer.last) >= breakPatience+mostSetback*t.config.PollInterval { // longer than an endpoint is skipped
		t.offer.since = now
	}
	t.offer.last = now
	for _, c := range slices.Concat(t.claims, t.missed) {
		inBranch := slices.ContainsFunc(branch, func(b evidence.Block) bool { return b.Hash == c.Block.Hash })
		switch {
		case c.Endpoint == endpoint || inBranch:
			continue
		case c.Block.Number < old.Number:
			if c.Block.Number >= branch[0].Number && t.recent.has(c.Block.Ref()) {
				t.offer.since = now
				return stillHas(old, c.Endpoint) // or will, once it has caught up
			}
			continue // too low to have it
		}
		hash, err := t.hashAt(ctx, c.Endpoint, old.Number)
		switch {
		case err != nil && now.Sub(t.offer.since) < breakPatience:
			return fmt.Errorf("%w %d, and whether %s has that is not known: %w", errFinal, old.Number, c.Endpoint, err)
		case err == nil && hash == old.Hash:
			t.offer.since = now
			err := stillHas(old, c.Endpoint)
			t.chain.Distrust(endpoint, err)
			return err
		}
	}
	t.offer = offer{}
	return nil
}

func stillHas(old evidence.Block, holder string) error {
	return fmt.Errorf("%w %d (%s), which %s still has", errFinal, old.Number, old.Hash, holder)
}

// broken raises the alarm and moves the final block back to last; a zero last leaves it unknown.
func (t *Tracker) broken(old evidence.Block, last evidence.Ref) {
	t.metrics.breaks.Inc()
	t.log.Error("the chain was reorganised below its final block, on every endpoint that answers: statuses that said final were wrong. "+
		"Lanes correct them and broadcast the same transactions again, by themselves. Raise SCORELAY_CONFIRMATIONS or, where it is 0, set SCORELAY_FINALITY=finalized",
		"was_final", old.Number, "hash", old.Hash, "left", last.Number, "confirmations", t.config.Confirmations)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.final = evidence.Block{}
	if b := t.recent.at(last.Number); b != nil && b.Hash == last.Hash {
		t.final = *b
	}
	for _, s := range t.subs {
		s.finalAccount = evidence.Account{}
		s.doubtSettled()
	}
}
