package httpapi_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// contracts has the API ask contract wallets.
func contracts(s *setup) {
	s.deps = func(d *httpapi.Deps) { d.Contracts = d.Chain.(httpapi.Contracts) }
}

func TestOwnersAndUpdatersMaySign(t *testing.T) {
	b := newBench(t, nil).withProject()
	for i, want := range map[int]string{1: "accepted", 2: "accepted", 3: ""} {
		b.owner = devnet.Key(i)
		r := b.post("/update-score", b.update(fmt.Sprint(i)))
		if want != "" {
			require.Equal(t, want, r.body["status"], r)
			continue
		}
		require.Equal(t, "signer_not_member", r.code())
		require.Contains(t, r.body["detail"], "recovered "+strings.ToLower(devnet.Address(i).Hex())+";", "tells whose signature it was")
	}
}

func TestASignatureServesItsMessageOnly(t *testing.T) {
	b := newBench(t, nil).withProject()
	body := b.update("one")
	require.Equal(t, "accepted", b.post("/update-score", body).body["status"])
	require.Equal(t, "accepted", b.post("/update-score", set(body, "updateId", updateID("two"))).body["status"], "many updates")
	body["message"] = strconv.FormatInt(time.Now().UnixMilli()+1, 10)
	require.Equal(t, "signer_not_member", b.post("/update-score", set(body, "updateId", updateID("three"))).code())
}

func TestBadSignatures(t *testing.T) {
	b := newBench(t, nil).withProject()
	for name, signature := range map[string]string{
		"short": "0x" + strings.Repeat("11", 63), "long": "0x" + strings.Repeat("11", 66),
		"zero": "0x" + strings.Repeat("00", 65), "v": "0x" + strings.Repeat("11", 64) + "1f",
		"high s": "0x" + strings.Repeat("11", 32) + "7" + strings.Repeat("f", 63) + "1b",
	} {
		r := b.post("/update-score", set(b.update("one"), "signature", signature))
		require.Equal(t, "bad_signature", r.code(), name)
		require.Equal(t, "/signature", r.pointer())
		require.NotEmpty(t, r.field()["detail"])
	}
}

// typed signs the whole update by EIP-712.
func (b *bench) typed(id string, domain wallet.Domain) object {
	now := time.Now().UnixMilli()
	body := b.update(id)
	body["scheme"], body["message"] = "eip712", strconv.FormatInt(now, 10)
	body["signature"] = sign(b.t, b.owner, domain.Digest(wallet.Payload{
		Update: updateID(id), Project: b.project.ID, ActionName: "buy", ScoreType: "reputation", Target: devnet.Address(9),
		Message: uint64(now),
	}))
	return body
}

func TestATypedSignatureCoversTheWholeUpdate(t *testing.T) {
	b := newBench(t, nil).withProject()
	domain := wallet.NewDomain(devnet.ChainID, shared.contract)
	require.Equal(t, "accepted", b.post("/update-score", b.typed("one", domain)).body["status"])
	for field, value := range map[string]any{
		"updateId": updateID("two"), "actionName": "return", "scoreType": "volume", "targetWallet": devnet.Address(8),
		"message": strconv.FormatInt(time.Now().UnixMilli()+1000, 10), "scheme": "eip191",
	} {
		r := b.post("/update-score", set(b.typed("one", domain), field, value))
		require.Equal(t, "signer_not_member", r.code(), field)
		scheme := map[bool]string{true: "eip191", false: "eip712"}[field == "scheme"]
		require.Contains(t, r.body["detail"], "checked by scheme "+scheme, field)
	}
	body := set(b.typed("two", domain), "scheme", nil)
	require.Contains(t, b.post("/update-score", body).body["detail"], `needs "scheme": "eip712"`, "a scheme that was forgotten")
	r := b.post("/update-score", b.typed("three", wallet.NewDomain(devnet.ChainID+1, shared.contract)))
	require.Equal(t, "signer_not_member", r.code(), "of another chain")
	require.Contains(t, r.body["detail"], "`signing` of GET /projects/{projectId}")
}

func TestContractWallets(t *testing.T) {
	yes, no := hexutil.Encode([]byte{1, 2, 3}), hexutil.Encode([]byte{2, 2, 3})
	b := newBench(t, contracts).withProject()
	r := b.post("/update-score", set(b.update("one"), "signature", yes))
	require.Equal(t, "accepted", r.body["status"], r)
	require.Equal(t, contractWallet, b.stored()[0][0].Signer)
	require.Equal(t, "bad_signature", b.post("/update-score", set(b.update("two"), "signature", no)).code())
	require.Equal(t, "accepted", b.post("/update-score", b.update("three")).body["status"], "keys still sign")
	b.owner = devnet.Key(5)
	four := b.update("four")
	for strings.HasPrefix(four["signature"].(string), "0x01") { // the contract would agree to it
		four = b.update("four")
	}
	require.Equal(t, "signer_not_member", b.post("/update-score", four).code())
}

func TestContractWalletsWithoutAChain(t *testing.T) {
	b := newBench(t, contracts).withProject()
	b.chain.down.Store(true)
	require.Equal(t, "chain_unavailable", b.post("/update-score", set(b.update("one"), "signature", "0x01")).code())
	require.Equal(t, "accepted", b.post("/update-score", b.update("two")).body["status"], "keys need no chain")
}

func TestContractWalletsAreNotAskedUnlessConfigured(t *testing.T) {
	b := newBench(t, nil).withProject()
	require.Equal(t, "bad_signature", b.post("/update-score", set(b.update("one"), "signature", "0x01")).code())
}
