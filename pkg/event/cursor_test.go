package event_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/event"
)

const (
	short = "4f8e6f0a7c1d2b3e"
	most  = "9223372036854775807"
)

func TestCursorsAreReadAsTheyAreWrittenAndNotOtherwise(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"start", "41-12-" + short + "-7", "0-12-" + short + "-0", "41-12-" + short + "-7-1-" + short + "-12-0",
		most + "-" + most + "-" + short + "-" + most + "-4294967295-" + short + "-4294967295-4294967295",
	} {
		c, err := event.ParseCursor(text)
		require.NoError(t, err, text)
		require.Equal(t, text, c.String())
		require.LessOrEqual(t, len(text), event.MaxCursor)
	}
	for _, text := range []string{
		"", "now", "start-0", "start-", "12", "1-12-" + short, "1-12-" + short + "-01", "1-12-" + short + "--1", "+1-12-" + short + "-1", "0-0-0000000000000000-0",
		"1-12-" + strings.ToUpper(short) + "-1", "1-12-0x" + short[2:] + "-1", "1-12-" + short[2:] + "-1", "9223372036854775808-1-" + short + "-1", " start", strings.Repeat("1", 200),
		"1-12-" + short + "-1-1-" + short + "-1", "1-12-" + short + "-1-1-" + short + "-1-4294967296", "1-12-" + short + "-1-1-" + short[2:] + "-1-1", "1-12-" + short + "-1-01-" + short + "-1-1",
		"1-12-" + short + "-1-0-0000000000000000-0-0", "1-12-" + short + "-1-1-" + strings.ToUpper(short) + "-1-1",
	} {
		_, err := event.ParseCursor(text)
		require.ErrorIs(t, err, event.ErrNotCursor, text)
	}
}

func FuzzCursor(f *testing.F) {
	f.Add("start")
	f.Add("41-12-" + short + "-7")
	f.Add("41-12-" + short + "-7-1-" + short + "-12-0")
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
