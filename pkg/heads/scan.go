package heads

import (
	"context"
	"time"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// complainEvery is the time between two lines of the log that say the same of a lane.
const complainEvery = time.Minute

// part is a run of blocks to be searched next: from…to, without to.
type part struct{ from, to uint64 }

// nextPart is what a subscription's search lacks: first the blocks up to its account's, then those below where it began. ok
// is false when there is nothing left to search. mu is held.
func (s *Subscription) nextPart() (p part, ok bool) {
	last := min(s.account.At.Number, s.t.window.head().Number)
	if s.scan.to <= last {
		return part{s.scan.to, last + 1}, true
	}
	_, floor, known := s.bounds(s.scan.low)
	if known && s.account.Proved {
		floor = 0 // a proof does not lie: the bounds do
	}
	if s.scan.from > floor {
		return part{max(floor, s.scan.from-min(s.scan.from, scanBlocks)), s.scan.from}, true
	}
	return part{}, false
}

// scanBatch searches some full blocks, for the subscription whose search is the lowest, and for the others that they serve.
func (t *Tracker) scanBatch(ctx context.Context, cases []*Subscription) error {
	t.mu.Lock()
	var next part
	found := false
	for _, s := range cases {
		p, ok := s.nextPart()
		switch {
		case !s.unexplained():
		case !ok:
			t.exhausted(s)
		case !found || p.from < next.from:
			next, found = p, true
		}
	}
	t.mu.Unlock()
	if !found {
		return nil
	}
	if ok, err := t.reach(ctx, next.from); !ok {
		return err
	}
	blocks, end := t.pick(next)
	var err error
	if len(blocks) > 0 {
		var read int
		if read, err = t.check(ctx, blocks); read < len(blocks) {
			end = blocks[read].Number
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range cases {
		s.scan.cover(next.from, min(end, s.account.At.Number+1))
	}
	return err
}

// pick are the blocks of a part that can hold a transaction, as many as one round may read, and where the next begin.
func (t *Tracker) pick(p part) (blocks []evidence.Block, end uint64) {
	txs := 0
	for n := p.from; n < p.to; n++ {
		b := t.window.at(n)
		if b.TxRoot == types.EmptyTxsHash {
			continue
		}
		if len(blocks) == scanBlocks || len(blocks) > 0 && txs+len(b.Txs) > scanTxs {
			return blocks, n
		}
		blocks, txs = append(blocks, *b), txs+len(b.Txs)
	}
	return blocks, p.to
}

// exhausted says, now and then, that the nonces were not found where they should be. mu is held.
func (t *Tracker) exhausted(s *Subscription) {
	now := t.config.Now()
	if now.Sub(s.complained) < complainEvery {
		return
	}
	s.complained = now
	t.log.Warn("the signer's account shows a nonce used, but none of the blocks searched holds its transaction; nothing is concluded, and the account is read again at every head",
		"signer", s.signer, "nonce", s.scan.low, "account_nonce", s.account.Nonce, "at", s.account.At.Number, "proved", s.account.Proved,
		"searched_from", s.scan.from, "endpoints", t.endpoints())
}

func (t *Tracker) endpoints() []string {
	var names []string
	for _, c := range t.claims {
		names = append(names, c.Endpoint)
	}
	return names
}
