package httpapi

import (
	"crypto/sha256"
	"fmt"
	"hash/maphash"
	"time"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/score"
)

const maxSeen = 1 << 17 // entries of Server.seen, some 130 bytes each

// slotName names a storage slot of the contract: the project with an id word, or with a wallet and ScoresPerSlot
// score types that share it. A slot's first update costs about three times as much as a later one.
type slotName [len(score.ProjectID{}) + len(score.Word{})]byte

func wordName(u *score.Update) (name slotName) {
	word := u.ID.Word()
	copy(name[copy(name[:], u.Project[:]):], word[:])
	return name
}

func walletName(u *score.Update) (name slotName) {
	at := copy(name[:], u.Project[:])
	at += copy(name[at:], u.Target[:])
	name[at] = u.ScoreType / batch.ScoresPerSlot
	return name
}

// tooDiverse returns a problem if the key has sent its most id words or wallets for the day, and updates have new
// ones. All distinct ones count, since only the chain knows which slots are new; Redis estimates their number over
// all APIs. An API admits slots that it has already counted; without Redis it admits all.
func (s *Server) tooDiverse(by *caller, updates []score.Update) *Problem {
	if p := s.tooMany(by, updates, by.Budget.Words, "words", wordName); p != nil {
		p.Detail += "; a word has the 256 updateIds that differ in their last byte, so ids that count up share words"
		return p
	}
	return s.tooMany(by, updates, by.Budget.Wallets, "wallets", walletName)
}

func (s *Server) tooMany(by *caller, updates []score.Update, most uint64, kind string, nameOf func(*score.Update) slotName) *Problem {
	if most == 0 || s.deps.Limiter == nil {
		return nil
	}
	type counted struct {
		key, kind string
		day       int64
		name      slotName
	}
	now := time.Now().Unix()
	var names [][]byte
	var hashes []uint64
	for i := range updates {
		name := nameOf(&updates[i])
		hash := maphash.Comparable(s.seed, counted{by.Key, kind, now / secondsPerDay, name})
		if _, seen := s.seen.Get(hash); !seen {
			// The secret keeps callers from choosing names that are underestimated.
			secret := sha256.Sum256(append(name[:], s.config.Secret...))
			names, hashes = append(names, secret[:]), append(hashes, hash)
		}
	}
	if len(names) == 0 {
		return nil
	}
	added, err := s.deps.Limiter.Distinct(s.life, by.Key+"/"+kind, most, names)
	if err != nil {
		return nil
	}
	if !added {
		tomorrow := time.Duration(secondsPerDay-now%secondsPerDay) * time.Second
		return temporary(codeBudgetSpent, min(tomorrow, maxBudgetWait), fmt.Sprintf("the key may send updates for %d different %s of projects a day", most, kind))
	}
	for _, hash := range hashes {
		s.seen.Add(hash, struct{}{})
	}
	return nil
}
