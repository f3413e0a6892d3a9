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

// figures are what an update takes at least (ids that count up, full envelopes) and at most (random ids, one by one), as the commands
// that docs/sizing.md names printed it.
type figures struct{ least, most float64 }

// TestSizing: the table of docs/sizing.md is its rates times its figures.
func TestSizing(t *testing.T) {
	t.Parallel()
	var gas map[string]any
	require.NoError(t, json.Unmarshal([]byte(read(t, "../cmd/scorelay/internal/gas/testdata/gas.json")), &gas))
	update := figures{gas["existing_consecutive_100"].(float64), gas["existing_random_100"].(float64)}
	const (
		day, week = 86_400.0, 7 * 86_400.0
		gb        = 1e9
		shed      = 0.6 * 8 * 1024 * 1024 * 1024 // of the stream's default bound, to which relayers purge it
	)
	stream, ledger, redis, audit, cpu := figures{106, 258}, figures{24, 57}, figures{0.8, 56}, figures{41, 158}, figures{49.2e-6, 96.9e-6}
	// What the stream holds for an audit: a week, or as much as it may.
	held := func(rate, bytes float64) float64 { return min(rate*week, 8*1024*1024*1024*0.66/bytes) }
	rows := []struct {
		name string
		of   func(rate float64) (least, most float64)
	}{
		{"updates a day, million", func(r float64) (float64, float64) { return r * day / 1e6, r * day / 1e6 }},
		{"gas a day, billion", func(r float64) (float64, float64) { return r * day * update.least / 1e9, r * day * update.most / 1e9 }},
		{"gas a second, million", func(r float64) (float64, float64) { return r * update.least / 1e6, r * update.most / 1e6 }},
		{"ether a day at 0.01 gwei", func(r float64) (float64, float64) {
			return r * day * update.least * 1e-11, r * day * update.most * 1e-11
		}},
		{"cores of all APIs", func(r float64) (float64, float64) { return r * cpu.least, r * cpu.most }},
		{"stream of a week, GB", func(r float64) (float64, float64) { return r * week * stream.least / gb, r * week * stream.most / gb }},
		{"days that 8 GiB of stream keep final updates", func(r float64) (float64, float64) {
			return min(7, shed/stream.most/r/day), min(7, shed/stream.least/r/day)
		}},
		{"ledger of a week, GB", func(r float64) (float64, float64) { return r * week * ledger.least / gb, r * week * ledger.most / gb }},
		{"Redis for statuses of a week, GB", func(r float64) (float64, float64) { return r * week * redis.least / gb, r * week * redis.most / gb }},
		{"memory of an audit with 8 GiB of stream, GB", func(r float64) (float64, float64) {
			return held(r, stream.least) * audit.least / gb, held(r, stream.most) * audit.most / gb
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
