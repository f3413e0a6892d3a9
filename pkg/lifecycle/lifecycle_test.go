package lifecycle_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/scorelay/scorelay/pkg/lifecycle"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

// diary notes what happened, in order.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) note(line string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, line)
}

// part is one that notes everything and works until it is drained.
func (d *diary) part(name string) lifecycle.Part {
	return lifecycle.Part{
		Name:  name,
		Start: func(context.Context) error { d.note("start " + name); return nil },
		Run: func(drain, _ context.Context) error {
			<-drain.Done()
			d.note("drained " + name)
			return drain.Err()
		},
		Stop: func(context.Context) error { d.note("stop " + name); return nil },
	}
}

func TestStartsInOrderAndStopsInReverse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		drain, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		require.NoError(t, lifecycle.Run(drain, t.Context(), quiet, time.Minute, d.part("a"), d.part("b")))
		require.Equal(t, []string{"start a", "start b", "drained b", "stop b", "drained a", "stop a"}, d.lines)
	})
}

func TestAPartThatCannotStartStopsTheEarlierOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		bad := lifecycle.Part{Name: "bad", Start: func(context.Context) error { return errors.New("no port") }}
		err := lifecycle.Run(t.Context(), t.Context(), quiet, time.Minute, d.part("a"), bad, d.part("b"))
		require.ErrorContains(t, err, "couldn't start bad: no port")
		require.Equal(t, []string{"start a", "drained a", "stop a"}, d.lines)
	})
}

func TestAPartThatEndsEndsAll(t *testing.T) {
	for _, ends := range []error{nil, errors.New("boom")} {
		synctest.Test(t, func(t *testing.T) {
			var d diary
			short := lifecycle.Part{Name: "short", Run: func(_, _ context.Context) error { return ends }}
			err := lifecycle.Run(t.Context(), t.Context(), quiet, time.Minute, d.part("a"), short)
			require.ErrorContains(t, err, "short ended")
			require.Equal(t, []string{"start a", "drained a", "stop a"}, d.lines)
		})
	}
}

func TestAPartThatEndsEndsTheStartOfLaterOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		short := lifecycle.Part{Name: "short", Run: func(_, _ context.Context) error {
			time.Sleep(time.Second)
			return errors.New("boom")
		}}
		waits := lifecycle.Part{Name: "waits", Start: func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		err := lifecycle.Run(t.Context(), t.Context(), quiet, time.Minute, short, waits)
		require.ErrorContains(t, err, "short ended: boom")
		require.NotContains(t, err.Error(), "waits")
	})
}

func TestADrainThatTakesTooLongIsKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := lifecycle.Part{Name: "slow", Run: func(_, kill context.Context) error {
			<-kill.Done()
			return kill.Err()
		}}
		drain, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, lifecycle.Run(drain, t.Context(), quiet, time.Minute, slow), "nothing started, nothing killed")

		drain, cancel = context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		began := time.Now()
		require.ErrorIs(t, lifecycle.Run(drain, t.Context(), quiet, time.Minute, slow), lifecycle.ErrKilled)
		require.Equal(t, time.Minute+time.Second, time.Since(began))
	})
}

func TestAPartThatIgnoresTheKillIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		deaf := lifecycle.Part{Name: "deaf", Run: func(_, _ context.Context) error { <-release; return nil }}
		kill, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		err := lifecycle.Run(t.Context(), kill, quiet, time.Minute, deaf)
		require.ErrorIs(t, err, lifecycle.ErrKilled)
		require.ErrorContains(t, err, "deaf did not return")
		close(release)
	})
}

func TestSignals(t *testing.T) {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt) // for good: one that is delivered after release would end the test program
	drain, kill, release := lifecycle.Signals(t.Context())
	defer release()
	self, err := os.FindProcess(os.Getpid())
	require.NoError(t, err)
	first := time.Now()
	require.NoError(t, self.Signal(syscall.SIGTERM))
	<-drain.Done()
	require.NoError(t, self.Signal(os.Interrupt), "comes with the first")
	require.Eventually(t, func() bool {
		require.NoError(t, self.Signal(os.Interrupt))
		return kill.Err() != nil
	}, 2*time.Minute, 20*time.Millisecond)
	require.Greater(t, time.Since(first), 400*time.Millisecond)
}
