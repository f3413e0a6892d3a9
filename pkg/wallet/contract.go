package wallet

import (
	"bytes"
	"encoding/binary"

	"github.com/ethereum/go-ethereum/common"
)

// The selector of ERC-1271's isValidSignature(bytes32,bytes), and its positive answer.
var isValidSignature = [4]byte{0x16, 0x26, 0xba, 0x7e}

// ContractCall returns the calldata that asks a contract wallet, by ERC-1271, to confirm a signature of the digest.
// The answer may change with the wallet's state.
func ContractCall(digest common.Hash, signature []byte) []byte {
	padded := (len(signature) + 31) / 32 * 32
	call := make([]byte, 4+3*32+padded)
	copy(call, isValidSignature[:])
	copy(call[4:], digest[:])
	call[4+32+31] = 64 // offset of the bytes
	binary.BigEndian.PutUint64(call[4+96-8:], uint64(len(signature)))
	copy(call[4+96:], signature)
	return call
}

// ContractAgrees reports whether the answer confirms the signature: exactly the magic value, in one whole word.
func ContractAgrees(answer []byte) bool {
	return len(answer) == 32 && bytes.Equal(answer[:4], isValidSignature[:]) && bytes.Equal(answer[4:], make([]byte, 28))
}
