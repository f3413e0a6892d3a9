package lane

import (
	"cmp"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// Event is an input of the lane: a View, Sent or Appended.
type Event interface{ event() }

type View evidence.View

// Sent is the nodes' joint answer to the last attempt of a slot.
type Sent struct {
	Nonce   uint64
	Tx      common.Hash
	Class   txpool.Class
	Refused txpool.Class // as in txpool.Result
	Gas     uint64       // gas limit for another attempt, if this one's was too low; 0: unknown
	MinTip  uint64       // as in txpool.Result
	Now     time.Time
}

// Appended is an entry that is about to be stored in the journal. If that fails, the session ends and discards its
// State.
type Appended struct{ Entry Entry }

func (View) event()     {}
func (Sent) event()     {}
func (Appended) event() {}

// Effect is an action that package relay carries out, in Step's order.
type Effect interface{ effect() }

// SettleSlot orders the report of the slot's outcomes, and its Settle entry, since the transaction that used the
// nonce is final. Foreign is nil if that is the lane's own. Foreign.Tx is nil if only the account shows the use.
type SettleSlot struct {
	Nonce   uint64
	Foreign *evidence.Found
}

type SkipNonces struct{ Skip Skip }

// ReopenSlot orders a Reopen entry. With Fill, the nonce gets a new empty transaction, since the lane has none to send
// again: the lost transaction was another sender's, or the nonce is below the lane's first.
type ReopenSlot struct {
	Nonce uint64
	Fill  bool
	Fees  Fees // of the fill
}

// Replace orders another attempt for the slot: sign it and journal a Replacement.
type Replace struct {
	Nonce  uint64
	Fees   Fees
	Gas    uint64
	Cancel bool // empty calldata: it uses the nonce and frees the work
	Reason string
}

// Send orders the broadcast of the slots' last attempts, in order.
type Send struct{ Nonces []uint64 }

type Report struct {
	Nonce uint64
	Stage score.Stage
	Tx    common.Hash
	Block uint64 // 0 unless Stage is score.Included
}

func (SettleSlot) effect() {}
func (SkipNonces) effect() {}
func (ReopenSlot) effect() {}
func (Replace) effect()    {}
func (Send) effect()       {}
func (Report) effect()     {}

// Step applies an event and returns the effects, deterministically. It returns ErrCorrupt if an entry contradicts the
// state.
func (l *Lane) Step(e Event) ([]Effect, error) {
	switch e := e.(type) {
	case View:
		return l.onView(evidence.View(e)), nil
	case Sent:
		return l.onSent(e), nil
	case Appended:
		return l.onAppended(e.Entry)
	}
	return nil, nil
}

func (l *Lane) onView(v evidence.View) (out []Effect) {
	if l.view != nil && l.view.HasAccount() && v.Account.Nonce == l.view.Account.Nonce {
		if v.Account.At != l.view.Account.At {
			l.begun++
		}
	} else {
		l.begun = 1
	}
	l.view = &v
	if out = l.reopen(); len(out) > 0 {
		return out // the next head sees these slots as open
	}
	out = l.locate()
	out = append(out, l.final()...)
	out = append(out, l.skip()...)
	return append(out, l.push()...)
}

// reopen reopens settled transactions after a reorg deeper than the finality rule. All other effects wait for the
// next head, since later nonces depend on the reopened ones. The nonce of a foreign transaction gets an empty one.
func (l *Lane) reopen() (out []Effect) {
	fees, affordable := l.rules.Fees.First(l.view.Price, CancelGas)
	affordable = affordable && l.view.Priced() && !l.rules.Keyless
	lowest, past := l.State.FirstOpen(), l.State.Past
	from := l.fillableFrom()
	if i := slices.IndexFunc(l.view.Reorged, func(nonce uint64) bool { return nonce >= from }); i >= 0 {
		lowest = min(lowest, l.view.Reorged[i])
	}
	if at := &l.view.FinalAccount; at.Proved && l.lacks(at) && l.behind() { // a proof refutes the settlement
		lowest = min(lowest, max(at.Nonce, from))
	}
	for i := len(past) - 1; i >= 0 && past[i].Nonce >= lowest; i-- {
		fill := past[i].Attempt(past[i].Tx) == nil
		if fill && !affordable {
			break
		}
		out = append(out, ReopenSlot{Nonce: past[i].Nonce, Fill: fill, Fees: fees})
	}
	return append(out, l.fillGap(fees, affordable)...)
}

// fillableFrom returns the lowest nonce that may be reopened. If Keyless, it is above the settled nonces that need a
// fill, since a fill has to be signed; else 0.
func (l *Lane) fillableFrom() (from uint64) {
	for i := range l.State.Past {
		if p := &l.State.Past[i]; l.rules.Keyless && p.Attempt(p.Tx) == nil {
			from = p.Nonce + 1
		}
	}
	return from
}

// maxGap is the most nonces filled on an unproved account, fillAtOnce the most at one head.
const (
	maxGap     = 1024
	fillAtOnce = 64
)

// fillGap fills unused nonces below the lane's first with empty transactions. Such a gap exists if the account that
// gave the first nonce was a lie, or its block was reorged away. If an endpoint only claims such a gap, nodes refuse
// the empty transactions, and the slots end when a final account shows their nonces used.
func (l *Lane) fillGap(fees Fees, affordable bool) (out []Effect) {
	s, at := l.State, l.view.FinalAccount
	if s.First != nil && s.FirstOpen() != *s.First || at.Balance == nil || !affordable || !l.behind() {
		return nil
	}
	if at.Nonce >= s.FirstOpen() || s.FirstOpen()-at.Nonce > maxGap && !at.Proved {
		return nil
	}
	for nonce := s.FirstOpen(); nonce > max(at.Nonce, s.FirstOpen()-min(s.FirstOpen(), fillAtOnce)); nonce-- {
		out = append(out, ReopenSlot{Nonce: nonce - 1, Fill: true, Fees: fees})
	}
	return out
}

func (l *Lane) locate() (out []Effect) {
	for i := range l.State.Slots {
		v, slot := &l.slots[i], &l.State.Slots[i]
		var in *evidence.Included
		for k := range slot.Attempts {
			if found, ok := l.view.Included[slot.Attempts[k].Hash]; ok {
				in = &found
				break
			}
		}
		switch {
		case in == nil && v.included != nil:
			v.included, v.again, v.taken = nil, true, false
			out = append(out, l.report(i, score.Submitted, slot.Last().Hash, 0)...)
		case in != nil && (v.included == nil || v.included.Tx != in.Tx || v.included.Block != in.Block):
			if v.included == nil && l.window < l.rules.Window && !l.delegated() {
				l.window++
			}
			if first := len(slot.Attempts[0].Raw); slot.Attempt(in.Tx).Cancel && (l.large == 0 || first < l.large) {
				l.large = first
			} else if !slot.Attempt(in.Tx).Cancel && first >= l.large {
				l.large = 0 // an attempt of that size was included
			}
			v.included, v.refused, v.untaken, v.cheap, v.late, v.dropped, v.again = in, txpool.Added, 0, 0, 0, 0, false
			out = append(out, l.report(i, score.Included, in.Tx, in.Block.Number)...)
		}
	}
	return out
}

// Example: slots 7 and 8 are broadcast, Next is 9, and in block 120 an unjournaled transaction X of the signer uses
// nonce 7.
//
//   1. A node answers "nonce too low". onSent sets doubt, TakeNeeds asks for the account, and its nonce is 8. Package
//      heads finds X in full blocks and reports View.Foreign[7]. The lane stops assigning (WaitForeign) and
//      broadcasting slot 7, while slot 8 continues.
//   2. If X does not call the contract, final emits SettleSlot{7, X} when block 120 is final. Settle{7, foreign}
//      queues the work, which slot 9 carries.
//   3. If X calls the contract, the journal may be an older copy that lacks X. Slot 7 stays open, and the lane halts
//      (WaitUnjournaled). "lanes resume --below 8" appends Open and Resume{8}, which fences the session. The next one
//      finds X again and settles slot 7 as in 2. The effect of X on updates is only in its event, which the ledger
//      contains.
//   4. If all blocks that can hold X lack it (View.Unfound is 7), slot 7 stays open. With Resume{8} it ends as
//      foreign when the account at a final block has nonce 8.

// final settles, in order, the lowest slots with a nonce used in a final block.
func (l *Lane) final() (out []Effect) {
	if l.view.Final == (evidence.Ref{}) {
		return nil
	}
	for i := range l.State.Slots {
		slot := &l.State.Slots[i]
		if in := l.slots[i].included; in != nil {
			if in.Block.Number > l.view.Final.Number {
				return out
			}
			out = append(out, SettleSlot{Nonce: slot.Nonce})
			continue
		}
		found, ok := l.view.Foreign[slot.Nonce]
		switch {
		case ok && found.Block.Number <= l.view.Final.Number && !l.unjournaled():
			out = append(out, SettleSlot{Nonce: slot.Nonce, Foreign: &found})
		case !ok && l.endsByAccount(slot) && l.view.FinalAccount.Nonce > slot.Nonce &&
			(slot.Work.Kind == NonceOnly || l.view.Unfound != nil && *l.view.Unfound == slot.Nonce):
			out = append(out, SettleSlot{Nonce: slot.Nonce, Foreign: &evidence.Found{Block: l.view.FinalAccount.At}})
		default:
			return out
		}
	}
	return out
}

// skip moves Next over foreign nonces. At the journal's beginning it trusts the account. Later it requires the
// foreign transactions in final blocks, since a nonce skipped in error is a gap that blocks all later ones.
func (l *Lane) skip() []Effect {
	s, used := l.State, l.view.Account.Nonce
	if !l.view.HasAccount() || used <= s.Next || len(s.Slots) > 0 {
		return nil
	}
	if s.First == nil {
		if !l.begins() {
			return nil
		}
		return []Effect{SkipNonces{Skip{Next: used}}}
	}
	if l.unjournaled() {
		return nil
	}
	skip := Skip{Next: s.Next}
	for ; skip.Next < used; skip.Next++ {
		found, ok := l.view.Foreign[skip.Next]
		if !ok || found.Block.Number > l.view.Final.Number {
			break
		}
		skip.Used = append(skip.Used, Used{found.Tx.Hash(), found.Block})
	}
	if skip.Next == s.Next {
		return nil
	}
	return []Effect{SkipNonces{skip}}
}

// push replaces waiting attempts that pay too little, and broadcasts all waiting ones when one is due.
func (l *Lane) push() (out []Effect) {
	due := false
	var waiting []int
	for i := range l.State.Slots {
		v := &l.slots[i]
		if v.included != nil || l.view.Foreign[l.State.Slots[i].Nonce].Tx != nil {
			continue
		}
		waiting = append(waiting, i)
		unsent := l.view.Now.Sub(v.sent)
		due = due || unsent >= l.rules.Rebroadcast || v.again && unsent >= resendPause
	}
	var send []uint64
	for k, i := range waiting {
		if replace, ok := l.replacement(i, k == 0); ok {
			out = append(out, replace) // onAppended sends it
			continue
		}
		if due && (k == 0 || l.window > 1 || l.single == 0) { // nodes take only one transaction of a delegated signer
			send = append(send, l.State.Slots[i].Nonce)
		}
	}
	if len(send) > 0 {
		out = append(out, Send{send})
	}
	return out
}

// replacement decides whether a waiting slot gets another attempt now, at most one per block. A refused attempt is
// also replaced after Rules.Rebroadcast in the same block, since some chains make blocks only for transactions.
func (l *Lane) replacement(i int, lowest bool) (Replace, bool) {
	slot, v := &l.State.Slots[i], &l.slots[i]
	last, block, market := slot.Last(), l.view.Head.Number, l.view.Price
	if v.pricedAt == 0 {
		v.pricedAt, v.priced = block, l.view.Now // priced before the session's first head: it waits from here on
	}
	if !l.view.Priced() || !l.view.HasAccount() || l.view.Account.Nonce > slot.Nonce || l.rules.Keyless {
		return Replace{}, false // the price or the key is missing, or the nonce seems used
	}
	if lowest {
		l.countHead(v, last)
	}
	if block <= v.pricedAt && (v.refused == txpool.Added || l.view.Now.Sub(v.priced) < l.rules.Rebroadcast) {
		return Replace{}, false
	}
	b := Replace{Nonce: slot.Nonce, Gas: last.Gas, Cancel: last.Cancel}
	switch {
	case v.refused == txpool.BadGas && last.Gas < l.rules.MaxGas:
		b.Gas, b.Reason = cmp.Or(v.gas, min(last.Gas+last.Gas/4+1, l.rules.MaxGas)), "gas"
	case (v.refused == txpool.TooBig || v.refused == txpool.BadGas) && !last.Cancel && (v.untaken == 0 || slot.Work.Tries == 0):
		b.Gas, b.Cancel, b.Reason = CancelGas, true, "cancel"
	case v.refused == txpool.FeeLow:
		b.Reason = v.refused.String()
		market = l.rules.Fees.atLeast(market, v.minTip)
	case v.refused == txpool.ReplacementUnderpriced && v.replaced < maxReplacements:
		b.Reason = v.refused.String()
	case lowest && (v.taken || v.refused == txpool.Unknown || v.refused == txpool.ReplacementUnderpriced) && block >= v.pricedAt+l.rules.BumpBlocks && !l.behind():
		b.Reason = "slow" // a node may have it, so probably the price keeps it out of the blocks
		market = l.rules.Fees.atLeast(market, v.minTip)
		if l.dropped(slot, v) {
			b.Gas, b.Cancel, b.Reason = CancelGas, true, "dropped"
		}
	case !market.Legacy && last.Cap < market.BaseFee:
		b.Reason = "base_fee"
	default:
		return Replace{}, false
	}
	fees, ok := l.priceOf(&b, v, last, market)
	if !ok && b.Reason == "gas" && v.untaken == 0 && !last.Cancel { // at the ceiling: another slot shall carry it
		b.Gas, b.Cancel, b.Reason = CancelGas, true, "cancel"
	}
	if !ok && b.Cancel && !last.Cancel {
		// At the ceiling, the cancellation pays the same, since a node that refused the work's bytes holds at most a
		// cheaper attempt.
		fees, ok = Fees{Tip: last.Tip, Cap: last.Cap}, true
	}
	if !ok || !l.affords(last, b.Gas, fees.Cap) {
		return Replace{}, false
	}
	b.Fees = fees
	return b, true
}

func (l *Lane) countHead(v *slotView, last *Attempt) {
	market := l.view.Price
	if l.view.Head.Number <= v.counted || v.cheap > 0 || last.Cap < market.BaseFee {
		return
	}
	v.counted = l.view.Head.Number
	v.late++
	tip := l.rules.Fees.market(market).Tip
	// Near the ceiling, the cap leaves room for a lower tip than last.Tip.
	pays := last.Tip >= max(tip, v.minTip) && (market.Legacy || last.Cap >= add(market.BaseFee, tip))
	if v.taken && pays && l.view.Head.GasUsed > 0 {
		v.dropped++
	}
}

// priceOf prices another attempt, which must outbid the last one only if a pool may hold the last one. ok is false if
// the ceiling prevents it.
func (l *Lane) priceOf(b *Replace, v *slotView, last *Attempt, market evidence.Price) (fees Fees, ok bool) {
	paid, rule, untaken := Fees{Tip: last.Tip, Cap: last.Cap}, &l.rules.Fees, v.untaken == 0
	switch {
	case b.Reason == "gas" && untaken:
		return rule.again(paid, b.Gas)
	case v.refused == txpool.FeeLow && untaken && !v.taken:
		return rule.reprice(paid, market, b.Gas, v.minTip)
	}
	fees, ok = rule.Replacement(paid, market, b.Gas)
	if !ok && v.refused == txpool.FeeLow { // no room for outbidding
		return rule.reprice(paid, market, b.Gas, v.minTip)
	}
	return fees, ok
}

// dropped reports whether something other than the price keeps the slot's last attempt out of blocks, such as a node
// that accepts large transactions and drops them. Once the cancellation is final, the work goes again in halves.
// Empty blocks are ignored: the chain may be the cause, and a cancellation alone in a block would set the market's
// price for other relayers. Attempts as large as one cancelled before are recognized sooner. Excluded are single
// updates, signed groups, and work that an earlier transaction failed to carry. They would be given up after some
// tries, on an endpoint's word.
func (l *Lane) dropped(slot *Slot, v *slotView) bool {
	last := slot.Last()
	if last.Cancel || slot.Work.Kind != Updates || slot.Work.Count < 2 || slot.Work.Whole || slot.Work.Tries > 0 {
		return false
	}
	if l.large > 0 && len(last.Raw) >= l.large {
		return v.dropped >= l.rules.BumpBlocks
	}
	return v.dropped >= l.patience()
}

func (l *Lane) patience() uint64 { return patienceBumps * l.rules.BumpBlocks }

// CancelGas is the gas of a transfer to oneself.
const CancelGas = 21_000

const (
	resendPause     = 500 * time.Millisecond // before an untaken attempt is broadcast again
	maxReplacements = 3                      // raises against an unknown transaction, before the pace of BumpBlocks
	patienceBumps   = 4                      // intervals of BumpBlocks before another cause than the price is assumed
	delegatedFor    = 256                    // blocks after which delegation is tested again
	roundsUntaken   = 6                      // rounds of mixed answers before their refusal counts
)

func (l *Lane) affords(last *Attempt, gas, feeCap uint64) bool {
	cost := l.committed()
	cost.Sub(cost, price(last.Gas, last.Cap)).Add(cost, price(gas, feeCap))
	return l.view.Account.Balance.Cmp(cost) >= 0
}

func (l *Lane) onSent(s Sent) []Effect {
	v := l.at(s.Nonce)
	if v == nil || v.included != nil || l.State.Slot(s.Nonce).Last().Hash != s.Tx {
		return nil
	}
	v.sent, v.again, v.refused, v.taken, v.gas, v.minTip = s.Now, !s.Class.Taken(), txpool.Added, v.taken || s.Class.Taken(), s.Gas, s.MinTip
	class, known := v.judge(s)
	if known && !class.Taken() {
		v.refused = class
	}
	switch {
	case class.Taken():
		v.cheap = 0
		return l.report(int(s.Nonce-l.State.FirstOpen()), score.Submitted, s.Tx, 0)
	// Refusals of an attempt below the base fee are left out, since it only waits.
	case known && class == txpool.FeeLow && (l.view == nil || l.State.Slot(s.Nonce).Last().Cap >= l.view.Price.BaseFee):
		v.cheap++
	case class == txpool.Delegated:
		l.window = 1
		if l.view != nil {
			l.single = l.view.Head.Number
		}
	case class == txpool.Full:
		l.window = max(1, l.window/2)
	case class == txpool.NonceLow || class == txpool.NonceHigh || class == txpool.Funds:
		l.doubt = true
	}
	return nil
}

// report omits NonceOnly slots, and repetitions of the last report unless the stage is Included.
func (l *Lane) report(i int, stage score.Stage, tx common.Hash, block uint64) []Effect {
	v := &l.slots[i]
	if v.reported == stage && v.tx == tx && stage != score.Included || l.State.Slots[i].Work.Kind == NonceOnly {
		return nil
	}
	v.reported, v.tx = stage, tx
	return []Effect{Report{l.State.Slots[i].Nonce, stage, tx, block}}
}

func (l *Lane) onAppended(e Entry) ([]Effect, error) {
	if err := l.State.Apply(e); err != nil {
		return nil, err
	}
	switch {
	case e.Bind != nil:
		l.slots = append(l.slots, slotView{refused: txpool.Added})
		l.priced(&l.slots[len(l.slots)-1])
		return []Effect{Send{[]uint64{e.Bind.Nonce}}}, nil
	case e.Replacement != nil:
		v := l.at(e.Replacement.Nonce)
		v.replaced++
		v.refused, v.taken, v.untaken = txpool.Added, false, 0
		l.priced(v)
		return []Effect{Send{[]uint64{e.Replacement.Nonce}}}, nil
	case e.Settle != nil:
		l.slots = l.slots[1:]
	case e.Abandon != nil:
		l.slots = nil
	case e.Reopen != nil:
		l.slots = append([]slotView{{refused: txpool.Added, again: true}}, l.slots...)
	}
	return nil, nil
}

func (l *Lane) priced(v *slotView) {
	if l.view != nil {
		v.pricedAt, v.priced = l.view.Head.Number, l.view.Now
	}
}
