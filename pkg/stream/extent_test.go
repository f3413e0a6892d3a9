package stream_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// TestAPublishNoticesASequenceThatWasGivenBefore, but for a message that an earlier attempt stored.
func TestAPublishNoticesASequenceThatWasGivenBefore(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ctx := t.Context()
	require.NoError(t, s.PublishEnvelope(ctx, "1", []score.Update{update(1)}, nil))
	require.NoError(t, s.PublishProject(ctx, "2", project(1), 0))
	require.EqualValues(t, 2, s.Seen())
	require.NoError(t, s.PublishEnvelope(ctx, "1", []score.Update{update(1)}, nil))
	s.Saw(10)
	s.Saw(9)
	require.EqualValues(t, 10, s.Seen())
	err := s.PublishEnvelope(ctx, "3", []score.Update{update(2)}, nil)
	require.ErrorIs(t, err, stream.ErrShorter)
	back := (*stream.BackError)(nil)
	require.ErrorAs(t, err, &back)
	require.Equal(t, stream.BackError{Known: 10, Ends: 3}, *back)
	require.ErrorIs(t, s.PublishProject(ctx, "4", project(2), 0), stream.ErrShorter)

	last, _ := open(t)
	last.Saw(1)
	require.ErrorIs(t, last.PublishEnvelope(ctx, "1", []score.Update{update(1)}, nil), stream.ErrShorter, "the last one known was given again")
}

// TestExtendPassesSequences and keeps what the stream holds, over a restart of its readers; it may be repeated.
func TestExtendPassesSequences(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ctx := t.Context()
	require.NoError(t, s.PublishEnvelope(ctx, "1", []score.Update{update(1)}, nil))
	r := readerFrom(t, s, 1)
	var left []uint64
	for range 2 {
		require.NoError(t, s.Extend(ctx, 12_345, func(n uint64) { left = append(left, n) }))
	}
	require.Equal(t, []uint64{12_344, 7_344, 2_344}, left)
	require.NoError(t, s.Extend(ctx, 1, nil))
	state, err := s.State(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 12_345, state.LastSeq)
	require.EqualValues(t, 1, state.Messages, "nothing is left of what filled the gap")
	s.Saw(12_345)
	require.NoError(t, s.PublishEnvelope(ctx, "2", []score.Update{update(2)}, nil))
	var read []score.Update
	for len(read) < 2 {
		m := next(t, r)
		require.NoError(t, m.Corrupt)
		read = append(read, m.Updates...)
	}
	require.Equal(t, []score.Update{update(1), update(2)}, read)
	require.EqualValues(t, 12_346, s.Seen())
}
