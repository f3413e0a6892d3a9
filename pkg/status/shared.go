package status

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"github.com/scorelay/scorelay/pkg/redisdb"
)

// Of shared entries.
const (
	sharedID    = 12      // bytes of a shared entry's name that are its own
	leastShared = 8       // that share one: fewer take more memory for it than they save time
	knownShared = 1 << 16 // places that a Store remembers, some 200 bytes each
	nearPart    = 128     // of the retention; see Store.near
)

// sharedPlace is where the state of an update is.
type sharedPlace struct {
	place
	until time.Time // by then its own entry has to be written again
	token string    // of the single claim that is held there under its name's (held); or ""
}

// near is for how long after its claim an update's own entry needs no write when its state in a shared entry changes. It stays so much
// longer than the retention, twice: those who find it late know of it as long again.
func (s *Store) near() time.Duration { return s.config.Retention / nearPart }

// keep is for how long entries stay after their last change, in s.
func (s *Store) keep() int64 { return seconds(s.config.Retention) + int64(2*s.near()/time.Second) }

func sharedName(id string) (n name) {
	copy(n[:], id)
	copy(n[sharedID:], "shar")
	return n
}

// newShared is the id of a shared entry that is not there.
func newShared() string {
	var id [sharedID]byte
	_, _ = rand.Read(id[:]) // it does not fail
	return string(id[:])
}

// share tells whether enough of a claim's items are alone in their words.
func (s *Store) share(items []item) bool {
	alone := 0
	for i := range items {
		if items[i].first == items[i].last && (i == 0 || items[i-1].name != items[i].name) {
			alone++
		}
	}
	return alone >= s.least
}

// held is what Redis has for a token, of a claim that is at a place: single claims in a shared entry have one token, of its name.
func (s *Store) held(own place, token string) string {
	if at, ok := s.shared.Get(own); ok && at.token == token {
		return string(at.name[:len(token)])
	}
	return token
}

// split tells which targets are in shared entries, and where.
func (s *Store) split(ctx context.Context, m moving, table int, targets []target) (shared, own []target, err error) {
	now := time.Now()
	for _, t := range targets {
		if at, ok := s.shared.Get(t.own); ok && now.Before(at.until) {
			t.at = at.place
			shared = append(shared, t)
		} else {
			own = append(own, t)
		}
	}
	names := namesOf(own)
	if !m.look || len(names) < s.least {
		return shared, own, nil
	}
	found, err := s.find(ctx, m.what, table, names)
	if err != nil {
		return nil, nil, err
	}
	rest := own[:0]
	for _, t := range own {
		if at, ok := found[t.own]; ok {
			t.at = at
			shared = append(shared, t)
		} else {
			rest = append(rest, t)
		}
	}
	return shared, rest, nil
}

// namesOf are those of targets' own entries; neighbours are often of one.
func namesOf(targets []target) (names []name) {
	for i := range targets {
		if n := targets[i].own.name; len(names) == 0 || names[len(names)-1] != n {
			names = append(names, n)
		}
	}
	return names
}

// find looks for places in shared entries that the entries of these names lead to, and remembers them.
func (s *Store) find(ctx context.Context, what string, table int, names []name) (found map[place]place, err error) {
	const foundSize = 2 + sharedID + 2 // a run
	found = map[place]place{}
	until := time.Now().Add(s.near())
	for some := range slices.Chunk(names, maxItems) {
		blob := make([]byte, 0, len(some)*len(name{}))
		for i := range some {
			blob = append(blob, some[i][:]...)
		}
		answers, err := s.exchange(ctx, what, []scriptCall{{findScript, table, []any{blob, int64(s.near() / time.Second)}}})
		if err != nil {
			return nil, err
		}
		runs, err := answers[0].Text()
		if err != nil || len(runs) != foundSize*len(some) {
			return nil, fmt.Errorf("couldn't %s: %w", what, redisdb.BadData("%d bytes of %d places: %v", len(runs), len(some), err))
		}
		for i, n := range some {
			if run := runs[foundSize*i : foundSize*(i+1)]; run[2] == kindPlace {
				own, at := place{n, run[0]}, place{sharedName(run[3:]), run[foundSize-1]}
				found[own] = at
				s.shared.Add(own, sharedPlace{place: at, until: until})
			}
		}
	}
	return found, nil
}
