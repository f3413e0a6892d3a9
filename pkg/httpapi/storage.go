package httpapi

import (
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

const (
	maxSlots       = 1 << 17 // remembered as used, at some 130 bytes each
	scoresPerSlot  = 4
	scoresPatience = 300 * time.Millisecond // for standings to say which wallets have scores
)

// slot names a storage slot of the contract: a word of ids, or four scores of a wallet, of which the first has quad 1.
type slot struct {
	project score.ProjectID
	word    score.Word
	wallet  common.Address
	quad    int
}

// spendStorage charges a key that has a budget of storage for the slots that updates of a project are the first to use. This API
// remembers slots that it charged for; and a wallet that has a score has its slot.
func (s *Server) spendStorage(by *caller, updates []score.Update) *Problem {
	if !by.storage.bounded() || s.deps.Gas == nil || len(s.newSlots(updates)) == 0 {
		return nil
	}
	by.storing.Lock()
	defer by.storing.Unlock()
	slots := s.newSlots(updates)
	s.dropScored(updates[0].Project, slots)
	if p := s.spendGas(&by.storage, uint64(len(slots))*s.deps.Gas.NewSlot()); p != nil {
		return p
	}
	for name := range slots {
		s.slots.Add(name, struct{}{})
	}
	return nil
}

// newSlots are those of updates that are not remembered as used, by their hashes; nil if there is none.
func (s *Server) newSlots(updates []score.Update) (found map[uint64]slot) {
	for i := range updates {
		u := &updates[i]
		for _, is := range [...]slot{
			{project: u.Project, word: u.ID.Word()}, {project: u.Project, wallet: u.Target, quad: int(u.ScoreType)/scoresPerSlot + 1},
		} {
			name := maphash.Comparable(s.seed, is)
			if _, used := s.slots.Get(name); used {
				continue
			}
			if found == nil {
				found = map[uint64]slot{}
			}
			found[name] = is
		}
	}
	return found
}

// dropScored drops the slots of wallets that have scores. While standings cannot be asked it drops those of all wallets: a budget is
// there to hold up spending, not callers.
func (s *Server) dropScored(project score.ProjectID, slots map[uint64]slot) {
	var wallets []common.Address
	types := 0
	for _, is := range slots {
		if is.quad > 0 {
			wallets, types = append(wallets, is.wallet), max(types, scoresPerSlot*is.quad)
		}
	}
	if len(wallets) == 0 || s.deps.Standings == nil {
		return
	}
	ctx, cancel := context.WithTimeout(s.life, scoresPatience)
	defer cancel()
	scores, _, err := s.deps.Standings.Scores(ctx, project, types, wallets)
	if errors.Is(err, score.ErrNotProjected) {
		return // a new project has no scores
	}
	for name, is := range slots {
		if is.quad == 0 {
			continue
		}
		if err != nil {
			delete(slots, name)
			continue
		}
		of := scores[slices.Index(wallets, is.wallet)]
		if slices.ContainsFunc(of[scoresPerSlot*(is.quad-1):scoresPerSlot*is.quad], func(n int64) bool { return n != 0 }) {
			delete(slots, name)
			s.slots.Add(name, struct{}{})
		}
	}
}
