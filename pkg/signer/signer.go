// Package signer holds the keys that sign lanes' transactions. A key comes from a geth keystore file and its password
// file, or, for development, as raw hex.
//
// A secret never leaves its Key: there is no way to read it back, and every way to print a Key or a Signer (fmt, slog,
// JSON) shows the address only. Errors of this package never quote what they were given.
//
// Signing is local and takes about 50 µs, so it needs no deadline; a remote signer (a KMS, web3signer) would be another
// implementation of the interface that the relayer declares.
package signer

import (
	"context"
	"crypto/ecdsa"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
)

var (
	// ErrBadKey says that a raw key is not 32 bytes of hex, or not a key of the curve.
	ErrBadKey = errors.New("not a private key: want 64 hex digits, with or without 0x")
	// ErrPassword says that a keystore file cannot be decrypted with the password given.
	ErrPassword = errors.New("the password does not open the keystore file")
)

// Key is a private key and its address. For turns it into a Signer.
type Key struct {
	secret  *ecdsa.PrivateKey
	address common.Address
}

// FromHex reads a raw key: 64 hex digits, with or without 0x. Raw keys are for development, since they end
// up in process listings and shell histories; the warning in the log says so.
func FromHex(digits string, log *slog.Logger) (*Key, error) {
	raw, err := hex.DecodeString(strings.TrimPrefix(strings.TrimSpace(digits), "0x"))
	if err != nil {
		return nil, ErrBadKey
	}
	secret, err := crypto.ToECDSA(raw)
	if err != nil {
		return nil, ErrBadKey
	}
	key := of(secret)
	log.Warn("a raw signer key is in use; keep that to development and give production a keystore file and a password file",
		"signer", key)
	return key, nil
}

// FromKeystoreFile decrypts a geth keystore file (version 3; version 1 is read too) with the password that
// passwordFile holds; a newline at its end is not part of the password. With geth's standard scrypt cost this takes
// about a second and 256 MiB for a moment.
func FromKeystoreFile(path, passwordFile string) (*Key, error) {
	password, err := readPassword(passwordFile)
	if err != nil {
		return nil, err
	}
	return fromKeystore(path, password)
}

// FromKeystoreDir decrypts every regular, unhidden file of a directory as FromKeystoreFile does, with one password,
// in the order of the file names: the first is lane 0's. An empty directory is an error.
func FromKeystoreDir(dir, passwordFile string) ([]*Key, error) {
	password, err := readPassword(passwordFile)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return nil, fmt.Errorf("couldn't read the keystore directory: %w", err)
	}
	var keys []*Key
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		info, err := os.Stat(path) // follows links: mounted secrets are links
		if err != nil {
			return nil, fmt.Errorf("couldn't read the keystore directory: %w", err)
		}
		if !info.Mode().IsRegular() {
			continue
		}
		key, err := fromKeystore(path, password)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("the keystore directory %s holds no key file", dir)
	}
	return keys, nil
}

func readPassword(path string) (string, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("couldn't read the keystore's password file: %w", err)
	}
	return strings.TrimRight(string(raw), "\r\n"), nil
}

func fromKeystore(path, password string) (*Key, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("couldn't read the keystore file: %w", err)
	}
	key, err := keystore.DecryptKey(raw, password)
	if errors.Is(err, keystore.ErrDecrypt) {
		return nil, fmt.Errorf("couldn't open %s: %w", path, ErrPassword)
	}
	if err != nil {
		return nil, fmt.Errorf("couldn't open %s: it is not a geth keystore file", path)
	}
	return of(key.PrivateKey), nil
}

func of(secret *ecdsa.PrivateKey) *Key {
	return &Key{secret: secret, address: crypto.PubkeyToAddress(secret.PublicKey)}
}

// Address is the account of the key.
func (k *Key) Address() common.Address { return k.address }

// For returns a signer of the key's transactions on one chain.
func (k *Key) For(chainID uint64) *Signer {
	return &Signer{Key: k, rules: types.LatestSignerForChainID(new(big.Int).SetUint64(chainID))}
}

// Signer signs transactions with one key for one chain. It is safe for concurrent use.
type Signer struct {
	*Key
	rules types.Signer
}

// Sign returns tx signed. Signatures are deterministic (RFC 6979): the same tx always gives the same bytes, so signing
// again after a crash cannot make a second attempt. A typed tx of another chain is refused.
func (s *Signer) Sign(_ context.Context, tx *types.Transaction) (*types.Transaction, error) {
	signed, err := types.SignTx(tx, s.rules, s.secret)
	if err != nil {
		return nil, fmt.Errorf("couldn't sign for %s: %w", s.address, err)
	}
	return signed, nil
}

// String is "signer 0x…", the address.
func (k *Key) String() string { return "signer " + k.address.Hex() }

// Format makes every verb of fmt, %#v and %+v among them, write the form of String.
func (k *Key) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(k.String())) }

// LogValue is the address.
func (k *Key) LogValue() slog.Value { return slog.StringValue(k.address.Hex()) }

// MarshalText writes the address.
func (k *Key) MarshalText() ([]byte, error) { return []byte(k.address.Hex()), nil }
