package chain

import (
	"sync"
	"time"
)

const (
	refusalsToMiss = 3                // in a row, with unspecific errors
	missFor        = 10 * time.Minute // then it is retried, since the node behind a name may change
)

// capability tracks a method that some nodes lack. The zero value means offered.
type capability struct {
	mu       sync.Mutex
	refusals int // in a row
	until    time.Time
}

func (k *capability) offered(now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return !now.Before(k.until)
}

func (k *capability) worked() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refusals = 0
}

// refused records a node's error for the method, except for throttling.
func (k *capability) refused(err error, now time.Time) {
	if rateLimited("", err) {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refusals++
	if unsupported(err) || k.refusals >= refusalsToMiss {
		k.refusals, k.until = 0, now.Add(missFor)
	}
}
