package lane

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/scorelay/scorelay/pkg/score"
)

const snapshotPart = score.MostStored

type partial struct {
	parts int
	next  int
	data  []byte
}

func (s *State) Snapshots() ([]Entry, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("couldn't encode the lane's state: %w", err)
	}
	var entries []Entry
	chunks := slices.Collect(slices.Chunk(data, snapshotPart))
	for i, chunk := range chunks {
		entries = append(entries, Entry{
			Version: Version, Epoch: s.Epoch, Snapshot: &Snapshot{Part: i, Parts: len(chunks), Data: chunk},
		})
	}
	return entries, nil
}

func (s *State) restore(e *Snapshot) error {
	if e.Part == 0 {
		s.partial = &partial{parts: e.Parts}
	}
	p := s.partial
	if p == nil || p.next != e.Part || p.parts != e.Parts {
		return fmt.Errorf("%w: part %d of a snapshot out of order", ErrCorrupt, e.Part)
	}
	p.data = append(p.data, e.Data...)
	if p.next++; p.next < p.parts {
		return nil
	}
	s.partial = nil
	var restored State
	if err := json.Unmarshal(p.data, &restored); err != nil {
		return fmt.Errorf("%w: snapshot: %w", ErrCorrupt, err)
	}
	for i := range restored.Slots {
		slot := &restored.Slots[i]
		if slot.Nonce != restored.FirstOpen()+uint64(i) || len(slot.Attempts) == 0 {
			return fmt.Errorf("%w: snapshot: slot %d is out of order, or has no attempt", ErrCorrupt, slot.Nonce)
		}
		for k := range slot.Attempts {
			if nonce := slot.Attempts[k].Nonce; nonce != slot.Nonce {
				return fmt.Errorf("%w: snapshot: slot %d has an attempt of nonce %d", ErrCorrupt, slot.Nonce, nonce)
			}
		}
	}
	*s = restored
	return nil
}
