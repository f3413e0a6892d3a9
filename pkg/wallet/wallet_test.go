package wallet_test

import (
	"encoding/hex"
	"encoding/json"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/scorelay/scorelay/pkg/devnet/rig/testrand" // rapid's seed
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// vectors were made by web3.js, ethers and viem themselves (testdata/README.md).
type vectors struct {
	Personal []struct {
		Library, Message, Signature, Address string
	}
	Typed []struct {
		Library, Signature, Address string
		ChainID                     uint64
		Contract                    string
		UpdateID, ProjectID         string
		ActionName, ScoreType       string
		TargetWallet, Message       string
	}
	Groups []struct {
		Library, Signature, Address string
		ChainID                     uint64
		Contract, ProjectID         string
		Kind                        score.Kind
		Updates                     string
	}
}

func readVectors(t *testing.T) vectors {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	require.NoError(t, err)
	var v vectors
	require.NoError(t, json.Unmarshal(data, &v))
	require.NotEmpty(t, v.Personal)
	require.NotEmpty(t, v.Typed)
	require.NotEmpty(t, v.Groups)
	return v
}

func requireSigned(t *testing.T, signature string, digest common.Hash, by string, what ...any) {
	t.Helper()
	sig, err := wallet.ParseSignature(common.FromHex(signature))
	require.NoError(t, err, what...)
	got, err := sig.Recover(digest)
	require.NoError(t, err, what...)
	require.Equal(t, by, got.Hex(), what...)
}

func TestPersonalSignaturesOfEveryLibrary(t *testing.T) {
	t.Parallel()
	for _, v := range readVectors(t).Personal {
		requireSigned(t, v.Signature, wallet.PersonalDigest(v.Message), v.Address, v.Library)
	}
}

func TestTypedSignaturesOfEveryLibrary(t *testing.T) {
	t.Parallel()
	for _, v := range readVectors(t).Typed {
		ms, err := strconv.ParseUint(v.Message, 10, 64)
		require.NoError(t, err)
		digest := wallet.NewDomain(v.ChainID, common.HexToAddress(v.Contract)).Digest(wallet.Payload{
			Update:     score.UpdateID(common.HexToHash(v.UpdateID)),
			Project:    score.ProjectID(common.HexToHash(v.ProjectID)),
			ActionName: v.ActionName, ScoreType: v.ScoreType, Target: common.HexToAddress(v.TargetWallet), Message: ms,
		})
		requireSigned(t, v.Signature, digest, v.Address, v.Library)
	}
}

func TestGroupSignaturesOfEveryLibrary(t *testing.T) {
	t.Parallel()
	for _, v := range readVectors(t).Groups {
		domain := wallet.NewDomain(v.ChainID, common.HexToAddress(v.Contract))
		digest := domain.GroupDigest(score.ProjectID(common.HexToHash(v.ProjectID)), v.Kind, common.FromHex(v.Updates))
		requireSigned(t, v.Signature, digest, v.Address, "%s, kind %d", v.Library, v.Kind)
	}
}

var (
	bytes32 = rapid.Map(rapid.SliceOfN(rapid.Byte(), 32, 32), func(b []byte) [32]byte { return [32]byte(b) })
	address = rapid.Map(rapid.SliceOfN(rapid.Byte(), 20, 20), common.BytesToAddress)
)

func TestGroupDigestIsThatOfGeth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		project := score.ProjectID(bytes32.Draw(t, "project"))
		kind := score.Kind(rapid.Byte().Draw(t, "kind"))
		body := rapid.SliceOf(rapid.Byte()).Draw(t, "body")
		chainID, contract := rapid.Uint64Range(0, 1<<62).Draw(t, "chain"), address.Draw(t, "contract")
		want := gethDigest(t, chainID, contract, "UpdateGroup", apitypes.Types{"UpdateGroup": {
			{Name: "projectId", Type: "bytes32"}, {Name: "kind", Type: "uint8"}, {Name: "updates", Type: "bytes"},
		}}, apitypes.TypedDataMessage{"projectId": project[:], "kind": strconv.Itoa(int(kind)), "updates": body})
		require.Equal(t, want, wallet.NewDomain(chainID, contract).GroupDigest(project, kind, body))
	})
}

// TestEditDigestIsThatOfGeth signs the message as JSON has it, which is what a browser hands to its wallet.
func TestEditDigestIsThatOfGeth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		edit := score.ProjectEdit{
			Project: score.ProjectID(bytes32.Draw(t, "project")), Edits: []score.Edit{},
			Nonce: rapid.Uint64Range(0, 1<<53).Draw(t, "nonce"), Deadline: rapid.Uint64Range(0, 1<<53).Draw(t, "deadline"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "edits") {
			edit.Edits = append(edit.Edits, score.Edit{
				Operation: score.Operation(rapid.String().Draw(t, "operation")), Name: rapid.String().Draw(t, "name"),
				Member: address.Draw(t, "member"),
				Points: rapid.Uint32().Draw(t, "points"), Direction: score.Direction(rapid.Byte().Draw(t, "direction")),
			})
		}
		raw, err := json.Marshal(edit)
		require.NoError(t, err)
		var message apitypes.TypedDataMessage
		require.NoError(t, json.Unmarshal(raw, &message))
		chainID, contract := rapid.Uint64Range(0, 1<<62).Draw(t, "chain"), address.Draw(t, "contract")
		want := gethDigest(t, chainID, contract, "EditProject", apitypes.Types{
			"EditProject": {
				{Name: "projectId", Type: "bytes32"},
				{Name: "edits", Type: "Edit[]"},
				{Name: "nonce", Type: "uint256"},
				{Name: "deadline", Type: "uint256"},
			},
			"Edit": {
				{Name: "operation", Type: "string"},
				{Name: "member", Type: "address"},
				{Name: "name", Type: "string"},
				{Name: "points", Type: "uint32"},
				{Name: "direction", Type: "uint8"},
			},
		}, message)
		domain := wallet.NewDomain(chainID, contract)
		require.Equal(t, want, domain.EditDigest(edit))
		raw, err = domain.EditTypedData(edit)
		require.NoError(t, err)
		var typed apitypes.TypedData
		require.NoError(t, json.Unmarshal(raw, &typed))
		got, _, err := apitypes.TypedDataAndHash(typed)
		require.NoError(t, err)
		require.Equal(t, want, common.Hash(got), "%s", raw)
	})
}

// gethDigest is geth's own EIP-712 of a message.
func gethDigest(
	t *rapid.T, chainID uint64, contract common.Address, primary string, types apitypes.Types, message apitypes.TypedDataMessage,
) common.Hash {
	types["EIP712Domain"] = []apitypes.Type{
		{Name: "name", Type: "string"},
		{Name: "version", Type: "string"},
		{Name: "chainId", Type: "uint256"},
		{Name: "verifyingContract", Type: "address"},
	}
	digest, _, err := apitypes.TypedDataAndHash(apitypes.TypedData{
		Types:       types,
		PrimaryType: primary,
		Domain: apitypes.TypedDataDomain{
			Name: "Scorelay", Version: "1", ChainId: math.NewHexOrDecimal256(int64(chainID)), VerifyingContract: contract.Hex(),
		},
		Message: message,
	})
	require.NoError(t, err)
	return common.BytesToHash(digest)
}

func TestTypedDigestIsThatOfGeth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := wallet.Payload{
			Update: bytes32.Draw(t, "update"), Project: bytes32.Draw(t, "project"),
			ActionName: rapid.String().Draw(t, "action"), ScoreType: rapid.String().Draw(t, "type"),
			Target:  address.Draw(t, "target"),
			Message: rapid.Uint64().Draw(t, "message"),
		}
		chainID, contract := rapid.Uint64Range(0, 1<<62).Draw(t, "chain"), address.Draw(t, "contract")
		want := gethDigest(t, chainID, contract, "UpdateScore", apitypes.Types{"UpdateScore": {
			{Name: "updateId", Type: "bytes32"},
			{Name: "projectId", Type: "bytes32"},
			{Name: "actionName", Type: "string"},
			{Name: "scoreType", Type: "string"},
			{Name: "targetWallet", Type: "address"},
			{Name: "message", Type: "uint256"},
		}}, apitypes.TypedDataMessage{
			"updateId": p.Update[:], "projectId": p.Project[:], "actionName": p.ActionName, "scoreType": p.ScoreType,
			"targetWallet": p.Target.Hex(), "message": new(big.Int).SetUint64(p.Message).String(),
		})
		require.Equal(t, want, wallet.NewDomain(chainID, contract).Digest(p))
	})
}

func TestSignatureForms(t *testing.T) {
	t.Parallel()
	key, err := crypto.GenerateKey()
	require.NoError(t, err)
	signer := crypto.PubkeyToAddress(key.PublicKey)
	digest := wallet.PersonalDigest("1700000000000")
	good, err := crypto.Sign(digest[:], key)
	require.NoError(t, err)
	with := func(change func(b []byte) []byte) []byte { return change(append([]byte(nil), good...)) }
	compact := with(func(b []byte) []byte { b[32] |= b[64] << 7; return b[:64] })
	order := crypto.S256().Params().N
	highS := with(func(b []byte) []byte {
		new(big.Int).Sub(order, new(big.Int).SetBytes(b[32:64])).FillBytes(b[32:64])
		b[64] ^= 1
		return b
	})
	for name, c := range map[string]struct {
		sig  []byte
		want error
	}{
		"v 0 or 1":       {good, nil},
		"v 27 or 28":     {with(func(b []byte) []byte { b[64] += 27; return b }), nil},
		"compact":        {compact, nil},
		"high s":         {highS, wallet.ErrHighS},
		"v 2":            {with(func(b []byte) []byte { b[64] = 2; return b }), wallet.ErrSignatureV},
		"v 29":           {with(func(b []byte) []byte { b[64] = 29; return b }), wallet.ErrSignatureV},
		"v of EIP-155":   {with(func(b []byte) []byte { b[64] = 37; return b }), wallet.ErrSignatureV},
		"empty":          {nil, wallet.ErrSignatureLength},
		"one byte short": {good[:63], wallet.ErrSignatureLength},
		"one byte more":  {append(with(func(b []byte) []byte { return b }), 0), wallet.ErrSignatureLength},
		"all zero":       {make([]byte, 65), wallet.ErrUnrecoverable},
		"r too large":    {with(func(b []byte) []byte { order.FillBytes(b[:32]); return b }), wallet.ErrUnrecoverable},
		"s too large":    {with(func(b []byte) []byte { order.FillBytes(b[32:64]); return b }), wallet.ErrUnrecoverable},
	} {
		sig, err := wallet.ParseSignature(c.sig)
		require.ErrorIs(t, err, c.want, name)
		if c.want == nil {
			got, err := sig.Recover(digest)
			require.NoError(t, err, name)
			require.Equal(t, signer, got, name)
			require.Equal(t, compact, sliceOf(sig.Compact()), name)
			back, err := wallet.ParseSignature(sliceOf(sig.Compact()))
			require.NoError(t, err, name)
			require.Equal(t, sig, back, name)
		}
	}
}

func sliceOf(s score.GroupSignature) []byte { return s[:] }

func TestAddresses(t *testing.T) {
	t.Parallel()
	const checksummed = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" // of EIP-55
	for s, want := range map[string]error{
		checksummed:                                 nil,
		strings.ToLower(checksummed):                nil,
		"0x" + strings.ToUpper(checksummed[2:]):     nil,
		strings.Replace(checksummed, "aA", "Aa", 1): wallet.ErrChecksum,
		checksummed[2:]:                             wallet.ErrNotAddress,
		"0X" + checksummed[2:]:                      wallet.ErrNotAddress,
		checksummed[:41]:                            wallet.ErrNotAddress,
		checksummed + "0":                           wallet.ErrNotAddress,
		strings.Replace(checksummed, "5", "g", 1):   wallet.ErrNotAddress,
		"": wallet.ErrNotAddress,
		"0x0000000000000000000000000000000000000000": nil,
		"0x" + strings.Repeat("é", 20):               wallet.ErrNotAddress,
	} {
		a, err := wallet.ParseAddress(s)
		require.ErrorIs(t, err, want, s)
		if want == nil {
			require.Equal(t, common.HexToAddress(s), a)
		}
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]error{
		"1700000000000": nil, "1": nil, "9999999999999": nil,
		"": wallet.ErrNotTime, "0": wallet.ErrNotTime, "01": wallet.ErrNotTime, "-1": wallet.ErrNotTime, "+1": wallet.ErrNotTime,
		"1.0": wallet.ErrNotTime, "1e3": wallet.ErrNotTime, " 1": wallet.ErrNotTime, "0x18bcfe56800": wallet.ErrNotTime,
		"10000000000000": wallet.ErrNotTime, "١": wallet.ErrNotTime,
	} {
		at, err := wallet.ParseTime(message)
		require.ErrorIs(t, err, want, message)
		if want == nil {
			require.Equal(t, message, strconv.FormatInt(at.UnixMilli(), 10))
		}
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	w := wallet.Freshness{Past: 5 * time.Minute, Ahead: 30 * time.Second}
	now := time.UnixMilli(1_700_000_000_000)
	require.NoError(t, w.Check(now, now))
	require.NoError(t, w.Check(now.Add(-5*time.Minute), now))
	require.NoError(t, w.Check(now.Add(30*time.Second), now))
	require.ErrorIs(t, w.Check(now.Add(-5*time.Minute-time.Millisecond), now), wallet.ErrTooOld)
	require.ErrorIs(t, w.Check(now.Add(30*time.Second+time.Millisecond), now), wallet.ErrTooFarAhead)
	require.ErrorIs(t, w.Check(time.UnixMilli(1), now), wallet.ErrTooOld)
	require.ErrorIs(t, w.Check(time.UnixMilli(9_999_999_999_999), now), wallet.ErrTooFarAhead)
}

func TestContractCallIsWhatTheABISays(t *testing.T) {
	t.Parallel()
	parsed, err := abi.JSON(strings.NewReader(`[{"type":"function","name":"isValidSignature","inputs":[{"type":"bytes32"},{"type":"bytes"}],"outputs":[{"type":"bytes4"}]}]`))
	require.NoError(t, err)
	digest := wallet.PersonalDigest("1")
	for _, n := range []int{0, 1, 31, 32, 33, 65, 300} {
		sig := make([]byte, n)
		for i := range sig {
			sig[i] = byte(i + 1)
		}
		want, err := parsed.Pack("isValidSignature", digest, sig)
		require.NoError(t, err)
		require.Equal(t, hex.EncodeToString(want), hex.EncodeToString(wallet.ContractCall(digest, sig)), n)
	}
	yes := common.RightPadBytes([]byte{0x16, 0x26, 0xba, 0x7e}, 32)
	require.True(t, wallet.ContractAgrees(yes))
	for _, no := range [][]byte{nil, yes[:4], make([]byte, 32), append(append([]byte(nil), yes...), 0), common.LeftPadBytes(yes[:4], 32)} {
		require.False(t, wallet.ContractAgrees(no))
	}
}

func FuzzParse(f *testing.F) {
	f.Add("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "1700000000000", make([]byte, 65))
	f.Fuzz(func(t *testing.T, address, message string, signature []byte) {
		if a, err := wallet.ParseAddress(address); err == nil && !strings.EqualFold(a.Hex(), address) {
			t.Fatalf("%q became %s", address, a)
		}
		if at, err := wallet.ParseTime(message); err == nil && strconv.FormatInt(at.UnixMilli(), 10) != message {
			t.Fatalf("%q became %v", message, at)
		}
		if sig, err := wallet.ParseSignature(signature); err == nil {
			_, _ = sig.Recover(wallet.PersonalDigest(message))
		}
	})
}
