package gas

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "Gas on geth %s's EVM in memory.\n\n", r.Geth)
	for _, rules := range []Rules{osaka(), amsterdam()} {
		state := "announced, as far as this geth has it; its numbers may still move"
		if rules.Live {
			state = "live on mainnet"
		}
		fmt.Fprintf(&out, "%s, %s:\n  %s\n", rules.Name, state, strings.Join(rules.EIPs, "\n  "))
	}
	r.writeRows(&out)
	r.writeCalls(&out)
	r.writeParts(&out)
	r.writeModel(&out)
	_, err := io.WriteString(w, out.String())
	return err
}

func (r *Report) writeRows(out *strings.Builder) {
	fmt.Fprintf(out, `
The whole transaction, divided by its updates, which all apply. At least: by the prices of opcodes, whatever the code.
ETH and USD are for a million updates under %s, at %v gwei and %v USD.

`, nameOsaka, r.Prices.Gas, r.Prices.Ether)
	table := [][]string{{"gas per update", nameOsaka, "promised", "at least", "above it", nameAmsterdam, "ETH", "USD"}}
	for _, row := range rows() {
		gas, floor, cost := r.Gas[row.key], r.Floors[row.key], r.Million[row.key]
		promise := ""
		if row.promise > 0 {
			promise = thousands(row.promise)
		}
		table = append(table, []string{
			row.key, thousands(gas), promise, thousands(floor), fmt.Sprintf("%.1f %%", percent(gas, floor)),
			thousands(r.Rules[nameAmsterdam][row.key]), fmt.Sprintf("%.3f", cost.Ether), fmt.Sprintf("%.0f", cost.USD),
		})
	}
	writeTable(out, table)
	for _, key := range r.Broken() {
		fmt.Fprintf(out, "BROKEN: %s is promised to be at most %d.\n", key, r.Bounds[key])
	}
}

func (r *Report) writeCalls(out *strings.Builder) {
	table := [][]string{{"gas", nameOsaka, nameAmsterdam}}
	for _, call := range calls() {
		table = append(table, []string{
			call.key + ", " + call.per, thousands(r.Gas[call.key]), thousands(r.Rules[nameAmsterdam][call.key]),
		})
	}
	out.WriteByte('\n')
	writeTable(out, table)
}

func (r *Report) writeParts(out *strings.Builder) {
	table := [][]string{append([]string{"where the gas of an update goes"}, parts...)}
	for _, row := range rows() {
		split, found := r.Parts[row.key]
		if !found {
			continue
		}
		line := []string{row.key}
		for _, part := range parts {
			line = append(line, thousands(split[part]))
		}
		table = append(table, line)
	}
	out.WriteByte('\n')
	writeTable(out, table)
}

func (r *Report) writeModel(out *strings.Builder) {
	most, m := r.Most, r.Model
	fmt.Fprintf(out, `
A transaction of %s gas holds %s updates with consecutive ids on fresh wallets, %s on existing ones.
A relayer, which does not know the wallets, puts in at most %s with consecutive ids and %s with random ones.
Its model of gas, over %s batches: the bound has at least %.2f %% to spare, at most %.2f %% where all is fresh; the estimate is
off by %.2f %% on average, by %.2f %% at most.
`, thousands(osaka().txGas), thousands(uint64(most.Fresh)), thousands(uint64(most.Existing)), thousands(uint64(most.PlannedConsecutive)),
		thousands(uint64(most.PlannedRandom)), thousands(uint64(m.Batches)), m.BoundLeast, m.BoundFresh, m.EstimateMean, m.EstimateMost)
}

// writeTable aligns columns, the first to the left and the others to the right.
func writeTable(out *strings.Builder, table [][]string) {
	width := make([]int, len(table[0]))
	for _, line := range table {
		for i, cell := range line {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range table {
		fmt.Fprintf(out, "%-*s", width[0], line[0])
		for i, cell := range line[1:] {
			fmt.Fprintf(out, "  %*s", width[i+1], cell)
		}
		out.WriteByte('\n')
	}
}

// thousands writes 1,234,567.
func thousands(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}
