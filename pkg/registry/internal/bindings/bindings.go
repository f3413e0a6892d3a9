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
	ActionCount    uint8
	ScoreTypeCount uint8
}

// ScoreRegistryMetaData contains all meta data concerning the ScoreRegistry contract.
var ScoreRegistryMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[{\"internalType\":\"uint48\",\"name\":\"adminDelay\",\"type\":\"uint48\"},{\"internalType\":\"address\",\"name\":\"admin\",\"type\":\"address\"},{\"internalType\":\"address[]\",\"name\":\"relayers\",\"type\":\"address[]\"}],\"stateMutability\":\"nonpayable\",\"type\":\"constructor\"},{\"inputs\":[],\"name\":\"AccessControlBadConfirmation\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint48\",\"name\":\"schedule\",\"type\":\"uint48\"}],\"name\":\"AccessControlEnforcedDefaultAdminDelay\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"AccessControlEnforcedDefaultAdminRules\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"defaultAdmin\",\"type\":\"address\"}],\"name\":\"AccessControlInvalidDefaultAdmin\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"},{\"internalType\":\"bytes32\",\"name\":\"neededRole\",\"type\":\"bytes32\"}],\"name\":\"AccessControlUnauthorizedAccount\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"count\",\"type\":\"uint256\"}],\"name\":\"ActionCount\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"offset\",\"type\":\"uint256\"}],\"name\":\"BadFraming\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"DuplicateAction\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"DuplicateMember\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"DuplicateScoreType\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32\",\"name\":\"updateId\",\"type\":\"bytes32\"}],\"name\":\"DuplicateUpdate\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"direction\",\"type\":\"uint256\"}],\"name\":\"InvalidDirection\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"}],\"name\":\"LastOwner\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"first\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"second\",\"type\":\"uint256\"}],\"name\":\"LengthMismatch\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"length\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"max\",\"type\":\"uint256\"}],\"name\":\"NameLength\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"NoOwner\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"NotMember\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"NotOwner\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"points\",\"type\":\"uint256\"}],\"name\":\"PointsOutOfRange\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"}],\"name\":\"ProjectExists\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"RoleUnchanged\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint8\",\"name\":\"bits\",\"type\":\"uint8\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"SafeCastOverflowedUintDowncast\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"count\",\"type\":\"uint256\"}],\"name\":\"ScoreTypeCount\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"count\",\"type\":\"uint256\"}],\"name\":\"TooManyMembers\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"UnknownAction\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"}],\"name\":\"UnknownProject\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"UnknownScoreType\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"ZeroMember\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"indexed\":false,\"internalType\":\"uint8\",\"name\":\"index\",\"type\":\"uint8\"},{\"indexed\":false,\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"},{\"indexed\":false,\"internalType\":\"uint32\",\"name\":\"points\",\"type\":\"uint32\"},{\"indexed\":false,\"internalType\":\"uint8\",\"name\":\"direction\",\"type\":\"uint8\"}],\"name\":\"ActionAdded\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":false,\"internalType\":\"bytes\",\"name\":\"data\",\"type\":\"bytes\"},{\"indexed\":false,\"internalType\":\"bytes\",\"name\":\"outcomes\",\"type\":\"bytes\"}],\"name\":\"BatchApplied\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[],\"name\":\"DefaultAdminDelayChangeCanceled\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":false,\"internalType\":\"uint48\",\"name\":\"newDelay\",\"type\":\"uint48\"},{\"indexed\":false,\"internalType\":\"uint48\",\"name\":\"effectSchedule\",\"type\":\"uint48\"}],\"name\":\"DefaultAdminDelayChangeScheduled\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[],\"name\":\"DefaultAdminTransferCanceled\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"newAdmin\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint48\",\"name\":\"acceptSchedule\",\"type\":\"uint48\"}],\"name\":\"DefaultAdminTransferScheduled\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint8\",\"name\":\"roles\",\"type\":\"uint8\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"changedBy\",\"type\":\"address\"}],\"name\":\"MemberChanged\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"indexed\":false,\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"},{\"components\":[{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"},{\"internalType\":\"uint32\",\"name\":\"points\",\"type\":\"uint32\"},{\"internalType\":\"uint8\",\"name\":\"direction\",\"type\":\"uint8\"}],\"indexed\":false,\"internalType\":\"structIScoreRegistry.Action[]\",\"name\":\"actions\",\"type\":\"tuple[]\"},{\"indexed\":false,\"internalType\":\"address[]\",\"name\":\"owners\",\"type\":\"address[]\"},{\"indexed\":false,\"internalType\":\"address[]\",\"name\":\"updaters\",\"type\":\"address[]\"},{\"indexed\":false,\"internalType\":\"string[]\",\"name\":\"scoreTypes\",\"type\":\"string[]\"}],\"name\":\"ProjectCreated\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"previousAdminRole\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"newAdminRole\",\"type\":\"bytes32\"}],\"name\":\"RoleAdminChanged\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"sender\",\"type\":\"address\"}],\"name\":\"RoleGranted\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"sender\",\"type\":\"address\"}],\"name\":\"RoleRevoked\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"indexed\":false,\"internalType\":\"uint8\",\"name\":\"index\",\"type\":\"uint8\"},{\"indexed\":false,\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"ScoreTypeAdded\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"target\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"signer\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"bytes32\",\"name\":\"updateId\",\"type\":\"bytes32\"},{\"indexed\":false,\"internalType\":\"uint8\",\"name\":\"action\",\"type\":\"uint8\"},{\"indexed\":false,\"internalType\":\"uint8\",\"name\":\"scoreType\",\"type\":\"uint8\"},{\"indexed\":false,\"internalType\":\"int64\",\"name\":\"score\",\"type\":\"int64\"}],\"name\":\"ScoreUpdated\",\"type\":\"event\"},{\"inputs\":[],\"name\":\"DEFAULT_ADMIN_ROLE\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"MAX_ACTIONS\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"MAX_MEMBERS\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"MAX_NAME_BYTES\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"MAX_POINTS\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"MAX_PROJECT_NAME_BYTES\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"MAX_SCORE_TYPES\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"OWNER\",\"outputs\":[{\"internalType\":\"uint8\",\"name\":\"\",\"type\":\"uint8\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"RELAYER_ROLE\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"UPDATER\",\"outputs\":[{\"internalType\":\"uint8\",\"name\":\"\",\"type\":\"uint8\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"acceptDefaultAdminTransfer\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"components\":[{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"},{\"internalType\":\"uint32\",\"name\":\"points\",\"type\":\"uint32\"},{\"internalType\":\"uint8\",\"name\":\"direction\",\"type\":\"uint8\"}],\"internalType\":\"structIScoreRegistry.Action\",\"name\":\"action\",\"type\":\"tuple\"}],\"name\":\"addAction\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"addOwner\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"addScoreType\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"addUpdater\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes\",\"name\":\"data\",\"type\":\"bytes\"}],\"name\":\"applyBatch\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"newAdmin\",\"type\":\"address\"}],\"name\":\"beginDefaultAdminTransfer\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"cancelDefaultAdminTransfer\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint48\",\"name\":\"newDelay\",\"type\":\"uint48\"}],\"name\":\"changeDefaultAdminDelay\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"},{\"components\":[{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"},{\"internalType\":\"uint32\",\"name\":\"points\",\"type\":\"uint32\"},{\"internalType\":\"uint8\",\"name\":\"direction\",\"type\":\"uint8\"}],\"internalType\":\"structIScoreRegistry.Action[]\",\"name\":\"actions\",\"type\":\"tuple[]\"},{\"internalType\":\"address[]\",\"name\":\"owners\",\"type\":\"address[]\"},{\"internalType\":\"address[]\",\"name\":\"updaters\",\"type\":\"address[]\"},{\"internalType\":\"string[]\",\"name\":\"scoreTypes\",\"type\":\"string[]\"}],\"name\":\"createProject\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"defaultAdmin\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"defaultAdminDelay\",\"outputs\":[{\"internalType\":\"uint48\",\"name\":\"\",\"type\":\"uint48\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"defaultAdminDelayIncreaseWait\",\"outputs\":[{\"internalType\":\"uint48\",\"name\":\"\",\"type\":\"uint48\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"getActionIndex\",\"outputs\":[{\"internalType\":\"uint8\",\"name\":\"\",\"type\":\"uint8\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"}],\"name\":\"getActions\",\"outputs\":[{\"internalType\":\"int64[]\",\"name\":\"deltas\",\"type\":\"int64[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"}],\"name\":\"getProject\",\"outputs\":[{\"components\":[{\"internalType\":\"uint64\",\"name\":\"createdBlock\",\"type\":\"uint64\"},{\"internalType\":\"uint32\",\"name\":\"ownerCount\",\"type\":\"uint32\"},{\"internalType\":\"uint8\",\"name\":\"actionCount\",\"type\":\"uint8\"},{\"internalType\":\"uint8\",\"name\":\"scoreTypeCount\",\"type\":\"uint8\"}],\"internalType\":\"structIScoreRegistry.ProjectInfo\",\"name\":\"\",\"type\":\"tuple\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"}],\"name\":\"getRoleAdmin\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address[]\",\"name\":\"accounts\",\"type\":\"address[]\"}],\"name\":\"getRoles\",\"outputs\":[{\"internalType\":\"uint8[]\",\"name\":\"roles\",\"type\":\"uint8[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"wallet\",\"type\":\"address\"},{\"internalType\":\"string\",\"name\":\"scoreType\",\"type\":\"string\"}],\"name\":\"getScore\",\"outputs\":[{\"internalType\":\"int64\",\"name\":\"\",\"type\":\"int64\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"string\",\"name\":\"name\",\"type\":\"string\"}],\"name\":\"getScoreTypeIndex\",\"outputs\":[{\"internalType\":\"uint8\",\"name\":\"\",\"type\":\"uint8\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address[]\",\"name\":\"wallets\",\"type\":\"address[]\"},{\"internalType\":\"uint8[]\",\"name\":\"scoreTypes\",\"type\":\"uint8[]\"}],\"name\":\"getScores\",\"outputs\":[{\"internalType\":\"int64[]\",\"name\":\"scores\",\"type\":\"int64[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32[]\",\"name\":\"updateIds\",\"type\":\"bytes32[]\"}],\"name\":\"getUsed\",\"outputs\":[{\"internalType\":\"bool[]\",\"name\":\"used\",\"type\":\"bool[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"wallet\",\"type\":\"address\"}],\"name\":\"getWalletScores\",\"outputs\":[{\"internalType\":\"int64[]\",\"name\":\"scores\",\"type\":\"int64[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"grantRole\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"hasRole\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"owner\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"pendingDefaultAdmin\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"newAdmin\",\"type\":\"address\"},{\"internalType\":\"uint48\",\"name\":\"schedule\",\"type\":\"uint48\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"pendingDefaultAdminDelay\",\"outputs\":[{\"internalType\":\"uint48\",\"name\":\"newDelay\",\"type\":\"uint48\"},{\"internalType\":\"uint48\",\"name\":\"schedule\",\"type\":\"uint48\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"removeOwner\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"removeUpdater\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"renounceRole\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"role\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"revokeRole\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"rollbackDefaultAdminDelay\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes4\",\"name\":\"interfaceId\",\"type\":\"bytes4\"}],\"name\":\"supportsInterface\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"updateId\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32\",\"name\":\"projectId\",\"type\":\"bytes32\"},{\"internalType\":\"string\",\"name\":\"actionName\",\"type\":\"string\"},{\"internalType\":\"string\",\"name\":\"scoreType\",\"type\":\"string\"},{\"internalType\":\"address\",\"name\":\"targetWallet\",\"type\":\"address\"}],\"name\":\"updateScore\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"}]",
	ID:  "ScoreRegistry",
	Bin: "0x60806040523461015657613f5f803803806100198161016e565b9283398101906060818303126101565780519065ffffffffffff821682036101565761004760208201610193565b604082015190916001600160401b03821161015657019280601f85011215610156578351936001600160401b03851161015a578460051b9060208061008d81850161016e565b80988152019282010192831161015657602001905b82821061013e575050506001600160a01b0381161561012b57600180546001600160d01b031660d09390931b6001600160d01b031916929092179091556100e8906101a7565b505f5b815181101561011c57600581901b82016020015160019190610115906001600160a01b03166101ef565b50016100eb565b604051613cc1908161029e8239f35b636116401160e11b5f525f60045260245ffd5b6020809161014b84610193565b8152019101906100a2565b5f80fd5b634e487b7160e01b5f52604160045260245ffd5b6040519190601f01601f191682016001600160401b0381118382101761015a57604052565b51906001600160a01b038216820361015657565b600254906001600160a01b0382166101e0576001600160a01b03199091166001600160a01b038216176002556101dd905f610215565b90565b631fe1e13d60e11b5f5260045ffd5b6101dd907fe2b7fb3b832174769106daebcfd6d1970523240dda11281102db9363b83b0dc45b5f818152602081815260408083206001600160a01b038616845290915290205460ff16610297575f818152602081815260408083206001600160a01b0395909516808452949091528120805460ff19166001179055339291907f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d9080a4600190565b50505f9056fe610120806040526004361015610013575f80fd5b5f3560e01c90816301ffc9a714612b5b57508063022d63fb14612b205780630aa6220b14612a3c578063117803e314612a03578063143cb71314612970578063238765921461282b578063248a9ca3146127db57806325f87d231461279f5780632b9c190c146125e05780632c5c020a146124f45780632f2ff15d1461249357806336568abe146123085780634aaf569f146122765780634b5f748a146121bb57806351ce1013146121965780635860af7c14611e62578063634e93da14612067578063649a5ec714611e67578063680c60c714611e62578063702e36e514611d6357806384ef8ffc14611b355780638696355c14611b865780638da5cb5b14611b3557806391d1485414611ac1578063926d7d7f14611a69578063940e49b01461194a57806394a686301461191157806396def709146118d8578063a1eda53c14611852578063a217fddf1461181a578063a4c7e94914611791578063b50534b0146111a3578063c30c5b6014611175578063cc8463c81461112d578063cefc142914610ff4578063cf6eefb714610f6a578063d22283e414610e82578063d3c0fedc146107bb578063d547741f1461072b578063d602b9fd14610694578063d8d634f814610552578063ea0e35b114610519578063f693aa991461034e578063f77fafc3146103155763fedc9f541461020c575f80fd5b346103115761021a36612d0d565b90915f52600360205260405f209161023961023483612ea5565b612e61565b9282845261024683612ea5565b927fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe060208601940136853760335f9201915b8181106102c6578486604051918291602083019060208452518091526040830191905f5b8181106102aa575050500390f35b825160ff1684528594506020938401939092019160010161029c565b8073ffffffffffffffffffffffffffffffffffffffff6102f16102ec6001948689612f43565b612fba565b165f528360205260ff60405f20541661030a8289612f02565b5201610278565b5f80fd5b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157602060405160808152f35b346103115760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760043560243567ffffffffffffffff811161031157806004019060607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8236030112610311576103cc8361338e565b9060ff825460601c169060c882146104e2576103e984838561371f565b5060018201928383116104b5577fc9d7483bbb073f9578c510bb66a72ff2619bf615e64d1221a29f2da5fc0d12fc946104616104679260ff8097167fffffffffffffffffffffffffffffffffffffff00ffffffffffffffffffffffff6cff00000000000000000000000083549260601b169116179055565b8061309c565b939063ffffffff6104a361048960446104826024880161318f565b9601612fdb565b926040519788978852608060208901526080880191612f7c565b931660408501521660608301520390a2005b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b50600181018091116104b5577f8c9afd4c000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157602060405160648152f35b346103115760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760043561058c612c7d565b73ffffffffffffffffffffffffffffffffffffffff6105aa8361338e565b911690811561066c5760330191815f528260205260405f2054600180821615151461063d5760ff600191161892825f5260205260405f2060ff84167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0082541617905560ff604051931683527fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c60203394a4005b507f80cec299000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b7f7553caa6000000000000000000000000000000000000000000000000000000005f5260045ffd5b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610311576106ca6131a0565b600180547fffffffffffff0000000000000000000000000000000000000000000000000000811690915560a01c65ffffffffffff1661070557005b7f8886ebfc4259abdbc16601dd8fb5678e54878f47b3c34836cfc51154a96051095f80a1005b346103115760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157600435610765612c7d565b8115610793578161078c610787610791945f525f602052600160405f20015490565b613290565b613a11565b005b7f3fc3c27a000000000000000000000000000000000000000000000000000000005f5260045ffd5b346103115760c07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760043560243567ffffffffffffffff81116103115761080d903690600401612d5f565b9160443567ffffffffffffffff81116103115761082e903690600401612cdc565b91909360643567ffffffffffffffff811161031157610851903690600401612cdc565b909560843567ffffffffffffffff811161031157610873903690600401612cdc565b909160a43567ffffffffffffffff811161031157610895903690600401612cdc565b9490996108a0613208565b875f52600360205260405f209860ff8a5460601c16610e565787158015610e4c575b610e1b5780158015610e11575b610de65786158015610ddc575b610db0578215610d885760646108f28685612f6f565b11610d53575f5b818110610ce357505f5b8c88821015610932579061092c818d6109246001958360051b81019061309c565b9290916134d4565b01610903565b979a9194918c9150603381015f5b868110610c5357505f5b888110610b9957505080546dff0000000000000000000000000060688e901b167fffffffffffffffffffffffffffffffffffff000000000000000000000000000090911667ffffffffffffffff4316176bffffffff0000000000000000604088901b16176cff000000000000000000000000606089901b16171790556109dc906040519960a08b5260a08b0191612f7c565b9388850360208a01528085526020850160208260051b87010195835f917fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa182360301905b858410610af9575050505050505091610a4691610a5495949388830360408a015261313d565b91858303606087015261313d565b938285036080840152808552602085019460208260051b82010195835f925b848410610aa357877fbc660814c846acf1e0376a02c8d73c71d502e39bfe3577978eea1f85b34e96ac888b0389a2005b909192939497602080610ae9837fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08660019603018852610ae38d886130ed565b90612f7c565b9a01940194019294939190610a73565b909192939495989b9e9b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe082820301865289358381121561031157840190610b52610b4483806130ed565b606084526060840191612f7c565b9160208101359063ffffffff821680920361031157604091602084015201359060ff821680920361031157604001529b9e9b98602090810196950193600101929190610a20565b73ffffffffffffffffffffffffffffffffffffffff610bc29b9e9b6102ec838c8e9c999c612f43565b16801561066c57805f528260205260405f20549060018216610c285790600192915f528360205260ff838160405f20931617167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00825416179055019c999c96939661094a565b7f4b99be10000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b73ffffffffffffffffffffffffffffffffffffffff610c7c9b9e9b6102ec838a8a9c999c612f43565b16801561066c57805f528260205260405f20549060028216610c285790600192915f528360205260ff60028160405f20931617167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00825416179055019c999c969396610940565b610cf8610cf182848861305c565b828d61371f565b610d04576001016108f9565b61046190610d12928661305c565b610d4f6040519283927f06db7d8a000000000000000000000000000000000000000000000000000000008452602060048501526024840191612f7c565b0390fd5b610d5d8584612f6f565b7f9ee3ba86000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b7f7f51e102000000000000000000000000000000000000000000000000000000005f5260045ffd5b867f7e75e0e3000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b50604087116108dc565b7f8c9afd4c000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b5060c881116108cf565b877f42f722aa000000000000000000000000000000000000000000000000000000005f52600452608060245260445ffd5b50608088116108c2565b887f9b38330d000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b346103115760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157600435610ebc612c7d565b73ffffffffffffffffffffffffffffffffffffffff610eda8361338e565b911690811561066c5760330191815f528260205260405f2054600181161561063d5760ff600191161892825f5260205260405f2060ff84167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0082541617905560ff604051931683527fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c60203394a4005b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157604065ffffffffffff610fce6001549065ffffffffffff73ffffffffffffffffffffffffffffffffffffffff83169260a01c1690565b73ffffffffffffffffffffffffffffffffffffffff849392935193168352166020820152f35b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760015473ffffffffffffffffffffffffffffffffffffffff1633036111015760015460a081901c65ffffffffffff169073ffffffffffffffffffffffffffffffffffffffff16811580156110f7575b6110cb576110a09061109a73ffffffffffffffffffffffffffffffffffffffff600254166139a4565b506138c6565b50600180547fffffffffffff0000000000000000000000000000000000000000000000000000169055005b507f19ca5ebb000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b5042821015611071565b7fc22c8022000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610311576020611165613023565b65ffffffffffff60405191168152f35b3461031157602060ff61119a61118a36612d8d565b915f526003855260405f206135a7565b16604051908152f35b346103115760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760043567ffffffffffffffff8111610311576111f2903690600401612d5f565b60a05261010052611201613208565b60a05115611765577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe061124c601760a0510461123f61023482612fe9565b60c0528060c05152612fe9565b0136602060c05101375f5f5f5b60a05181106112fd5750156112f6575b60c051527f4ed387ca07ef8b4b76090cd892fb7718202781188374f563f7bbd529d8e893a8604051604081526020816112ab6040820160a05161010051612f7c565b818103838301527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f60c05151808452808660c051018786015e5f868286010152011601030190a1005b505f611269565b909160378260a0510310611739578161010051019283355f526003602052602060405f209401359260ff8460581c1660018114805f1461173357601f5b5f60e0528301926037840192821561172957601760e0525b61ffff8860481c161590811561170c575b81156116ef575b506116c4575073ffffffffffffffffffffffffffffffffffffffff8660601c165f526033870160205260ff60405f205416155f146114515750509091929360ff905460601c16155f1461144a5760025b5f5b61ffff8660481c1681106113fe5750506037906001935b60e05160489690961c61ffff16908101950201019181156113f6575b5090611259565b9050836113ef565b6001907fff000000000000000000000000000000000000000000000000000000000000008360f89894989796971b165f1a61143d82870160c0516136c3565b53019490949392936113bc565b60036113ba565b156115c4578390955f91815460ff8160601c16987fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe1603787610100510101013560081c5f526035840160205260405f2054608052608051925b603760e05161ffff8c60481c160288010182106115205750505060379495969750608051036114db575b50936113d3565b6035907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18585610100510101013560081c5f520160205260805160405f2055866114d4565b816101009a97989a51013560018160f81c1b90816080511615155f146115a9575060015b806115655750601791600191608051176080525b01910190989695986114aa565b90507fff0000000000000000000000000000000000000000000000000000000000000091965060f81b165f1a61159d8660c0516136c3565b53601760018096611558565b6115bf908d60ff8760681c169160481c89613c69565b611544565b835f9187549760ff808a60601c169960681c169060358101935b603760e05161ffff8c60481c1602880101841061160757505050505060379293949550936113d3565b836101009a97989a51018b813591600160ff84161b9260081c90815f52886020528660405f20549385851615155f146116ae5750505060015b80611668575091603693916001935f52886020521760405f20555b01930192989695986115de565b925050507fff0000000000000000000000000000000000000000000000000000000000000091965060f81b165f1a6116a28660c0516136c3565b5360366001809661165b565b60206116bf93013560501c88613c69565b611640565b7f86fbb3af000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b8315915081611700575b508961136a565b600291501415896116f9565b905060a051603760e05161ffff8b60481c16028701011190611363565b603660e052611352565b5f61133a565b507f86fbb3af000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b7f86fbb3af000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b346103115760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610311576117c8612c7d565b6044359067ffffffffffffffff82116103115761180961180f916117f26020943690600401612d5f565b6004939193355f526003865260405f209384613423565b916132f6565b6040519060070b8152f35b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760206040515f8152f35b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610311576002548060d01c90811515806118ce575b156118c45760a01c65ffffffffffff165b6040805165ffffffffffff9283168152929091166020830152819081015b0390f35b50505f5f906118a2565b5042821015611891565b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157602060405160c88152f35b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157602060405160018152f35b346103115760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760243567ffffffffffffffff811161031157611999903690600401612cdc565b9060443567ffffffffffffffff8111610311576119ba903690600401612cdc565b90818403611a39576004355f52600360205260405f20916119da85612ebd565b945f5b8181106119f257604051806118c08982612ca0565b80611a23611a066102ec600194868b612f43565b60ff611a1b611a1685898b612f43565b612fdb565b1690886132f6565b611a2d828a612f02565b9060070b9052016119dd565b50827fab8b67c6000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760206040517fe2b7fb3b832174769106daebcfd6d1970523240dda11281102db9363b83b0dc48152f35b346103115760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157611af8612c7d565b6004355f525f60205273ffffffffffffffffffffffffffffffffffffffff60405f2091165f52602052602060ff60405f2054166040519015158152f35b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157602073ffffffffffffffffffffffffffffffffffffffff60025416604051908152f35b346103115760a07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760043560243560443567ffffffffffffffff811161031157611bdb903690600401612d5f565b919060643567ffffffffffffffff811161031157611bfd903690600401612d5f565b93909160843573ffffffffffffffffffffffffffffffffffffffff81169586820361031157611c2b8661355e565b9073ffffffffffffffffffffffffffffffffffffffff33165f526033820160205260ff60405f20541615611d33578860081c93600160ff8b161b916035840196865f528760205260405f205492848416611d035792611ca18693611c9a60ff9b9a97948c9a97611cc09a6135a7565b9b85613423565b9788955f526020521760405f2055611cbb83898c8461363a565b6132f6565b9360405197885216602087015216604085015260070b60608401527fb8bf3312282827c4f413d5589d95936fb81f2d679e575bd075ed3d5f323688a160803394a4005b8c8b7fb072726f000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b867f0a6c3de1000000000000000000000000000000000000000000000000000000005f526004523360245260445ffd5b3461031157611d7136612d8d565b611d7a8361338e565b60ff815460681c169060408214611e2b57611d97838584846134d4565b60018201938483116104b557611e0d611e269260ff7fb91b22d6009eaebf777d8bff6809223fba12134e654f0e8df37ff89fc4a7987f97167fffffffffffffffffffffffffffffffffffff00ffffffffffffffffffffffffff6dff0000000000000000000000000083549260681b169116179055565b6040519384938452604060208501526040840191612f7c565b0390a2005b50600181018091116104b5577f7e75e0e3000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b612ddb565b346103115760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760043565ffffffffffff81169081810361031157611eb26131a0565b611ebb42613a87565b9165ffffffffffff611ecb613023565b168082111561202d57507ff1038c18cf84a56e432fdbfaf746924b7ea511dfe03a6506a0ceba4888788d9b9265ffffffffffff826206978080611f189510911802620697801816906134b6565b906002548060d01c80611faa575b50506002805473ffffffffffffffffffffffffffffffffffffffff1660a083901b79ffffffffffff0000000000000000000000000000000000000000161760d084901b7fffffffffffff0000000000000000000000000000000000000000000000000000161790556040805165ffffffffffff9283168152919092166020820152a1005b4211156120035779ffffffffffffffffffffffffffffffffffffffffffffffffffff7fffffffffffff00000000000000000000000000000000000000000000000000006001549260301b169116176001555b8380611f26565b507f2b1fa2edafe6f7b9e97c1a9e0c3660e645beb2dcaa2d45bdbf9beaf5472e1ec55f80a1611ffc565b0365ffffffffffff81116104b5577ff1038c18cf84a56e432fdbfaf746924b7ea511dfe03a6506a0ceba4888788d9b92611f1891906134b6565b346103115760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760043573ffffffffffffffffffffffffffffffffffffffff8116809103610311576120bf6131a0565b7f3377dc44241e779dd06afab5b788a35ca5f3b778836e2990bdb26a2a4b2e5ed660206120fc6120ee42613a87565b6120f6613023565b906134b6565b600180547fffffffffffff00000000000000000000000000000000000000000000000000008116861760a084811b79ffffffffffff00000000000000000000000000000000000000001691909117909255901c65ffffffffffff1661216d575b65ffffffffffff60405191168152a2005b7f8886ebfc4259abdbc16601dd8fb5678e54878f47b3c34836cfc51154a96051095f80a161215c565b3461031157602060ff61119a6121ab36612d8d565b915f526003855260405f20613423565b346103115760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610311575f60606121f5612e14565b82815282602082015282604082015201526004355f526003602052608060405f205460ff67ffffffffffffffff8216918161222e612e14565b84815263ffffffff60208201818560401c16815283606060408501948288831c168652019560681c168552604051968752511660208601525116604084015251166060820152f35b346103115760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610311576004355f52600360205260405f206122c360ff825460601c16612ebd565b906001015f5b82518110156122fa57806122df60019284612f53565b90549060031b1c60070b6122f38286612f02565b52016122c9565b604051806118c08582612ca0565b346103115760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157600435612342612c7d565b81158061245c575b61239d575b3373ffffffffffffffffffffffffffffffffffffffff8216036123755761079191613a11565b7f6697b232000000000000000000000000000000000000000000000000000000005f5260045ffd5b60015465ffffffffffff60a082901c169073ffffffffffffffffffffffffffffffffffffffff161580159061244c575b801561243a575b61240657507fffffffffffff000000000000ffffffffffffffffffffffffffffffffffffffff6001541660015561234f565b65ffffffffffff907f19ca5ebb000000000000000000000000000000000000000000000000000000005f521660045260245ffd5b504265ffffffffffff821610156123d4565b5065ffffffffffff8116156123cd565b5073ffffffffffffffffffffffffffffffffffffffff6002541673ffffffffffffffffffffffffffffffffffffffff82161461234a565b346103115760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610311576004356124cd612c7d565b811561079357816124ef610787610791945f525f602052600160405f20015490565b613930565b346103115761250236612d0d565b90915f52600360205260405f209161251c61023483612ea5565b9282845261252983612ea5565b927fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe060208601940136853760355f9201915b8181106125a8578486604051918291602083019060208452518091526040830191905f5b81811061258d575050500390f35b8251151584528594506020938401939092019160010161257f565b806001806125b881948689612f43565b358060081c5f528660205260ff60405f205491161c16146125d98289612f02565b520161255b565b346103115760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760043561261a612c7d565b73ffffffffffffffffffffffffffffffffffffffff6126388361338e565b9116801561066c576033820190805f528160205260405f2054600281161561276f5760ff600291161891815f5260205260405f2060ff83167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0082541617905560ff60405192168252837fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c60203394a463ffffffff815460401c169160018314612744575081156104b5577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff61079192017fffffffffffffffffffffffffffffffffffffffff00000000ffffffffffffffff6bffffffff000000000000000083549260401b169116179055565b7fc3ff1d51000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b50837f80cec299000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610311576020604051637fffffff8152f35b346103115760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760206128236004355f525f602052600160405f20015490565b604051908152f35b346103115760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157600435612865612c7d565b9073ffffffffffffffffffffffffffffffffffffffff6128848261338e565b9216801561066c576033830191815f528260205260405f205460016002821615151461063d5760ff600291161892825f5260205260405f2060ff84167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0082541617905560ff604051931683527fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c60203394a463ffffffff815460401c169063ffffffff82146104b557600161079192017fffffffffffffffffffffffffffffffffffffffff00000000ffffffffffffffff6bffffffff000000000000000083549260401b169116179055565b346103115760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610311576129a7612c7d565b6004355f52600360205260405f206129c560ff825460681c16612ebd565b915f5b83518110156129f557806129df60019284866132f6565b6129e98287612f02565b9060070b9052016129c8565b604051806118c08682612ca0565b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157602060405160028152f35b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157612a726131a0565b6002548060d01c80612a9d575b6002805473ffffffffffffffffffffffffffffffffffffffff169055005b421115612af65779ffffffffffffffffffffffffffffffffffffffffffffffffffff7fffffffffffff00000000000000000000000000000000000000000000000000006001549260301b169116176001555b8080612a7f565b507f2b1fa2edafe6f7b9e97c1a9e0c3660e645beb2dcaa2d45bdbf9beaf5472e1ec55f80a1612aef565b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610311576020604051620697808152f35b346103115760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157600435907fffffffff00000000000000000000000000000000000000000000000000000000821680920361031157817f01464b1c0000000000000000000000000000000000000000000000000000000060209314908115612bed575b5015158152f35b7f3149878600000000000000000000000000000000000000000000000000000000811491508115612c20575b5083612be6565b7f7965db0b00000000000000000000000000000000000000000000000000000000811491508115612c53575b5083612c19565b7f01ffc9a70000000000000000000000000000000000000000000000000000000091501483612c4c565b6024359073ffffffffffffffffffffffffffffffffffffffff8216820361031157565b60206040818301928281528451809452019201905f5b818110612cc35750505090565b825160070b845260209384019390920191600101612cb6565b9181601f840112156103115782359167ffffffffffffffff8311610311576020808501948460051b01011161031157565b9060407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc83011261031157600435916024359067ffffffffffffffff821161031157612d5b91600401612cdc565b9091565b9181601f840112156103115782359167ffffffffffffffff8311610311576020838186019501011161031157565b9060407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc83011261031157600435916024359067ffffffffffffffff821161031157612d5b91600401612d5f565b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157602060405160408152f35b604051906080820182811067ffffffffffffffff821117612e3457604052565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f604051930116820182811067ffffffffffffffff821117612e3457604052565b67ffffffffffffffff8111612e345760051b60200190565b90612eca61023483612ea5565b8281527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0612ef88294612ea5565b0190602036910137565b8051821015612f165760209160051b010190565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b9190811015612f165760051b0190565b91909160c8831015612f16576018908360021c019260031b1690565b919082018092116104b557565b601f82602094937fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe093818652868601375f8582860101520116010190565b3573ffffffffffffffffffffffffffffffffffffffff811681036103115790565b3560ff811681036103115790565b67ffffffffffffffff8111612e3457601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01660200190565b6002548060d01c8015159081613052575b50156130485760a01c65ffffffffffff1690565b5060015460d01c90565b905042115f613034565b9190811015612f165760051b810135907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa181360301821215610311570190565b9035907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe181360301821215610311570180359067ffffffffffffffff82116103115760200191813603831361031157565b90357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18236030181121561031157016020813591019167ffffffffffffffff821161031157813603831361031157565b916020908281520191905f905b8082106131575750505090565b90919283359073ffffffffffffffffffffffffffffffffffffffff82168092036103115760208160019382935201940192019061314a565b3563ffffffff811681036103115790565b335f9081527fad3228b676f7d3cd4284a5443f17f1962b36e491b30a40b2405849e597ba5fb5602052604090205460ff16156131d857565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f52336004525f60245260445ffd5b335f9081527ffaf93c3d007e112089dc8351e013e6685ef67703975d0224b26fc45941d4f1f5602052604090205460ff161561324057565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f52336004527fe2b7fb3b832174769106daebcfd6d1970523240dda11281102db9363b83b0dc460245260445ffd5b805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260ff60405f205416156132c75750565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f523360045260245260445ffd5b60349067ffffffffffffffff939274ffffffffffffffffffffffffffffffffffffffff0073ffffffffffffffffffffffffffffffffffffffff8560021c921660081b16175f520160205260c060405f20549160061b161c1680155f1461335b57505f90565b7fffffffffffffffffffffffffffffffffffffffffffffffff800000000000000081019081136001166104b55760070b90565b906133988261355e565b9173ffffffffffffffffffffffffffffffffffffffff33165f5260338301602052600260405f205416156133c95750565b7f0e25346d000000000000000000000000000000000000000000000000000000005f526004523360245260445ffd5b92919261340761023483612fe9565b938285528282011161031157815f926020928387013784010152565b6037906134313685856133f8565b602081519101205f520160205260405f20549182156134795750507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81019081116104b55790565b610d4f6040519283927fb1d68bd4000000000000000000000000000000000000000000000000000000008452602060048501526024840191612f7c565b9065ffffffffffff8091169116019065ffffffffffff82116104b557565b9092916134e183826136d4565b60376134ee3685846133f8565b60208151910120920192825f528360205260405f2054613521575050600183018093116104b5575f5260205260405f2055565b610d4f6040519283927f69fee1e6000000000000000000000000000000000000000000000000000000008452602060048501526024840191612f7c565b90815f52600360205260405f209160ff835460601c161561357c5750565b7f4cf6b27c000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b6036906135b53685856133f8565b602081519101205f520160205260405f20549182156135fd5750507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81019081116104b55790565b610d4f6040519283927f2d7adb37000000000000000000000000000000000000000000000000000000008452602060048501526024840191612f7c565b9060c09074ffffffffffffffffffffffffffffffffffffffff008560021c9160081b16179360061b166034820192845f528360205260405f20549267ffffffffffffffff84841c16156136af575b9060016136959201612f53565b90549060031b1c60070b901b01915f5260205260405f2055565b678000000000000000831b90931792613688565b908151811015612f16570160200190565b5080158015613715575b6136e55750565b7f42f722aa000000000000000000000000000000000000000000000000000000005f52600452604060245260445ffd5b50604081116136de565b90929161373561372f828061309c565b906136d4565b602081019363ffffffff6137488661318f565b161580156138ab575b613871576040820191600160ff61376785612fdb565b161161383a5761377a816137819261309c565b36916133f8565b60208151910120946036840195805f528660205260405f205415159660018401918285116104b55760ff936137d39363ffffffff936137c9935f5260205260405f205561318f565b1660070b93612fdb565b166138055760016137e692935b01612f53565b67ffffffffffffffff829392549160031b928116831b921b1916179055565b7fffffffffffffffffffffffffffffffffffffffffffffffff800000000000000082146104b55760016137e6925f03936137e0565b60ff61384584612fdb565b7fd1952305000000000000000000000000000000000000000000000000000000005f521660045260245ffd5b63ffffffff61387f8661318f565b7fc2f35e87000000000000000000000000000000000000000000000000000000005f521660045260245ffd5b50637fffffff63ffffffff6138bf8761318f565b1611613751565b6002549073ffffffffffffffffffffffffffffffffffffffff82166107935761392d917fffffffffffffffffffffffff000000000000000000000000000000000000000073ffffffffffffffffffffffffffffffffffffffff83169116176002555f613acf565b90565b908115613941575b61392d91613acf565b6002549173ffffffffffffffffffffffffffffffffffffffff8316610793577fffffffffffffffffffffffff000000000000000000000000000000000000000090921673ffffffffffffffffffffffffffffffffffffffff821617600255613938565b61392d9073ffffffffffffffffffffffffffffffffffffffff6002541673ffffffffffffffffffffffffffffffffffffffff8216146139e4575b5f613ba1565b7fffffffffffffffffffffffff0000000000000000000000000000000000000000600254166002556139de565b9061392d91801580613a50575b15613ba1577fffffffffffffffffffffffff000000000000000000000000000000000000000060025416600255613ba1565b5073ffffffffffffffffffffffffffffffffffffffff6002541673ffffffffffffffffffffffffffffffffffffffff831614613a1e565b65ffffffffffff8111613a9f5765ffffffffffff1690565b7f6dfcc650000000000000000000000000000000000000000000000000000000005f52603060045260245260445ffd5b805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260ff60405f205416155f14613b9b57805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260405f2060017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0082541617905573ffffffffffffffffffffffffffffffffffffffff339216907f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d5f80a4600190565b50505f90565b805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260ff60405f2054165f14613b9b57805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260405f207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00815416905573ffffffffffffffffffffffffffffffffffffffff339216907ff6391f5c32d9c69d2a47ea670b442974b53935d1edc7fd64eb21e047a839171b5f80a4600190565b92909260ff8460081c169160ff851693831015613cb757831015613cae5773ffffffffffffffffffffffffffffffffffffffff613caa9460101c169061363a565b5f90565b50505050600590565b505050505060049056",
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
// the contract method with ID 0xd3c0fedc.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function createProject(bytes32 projectId, string name, (string,uint32,uint8)[] actions, address[] owners, address[] updaters, string[] scoreTypes) returns()
func (scoreRegistry *ScoreRegistry) PackCreateProject(projectId [32]byte, name string, actions []IScoreRegistryAction, owners []common.Address, updaters []common.Address, scoreTypes []string) []byte {
	enc, err := scoreRegistry.abi.Pack("createProject", projectId, name, actions, owners, updaters, scoreTypes)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCreateProject is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd3c0fedc.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function createProject(bytes32 projectId, string name, (string,uint32,uint8)[] actions, address[] owners, address[] updaters, string[] scoreTypes) returns()
func (scoreRegistry *ScoreRegistry) TryPackCreateProject(projectId [32]byte, name string, actions []IScoreRegistryAction, owners []common.Address, updaters []common.Address, scoreTypes []string) ([]byte, error) {
	return scoreRegistry.abi.Pack("createProject", projectId, name, actions, owners, updaters, scoreTypes)
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
// Solidity: function getProject(bytes32 projectId) view returns((uint64,uint32,uint8,uint8))
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
// Solidity: function getProject(bytes32 projectId) view returns((uint64,uint32,uint8,uint8))
func (scoreRegistry *ScoreRegistry) TryPackGetProject(projectId [32]byte) ([]byte, error) {
	return scoreRegistry.abi.Pack("getProject", projectId)
}

// UnpackGetProject is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x4b5f748a.
//
// Solidity: function getProject(bytes32 projectId) view returns((uint64,uint32,uint8,uint8))
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
// Solidity: event ProjectCreated(bytes32 indexed projectId, string name, (string,uint32,uint8)[] actions, address[] owners, address[] updaters, string[] scoreTypes)
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
const ScoreRegistryDeployedBin = "0x610120806040526004361015610013575f80fd5b5f3560e01c90816301ffc9a714612b5b57508063022d63fb14612b205780630aa6220b14612a3c578063117803e314612a03578063143cb71314612970578063238765921461282b578063248a9ca3146127db57806325f87d231461279f5780632b9c190c146125e05780632c5c020a146124f45780632f2ff15d1461249357806336568abe146123085780634aaf569f146122765780634b5f748a146121bb57806351ce1013146121965780635860af7c14611e62578063634e93da14612067578063649a5ec714611e67578063680c60c714611e62578063702e36e514611d6357806384ef8ffc14611b355780638696355c14611b865780638da5cb5b14611b3557806391d1485414611ac1578063926d7d7f14611a69578063940e49b01461194a57806394a686301461191157806396def709146118d8578063a1eda53c14611852578063a217fddf1461181a578063a4c7e94914611791578063b50534b0146111a3578063c30c5b6014611175578063cc8463c81461112d578063cefc142914610ff4578063cf6eefb714610f6a578063d22283e414610e82578063d3c0fedc146107bb578063d547741f1461072b578063d602b9fd14610694578063d8d634f814610552578063ea0e35b114610519578063f693aa991461034e578063f77fafc3146103155763fedc9f541461020c575f80fd5b346103115761021a36612d0d565b90915f52600360205260405f209161023961023483612ea5565b612e61565b9282845261024683612ea5565b927fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe060208601940136853760335f9201915b8181106102c6578486604051918291602083019060208452518091526040830191905f5b8181106102aa575050500390f35b825160ff1684528594506020938401939092019160010161029c565b8073ffffffffffffffffffffffffffffffffffffffff6102f16102ec6001948689612f43565b612fba565b165f528360205260ff60405f20541661030a8289612f02565b5201610278565b5f80fd5b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157602060405160808152f35b346103115760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760043560243567ffffffffffffffff811161031157806004019060607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8236030112610311576103cc8361338e565b9060ff825460601c169060c882146104e2576103e984838561371f565b5060018201928383116104b5577fc9d7483bbb073f9578c510bb66a72ff2619bf615e64d1221a29f2da5fc0d12fc946104616104679260ff8097167fffffffffffffffffffffffffffffffffffffff00ffffffffffffffffffffffff6cff00000000000000000000000083549260601b169116179055565b8061309c565b939063ffffffff6104a361048960446104826024880161318f565b9601612fdb565b926040519788978852608060208901526080880191612f7c565b931660408501521660608301520390a2005b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b50600181018091116104b5577f8c9afd4c000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157602060405160648152f35b346103115760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760043561058c612c7d565b73ffffffffffffffffffffffffffffffffffffffff6105aa8361338e565b911690811561066c5760330191815f528260205260405f2054600180821615151461063d5760ff600191161892825f5260205260405f2060ff84167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0082541617905560ff604051931683527fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c60203394a4005b507f80cec299000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b7f7553caa6000000000000000000000000000000000000000000000000000000005f5260045ffd5b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610311576106ca6131a0565b600180547fffffffffffff0000000000000000000000000000000000000000000000000000811690915560a01c65ffffffffffff1661070557005b7f8886ebfc4259abdbc16601dd8fb5678e54878f47b3c34836cfc51154a96051095f80a1005b346103115760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157600435610765612c7d565b8115610793578161078c610787610791945f525f602052600160405f20015490565b613290565b613a11565b005b7f3fc3c27a000000000000000000000000000000000000000000000000000000005f5260045ffd5b346103115760c07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760043560243567ffffffffffffffff81116103115761080d903690600401612d5f565b9160443567ffffffffffffffff81116103115761082e903690600401612cdc565b91909360643567ffffffffffffffff811161031157610851903690600401612cdc565b909560843567ffffffffffffffff811161031157610873903690600401612cdc565b909160a43567ffffffffffffffff811161031157610895903690600401612cdc565b9490996108a0613208565b875f52600360205260405f209860ff8a5460601c16610e565787158015610e4c575b610e1b5780158015610e11575b610de65786158015610ddc575b610db0578215610d885760646108f28685612f6f565b11610d53575f5b818110610ce357505f5b8c88821015610932579061092c818d6109246001958360051b81019061309c565b9290916134d4565b01610903565b979a9194918c9150603381015f5b868110610c5357505f5b888110610b9957505080546dff0000000000000000000000000060688e901b167fffffffffffffffffffffffffffffffffffff000000000000000000000000000090911667ffffffffffffffff4316176bffffffff0000000000000000604088901b16176cff000000000000000000000000606089901b16171790556109dc906040519960a08b5260a08b0191612f7c565b9388850360208a01528085526020850160208260051b87010195835f917fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa182360301905b858410610af9575050505050505091610a4691610a5495949388830360408a015261313d565b91858303606087015261313d565b938285036080840152808552602085019460208260051b82010195835f925b848410610aa357877fbc660814c846acf1e0376a02c8d73c71d502e39bfe3577978eea1f85b34e96ac888b0389a2005b909192939497602080610ae9837fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08660019603018852610ae38d886130ed565b90612f7c565b9a01940194019294939190610a73565b909192939495989b9e9b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe082820301865289358381121561031157840190610b52610b4483806130ed565b606084526060840191612f7c565b9160208101359063ffffffff821680920361031157604091602084015201359060ff821680920361031157604001529b9e9b98602090810196950193600101929190610a20565b73ffffffffffffffffffffffffffffffffffffffff610bc29b9e9b6102ec838c8e9c999c612f43565b16801561066c57805f528260205260405f20549060018216610c285790600192915f528360205260ff838160405f20931617167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00825416179055019c999c96939661094a565b7f4b99be10000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b73ffffffffffffffffffffffffffffffffffffffff610c7c9b9e9b6102ec838a8a9c999c612f43565b16801561066c57805f528260205260405f20549060028216610c285790600192915f528360205260ff60028160405f20931617167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00825416179055019c999c969396610940565b610cf8610cf182848861305c565b828d61371f565b610d04576001016108f9565b61046190610d12928661305c565b610d4f6040519283927f06db7d8a000000000000000000000000000000000000000000000000000000008452602060048501526024840191612f7c565b0390fd5b610d5d8584612f6f565b7f9ee3ba86000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b7f7f51e102000000000000000000000000000000000000000000000000000000005f5260045ffd5b867f7e75e0e3000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b50604087116108dc565b7f8c9afd4c000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b5060c881116108cf565b877f42f722aa000000000000000000000000000000000000000000000000000000005f52600452608060245260445ffd5b50608088116108c2565b887f9b38330d000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b346103115760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157600435610ebc612c7d565b73ffffffffffffffffffffffffffffffffffffffff610eda8361338e565b911690811561066c5760330191815f528260205260405f2054600181161561063d5760ff600191161892825f5260205260405f2060ff84167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0082541617905560ff604051931683527fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c60203394a4005b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157604065ffffffffffff610fce6001549065ffffffffffff73ffffffffffffffffffffffffffffffffffffffff83169260a01c1690565b73ffffffffffffffffffffffffffffffffffffffff849392935193168352166020820152f35b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760015473ffffffffffffffffffffffffffffffffffffffff1633036111015760015460a081901c65ffffffffffff169073ffffffffffffffffffffffffffffffffffffffff16811580156110f7575b6110cb576110a09061109a73ffffffffffffffffffffffffffffffffffffffff600254166139a4565b506138c6565b50600180547fffffffffffff0000000000000000000000000000000000000000000000000000169055005b507f19ca5ebb000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b5042821015611071565b7fc22c8022000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610311576020611165613023565b65ffffffffffff60405191168152f35b3461031157602060ff61119a61118a36612d8d565b915f526003855260405f206135a7565b16604051908152f35b346103115760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760043567ffffffffffffffff8111610311576111f2903690600401612d5f565b60a05261010052611201613208565b60a05115611765577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe061124c601760a0510461123f61023482612fe9565b60c0528060c05152612fe9565b0136602060c05101375f5f5f5b60a05181106112fd5750156112f6575b60c051527f4ed387ca07ef8b4b76090cd892fb7718202781188374f563f7bbd529d8e893a8604051604081526020816112ab6040820160a05161010051612f7c565b818103838301527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f60c05151808452808660c051018786015e5f868286010152011601030190a1005b505f611269565b909160378260a0510310611739578161010051019283355f526003602052602060405f209401359260ff8460581c1660018114805f1461173357601f5b5f60e0528301926037840192821561172957601760e0525b61ffff8860481c161590811561170c575b81156116ef575b506116c4575073ffffffffffffffffffffffffffffffffffffffff8660601c165f526033870160205260ff60405f205416155f146114515750509091929360ff905460601c16155f1461144a5760025b5f5b61ffff8660481c1681106113fe5750506037906001935b60e05160489690961c61ffff16908101950201019181156113f6575b5090611259565b9050836113ef565b6001907fff000000000000000000000000000000000000000000000000000000000000008360f89894989796971b165f1a61143d82870160c0516136c3565b53019490949392936113bc565b60036113ba565b156115c4578390955f91815460ff8160601c16987fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe1603787610100510101013560081c5f526035840160205260405f2054608052608051925b603760e05161ffff8c60481c160288010182106115205750505060379495969750608051036114db575b50936113d3565b6035907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18585610100510101013560081c5f520160205260805160405f2055866114d4565b816101009a97989a51013560018160f81c1b90816080511615155f146115a9575060015b806115655750601791600191608051176080525b01910190989695986114aa565b90507fff0000000000000000000000000000000000000000000000000000000000000091965060f81b165f1a61159d8660c0516136c3565b53601760018096611558565b6115bf908d60ff8760681c169160481c89613c69565b611544565b835f9187549760ff808a60601c169960681c169060358101935b603760e05161ffff8c60481c1602880101841061160757505050505060379293949550936113d3565b836101009a97989a51018b813591600160ff84161b9260081c90815f52886020528660405f20549385851615155f146116ae5750505060015b80611668575091603693916001935f52886020521760405f20555b01930192989695986115de565b925050507fff0000000000000000000000000000000000000000000000000000000000000091965060f81b165f1a6116a28660c0516136c3565b5360366001809661165b565b60206116bf93013560501c88613c69565b611640565b7f86fbb3af000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b8315915081611700575b508961136a565b600291501415896116f9565b905060a051603760e05161ffff8b60481c16028701011190611363565b603660e052611352565b5f61133a565b507f86fbb3af000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b7f86fbb3af000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b346103115760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610311576117c8612c7d565b6044359067ffffffffffffffff82116103115761180961180f916117f26020943690600401612d5f565b6004939193355f526003865260405f209384613423565b916132f6565b6040519060070b8152f35b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760206040515f8152f35b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610311576002548060d01c90811515806118ce575b156118c45760a01c65ffffffffffff165b6040805165ffffffffffff9283168152929091166020830152819081015b0390f35b50505f5f906118a2565b5042821015611891565b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157602060405160c88152f35b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157602060405160018152f35b346103115760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760243567ffffffffffffffff811161031157611999903690600401612cdc565b9060443567ffffffffffffffff8111610311576119ba903690600401612cdc565b90818403611a39576004355f52600360205260405f20916119da85612ebd565b945f5b8181106119f257604051806118c08982612ca0565b80611a23611a066102ec600194868b612f43565b60ff611a1b611a1685898b612f43565b612fdb565b1690886132f6565b611a2d828a612f02565b9060070b9052016119dd565b50827fab8b67c6000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760206040517fe2b7fb3b832174769106daebcfd6d1970523240dda11281102db9363b83b0dc48152f35b346103115760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157611af8612c7d565b6004355f525f60205273ffffffffffffffffffffffffffffffffffffffff60405f2091165f52602052602060ff60405f2054166040519015158152f35b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157602073ffffffffffffffffffffffffffffffffffffffff60025416604051908152f35b346103115760a07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760043560243560443567ffffffffffffffff811161031157611bdb903690600401612d5f565b919060643567ffffffffffffffff811161031157611bfd903690600401612d5f565b93909160843573ffffffffffffffffffffffffffffffffffffffff81169586820361031157611c2b8661355e565b9073ffffffffffffffffffffffffffffffffffffffff33165f526033820160205260ff60405f20541615611d33578860081c93600160ff8b161b916035840196865f528760205260405f205492848416611d035792611ca18693611c9a60ff9b9a97948c9a97611cc09a6135a7565b9b85613423565b9788955f526020521760405f2055611cbb83898c8461363a565b6132f6565b9360405197885216602087015216604085015260070b60608401527fb8bf3312282827c4f413d5589d95936fb81f2d679e575bd075ed3d5f323688a160803394a4005b8c8b7fb072726f000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b867f0a6c3de1000000000000000000000000000000000000000000000000000000005f526004523360245260445ffd5b3461031157611d7136612d8d565b611d7a8361338e565b60ff815460681c169060408214611e2b57611d97838584846134d4565b60018201938483116104b557611e0d611e269260ff7fb91b22d6009eaebf777d8bff6809223fba12134e654f0e8df37ff89fc4a7987f97167fffffffffffffffffffffffffffffffffffff00ffffffffffffffffffffffffff6dff0000000000000000000000000083549260681b169116179055565b6040519384938452604060208501526040840191612f7c565b0390a2005b50600181018091116104b5577f7e75e0e3000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b612ddb565b346103115760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760043565ffffffffffff81169081810361031157611eb26131a0565b611ebb42613a87565b9165ffffffffffff611ecb613023565b168082111561202d57507ff1038c18cf84a56e432fdbfaf746924b7ea511dfe03a6506a0ceba4888788d9b9265ffffffffffff826206978080611f189510911802620697801816906134b6565b906002548060d01c80611faa575b50506002805473ffffffffffffffffffffffffffffffffffffffff1660a083901b79ffffffffffff0000000000000000000000000000000000000000161760d084901b7fffffffffffff0000000000000000000000000000000000000000000000000000161790556040805165ffffffffffff9283168152919092166020820152a1005b4211156120035779ffffffffffffffffffffffffffffffffffffffffffffffffffff7fffffffffffff00000000000000000000000000000000000000000000000000006001549260301b169116176001555b8380611f26565b507f2b1fa2edafe6f7b9e97c1a9e0c3660e645beb2dcaa2d45bdbf9beaf5472e1ec55f80a1611ffc565b0365ffffffffffff81116104b5577ff1038c18cf84a56e432fdbfaf746924b7ea511dfe03a6506a0ceba4888788d9b92611f1891906134b6565b346103115760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760043573ffffffffffffffffffffffffffffffffffffffff8116809103610311576120bf6131a0565b7f3377dc44241e779dd06afab5b788a35ca5f3b778836e2990bdb26a2a4b2e5ed660206120fc6120ee42613a87565b6120f6613023565b906134b6565b600180547fffffffffffff00000000000000000000000000000000000000000000000000008116861760a084811b79ffffffffffff00000000000000000000000000000000000000001691909117909255901c65ffffffffffff1661216d575b65ffffffffffff60405191168152a2005b7f8886ebfc4259abdbc16601dd8fb5678e54878f47b3c34836cfc51154a96051095f80a161215c565b3461031157602060ff61119a6121ab36612d8d565b915f526003855260405f20613423565b346103115760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610311575f60606121f5612e14565b82815282602082015282604082015201526004355f526003602052608060405f205460ff67ffffffffffffffff8216918161222e612e14565b84815263ffffffff60208201818560401c16815283606060408501948288831c168652019560681c168552604051968752511660208601525116604084015251166060820152f35b346103115760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610311576004355f52600360205260405f206122c360ff825460601c16612ebd565b906001015f5b82518110156122fa57806122df60019284612f53565b90549060031b1c60070b6122f38286612f02565b52016122c9565b604051806118c08582612ca0565b346103115760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157600435612342612c7d565b81158061245c575b61239d575b3373ffffffffffffffffffffffffffffffffffffffff8216036123755761079191613a11565b7f6697b232000000000000000000000000000000000000000000000000000000005f5260045ffd5b60015465ffffffffffff60a082901c169073ffffffffffffffffffffffffffffffffffffffff161580159061244c575b801561243a575b61240657507fffffffffffff000000000000ffffffffffffffffffffffffffffffffffffffff6001541660015561234f565b65ffffffffffff907f19ca5ebb000000000000000000000000000000000000000000000000000000005f521660045260245ffd5b504265ffffffffffff821610156123d4565b5065ffffffffffff8116156123cd565b5073ffffffffffffffffffffffffffffffffffffffff6002541673ffffffffffffffffffffffffffffffffffffffff82161461234a565b346103115760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610311576004356124cd612c7d565b811561079357816124ef610787610791945f525f602052600160405f20015490565b613930565b346103115761250236612d0d565b90915f52600360205260405f209161251c61023483612ea5565b9282845261252983612ea5565b927fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe060208601940136853760355f9201915b8181106125a8578486604051918291602083019060208452518091526040830191905f5b81811061258d575050500390f35b8251151584528594506020938401939092019160010161257f565b806001806125b881948689612f43565b358060081c5f528660205260ff60405f205491161c16146125d98289612f02565b520161255b565b346103115760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760043561261a612c7d565b73ffffffffffffffffffffffffffffffffffffffff6126388361338e565b9116801561066c576033820190805f528160205260405f2054600281161561276f5760ff600291161891815f5260205260405f2060ff83167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0082541617905560ff60405192168252837fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c60203394a463ffffffff815460401c169160018314612744575081156104b5577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff61079192017fffffffffffffffffffffffffffffffffffffffff00000000ffffffffffffffff6bffffffff000000000000000083549260401b169116179055565b7fc3ff1d51000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b50837f80cec299000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610311576020604051637fffffff8152f35b346103115760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103115760206128236004355f525f602052600160405f20015490565b604051908152f35b346103115760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157600435612865612c7d565b9073ffffffffffffffffffffffffffffffffffffffff6128848261338e565b9216801561066c576033830191815f528260205260405f205460016002821615151461063d5760ff600291161892825f5260205260405f2060ff84167fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0082541617905560ff604051931683527fdc00b7b447605ae2ceea64ea7f04d22d5e9546a93cac6b8f431cd67f4cab394c60203394a463ffffffff815460401c169063ffffffff82146104b557600161079192017fffffffffffffffffffffffffffffffffffffffff00000000ffffffffffffffff6bffffffff000000000000000083549260401b169116179055565b346103115760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610311576129a7612c7d565b6004355f52600360205260405f206129c560ff825460681c16612ebd565b915f5b83518110156129f557806129df60019284866132f6565b6129e98287612f02565b9060070b9052016129c8565b604051806118c08682612ca0565b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157602060405160028152f35b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157612a726131a0565b6002548060d01c80612a9d575b6002805473ffffffffffffffffffffffffffffffffffffffff169055005b421115612af65779ffffffffffffffffffffffffffffffffffffffffffffffffffff7fffffffffffff00000000000000000000000000000000000000000000000000006001549260301b169116176001555b8080612a7f565b507f2b1fa2edafe6f7b9e97c1a9e0c3660e645beb2dcaa2d45bdbf9beaf5472e1ec55f80a1612aef565b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610311576020604051620697808152f35b346103115760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157600435907fffffffff00000000000000000000000000000000000000000000000000000000821680920361031157817f01464b1c0000000000000000000000000000000000000000000000000000000060209314908115612bed575b5015158152f35b7f3149878600000000000000000000000000000000000000000000000000000000811491508115612c20575b5083612be6565b7f7965db0b00000000000000000000000000000000000000000000000000000000811491508115612c53575b5083612c19565b7f01ffc9a70000000000000000000000000000000000000000000000000000000091501483612c4c565b6024359073ffffffffffffffffffffffffffffffffffffffff8216820361031157565b60206040818301928281528451809452019201905f5b818110612cc35750505090565b825160070b845260209384019390920191600101612cb6565b9181601f840112156103115782359167ffffffffffffffff8311610311576020808501948460051b01011161031157565b9060407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc83011261031157600435916024359067ffffffffffffffff821161031157612d5b91600401612cdc565b9091565b9181601f840112156103115782359167ffffffffffffffff8311610311576020838186019501011161031157565b9060407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc83011261031157600435916024359067ffffffffffffffff821161031157612d5b91600401612d5f565b34610311575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261031157602060405160408152f35b604051906080820182811067ffffffffffffffff821117612e3457604052565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f604051930116820182811067ffffffffffffffff821117612e3457604052565b67ffffffffffffffff8111612e345760051b60200190565b90612eca61023483612ea5565b8281527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0612ef88294612ea5565b0190602036910137565b8051821015612f165760209160051b010190565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b9190811015612f165760051b0190565b91909160c8831015612f16576018908360021c019260031b1690565b919082018092116104b557565b601f82602094937fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe093818652868601375f8582860101520116010190565b3573ffffffffffffffffffffffffffffffffffffffff811681036103115790565b3560ff811681036103115790565b67ffffffffffffffff8111612e3457601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01660200190565b6002548060d01c8015159081613052575b50156130485760a01c65ffffffffffff1690565b5060015460d01c90565b905042115f613034565b9190811015612f165760051b810135907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa181360301821215610311570190565b9035907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe181360301821215610311570180359067ffffffffffffffff82116103115760200191813603831361031157565b90357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18236030181121561031157016020813591019167ffffffffffffffff821161031157813603831361031157565b916020908281520191905f905b8082106131575750505090565b90919283359073ffffffffffffffffffffffffffffffffffffffff82168092036103115760208160019382935201940192019061314a565b3563ffffffff811681036103115790565b335f9081527fad3228b676f7d3cd4284a5443f17f1962b36e491b30a40b2405849e597ba5fb5602052604090205460ff16156131d857565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f52336004525f60245260445ffd5b335f9081527ffaf93c3d007e112089dc8351e013e6685ef67703975d0224b26fc45941d4f1f5602052604090205460ff161561324057565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f52336004527fe2b7fb3b832174769106daebcfd6d1970523240dda11281102db9363b83b0dc460245260445ffd5b805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260ff60405f205416156132c75750565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f523360045260245260445ffd5b60349067ffffffffffffffff939274ffffffffffffffffffffffffffffffffffffffff0073ffffffffffffffffffffffffffffffffffffffff8560021c921660081b16175f520160205260c060405f20549160061b161c1680155f1461335b57505f90565b7fffffffffffffffffffffffffffffffffffffffffffffffff800000000000000081019081136001166104b55760070b90565b906133988261355e565b9173ffffffffffffffffffffffffffffffffffffffff33165f5260338301602052600260405f205416156133c95750565b7f0e25346d000000000000000000000000000000000000000000000000000000005f526004523360245260445ffd5b92919261340761023483612fe9565b938285528282011161031157815f926020928387013784010152565b6037906134313685856133f8565b602081519101205f520160205260405f20549182156134795750507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81019081116104b55790565b610d4f6040519283927fb1d68bd4000000000000000000000000000000000000000000000000000000008452602060048501526024840191612f7c565b9065ffffffffffff8091169116019065ffffffffffff82116104b557565b9092916134e183826136d4565b60376134ee3685846133f8565b60208151910120920192825f528360205260405f2054613521575050600183018093116104b5575f5260205260405f2055565b610d4f6040519283927f69fee1e6000000000000000000000000000000000000000000000000000000008452602060048501526024840191612f7c565b90815f52600360205260405f209160ff835460601c161561357c5750565b7f4cf6b27c000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b6036906135b53685856133f8565b602081519101205f520160205260405f20549182156135fd5750507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81019081116104b55790565b610d4f6040519283927f2d7adb37000000000000000000000000000000000000000000000000000000008452602060048501526024840191612f7c565b9060c09074ffffffffffffffffffffffffffffffffffffffff008560021c9160081b16179360061b166034820192845f528360205260405f20549267ffffffffffffffff84841c16156136af575b9060016136959201612f53565b90549060031b1c60070b901b01915f5260205260405f2055565b678000000000000000831b90931792613688565b908151811015612f16570160200190565b5080158015613715575b6136e55750565b7f42f722aa000000000000000000000000000000000000000000000000000000005f52600452604060245260445ffd5b50604081116136de565b90929161373561372f828061309c565b906136d4565b602081019363ffffffff6137488661318f565b161580156138ab575b613871576040820191600160ff61376785612fdb565b161161383a5761377a816137819261309c565b36916133f8565b60208151910120946036840195805f528660205260405f205415159660018401918285116104b55760ff936137d39363ffffffff936137c9935f5260205260405f205561318f565b1660070b93612fdb565b166138055760016137e692935b01612f53565b67ffffffffffffffff829392549160031b928116831b921b1916179055565b7fffffffffffffffffffffffffffffffffffffffffffffffff800000000000000082146104b55760016137e6925f03936137e0565b60ff61384584612fdb565b7fd1952305000000000000000000000000000000000000000000000000000000005f521660045260245ffd5b63ffffffff61387f8661318f565b7fc2f35e87000000000000000000000000000000000000000000000000000000005f521660045260245ffd5b50637fffffff63ffffffff6138bf8761318f565b1611613751565b6002549073ffffffffffffffffffffffffffffffffffffffff82166107935761392d917fffffffffffffffffffffffff000000000000000000000000000000000000000073ffffffffffffffffffffffffffffffffffffffff83169116176002555f613acf565b90565b908115613941575b61392d91613acf565b6002549173ffffffffffffffffffffffffffffffffffffffff8316610793577fffffffffffffffffffffffff000000000000000000000000000000000000000090921673ffffffffffffffffffffffffffffffffffffffff821617600255613938565b61392d9073ffffffffffffffffffffffffffffffffffffffff6002541673ffffffffffffffffffffffffffffffffffffffff8216146139e4575b5f613ba1565b7fffffffffffffffffffffffff0000000000000000000000000000000000000000600254166002556139de565b9061392d91801580613a50575b15613ba1577fffffffffffffffffffffffff000000000000000000000000000000000000000060025416600255613ba1565b5073ffffffffffffffffffffffffffffffffffffffff6002541673ffffffffffffffffffffffffffffffffffffffff831614613a1e565b65ffffffffffff8111613a9f5765ffffffffffff1690565b7f6dfcc650000000000000000000000000000000000000000000000000000000005f52603060045260245260445ffd5b805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260ff60405f205416155f14613b9b57805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260405f2060017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0082541617905573ffffffffffffffffffffffffffffffffffffffff339216907f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d5f80a4600190565b50505f90565b805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260ff60405f2054165f14613b9b57805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260405f207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00815416905573ffffffffffffffffffffffffffffffffffffffff339216907ff6391f5c32d9c69d2a47ea670b442974b53935d1edc7fd64eb21e047a839171b5f80a4600190565b92909260ff8460081c169160ff851693831015613cb757831015613cae5773ffffffffffffffffffffffffffffffffffffffff613caa9460101c169061363a565b5f90565b50505050600590565b505050505060049056"
