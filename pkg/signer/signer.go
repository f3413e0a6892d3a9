// Package signer signs the lanes' transactions. A key comes from a geth keystore file and its password file, or from
// a file that describes a remote signer (web3signer, AWS KMS).
//
// A secret never leaves its Key: fmt, slog and JSON print only the address. Errors quote only paths of existing
// files, since a setting may contain a password by mistake, and a bounded part of a remote signer's response.
//
// A local signature takes about 50 µs, a remote one at most its timeout. After a remote failure, a backoff leaves the
// lane time for its other work.
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
	ErrBadKey   = errors.New("not a private key: want 64 hex digits, with or without 0x")
	ErrPassword = errors.New("the password does not open the keystore file")
	// ErrPasswordFile means that the password file is unset or unreadable.
	ErrPasswordFile = errors.New("the password file cannot be read")
)

type passwordFileError struct{ error }

func (passwordFileError) Is(target error) bool { return target == ErrPasswordFile }
func (e passwordFileError) Unwrap() error      { return e.error }

// Key is an account's key, local or remote.
type Key struct {
	backend backend
	address common.Address
}

type backend interface {
	sign(ctx context.Context, tx *types.Transaction, rules types.Signer) (*types.Transaction, error)
	signTyped(ctx context.Context, typed []byte, digest common.Hash) ([]byte, error)
}

type local struct{ secret *ecdsa.PrivateKey }

func (l local) sign(_ context.Context, tx *types.Transaction, rules types.Signer) (*types.Transaction, error) {
	return types.SignTx(tx, rules, l.secret)
}

func (l local) signTyped(_ context.Context, _ []byte, digest common.Hash) ([]byte, error) {
	return crypto.Sign(digest[:], l.secret)
}

// FromHex parses a raw key of 64 hex digits, optionally after 0x. It logs a warning: raw keys are for development,
// since they end up in process listings and shell histories. Errors: ErrBadKey.
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

// FromKeystore decrypts a geth keystore file (version 3 or 1), or every regular, unhidden file of a directory in file
// name order. The password is passwordFile's content, trailing newlines trimmed. A file may describe a Remote
// instead, which is contacted at the first signature. If all files do, passwordFile may be empty. On success there is
// at least one key; the first is lane 0's. With geth's standard scrypt cost, each file takes about a second and
// briefly 256 MiB. Errors: ErrPasswordFile, ErrPassword, or another for an unreadable or invalid file.
func FromKeystore(path, passwordFile string) ([]*Key, error) {
	return NewKeystore(path, passwordFile).Read()
}

// keyFiles returns the path or a directory's files, by name. It follows links, since mounted secrets are links, and
// includes dangling ones, so that the reader reports them.
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

// read returns a file's key, local or remote. password is nil if no password file is set.
func read(path string, password *string, passwordFile string) (*Key, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, unreadable("the keystore file", path, err)
	}
	if key, described, err := describe(raw); described {
		if err != nil {
			return nil, fmt.Errorf("couldn't use %s: %w", path, err)
		}
		return key, nil
	}
	if password == nil {
		return nil, passwordFileError{fmt.Errorf("it is not set, and %s describes no remote signer; name the file that holds the keystore's password", path)}
	}
	key, err := keystore.DecryptKey(raw, *password)
	if errors.Is(err, keystore.ErrDecrypt) {
		return nil, fmt.Errorf("couldn't open %s with the password in %s: %w", path, passwordFile, ErrPassword)
	}
	if err != nil {
		return nil, fmt.Errorf("couldn't open %s: it is not a geth keystore file, and describes no remote signer", path)
	}
	return of(key.PrivateKey), nil
}

// unreadable also explains how to fix permissions, since a container seldom runs as the file's owner. It shows the
// path only if a file exists there, since the path may be a secret given by mistake.
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

func withoutPath(err error) error {
	var named *fs.PathError
	if errors.As(err, &named) {
		return named.Err
	}
	return err
}

func of(secret *ecdsa.PrivateKey) *Key {
	return &Key{backend: local{secret}, address: crypto.PubkeyToAddress(secret.PublicKey)}
}

func (k *Key) Address() common.Address { return k.address }

func (k *Key) For(chainID uint64) *Signer {
	return &Signer{Key: k, rules: types.LatestSignerForChainID(new(big.Int).SetUint64(chainID))}
}

// Signer is safe for concurrent use.
type Signer struct {
	*Key
	rules types.Signer
}

// Sign returns tx with the key's signature. It rejects a typed tx of another chain. A local key returns the same
// bytes for the same tx (RFC 6979). A remote signer may return different ones, which is safe, since only journaled
// bytes are broadcast.
func (s *Signer) Sign(ctx context.Context, tx *types.Transaction) (*types.Transaction, error) {
	signed, err := s.backend.sign(ctx, tx, s.rules)
	if err != nil {
		return nil, fmt.Errorf("couldn't sign for %s: %w", s.address, err)
	}
	return signed, nil
}

// SignTyped signs EIP-712 data, given as JSON and as its digest, and returns 65 bytes. web3signer encodes the JSON
// itself, so its signature is checked against the digest.
func (k *Key) SignTyped(ctx context.Context, typed []byte, digest common.Hash) ([]byte, error) {
	signature, err := k.backend.signTyped(ctx, typed, digest)
	if err != nil {
		return nil, fmt.Errorf("couldn't sign for %s: %w", k.address, err)
	}
	return signature, nil
}

func (k *Key) String() string { return "signer " + k.address.Hex() }

// Format writes String's form for every verb, including %#v and %+v.
func (k *Key) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(k.String())) }

func (k *Key) LogValue() slog.Value { return slog.StringValue(k.address.Hex()) }

func (k *Key) MarshalText() ([]byte, error) { return []byte(k.address.Hex()), nil }
