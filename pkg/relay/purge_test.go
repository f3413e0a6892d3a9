package relay

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
)

// faultyWake is a roster whose Wake fails, or fails and is stored all the same.
type faultyWake struct {
	*roster.Live
	fails, stores bool
}

func (f *faultyWake) Gone(context.Context, score.Lane) error { return nil }

func (f *faultyWake) Wake(_ context.Context, id score.Lane) error {
	known, _ := f.Current()
	if next, err := known.Wake(id); err != nil {
		return err
	} else if !f.fails || f.stores {
		f.Set(next)
	}
	if f.fails {
		return errSimAway
	}
	return nil
}

// TestALaneThatIsGoneIsWoken: the log says that it is driven again only where the roster says so.
func TestALaneThatIsGoneIsWoken(t *testing.T) {
	t.Parallel()
	all, err := roster.First([]common.Address{{1}, {2}})
	require.NoError(t, err)
	all, err = all.Remove(1)
	require.NoError(t, err)
	all, err = all.Gone(1)
	require.NoError(t, err)
	lanes := lane.Lanes{0: {}, 1: {Buckets: map[score.Bucket]lane.Holding{7: {}}}}
	for _, c := range []struct {
		name          string
		fails, stores bool
		state         roster.State
		said          string
	}{
		{"stored", false, true, roster.Cut, "it is driven again"},
		{"failed", true, false, roster.Gone, "the next purge tries again"},
		{"failed, but stored", true, true, roster.Cut, "the next purge tries again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var log strings.Builder
			view := &faultyWake{roster.NewLive(all), c.fails, c.stores}
			p := &purger{roster: view, timeout: time.Second, log: slog.New(slog.NewTextHandler(&log, nil))}
			p.wake(t.Context(), all, lanes)
			now, _ := view.Current()
			require.Equal(t, c.state, now.Lanes[1].State)
			require.Contains(t, log.String(), c.said)
			require.Equal(t, 1, strings.Count(log.String(), "\n"))
		})
	}
}
