package relay

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// simStatuses are the records of package status in Redis, with its rules for what replaces what.
type simStatuses struct {
	// fault, if it is there, is told of each call, as simSource's.
	fault func(what string) (before, after error)
	apart bool // the bug of a fold whose place is stored before what is folded
	over  bool // the bug of slots that replace what their own transactions rejected

	records map[score.Ref]simRecord
	slots   map[simSlot]score.Status
	epochs  map[simSlot]uint64 // that wrote them
	fold    string             // the place of the ledger's fold
	made    string             // the generation

	complete bool         // made is there, and the fold's
	restores int          // that began
	killed   int          // how often
	synced   *simStatuses // as they were when the disk had all last
}

type simSlot struct {
	lane  score.Lane
	nonce uint64
}

// simRecord is in one of: accepted, slot, final.
type simRecord struct {
	accepted bool
	slot     *simSlot
	final    *simFinal
	under    *simFinal // the rejection of an earlier try
	fresh    bool      // nothing was known before it was final
}

type simFinal struct {
	outcome score.Outcome
	tx      common.Hash
	block   uint64
}

func (f *simFinal) stale(than *simFinal) bool {
	return f.block < than.block || f.block == than.block && f.tx == than.tx
}

// rejection is what a record is or is over.
func (r simRecord) rejection() *simFinal {
	if r.final != nil && r.final.outcome.Rejected() {
		return r.final
	}
	return r.under
}

func (r simRecord) nothing() bool { return !r.accepted && r.slot == nil && r.final == nil }

func newSimStatuses() *simStatuses {
	s := &simStatuses{}
	s.flush()
	return s
}

// flush loses everything, the mark of completeness too.
func (s *simStatuses) flush() {
	s.records, s.slots, s.epochs = map[score.Ref]simRecord{}, map[simSlot]score.Status{}, map[simSlot]uint64{}
	s.fold, s.made, s.synced, s.complete = "", "", nil, false
}

// sync has the disk hold all that was written; forget ends in that, as the server does when it is killed.
func (s *simStatuses) sync() {
	s.synced = &simStatuses{records: maps.Clone(s.records), slots: maps.Clone(s.slots), epochs: maps.Clone(s.epochs), fold: s.fold, made: s.made}
}

func (s *simStatuses) forget() {
	s.killed++
	if old := s.synced; old != nil {
		s.records, s.slots, s.epochs, s.fold, s.made = old.records, old.slots, old.epochs, old.fold, old.made
		s.synced = nil
	}
	s.looked()
}

func (s *simStatuses) looked() { s.complete = s.made != "" && strings.HasPrefix(s.fold, s.made+" ") }

func (s *simStatuses) call(what string, do func()) error {
	defer s.looked()
	return simCall(s.fault, what, do)
}

// each changes records.
func (s *simStatuses) each(what string, refs []score.Ref, change func(i int, r simRecord) simRecord) error {
	return s.call(what, func() {
		for i, key := range refs {
			s.records[key] = change(i, s.records[key])
		}
	})
}

// of is what a caller is told of an update or project.
func (s *simStatuses) of(key score.Ref) score.Status {
	r := s.records[key]
	switch {
	case r.final != nil && r.final.tx == common.Hash{}:
		return score.Status{Stage: score.Final, Outcome: r.final.outcome}
	case r.final != nil:
		return score.Status{Stage: score.Final, Outcome: r.final.outcome, Tx: r.final.tx, Block: r.final.block}
	case r.accepted:
		return score.Status{Stage: score.Accepted}
	case r.slot == nil:
		return score.Status{}
	}
	if at, ok := s.slots[*r.slot]; ok {
		return at
	}
	return score.Status{Stage: score.Batched}
}

// accepted is what the API writes.
func (s *simStatuses) accepted(refs ...score.Ref) {
	_ = s.each("", refs, func(i int, r simRecord) simRecord {
		if r.nothing() || refs[i].Alone() && r.final != nil && r.final.outcome.Rejected() {
			return simRecord{accepted: true, under: r.rejection()}
		}
		return r
	})
}

func (s *simStatuses) Accepted(_ context.Context, refs []score.Ref, _ []string) error {
	return s.call("accepted", func() { s.accepted(refs...) })
}

func (s *simStatuses) RestoreAccepted(_ context.Context, refs []score.Ref) error {
	return s.each("restore_accepted", refs, func(_ int, r simRecord) simRecord {
		if r.nothing() {
			r.accepted = true
		}
		return r
	})
}

func (s *simStatuses) Bound(_ context.Context, id score.Lane, nonce uint64, refs []score.Ref, final uint64, txs []common.Hash) error {
	return s.each("bound", refs, func(_ int, r simRecord) simRecord {
		rejection := r.rejection()
		if r.final != nil && rejection == nil {
			return r
		}
		if rejection != nil && !s.over && (rejection.block > final || slices.Contains(txs, rejection.tx)) {
			return r
		}
		return simRecord{slot: &simSlot{id, nonce}, under: rejection}
	})
}

func (s *simStatuses) Released(_ context.Context, id score.Lane, nonce uint64, refs []score.Ref) error {
	return s.each("released", refs, func(_ int, r simRecord) simRecord {
		if r.slot != nil && *r.slot == (simSlot{id, nonce}) {
			return simRecord{accepted: true, under: r.under}
		}
		return r
	})
}

func (s *simStatuses) Reopened(_ context.Context, id score.Lane, nonce uint64, tx common.Hash, refs []score.Ref) error {
	return s.each("reopened", refs, func(_ int, r simRecord) simRecord { return r.gone(tx, simRecord{slot: &simSlot{id, nonce}}) })
}

// gone is the record once what tx made final is not so any more.
func (r simRecord) gone(tx common.Hash, back simRecord) simRecord {
	switch {
	case r.final != nil && r.final.tx == tx && r.fresh:
		return simRecord{}
	case r.final != nil && r.final.tx == tx:
		return back
	case r.under != nil && r.under.tx == tx:
		r.under = nil
	}
	return r
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

// rank orders outcomes by what they say of the id.
func rank(o score.Outcome) int { return max(0, 2-int(o)) }

func (s *simStatuses) Final(_ context.Context, tx common.Hash, block uint64, refs []score.Ref, outcomes []score.Outcome) error {
	return s.call("final", func() { s.fact(&score.Fact{Refs: refs, Outcomes: outcomes, Tx: tx, Block: block, Letter: true}) })
}

func (s *simStatuses) fact(f *score.Fact) {
	_ = (&simStatuses{records: s.records}).each("", f.Refs, func(i int, r simRecord) simRecord {
		if f.Gone {
			return r.gone(f.Tx, simRecord{accepted: true})
		}
		is, rejection := &simFinal{f.Outcomes[i], f.Tx, f.Block}, r.rejection()
		switch {
		case r.nothing() && is.outcome > 0 && !f.Letter:
			return r
		case r.final != nil && (rank(is.outcome) < rank(r.final.outcome) || rank(is.outcome) == rank(r.final.outcome) && is.stale(r.final)):
			return r
		case r.final == nil && is.outcome.Rejected() && rejection != nil && is.stale(rejection):
			return r
		}
		return simRecord{final: is, fresh: r.nothing()}
	})
}

func (s *simStatuses) Folded(context.Context) (at []string, complete bool, err error) {
	err = s.call("folded", func() { at = []string{s.fold} })
	return at, s.complete, err
}

func (s *simStatuses) Fold(_ context.Context, from []string, to string, facts []score.Fact) error {
	moved := error(nil)
	elsewhere := func() bool { return s.fold == "" || from[0] != s.fold }
	place := func() {
		if elsewhere() {
			moved = score.ErrFoldMoved
		} else if to != "" {
			s.fold = to
		}
	}
	if s.apart {
		if err := s.call("fold", place); err != nil || moved != nil {
			return errorOf(moved, err)
		}
	}
	for i := range facts {
		err := s.call("fold", func() {
			if elsewhere() && !s.apart {
				moved = score.ErrFoldMoved
			} else if s.fact(&facts[i]); i == len(facts)-1 && !s.apart {
				place()
			}
		})
		if err != nil || moved != nil {
			return errorOf(moved, err)
		}
	}
	if len(facts) == 0 && !s.apart {
		return errorOf(moved, s.call("fold", place))
	}
	return moved
}

func errorOf(refused, err error) error {
	if err == nil {
		return refused
	}
	return err
}

func (s *simStatuses) BeginRestore(context.Context) (token string, at []string, err error) {
	err = s.call("begin_restore", func() {
		s.restores++
		token = "restore" + strconv.Itoa(s.restores)
		s.fold, s.made = token+" ", ""
	})
	return token, []string{token + " "}, err
}

func (s *simStatuses) EndRestore(_ context.Context, token string) error {
	moved := error(nil)
	err := s.call("end_restore", func() {
		if moved = score.ErrFoldMoved; strings.HasPrefix(s.fold, token+" ") {
			s.made, moved = token, nil
		}
	})
	return errorOf(moved, err)
}

func (s *simStatuses) Generation(context.Context) (name string, err error) {
	err = s.call("generation", func() { name = s.made })
	return name, err
}

func (s *simStatuses) Process(context.Context) (process string, err error) {
	err = s.call("process", func() { process = strconv.Itoa(s.killed) })
	return process, err
}

func (s *simStatuses) Flush(context.Context) error { return s.call("flush", s.flush) }

func (s *simStatuses) ForgetOnce(context.Context, string) (bool, error) { return false, nil }

func (s *simStatuses) Sweep(context.Context) error { return nil }
