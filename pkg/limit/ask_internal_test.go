package limit

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAWrongNumberSpoilsItsOwnAnswerOnly, since other keys' answers are in the same call.
func TestAWrongNumberSpoilsItsOwnAnswerOnly(t *testing.T) {
	t.Parallel()
	for _, wrong := range []int64{-1, maxNumber + 1} {
		for place := range answersEach {
			numbers := make([]int64, 3*answersEach+1)
			numbers[answersEach-1], numbers[3*answersEach-1] = 1, maxNumber
			numbers[answersEach+place] = wrong
			answers, _, err := parseAnswers(numbers, 3)
			require.NoError(t, err)
			require.Error(t, answers[1].err)
			require.Equal(t, answer{mine: 1}, answers[0])
			require.Equal(t, answer{mine: maxNumber}, answers[2])
		}
	}
}

// FuzzAnswers: of any numbers, an error or one answer for each question, none of them less than nothing.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte{}, uint8(0))
	f.Add(make([]byte, 8*(answersEach+1)), uint8(1))
	f.Add(binary.BigEndian.AppendUint64(make([]byte, 8*2*answersEach), 1<<63), uint8(2))
	f.Fuzz(func(t *testing.T, raw []byte, questions uint8) {
		numbers := make([]int64, len(raw)/8)
		for i := range numbers {
			numbers[i] = int64(binary.BigEndian.Uint64(raw[8*i:]))
		}
		answers, bad, err := parseAnswers(numbers, int(questions))
		if err != nil {
			return
		}
		require.Len(t, answers, int(questions))
		require.GreaterOrEqual(t, bad, int64(0))
		for _, a := range answers {
			if a.err != nil {
				require.Equal(t, answer{err: a.err}, a)
			}
			require.GreaterOrEqual(t, int64(a.full), int64(0))
			require.GreaterOrEqual(t, int64(a.wait), int64(0))
			require.GreaterOrEqual(t, a.units, 0)
		}
	})
}
