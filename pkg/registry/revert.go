package registry

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

// Names of the reverts that callers distinguish. IScoreRegistry.sol and OpenZeppelin's access control declare the
// others.
const (
	RevertBadFraming    = "BadFraming"
	RevertProjectExists = "ProjectExists"
	RevertNotRelayer    = "AccessControlUnauthorizedAccount" // of applyBatch and createProject

	RevertUnknownProject   = "UnknownProject"
	RevertEditExpired      = "EditExpired"
	RevertWrongEditNonce   = "WrongEditNonce"
	RevertNotOwner         = "NotOwner"
	RevertBadEditSignature = "BadEditSignature"
)

type Revert struct {
	Name string // of the error; "Error" or "Panic" for Solidity's own; "" without data or if unknown
	Args []any
	Data []byte
}

func (r *Revert) Error() string {
	if r.Name == "" {
		return "contract reverted with " + hexutil.Encode(r.Data)
	}
	args := make([]string, len(r.Args))
	for i, arg := range r.Args {
		switch arg := arg.(type) {
		case [32]byte:
			args[i] = hexutil.Encode(arg[:])
		case string:
			args[i] = fmt.Sprintf("%q", arg)
		default:
			args[i] = fmt.Sprint(arg)
		}
	}
	return fmt.Sprintf("contract reverted: %s(%s)", r.Name, strings.Join(args, ", "))
}

// DecodeRevert always returns a Revert, also without data, for example after running out of gas.
func DecodeRevert(data []byte) *Revert {
	r := &Revert{Data: bytes.Clone(data)}
	if len(data) < 4 {
		return r
	}
	if reason, err := abi.UnpackRevert(data); err == nil {
		r.Name, r.Args = "Error", []any{reason}
		if bytes.Equal(data[:4], panicSelector[:]) {
			r.Name = "Panic"
		}
		return r
	}
	parsed := contract.GetABI()
	known, err := parsed.ErrorByID([4]byte(data[:4]))
	if err != nil {
		return r
	}
	args, err := known.Inputs.Unpack(data[4:])
	if err != nil {
		return r
	}
	r.Name, r.Args = known.Name, args
	return r
}

// Panic(uint256)
var panicSelector = [4]byte{0x4e, 0x48, 0x7b, 0x71}
