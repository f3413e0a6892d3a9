package registry

import (
	"bytes"
	"errors"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/registry/internal/bindings"
)

var (
	relayerRole  = crypto.Keccak256Hash([]byte("RELAYER_ROLE"))
	creationCode = hexutil.MustDecode(bindings.ScoreRegistryMetaData.Bin)
	deployedCode = hexutil.MustDecode(bindings.ScoreRegistryDeployedBin) // zeros where the constructor writes

	constantPlaces = findConstants(deployedCode)
)

var ErrOtherCode = errors.New("not this version of the ScoreRegistry contract")

var ErrNoCode = errors.New("no code: the address is wrong, or the contract is gone with a chain that lost its data or began again from its genesis; " +
	"bring that chain back, or begin again as well, in development by `scorelay dev --fresh`")

// DeployData returns the data of the deploying transaction. adminDelay, cut to whole seconds, delays a change of the
// admin. relayers get the relayer role at once.
func DeployData(adminDelay time.Duration, admin common.Address, relayers []common.Address) []byte {
	seconds := big.NewInt(int64(adminDelay / time.Second))
	return append(bytes.Clone(creationCode), contract.PackConstructor(seconds, admin, relayers)...)
}

// VerifyCode returns ErrNoCode if code is empty. It returns ErrOtherCode unless every byte is as deployed at this
// address of this chain, including those that the constructor writes.
func VerifyCode(code []byte, chainID uint64, at common.Address) error {
	if len(code) == 0 {
		return ErrNoCode
	}
	if len(code) != len(deployedCode) {
		return ErrOtherCode
	}
	want := constants(chainID, at)
	rest := bytes.Clone(code)
	for _, place := range constantPlaces {
		found := common.Hash(rest[place : place+32])
		if !want[found] {
			return ErrOtherCode
		}
		delete(want, found)
		clear(rest[place : place+32])
	}
	if !bytes.Equal(rest, deployedCode) {
		return ErrOtherCode
	}
	return nil
}

// constants returns the words that the constructor writes into the code: the parts of the contract's EIP-712 domain.
func constants(chainID uint64, at common.Address) map[common.Hash]bool {
	name, version := []byte("Scorelay"), []byte("1")
	id := common.BigToHash(new(big.Int).SetUint64(chainID))
	address := common.BytesToHash(at[:])
	separator := crypto.Keccak256Hash(
		crypto.Keccak256([]byte("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")),
		crypto.Keccak256(name), crypto.Keccak256(version), id[:], address[:],
	)
	return map[common.Hash]bool{
		separator: true, id: true, address: true, crypto.Keccak256Hash(name): true, crypto.Keccak256Hash(version): true,
		shortString(name): true, shortString(version): true,
	}
}

// shortString returns OpenZeppelin's one-word encoding of a string of up to 31 bytes.
func shortString(s []byte) (h common.Hash) {
	copy(h[:], s)
	h[31] = byte(len(s))
	return h
}

// findConstants returns the offsets of PUSH32 operands that are zero in the compiled code: the constructor fills them
// in.
func findConstants(code []byte) (places []int) {
	const push1, push32 = 0x60, 0x7f
	for i := 0; i < len(code); i++ {
		if code[i] < push1 || code[i] > push32 {
			continue
		}
		n := int(code[i]) - push1 + 1
		if i+n < len(code) && n == 32 && common.Hash(code[i+1:i+33]) == (common.Hash{}) {
			places = append(places, i+1)
		}
		i += n
	}
	return places
}

func EncodeGrantRelayer(account common.Address) []byte {
	return contract.PackGrantRole(relayerRole, account)
}
