package heads

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
)

const (
	tagEvery    = 4               // heads between two questions for the finalized block
	tagInterval = 2 * time.Second // and the time between them, at least
	tagPatience = time.Minute     // after which an endpoint that holds the finalized block back alone is named
)

// finalize moves the final block up, never down.
func (t *Tracker) finalize(ctx context.Context) error {
	head := t.recent.head().Number
	if t.config.Confirmations == 0 {
		return t.finalizeTag(ctx)
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

// holdback is an endpoint that calls the lowest block finalized, while others call a higher one so.
type holdback struct {
	endpoint string
	block    uint64
	since    time.Time
	logged   bool
}

// heldBack says once of an endpoint that it alone keeps the finalized block where it is: how long ever it does, its word is
// not overruled, since what is final to the others may be a lie. claims ascend.
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

// finalizeTag asks which block the endpoints call finalized, now and then, and takes the lowest that is in our chain. One that
// halts holds it back, see heldBack.
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
		return fmt.Errorf("couldn't read the finalized block: %w", err)
	}
	t.tagAsked, t.tagHead = now, head
	claims = slices.SortedStableFunc(slices.Values(claims), func(a, b evidence.Claim) int { return cmp.Compare(a.Block.Number, b.Block.Number) })
	t.heldBack(claims)
	for _, c := range claims {
		base := t.recent.base()
		switch {
		case c.Block.Number > head:
			continue
		case !first && c.Block.Number < base:
			return nil // this endpoint does not call any more final than is
		case base-min(base, c.Block.Number) > 4*t.config.Keep:
			return fmt.Errorf("the endpoint %s calls block %d the newest final one, which is too far below the head %d to be linked to it; there is no final block until it moves",
				c.Endpoint, c.Block.Number, head)
		}
		ok, err := t.reach(ctx, c.Block.Number)
		if !ok {
			t.tagAsked = time.Time{} // the rest in the next round
			return err
		}
		if t.recent.has(c.Block.Ref()) {
			t.setFinal(c.Block)
			return nil
		}
	}
	return nil
}
