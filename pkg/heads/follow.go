package heads

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
)

const (
	firstRead      = 16              // blocks of a first read
	mostRead       = 200             // blocks per read
	uncheckedRead  = 32              // blocks per read down an unchecked branch, as chain.Client allows
	readsPerRound  = 8               // in one direction
	lieAfter       = 3               // unlinkable claims in a row before distrust
	mostSetback    = 8               // most rounds to skip an unlinkable claim
	uncheckedAfter = 1 * time.Minute // time without checked blocks before unchecked ones may follow or replace them
)

var (
	errUnlinked  = errors.New("its blocks do not link")
	errAbsent    = errors.New("it does not give the blocks below its newest")
	errUnchecked = errors.New("its blocks do not hash to their hashes, unlike the chain's so far")
)

// setback counts an endpoint's consecutive unlinkable claims. Progress restarts the count.
type setback struct {
	times uint64
	next  uint64 // round of the next try
	err   error
}

// follow moves the head to the best claim that links. It returns nil if a claim is in the chain afterwards.
func (t *Tracker) follow(ctx context.Context) error {
	before := t.headHash()
	var errs []error
	for _, c := range t.claims {
		if !t.ahead(c) {
			continue
		}
		if s := t.setbacks[c.Endpoint]; t.count < s.next && len(t.claims) > 1 {
			errs = append(errs, s.err)
			continue
		}
		at := t.headHash()
		err := t.pursue(ctx, c)
		if soon := errors.Is(err, evidence.ErrUnconfirmed) && t.config.Now().Sub(t.grewAt) < breakPatience; !soon {
			t.reckon(c, err, t.headHash() != at)
		}
		if err != nil {
			errs = append(errs, claimError(c, err))
		}
	}
	if !t.recent.empty() && t.headHash() == before {
		errs = append(errs, t.weigh(ctx))
	}
	for _, c := range t.claims {
		if t.recent.kept(c.Block.Ref()) {
			return nil
		}
	}
	return errors.Join(errs...)
}

func (t *Tracker) headHash() common.Hash {
	if head := t.recent.head(); head != nil {
		return head.Hash
	}
	return common.Hash{}
}

func claimError(c evidence.Claim, err error) error {
	return fmt.Errorf("the endpoint %s says that block %d (%s) is the newest, which is not believed: %w", c.Endpoint, c.Block.Number, c.Block.Hash, err)
}

// ahead reports whether the claim is above the head, or a checked block that the chain lacks while the head is
// unchecked.
func (t *Tracker) ahead(c evidence.Claim) bool {
	head := t.recent.head()
	return head == nil || c.Block.Number > head.Number ||
		c.Block.Checked && !head.Checked && c.Block.Number >= t.recent.base() && !t.recent.has(c.Block.Ref())
}

// reckon records and logs the result of pursuing a claim. After an error, its endpoint is skipped for some rounds,
// and may be distrusted.
func (t *Tracker) reckon(c evidence.Claim, err error, progress bool) {
	s, failing := t.setbacks[c.Endpoint]
	switch {
	case err == nil && failing:
		delete(t.setbacks, c.Endpoint)
		t.log.Info("the endpoint's blocks link to the chain again", "endpoint", c.Endpoint, "block", c.Block.Number)
	case err != nil && !failing && !errors.Is(err, context.Canceled):
		t.log.Warn("the endpoint's newest block is not believed; the others are asked, and it is tried again",
			"endpoint", c.Endpoint, "block", c.Block.Number, "hash", c.Block.Hash, "err", err)
		fallthrough
	case err != nil:
		s.times, s.err = s.times+1, claimError(c, err)
		if progress {
			s.times = 1
		}
		s.next = t.count + min(s.times, mostSetback)
		if s.times >= lieAfter && errors.Is(err, errUnlinked) {
			t.chain.Distrust(c.Endpoint, err)
		}
		t.setbacks[c.Endpoint] = s
	}
}

// pursue extends the chain towards a claim that is ahead, or moves to its branch, perhaps over several rounds. Linked
// blocks stay after an error.
func (t *Tracker) pursue(ctx context.Context, c evidence.Claim) error {
	if t.recent.empty() {
		return t.begin(ctx, c)
	}
	if head := t.recent.head(); c.Block.Number <= head.Number {
		return t.fork(ctx, c.Endpoint, []evidence.Block{c.Block})
	} else if c.Block.Number-head.Number > t.config.Keep && t.allFar() {
		return t.restart(ctx, c)
	}
	size := uint64(firstRead)
	for range readsPerRound {
		head := t.recent.head()
		if c.Block.Number <= head.Number {
			return nil
		}
		blocks, err := []evidence.Block{c.Block}, error(nil)
		if next := head.Number + 1; c.Block.Number > next {
			blocks, err = t.read(ctx, c.Endpoint, next, min(head.Number+size, c.Block.Number-1))
			size = mostRead
		}
		if len(blocks) > 0 {
			if err := t.attach(ctx, c.Endpoint, blocks); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// attach adds linked blocks that begin at the height above the head, on its branch or another.
func (t *Tracker) attach(ctx context.Context, endpoint string, blocks []evidence.Block) error {
	if blocks[0].Parent != t.recent.head().Hash {
		return t.fork(ctx, endpoint, blocks)
	}
	n, err := t.mayFollow(ctx, endpoint, blocks)
	if n > 0 {
		t.put(endpoint, blocks[:n])
	}
	return err
}

// mayFollow is agree, after the rule for unchecked blocks (invariant 3): it returns errUnchecked if a checked block
// came within uncheckedAfter. A longer pause shows a hard fork with unknown header fields.
func (t *Tracker) mayFollow(ctx context.Context, endpoint string, blocks []evidence.Block) (int, error) {
	below := t.recent.head()
	if first := blocks[0].Number; below != nil && first > t.recent.base() && first <= below.Number+1 {
		below = t.recent.at(first - 1)
	}
	for i := range blocks {
		old := t.recent.at(blocks[i].Number)
		if blocks[i].Checked {
			below = &blocks[i]
			continue
		}
		if (below != nil && below.Checked || old != nil && old.Checked) && t.config.Now().Sub(t.checkedAt) < uncheckedAfter {
			return 0, errUnchecked
		}
		below = &blocks[i]
	}
	return t.agree(ctx, endpoint, blocks)
}

// agree is Chain.Agreed, in chunks.
func (t *Tracker) agree(ctx context.Context, endpoint string, blocks []evidence.Block) (n int, err error) {
	for some := range slices.Chunk(blocks, mostRead) {
		call, cancel := t.call(ctx)
		agreed, err := t.chain.Agreed(call, endpoint, some)
		cancel()
		if n += agreed; err != nil {
			return n, err
		}
	}
	return n, nil
}

// put replaces the chain from the first of the blocks on.
func (t *Tracker) put(endpoint string, blocks []evidence.Block) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.recent.empty() || blocks[0].Number <= t.recent.base() {
		t.skeleton = skeleton{} // its link to these blocks is unknown
	} else {
		t.skeleton.replaced(blocks[0].Number)
	}
	t.recent.replace(blocks)
	t.metrics.put(blocks)
	for i := range blocks {
		delete(t.proven, blocks[i].Hash) // its unverified list came again, from this endpoint
	}
	if t.grewAt = t.config.Now(); t.recent.head().Checked {
		t.checkedAt = t.grewAt
	}
	t.lostSince = time.Time{}
	clear(t.holders)
	t.holders[endpoint] = true
	t.match(t.recent.from(blocks[0].Number))
}

func (t *Tracker) begin(ctx context.Context, c evidence.Claim) error {
	blocks, err := t.ending(ctx, c)
	if err != nil {
		return err
	}
	t.put(c.Endpoint, blocks)
	return nil
}

// ending returns the blocks that finality may need below the claim, and the claim, if all may be followed.
func (t *Tracker) ending(ctx context.Context, c evidence.Claim) ([]evidence.Block, error) {
	blocks := []evidence.Block{c.Block}
	depth := min(max(t.config.Confirmations, firstRead), c.Block.Number)
	for uint64(len(blocks)) <= depth {
		left := depth + 1 - uint64(len(blocks))
		older, err := t.below(ctx, c.Endpoint, blocks[0], min(left, mostRead))
		if err != nil {
			return nil, err
		}
		blocks = append(older, blocks...)
	}
	_, err := t.mayFollow(ctx, c.Endpoint, blocks)
	return blocks, err
}

func (t *Tracker) allFar() bool {
	head := t.recent.head().Number
	for _, c := range t.claims {
		if c.Block.Number > head && c.Block.Number <= head+t.config.Keep {
			return false
		}
	}
	return true
}

// restart follows the chain from a claim far ahead, after the process slept or nodes were down. Accounts show the
// nonces used in the skipped blocks, and the search goes back for their transactions.
func (t *Tracker) restart(ctx context.Context, c evidence.Claim) error {
	was := *t.recent.head()
	hash, err := t.hashAt(ctx, c.Endpoint, was.Number)
	if err != nil {
		return err
	}
	if hash != was.Hash { // attach finds the start of this reorg, which matters; the next round restarts
		blocks, err := t.read(ctx, c.Endpoint, was.Number+1, was.Number+firstRead)
		if err != nil {
			return err
		}
		return t.attach(ctx, c.Endpoint, blocks)
	}
	blocks, err := t.ending(ctx, c)
	if err != nil {
		return err
	}
	t.log.Info("the chain moved on further than blocks are remembered; following it from its head on",
		"was", was.Number, "head", c.Block.Number, "endpoint", c.Endpoint)
	t.startOver(c.Endpoint, blocks, was.Number+1)
	return nil
}

// trim forgets blocks outside of Keep and KeepBytes, except for those that a receipt or a search needs. If the
// chain's tag decides, those above the final block go to the skeleton.
func (t *Tracker) trim() {
	t.mu.Lock()
	defer t.mu.Unlock()
	head := t.recent.head().Number
	base := head - min(head, t.config.Keep)
	if t.final.Hash != (common.Hash{}) {
		base = min(base, max(t.final.Number, t.recent.within(t.config.KeepBytes)))
	}
	for _, w := range t.txs {
		if w.located() && w.receipt == nil {
			base = min(base, w.at.Number)
		}
	}
	base = min(base, t.needed)
	if t.config.Confirmations == 0 {
		t.skeleton.pass(t.recent.between(t.final.Number, base))
		t.skeleton.forget(&t.final, max(base, t.recent.base()))
	}
	t.recent.trim(base)
	maps.DeleteFunc(t.proven, func(_ common.Hash, number uint64) bool { return number < t.recent.base() })
}
