package signer_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/signer"
)

// The first well-known development key of hardhat and anvil, and its address.
const (
	devKey     = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
	devAddress = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
)

func TestFromHex(t *testing.T) {
	t.Parallel()
	for _, digits := range []string{devKey, "0x" + devKey, "0x" + devKey + "\n"} {
		var logged bytes.Buffer
		s, err := signer.FromHex(digits, slog.New(slog.NewTextHandler(&logged, nil)))
		require.NoError(t, err)
		require.Equal(t, common.HexToAddress(devAddress), s.Address())
		require.Contains(t, logged.String(), "level=WARN")
		require.Contains(t, logged.String(), devAddress)
		require.NotContains(t, logged.String(), devKey)
	}
	zero := "0000000000000000000000000000000000000000000000000000000000000000"
	for _, bad := range []string{"", "0x", "zz", devKey[:62], devKey + "00", zero} {
		_, err := signer.FromHex(bad, slog.New(slog.DiscardHandler))
		require.ErrorIs(t, err, signer.ErrBadKey, bad)
	}
}

func TestSignIsDeterministicAndBoundToTheChain(t *testing.T) {
	t.Parallel()
	key, err := signer.FromHex(devKey, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	s := key.For(1337)
	to := common.HexToAddress("0x1")
	for _, tx := range []*types.Transaction{
		types.NewTx(&types.DynamicFeeTx{
			ChainID: big.NewInt(1337), Nonce: 7, To: &to, Gas: 21000, GasFeeCap: big.NewInt(2), GasTipCap: big.NewInt(1),
		}),
		types.NewTx(&types.LegacyTx{Nonce: 7, To: &to, Gas: 21000, GasPrice: big.NewInt(2)}),
	} {
		first, err := s.Sign(t.Context(), tx)
		require.NoError(t, err)
		again, err := s.Sign(t.Context(), tx)
		require.NoError(t, err)
		require.Equal(t, first.Hash(), again.Hash())
		require.Equal(t, uint64(1337), first.ChainId().Uint64())
		from, err := types.Sender(types.LatestSignerForChainID(big.NewInt(1337)), first)
		require.NoError(t, err)
		require.Equal(t, s.Address(), from)
	}
	other := types.NewTx(&types.DynamicFeeTx{ChainID: big.NewInt(1), To: &to, Gas: 21000, GasFeeCap: big.NewInt(2), GasTipCap: big.NewInt(1)})
	_, err = s.Sign(t.Context(), other)
	require.ErrorIs(t, err, types.ErrInvalidChainId)
}

func TestNothingPrintsTheKey(t *testing.T) {
	t.Parallel()
	loaded, err := signer.FromHex(devKey, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	s := loaded.For(1337)
	var logged bytes.Buffer
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("m", "signer", s, "list", []any{s})
	asJSON, err := json.Marshal(map[string]any{"signer": s})
	require.NoError(t, err)
	key, err := crypto.HexToECDSA(devKey)
	require.NoError(t, err)
	for _, text := range []string{
		fmt.Sprint(s), fmt.Sprintf("%+v %#v", loaded, *s), fmt.Sprintf("%v %+v %#v %s %q %x %d", s, s, s, s, s, s, s),
		fmt.Sprintf("%+v", struct{ S *signer.Signer }{s}), logged.String(), string(asJSON),
	} {
		require.Contains(t, text, devAddress[2:10])
		for _, secret := range []string{devKey, new(big.Int).SetBytes(crypto.FromECDSA(key)).String(), hex.EncodeToString([]byte(devKey))} {
			require.NotContains(t, text, secret)
		}
	}
}

// file writes a file into dir.
func file(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// write puts a keystore file (low memory scrypt cost) of the key into dir.
func write(t *testing.T, dir, name, digits, password string) string {
	t.Helper()
	key, err := crypto.HexToECDSA(digits)
	require.NoError(t, err)
	raw, err := keystore.EncryptKey(&keystore.Key{
		Address: crypto.PubkeyToAddress(key.PublicKey), PrivateKey: key,
	}, password, keystore.LightScryptN/512, keystore.LightScryptP)
	require.NoError(t, err)
	return file(t, dir, name, string(raw))
}

func TestFromAKeystoreFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := write(t, dir, "key", devKey, "pass word")
	for _, content := range []string{"pass word", "pass word\n", "pass word\r\n"} {
		keys, err := signer.FromKeystore(path, file(t, dir, "password", content))
		require.NoError(t, err)
		require.Len(t, keys, 1)
		require.Equal(t, common.HexToAddress(devAddress), keys[0].Address())
	}

	wrong := file(t, dir, "wrong", "hunter2")
	_, err := signer.FromKeystore(path, wrong)
	require.ErrorIs(t, err, signer.ErrPassword)
	require.ErrorContains(t, err, "couldn't open "+path+" with the password in "+wrong)
	require.NotContains(t, err.Error(), "hunter2")
	_, err = signer.FromKeystore(wrong, wrong)
	require.ErrorContains(t, err, "not a geth keystore file")
	require.NotContains(t, err.Error(), "hunter2")
	_, err = signer.FromKeystore(path, filepath.Join(dir, "absent"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorIs(t, err, signer.ErrPasswordFile)
	_, err = signer.FromKeystore(filepath.Join(dir, "absent"), wrong)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NotErrorIs(t, err, signer.ErrPasswordFile)
}

// TestALinkThatLeadsNowhere keeps no other key of the directory back, and is named.
func TestALinkThatLeadsNowhere(t *testing.T) {
	t.Parallel()
	dir, password := t.TempDir(), file(t, t.TempDir(), "password", "p")
	link := filepath.Join(dir, "a")
	require.NoError(t, os.Symlink(filepath.Join(dir, "absent"), link))
	write(t, dir, "b", devKey, "p")
	keys, err := signer.NewKeystore(dir, password).Read()
	require.ErrorContains(t, err, "couldn't read the keystore file "+link+": it is a link to a file that is not there; make it lead to the right one, or remove it")
	require.Len(t, keys, 1)
	require.Equal(t, common.HexToAddress(devAddress), keys[0].Address())
}

// TestAFileThatThisUserMayNotRead runs as another user than the files' owner: root may read everything.
func TestAFileThatThisUserMayNotRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	password, locked := file(t, dir, "password", "p"), filepath.Join(dir, "locked")
	path := write(t, dir, "key", devKey, "p")
	require.NoError(t, os.Mkdir(locked, 0o700))
	for _, c := range []struct{ unreadable, keystore, says string }{
		{path, path, "the keystore file " + path},
		{password, path, "the keystore's password file " + password},
		{locked, locked, "the keystore " + locked},
	} {
		if os.Getuid() != 0 {
			require.NoError(t, os.Chmod(c.unreadable, 0))
			_, err := signer.FromKeystore(c.keystore, password)
			requireExplained(t, err, c.says)
			require.NoError(t, os.Chmod(c.unreadable, 0o700))
		}
		what := strings.TrimSuffix(c.says, " "+c.unreadable)
		err := signer.Unreadable(what, c.unreadable, &fs.PathError{Op: "open", Path: c.unreadable, Err: fs.ErrPermission})
		requireExplained(t, err, c.says)
	}
}

func TestASecretGivenInPlaceOfAPathIsNotPrinted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	password := file(t, dir, "password", "p")
	path := write(t, dir, "key", devKey, "p")
	for _, c := range []struct {
		secret string
		is     error
	}{
		{"hunter2", fs.ErrNotExist},
		{"hunter2/with/slashes", fs.ErrNotExist},
		{filepath.Join(path, "hunter2"), syscall.ENOTDIR},
		{"hunter2\x00", syscall.EINVAL},
		{strings.Repeat("hunter2", 1000), syscall.ENAMETOOLONG},
	} {
		for what, files := range map[string][2]string{"the keystore's password file": {path, c.secret}, "the keystore": {c.secret, password}} {
			_, err := signer.FromKeystore(files[0], files[1])
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, "couldn't read "+what+"; its setting, which is not shown as it may hold a secret by mistake, must be the path of a file")
			require.NotContains(t, err.Error(), "hunter2")
		}
	}
	err := signer.Unreadable("the keystore", "hunter2", &fs.PathError{Op: "open", Path: "hunter2", Err: fs.ErrPermission})
	require.ErrorIs(t, err, fs.ErrPermission, "in a folder that this process may not search")
	require.NotContains(t, err.Error(), "hunter2")

	_, err = signer.FromKeystore(path, dir)
	require.ErrorContains(t, err, "couldn't read the keystore's password file: read "+dir, "what exists is named")
}

func requireExplained(t *testing.T, err error, what string) {
	t.Helper()
	require.ErrorIs(t, err, fs.ErrPermission)
	require.ErrorContains(t, err, fmt.Sprintf("couldn't read %s: this process runs as uid %d", what, os.Getuid()))
	require.ErrorContains(t, err, fmt.Sprintf("(chown %d ", os.Getuid()))
}

func TestFromAKeystoreDirectory(t *testing.T) {
	t.Parallel()
	secrets, dir := t.TempDir(), t.TempDir()
	password := file(t, secrets, "password", "p")
	_, err := signer.FromKeystore(dir, password)
	require.ErrorContains(t, err, "no key file")

	second := "59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"
	write(t, dir, "b", second, "p")
	require.NoError(t, os.Symlink(write(t, secrets, "k", devKey, "p"), filepath.Join(dir, "a")))
	write(t, dir, ".hidden", second, "another")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "c"), 0o700))
	signers, err := signer.FromKeystore(dir, password)
	require.NoError(t, err)
	require.Len(t, signers, 2)
	require.Equal(t, common.HexToAddress(devAddress), signers[0].Address())
	require.Equal(t, common.HexToAddress("0x70997970C51812dc3A010C7d01b50e0d17dc79C8"), signers[1].Address())
}
