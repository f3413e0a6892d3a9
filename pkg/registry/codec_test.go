package registry_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/registry/internal/bindings"
	"github.com/scorelay/scorelay/pkg/registry/rig/calls"
	"github.com/scorelay/scorelay/pkg/score"
)

// vector is one golden encoding: the calldata of a batch or of a creation.
type vector struct {
	Name     string         `json:"name"`
	Batch    []score.Update `json:"batch,omitempty"`
	Signed   []signedRun    `json:"signed,omitempty"`
	Project  *score.Project `json:"project,omitempty"`
	Calldata []string       `json:"calldata"` // hex, 32 bytes a line after the selector
}

// signedRun is score.Signed with the signature in hex.
type signedRun struct {
	First     int        `json:"first"`
	Count     int        `json:"count"`
	Kind      score.Kind `json:"kind"`
	Signature string     `json:"signature"`
}

// planned is the vector's batch, as a lane would plan it.
func (v *vector) planned() batch.Batch {
	var signed []score.Signed
	for _, s := range v.Signed {
		raw, err := hex.DecodeString(s.Signature)
		if err != nil {
			panic(err)
		}
		signed = append(signed, score.Signed{First: s.First, Count: s.Count, Kind: s.Kind, Signature: score.GroupSignature(raw)})
	}
	return inTurns(codecModel, v.Batch, signed)
}

// codecModel is like GasModel, but stays as it is, so that the vectors do.
var codecModel = batch.Model{
	Byte: 24, Group: 1_000, Named: 200, Project: 500, Word: batch.Prices{Group: 400, Update: 500},
	Runs: batch.Prices{Group: 600, Run: 500, Update: 200}, Free: batch.Prices{Group: 600, Run: 500, Update: 500},
}

const vectorsFile = "testdata/calldata.json"

func vectors() []vector {
	project := &score.Project{
		ID: score.ProjectID{0x11, 31: 0x22}, Name: "Acme", ScoreTypes: []string{"reputation"},
		Actions:  []score.Action{{Name: "login", Points: 5}, {Name: "spam", Points: score.MaxPoints, Direction: score.Subtract}},
		Owners:   []common.Address{{0xaa, 19: 0x01}},
		Updaters: []common.Address{{0xbb, 19: 0x02}, {0xbb, 19: 0x03}},
	}
	u := func(word, low, target byte) score.Update {
		return score.Update{
			Project: project.ID, Signer: project.Updaters[0], ID: score.UpdateID{word, 30: word, 31: low},
			Target: common.Address{0xcc, 19: target}, Action: 1,
		}
	}
	signedOnly := *project
	signedOnly.SignedOnly = true
	signature := strings.Repeat("5a", 64)
	other := u(9, 9, 9)
	other.Signer, other.ScoreType = project.Owners[0], 3
	return []vector{
		{Name: "one update", Batch: []score.Update{u(1, 2, 3)}},
		{Name: "ids of one word", Batch: []score.Update{u(1, 0, 1), u(1, 255, 2), u(1, 7, 1)}},
		{Name: "ids of two words", Batch: []score.Update{u(1, 0, 1), u(2, 0, 2)}},
		{Name: "a word, free ids and another signer", Batch: []score.Update{u(1, 0, 1), u(2, 0, 2), other, u(1, 1, 3), u(1, 2, 4), u(3, 1, 5)}},
		{Name: "a wallet that comes back", Batch: []score.Update{u(1, 0, 1), u(1, 1, 1), u(1, 2, 1), u(1, 3, 2), u(1, 4, 3)}},
		{Name: "an id twice", Batch: []score.Update{u(1, 0, 1), u(1, 0, 2)}},
		{
			Name: "a signed group behind others of its word", Batch: []score.Update{u(1, 3, 1), u(1, 9, 2), u(1, 0, 1), u(1, 1, 2)},
			Signed: []signedRun{{First: 0, Count: 2, Kind: score.KindWord, Signature: signature}},
		},
		{
			Name: "signed groups of the other kinds", Batch: []score.Update{u(1, 9, 1), u(1, 3, 1), u(2, 0, 1), u(1, 1, 2)},
			Signed: []signedRun{
				{First: 0, Count: 2, Kind: score.KindRuns, Signature: signature}, {First: 2, Count: 2, Kind: score.KindFree, Signature: signature},
			},
		},
		{Name: "creation", Project: project},
		{Name: "creation, signed groups only", Project: &signedOnly},
	}
}

// TestGoldenCalldata compares with bytes committed once: what a lane finds in its journal must decode forever.
func TestGoldenCalldata(t *testing.T) {
	t.Parallel()
	got := vectors()
	for i := range got {
		got[i].Calldata = lines(encode(&got[i]))
	}
	text, err := json.MarshalIndent(got, "", "  ")
	require.NoError(t, err)
	golden(t, vectorsFile, string(text)+"\n")

	raw, err := os.ReadFile(vectorsFile)
	require.NoError(t, err)
	var committed []vector
	require.NoError(t, json.Unmarshal(raw, &committed))
	for _, v := range committed {
		calldata, err := hex.DecodeString(strings.Join(v.Calldata, ""))
		require.NoError(t, err)
		if v.Project != nil {
			p, err := registry.DecodeCreateProject(calldata)
			require.NoError(t, err, v.Name)
			require.Equal(t, v.Project, p)
			continue
		}
		b, err := registry.DecodeBatch(calldata)
		require.NoError(t, err, v.Name)
		require.Equal(t, v.planned(), b)
	}
}

func encode(v *vector) []byte {
	if v.Project != nil {
		return registry.EncodeCreateProject(v.Project)
	}
	return registry.EncodeBatch(v.planned())
}

func lines(calldata []byte) []string {
	out := []string{hex.EncodeToString(calldata[:4])}
	for rest := calldata[4:]; len(rest) > 0; rest = rest[32:] {
		out = append(out, hex.EncodeToString(rest[:32]))
	}
	return out
}

func TestBatchRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBatch(t)
		data := registry.EncodeBatchData(b)
		decoded, err := registry.DecodeBatchData(data)
		require.NoError(t, err)
		require.Equal(t, b, decoded)
		calldata := registry.EncodeBatch(b)
		decoded, err = registry.DecodeBatch(calldata)
		require.NoError(t, err)
		require.Equal(t, b, decoded)
		model := registry.Osaka().Batch
		require.LessOrEqual(t, len(calldata)+200, model.Bytes(b))
		require.Equal(t, len(data), model.Bytes(b)-model.BaseBytes)

		other := rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "appended")
		_, err = registry.DecodeBatch(append(calldata, other...))
		require.ErrorIs(t, err, registry.ErrOtherCall)
	})
}

// drawBatch draws updates of few projects, signers and words, some of them in signed groups.
func drawBatch(t *rapid.T) batch.Batch {
	small := func(label string) byte { return byte(rapid.IntRange(0, 2).Draw(t, label)) }
	var updates []score.Update
	var signed []score.Signed
	for range rapid.IntRange(1, 40).Draw(t, "units") {
		u := score.Update{
			Project: score.ProjectID{small("project")}, Signer: common.Address{small("signer")},
			ID:     score.UpdateID{small("word"), 31: rapid.Byte().Draw(t, "low")},
			Target: common.Address{small("target")},
			Action: rapid.Byte().Draw(t, "action"), ScoreType: small("score type"),
		}
		if rapid.IntRange(0, 7).Draw(t, "signed") == 0 {
			kind := score.Kind(1 + small("kind"))
			signed = append(signed, score.Signed{
				First: len(updates), Count: 1, Kind: kind, Signature: score.GroupSignature{rapid.Byte().Draw(t, "signature")},
			})
			if kind != score.KindWord {
				signed[len(signed)-1].Count = 2
				updates = append(updates, u)
			}
		}
		updates = append(updates, u)
	}
	return inTurns(codecModel, updates, signed)
}

// TestDecodeBatchWantsItsOwnForm: calldata that says more than it must would not be told from its event.
func TestDecodeBatchWantsItsOwnForm(t *testing.T) {
	t.Parallel()
	u := score.Update{Project: score.ProjectID{1}}
	data := registry.EncodeBatchData(batch.Single(u))
	data = append(data, data...)
	b, err := registry.DecodeBatchData(data)
	require.NoError(t, err)
	require.Equal(t, []score.Update{u, u}, b.Updates())
	_, err = registry.DecodeBatch(bindings.NewScoreRegistry().PackApplyBatch(data))
	require.ErrorIs(t, err, registry.ErrOtherCall)
	_, err = registry.DecodeBatch(bindings.NewScoreRegistry().PackApplyBatch(data[:len(data)-1]))
	require.ErrorIs(t, err, registry.ErrFraming)
}

// TestCarrierOf tells of no transaction that does not carry the update.
func TestCarrierOf(t *testing.T) {
	t.Parallel()
	key, err := crypto.GenerateKey()
	require.NoError(t, err)
	u, at := score.Update{Project: score.ProjectID{1}, Target: common.Address{2}}, common.Address{3} // its id is zero
	sent := func(to *common.Address, of ...score.Update) *types.Transaction {
		var b batch.Batch
		for _, one := range of {
			b.Groups = append(b.Groups, batch.Single(one).Groups...)
		}
		return types.MustSignNewTx(key, types.LatestSignerForChainID(big.NewInt(7)), &types.DynamicFeeTx{
			ChainID: big.NewInt(7), Nonce: 4, To: to, Data: registry.EncodeBatch(b), GasFeeCap: big.NewInt(5),
		})
	}
	other, foreign := score.Update{Project: u.Project, ID: score.UpdateID{8}}, score.Update{Project: score.ProjectID{9}}
	require.Equal(t, &score.Carrier{Update: u, Signer: crypto.PubkeyToAddress(key.PublicKey), Nonce: 4, MaxPrice: big.NewInt(5), Updates: 3, OfProject: 2},
		registry.CarrierOf(sent(&at, other, foreign, u), at, u.Project, u.ID))
	for _, tx := range []*types.Transaction{
		sent(&at, other, foreign), sent(&common.Address{4}, u), sent(nil, u), types.NewTx(&types.DynamicFeeTx{To: &at, Data: registry.EncodeBatch(batch.Single(u))}),
		types.MustSignNewTx(key, types.HomesteadSigner{}, &types.LegacyTx{To: &at, Data: calls.UpdateScore(u.Project, u.ID, "a", "b", u.Target)}),
	} {
		require.Nil(t, registry.CarrierOf(tx, at, u.Project, u.ID))
	}
}

func TestEncodeBatchPanics(t *testing.T) {
	t.Parallel()
	u := score.Update{Project: score.ProjectID{1}}
	for name, b := range map[string]batch.Batch{
		"empty":         {},
		"empty group":   {Groups: []batch.Group{{Kind: score.KindFree}}},
		"kind":          {Groups: []batch.Group{{Kind: 7, Project: u.Project, Updates: []score.Update{u}}}},
		"other project": {Groups: []batch.Group{{Kind: score.KindFree, Updates: []score.Update{u}}}},
		"other word":    {Groups: []batch.Group{{Kind: score.KindWord, Project: u.Project, Updates: []score.Update{u, {Project: u.Project, ID: score.UpdateID{1}}}}}},
		"too many":      {Groups: []batch.Group{{Kind: score.KindFree, Project: u.Project, Updates: make([]score.Update, batch.MaxGroup*255+1)}}},
	} {
		require.Panics(t, func() { registry.EncodeBatch(b) }, name)
	}
}

func FuzzDecodeBatch(f *testing.F) {
	for _, v := range vectors() {
		f.Add(encode(&v))
	}
	f.Fuzz(func(t *testing.T, calldata []byte) {
		b, err := registry.DecodeBatch(calldata)
		if err == nil {
			require.True(t, bytes.Equal(calldata, registry.EncodeBatch(b)))
		}
		if p, err := registry.DecodeCreateProject(calldata); err == nil {
			require.True(t, bytes.Equal(calldata, registry.EncodeCreateProject(p)))
		}
		registry.DecodeRevert(calldata)
	})
}

func FuzzDecodeBatchData(f *testing.F) {
	for _, v := range vectors() {
		if v.Project == nil {
			f.Add(registry.EncodeBatchData(v.planned()))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := registry.DecodeBatchData(data)
		if err != nil {
			require.ErrorIs(t, err, registry.ErrFraming)
			return
		}
		canonical := registry.EncodeBatchData(b)
		require.LessOrEqual(t, len(canonical), len(data))
		again, err := registry.DecodeBatchData(canonical)
		require.NoError(t, err)
		require.Equal(t, b, again)
	})
}

// FuzzParseLog: reading any log ends with an event or an error.
func FuzzParseLog(f *testing.F) {
	for _, v := range vectors() {
		f.Add(uint8(0), encode(&v)[4:])
	}
	f.Fuzz(func(t *testing.T, topic uint8, data []byte) {
		topics := registry.Topics()
		log := &types.Log{Topics: []common.Hash{topics[int(topic)%len(topics)]}, Data: data}
		for range 4 {
			event, err := registry.ParseLog(log)
			require.True(t, (event == nil) == (err != nil))
			log.Topics = append(log.Topics, common.Hash{31: topic})
		}
	})
}

func TestParseLogOfOthers(t *testing.T) {
	t.Parallel()
	for _, topics := range [][]common.Hash{nil, {{1}}} {
		_, err := registry.ParseLog(&types.Log{Topics: topics})
		require.ErrorIs(t, err, registry.ErrOtherEvent)
	}
}
