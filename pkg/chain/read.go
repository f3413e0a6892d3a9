package chain

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// rounds bounds a reading's exchanges with one endpoint. Later exchanges request refused items in another form.
const rounds = 3

type reading struct {
	ask    evidence.Ask
	answer evidence.Answer
	words  map[common.Address][]word           // unproved claims
	held   map[common.Hash][]*evidence.Receipt // receipts read singly

	unchecked map[common.Hash]bool // blocks with uncheckable receipts
	history   *feeHistory
	suggested *uint64         // tip that a node suggests, before the first estimate
	asked     map[string]bool // items requested from the current endpoint
	strict    bool            // the current endpoint's unproved claims are ignored
}

// part is some elements of an exchange; take handles their responses.
type part struct {
	elems []rpc.BatchElem
	take  func(*endpoint, []rpc.BatchElem) error
}

// Read asks an endpoint that has block ask.At, in one exchange, and others for the missing parts:
//
//   - Accounts by eth_getProof. If all endpoints lack it, every endpoint that has the block is asked. If two differ,
//     the log names them and the account is left out.
//   - Receipts by eth_getBlockReceipts. If all endpoints lack it, or the receipts are uncheckable, every endpoint is
//     asked for single receipts. If two differ, the receipt is left out.
//   - The price by eth_feeHistory or eth_gasPrice. Blocks with our transactions are read by eth_getBlockReceipts, to
//     exclude these.
//
// The answer may be incomplete; an error means that it is empty. Receipts of slow endpoints are read in the
// background, and returned by a later Read for them.
func (c *Client) Read(ctx context.Context, ask evidence.Ask) (evidence.Answer, error) {
	came, rest, slow := c.late.take(ask.Receipts)
	if ask.Receipts = rest; slow {
		go func() {
			ctx, cancel := c.outlive(ctx)
			defer cancel()
			answer, _ := c.readNow(ctx, lateTimes*c.cfg.Timeout, evidence.Ask{At: ask.At, Receipts: rest})
			c.late.put(rest, answer.Receipts)
		}()
		ask.Receipts = nil
	}
	answer, err := c.readNow(ctx, c.cfg.Timeout, ask)
	if len(came) > 0 {
		maps.Copy(came, answer.Receipts)
		answer.Receipts, err = came, nil
	}
	return answer, err
}

func (c *Client) readNow(ctx context.Context, timeout time.Duration, ask evidence.Ask) (evidence.Answer, error) {
	if len(ask.Receipts) > 0 {
		defer func(began time.Time) { c.late.slow.Store(time.Since(began) > lateAfter) }(time.Now())
	}
	r := &reading{
		ask:    ask,
		answer: evidence.Answer{Accounts: map[common.Address]evidence.Account{}, Receipts: map[common.Hash]*evidence.Receipt{}},
		words:  map[common.Address][]word{}, held: map[common.Hash][]*evidence.Receipt{}, unchecked: map[common.Hash]bool{},
	}
	c.market.saw(&ask.At)
	for i := range ask.Receipts {
		c.market.saw(&ask.Receipts[i].Block)
		c.market.sent(ask.Receipts[i].Txs...)
	}
	var errs []error
	for _, e := range c.candidates(ask.At.Number) {
		r.asked, r.strict = map[string]bool{}, e.trust.doubtful(time.Now())
		if r.complete() {
			break
		}
		err := e.within(ctx, timeout, "read", func(ctx context.Context, e *endpoint) error { return c.readOne(ctx, r, e) })
		if err != nil {
			errs = append(errs, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	c.judge(r)
	if len(errs) > 0 && len(r.answer.Accounts) == 0 && len(r.answer.Receipts) == 0 && r.answer.Price == nil || len(r.asked) == 0 && !r.complete() {
		return evidence.Answer{}, c.failed(ctx, "read", errs)
	}
	return r.answer, nil
}

func (c *Client) readOne(ctx context.Context, r *reading, e *endpoint) error {
	var errs []error
	for range rounds {
		parts := c.parts(ctx, r, e)
		if len(parts) == 0 {
			break
		}
		var elems []rpc.BatchElem
		for _, p := range parts {
			elems = append(elems, p.elems...)
		}
		if err := e.calls(ctx, elems); err != nil {
			return err
		}
		first := 0
		for _, p := range parts {
			if err := p.take(e, elems[first:first+len(p.elems)]); err != nil {
				errs = append(errs, err)
			}
			first += len(p.elems)
		}
		if err := errors.Join(errs...); errors.Is(err, evidence.ErrContradiction) {
			return err
		}
	}
	c.makePrice(r)
	if r.strict && r.ask.Price && r.answer.Price == nil {
		r.answer.Price = c.headPrice(&r.ask.At)
	}
	if err := errors.Join(errs...); err != nil && !r.complete() {
		return fmt.Errorf("%w: %w", errNotLearnt, err)
	}
	return nil
}

func (c *Client) parts(ctx context.Context, r *reading, e *endpoint) []part {
	var parts []part
	for _, account := range r.ask.Accounts {
		if _, learnt := r.answer.Accounts[account]; !learnt {
			parts = append(parts, r.askAccount(e, account)...)
		}
	}
	for i := range r.ask.Receipts {
		parts = append(parts, c.askReceipts(ctx, r, e, &r.ask.Receipts[i])...)
	}
	if !r.ask.Price || r.answer.Price != nil || r.strict {
		return parts
	}
	if r.once("price") {
		parts = append(parts, c.askPrice(r))
	}
	if c.legacy(&r.ask.At) {
		return parts
	}
	if b := c.market.unread(&r.ask.At); b != nil && !c.late.slow.Load() && e.whole.offered(time.Now()) && r.once("block "+b.Hash.Hex()) {
		parts = append(parts, c.askBlock(ctx, r, b))
	}
	return parts
}

func (r *reading) once(what string) bool {
	if r.asked[what] {
		return false
	}
	r.asked[what] = true
	return true
}

// judge adds unproved accounts and receipts on which endpoints agree, if proved ones are missing.
func (c *Client) judge(r *reading) {
	for account, words := range r.words {
		if _, proved := r.answer.Accounts[account]; proved {
			continue
		}
		if agree(words) {
			r.answer.Accounts[account] = words[0].account
			continue
		}
		c.log.Warn("the chain's endpoints differ about an account and none proves it; nothing is concluded, and it is read again",
			"account", account, "block", r.ask.At.Number, "say", fmt.Sprint(words))
	}
	for tx := range r.held {
		if r.answer.Receipts[tx] == nil {
			if receipt := c.believed(r, tx); receipt != nil {
				r.answer.Receipts[tx] = receipt
			}
		}
	}
}

func (r *reading) complete() bool {
	for _, account := range r.ask.Accounts {
		if _, learnt := r.answer.Accounts[account]; !learnt {
			return false
		}
	}
	for _, w := range r.ask.Receipts {
		for _, tx := range w.Txs {
			if r.answer.Receipts[tx] == nil {
				return false
			}
		}
	}
	return !r.ask.Price || r.answer.Price != nil
}
