package stream

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/ethereum/go-ethereum/common"
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

// drawEnvelope makes runs of updates, each plain or a signed group.
func drawEnvelope(t *rapid.T) (updates []score.Update, signed []score.Signed) {
	for range rapid.IntRange(1, 5).Draw(t, "runs") {
		run := rapid.SliceOfN(rapid.Custom(drawUpdate), 1, 8).Draw(t, "run")
		if rapid.Bool().Draw(t, "signed") {
			s := score.Signed{First: len(updates), Count: len(run), Kind: score.Kind(rapid.IntRange(1, 3).Draw(t, "kind"))}
			copy(s.Signature[:], rapid.SliceOfN(rapid.Byte(), 64, 64).Draw(t, "signature"))
			for i := range run {
				run[i].Project, run[i].Signer = run[0].Project, run[0].Signer
				if s.Kind != score.KindFree {
					run[i].ID = run[0].ID
				}
				if s.Kind == score.KindWord {
					run[i].ID[31] = byte(i)
				}
			}
			signed = append(signed, s)
		}
		updates = append(updates, run...)
	}
	return updates, signed
}

func drawTraces(t *rapid.T, updates int) (traces []score.Traced) {
	for i := range updates {
		if rapid.IntRange(0, 3).Draw(t, "traced") == 0 {
			traces = append(traces, score.Traced{Index: i, Trace: score.Trace{0: byte(i + 1), 23: 1}})
		}
	}
	return traces
}

func TestAnEnvelopeReadsBackAsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		updates, signed := drawEnvelope(t)
		traces := drawTraces(t, len(updates))
		data, err := EncodeEnvelope(updates, signed, traces...)
		require.NoError(t, err)
		back, err := decode(data)
		require.NoError(t, err)
		require.Equal(t, score.Message{Updates: updates, Signed: signed, Traces: traces}, back)
		_, err = decode(data[:len(data)-1])
		require.ErrorIs(t, err, errMalformed)
		_, err = decode(append(data, 0))
		require.ErrorIs(t, err, errMalformed)
	})
}

// TestTheWireForm holds the bytes of an envelope.
func TestTheWireForm(t *testing.T) {
	t.Parallel()
	update := score.Update{
		Project: score.ProjectID{0: 1, 31: 2}, ID: score.UpdateID{0: 3, 31: 4}, Signer: common.Address{0: 5, 19: 6},
		Target: common.Address{0: 7, 19: 8}, Action: 9, ScoreType: 10,
	}
	data := []byte{1, 1, 0, 1}
	for _, field := range [][]byte{update.Project[:], update.ID[:], update.Signer[:], update.Target[:], {9, 10}} {
		data = append(data, field...)
	}
	plain := append(bytes.Clone(data), 0, 0)
	m, err := decode(plain)
	require.NoError(t, err)
	require.Equal(t, score.Message{Updates: []score.Update{update}}, m)
	signature := score.GroupSignature{11, 63: 12}
	signed := append(append(bytes.Clone(data), 0, 1, 0, 0, 0, 1, 3), signature[:]...)
	m, err = decode(signed)
	require.NoError(t, err)
	group := score.Signed{First: 0, Count: 1, Kind: score.KindFree, Signature: signature}
	require.Equal(t, score.Message{Updates: []score.Update{update}, Signed: []score.Signed{group}}, m)
	trace := score.Trace{13, 23: 14}
	m, err = decode(append(append(append([]byte{2, 1, 0, 1, 0, 0}, trace[:]...), data[2:]...), 0, 0))
	require.NoError(t, err)
	require.Equal(t, score.Message{Updates: []score.Update{update}, Traces: []score.Traced{{Trace: trace}}}, m)
	for version, want := range map[byte]error{0: errMalformed, 2: errMalformed, 3: errMalformed, 4: score.ErrNewer, 31: score.ErrNewer, 32: errMalformed, 255: errMalformed} {
		plain[0] = version
		_, err = decode(plain)
		require.ErrorIs(t, err, want)
	}
}

func TestTracesOutOfOrderAreRefused(t *testing.T) {
	t.Parallel()
	some := score.Trace{1, 23: 1}
	for name, traces := range map[string][]score.Traced{
		"twice":         {{Index: 0, Trace: some}, {Index: 0, Trace: some}},
		"descending":    {{Index: 1, Trace: some}, {Index: 0, Trace: some}},
		"beyond":        {{Index: 2, Trace: some}},
		"negative":      {{Index: -1, Trace: some}},
		"no trace's id": {{Index: 0, Trace: score.Trace{23: 1}}},
		"no span's id":  {{Index: 0, Trace: score.Trace{1}}},
	} {
		_, err := EncodeEnvelope(make([]score.Update, 2), nil, traces...)
		require.Error(t, err, name)
		plain, err := EncodeEnvelope(make([]score.Update, 2), nil)
		require.NoError(t, err)
		_, err = decode(append(appendHeader(nil, kindUpdates, traces), plain[headerBytes:]...))
		require.ErrorIs(t, err, errMalformed, name)
	}
	_, err := encodeProject(&score.Project{}, score.Traced{Index: 1, Trace: some})
	require.Error(t, err)
}

func TestSignedGroupsOutOfOrderAreRefused(t *testing.T) {
	t.Parallel()
	updates := make([]score.Update, 600)
	updates[10].Project[0] = 1
	updates[20].Signer[0] = 1
	updates[22].ID[31] = 1
	updates[24].ID[30] = 1
	group := func(first, count int) score.Signed {
		return score.Signed{First: first, Count: count, Kind: score.KindRuns}
	}
	for name, c := range map[string]struct {
		ok     bool
		signed []score.Signed
	}{
		"apart":           {true, []score.Signed{group(0, 5), group(6, 4), group(11, 9), group(21, 2)}},
		"neighbours":      {true, []score.Signed{group(30, 256), group(286, 256), group(542, 58)}},
		"empty":           {false, []score.Signed{group(0, 0)}},
		"negative":        {false, []score.Signed{group(-1, 2)}},
		"too big":         {false, []score.Signed{group(30, 257)}},
		"beyond the end":  {false, []score.Signed{group(599, 2)}},
		"overlapping":     {false, []score.Signed{group(0, 5), group(4, 2)}},
		"descending":      {false, []score.Signed{group(6, 2), group(0, 2)}},
		"of two projects": {false, []score.Signed{group(8, 4)}},
		"of two signers":  {false, []score.Signed{group(19, 2)}},
		"of kind 0":       {false, []score.Signed{{Count: 1}}},
		"of kind 4":       {false, []score.Signed{{Count: 1, Kind: 4}}},
		"a word":          {true, []score.Signed{{First: 21, Count: 2, Kind: score.KindWord}}},
		"a word twice":    {false, []score.Signed{{First: 25, Count: 2, Kind: score.KindWord}}},
		"a word falling":  {false, []score.Signed{{First: 22, Count: 2, Kind: score.KindWord}}},
		"two words":       {false, []score.Signed{{First: 23, Count: 2, Kind: score.KindWord}}},
		"runs, two words": {false, []score.Signed{{First: 23, Count: 2, Kind: score.KindRuns}}},
		"free, two words": {true, []score.Signed{{First: 23, Count: 2, Kind: score.KindFree}}},
	} {
		_, err := EncodeEnvelope(updates, c.signed)
		require.Equal(t, c.ok, err == nil, "%s: %v", name, err)
		data, err := EncodeEnvelope(updates, nil)
		require.NoError(t, err)
		data = data[:len(data)-2]
		data = binary.BigEndian.AppendUint16(data, uint16(len(c.signed)))
		for _, s := range c.signed {
			data = binary.BigEndian.AppendUint16(data, uint16(s.First))
			data = binary.BigEndian.AppendUint16(data, uint16(s.Count))
			data = append(append(data, byte(s.Kind)), s.Signature[:]...)
		}
		m, err := decode(data)
		if c.ok {
			require.NoError(t, err, name)
			require.Equal(t, c.signed, m.Signed, name)
		} else {
			require.ErrorIs(t, err, errMalformed, name)
		}
	}
}

func TestAProjectReadsBackAsWritten(t *testing.T) {
	t.Parallel()
	for _, signedOnly := range []bool{false, true} {
		project := &score.Project{
			ID: score.ProjectID{1}, Name: "p", Actions: []score.Action{{Name: "a", Points: 1}}, Owners: []common.Address{{2}},
			Updaters: []common.Address{}, ScoreTypes: []string{"s"}, SignedOnly: signedOnly,
		}
		for _, traces := range [][]score.Traced{nil, {{Trace: score.Trace{1, 23: 1}}}} {
			data, err := encodeProject(project, traces...)
			require.NoError(t, err)
			m, err := decode(data)
			require.NoError(t, err)
			require.Equal(t, score.Message{Project: project, Traces: traces}, m)
		}
	}
}

func TestTheLargestEnvelopeFitsAMessage(t *testing.T) {
	t.Parallel()
	signed := make([]score.Signed, MaxEnvelope)
	for i := range signed {
		signed[i] = score.Signed{First: i, Count: 1, Kind: score.KindFree}
	}
	traces := make([]score.Traced, MaxEnvelope)
	for i := range traces {
		traces[i] = score.Traced{Index: i, Trace: score.Trace{1, 23: 1}}
	}
	data, err := EncodeEnvelope(make([]score.Update, MaxEnvelope), signed, traces...)
	require.NoError(t, err)
	require.Less(t, len(data), maxMessageBytes)
	_, err = EncodeEnvelope(make([]score.Update, MaxEnvelope+1), nil)
	require.Error(t, err)
	_, err = EncodeEnvelope(nil, nil)
	require.Error(t, err)
}

func FuzzDecode(f *testing.F) {
	envelope, err := EncodeEnvelope(make([]score.Update, 2), nil)
	require.NoError(f, err)
	signed, err := EncodeEnvelope(make([]score.Update, 5), []score.Signed{
		{First: 0, Count: 2, Kind: score.KindRuns}, {First: 3, Count: 1, Kind: score.KindFree},
	})
	require.NoError(f, err)
	followed, err := EncodeEnvelope(make([]score.Update, 2), nil, score.Traced{Index: 1, Trace: score.Trace{1, 23: 1}})
	require.NoError(f, err)
	project, err := encodeProject(&score.Project{Name: "p", Actions: []score.Action{{Name: "a", Points: 1}}})
	require.NoError(f, err)
	edit, err := encodeEdit(&score.SignedEdit{Owner: common.Address{1}, ProjectEdit: score.ProjectEdit{Nonce: 7, Edits: []score.Edit{{Operation: score.AddOwner}}}})
	require.NoError(f, err)
	for _, seed := range [][]byte{
		envelope, signed, followed, project, edit, {editing, kindEdit, 0, 0, '{', '}'}, {editing, kindProject, 0, 0, '{', '}'}, {traced, kindEdit, '{', '}'}, {traced, kindFiller, 0, 0}, {version, kindFiller}, {version, kindFiller, 0}, nil, {1}, {1, 1, 0, 0}, {2, 1}, {1, 2, '{', '}'}, {2, 2, '{', '}'},
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decode(data)
		if string(data) == string([]byte{version, kindFiller}) { // what Extend puts in the place of what was lost
			require.NoError(t, err)
			require.Equal(t, score.Message{}, m, "a filler")
			return
		}
		set := 0
		for _, is := range []bool{m.Updates != nil, m.Project != nil, m.Edit != nil, err != nil} {
			if is {
				set++
			}
		}
		require.Equal(t, 1, set, "updates %v, project %v, edit %v, error %v: want exactly one", m.Updates, m.Project, m.Edit, err)
		if m.Updates == nil {
			return
		}
		again, err := EncodeEnvelope(m.Updates, m.Signed, m.Traces...)
		require.NoError(t, err)
		require.Equal(t, data, again)
	})
}

// BenchmarkDecode is what every lane does with every update of any bucket: it decodes it and hashes its project.
func BenchmarkDecode(b *testing.B) {
	updates := make([]score.Update, MaxEnvelope)
	for i := range updates {
		updates[i].Project[31], updates[i].ID[31] = byte(i), byte(i>>8)
	}
	raw, err := EncodeEnvelope(updates, nil)
	require.NoError(b, err)
	kept := 0
	for b.Loop() {
		m, err := decode(raw)
		require.NoError(b, err)
		for i := range m.Updates {
			if score.BucketOf(m.Updates[i].Project) == 0 {
				kept++
			}
		}
	}
	require.Positive(b, kept)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/MaxEnvelope, "ns/update")
}
