package stream_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

func TestSignedGroupsAreReadAsPublished(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	updates := []score.Update{update(1), update(2), update(3), update(4)}
	signed := []score.Signed{
		{First: 0, Count: 2, Kind: score.KindFree, Signature: score.GroupSignature{7}},
		{First: 3, Count: 1, Kind: score.KindWord, Signature: score.GroupSignature{63: 8}},
	}
	require.Error(t, s.PublishEnvelope(t.Context(), "wrong", updates[:3], signed), "a group beyond the updates")
	require.NoError(t, s.PublishEnvelope(t.Context(), "a", updates, signed))
	require.NoError(t, s.PublishEnvelope(t.Context(), "b", updates, nil))
	r := readerFrom(t, s, 0)
	for _, want := range [][]score.Signed{signed, nil} {
		message := next(t, r)
		require.Equal(t, updates, message.Updates)
		require.Equal(t, want, message.Signed)
	}
}

func TestAMessageOfANewerVersionIsNotCorrupt(t *testing.T) {
	t.Parallel()
	s, js := open(t)
	data, err := stream.EncodeEnvelope([]score.Update{update(1)}, nil)
	require.NoError(t, err)
	data[0] = stream.Version + 1
	_, err = js.Publish(t.Context(), "scorelay.updates", data)
	require.NoError(t, err)
	_, err = readerFrom(t, s, 0).Next(t.Context())
	require.ErrorIs(t, err, score.ErrNewer)
}
