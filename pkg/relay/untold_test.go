package relay

import (
	"context"
	"errors"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

// asked is a status store of which only a restore is asked.
type asked struct {
	Statuses
	restores int
	err      error
}

func (a *asked) Incomplete(context.Context) error {
	a.restores++
	return a.err
}

func TestWhatIsUntoldIsBoundedByItsUpdates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ updates, kept int }{
		"writes":       {0, maxUntold},
		"full batches": {2000, maxUntoldUpdates / 2000},
		"an odd size":  {1999, maxUntoldUpdates / 1999},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &session{Relayer: &Relayer{metrics: newMetrics(prometheus.NewRegistry())}}
			away, made, after := true, 0, 0
			write := func(n *int) func(context.Context) error {
				return func(context.Context) error {
					if away {
						return errors.New("no store")
					}
					*n++
					return nil
				}
			}
			for range c.kept {
				s.tell(t.Context(), c.updates, write(&made))
			}
			require.False(t, s.untold.lost)
			require.Equal(t, c.kept*c.updates, s.untold.updates)
			s.tell(t.Context(), c.updates+1, write(&after))
			require.True(t, s.untold.lost)
			s.tell(t.Context(), 0, write(&after)) // as the note that all was told

			away = false
			store := &asked{err: errors.New("no store")}
			s.untold.again(t.Context(), store, s.metrics)
			require.Equal(t, c.kept, made)
			require.Zero(t, s.untold.updates)
			s.tell(t.Context(), 0, write(&after))
			require.Zero(t, after, "nothing is told before a restore was asked for")

			store.err = nil
			s.untold.again(t.Context(), store, s.metrics)
			require.Equal(t, 2, store.restores)
			s.tell(t.Context(), c.updates, write(&after))
			require.Equal(t, 1, after)
			require.Empty(t, s.untold.writes)
		})
	}
}
