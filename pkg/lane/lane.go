package lane

import (
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// Rules are a lane's settings.
type Rules struct {
	Fees        FeeRule
	Window      int           // slots that may wait for a block at once, 1 … 64
	MaxOpen     int           // slots that may be open at once, those in a block but not final included
	BumpBlocks  uint64        // blocks after which the lowest waiting slot is bumped, first and again
	Rebroadcast time.Duration // how often waiting attempts are broadcast again
	MaxGas      uint64        // gas limit of a transaction
	Keyless     bool          // the lane's key is lost: what is journaled is broadcast, and nothing more is signed
}

// Wait is a reason why a lane binds nothing new.
type Wait string

// The reasons. WaitNone means that it binds.
const (
	WaitNone        Wait = ""
	WaitHead        Wait = "head"        // no block seen yet, or none for a while
	WaitAccount     Wait = "account"     // the account of the lane's signer, or the price of gas, was not read yet
	WaitWindow      Wait = "window"      // enough slots are waiting for a block
	WaitDelegated   Wait = "delegated"   // the lane's signer is delegated, and its one transaction waits for a block
	WaitUnincluded  Wait = "unincluded"  // the lowest transaction is in no block for many blocks, though it pays the base fee
	WaitFinality    Wait = "finality"    // enough slots are open
	WaitFunds       Wait = "funds"       // the balance does not cover another slot
	WaitCeiling     Wait = "ceiling"     // the market is above the fee ceiling, or an update costs more than it may
	WaitUnderpriced Wait = "underpriced" // nodes refuse the lane's transactions for their price, again and again
	WaitForeign     Wait = "foreign"     // another transaction of the lane's signer used, or seems to have used, a nonce
	WaitUnjournaled Wait = "unjournaled" // a transaction of the lane's signer to the contract is not in its journal: an operator decides
	WaitBehind      Wait = "behind"      // the chain has fewer of our transactions than were final
	WaitRefused     Wait = "refused"     // nodes refuse the lane's transactions for a reason that price and time do not cure, or that is not known
	WaitContract    Wait = "contract"    // the contract refuses everything: the signer's role, or a wrong address
	WaitOutcomes    Wait = "outcomes"    // the outcomes of a final transaction cannot be read
	WaitSigner      Wait = "signer"      // the signer does not sign: a remote one may be away, or answer something else
	WaitCut         Wait = "cut"         // the lane was cut: its key is lost
	WaitNode        Wait = "node"        // no node answers what queued work would do
	WaitStream      Wait = "stream"      // the stream or the journal cannot be read or written
	WaitPaused      Wait = "paused"      // an operator paused the lane, or everything
	WaitHalted      Wait = "halted"      // accepting halts: NATS went back in time, an operator decides
	WaitJournal     Wait = "journal"     // the journal, or a message, is nothing this process may continue with: an operator has to look
)

// Waits lists all reasons, for metrics.
func Waits() []Wait {
	return []Wait{
		WaitHead, WaitAccount, WaitWindow, WaitDelegated, WaitUnincluded, WaitFinality, WaitFunds, WaitCeiling, WaitUnderpriced, WaitForeign, WaitUnjournaled, WaitBehind,
		WaitRefused, WaitContract, WaitOutcomes, WaitSigner, WaitCut, WaitNode, WaitStream, WaitPaused, WaitHalted, WaitJournal,
	}
}

// Lane is a State together with what this session knows of the chain: blocks, answers of nodes, receipts. Only State
// survives the session; the rest is learnt again. Its methods do no I/O.
type Lane struct {
	State *State

	rules  Rules
	view   *evidence.View // the newest; nil before the first
	slots  []slotView     // parallel to State.Slots
	window int
	single uint64 // the newest head at which nodes said that the signer is delegated; 0: never
	large  int    // bytes of the smallest attempt that a cancellation replaced which came into a block; 0: none
	begun  int    // views in a row with the same account, while the lane has no nonce yet
	doubt  bool   // a node's answer makes the account as last read doubtful
}

// slotView is what the session knows of one open slot.
type slotView struct {
	sent     time.Time    // last broadcast; zero never in this session
	taken    bool         // a node has the last attempt in its pool
	again    bool         // broadcast soon
	pricedAt uint64       // block at which the last attempt was priced
	priced   time.Time    // when
	replaced int          // how often
	refused  txpool.Class // how the last attempt was refused for certain, or by some for long; Added when it was not
	gas      uint64       // Sent.Gas of the last attempt
	minTip   uint64       // Sent.MinTip of the last attempt
	cheap    int          // how often in a row attempts were refused for their price
	counted  uint64       // the newest head that is counted in late
	late     uint64       // heads at which it was the lowest waiting slot, and its last attempt paid the base fee
	dropped  uint64       // of them those at which a node had taken that, and it paid the market's tip, too, and the block had transactions
	untaken  int          // rounds in a row in which some node refused the last attempt, and others left it open
	included *evidence.Included
	reported score.Stage
	tx       common.Hash // of the report
}

// New puts a session's memory beside a folded state.
func New(state *State, rules Rules) *Lane {
	l := &Lane{State: state, rules: rules, window: rules.Window, slots: make([]slotView, len(state.Slots))}
	for i := range l.slots {
		l.slots[i].refused = txpool.Added
	}
	return l
}

func (l *Lane) at(nonce uint64) *slotView {
	if l.State.Slot(nonce) == nil {
		return nil
	}
	return &l.slots[nonce-l.State.FirstOpen()]
}

// Lowest is the lowest slot that is in no block; nil if there is none.
func (l *Lane) Lowest() *Slot {
	if i := slices.IndexFunc(l.slots, func(v slotView) bool { return v.included == nil }); i >= 0 {
		return &l.State.Slots[i]
	}
	return nil
}

// InFlight counts the slots that are open and not in a block.
func (l *Lane) InFlight() int {
	n := 0
	for i := range l.slots {
		if l.slots[i].included == nil {
			n++
		}
	}
	return n
}

// WaitingGas is the most gas that a batch asks for that is not in a block; 0 without one.
func (l *Lane) WaitingGas() (most uint64) {
	for i := range l.slots {
		if slot := &l.State.Slots[i]; l.slots[i].included == nil && slot.Work.Kind == Updates {
			most = max(most, slot.Last().Gas)
		}
	}
	return most
}

// Keyless tells whether nothing is signed for the lane.
func (l *Lane) Keyless() bool { return l.rules.Keyless }

// Unused tells whether no nonce of an open slot was used up to the head, as far as is known.
func (l *Lane) Unused() bool {
	return l.view != nil && l.view.HasAccount() && l.view.Account.Nonce <= l.State.FirstOpen() && l.InFlight() == len(l.slots)
}

// Included tells in which block an open slot is, with the receipt; nil if in none that is known.
func (l *Lane) Included(nonce uint64) *evidence.Included {
	if v := l.at(nonce); v != nil {
		return v.included
	}
	return nil
}

// Reported is what was reported of an open slot last in this session; false if nothing was.
func (l *Lane) Reported(nonce uint64) (Report, bool) {
	v := l.at(nonce)
	if v == nil || v.reported == 0 {
		return Report{}, false
	}
	r := Report{Nonce: nonce, Stage: v.reported, Tx: v.tx}
	if v.reported == score.Included && v.included != nil {
		r.Block = v.included.Block.Number
	}
	return r, true
}

// View is how the chain looked last; nil before the first.
func (l *Lane) View() *evidence.View { return l.view }

// TakeNeeds tells what the lane needs to be read of the chain soon: the account at the head, and the account as of a final
// block. It forgets a doubt that an answer of a node raised, so that this is told once.
func (l *Lane) TakeNeeds() (account, final bool) {
	account, l.doubt = l.doubt, false
	if l.view == nil || !l.view.HasAccount() {
		return true, false
	}
	behind := l.behind()
	for i := range l.State.Slots { // those that a final account ends
		if n := l.State.Slots[i].Nonce; l.slots[i].included == nil && l.endsByAccount(&l.State.Slots[i]) && n < l.view.Account.Nonce {
			final = true
		}
	}
	return account || final || behind || l.Blocked() == WaitForeign || l.State.First == nil || l.State.Untried(), final || behind
}

// Ready tells whether a new slot may be bound now, to a transaction of so much gas and so many bytes, and at what price.
func (l *Lane) Ready(gas uint64, bytes int) (Fees, Wait) {
	if wait := l.Blocked(); wait != WaitNone {
		return Fees{}, wait
	}
	fees, ok := l.rules.Fees.First(l.view.Price, gas)
	if !ok || l.rules.Fees.tooDear(l.view.Price) {
		return fees, WaitCeiling
	}
	if l.view.Account.Balance.Cmp(l.Need(gas, bytes, fees)) < 0 {
		return fees, WaitFunds
	}
	return fees, WaitNone
}

// Need is the balance, in wei, that another slot of so much gas and so many bytes takes at these fees: what is in flight can cost so
// much at most, with it. No bytes: what is in flight alone.
func (l *Lane) Need(gas uint64, bytes int, fees Fees) *big.Int {
	cost := l.committed()
	if bytes > 0 {
		cost.Add(cost, l.view.Price.L1(bytes))
	}
	return cost.Add(cost, price(gas, fees.Cap))
}

// Blocked is the part of Ready that does not depend on gas.
func (l *Lane) Blocked() Wait {
	unseen := func(v slotView) bool { return v.included == nil }
	switch {
	case l.view == nil:
		return WaitHead
	case !l.view.HasAccount() || !l.view.Priced() || l.State.First == nil && !l.begins():
		return WaitAccount
	case l.behind():
		return WaitBehind
	case l.unjournaled():
		return WaitUnjournaled
	case l.view.Account.Nonce > l.State.Next || l.foreignTook():
		return WaitForeign
	case l.rules.Keyless || l.State.Abandoned: // a replica that has not heard of the cut yet has the key still
		return WaitCut
	case slices.ContainsFunc(l.slots, func(v slotView) bool { return unseen(v) && v.refusedForGood() }):
		return WaitRefused
	case slices.ContainsFunc(l.slots, func(v slotView) bool { return unseen(v) && v.refused == txpool.Funds }):
		return WaitFunds
	case slices.ContainsFunc(l.slots, func(v slotView) bool { return v.cheap >= refusals }):
		return WaitUnderpriced
	case slices.ContainsFunc(l.slots, func(v slotView) bool { return v.late >= l.patience() }):
		return WaitUnincluded
	case l.InFlight() >= l.window && l.delegated():
		return WaitDelegated
	case l.InFlight() >= l.window:
		return WaitWindow
	case len(l.State.Slots) >= l.rules.MaxOpen:
		return WaitFinality
	}
	return WaitNone
}

// behind tells whether the account shows fewer transactions than the lane settled in blocks up to the one it is of.
func (l *Lane) behind() bool { return l.lacks(&l.view.Account) }

func (l *Lane) lacks(a *evidence.Account) bool {
	settled := l.State.FirstOpen()
	for i := len(l.State.Past) - 1; i >= 0 && l.State.Past[i].Block.Number > a.At.Number; i-- {
		settled = l.State.Past[i].Nonce
	}
	return a.Nonce < settled
}

// endsByAccount tells whether the slot ends when its nonce is used in the state of a final block, by any transaction: it
// carries nothing; or an operator accepted that, and all blocks that can hold the transaction were read, see evidence.View.
func (l *Lane) endsByAccount(slot *Slot) bool {
	return slot.Work.Kind == NonceOnly || slot.Nonce < l.State.Resumed
}

// delegated reports whether nodes said of late that the signer is delegated (EIP-7702): they take one transaction of it at a time.
func (l *Lane) delegated() bool {
	return l.single > 0 && l.view.Head.Number <= l.single+delegatedFor
}

// refusals in a row for the price of a slot's attempts are no passing rise of the base fee.
const refusals = 3

// beginHeads is how many heads in a row must show the same account before the lane's first nonce is taken from one that is
// not proved. A wrong one is corrected later, see Step; this only makes it rare.
const beginHeads = 3

// begins tells whether the account is known well enough for the lane's first nonce.
func (l *Lane) begins() bool { return l.view.Account.Proved || l.begun >= beginHeads }

// foreignTook tells whether a transaction that is not ours was seen with the nonce of an open slot.
func (l *Lane) foreignTook() bool {
	for nonce := range l.view.Foreign {
		if v := l.at(nonce); v != nil && v.included == nil {
			return true
		}
	}
	return false
}

// unjournaled tells whether a transaction of the signer to the contract was seen that the journal does not know: the
// journal is older than the chain, as after NATS was restored from a backup, or the key is used elsewhere. Of a lane that carried
// nothing yet one to another deployment's contract counts, too: the two would fight for the signer's nonces. Of an abandoned lane
// no operator has to decide about such: its work was given away, the key is the thief's, and what was declared dead may be executed after all.
func (l *Lane) unjournaled() bool {
	if l.State.Abandoned {
		return false
	}
	for nonce, found := range l.view.Foreign {
		to := found.Tx.To()
		if to == nil || nonce < max(l.State.FirstOpen(), l.State.Resumed) {
			continue
		}
		if *to == l.State.Identity.Contract || l.State.Untried() && registry.Relays(found.Tx.Data()) {
			return true
		}
	}
	return false
}

// refusedForGood tells whether price and time do not cure what the last attempt was refused for. While some node leaves it open
// whether it has the bytes, what is too big for others may not be cancelled, see replacement.
func (v *slotView) refusedForGood() bool {
	switch v.refused {
	case txpool.Reserved, txpool.Invalid, txpool.FeeCapRPC, txpool.Unknown:
		return true
	case txpool.TooBig, txpool.BadGas:
		return v.untaken > 0
	}
	return false
}

// judge tells what an answer means; known is false while some node may have the bytes. One that leaves that open round after
// round, such as one that only reads, or speaks of the nonce, does not hide forever what others refuse the bytes for: another attempt
// does no harm, since the nonce is the same.
func (v *slotView) judge(s Sent) (class txpool.Class, known bool) {
	known = !s.Class.Ambiguous()
	if known && s.Refused == txpool.Unknown {
		v.untaken = 0
		return s.Class, true
	}
	if s.Class == txpool.Unknown || s.Refused != txpool.Unknown {
		v.untaken++
	}
	if v.untaken < roundsUntaken || v.taken {
		return s.Class, known
	}
	return s.Refused, true
}

// committed is the most that the waiting slots can cost, in wei.
func (l *Lane) committed() *big.Int {
	sum := new(big.Int)
	for i := range l.State.Slots {
		if l.slots[i].included == nil {
			last := l.State.Slots[i].Last()
			sum.Add(sum, price(last.Gas, last.Cap))
			if l.view != nil {
				sum.Add(sum, l.view.Price.L1(len(last.Raw)))
			}
		}
	}
	return sum
}

func price(gas, perGas uint64) *big.Int {
	p := new(big.Int).SetUint64(gas)
	return p.Mul(p, new(big.Int).SetUint64(perGas))
}
