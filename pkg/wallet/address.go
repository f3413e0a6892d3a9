package wallet

import (
	"encoding/hex"
	"errors"
	"strings"

	"github.com/ethereum/go-ethereum/common"
)

var (
	ErrNotAddress = errors.New("must be 0x followed by 40 hex digits")
	// ErrChecksum reports an address in mixed case with a wrong EIP-55 checksum: most likely a typing error.
	ErrChecksum = errors.New("has a wrong EIP-55 checksum; correct it or write it in lower case")
)

// ParseAddress accepts lower case, upper case, or mixed case with the right EIP-55 checksum. Errors: ErrNotAddress,
// ErrChecksum.
func ParseAddress(s string) (common.Address, error) {
	var a common.Address
	digits, found := strings.CutPrefix(s, "0x")
	if !found || len(digits) != 2*len(a) {
		return common.Address{}, ErrNotAddress
	}
	if _, err := hex.Decode(a[:], []byte(digits)); err != nil {
		return common.Address{}, ErrNotAddress
	}
	if mixed := digits != strings.ToLower(digits) && digits != strings.ToUpper(digits); mixed && a.Hex() != s {
		return common.Address{}, ErrChecksum
	}
	return a, nil
}
