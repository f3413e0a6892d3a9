package lane

import (
	"fmt"
	"slices"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// Past is a settled nonce: what a lane needs to open it again if the chain loses its block.
type Past struct {
	Nonce uint64       `json:"nonce"`
	Work  Work         `json:"work"`          // Nothing where it did not carry work, or that went to the queue
	Raw   []byte       `json:"raw,omitempty"` // the attempt that was executed; empty where a transaction that is not ours was
	Block evidence.Ref `json:"block"`
	// Others are the slot's other attempts: where the block is lost, one of them may be executed instead.
	Others [][]byte `json:"others,omitempty"`
	Since  uint64   `json:"since"`
}

// Data is the calldata of the work that the slot was bound with, though another transaction may have used the nonce; empty
// where it never carried any.
func (p *Past) Data() ([]byte, error) {
	for _, raw := range append([][]byte{p.Raw}, p.Others...) {
		if len(raw) == 0 {
			continue
		}
		tx, err := decodeTx(raw)
		if err != nil {
			return nil, err
		}
		if len(tx.Data()) > 0 {
			return tx.Data(), nil
		}
	}
	return nil, nil
}

// The bounds of State.Past: some blocks full of a lane's transactions.
const (
	maxPast      = 1024
	maxPastBytes = 8 << 20
)

// size is the bytes of transactions in it.
func (p *Past) size() int {
	n := len(p.Raw)
	for _, raw := range p.Others {
		n += len(raw)
	}
	return n
}

// remember keeps a settled nonce, within the bounds.
func (s *State) remember(p Past) {
	s.Past = append(s.Past, p)
	bytes := 0
	for i := len(s.Past) - 1; i >= 0; i-- {
		if bytes += s.Past[i].size(); bytes > maxPastBytes || len(s.Past)-i > maxPast {
			s.Past = slices.Clone(s.Past[i+1:])
			return
		}
	}
}

// reopen puts the nonce below the lowest open slot back among them.
func (s *State) reopen(e *Reopen) error {
	floor := s.Floor()
	if floor == 0 || e.Nonce != floor-1 {
		return fmt.Errorf("%w: slot %d opened again, where the lowest open one is %d", ErrCorrupt, e.Nonce, floor)
	}
	slot, raw := Slot{Nonce: e.Nonce, Work: Work{Kind: Nothing}, Reopened: true}, e.Raw
	last := len(s.Past) - 1
	known := last >= 0 && s.Past[last].Nonce == e.Nonce
	var others [][]byte
	switch {
	case known:
		slot.Work, slot.Since, others = s.Past[last].Work, s.Past[last].Since, s.Past[last].Others
		if len(s.Past[last].Raw) > 0 {
			raw = s.Past[last].Raw
		}
	case s.First != nil && e.Nonce >= *s.First:
		return fmt.Errorf("%w: slot %d opened again, which the journal does not know", ErrCorrupt, e.Nonce)
	}
	attempt, tx, err := decodeAttempt(raw)
	if err != nil {
		return err
	}
	if tx.Nonce() != e.Nonce {
		return fmt.Errorf("%w: slot %d opened again with a transaction of nonce %d", ErrCorrupt, e.Nonce, tx.Nonce())
	}
	if known {
		s.Past = s.Past[:last]
	} else {
		first := e.Nonce
		s.First = &first
	}
	for _, other := range others {
		a, _, err := decodeAttempt(other)
		if err != nil {
			return err
		}
		slot.Attempts = append(slot.Attempts, a)
	}
	slot.Attempts = append(slot.Attempts, attempt) // the last: the one to send
	s.Slots = slices.Insert(s.Slots, 0, slot)
	return nil
}
