package event_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/event"
)

const hash = "4f8e6f0a7c1d2b3e4f8e6f0a7c1d2b3e4f8e6f0a7c1d2b3e4f8e6f0a7c1d2b3e"

func TestCursorsAreReadAsTheyAreWrittenAndNotOtherwise(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"start", "start-7", "12-" + hash + "-end-0", "12-" + hash + "-3-999-18446744073709551615", "9223372036854775807-" + hash + "-4294967294-4294967295-0"} {
		c, err := event.ParseCursor(text)
		require.NoError(t, err, text)
		require.Equal(t, text, c.String())
		require.LessOrEqual(t, len(text), event.MaxCursor)
	}
	for _, text := range []string{
		"", "now", "start-0", "start-", "start-07", "12", "12-" + hash + "-end", "12-" + hash + "-end-01", "12-" + hash + "-end--1", "+12-" + hash + "-end-1",
		"12-" + strings.ToUpper(hash) + "-end-1", "12-0x" + hash[2:] + "-end-1", "12-" + hash[2:] + "-end-1", "12-" + hash + "-4294967295-0-1",
		"9223372036854775808-" + hash + "-end-0", "12-" + hash + "-1-4294967296-1", "12-" + hash + "-1-2-3-4", "12-" + hash + "-end-18446744073709551616", " start", strings.Repeat("1", 200),
		"0-" + strings.Repeat("0", 64) + "-end-0",
	} {
		_, err := event.ParseCursor(text)
		require.ErrorIs(t, err, event.ErrNotCursor, text)
	}
}

func FuzzCursor(f *testing.F) {
	f.Add("start")
	f.Add("start-7")
	f.Add("12-" + hash + "-3-4-5")
	f.Add("12-" + hash + "-end-5")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := event.ParseCursor(text)
		if err != nil {
			require.Equal(t, event.Cursor{}, c)
			return
		}
		require.Equal(t, text, c.String())
		var again event.Cursor
		require.NoError(t, again.UnmarshalText([]byte(text)))
		require.Equal(t, c, again)
	})
}
