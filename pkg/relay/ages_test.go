package relay

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/lane"
)

// TestASessionAsksTheStreamOnceASecond how old what it settles is, whether it answers or not, and counts no more than that.
func TestASessionAsksTheStreamOnceASecond(t *testing.T) {
	t.Parallel()
	now, asked, silent := time.Unix(1000, 0), 0, false
	config := Config{Now: func() time.Time { return now }}
	a := newAges(0, &config, func(context.Context, uint64) (time.Time, error) {
		asked++
		if silent {
			return time.Time{}, errors.New("no answer")
		}
		return now.Add(-time.Minute), nil
	}, newMetrics(noRegistry{}), slog.New(slog.DiscardHandler))
	settle := func() int {
		asked = 0
		for nonce := range uint64(2_048) {
			a.settled(t.Context(), nonce, &lane.Work{}, 1)
		}
		return asked
	}
	require.Equal(t, 1, settle())
	now = now.Add(finalPause / 2)
	require.Zero(t, settle())
	now, silent = now.Add(finalPause), true
	require.Equal(t, 1, settle())
	now = now.Add(finalPause)
	require.Zero(t, settle(), "it did not answer")
	now, silent = now.Add(askPause), false
	require.Equal(t, 1, settle())
}
