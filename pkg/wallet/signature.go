package wallet

import (
	"bytes"
	"errors"
	"math/big"
	"strconv"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/score"
)

// Errors of a signature, whichever key signed.
var (
	ErrSignatureLength = errors.New("must be 65 bytes (r, s, v), or 64 in the compact form of EIP-2098")
	ErrSignatureV      = errors.New("has a recovery value v other than 0, 1, 27 or 28")
	ErrHighS           = errors.New("has a high s value (EIP-2): such a signature could be altered by anyone")
	ErrUnrecoverable   = errors.New("is not a signature of any key")
)

// Signature is a secp256k1 signature in one canonical form: r, s (in the lower half), v (0 or 1).
type Signature [65]byte

// ParseSignature parses the 65 bytes r, s, v with v in {0, 1, 27, 28}, or the 64 bytes of EIP-2098. Errors:
// ErrSignatureLength, ErrSignatureV, ErrHighS, and ErrUnrecoverable if r or s is out of range.
func ParseSignature(b []byte) (Signature, error) {
	var sig Signature
	switch len(b) {
	case 65:
		copy(sig[:], b)
		if sig[64] == 27 || sig[64] == 28 {
			sig[64] -= 27
		}
	case 64: // the top bit of s is v
		copy(sig[:], b)
		sig[64] = sig[32] >> 7
		sig[32] &= 0x7f
	default:
		return Signature{}, ErrSignatureLength
	}
	if sig[64] > 1 {
		return Signature{}, ErrSignatureV
	}
	r, s := [32]byte(sig[:32]), [32]byte(sig[32:64])
	switch {
	case r == [32]byte{} || s == [32]byte{} || bytes.Compare(r[:], order[:]) >= 0 || bytes.Compare(s[:], order[:]) >= 0:
		return Signature{}, ErrUnrecoverable
	case bytes.Compare(s[:], halfOrder[:]) > 0:
		return Signature{}, ErrHighS
	}
	return sig, nil
}

var (
	order     = common.BigToHash(crypto.S256().Params().N)
	halfOrder = common.BigToHash(new(big.Int).Rsh(crypto.S256().Params().N, 1))
)

// Compact returns the signature in the 64 bytes of EIP-2098, the form in groups. ParseSignature is its inverse.
func (s Signature) Compact() score.GroupSignature {
	compact := score.GroupSignature(s[:64])
	compact[32] |= s[64] << 7
	return compact
}

// Recover returns the address of the key that signed the digest. Every valid signature recovers to some address, so
// the caller must compare it with the expected one. Errors: ErrUnrecoverable.
func (s Signature) Recover(digest common.Hash) (common.Address, error) {
	key, err := crypto.Ecrecover(digest[:], s[:])
	if err != nil {
		return common.Address{}, ErrUnrecoverable
	}
	hash := crypto.Keccak256Hash(key[1:]) // after the byte of the point's format
	return common.Address(hash[12:]), nil
}

// PersonalDigest returns the digest that `personal_sign` signs for a text (EIP-191, version 0x45).
func PersonalDigest(message string) common.Hash {
	text := append(make([]byte, 0, 64), "\x19Ethereum Signed Message:\n"...)
	text = strconv.AppendInt(text, int64(len(message)), 10)
	return crypto.Keccak256Hash(append(text, message...))
}
