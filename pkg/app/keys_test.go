package app

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
)

// liveRoster is a roster in memory.
type liveRoster struct{ *roster.Live }

func (liveRoster) Gone(context.Context, score.Lane) error { return nil }
func (liveRoster) Wake(context.Context, score.Lane) error { return nil }

func firstRoster(t *testing.T, accounts ...int) roster.Roster {
	t.Helper()
	var signers []common.Address
	for _, account := range accounts {
		signers = append(signers, devnet.Address(account))
	}
	r, err := roster.First(signers)
	require.NoError(t, err)
	return r
}

func writeKey(t *testing.T, dir string, account int, password string) string {
	t.Helper()
	file, err := keystore.EncryptKey(&keystore.Key{Address: devnet.Address(account), PrivateKey: devnet.Key(account)}, password, 2, 1)
	require.NoError(t, err)
	path := filepath.Join(dir, devnet.Address(account).Hex())
	require.NoError(t, os.WriteFile(path, file, 0o600))
	return path
}

// TestKeysComeWhileTheRelayerRuns: into its keystore, when a lane needs them.
func TestKeysComeWhileTheRelayerRuns(t *testing.T) {
	t.Parallel()
	dir, password := t.TempDir(), filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(password, []byte("p\n"), 0o600))
	writeKey(t, dir, 1, "p")
	k, err := newKeyring(&RelayerSettings{Keystore: dir, PasswordFile: password}, quiet)
	require.NoError(t, err)
	k.every = time.Hour
	live := liveRoster{roster.NewLive(firstRoster(t, 1, 2))}
	require.NoError(t, k.begin(devnet.ChainID, live), "a part of the keys is enough")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- k.run(ctx) }()
	has := func(account int) bool {
		signer, has := k.signer(devnet.Address(account))
		return has && signer.Address() == devnet.Address(account)
	}
	require.True(t, has(1))
	require.False(t, has(2))

	wrong := writeKey(t, dir, 3, "another")
	writeKey(t, dir, 2, "p")
	now, _ := live.Current()
	now, _, err = now.Add(devnet.Address(3))
	require.NoError(t, err)
	live.Set(now)
	require.Eventually(t, func() bool { return has(2) }, 2*time.Minute, 10*time.Millisecond, "one that cannot be read keeps no other back")
	require.False(t, has(3))
	require.Equal(t, wrong, writeKey(t, dir, 3, "p"))
	now, _, err = now.Add(devnet.Address(4))
	require.NoError(t, err)
	live.Set(now)
	require.Eventually(t, func() bool { return has(3) }, 2*time.Minute, 10*time.Millisecond)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}

// TestARemoteSignerComesWhileTheRelayerRuns, in place of nothing: it needs no password, and it need not answer.
func TestARemoteSignerComesWhileTheRelayerRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	describe := func(account int) {
		text := `{"address": "` + devnet.Address(account).Hex() + `", "web3signer": "http://127.0.0.1:1"}`
		require.NoError(t, os.WriteFile(filepath.Join(dir, devnet.Address(account).Hex()+".json"), []byte(text), 0o600))
	}
	describe(1)
	s := parsed[RelayerSettings](t, "--signer-keystore", dir)
	k, err := newKeyring(s, quiet)
	require.NoError(t, err)
	live := liveRoster{roster.NewLive(firstRoster(t, 1, 2))}
	require.NoError(t, k.begin(devnet.ChainID, live))
	describe(2)
	k.read()
	for _, account := range []int{1, 2} {
		signer, has := k.signer(devnet.Address(account))
		require.True(t, has)
		require.Equal(t, devnet.Address(account), signer.Address())
	}
	writeKey(t, dir, 3, "p")
	_, err = newKeyring(s, quiet)
	require.ErrorContains(t, err, "SCORELAY_SIGNER_PASSWORD_FILE: it is not set, and "+filepath.Join(dir, devnet.Address(3).Hex())+" describes no remote signer")
}

func TestKeysOfNoLaneAreRefused(t *testing.T) {
	t.Parallel()
	s := &RelayerSettings{RawKeys: []Secret{Secret(common.Bytes2Hex(crypto.FromECDSA(devnet.Key(1))))}}
	k, err := newKeyring(s, quiet)
	require.NoError(t, err)
	other := firstRoster(t, 2)
	err = k.begin(devnet.ChainID, liveRoster{roster.NewLive(other)})
	require.ErrorContains(t, err, "has the keys of "+devnet.Address(1).Hex()+", and none of them signs for a lane")
	require.ErrorContains(t, err, "scorelay lanes add")

	removed, err := firstRoster(t, 1, 2).Remove(0, true)
	require.NoError(t, err)
	removed, err = removed.Gone(0)
	require.NoError(t, err)
	require.NoError(t, k.begin(devnet.ChainID, liveRoster{roster.NewLive(removed)}), "a relayer whose lanes are gone stands by")
}
