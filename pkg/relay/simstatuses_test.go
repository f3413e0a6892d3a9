package relay

import (
	"context"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// simStatuses are the records of package status in Redis, with its rules for what replaces what.
type simStatuses struct {
	// fault, if it is there, is told of each call, as simSource's.
	fault func(what string) (before, after error)

	records  map[simKey]simRecord
	slots    map[simSlot]score.Status
	told     map[score.Lane]uint64
	complete bool
}

// simKey names an update, or a project (with no update).
type simKey struct {
	project score.ProjectID
	update  score.UpdateID
	one     bool // an update
}

type simSlot struct {
	lane  score.Lane
	nonce uint64
}

type simRecord struct {
	slot   *simSlot     // of one that is bound
	status score.Status // Accepted or Final; of a bound one see its slot
}

func newSimStatuses() *simStatuses {
	s := &simStatuses{}
	s.flush()
	s.complete = true
	return s
}

// flush loses everything, the mark of completeness too.
func (s *simStatuses) flush() {
	s.records, s.slots, s.told = map[simKey]simRecord{}, map[simSlot]score.Status{}, map[score.Lane]uint64{}
	s.complete = false
}

func (s *simStatuses) call(what string, do func()) error { return simCall(s.fault, what, do) }

func keyOf(u *score.Update) simKey { return simKey{u.Project, u.ID, true} }

func keysOf(updates []score.Update) []simKey {
	keys := make([]simKey, len(updates))
	for i := range updates {
		keys[i] = keyOf(&updates[i])
	}
	return keys
}

// of is what a caller is told of an update or project.
func (s *simStatuses) of(key simKey) score.Status {
	r := s.records[key]
	if r.slot == nil {
		return r.status
	}
	if at, ok := s.slots[*r.slot]; ok {
		return at
	}
	return score.Status{Stage: score.Batched}
}

// accepted is what the API writes.
func (s *simStatuses) accepted(keys ...simKey) {
	for _, key := range keys {
		if _, there := s.records[key]; !there {
			s.records[key] = simRecord{status: score.Status{Stage: score.Accepted}}
		}
	}
}

// used tells whether a final record says that the id is used up.
func (r *simRecord) used() bool { return r.status.Stage == score.Final && !r.status.Outcome.Rejected() }

func (s *simStatuses) bind(id score.Lane, nonce uint64, keys []simKey) error {
	return s.call("bound", func() {
		for _, key := range keys {
			if r := s.records[key]; !r.used() {
				s.records[key] = simRecord{slot: &simSlot{id, nonce}}
			}
		}
	})
}

func (s *simStatuses) release(id score.Lane, nonce uint64, keys []simKey) error {
	return s.call("released", func() {
		for _, key := range keys {
			if r := s.records[key]; r.slot != nil && *r.slot == (simSlot{id, nonce}) {
				s.records[key] = simRecord{status: score.Status{Stage: score.Accepted}}
			}
		}
	})
}

func (s *simStatuses) reopen(id score.Lane, nonce uint64, tx common.Hash, keys []simKey) error {
	return s.call("reopened", func() {
		for _, key := range keys {
			if r := s.records[key]; r.status.Stage == score.Final && r.status.Tx == tx {
				s.records[key] = simRecord{slot: &simSlot{id, nonce}}
			}
		}
	})
}

// rank orders outcomes by what they say of the id.
func rank(o score.Outcome) int { return max(0, 2-int(o)) }

// final writes what a lane tells ("live"), or what a restore reads from an event or a dead letter.
func (s *simStatuses) final(how string, tx common.Hash, block uint64, keys []simKey, outcomes []score.Outcome) error {
	return s.call("final", func() {
		for i, key := range keys {
			old, there := s.records[key]
			was, is := old.status, outcomes[i]
			if !there && is > 0 && how == "event" || there && is.Rejected() && how != "live" && was.Stage < score.Accepted {
				continue // a restore does not replace a slot by a rejection
			}
			if was.Stage != score.Final || rank(is) > rank(was.Outcome) || rank(is) == rank(was.Outcome) &&
				(block >= was.Block || tx == was.Tx) {
				s.records[key] = simRecord{status: score.Status{Stage: score.Final, Outcome: is, Tx: tx, Block: block}}
			}
		}
	})
}

func (s *simStatuses) Bound(_ context.Context, id score.Lane, nonce uint64, updates []score.Update) error {
	return s.bind(id, nonce, keysOf(updates))
}

func (s *simStatuses) Slot(_ context.Context, id score.Lane, nonce uint64, stage score.Stage, tx common.Hash, block uint64) error {
	return s.call("slot", func() {
		at := score.Status{Stage: score.Submitted, Tx: tx}
		if stage == score.Included && block > 0 {
			at.Stage, at.Block = score.Included, block
		}
		s.slots[simSlot{id, nonce}] = at
	})
}

func (s *simStatuses) Final(
	_ context.Context, _ score.Lane, _ uint64, tx common.Hash, block uint64, updates []score.Update, outcomes []score.Outcome,
) error {
	return s.final("live", tx, block, keysOf(updates), outcomes)
}

func (s *simStatuses) Reopened(_ context.Context, id score.Lane, nonce uint64, tx common.Hash, updates []score.Update) error {
	return s.reopen(id, nonce, tx, keysOf(updates))
}

func (s *simStatuses) Released(_ context.Context, id score.Lane, nonce uint64, updates []score.Update) error {
	return s.release(id, nonce, keysOf(updates))
}

func (s *simStatuses) ProjectBound(_ context.Context, id score.Lane, nonce uint64, p score.ProjectID) error {
	return s.bind(id, nonce, []simKey{{project: p}})
}

func (s *simStatuses) ProjectFinal(
	_ context.Context, _ score.Lane, _ uint64, tx common.Hash, block uint64, p score.ProjectID, outcome score.Outcome,
) error {
	return s.final("live", tx, block, []simKey{{project: p}}, []score.Outcome{outcome})
}

func (s *simStatuses) ProjectReopened(_ context.Context, id score.Lane, nonce uint64, tx common.Hash, p score.ProjectID) error {
	return s.reopen(id, nonce, tx, []simKey{{project: p}})
}

func (s *simStatuses) ProjectReleased(_ context.Context, id score.Lane, nonce uint64, p score.ProjectID) error {
	return s.release(id, nonce, []simKey{{project: p}})
}

func (s *simStatuses) Told(_ context.Context, id score.Lane, nonce uint64) error {
	return s.call("told", func() { s.told[id] = nonce + 1 })
}

func (s *simStatuses) ToldBelow(_ context.Context, id score.Lane) (below uint64, err error) {
	err = s.call("told_below", func() { below = s.told[id] })
	return below, err
}

func (s *simStatuses) Incomplete(context.Context) error {
	return s.call("incomplete", func() { s.complete = false })
}
