package wallet_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/wallet"
)

func TestADomainAsJSON(t *testing.T) {
	t.Parallel()
	contract := common.HexToAddress("0x5FbDB2315678afecb367f032d93F642f64180aa3")
	domain := wallet.NewDomain(math.MaxUint64, contract)
	raw, err := json.Marshal(domain)
	require.NoError(t, err)
	require.Equal(t, `{"name":"Scorelay","version":"1","chainId":18446744073709551615,"verifyingContract":"0x5fbdb2315678afecb367f032d93f642f64180aa3"}`, string(raw))
	require.EqualValues(t, uint64(math.MaxUint64), domain.ChainID())
	require.Equal(t, contract, domain.Contract())
	require.Equal(t, "contract 0x5FbDB2315678afecb367f032d93F642f64180aa3 on chain 18446744073709551615", domain.String())

	none, err := json.Marshal(wallet.Domain{})
	require.NoError(t, err)
	require.Equal(t, "null", string(none))
	read := wallet.Domain{}
	require.NoError(t, json.Unmarshal(none, &read))
	require.Equal(t, wallet.Domain{}, read)
	require.Equal(t, "no contract", read.String())
	require.NotEqual(t, read, wallet.NewDomain(0, common.Address{}))
}

func TestADomainIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		domain := wallet.NewDomain(rapid.Uint64().Draw(t, "chain"), address.Draw(t, "contract"))
		raw, err := json.Marshal(domain)
		require.NoError(t, err)
		var read wallet.Domain
		require.NoError(t, json.Unmarshal(raw, &read))
		require.Equal(t, domain, read)
		require.Equal(t, domain.GroupDigest([32]byte{1}, 1, []byte{2}), read.GroupDigest([32]byte{1}, 1, []byte{2}))
	})
}

func TestWhatIsNoDomain(t *testing.T) {
	t.Parallel()
	domain := func(name, version, chainID, contract string) string {
		return `{"name":"` + name + `","version":"` + version + `","chainId":` + chainID + `,"verifyingContract":"` + contract + `"}`
	}
	const contract = "0x5FbDB2315678afecb367f032d93F642f64180aa3"
	var read wallet.Domain
	require.NoError(t, json.Unmarshal([]byte(domain("Scorelay", "1", "5", contract)), &read))
	require.Equal(t, wallet.NewDomain(5, common.HexToAddress(contract)), read)
	for what, raw := range map[string]string{
		"name": domain("Permit2", "1", "5", contract), "version": domain("Scorelay", "2", "5", contract),
		"text for the chain": domain("Scorelay", "1", `"5"`, contract), "negative chain": domain("Scorelay", "1", "-5", contract),
		"chain beyond 64 bits": domain("Scorelay", "1", "18446744073709551616", contract), "null chain": domain("Scorelay", "1", "null", contract),
		"short contract": domain("Scorelay", "1", "5", "0x5f"), "checksum": domain("Scorelay", "1", "5", "0x5fbDB2315678afecb367f032d93F642f64180aa3"),
		"empty": "{}", "no object": "[]",
	} {
		before := read
		require.ErrorIs(t, json.Unmarshal([]byte(raw), &read), wallet.ErrDomain, what)
		require.Equal(t, before, read, what)
	}
}
