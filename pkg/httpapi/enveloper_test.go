package httpapi

import (
	"context"
	"log/slog"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/score"
)

// numbered is a unit of n updates whose ids count up from first; more than one are a signed group.
func numbered(first, n int) unit {
	u := unit{updates: make([]score.Update, n)}
	for i := range u.updates {
		u.updates[i].ID = score.UpdateID{byte((first + i) >> 8), byte(first + i)}
	}
	u.claimed, u.token = score.Refs(u.updates), strconv.Itoa(first)
	if n > 1 {
		u.signed = &score.Signed{Kind: score.KindFree, Signature: score.GroupSignature{byte(first >> 8), byte(first)}}
	}
	return u
}

// TestEnvelopesKeepUnitsWholeAndInOrder: no group is split, nothing overtakes, and an envelope is as full as that allows.
func TestEnvelopesKeepUnitsWholeAndInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(4, 12).Draw(t, "limit")
		sizes := rapid.SliceOfN(rapid.OneOf(rapid.Just(1), rapid.IntRange(2, limit)), 1, 40).Draw(t, "sizes")
		e := &enveloper{limit: limit, in: make(chan *waiting, len(sizes)), stop: make(chan struct{})}
		total := 0
		for _, n := range sizes {
			e.in <- &waiting{unit: numbered(total, n), deadline: time.Now().Add(time.Hour)}
			total += n
		}
		close(e.stop)
		at, unit := 0, 0
		for unit < len(sizes) {
			units := e.collect()
			for units == nil { // stop was seen first
				units = e.collect()
			}
			updates, signed, claimed, tokens := envelopeOf(units)
			require.LessOrEqual(t, len(updates), limit)
			require.Equal(t, score.Refs(updates), claimed)
			require.Len(t, tokens, len(claimed))
			groups := 0
			for i, place := 0, 0; i < len(units); i++ {
				require.Len(t, units[i].updates, sizes[unit])
				if sizes[unit] > 1 {
					require.Equal(t, score.Signed{
						First: place, Count: sizes[unit], Kind: score.KindFree, Signature: units[i].signed.Signature,
					}, signed[groups])
					groups++
				}
				for range sizes[unit] {
					require.Equal(t, units[i].token, tokens[place])
					place++
				}
				unit++
			}
			require.Len(t, signed, groups)
			for i := range updates {
				require.Equal(t, numbered(at, 1).updates[0].ID, updates[i].ID)
				at++
			}
			if unit < len(sizes) {
				require.Greater(t, len(updates)+sizes[unit], limit, "the next unit would have fitted")
			}
		}
		require.Equal(t, total, at)
	})
}

// enveloping runs an enveloper of ten updates at most until the test, which is in a bubble, closes stop.
func enveloping(t *testing.T, publisher Publisher, patience time.Duration) *enveloper {
	t.Helper()
	e := &enveloper{
		publisher: publisher, patience: patience, limit: 10, metrics: newMetrics(prometheus.NewRegistry()),
		accepted: func(context.Context, []score.Ref, []string) {}, log: slog.New(slog.DiscardHandler),
		in: make(chan *waiting, 10), stop: make(chan struct{}), ended: make(chan struct{}),
	}
	go e.run(t.Context())
	return e
}

// countingPublisher stores how many updates each envelope has, one at a time.
type countingPublisher struct {
	Publisher
	sizes []int
}

func (p *countingPublisher) PublishEnvelope(_ context.Context, _ string, updates []score.Update, _ []score.Signed, _ ...score.Traced) error {
	time.Sleep(time.Second)
	p.sizes = append(p.sizes, len(updates))
	return nil
}

// TestAUnitThatDidNotFitIsNextAndIsAnsweredInADrain: it waits for one publish, not for the envelopes of those behind it.
func TestAUnitThatDidNotFitIsNextAndIsAnsweredInADrain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		publisher := &countingPublisher{}
		e := enveloping(t, publisher, time.Minute)
		answers := make(chan error)
		add := func(n int) {
			go func() { answers <- e.add(numbered(0, n)) }()
			synctest.Wait()
		}
		for _, n := range []int{1, 4, 8, 1, 1, 7} {
			add(n)
		}
		time.Sleep(1500 * time.Millisecond) // 4 is in flight, 8 did not fit
		close(e.stop)
		for range 6 {
			if err := <-answers; err != nil {
				require.ErrorIs(t, err, errDrained) // what run had not looked at yet when the stop came
			}
		}
		<-e.ended
		require.Equal(t, []int{1, 4, 10}, publisher.sizes[:3], "8 and the two behind it")
	})
}
