package stream

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/score"
)

func drawUpdate(t *rapid.T) score.Update {
	var u score.Update
	copy(u.Project[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "project"))
	copy(u.ID[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "id"))
	copy(u.Signer[:], rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(t, "signer"))
	copy(u.Target[:], rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(t, "target"))
	u.Action, u.ScoreType = rapid.Byte().Draw(t, "action"), rapid.Byte().Draw(t, "type")
	return u
}

func TestAnEnvelopeReadsBackAsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		updates := rapid.SliceOfN(rapid.Custom(drawUpdate), 1, 20).Draw(t, "updates")
		data, err := EncodeEnvelope(updates)
		require.NoError(t, err)
		back, project, err := decode(data)
		require.NoError(t, err)
		require.Nil(t, project)
		require.Equal(t, updates, back)
		_, _, err = decode(data[:len(data)-1])
		require.ErrorIs(t, err, errMalformed)
		_, _, err = decode(append(data, 0))
		require.ErrorIs(t, err, errMalformed)
	})
}

func TestTheLargestEnvelopeFitsAMessage(t *testing.T) {
	t.Parallel()
	data, err := EncodeEnvelope(make([]score.Update, MaxEnvelope))
	require.NoError(t, err)
	require.Less(t, len(data), maxMessageBytes)
	_, err = EncodeEnvelope(make([]score.Update, MaxEnvelope+1))
	require.Error(t, err)
	_, err = EncodeEnvelope(nil)
	require.Error(t, err)
}

func FuzzDecode(f *testing.F) {
	envelope, err := EncodeEnvelope(make([]score.Update, 2))
	if err != nil {
		f.Fatal(err)
	}
	project, err := encodeProject(&score.Project{Name: "p", Actions: []score.Action{{Name: "a", Points: 1}}})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range [][]byte{envelope, project, nil, {1}, {1, 1, 0, 0}, {2, 1}, {1, 2, '{', '}'}} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		updates, project, err := decode(data)
		if set := (updates != nil) != (project != nil); set == (err != nil) {
			t.Fatalf("updates %v, project %v, error %v: want exactly one", updates, project, err)
		}
		if updates == nil {
			return
		}
		again, err := EncodeEnvelope(updates)
		if err != nil || string(again) != string(data) {
			t.Fatalf("decoded, but encodes to other bytes (%v)", err)
		}
	})
}
