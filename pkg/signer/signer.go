// Package signer holds what signs lanes' transactions. A key comes from a geth keystore file and its password file; from a
// description of a remote signer that has it (web3signer, AWS KMS); or, for development, as raw hex.
//
// A secret never leaves its Key: there is no way to read it back, and every way to print a Key or a Signer (fmt, slog,
// JSON) shows the address only. Errors of this package quote nothing that they were given but the path of a file that
// exists: a password may be given by mistake where its file's path belongs. What a remote signer answers is quoted, up to a bound.
//
// Signing with a key that is here takes about 50 µs. A remote signer takes as long as its timeout at most, and is then left alone
// for a while, so that a lane has time for the rest of its work. Its answer is not believed, but checked: see Remote.
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

// Key is a private key, here or at a remote signer, and its address. For turns it into a Signer.
type Key struct {
	backend backend
	address common.Address
}

// backend signs with one key.
type backend interface {
	sign(ctx context.Context, tx *types.Transaction, rules types.Signer) (*types.Transaction, error)
	signTyped(ctx context.Context, typed []byte, digest common.Hash) ([]byte, error)
}

// local is a key that is here.
type local struct{ secret *ecdsa.PrivateKey }

func (l local) sign(_ context.Context, tx *types.Transaction, rules types.Signer) (*types.Transaction, error) {
	return types.SignTx(tx, rules, l.secret)
}

func (l local) signTyped(_ context.Context, _ []byte, digest common.Hash) ([]byte, error) {
	return crypto.Sign(digest[:], l.secret)
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
// the password. A file may describe a remote signer instead (see Remote), which is not asked for anything yet; where all do,
// passwordFile may be empty. The first key is lane 0's, and there is at least one. With geth's standard scrypt cost each file takes
// about a second and, for a moment, 256 MiB. Errors: ErrPasswordFile, ErrPassword, or what is wrong with the keystore.
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

// read is the key of a file: of a keystore, or of the remote signer that it describes. password is nil without a password file.
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
	return &Key{backend: local{secret}, address: crypto.PubkeyToAddress(secret.PublicKey)}
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

// Sign returns tx signed: its fields are those of tx, and its sender is the key's account. A typed tx of another chain is refused.
// Of a key that is here the same tx always gives the same bytes (RFC 6979); a remote signer may give others each time. Either is
// harmless: nothing is broadcast that is not journaled.
func (s *Signer) Sign(ctx context.Context, tx *types.Transaction) (*types.Transaction, error) {
	signed, err := s.backend.sign(ctx, tx, s.rules)
	if err != nil {
		return nil, fmt.Errorf("couldn't sign for %s: %w", s.address, err)
	}
	return signed, nil
}

// SignTyped signs EIP-712 data, given as JSON and as its digest, in 65 bytes. web3signer encodes the JSON by itself; its signature is
// refused unless it is over the digest.
func (k *Key) SignTyped(ctx context.Context, typed []byte, digest common.Hash) ([]byte, error) {
	signature, err := k.backend.signTyped(ctx, typed, digest)
	if err != nil {
		return nil, fmt.Errorf("couldn't sign for %s: %w", k.address, err)
	}
	return signature, nil
}

// String is "signer 0x…", the address.
func (k *Key) String() string { return "signer " + k.address.Hex() }

// Format makes every verb of fmt, %#v and %+v among them, write the form of String.
func (k *Key) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(k.String())) }

// LogValue is the address.
func (k *Key) LogValue() slog.Value { return slog.StringValue(k.address.Hex()) }

// MarshalText writes the address.
func (k *Key) MarshalText() ([]byte, error) { return []byte(k.address.Hex()), nil }
