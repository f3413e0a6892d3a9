package lane

import (
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// Past is a settled slot, kept to reopen it if the chain loses its block, since any of its attempts may then be
// executed. If Tx failed to carry the slot's work, Work.Kind is NonceOnly.
type Past struct {
	Slot
	Tx    common.Hash  `json:"tx"` // used the nonce; may be foreign, and is zero if unknown
	Block evidence.Ref `json:"block"`
}

// Bounds of State.Past, enough for some blocks full of a lane's transactions.
const (
	maxPast      = 1024
	maxPastBytes = 8 << 20
)

func (s *State) remember(p Past) {
	p.Work.Trace = nil // the trace ended with the slot
	s.Past = append(s.Past, p)
	bytes := 0
	for i := len(s.Past) - 1; i >= 0; i-- {
		if bytes += s.Past[i].size(); bytes > maxPastBytes || len(s.Past)-i > maxPast {
			s.Past = slices.Clone(s.Past[i+1:])
			return
		}
	}
}

func (s *State) reopen(e *Reopen) error {
	floor := s.FirstOpen()
	if floor == 0 || e.Nonce != floor-1 {
		return fmt.Errorf("%w: slot %d opened again, where the lowest open one is %d", ErrCorrupt, e.Nonce, floor)
	}
	past, first := s.Past, s.First
	slot := Slot{Nonce: e.Nonce, Work: Work{Kind: NonceOnly}}
	var executed *Attempt
	switch last := len(past) - 1; {
	case last >= 0 && past[last].Nonce == e.Nonce:
		slot = past[last].Slot
		executed = slot.Attempt(past[last].Tx)
		past = past[:last]
	case first != nil && e.Nonce >= *first:
		return fmt.Errorf("%w: slot %d opened again, which the journal does not know", ErrCorrupt, e.Nonce)
	default:
		first = &e.Nonce
	}
	if executed == nil {
		fill, _, err := decodeAttempt(e.Raw)
		if err != nil {
			return err
		}
		if fill.Nonce != e.Nonce {
			return fmt.Errorf("%w: slot %d opened again with a transaction of nonce %d", ErrCorrupt, e.Nonce, fill.Nonce)
		}
		executed = &fill
	}
	others := slices.DeleteFunc(slices.Clone(slot.Attempts), func(a Attempt) bool { return a.Hash == executed.Hash })
	slot.Attempts, slot.Reopened = append(others, *executed), true
	s.Slots, s.Past, s.First = slices.Insert(s.Slots, 0, slot), past, first
	return nil
}
