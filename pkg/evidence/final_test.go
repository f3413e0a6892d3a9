package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/evidence"
)

func TestFinalHeight(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		head, confirmations, height uint64
		ok                          bool
	}{
		{head: 7, confirmations: 1, height: 7, ok: true},
		{head: 7, confirmations: 3, height: 5, ok: true},
		{head: 7, confirmations: 8, height: 0, ok: true},
		{head: 7, confirmations: 9},
		{head: 0, confirmations: 1, height: 0, ok: true},
	} {
		height, ok := evidence.FinalHeight(c.head, c.confirmations)
		require.Equal(t, c.ok, ok, c)
		require.Equal(t, c.height, height, c)
	}
}
