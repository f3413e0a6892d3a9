package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/lane"
)

// feed turns the chain's heads into lane.Heads, one loop for all lanes of the process: each new head costs a few
// requests whatever the number of lanes. run owns all fields but subscribers.
type feed struct {
	chain   Chain
	config  Config
	log     *slog.Logger
	metrics *metrics

	last    lane.Block
	known   map[uint64]common.Hash // canonical hashes by number, from the final block to last
	final   lane.Block
	market  market
	reorged uint64      // the lowest block replaced that the sessions were not told of; 0 if none
	failed  bool        // the last round failed, and it was said
	broken  atomic.Bool // a finalized block was replaced; read by sessions

	mu          sync.Mutex
	subscribers map[*subscriber]struct{}
}

// market is what was read of the chain at one block.
type market struct {
	at       common.Hash
	quote    lane.Quote
	accounts map[common.Address]lane.Account
}

// subscriber is one session's view of the feed. A session that is slow misses heads but never a reorg.
type subscriber struct {
	signer common.Address
	heads  chan lane.Head // holds the newest
}

// keepHeaders bounds the headers remembered where finality is far away or stalls.
const keepHeaders = 4096

// walkParents bounds the headers fetched one by one to find where a reorg began; beyond, heights are compared.
const walkParents = 64

// errBroken ends the rounds of a feed whose chain went back behind the finalized tag.
var errBroken = errors.New("the chain went back behind its own finality")

func newFeed(chain Chain, config Config, log *slog.Logger, m *metrics) *feed {
	return &feed{
		chain: chain, config: config, log: log, metrics: m,
		known: map[uint64]common.Hash{}, subscribers: map[*subscriber]struct{}{},
	}
}

func (f *feed) subscribe(signer common.Address) *subscriber {
	s := &subscriber{signer: signer, heads: make(chan lane.Head, 1)}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subscribers[s] = struct{}{}
	return s
}

func (f *feed) unsubscribe(s *subscriber) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.subscribers, s)
}

// run looks for new heads until the context ends.
func (f *feed) run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := f.round(ctx); err != nil && ctx.Err() == nil {
			if !f.failed {
				f.log.Warn("couldn't read the chain's head; lanes wait and it is tried again", "err", err)
			}
			f.failed = true
		} else if f.failed {
			f.failed = false
			f.log.Info("the chain's head can be read again", "block", f.last.Number)
		}
		rest(ctx, f.config.PollInterval)
	}
}

// round tells the sessions of the head, if it is a new one or there are new sessions.
func (f *feed) round(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, f.config.CallTimeout)
	defer cancel()
	head, err := f.chain.Head(ctx)
	if err != nil {
		return err
	}
	if f.known[head.Number] == head.Hash && head.Number < f.last.Number {
		return nil // an endpoint that lags
	}
	if err := f.advance(ctx, head); err != nil {
		return err
	}
	if err := f.finalize(ctx); err != nil {
		return err
	}
	return f.tell(ctx)
}

// advance makes head the last block and notes the lowest number that was replaced.
func (f *feed) advance(ctx context.Context, head lane.Block) error {
	switch {
	case head.Hash == f.last.Hash:
		return nil
	case f.last.Hash == (common.Hash{}) || head.Parent == f.last.Hash:
		f.known[head.Number] = head.Hash
		f.last = head
		f.metrics.headNumber.Set(float64(head.Number))
		return nil
	}
	reorged, err := f.rejoin(ctx, head)
	if err != nil {
		return err
	}
	if reorged > 0 {
		if f.reorged == 0 || reorged < f.reorged {
			f.reorged = reorged
		}
		f.metrics.reorgs.Inc()
		f.log.Warn("the chain was reorganised; transactions in the replaced blocks are looked for again",
			"from_block", reorged, "head", head.Number, "depth", f.last.Number-min(reorged, f.last.Number)+1)
	}
	f.last = head
	f.metrics.headNumber.Set(float64(head.Number))
	return nil
}

// rejoin finds where head's branch leaves the blocks known so far.
func (f *feed) rejoin(ctx context.Context, head lane.Block) (reorged uint64, err error) {
	branch := map[uint64]common.Hash{head.Number: head.Hash}
	at := head
	for range walkParents {
		if f.known[at.Number-1] == at.Parent || at.Number == 0 {
			break
		}
		if at, err = f.chain.BlockByHash(ctx, at.Parent); err != nil {
			return 0, fmt.Errorf("couldn't read the parent of block %d: %w", at.Number, err)
		}
		branch[at.Number] = at.Hash
	}
	lowest := slices.Min(slices.Collect(maps.Keys(branch)))
	if lowest > 0 && f.known[lowest-1] != at.Parent {
		// Too far to walk: the process slept, or nodes were away. Compare heights instead.
		for n := min(lowest-1, f.last.Number); f.known[n] != (common.Hash{}); n-- {
			block, err := f.chain.BlockByNumber(ctx, n)
			if err != nil {
				return 0, fmt.Errorf("couldn't read block %d: %w", n, err)
			}
			if block.Hash == f.known[n] {
				break
			}
			branch[n], lowest = block.Hash, n
		}
	}
	for n := range f.known {
		if n >= lowest && f.known[n] != branch[n] {
			delete(f.known, n)
			if reorged == 0 || n < reorged {
				reorged = n
			}
		}
	}
	maps.Copy(f.known, branch)
	return reorged, nil
}

// finalize moves the final block on, never back, and forgets what lies far behind it.
func (f *feed) finalize(ctx context.Context) error {
	final, err := f.finalBlock(ctx)
	if errors.Is(err, ethereum.NotFound) {
		return nil // the chain has no final block yet
	}
	if err != nil {
		return err
	}
	hash, ok := f.known[f.final.Number]
	if f.final.Hash != (common.Hash{}) && (ok && hash != f.final.Hash || f.final.Number > f.last.Number) {
		if f.config.Confirmations == 0 {
			if !f.broken.Swap(true) {
				f.metrics.finalityBreaks.Inc()
				f.log.Error("the chain went back behind its own finality; all lanes stand still until it is back or the relayer is started again",
					"was_final", f.final.Number, "hash", f.final.Hash, "now", hash)
			}
			return errBroken
		}
		f.metrics.finalityBreaks.Inc()
		f.log.Error("a reorg went deeper than the number of confirmations; what it took away is handed out again: raise the number",
			"confirmations", f.config.Confirmations, "was_final", f.final.Number)
		f.final = lane.Block{}
	}
	f.broken.Store(false)
	if final.Number <= f.final.Number && f.final.Hash != (common.Hash{}) {
		return nil
	}
	if hash, ok := f.known[final.Number]; ok && hash != final.Hash || final.Number > f.last.Number {
		return nil // another endpoint, on another branch or ahead: the next round sees both from one place, or later
	}
	f.final = final
	f.known[final.Number] = final.Hash
	f.metrics.finalNumber.Set(float64(final.Number))
	maps.DeleteFunc(f.known, func(n uint64, _ common.Hash) bool {
		return n < final.Number || n+keepHeaders < f.last.Number
	})
	return nil
}

func (f *feed) finalBlock(ctx context.Context) (lane.Block, error) {
	depth := f.config.Confirmations
	switch {
	case depth == 0:
		return f.chain.Finalized(ctx)
	case depth == 1:
		return f.last, nil
	case f.last.Number+1 < depth:
		return lane.Block{}, ethereum.NotFound
	}
	return f.chain.BlockByNumber(ctx, f.last.Number+1-depth)
}

// tell hands each session the head. Accounts and prices are read once per head, in two requests for all sessions; while
// the head stays, sessions are told of it again with a later Now.
func (f *feed) tell(ctx context.Context) error {
	f.mu.Lock()
	subscribers := slices.Collect(maps.Keys(f.subscribers))
	f.mu.Unlock()
	if len(subscribers) == 0 {
		return nil
	}
	if f.market.at != f.last.Hash {
		quote, err := f.chain.Quote(ctx)
		if err != nil {
			return fmt.Errorf("couldn't read the price of gas: %w", err)
		}
		f.market = market{at: f.last.Hash, quote: quote, accounts: map[common.Address]lane.Account{}}
	}
	var unread []common.Address
	for _, s := range subscribers {
		if _, ok := f.market.accounts[s.signer]; !ok {
			unread = append(unread, s.signer)
		}
	}
	if len(unread) > 0 {
		accounts, err := f.chain.Accounts(ctx, f.last.Hash, unread)
		if err != nil {
			return fmt.Errorf("couldn't read the lanes' accounts at block %d: %w", f.last.Number, err)
		}
		for i, signer := range unread {
			f.market.accounts[signer] = accounts[i]
		}
	}
	for _, s := range subscribers {
		s.offer(lane.Head{
			Block: f.last, Final: f.final, Reorged: f.reorged, Account: f.market.accounts[s.signer],
			Quote: f.market.quote, Now: time.Now(),
		})
	}
	f.reorged = 0
	return nil
}

// offer puts the head in place of one that was not taken, keeping that one's reorg.
func (s *subscriber) offer(h lane.Head) {
	select {
	case old := <-s.heads:
		if old.Reorged != 0 && (h.Reorged == 0 || old.Reorged < h.Reorged) {
			h.Reorged = old.Reorged
		}
	default:
	}
	s.heads <- h
}
