package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/relay"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/signer"
)

// SignerKeys reads the signers' keys, in the order of the setting or of the file names.
func (s *RelayerSettings) SignerKeys(log *slog.Logger) ([]*signer.Key, error) {
	if s.Keystore != "" {
		keys, err := signer.FromKeystore(s.Keystore, s.PasswordFile)
		return keys, settingOf(err)
	}
	keys := make([]*signer.Key, len(s.RawKeys))
	for i, raw := range s.RawKeys {
		key, err := signer.FromHex(raw.Reveal(), log)
		if err != nil {
			return nil, fmt.Errorf("SCORELAY_SIGNER_KEYS, key %d: %w", i+1, err)
		}
		keys[i] = key
	}
	return keys, nil
}

// settingOf prefixes a keystore's error with its setting; nil stays nil.
func settingOf(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, signer.ErrPasswordFile):
		return fmt.Errorf("SCORELAY_SIGNER_PASSWORD_FILE: %w", err)
	}
	return fmt.Errorf("SCORELAY_SIGNER_KEYSTORE: %w", err)
}

const keysEvery = 10 * time.Second

// keyring contains a relayer's keys, including those added to its keystore later.
type keyring struct {
	chainID  uint64
	keystore *signer.Keystore // nil: raw keys, which are fixed
	roster   relay.Roster
	log      *slog.Logger
	every    time.Duration

	mu   sync.Mutex
	keys map[common.Address]*signer.Key
	said string
}

func newKeyring(s *RelayerSettings, log *slog.Logger) (*keyring, error) {
	k := &keyring{log: log, every: keysEvery, keys: map[common.Address]*signer.Key{}}
	if s.Keystore == "" {
		keys, err := s.SignerKeys(log)
		k.add(keys)
		return k, err
	}
	k.keystore = signer.NewKeystore(s.Keystore, s.PasswordFile)
	keys, err := k.keystore.Read()
	k.add(keys)
	return k, settingOf(err)
}

// begin fails if no key is, or was, a lane's. If all these lanes are removed, or driven by another relayer, this one
// stands by.
func (k *keyring) begin(chainID uint64, roster relay.Roster) error {
	k.chainID, k.roster = chainID, roster
	known, _ := roster.Current()
	return k.check(known)
}

func (k *keyring) check(known roster.Roster) error {
	var addresses []string
	for address := range k.keys {
		if _, found := known.BySigner(address); found {
			return nil
		}
		addresses = append(addresses, address.Hex())
	}
	slices.Sort(addresses)
	return fmt.Errorf("SCORELAY_SIGNER_KEYSTORE (or SCORELAY_SIGNER_KEYS) has the keys of %s, and none of them signs for a lane of the deployment; "+
		"give it the key of a lane (`scorelay lanes list` shows them), or add a lane for it with `scorelay lanes add --signer ADDRESS`",
		strings.Join(addresses, ", "))
}

func (k *keyring) add(keys []*signer.Key) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, key := range keys {
		k.keys[key.Address()] = key
	}
}

func (k *keyring) signer(address common.Address) (relay.Signer, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	key, has := k.keys[address]
	if !has {
		return nil, false
	}
	return key.For(k.chainID), true
}

// run reads the keystore again while a lane's key is missing: when the roster changes, and every k.every.
func (k *keyring) run(ctx context.Context) error {
	tick := time.NewTicker(k.every)
	defer tick.Stop()
	for {
		known, changed := k.roster.Current()
		if k.keystore != nil && k.lacks(known) {
			k.read()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-tick.C:
		}
	}
}

// lacks reports whether the key of a lane that needs one is missing.
func (k *keyring) lacks(known roster.Roster) bool {
	return slices.ContainsFunc(known.Lanes, func(l roster.Lane) bool {
		_, has := k.signer(l.Signer)
		return l.Driven() && l.State != roster.Cut && !has
	})
}

// read adds new keys from the keystore. If an error repeats, it logs the error only once.
func (k *keyring) read() {
	keys, err := k.keystore.Read()
	k.add(keys)
	for _, key := range keys {
		k.log.Info("the relayer found a new key in its keystore", "signer", key)
	}
	said := ""
	if err != nil {
		said = err.Error()
	}
	if said != k.said && err != nil {
		k.log.Warn("the relayer couldn't read all of its keystore again; it keeps the keys that it has and tries again",
			"err", settingOf(err), "again_in", k.every)
	}
	k.said = said
}
