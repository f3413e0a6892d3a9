package event_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/event"
)

// silent has dead letters that cannot be read after the first time.
type silent struct {
	event.DeadLetters

	asked  atomic.Int32
	panics atomic.Bool
}

func (s *silent) LastDeadLetter(ctx context.Context) (uint64, error) {
	if s.asked.Add(1) > 1 {
		if s.panics.Load() {
			panic("the dead letters are planted")
		}
		return 0, errors.New("the dead letters are away")
	}
	return s.DeadLetters.LastDeadLetter(ctx)
}

// TestReadersAreToldOfBlocksWithoutTheDeadLetters, as long as those cannot be read, or the log panics at them, which shows; and hear of no trouble.
func TestReadersAreToldOfBlocksWithoutTheDeadLetters(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	w.blocks(confirmations)
	log := w.still(0)
	letters := &silent{DeadLetters: w.stream}
	log.DeadLetters = letters
	at, err := log.End(t.Context())
	require.NoError(t, err)
	w.run(log)
	told, wrong := make(chan int, 2), make(chan error, 1)
	go func() {
		for t.Context().Err() == nil {
			some, next, err := log.Next(t.Context(), p.ID, at, 10)
			if at = next; len(some) > 0 {
				told <- len(some)
			}
			if err != nil && strings.Contains(err.Error(), "dead letters") && !strings.Contains(err.Error(), "\n") { // the chain may not have answered, either
				wrong <- err
				return
			}
		}
	}()
	w.shows(1)
	for _, tries := range []int32{20, 5} { // longer than readers are held up silently; after a panic the log rests
		letters.panics.Store(tries == 5)
		before := letters.asked.Load()
		require.Eventually(t, func() bool { return letters.asked.Load() > before+tries }, soon, time.Millisecond)
		w.relay(w.fresh(p, 1)...)
		w.blocks(confirmations)
		select {
		case n := <-told:
			require.Equal(t, 1, n)
		case err := <-wrong:
			require.NoError(t, err)
		}
	}
	w.shows(1)
}
