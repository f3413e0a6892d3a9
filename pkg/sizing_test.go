package pkg_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var updateSizing = flag.Bool("update", false, "write the table of docs/sizing.md")

// figures are those of an update at least (ids that count up, wallets with a score, full envelopes) and at most (random ids, new wallets, one by
// one), as the commands that docs/sizing.md names printed them.
type figures struct{ least, most float64 }

// times returns the figures for so many updates.
func (f figures) times(n float64) (least, most float64) { return n * f.least, n * f.most }

// TestSizing: the table of docs/sizing.md is its rates times its figures.
func TestSizing(t *testing.T) {
	t.Parallel()
	var measured map[string]any
	require.NoError(t, json.Unmarshal([]byte(read(t, "../cmd/bench/gas/testdata/gas.json")), &measured))
	gas := func(row string) float64 { return measured[row].(float64) }
	const (
		day, week = 86_400.0, 7 * 86_400.0
		giga      = 1e9
		bound     = 8 * 1024 * 1024 * 1024.0 // of the stream, by default
		from, to  = 0.66, 0.6                // of it, in which relayers purge final updates
		linger    = 0.2                      // s, in which a batch gets its updates
	)
	stream, ledger, redis, audit, cpu := figures{106, 258}, figures{24, 57}, figures{0.8, 56}, figures{41, 78}, figures{49.2e-6, 96.9e-6}
	perBatch := (gas("existing_consecutive_1") - gas("existing_consecutive_100")) / 0.99
	gasOf := func(rate float64) figures {
		shared := perBatch*min(1, 1/(rate*linger)) - perBatch/100
		return figures{gas("existing_consecutive_100") + shared, gas("fresh_random_100") + shared}
	}
	rows := []struct {
		name string
		of   func(rate float64) (least, most float64)
	}{
		{"updates a day, million", figures{1, 1}.of(day / 1e6)},
		{"gas of an update", func(r float64) (float64, float64) { return gasOf(r).times(1) }},
		{"gas a day, billion", func(r float64) (float64, float64) { return gasOf(r).times(r * day / giga) }},
		{"gas a second, million", func(r float64) (float64, float64) { return gasOf(r).times(r / 1e6) }},
		{"ether a day at 0.01 gwei", func(r float64) (float64, float64) { return gasOf(r).times(r * day * 1e-11) }},
		{"cores of all APIs", cpu.of(1)},
		{"days that 8 GiB of stream keep final updates", func(r float64) (float64, float64) {
			return min(7, to*bound/stream.most/r/day), min(7, to*bound/stream.least/r/day)
		}},
		{"bound of the stream for a week, GB", stream.of(week / to / giga)},
		{"ledger of a week, GB", ledger.of(week / giga)},
		{"Redis for statuses of a week, GB", redis.of(week / giga)},
		{"memory of an audit with 8 GiB of stream, GB", func(r float64) (float64, float64) {
			return audit.times(min(r*week, from*bound/stream.least) / giga)
		}},
	}
	var table strings.Builder
	table.WriteString("| updates a second | 10 | 100 | 500 | 5,000 |\n|---|---|---|---|---|\n")
	for _, row := range rows {
		fmt.Fprintf(&table, "| %s |", row.name)
		for _, rate := range []float64{10, 100, 500, 5000} {
			least, most := row.of(rate)
			if short(least) == short(most) {
				fmt.Fprintf(&table, " %s |", short(most))
			} else {
				fmt.Fprintf(&table, " %s – %s |", short(least), short(most))
			}
		}
		table.WriteString("\n")
	}
	const path = "../docs/sizing.md"
	before, rest, found := strings.Cut(read(t, path), "| updates a second |")
	require.True(t, found)
	_, after, found := strings.Cut(rest, "\n\n")
	require.True(t, found)
	if *updateSizing {
		require.NoError(t, os.WriteFile(path, []byte(before+table.String()+"\n"+after), 0o600))
	}
	require.Equal(t, before+table.String()+"\n"+after, read(t, path), "go test ./pkg -run TestSizing -update")
}

// of returns the figures for so many seconds at a rate.
func (f figures) of(seconds float64) func(rate float64) (least, most float64) {
	return func(rate float64) (least, most float64) { return f.times(rate * seconds) }
}

// short has two digits that count, and commas.
func short(f float64) string {
	if f < 100 {
		rounded, _ := strconv.ParseFloat(fmt.Sprintf("%.2g", f), 64)
		return strconv.FormatFloat(rounded, 'f', -1, 64)
	}
	rounded, _ := strconv.ParseFloat(fmt.Sprintf("%.3g", f), 64)
	text := strconv.FormatFloat(rounded, 'f', 0, 64)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
