package sdk

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"github.com/scorelay/scorelay/pkg/score"
)

// MaxRange is the most ids in a range: 256 words.
const MaxRange = 1 << 16

const (
	wordIDs    = 256                // ids per word
	prefixSize = 28                 // random bytes before the counter
	counters   = math.MaxUint32 + 1 // ids per prefix
)

// Minter makes updateIds: a random prefix and a 32-bit counter. Keep one per process and project (and signer, if
// several sign) as long as the process runs. It is safe for concurrent use.
type Minter struct {
	mu     sync.Mutex
	prefix [prefixSize]byte
	next   uint64 // next count; once it equals counters, the prefix is used up
}

func NewMinter() *Minter {
	m := &Minter{}
	m.renew()
	return m
}

func (m *Minter) Next() score.UpdateID {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.next >= counters {
		m.renew()
	}
	return m.take(1)
}

// Range mints n consecutive ids (1 … MaxRange, any other n is an error) under one prefix. If they would touch more
// words than n ids need, the range begins at the next word, and the skipped ids stay unused.
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

// words returns the number of words of n ids from a word's start.
func words(n uint64) uint64 { return (n + wordIDs - 1) / wordIDs }

// rand.Read never fails.
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
