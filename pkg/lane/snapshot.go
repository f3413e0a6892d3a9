package lane

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/scorelay/scorelay/pkg/score"
)

// snapshotPart bounds the bytes of one part, so that an entry stays below 1 MB with base64 and header.
const snapshotPart = 512 << 10

// snapshotState is State as it is encoded: what the attempts say of themselves is left out.
type snapshotState struct {
	Identity Identity       `json:"identity"`
	Epoch    uint64         `json:"epoch"`
	Next     uint64         `json:"next"`
	Cursor   score.Cursor   `json:"cursor"`
	LastWork uint64         `json:"lastWork"`
	First    *uint64        `json:"first"`
	Accepted uint64         `json:"accepted"`
	Ends     uint64         `json:"ends"`
	Slots    []snapshotSlot `json:"slots"`
	Queue    []Work         `json:"queue"`
	Past     []Past         `json:"past"`
}

type snapshotSlot struct {
	Work  Work     `json:"work"`
	Since uint64   `json:"since"`
	Raws  [][]byte `json:"raws"`

	Reopened bool `json:"reopened,omitempty"`
}

type partial struct {
	parts int
	next  int
	data  []byte
}

// Snapshots encodes the state as entries to be appended one after the other.
func (s *State) Snapshots() ([]Entry, error) {
	out := snapshotState{
		Identity: s.Identity, Epoch: s.Epoch, Next: s.Next, Cursor: s.Cursor, LastWork: s.LastWork, Queue: s.Queue, Past: s.Past,
		First: s.First, Accepted: s.Accepted, Ends: s.Ends,
	}
	for _, slot := range s.Slots {
		raws := make([][]byte, len(slot.Attempts))
		for i, a := range slot.Attempts {
			raws[i] = a.Raw
		}
		out.Slots = append(out.Slots, snapshotSlot{Work: slot.Work, Since: slot.Since, Raws: raws, Reopened: slot.Reopened})
	}
	data, err := json.Marshal(out)
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
	var in snapshotState
	if err := json.Unmarshal(p.data, &in); err != nil {
		return fmt.Errorf("%w: snapshot: %w", ErrCorrupt, err)
	}
	restored := State{
		Identity: in.Identity, Epoch: in.Epoch, Next: in.Next, Cursor: in.Cursor, LastWork: in.LastWork, Queue: in.Queue, Past: in.Past,
		First: in.First, Accepted: in.Accepted, Ends: in.Ends,
	}
	for i, slot := range in.Slots {
		open := Slot{Nonce: in.Next - uint64(len(in.Slots)) + uint64(i), Work: slot.Work, Since: slot.Since, Reopened: slot.Reopened}
		for _, raw := range slot.Raws {
			attempt, tx, err := decodeAttempt(raw)
			if err != nil {
				return err
			}
			if tx.Nonce() != open.Nonce {
				return fmt.Errorf("%w: snapshot: slot %d has an attempt of nonce %d", ErrCorrupt, open.Nonce, tx.Nonce())
			}
			open.Attempts = append(open.Attempts, attempt)
		}
		if len(open.Attempts) == 0 {
			return fmt.Errorf("%w: snapshot: slot %d has no attempt", ErrCorrupt, open.Nonce)
		}
		restored.Slots = append(restored.Slots, open)
	}
	*s = restored
	return nil
}
