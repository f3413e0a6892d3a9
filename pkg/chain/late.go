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
	lateAfter = 2 * time.Second // receipts that take longer are not waited for the next time
	lateTimes = 3               // how many Config.Timeouts they may take then, and all receipts of blocks (Client.receipts) always
	lateMost  = 4096            // receipts kept for the Read that asks next
)

// late are the receipts of endpoints that take long with them: they are read beside what must not wait for them, heads above all,
// and kept for the Read that asks next.
type late struct {
	slow atomic.Bool // the last receipts took longer than lateAfter

	mu   sync.Mutex
	came map[common.Hash]*evidence.Receipt // checked, by transaction; nil while it is read
}

// take returns the receipts that have come, and what is not being read yet. If slow, the caller must read rest and call put.
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

// put notes what came of the wanted receipts; the others may be asked for again.
func (l *late) put(wanted []evidence.Wanted, learnt map[common.Hash]*evidence.Receipt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.came) > lateMost { // of blocks that were replaced, which no Read asks for again
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
