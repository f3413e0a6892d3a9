package app

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
)

// relayerWith starts a relayer with the keys of some accounts; stop is SIGTERM. More keys may be put into dir.
func (b *bench) relayerWith(t *testing.T, name string, accounts ...int) (dir string, stop func()) {
	t.Helper()
	dir, password := t.TempDir(), filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(password, []byte("p\n"), 0o600))
	for _, account := range accounts {
		writeKey(t, dir, account, "p")
	}
	s := b.relayerSettings(t, "--signer-keystore", dir, "--signer-password-file", password, "--replica", name)
	return dir, run(t, func(drain, kill context.Context) error { return RunRelayer(drain, kill, s, quiet) })
}

// TestRelayersDriveTheLanesWhoseKeysTheyHave, while lanes and keys come.
func TestRelayersDriveTheLanesWhoseKeysTheyHave(t *testing.T) {
	t.Parallel()
	b, _ := newDeployment(t, 1, 2)
	drivers := func(want map[score.Lane]string) {
		t.Helper()
		var is map[score.Lane]string
		require.Eventually(t, func() bool {
			var err error
			is, err = kv.Drivers(t.Context(), b.js)
			return err == nil && maps.Equal(want, is)
		}, 3*time.Minute, 20*time.Millisecond, "want %v", want)
	}
	dir, stopA := b.relayerWith(t, "a", 1)
	drivers(map[score.Lane]string{0: "a"})
	_, stopB := b.relayerWith(t, "b", 1, 2, 3)
	drivers(map[score.Lane]string{0: "a", 1: "b"})

	lanes, err := kv.OpenRoster(t.Context(), b.js)
	require.NoError(t, err)
	_, err = lanes.Update(t.Context(), func(r roster.Roster) (roster.Roster, error) {
		for _, account := range []int{3, 4} {
			if r, _, err = r.Add(devnet.Address(account)); err != nil {
				return r, err
			}
		}
		return r, nil
	})
	require.NoError(t, err)
	drivers(map[score.Lane]string{0: "a", 1: "b", 2: "b"})
	writeKey(t, dir, 4, "p")
	drivers(map[score.Lane]string{0: "a", 1: "b", 2: "b", 3: "a"})
	stopA()
	drivers(map[score.Lane]string{0: "b", 1: "b", 2: "b"})
	_, err = lanes.Update(t.Context(), func(r roster.Roster) (roster.Roster, error) { return r.Cut(3, false) })
	require.NoError(t, err)
	drivers(map[score.Lane]string{0: "b", 1: "b", 2: "b", 3: "b"})
	stopB()
	drivers(map[score.Lane]string{})

	s := b.relayerSettings(t, "--signer-keys", fmt.Sprintf("%x", crypto.FromECDSA(devnet.Key(5))))
	require.ErrorContains(t, RunRelayer(t.Context(), t.Context(), s, quiet), "none of them signs for a lane of the deployment")
}
