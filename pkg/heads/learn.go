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

const (
	accountEvery     = 8                // heads between reads of the account of a working lane
	idleAccountEvery = 16               // heads, for an idle lane
	priceEvery       = 30 * time.Second // between reads of the price while all lanes are idle
	mostReads        = 64               // accounts per signer
)

func (t *Tracker) learn(ctx context.Context) error {
	t.mu.Lock()
	ask := evidence.Ask{At: *t.recent.head(), Accounts: t.accountsDue(), Receipts: t.wanted(), Price: t.priceDue()}
	t.mu.Unlock()
	var err error
	if len(ask.Accounts) > 0 || len(ask.Receipts) > 0 || ask.Price {
		call, cancel := t.call(ctx)
		defer cancel()
		var answer evidence.Answer
		if answer, err = t.chain.Read(call, ask); err != nil {
			err = fmt.Errorf("couldn't read accounts, receipts and prices at block %d: %w", ask.At.Number, err)
		}
		err = errors.Join(err, t.prove(ctx, t.unproven(ask.Receipts, answer.Receipts)))
		t.mu.Lock()
		t.apply(ask, answer)
		t.mu.Unlock()
	}
	if final := t.learnFinal(ctx); final != nil {
		return final
	}
	return err
}

// mu is held.
func (t *Tracker) accountsDue() []common.Address {
	head := t.recent.head()
	var due []common.Address
	for _, s := range t.subs {
		every := uint64(idleAccountEvery)
		if s.busy || len(s.slots) > 0 {
			every = accountEvery
		}
		switch at := s.account.At; {
		case slices.Contains(due, s.signer) || at == head.Ref() && !s.stale:
		case at.Hash == common.Hash{} || s.needAccount || at.Number+every <= head.Number || s.stale || s.unexplained():
			due = append(due, s.signer)
		}
	}
	return due
}

// mu is held.
func (t *Tracker) priceDue() bool {
	if len(t.subs) == 0 || t.priceAt == t.recent.head().Ref() {
		return false
	}
	busy := slices.ContainsFunc(t.subs, func(s *Subscription) bool { return s.busy })
	return busy || t.priceTime.IsZero() || t.config.Now().Sub(t.priceTime) >= priceEvery
}

// mu is held.
func (t *Tracker) apply(ask evidence.Ask, answer evidence.Answer) {
	t.received(ask.Receipts, answer.Receipts)
	if answer.Price != nil && ask.Price {
		t.price, t.priceAt, t.priceTime = *answer.Price, ask.At.Ref(), t.config.Now()
	}
	for _, s := range t.subs {
		if a, ok := answer.Accounts[s.signer]; ok && a.At == ask.At.Ref() {
			s.keep(a)
		}
	}
}

// keep stores the account at the head. It drops an older read if the next one has the same nonce and is too deep for
// a reorg. mu is held.
func (s *Subscription) keep(a evidence.Account) {
	s.account, s.needAccount, s.stale, s.rested = a, false, false, false
	s.reads = append(s.reads, a)
	for i := len(s.reads) - 2; i >= 0; i-- {
		next := s.reads[i+1]
		if next.Nonce == s.reads[i].Nonce && next.Proved == s.reads[i].Proved && next.At.Number+sinceMargin <= a.At.Number {
			s.reads = slices.Delete(s.reads, i, i+1)
		}
	}
	if n := len(s.reads); n > mostReads {
		s.reads = slices.Delete(s.reads, 0, n-mostReads)
	}
}

func (t *Tracker) learnFinal(ctx context.Context) error {
	if t.final.Hash == (common.Hash{}) {
		return nil
	}
	at := t.final.Ref()
	var due []common.Address
	t.mu.Lock()
	for _, s := range t.subs {
		if s.needFinal && s.finalAccount.At == at {
			s.needFinal = false // of the newest final block already
		}
		if s.needFinal && !slices.Contains(due, s.signer) {
			due = append(due, s.signer)
		}
	}
	t.mu.Unlock()
	if len(due) == 0 {
		return nil
	}
	call, cancel := t.call(ctx)
	defer cancel()
	answer, err := t.chain.Read(call, evidence.Ask{At: t.final, Accounts: due})
	if err != nil {
		return fmt.Errorf("couldn't read accounts at the final block %d: %w", at.Number, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.subs {
		if a, ok := answer.Accounts[s.signer]; ok && a.At == at && s.needFinal {
			s.finalAccount, s.needFinal = a, false
		}
	}
	return nil
}
