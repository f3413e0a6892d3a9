package sdk

import (
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

var update = flag.Bool("update", false, "write the vectors in testdata again")

// vectors hold this package and the npm package together: each writes a file that the tests of the other check.
type vectors struct {
	ChainID  uint64         `json:"chainId"`
	Contract common.Address `json:"contract"`
	Signer   common.Address `json:"signer"`
	Cases    []groupCase    `json:"cases"`
	Edits    []editVector   `json:"edits"`
	Minters  []minterCase   `json:"minters,omitempty"`

	Operations map[string]string `json:"operations,omitempty"` // the interface's requests that a client makes
}

// editVector is an owner's edit of a project.
type editVector struct {
	score.ProjectEdit
	Digest     common.Hash              `json:"digest"`
	Signatures map[string]hexutil.Bytes `json:"signatures"` // by library
}

// groupCase is updates and the groups they make.
type groupCase struct {
	Project score.ProjectID `json:"projectId"`
	Updates []Update        `json:"updates"`
	Groups  []groupVector   `json:"groups"`
}

type groupVector struct {
	Kind       score.Kind               `json:"kind"`
	Updates    hexutil.Bytes            `json:"updates"`
	Digest     common.Hash              `json:"digest"`
	Signatures map[string]hexutil.Bytes `json:"signatures"` // by library
}

// minterCase is what a minter whose next counter is From answers to ranges.
type minterCase struct {
	From   uint64        `json:"from"`
	Ranges []minterRange `json:"ranges"`
}

type minterRange struct {
	Count   int    `json:"count"`
	Counter uint64 `json:"counter"` // of the first id
	Renewed bool   `json:"renewed"` // under a prefix of its own
}

func (v *vectors) domain() wallet.Domain { return wallet.NewDomain(v.ChainID, v.Contract) }

func readVectors(t *testing.T, file string) *vectors {
	t.Helper()
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	var v vectors
	require.NoError(t, json.Unmarshal(raw, &v))
	require.NotEmpty(t, v.Cases)
	return &v
}

// makeVectors draws with a fixed seed, so that it always makes the same.
func makeVectors(t *testing.T) *vectors {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	key, err := crypto.ToECDSA(common.LeftPadBytes([]byte{0x5c}, 32))
	require.NoError(t, err)
	v := &vectors{
		ChainID: 1337, Contract: common.HexToAddress("0x5fbdb2315678afecb367f032d93f642f64180aa3"),
		Signer: crypto.PubkeyToAddress(key.PublicKey), Operations: operations(t),
	}
	for _, shape := range []struct {
		updates, words, wallets int
		types                   uint
	}{
		{1, 1, 1, 1},
		{2, 2, 1, 2},
		{5, 1, 5, 2},
		{12, 2, 12, 2},
		{30, 1, 4, 2},
		{40, 9, 40, 2},
		{64, 64, 9, 2},
		{256, 1, 256, 2},
		{256, 1, 1, 1},
		{260, 260, 12, 2},
	} {
		var c groupCase
		fill(random, c.Project[:])
		words, wallets := make([]score.Word, shape.words), make([]common.Address, shape.wallets)
		for i := range words {
			fill(random, words[i][:])
		}
		for i := range wallets {
			fill(random, wallets[i][:])
		}
		lows := random.Perm(256)
		for i := range shape.updates {
			u := Update{TargetWallet: wallets[random.IntN(len(wallets))], Action: uint8(random.UintN(score.MaxActions)), ScoreType: uint8(random.UintN(shape.types))}
			copy(u.UpdateID[:], words[i%len(words)][:])
			u.UpdateID[31] = byte(lows[i%len(lows)])
			c.Updates = append(c.Updates, u)
		}
		groups, err := BuildGroups(c.Project, c.Updates)
		require.NoError(t, err)
		for _, g := range groups {
			signed, err := g.Sign(t.Context(), v.domain(), KeySigner(key))
			require.NoError(t, err)
			c.Groups = append(c.Groups, groupVector{g.Kind, g.Body, g.Digest(v.domain()), map[string]hexutil.Bytes{"go": signed.Signature}})
		}
		v.Cases = append(v.Cases, c)
	}
	for _, edits := range [][]score.Edit{
		{},
		{{Operation: AddOwner, Member: v.Signer}, {Operation: RemoveOwner, Member: v.Contract}},
		{{Operation: AddAction, Name: "a gift ü", Points: math.MaxUint32, Direction: Subtract}, {Operation: AddScoreType, Name: `"x"`}},
		{{Operation: AddUpdater, Member: v.Signer}, {Operation: RemoveUpdater, Member: v.Signer}, {Operation: AddAction, Name: "win", Points: 1}},
		{{Operation: RequireSignedGroups}, {Operation: AllowUnsignedGroups}},
	} {
		e := editVector{ProjectEdit: score.ProjectEdit{Edits: edits, Nonce: random.Uint64N(1 << 53), Deadline: random.Uint64N(1 << 53)}}
		fill(random, e.Project[:])
		signed, err := SignEdit(t.Context(), v.domain(), e.ProjectEdit, KeySigner(key))
		require.NoError(t, err)
		e.Digest, e.Signatures = v.domain().EditDigest(e.ProjectEdit), map[string]hexutil.Bytes{"go": signed.Signature}
		v.Edits = append(v.Edits, e)
	}
	for _, from := range []uint64{0, 1000, counters - MaxRange, counters - 3*wordIDs - 17, counters} {
		m := NewMinter()
		m.next = from
		c := minterCase{From: from}
		for range 12 {
			n := 1 + random.IntN([]int{1, 10, wordIDs, 3 * wordIDs, MaxRange}[random.IntN(5)])
			before := m.prefix
			ids, err := m.Range(n)
			require.NoError(t, err)
			c.Ranges = append(c.Ranges, minterRange{n, counterOf(ids.First), before != m.prefix})
		}
		v.Minters = append(v.Minters, c)
	}
	return v
}

func fill(random *rand.Rand, b []byte) {
	for i := range b {
		b[i] = byte(random.Uint32())
	}
}

// TestVectors writes what the tests of the npm package check. A change of it is a change of what clients in the field
// sign.
func TestVectors(t *testing.T) {
	t.Parallel()
	const file = "testdata/vectors.json"
	raw, err := json.Marshal(makeVectors(t))
	require.NoError(t, err)
	raw = append(raw, '\n')
	if *update {
		require.NoError(t, os.WriteFile(file, raw, 0o644))
	}
	committed, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(committed), string(raw), "go test ./pkg/sdk -run TestVectors -update writes it again")
}

// TestVectorsOfTheNPMPackage: what it groups and how is what this package does, and its signatures of groups and edits, made with
// three libraries, are good.
func TestVectorsOfTheNPMPackage(t *testing.T) {
	t.Parallel()
	v := readVectors(t, "testdata/typescript.json")
	for _, c := range v.Cases {
		groups, err := BuildGroups(c.Project, c.Updates)
		require.NoError(t, err)
		require.Len(t, c.Groups, len(groups))
		for i, g := range groups {
			theirs := c.Groups[i]
			require.Equal(t, g.Kind, theirs.Kind)
			require.Equal(t, hexutil.Encode(g.Body), theirs.Updates.String())
			require.Equal(t, g.Digest(v.domain()), theirs.Digest)
			v.requireSigned(t, theirs.Digest, theirs.Signatures)
		}
	}
	require.NotEmpty(t, v.Edits)
	for _, e := range v.Edits {
		require.Equal(t, v.domain().EditDigest(e.ProjectEdit), e.Digest)
		v.requireSigned(t, e.Digest, e.Signatures)
	}
}

func (v *vectors) requireSigned(t *testing.T, digest common.Hash, signatures map[string]hexutil.Bytes) {
	t.Helper()
	require.Len(t, signatures, 3)
	for library, raw := range signatures {
		signature, err := wallet.ParseSignature(raw)
		require.NoError(t, err, library)
		signer, err := signature.Recover(digest)
		require.NoError(t, err, library)
		require.Equal(t, v.Signer, signer, library)
	}
}
