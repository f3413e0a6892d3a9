package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
)

// told runs a main and returns its status and what it says on standard error. No other test may run meanwhile.
func told(t *testing.T, main func([]string) int, args ...string) (int, string) {
	t.Helper()
	read, write, err := os.Pipe()
	require.NoError(t, err)
	stderr := os.Stderr
	os.Stderr = write
	status := main(args)
	os.Stderr = stderr
	require.NoError(t, write.Close())
	text, err := io.ReadAll(read)
	require.NoError(t, err)
	return status, string(text)
}

func TestMainsSayWhatIsWrong(t *testing.T) {
	keystoreFile := t.TempDir() // it exists and is no file
	for _, c := range []struct {
		main   func([]string) int
		env    string
		args   string
		status int
		says   []string
	}{
		{MainAPI, "", "--nonsense", 2, []string{"api: unknown flag --nonsense"}},
		{MainAPI, "", "--window 3", 2, []string{"api: unknown flag --window"}},
		{MainAPI, "SCORELAY_RATE=-1", "", 2, []string{"SCORELAY_RATE is -1; it must be 0 (no limit) or more"}},
		{MainAPI, "SCORELAY_RATE=many", "", 2, []string{"SCORELAY_RATE"}},
		{MainAPI, "", "healthcheck --admin-listen 127.0.0.1:1", 1, []string{"api: couldn't ask for the health"}},
		{MainRelayer, "", "--nonsense", 2, []string{"relayer: unknown flag --nonsense"}},
		{MainRelayer, "SCORELAY_SIGNER_KEYSTOR=hush", "", 2, []string{
			"relayer: set SCORELAY_SIGNER_KEYSTORE", "SCORELAY_SIGNER_KEYSTOR is ignored: no setting has this name; did you mean SCORELAY_SIGNER_KEYSTORE?",
		}},
		{MainRelayer, "", "--signer-keystore " + keystoreFile + " --signer-password-file " + keystoreFile, 1, []string{
			"ended with an error", "SCORELAY_SIGNER_PASSWORD_FILE: couldn't read the keystore's password file", keystoreFile,
		}},
		{MainRelayer, "", "--signer-keystore " + keystoreFile + " --signer-password-file hush", 1, []string{
			"ended with an error", "SCORELAY_SIGNER_PASSWORD_FILE: couldn't read the keystore's password file; its setting, which is not shown",
		}},
		{MainRelayer, "", "--signer-keys hush", 2, []string{
			"relayer: --signer-keys is refused: a private key among a process's arguments can be read by every user of this machine",
			"use a keystore file with its password file, or set SCORELAY_SIGNER_KEYS or SCORELAY_SIGNER_KEYS_FILE",
		}},
		{MainRelayer, "SCORELAY_LINGR=1s", "--signer-keystore " + keystoreFile + " --signer-password-file hush --redis-url redis://:hush@127.0.0.1/0", 1, []string{
			"a secret is among the process's arguments", "--redis-url holds a secret, which every user of this machine can read; set SCORELAY_REDIS_URL or SCORELAY_REDIS_URL_FILE instead",
			"an environment variable is ignored", "did you mean SCORELAY_LINGER?",
		}},
		{MainRelayer, "SCORELAY_SIGNER_KEYS=hush", "", 1, []string{"SCORELAY_SIGNER_KEYS, key 1: not a private key"}},
	} {
		t.Run(strings.TrimSpace(c.env+" "+c.args), func(t *testing.T) {
			if name, value, set := strings.Cut(c.env, "="); set {
				t.Setenv(name, value)
			}
			status, text := told(t, c.main, strings.Fields(c.args)...)
			require.Equal(t, c.status, status, text)
			for _, says := range c.says {
				require.Contains(t, text, says)
			}
			require.NotContains(t, text, "hush")
		})
	}
}

func TestHealthcheck(t *testing.T) {
	t.Parallel()
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "/readyz", r.URL.Path)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "nats: NATS is away\n")
	}))
	defer server.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	for _, addr := range []string{"127.0.0.1:" + port, ":" + port, "0.0.0.0:" + port, "[::]:" + port} {
		status = http.StatusOK
		require.NoError(t, Healthcheck(t.Context(), addr), addr)
		status = http.StatusServiceUnavailable
		require.EqualError(t, Healthcheck(t.Context(), addr), "not ready: nats: NATS is away")
	}
	require.ErrorContains(t, Healthcheck(t.Context(), "9100"), "SCORELAY_ADMIN_LISTEN")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorContains(t, Healthcheck(ended, "127.0.0.1:"+port), "couldn't ask for the health")
}

// TestKeysAreInTheOrderOfTheLanes: of the setting, or of the files' names.
func TestKeysAreInTheOrderOfTheLanes(t *testing.T) {
	t.Parallel()
	dir, password := t.TempDir(), filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(password, []byte("p\n"), 0o600))
	raw := &RelayerSettings{}
	for lane, account := range []int{3, 1, 2} {
		secret := devnet.Key(account)
		raw.RawKeys = append(raw.RawKeys, Secret(common.Bytes2Hex(crypto.FromECDSA(secret))))
		file, err := keystore.EncryptKey(&keystore.Key{Address: devnet.Address(account), PrivateKey: secret}, "p", 2, 1)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("lane-%d", lane)), file, 0o600))
	}
	for _, s := range []*RelayerSettings{raw, {Keystore: dir, PasswordFile: password}} {
		keys, err := s.SignerKeys(quiet)
		require.NoError(t, err)
		for lane, account := range []int{3, 1, 2} {
			require.Equal(t, devnet.Address(account), keys[lane].Address())
		}
	}
	_, err := (&RelayerSettings{RawKeys: []Secret{raw.RawKeys[0], "hush"}}).SignerKeys(quiet)
	require.ErrorContains(t, err, "SCORELAY_SIGNER_KEYS, key 2: ")
	require.NotContains(t, err.Error(), "hush")
	_, err = (&RelayerSettings{Keystore: filepath.Join(dir, "absent"), PasswordFile: password}).SignerKeys(quiet)
	require.ErrorContains(t, err, "SCORELAY_SIGNER_KEYSTORE: couldn't read the keystore; its setting")
	_, err = (&RelayerSettings{Keystore: dir, PasswordFile: filepath.Join(dir, "absent")}).SignerKeys(quiet)
	require.ErrorContains(t, err, "SCORELAY_SIGNER_PASSWORD_FILE: couldn't read the keystore's password file; its setting")
	require.NoError(t, os.WriteFile(password, []byte("hush"), 0o600))
	_, err = (&RelayerSettings{Keystore: dir, PasswordFile: password}).SignerKeys(quiet)
	require.ErrorContains(t, err, "SCORELAY_SIGNER_KEYSTORE: couldn't open "+filepath.Join(dir, "lane-0")+" with the password in "+password)
	require.NotContains(t, err.Error(), "hush")
}

// TestWhatWaitingDoesNotCureEndsTheWait at once, and is told without the wait's words.
func TestWhatWaitingDoesNotCureEndsTheWait(t *testing.T) {
	t.Parallel()
	wrong := errors.New("wrong chain")
	var reasons []string
	c := Connector{Log: quiet, Waiting: func(reason string) { reasons = append(reasons, reason) }}
	tries := 0
	err := c.await(t.Context(), "the chain", func(context.Context) error {
		if tries++; tries == 1 {
			return errors.New("refused")
		}
		return fmt.Errorf("asked: %w", permanentError{wrong})
	})
	require.Equal(t, wrong, err)
	require.Equal(t, []string{"waiting for the chain: refused; trying again", ""}, reasons, "an unbounded wait names no end")
	require.Equal(t, 2, tries)
}
