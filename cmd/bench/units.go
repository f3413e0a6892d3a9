package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
)

// Parameters of follow --units: an idle API and two relayers with four lanes, each with an endpoint that counts.
const (
	unitLanes, unitRelayers, unitAPIs = 4, 2, 1

	unitRest = 80 * time.Second // long enough for the relayers to rest
	unitCall = 20               // compute units per call
	unitLogs = 60               // compute units per eth_getLogs
	unitDays = 30
)

type unitRow struct {
	Chain     string             `json:"chain"`
	Counted   string             `json:"counted"` // duration of the count; 30 days are extrapolated
	PerMinute map[string]float64 `json:"calls_per_minute"`
	Units     float64            `json:"compute_units_in_30_days"`
}

// fullBlooms sets all bits of blooms, so that they exclude no log. Headers then contradict their blocks' hashes.
func fullBlooms() rpcproxy.Fault {
	var full types.Bloom
	for i := range full {
		full[i] = 0xff
	}
	bloom, _ := json.Marshal(hexutil.Bytes(full[:]))
	return rpcproxy.Fault{Name: "full blooms", Methods: []string{rpcproxy.BlockByNumber, rpcproxy.BlockByHash}, Answer: func(_ *rpcproxy.Node, _ *rpcproxy.Call, a *rpcproxy.Answer) {
		var block map[string]json.RawMessage
		if json.Unmarshal(a.Result, &block) == nil && block != nil {
			block["logsBloom"] = bloom
			a.Result, _ = json.Marshal(block)
		}
	}}
}

func (f *following) units(ctx context.Context) (rows []unitRow, err error) {
	if err := f.buildFrom(ctx, f.source, f.built); err != nil {
		return nil, err
	}
	for _, kind := range []struct {
		name   string
		blocks time.Duration
		faults []rpcproxy.Fault
	}{
		{"blocks of 2 s", 2 * time.Second, nil},
		{"blocks of 2 s, full blooms", 2 * time.Second, []rpcproxy.Fault{fullBlooms()}},
		{"blocks of 250 ms", 250 * time.Millisecond, nil},
	} {
		progress("starting a deployment: " + kind.name)
		d := *f.slowDisk
		d.lanes, d.relayers = unitLanes, unitRelayers
		one := &following{idle: f.idle, accepting: &accepting{
			slowDisk: &d, dir: filepath.Join(f.dir, fmt.Sprint(len(rows))), blocks: kind.blocks, confirmations: followConfirmations,
			endpoints: map[string]*endpoint{}, faults: kind.faults,
		}}
		row, err := one.unitsOf(ctx, kind.name)
		one.close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind.name, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (f *following) unitsOf(ctx context.Context, name string) (row unitRow, err error) {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return row, fmt.Errorf("couldn't make the directory of a deployment: %w", err)
	}
	if err := f.start(ctx, 0, unitAPIs); err != nil {
		return row, err
	}
	if err := f.begin(ctx); err != nil {
		return row, err
	}
	if err := pause(ctx, unitRest); err != nil {
		return row, err
	}
	counted, err := f.quiet(ctx)
	if err != nil {
		return row, err
	}
	row = unitRow{Chain: name, Counted: f.idle.String(), PerMinute: counted.ByMethod}
	for method, n := range counted.ByMethod {
		units := unitCall
		if method == rpcproxy.Logs {
			units = unitLogs
		}
		row.Units += n * float64(units) * 60 * 24 * unitDays
	}
	progress(fmt.Sprintf("%s: %.1f million compute units in %d days, extrapolated from %s", name, row.Units/1e6, unitDays, f.idle))
	return row, nil
}

func writeRows(rows []unitRow) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	for _, row := range rows {
		_ = enc.Encode(row) // cannot fail
	}
	return out.String()
}
