// Code generated via abigen V2 - DO NOT EDIT.
// This file is a generated binding and any manual changes will be lost.

package bindings

import (
	"bytes"
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/accounts/abi/bind/v2"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// Reference imports to suppress errors if they are not otherwise used.
var (
	_ = bytes.Equal
	_ = errors.New
	_ = big.NewInt
	_ = common.Big1
	_ = types.BloomLookup
	_ = abi.ConvertType
)

// IScoreRegistryAction is an auto generated low-level Go binding around an user-defined struct.
type IScoreRegistryAction struct {
	Name      string
	Points    uint32
	Direction uint8
}

// IScoreRegistryEdit is an auto generated low-level Go binding around an user-defined struct.
type IScoreRegistryEdit struct {
	Operation string
	Member    common.Address
	Name      string
	Points    uint32
	Direction uint8
}

// IScoreRegistryProjectInfo is an auto generated low-level Go binding around an user-defined struct.
type IScoreRegistryProjectInfo struct {
	CreatedBlock   uint64
	OwnerCount     uint32
	EditNonce      uint64
	ActionCount    uint8
	ScoreTypeCount uint8
	SignedOnly     bool
}

// ScoreRegistryMetaData contains all meta data concerning the ScoreRegistry contract.
var ScoreRegistryMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[{\"internalType\":\"uint48\",\"name\":\"adminDelay\",\"type\":\"uint48\"},{\"internalType\":\"address\",\"name\":\"admin\",\"type\":\"address\"},{\"internalType\":\"address[]\",\"name\":\"relayers\",\"type\":\"address[]\"}],\"stateMutability\":\"nonpayable\",\"type\":\"constructor\"},{\"inputs\":[],\"name\":\"AccessControlBadConfirmation\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint48\",\"name\":\"schedule\",\"type\":\"uint48\"}],\"name\":\"AccessControlEnforcedDefaultAdminDelay\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"AccessControlEnforcedDefaultAdminRules\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"defaultAdmin\",\"type\":\"address\"}],\"name\":\"AccessControlInvalidDefaultAdmin\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"},{\"internalType\":\"bytes32\",\"name\":\"neededRole\",\"type\":\"bytes32\"}],\"name\":\"AccessControlUnauthorizedAccount\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"count\",\"type\":\"uint256\"}],\"name\":\"ActionCount\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"}],\"name\":\"BadEditSignature\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"offset\",\"type\":\"uint256\"}],\"name\":\"BadFraming\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"DuplicateAction\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"DuplicateMember\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"DuplicateScoreType\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32\",\"name\":\"updateId\",\"type\":\"bytes32\"}],\"name\":\"DuplicateUpdate\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"deadline\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"blockTime\",\"type\":\"uint256\"}],\"name\":\"EditExpired\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"direction\",\"type\":\"uint256\"}],\"name\":\"InvalidDirection\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidShortString\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"}],\"name\":\"LastOwner\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"first\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"second\",\"type\":\"uint256\"}],\"name\":\"LengthMismatch\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"length\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"max\",\"type\":\"uint256\"}],\"name\":\"NameLength\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"NoOwner\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"NotMember\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"NotOwner\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"points\",\"type\":\"uint256\"}],\"name\":\"PointsOutOfRange\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"}],\"name\":\"ProjectExists\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"RoleUnchanged\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint8\",\"name\":\"bits\",\"type\":\"uint8\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"SafeCastOverflowedUintDowncast\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"count\",\"type\":\"uint256\"}],\"name\":\"ScoreTypeCount\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"}],\"name\":\"SignedOnlyUnchanged\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"string\",\"name\":\"str\",\"type\":\"string\"}],\"name\":\"StringTooLong\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"count\",\"type\":\"uint256\"}],\"name\":\"TooManyMembers\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"UnknownAction\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"string\",\"name\":\"operation\",\"type\":\"string\"}],\"name\":\"UnknownOperation\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"}],\"name\":\"UnknownProject\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"UnknownScoreType\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"nonce\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"next\",\"type\":\"uint256\"}],\"name\":\"WrongEditNonce\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"ZeroMember\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"indexed\":false,\"internalType\":\"uint8\",\"name\":\"index\",\"type\":\"uint8\"},{\"indexed\":false,\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"},{\"indexed\":false,\"internalType\":\"uint32\",\"name\":\"points\",\"type\":\"uint32\"},{\"indexed\":false,\"internalType\":\"uint8\",\"name\":\"direction\",\"type\":\"uint8\"}],\"name\":\"ActionAdded\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":false,\"internalType\":\"bytes\",\"name\":\"data\",\"type\":\"bytes\"},{\"indexed\":false,\"internalType\":\"bytes\",\"name\":\"outcomes\",\"type\":\"bytes\"}],\"name\":\"BatchApplied\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[],\"name\":\"DefaultAdminDelayChangeCanceled\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":false,\"internalType\":\"uint48\",\"name\":\"newDelay\",\"type\":\"uint48\"},{\"indexed\":false,\"internalType\":\"uint48\",\"name\":\"effectSchedule\",\"type\":\"uint48\"}],\"name\":\"DefaultAdminDelayChangeScheduled\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[],\"name\":\"DefaultAdminTransferCanceled\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"newAdmin\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint48\",\"name\":\"acceptSchedule\",\"type\":\"uint48\"}],\"name\":\"DefaultAdminTransferScheduled\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[],\"name\":\"EIP712DomainChanged\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint8\",\"name\":\"roles\",\"type\":\"uint8\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"changedBy\",\"type\":\"address\"}],\"name\":\"MemberChanged\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"indexed\":false,\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"},{\"components\":[{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"},{\"internalType\":\"uint32\",\"name\":\"points\",\"type\":\"uint32\"},{\"internalType\":\"uint8\",\"name\":\"direction\",\"type\":\"uint8\"}],\"indexed\":false,\"internalType\":\"structIScoreRegistry.Action[]\",\"name\":\"actions\",\"type\":\"tuple[]\"},{\"indexed\":false,\"internalType\":\"address[]\",\"name\":\"owners\",\"type\":\"address[]\"},{\"indexed\":false,\"internalType\":\"address[]\",\"name\":\"updaters\",\"type\":\"address[]\"},{\"indexed\":false,\"internalType\":\"string[]\",\"name\":\"scoreTypes\",\"type\":\"string[]\"},{\"indexed\":false,\"internalType\":\"bool\",\"name\":\"signedOnly\",\"type\":\"bool\"}],\"name\":\"ProjectCreated\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"previousAdminRole\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"newAdminRole\",\"type\":\"bytes32\"}],\"name\":\"RoleAdminChanged\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"sender\",\"type\":\"address\"}],\"name\":\"RoleGranted\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"sender\",\"type\":\"address\"}],\"name\":\"RoleRevoked\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"indexed\":false,\"internalType\":\"uint8\",\"name\":\"index\",\"type\":\"uint8\"},{\"indexed\":false,\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"ScoreTypeAdded\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"target\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"signer\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"bytes32\",\"name\":\"updateId\",\"type\":\"bytes32\"},{\"indexed\":false,\"internalType\":\"uint8\",\"name\":\"action\",\"type\":\"uint8\"},{\"indexed\":false,\"internalType\":\"uint8\",\"name\":\"scoreType\",\"type\":\"uint8\"},{\"indexed\":false,\"internalType\":\"int64\",\"name\":\"score\",\"type\":\"int64\"}],\"name\":\"ScoreUpdated\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"indexed\":false,\"internalType\":\"bool\",\"name\":\"signedOnly\",\"type\":\"bool\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"changedBy\",\"type\":\"address\"}],\"name\":\"SignedOnlySet\",\"type\":\"event\"},{\"inputs\":[],\"name\":\"DEFAULT_ADMIN_ROLE\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"MAX_ACTIONS\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"MAX_MEMBERS\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"MAX_NAME_BYTES\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"MAX_POINTS\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"MAX_PROJECT_NAME_BYTES\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"MAX_SCORE_TYPES\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"OWNER\",\"outputs\":[{\"internalType\":\"uint8\",\"name\":\"\",\"type\":\"uint8\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"RELAYER_ROLE\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"UPDATER\",\"outputs\":[{\"internalType\":\"uint8\",\"name\":\"\",\"type\":\"uint8\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"acceptDefaultAdminTransfer\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"components\":[{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"},{\"internalType\":\"uint32\",\"name\":\"points\",\"type\":\"uint32\"},{\"internalType\":\"uint8\",\"name\":\"direction\",\"type\":\"uint8\"}],\"internalType\":\"structIScoreRegistry.Action\",\"name\":\"action\",\"type\":\"tuple\"}],\"name\":\"addAction\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"addOwner\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"addScoreType\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"addUpdater\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes\",\"name\":\"data\",\"type\":\"bytes\"}],\"name\":\"applyBatch\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"newAdmin\",\"type\":\"address\"}],\"name\":\"beginDefaultAdminTransfer\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"cancelDefaultAdminTransfer\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint48\",\"name\":\"newDelay\",\"type\":\"uint48\"}],\"name\":\"changeDefaultAdminDelay\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"},{\"components\":[{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"},{\"internalType\":\"uint32\",\"name\":\"points\",\"type\":\"uint32\"},{\"internalType\":\"uint8\",\"name\":\"direction\",\"type\":\"uint8\"}],\"internalType\":\"structIScoreRegistry.Action[]\",\"name\":\"actions\",\"type\":\"tuple[]\"},{\"internalType\":\"address[]\",\"name\":\"owners\",\"type\":\"address[]\"},{\"internalType\":\"address[]\",\"name\":\"updaters\",\"type\":\"address[]\"},{\"internalType\":\"string[]\",\"name\":\"scoreTypes\",\"type\":\"string[]\"},{\"internalType\":\"bool\",\"name\":\"signedOnly\",\"type\":\"bool\"}],\"name\":\"createProject\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"defaultAdmin\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"defaultAdminDelay\",\"outputs\":[{\"internalType\":\"uint48\",\"name\":\"\",\"type\":\"uint48\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"defaultAdminDelayIncreaseWait\",\"outputs\":[{\"internalType\":\"uint48\",\"name\":\"\",\"type\":\"uint48\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"components\":[{\"internalType\":\"string\",\"name\":\"operation\",\"type\":\"string\"},{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"},{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"},{\"internalType\":\"uint32\",\"name\":\"points\",\"type\":\"uint32\"},{\"internalType\":\"uint8\",\"name\":\"direction\",\"type\":\"uint8\"}],\"internalType\":\"structIScoreRegistry.Edit[]\",\"name\":\"edits\",\"type\":\"tuple[]\"},{\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"nonce\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"deadline\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"r\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32\",\"name\":\"vs\",\"type\":\"bytes32\"}],\"name\":\"editBySignature\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"eip712Domain\",\"outputs\":[{\"internalType\":\"bytes1\",\"name\":\"fields\",\"type\":\"bytes1\"},{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"},{\"internalType\":\"string\",\"name\":\"version\",\"type\":\"string\"},{\"internalType\":\"uint256\",\"name\":\"chainId\",\"type\":\"uint256\"},{\"internalType\":\"address\",\"name\":\"verifyingContract\",\"type\":\"address\"},{\"internalType\":\"bytes32\",\"name\":\"salt\",\"type\":\"bytes32\"},{\"internalType\":\"uint256[]\",\"name\":\"extensions\",\"type\":\"uint256[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"getActionIndex\",\"outputs\":[{\"internalType\":\"uint8\",\"name\":\"\",\"type\":\"uint8\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"}],\"name\":\"getActions\",\"outputs\":[{\"internalType\":\"int64[]\",\"name\":\"deltas\",\"type\":\"int64[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"}],\"name\":\"getProject\",\"outputs\":[{\"components\":[{\"internalType\":\"uint64\",\"name\":\"createdBlock\",\"type\":\"uint64\"},{\"internalType\":\"uint32\",\"name\":\"ownerCount\",\"type\":\"uint32\"},{\"internalType\":\"uint64\",\"name\":\"editNonce\",\"type\":\"uint64\"},{\"internalType\":\"uint8\",\"name\":\"actionCount\",\"type\":\"uint8\"},{\"internalType\":\"uint8\",\"name\":\"scoreTypeCount\",\"type\":\"uint8\"},{\"internalType\":\"bool\",\"name\":\"signedOnly\",\"type\":\"bool\"}],\"internalType\":\"structIScoreRegistry.ProjectInfo\",\"name\":\"\",\"type\":\"tuple\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"}],\"name\":\"getRoleAdmin\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address[]\",\"name\":\"accounts\",\"type\":\"address[]\"}],\"name\":\"getRoles\",\"outputs\":[{\"internalType\":\"uint8[]\",\"name\":\"roles\",\"type\":\"uint8[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"wallet\",\"type\":\"address\"},{\"internalType\":\"string\",\"name\":\"scoreType\",\"type\":\"string\"}],\"name\":\"getScore\",\"outputs\":[{\"internalType\":\"int64\",\"name\":\"\",\"type\":\"int64\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"getScoreTypeIndex\",\"outputs\":[{\"internalType\":\"uint8\",\"name\":\"\",\"type\":\"uint8\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address[]\",\"name\":\"wallets\",\"type\":\"address[]\"},{\"internalType\":\"uint8[]\",\"name\":\"scoreTypes\",\"type\":\"uint8[]\"}],\"name\":\"getScores\",\"outputs\":[{\"internalType\":\"int64[]\",\"name\":\"scores\",\"type\":\"int64[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32[]\",\"name\":\"updateIds\",\"type\":\"bytes32[]\"}],\"name\":\"getUsed\",\"outputs\":[{\"internalType\":\"bool[]\",\"name\":\"used\",\"type\":\"bool[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"wallet\",\"type\":\"address\"}],\"name\":\"getWalletScores\",\"outputs\":[{\"internalType\":\"int64[]\",\"name\":\"scores\",\"type\":\"int64[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"grantRole\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"hasRole\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"owner\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"pendingDefaultAdmin\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"newAdmin\",\"type\":\"address\"},{\"internalType\":\"uint48\",\"name\":\"schedule\",\"type\":\"uint48\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"pendingDefaultAdminDelay\",\"outputs\":[{\"internalType\":\"uint48\",\"name\":\"newDelay\",\"type\":\"uint48\"},{\"internalType\":\"uint48\",\"name\":\"schedule\",\"type\":\"uint48\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"removeOwner\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"removeUpdater\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"renounceRole\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"revokeRole\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"rollbackDefaultAdminDelay\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"bool\",\"name\":\"signedOnly\",\"type\":\"bool\"}],\"name\":\"setSignedOnly\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes4\",\"name\":\"interfaceId\",\"type\":\"bytes4\"}],\"name\":\"supportsInterface\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"updateId\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"string\",\"name\":\"actionName\",\"type\":\"string\"},{\"internalType\":\"string\",\"name\":\"scoreType\",\"type\":\"string\"},{\"internalType\":\"address\",\"name\":\"targetWallet\",\"type\":\"address\"}],\"name\":\"updateScore\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"}]",
	ID:  "ScoreRegistry",
	Bin: "0x610160806040523461026e57615a36803803809161001d8285610286565b833981019060608183031261026e5780519065ffffffffffff8216820361026e5761004a602082016102a9565b604082015190916001600160401b03821161026e57019280601f8501121561026e578351936001600160401b038511610272578460051b90604051956100936020840188610286565b865260208087019282010192831161026e57602001905b828210610256575050506040516100c2604082610286565b6008815260208101906753636f72656c617960c01b8252604051936100e8604086610286565b60018552603160f81b60208601908152936001600160a01b0381161561024357600180546001600160d01b031660d09390931b6001600160d01b03191692909217909155610135906102bd565b5061013f8161032f565b6101205261014c8461032f565b61014052519020918260e05251902080610100524660a0526040519060208201927f8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f8452604083015260608201524660808201523060a082015260a081526101b560c082610286565b5190206080523060c0525f5b81518110156101f257600581901b820160200151600191906101eb906001600160a01b0316610305565b50016101c1565b6040516156139081610423823960805181615363015260a05181615420015260c05181615334015260e051816153b2015261010051816153d801526101205181611ac401526101405181611aed0152f35b636116401160e11b5f525f60045260245ffd5b60208091610263846102a9565b8152019101906100aa565b5f80fd5b634e487b7160e01b5f52604160045260245ffd5b601f909101601f19168101906001600160401b0382119082101761027257604052565b51906001600160a01b038216820361026e57565b600254906001600160a01b0382166102f6576001600160a01b03199091166001600160a01b038216176002556102f3905f61039a565b90565b631fe1e13d60e11b5f5260045ffd5b6102f3907fe2b7fb3b832174769106daebcfd6d1970523240dda11281102db9363b83b0dc461039a565b601f81511161035a57602081519101516020821061034b571790565b5f198260200360031b1b161790565b604460209160405192839163305a27a960e01b83528160048401528051918291826024860152018484015e5f828201840152601f01601f19168101030190fd5b5f818152602081815260408083206001600160a01b038616845290915290205460ff1661041c575f818152602081815260408083206001600160a01b0395909516808452949091528120805460ff19166001179055339291907f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d9080a4600190565b50505f9056fe6080806040526004361015610012575f80fd5b5f3560e01c90816301ffc9a714612e8c57508063022d63fb14612e515780630aa6220b14612d6d578063117803e314612d34578063143cb71314612ca15780632387659214612c48578063248a9ca314612bf857806325f87d2314612bbc5780632b9c190c14612b635780632c5c020a14612a6d5780632f2ff15d14612a0c57806336568abe146128815780634549eab1146120eb5780634aaf569f146120505780634b5f748a14611f4457806351ce101314611f1f5780635860af7c14611beb578063634e93da14611df0578063649a5ec714611bf0578063680c60c714611beb578063702e36e514611bc057806384b0196e14611a8e57806384ef8ffc146117bd5780638696355c1461180e5780638da5cb5b146117bd57806391d1485414611749578063926d7d7f146116f1578063940e49b0146115d257806394a686301461159957806396def70914611560578063a1eda53c146114da578063a217fddf146114a2578063a4c7e94914611419578063b50534b014611108578063c30c5b60146110da578063cc8463c814611092578063cefc142914610f59578063cf6eefb714610ecf578063d0a50f3514610dda578063d22283e414610d81578063d547741f14610cf3578063d602b9fd14610c5c578063d8d634f814610c03578063e933824814610464578063ea0e35b11461042b578063f693aa9914610373578063f77fafc31461033a5763fedc9f541461022c575f80fd5b346103365761023a3661303e565b90915f52600360205260405f2091610251826131e5565b9261025f60405194856131a4565b82845261026b836131e5565b927fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0602086019401368537601b5f9201915b8181106102eb578486604051918291602083019060208452518091526040830191905f5b8181106102cf575050500390f35b825160ff168452859450602093840193909201916001016102c1565b8073ffffffffffffffffffffffffffffffffffffffff610316610311600194868961328d565b6132ea565b165f528360205260ff60405f20541661032f828961324c565b520161029d565b5f80fd5b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657602060405160808152f35b346103365760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760043560243567ffffffffffffffff811161033657806004019060607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8236030112610336578261040a6103f861042995613aa0565b93610404338487613ae7565b80613352565b91610423604461041c602487016133a3565b950161330b565b94614a03565b005b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657602060405160648152f35b346103365760e07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760243567ffffffffffffffff8111610336576104b3903690600401613090565b60443567ffffffffffffffff8111610336576104d390369060040161300d565b9260643567ffffffffffffffff8111610336576104f490369060040161300d565b91909360843567ffffffffffffffff81116103365761051790369060040161300d565b939060a43567ffffffffffffffff81116103365761053990369060040161300d565b91909560c435938415158503610336576105516134fc565b6004355f52600360205260405f209961ffff8b5416610bd55786158015610bcb575b610b9a578b158015610b90575b610b645784158015610b5a575b610b2e578115610b065760646105a3848461329d565b11610ad1575f5b8c81101561067a578060051b8b01357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa18c360301811215610336578b016106228d6105f58380613352565b610604602086949394016133a3565b928663ffffffff60ff61061960408a0161330b565b16951693614878565b61062f57506001016105aa565b8061063991613352565b6106766040519283927f06db7d8a0000000000000000000000000000000000000000000000000000000084526020600485015260248401916133b4565b0390fd5b50908a979899918c5f5b8c888210156106b357906106ad818d6106a56001958360051b810190613352565b929091614979565b01610684565b601a8c0180547fffffffffffffffffffffffffffffffffffffffff000000000000000000000000164367ffffffffffffffff1617604087901b6bffffffff000000000000000016179055979a9194918c915080547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0000001661ffff87161760108d901b62ff00001617815580547fffffffffffffffffffffffffffffffffffffffffffffffffffffffff00ffffff168a151560181b63ff00000016178155601b015f5b858110610a4157505f5b87811061095f57505061079d906040519a60c08c5260c08c01916133b4565b9389850360208b01528085526020850160208260051b87010195835f915b84831061089d57505050505050916107e0916107ee95949389830360408b0152613442565b918683036060880152613442565b938385036080850152808552602085019460208260051b82010195835f925b8484106108475786151560a08901526004357fec4604df619b19768b39f3fbfe88e7ffca10f4c10c3ee1ceb43b41aa17c95007898b038aa2005b90919293949760208061088d837fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe086600196030188526108878d886133f2565b906133b4565b9a0194019401929493919061080d565b9091929394977fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe09b9e9b82820301855288357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa1843603018112156103365783019061091961090b83806133f2565b6060845260608401916133b4565b9160208101359063ffffffff821680920361033657604091602084015201359060ff821680920361033657604001529a9d9a9760209081019594019260010191906107bb565b73ffffffffffffffffffffffffffffffffffffffff6109886103119b9e9b838b8d9b989b61328d565b168015610a1957805f528260205260405f205490600182166109ee5790600192915f528360205260ff838160405f20931617167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00825416179055019b989b95929561077e565b7f4b99be10000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b7f7553caa6000000000000000000000000000000000000000000000000000000005f5260045ffd5b73ffffffffffffffffffffffffffffffffffffffff610a6a6103119b9e9b8389899b989b61328d565b168015610a1957805f528260205260405f205490600282166109ee5790600192915f528360205260ff60028160405f20931617167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00825416179055019b989b959295610774565b610adb838361329d565b7f9ee3ba86000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b7f7f51e102000000000000000000000000000000000000000000000000000000005f5260045ffd5b847f7e75e0e3000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b506040851161058d565b8b7f8c9afd4c000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b5060c88c11610580565b867f42f722aa000000000000000000000000000000000000000000000000000000005f52600452608060245260445ffd5b5060808711610573565b7f9b38330d000000000000000000000000000000000000000000000000000000005f5260043560045260245ffd5b346103365760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657610429600435610c40612fae565b610c4982613aa0565b91610c55338285613ae7565b33926139e3565b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657610c92613494565b600180547fffffffffffff0000000000000000000000000000000000000000000000000000811690915560a01c65ffffffffffff16610ccd57005b7f8886ebfc4259abdbc16601dd8fb5678e54878f47b3c34836cfc51154a96051095f80a1005b346103365760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657600435610d2d612fae565b8115610d595781610d54610d4f610429945f525f602052600160405f20015490565b613584565b614c41565b7f3fc3c27a000000000000000000000000000000000000000000000000000000005f5260045ffd5b346103365760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657610429600435610dbe612fae565b610dc782613aa0565b91610dd3338285613ae7565b33926138f9565b346103365760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657600435602435908115159182810361033657610e2482613aa0565b610e2f338483613ae7565b8360ff825460181c16151514610ea35780547fffffffffffffffffffffffffffffffffffffffffffffffffffffffff00ffffff1691151560181b63ff000000169190911790556040519182527fc29628d51a2962509a768b7a9d60bd993253f2b755249e64f0bba19c8d13f3e660203393a3005b827fcf711a5b000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657604065ffffffffffff610f336001549065ffffffffffff73ffffffffffffffffffffffffffffffffffffffff83169260a01c1690565b73ffffffffffffffffffffffffffffffffffffffff849392935193168352166020820152f35b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760015473ffffffffffffffffffffffffffffffffffffffff1633036110665760015460a081901c65ffffffffffff169073ffffffffffffffffffffffffffffffffffffffff168115801561105c575b6110305761100590610fff73ffffffffffffffffffffffffffffffffffffffff60025416614bd4565b50614af6565b50600180547fffffffffffff0000000000000000000000000000000000000000000000000000169055005b507f19ca5ebb000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b5042821015610fd6565b7fc22c8022000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760206110ca613319565b65ffffffffffff60405191168152f35b3461033657602060ff6110ff6110ef366130be565b915f526003855260405f20613d53565b16604051908152f35b346103365760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760043567ffffffffffffffff811161033657611157903690600401613090565b906111606134fc565b604051610220810181811067ffffffffffffffff8211176113ec576040525f815260208101915f835260408201935f855260608301915f835260808401915f835260a08501915f835260c08601915f83525f60e08801525f6101008801525f6101208801525f6101408801525f6101608801525f6101808801525f6101a08801527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff6101c088015f81525f6101e08a01526104406040519061122281836131a4565b3682376102008a015252601f8101906112db817fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe084169480604051976060808a01996040815289820160208201528560408b8301925f82850152015285848c377fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0607f7f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff08b60011c1601160101604052818d525261329d565b8952838a52116113b1576112ee9161329d565b602081018091116113b157835283518551146113e65783515b855181101561131f5761131a9085613e21565b611307565b5051859350156113de5751915b51907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa08201918083116113b1577f4ed387ca07ef8b4b76090cd892fb7718202781188374f563f7bbd529d8e893a8937fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f60609451928083850152011601030190a1005b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b505f9161132c565b83613de6565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b346103365760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657611450612fae565b6044359067ffffffffffffffff8211610336576114916114979161147a6020943690600401613090565b6004939193355f526003865260405f209384613bc2565b916135ea565b6040519060070b8152f35b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760206040515f8152f35b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610336576002548060d01c9081151580611556575b1561154c5760a01c65ffffffffffff165b6040805165ffffffffffff9283168152929091166020830152819081015b0390f35b50505f5f9061152a565b5042821015611519565b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657602060405160c88152f35b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657602060405160018152f35b346103365760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760243567ffffffffffffffff81116103365761162190369060040161300d565b9060443567ffffffffffffffff81116103365761164290369060040161300d565b908184036116c1576004355f52600360205260405f2091611662856131fd565b945f5b81811061167a57604051806115488982612fd1565b806116ab61168e610311600194868b61328d565b60ff6116a361169e85898b61328d565b61330b565b1690886135ea565b6116b5828a61324c565b9060070b905201611665565b50827fab8b67c6000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760206040517fe2b7fb3b832174769106daebcfd6d1970523240dda11281102db9363b83b0dc48152f35b346103365760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657611780612fae565b6004355f525f60205273ffffffffffffffffffffffffffffffffffffffff60405f2091165f52602052602060ff60405f2054166040519015158152f35b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657602073ffffffffffffffffffffffffffffffffffffffff60025416604051908152f35b346103365760a07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760043560243560443567ffffffffffffffff811161033657611863903690600401613090565b919060643567ffffffffffffffff811161033657611885903690600401613090565b93909160843573ffffffffffffffffffffffffffffffffffffffff811695868203610336576118b386613aa0565b9073ffffffffffffffffffffffffffffffffffffffff33165f52601b820160205260ff60405f20541615611a5e578860081c93600160ff8b161b91601d840196865f528760205260405f205492848416611a2e5792611929869361192260ff9b9a97948c9a976119c39a613d53565b9b85613bc2565b9788955f526020521760405f205574ffffffffffffffffffffffffffffffffffffffff008260081b16611971898390600160e09101918260031c01549160051b161c60030b90565b60030b907ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc851681175f52601c830160205260405f2091858354928315611a06575b1760061b60c0161b0190556135ea565b9360405197885216602087015216604085015260070b60608401527fb8bf3312282827c4f413d5589d95936fb81f2d679e575bd075ed3d5f323688a160803394a4005b7f800000000000000080000000000000008000000000000000800000000000000093506119b3565b8c8b7fb072726f000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b867f0a6c3de1000000000000000000000000000000000000000000000000000000005f526004523360245260445ffd5b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657611b64611ae87f0000000000000000000000000000000000000000000000000000000000000000614de1565b611b117f0000000000000000000000000000000000000000000000000000000000000000614de1565b6020611b7260405192611b2483856131a4565b5f84525f3681376040519586957f0f00000000000000000000000000000000000000000000000000000000000000875260e08588015260e0870190613145565b908582036040870152613145565b4660608501523060808501525f60a085015283810360c08501528180845192838152019301915f5b828110611ba957505050500390f35b835185528695509381019392810192600101611b9a565b3461033657610429611bd1366130be565b91611bdb81613aa0565b611be6338383613ae7565b613c73565b61310c565b346103365760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760043565ffffffffffff81169081810361033657611c3b613494565b611c4442614d99565b9165ffffffffffff611c54613319565b1680821115611db657507ff1038c18cf84a56e432fdbfaf746924b7ea511dfe03a6506a0ceba4888788d9b9265ffffffffffff826206978080611ca1951091180262069780181690613c55565b906002548060d01c80611d33575b50506002805473ffffffffffffffffffffffffffffffffffffffff1660a083901b79ffffffffffff0000000000000000000000000000000000000000161760d084901b7fffffffffffff0000000000000000000000000000000000000000000000000000161790556040805165ffffffffffff9283168152919092166020820152a1005b421115611d8c5779ffffffffffffffffffffffffffffffffffffffffffffffffffff7fffffffffffff00000000000000000000000000000000000000000000000000006001549260301b169116176001555b8380611caf565b507f2b1fa2edafe6f7b9e97c1a9e0c3660e645beb2dcaa2d45bdbf9beaf5472e1ec55f80a1611d85565b0365ffffffffffff81116113b1577ff1038c18cf84a56e432fdbfaf746924b7ea511dfe03a6506a0ceba4888788d9b92611ca19190613c55565b346103365760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760043573ffffffffffffffffffffffffffffffffffffffff811680910361033657611e48613494565b7f3377dc44241e779dd06afab5b788a35ca5f3b778836e2990bdb26a2a4b2e5ed66020611e85611e7742614d99565b611e7f613319565b90613c55565b600180547fffffffffffff00000000000000000000000000000000000000000000000000008116861760a084811b79ffffffffffff00000000000000000000000000000000000000001691909117909255901c65ffffffffffff16611ef6575b65ffffffffffff60405191168152a2005b7f8886ebfc4259abdbc16601dd8fb5678e54878f47b3c34836cfc51154a96051095f80a1611ee5565b3461033657602060ff6110ff611f34366130be565b915f526003855260405f20613bc2565b346103365760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610336575f60a0604051611f8281613188565b82815282602082015282604082015282606082015282608082015201526004355f52600360205260c060405f20601a81015460ff67ffffffffffffffff82169254918160405191611fd283613188565b85835267ffffffffffffffff602084019163ffffffff8160401c16835281604086019160601c16815263ffffffff606086019385891685528560a06080890198828c60101c168a52019960181c1615158952604051998a525116602089015251166040870152511660608501525116608083015251151560a0820152f35b346103365760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610336576004355f52600360205260405f2061209b61ffff8254166131fd565b905f5b82518110156120dd57806120c96001928490600160e09101918260031c01549160051b161c60030b90565b60030b6120d6828661324c565b520161209e565b604051806115488582612fd1565b346103365760e07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760043560243567ffffffffffffffff81116103365761213d90369060040161300d565b916044359073ffffffffffffffffffffffffffffffffffffffff8216808303610336576064359460c43560843561217385613aa0565b9781421161285157601a89019283549267ffffffffffffffff8460601c1680840361281e5750908787926121a88b838f613ae7565b6121b1886131e5565b6121be60405191826131a4565b8881526121ca896131e5565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe06020830191013682375f8a8f5b8183106127265750505060405190602082018093519091905f5b81811061270a57505050926122c9928261226d612300979473ffffffffffffffffffffffffffffffffffffffff9997037fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe081018352826131a4565b519020906040519160208301937fab7dddd88176818a9d6aa3aaec4b8a17acdcc06b0de5968d9ebc2beb594bc4e085526040840152606083015288608083015260a082015260a081526122c160c0826131a4565b519020614cb7565b907f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81169160ff601b60a43593821c011690614cf8565b505016036126da57600181018091116113b15773ffffffffffffffff0000000000000000000000007fffffffffffffffffffffffff0000000000000000ffffffffffffffffffffffff9160601b1691161790555f5b81811061235e57005b8461236a8284896132aa565b61237e6123778280613352565b3691613b5e565b602081519101207fca899ad4c78432cd2ce88eab910cf7c61259aab2a8b35d854d6d3edde7a9bb3b81145f146123cf5750600192916123c260206123c993016132ea565b878b613676565b01612355565b7fb970ad69cebc06f9a5b0e0e70a7741989248d3cba4946884b2567a7dd28e3b8a810361241657506001929161240a602061241193016132ea565b878b6137cb565b6123c9565b7f870fb7fa2b496db062293e109c6738ed491c5776a618831e7942b9db1945deda8103612458575060019291612451602061241193016132ea565b878b6139e3565b7f21260f9da7095168508170304b50b1a33c73fe60e7423d15f88e00dfab9716cd810361249a575060019291612493602061241193016132ea565b878b6138f9565b9091507f7d3145813cb7dd511c85a8fecfb6b8f6354c6b69c8c2449bd7141be60864941a81036124fb575090612411826124d960406001950182613352565b6124f360806124ec6060869596016133a3565b930161330b565b92898d614a03565b7f89f73de16abe7409be716bb6a2e5d4e5999c28347a635911fb3546ea6376e3cd810361253f5750906124116125378360406001950190613352565b90878b613c73565b7fc65fed098fd509a78cd2217b0cf6480b4ad3e9fe46413475ad6f528b6d0953948103612605575050600160ff885460181c161515146125d95760019063010000007fffffffffffffffffffffffffffffffffffffffffffffffffffffffff00ffffff89541617885583857fc29628d51a2962509a768b7a9d60bd993253f2b755249e64f0bba19c8d13f3e66020604051868152a36123c9565b837fcf711a5b000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b7fcb5bef8d2479be5f7e48ffc64f3076d53765d247628c7ebda58fe1246cb93b4003612693575060ff875460181c16156125d9576001907fffffffffffffffffffffffffffffffffffffffffffffffffffffffff00ffffff885416885583857fc29628d51a2962509a768b7a9d60bd993253f2b755249e64f0bba19c8d13f3e660206040515f8152a36123c9565b8061269d91613352565b6106766040519283927f15578f3e0000000000000000000000000000000000000000000000000000000084526020600485015260248401916133b4565b84867f877ed04a000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b825184528e99508f975060209384019390920191600101612212565b82939597985060019496509061273c92916132aa565b6127496123778280613352565b602081519101209060ff6127636123776040840184613352565b6020815191012063ffffffff61277b602085016132ea565b93612794608061278d606084016133a3565b920161330b565b9273ffffffffffffffffffffffffffffffffffffffff6040519660208801987f42b5e05ec5efa94d0a90460871150a53fe517208ba612e1e5834dfc799e4ced68a52604089015216606087015260808601521660a08401521660c082015260c0815261280160e0826131a4565b51902061280e828661324c565b520191899493918b938a8f6121f8565b83897f51ec0fcb000000000000000000000000000000000000000000000000000000005f5260045260245260445260645ffd5b507f72ceb1ef000000000000000000000000000000000000000000000000000000005f526004524260245260445ffd5b346103365760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610336576004356128bb612fae565b8115806129d5575b612916575b3373ffffffffffffffffffffffffffffffffffffffff8216036128ee5761042991614c41565b7f6697b232000000000000000000000000000000000000000000000000000000005f5260045ffd5b60015465ffffffffffff60a082901c169073ffffffffffffffffffffffffffffffffffffffff16158015906129c5575b80156129b3575b61297f57507fffffffffffff000000000000ffffffffffffffffffffffffffffffffffffffff600154166001556128c8565b65ffffffffffff907f19ca5ebb000000000000000000000000000000000000000000000000000000005f521660045260245ffd5b504265ffffffffffff8216101561294d565b5065ffffffffffff811615612946565b5073ffffffffffffffffffffffffffffffffffffffff6002541673ffffffffffffffffffffffffffffffffffffffff8216146128c3565b346103365760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657600435612a46612fae565b8115610d595781612a68610d4f610429945f525f602052600160405f20015490565b614b60565b3461033657612a7b3661303e565b90915f52600360205260405f2091612a92826131e5565b92612aa060405194856131a4565b828452612aac836131e5565b927fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0602086019401368537601d5f9201915b818110612b2b578486604051918291602083019060208452518091526040830191905f5b818110612b10575050500390f35b82511515845285945060209384019390920191600101612b02565b80600180612b3b8194868961328d565b358060081c5f528660205260ff60405f205491161c1614612b5c828961324c565b5201612ade565b346103365760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657610429600435612ba0612fae565b612ba982613aa0565b91612bb5338285613ae7565b33926137cb565b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610336576020604051637fffffff8152f35b346103365760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610336576020612c406004355f525f602052600160405f20015490565b604051908152f35b346103365760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657610429600435612c85612fae565b612c8e82613aa0565b91612c9a338285613ae7565b3392613676565b346103365760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657612cd8612fae565b6004355f52600360205260405f20612cf660ff825460101c166131fd565b915f5b8351811015612d265780612d1060019284866135ea565b612d1a828761324c565b9060070b905201612cf9565b604051806115488682612fd1565b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657602060405160028152f35b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657612da3613494565b6002548060d01c80612dce575b6002805473ffffffffffffffffffffffffffffffffffffffff169055005b421115612e275779ffffffffffffffffffffffffffffffffffffffffffffffffffff7fffffffffffff00000000000000000000000000000000000000000000000000006001549260301b169116176001555b8080612db0565b507f2b1fa2edafe6f7b9e97c1a9e0c3660e645beb2dcaa2d45bdbf9beaf5472e1ec55f80a1612e20565b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610336576020604051620697808152f35b346103365760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657600435907fffffffff00000000000000000000000000000000000000000000000000000000821680920361033657817fae59d20c0000000000000000000000000000000000000000000000000000000060209314908115612f1e575b5015158152f35b7f3149878600000000000000000000000000000000000000000000000000000000811491508115612f51575b5083612f17565b7f7965db0b00000000000000000000000000000000000000000000000000000000811491508115612f84575b5083612f4a565b7f01ffc9a70000000000000000000000000000000000000000000000000000000091501483612f7d565b6024359073ffffffffffffffffffffffffffffffffffffffff8216820361033657565b60206040818301928281528451809452019201905f5b818110612ff45750505090565b825160070b845260209384019390920191600101612fe7565b9181601f840112156103365782359167ffffffffffffffff8311610336576020808501948460051b01011161033657565b9060407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc83011261033657600435916024359067ffffffffffffffff82116103365761308c9160040161300d565b9091565b9181601f840112156103365782359167ffffffffffffffff8311610336576020838186019501011161033657565b9060407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc83011261033657600435916024359067ffffffffffffffff82116103365761308c91600401613090565b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657602060405160408152f35b907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f602080948051918291828752018686015e5f8582860101520116010190565b60c0810190811067ffffffffffffffff8211176113ec57604052565b90601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0910116810190811067ffffffffffffffff8211176113ec57604052565b67ffffffffffffffff81116113ec5760051b60200190565b90613207826131e5565b61321460405191826131a4565b8281527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe061324282946131e5565b0190602036910137565b80518210156132605760209160051b010190565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b91908110156132605760051b0190565b919082018092116113b157565b91908110156132605760051b810135907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff6181360301821215610336570190565b3573ffffffffffffffffffffffffffffffffffffffff811681036103365790565b3560ff811681036103365790565b6002548060d01c8015159081613348575b501561333e5760a01c65ffffffffffff1690565b5060015460d01c90565b905042115f61332a565b9035907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe181360301821215610336570180359067ffffffffffffffff82116103365760200191813603831361033657565b3563ffffffff811681036103365790565b601f82602094937fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe093818652868601375f8582860101520116010190565b90357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18236030181121561033657016020813591019167ffffffffffffffff821161033657813603831361033657565b916020908281520191905f905b80821061345c5750505090565b90919283359073ffffffffffffffffffffffffffffffffffffffff82168092036103365760208160019382935201940192019061344f565b335f9081527fad3228b676f7d3cd4284a5443f17f1962b36e491b30a40b2405849e597ba5fb5602052604090205460ff16156134cc57565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f52336004525f60245260445ffd5b335f9081527ffaf93c3d007e112089dc8351e013e6685ef67703975d0224b26fc45941d4f1f5602052604090205460ff161561353457565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f52336004527fe2b7fb3b832174769106daebcfd6d1970523240dda11281102db9363b83b0dc460245260445ffd5b805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260ff60405f205416156135bb5750565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f523360045260245260445ffd5b601c9174ffffffffffffffffffffffffffffffffffffffff0060fc85169160081b16175f520160205260405f205480156136635760c067ffffffffffffffff9260061b161c167fffffffffffffffffffffffffffffffffffffffffffffffff800000000000000081019081136001166113b15760070b90565b50505f90565b919082039182116113b157565b929173ffffffffffffffffffffffffffffffffffffffff16918215610a1957601b840193835f528460205260405f20549060016002831615151461379a57601a019063ffffffff825460401c1692600184018094116113b157600260ff73ffffffffffffffffffffffffffffffffffffffff9361375560209663ffffffff897fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c9a50167fffffffffffffffffffffffffffffffffffffffff00000000ffffffffffffffff6bffffffff000000000000000083549260401b169116179055565b161896865f52835260405f2060ff88167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0082541617905560ff604051971687521694a4565b5050507f80cec299000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b929173ffffffffffffffffffffffffffffffffffffffff16918215610a1957601b840193835f528460205260405f205490600282161561379a57601a019063ffffffff825460401c1692600184146138cd577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff84019384116113b157600260ff73ffffffffffffffffffffffffffffffffffffffff9361375560209663ffffffff897fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c9a50167fffffffffffffffffffffffffffffffffffffffff00000000ffffffffffffffff6bffffffff000000000000000083549260401b169116179055565b847fc3ff1d51000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b9173ffffffffffffffffffffffffffffffffffffffff16918215610a1957601b0192825f528360205260405f205460018116156139b35773ffffffffffffffffffffffffffffffffffffffff7fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c92600160ff602094161896865f52835260405f2060ff88167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0082541617905560ff604051971687521694a4565b50507f80cec299000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b9173ffffffffffffffffffffffffffffffffffffffff16918215610a1957601b0192825f528360205260405f205460018082161515146139b35773ffffffffffffffffffffffffffffffffffffffff7fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c92600160ff602094161896865f52835260405f2060ff88167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0082541617905560ff604051971687521694a4565b90815f52600360205260405f209161ffff83541615613abc5750565b7f4cf6b27c000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b601b9073ffffffffffffffffffffffffffffffffffffffff84165f5201602052600260405f20541615613b18575050565b73ffffffffffffffffffffffffffffffffffffffff92507f0e25346d000000000000000000000000000000000000000000000000000000005f526004521660245260445ffd5b92919267ffffffffffffffff82116113ec5760405191613ba6601f82017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe016602001846131a4565b829481845281830111610336578281602093845f960137010152565b601f90613bd0368585613b5e565b602081519101205f520160205260405f2054918215613c185750507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81019081116113b15790565b6106766040519283927fb1d68bd40000000000000000000000000000000000000000000000000000000084526020600485015260248401916133b4565b9065ffffffffffff8091169116019065ffffffffffff82116113b157565b92909260ff815460101c169060408214613d1c57613c9383858484614979565b60018201938483116113b157613cfe613d179260ff7fb91b22d6009eaebf777d8bff6809223fba12134e654f0e8df37ff89fc4a7987f97167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00ffff62ff000083549260101b169116179055565b60405193849384526040602085015260408401916133b4565b0390a2565b50600181018091116113b1577f7e75e0e3000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b601e90613d61368585613b5e565b602081519101205f520160205260405f2054918215613da95750507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81019081116113b15790565b6106766040519283927f2d7adb370000000000000000000000000000000000000000000000000000000084526020600485015260248401916133b4565b60c08101519051613df691613669565b7f86fbb3af000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b9190613e33908060c085015283614e38565b906080811615158281614822575b508290600f831692600384141580614817575b614801575b613e639087615005565b801580928115916147f9575b506145c5575b505050600181036140515750613e8b9083615446565b90918161010085015190601c820192601d61020088015193016101c0880180515f528160205260405f2054947fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff6101408b0151019060808b01975b8a816020525b613f92575b8b8b15613f6057898c8c613f2a938c60168d843596519260ff808960581c169860501c16966001811901911616151594030401906154bf565b613ee6577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8b01909a1699601690990198613ee6565b50505050601694929750515f5260205260405f20558303048151019052915b60208101518311613f8d5750565b613de6565b8a5f9b9a989b038a169a8835809b8d86600484604e1c0160e06103e082168901519160031b161c60030b9360141a1183151790841617614046578d601691189d8e93179a019b7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8160581c165f5260405f2091825491821561401e575b60521c60c0161b019055613eec565b7f8000000000000000800000000000000080000000000000008000000000000000925061400f565b9c5050979950613ef1565b91929160020361430e57614065908261548a565b9290916101e0810184815261020082015191601d610100820151016101c08201515f5260205260405f205494863590600160ff8360501c1601945f9160165f9a01967fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff610140870151019360808701945b5b899b8a3560046001825f1a1b9160ee1c0160e06103e082168901519160031b161c60030b90838a60141a11821517818416176142f4575b906002917fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff931794019b0193019b8c1561414e575b509a9198909a6140d7565b9b9196937fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff906040610400889d94969d017ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8860581c16815220805484158117156142cd575b8460c08960521c161b019055019384156141e1575050505f973594601860018760151a019b01915f614143565b96919b5098915b831561426a5761425183358a5188519060166001897ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe84013560f01c0301029087030360011c019060ff8a60581c169160018660ff8460f01c169360f81c1c161515908c6154bf565b15614261575b9a9198909a6140d6565b9b50819b614257565b50959a509798505050935050601d610100870151016101c08701515f5260205260405f20555181519060167ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe82013560f01c029084030360011c01905291613f7f565b507f80000000000000008000000000000000800000000000000080000000000000006141b4565b50508d8b03614304575f8061410e565b9199929b506141e8565b614318908261548a565b9190926101e082019383855261020083015194601d61010085015101928535600160ff8260501c1601935f9760165f9101907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff6101408a0151016104008c019360808b01955b8a6020525b8d859d863560081c5f5260405f2080549260018901359060e06004600184601e1a1b9360021b01916103e0831601519160031b161c60030b93878660141a11851517828216176145a4575b1790556021969096019a9501947fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff019182614599577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff907ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8360581c1688526040882080548815811715614572575b8860c08660521c161b0190550194851561448f575050505f973597603760018a60151a019c01925b9293909b98614383565b919c5098925b84156145265761450f8b8d8c60ff60018e8b60218f8d90601686833596519251957ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe84013560f01c0301029103030401958160081c5f526020528260405f205491161c1615159160581c1692602089013560f81c926154bf565b1561451f575b9293909b9861437e565b5082614515565b505050979950505093509450905051602182519160167ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe82013560f01c02908503030401905291613f7f565b507f800000000000000080000000000000008000000000000000800000000000000061445d565b94919c509892614485565b9350508688036145b7575f9283906143ce565b50929594919a9d5050614495565b6145d0858589615052565b939093926020890191825186116147f357816146b8575b506146af575b816145f85750613e75565b9194509194959250608083019060608401938560a08201965b61461f575050505050505090565b8351906001820185528587519289511561465f575b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff9301530180614611565b9050600189526146728551855190613669565b60011c90602082018092116113b1577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff9388923682379350614634565b600991506145ed565b60209150806147215f9260408d0151018c519003828903902060e08d01519060405190868201927fa92570d1af1d946ccaa12d6bfa651b8557e6c757b0d87bf5c4894beceffd3b58845260408301528b60608301526080820152608081526122c160a0826131a4565b604080519182527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe083013560ff81811c601b011660208401527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc090930135908201527f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff90911660608201528060808101838052039060015afa156147e8575f5173ffffffffffffffffffffffffffffffffffffffff806101808b015116911614155f6145e7565b6040513d5f823e3d90fd5b89613de6565b90505f613e6f565b843560081c6101c0880152601f90940193613e59565b506040811615613e54565b60400192505f613e41565b508015801561486e575b61483e5750565b7f42f722aa000000000000000000000000000000000000000000000000000000005f52600452604060245260445ffd5b5060408111614837565b92909391959495614889828261482d565b8215801561496c575b6149405760018711614914576148a9913691613b5e565b6020815191012094601e8301865f528060205260405f2054151596600186018096116113b1575f526020528360405f2055155f146148f85760e090915b8360031c019260051b161b8154179055565b6401000000000364010000000081116113b15760e090916148e6565b867fd1952305000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b827fc2f35e87000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b50637fffffff8311614892565b909291614986838261482d565b601f614993368584613b5e565b60208151910120920192825f528360205260405f20546149c6575050600183018093116113b1575f5260205260405f2055565b6106766040519283927f69fee1e60000000000000000000000000000000000000000000000000000000084526020600485015260248401916133b4565b92939194909483549261ffff84169060c88214614abf5763ffffffff169260ff1691614a3383858984868b614878565b50600182018092116113b1577fc9d7483bbb073f9578c510bb66a72ff2619bf615e64d1221a29f2da5fc0d12fc9660ff9661ffff80614aaf9516167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00008254161790556040519687961686526080602087015260808601916133b4565b91604084015260608301520390a2565b50600181018091116113b1577f8c9afd4c000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b6002549073ffffffffffffffffffffffffffffffffffffffff8216610d5957614b5d917fffffffffffffffffffffffff000000000000000000000000000000000000000073ffffffffffffffffffffffffffffffffffffffff83169116176002555f615189565b90565b908115614b71575b614b5d91615189565b6002549173ffffffffffffffffffffffffffffffffffffffff8316610d59577fffffffffffffffffffffffff000000000000000000000000000000000000000090921673ffffffffffffffffffffffffffffffffffffffff821617600255614b68565b614b5d9073ffffffffffffffffffffffffffffffffffffffff6002541673ffffffffffffffffffffffffffffffffffffffff821614614c14575b5f615255565b7fffffffffffffffffffffffff000000000000000000000000000000000000000060025416600255614c0e565b90614b5d91801580614c80575b15615255577fffffffffffffffffffffffff000000000000000000000000000000000000000060025416600255615255565b5073ffffffffffffffffffffffffffffffffffffffff6002541673ffffffffffffffffffffffffffffffffffffffff831614614c4e565b604290614cc261531d565b90604051917f19010000000000000000000000000000000000000000000000000000000000008352600283015260228201522090565b90917f7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a08411614d8e5790614d516020945f9493604051948594859094939260ff6060936080840197845216602083015260408201520152565b838052039060015afa156147e8575f5173ffffffffffffffffffffffffffffffffffffffff811615614d8457905f905f90565b505f906001905f90565b5050505f9160039190565b65ffffffffffff8111614db15765ffffffffffff1690565b7f6dfcc650000000000000000000000000000000000000000000000000000000005f52603060045260245260445ffd5b60ff811690601f8211614e105760405191614dfd6040846131a4565b6020808452838101919036833783525290565b7fb3512b0c000000000000000000000000000000000000000000000000000000005f5260045ffd5b600182019291803560f81c9190600f831680158015614ffb575b614ff5576040841615159081614fa2575b50614f7a57603083166030811480614f94575b614f8d57151580614f80575b614f7a576010831615614ef1575b506020821615614edb575b601b6101008201510173ffffffffffffffffffffffffffffffffffffffff8061018084015116165f526020526101a060ff60405f20541615159101529190565b92806014913560601c6101808601520192614e9b565b9360219035948560e084015201935f52600360205260ff60405f2061020083015190610400368337601c81016104208301528054917fffffffffffffffffffffffffffffffffffffffffffffffffffffffff000000008316905261010084015261ffff8116610120840152818160101c1661014084015260181c1615156101608201525f614e90565b50613de6565b5061010082015115614e82565b5050509190565b506101008301511515614e76565b60039150148015614fe9575b8015614fbb575b5f614e63565b507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff6101c083015114614fb5565b50608083161515614fae565b82613de6565b5060038111614e52565b6101208101511561504b576101a08101511561504457610160015115159081615038575b501561503457600890565b5f90565b6080915016155f615029565b5050600390565b5050600290565b9092915f93600181146150cd5761507391906002036150c55760029261548a565b91815b6150805750509190565b909391600181601660ff7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff943560501c16918584840102010194010194019081615076565b60219261548a565b507e0100010001000100010001000100010001000100010001000100010001000193506150f991615446565b92907f55555555555555555555555555555555555555555555555555555555555555558160011c1690037f3333333333333333333333333333333333333333333333333333333333333333808260021c169116018060041c017e0f000f000f000f000f000f000f000f000f000f000f000f000f000f000f000f808260081c169116010260f01c9160168302019190565b805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260ff60405f205416155f1461366357805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260405f2060017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0082541617905573ffffffffffffffffffffffffffffffffffffffff339216907f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d5f80a4600190565b805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260ff60405f2054165f1461366357805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260405f207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00815416905573ffffffffffffffffffffffffffffffffffffffff339216907ff6391f5c32d9c69d2a47ea670b442974b53935d1edc7fd64eb21e047a839171b5f80a4600190565b73ffffffffffffffffffffffffffffffffffffffff7f00000000000000000000000000000000000000000000000000000000000000001630148061541d575b15615385577f000000000000000000000000000000000000000000000000000000000000000090565b60405160208101907f8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f82527f000000000000000000000000000000000000000000000000000000000000000060408201527f000000000000000000000000000000000000000000000000000000000000000060608201524660808201523060a082015260a0815261541760c0826131a4565b51902090565b507f0000000000000000000000000000000000000000000000000000000000000000461461535c565b91909182359060ff8260f01c16916020838260f81c0111614f7a576107f86002860135818360ed1c16610100031c9160f51c161b908115613f8d5750920160020190565b91813560f01c92600283019284159081156154a8575b50613f8d5750565b90506002602083015191601887020101115f6154a0565b9390916155c35761012084015183101561557357610140840151111561552457507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe060016102006101008501519401519201928360031c01549260021b160152600190565b905060608201519160a08101805115615543575b505060059101535f90565b600190526020810151905161555791613669565b60011c91602083018093116113b157600592368237915f615538565b50905060608201519160a08101805115615593575b505060049101535f90565b60019052602081015190516155a791613669565b60011c91602083018093116113b157600492368237915f615588565b50905060608201519160a081018051156155e3575b505060019101535f90565b60019052602081015190516155f791613669565b60011c91602083018093116113b157600192368237915f6155d856",
}

// ScoreRegistry is an auto generated Go binding around an Ethereum contract.
type ScoreRegistry struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *ScoreRegistry) GetABI() abi.ABI {
	return c.abi
}

// NewScoreRegistry creates a new instance of ScoreRegistry.
func NewScoreRegistry() *ScoreRegistry {
	parsed, err := ScoreRegistryMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &ScoreRegistry{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *ScoreRegistry) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackConstructor is the Go binding used to pack the parameters required for
// contract deployment.
//
// Solidity: constructor(uint48 adminDelay, address admin, address[] relayers) returns()
func (scoreRegistry *ScoreRegistry) PackConstructor(adminDelay *big.Int, admin common.Address, relayers []common.Address) []byte {
	enc, err := scoreRegistry.abi.Pack("", adminDelay, admin, relayers)
	if err != nil {
		panic(err)
	}
	return enc
}

// PackDEFAULTADMINROLE is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa217fddf.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function DEFAULT_ADMIN_ROLE() view returns(bytes32)
func (scoreRegistry *ScoreRegistry) PackDEFAULTADMINROLE() []byte {
	enc, err := scoreRegistry.abi.Pack("DEFAULT_ADMIN_ROLE")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackDEFAULTADMINROLE is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa217fddf.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function DEFAULT_ADMIN_ROLE() view returns(bytes32)
func (scoreRegistry *ScoreRegistry) TryPackDEFAULTADMINROLE() ([]byte, error) {
	return scoreRegistry.abi.Pack("DEFAULT_ADMIN_ROLE")
}

// UnpackDEFAULTADMINROLE is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xa217fddf.
//
// Solidity: function DEFAULT_ADMIN_ROLE() view returns(bytes32)
func (scoreRegistry *ScoreRegistry) UnpackDEFAULTADMINROLE(data []byte) ([32]byte, error) {
	out, err := scoreRegistry.abi.Unpack("DEFAULT_ADMIN_ROLE", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackMAXACTIONS is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x96def709.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function MAX_ACTIONS() view returns(uint256)
func (scoreRegistry *ScoreRegistry) PackMAXACTIONS() []byte {
	enc, err := scoreRegistry.abi.Pack("MAX_ACTIONS")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMAXACTIONS is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x96def709.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function MAX_ACTIONS() view returns(uint256)
func (scoreRegistry *ScoreRegistry) TryPackMAXACTIONS() ([]byte, error) {
	return scoreRegistry.abi.Pack("MAX_ACTIONS")
}

// UnpackMAXACTIONS is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x96def709.
//
// Solidity: function MAX_ACTIONS() view returns(uint256)
func (scoreRegistry *ScoreRegistry) UnpackMAXACTIONS(data []byte) (*big.Int, error) {
	out, err := scoreRegistry.abi.Unpack("MAX_ACTIONS", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackMAXMEMBERS is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xea0e35b1.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function MAX_MEMBERS() view returns(uint256)
func (scoreRegistry *ScoreRegistry) PackMAXMEMBERS() []byte {
	enc, err := scoreRegistry.abi.Pack("MAX_MEMBERS")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMAXMEMBERS is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xea0e35b1.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function MAX_MEMBERS() view returns(uint256)
func (scoreRegistry *ScoreRegistry) TryPackMAXMEMBERS() ([]byte, error) {
	return scoreRegistry.abi.Pack("MAX_MEMBERS")
}

// UnpackMAXMEMBERS is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xea0e35b1.
//
// Solidity: function MAX_MEMBERS() view returns(uint256)
func (scoreRegistry *ScoreRegistry) UnpackMAXMEMBERS(data []byte) (*big.Int, error) {
	out, err := scoreRegistry.abi.Unpack("MAX_MEMBERS", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackMAXNAMEBYTES is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x680c60c7.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function MAX_NAME_BYTES() view returns(uint256)
func (scoreRegistry *ScoreRegistry) PackMAXNAMEBYTES() []byte {
	enc, err := scoreRegistry.abi.Pack("MAX_NAME_BYTES")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMAXNAMEBYTES is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x680c60c7.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function MAX_NAME_BYTES() view returns(uint256)
func (scoreRegistry *ScoreRegistry) TryPackMAXNAMEBYTES() ([]byte, error) {
	return scoreRegistry.abi.Pack("MAX_NAME_BYTES")
}

// UnpackMAXNAMEBYTES is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x680c60c7.
//
// Solidity: function MAX_NAME_BYTES() view returns(uint256)
func (scoreRegistry *ScoreRegistry) UnpackMAXNAMEBYTES(data []byte) (*big.Int, error) {
	out, err := scoreRegistry.abi.Unpack("MAX_NAME_BYTES", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackMAXPOINTS is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x25f87d23.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function MAX_POINTS() view returns(uint256)
func (scoreRegistry *ScoreRegistry) PackMAXPOINTS() []byte {
	enc, err := scoreRegistry.abi.Pack("MAX_POINTS")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMAXPOINTS is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x25f87d23.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function MAX_POINTS() view returns(uint256)
func (scoreRegistry *ScoreRegistry) TryPackMAXPOINTS() ([]byte, error) {
	return scoreRegistry.abi.Pack("MAX_POINTS")
}

// UnpackMAXPOINTS is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x25f87d23.
//
// Solidity: function MAX_POINTS() view returns(uint256)
func (scoreRegistry *ScoreRegistry) UnpackMAXPOINTS(data []byte) (*big.Int, error) {
	out, err := scoreRegistry.abi.Unpack("MAX_POINTS", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackMAXPROJECTNAMEBYTES is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf77fafc3.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function MAX_PROJECT_NAME_BYTES() view returns(uint256)
func (scoreRegistry *ScoreRegistry) PackMAXPROJECTNAMEBYTES() []byte {
	enc, err := scoreRegistry.abi.Pack("MAX_PROJECT_NAME_BYTES")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMAXPROJECTNAMEBYTES is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf77fafc3.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function MAX_PROJECT_NAME_BYTES() view returns(uint256)
func (scoreRegistry *ScoreRegistry) TryPackMAXPROJECTNAMEBYTES() ([]byte, error) {
	return scoreRegistry.abi.Pack("MAX_PROJECT_NAME_BYTES")
}

// UnpackMAXPROJECTNAMEBYTES is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xf77fafc3.
//
// Solidity: function MAX_PROJECT_NAME_BYTES() view returns(uint256)
func (scoreRegistry *ScoreRegistry) UnpackMAXPROJECTNAMEBYTES(data []byte) (*big.Int, error) {
	out, err := scoreRegistry.abi.Unpack("MAX_PROJECT_NAME_BYTES", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackMAXSCORETYPES is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5860af7c.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function MAX_SCORE_TYPES() view returns(uint256)
func (scoreRegistry *ScoreRegistry) PackMAXSCORETYPES() []byte {
	enc, err := scoreRegistry.abi.Pack("MAX_SCORE_TYPES")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMAXSCORETYPES is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5860af7c.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function MAX_SCORE_TYPES() view returns(uint256)
func (scoreRegistry *ScoreRegistry) TryPackMAXSCORETYPES() ([]byte, error) {
	return scoreRegistry.abi.Pack("MAX_SCORE_TYPES")
}

// UnpackMAXSCORETYPES is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x5860af7c.
//
// Solidity: function MAX_SCORE_TYPES() view returns(uint256)
func (scoreRegistry *ScoreRegistry) UnpackMAXSCORETYPES(data []byte) (*big.Int, error) {
	out, err := scoreRegistry.abi.Unpack("MAX_SCORE_TYPES", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackOWNER is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x117803e3.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function OWNER() view returns(uint8)
func (scoreRegistry *ScoreRegistry) PackOWNER() []byte {
	enc, err := scoreRegistry.abi.Pack("OWNER")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackOWNER is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x117803e3.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function OWNER() view returns(uint8)
func (scoreRegistry *ScoreRegistry) TryPackOWNER() ([]byte, error) {
	return scoreRegistry.abi.Pack("OWNER")
}

// UnpackOWNER is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x117803e3.
//
// Solidity: function OWNER() view returns(uint8)
func (scoreRegistry *ScoreRegistry) UnpackOWNER(data []byte) (uint8, error) {
	out, err := scoreRegistry.abi.Unpack("OWNER", data)
	if err != nil {
		return *new(uint8), err
	}
	out0 := *abi.ConvertType(out[0], new(uint8)).(*uint8)
	return out0, nil
}

// PackRELAYERROLE is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x926d7d7f.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function RELAYER_ROLE() view returns(bytes32)
func (scoreRegistry *ScoreRegistry) PackRELAYERROLE() []byte {
	enc, err := scoreRegistry.abi.Pack("RELAYER_ROLE")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRELAYERROLE is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x926d7d7f.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function RELAYER_ROLE() view returns(bytes32)
func (scoreRegistry *ScoreRegistry) TryPackRELAYERROLE() ([]byte, error) {
	return scoreRegistry.abi.Pack("RELAYER_ROLE")
}

// UnpackRELAYERROLE is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x926d7d7f.
//
// Solidity: function RELAYER_ROLE() view returns(bytes32)
func (scoreRegistry *ScoreRegistry) UnpackRELAYERROLE(data []byte) ([32]byte, error) {
	out, err := scoreRegistry.abi.Unpack("RELAYER_ROLE", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackUPDATER is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x94a68630.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function UPDATER() view returns(uint8)
func (scoreRegistry *ScoreRegistry) PackUPDATER() []byte {
	enc, err := scoreRegistry.abi.Pack("UPDATER")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackUPDATER is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x94a68630.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function UPDATER() view returns(uint8)
func (scoreRegistry *ScoreRegistry) TryPackUPDATER() ([]byte, error) {
	return scoreRegistry.abi.Pack("UPDATER")
}

// UnpackUPDATER is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x94a68630.
//
// Solidity: function UPDATER() view returns(uint8)
func (scoreRegistry *ScoreRegistry) UnpackUPDATER(data []byte) (uint8, error) {
	out, err := scoreRegistry.abi.Unpack("UPDATER", data)
	if err != nil {
		return *new(uint8), err
	}
	out0 := *abi.ConvertType(out[0], new(uint8)).(*uint8)
	return out0, nil
}

// PackAcceptDefaultAdminTransfer is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xcefc1429.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function acceptDefaultAdminTransfer() returns()
func (scoreRegistry *ScoreRegistry) PackAcceptDefaultAdminTransfer() []byte {
	enc, err := scoreRegistry.abi.Pack("acceptDefaultAdminTransfer")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackAcceptDefaultAdminTransfer is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xcefc1429.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function acceptDefaultAdminTransfer() returns()
func (scoreRegistry *ScoreRegistry) TryPackAcceptDefaultAdminTransfer() ([]byte, error) {
	return scoreRegistry.abi.Pack("acceptDefaultAdminTransfer")
}

// PackAddAction is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf693aa99.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function addAction(bytes32 projectId, (string,uint32,uint8) action) returns()
func (scoreRegistry *ScoreRegistry) PackAddAction(projectId [32]byte, action IScoreRegistryAction) []byte {
	enc, err := scoreRegistry.abi.Pack("addAction", projectId, action)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackAddAction is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf693aa99.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function addAction(bytes32 projectId, (string,uint32,uint8) action) returns()
func (scoreRegistry *ScoreRegistry) TryPackAddAction(projectId [32]byte, action IScoreRegistryAction) ([]byte, error) {
	return scoreRegistry.abi.Pack("addAction", projectId, action)
}

// PackAddOwner is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x23876592.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function addOwner(bytes32 projectId, address member) returns()
func (scoreRegistry *ScoreRegistry) PackAddOwner(projectId [32]byte, member common.Address) []byte {
	enc, err := scoreRegistry.abi.Pack("addOwner", projectId, member)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackAddOwner is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x23876592.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function addOwner(bytes32 projectId, address member) returns()
func (scoreRegistry *ScoreRegistry) TryPackAddOwner(projectId [32]byte, member common.Address) ([]byte, error) {
	return scoreRegistry.abi.Pack("addOwner", projectId, member)
}

// PackAddScoreType is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x702e36e5.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function addScoreType(bytes32 projectId, string name) returns()
func (scoreRegistry *ScoreRegistry) PackAddScoreType(projectId [32]byte, name string) []byte {
	enc, err := scoreRegistry.abi.Pack("addScoreType", projectId, name)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackAddScoreType is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x702e36e5.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function addScoreType(bytes32 projectId, string name) returns()
func (scoreRegistry *ScoreRegistry) TryPackAddScoreType(projectId [32]byte, name string) ([]byte, error) {
	return scoreRegistry.abi.Pack("addScoreType", projectId, name)
}

// PackAddUpdater is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd8d634f8.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function addUpdater(bytes32 projectId, address member) returns()
func (scoreRegistry *ScoreRegistry) PackAddUpdater(projectId [32]byte, member common.Address) []byte {
	enc, err := scoreRegistry.abi.Pack("addUpdater", projectId, member)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackAddUpdater is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd8d634f8.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function addUpdater(bytes32 projectId, address member) returns()
func (scoreRegistry *ScoreRegistry) TryPackAddUpdater(projectId [32]byte, member common.Address) ([]byte, error) {
	return scoreRegistry.abi.Pack("addUpdater", projectId, member)
}

// PackApplyBatch is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb50534b0.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function applyBatch(bytes data) returns()
func (scoreRegistry *ScoreRegistry) PackApplyBatch(data []byte) []byte {
	enc, err := scoreRegistry.abi.Pack("applyBatch", data)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackApplyBatch is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb50534b0.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function applyBatch(bytes data) returns()
func (scoreRegistry *ScoreRegistry) TryPackApplyBatch(data []byte) ([]byte, error) {
	return scoreRegistry.abi.Pack("applyBatch", data)
}

// PackBeginDefaultAdminTransfer is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x634e93da.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function beginDefaultAdminTransfer(address newAdmin) returns()
func (scoreRegistry *ScoreRegistry) PackBeginDefaultAdminTransfer(newAdmin common.Address) []byte {
	enc, err := scoreRegistry.abi.Pack("beginDefaultAdminTransfer", newAdmin)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackBeginDefaultAdminTransfer is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x634e93da.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function beginDefaultAdminTransfer(address newAdmin) returns()
func (scoreRegistry *ScoreRegistry) TryPackBeginDefaultAdminTransfer(newAdmin common.Address) ([]byte, error) {
	return scoreRegistry.abi.Pack("beginDefaultAdminTransfer", newAdmin)
}

// PackCancelDefaultAdminTransfer is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd602b9fd.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function cancelDefaultAdminTransfer() returns()
func (scoreRegistry *ScoreRegistry) PackCancelDefaultAdminTransfer() []byte {
	enc, err := scoreRegistry.abi.Pack("cancelDefaultAdminTransfer")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCancelDefaultAdminTransfer is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd602b9fd.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function cancelDefaultAdminTransfer() returns()
func (scoreRegistry *ScoreRegistry) TryPackCancelDefaultAdminTransfer() ([]byte, error) {
	return scoreRegistry.abi.Pack("cancelDefaultAdminTransfer")
}

// PackChangeDefaultAdminDelay is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x649a5ec7.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function changeDefaultAdminDelay(uint48 newDelay) returns()
func (scoreRegistry *ScoreRegistry) PackChangeDefaultAdminDelay(newDelay *big.Int) []byte {
	enc, err := scoreRegistry.abi.Pack("changeDefaultAdminDelay", newDelay)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackChangeDefaultAdminDelay is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x649a5ec7.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function changeDefaultAdminDelay(uint48 newDelay) returns()
func (scoreRegistry *ScoreRegistry) TryPackChangeDefaultAdminDelay(newDelay *big.Int) ([]byte, error) {
	return scoreRegistry.abi.Pack("changeDefaultAdminDelay", newDelay)
}

// PackCreateProject is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe9338248.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function createProject(bytes32 projectId, string name, (string,uint32,uint8)[] actions, address[] owners, address[] updaters, string[] scoreTypes, bool signedOnly) returns()
func (scoreRegistry *ScoreRegistry) PackCreateProject(projectId [32]byte, name string, actions []IScoreRegistryAction, owners []common.Address, updaters []common.Address, scoreTypes []string, signedOnly bool) []byte {
	enc, err := scoreRegistry.abi.Pack("createProject", projectId, name, actions, owners, updaters, scoreTypes, signedOnly)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCreateProject is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe9338248.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function createProject(bytes32 projectId, string name, (string,uint32,uint8)[] actions, address[] owners, address[] updaters, string[] scoreTypes, bool signedOnly) returns()
func (scoreRegistry *ScoreRegistry) TryPackCreateProject(projectId [32]byte, name string, actions []IScoreRegistryAction, owners []common.Address, updaters []common.Address, scoreTypes []string, signedOnly bool) ([]byte, error) {
	return scoreRegistry.abi.Pack("createProject", projectId, name, actions, owners, updaters, scoreTypes, signedOnly)
}

// PackDefaultAdmin is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x84ef8ffc.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function defaultAdmin() view returns(address)
func (scoreRegistry *ScoreRegistry) PackDefaultAdmin() []byte {
	enc, err := scoreRegistry.abi.Pack("defaultAdmin")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackDefaultAdmin is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x84ef8ffc.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function defaultAdmin() view returns(address)
func (scoreRegistry *ScoreRegistry) TryPackDefaultAdmin() ([]byte, error) {
	return scoreRegistry.abi.Pack("defaultAdmin")
}

// UnpackDefaultAdmin is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x84ef8ffc.
//
// Solidity: function defaultAdmin() view returns(address)
func (scoreRegistry *ScoreRegistry) UnpackDefaultAdmin(data []byte) (common.Address, error) {
	out, err := scoreRegistry.abi.Unpack("defaultAdmin", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackDefaultAdminDelay is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xcc8463c8.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function defaultAdminDelay() view returns(uint48)
func (scoreRegistry *ScoreRegistry) PackDefaultAdminDelay() []byte {
	enc, err := scoreRegistry.abi.Pack("defaultAdminDelay")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackDefaultAdminDelay is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xcc8463c8.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function defaultAdminDelay() view returns(uint48)
func (scoreRegistry *ScoreRegistry) TryPackDefaultAdminDelay() ([]byte, error) {
	return scoreRegistry.abi.Pack("defaultAdminDelay")
}

// UnpackDefaultAdminDelay is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xcc8463c8.
//
// Solidity: function defaultAdminDelay() view returns(uint48)
func (scoreRegistry *ScoreRegistry) UnpackDefaultAdminDelay(data []byte) (*big.Int, error) {
	out, err := scoreRegistry.abi.Unpack("defaultAdminDelay", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackDefaultAdminDelayIncreaseWait is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x022d63fb.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function defaultAdminDelayIncreaseWait() view returns(uint48)
func (scoreRegistry *ScoreRegistry) PackDefaultAdminDelayIncreaseWait() []byte {
	enc, err := scoreRegistry.abi.Pack("defaultAdminDelayIncreaseWait")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackDefaultAdminDelayIncreaseWait is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x022d63fb.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function defaultAdminDelayIncreaseWait() view returns(uint48)
func (scoreRegistry *ScoreRegistry) TryPackDefaultAdminDelayIncreaseWait() ([]byte, error) {
	return scoreRegistry.abi.Pack("defaultAdminDelayIncreaseWait")
}

// UnpackDefaultAdminDelayIncreaseWait is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x022d63fb.
//
// Solidity: function defaultAdminDelayIncreaseWait() view returns(uint48)
func (scoreRegistry *ScoreRegistry) UnpackDefaultAdminDelayIncreaseWait(data []byte) (*big.Int, error) {
	out, err := scoreRegistry.abi.Unpack("defaultAdminDelayIncreaseWait", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackEditBySignature is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x4549eab1.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function editBySignature(bytes32 projectId, (string,address,string,uint32,uint8)[] edits, address owner, uint256 nonce, uint256 deadline, bytes32 r, bytes32 vs) returns()
func (scoreRegistry *ScoreRegistry) PackEditBySignature(projectId [32]byte, edits []IScoreRegistryEdit, owner common.Address, nonce *big.Int, deadline *big.Int, r [32]byte, vs [32]byte) []byte {
	enc, err := scoreRegistry.abi.Pack("editBySignature", projectId, edits, owner, nonce, deadline, r, vs)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackEditBySignature is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x4549eab1.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function editBySignature(bytes32 projectId, (string,address,string,uint32,uint8)[] edits, address owner, uint256 nonce, uint256 deadline, bytes32 r, bytes32 vs) returns()
func (scoreRegistry *ScoreRegistry) TryPackEditBySignature(projectId [32]byte, edits []IScoreRegistryEdit, owner common.Address, nonce *big.Int, deadline *big.Int, r [32]byte, vs [32]byte) ([]byte, error) {
	return scoreRegistry.abi.Pack("editBySignature", projectId, edits, owner, nonce, deadline, r, vs)
}

// PackEip712Domain is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x84b0196e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function eip712Domain() view returns(bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)
func (scoreRegistry *ScoreRegistry) PackEip712Domain() []byte {
	enc, err := scoreRegistry.abi.Pack("eip712Domain")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackEip712Domain is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x84b0196e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function eip712Domain() view returns(bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)
func (scoreRegistry *ScoreRegistry) TryPackEip712Domain() ([]byte, error) {
	return scoreRegistry.abi.Pack("eip712Domain")
}

// Eip712DomainOutput serves as a container for the return parameters of contract
// method Eip712Domain.
type Eip712DomainOutput struct {
	Fields            [1]byte
	Name              string
	Version           string
	ChainId           *big.Int
	VerifyingContract common.Address
	Salt              [32]byte
	Extensions        []*big.Int
}

// UnpackEip712Domain is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x84b0196e.
//
// Solidity: function eip712Domain() view returns(bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)
func (scoreRegistry *ScoreRegistry) UnpackEip712Domain(data []byte) (Eip712DomainOutput, error) {
	out, err := scoreRegistry.abi.Unpack("eip712Domain", data)
	outstruct := new(Eip712DomainOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.Fields = *abi.ConvertType(out[0], new([1]byte)).(*[1]byte)
	outstruct.Name = *abi.ConvertType(out[1], new(string)).(*string)
	outstruct.Version = *abi.ConvertType(out[2], new(string)).(*string)
	outstruct.ChainId = abi.ConvertType(out[3], new(big.Int)).(*big.Int)
	outstruct.VerifyingContract = *abi.ConvertType(out[4], new(common.Address)).(*common.Address)
	outstruct.Salt = *abi.ConvertType(out[5], new([32]byte)).(*[32]byte)
	outstruct.Extensions = *abi.ConvertType(out[6], new([]*big.Int)).(*[]*big.Int)
	return *outstruct, nil
}

// PackGetActionIndex is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xc30c5b60.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getActionIndex(bytes32 projectId, string name) view returns(uint8)
func (scoreRegistry *ScoreRegistry) PackGetActionIndex(projectId [32]byte, name string) []byte {
	enc, err := scoreRegistry.abi.Pack("getActionIndex", projectId, name)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetActionIndex is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xc30c5b60.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getActionIndex(bytes32 projectId, string name) view returns(uint8)
func (scoreRegistry *ScoreRegistry) TryPackGetActionIndex(projectId [32]byte, name string) ([]byte, error) {
	return scoreRegistry.abi.Pack("getActionIndex", projectId, name)
}

// UnpackGetActionIndex is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xc30c5b60.
//
// Solidity: function getActionIndex(bytes32 projectId, string name) view returns(uint8)
func (scoreRegistry *ScoreRegistry) UnpackGetActionIndex(data []byte) (uint8, error) {
	out, err := scoreRegistry.abi.Unpack("getActionIndex", data)
	if err != nil {
		return *new(uint8), err
	}
	out0 := *abi.ConvertType(out[0], new(uint8)).(*uint8)
	return out0, nil
}

// PackGetActions is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x4aaf569f.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getActions(bytes32 projectId) view returns(int64[] deltas)
func (scoreRegistry *ScoreRegistry) PackGetActions(projectId [32]byte) []byte {
	enc, err := scoreRegistry.abi.Pack("getActions", projectId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetActions is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x4aaf569f.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getActions(bytes32 projectId) view returns(int64[] deltas)
func (scoreRegistry *ScoreRegistry) TryPackGetActions(projectId [32]byte) ([]byte, error) {
	return scoreRegistry.abi.Pack("getActions", projectId)
}

// UnpackGetActions is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x4aaf569f.
//
// Solidity: function getActions(bytes32 projectId) view returns(int64[] deltas)
func (scoreRegistry *ScoreRegistry) UnpackGetActions(data []byte) ([]int64, error) {
	out, err := scoreRegistry.abi.Unpack("getActions", data)
	if err != nil {
		return *new([]int64), err
	}
	out0 := *abi.ConvertType(out[0], new([]int64)).(*[]int64)
	return out0, nil
}

// PackGetProject is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x4b5f748a.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getProject(bytes32 projectId) view returns((uint64,uint32,uint64,uint8,uint8,bool))
func (scoreRegistry *ScoreRegistry) PackGetProject(projectId [32]byte) []byte {
	enc, err := scoreRegistry.abi.Pack("getProject", projectId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetProject is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x4b5f748a.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getProject(bytes32 projectId) view returns((uint64,uint32,uint64,uint8,uint8,bool))
func (scoreRegistry *ScoreRegistry) TryPackGetProject(projectId [32]byte) ([]byte, error) {
	return scoreRegistry.abi.Pack("getProject", projectId)
}

// UnpackGetProject is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x4b5f748a.
//
// Solidity: function getProject(bytes32 projectId) view returns((uint64,uint32,uint64,uint8,uint8,bool))
func (scoreRegistry *ScoreRegistry) UnpackGetProject(data []byte) (IScoreRegistryProjectInfo, error) {
	out, err := scoreRegistry.abi.Unpack("getProject", data)
	if err != nil {
		return *new(IScoreRegistryProjectInfo), err
	}
	out0 := *abi.ConvertType(out[0], new(IScoreRegistryProjectInfo)).(*IScoreRegistryProjectInfo)
	return out0, nil
}

// PackGetRoleAdmin is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x248a9ca3.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getRoleAdmin(bytes32 role) view returns(bytes32)
func (scoreRegistry *ScoreRegistry) PackGetRoleAdmin(role [32]byte) []byte {
	enc, err := scoreRegistry.abi.Pack("getRoleAdmin", role)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetRoleAdmin is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x248a9ca3.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getRoleAdmin(bytes32 role) view returns(bytes32)
func (scoreRegistry *ScoreRegistry) TryPackGetRoleAdmin(role [32]byte) ([]byte, error) {
	return scoreRegistry.abi.Pack("getRoleAdmin", role)
}

// UnpackGetRoleAdmin is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x248a9ca3.
//
// Solidity: function getRoleAdmin(bytes32 role) view returns(bytes32)
func (scoreRegistry *ScoreRegistry) UnpackGetRoleAdmin(data []byte) ([32]byte, error) {
	out, err := scoreRegistry.abi.Unpack("getRoleAdmin", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackGetRoles is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfedc9f54.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getRoles(bytes32 projectId, address[] accounts) view returns(uint8[] roles)
func (scoreRegistry *ScoreRegistry) PackGetRoles(projectId [32]byte, accounts []common.Address) []byte {
	enc, err := scoreRegistry.abi.Pack("getRoles", projectId, accounts)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetRoles is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfedc9f54.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getRoles(bytes32 projectId, address[] accounts) view returns(uint8[] roles)
func (scoreRegistry *ScoreRegistry) TryPackGetRoles(projectId [32]byte, accounts []common.Address) ([]byte, error) {
	return scoreRegistry.abi.Pack("getRoles", projectId, accounts)
}

// UnpackGetRoles is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xfedc9f54.
//
// Solidity: function getRoles(bytes32 projectId, address[] accounts) view returns(uint8[] roles)
func (scoreRegistry *ScoreRegistry) UnpackGetRoles(data []byte) ([]uint8, error) {
	out, err := scoreRegistry.abi.Unpack("getRoles", data)
	if err != nil {
		return *new([]uint8), err
	}
	out0 := *abi.ConvertType(out[0], new([]uint8)).(*[]uint8)
	return out0, nil
}

// PackGetScore is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa4c7e949.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getScore(bytes32 projectId, address wallet, string scoreType) view returns(int64)
func (scoreRegistry *ScoreRegistry) PackGetScore(projectId [32]byte, wallet common.Address, scoreType string) []byte {
	enc, err := scoreRegistry.abi.Pack("getScore", projectId, wallet, scoreType)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetScore is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa4c7e949.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getScore(bytes32 projectId, address wallet, string scoreType) view returns(int64)
func (scoreRegistry *ScoreRegistry) TryPackGetScore(projectId [32]byte, wallet common.Address, scoreType string) ([]byte, error) {
	return scoreRegistry.abi.Pack("getScore", projectId, wallet, scoreType)
}

// UnpackGetScore is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xa4c7e949.
//
// Solidity: function getScore(bytes32 projectId, address wallet, string scoreType) view returns(int64)
func (scoreRegistry *ScoreRegistry) UnpackGetScore(data []byte) (int64, error) {
	out, err := scoreRegistry.abi.Unpack("getScore", data)
	if err != nil {
		return *new(int64), err
	}
	out0 := *abi.ConvertType(out[0], new(int64)).(*int64)
	return out0, nil
}

// PackGetScoreTypeIndex is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x51ce1013.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getScoreTypeIndex(bytes32 projectId, string name) view returns(uint8)
func (scoreRegistry *ScoreRegistry) PackGetScoreTypeIndex(projectId [32]byte, name string) []byte {
	enc, err := scoreRegistry.abi.Pack("getScoreTypeIndex", projectId, name)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetScoreTypeIndex is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x51ce1013.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getScoreTypeIndex(bytes32 projectId, string name) view returns(uint8)
func (scoreRegistry *ScoreRegistry) TryPackGetScoreTypeIndex(projectId [32]byte, name string) ([]byte, error) {
	return scoreRegistry.abi.Pack("getScoreTypeIndex", projectId, name)
}

// UnpackGetScoreTypeIndex is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x51ce1013.
//
// Solidity: function getScoreTypeIndex(bytes32 projectId, string name) view returns(uint8)
func (scoreRegistry *ScoreRegistry) UnpackGetScoreTypeIndex(data []byte) (uint8, error) {
	out, err := scoreRegistry.abi.Unpack("getScoreTypeIndex", data)
	if err != nil {
		return *new(uint8), err
	}
	out0 := *abi.ConvertType(out[0], new(uint8)).(*uint8)
	return out0, nil
}

// PackGetScores is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x940e49b0.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getScores(bytes32 projectId, address[] wallets, uint8[] scoreTypes) view returns(int64[] scores)
func (scoreRegistry *ScoreRegistry) PackGetScores(projectId [32]byte, wallets []common.Address, scoreTypes []uint8) []byte {
	enc, err := scoreRegistry.abi.Pack("getScores", projectId, wallets, scoreTypes)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetScores is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x940e49b0.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getScores(bytes32 projectId, address[] wallets, uint8[] scoreTypes) view returns(int64[] scores)
func (scoreRegistry *ScoreRegistry) TryPackGetScores(projectId [32]byte, wallets []common.Address, scoreTypes []uint8) ([]byte, error) {
	return scoreRegistry.abi.Pack("getScores", projectId, wallets, scoreTypes)
}

// UnpackGetScores is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x940e49b0.
//
// Solidity: function getScores(bytes32 projectId, address[] wallets, uint8[] scoreTypes) view returns(int64[] scores)
func (scoreRegistry *ScoreRegistry) UnpackGetScores(data []byte) ([]int64, error) {
	out, err := scoreRegistry.abi.Unpack("getScores", data)
	if err != nil {
		return *new([]int64), err
	}
	out0 := *abi.ConvertType(out[0], new([]int64)).(*[]int64)
	return out0, nil
}

// PackGetUsed is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x2c5c020a.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getUsed(bytes32 projectId, bytes32[] updateIds) view returns(bool[] used)
func (scoreRegistry *ScoreRegistry) PackGetUsed(projectId [32]byte, updateIds [][32]byte) []byte {
	enc, err := scoreRegistry.abi.Pack("getUsed", projectId, updateIds)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetUsed is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x2c5c020a.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getUsed(bytes32 projectId, bytes32[] updateIds) view returns(bool[] used)
func (scoreRegistry *ScoreRegistry) TryPackGetUsed(projectId [32]byte, updateIds [][32]byte) ([]byte, error) {
	return scoreRegistry.abi.Pack("getUsed", projectId, updateIds)
}

// UnpackGetUsed is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x2c5c020a.
//
// Solidity: function getUsed(bytes32 projectId, bytes32[] updateIds) view returns(bool[] used)
func (scoreRegistry *ScoreRegistry) UnpackGetUsed(data []byte) ([]bool, error) {
	out, err := scoreRegistry.abi.Unpack("getUsed", data)
	if err != nil {
		return *new([]bool), err
	}
	out0 := *abi.ConvertType(out[0], new([]bool)).(*[]bool)
	return out0, nil
}

// PackGetWalletScores is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x143cb713.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getWalletScores(bytes32 projectId, address wallet) view returns(int64[] scores)
func (scoreRegistry *ScoreRegistry) PackGetWalletScores(projectId [32]byte, wallet common.Address) []byte {
	enc, err := scoreRegistry.abi.Pack("getWalletScores", projectId, wallet)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetWalletScores is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x143cb713.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getWalletScores(bytes32 projectId, address wallet) view returns(int64[] scores)
func (scoreRegistry *ScoreRegistry) TryPackGetWalletScores(projectId [32]byte, wallet common.Address) ([]byte, error) {
	return scoreRegistry.abi.Pack("getWalletScores", projectId, wallet)
}

// UnpackGetWalletScores is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x143cb713.
//
// Solidity: function getWalletScores(bytes32 projectId, address wallet) view returns(int64[] scores)
func (scoreRegistry *ScoreRegistry) UnpackGetWalletScores(data []byte) ([]int64, error) {
	out, err := scoreRegistry.abi.Unpack("getWalletScores", data)
	if err != nil {
		return *new([]int64), err
	}
	out0 := *abi.ConvertType(out[0], new([]int64)).(*[]int64)
	return out0, nil
}

// PackGrantRole is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x2f2ff15d.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function grantRole(bytes32 role, address account) returns()
func (scoreRegistry *ScoreRegistry) PackGrantRole(role [32]byte, account common.Address) []byte {
	enc, err := scoreRegistry.abi.Pack("grantRole", role, account)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGrantRole is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x2f2ff15d.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function grantRole(bytes32 role, address account) returns()
func (scoreRegistry *ScoreRegistry) TryPackGrantRole(role [32]byte, account common.Address) ([]byte, error) {
	return scoreRegistry.abi.Pack("grantRole", role, account)
}

// PackHasRole is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x91d14854.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function hasRole(bytes32 role, address account) view returns(bool)
func (scoreRegistry *ScoreRegistry) PackHasRole(role [32]byte, account common.Address) []byte {
	enc, err := scoreRegistry.abi.Pack("hasRole", role, account)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackHasRole is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x91d14854.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function hasRole(bytes32 role, address account) view returns(bool)
func (scoreRegistry *ScoreRegistry) TryPackHasRole(role [32]byte, account common.Address) ([]byte, error) {
	return scoreRegistry.abi.Pack("hasRole", role, account)
}

// UnpackHasRole is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x91d14854.
//
// Solidity: function hasRole(bytes32 role, address account) view returns(bool)
func (scoreRegistry *ScoreRegistry) UnpackHasRole(data []byte) (bool, error) {
	out, err := scoreRegistry.abi.Unpack("hasRole", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackOwner is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8da5cb5b.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function owner() view returns(address)
func (scoreRegistry *ScoreRegistry) PackOwner() []byte {
	enc, err := scoreRegistry.abi.Pack("owner")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackOwner is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8da5cb5b.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function owner() view returns(address)
func (scoreRegistry *ScoreRegistry) TryPackOwner() ([]byte, error) {
	return scoreRegistry.abi.Pack("owner")
}

// UnpackOwner is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x8da5cb5b.
//
// Solidity: function owner() view returns(address)
func (scoreRegistry *ScoreRegistry) UnpackOwner(data []byte) (common.Address, error) {
	out, err := scoreRegistry.abi.Unpack("owner", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackPendingDefaultAdmin is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xcf6eefb7.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function pendingDefaultAdmin() view returns(address newAdmin, uint48 schedule)
func (scoreRegistry *ScoreRegistry) PackPendingDefaultAdmin() []byte {
	enc, err := scoreRegistry.abi.Pack("pendingDefaultAdmin")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackPendingDefaultAdmin is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xcf6eefb7.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function pendingDefaultAdmin() view returns(address newAdmin, uint48 schedule)
func (scoreRegistry *ScoreRegistry) TryPackPendingDefaultAdmin() ([]byte, error) {
	return scoreRegistry.abi.Pack("pendingDefaultAdmin")
}

// PendingDefaultAdminOutput serves as a container for the return parameters of contract
// method PendingDefaultAdmin.
type PendingDefaultAdminOutput struct {
	NewAdmin common.Address
	Schedule *big.Int
}

// UnpackPendingDefaultAdmin is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xcf6eefb7.
//
// Solidity: function pendingDefaultAdmin() view returns(address newAdmin, uint48 schedule)
func (scoreRegistry *ScoreRegistry) UnpackPendingDefaultAdmin(data []byte) (PendingDefaultAdminOutput, error) {
	out, err := scoreRegistry.abi.Unpack("pendingDefaultAdmin", data)
	outstruct := new(PendingDefaultAdminOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.NewAdmin = *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	outstruct.Schedule = abi.ConvertType(out[1], new(big.Int)).(*big.Int)
	return *outstruct, nil
}

// PackPendingDefaultAdminDelay is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa1eda53c.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function pendingDefaultAdminDelay() view returns(uint48 newDelay, uint48 schedule)
func (scoreRegistry *ScoreRegistry) PackPendingDefaultAdminDelay() []byte {
	enc, err := scoreRegistry.abi.Pack("pendingDefaultAdminDelay")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackPendingDefaultAdminDelay is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa1eda53c.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function pendingDefaultAdminDelay() view returns(uint48 newDelay, uint48 schedule)
func (scoreRegistry *ScoreRegistry) TryPackPendingDefaultAdminDelay() ([]byte, error) {
	return scoreRegistry.abi.Pack("pendingDefaultAdminDelay")
}

// PendingDefaultAdminDelayOutput serves as a container for the return parameters of contract
// method PendingDefaultAdminDelay.
type PendingDefaultAdminDelayOutput struct {
	NewDelay *big.Int
	Schedule *big.Int
}

// UnpackPendingDefaultAdminDelay is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xa1eda53c.
//
// Solidity: function pendingDefaultAdminDelay() view returns(uint48 newDelay, uint48 schedule)
func (scoreRegistry *ScoreRegistry) UnpackPendingDefaultAdminDelay(data []byte) (PendingDefaultAdminDelayOutput, error) {
	out, err := scoreRegistry.abi.Unpack("pendingDefaultAdminDelay", data)
	outstruct := new(PendingDefaultAdminDelayOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.NewDelay = abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	outstruct.Schedule = abi.ConvertType(out[1], new(big.Int)).(*big.Int)
	return *outstruct, nil
}

// PackRemoveOwner is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x2b9c190c.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function removeOwner(bytes32 projectId, address member) returns()
func (scoreRegistry *ScoreRegistry) PackRemoveOwner(projectId [32]byte, member common.Address) []byte {
	enc, err := scoreRegistry.abi.Pack("removeOwner", projectId, member)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRemoveOwner is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x2b9c190c.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function removeOwner(bytes32 projectId, address member) returns()
func (scoreRegistry *ScoreRegistry) TryPackRemoveOwner(projectId [32]byte, member common.Address) ([]byte, error) {
	return scoreRegistry.abi.Pack("removeOwner", projectId, member)
}

// PackRemoveUpdater is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd22283e4.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function removeUpdater(bytes32 projectId, address member) returns()
func (scoreRegistry *ScoreRegistry) PackRemoveUpdater(projectId [32]byte, member common.Address) []byte {
	enc, err := scoreRegistry.abi.Pack("removeUpdater", projectId, member)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRemoveUpdater is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd22283e4.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function removeUpdater(bytes32 projectId, address member) returns()
func (scoreRegistry *ScoreRegistry) TryPackRemoveUpdater(projectId [32]byte, member common.Address) ([]byte, error) {
	return scoreRegistry.abi.Pack("removeUpdater", projectId, member)
}

// PackRenounceRole is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x36568abe.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function renounceRole(bytes32 role, address account) returns()
func (scoreRegistry *ScoreRegistry) PackRenounceRole(role [32]byte, account common.Address) []byte {
	enc, err := scoreRegistry.abi.Pack("renounceRole", role, account)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRenounceRole is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x36568abe.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function renounceRole(bytes32 role, address account) returns()
func (scoreRegistry *ScoreRegistry) TryPackRenounceRole(role [32]byte, account common.Address) ([]byte, error) {
	return scoreRegistry.abi.Pack("renounceRole", role, account)
}

// PackRevokeRole is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd547741f.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function revokeRole(bytes32 role, address account) returns()
func (scoreRegistry *ScoreRegistry) PackRevokeRole(role [32]byte, account common.Address) []byte {
	enc, err := scoreRegistry.abi.Pack("revokeRole", role, account)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRevokeRole is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd547741f.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function revokeRole(bytes32 role, address account) returns()
func (scoreRegistry *ScoreRegistry) TryPackRevokeRole(role [32]byte, account common.Address) ([]byte, error) {
	return scoreRegistry.abi.Pack("revokeRole", role, account)
}

// PackRollbackDefaultAdminDelay is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0aa6220b.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function rollbackDefaultAdminDelay() returns()
func (scoreRegistry *ScoreRegistry) PackRollbackDefaultAdminDelay() []byte {
	enc, err := scoreRegistry.abi.Pack("rollbackDefaultAdminDelay")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRollbackDefaultAdminDelay is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0aa6220b.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function rollbackDefaultAdminDelay() returns()
func (scoreRegistry *ScoreRegistry) TryPackRollbackDefaultAdminDelay() ([]byte, error) {
	return scoreRegistry.abi.Pack("rollbackDefaultAdminDelay")
}

// PackSetSignedOnly is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd0a50f35.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function setSignedOnly(bytes32 projectId, bool signedOnly) returns()
func (scoreRegistry *ScoreRegistry) PackSetSignedOnly(projectId [32]byte, signedOnly bool) []byte {
	enc, err := scoreRegistry.abi.Pack("setSignedOnly", projectId, signedOnly)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSetSignedOnly is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd0a50f35.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function setSignedOnly(bytes32 projectId, bool signedOnly) returns()
func (scoreRegistry *ScoreRegistry) TryPackSetSignedOnly(projectId [32]byte, signedOnly bool) ([]byte, error) {
	return scoreRegistry.abi.Pack("setSignedOnly", projectId, signedOnly)
}

// PackSupportsInterface is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x01ffc9a7.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function supportsInterface(bytes4 interfaceId) view returns(bool)
func (scoreRegistry *ScoreRegistry) PackSupportsInterface(interfaceId [4]byte) []byte {
	enc, err := scoreRegistry.abi.Pack("supportsInterface", interfaceId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSupportsInterface is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x01ffc9a7.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function supportsInterface(bytes4 interfaceId) view returns(bool)
func (scoreRegistry *ScoreRegistry) TryPackSupportsInterface(interfaceId [4]byte) ([]byte, error) {
	return scoreRegistry.abi.Pack("supportsInterface", interfaceId)
}

// UnpackSupportsInterface is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x01ffc9a7.
//
// Solidity: function supportsInterface(bytes4 interfaceId) view returns(bool)
func (scoreRegistry *ScoreRegistry) UnpackSupportsInterface(data []byte) (bool, error) {
	out, err := scoreRegistry.abi.Unpack("supportsInterface", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackUpdateScore is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8696355c.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function updateScore(bytes32 updateId, bytes32 projectId, string actionName, string scoreType, address targetWallet) returns()
func (scoreRegistry *ScoreRegistry) PackUpdateScore(updateId [32]byte, projectId [32]byte, actionName string, scoreType string, targetWallet common.Address) []byte {
	enc, err := scoreRegistry.abi.Pack("updateScore", updateId, projectId, actionName, scoreType, targetWallet)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackUpdateScore is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8696355c.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function updateScore(bytes32 updateId, bytes32 projectId, string actionName, string scoreType, address targetWallet) returns()
func (scoreRegistry *ScoreRegistry) TryPackUpdateScore(updateId [32]byte, projectId [32]byte, actionName string, scoreType string, targetWallet common.Address) ([]byte, error) {
	return scoreRegistry.abi.Pack("updateScore", updateId, projectId, actionName, scoreType, targetWallet)
}

// ScoreRegistryActionAdded represents a ActionAdded event raised by the ScoreRegistry contract.
type ScoreRegistryActionAdded struct {
	ProjectId [32]byte
	Index     uint8
	Name      string
	Points    uint32
	Direction uint8
	Raw       *types.Log // Blockchain specific contextual infos
}

const ScoreRegistryActionAddedEventName = "ActionAdded"

// ContractEventName returns the user-defined event name.
func (ScoreRegistryActionAdded) ContractEventName() string {
	return ScoreRegistryActionAddedEventName
}

// UnpackActionAddedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ActionAdded(bytes32 indexed projectId, uint8 index, string name, uint32 points, uint8 direction)
func (scoreRegistry *ScoreRegistry) UnpackActionAddedEvent(log *types.Log) (*ScoreRegistryActionAdded, error) {
	event := "ActionAdded"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != scoreRegistry.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(ScoreRegistryActionAdded)
	if len(log.Data) > 0 {
		if err := scoreRegistry.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range scoreRegistry.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// ScoreRegistryBatchApplied represents a BatchApplied event raised by the ScoreRegistry contract.
type ScoreRegistryBatchApplied struct {
	Data     []byte
	Outcomes []byte
	Raw      *types.Log // Blockchain specific contextual infos
}

const ScoreRegistryBatchAppliedEventName = "BatchApplied"

// ContractEventName returns the user-defined event name.
func (ScoreRegistryBatchApplied) ContractEventName() string {
	return ScoreRegistryBatchAppliedEventName
}

// UnpackBatchAppliedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event BatchApplied(bytes data, bytes outcomes)
func (scoreRegistry *ScoreRegistry) UnpackBatchAppliedEvent(log *types.Log) (*ScoreRegistryBatchApplied, error) {
	event := "BatchApplied"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != scoreRegistry.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(ScoreRegistryBatchApplied)
	if len(log.Data) > 0 {
		if err := scoreRegistry.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range scoreRegistry.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// ScoreRegistryDefaultAdminDelayChangeCanceled represents a DefaultAdminDelayChangeCanceled event raised by the ScoreRegistry contract.
type ScoreRegistryDefaultAdminDelayChangeCanceled struct {
	Raw *types.Log // Blockchain specific contextual infos
}

const ScoreRegistryDefaultAdminDelayChangeCanceledEventName = "DefaultAdminDelayChangeCanceled"

// ContractEventName returns the user-defined event name.
func (ScoreRegistryDefaultAdminDelayChangeCanceled) ContractEventName() string {
	return ScoreRegistryDefaultAdminDelayChangeCanceledEventName
}

// UnpackDefaultAdminDelayChangeCanceledEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event DefaultAdminDelayChangeCanceled()
func (scoreRegistry *ScoreRegistry) UnpackDefaultAdminDelayChangeCanceledEvent(log *types.Log) (*ScoreRegistryDefaultAdminDelayChangeCanceled, error) {
	event := "DefaultAdminDelayChangeCanceled"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != scoreRegistry.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(ScoreRegistryDefaultAdminDelayChangeCanceled)
	if len(log.Data) > 0 {
		if err := scoreRegistry.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range scoreRegistry.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// ScoreRegistryDefaultAdminDelayChangeScheduled represents a DefaultAdminDelayChangeScheduled event raised by the ScoreRegistry contract.
type ScoreRegistryDefaultAdminDelayChangeScheduled struct {
	NewDelay       *big.Int
	EffectSchedule *big.Int
	Raw            *types.Log // Blockchain specific contextual infos
}

const ScoreRegistryDefaultAdminDelayChangeScheduledEventName = "DefaultAdminDelayChangeScheduled"

// ContractEventName returns the user-defined event name.
func (ScoreRegistryDefaultAdminDelayChangeScheduled) ContractEventName() string {
	return ScoreRegistryDefaultAdminDelayChangeScheduledEventName
}

// UnpackDefaultAdminDelayChangeScheduledEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event DefaultAdminDelayChangeScheduled(uint48 newDelay, uint48 effectSchedule)
func (scoreRegistry *ScoreRegistry) UnpackDefaultAdminDelayChangeScheduledEvent(log *types.Log) (*ScoreRegistryDefaultAdminDelayChangeScheduled, error) {
	event := "DefaultAdminDelayChangeScheduled"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != scoreRegistry.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(ScoreRegistryDefaultAdminDelayChangeScheduled)
	if len(log.Data) > 0 {
		if err := scoreRegistry.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range scoreRegistry.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// ScoreRegistryDefaultAdminTransferCanceled represents a DefaultAdminTransferCanceled event raised by the ScoreRegistry contract.
type ScoreRegistryDefaultAdminTransferCanceled struct {
	Raw *types.Log // Blockchain specific contextual infos
}

const ScoreRegistryDefaultAdminTransferCanceledEventName = "DefaultAdminTransferCanceled"

// ContractEventName returns the user-defined event name.
func (ScoreRegistryDefaultAdminTransferCanceled) ContractEventName() string {
	return ScoreRegistryDefaultAdminTransferCanceledEventName
}

// UnpackDefaultAdminTransferCanceledEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event DefaultAdminTransferCanceled()
func (scoreRegistry *ScoreRegistry) UnpackDefaultAdminTransferCanceledEvent(log *types.Log) (*ScoreRegistryDefaultAdminTransferCanceled, error) {
	event := "DefaultAdminTransferCanceled"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != scoreRegistry.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(ScoreRegistryDefaultAdminTransferCanceled)
	if len(log.Data) > 0 {
		if err := scoreRegistry.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range scoreRegistry.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// ScoreRegistryDefaultAdminTransferScheduled represents a DefaultAdminTransferScheduled event raised by the ScoreRegistry contract.
type ScoreRegistryDefaultAdminTransferScheduled struct {
	NewAdmin       common.Address
	AcceptSchedule *big.Int
	Raw            *types.Log // Blockchain specific contextual infos
}

const ScoreRegistryDefaultAdminTransferScheduledEventName = "DefaultAdminTransferScheduled"

// ContractEventName returns the user-defined event name.
func (ScoreRegistryDefaultAdminTransferScheduled) ContractEventName() string {
	return ScoreRegistryDefaultAdminTransferScheduledEventName
}

// UnpackDefaultAdminTransferScheduledEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event DefaultAdminTransferScheduled(address indexed newAdmin, uint48 acceptSchedule)
func (scoreRegistry *ScoreRegistry) UnpackDefaultAdminTransferScheduledEvent(log *types.Log) (*ScoreRegistryDefaultAdminTransferScheduled, error) {
	event := "DefaultAdminTransferScheduled"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != scoreRegistry.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(ScoreRegistryDefaultAdminTransferScheduled)
	if len(log.Data) > 0 {
		if err := scoreRegistry.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range scoreRegistry.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// ScoreRegistryEIP712DomainChanged represents a EIP712DomainChanged event raised by the ScoreRegistry contract.
type ScoreRegistryEIP712DomainChanged struct {
	Raw *types.Log // Blockchain specific contextual infos
}

const ScoreRegistryEIP712DomainChangedEventName = "EIP712DomainChanged"

// ContractEventName returns the user-defined event name.
func (ScoreRegistryEIP712DomainChanged) ContractEventName() string {
	return ScoreRegistryEIP712DomainChangedEventName
}

// UnpackEIP712DomainChangedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event EIP712DomainChanged()
func (scoreRegistry *ScoreRegistry) UnpackEIP712DomainChangedEvent(log *types.Log) (*ScoreRegistryEIP712DomainChanged, error) {
	event := "EIP712DomainChanged"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != scoreRegistry.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(ScoreRegistryEIP712DomainChanged)
	if len(log.Data) > 0 {
		if err := scoreRegistry.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range scoreRegistry.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// ScoreRegistryMemberChanged represents a MemberChanged event raised by the ScoreRegistry contract.
type ScoreRegistryMemberChanged struct {
	ProjectId [32]byte
	Member    common.Address
	Roles     uint8
	ChangedBy common.Address
	Raw       *types.Log // Blockchain specific contextual infos
}

const ScoreRegistryMemberChangedEventName = "MemberChanged"

// ContractEventName returns the user-defined event name.
func (ScoreRegistryMemberChanged) ContractEventName() string {
	return ScoreRegistryMemberChangedEventName
}

// UnpackMemberChangedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event MemberChanged(bytes32 indexed projectId, address indexed member, uint8 roles, address indexed changedBy)
func (scoreRegistry *ScoreRegistry) UnpackMemberChangedEvent(log *types.Log) (*ScoreRegistryMemberChanged, error) {
	event := "MemberChanged"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != scoreRegistry.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(ScoreRegistryMemberChanged)
	if len(log.Data) > 0 {
		if err := scoreRegistry.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range scoreRegistry.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// ScoreRegistryProjectCreated represents a ProjectCreated event raised by the ScoreRegistry contract.
type ScoreRegistryProjectCreated struct {
	ProjectId  [32]byte
	Name       string
	Actions    []IScoreRegistryAction
	Owners     []common.Address
	Updaters   []common.Address
	ScoreTypes []string
	SignedOnly bool
	Raw        *types.Log // Blockchain specific contextual infos
}

const ScoreRegistryProjectCreatedEventName = "ProjectCreated"

// ContractEventName returns the user-defined event name.
func (ScoreRegistryProjectCreated) ContractEventName() string {
	return ScoreRegistryProjectCreatedEventName
}

// UnpackProjectCreatedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ProjectCreated(bytes32 indexed projectId, string name, (string,uint32,uint8)[] actions, address[] owners, address[] updaters, string[] scoreTypes, bool signedOnly)
func (scoreRegistry *ScoreRegistry) UnpackProjectCreatedEvent(log *types.Log) (*ScoreRegistryProjectCreated, error) {
	event := "ProjectCreated"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != scoreRegistry.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(ScoreRegistryProjectCreated)
	if len(log.Data) > 0 {
		if err := scoreRegistry.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range scoreRegistry.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// ScoreRegistryRoleAdminChanged represents a RoleAdminChanged event raised by the ScoreRegistry contract.
type ScoreRegistryRoleAdminChanged struct {
	Role              [32]byte
	PreviousAdminRole [32]byte
	NewAdminRole      [32]byte
	Raw               *types.Log // Blockchain specific contextual infos
}

const ScoreRegistryRoleAdminChangedEventName = "RoleAdminChanged"

// ContractEventName returns the user-defined event name.
func (ScoreRegistryRoleAdminChanged) ContractEventName() string {
	return ScoreRegistryRoleAdminChangedEventName
}

// UnpackRoleAdminChangedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event RoleAdminChanged(bytes32 indexed role, bytes32 indexed previousAdminRole, bytes32 indexed newAdminRole)
func (scoreRegistry *ScoreRegistry) UnpackRoleAdminChangedEvent(log *types.Log) (*ScoreRegistryRoleAdminChanged, error) {
	event := "RoleAdminChanged"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != scoreRegistry.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(ScoreRegistryRoleAdminChanged)
	if len(log.Data) > 0 {
		if err := scoreRegistry.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range scoreRegistry.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// ScoreRegistryRoleGranted represents a RoleGranted event raised by the ScoreRegistry contract.
type ScoreRegistryRoleGranted struct {
	Role    [32]byte
	Account common.Address
	Sender  common.Address
	Raw     *types.Log // Blockchain specific contextual infos
}

const ScoreRegistryRoleGrantedEventName = "RoleGranted"

// ContractEventName returns the user-defined event name.
func (ScoreRegistryRoleGranted) ContractEventName() string {
	return ScoreRegistryRoleGrantedEventName
}

// UnpackRoleGrantedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)
func (scoreRegistry *ScoreRegistry) UnpackRoleGrantedEvent(log *types.Log) (*ScoreRegistryRoleGranted, error) {
	event := "RoleGranted"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != scoreRegistry.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(ScoreRegistryRoleGranted)
	if len(log.Data) > 0 {
		if err := scoreRegistry.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range scoreRegistry.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// ScoreRegistryRoleRevoked represents a RoleRevoked event raised by the ScoreRegistry contract.
type ScoreRegistryRoleRevoked struct {
	Role    [32]byte
	Account common.Address
	Sender  common.Address
	Raw     *types.Log // Blockchain specific contextual infos
}

const ScoreRegistryRoleRevokedEventName = "RoleRevoked"

// ContractEventName returns the user-defined event name.
func (ScoreRegistryRoleRevoked) ContractEventName() string {
	return ScoreRegistryRoleRevokedEventName
}

// UnpackRoleRevokedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)
func (scoreRegistry *ScoreRegistry) UnpackRoleRevokedEvent(log *types.Log) (*ScoreRegistryRoleRevoked, error) {
	event := "RoleRevoked"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != scoreRegistry.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(ScoreRegistryRoleRevoked)
	if len(log.Data) > 0 {
		if err := scoreRegistry.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range scoreRegistry.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// ScoreRegistryScoreTypeAdded represents a ScoreTypeAdded event raised by the ScoreRegistry contract.
type ScoreRegistryScoreTypeAdded struct {
	ProjectId [32]byte
	Index     uint8
	Name      string
	Raw       *types.Log // Blockchain specific contextual infos
}

const ScoreRegistryScoreTypeAddedEventName = "ScoreTypeAdded"

// ContractEventName returns the user-defined event name.
func (ScoreRegistryScoreTypeAdded) ContractEventName() string {
	return ScoreRegistryScoreTypeAddedEventName
}

// UnpackScoreTypeAddedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ScoreTypeAdded(bytes32 indexed projectId, uint8 index, string name)
func (scoreRegistry *ScoreRegistry) UnpackScoreTypeAddedEvent(log *types.Log) (*ScoreRegistryScoreTypeAdded, error) {
	event := "ScoreTypeAdded"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != scoreRegistry.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(ScoreRegistryScoreTypeAdded)
	if len(log.Data) > 0 {
		if err := scoreRegistry.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range scoreRegistry.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// ScoreRegistryScoreUpdated represents a ScoreUpdated event raised by the ScoreRegistry contract.
type ScoreRegistryScoreUpdated struct {
	ProjectId [32]byte
	Target    common.Address
	Signer    common.Address
	UpdateId  [32]byte
	Action    uint8
	ScoreType uint8
	Score     int64
	Raw       *types.Log // Blockchain specific contextual infos
}

const ScoreRegistryScoreUpdatedEventName = "ScoreUpdated"

// ContractEventName returns the user-defined event name.
func (ScoreRegistryScoreUpdated) ContractEventName() string {
	return ScoreRegistryScoreUpdatedEventName
}

// UnpackScoreUpdatedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ScoreUpdated(bytes32 indexed projectId, address indexed target, address indexed signer, bytes32 updateId, uint8 action, uint8 scoreType, int64 score)
func (scoreRegistry *ScoreRegistry) UnpackScoreUpdatedEvent(log *types.Log) (*ScoreRegistryScoreUpdated, error) {
	event := "ScoreUpdated"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != scoreRegistry.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(ScoreRegistryScoreUpdated)
	if len(log.Data) > 0 {
		if err := scoreRegistry.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range scoreRegistry.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// ScoreRegistrySignedOnlySet represents a SignedOnlySet event raised by the ScoreRegistry contract.
type ScoreRegistrySignedOnlySet struct {
	ProjectId  [32]byte
	SignedOnly bool
	ChangedBy  common.Address
	Raw        *types.Log // Blockchain specific contextual infos
}

const ScoreRegistrySignedOnlySetEventName = "SignedOnlySet"

// ContractEventName returns the user-defined event name.
func (ScoreRegistrySignedOnlySet) ContractEventName() string {
	return ScoreRegistrySignedOnlySetEventName
}

// UnpackSignedOnlySetEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event SignedOnlySet(bytes32 indexed projectId, bool signedOnly, address indexed changedBy)
func (scoreRegistry *ScoreRegistry) UnpackSignedOnlySetEvent(log *types.Log) (*ScoreRegistrySignedOnlySet, error) {
	event := "SignedOnlySet"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != scoreRegistry.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(ScoreRegistrySignedOnlySet)
	if len(log.Data) > 0 {
		if err := scoreRegistry.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range scoreRegistry.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// UnpackError attempts to decode the provided error data using user-defined
// error definitions.
func (scoreRegistry *ScoreRegistry) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["AccessControlBadConfirmation"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackAccessControlBadConfirmationError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["AccessControlEnforcedDefaultAdminDelay"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackAccessControlEnforcedDefaultAdminDelayError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["AccessControlEnforcedDefaultAdminRules"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackAccessControlEnforcedDefaultAdminRulesError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["AccessControlInvalidDefaultAdmin"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackAccessControlInvalidDefaultAdminError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["AccessControlUnauthorizedAccount"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackAccessControlUnauthorizedAccountError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["ActionCount"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackActionCountError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["BadEditSignature"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackBadEditSignatureError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["BadFraming"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackBadFramingError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["DuplicateAction"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackDuplicateActionError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["DuplicateMember"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackDuplicateMemberError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["DuplicateScoreType"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackDuplicateScoreTypeError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["DuplicateUpdate"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackDuplicateUpdateError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["EditExpired"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackEditExpiredError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["InvalidDirection"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackInvalidDirectionError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["InvalidShortString"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackInvalidShortStringError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["LastOwner"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackLastOwnerError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["LengthMismatch"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackLengthMismatchError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["NameLength"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackNameLengthError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["NoOwner"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackNoOwnerError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["NotMember"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackNotMemberError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["NotOwner"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackNotOwnerError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["PointsOutOfRange"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackPointsOutOfRangeError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["ProjectExists"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackProjectExistsError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["RoleUnchanged"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackRoleUnchangedError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["SafeCastOverflowedUintDowncast"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackSafeCastOverflowedUintDowncastError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["ScoreTypeCount"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackScoreTypeCountError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["SignedOnlyUnchanged"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackSignedOnlyUnchangedError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["StringTooLong"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackStringTooLongError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["TooManyMembers"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackTooManyMembersError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["UnknownAction"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackUnknownActionError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["UnknownOperation"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackUnknownOperationError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["UnknownProject"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackUnknownProjectError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["UnknownScoreType"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackUnknownScoreTypeError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["WrongEditNonce"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackWrongEditNonceError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["ZeroMember"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackZeroMemberError(raw[4:])
	}
	return nil, errors.New("Unknown error")
}

// ScoreRegistryAccessControlBadConfirmation represents a AccessControlBadConfirmation error raised by the ScoreRegistry contract.
type ScoreRegistryAccessControlBadConfirmation struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error AccessControlBadConfirmation()
func ScoreRegistryAccessControlBadConfirmationErrorID() common.Hash {
	return common.HexToHash("0x6697b23232a647058342c0724fe7c415cab25915b54e5dbc03f233173d37b41c")
}

// UnpackAccessControlBadConfirmationError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error AccessControlBadConfirmation()
func (scoreRegistry *ScoreRegistry) UnpackAccessControlBadConfirmationError(raw []byte) (*ScoreRegistryAccessControlBadConfirmation, error) {
	out := new(ScoreRegistryAccessControlBadConfirmation)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "AccessControlBadConfirmation", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryAccessControlEnforcedDefaultAdminDelay represents a AccessControlEnforcedDefaultAdminDelay error raised by the ScoreRegistry contract.
type ScoreRegistryAccessControlEnforcedDefaultAdminDelay struct {
	Schedule *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error AccessControlEnforcedDefaultAdminDelay(uint48 schedule)
func ScoreRegistryAccessControlEnforcedDefaultAdminDelayErrorID() common.Hash {
	return common.HexToHash("0x19ca5ebb8fb33f00e502c9392eddab1501674629178bf69b853cf037aaf4bb5d")
}

// UnpackAccessControlEnforcedDefaultAdminDelayError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error AccessControlEnforcedDefaultAdminDelay(uint48 schedule)
func (scoreRegistry *ScoreRegistry) UnpackAccessControlEnforcedDefaultAdminDelayError(raw []byte) (*ScoreRegistryAccessControlEnforcedDefaultAdminDelay, error) {
	out := new(ScoreRegistryAccessControlEnforcedDefaultAdminDelay)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "AccessControlEnforcedDefaultAdminDelay", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryAccessControlEnforcedDefaultAdminRules represents a AccessControlEnforcedDefaultAdminRules error raised by the ScoreRegistry contract.
type ScoreRegistryAccessControlEnforcedDefaultAdminRules struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error AccessControlEnforcedDefaultAdminRules()
func ScoreRegistryAccessControlEnforcedDefaultAdminRulesErrorID() common.Hash {
	return common.HexToHash("0x3fc3c27ae3db78c81b8f6e685172134623efa268ee8cd8d54be38ad2a74fc13b")
}

// UnpackAccessControlEnforcedDefaultAdminRulesError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error AccessControlEnforcedDefaultAdminRules()
func (scoreRegistry *ScoreRegistry) UnpackAccessControlEnforcedDefaultAdminRulesError(raw []byte) (*ScoreRegistryAccessControlEnforcedDefaultAdminRules, error) {
	out := new(ScoreRegistryAccessControlEnforcedDefaultAdminRules)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "AccessControlEnforcedDefaultAdminRules", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryAccessControlInvalidDefaultAdmin represents a AccessControlInvalidDefaultAdmin error raised by the ScoreRegistry contract.
type ScoreRegistryAccessControlInvalidDefaultAdmin struct {
	DefaultAdmin common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error AccessControlInvalidDefaultAdmin(address defaultAdmin)
func ScoreRegistryAccessControlInvalidDefaultAdminErrorID() common.Hash {
	return common.HexToHash("0xc22c8022f2a840d6b6a9f113407715f5bbd4e88c1b0dd9434dc00700ba609ed4")
}

// UnpackAccessControlInvalidDefaultAdminError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error AccessControlInvalidDefaultAdmin(address defaultAdmin)
func (scoreRegistry *ScoreRegistry) UnpackAccessControlInvalidDefaultAdminError(raw []byte) (*ScoreRegistryAccessControlInvalidDefaultAdmin, error) {
	out := new(ScoreRegistryAccessControlInvalidDefaultAdmin)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "AccessControlInvalidDefaultAdmin", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryAccessControlUnauthorizedAccount represents a AccessControlUnauthorizedAccount error raised by the ScoreRegistry contract.
type ScoreRegistryAccessControlUnauthorizedAccount struct {
	Account    common.Address
	NeededRole [32]byte
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)
func ScoreRegistryAccessControlUnauthorizedAccountErrorID() common.Hash {
	return common.HexToHash("0xe2517d3fbfae6f8515ef5ff1ccedc3933ab0cbbda0b492c06eb54ad10ef03b3e")
}

// UnpackAccessControlUnauthorizedAccountError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)
func (scoreRegistry *ScoreRegistry) UnpackAccessControlUnauthorizedAccountError(raw []byte) (*ScoreRegistryAccessControlUnauthorizedAccount, error) {
	out := new(ScoreRegistryAccessControlUnauthorizedAccount)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "AccessControlUnauthorizedAccount", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryActionCount represents a ActionCount error raised by the ScoreRegistry contract.
type ScoreRegistryActionCount struct {
	Count *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ActionCount(uint256 count)
func ScoreRegistryActionCountErrorID() common.Hash {
	return common.HexToHash("0x8c9afd4c17feaddef8ac407291ffd5ac08635a1830b7792f7f2ed7d3c5f1e32b")
}

// UnpackActionCountError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ActionCount(uint256 count)
func (scoreRegistry *ScoreRegistry) UnpackActionCountError(raw []byte) (*ScoreRegistryActionCount, error) {
	out := new(ScoreRegistryActionCount)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "ActionCount", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryBadEditSignature represents a BadEditSignature error raised by the ScoreRegistry contract.
type ScoreRegistryBadEditSignature struct {
	ProjectId [32]byte
	Owner     common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error BadEditSignature(bytes32 projectId, address owner)
func ScoreRegistryBadEditSignatureErrorID() common.Hash {
	return common.HexToHash("0x877ed04ae4a40a2b6fc1335afbce41f7cadcc8c2889ae27f9b5479d798a45987")
}

// UnpackBadEditSignatureError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error BadEditSignature(bytes32 projectId, address owner)
func (scoreRegistry *ScoreRegistry) UnpackBadEditSignatureError(raw []byte) (*ScoreRegistryBadEditSignature, error) {
	out := new(ScoreRegistryBadEditSignature)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "BadEditSignature", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryBadFraming represents a BadFraming error raised by the ScoreRegistry contract.
type ScoreRegistryBadFraming struct {
	Offset *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error BadFraming(uint256 offset)
func ScoreRegistryBadFramingErrorID() common.Hash {
	return common.HexToHash("0x86fbb3af66486e0e0e9e291369e65e4112272e37109e43e70bcde2030ac8cfd1")
}

// UnpackBadFramingError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error BadFraming(uint256 offset)
func (scoreRegistry *ScoreRegistry) UnpackBadFramingError(raw []byte) (*ScoreRegistryBadFraming, error) {
	out := new(ScoreRegistryBadFraming)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "BadFraming", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryDuplicateAction represents a DuplicateAction error raised by the ScoreRegistry contract.
type ScoreRegistryDuplicateAction struct {
	Name string
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error DuplicateAction(string name)
func ScoreRegistryDuplicateActionErrorID() common.Hash {
	return common.HexToHash("0x06db7d8a7b1929f0153b85978f76ddb565a67917207ee2b2e040015e50eb78b3")
}

// UnpackDuplicateActionError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error DuplicateAction(string name)
func (scoreRegistry *ScoreRegistry) UnpackDuplicateActionError(raw []byte) (*ScoreRegistryDuplicateAction, error) {
	out := new(ScoreRegistryDuplicateAction)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "DuplicateAction", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryDuplicateMember represents a DuplicateMember error raised by the ScoreRegistry contract.
type ScoreRegistryDuplicateMember struct {
	Member common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error DuplicateMember(address member)
func ScoreRegistryDuplicateMemberErrorID() common.Hash {
	return common.HexToHash("0x4b99be106ca88ce66b1359b681c216ce5d48a463451988067d965493ce6d27f5")
}

// UnpackDuplicateMemberError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error DuplicateMember(address member)
func (scoreRegistry *ScoreRegistry) UnpackDuplicateMemberError(raw []byte) (*ScoreRegistryDuplicateMember, error) {
	out := new(ScoreRegistryDuplicateMember)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "DuplicateMember", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryDuplicateScoreType represents a DuplicateScoreType error raised by the ScoreRegistry contract.
type ScoreRegistryDuplicateScoreType struct {
	Name string
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error DuplicateScoreType(string name)
func ScoreRegistryDuplicateScoreTypeErrorID() common.Hash {
	return common.HexToHash("0x69fee1e69306cc77bfa14f887210d9d8a5ad1dd3ce9018ad2eb5885523b7e7d5")
}

// UnpackDuplicateScoreTypeError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error DuplicateScoreType(string name)
func (scoreRegistry *ScoreRegistry) UnpackDuplicateScoreTypeError(raw []byte) (*ScoreRegistryDuplicateScoreType, error) {
	out := new(ScoreRegistryDuplicateScoreType)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "DuplicateScoreType", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryDuplicateUpdate represents a DuplicateUpdate error raised by the ScoreRegistry contract.
type ScoreRegistryDuplicateUpdate struct {
	ProjectId [32]byte
	UpdateId  [32]byte
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error DuplicateUpdate(bytes32 projectId, bytes32 updateId)
func ScoreRegistryDuplicateUpdateErrorID() common.Hash {
	return common.HexToHash("0xb072726f2131ec37621ce62810ed642e43fdc006506fbac82ee3e93052d36149")
}

// UnpackDuplicateUpdateError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error DuplicateUpdate(bytes32 projectId, bytes32 updateId)
func (scoreRegistry *ScoreRegistry) UnpackDuplicateUpdateError(raw []byte) (*ScoreRegistryDuplicateUpdate, error) {
	out := new(ScoreRegistryDuplicateUpdate)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "DuplicateUpdate", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryEditExpired represents a EditExpired error raised by the ScoreRegistry contract.
type ScoreRegistryEditExpired struct {
	Deadline  *big.Int
	BlockTime *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error EditExpired(uint256 deadline, uint256 blockTime)
func ScoreRegistryEditExpiredErrorID() common.Hash {
	return common.HexToHash("0x72ceb1effaa0c5fcb5faed9260bbf69303f266db01ee7b5532cb2fb099fff6af")
}

// UnpackEditExpiredError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error EditExpired(uint256 deadline, uint256 blockTime)
func (scoreRegistry *ScoreRegistry) UnpackEditExpiredError(raw []byte) (*ScoreRegistryEditExpired, error) {
	out := new(ScoreRegistryEditExpired)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "EditExpired", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryInvalidDirection represents a InvalidDirection error raised by the ScoreRegistry contract.
type ScoreRegistryInvalidDirection struct {
	Direction *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidDirection(uint256 direction)
func ScoreRegistryInvalidDirectionErrorID() common.Hash {
	return common.HexToHash("0xd19523052386b0b61ac5fe5f9d39b1e9c2e203ba302d0bc69d557d23659577de")
}

// UnpackInvalidDirectionError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidDirection(uint256 direction)
func (scoreRegistry *ScoreRegistry) UnpackInvalidDirectionError(raw []byte) (*ScoreRegistryInvalidDirection, error) {
	out := new(ScoreRegistryInvalidDirection)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "InvalidDirection", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryInvalidShortString represents a InvalidShortString error raised by the ScoreRegistry contract.
type ScoreRegistryInvalidShortString struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidShortString()
func ScoreRegistryInvalidShortStringErrorID() common.Hash {
	return common.HexToHash("0xb3512b0c6163e5f0bafab72bb631b9d58cd7a731b082f910338aa21c83d5c274")
}

// UnpackInvalidShortStringError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidShortString()
func (scoreRegistry *ScoreRegistry) UnpackInvalidShortStringError(raw []byte) (*ScoreRegistryInvalidShortString, error) {
	out := new(ScoreRegistryInvalidShortString)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "InvalidShortString", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryLastOwner represents a LastOwner error raised by the ScoreRegistry contract.
type ScoreRegistryLastOwner struct {
	ProjectId [32]byte
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error LastOwner(bytes32 projectId)
func ScoreRegistryLastOwnerErrorID() common.Hash {
	return common.HexToHash("0xc3ff1d5176df888c5e5fdf79a34d88b31ced8293f01a0e03dd137267919e2b39")
}

// UnpackLastOwnerError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error LastOwner(bytes32 projectId)
func (scoreRegistry *ScoreRegistry) UnpackLastOwnerError(raw []byte) (*ScoreRegistryLastOwner, error) {
	out := new(ScoreRegistryLastOwner)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "LastOwner", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryLengthMismatch represents a LengthMismatch error raised by the ScoreRegistry contract.
type ScoreRegistryLengthMismatch struct {
	First  *big.Int
	Second *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error LengthMismatch(uint256 first, uint256 second)
func ScoreRegistryLengthMismatchErrorID() common.Hash {
	return common.HexToHash("0xab8b67c6893c59617ef3ba4b4b942e9791f2572db2fdb32028356532f3b7396a")
}

// UnpackLengthMismatchError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error LengthMismatch(uint256 first, uint256 second)
func (scoreRegistry *ScoreRegistry) UnpackLengthMismatchError(raw []byte) (*ScoreRegistryLengthMismatch, error) {
	out := new(ScoreRegistryLengthMismatch)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "LengthMismatch", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryNameLength represents a NameLength error raised by the ScoreRegistry contract.
type ScoreRegistryNameLength struct {
	Length *big.Int
	Max    *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NameLength(uint256 length, uint256 max)
func ScoreRegistryNameLengthErrorID() common.Hash {
	return common.HexToHash("0x42f722aa3683ac9cc96f4d63bf04e5f5edcedad5de4d48b50ce8822b38cc3210")
}

// UnpackNameLengthError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NameLength(uint256 length, uint256 max)
func (scoreRegistry *ScoreRegistry) UnpackNameLengthError(raw []byte) (*ScoreRegistryNameLength, error) {
	out := new(ScoreRegistryNameLength)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "NameLength", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryNoOwner represents a NoOwner error raised by the ScoreRegistry contract.
type ScoreRegistryNoOwner struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NoOwner()
func ScoreRegistryNoOwnerErrorID() common.Hash {
	return common.HexToHash("0x7f51e102a56ef32eaa1fd6ae7ca3136352c232a22677b8bfed2e871895ed151e")
}

// UnpackNoOwnerError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NoOwner()
func (scoreRegistry *ScoreRegistry) UnpackNoOwnerError(raw []byte) (*ScoreRegistryNoOwner, error) {
	out := new(ScoreRegistryNoOwner)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "NoOwner", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryNotMember represents a NotMember error raised by the ScoreRegistry contract.
type ScoreRegistryNotMember struct {
	ProjectId [32]byte
	Account   common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NotMember(bytes32 projectId, address account)
func ScoreRegistryNotMemberErrorID() common.Hash {
	return common.HexToHash("0x0a6c3de1373ea369e782ab939f5be2592061d5a8919c53bc658c26fa7b6c57f6")
}

// UnpackNotMemberError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NotMember(bytes32 projectId, address account)
func (scoreRegistry *ScoreRegistry) UnpackNotMemberError(raw []byte) (*ScoreRegistryNotMember, error) {
	out := new(ScoreRegistryNotMember)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "NotMember", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryNotOwner represents a NotOwner error raised by the ScoreRegistry contract.
type ScoreRegistryNotOwner struct {
	ProjectId [32]byte
	Account   common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NotOwner(bytes32 projectId, address account)
func ScoreRegistryNotOwnerErrorID() common.Hash {
	return common.HexToHash("0x0e25346d3923fdf61b8b8de5a7da7267aa43093abc1ce6c52cbd87b4dcd30574")
}

// UnpackNotOwnerError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NotOwner(bytes32 projectId, address account)
func (scoreRegistry *ScoreRegistry) UnpackNotOwnerError(raw []byte) (*ScoreRegistryNotOwner, error) {
	out := new(ScoreRegistryNotOwner)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "NotOwner", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryPointsOutOfRange represents a PointsOutOfRange error raised by the ScoreRegistry contract.
type ScoreRegistryPointsOutOfRange struct {
	Points *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error PointsOutOfRange(uint256 points)
func ScoreRegistryPointsOutOfRangeErrorID() common.Hash {
	return common.HexToHash("0xc2f35e8747fdddb6e9ba71a4d13b9028dfe7f09bddded8fed759efd5f6b6c8f6")
}

// UnpackPointsOutOfRangeError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error PointsOutOfRange(uint256 points)
func (scoreRegistry *ScoreRegistry) UnpackPointsOutOfRangeError(raw []byte) (*ScoreRegistryPointsOutOfRange, error) {
	out := new(ScoreRegistryPointsOutOfRange)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "PointsOutOfRange", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryProjectExists represents a ProjectExists error raised by the ScoreRegistry contract.
type ScoreRegistryProjectExists struct {
	ProjectId [32]byte
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ProjectExists(bytes32 projectId)
func ScoreRegistryProjectExistsErrorID() common.Hash {
	return common.HexToHash("0x9b38330d27a7e37c5270045275da328b1fa3f51a1ab72ea3309a3447bbbf8293")
}

// UnpackProjectExistsError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ProjectExists(bytes32 projectId)
func (scoreRegistry *ScoreRegistry) UnpackProjectExistsError(raw []byte) (*ScoreRegistryProjectExists, error) {
	out := new(ScoreRegistryProjectExists)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "ProjectExists", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryRoleUnchanged represents a RoleUnchanged error raised by the ScoreRegistry contract.
type ScoreRegistryRoleUnchanged struct {
	ProjectId [32]byte
	Member    common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error RoleUnchanged(bytes32 projectId, address member)
func ScoreRegistryRoleUnchangedErrorID() common.Hash {
	return common.HexToHash("0x80cec299ee9776c24d27d46a40706a030121a4de6f2ec75e1aa9616062479cb2")
}

// UnpackRoleUnchangedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error RoleUnchanged(bytes32 projectId, address member)
func (scoreRegistry *ScoreRegistry) UnpackRoleUnchangedError(raw []byte) (*ScoreRegistryRoleUnchanged, error) {
	out := new(ScoreRegistryRoleUnchanged)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "RoleUnchanged", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistrySafeCastOverflowedUintDowncast represents a SafeCastOverflowedUintDowncast error raised by the ScoreRegistry contract.
type ScoreRegistrySafeCastOverflowedUintDowncast struct {
	Bits  uint8
	Value *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error SafeCastOverflowedUintDowncast(uint8 bits, uint256 value)
func ScoreRegistrySafeCastOverflowedUintDowncastErrorID() common.Hash {
	return common.HexToHash("0x6dfcc6503a32754ce7a89698e18201fc5294fd4aad43edefee786f88423b1a12")
}

// UnpackSafeCastOverflowedUintDowncastError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error SafeCastOverflowedUintDowncast(uint8 bits, uint256 value)
func (scoreRegistry *ScoreRegistry) UnpackSafeCastOverflowedUintDowncastError(raw []byte) (*ScoreRegistrySafeCastOverflowedUintDowncast, error) {
	out := new(ScoreRegistrySafeCastOverflowedUintDowncast)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "SafeCastOverflowedUintDowncast", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryScoreTypeCount represents a ScoreTypeCount error raised by the ScoreRegistry contract.
type ScoreRegistryScoreTypeCount struct {
	Count *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ScoreTypeCount(uint256 count)
func ScoreRegistryScoreTypeCountErrorID() common.Hash {
	return common.HexToHash("0x7e75e0e3cddbb58ff9dc62a42e9898d2b9461f6266c0c5a3ca4e30ecc8aa5096")
}

// UnpackScoreTypeCountError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ScoreTypeCount(uint256 count)
func (scoreRegistry *ScoreRegistry) UnpackScoreTypeCountError(raw []byte) (*ScoreRegistryScoreTypeCount, error) {
	out := new(ScoreRegistryScoreTypeCount)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "ScoreTypeCount", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistrySignedOnlyUnchanged represents a SignedOnlyUnchanged error raised by the ScoreRegistry contract.
type ScoreRegistrySignedOnlyUnchanged struct {
	ProjectId [32]byte
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error SignedOnlyUnchanged(bytes32 projectId)
func ScoreRegistrySignedOnlyUnchangedErrorID() common.Hash {
	return common.HexToHash("0xcf711a5b7f968e866858d13a8bbc8a151607a2a6fde1fb5a58d2c1b57ee5b963")
}

// UnpackSignedOnlyUnchangedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error SignedOnlyUnchanged(bytes32 projectId)
func (scoreRegistry *ScoreRegistry) UnpackSignedOnlyUnchangedError(raw []byte) (*ScoreRegistrySignedOnlyUnchanged, error) {
	out := new(ScoreRegistrySignedOnlyUnchanged)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "SignedOnlyUnchanged", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryStringTooLong represents a StringTooLong error raised by the ScoreRegistry contract.
type ScoreRegistryStringTooLong struct {
	Str string
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error StringTooLong(string str)
func ScoreRegistryStringTooLongErrorID() common.Hash {
	return common.HexToHash("0x305a27a93f8e33b7392df0a0f91d6fc63847395853c45991eec52dbf24d72381")
}

// UnpackStringTooLongError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error StringTooLong(string str)
func (scoreRegistry *ScoreRegistry) UnpackStringTooLongError(raw []byte) (*ScoreRegistryStringTooLong, error) {
	out := new(ScoreRegistryStringTooLong)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "StringTooLong", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryTooManyMembers represents a TooManyMembers error raised by the ScoreRegistry contract.
type ScoreRegistryTooManyMembers struct {
	Count *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error TooManyMembers(uint256 count)
func ScoreRegistryTooManyMembersErrorID() common.Hash {
	return common.HexToHash("0x9ee3ba861e76e6566128b586fe1d10e63f03da2cb39f00b1efd3fe4a5c7ece1b")
}

// UnpackTooManyMembersError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error TooManyMembers(uint256 count)
func (scoreRegistry *ScoreRegistry) UnpackTooManyMembersError(raw []byte) (*ScoreRegistryTooManyMembers, error) {
	out := new(ScoreRegistryTooManyMembers)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "TooManyMembers", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryUnknownAction represents a UnknownAction error raised by the ScoreRegistry contract.
type ScoreRegistryUnknownAction struct {
	Name string
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error UnknownAction(string name)
func ScoreRegistryUnknownActionErrorID() common.Hash {
	return common.HexToHash("0x2d7adb37acb28db0b0a358c2dc3b3a25330fac3519a366e6f9b2c94f8392d4c3")
}

// UnpackUnknownActionError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error UnknownAction(string name)
func (scoreRegistry *ScoreRegistry) UnpackUnknownActionError(raw []byte) (*ScoreRegistryUnknownAction, error) {
	out := new(ScoreRegistryUnknownAction)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "UnknownAction", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryUnknownOperation represents a UnknownOperation error raised by the ScoreRegistry contract.
type ScoreRegistryUnknownOperation struct {
	Operation string
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error UnknownOperation(string operation)
func ScoreRegistryUnknownOperationErrorID() common.Hash {
	return common.HexToHash("0x15578f3e72a8248629812fd83b7c8fd4524a2c9205a1c56ff1196493bc6f6d9a")
}

// UnpackUnknownOperationError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error UnknownOperation(string operation)
func (scoreRegistry *ScoreRegistry) UnpackUnknownOperationError(raw []byte) (*ScoreRegistryUnknownOperation, error) {
	out := new(ScoreRegistryUnknownOperation)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "UnknownOperation", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryUnknownProject represents a UnknownProject error raised by the ScoreRegistry contract.
type ScoreRegistryUnknownProject struct {
	ProjectId [32]byte
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error UnknownProject(bytes32 projectId)
func ScoreRegistryUnknownProjectErrorID() common.Hash {
	return common.HexToHash("0x4cf6b27ce9906cf09f847d3d0dd51fb0ee20aa4071489cb18db1a64e6ab8f75b")
}

// UnpackUnknownProjectError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error UnknownProject(bytes32 projectId)
func (scoreRegistry *ScoreRegistry) UnpackUnknownProjectError(raw []byte) (*ScoreRegistryUnknownProject, error) {
	out := new(ScoreRegistryUnknownProject)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "UnknownProject", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryUnknownScoreType represents a UnknownScoreType error raised by the ScoreRegistry contract.
type ScoreRegistryUnknownScoreType struct {
	Name string
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error UnknownScoreType(string name)
func ScoreRegistryUnknownScoreTypeErrorID() common.Hash {
	return common.HexToHash("0xb1d68bd4d1feeffc2ee35ec9bfdbee3eb8978dbfa12852887311204ed1cd3bea")
}

// UnpackUnknownScoreTypeError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error UnknownScoreType(string name)
func (scoreRegistry *ScoreRegistry) UnpackUnknownScoreTypeError(raw []byte) (*ScoreRegistryUnknownScoreType, error) {
	out := new(ScoreRegistryUnknownScoreType)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "UnknownScoreType", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryWrongEditNonce represents a WrongEditNonce error raised by the ScoreRegistry contract.
type ScoreRegistryWrongEditNonce struct {
	ProjectId [32]byte
	Nonce     *big.Int
	Next      *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error WrongEditNonce(bytes32 projectId, uint256 nonce, uint256 next)
func ScoreRegistryWrongEditNonceErrorID() common.Hash {
	return common.HexToHash("0x51ec0fcb848debaf4d010fb630c5634a1053c375d4c82782f34d2d5a4ad28ac2")
}

// UnpackWrongEditNonceError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error WrongEditNonce(bytes32 projectId, uint256 nonce, uint256 next)
func (scoreRegistry *ScoreRegistry) UnpackWrongEditNonceError(raw []byte) (*ScoreRegistryWrongEditNonce, error) {
	out := new(ScoreRegistryWrongEditNonce)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "WrongEditNonce", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryZeroMember represents a ZeroMember error raised by the ScoreRegistry contract.
type ScoreRegistryZeroMember struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ZeroMember()
func ScoreRegistryZeroMemberErrorID() common.Hash {
	return common.HexToHash("0x7553caa6a7b0ddb1dba7e7fe0e24456b98ff20955606dbf7fd658e4702c19fee")
}

// UnpackZeroMemberError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ZeroMember()
func (scoreRegistry *ScoreRegistry) UnpackZeroMemberError(raw []byte) (*ScoreRegistryZeroMember, error) {
	out := new(ScoreRegistryZeroMember)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "ZeroMember", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ScoreRegistryDeployedBin is the code at the address of a deployed contract.
const ScoreRegistryDeployedBin = "0x6080806040526004361015610012575f80fd5b5f3560e01c90816301ffc9a714612e8c57508063022d63fb14612e515780630aa6220b14612d6d578063117803e314612d34578063143cb71314612ca15780632387659214612c48578063248a9ca314612bf857806325f87d2314612bbc5780632b9c190c14612b635780632c5c020a14612a6d5780632f2ff15d14612a0c57806336568abe146128815780634549eab1146120eb5780634aaf569f146120505780634b5f748a14611f4457806351ce101314611f1f5780635860af7c14611beb578063634e93da14611df0578063649a5ec714611bf0578063680c60c714611beb578063702e36e514611bc057806384b0196e14611a8e57806384ef8ffc146117bd5780638696355c1461180e5780638da5cb5b146117bd57806391d1485414611749578063926d7d7f146116f1578063940e49b0146115d257806394a686301461159957806396def70914611560578063a1eda53c146114da578063a217fddf146114a2578063a4c7e94914611419578063b50534b014611108578063c30c5b60146110da578063cc8463c814611092578063cefc142914610f59578063cf6eefb714610ecf578063d0a50f3514610dda578063d22283e414610d81578063d547741f14610cf3578063d602b9fd14610c5c578063d8d634f814610c03578063e933824814610464578063ea0e35b11461042b578063f693aa9914610373578063f77fafc31461033a5763fedc9f541461022c575f80fd5b346103365761023a3661303e565b90915f52600360205260405f2091610251826131e5565b9261025f60405194856131a4565b82845261026b836131e5565b927fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0602086019401368537601b5f9201915b8181106102eb578486604051918291602083019060208452518091526040830191905f5b8181106102cf575050500390f35b825160ff168452859450602093840193909201916001016102c1565b8073ffffffffffffffffffffffffffffffffffffffff610316610311600194868961328d565b6132ea565b165f528360205260ff60405f20541661032f828961324c565b520161029d565b5f80fd5b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657602060405160808152f35b346103365760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760043560243567ffffffffffffffff811161033657806004019060607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8236030112610336578261040a6103f861042995613aa0565b93610404338487613ae7565b80613352565b91610423604461041c602487016133a3565b950161330b565b94614a03565b005b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657602060405160648152f35b346103365760e07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760243567ffffffffffffffff8111610336576104b3903690600401613090565b60443567ffffffffffffffff8111610336576104d390369060040161300d565b9260643567ffffffffffffffff8111610336576104f490369060040161300d565b91909360843567ffffffffffffffff81116103365761051790369060040161300d565b939060a43567ffffffffffffffff81116103365761053990369060040161300d565b91909560c435938415158503610336576105516134fc565b6004355f52600360205260405f209961ffff8b5416610bd55786158015610bcb575b610b9a578b158015610b90575b610b645784158015610b5a575b610b2e578115610b065760646105a3848461329d565b11610ad1575f5b8c81101561067a578060051b8b01357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa18c360301811215610336578b016106228d6105f58380613352565b610604602086949394016133a3565b928663ffffffff60ff61061960408a0161330b565b16951693614878565b61062f57506001016105aa565b8061063991613352565b6106766040519283927f06db7d8a0000000000000000000000000000000000000000000000000000000084526020600485015260248401916133b4565b0390fd5b50908a979899918c5f5b8c888210156106b357906106ad818d6106a56001958360051b810190613352565b929091614979565b01610684565b601a8c0180547fffffffffffffffffffffffffffffffffffffffff000000000000000000000000164367ffffffffffffffff1617604087901b6bffffffff000000000000000016179055979a9194918c915080547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0000001661ffff87161760108d901b62ff00001617815580547fffffffffffffffffffffffffffffffffffffffffffffffffffffffff00ffffff168a151560181b63ff00000016178155601b015f5b858110610a4157505f5b87811061095f57505061079d906040519a60c08c5260c08c01916133b4565b9389850360208b01528085526020850160208260051b87010195835f915b84831061089d57505050505050916107e0916107ee95949389830360408b0152613442565b918683036060880152613442565b938385036080850152808552602085019460208260051b82010195835f925b8484106108475786151560a08901526004357fec4604df619b19768b39f3fbfe88e7ffca10f4c10c3ee1ceb43b41aa17c95007898b038aa2005b90919293949760208061088d837fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe086600196030188526108878d886133f2565b906133b4565b9a0194019401929493919061080d565b9091929394977fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe09b9e9b82820301855288357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa1843603018112156103365783019061091961090b83806133f2565b6060845260608401916133b4565b9160208101359063ffffffff821680920361033657604091602084015201359060ff821680920361033657604001529a9d9a9760209081019594019260010191906107bb565b73ffffffffffffffffffffffffffffffffffffffff6109886103119b9e9b838b8d9b989b61328d565b168015610a1957805f528260205260405f205490600182166109ee5790600192915f528360205260ff838160405f20931617167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00825416179055019b989b95929561077e565b7f4b99be10000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b7f7553caa6000000000000000000000000000000000000000000000000000000005f5260045ffd5b73ffffffffffffffffffffffffffffffffffffffff610a6a6103119b9e9b8389899b989b61328d565b168015610a1957805f528260205260405f205490600282166109ee5790600192915f528360205260ff60028160405f20931617167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00825416179055019b989b959295610774565b610adb838361329d565b7f9ee3ba86000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b7f7f51e102000000000000000000000000000000000000000000000000000000005f5260045ffd5b847f7e75e0e3000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b506040851161058d565b8b7f8c9afd4c000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b5060c88c11610580565b867f42f722aa000000000000000000000000000000000000000000000000000000005f52600452608060245260445ffd5b5060808711610573565b7f9b38330d000000000000000000000000000000000000000000000000000000005f5260043560045260245ffd5b346103365760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657610429600435610c40612fae565b610c4982613aa0565b91610c55338285613ae7565b33926139e3565b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657610c92613494565b600180547fffffffffffff0000000000000000000000000000000000000000000000000000811690915560a01c65ffffffffffff16610ccd57005b7f8886ebfc4259abdbc16601dd8fb5678e54878f47b3c34836cfc51154a96051095f80a1005b346103365760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657600435610d2d612fae565b8115610d595781610d54610d4f610429945f525f602052600160405f20015490565b613584565b614c41565b7f3fc3c27a000000000000000000000000000000000000000000000000000000005f5260045ffd5b346103365760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657610429600435610dbe612fae565b610dc782613aa0565b91610dd3338285613ae7565b33926138f9565b346103365760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657600435602435908115159182810361033657610e2482613aa0565b610e2f338483613ae7565b8360ff825460181c16151514610ea35780547fffffffffffffffffffffffffffffffffffffffffffffffffffffffff00ffffff1691151560181b63ff000000169190911790556040519182527fc29628d51a2962509a768b7a9d60bd993253f2b755249e64f0bba19c8d13f3e660203393a3005b827fcf711a5b000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657604065ffffffffffff610f336001549065ffffffffffff73ffffffffffffffffffffffffffffffffffffffff83169260a01c1690565b73ffffffffffffffffffffffffffffffffffffffff849392935193168352166020820152f35b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760015473ffffffffffffffffffffffffffffffffffffffff1633036110665760015460a081901c65ffffffffffff169073ffffffffffffffffffffffffffffffffffffffff168115801561105c575b6110305761100590610fff73ffffffffffffffffffffffffffffffffffffffff60025416614bd4565b50614af6565b50600180547fffffffffffff0000000000000000000000000000000000000000000000000000169055005b507f19ca5ebb000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b5042821015610fd6565b7fc22c8022000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760206110ca613319565b65ffffffffffff60405191168152f35b3461033657602060ff6110ff6110ef366130be565b915f526003855260405f20613d53565b16604051908152f35b346103365760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760043567ffffffffffffffff811161033657611157903690600401613090565b906111606134fc565b604051610220810181811067ffffffffffffffff8211176113ec576040525f815260208101915f835260408201935f855260608301915f835260808401915f835260a08501915f835260c08601915f83525f60e08801525f6101008801525f6101208801525f6101408801525f6101608801525f6101808801525f6101a08801527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff6101c088015f81525f6101e08a01526104406040519061122281836131a4565b3682376102008a015252601f8101906112db817fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe084169480604051976060808a01996040815289820160208201528560408b8301925f82850152015285848c377fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0607f7f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff08b60011c1601160101604052818d525261329d565b8952838a52116113b1576112ee9161329d565b602081018091116113b157835283518551146113e65783515b855181101561131f5761131a9085613e21565b611307565b5051859350156113de5751915b51907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa08201918083116113b1577f4ed387ca07ef8b4b76090cd892fb7718202781188374f563f7bbd529d8e893a8937fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f60609451928083850152011601030190a1005b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b505f9161132c565b83613de6565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b346103365760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657611450612fae565b6044359067ffffffffffffffff8211610336576114916114979161147a6020943690600401613090565b6004939193355f526003865260405f209384613bc2565b916135ea565b6040519060070b8152f35b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760206040515f8152f35b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610336576002548060d01c9081151580611556575b1561154c5760a01c65ffffffffffff165b6040805165ffffffffffff9283168152929091166020830152819081015b0390f35b50505f5f9061152a565b5042821015611519565b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657602060405160c88152f35b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657602060405160018152f35b346103365760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760243567ffffffffffffffff81116103365761162190369060040161300d565b9060443567ffffffffffffffff81116103365761164290369060040161300d565b908184036116c1576004355f52600360205260405f2091611662856131fd565b945f5b81811061167a57604051806115488982612fd1565b806116ab61168e610311600194868b61328d565b60ff6116a361169e85898b61328d565b61330b565b1690886135ea565b6116b5828a61324c565b9060070b905201611665565b50827fab8b67c6000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760206040517fe2b7fb3b832174769106daebcfd6d1970523240dda11281102db9363b83b0dc48152f35b346103365760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657611780612fae565b6004355f525f60205273ffffffffffffffffffffffffffffffffffffffff60405f2091165f52602052602060ff60405f2054166040519015158152f35b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657602073ffffffffffffffffffffffffffffffffffffffff60025416604051908152f35b346103365760a07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760043560243560443567ffffffffffffffff811161033657611863903690600401613090565b919060643567ffffffffffffffff811161033657611885903690600401613090565b93909160843573ffffffffffffffffffffffffffffffffffffffff811695868203610336576118b386613aa0565b9073ffffffffffffffffffffffffffffffffffffffff33165f52601b820160205260ff60405f20541615611a5e578860081c93600160ff8b161b91601d840196865f528760205260405f205492848416611a2e5792611929869361192260ff9b9a97948c9a976119c39a613d53565b9b85613bc2565b9788955f526020521760405f205574ffffffffffffffffffffffffffffffffffffffff008260081b16611971898390600160e09101918260031c01549160051b161c60030b90565b60030b907ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc851681175f52601c830160205260405f2091858354928315611a06575b1760061b60c0161b0190556135ea565b9360405197885216602087015216604085015260070b60608401527fb8bf3312282827c4f413d5589d95936fb81f2d679e575bd075ed3d5f323688a160803394a4005b7f800000000000000080000000000000008000000000000000800000000000000093506119b3565b8c8b7fb072726f000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b867f0a6c3de1000000000000000000000000000000000000000000000000000000005f526004523360245260445ffd5b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657611b64611ae87f0000000000000000000000000000000000000000000000000000000000000000614de1565b611b117f0000000000000000000000000000000000000000000000000000000000000000614de1565b6020611b7260405192611b2483856131a4565b5f84525f3681376040519586957f0f00000000000000000000000000000000000000000000000000000000000000875260e08588015260e0870190613145565b908582036040870152613145565b4660608501523060808501525f60a085015283810360c08501528180845192838152019301915f5b828110611ba957505050500390f35b835185528695509381019392810192600101611b9a565b3461033657610429611bd1366130be565b91611bdb81613aa0565b611be6338383613ae7565b613c73565b61310c565b346103365760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760043565ffffffffffff81169081810361033657611c3b613494565b611c4442614d99565b9165ffffffffffff611c54613319565b1680821115611db657507ff1038c18cf84a56e432fdbfaf746924b7ea511dfe03a6506a0ceba4888788d9b9265ffffffffffff826206978080611ca1951091180262069780181690613c55565b906002548060d01c80611d33575b50506002805473ffffffffffffffffffffffffffffffffffffffff1660a083901b79ffffffffffff0000000000000000000000000000000000000000161760d084901b7fffffffffffff0000000000000000000000000000000000000000000000000000161790556040805165ffffffffffff9283168152919092166020820152a1005b421115611d8c5779ffffffffffffffffffffffffffffffffffffffffffffffffffff7fffffffffffff00000000000000000000000000000000000000000000000000006001549260301b169116176001555b8380611caf565b507f2b1fa2edafe6f7b9e97c1a9e0c3660e645beb2dcaa2d45bdbf9beaf5472e1ec55f80a1611d85565b0365ffffffffffff81116113b1577ff1038c18cf84a56e432fdbfaf746924b7ea511dfe03a6506a0ceba4888788d9b92611ca19190613c55565b346103365760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760043573ffffffffffffffffffffffffffffffffffffffff811680910361033657611e48613494565b7f3377dc44241e779dd06afab5b788a35ca5f3b778836e2990bdb26a2a4b2e5ed66020611e85611e7742614d99565b611e7f613319565b90613c55565b600180547fffffffffffff00000000000000000000000000000000000000000000000000008116861760a084811b79ffffffffffff00000000000000000000000000000000000000001691909117909255901c65ffffffffffff16611ef6575b65ffffffffffff60405191168152a2005b7f8886ebfc4259abdbc16601dd8fb5678e54878f47b3c34836cfc51154a96051095f80a1611ee5565b3461033657602060ff6110ff611f34366130be565b915f526003855260405f20613bc2565b346103365760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610336575f60a0604051611f8281613188565b82815282602082015282604082015282606082015282608082015201526004355f52600360205260c060405f20601a81015460ff67ffffffffffffffff82169254918160405191611fd283613188565b85835267ffffffffffffffff602084019163ffffffff8160401c16835281604086019160601c16815263ffffffff606086019385891685528560a06080890198828c60101c168a52019960181c1615158952604051998a525116602089015251166040870152511660608501525116608083015251151560a0820152f35b346103365760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610336576004355f52600360205260405f2061209b61ffff8254166131fd565b905f5b82518110156120dd57806120c96001928490600160e09101918260031c01549160051b161c60030b90565b60030b6120d6828661324c565b520161209e565b604051806115488582612fd1565b346103365760e07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103365760043560243567ffffffffffffffff81116103365761213d90369060040161300d565b916044359073ffffffffffffffffffffffffffffffffffffffff8216808303610336576064359460c43560843561217385613aa0565b9781421161285157601a89019283549267ffffffffffffffff8460601c1680840361281e5750908787926121a88b838f613ae7565b6121b1886131e5565b6121be60405191826131a4565b8881526121ca896131e5565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe06020830191013682375f8a8f5b8183106127265750505060405190602082018093519091905f5b81811061270a57505050926122c9928261226d612300979473ffffffffffffffffffffffffffffffffffffffff9997037fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe081018352826131a4565b519020906040519160208301937fab7dddd88176818a9d6aa3aaec4b8a17acdcc06b0de5968d9ebc2beb594bc4e085526040840152606083015288608083015260a082015260a081526122c160c0826131a4565b519020614cb7565b907f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81169160ff601b60a43593821c011690614cf8565b505016036126da57600181018091116113b15773ffffffffffffffff0000000000000000000000007fffffffffffffffffffffffff0000000000000000ffffffffffffffffffffffff9160601b1691161790555f5b81811061235e57005b8461236a8284896132aa565b61237e6123778280613352565b3691613b5e565b602081519101207fca899ad4c78432cd2ce88eab910cf7c61259aab2a8b35d854d6d3edde7a9bb3b81145f146123cf5750600192916123c260206123c993016132ea565b878b613676565b01612355565b7fb970ad69cebc06f9a5b0e0e70a7741989248d3cba4946884b2567a7dd28e3b8a810361241657506001929161240a602061241193016132ea565b878b6137cb565b6123c9565b7f870fb7fa2b496db062293e109c6738ed491c5776a618831e7942b9db1945deda8103612458575060019291612451602061241193016132ea565b878b6139e3565b7f21260f9da7095168508170304b50b1a33c73fe60e7423d15f88e00dfab9716cd810361249a575060019291612493602061241193016132ea565b878b6138f9565b9091507f7d3145813cb7dd511c85a8fecfb6b8f6354c6b69c8c2449bd7141be60864941a81036124fb575090612411826124d960406001950182613352565b6124f360806124ec6060869596016133a3565b930161330b565b92898d614a03565b7f89f73de16abe7409be716bb6a2e5d4e5999c28347a635911fb3546ea6376e3cd810361253f5750906124116125378360406001950190613352565b90878b613c73565b7fc65fed098fd509a78cd2217b0cf6480b4ad3e9fe46413475ad6f528b6d0953948103612605575050600160ff885460181c161515146125d95760019063010000007fffffffffffffffffffffffffffffffffffffffffffffffffffffffff00ffffff89541617885583857fc29628d51a2962509a768b7a9d60bd993253f2b755249e64f0bba19c8d13f3e66020604051868152a36123c9565b837fcf711a5b000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b7fcb5bef8d2479be5f7e48ffc64f3076d53765d247628c7ebda58fe1246cb93b4003612693575060ff875460181c16156125d9576001907fffffffffffffffffffffffffffffffffffffffffffffffffffffffff00ffffff885416885583857fc29628d51a2962509a768b7a9d60bd993253f2b755249e64f0bba19c8d13f3e660206040515f8152a36123c9565b8061269d91613352565b6106766040519283927f15578f3e0000000000000000000000000000000000000000000000000000000084526020600485015260248401916133b4565b84867f877ed04a000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b825184528e99508f975060209384019390920191600101612212565b82939597985060019496509061273c92916132aa565b6127496123778280613352565b602081519101209060ff6127636123776040840184613352565b6020815191012063ffffffff61277b602085016132ea565b93612794608061278d606084016133a3565b920161330b565b9273ffffffffffffffffffffffffffffffffffffffff6040519660208801987f42b5e05ec5efa94d0a90460871150a53fe517208ba612e1e5834dfc799e4ced68a52604089015216606087015260808601521660a08401521660c082015260c0815261280160e0826131a4565b51902061280e828661324c565b520191899493918b938a8f6121f8565b83897f51ec0fcb000000000000000000000000000000000000000000000000000000005f5260045260245260445260645ffd5b507f72ceb1ef000000000000000000000000000000000000000000000000000000005f526004524260245260445ffd5b346103365760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610336576004356128bb612fae565b8115806129d5575b612916575b3373ffffffffffffffffffffffffffffffffffffffff8216036128ee5761042991614c41565b7f6697b232000000000000000000000000000000000000000000000000000000005f5260045ffd5b60015465ffffffffffff60a082901c169073ffffffffffffffffffffffffffffffffffffffff16158015906129c5575b80156129b3575b61297f57507fffffffffffff000000000000ffffffffffffffffffffffffffffffffffffffff600154166001556128c8565b65ffffffffffff907f19ca5ebb000000000000000000000000000000000000000000000000000000005f521660045260245ffd5b504265ffffffffffff8216101561294d565b5065ffffffffffff811615612946565b5073ffffffffffffffffffffffffffffffffffffffff6002541673ffffffffffffffffffffffffffffffffffffffff8216146128c3565b346103365760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657600435612a46612fae565b8115610d595781612a68610d4f610429945f525f602052600160405f20015490565b614b60565b3461033657612a7b3661303e565b90915f52600360205260405f2091612a92826131e5565b92612aa060405194856131a4565b828452612aac836131e5565b927fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0602086019401368537601d5f9201915b818110612b2b578486604051918291602083019060208452518091526040830191905f5b818110612b10575050500390f35b82511515845285945060209384019390920191600101612b02565b80600180612b3b8194868961328d565b358060081c5f528660205260ff60405f205491161c1614612b5c828961324c565b5201612ade565b346103365760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657610429600435612ba0612fae565b612ba982613aa0565b91612bb5338285613ae7565b33926137cb565b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610336576020604051637fffffff8152f35b346103365760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610336576020612c406004355f525f602052600160405f20015490565b604051908152f35b346103365760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657610429600435612c85612fae565b612c8e82613aa0565b91612c9a338285613ae7565b3392613676565b346103365760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657612cd8612fae565b6004355f52600360205260405f20612cf660ff825460101c166131fd565b915f5b8351811015612d265780612d1060019284866135ea565b612d1a828761324c565b9060070b905201612cf9565b604051806115488682612fd1565b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657602060405160028152f35b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657612da3613494565b6002548060d01c80612dce575b6002805473ffffffffffffffffffffffffffffffffffffffff169055005b421115612e275779ffffffffffffffffffffffffffffffffffffffffffffffffffff7fffffffffffff00000000000000000000000000000000000000000000000000006001549260301b169116176001555b8080612db0565b507f2b1fa2edafe6f7b9e97c1a9e0c3660e645beb2dcaa2d45bdbf9beaf5472e1ec55f80a1612e20565b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610336576020604051620697808152f35b346103365760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657600435907fffffffff00000000000000000000000000000000000000000000000000000000821680920361033657817fae59d20c0000000000000000000000000000000000000000000000000000000060209314908115612f1e575b5015158152f35b7f3149878600000000000000000000000000000000000000000000000000000000811491508115612f51575b5083612f17565b7f7965db0b00000000000000000000000000000000000000000000000000000000811491508115612f84575b5083612f4a565b7f01ffc9a70000000000000000000000000000000000000000000000000000000091501483612f7d565b6024359073ffffffffffffffffffffffffffffffffffffffff8216820361033657565b60206040818301928281528451809452019201905f5b818110612ff45750505090565b825160070b845260209384019390920191600101612fe7565b9181601f840112156103365782359167ffffffffffffffff8311610336576020808501948460051b01011161033657565b9060407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc83011261033657600435916024359067ffffffffffffffff82116103365761308c9160040161300d565b9091565b9181601f840112156103365782359167ffffffffffffffff8311610336576020838186019501011161033657565b9060407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc83011261033657600435916024359067ffffffffffffffff82116103365761308c91600401613090565b34610336575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261033657602060405160408152f35b907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f602080948051918291828752018686015e5f8582860101520116010190565b60c0810190811067ffffffffffffffff8211176113ec57604052565b90601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0910116810190811067ffffffffffffffff8211176113ec57604052565b67ffffffffffffffff81116113ec5760051b60200190565b90613207826131e5565b61321460405191826131a4565b8281527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe061324282946131e5565b0190602036910137565b80518210156132605760209160051b010190565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b91908110156132605760051b0190565b919082018092116113b157565b91908110156132605760051b810135907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff6181360301821215610336570190565b3573ffffffffffffffffffffffffffffffffffffffff811681036103365790565b3560ff811681036103365790565b6002548060d01c8015159081613348575b501561333e5760a01c65ffffffffffff1690565b5060015460d01c90565b905042115f61332a565b9035907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe181360301821215610336570180359067ffffffffffffffff82116103365760200191813603831361033657565b3563ffffffff811681036103365790565b601f82602094937fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe093818652868601375f8582860101520116010190565b90357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18236030181121561033657016020813591019167ffffffffffffffff821161033657813603831361033657565b916020908281520191905f905b80821061345c5750505090565b90919283359073ffffffffffffffffffffffffffffffffffffffff82168092036103365760208160019382935201940192019061344f565b335f9081527fad3228b676f7d3cd4284a5443f17f1962b36e491b30a40b2405849e597ba5fb5602052604090205460ff16156134cc57565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f52336004525f60245260445ffd5b335f9081527ffaf93c3d007e112089dc8351e013e6685ef67703975d0224b26fc45941d4f1f5602052604090205460ff161561353457565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f52336004527fe2b7fb3b832174769106daebcfd6d1970523240dda11281102db9363b83b0dc460245260445ffd5b805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260ff60405f205416156135bb5750565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f523360045260245260445ffd5b601c9174ffffffffffffffffffffffffffffffffffffffff0060fc85169160081b16175f520160205260405f205480156136635760c067ffffffffffffffff9260061b161c167fffffffffffffffffffffffffffffffffffffffffffffffff800000000000000081019081136001166113b15760070b90565b50505f90565b919082039182116113b157565b929173ffffffffffffffffffffffffffffffffffffffff16918215610a1957601b840193835f528460205260405f20549060016002831615151461379a57601a019063ffffffff825460401c1692600184018094116113b157600260ff73ffffffffffffffffffffffffffffffffffffffff9361375560209663ffffffff897fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c9a50167fffffffffffffffffffffffffffffffffffffffff00000000ffffffffffffffff6bffffffff000000000000000083549260401b169116179055565b161896865f52835260405f2060ff88167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0082541617905560ff604051971687521694a4565b5050507f80cec299000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b929173ffffffffffffffffffffffffffffffffffffffff16918215610a1957601b840193835f528460205260405f205490600282161561379a57601a019063ffffffff825460401c1692600184146138cd577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff84019384116113b157600260ff73ffffffffffffffffffffffffffffffffffffffff9361375560209663ffffffff897fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c9a50167fffffffffffffffffffffffffffffffffffffffff00000000ffffffffffffffff6bffffffff000000000000000083549260401b169116179055565b847fc3ff1d51000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b9173ffffffffffffffffffffffffffffffffffffffff16918215610a1957601b0192825f528360205260405f205460018116156139b35773ffffffffffffffffffffffffffffffffffffffff7fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c92600160ff602094161896865f52835260405f2060ff88167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0082541617905560ff604051971687521694a4565b50507f80cec299000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b9173ffffffffffffffffffffffffffffffffffffffff16918215610a1957601b0192825f528360205260405f205460018082161515146139b35773ffffffffffffffffffffffffffffffffffffffff7fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c92600160ff602094161896865f52835260405f2060ff88167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0082541617905560ff604051971687521694a4565b90815f52600360205260405f209161ffff83541615613abc5750565b7f4cf6b27c000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b601b9073ffffffffffffffffffffffffffffffffffffffff84165f5201602052600260405f20541615613b18575050565b73ffffffffffffffffffffffffffffffffffffffff92507f0e25346d000000000000000000000000000000000000000000000000000000005f526004521660245260445ffd5b92919267ffffffffffffffff82116113ec5760405191613ba6601f82017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe016602001846131a4565b829481845281830111610336578281602093845f960137010152565b601f90613bd0368585613b5e565b602081519101205f520160205260405f2054918215613c185750507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81019081116113b15790565b6106766040519283927fb1d68bd40000000000000000000000000000000000000000000000000000000084526020600485015260248401916133b4565b9065ffffffffffff8091169116019065ffffffffffff82116113b157565b92909260ff815460101c169060408214613d1c57613c9383858484614979565b60018201938483116113b157613cfe613d179260ff7fb91b22d6009eaebf777d8bff6809223fba12134e654f0e8df37ff89fc4a7987f97167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00ffff62ff000083549260101b169116179055565b60405193849384526040602085015260408401916133b4565b0390a2565b50600181018091116113b1577f7e75e0e3000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b601e90613d61368585613b5e565b602081519101205f520160205260405f2054918215613da95750507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81019081116113b15790565b6106766040519283927f2d7adb370000000000000000000000000000000000000000000000000000000084526020600485015260248401916133b4565b60c08101519051613df691613669565b7f86fbb3af000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b9190613e33908060c085015283614e38565b906080811615158281614822575b508290600f831692600384141580614817575b614801575b613e639087615005565b801580928115916147f9575b506145c5575b505050600181036140515750613e8b9083615446565b90918161010085015190601c820192601d61020088015193016101c0880180515f528160205260405f2054947fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff6101408b0151019060808b01975b8a816020525b613f92575b8b8b15613f6057898c8c613f2a938c60168d843596519260ff808960581c169860501c16966001811901911616151594030401906154bf565b613ee6577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8b01909a1699601690990198613ee6565b50505050601694929750515f5260205260405f20558303048151019052915b60208101518311613f8d5750565b613de6565b8a5f9b9a989b038a169a8835809b8d86600484604e1c0160e06103e082168901519160031b161c60030b9360141a1183151790841617614046578d601691189d8e93179a019b7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8160581c165f5260405f2091825491821561401e575b60521c60c0161b019055613eec565b7f8000000000000000800000000000000080000000000000008000000000000000925061400f565b9c5050979950613ef1565b91929160020361430e57614065908261548a565b9290916101e0810184815261020082015191601d610100820151016101c08201515f5260205260405f205494863590600160ff8360501c1601945f9160165f9a01967fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff610140870151019360808701945b5b899b8a3560046001825f1a1b9160ee1c0160e06103e082168901519160031b161c60030b90838a60141a11821517818416176142f4575b906002917fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff931794019b0193019b8c1561414e575b509a9198909a6140d7565b9b9196937fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff906040610400889d94969d017ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8860581c16815220805484158117156142cd575b8460c08960521c161b019055019384156141e1575050505f973594601860018760151a019b01915f614143565b96919b5098915b831561426a5761425183358a5188519060166001897ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe84013560f01c0301029087030360011c019060ff8a60581c169160018660ff8460f01c169360f81c1c161515908c6154bf565b15614261575b9a9198909a6140d6565b9b50819b614257565b50959a509798505050935050601d610100870151016101c08701515f5260205260405f20555181519060167ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe82013560f01c029084030360011c01905291613f7f565b507f80000000000000008000000000000000800000000000000080000000000000006141b4565b50508d8b03614304575f8061410e565b9199929b506141e8565b614318908261548a565b9190926101e082019383855261020083015194601d61010085015101928535600160ff8260501c1601935f9760165f9101907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff6101408a0151016104008c019360808b01955b8a6020525b8d859d863560081c5f5260405f2080549260018901359060e06004600184601e1a1b9360021b01916103e0831601519160031b161c60030b93878660141a11851517828216176145a4575b1790556021969096019a9501947fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff019182614599577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff907ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8360581c1688526040882080548815811715614572575b8860c08660521c161b0190550194851561448f575050505f973597603760018a60151a019c01925b9293909b98614383565b919c5098925b84156145265761450f8b8d8c60ff60018e8b60218f8d90601686833596519251957ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe84013560f01c0301029103030401958160081c5f526020528260405f205491161c1615159160581c1692602089013560f81c926154bf565b1561451f575b9293909b9861437e565b5082614515565b505050979950505093509450905051602182519160167ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe82013560f01c02908503030401905291613f7f565b507f800000000000000080000000000000008000000000000000800000000000000061445d565b94919c509892614485565b9350508688036145b7575f9283906143ce565b50929594919a9d5050614495565b6145d0858589615052565b939093926020890191825186116147f357816146b8575b506146af575b816145f85750613e75565b9194509194959250608083019060608401938560a08201965b61461f575050505050505090565b8351906001820185528587519289511561465f575b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff9301530180614611565b9050600189526146728551855190613669565b60011c90602082018092116113b1577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff9388923682379350614634565b600991506145ed565b60209150806147215f9260408d0151018c519003828903902060e08d01519060405190868201927fa92570d1af1d946ccaa12d6bfa651b8557e6c757b0d87bf5c4894beceffd3b58845260408301528b60608301526080820152608081526122c160a0826131a4565b604080519182527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe083013560ff81811c601b011660208401527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc090930135908201527f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff90911660608201528060808101838052039060015afa156147e8575f5173ffffffffffffffffffffffffffffffffffffffff806101808b015116911614155f6145e7565b6040513d5f823e3d90fd5b89613de6565b90505f613e6f565b843560081c6101c0880152601f90940193613e59565b506040811615613e54565b60400192505f613e41565b508015801561486e575b61483e5750565b7f42f722aa000000000000000000000000000000000000000000000000000000005f52600452604060245260445ffd5b5060408111614837565b92909391959495614889828261482d565b8215801561496c575b6149405760018711614914576148a9913691613b5e565b6020815191012094601e8301865f528060205260405f2054151596600186018096116113b1575f526020528360405f2055155f146148f85760e090915b8360031c019260051b161b8154179055565b6401000000000364010000000081116113b15760e090916148e6565b867fd1952305000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b827fc2f35e87000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b50637fffffff8311614892565b909291614986838261482d565b601f614993368584613b5e565b60208151910120920192825f528360205260405f20546149c6575050600183018093116113b1575f5260205260405f2055565b6106766040519283927f69fee1e60000000000000000000000000000000000000000000000000000000084526020600485015260248401916133b4565b92939194909483549261ffff84169060c88214614abf5763ffffffff169260ff1691614a3383858984868b614878565b50600182018092116113b1577fc9d7483bbb073f9578c510bb66a72ff2619bf615e64d1221a29f2da5fc0d12fc9660ff9661ffff80614aaf9516167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00008254161790556040519687961686526080602087015260808601916133b4565b91604084015260608301520390a2565b50600181018091116113b1577f8c9afd4c000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b6002549073ffffffffffffffffffffffffffffffffffffffff8216610d5957614b5d917fffffffffffffffffffffffff000000000000000000000000000000000000000073ffffffffffffffffffffffffffffffffffffffff83169116176002555f615189565b90565b908115614b71575b614b5d91615189565b6002549173ffffffffffffffffffffffffffffffffffffffff8316610d59577fffffffffffffffffffffffff000000000000000000000000000000000000000090921673ffffffffffffffffffffffffffffffffffffffff821617600255614b68565b614b5d9073ffffffffffffffffffffffffffffffffffffffff6002541673ffffffffffffffffffffffffffffffffffffffff821614614c14575b5f615255565b7fffffffffffffffffffffffff000000000000000000000000000000000000000060025416600255614c0e565b90614b5d91801580614c80575b15615255577fffffffffffffffffffffffff000000000000000000000000000000000000000060025416600255615255565b5073ffffffffffffffffffffffffffffffffffffffff6002541673ffffffffffffffffffffffffffffffffffffffff831614614c4e565b604290614cc261531d565b90604051917f19010000000000000000000000000000000000000000000000000000000000008352600283015260228201522090565b90917f7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a08411614d8e5790614d516020945f9493604051948594859094939260ff6060936080840197845216602083015260408201520152565b838052039060015afa156147e8575f5173ffffffffffffffffffffffffffffffffffffffff811615614d8457905f905f90565b505f906001905f90565b5050505f9160039190565b65ffffffffffff8111614db15765ffffffffffff1690565b7f6dfcc650000000000000000000000000000000000000000000000000000000005f52603060045260245260445ffd5b60ff811690601f8211614e105760405191614dfd6040846131a4565b6020808452838101919036833783525290565b7fb3512b0c000000000000000000000000000000000000000000000000000000005f5260045ffd5b600182019291803560f81c9190600f831680158015614ffb575b614ff5576040841615159081614fa2575b50614f7a57603083166030811480614f94575b614f8d57151580614f80575b614f7a576010831615614ef1575b506020821615614edb575b601b6101008201510173ffffffffffffffffffffffffffffffffffffffff8061018084015116165f526020526101a060ff60405f20541615159101529190565b92806014913560601c6101808601520192614e9b565b9360219035948560e084015201935f52600360205260ff60405f2061020083015190610400368337601c81016104208301528054917fffffffffffffffffffffffffffffffffffffffffffffffffffffffff000000008316905261010084015261ffff8116610120840152818160101c1661014084015260181c1615156101608201525f614e90565b50613de6565b5061010082015115614e82565b5050509190565b506101008301511515614e76565b60039150148015614fe9575b8015614fbb575b5f614e63565b507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff6101c083015114614fb5565b50608083161515614fae565b82613de6565b5060038111614e52565b6101208101511561504b576101a08101511561504457610160015115159081615038575b501561503457600890565b5f90565b6080915016155f615029565b5050600390565b5050600290565b9092915f93600181146150cd5761507391906002036150c55760029261548a565b91815b6150805750509190565b909391600181601660ff7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff943560501c16918584840102010194010194019081615076565b60219261548a565b507e0100010001000100010001000100010001000100010001000100010001000193506150f991615446565b92907f55555555555555555555555555555555555555555555555555555555555555558160011c1690037f3333333333333333333333333333333333333333333333333333333333333333808260021c169116018060041c017e0f000f000f000f000f000f000f000f000f000f000f000f000f000f000f000f808260081c169116010260f01c9160168302019190565b805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260ff60405f205416155f1461366357805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260405f2060017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0082541617905573ffffffffffffffffffffffffffffffffffffffff339216907f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d5f80a4600190565b805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260ff60405f2054165f1461366357805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260405f207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00815416905573ffffffffffffffffffffffffffffffffffffffff339216907ff6391f5c32d9c69d2a47ea670b442974b53935d1edc7fd64eb21e047a839171b5f80a4600190565b73ffffffffffffffffffffffffffffffffffffffff7f00000000000000000000000000000000000000000000000000000000000000001630148061541d575b15615385577f000000000000000000000000000000000000000000000000000000000000000090565b60405160208101907f8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f82527f000000000000000000000000000000000000000000000000000000000000000060408201527f000000000000000000000000000000000000000000000000000000000000000060608201524660808201523060a082015260a0815261541760c0826131a4565b51902090565b507f0000000000000000000000000000000000000000000000000000000000000000461461535c565b91909182359060ff8260f01c16916020838260f81c0111614f7a576107f86002860135818360ed1c16610100031c9160f51c161b908115613f8d5750920160020190565b91813560f01c92600283019284159081156154a8575b50613f8d5750565b90506002602083015191601887020101115f6154a0565b9390916155c35761012084015183101561557357610140840151111561552457507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe060016102006101008501519401519201928360031c01549260021b160152600190565b905060608201519160a08101805115615543575b505060059101535f90565b600190526020810151905161555791613669565b60011c91602083018093116113b157600592368237915f615538565b50905060608201519160a08101805115615593575b505060049101535f90565b60019052602081015190516155a791613669565b60011c91602083018093116113b157600492368237915f615588565b50905060608201519160a081018051156155e3575b505060019101535f90565b60019052602081015190516155f791613669565b60011c91602083018093116113b157600192368237915f6155d856"
