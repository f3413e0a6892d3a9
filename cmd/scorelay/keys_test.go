package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/devnet"
)

// TestSetupWritesItsAPIKeyOnceAndThroughNoLink: a link that leads to no file would have the key made where it leads.
func TestSetupWritesItsAPIKeyOnceAndThroughNoLink(t *testing.T) {
	t.Parallel()
	conn, err := nats.Connect(devnet.NATS(t).URL)
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	_, err = js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: apikey.Bucket})
	require.NoError(t, err)
	outside := filepath.Join(t.TempDir(), "outside")
	path := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.Symlink(outside, path))

	setup := &setupCommand{APIKeyFile: path}
	require.NoError(t, setup.apiKey(t.Context(), js, slog.New(slog.DiscardHandler)))
	require.NoFileExists(t, outside)
	info, err := os.Lstat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode(), "a regular file of its owner's")
	first, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Regexp(t, `^scorelay_\w+\n$`, string(first))

	require.NoError(t, setup.apiKey(t.Context(), js, slog.New(slog.DiscardHandler)))
	again, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, first, again, "setup can be repeated")
	store, err := apikey.Open(t.Context(), js)
	require.NoError(t, err)
	keys, err := store.List(t.Context())
	require.NoError(t, err)
	require.Len(t, keys, 1)
}

// TestSetupNamesTheDeployersSettingThatIsAtFault: the keystore's or its password file's.
func TestSetupNamesTheDeployersSettingThatIsAtFault(t *testing.T) {
	t.Parallel()
	dir, password := t.TempDir(), filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(password, []byte("p"), 0o600))
	absent := filepath.Join(dir, "absent")
	for says, c := range map[string]deployerFlags{
		"--deployer-password-file: couldn't read the keystore's password file": {DeployerKeystore: dir, DeployerPassword: absent},
		"--deployer-keystore: couldn't read the keystore;":                     {DeployerKeystore: absent, DeployerPassword: password},
		"--deployer-keystore: the keystore directory":                          {DeployerKeystore: dir, DeployerPassword: password},
	} {
		_, err := c.deployer()
		require.ErrorContains(t, err, says)
	}
}
