package app

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/scorelay/scorelay/pkg/signer"
)

// SignerKeys reads the lanes' keys, the first for lane 0.
func (s *RelayerSettings) SignerKeys(log *slog.Logger) ([]*signer.Key, error) {
	if s.Keystore != "" {
		keys, err := signer.FromKeystore(s.Keystore, s.PasswordFile)
		switch {
		case errors.Is(err, signer.ErrPasswordFile):
			return nil, fmt.Errorf("SCORELAY_SIGNER_PASSWORD_FILE: %w", err)
		case err != nil:
			return nil, fmt.Errorf("SCORELAY_SIGNER_KEYSTORE: %w", err)
		}
		return keys, nil
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

// laneKeys checks that there is exactly one key for each lane: two lanes with one signer would use its nonces twice.
func laneKeys(keys []*signer.Key, lanes int) error {
	if len(keys) != lanes {
		return fmt.Errorf("the deployment has %d lanes and this relayer has %d signer keys; give SCORELAY_SIGNER_KEYSTORE (or SCORELAY_SIGNER_KEYS) "+
			"exactly one key for each lane, in the order of the lanes", lanes, len(keys))
	}
	owner := map[string]int{}
	for i, key := range keys {
		address := key.Address().Hex()
		if first, taken := owner[address]; taken {
			return fmt.Errorf("lanes %d and %d have the same signer %s; give each lane a key of its own", first, i, address)
		}
		owner[address] = i
	}
	return nil
}
