package limit

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAWrongNumberSpoilsItsOwnReplyOnly, since other keys' replies are in the same call.
func TestAWrongNumberSpoilsItsOwnReplyOnly(t *testing.T) {
	t.Parallel()
	for _, wrong := range []int64{-1, maxNumber + 1} {
		for place := range replyNumbers {
			numbers := make([]int64, 3*replyNumbers+1)
			numbers[replyNumbers-1], numbers[3*replyNumbers-1] = 1, maxNumber
			numbers[replyNumbers+place] = wrong
			replies, _, err := parseReplies(numbers, 3)
			require.NoError(t, err)
			require.Error(t, replies[1].err)
			require.Equal(t, reply{mine: 1}, replies[0])
			require.Equal(t, reply{mine: maxNumber}, replies[2])
		}
	}
}

// FuzzReplies: of any numbers, an error or one reply for each take, none of them less than nothing.
func FuzzReplies(f *testing.F) {
	f.Add([]byte{}, uint8(0))
	f.Add(make([]byte, 8*(replyNumbers+1)), uint8(1))
	f.Add(binary.BigEndian.AppendUint64(make([]byte, 8*2*replyNumbers), 1<<63), uint8(2))
	f.Fuzz(func(t *testing.T, raw []byte, takes uint8) {
		numbers := make([]int64, len(raw)/8)
		for i := range numbers {
			numbers[i] = int64(binary.BigEndian.Uint64(raw[8*i:]))
		}
		replies, bad, err := parseReplies(numbers, int(takes))
		if err != nil {
			return
		}
		require.Len(t, replies, int(takes))
		require.GreaterOrEqual(t, bad, int64(0))
		for _, a := range replies {
			if a.err != nil {
				require.Equal(t, reply{err: a.err}, a)
			}
			require.GreaterOrEqual(t, int64(a.full), int64(0))
			require.GreaterOrEqual(t, int64(a.wait), int64(0))
			require.GreaterOrEqual(t, a.units, 0)
		}
	})
}
