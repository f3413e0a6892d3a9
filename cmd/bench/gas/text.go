package gas

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

func (r *Report) WriteText(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "Gas on geth %s's EVM in memory.\n\n", r.Geth)
	for _, rules := range []Rules{osaka(), amsterdam()} {
		state := "announced, as far as this geth has it; its numbers may still move"
		if rules.Live {
			state = "live on mainnet"
		}
		fmt.Fprintf(out, "%s, %s:\n  %s\n", rules.Name, state, strings.Join(rules.EIPs, "\n  "))
	}
	fmt.Fprint(out, `
The whole transaction, divided by its updates, which all apply. At least: by the prices of opcodes, for any code.

`)
	const line = "%s\t%10s\t%8s\t%8s\t%8s\t%10s\n"
	fmt.Fprintf(out, line, "gas per update", nameOsaka, "promised", "at least", "above it", nameAmsterdam)
	for _, row := range rows() {
		gas, floor, promised := r.Gas[row.key], r.Floors[row.key], ""
		if bound := r.Bounds[row.key]; bound > 0 {
			promised = thousands(bound)
		}
		fmt.Fprintf(out, line, row.key, thousands(gas), promised, thousands(floor), fmt.Sprintf("%.1f %%", percent(gas, floor)),
			thousands(r.Rules[nameAmsterdam][row.key]))
	}
	for _, key := range r.Broken() {
		fmt.Fprintf(out, "BROKEN: %s is promised to be at most %d.\n", key, r.Bounds[key])
	}
	fmt.Fprintf(out, "\n%s\t%10s\t%10s\n", "gas", nameOsaka, nameAmsterdam)
	for _, call := range calls() {
		fmt.Fprintf(out, "%s, %s\t%10s\t%10s\n", call.key, call.per, thousands(r.Gas[call.key]), thousands(r.Rules[nameAmsterdam][call.key]))
	}
	fmt.Fprintf(out, `
A transaction of %s gas holds %d updates with consecutive ids on fresh wallets, %d on existing ones.
A relayer, which does not know the wallets, puts in at most %d with consecutive ids and %d with random ones.
Its model of gas, over %d batches: the bound has at least %.2f %% to spare, at most %.2f %% where all is fresh; the estimate is
off by %.2f %% on average, by %.2f %% at most. Under %s it puts in at most %d and %d; there the bound has at least %.2f %% to
spare, and the estimate is off by %.2f %% at most.
`, thousands(osaka().txGas), r.Most.Fresh, r.Most.Existing, r.Most.PlannedConsecutive, r.Most.PlannedRandom,
		r.Model.Batches, r.Model.BoundLeast, r.Model.BoundFresh, r.Model.EstimateMean, r.Model.EstimateMost,
		nameAmsterdam, r.Next.PlannedConsecutive, r.Next.PlannedRandom, r.Next.Model.BoundLeast, r.Next.Model.EstimateMost)
	return out.Flush()
}

func thousands(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}
