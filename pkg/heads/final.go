package heads

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
)

const (
	tagEvery    = 4                // heads between reads of the finalized block
	tagInterval = 2 * time.Second  // minimum time between these reads
	tagStalled  = 10 * time.Minute // stall of finality on a moving chain before a log line
	tagPatience = time.Minute      // time before the log names an endpoint that alone holds finality back
)

// finalize moves the final block up, as far as the finality rule allows.
func (t *Tracker) finalize(ctx context.Context) error {
	head := t.recent.head().Number
	if t.config.Confirmations == 0 {
		err := t.finalizeTag(ctx)
		t.watchTag()
		return err
	}
	next, ok := evidence.FinalHeight(head, t.config.Confirmations)
	if !ok || t.final.Hash != (common.Hash{}) && next <= t.final.Number {
		return nil
	}
	ok, err := t.reach(ctx, next)
	if !ok {
		return err
	}
	if limit, ok := t.agreed(ctx, *t.recent.at(next)); ok {
		t.setFinal(*t.recent.at(limit))
	}
	return err
}

func (t *Tracker) setFinal(b evidence.Block) {
	if t.final.Hash == (common.Hash{}) || b.Number > t.final.Number {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.final = b
	}
}

type holdback struct {
	endpoint string
	block    uint64
	since    time.Time
	logged   bool
}

// heldBack logs once that one endpoint holds the finalized block back. The others may lie, so they never overrule it.
// claims ascend.
func (t *Tracker) heldBack(claims []evidence.Claim) {
	if len(claims) == 0 || claims[0].Block.Number == claims[len(claims)-1].Block.Number {
		t.held = holdback{}
		return
	}
	lowest, highest, now := claims[0], claims[len(claims)-1], t.config.Now()
	if t.held.endpoint != lowest.Endpoint || t.held.block != lowest.Block.Number {
		t.held = holdback{endpoint: lowest.Endpoint, block: lowest.Block.Number, since: now}
	}
	if t.held.logged || now.Sub(t.held.since) < tagPatience {
		return
	}
	t.held.logged = true
	t.log.Warn("an endpoint calls a lower block finalized than others do; nothing above it becomes final until that endpoint does so, or is removed from the configuration",
		"endpoint", lowest.Endpoint, "its_block", lowest.Block.Number, "other", highest.Endpoint, "others_block", highest.Block.Number)
}

// finalizeTag takes the lowest of the endpoints' finalized blocks that is linked to our chain, at any depth, perhaps
// over several rounds. An endpoint that halts or is on another branch holds the final block back (heldBack,
// contested). A finalized block outside of our chain is skipped if its endpoint is on our chain.
func (t *Tracker) finalizeTag(ctx context.Context) error {
	head, now := t.recent.head().Number, t.config.Now()
	first := t.final.Hash == common.Hash{}
	if now.Sub(t.tagAsked) < tagInterval || !first && head >= t.tagHead && head-t.tagHead < tagEvery {
		return nil
	}
	ask, cancel := t.call(ctx)
	defer cancel()
	claims, err := t.chain.Finalized(ask)
	if err != nil {
		return fmt.Errorf("couldn't read the block that the chain calls final: %w", err)
	}
	t.tagAsked, t.tagHead = now, head
	claims = append(claims, t.tagHeard.missed(claims, now)...)
	claims = slices.SortedStableFunc(slices.Values(claims), func(a, b evidence.Claim) int { return cmp.Compare(a.Block.Number, b.Block.Number) })
	t.heldBack(claims)
	t.tag.claims = claims
	for i, c := range claims {
		switch {
		case c.Block.Number > head:
			continue // our head lags behind this endpoint
		case c.Block.Number == 0 && head > t.config.Keep:
			continue // nodes without finality call genesis final
		case !first && c.Block.Number <= t.final.Number && c.Block.Number < t.recent.base():
			return nil
		}
		ours, known, err := t.contains(ctx, c.Block)
		if !known {
			t.tagAsked, t.tagHead = time.Time{}, none
			return err
		}
		if ours {
			// The endpoint's copy may be uncheckable.
			if own := t.recent.at(c.Block.Number); own != nil {
				c.Block = *own
			}
			if _, err := t.agree(ctx, c.Endpoint, []evidence.Block{c.Block}); err != nil {
				return err
			}
			contested, err := t.contested(ctx, c.Block, claims[i+1:])
			if err == nil && !contested {
				t.setFinal(c.Block)
			}
			return err
		}
		if !t.follows(c.Endpoint) {
			return nil // the endpoint is on another branch; ours may be the lie
		}
	}
	return nil
}

// contested reports whether an endpoint with a higher finalized block has another block in place of b. A failing
// endpoint counts as contesting b for breakPatience.
func (t *Tracker) contested(ctx context.Context, b evidence.Block, higher []evidence.Claim) (bool, error) {
	for _, c := range higher {
		if t.follows(c.Endpoint) || c.Block.Hash == b.Hash {
			delete(t.silent, c.Endpoint)
			continue
		}
		s := t.silenceOf(c)
		hash, err := t.hashAt(ctx, c.Endpoint, b.Number)
		switch {
		case err != nil && t.config.Now().Sub(s.since) < breakPatience:
			return true, fmt.Errorf("couldn't read whether %s, which calls block %d finalized, has block %d of the chain: %w", c.Endpoint, c.Block.Number, b.Number, err)
		case err != nil:
		case hash == b.Hash:
			delete(t.silent, c.Endpoint)
		default:
			s.since = t.config.Now()
			t.disputed(s, c, b)
			return true, nil
		}
	}
	return false, nil
}

func (t *Tracker) follows(endpoint string) bool {
	of := func(c evidence.Claim) bool { return c.Endpoint == endpoint && t.recent.has(c.Block.Ref()) }
	return slices.ContainsFunc(t.claims, of) || slices.ContainsFunc(t.missed, of)
}

// lowestLinked returns the lowest block that links connect to the head.
func (t *Tracker) lowestLinked() evidence.Block {
	if low := t.skeleton.low; low.Hash != (common.Hash{}) && low.Number < t.recent.base() {
		return low
	}
	return t.recent.blocks[0]
}

// contains reports whether a block is in the chain; known is false while more reads are needed. Blocks up to Keep
// below the head are read into the recent ones, deeper ones into the skeleton.
func (t *Tracker) contains(ctx context.Context, b evidence.Block) (contains, known bool, err error) {
	if head := t.recent.head().Number; b.Number >= t.recent.base() || head-b.Number <= t.config.Keep {
		known, err = t.reach(ctx, b.Number)
		return t.recent.has(b.Ref()), known, err
	}
	for range readsPerRound {
		low := t.lowestLinked()
		if low.Number <= b.Number {
			return t.leads(ctx, b)
		}
		older, err := t.belowAny(ctx, low, min(low.Number-b.Number, mostRead))
		if len(older) == 0 {
			return false, false, err
		}
		t.skeleton.prepend(older)
	}
	return false, false, nil
}

// leads reports whether a block between lowestLinked and the recent blocks is in the chain. If the skeleton lacks its
// height, an endpoint's blocks up to the next linked one decide. known is false if all endpoints fail.
func (t *Tracker) leads(ctx context.Context, b evidence.Block) (leads, known bool, err error) {
	next := t.recent.blocks[0].Ref()
	if i := slices.IndexFunc(t.skeleton.refs, func(r evidence.Ref) bool { return r.Number >= b.Number }); i >= 0 {
		next = t.skeleton.refs[i]
	}
	if low := t.lowestLinked(); low.Number == b.Number {
		next = low.Ref()
	}
	if next.Number == b.Number {
		return next.Hash == b.Hash, true, nil
	}
	var errs []error
	for _, c := range t.claims {
		parent, err := t.parentUnder(ctx, c.Endpoint, b.Number+1, next)
		if err == nil {
			return parent == b.Hash, true, nil
		}
		errs = append(errs, fmt.Errorf(
			"couldn't link the block %d, which is called final, to the chain by the blocks of %s: %w", b.Number, c.Endpoint,
			err))
	}
	return false, false, errors.Join(errs...)
}

// parentUnder returns the parent of an endpoint's block at height from, if the endpoint's blocks link it to block to.
// Otherwise it returns errUnlinked.
func (t *Tracker) parentUnder(ctx context.Context, endpoint string, from uint64, to evidence.Ref,
) (parent common.Hash, err error) {
	var last evidence.Block
	for number := from; number <= to.Number; number = last.Number + 1 {
		blocks, err := t.read(ctx, endpoint, number, min(to.Number, number+mostRead-1))
		if err != nil {
			return parent, err
		}
		if number == from {
			parent = blocks[0].Parent
		} else if blocks[0].Parent != last.Hash {
			return parent, fmt.Errorf("%w: block %d", errUnlinked, number)
		}
		last = blocks[len(blocks)-1]
	}
	if last.Hash != to.Hash {
		return parent, fmt.Errorf("%w: its block %d is %s, that of the chain %s", errUnlinked, to.Number, last.Hash, to.Hash)
	}
	return parent, nil
}

type tagWatch struct {
	final   evidence.Ref
	head    uint64
	at      time.Time
	stalled time.Duration
	logged  bool
	claims  []evidence.Claim
}

// watchTag logs once that finality stalls while the head moves, and once that it continues. Each step of the head
// adds at most a minute to the stall, since an idle chain finalizes few blocks.
func (t *Tracker) watchTag() {
	w, head, now := &t.tag, t.recent.head().Number, t.config.Now()
	if w.at.IsZero() || w.final != t.final.Ref() {
		if w.logged {
			t.log.Info("blocks become final again", "block", t.final.Number)
		}
		*w = tagWatch{final: t.final.Ref(), head: head, at: now, claims: w.claims}
	}
	if head > w.head {
		w.stalled += min(now.Sub(w.at), time.Minute)
		w.head, w.at = head, now
	}
	t.metrics.stalled.Set(w.stalled.Seconds())
	if w.stalled < tagStalled || w.logged {
		return
	}
	w.logged = true
	var called []string
	for _, c := range w.claims {
		called = append(called, fmt.Sprintf("%s: block %d", c.Endpoint, c.Block.Number))
	}
	t.log.Warn("no block became final for ten minutes while the head moved; the tracker asks again. If nodes of other operators call a newer "+
		"block final than these endpoints do, replace these; if these call newer ones final, they do not give the blocks that link it to "+
		"the head; if none calls a block final, the chain has no such tag: set SCORELAY_CONFIRMATIONS",
		"final", t.final.Number, "head", head, "for", w.stalled, "endpoints", cmp.Or(strings.Join(called, ", "), "none calls a block final"))
}
