package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/ethereum/go-ethereum/accounts/keystore"

	"github.com/scorelay/scorelay/pkg/devnet"
)

func (s *accepting) keystore() string { return filepath.Join(s.dir, "keystore") }

func (s *accepting) passwordFile() string { return filepath.Join(s.dir, "password") }

func (s *accepting) apiKeyFile() string { return filepath.Join(s.dir, "key") }

func (s *accepting) addKey(lane int) error {
	const password = "bench"
	account := firstSigner + lane
	file, err := keystore.EncryptKey(&keystore.Key{
		Address: devnet.Address(account), PrivateKey: devnet.Key(account),
	}, password, keystore.LightScryptN, keystore.LightScryptP)
	if err == nil {
		err = os.MkdirAll(s.keystore(), 0o700)
	}
	if err == nil {
		err = os.WriteFile(s.passwordFile(), []byte(password), 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(s.keystore(), "lane-"+strconv.Itoa(lane)), file, 0o600)
	}
	if err != nil {
		return fmt.Errorf("couldn't keep the key of lane %d: %w", lane, err)
	}
	return nil
}
