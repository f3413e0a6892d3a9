package app

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/scorelay/scorelay/pkg/signer"
)

// SignerKeys reads the lanes' keys, the first for lane 0.
func (s *RelayerSettings) SignerKeys(log *slog.Logger) ([]*signer.Key, error) {
	if s.Keystore != "" {
		return keystoreKeys(s.Keystore, s.PasswordFile)
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

func keystoreKeys(path, passwordFile string) ([]*signer.Key, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("SCORELAY_SIGNER_KEYSTORE: %w", err)
	}
	if info.IsDir() {
		return signer.FromKeystoreDir(path, passwordFile)
	}
	key, err := signer.FromKeystoreFile(path, passwordFile)
	if err != nil {
		return nil, err
	}
	return []*signer.Key{key}, nil
}

// laneKeys checks that there is exactly one key for each lane: two lanes with one signer would use its nonces twice.
func laneKeys(keys []*signer.Key, lanes int) error {
	if len(keys) != lanes {
		return fmt.Errorf("the deployment has %d lanes and the settings have %d signer keys; each lane needs exactly one of its own", lanes, len(keys))
	}
	owner := map[string]int{}
	for i, key := range keys {
		address := key.Address().Hex()
		if first, taken := owner[address]; taken {
			return fmt.Errorf("lanes %d and %d have the same signer %s; each lane needs one of its own", first, i, address)
		}
		owner[address] = i
	}
	return nil
}
