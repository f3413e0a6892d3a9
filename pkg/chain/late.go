package chain

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
)

const (
	lateAfter = 2 * time.Second
	lateTimes = 3    // deadline of background reads and of Client.receipts, in multiples of Config.Timeout
	lateMost  = 4096 // receipts kept for the next Read
)

// late holds receipts of slow endpoints for the next Read. They are read in the background, so that other reads,
// above all of heads, stay fast.
type late struct {
	slow atomic.Bool // the last receipts took longer than lateAfter

	mu   sync.Mutex
	came map[common.Hash]*evidence.Receipt // checked, by transaction; nil while in progress
}

// take removes and returns arrived receipts. If slow, the caller must read rest in the background and call put.
func (l *late) take(wanted []evidence.Wanted) (came map[common.Hash]*evidence.Receipt, rest []evidence.Wanted, slow bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	came, slow = map[common.Hash]*evidence.Receipt{}, l.slow.Load()
	for _, w := range wanted {
		w.Txs = slices.DeleteFunc(slices.Clone(w.Txs), func(tx common.Hash) bool {
			receipt, known := l.came[tx]
			if receipt != nil {
				came[tx] = receipt
				delete(l.came, tx)
			} else if slow {
				l.came[tx] = nil
			}
			return known
		})
		if len(w.Txs) > 0 {
			rest = append(rest, w)
		}
	}
	return came, rest, slow && len(rest) > 0
}

func (l *late) put(wanted []evidence.Wanted, learnt map[common.Hash]*evidence.Receipt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.came) > lateMost { // receipts of replaced blocks only fill memory
		maps.DeleteFunc(l.came, func(_ common.Hash, came *evidence.Receipt) bool { return came != nil })
	}
	for _, w := range wanted {
		for _, tx := range w.Txs {
			if l.came[tx] = learnt[tx]; learnt[tx] == nil {
				delete(l.came, tx)
			}
		}
	}
}
