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

type Rules struct {
	Fees        FeeRule
	Window      int           // slots that may wait for a block, 1 … 64
	MaxOpen     int           // slots that may be open: waiting, or in a block
	BumpBlocks  uint64        // blocks between replacements of the lowest waiting transaction
	Rebroadcast time.Duration // interval of broadcasts of waiting attempts
	MaxGas      uint64        // gas limit of a transaction
	Keyless     bool          // the key is lost: attempts are broadcast, none is signed
}

// Wait is a reason why a lane stops assigning; WaitNone: it assigns.
type Wait string

const (
	WaitNone        Wait = ""
	WaitHead        Wait = "head"        // no block for a while, or none yet
	WaitAccount     Wait = "account"     // the signer's account or the gas price is unread
	WaitWindow      Wait = "window"      // as many slots wait for a block as the window allows
	WaitDelegated   Wait = "delegated"   // the delegated signer's one transaction waits for a block
	WaitUnincluded  Wait = "unincluded"  // the lowest transaction waits many blocks, though it pays the base fee
	WaitFinality    Wait = "finality"    // MaxOpen slots are open
	WaitFunds       Wait = "funds"       // the balance is too low for another slot
	WaitCeiling     Wait = "ceiling"     // the market exceeds the fee ceiling, or a usual update's cost MaxUpdate
	WaitUnderpriced Wait = "underpriced" // nodes repeatedly refuse the price
	WaitForeign     Wait = "foreign"     // a foreign transaction used a nonce, or seems to have
	WaitUnjournaled Wait = "unjournaled" // the journal lacks a transaction to the contract: an operator decides
	WaitBehind      Wait = "behind"      // the account shows fewer transactions than the lane settled
	WaitRefused     Wait = "refused"     // nodes refuse transactions for an unknown or lasting reason
	WaitContract    Wait = "contract"    // the contract refuses everything: role revoked, or wrong address
	WaitOutcomes    Wait = "outcomes"    // a final transaction's outcomes are unreadable
	WaitSigner      Wait = "signer"      // signing fails: a remote signer may be down or wrong
	WaitCut         Wait = "cut"         // the lane's key is lost
	WaitNode        Wait = "node"        // every node fails to simulate queued work
	WaitStream      Wait = "stream"      // the stream or the journal is unavailable
	WaitPaused      Wait = "paused"      // by an operator: the lane, or everything
	WaitHalted      Wait = "halted"      // accepting is halted, see package halt
	WaitJournal     Wait = "journal"     // the journal or a message is unusable
)

func Waits() []Wait {
	return []Wait{
		WaitHead, WaitAccount, WaitWindow, WaitDelegated, WaitUnincluded, WaitFinality, WaitFunds, WaitCeiling, WaitUnderpriced, WaitForeign, WaitUnjournaled, WaitBehind,
		WaitRefused, WaitContract, WaitOutcomes, WaitSigner, WaitCut, WaitNode, WaitStream, WaitPaused, WaitHalted, WaitJournal,
	}
}

// Lane is a State with the session's view of the chain.
type Lane struct {
	State *State

	rules  Rules
	view   *evidence.View // nil before the first
	slots  []slotView     // parallel to State.Slots
	window int            // slots that may wait for a block now, at most Rules.Window
	single uint64         // newest head at which nodes reported delegation; 0: never
	large  int            // bytes of the smallest attempt that an included cancellation replaced; 0: none
	begun  int            // consecutive account reads, at different blocks, with the same nonce
	doubt  bool           // a node's answer casts doubt on the account
}

type slotView struct {
	sent     time.Time // last broadcast in this session; zero: never
	taken    bool      // a pool has the last attempt
	again    bool      // to be broadcast again after resendPause
	pricedAt uint64    // block at which the last attempt was priced
	priced   time.Time // View.Now at pricedAt
	replaced int
	refused  txpool.Class // why all nodes refused the last attempt, or some for roundsUntaken rounds; else Added
	gas      uint64       // Sent.Gas
	minTip   uint64       // Sent.MinTip
	cheap    int          // price refusals in a row
	counted  uint64       // newest head counted in late
	late     uint64       // heads at which the slot was the lowest waiting one and its attempt paid the base fee
	dropped  uint64       // nonempty heads of late at which a node had the attempt and it paid the market's tip
	untaken  int          // answers since the last clear one that leave open whether a node has the attempt
	included *evidence.Included
	reported score.Stage
	tx       common.Hash
}

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

// Lowest returns the lowest slot that waits for a block, or nil.
func (l *Lane) Lowest() *Slot {
	if i := slices.IndexFunc(l.slots, func(v slotView) bool { return v.included == nil }); i >= 0 {
		return &l.State.Slots[i]
	}
	return nil
}

func (l *Lane) InFlight() int {
	n := 0
	for i := range l.slots {
		if l.slots[i].included == nil {
			n++
		}
	}
	return n
}

// WaitingGas returns the highest gas limit of a waiting batch; 0 without one.
func (l *Lane) WaitingGas() (most uint64) {
	for i := range l.slots {
		if slot := &l.State.Slots[i]; l.slots[i].included == nil && slot.Work.Kind == Updates {
			most = max(most, slot.Last().Gas)
		}
	}
	return most
}

func (l *Lane) Keyless() bool { return l.rules.Keyless }

// Unused reports whether, as far as known, every pending nonce is unused.
func (l *Lane) Unused() bool {
	return l.view != nil && l.view.HasAccount() && l.view.Account.Nonce <= l.State.FirstOpen() && l.InFlight() == len(l.slots)
}

// Included returns the block and receipt of a pending transaction; nil if unknown.
func (l *Lane) Included(nonce uint64) *evidence.Included {
	if v := l.at(nonce); v != nil {
		return v.included
	}
	return nil
}

// Reported returns the session's last report about a nonce, if any.
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

func (l *Lane) View() *evidence.View { return l.view }

// TakeNeeds reports whether the lane needs the account at the head, and at a final block. It clears doubt.
func (l *Lane) TakeNeeds() (account, final bool) {
	account, l.doubt = l.doubt, false
	if l.view == nil || !l.view.HasAccount() {
		return true, false
	}
	behind := l.behind()
	for i := range l.State.Slots {
		if n := l.State.Slots[i].Nonce; l.slots[i].included == nil && l.endsByAccount(&l.State.Slots[i]) && n < l.view.Account.Nonce {
			final = true
		}
	}
	return account || final || behind || l.Blocked() == WaitForeign || l.State.First == nil || l.State.Untried(), final || behind
}

// Ready returns the price of a new slot with this gas limit and size in bytes, or the reason to wait.
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

// Need returns the balance, wei, that covers the waiting transactions and one more at these fees. With gas = 0 and
// bytes = 0 it covers the waiting ones alone.
func (l *Lane) Need(gas uint64, bytes int, fees Fees) *big.Int {
	cost := l.committed()
	if bytes > 0 {
		cost.Add(cost, l.view.Price.L1(bytes))
	}
	return cost.Add(cost, price(gas, fees.Cap))
}

// Blocked returns the reason to wait that holds for a new slot of any gas limit and size, or WaitNone.
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
	case l.rules.Keyless || l.State.Abandoned: // a replica that missed the cut still has the key: not Keyless
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

// behind reports whether the account shows fewer transactions than the lane settled up to the account's block.
func (l *Lane) behind() bool { return l.lacks(&l.view.Account) }

func (l *Lane) lacks(a *evidence.Account) bool {
	settled := l.State.FirstOpen()
	for i := len(l.State.Past) - 1; i >= 0 && l.State.Past[i].Block.Number > a.At.Number; i-- {
		settled = l.State.Past[i].Nonce
	}
	return a.Nonce < settled
}

// endsByAccount reports whether a final account that shows the nonce used may end the slot. Below a Resume,
// Lane.final also requires that evidence.View.Unfound is the nonce.
func (l *Lane) endsByAccount(slot *Slot) bool {
	return slot.Work.Kind == NonceOnly || slot.Nonce < l.State.Resumed
}

// delegated reports whether nodes recently reported the signer as delegated (EIP-7702). They accept one of its
// transactions at a time.
func (l *Lane) delegated() bool {
	return l.single > 0 && l.view.Head.Number <= l.single+delegatedFor
}

// refusals is how many price refusals in a row stop assignments. A passing rise of the base fee causes fewer.
const refusals = 3

// beginHeads is how many account reads in a row must show the same nonce to make it the lane's first. A proved
// account suffices alone. This makes a wrong first nonce rare; fillGap corrects it later.
const beginHeads = 3

func (l *Lane) begins() bool { return l.view.Account.Proved || l.begun >= beginHeads }

func (l *Lane) foreignTook() bool {
	for nonce := range l.view.Foreign {
		if v := l.at(nonce); v != nil && v.included == nil {
			return true
		}
	}
	return false
}

// unjournaled reports whether the view has a transaction of the signer to the contract that the journal lacks. NATS
// was then restored from a backup, or the key is used elsewhere. Until the lane's first transaction is final, calls
// of another deployment's contract count, too, since both deployments would compete for nonces. An abandoned lane is
// exempt: its work was given away, the key may be stolen, and its attempts may still be executed.
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

// refusedForGood reports whether the last refusal outlasts time and higher prices. Oversized work counts only while
// some node may have the bytes, since replacement may then refuse to cancel the work.
func (v *slotView) refusedForGood() bool {
	switch v.refused {
	case txpool.Reserved, txpool.Invalid, txpool.FeeCapRPC, txpool.Unknown:
		return true
	case txpool.TooBig, txpool.BadGas:
		return v.untaken > 0
	}
	return false
}

// judge classifies an answer; known is false while some node may have the bytes. A node that leaves this open in
// every round, such as a read-only one, hides other nodes' refusals. So after roundsUntaken rounds judge returns the
// refusal. Another attempt is harmless, since the nonce is the same.
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

// committed returns the most that the waiting transactions can cost, in wei.
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
