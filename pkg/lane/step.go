package lane

import (
	"math"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// Event is something that happened: a Head, Receipts, Sent, or Appended.
type Event interface{ event() }

// Receipts answers a Probe: where the attempts of a slot were found. A slot that was asked for and is not in Found has
// no receipt on the node that knows block At.
type Receipts struct {
	At    uint64
	Asked []uint64
	Found map[uint64]Inclusion
}

// Sent is a node's answer to the last attempt of a slot.
type Sent struct {
	Nonce uint64
	Tx    common.Hash
	Class SendClass
	Now   time.Time
}

// Appended says that the entry is in the journal.
type Appended struct{ Entry Entry }

func (Head) event()     {}
func (Receipts) event() {}
func (Sent) event()     {}
func (Appended) event() {}

// Effect is something to be done, in order. Its result comes back as an Event.
type Effect interface{ effect() }

// Probe: look for receipts of all attempts of these slots.
type Probe struct{ Nonces []uint64 }

// Finalize: the slot's end is beyond the finality rule. Check it against the chain, tell outcomes, journal Settle.
type Finalize struct{ Nonce uint64 }

// Takeover: journal Adopt.
type Takeover struct{ Next uint64 }

// Resign: sign another attempt for the slot, journal it.
type Resign struct {
	Nonce  uint64
	Fees   Fees
	Gas    uint64
	Cancel bool // carry nothing, so that the nonce is used and the work is free again
	Reason string
}

// Revive: hand transactions of settled slots to the nodes again, in order. The chain went back behind its finality rule and
// does not have them any more; no other bytes may take their nonces.
type Revive struct{ Raw [][]byte }

// Send: hand the last attempts of these slots to the nodes, in order.
type Send struct{ Nonces []uint64 }

// Report: tell the slot's stage.
type Report struct {
	Nonce uint64
	Stage score.Stage
	Tx    common.Hash
	Block uint64
}

func (Probe) effect()    {}
func (Finalize) effect() {}
func (Takeover) effect() {}
func (Resign) effect()   {}
func (Send) effect()     {}
func (Revive) effect()   {}
func (Report) effect()   {}

// Step is the lane's whole behaviour: what an event means for the open slots and what is to be done about it. It does
// no I/O, reads no clock and makes no choice at random. The only error is an entry that does not fit the state.
func (l *Lane) Step(e Event) ([]Effect, error) {
	switch e := e.(type) {
	case Head:
		return l.onHead(e), nil
	case Receipts:
		return l.onReceipts(e), nil
	case Sent:
		return l.onSent(e), nil
	case Appended:
		return l.onAppended(e.Entry)
	}
	return nil, nil
}

func (l *Lane) onHead(h Head) (out []Effect) {
	l.head = &h
	out = l.forget(h.Reorged)
	if h.Account.Nonce < l.State.Floor() {
		return append(out, l.revive()...) // a final transaction is not there: touch nothing else until it is back
	}
	var probe []uint64
	for i := range l.State.Slots {
		if nonce := l.State.Slots[i].Nonce; nonce < h.Account.Nonce && l.live[i].included == nil {
			probe = append(probe, nonce)
		}
	}
	if len(probe) > 0 {
		out = append(out, Probe{probe}) // its Receipts finalize
	} else {
		out = append(out, l.final()...)
	}
	out = append(out, l.adopt()...)
	return append(out, l.push()...)
}

// revive brings back what was final. Nothing is bound, bumped or settled meanwhile. Where a nonce is missing that somebody
// else had used, or one that is long past, the lane stands still.
func (l *Lane) revive() []Effect {
	if l.head.Now.Sub(l.revived) < l.rules.Rebroadcast {
		return nil
	}
	l.revived = l.head.Now
	var raw [][]byte
	for _, p := range l.State.Past {
		if p.Nonce >= l.head.Account.Nonce {
			raw = append(raw, p.Raw)
		}
	}
	if len(raw) == 0 {
		return nil
	}
	return []Effect{Revive{raw}}
}

// forget drops what was learnt from blocks that are no longer canonical.
func (l *Lane) forget(reorged uint64) (out []Effect) {
	if reorged == 0 {
		return nil
	}
	for i := range l.live {
		m := &l.live[i]
		if m.missing >= reorged {
			m.missing = 0
		}
		if m.included == nil || m.included.Number < reorged {
			continue
		}
		m.included, m.again = nil, true
		out = append(out, l.report(i, score.Submitted, l.State.Slots[i].Last().Hash, 0)...)
	}
	if l.foreign != nil && l.foreign.block >= reorged {
		l.foreign = nil
	}
	return out
}

// final finds the lowest slots whose end is beyond the finality rule. Slots end in the order of their nonces.
func (l *Lane) final() (out []Effect) {
	for i := range l.live {
		m, at := &l.live[i], uint64(math.MaxUint64)
		if m.included != nil {
			at = m.included.Number
		} else if m.missing != 0 {
			at = m.missing
		}
		if at > l.head.Final.Number {
			break
		}
		out = append(out, Finalize{l.State.Slots[i].Nonce})
	}
	return out
}

// adopt accepts that nonces beyond ours were used, once a block that shows it is final. Adopting earlier could leave a
// gap behind after a reorg.
func (l *Lane) adopt() []Effect {
	nonce := l.head.Account.Nonce
	if nonce <= l.State.Next {
		l.foreign = nil
		return nil
	}
	if l.foreign == nil || l.foreign.nonce > nonce {
		l.foreign = &sighting{nonce, l.head.Block.Number}
	}
	if l.foreign.block <= l.head.Final.Number && len(l.State.Slots) == 0 {
		seen := l.foreign.nonce
		l.foreign = nil
		if seen > l.State.Next {
			return []Effect{Takeover{seen}}
		}
	}
	return nil
}

// push keeps the waiting slots moving: hands out what is due, bumps what is too cheap.
func (l *Lane) push() (out []Effect) {
	due := false
	var waiting []int
	for i := range l.State.Slots {
		m := &l.live[i]
		if m.included != nil || l.State.Slots[i].Nonce < l.head.Account.Nonce {
			continue
		}
		waiting = append(waiting, i)
		unsent := l.head.Now.Sub(m.sent)
		due = due || unsent >= l.rules.Rebroadcast || m.again && unsent >= resendPause
	}
	var send []uint64
	for k, i := range waiting {
		if resign, ok := l.reprice(i, k == 0); ok {
			out = append(out, resign) // its Appended sends it
			continue
		}
		if due {
			send = append(send, l.State.Slots[i].Nonce)
		}
	}
	if len(send) > 0 {
		out = append(out, Send{send})
	}
	return out
}

// reprice decides whether a waiting slot gets another attempt now. At most one per block and slot; on a chain that makes
// no blocks without transactions, a refused one is priced anew as often as it would be handed out.
func (l *Lane) reprice(i int, lowest bool) (Resign, bool) {
	slot, m := &l.State.Slots[i], &l.live[i]
	last, block := slot.Last(), l.head.Block.Number
	if m.pricedAt == 0 {
		m.pricedAt, m.priced = block, l.head.Now // the clock of an attempt starts with the first head it waits for
	}
	if block <= m.pricedAt && (m.refused == Accepted || l.head.Now.Sub(m.priced) < l.rules.Rebroadcast) {
		return Resign{}, false
	}
	r := Resign{Nonce: slot.Nonce, Gas: last.Gas, Cancel: last.Cancel}
	switch {
	case m.refused == BadGas && last.Gas < l.rules.MaxGas:
		r.Gas, r.Reason = min(last.Gas+last.Gas/4+1, l.rules.MaxGas), "gas"
	case (m.refused == TooBig || m.refused == BadGas) && !last.Cancel:
		r.Gas, r.Cancel, r.Reason = cancelGas, true, "cancel"
	case m.refused == FeeLow || m.refused == ReplacementUnderpriced && m.bumps < maxReplacements:
		r.Reason = m.refused.String()
	case lowest && block-m.pricedAt >= l.rules.BumpBlocks:
		r.Reason = "slow"
	case !l.head.Quote.Legacy && last.Cap < l.head.Quote.BaseFee:
		r.Reason = "base_fee"
	default:
		return Resign{}, false
	}
	fees, ok := l.rules.Fees.Bump(Fees{Tip: last.Tip, Cap: last.Cap}, l.head.Quote, r.Gas)
	if !ok || !l.affords(last, r.Gas, fees.Cap) {
		return Resign{}, false // the last attempt is the best there is; it keeps being handed out
	}
	r.Fees = fees
	return r, true
}

const (
	resendPause     = 500 * time.Millisecond // before what was not taken is handed out again
	cancelGas       = 21_000                 // of a transfer to oneself
	maxReplacements = 3                      // bumps against an unknown transaction before falling back to the usual pace
)

func (l *Lane) affords(last *Attempt, gas, feeCap uint64) bool {
	cost := l.committed()
	cost.Sub(cost, price(last.Gas, last.Cap)).Add(cost, price(gas, feeCap))
	return l.head.Account.Balance.Cmp(cost) >= 0
}

func (l *Lane) onReceipts(r Receipts) (out []Effect) {
	if l.head == nil {
		return nil
	}
	for _, nonce := range r.Asked {
		m := l.at(nonce)
		if m == nil {
			continue
		}
		in, found := r.Found[nonce]
		if !found {
			m.included = nil
			if m.missing == 0 && nonce < l.head.Account.Nonce {
				m.missing = r.At
			}
			continue
		}
		if m.included == nil && l.window < l.rules.Window {
			l.window++
		}
		m.included, m.missing, m.refused, m.again = &in, 0, Accepted, false
		out = append(out, l.report(int(nonce-l.State.Floor()), score.Included, in.Tx, in.Number)...)
	}
	return append(out, l.final()...)
}

func (l *Lane) onSent(s Sent) []Effect {
	m := l.at(s.Nonce)
	if m == nil || m.included != nil || l.State.Slot(s.Nonce).Last().Hash != s.Tx {
		return nil
	}
	m.sent, m.again, m.refused = s.Now, !s.Class.Taken(), Accepted
	if !s.Class.Taken() && !s.Class.Ambiguous() {
		m.refused = s.Class
	}
	switch {
	case s.Class.Taken():
		return l.report(int(s.Nonce-l.State.Floor()), score.Submitted, s.Tx, 0)
	case s.Class == PoolFull:
		l.window = max(1, l.window/2)
	}
	return nil
}

// report tells a stage once.
func (l *Lane) report(i int, stage score.Stage, tx common.Hash, block uint64) []Effect {
	m := &l.live[i]
	if m.reported == stage && m.tx == tx && stage != score.Included {
		return nil
	}
	m.reported, m.tx = stage, tx
	return []Effect{Report{l.State.Slots[i].Nonce, stage, tx, block}}
}

func (l *Lane) onAppended(e Entry) ([]Effect, error) {
	if err := l.State.Apply(e); err != nil {
		return nil, err
	}
	switch {
	case e.Bind != nil:
		l.live = append(l.live, live{refused: Accepted})
		l.priced(&l.live[len(l.live)-1])
		return []Effect{Send{[]uint64{e.Bind.Nonce}}}, nil
	case e.Attempt != nil:
		m := l.at(e.Attempt.Nonce)
		m.bumps++
		m.refused = Accepted
		l.priced(m)
		return []Effect{Send{[]uint64{e.Attempt.Nonce}}}, nil
	case e.Settle != nil:
		l.live = l.live[1:]
	}
	return nil, nil
}

func (l *Lane) priced(m *live) {
	if l.head != nil {
		m.pricedAt, m.priced = l.head.Block.Number, l.head.Now
	}
}
