// Package signer holds the keys that sign lanes' transactions. A key comes from a geth keystore file and its password
// file, or, for development, as raw hex.
//
// A secret never leaves its Key: there is no way to read it back, and every way to print a Key or a Signer (fmt, slog,
// JSON) shows the address only. Errors of this package quote nothing that they were given but the path of a file that
// exists: a password may be given by mistake where its file's path belongs.
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
	"io/fs"
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
	// ErrPasswordFile says that the password file cannot be read: its setting is at fault, not the keystore's.
	ErrPasswordFile = errors.New("the password file cannot be read")
)

// passwordFileError is ErrPasswordFile in the words of its cause.
type passwordFileError struct{ error }

func (passwordFileError) Is(target error) bool { return target == ErrPasswordFile }
func (e passwordFileError) Unwrap() error      { return e.error }

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

// FromKeystore decrypts a geth keystore file (version 3; version 1 is read too), or every regular, unhidden file of a
// directory in the order of their names, with the password that passwordFile holds; a newline at its end is not part of
// the password. The first key is lane 0's, and there is at least one. With geth's standard scrypt cost each takes about a
// second and, for a moment, 256 MiB. Errors: ErrPasswordFile, ErrPassword, or what is wrong with the keystore.
func FromKeystore(path, passwordFile string) ([]*Key, error) {
	return NewKeystore(path, passwordFile).Read()
}

// keyFiles is the file, or the files of the directory, sorted by name. Mounted secrets are links, so links are followed; one that leads
// nowhere is among them, for its reader to say so.
func keyFiles(path string) (files []string, err error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	entries, err := os.ReadDir(path)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		file := filepath.Join(path, entry.Name())
		if info, failed := os.Stat(file); failed != nil || info.Mode().IsRegular() {
			files = append(files, file)
		}
	}
	return files, err
}

func decrypt(path, password, passwordFile string) (*Key, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, unreadable("the keystore file", path, err)
	}
	key, err := keystore.DecryptKey(raw, password)
	if errors.Is(err, keystore.ErrDecrypt) {
		return nil, fmt.Errorf("couldn't open %s with the password in %s: %w", path, passwordFile, ErrPassword)
	}
	if err != nil {
		return nil, fmt.Errorf("couldn't open %s: it is not a geth keystore file", path)
	}
	return of(key.PrivateKey), nil
}

// unreadable says why a file cannot be read, and what to do when this process may not: in a container it is seldom the
// user who wrote the file. The path is in it only when a file is there, since it may be a secret given in place of a path.
func unreadable(what, path string, err error) error {
	if _, absent := os.Lstat(path); absent != nil {
		return fmt.Errorf("couldn't read %s; its setting, which is not shown as it may hold a secret by mistake, must be the path of a file "+
			"that uid %d, gid %d may reach: %w", what, os.Getuid(), os.Getgid(), withoutPath(err))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("couldn't read %s %s: it is a link to a file that is not there; make it lead to the right one, or remove it: %w", what, path, err)
	}
	if errors.Is(err, fs.ErrPermission) {
		uid, gid := os.Getuid(), os.Getgid()
		return fmt.Errorf("couldn't read %s %s: this process runs as uid %d, gid %d, which may not read it; give it to that user "+
			"(chown %d %s) or to its group (chgrp, chmod g+r; in Kubernetes securityContext.fsGroup): %w", what, path, uid, gid, uid, path, err)
	}
	return fmt.Errorf("couldn't read %s: %w", what, err)
}

// withoutPath is the cause of an error of the file system, which alone names no file.
func withoutPath(err error) error {
	var named *fs.PathError
	if errors.As(err, &named) {
		return named.Err
	}
	return err
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
