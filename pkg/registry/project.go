package registry

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/registry/internal/bindings"
	"github.com/scorelay/scorelay/pkg/score"
)

func EncodeCreateProject(p *score.Project) []byte {
	return contract.PackCreateProject(p.ID, p.Name, packActions(p.Actions), p.Owners, p.Updaters, p.ScoreTypes, p.SignedOnly)
}

// DecodeCreateProject inverts EncodeCreateProject, under the rules of DecodeEdit.
func DecodeCreateProject(calldata []byte) (*score.Project, error) {
	parsed := contract.GetABI()
	method := parsed.Methods["createProject"]
	if !bytes.HasPrefix(calldata, method.ID) {
		return nil, fmt.Errorf("%w: not createProject", ErrOtherCall)
	}
	values, err := method.Inputs.Unpack(calldata[4:])
	if err != nil {
		return nil, fmt.Errorf("%w: createProject: %s", ErrOtherCall, err.Error())
	}
	var args struct {
		ProjectId  [32]byte // the ABI's name
		Name       string
		Actions    []bindings.IScoreRegistryAction
		Owners     []common.Address
		Updaters   []common.Address
		ScoreTypes []string
		SignedOnly bool
	}
	if err := method.Inputs.Copy(&args, values); err != nil {
		return nil, fmt.Errorf("%w: createProject: %s", ErrOtherCall, err.Error())
	}
	p := &score.Project{
		ID: args.ProjectId, Name: args.Name, Actions: unpackActions(args.Actions), Owners: args.Owners,
		Updaters: args.Updaters, ScoreTypes: args.ScoreTypes, SignedOnly: args.SignedOnly,
	}
	if !bytes.Equal(calldata, EncodeCreateProject(p)) {
		return nil, fmt.Errorf("%w: createProject not as EncodeCreateProject writes it", ErrOtherCall)
	}
	return p, nil
}

func packActions(actions []score.Action) []bindings.IScoreRegistryAction {
	out := make([]bindings.IScoreRegistryAction, len(actions))
	for i, a := range actions {
		out[i] = bindings.IScoreRegistryAction{Name: a.Name, Points: a.Points, Direction: uint8(a.Direction)}
	}
	return out
}

func unpackActions(actions []bindings.IScoreRegistryAction) []score.Action {
	out := make([]score.Action, len(actions))
	for i, a := range actions {
		out[i] = score.Action{Name: a.Name, Points: a.Points, Direction: score.Direction(a.Direction)}
	}
	return out
}

// validName makes an event's name safe to store and print. The contract checks only its length, so an owner may have
// added invalid UTF-8. The API rejects such names.
func validName(name string) string { return strings.ToValidUTF8(name, "\uFFFD") }
