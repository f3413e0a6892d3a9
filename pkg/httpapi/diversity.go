package httpapi

import (
	"crypto/sha256"
	"fmt"
	"hash/maphash"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

const (
	maxSeen       = 1 << 17 // at some 130 bytes each
	scoresPerSlot = 4
)

// slotName names a storage slot of the contract: the project, and a word of ids or a wallet with a quad of score types. The first update that
// uses a slot costs about three times as much as a later one.
type slotName [len(score.ProjectID{}) + len(score.Word{})]byte

func wordName(u *score.Update) (name slotName) {
	word := u.ID.Word()
	copy(name[copy(name[:], u.Project[:]):], word[:])
	return name
}

func walletName(u *score.Update) (name slotName) {
	at := copy(name[:], u.Project[:])
	at += copy(name[at:], u.Target[:])
	name[at] = u.ScoreType / scoresPerSlot
	return name
}

// tooDiverse returns the problem of updates with words of ids or wallets that the key has not sent today, if it has sent too many different
// ones. All APIs together count each once, by an estimate of Redis. They count different slots, not new ones: only the chain knows which are new.
// An API lets pass the slots that it counted before; without Redis it lets all pass.
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
			secret := sha256.Sum256(append(name[:], s.config.Secret...)) // so that no caller can choose how it is estimated
			names, hashes = append(names, secret[:]), append(hashes, hash)
		}
	}
	if len(names) == 0 {
		return nil
	}
	n, err := s.deps.Limiter.Distinct(s.life, by.Key+"/"+kind, names)
	if err != nil {
		return nil
	}
	if n > most {
		tomorrow := time.Duration(secondsPerDay-now%secondsPerDay) * time.Second
		return temporary(codeBudgetSpent, min(tomorrow, maxBudgetWait), fmt.Sprintf("the key may send updates for %d different %s a day", most, kind))
	}
	for _, hash := range hashes {
		s.seen.Add(hash, struct{}{})
	}
	return nil
}
