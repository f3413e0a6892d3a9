package relay

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

type Driven struct {
	Wait    lane.Wait
	Since   time.Time // of Wait
	Waiting uint64    // updates
}

// driven is safe for concurrent use.
type driven struct {
	mu    sync.Mutex
	lanes map[score.Lane]Driven

	updates atomic.Uint64 // finalized
	gas     uint64        // of final transactions
	fees    float64       // of final transactions, ether
}

func (r *Relayer) Driven() map[score.Lane]Driven {
	d := &r.metrics.told
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.lanes)
}

// Done returns the updates finalized since the start, and the gas and ether of final transactions.
func (r *Relayer) Done() (updates, gas uint64, fees float64) {
	d := &r.metrics.told
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.updates.Load(), d.gas, d.fees
}

func (d *driven) paid(gas uint64, fee float64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gas, d.fees = d.gas+gas, d.fees+fee
}

func (d *driven) wait(id score.Lane, reason lane.Wait) {
	d.mu.Lock()
	defer d.mu.Unlock()
	l, known := d.lanes[id]
	if known && l.Wait == reason {
		return
	}
	if d.lanes == nil {
		d.lanes = map[score.Lane]Driven{}
	}
	l.Wait, l.Since = reason, time.Now()
	d.lanes[id] = l
}

func (d *driven) read(id score.Lane, waiting uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if l, known := d.lanes[id]; known {
		l.Waiting = waiting
		d.lanes[id] = l
	}
}

func (d *driven) forget(id score.Lane) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.lanes, id)
}
