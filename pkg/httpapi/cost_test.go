package httpapi

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNoBodyCostsMuchMoreThanItsBytes: all that one key may send at once must fit the memory while it is read.
func TestNoBodyCostsMuchMoreThanItsBytes(t *testing.T) { //nolint:paralleltest // it counts what the process allocates
	if testing.Short() {
		t.Skip("counts allocations, to which the race detector adds")
	}
	const size = 256 << 10
	create := func(b []byte) *Problem { _, p := decodeProject(b, []string{"reputation"}); return p }
	for name, c := range map[string]struct {
		open, item, end string
		decode          func([]byte) *Problem
	}{
		"empty actions":           {`{"inputActions":[`, `{}`, `]}`, create},
		"actions that are none":   {`{"inputActions":[`, `0`, `]}`, create},
		"empty owners":            {`{"owners":[`, `""`, `]}`, create},
		"owners that are none":    {`{"owners":[`, `0`, `]}`, create},
		"empty score types":       {`{"scoreTypes":[`, `""`, `]}`, create},
		"an action of no fields":  {`{"inputActions":[{`, `"":0`, `}]}`, create},
		"an update of no fields":  {`{`, `"":0`, `}`, func(b []byte) *Problem { _, p := decodeUpdate(b); return p }},
		"an update of long ones":  {`{`, `"` + strings.Repeat("x", 64) + `":0`, `}`, func(b []byte) *Problem { _, p := decodeUpdate(b); return p }},
		"empty edits":             {`{"edits":[`, `{}`, `]}`, func(b []byte) *Problem { _, p := decodeEdit([32]byte{})(b); return p }},
		"edits that are none":     {`{"edits":[`, `0`, `]}`, func(b []byte) *Problem { _, p := decodeEdit([32]byte{})(b); return p }},
		"empty groups":            {`{"groups":[`, `{}`, `]}`, func(b []byte) *Problem { _, p := decodeGroups(b); return p }},
		"a group of no fields":    {`{"groups":[{`, `"":0`, `}]}`, func(b []byte) *Problem { _, p := decodeGroups(b); return p }},
		"empty updateIds":         {`{"updateIds":[`, `""`, `]}`, func(b []byte) *Problem { _, p := decodeLookUp(b); return p }},
		"updateIds that are none": {`{"updateIds":[`, `0`, `]}`, func(b []byte) *Problem { _, p := decodeLookUp(b); return p }},
	} {
		body := []byte(c.open + strings.TrimSuffix(strings.Repeat(c.item+",", (size-len(c.open)-len(c.end))/(len(c.item)+1)), ",") + c.end)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p := c.decode(body)
		runtime.ReadMemStats(&after)
		t.Logf("%s: %.1f MiB", name, float64(after.TotalAlloc-before.TotalAlloc)/(1<<20))
		require.NotNil(t, p, name)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32*size), name)
	}
}

// TestIntegersAreReadToTheLastDigit.
func TestIntegersAreReadToTheLastDigit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"1": 1, "10.0": 10, "1e1": 10, "0": 0, "-0": 0, "0e999999999": 0, "9007199254740991": maxInteger, "-1.50e1": -15} {
		n, ok := integerOf(text)
		require.True(t, ok, text)
		require.Equal(t, want, n, text)
	}
	for _, text := range []string{"0.99999999999999999999", "1.5", "1e-999999999", "1e400", "9007199254740992", "1." + strings.Repeat("0", 70) + "1"} {
		_, ok := integerOf(text)
		require.False(t, ok, text)
	}
}
