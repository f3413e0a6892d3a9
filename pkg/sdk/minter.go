package sdk

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"github.com/scorelay/scorelay/pkg/score"
)

// MaxRange is the most ids of one range: 256 words.
const MaxRange = 1 << 16

const (
	wordIDs    = 256                // ids that share a word
	prefixSize = 28                 // random bytes before the counter
	counters   = math.MaxUint32 + 1 // ids under one prefix
)

// Minter makes updateIds: a random prefix and a counter of 32 bits. Keep one for each project (and signer, where
// several sign) in each process, for as long as the process lives. Its methods may be called from many goroutines.
type Minter struct {
	mu     sync.Mutex
	prefix [prefixSize]byte
	next   uint64 // the next counter; from counters on, the prefix is used up
}

// NewMinter begins a prefix of its own.
func NewMinter() *Minter {
	m := &Minter{}
	m.renew()
	return m
}

// Next mints one id, the successor of the last.
func (m *Minter) Next() score.UpdateID {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.next >= counters {
		m.renew()
	}
	return m.take(1)
}

// Range mints n ids (1 … MaxRange) in a row; the counter does not overflow among them. A range touches as few words as
// n allows: where it would begin in the middle of a word and end in one more, it begins with the next word, and the ids
// between are never used. Any other n is an error.
func (m *Minter) Range(n int) (IDRange, error) {
	if n < 1 || n > MaxRange {
		return IDRange{}, fmt.Errorf("a range holds 1 to %d ids, not %d", MaxRange, n)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if into := m.next % wordIDs; words(into+uint64(n)) > words(uint64(n)) {
		m.next += wordIDs - into
	}
	if m.next+uint64(n) > counters {
		m.renew()
	}
	return IDRange{First: m.take(uint64(n)), Count: n}, nil
}

// words is how many words n ids touch that begin with a word.
func words(n uint64) uint64 { return (n + wordIDs - 1) / wordIDs }

// renew begins a new prefix. rand.Read does not fail: it ends the program instead.
func (m *Minter) renew() {
	_, _ = rand.Read(m.prefix[:])
	m.next = 0
}

func (m *Minter) take(n uint64) (first score.UpdateID) {
	copy(first[:], m.prefix[:])
	binary.BigEndian.PutUint32(first[prefixSize:], uint32(m.next))
	m.next += n
	return first
}
