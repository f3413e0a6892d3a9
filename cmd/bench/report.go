package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

type report struct {
	RTT            float64  `json:"rtt_ms"`
	Scorelay       *figures `json:"scorelay,omitempty"`
	OneLane        *figures `json:"scorelay_one_lane,omitempty"`
	TxMgr          *figures `json:"txmgr,omitempty"`
	TxMgrCached    *figures `json:"txmgr_cached_fees,omitempty"`
	OneTxPerUpdate *figures `json:"one_tx_per_update,omitempty"`
	ElapsedS       float64  `json:"elapsed_s"`
}

func (r *report) writeJSON(out io.Writer) error {
	return json.NewEncoder(out).Encode(r)
}

func (r *report) writeTable(out io.Writer) error {
	rtt := time.Duration(r.RTT * float64(time.Millisecond))
	fmt.Fprintf(out, "\nEvery call to the node takes %s longer; blocks of a second and 300 M gas, window of 64 in all.\n\n", rtt)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tupdates/s\ttx/s\ttx/block\tcalls/tx\tx txmgr\tx cached\twasted tx\t")
	rows := []struct {
		name    string
		figures *figures
	}{
		{"scorelay, 4 lanes", r.Scorelay},
		{"scorelay, one lane", r.OneLane},
		{"txmgr.Queue", r.TxMgr},
		{"txmgr.Queue, cached fees", r.TxMgrCached},
		{"the same, one tx per update", r.OneTxPerUpdate},
	}
	for _, row := range rows {
		f := row.figures
		if f == nil || f.TxPerS == nil {
			continue
		}
		fmt.Fprintf(table, "%s\t%.0f\t%.1f\t%.1f\t%.2f\t%s\t%s\t%d\t\n", row.name, *f.UpdatesPerS, *f.TxPerS, *f.TxPerBlock,
			*f.RPCPerTx, ratio(f, r.TxMgr), ratio(f, r.TxMgrCached), int(*f.WastedTx))
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("couldn't write the table: %w", err)
	}
	if s := r.Scorelay; s != nil {
		var lines strings.Builder
		line(&lines, "Blocks of 30 M gas, backlog of random ids: filled %.1f %%\n", s.BlockFill, 100)
		line(&lines, "kill -9 of one of two relayers under load: its lanes move again after %.1f s\n", s.RecoveryS, 1)
		line(&lines, "Nothing to do: %.2f calls a poll and relayer\n", s.IdleCallsPerPoll, 1)
		line(&lines, "Endpoint down for 100 blocks, then 250 ms a call: caught up after %.1f s\n", s.CatchUpS, 1)
		fmt.Fprintf(out, "\n%s", lines.String())
	}
	fmt.Fprintf(out, "The run took %.0f s.\n", r.ElapsedS)
	return nil
}

func ratio(f, peer *figures) string {
	if peer == nil || peer.TxPerS == nil || *peer.TxPerS == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", *f.TxPerS / *peer.TxPerS)
}

func line(out io.Writer, format string, value *float64, scale float64) {
	if value != nil {
		fmt.Fprintf(out, format, *value*scale)
	}
}
