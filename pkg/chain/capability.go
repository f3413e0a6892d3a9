package chain

import (
	"sync"
	"time"
)

const (
	refusalsToMiss = 3                // in a row, in words that say nothing else
	missFor        = 10 * time.Minute // then it is tried again: nodes are exchanged behind a name
)

// capability is a method that not every node offers. The zero value is one that is offered until it proves otherwise.
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

// refused notes an error of the node in answer to the method. That it throttles says nothing of the method.
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
