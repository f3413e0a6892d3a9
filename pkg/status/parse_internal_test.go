package status

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
)

// FuzzStates: of any text where a state should be, an error or a status that can be told; and a state that is written is read.
func FuzzStates(f *testing.F) {
	f.Add("", "")
	f.Add("a", slotState([32]byte{1}, 7, 3))
	f.Add(boundState(3, 8), slotState([32]byte{1}, 0, 3))
	f.Add(finalState(score.Duplicate, [32]byte{1}, 9), "t12345678901234567890123456789012")
	f.Add("c23456789012345", "t")
	f.Add("C23456789012345"+finalState(score.BadSignature, [32]byte{2}, 9), "")
	f.Add("CCCCCCCCCCCCCCCCCCCCCCCCCCCCCC", "x")
	f.Add("A"+finalState(score.BadSignature, [32]byte{2}, 9), "")
	f.Add("B23456789"+finalState(score.BadSignature, [32]byte{2}, 9), slotState([32]byte{1}, 7, 3))
	f.Fuzz(func(t *testing.T, state, slot string) {
		p, err := parseState(state)
		if err != nil {
			require.Contains(t, err.Error(), "unexpected data in Redis")
			return
		}
		if state != "" {
			require.Len(t, state, sizes[state[0]])
		}
		require.LessOrEqual(t, p.Stage, score.Final)
		require.Equal(t, p.Stage == score.Batched || p.Stage == score.Final && p.Block > 0, p.beside != nil && (p.Stage == score.Batched || p.Block > 0))
		if p.beside == nil {
			return
		}
		st, err := completed(p.Status, slot)
		if err != nil {
			require.Contains(t, err.Error(), "unexpected data in Redis")
			return
		}
		if slot == "" {
			require.Equal(t, p.Status, st)
		}
	})
}
