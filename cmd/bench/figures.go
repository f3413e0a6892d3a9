package main

import (
	"encoding/json"
	"slices"
)

// figures of one section of the report; nil is what was not measured.
type figures struct {
	UpdatesPerS      *float64 `json:"updates_per_s,omitempty"` // applied
	TxPerS           *float64 `json:"tx_per_s,omitempty"`
	TxPerBlock       *float64 `json:"tx_per_block,omitempty"`
	RPCPerTx         *float64 `json:"rpc_per_tx,omitempty"`
	BlockFill        *float64 `json:"block_fill,omitempty"`          // part of the block's gas limit
	RecoveryS        *float64 `json:"recovery_s,omitempty"`          // 60 if it took longer
	IdleCallsPerPoll *float64 `json:"idle_calls_per_poll,omitempty"` // of one relayer
	CatchUpS         *float64 `json:"catch_up_s,omitempty"`          // 60 if it took longer
	WastedTx         *float64 `json:"wasted_tx,omitempty"`           // that applied nothing, or not all they carried
}

// fields are all figures, in the order of the type.
func (f *figures) fields() []**float64 {
	return []**float64{
		&f.UpdatesPerS, &f.TxPerS, &f.TxPerBlock, &f.RPCPerTx, &f.BlockFill, &f.RecoveryS, &f.IdleCallsPerPoll, &f.CatchUpS, &f.WastedTx,
	}
}

// fill takes over what the other has measured.
func (f *figures) fill(other figures) {
	theirs := other.fields()
	for i, mine := range f.fields() {
		if *theirs[i] != nil {
			*mine = *theirs[i]
		}
	}
}

// String is the figures as JSON.
func (f figures) String() string {
	out, err := json.Marshal(f)
	if err != nil {
		return err.Error() // a figure that is not a number
	}
	return string(out)
}

// medians of each figure of at least one run. All runs have the same ones.
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

// median of at least one value; of an even number the lower one in the middle.
func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return values[(len(values)-1)/2]
}
