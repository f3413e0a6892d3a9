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
	deployedCode = hexutil.MustDecode(bindings.ScoreRegistryDeployedBin)
)

// ErrOtherCode says that an address does not hold this version of the contract.
var ErrOtherCode = errors.New("not this version of the ScoreRegistry contract")

// DeployData is the data of the transaction that deploys the contract. adminDelay, in whole seconds, is how long a
// change of the admin must wait; relayers get the relayer role at once, and admin may grant it to more later.
func DeployData(adminDelay time.Duration, admin common.Address, relayers []common.Address) []byte {
	seconds := big.NewInt(int64(adminDelay / time.Second))
	return append(bytes.Clone(creationCode), contract.PackConstructor(seconds, admin, relayers)...)
}

// VerifyCode checks the code found at the contract's address. ErrOtherCode if it is not exactly this contract's: another
// version, another contract, or nothing.
func VerifyCode(code []byte) error {
	if !bytes.Equal(code, deployedCode) {
		return ErrOtherCode
	}
	return nil
}

// EncodeGrantRelayer is the calldata, for the admin, that gives an account the relayer role.
func EncodeGrantRelayer(account common.Address) []byte {
	return contract.PackGrantRole(relayerRole, account)
}

// EncodeRevokeRelayer is the calldata, for the admin, that takes the relayer role from an account.
func EncodeRevokeRelayer(account common.Address) []byte {
	return contract.PackRevokeRole(relayerRole, account)
}
