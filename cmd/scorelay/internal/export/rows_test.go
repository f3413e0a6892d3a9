package export

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFormatOf(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"": CSV, "x": CSV, "a/x.csv": CSV, "x.ndjson": NDJSON, "x.jsonl": NDJSON} {
		require.Equal(t, want, FormatOf(path))
	}
}
