package signer

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
)

// Backoff of a remote signer after a failure. It doubles with each failure, and lasts at least as long as the failed
// request took.
const (
	leastPause = time.Second
	mostPause  = 15 * time.Second
)

// ErrUntrue means that a remote signer returned something other than the requested payload signed by its account.
var ErrUntrue = errors.New("the remote signer's answer is refused")

// remote is a key at a remote signer. check verifies each response; after an error the lane waits. A signature lost
// in transit is harmless, since only the signer has it.
type remote struct {
	address common.Address
	timeout time.Duration
	service service

	mu     sync.Mutex
	failed error // last error; nil: it works
	pause  time.Duration
	until  time.Time // end of the backoff
}

// service asks a remote signer. The service itself verifies the signature that askTyped returns.
type service interface {
	ask(ctx context.Context, address common.Address, tx *types.Transaction, rules types.Signer) (*types.Transaction, error)
	askTyped(ctx context.Context, address common.Address, typed []byte, digest common.Hash) ([]byte, error)
}

func (r *remote) sign(ctx context.Context, tx *types.Transaction, rules types.Signer) (*types.Transaction, error) {
	if chain := tx.ChainId(); tx.Type() != types.LegacyTxType && chain.Cmp(rules.ChainID()) != 0 {
		return nil, fmt.Errorf("%w: it is for chain %s", types.ErrInvalidChainId, chain)
	}
	if err := r.resting(time.Now()); err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	began := time.Now()
	signed, err := r.service.ask(limited, r.address, tx, rules)
	if err == nil {
		err = check(tx, signed, r.address, rules)
	}
	if err != nil && ctx.Err() != nil {
		return nil, err // ended by the caller rather than the service
	}
	if err != nil && limited.Err() != nil {
		err = fmt.Errorf("the remote signer did not answer within %s: %w", r.timeout, err)
	}
	r.note(err, began, time.Now())
	if err != nil {
		return nil, err
	}
	return signed, nil
}

func (r *remote) signTyped(ctx context.Context, typed []byte, digest common.Hash) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	return r.service.askTyped(ctx, r.address, typed, digest)
}

// resting returns the last error during the backoff, else nil.
func (r *remote) resting(now time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == nil || !now.Before(r.until) {
		return nil
	}
	return fmt.Errorf("%w (it is asked again in %s)", r.failed, r.until.Sub(now).Round(time.Millisecond))
}

func (r *remote) note(err error, began, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed = err; err == nil {
		r.pause = 0
		return
	}
	r.pause = min(max(leastPause, 2*r.pause, now.Sub(began)), mostPause)
	r.until = now.Add(r.pause)
}

// check returns an error unless signed is the transaction asked, signed by the account with a low s. It compares
// signing hashes, which cover every field and the chain ID. A legacy transaction's hash covers the chain ID only if
// its signature names one, so the signature must.
func check(asked, signed *types.Transaction, address common.Address, rules types.Signer) error {
	if signed.Type() != asked.Type() || !signed.Protected() || rules.Hash(signed) != rules.Hash(asked) || signed.ChainId().Cmp(rules.ChainID()) != 0 {
		differs := errors.New(strings.Join(differences(asked, signed, rules), ", "))
		return fmt.Errorf("%w: it is another transaction than was asked for: it differs in %w", ErrUntrue, brief(differs))
	}
	sender, err := types.Sender(rules, signed) // rejects a high s
	if err != nil {
		return fmt.Errorf("%w: its signature is not valid, or has a high s: %w", ErrUntrue, err)
	}
	if sender != address {
		return fmt.Errorf("%w: it is signed by %s and not by %s; does the description name the right address?", ErrUntrue, sender, address)
	}
	return nil
}

func differences(asked, signed *types.Transaction, rules types.Signer) (fields []string) {
	chain := "none" // a legacy signature, valid on any chain
	if signed.Protected() {
		chain = number(signed.ChainId())
	}
	text := func(tx *types.Transaction, chain string) []string {
		return []string{
			fmt.Sprintf("type %d", tx.Type()), "chain id " + chain, fmt.Sprintf("nonce %d", tx.Nonce()), fmt.Sprintf("gas %d", tx.Gas()),
			"fee cap " + number(tx.GasFeeCap()), "tip cap " + number(tx.GasTipCap()), fmt.Sprintf("to %s", tx.To()),
			"value " + number(tx.Value()), fmt.Sprintf("data of hash %s", crypto.Keccak256Hash(tx.Data())),
		}
	}
	is := text(signed, chain)
	for i, want := range text(asked, rules.ChainID().String()) {
		if is[i] != want {
			fields = append(fields, is[i]+" instead of "+want)
		}
	}
	if len(fields) == 0 {
		fields = []string{"its access list"} // the only field left; ours is empty
	}
	return fields
}

// number formats n, or only its bit length above 256 bits: a signer may send megabytes, which take minutes to format
// in decimal.
func number(n *big.Int) string {
	if n.BitLen() > 256 {
		return fmt.Sprintf("of %d bits", n.BitLen())
	}
	return n.String()
}
