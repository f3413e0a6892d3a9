package load

import (
	"crypto/ecdsa"
	"encoding/hex"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// Wallet signs messages as web3.js, ethers and viem do. It is safe for concurrent use.
type Wallet struct {
	Address common.Address

	key *ecdsa.PrivateKey

	mu        sync.Mutex
	message   string // the last one signed: one signature serves every update of its millisecond
	signature string
}

// NewWallet wraps a key.
func NewWallet(key *ecdsa.PrivateKey) *Wallet {
	return &Wallet{Address: crypto.PubkeyToAddress(key.PublicKey), key: key}
}

// RandomWallet makes a wallet nobody knows.
func RandomWallet() (*Wallet, error) {
	key, err := crypto.GenerateKey()
	if err != nil {
		return nil, fmt.Errorf("couldn't make a wallet: %w", err)
	}
	return NewWallet(key), nil
}

// Sign returns the message (at, in milliseconds since 1970) and the wallet's signature over it.
func (w *Wallet) Sign(at time.Time) (message, signature string, err error) {
	message = strconv.FormatInt(at.UnixMilli(), 10)
	w.mu.Lock()
	defer w.mu.Unlock()
	if message == w.message {
		return message, w.signature, nil
	}
	raw, err := crypto.Sign(accounts.TextHash([]byte(message)), w.key)
	if err != nil {
		return "", "", fmt.Errorf("couldn't sign: %w", err)
	}
	raw[64] += 27
	w.message, w.signature = message, "0x"+hex.EncodeToString(raw)
	return message, w.signature, nil
}
