package overview

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestManyViewersCostWhatOneCosts, also where a look fails.
func TestManyViewersCostWhatOneCosts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		looks, away := 0, errors.New("NATS is away")
		s := newShared(func(context.Context) (*Document, error) {
			looks++
			time.Sleep(3 * time.Second)
			if looks == 2 {
				return nil, away
			}
			return &Document{Verdict: "all lanes move"}, nil
		})
		for want := 1; want <= 3; want++ {
			var viewers sync.WaitGroup
			for range 50 {
				viewers.Go(func() {
					doc, err := s.Look(t.Context())
					if want == 2 {
						require.ErrorIs(t, err, away)
						return
					}
					require.NoError(t, err)
					require.Equal(t, "all lanes move", doc.Verdict)
				})
			}
			viewers.Wait()
			require.Equal(t, want, looks)
			time.Sleep(sharedFor + 1)
		}
	})
}

// TestAHistoryKeepsAQuarterOfAnHour.
func TestAHistoryKeepsAQuarterOfAnHour(t *testing.T) {
	t.Parallel()
	var h History
	begin := time.Unix(1_800_000_000, 0)
	for i := range 200 {
		h.add(Sample{At: begin.Add(time.Duration(i) * historyEvery)})
	}
	kept := h.Samples()
	require.Len(t, kept, 61)
	require.Equal(t, HistoryFor, kept[60].At.Sub(kept[0].At))
}
