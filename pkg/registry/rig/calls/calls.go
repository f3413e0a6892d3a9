// Package calls encodes, for tests, calls that owners send to the contract themselves, and the admin's RevokeRelayer.
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

func SetSignedOnly(project score.ProjectID, signedOnly bool) []byte {
	return contract.PackSetSignedOnly(project, signedOnly)
}

func UpdateScore(project score.ProjectID, id score.UpdateID, action, scoreType string, target common.Address) []byte {
	return contract.PackUpdateScore(id, project, action, scoreType, target)
}

func AddAction(project score.ProjectID, a score.Action) []byte {
	return contract.PackAddAction(project, bindings.IScoreRegistryAction{Name: a.Name, Points: a.Points, Direction: uint8(a.Direction)})
}

func AddScoreType(project score.ProjectID, name string) []byte {
	return contract.PackAddScoreType(project, name)
}

func AddOwner(project score.ProjectID, member common.Address) []byte {
	return contract.PackAddOwner(project, member)
}

func RemoveOwner(project score.ProjectID, member common.Address) []byte {
	return contract.PackRemoveOwner(project, member)
}

func AddUpdater(project score.ProjectID, member common.Address) []byte {
	return contract.PackAddUpdater(project, member)
}

func RemoveUpdater(project score.ProjectID, member common.Address) []byte {
	return contract.PackRemoveUpdater(project, member)
}

func RevokeRelayer(account common.Address) []byte {
	return contract.PackRevokeRole(relayerRole, account)
}
