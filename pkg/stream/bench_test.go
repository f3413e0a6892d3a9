package stream_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkDeadLetters stores the letters of 8,000 rejected updates.
func BenchmarkDeadLetters(b *testing.B) {
	s, _ := open(b)
	letters := rejected(8000)
	for b.Loop() {
		for some := range slices.Chunk(letters, 500) { // as the relayer does
			require.NoError(b, s.AddDeadLetters(b.Context(), some))
		}
	}
}
