package app

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/stream"
	"github.com/scorelay/scorelay/pkg/wallet"
)

const (
	saysDiffer = "the API's clock and another one differ"
	saysAgree  = "the API's clock and the other one agree again"
)

// skewedClock is a clock that is off by what the test says, against whose it says.
func skewedClock(off *time.Duration) (*clock, *bytes.Buffer) {
	var said bytes.Buffer
	c := newClock(wallet.Freshness{Past: 5 * time.Minute, Ahead: 30 * time.Second}, slog.New(slog.NewTextHandler(&said, nil)), prometheus.NewRegistry())
	c.now = func() time.Time { return time.Now().Add(*off) }
	c.stream = func(context.Context) (time.Time, error) { return time.Time{}, errors.New("away") }
	c.head = func(context.Context) (evidence.Block, error) { return evidence.Block{}, errors.New("away") }
	return c, &said
}

// shown is what the metric shows.
func (c *clock) shown(t *testing.T, of string) float64 {
	t.Helper()
	var m dto.Metric
	require.NoError(t, c.ahead.WithLabelValues(of).Write(&m))
	return m.GetGauge().GetValue()
}

// TestClockOffNATSAndChain: a clock that is off from those of a real server and a real chain is told once, and when it is right again.
func TestClockOffNATSAndChain(t *testing.T) {
	t.Parallel()
	b, _ := newDeployment(t, 1)
	s, err := stream.Open(t.Context(), b.js)
	require.NoError(t, err)
	var off time.Duration
	c, said := skewedClock(&off)
	c.stream, c.head = s.Now, b.rpc.Head

	off = time.Hour
	c.look(t.Context())
	require.InDelta(t, 3600, c.shown(t, clockOfNATS), 60)
	require.Equal(t, 1, strings.Count(said.String(), saysDiffer), said)
	c.look(t.Context())
	require.Equal(t, 1, strings.Count(said.String(), saysDiffer), "it is told once")

	off = -time.Hour // now blocks are of the future, too
	c.look(t.Context())
	require.InDelta(t, -3600, c.shown(t, clockOfNATS), 60)
	require.Less(t, c.shown(t, clockOfChain), -3500.0)
	require.Equal(t, 2, strings.Count(said.String(), saysDiffer), said)
	require.Contains(t, said.String(), "of=chain")

	off = 0
	c.lookAtStream(t.Context())
	require.Equal(t, 1, strings.Count(said.String(), saysAgree), said)
	require.InDelta(t, 0, c.shown(t, clockOfNATS), 60)
}

// TestClockBehindSlowAnswers: an answer that took so long that it could mean both says nothing.
func TestClockBehindSlowAnswers(t *testing.T) {
	t.Parallel()
	var off time.Duration
	c, said := skewedClock(&off)
	c.stream = func(context.Context) (time.Time, error) {
		theirs := time.Now()
		off = 30 * time.Second // so long it takes
		return theirs, nil
	}
	c.lookAtStream(t.Context())
	require.Empty(t, said.String())
}

// TestClockAheadOfLateBlocks: blocks are late by themselves, some more than others: only the youngest of many tells of a clock.
func TestClockAheadOfLateBlocks(t *testing.T) {
	t.Parallel()
	var off time.Duration
	c, said := skewedClock(&off)
	head := evidence.Block{}
	next := func(age time.Duration) {
		head.Number, head.Time = head.Number+1, uint64(time.Now().Add(-age).Unix())
		c.lookAtChain(t.Context())
	}
	c.head = func(context.Context) (evidence.Block, error) { return head, nil }

	next(24 * time.Hour) // a chain that stood still
	c.lookAtChain(t.Context())
	for range 2 * clockBlocks { // and one whose blocks come late, but not all of them
		next(time.Hour)
		next(time.Minute)
		next(20 * time.Second)
	}
	require.Empty(t, said.String())
	require.InDelta(t, 20, c.shown(t, clockOfChain), 3)

	off = time.Hour
	for range clockBlocks - 1 {
		next(0)
		require.Empty(t, said.String())
	}
	next(0)
	require.Equal(t, 1, strings.Count(said.String(), saysDiffer), said)
	require.InDelta(t, 3600, c.shown(t, clockOfChain), 60)

	off = 0
	next(time.Second)
	require.Equal(t, 1, strings.Count(said.String(), saysAgree), said)
	require.Len(t, c.ages, clockBlocks, "what is remembered is bounded")
}
