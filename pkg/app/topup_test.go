package app

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/store/kv"
)

// TestARelayerTopsSignersUp from the account of its settings, and tells so.
func TestARelayerTopsSignersUp(t *testing.T) {
	t.Parallel()
	const poor = 60 // an account that has nothing
	b, _ := newDeployment(t, 1, poor)
	dir, password := t.TempDir(), filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(password, []byte("p\n"), 0o600))
	signer, payer := writeKey(t, dir, 1, "p"), writeKey(t, t.TempDir(), 2, "p")
	s := b.relayerSettings(t, "--signer-keystore", signer, "--signer-password-file", password, "--replica", "a", "--topup-keystore", payer,
		"--topup-password-file", password, "--topup-below-ether", "0.5", "--topup-to-ether", "0.75", "--topup-per-day-ether", "3")
	require.NoError(t, s.Validate())
	end := run(t, func(drain, kill context.Context) error { return RunRelayer(drain, kill, s, quiet) })
	require.Eventually(t, func() bool {
		balance, err := b.chain.Client().BalanceAt(t.Context(), devnet.Address(poor), nil)
		return err == nil && balance.Cmp(weiOf(0.75)) == 0
	}, 3*time.Minute, 50*time.Millisecond)
	require.Eventually(t, func() bool {
		reports, err := kv.Reports(t.Context(), b.js)
		require.NoError(t, err)
		return len(reports) == 1 && reports[0].TopUp != nil && reports[0].TopUp.Account == devnet.Address(2) && reports[0].TopUp.SpentWei.Cmp(weiOf(0.75)) > 0
	}, time.Minute, 50*time.Millisecond)
	end()

	for says, of := range map[string]TopUps{
		"SCORELAY_TOPUP_PASSWORD_FILE: ":               {TopUpKeystore: payer, TopUpPassword: "nowhere"},
		"SCORELAY_TOPUP_KEYSTORE: ":                    {TopUpKeystore: "nowhere", TopUpPassword: password},
		"SCORELAY_TOPUP_KEYSTORE holds 2 keys; one ac": {TopUpKeystore: filepath.Dir(signer), TopUpPassword: password},
	} {
		writeKey(t, dir, 3, "p")
		_, err := of.topUpKey()
		require.ErrorContains(t, err, says)
	}
}
