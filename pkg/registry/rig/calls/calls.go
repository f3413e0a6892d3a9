// Package calls encodes calls of the contract that people send it themselves, for tests: the product sends none of them.
package calls

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/registry/internal/bindings"
	"github.com/scorelay/scorelay/pkg/score"
)

var (
	contract    = bindings.NewScoreRegistry()
	relayerRole = crypto.Keccak256Hash([]byte("RELAYER_ROLE"))
)

// AddAction is an owner's call.
func AddAction(project score.ProjectID, a score.Action) []byte {
	return contract.PackAddAction(project, bindings.IScoreRegistryAction{Name: a.Name, Points: a.Points, Direction: uint8(a.Direction)})
}

// AddScoreType is an owner's call.
func AddScoreType(project score.ProjectID, name string) []byte {
	return contract.PackAddScoreType(project, name)
}

// AddOwner is an owner's call.
func AddOwner(project score.ProjectID, member common.Address) []byte {
	return contract.PackAddOwner(project, member)
}

// RemoveOwner is an owner's call.
func RemoveOwner(project score.ProjectID, member common.Address) []byte {
	return contract.PackRemoveOwner(project, member)
}

// AddUpdater is an owner's call.
func AddUpdater(project score.ProjectID, member common.Address) []byte {
	return contract.PackAddUpdater(project, member)
}

// RemoveUpdater is an owner's call.
func RemoveUpdater(project score.ProjectID, member common.Address) []byte {
	return contract.PackRemoveUpdater(project, member)
}

// RevokeRelayer is the admin's call that takes the relayer role from an account.
func RevokeRelayer(account common.Address) []byte {
	return contract.PackRevokeRole(relayerRole, account)
}
