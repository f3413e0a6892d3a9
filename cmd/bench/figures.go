package main

import (
	"encoding/json"
	"slices"
)

// figures are one section of the report. A figure is nil if it was not measured.
type figures struct {
	UpdatesPerS      *float64 `json:"updates_per_s,omitempty"` // applied
	TxPerS           *float64 `json:"tx_per_s,omitempty"`
	TxPerBlock       *float64 `json:"tx_per_block,omitempty"`
	RPCPerTx         *float64 `json:"rpc_per_tx,omitempty"`
	BlockFill        *float64 `json:"block_fill,omitempty"`          // fraction of the block's gas limit
	RecoveryS        *float64 `json:"recovery_s,omitempty"`          // 60 if it took longer
	IdleCallsPerPoll *float64 `json:"idle_calls_per_poll,omitempty"` // per relayer
	CatchUpS         *float64 `json:"catch_up_s,omitempty"`          // 60 if it took longer
	WastedTx         *float64 `json:"wasted_tx,omitempty"`           // that did not apply all their updates
}

func (f *figures) fields() []**float64 {
	return []**float64{
		&f.UpdatesPerS, &f.TxPerS, &f.TxPerBlock, &f.RPCPerTx, &f.BlockFill, &f.RecoveryS, &f.IdleCallsPerPoll, &f.CatchUpS, &f.WastedTx,
	}
}

func (f *figures) fill(other figures) {
	theirs := other.fields()
	for i, mine := range f.fields() {
		if *theirs[i] != nil {
			*mine = *theirs[i]
		}
	}
}

func (f figures) String() string {
	out, err := json.Marshal(f)
	if err != nil {
		return err.Error() // NaN or infinity
	}
	return string(out)
}

// medians returns the median of each figure; all runs have the same figures.
func medians(runs []figures) (out figures) {
	for i, field := range out.fields() {
		var values []float64
		for j := range runs {
			if value := *runs[j].fields()[i]; value != nil {
				values = append(values, *value)
			}
		}
		if len(values) > 0 {
			*field = some(median(values))
		}
	}
	return out
}

func some(v float64) *float64 { return &v }

// median returns the median of at least one value; of an even number, the lower middle one.
func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return values[(len(values)-1)/2]
}
