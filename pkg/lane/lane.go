package lane

import (
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// Rules are a lane's settings.
type Rules struct {
	Fees        FeeRule
	Window      int           // slots that may wait for a block at once, 1 … 64
	MaxOpen     int           // slots that may be open at once, those in a block but not final included
	BumpBlocks  uint64        // blocks after which the lowest waiting slot is bumped, first and again
	Rebroadcast time.Duration // how often waiting attempts are handed out again
	MaxGas      uint64        // gas limit of a transaction
}

// Wait is a reason why a lane binds nothing new.
type Wait string

// The reasons. WaitNone means go on.
const (
	WaitNone     Wait = ""
	WaitHead     Wait = "head"     // no block seen yet, or none for a while
	WaitWindow   Wait = "window"   // enough slots are waiting for a block
	WaitFinality Wait = "finality" // enough slots are open
	WaitFunds    Wait = "funds"    // the balance does not cover another slot
	WaitCeiling  Wait = "ceiling"  // the market is above the fee ceiling
	WaitForeign  Wait = "foreign"  // somebody else uses the lane's key
	WaitBehind   Wait = "behind"   // the chain has fewer of our transactions than were final
	WaitRefused  Wait = "refused"  // nodes refuse the lane's transactions for a reason that price and time do not cure
	WaitContract Wait = "contract" // the contract refuses everything: role, pause, wrong address
	WaitOutcomes Wait = "outcomes" // the outcomes of a final transaction cannot be read
	WaitSigner   Wait = "signer"   // the key does not sign
	WaitNode     Wait = "node"     // no node answers what waiting work would do
	WaitStream   Wait = "stream"   // the stream or the journal cannot be read or written
	WaitJournal  Wait = "journal"  // the journal is nothing this process may go on with: a human has to look
)

// Waits lists all reasons, for metrics.
func Waits() []Wait {
	return []Wait{
		WaitHead, WaitWindow, WaitFinality, WaitFunds, WaitCeiling, WaitForeign, WaitBehind, WaitRefused, WaitContract,
		WaitOutcomes, WaitSigner, WaitNode, WaitStream, WaitJournal,
	}
}

// Lane is a State together with what this session knows of the chain: blocks, answers of nodes, receipts. Only State
// survives the session; the rest is learnt again. Its methods do no I/O.
type Lane struct {
	State *State

	rules   Rules
	head    *Head
	live    []live // parallel to State.Slots
	window  int
	foreign *sighting
	revived time.Time // when transactions of settled slots were last handed out
}

// live is what the session knows of one open slot.
type live struct {
	sent     time.Time // last handed out; zero never in this session
	again    bool      // hand out soon
	pricedAt uint64    // block at which the last attempt was priced
	priced   time.Time // when
	bumps    int
	refused  SendClass // how the last attempt was refused for certain; Accepted when it was not
	included *Inclusion
	missing  uint64 // block at which the nonce was used and no attempt had a receipt; 0 if not so
	reported score.Stage
	tx       common.Hash // of the report
}

// Inclusion is an attempt in a block.
type Inclusion struct {
	Tx        common.Hash
	Number    uint64
	BlockHash common.Hash
}

// sighting is a nonce of the account that our slots do not explain.
type sighting struct {
	nonce uint64
	block uint64
}

// New puts a session's memory beside a folded state.
func New(state *State, rules Rules) *Lane {
	l := &Lane{State: state, rules: rules, window: rules.Window, live: make([]live, len(state.Slots))}
	for i := range l.live {
		l.live[i].refused = Accepted
	}
	return l
}

// Head is the chain's newest block, seen from this lane.
type Head struct {
	Block   Block
	Final   Block   // the newest block beyond the finality rule
	Reorged uint64  // the lowest block number replaced since the last Head; 0 if none
	Account Account // of the lane's signer, as of Block
	Quote   Quote
	Now     time.Time
}

func (l *Lane) at(nonce uint64) *live {
	if l.State.Slot(nonce) == nil {
		return nil
	}
	return &l.live[nonce-l.State.Floor()]
}

// Waiting counts the slots that are open and not in a block.
func (l *Lane) Waiting() int {
	n := 0
	for i := range l.live {
		if l.live[i].included == nil {
			n++
		}
	}
	return n
}

// Inclusion tells in which block an open slot is; nil if in none that is known.
func (l *Lane) Inclusion(nonce uint64) *Inclusion {
	if m := l.at(nonce); m != nil {
		return m.included
	}
	return nil
}

// Last is the newest head; nil before the first.
func (l *Lane) Last() *Head { return l.head }

// Ready tells whether a new slot may be bound now, to a transaction of so much gas, and at what price.
func (l *Lane) Ready(gas uint64) (Fees, Wait) {
	if wait := l.Blocked(); wait != WaitNone {
		return Fees{}, wait
	}
	fees, ok := l.rules.Fees.First(l.head.Quote, gas)
	if !ok {
		return fees, WaitCeiling
	}
	if l.head.Account.Balance.Cmp(l.Need(gas, fees)) < 0 {
		return fees, WaitFunds
	}
	return fees, WaitNone
}

// Need is the balance, in wei, that another slot of so much gas takes at these fees: what is in flight can cost so much
// at most, with it.
func (l *Lane) Need(gas uint64, fees Fees) *big.Int {
	cost := l.committed()
	return cost.Add(cost, price(gas, fees.Cap))
}

// Blocked is the part of Ready that does not depend on gas.
func (l *Lane) Blocked() Wait {
	switch {
	case l.head == nil:
		return WaitHead
	case l.head.Account.Nonce < l.State.Floor():
		return WaitBehind
	case l.head.Account.Nonce > l.State.Next || l.foreignTook():
		return WaitForeign
	case slices.ContainsFunc(l.live, func(m live) bool { return m.included == nil && refusedForGood(m.refused) }):
		return WaitRefused
	case slices.ContainsFunc(l.live, func(m live) bool { return m.included == nil && m.refused == Funds }):
		return WaitFunds
	case l.Waiting() >= l.window:
		return WaitWindow
	case len(l.State.Slots) >= l.rules.MaxOpen:
		return WaitFinality
	}
	return WaitNone
}

// foreignTook tells whether a nonce of an open slot was used by none of our attempts, as far as can be seen.
func (l *Lane) foreignTook() bool {
	return slices.ContainsFunc(l.live, func(m live) bool { return m.missing != 0 })
}

func refusedForGood(c SendClass) bool {
	return c == Reserved || c == Invalid || c == FeeCapRPC
}

// committed is the most that the waiting slots can cost, in wei.
func (l *Lane) committed() *big.Int {
	sum := new(big.Int)
	for i := range l.State.Slots {
		if l.live[i].included == nil {
			last := l.State.Slots[i].Last()
			sum.Add(sum, price(last.Gas, last.Cap))
		}
	}
	return sum
}

func price(gas, perGas uint64) *big.Int {
	p := new(big.Int).SetUint64(gas)
	return p.Mul(p, new(big.Int).SetUint64(perGas))
}
