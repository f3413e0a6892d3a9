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

// IScoreRegistryProjectInfo is an auto generated low-level Go binding around an user-defined struct.
type IScoreRegistryProjectInfo struct {
	CreatedBlock   uint64
	OwnerCount     uint32
	MemberCount    uint32
	ActionCount    uint8
	ScoreTypeCount uint8
	SignedOnly     bool
}

// ScoreRegistryMetaData contains all meta data concerning the ScoreRegistry contract.
var ScoreRegistryMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[{\"internalType\":\"uint48\",\"name\":\"adminDelay\",\"type\":\"uint48\"},{\"internalType\":\"address\",\"name\":\"admin\",\"type\":\"address\"},{\"internalType\":\"address[]\",\"name\":\"relayers\",\"type\":\"address[]\"}],\"stateMutability\":\"nonpayable\",\"type\":\"constructor\"},{\"inputs\":[],\"name\":\"AccessControlBadConfirmation\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint48\",\"name\":\"schedule\",\"type\":\"uint48\"}],\"name\":\"AccessControlEnforcedDefaultAdminDelay\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"AccessControlEnforcedDefaultAdminRules\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"defaultAdmin\",\"type\":\"address\"}],\"name\":\"AccessControlInvalidDefaultAdmin\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"},{\"internalType\":\"bytes32\",\"name\":\"neededRole\",\"type\":\"bytes32\"}],\"name\":\"AccessControlUnauthorizedAccount\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"count\",\"type\":\"uint256\"}],\"name\":\"ActionCount\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"offset\",\"type\":\"uint256\"}],\"name\":\"BadFraming\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"DuplicateAction\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"DuplicateMember\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"DuplicateScoreType\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32\",\"name\":\"updateId\",\"type\":\"bytes32\"}],\"name\":\"DuplicateUpdate\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"direction\",\"type\":\"uint256\"}],\"name\":\"InvalidDirection\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidShortString\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"}],\"name\":\"LastOwner\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"first\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"second\",\"type\":\"uint256\"}],\"name\":\"LengthMismatch\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"named\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"members\",\"type\":\"uint256\"}],\"name\":\"MembersMissing\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"length\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"max\",\"type\":\"uint256\"}],\"name\":\"NameLength\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"NoOwner\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"NotMember\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"NotOwner\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"points\",\"type\":\"uint256\"}],\"name\":\"PointsOutOfRange\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"}],\"name\":\"ProjectExists\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"RoleUnchanged\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint8\",\"name\":\"bits\",\"type\":\"uint8\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"SafeCastOverflowedUintDowncast\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"count\",\"type\":\"uint256\"}],\"name\":\"ScoreTypeCount\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"}],\"name\":\"SignedOnlyUnchanged\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"string\",\"name\":\"str\",\"type\":\"string\"}],\"name\":\"StringTooLong\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"count\",\"type\":\"uint256\"}],\"name\":\"TooManyMembers\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"UnknownAction\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"}],\"name\":\"UnknownProject\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"UnknownScoreType\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"ZeroMember\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"indexed\":false,\"internalType\":\"uint8\",\"name\":\"index\",\"type\":\"uint8\"},{\"indexed\":false,\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"},{\"indexed\":false,\"internalType\":\"uint32\",\"name\":\"points\",\"type\":\"uint32\"},{\"indexed\":false,\"internalType\":\"uint8\",\"name\":\"direction\",\"type\":\"uint8\"}],\"name\":\"ActionAdded\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":false,\"internalType\":\"bytes\",\"name\":\"data\",\"type\":\"bytes\"},{\"indexed\":false,\"internalType\":\"bytes\",\"name\":\"outcomes\",\"type\":\"bytes\"}],\"name\":\"BatchApplied\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[],\"name\":\"DefaultAdminDelayChangeCanceled\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":false,\"internalType\":\"uint48\",\"name\":\"newDelay\",\"type\":\"uint48\"},{\"indexed\":false,\"internalType\":\"uint48\",\"name\":\"effectSchedule\",\"type\":\"uint48\"}],\"name\":\"DefaultAdminDelayChangeScheduled\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[],\"name\":\"DefaultAdminTransferCanceled\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"newAdmin\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint48\",\"name\":\"acceptSchedule\",\"type\":\"uint48\"}],\"name\":\"DefaultAdminTransferScheduled\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[],\"name\":\"EIP712DomainChanged\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint8\",\"name\":\"roles\",\"type\":\"uint8\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"changedBy\",\"type\":\"address\"}],\"name\":\"MemberChanged\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"indexed\":false,\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"},{\"components\":[{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"},{\"internalType\":\"uint32\",\"name\":\"points\",\"type\":\"uint32\"},{\"internalType\":\"uint8\",\"name\":\"direction\",\"type\":\"uint8\"}],\"indexed\":false,\"internalType\":\"structIScoreRegistry.Action[]\",\"name\":\"actions\",\"type\":\"tuple[]\"},{\"indexed\":false,\"internalType\":\"address[]\",\"name\":\"owners\",\"type\":\"address[]\"},{\"indexed\":false,\"internalType\":\"address[]\",\"name\":\"updaters\",\"type\":\"address[]\"},{\"indexed\":false,\"internalType\":\"string[]\",\"name\":\"scoreTypes\",\"type\":\"string[]\"},{\"indexed\":false,\"internalType\":\"bool\",\"name\":\"signedOnly\",\"type\":\"bool\"}],\"name\":\"ProjectCreated\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"previousAdminRole\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"newAdminRole\",\"type\":\"bytes32\"}],\"name\":\"RoleAdminChanged\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"sender\",\"type\":\"address\"}],\"name\":\"RoleGranted\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"sender\",\"type\":\"address\"}],\"name\":\"RoleRevoked\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"indexed\":false,\"internalType\":\"uint8\",\"name\":\"index\",\"type\":\"uint8\"},{\"indexed\":false,\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"ScoreTypeAdded\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"target\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"signer\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"bytes32\",\"name\":\"updateId\",\"type\":\"bytes32\"},{\"indexed\":false,\"internalType\":\"uint8\",\"name\":\"action\",\"type\":\"uint8\"},{\"indexed\":false,\"internalType\":\"uint8\",\"name\":\"scoreType\",\"type\":\"uint8\"},{\"indexed\":false,\"internalType\":\"int64\",\"name\":\"score\",\"type\":\"int64\"}],\"name\":\"ScoreUpdated\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"indexed\":false,\"internalType\":\"bool\",\"name\":\"signedOnly\",\"type\":\"bool\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"changedBy\",\"type\":\"address\"}],\"name\":\"SignedOnlySet\",\"type\":\"event\"},{\"inputs\":[],\"name\":\"DEFAULT_ADMIN_ROLE\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"MAX_ACTIONS\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"MAX_MEMBERS\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"MAX_NAME_BYTES\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"MAX_POINTS\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"MAX_PROJECT_NAME_BYTES\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"MAX_SCORE_TYPES\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"OWNER\",\"outputs\":[{\"internalType\":\"uint8\",\"name\":\"\",\"type\":\"uint8\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"RELAYER_ROLE\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"UPDATER\",\"outputs\":[{\"internalType\":\"uint8\",\"name\":\"\",\"type\":\"uint8\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"acceptDefaultAdminTransfer\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"components\":[{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"},{\"internalType\":\"uint32\",\"name\":\"points\",\"type\":\"uint32\"},{\"internalType\":\"uint8\",\"name\":\"direction\",\"type\":\"uint8\"}],\"internalType\":\"structIScoreRegistry.Action\",\"name\":\"action\",\"type\":\"tuple\"}],\"name\":\"addAction\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"addOwner\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"addScoreType\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"addUpdater\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes\",\"name\":\"data\",\"type\":\"bytes\"}],\"name\":\"applyBatch\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"newAdmin\",\"type\":\"address\"}],\"name\":\"beginDefaultAdminTransfer\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"cancelDefaultAdminTransfer\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint48\",\"name\":\"newDelay\",\"type\":\"uint48\"}],\"name\":\"changeDefaultAdminDelay\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"},{\"components\":[{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"},{\"internalType\":\"uint32\",\"name\":\"points\",\"type\":\"uint32\"},{\"internalType\":\"uint8\",\"name\":\"direction\",\"type\":\"uint8\"}],\"internalType\":\"structIScoreRegistry.Action[]\",\"name\":\"actions\",\"type\":\"tuple[]\"},{\"internalType\":\"address[]\",\"name\":\"owners\",\"type\":\"address[]\"},{\"internalType\":\"address[]\",\"name\":\"updaters\",\"type\":\"address[]\"},{\"internalType\":\"string[]\",\"name\":\"scoreTypes\",\"type\":\"string[]\"},{\"internalType\":\"bool\",\"name\":\"signedOnly\",\"type\":\"bool\"}],\"name\":\"createProject\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"defaultAdmin\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"defaultAdminDelay\",\"outputs\":[{\"internalType\":\"uint48\",\"name\":\"\",\"type\":\"uint48\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"defaultAdminDelayIncreaseWait\",\"outputs\":[{\"internalType\":\"uint48\",\"name\":\"\",\"type\":\"uint48\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"eip712Domain\",\"outputs\":[{\"internalType\":\"bytes1\",\"name\":\"fields\",\"type\":\"bytes1\"},{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"},{\"internalType\":\"string\",\"name\":\"version\",\"type\":\"string\"},{\"internalType\":\"uint256\",\"name\":\"chainId\",\"type\":\"uint256\"},{\"internalType\":\"address\",\"name\":\"verifyingContract\",\"type\":\"address\"},{\"internalType\":\"bytes32\",\"name\":\"salt\",\"type\":\"bytes32\"},{\"internalType\":\"uint256[]\",\"name\":\"extensions\",\"type\":\"uint256[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"getActionIndex\",\"outputs\":[{\"internalType\":\"uint8\",\"name\":\"\",\"type\":\"uint8\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"}],\"name\":\"getActions\",\"outputs\":[{\"internalType\":\"int64[]\",\"name\":\"deltas\",\"type\":\"int64[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"}],\"name\":\"getProject\",\"outputs\":[{\"components\":[{\"internalType\":\"uint64\",\"name\":\"createdBlock\",\"type\":\"uint64\"},{\"internalType\":\"uint32\",\"name\":\"ownerCount\",\"type\":\"uint32\"},{\"internalType\":\"uint32\",\"name\":\"memberCount\",\"type\":\"uint32\"},{\"internalType\":\"uint8\",\"name\":\"actionCount\",\"type\":\"uint8\"},{\"internalType\":\"uint8\",\"name\":\"scoreTypeCount\",\"type\":\"uint8\"},{\"internalType\":\"bool\",\"name\":\"signedOnly\",\"type\":\"bool\"}],\"internalType\":\"structIScoreRegistry.ProjectInfo\",\"name\":\"\",\"type\":\"tuple\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"}],\"name\":\"getRoleAdmin\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address[]\",\"name\":\"accounts\",\"type\":\"address[]\"}],\"name\":\"getRoles\",\"outputs\":[{\"internalType\":\"uint8[]\",\"name\":\"roles\",\"type\":\"uint8[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"wallet\",\"type\":\"address\"},{\"internalType\":\"string\",\"name\":\"scoreType\",\"type\":\"string\"}],\"name\":\"getScore\",\"outputs\":[{\"internalType\":\"int64\",\"name\":\"\",\"type\":\"int64\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"getScoreTypeIndex\",\"outputs\":[{\"internalType\":\"uint8\",\"name\":\"\",\"type\":\"uint8\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address[]\",\"name\":\"wallets\",\"type\":\"address[]\"},{\"internalType\":\"uint8[]\",\"name\":\"scoreTypes\",\"type\":\"uint8[]\"}],\"name\":\"getScores\",\"outputs\":[{\"internalType\":\"int64[]\",\"name\":\"scores\",\"type\":\"int64[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32[]\",\"name\":\"updateIds\",\"type\":\"bytes32[]\"}],\"name\":\"getUsed\",\"outputs\":[{\"internalType\":\"bool[]\",\"name\":\"used\",\"type\":\"bool[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"wallet\",\"type\":\"address\"}],\"name\":\"getWalletScores\",\"outputs\":[{\"internalType\":\"int64[]\",\"name\":\"scores\",\"type\":\"int64[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"grantRole\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"hasRole\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"owner\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"pendingDefaultAdmin\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"newAdmin\",\"type\":\"address\"},{\"internalType\":\"uint48\",\"name\":\"schedule\",\"type\":\"uint48\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"pendingDefaultAdminDelay\",\"outputs\":[{\"internalType\":\"uint48\",\"name\":\"newDelay\",\"type\":\"uint48\"},{\"internalType\":\"uint48\",\"name\":\"schedule\",\"type\":\"uint48\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"removeOwner\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"removeUpdater\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"renounceRole\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"revokeRole\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"rollbackDefaultAdminDelay\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"bool\",\"name\":\"signedOnly\",\"type\":\"bool\"},{\"internalType\":\"address[]\",\"name\":\"members\",\"type\":\"address[]\"}],\"name\":\"setSignedOnly\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes4\",\"name\":\"interfaceId\",\"type\":\"bytes4\"}],\"name\":\"supportsInterface\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"updateId\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"string\",\"name\":\"actionName\",\"type\":\"string\"},{\"internalType\":\"string\",\"name\":\"scoreType\",\"type\":\"string\"},{\"internalType\":\"address\",\"name\":\"targetWallet\",\"type\":\"address\"}],\"name\":\"updateScore\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"}]",
	ID:  "ScoreRegistry",
	Bin: "0x610160806040523461026e576156ce803803809161001d8285610286565b833981019060608183031261026e5780519065ffffffffffff8216820361026e5761004a602082016102a9565b604082015190916001600160401b03821161026e57019280601f8501121561026e578351936001600160401b038511610272578460051b90604051956100936020840188610286565b865260208087019282010192831161026e57602001905b828210610256575050506040516100c2604082610286565b6008815260208101906753636f72656c617960c01b8252604051936100e8604086610286565b60018552603160f81b60208601908152936001600160a01b0381161561024357600180546001600160d01b031660d09390931b6001600160d01b03191692909217909155610135906102bd565b5061013f8161032f565b6101205261014c8461032f565b61014052519020918260e05251902080610100524660a0526040519060208201927f8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f8452604083015260608201524660808201523060a082015260a081526101b560c082610286565b5190206080523060c0525f5b81518110156101f257600581901b820160200151600191906101eb906001600160a01b0316610305565b50016101c1565b6040516152ab90816104238239608051816151c8015260a05181615285015260c05181615199015260e051816152170152610100518161523d01526101205181611db101526101405181611dda0152f35b636116401160e11b5f525f60045260245ffd5b60208091610263846102a9565b8152019101906100aa565b5f80fd5b634e487b7160e01b5f52604160045260245ffd5b601f909101601f19168101906001600160401b0382119082101761027257604052565b51906001600160a01b038216820361026e57565b600254906001600160a01b0382166102f6576001600160a01b03199091166001600160a01b038216176002556102f3905f61039a565b90565b631fe1e13d60e11b5f5260045ffd5b6102f3907fe2b7fb3b832174769106daebcfd6d1970523240dda11281102db9363b83b0dc461039a565b601f81511161035a57602081519101516020821061034b571790565b5f198260200360031b1b161790565b604460209160405192839163305a27a960e01b83528160048401528051918291826024860152018484015e5f828201840152601f01601f19168101030190fd5b5f818152602081815260408083206001600160a01b038616845290915290205460ff1661041c575f818152602081815260408083206001600160a01b0395909516808452949091528120805460ff19166001179055339291907f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d9080a4600190565b50505f9056fe6080806040526004361015610012575f80fd5b5f3560e01c90816301ffc9a71461307e57508063022d63fb146130435780630aa6220b14612f5f578063117803e314612f26578063143cb71314612e935780632387659214612ced578063248a9ca314612c9d57806325f87d2314612c615780632b9c190c14612a0b5780632c5c020a146129155780632f2ff15d146128b457806336568abe146127295780633804df9e1461249a5780634aaf569f146124085780634b5f748a1461230957806351ce1013146122e45780635860af7c14611fb0578063634e93da146121b5578063649a5ec714611fb5578063680c60c714611fb0578063702e36e514611ead57806384b0196e14611d7b57806384ef8ffc14611ab85780638696355c14611b095780638da5cb5b14611ab857806391d1485414611a44578063926d7d7f146119ec578063940e49b0146118cd57806394a686301461189457806396def7091461185b578063a1eda53c146117d5578063a217fddf1461179d578063a4c7e94914611714578063b50534b01461143e578063c30c5b6014611410578063cc8463c8146113c8578063cefc14291461128f578063cf6eefb714611205578063d22283e41461112b578063d547741f1461109b578063d602b9fd14611004578063d8d634f814610e2d578063e933824814610570578063ea0e35b114610537578063f693aa9914610368578063f77fafc31461032f5763fedc9f5414610221575f80fd5b3461032b5761022f36613230565b90915f52600360205260405f2091610246826133d7565b926102546040519485613396565b828452610260836133d7565b927fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe060208601940136853760215f9201915b8181106102e0578486604051918291602083019060208452518091526040830191905f5b8181106102c4575050500390f35b825160ff168452859450602093840193909201916001016102b6565b8073ffffffffffffffffffffffffffffffffffffffff61030b61030660019486896134c7565b6134d7565b165f5283602052600360405f205416610324828961343e565b5201610292565b5f80fd5b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57602060405160808152f35b3461032b5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5760043560243567ffffffffffffffff811161032b57806004019060607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc823603011261032b576103e6836138c0565b9060ff825460801c169060c88214610500576104038483856146c7565b5060018201928383116104d3577fc9d7483bbb073f9578c510bb66a72ff2619bf615e64d1221a29f2da5fc0d12fc9461047f6104859260ff8097167fffffffffffffffffffffffffffffff00ffffffffffffffffffffffffffffffff70ff0000000000000000000000000000000083549260801b169116179055565b806135e7565b939063ffffffff6104c16104a760446104a0602488016136da565b9601613560565b926040519788978852608060208901526080880191613522565b931660408501521660608301520390a2005b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b50600181018091116104d3577f8c9afd4c000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57602060405160648152f35b3461032b5760e07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5760043560243567ffffffffffffffff811161032b576105c2903690600401613282565b909160443567ffffffffffffffff811161032b576105e49036906004016131ff565b93909160643567ffffffffffffffff811161032b576106079036906004016131ff565b94909260843567ffffffffffffffff811161032b5761062a9036906004016131ff565b60a43567ffffffffffffffff811161032b5761064a9036906004016131ff565b97909860c4359788151595868a0361032b57610664613753565b885f52600360205260405f209960ff8b5460801c16610e015788158015610df7575b610dc6578d158e8115610dbb575b50610d8f578b158015610d85575b610d59578315610d315760646106b88786613515565b11610cfc575f8e5b8110610c875750908c9d918c9d5f9e8f5b101561070e578e8e9f8e9f9b9c9d9e906106ff916106f76001958360051b8101906135e7565b929091613a4c565b019d9c9b9a99988f908f6106d1565b98999a9b906108619061081d8f60ff9099969967ffffffffffffffff43167fffffffffffffffffffffffffffffffffffffffffffffffff000000000000000087541617865561079b63ffffffff8b1687907fffffffffffffffffffffffffffffffffffffffff00000000ffffffffffffffff6bffffffff000000000000000083549260401b169116179055565b85547fffffffffffffffffffffffffffffff00ffffffffffffffffffffffffffffffff168b831660801b70ff000000000000000000000000000000001617865585547fffffffffffffffffffffffffffff00ffffffffffffffffffffffffffffffffff16911660881b71ff000000000000000000000000000000000016178455565b82547fffffffffffffffffffffffffff00ffffffffffffffffffffffffffffffffffff1690151560901b72ff00000000000000000000000000000000000016178255565b602181015f805b878110610baf57505f915f5b8a8110610aaa5750509163ffffffff6108946108d4936108e69695613515565b82547fffffffffffffffffffffffffffffffff00000000ffffffffffffffffffffffff16911660601b6fffffffff00000000000000000000000016179055565b6040519a60c08c5260c08c0191613522565b9389850360208b01528085526020850160208260051b87010195835f917fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa182360301905b858410610a0a5750505050505050916109509161095e95949389830360408b0152613688565b918683036060880152613688565b948386036080850152808652602086019560208260051b82010196835f925b8484106109b457887fec4604df619b19768b39f3fbfe88e7ffca10f4c10c3ee1ceb43b41aa17c9500789808d8b60a08301520390a2005b9091929394986020806109fa836109f48e7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08860019803018a5288613638565b90613522565b9b0194019401929493919061097d565b909192939495989b9f9b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe082820301865289358381121561032b57840190610a63610a558380613638565b606084526060840191613522565b9160208101359063ffffffff821680920361032b57604091602084015201359060ff821680920361032b57604001529b9f9b9860209081019695019360010192919061092a565b9b9f9b73ffffffffffffffffffffffffffffffffffffffff610ad4610306838f8f909e9b9e6134c7565b168015610b8757805f528260205260405f20546001600382169116610b5b578015610b22575b90610b0a6001809493178861486a565b905f528360205260405f2055019f9b9f989598610874565b9491907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff83146104d35760019290920194909190610afa565b507f4b99be10000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b7f7553caa6000000000000000000000000000000000000000000000000000000005f5260045ffd5b909a9e9a73ffffffffffffffffffffffffffffffffffffffff610bd9610306848b8b9d9a9d6134c7565b16918215610b8757825f528360205260405f2054926002600385169416610c5c578315610c29575b610c11600260019495178761486a565b905f528460205260405f2055019e9a9e979497610868565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff83146104d35760019290920191610c01565b7f4b99be10000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b610c9f8f82610c998f9282908b6135a7565b916146c7565b610cac576001018e6106c0565b61047f8f91610cbb92886135a7565b610cf86040519283927f06db7d8a000000000000000000000000000000000000000000000000000000008452602060048501526024840191613522565b0390fd5b610d068685613515565b7f9ee3ba86000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b7f7f51e102000000000000000000000000000000000000000000000000000000005f5260045ffd5b8b7f7e75e0e3000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b5060408c116106a2565b8d7f8c9afd4c000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b60c89150118e610694565b887f42f722aa000000000000000000000000000000000000000000000000000000005f52600452608060245260445ffd5b5060808911610686565b897f9b38330d000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b3461032b5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57600435610e676131a0565b9073ffffffffffffffffffffffffffffffffffffffff610e86826138c0565b9216908115610b875760218301825f528060205260405f205493600180600387169616151514610fd4578460018096189581879215610f78575b1480610f1c575b15610f0d5750505f905b835f5260205260405f205560ff604051931683527fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c60203394a4005b610f169161486a565b90610ed1565b610f73610f3263ffffffff855460601c16613496565b84547fffffffffffffffffffffffffffffffff00000000ffffffffffffffffffffffff1660609190911b6fffffffff00000000000000000000000016178455565b610ec7565b610fcf610f8e63ffffffff865460601c1661347f565b85547fffffffffffffffffffffffffffffffff00000000ffffffffffffffffffffffff1660609190911b6fffffffff00000000000000000000000016178555565b610ec0565b50507f80cec299000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5761103a6136eb565b600180547fffffffffffff0000000000000000000000000000000000000000000000000000811690915560a01c65ffffffffffff1661107557005b7f8886ebfc4259abdbc16601dd8fb5678e54878f47b3c34836cfc51154a96051095f80a1005b3461032b5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b576004356110d56131a0565b811561110357816110fc6110f7611101945f525f602052600160405f20015490565b6137db565b6149de565b005b7f3fc3c27a000000000000000000000000000000000000000000000000000000005f5260045ffd5b3461032b5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b576004356111656131a0565b9073ffffffffffffffffffffffffffffffffffffffff611184826138c0565b9216908115610b875760218301825f528060205260405f205493600160038616951615610fd4578460018096189581879215610f78571480610f1c5715610f0d5750505f90835f5260205260405f205560ff604051931683527fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c60203394a4005b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57604065ffffffffffff6112696001549065ffffffffffff73ffffffffffffffffffffffffffffffffffffffff83169260a01c1690565b73ffffffffffffffffffffffffffffffffffffffff849392935193168352166020820152f35b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5760015473ffffffffffffffffffffffffffffffffffffffff16330361139c5760015460a081901c65ffffffffffff169073ffffffffffffffffffffffffffffffffffffffff1681158015611392575b6113665761133b9061133573ffffffffffffffffffffffffffffffffffffffff60025416614971565b50614893565b50600180547fffffffffffff0000000000000000000000000000000000000000000000000000169055005b507f19ca5ebb000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b504282101561130c565b7fc22c8022000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57602061140061356e565b65ffffffffffff60405191168152f35b3461032b57602060ff611435611425366132b0565b915f526003855260405f20613b1f565b16604051908152f35b3461032b5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5760043567ffffffffffffffff811161032b5761148d903690600401613282565b90611496613753565b6040516101e0810181811067ffffffffffffffff8211176116e7576040525f815260208101915f835260408201935f855260608301915f835260808401915f835260a08501915f835260c08601915f83525f60e08801525f6101008801525f6101208801525f6101408801527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff61016088015f81525f6101808a01525f6101a08a01526104406040519061154a8183613396565b3682376101c08a015252601f810190611603817fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe084169480604051976060808a01996040815289820160208201528560408b8301925f82850152015285848c377fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0607f7f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff08b60011c1601160101604052818d5252613515565b8952838a52116104d35761161691613515565b602081018091116104d357835283518551146116e15783515b8551811015611647576116429085613bed565b61162f565b5051859350156116d95751915b51907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa08201918083116104d3577f4ed387ca07ef8b4b76090cd892fb7718202781188374f563f7bbd529d8e893a8937fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f60609451928083850152011601030190a1005b505f91611654565b83613bb2565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b3461032b5760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5761174b6131a0565b6044359067ffffffffffffffff821161032b5761178c611792916117756020943690600401613282565b6004939193355f526003865260405f20938461399b565b91613841565b6040519060070b8152f35b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5760206040515f8152f35b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b576002548060d01c9081151580611851575b156118475760a01c65ffffffffffff165b6040805165ffffffffffff9283168152929091166020830152819081015b0390f35b50505f5f90611825565b5042821015611814565b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57602060405160c88152f35b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57602060405160018152f35b3461032b5760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5760243567ffffffffffffffff811161032b5761191c9036906004016131ff565b9060443567ffffffffffffffff811161032b5761193d9036906004016131ff565b908184036119bc576004355f52600360205260405f209161195d856133ef565b945f5b818110611975576040518061184389826131c3565b806119a6611989610306600194868b6134c7565b60ff61199e61199985898b6134c7565b613560565b169088613841565b6119b0828a61343e565b9060070b905201611960565b50827fab8b67c6000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5760206040517fe2b7fb3b832174769106daebcfd6d1970523240dda11281102db9363b83b0dc48152f35b3461032b5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57611a7b6131a0565b6004355f525f60205273ffffffffffffffffffffffffffffffffffffffff60405f2091165f52602052602060ff60405f2054166040519015158152f35b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57602073ffffffffffffffffffffffffffffffffffffffff60025416604051908152f35b3461032b5760a07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5760043560243560443567ffffffffffffffff811161032b57611b5e903690600401613282565b919060643567ffffffffffffffff811161032b57611b80903690600401613282565b93909160843573ffffffffffffffffffffffffffffffffffffffff81169586820361032b57611bae86613ad6565b9073ffffffffffffffffffffffffffffffffffffffff33165f526021820160205260405f205415611d4b578860081c93600160ff8b161b916023840196865f528760205260405f205492848416611d1b5792611c218693611c1a60ff9b9a97948c9a97611cb09a613b1f565b9b8561399b565b9788955f526020521760405f205574ffffffffffffffffffffffffffffffffffffffff008260081b16611c5789600184016134f8565b90549060031b1c60030b907ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc851681175f526022830160205260405f2091858354928315611cf3575b1760061b60c0161b019055613841565b9360405197885216602087015216604085015260070b60608401527fb8bf3312282827c4f413d5589d95936fb81f2d679e575bd075ed3d5f323688a160803394a4005b7f80000000000000008000000000000000800000000000000080000000000000009350611ca0565b8c8b7fb072726f000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b867f0a6c3de1000000000000000000000000000000000000000000000000000000005f526004523360245260445ffd5b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57611e51611dd57f0000000000000000000000000000000000000000000000000000000000000000614a9c565b611dfe7f0000000000000000000000000000000000000000000000000000000000000000614a9c565b6020611e5f60405192611e118385613396565b5f84525f3681376040519586957f0f00000000000000000000000000000000000000000000000000000000000000875260e08588015260e0870190613337565b908582036040870152613337565b4660608501523060808501525f60a085015283810360c08501528180845192838152019301915f5b828110611e9657505050500390f35b835185528695509381019392810192600101611e87565b3461032b57611ebb366132b0565b611ec4836138c0565b60ff815460881c169060408214611f7957611ee183858484613a4c565b60018201938483116104d357611f5b611f749260ff7fb91b22d6009eaebf777d8bff6809223fba12134e654f0e8df37ff89fc4a7987f97167fffffffffffffffffffffffffffff00ffffffffffffffffffffffffffffffffff71ff000000000000000000000000000000000083549260881b169116179055565b6040519384938452604060208501526040840191613522565b0390a2005b50600181018091116104d3577f7e75e0e3000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b6132fe565b3461032b5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5760043565ffffffffffff81169081810361032b576120006136eb565b61200942614a54565b9165ffffffffffff61201961356e565b168082111561217b57507ff1038c18cf84a56e432fdbfaf746924b7ea511dfe03a6506a0ceba4888788d9b9265ffffffffffff826206978080612066951091180262069780181690613a2e565b906002548060d01c806120f8575b50506002805473ffffffffffffffffffffffffffffffffffffffff1660a083901b79ffffffffffff0000000000000000000000000000000000000000161760d084901b7fffffffffffff0000000000000000000000000000000000000000000000000000161790556040805165ffffffffffff9283168152919092166020820152a1005b4211156121515779ffffffffffffffffffffffffffffffffffffffffffffffffffff7fffffffffffff00000000000000000000000000000000000000000000000000006001549260301b169116176001555b8380612074565b507f2b1fa2edafe6f7b9e97c1a9e0c3660e645beb2dcaa2d45bdbf9beaf5472e1ec55f80a161214a565b0365ffffffffffff81116104d3577ff1038c18cf84a56e432fdbfaf746924b7ea511dfe03a6506a0ceba4888788d9b926120669190613a2e565b3461032b5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5760043573ffffffffffffffffffffffffffffffffffffffff811680910361032b5761220d6136eb565b7f3377dc44241e779dd06afab5b788a35ca5f3b778836e2990bdb26a2a4b2e5ed6602061224a61223c42614a54565b61224461356e565b90613a2e565b600180547fffffffffffff00000000000000000000000000000000000000000000000000008116861760a084811b79ffffffffffff00000000000000000000000000000000000000001691909117909255901c65ffffffffffff166122bb575b65ffffffffffff60405191168152a2005b7f8886ebfc4259abdbc16601dd8fb5678e54878f47b3c34836cfc51154a96051095f80a16122aa565b3461032b57602060ff6114356122f9366132b0565b915f526003855260405f2061399b565b3461032b5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b575f60a06040516123478161337a565b82815282602082015282604082015282606082015282608082015201526004355f52600360205260c060405f205467ffffffffffffffff81169060ff60405161238f8161337a565b838152816020820163ffffffff8560401c16815263ffffffff60408401818760601c168152816060860193858960801c1685528560a06080890198828c60881c168a52019960901c1615158952604051998a525116602089015251166040870152511660608501525116608083015251151560a0820152f35b3461032b5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b576004355f52600360205260405f2061245560ff825460801c166133ef565b906001015f5b825181101561248c5780612471600192846134f8565b90549060031b1c60030b612485828661343e565b520161245b565b6040518061184385826131c3565b3461032b5760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57600435602435908115159182810361032b5760443567ffffffffffffffff811161032b576124fb9036906004016131ff565b612504846138c0565b918560ff845460901c161515146126fd57602183015f5b8381106125db5750505063ffffffff825460601c16908181036125ad57505080547fffffffffffffffffffffffffff00ffffffffffffffffffffffffffffffffffff1691151560901b72ff000000000000000000000000000000000000169190911790556040519182527fc29628d51a2962509a768b7a9d60bd993253f2b755249e64f0bba19c8d13f3e660203393a3005b7f6f4422cf000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b73ffffffffffffffffffffffffffffffffffffffff6125fe6103068387876134c7565b165f528160205260405f205480156126a957886004821615151461265a579060019173ffffffffffffffffffffffffffffffffffffffff6126436103068489896134c7565b165f5283602052600460405f20911890550161251b565b73ffffffffffffffffffffffffffffffffffffffff61267d6103068488886134c7565b7f4b99be10000000000000000000000000000000000000000000000000000000005f521660045260245ffd5b73ffffffffffffffffffffffffffffffffffffffff886126cd6103068589896134c7565b907f0a6c3de1000000000000000000000000000000000000000000000000000000005f526004521660245260445ffd5b847fcf711a5b000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b3461032b5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b576004356127636131a0565b81158061287d575b6127be575b3373ffffffffffffffffffffffffffffffffffffffff82160361279657611101916149de565b7f6697b232000000000000000000000000000000000000000000000000000000005f5260045ffd5b60015465ffffffffffff60a082901c169073ffffffffffffffffffffffffffffffffffffffff161580159061286d575b801561285b575b61282757507fffffffffffff000000000000ffffffffffffffffffffffffffffffffffffffff60015416600155612770565b65ffffffffffff907f19ca5ebb000000000000000000000000000000000000000000000000000000005f521660045260245ffd5b504265ffffffffffff821610156127f5565b5065ffffffffffff8116156127ee565b5073ffffffffffffffffffffffffffffffffffffffff6002541673ffffffffffffffffffffffffffffffffffffffff82161461276b565b3461032b5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b576004356128ee6131a0565b811561110357816129106110f7611101945f525f602052600160405f20015490565b6148fd565b3461032b5761292336613230565b90915f52600360205260405f209161293a826133d7565b926129486040519485613396565b828452612954836133d7565b927fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe060208601940136853760235f9201915b8181106129d3578486604051918291602083019060208452518091526040830191905f5b8181106129b8575050500390f35b825115158452859450602093840193909201916001016129aa565b806001806129e3819486896134c7565b358060081c5f528660205260ff60405f205491161c1614612a04828961343e565b5201612986565b3461032b5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57600435612a456131a0565b73ffffffffffffffffffffffffffffffffffffffff612a63836138c0565b91168015610b87576021820190805f528160205260405f205491600260038416931615612c31576002808418938015612bd5575b1480612b79575b15612b69575f905b825f5260205260405f205560ff60405192168252837fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c60203394a463ffffffff815460401c169160018314612b3e5750612b0261110192613496565b7fffffffffffffffffffffffffffffffffffffffff00000000ffffffffffffffff6bffffffff000000000000000083549260401b169116179055565b7fc3ff1d51000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b612b73838561486a565b90612aa6565b612bd0612b8f63ffffffff875460601c16613496565b86547fffffffffffffffffffffffffffffffff00000000ffffffffffffffffffffffff1660609190911b6fffffffff00000000000000000000000016178655565b612a9e565b612c2c612beb63ffffffff885460601c1661347f565b87547fffffffffffffffffffffffffffffffff00000000ffffffffffffffffffffffff1660609190911b6fffffffff00000000000000000000000016178755565b612a97565b50837f80cec299000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b576020604051637fffffff8152f35b3461032b5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b576020612ce56004355f525f602052600160405f20015490565b604051908152f35b3461032b5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57600435612d276131a0565b73ffffffffffffffffffffffffffffffffffffffff612d45836138c0565b9116918215610b87576021820192805f528360205260405f20549160016002600385169416151514612e6557611101946002808518948015612e09575b1480612dee575b15612dde575f905b835f5260205260405f205560ff604051931683527fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c60203394a4612b0263ffffffff825460401c1661347f565b612de8848661486a565b90612d91565b612e04612beb63ffffffff885460601c16613496565b612d89565b612e60612e1f63ffffffff895460601c1661347f565b88547fffffffffffffffffffffffffffffffff00000000ffffffffffffffffffffffff1660609190911b6fffffffff00000000000000000000000016178855565b612d82565b7f80cec299000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b3461032b5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57612eca6131a0565b6004355f52600360205260405f20612ee860ff825460881c166133ef565b915f5b8351811015612f185780612f026001928486613841565b612f0c828761343e565b9060070b905201612eeb565b6040518061184386826131c3565b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57602060405160028152f35b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57612f956136eb565b6002548060d01c80612fc0575b6002805473ffffffffffffffffffffffffffffffffffffffff169055005b4211156130195779ffffffffffffffffffffffffffffffffffffffffffffffffffff7fffffffffffff00000000000000000000000000000000000000000000000000006001549260301b169116176001555b8080612fa2565b507f2b1fa2edafe6f7b9e97c1a9e0c3660e645beb2dcaa2d45bdbf9beaf5472e1ec55f80a1613012565b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b576020604051620697808152f35b3461032b5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57600435907fffffffff00000000000000000000000000000000000000000000000000000000821680920361032b57817f03b1e8160000000000000000000000000000000000000000000000000000000060209314908115613110575b5015158152f35b7f3149878600000000000000000000000000000000000000000000000000000000811491508115613143575b5083613109565b7f7965db0b00000000000000000000000000000000000000000000000000000000811491508115613176575b508361313c565b7f01ffc9a7000000000000000000000000000000000000000000000000000000009150148361316f565b6024359073ffffffffffffffffffffffffffffffffffffffff8216820361032b57565b60206040818301928281528451809452019201905f5b8181106131e65750505090565b825160070b8452602093840193909201916001016131d9565b9181601f8401121561032b5782359167ffffffffffffffff831161032b576020808501948460051b01011161032b57565b9060407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc83011261032b57600435916024359067ffffffffffffffff821161032b5761327e916004016131ff565b9091565b9181601f8401121561032b5782359167ffffffffffffffff831161032b576020838186019501011161032b57565b9060407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc83011261032b57600435916024359067ffffffffffffffff821161032b5761327e91600401613282565b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57602060405160408152f35b907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f602080948051918291828752018686015e5f8582860101520116010190565b60c0810190811067ffffffffffffffff8211176116e757604052565b90601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0910116810190811067ffffffffffffffff8211176116e757604052565b67ffffffffffffffff81116116e75760051b60200190565b906133f9826133d7565b6134066040519182613396565b8281527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe061343482946133d7565b0190602036910137565b80518210156134525760209160051b010190565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b63ffffffff1663ffffffff81146104d35760010190565b63ffffffff1680156104d3577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0190565b91908110156134525760051b0190565b3573ffffffffffffffffffffffffffffffffffffffff8116810361032b5790565b91909161010083101561345257601c908360031c019260021b1690565b919082018092116104d357565b601f82602094937fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe093818652868601375f8582860101520116010190565b3560ff8116810361032b5790565b6002548060d01c801515908161359d575b50156135935760a01c65ffffffffffff1690565b5060015460d01c90565b905042115f61357f565b91908110156134525760051b810135907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa18136030182121561032b570190565b9035907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18136030182121561032b570180359067ffffffffffffffff821161032b5760200191813603831361032b57565b90357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18236030181121561032b57016020813591019167ffffffffffffffff821161032b57813603831361032b57565b916020908281520191905f905b8082106136a25750505090565b90919283359073ffffffffffffffffffffffffffffffffffffffff821680920361032b57602081600193829352019401920190613695565b3563ffffffff8116810361032b5790565b335f9081527fad3228b676f7d3cd4284a5443f17f1962b36e491b30a40b2405849e597ba5fb5602052604090205460ff161561372357565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f52336004525f60245260445ffd5b335f9081527ffaf93c3d007e112089dc8351e013e6685ef67703975d0224b26fc45941d4f1f5602052604090205460ff161561378b57565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f52336004527fe2b7fb3b832174769106daebcfd6d1970523240dda11281102db9363b83b0dc460245260445ffd5b805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260ff60405f205416156138125750565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f523360045260245260445ffd5b60229174ffffffffffffffffffffffffffffffffffffffff0060fc85169160081b16175f520160205260405f205480156138ba5760c067ffffffffffffffff9260061b161c167fffffffffffffffffffffffffffffffffffffffffffffffff800000000000000081019081136001166104d35760070b90565b50505f90565b906138ca82613ad6565b9173ffffffffffffffffffffffffffffffffffffffff33165f5260218301602052600260405f205416156138fb5750565b7f0e25346d000000000000000000000000000000000000000000000000000000005f526004523360245260445ffd5b92919267ffffffffffffffff82116116e75760405191613972601f82017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01660200184613396565b82948184528183011161032b578281602093845f960137010152565b919082039182116104d357565b6025906139a936858561392a565b602081519101205f520160205260405f20549182156139f15750507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81019081116104d35790565b610cf86040519283927fb1d68bd4000000000000000000000000000000000000000000000000000000008452602060048501526024840191613522565b9065ffffffffffff8091169116019065ffffffffffff82116104d357565b909291613a59838261467c565b6025613a6636858461392a565b60208151910120920192825f528360205260405f2054613a99575050600183018093116104d3575f5260205260405f2055565b610cf86040519283927f69fee1e6000000000000000000000000000000000000000000000000000000008452602060048501526024840191613522565b90815f52600360205260405f209160ff835460801c1615613af45750565b7f4cf6b27c000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b602490613b2d36858561392a565b602081519101205f520160205260405f2054918215613b755750507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81019081116104d35790565b610cf86040519283927f2d7adb37000000000000000000000000000000000000000000000000000000008452602060048501526024840191613522565b60c08101519051613bc29161398e565b7f86fbb3af000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b9190613bff908060c085015283614af3565b906080811615158281614671575b508290600f831692600384141580614666575b614650575b613c2f9087614c77565b80158092811591614648575b506143e0575b50505060018103613e1e5750613c579083614f97565b919091809161010085015191602283019160236101c08801519401610160880180515f528160205260405f2054946101808a019660808b01975b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8151018b846020525b613d62575b508b8b15613d3057898c8c613cfa938c60168d843596519260ff808960581c169860501c1696600181190191161615159403040190615010565b613c91577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8b01909a1699601690990198613c91565b50505050601694929750515f5260205260405f20558303048151019052915b60208101518311613d5d5750565b613bb2565b8b5f9c9b999c038b169b8c8a359c8d91846103e084604e1c1688015160e085604b1c161c60030b9360141a1183151790841617613e13578e601691189e8f93179b019c7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8160581c165f5260405f20918254918215613deb575b60521c60c0161b019055613cbb565b7f80000000000000008000000000000000800000000000000080000000000000009250613ddc565b9d5050989a50613cc0565b91929160020361411157909190613e359083614fdb565b91906101a084018381526101c08501519461010081019384516023019061016083019182515f5260205260405f2054908735928360501c60ff16600101995f975f9b60168d9c01998a6101808a019d8e988a60808d019a90507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff91959e509392935b5101915b83948b8535856001825f1a1b9160e06103e08260ee1c168d01519160eb1c161c60030b9260141a11821517818416176140f4575b906002917fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff9317930195019e01948515613f2d575b50939c92613ebb565b94919d93909a957fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff9060406104008a017ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8a60581c16815220805484158117156140cd575b8460c08b60521c161b01905501958615613fc0575050505f91359b8c99601860018c60151a0195019d613f24565b9a9394509c509d90505b83156140705761403383358c518a519060166001897ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe84013560f01c0301029087030360011c01908c60ff8d60581c169260018760ff8560f01c169460f81c1c16151591615010565b15614066575b9c9a9091908e7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8f613eb7565b919d508d91614039565b50979c5099939a50505092506023919550510190515f5260205260405f20555181519060167ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe82013560f01c029084030360011c01905291613d4f565b507f8000000000000000800000000000000080000000000000008000000000000000613f92565b5050828503614104575f80613eef565b9394509c9e915050613fca565b90919061411e9083614fdb565b9290916101a08201938085526101c08301519460236101008501510192823592600160ff8560501c1601935f9760165f9301928a6101808a019261040082019460808c01969192909c999c5b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff865101938c6020525b839b843560081c5f5260405f20908154916001870135600181601e1a1b9060e06103e08260021b168901519160051b161c60030b93898760141a11851517828216176143bd575b1790556021959095019f9401937fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0192836143b157507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff907ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8360581c168952604089208054861581171561438a575b8660c08660521c161b0190550192831561429e575050505f9b358d603760018360151a019b01905b9190929d9a9d614194565b9295919d94935099505b841561433e576143228b8d8c60ff60018e8b60218f8d90601686833596519251957ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe84013560f01c0301029103030401958160081c5f526020528260405f205491161c1615159160581c1692602089013560f81c92615010565b15614336575b909890939192908d9061416a565b839250614328565b505050979950505093509450905051602182519160167ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe82013560f01c02908503030401905291613d4f565b507f800000000000000080000000000000008000000000000000800000000000000061426b565b90939e91929b50614293565b9350508887036143d0575f9283906141db565b50949695505095915099506142a8565b6143eb858589614ccc565b9390939260208901918251861161464257816144d3575b506144ca575b816144135750613c41565b9194509194959250608083019060608401938560a08201965b61443a575050505050505090565b8351906001820185528587519289511561447a575b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff930153018061442c565b90506001895261448d855185519061398e565b60011c90602082018092116104d3577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff938892368237935061444f565b60099150614408565b602091506080817f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff60428d60e05f9660408301510182519003858d0390209101519060405190888201927fa92570d1af1d946ccaa12d6bfa651b8557e6c757b0d87bf5c4894beceffd3b58845260408301528d60608301528682015285815261455d60a082613396565b519020614568615182565b90604051917f190100000000000000000000000000000000000000000000000000000000000083526002830152602282015220917fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc07fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08201359160405194855260ff83811c601b0116888601520135604084015216606082015282805260015afa15614637575f5173ffffffffffffffffffffffffffffffffffffffff806101208b015116911614155f614402565b6040513d5f823e3d90fd5b89613bb2565b90505f613c3b565b843560081c610160880152601f90940193613c25565b506040811615613c20565b60400192505f613c0d565b50801580156146bd575b61468d5750565b7f42f722aa000000000000000000000000000000000000000000000000000000005f52600452604060245260445ffd5b5060408111614686565b9092916146dd6146d782806135e7565b9061467c565b602081019363ffffffff6146f0866136da565b1615801561484f575b614815576040820191600160ff61470f85613560565b16116147de5761472281614729926135e7565b369161392a565b60208151910120946024840195805f528660205260405f205415159660018401918285116104d35760ff9361477b9363ffffffff93614771935f5260205260405f20556136da565b1660030b93613560565b166147a957600161478e92935b016134f8565b63ffffffff829392549160031b928116831b921b1916179055565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffff8000000082146104d357600161478e925f0393614788565b60ff6147e984613560565b7fd1952305000000000000000000000000000000000000000000000000000000005f521660045260245ffd5b63ffffffff614823866136da565b7fc2f35e87000000000000000000000000000000000000000000000000000000005f521660045260245ffd5b50637fffffff63ffffffff614863876136da565b16116146f9565b5460ff8160901c165f146148895761ff006004915b60801c1691171790565b61ff005f9161487f565b6002549073ffffffffffffffffffffffffffffffffffffffff8216611103576148fa917fffffffffffffffffffffffff000000000000000000000000000000000000000073ffffffffffffffffffffffffffffffffffffffff83169116176002555f614e03565b90565b90811561490e575b6148fa91614e03565b6002549173ffffffffffffffffffffffffffffffffffffffff8316611103577fffffffffffffffffffffffff000000000000000000000000000000000000000090921673ffffffffffffffffffffffffffffffffffffffff821617600255614905565b6148fa9073ffffffffffffffffffffffffffffffffffffffff6002541673ffffffffffffffffffffffffffffffffffffffff8216146149b1575b5f614ecf565b7fffffffffffffffffffffffff0000000000000000000000000000000000000000600254166002556149ab565b906148fa91801580614a1d575b15614ecf577fffffffffffffffffffffffff000000000000000000000000000000000000000060025416600255614ecf565b5073ffffffffffffffffffffffffffffffffffffffff6002541673ffffffffffffffffffffffffffffffffffffffff8316146149eb565b65ffffffffffff8111614a6c5765ffffffffffff1690565b7f6dfcc650000000000000000000000000000000000000000000000000000000005f52603060045260245260445ffd5b60ff811690601f8211614acb5760405191614ab8604084613396565b6020808452838101919036833783525290565b7fb3512b0c000000000000000000000000000000000000000000000000000000005f5260045ffd5b600182019291803560f81c9190600f831680158015614c6d575b614c67576040841615159081614c14575b50614bec57603083166030811480614c06575b614bff57151580614bf2575b614bec576010831615614bb1575b506020821615614b9b575b60216101008201510173ffffffffffffffffffffffffffffffffffffffff8061012084015116165f5260205261018060405f20548061014084015260081c9101529190565b92806014913560601c6101208601520192614b56565b9360219035948560e084015201935f52600360205260405f206101c0820151610400368237610420602283019101526101008201525f614b4b565b50613bb2565b5061010082015115614b3d565b5050509190565b506101008301511515614b31565b60039150148015614c5b575b8015614c2d575b5f614b1e565b507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff61016083015114614c27565b50608083161515614c20565b82613bb2565b5060038111614b0d565b610140810151908115614cac575060041615159081614ca0575b5015614c9c57600890565b5f90565b6080915016155f614c91565b61010001515460801c60ff1615159150614cc7905057600290565b600390565b9092915f9360018114614d4757614ced9190600203614d3f57600292614fdb565b91815b614cfa5750509190565b909391600181601660ff7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff943560501c16918584840102010194010194019081614cf0565b602192614fdb565b507e010001000100010001000100010001000100010001000100010001000100019350614d7391614f97565b92907f55555555555555555555555555555555555555555555555555555555555555558160011c1690037f3333333333333333333333333333333333333333333333333333333333333333808260021c169116018060041c017e0f000f000f000f000f000f000f000f000f000f000f000f000f000f000f000f808260081c169116010260f01c9160168302019190565b805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260ff60405f205416155f146138ba57805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260405f2060017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0082541617905573ffffffffffffffffffffffffffffffffffffffff339216907f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d5f80a4600190565b805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260ff60405f2054165f146138ba57805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260405f207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00815416905573ffffffffffffffffffffffffffffffffffffffff339216907ff6391f5c32d9c69d2a47ea670b442974b53935d1edc7fd64eb21e047a839171b5f80a4600190565b91909182359060ff8260f01c16916020838260f81c0111614bec576107f86002860135818360ed1c16610100031c9160f51c161b908115613d5d5750920160020190565b91813560f01c9260028301928415908115614ff9575b50613d5d5750565b90506002602083015191601887020101115f614ff1565b9391929092615133576101008401519060e06101c08601519160018160031c8501015480937fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08360021b16015260051b161c60030b156150e45761018084019081518310156150d5575b5051116150ce5760608201519160a0810180511561509e575b505060059101535f90565b60019052602081015190516150b29161398e565b60011c91602083018093116104d357600592368237915f615093565b5050600190565b5460881c60ff1681525f61507a565b505060608201519160a08101805115615103575b505060049101535f90565b60019052602081015190516151179161398e565b60011c91602083018093116104d357600492368237915f6150f8565b505060608201519160a08101805115615152575b505060019101535f90565b60019052602081015190516151669161398e565b60011c91602083018093116104d357600192368237915f615147565b73ffffffffffffffffffffffffffffffffffffffff7f000000000000000000000000000000000000000000000000000000000000000016301480615282575b156151ea577f000000000000000000000000000000000000000000000000000000000000000090565b60405160208101907f8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f82527f000000000000000000000000000000000000000000000000000000000000000060408201527f000000000000000000000000000000000000000000000000000000000000000060608201524660808201523060a082015260a0815261527c60c082613396565b51902090565b507f000000000000000000000000000000000000000000000000000000000000000046146151c156",
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
// Solidity: function getProject(bytes32 projectId) view returns((uint64,uint32,uint32,uint8,uint8,bool))
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
// Solidity: function getProject(bytes32 projectId) view returns((uint64,uint32,uint32,uint8,uint8,bool))
func (scoreRegistry *ScoreRegistry) TryPackGetProject(projectId [32]byte) ([]byte, error) {
	return scoreRegistry.abi.Pack("getProject", projectId)
}

// UnpackGetProject is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x4b5f748a.
//
// Solidity: function getProject(bytes32 projectId) view returns((uint64,uint32,uint32,uint8,uint8,bool))
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
// the contract method with ID 0x3804df9e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function setSignedOnly(bytes32 projectId, bool signedOnly, address[] members) returns()
func (scoreRegistry *ScoreRegistry) PackSetSignedOnly(projectId [32]byte, signedOnly bool, members []common.Address) []byte {
	enc, err := scoreRegistry.abi.Pack("setSignedOnly", projectId, signedOnly, members)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSetSignedOnly is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3804df9e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function setSignedOnly(bytes32 projectId, bool signedOnly, address[] members) returns()
func (scoreRegistry *ScoreRegistry) TryPackSetSignedOnly(projectId [32]byte, signedOnly bool, members []common.Address) ([]byte, error) {
	return scoreRegistry.abi.Pack("setSignedOnly", projectId, signedOnly, members)
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
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["MembersMissing"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackMembersMissingError(raw[4:])
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
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["UnknownProject"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackUnknownProjectError(raw[4:])
	}
	if bytes.Equal(raw[:4], scoreRegistry.abi.Errors["UnknownScoreType"].ID.Bytes()[:4]) {
		return scoreRegistry.UnpackUnknownScoreTypeError(raw[4:])
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

// ScoreRegistryMembersMissing represents a MembersMissing error raised by the ScoreRegistry contract.
type ScoreRegistryMembersMissing struct {
	Named   *big.Int
	Members *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error MembersMissing(uint256 named, uint256 members)
func ScoreRegistryMembersMissingErrorID() common.Hash {
	return common.HexToHash("0x6f4422cf42437da8f821d6c40f03b0cca5be7fadb59631b3c4f17f0f4b370afc")
}

// UnpackMembersMissingError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error MembersMissing(uint256 named, uint256 members)
func (scoreRegistry *ScoreRegistry) UnpackMembersMissingError(raw []byte) (*ScoreRegistryMembersMissing, error) {
	out := new(ScoreRegistryMembersMissing)
	if err := scoreRegistry.abi.UnpackIntoInterface(out, "MembersMissing", raw); err != nil {
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
const ScoreRegistryDeployedBin = "0x6080806040526004361015610012575f80fd5b5f3560e01c90816301ffc9a71461307e57508063022d63fb146130435780630aa6220b14612f5f578063117803e314612f26578063143cb71314612e935780632387659214612ced578063248a9ca314612c9d57806325f87d2314612c615780632b9c190c14612a0b5780632c5c020a146129155780632f2ff15d146128b457806336568abe146127295780633804df9e1461249a5780634aaf569f146124085780634b5f748a1461230957806351ce1013146122e45780635860af7c14611fb0578063634e93da146121b5578063649a5ec714611fb5578063680c60c714611fb0578063702e36e514611ead57806384b0196e14611d7b57806384ef8ffc14611ab85780638696355c14611b095780638da5cb5b14611ab857806391d1485414611a44578063926d7d7f146119ec578063940e49b0146118cd57806394a686301461189457806396def7091461185b578063a1eda53c146117d5578063a217fddf1461179d578063a4c7e94914611714578063b50534b01461143e578063c30c5b6014611410578063cc8463c8146113c8578063cefc14291461128f578063cf6eefb714611205578063d22283e41461112b578063d547741f1461109b578063d602b9fd14611004578063d8d634f814610e2d578063e933824814610570578063ea0e35b114610537578063f693aa9914610368578063f77fafc31461032f5763fedc9f5414610221575f80fd5b3461032b5761022f36613230565b90915f52600360205260405f2091610246826133d7565b926102546040519485613396565b828452610260836133d7565b927fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe060208601940136853760215f9201915b8181106102e0578486604051918291602083019060208452518091526040830191905f5b8181106102c4575050500390f35b825160ff168452859450602093840193909201916001016102b6565b8073ffffffffffffffffffffffffffffffffffffffff61030b61030660019486896134c7565b6134d7565b165f5283602052600360405f205416610324828961343e565b5201610292565b5f80fd5b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57602060405160808152f35b3461032b5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5760043560243567ffffffffffffffff811161032b57806004019060607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc823603011261032b576103e6836138c0565b9060ff825460801c169060c88214610500576104038483856146c7565b5060018201928383116104d3577fc9d7483bbb073f9578c510bb66a72ff2619bf615e64d1221a29f2da5fc0d12fc9461047f6104859260ff8097167fffffffffffffffffffffffffffffff00ffffffffffffffffffffffffffffffff70ff0000000000000000000000000000000083549260801b169116179055565b806135e7565b939063ffffffff6104c16104a760446104a0602488016136da565b9601613560565b926040519788978852608060208901526080880191613522565b931660408501521660608301520390a2005b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b50600181018091116104d3577f8c9afd4c000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57602060405160648152f35b3461032b5760e07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5760043560243567ffffffffffffffff811161032b576105c2903690600401613282565b909160443567ffffffffffffffff811161032b576105e49036906004016131ff565b93909160643567ffffffffffffffff811161032b576106079036906004016131ff565b94909260843567ffffffffffffffff811161032b5761062a9036906004016131ff565b60a43567ffffffffffffffff811161032b5761064a9036906004016131ff565b97909860c4359788151595868a0361032b57610664613753565b885f52600360205260405f209960ff8b5460801c16610e015788158015610df7575b610dc6578d158e8115610dbb575b50610d8f578b158015610d85575b610d59578315610d315760646106b88786613515565b11610cfc575f8e5b8110610c875750908c9d918c9d5f9e8f5b101561070e578e8e9f8e9f9b9c9d9e906106ff916106f76001958360051b8101906135e7565b929091613a4c565b019d9c9b9a99988f908f6106d1565b98999a9b906108619061081d8f60ff9099969967ffffffffffffffff43167fffffffffffffffffffffffffffffffffffffffffffffffff000000000000000087541617865561079b63ffffffff8b1687907fffffffffffffffffffffffffffffffffffffffff00000000ffffffffffffffff6bffffffff000000000000000083549260401b169116179055565b85547fffffffffffffffffffffffffffffff00ffffffffffffffffffffffffffffffff168b831660801b70ff000000000000000000000000000000001617865585547fffffffffffffffffffffffffffff00ffffffffffffffffffffffffffffffffff16911660881b71ff000000000000000000000000000000000016178455565b82547fffffffffffffffffffffffffff00ffffffffffffffffffffffffffffffffffff1690151560901b72ff00000000000000000000000000000000000016178255565b602181015f805b878110610baf57505f915f5b8a8110610aaa5750509163ffffffff6108946108d4936108e69695613515565b82547fffffffffffffffffffffffffffffffff00000000ffffffffffffffffffffffff16911660601b6fffffffff00000000000000000000000016179055565b6040519a60c08c5260c08c0191613522565b9389850360208b01528085526020850160208260051b87010195835f917fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa182360301905b858410610a0a5750505050505050916109509161095e95949389830360408b0152613688565b918683036060880152613688565b948386036080850152808652602086019560208260051b82010196835f925b8484106109b457887fec4604df619b19768b39f3fbfe88e7ffca10f4c10c3ee1ceb43b41aa17c9500789808d8b60a08301520390a2005b9091929394986020806109fa836109f48e7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08860019803018a5288613638565b90613522565b9b0194019401929493919061097d565b909192939495989b9f9b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe082820301865289358381121561032b57840190610a63610a558380613638565b606084526060840191613522565b9160208101359063ffffffff821680920361032b57604091602084015201359060ff821680920361032b57604001529b9f9b9860209081019695019360010192919061092a565b9b9f9b73ffffffffffffffffffffffffffffffffffffffff610ad4610306838f8f909e9b9e6134c7565b168015610b8757805f528260205260405f20546001600382169116610b5b578015610b22575b90610b0a6001809493178861486a565b905f528360205260405f2055019f9b9f989598610874565b9491907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff83146104d35760019290920194909190610afa565b507f4b99be10000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b7f7553caa6000000000000000000000000000000000000000000000000000000005f5260045ffd5b909a9e9a73ffffffffffffffffffffffffffffffffffffffff610bd9610306848b8b9d9a9d6134c7565b16918215610b8757825f528360205260405f2054926002600385169416610c5c578315610c29575b610c11600260019495178761486a565b905f528460205260405f2055019e9a9e979497610868565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff83146104d35760019290920191610c01565b7f4b99be10000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b610c9f8f82610c998f9282908b6135a7565b916146c7565b610cac576001018e6106c0565b61047f8f91610cbb92886135a7565b610cf86040519283927f06db7d8a000000000000000000000000000000000000000000000000000000008452602060048501526024840191613522565b0390fd5b610d068685613515565b7f9ee3ba86000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b7f7f51e102000000000000000000000000000000000000000000000000000000005f5260045ffd5b8b7f7e75e0e3000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b5060408c116106a2565b8d7f8c9afd4c000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b60c89150118e610694565b887f42f722aa000000000000000000000000000000000000000000000000000000005f52600452608060245260445ffd5b5060808911610686565b897f9b38330d000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b3461032b5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57600435610e676131a0565b9073ffffffffffffffffffffffffffffffffffffffff610e86826138c0565b9216908115610b875760218301825f528060205260405f205493600180600387169616151514610fd4578460018096189581879215610f78575b1480610f1c575b15610f0d5750505f905b835f5260205260405f205560ff604051931683527fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c60203394a4005b610f169161486a565b90610ed1565b610f73610f3263ffffffff855460601c16613496565b84547fffffffffffffffffffffffffffffffff00000000ffffffffffffffffffffffff1660609190911b6fffffffff00000000000000000000000016178455565b610ec7565b610fcf610f8e63ffffffff865460601c1661347f565b85547fffffffffffffffffffffffffffffffff00000000ffffffffffffffffffffffff1660609190911b6fffffffff00000000000000000000000016178555565b610ec0565b50507f80cec299000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5761103a6136eb565b600180547fffffffffffff0000000000000000000000000000000000000000000000000000811690915560a01c65ffffffffffff1661107557005b7f8886ebfc4259abdbc16601dd8fb5678e54878f47b3c34836cfc51154a96051095f80a1005b3461032b5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b576004356110d56131a0565b811561110357816110fc6110f7611101945f525f602052600160405f20015490565b6137db565b6149de565b005b7f3fc3c27a000000000000000000000000000000000000000000000000000000005f5260045ffd5b3461032b5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b576004356111656131a0565b9073ffffffffffffffffffffffffffffffffffffffff611184826138c0565b9216908115610b875760218301825f528060205260405f205493600160038616951615610fd4578460018096189581879215610f78571480610f1c5715610f0d5750505f90835f5260205260405f205560ff604051931683527fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c60203394a4005b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57604065ffffffffffff6112696001549065ffffffffffff73ffffffffffffffffffffffffffffffffffffffff83169260a01c1690565b73ffffffffffffffffffffffffffffffffffffffff849392935193168352166020820152f35b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5760015473ffffffffffffffffffffffffffffffffffffffff16330361139c5760015460a081901c65ffffffffffff169073ffffffffffffffffffffffffffffffffffffffff1681158015611392575b6113665761133b9061133573ffffffffffffffffffffffffffffffffffffffff60025416614971565b50614893565b50600180547fffffffffffff0000000000000000000000000000000000000000000000000000169055005b507f19ca5ebb000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b504282101561130c565b7fc22c8022000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57602061140061356e565b65ffffffffffff60405191168152f35b3461032b57602060ff611435611425366132b0565b915f526003855260405f20613b1f565b16604051908152f35b3461032b5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5760043567ffffffffffffffff811161032b5761148d903690600401613282565b90611496613753565b6040516101e0810181811067ffffffffffffffff8211176116e7576040525f815260208101915f835260408201935f855260608301915f835260808401915f835260a08501915f835260c08601915f83525f60e08801525f6101008801525f6101208801525f6101408801527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff61016088015f81525f6101808a01525f6101a08a01526104406040519061154a8183613396565b3682376101c08a015252601f810190611603817fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe084169480604051976060808a01996040815289820160208201528560408b8301925f82850152015285848c377fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0607f7f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff08b60011c1601160101604052818d5252613515565b8952838a52116104d35761161691613515565b602081018091116104d357835283518551146116e15783515b8551811015611647576116429085613bed565b61162f565b5051859350156116d95751915b51907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa08201918083116104d3577f4ed387ca07ef8b4b76090cd892fb7718202781188374f563f7bbd529d8e893a8937fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f60609451928083850152011601030190a1005b505f91611654565b83613bb2565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b3461032b5760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5761174b6131a0565b6044359067ffffffffffffffff821161032b5761178c611792916117756020943690600401613282565b6004939193355f526003865260405f20938461399b565b91613841565b6040519060070b8152f35b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5760206040515f8152f35b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b576002548060d01c9081151580611851575b156118475760a01c65ffffffffffff165b6040805165ffffffffffff9283168152929091166020830152819081015b0390f35b50505f5f90611825565b5042821015611814565b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57602060405160c88152f35b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57602060405160018152f35b3461032b5760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5760243567ffffffffffffffff811161032b5761191c9036906004016131ff565b9060443567ffffffffffffffff811161032b5761193d9036906004016131ff565b908184036119bc576004355f52600360205260405f209161195d856133ef565b945f5b818110611975576040518061184389826131c3565b806119a6611989610306600194868b6134c7565b60ff61199e61199985898b6134c7565b613560565b169088613841565b6119b0828a61343e565b9060070b905201611960565b50827fab8b67c6000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5760206040517fe2b7fb3b832174769106daebcfd6d1970523240dda11281102db9363b83b0dc48152f35b3461032b5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57611a7b6131a0565b6004355f525f60205273ffffffffffffffffffffffffffffffffffffffff60405f2091165f52602052602060ff60405f2054166040519015158152f35b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57602073ffffffffffffffffffffffffffffffffffffffff60025416604051908152f35b3461032b5760a07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5760043560243560443567ffffffffffffffff811161032b57611b5e903690600401613282565b919060643567ffffffffffffffff811161032b57611b80903690600401613282565b93909160843573ffffffffffffffffffffffffffffffffffffffff81169586820361032b57611bae86613ad6565b9073ffffffffffffffffffffffffffffffffffffffff33165f526021820160205260405f205415611d4b578860081c93600160ff8b161b916023840196865f528760205260405f205492848416611d1b5792611c218693611c1a60ff9b9a97948c9a97611cb09a613b1f565b9b8561399b565b9788955f526020521760405f205574ffffffffffffffffffffffffffffffffffffffff008260081b16611c5789600184016134f8565b90549060031b1c60030b907ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc851681175f526022830160205260405f2091858354928315611cf3575b1760061b60c0161b019055613841565b9360405197885216602087015216604085015260070b60608401527fb8bf3312282827c4f413d5589d95936fb81f2d679e575bd075ed3d5f323688a160803394a4005b7f80000000000000008000000000000000800000000000000080000000000000009350611ca0565b8c8b7fb072726f000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b867f0a6c3de1000000000000000000000000000000000000000000000000000000005f526004523360245260445ffd5b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57611e51611dd57f0000000000000000000000000000000000000000000000000000000000000000614a9c565b611dfe7f0000000000000000000000000000000000000000000000000000000000000000614a9c565b6020611e5f60405192611e118385613396565b5f84525f3681376040519586957f0f00000000000000000000000000000000000000000000000000000000000000875260e08588015260e0870190613337565b908582036040870152613337565b4660608501523060808501525f60a085015283810360c08501528180845192838152019301915f5b828110611e9657505050500390f35b835185528695509381019392810192600101611e87565b3461032b57611ebb366132b0565b611ec4836138c0565b60ff815460881c169060408214611f7957611ee183858484613a4c565b60018201938483116104d357611f5b611f749260ff7fb91b22d6009eaebf777d8bff6809223fba12134e654f0e8df37ff89fc4a7987f97167fffffffffffffffffffffffffffff00ffffffffffffffffffffffffffffffffff71ff000000000000000000000000000000000083549260881b169116179055565b6040519384938452604060208501526040840191613522565b0390a2005b50600181018091116104d3577f7e75e0e3000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b6132fe565b3461032b5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5760043565ffffffffffff81169081810361032b576120006136eb565b61200942614a54565b9165ffffffffffff61201961356e565b168082111561217b57507ff1038c18cf84a56e432fdbfaf746924b7ea511dfe03a6506a0ceba4888788d9b9265ffffffffffff826206978080612066951091180262069780181690613a2e565b906002548060d01c806120f8575b50506002805473ffffffffffffffffffffffffffffffffffffffff1660a083901b79ffffffffffff0000000000000000000000000000000000000000161760d084901b7fffffffffffff0000000000000000000000000000000000000000000000000000161790556040805165ffffffffffff9283168152919092166020820152a1005b4211156121515779ffffffffffffffffffffffffffffffffffffffffffffffffffff7fffffffffffff00000000000000000000000000000000000000000000000000006001549260301b169116176001555b8380612074565b507f2b1fa2edafe6f7b9e97c1a9e0c3660e645beb2dcaa2d45bdbf9beaf5472e1ec55f80a161214a565b0365ffffffffffff81116104d3577ff1038c18cf84a56e432fdbfaf746924b7ea511dfe03a6506a0ceba4888788d9b926120669190613a2e565b3461032b5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b5760043573ffffffffffffffffffffffffffffffffffffffff811680910361032b5761220d6136eb565b7f3377dc44241e779dd06afab5b788a35ca5f3b778836e2990bdb26a2a4b2e5ed6602061224a61223c42614a54565b61224461356e565b90613a2e565b600180547fffffffffffff00000000000000000000000000000000000000000000000000008116861760a084811b79ffffffffffff00000000000000000000000000000000000000001691909117909255901c65ffffffffffff166122bb575b65ffffffffffff60405191168152a2005b7f8886ebfc4259abdbc16601dd8fb5678e54878f47b3c34836cfc51154a96051095f80a16122aa565b3461032b57602060ff6114356122f9366132b0565b915f526003855260405f2061399b565b3461032b5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b575f60a06040516123478161337a565b82815282602082015282604082015282606082015282608082015201526004355f52600360205260c060405f205467ffffffffffffffff81169060ff60405161238f8161337a565b838152816020820163ffffffff8560401c16815263ffffffff60408401818760601c168152816060860193858960801c1685528560a06080890198828c60881c168a52019960901c1615158952604051998a525116602089015251166040870152511660608501525116608083015251151560a0820152f35b3461032b5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b576004355f52600360205260405f2061245560ff825460801c166133ef565b906001015f5b825181101561248c5780612471600192846134f8565b90549060031b1c60030b612485828661343e565b520161245b565b6040518061184385826131c3565b3461032b5760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57600435602435908115159182810361032b5760443567ffffffffffffffff811161032b576124fb9036906004016131ff565b612504846138c0565b918560ff845460901c161515146126fd57602183015f5b8381106125db5750505063ffffffff825460601c16908181036125ad57505080547fffffffffffffffffffffffffff00ffffffffffffffffffffffffffffffffffff1691151560901b72ff000000000000000000000000000000000000169190911790556040519182527fc29628d51a2962509a768b7a9d60bd993253f2b755249e64f0bba19c8d13f3e660203393a3005b7f6f4422cf000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b73ffffffffffffffffffffffffffffffffffffffff6125fe6103068387876134c7565b165f528160205260405f205480156126a957886004821615151461265a579060019173ffffffffffffffffffffffffffffffffffffffff6126436103068489896134c7565b165f5283602052600460405f20911890550161251b565b73ffffffffffffffffffffffffffffffffffffffff61267d6103068488886134c7565b7f4b99be10000000000000000000000000000000000000000000000000000000005f521660045260245ffd5b73ffffffffffffffffffffffffffffffffffffffff886126cd6103068589896134c7565b907f0a6c3de1000000000000000000000000000000000000000000000000000000005f526004521660245260445ffd5b847fcf711a5b000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b3461032b5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b576004356127636131a0565b81158061287d575b6127be575b3373ffffffffffffffffffffffffffffffffffffffff82160361279657611101916149de565b7f6697b232000000000000000000000000000000000000000000000000000000005f5260045ffd5b60015465ffffffffffff60a082901c169073ffffffffffffffffffffffffffffffffffffffff161580159061286d575b801561285b575b61282757507fffffffffffff000000000000ffffffffffffffffffffffffffffffffffffffff60015416600155612770565b65ffffffffffff907f19ca5ebb000000000000000000000000000000000000000000000000000000005f521660045260245ffd5b504265ffffffffffff821610156127f5565b5065ffffffffffff8116156127ee565b5073ffffffffffffffffffffffffffffffffffffffff6002541673ffffffffffffffffffffffffffffffffffffffff82161461276b565b3461032b5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b576004356128ee6131a0565b811561110357816129106110f7611101945f525f602052600160405f20015490565b6148fd565b3461032b5761292336613230565b90915f52600360205260405f209161293a826133d7565b926129486040519485613396565b828452612954836133d7565b927fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe060208601940136853760235f9201915b8181106129d3578486604051918291602083019060208452518091526040830191905f5b8181106129b8575050500390f35b825115158452859450602093840193909201916001016129aa565b806001806129e3819486896134c7565b358060081c5f528660205260ff60405f205491161c1614612a04828961343e565b5201612986565b3461032b5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57600435612a456131a0565b73ffffffffffffffffffffffffffffffffffffffff612a63836138c0565b91168015610b87576021820190805f528160205260405f205491600260038416931615612c31576002808418938015612bd5575b1480612b79575b15612b69575f905b825f5260205260405f205560ff60405192168252837fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c60203394a463ffffffff815460401c169160018314612b3e5750612b0261110192613496565b7fffffffffffffffffffffffffffffffffffffffff00000000ffffffffffffffff6bffffffff000000000000000083549260401b169116179055565b7fc3ff1d51000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b612b73838561486a565b90612aa6565b612bd0612b8f63ffffffff875460601c16613496565b86547fffffffffffffffffffffffffffffffff00000000ffffffffffffffffffffffff1660609190911b6fffffffff00000000000000000000000016178655565b612a9e565b612c2c612beb63ffffffff885460601c1661347f565b87547fffffffffffffffffffffffffffffffff00000000ffffffffffffffffffffffff1660609190911b6fffffffff00000000000000000000000016178755565b612a97565b50837f80cec299000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b576020604051637fffffff8152f35b3461032b5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b576020612ce56004355f525f602052600160405f20015490565b604051908152f35b3461032b5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57600435612d276131a0565b73ffffffffffffffffffffffffffffffffffffffff612d45836138c0565b9116918215610b87576021820192805f528360205260405f20549160016002600385169416151514612e6557611101946002808518948015612e09575b1480612dee575b15612dde575f905b835f5260205260405f205560ff604051931683527fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c60203394a4612b0263ffffffff825460401c1661347f565b612de8848661486a565b90612d91565b612e04612beb63ffffffff885460601c16613496565b612d89565b612e60612e1f63ffffffff895460601c1661347f565b88547fffffffffffffffffffffffffffffffff00000000ffffffffffffffffffffffff1660609190911b6fffffffff00000000000000000000000016178855565b612d82565b7f80cec299000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b3461032b5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57612eca6131a0565b6004355f52600360205260405f20612ee860ff825460881c166133ef565b915f5b8351811015612f185780612f026001928486613841565b612f0c828761343e565b9060070b905201612eeb565b6040518061184386826131c3565b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57602060405160028152f35b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57612f956136eb565b6002548060d01c80612fc0575b6002805473ffffffffffffffffffffffffffffffffffffffff169055005b4211156130195779ffffffffffffffffffffffffffffffffffffffffffffffffffff7fffffffffffff00000000000000000000000000000000000000000000000000006001549260301b169116176001555b8080612fa2565b507f2b1fa2edafe6f7b9e97c1a9e0c3660e645beb2dcaa2d45bdbf9beaf5472e1ec55f80a1613012565b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b576020604051620697808152f35b3461032b5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57600435907fffffffff00000000000000000000000000000000000000000000000000000000821680920361032b57817f03b1e8160000000000000000000000000000000000000000000000000000000060209314908115613110575b5015158152f35b7f3149878600000000000000000000000000000000000000000000000000000000811491508115613143575b5083613109565b7f7965db0b00000000000000000000000000000000000000000000000000000000811491508115613176575b508361313c565b7f01ffc9a7000000000000000000000000000000000000000000000000000000009150148361316f565b6024359073ffffffffffffffffffffffffffffffffffffffff8216820361032b57565b60206040818301928281528451809452019201905f5b8181106131e65750505090565b825160070b8452602093840193909201916001016131d9565b9181601f8401121561032b5782359167ffffffffffffffff831161032b576020808501948460051b01011161032b57565b9060407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc83011261032b57600435916024359067ffffffffffffffff821161032b5761327e916004016131ff565b9091565b9181601f8401121561032b5782359167ffffffffffffffff831161032b576020838186019501011161032b57565b9060407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc83011261032b57600435916024359067ffffffffffffffff821161032b5761327e91600401613282565b3461032b575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261032b57602060405160408152f35b907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f602080948051918291828752018686015e5f8582860101520116010190565b60c0810190811067ffffffffffffffff8211176116e757604052565b90601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0910116810190811067ffffffffffffffff8211176116e757604052565b67ffffffffffffffff81116116e75760051b60200190565b906133f9826133d7565b6134066040519182613396565b8281527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe061343482946133d7565b0190602036910137565b80518210156134525760209160051b010190565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b63ffffffff1663ffffffff81146104d35760010190565b63ffffffff1680156104d3577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0190565b91908110156134525760051b0190565b3573ffffffffffffffffffffffffffffffffffffffff8116810361032b5790565b91909161010083101561345257601c908360031c019260021b1690565b919082018092116104d357565b601f82602094937fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe093818652868601375f8582860101520116010190565b3560ff8116810361032b5790565b6002548060d01c801515908161359d575b50156135935760a01c65ffffffffffff1690565b5060015460d01c90565b905042115f61357f565b91908110156134525760051b810135907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa18136030182121561032b570190565b9035907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18136030182121561032b570180359067ffffffffffffffff821161032b5760200191813603831361032b57565b90357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18236030181121561032b57016020813591019167ffffffffffffffff821161032b57813603831361032b57565b916020908281520191905f905b8082106136a25750505090565b90919283359073ffffffffffffffffffffffffffffffffffffffff821680920361032b57602081600193829352019401920190613695565b3563ffffffff8116810361032b5790565b335f9081527fad3228b676f7d3cd4284a5443f17f1962b36e491b30a40b2405849e597ba5fb5602052604090205460ff161561372357565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f52336004525f60245260445ffd5b335f9081527ffaf93c3d007e112089dc8351e013e6685ef67703975d0224b26fc45941d4f1f5602052604090205460ff161561378b57565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f52336004527fe2b7fb3b832174769106daebcfd6d1970523240dda11281102db9363b83b0dc460245260445ffd5b805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260ff60405f205416156138125750565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f523360045260245260445ffd5b60229174ffffffffffffffffffffffffffffffffffffffff0060fc85169160081b16175f520160205260405f205480156138ba5760c067ffffffffffffffff9260061b161c167fffffffffffffffffffffffffffffffffffffffffffffffff800000000000000081019081136001166104d35760070b90565b50505f90565b906138ca82613ad6565b9173ffffffffffffffffffffffffffffffffffffffff33165f5260218301602052600260405f205416156138fb5750565b7f0e25346d000000000000000000000000000000000000000000000000000000005f526004523360245260445ffd5b92919267ffffffffffffffff82116116e75760405191613972601f82017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01660200184613396565b82948184528183011161032b578281602093845f960137010152565b919082039182116104d357565b6025906139a936858561392a565b602081519101205f520160205260405f20549182156139f15750507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81019081116104d35790565b610cf86040519283927fb1d68bd4000000000000000000000000000000000000000000000000000000008452602060048501526024840191613522565b9065ffffffffffff8091169116019065ffffffffffff82116104d357565b909291613a59838261467c565b6025613a6636858461392a565b60208151910120920192825f528360205260405f2054613a99575050600183018093116104d3575f5260205260405f2055565b610cf86040519283927f69fee1e6000000000000000000000000000000000000000000000000000000008452602060048501526024840191613522565b90815f52600360205260405f209160ff835460801c1615613af45750565b7f4cf6b27c000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b602490613b2d36858561392a565b602081519101205f520160205260405f2054918215613b755750507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81019081116104d35790565b610cf86040519283927f2d7adb37000000000000000000000000000000000000000000000000000000008452602060048501526024840191613522565b60c08101519051613bc29161398e565b7f86fbb3af000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b9190613bff908060c085015283614af3565b906080811615158281614671575b508290600f831692600384141580614666575b614650575b613c2f9087614c77565b80158092811591614648575b506143e0575b50505060018103613e1e5750613c579083614f97565b919091809161010085015191602283019160236101c08801519401610160880180515f528160205260405f2054946101808a019660808b01975b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8151018b846020525b613d62575b508b8b15613d3057898c8c613cfa938c60168d843596519260ff808960581c169860501c1696600181190191161615159403040190615010565b613c91577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8b01909a1699601690990198613c91565b50505050601694929750515f5260205260405f20558303048151019052915b60208101518311613d5d5750565b613bb2565b8b5f9c9b999c038b169b8c8a359c8d91846103e084604e1c1688015160e085604b1c161c60030b9360141a1183151790841617613e13578e601691189e8f93179b019c7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8160581c165f5260405f20918254918215613deb575b60521c60c0161b019055613cbb565b7f80000000000000008000000000000000800000000000000080000000000000009250613ddc565b9d5050989a50613cc0565b91929160020361411157909190613e359083614fdb565b91906101a084018381526101c08501519461010081019384516023019061016083019182515f5260205260405f2054908735928360501c60ff16600101995f975f9b60168d9c01998a6101808a019d8e988a60808d019a90507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff91959e509392935b5101915b83948b8535856001825f1a1b9160e06103e08260ee1c168d01519160eb1c161c60030b9260141a11821517818416176140f4575b906002917fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff9317930195019e01948515613f2d575b50939c92613ebb565b94919d93909a957fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff9060406104008a017ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8a60581c16815220805484158117156140cd575b8460c08b60521c161b01905501958615613fc0575050505f91359b8c99601860018c60151a0195019d613f24565b9a9394509c509d90505b83156140705761403383358c518a519060166001897ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe84013560f01c0301029087030360011c01908c60ff8d60581c169260018760ff8560f01c169460f81c1c16151591615010565b15614066575b9c9a9091908e7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8f613eb7565b919d508d91614039565b50979c5099939a50505092506023919550510190515f5260205260405f20555181519060167ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe82013560f01c029084030360011c01905291613d4f565b507f8000000000000000800000000000000080000000000000008000000000000000613f92565b5050828503614104575f80613eef565b9394509c9e915050613fca565b90919061411e9083614fdb565b9290916101a08201938085526101c08301519460236101008501510192823592600160ff8560501c1601935f9760165f9301928a6101808a019261040082019460808c01969192909c999c5b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff865101938c6020525b839b843560081c5f5260405f20908154916001870135600181601e1a1b9060e06103e08260021b168901519160051b161c60030b93898760141a11851517828216176143bd575b1790556021959095019f9401937fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0192836143b157507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff907ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8360581c168952604089208054861581171561438a575b8660c08660521c161b0190550192831561429e575050505f9b358d603760018360151a019b01905b9190929d9a9d614194565b9295919d94935099505b841561433e576143228b8d8c60ff60018e8b60218f8d90601686833596519251957ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe84013560f01c0301029103030401958160081c5f526020528260405f205491161c1615159160581c1692602089013560f81c92615010565b15614336575b909890939192908d9061416a565b839250614328565b505050979950505093509450905051602182519160167ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe82013560f01c02908503030401905291613d4f565b507f800000000000000080000000000000008000000000000000800000000000000061426b565b90939e91929b50614293565b9350508887036143d0575f9283906141db565b50949695505095915099506142a8565b6143eb858589614ccc565b9390939260208901918251861161464257816144d3575b506144ca575b816144135750613c41565b9194509194959250608083019060608401938560a08201965b61443a575050505050505090565b8351906001820185528587519289511561447a575b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff930153018061442c565b90506001895261448d855185519061398e565b60011c90602082018092116104d3577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff938892368237935061444f565b60099150614408565b602091506080817f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff60428d60e05f9660408301510182519003858d0390209101519060405190888201927fa92570d1af1d946ccaa12d6bfa651b8557e6c757b0d87bf5c4894beceffd3b58845260408301528d60608301528682015285815261455d60a082613396565b519020614568615182565b90604051917f190100000000000000000000000000000000000000000000000000000000000083526002830152602282015220917fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc07fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08201359160405194855260ff83811c601b0116888601520135604084015216606082015282805260015afa15614637575f5173ffffffffffffffffffffffffffffffffffffffff806101208b015116911614155f614402565b6040513d5f823e3d90fd5b89613bb2565b90505f613c3b565b843560081c610160880152601f90940193613c25565b506040811615613c20565b60400192505f613c0d565b50801580156146bd575b61468d5750565b7f42f722aa000000000000000000000000000000000000000000000000000000005f52600452604060245260445ffd5b5060408111614686565b9092916146dd6146d782806135e7565b9061467c565b602081019363ffffffff6146f0866136da565b1615801561484f575b614815576040820191600160ff61470f85613560565b16116147de5761472281614729926135e7565b369161392a565b60208151910120946024840195805f528660205260405f205415159660018401918285116104d35760ff9361477b9363ffffffff93614771935f5260205260405f20556136da565b1660030b93613560565b166147a957600161478e92935b016134f8565b63ffffffff829392549160031b928116831b921b1916179055565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffff8000000082146104d357600161478e925f0393614788565b60ff6147e984613560565b7fd1952305000000000000000000000000000000000000000000000000000000005f521660045260245ffd5b63ffffffff614823866136da565b7fc2f35e87000000000000000000000000000000000000000000000000000000005f521660045260245ffd5b50637fffffff63ffffffff614863876136da565b16116146f9565b5460ff8160901c165f146148895761ff006004915b60801c1691171790565b61ff005f9161487f565b6002549073ffffffffffffffffffffffffffffffffffffffff8216611103576148fa917fffffffffffffffffffffffff000000000000000000000000000000000000000073ffffffffffffffffffffffffffffffffffffffff83169116176002555f614e03565b90565b90811561490e575b6148fa91614e03565b6002549173ffffffffffffffffffffffffffffffffffffffff8316611103577fffffffffffffffffffffffff000000000000000000000000000000000000000090921673ffffffffffffffffffffffffffffffffffffffff821617600255614905565b6148fa9073ffffffffffffffffffffffffffffffffffffffff6002541673ffffffffffffffffffffffffffffffffffffffff8216146149b1575b5f614ecf565b7fffffffffffffffffffffffff0000000000000000000000000000000000000000600254166002556149ab565b906148fa91801580614a1d575b15614ecf577fffffffffffffffffffffffff000000000000000000000000000000000000000060025416600255614ecf565b5073ffffffffffffffffffffffffffffffffffffffff6002541673ffffffffffffffffffffffffffffffffffffffff8316146149eb565b65ffffffffffff8111614a6c5765ffffffffffff1690565b7f6dfcc650000000000000000000000000000000000000000000000000000000005f52603060045260245260445ffd5b60ff811690601f8211614acb5760405191614ab8604084613396565b6020808452838101919036833783525290565b7fb3512b0c000000000000000000000000000000000000000000000000000000005f5260045ffd5b600182019291803560f81c9190600f831680158015614c6d575b614c67576040841615159081614c14575b50614bec57603083166030811480614c06575b614bff57151580614bf2575b614bec576010831615614bb1575b506020821615614b9b575b60216101008201510173ffffffffffffffffffffffffffffffffffffffff8061012084015116165f5260205261018060405f20548061014084015260081c9101529190565b92806014913560601c6101208601520192614b56565b9360219035948560e084015201935f52600360205260405f206101c0820151610400368237610420602283019101526101008201525f614b4b565b50613bb2565b5061010082015115614b3d565b5050509190565b506101008301511515614b31565b60039150148015614c5b575b8015614c2d575b5f614b1e565b507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff61016083015114614c27565b50608083161515614c20565b82613bb2565b5060038111614b0d565b610140810151908115614cac575060041615159081614ca0575b5015614c9c57600890565b5f90565b6080915016155f614c91565b61010001515460801c60ff1615159150614cc7905057600290565b600390565b9092915f9360018114614d4757614ced9190600203614d3f57600292614fdb565b91815b614cfa5750509190565b909391600181601660ff7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff943560501c16918584840102010194010194019081614cf0565b602192614fdb565b507e010001000100010001000100010001000100010001000100010001000100019350614d7391614f97565b92907f55555555555555555555555555555555555555555555555555555555555555558160011c1690037f3333333333333333333333333333333333333333333333333333333333333333808260021c169116018060041c017e0f000f000f000f000f000f000f000f000f000f000f000f000f000f000f000f808260081c169116010260f01c9160168302019190565b805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260ff60405f205416155f146138ba57805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260405f2060017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0082541617905573ffffffffffffffffffffffffffffffffffffffff339216907f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d5f80a4600190565b805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260ff60405f2054165f146138ba57805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260405f207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00815416905573ffffffffffffffffffffffffffffffffffffffff339216907ff6391f5c32d9c69d2a47ea670b442974b53935d1edc7fd64eb21e047a839171b5f80a4600190565b91909182359060ff8260f01c16916020838260f81c0111614bec576107f86002860135818360ed1c16610100031c9160f51c161b908115613d5d5750920160020190565b91813560f01c9260028301928415908115614ff9575b50613d5d5750565b90506002602083015191601887020101115f614ff1565b9391929092615133576101008401519060e06101c08601519160018160031c8501015480937fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08360021b16015260051b161c60030b156150e45761018084019081518310156150d5575b5051116150ce5760608201519160a0810180511561509e575b505060059101535f90565b60019052602081015190516150b29161398e565b60011c91602083018093116104d357600592368237915f615093565b5050600190565b5460881c60ff1681525f61507a565b505060608201519160a08101805115615103575b505060049101535f90565b60019052602081015190516151179161398e565b60011c91602083018093116104d357600492368237915f6150f8565b505060608201519160a08101805115615152575b505060019101535f90565b60019052602081015190516151669161398e565b60011c91602083018093116104d357600192368237915f615147565b73ffffffffffffffffffffffffffffffffffffffff7f000000000000000000000000000000000000000000000000000000000000000016301480615282575b156151ea577f000000000000000000000000000000000000000000000000000000000000000090565b60405160208101907f8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f82527f000000000000000000000000000000000000000000000000000000000000000060408201527f000000000000000000000000000000000000000000000000000000000000000060608201524660808201523060a082015260a0815261527c60c082613396565b51902090565b507f000000000000000000000000000000000000000000000000000000000000000046146151c156"
