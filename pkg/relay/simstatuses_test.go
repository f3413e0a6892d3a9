package relay

import (
	"context"
	"maps"
	"strconv"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// simStatuses are the records of package status in Redis, with its rules for what replaces what.
type simStatuses struct {
	// fault, if it is there, is told of each call, as simSource's.
	fault func(what string) (before, after error)

	records  map[score.Ref]simRecord
	slots    map[simSlot]score.Status
	epochs   map[simSlot]uint64 // that wrote them
	reported map[score.Lane]uint64
	complete bool

	killed int          // how often
	synced *simStatuses // as they were when the disk had all last
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
	s.records, s.slots, s.reported = map[score.Ref]simRecord{}, map[simSlot]score.Status{}, map[score.Lane]uint64{}
	s.epochs = map[simSlot]uint64{}
	s.complete, s.synced = false, nil
}

// sync has the disk hold all that was written; forget ends in that, as the server does when it is killed.
func (s *simStatuses) sync() {
	s.synced = &simStatuses{
		records: maps.Clone(s.records), slots: maps.Clone(s.slots), epochs: maps.Clone(s.epochs), reported: maps.Clone(s.reported), complete: s.complete,
	}
}

func (s *simStatuses) forget() {
	s.killed++
	if old := s.synced; old != nil {
		s.records, s.slots, s.epochs, s.reported, s.complete = old.records, old.slots, old.epochs, old.reported, old.complete
		s.synced = nil
	}
}

func (s *simStatuses) call(what string, do func()) error { return simCall(s.fault, what, do) }

// of is what a caller is told of an update or project.
func (s *simStatuses) of(key score.Ref) score.Status {
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
func (s *simStatuses) accepted(refs ...score.Ref) {
	for _, key := range refs {
		r, there := s.records[key]
		if !there || key.Edit && r.status.Stage == score.Final && r.status.Outcome.Rejected() {
			s.records[key] = simRecord{status: score.Status{Stage: score.Accepted}}
		}
	}
}

// used tells whether a final record says that the id is used up.
func (r *simRecord) used() bool { return r.status.Stage == score.Final && !r.status.Outcome.Rejected() }

func (s *simStatuses) Bound(_ context.Context, id score.Lane, nonce uint64, refs []score.Ref) error {
	return s.call("bound", func() {
		for _, key := range refs {
			if r := s.records[key]; !r.used() {
				s.records[key] = simRecord{slot: &simSlot{id, nonce}}
			}
		}
	})
}

func (s *simStatuses) Released(_ context.Context, id score.Lane, nonce uint64, refs []score.Ref) error {
	return s.call("released", func() {
		for _, key := range refs {
			if r := s.records[key]; r.slot != nil && *r.slot == (simSlot{id, nonce}) {
				s.records[key] = simRecord{status: score.Status{Stage: score.Accepted}}
			}
		}
	})
}

func (s *simStatuses) Reopened(_ context.Context, id score.Lane, nonce uint64, tx common.Hash, refs []score.Ref) error {
	return s.call("reopened", func() {
		for _, key := range refs {
			if r := s.records[key]; r.status.Stage == score.Final && r.status.Tx == tx {
				s.records[key] = simRecord{slot: &simSlot{id, nonce}}
			}
		}
	})
}

// rank orders outcomes by what they say of the id.
func rank(o score.Outcome) int { return max(0, 2-int(o)) }

// final writes what a lane tells ("live"), or what a restore reads from an event or a dead letter.
func (s *simStatuses) final(how string, tx common.Hash, block uint64, refs []score.Ref, outcomes []score.Outcome) error {
	return s.call("final", func() {
		for i, key := range refs {
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

func (s *simStatuses) Slot(_ context.Context, id score.Lane, epoch, nonce uint64, stage score.Stage, tx common.Hash, block uint64) error {
	return s.call("slot", func() {
		at := score.Status{Stage: score.Submitted, Tx: tx}
		if stage == score.Included && block > 0 {
			at.Stage, at.Block = score.Included, block
		}
		if slot := (simSlot{id, nonce}); s.epochs[slot] <= epoch {
			s.slots[slot], s.epochs[slot] = at, epoch
		}
	})
}

func (s *simStatuses) Final(_ context.Context, tx common.Hash, block uint64, refs []score.Ref, outcomes []score.Outcome) error {
	return s.final("live", tx, block, refs, outcomes)
}

func (s *simStatuses) Reported(_ context.Context, id score.Lane, noted, ends uint64) (kept bool, err error) {
	err = s.call("reported", func() {
		if kept = s.reported[id] >= noted; kept {
			s.reported[id] = ends
		}
	})
	return kept, err
}

func (s *simStatuses) ReportedEnds(_ context.Context, id score.Lane) (ends uint64, err error) {
	err = s.call("reported_ends", func() { ends = s.reported[id] })
	return ends, err
}

func (s *simStatuses) Process(context.Context) (process string, err error) {
	err = s.call("process", func() { process = strconv.Itoa(s.killed) })
	return process, err
}

func (s *simStatuses) RequestRestore(context.Context) error {
	return s.call("request_restore", func() { s.complete = false })
}
