package registry

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/registry/internal/bindings"
	"github.com/scorelay/scorelay/pkg/score"
)

// EncodeEditBySignature returns the calldata, for any sender, of an owner's signed edit (wallet.Domain.EditDigest).
func EncodeEditBySignature(e *score.ProjectEdit, owner common.Address, signature score.GroupSignature) []byte {
	edits := make([]bindings.IScoreRegistryEdit, len(e.Edits))
	for i, edit := range e.Edits {
		edits[i] = bindings.IScoreRegistryEdit{
			Operation: string(edit.Operation), Member: edit.Member, Name: edit.Name, Points: edit.Points, Direction: uint8(edit.Direction),
		}
	}
	return contract.PackEditBySignature(e.Project, edits, owner, new(big.Int).SetUint64(e.Nonce), new(big.Int).SetUint64(e.Deadline),
		[32]byte(signature[:32]), [32]byte(signature[32:]))
}

func EncodeEdit(e *score.SignedEdit) []byte {
	return EncodeEditBySignature(&e.ProjectEdit, e.Owner, e.Signature)
}

// DecodeEdit inverts EncodeEdit. It returns ErrOtherCall unless the calldata is exactly as EncodeEdit writes it. An
// empty list decodes as non-nil.
func DecodeEdit(calldata []byte) (*score.SignedEdit, error) {
	parsed := contract.GetABI()
	method := parsed.Methods["editBySignature"]
	if !bytes.HasPrefix(calldata, method.ID) {
		return nil, fmt.Errorf("%w: not editBySignature", ErrOtherCall)
	}
	values, err := method.Inputs.Unpack(calldata[4:])
	if err != nil {
		return nil, fmt.Errorf("%w: editBySignature: %s", ErrOtherCall, err.Error())
	}
	var args struct {
		ProjectId       [32]byte // the ABI's name
		Edits           []bindings.IScoreRegistryEdit
		Owner           common.Address
		Nonce, Deadline *big.Int
		R, Vs           [32]byte
	}
	if err := method.Inputs.Copy(&args, values); err != nil {
		return nil, fmt.Errorf("%w: editBySignature: %s", ErrOtherCall, err.Error())
	}
	e := &score.SignedEdit{Owner: args.Owner}
	e.Project, e.Nonce, e.Deadline, e.Edits = args.ProjectId, args.Nonce.Uint64(), args.Deadline.Uint64(), make([]score.Edit, len(args.Edits))
	copy(e.Signature[:], slices.Concat(args.R[:], args.Vs[:]))
	for i, edit := range args.Edits {
		e.Edits[i] = score.Edit{
			Operation: score.Operation(edit.Operation), Member: edit.Member, Name: edit.Name, Points: edit.Points, Direction: score.Direction(edit.Direction),
		}
	}
	if !bytes.Equal(calldata, EncodeEdit(e)) {
		return nil, fmt.Errorf("%w: editBySignature not as EncodeEdit writes it", ErrOtherCall)
	}
	return e, nil
}

// Edited returns ErrNoEvent unless the receipt of EncodeEdit's transaction has one event for each edit. For an empty
// list only the receipt's status counts.
func Edited(e *score.SignedEdit, registry common.Address, receipt *types.Receipt) error {
	made := 0
	for _, log := range registryLogs(registry, receipt) {
		if len(log.Topics) >= 2 && log.Topics[0] != topicProjectCreated && slices.Contains(ProjectTopics(), log.Topics[0]) && log.Topics[1] == common.Hash(e.Project) {
			made++
		}
	}
	if receipt.Status != types.ReceiptStatusSuccessful || made != len(e.Edits) {
		return fmt.Errorf("%w: %d events for %d edits of transaction %s", ErrNoEvent, made, len(e.Edits), receipt.TxHash)
	}
	return nil
}

// EditOutcome returns the outcome of a reverted edit, by default score.Unprocessable.
func EditOutcome(revert *Revert) score.Outcome {
	switch revert.Name {
	case RevertUnknownProject:
		return score.UnknownProject
	case RevertEditExpired:
		return score.EditExpired
	case RevertWrongEditNonce:
		return score.WrongEditNonce
	case RevertNotOwner:
		return score.NotOwner
	case RevertBadEditSignature:
		return score.BadSignature
	}
	return score.Unprocessable
}

// Edit bounds the gas of an owner's edit. Under Osaka an edit of score.MaxEdits stays below MaxGas.
func (r GasRules) Edit(e *score.SignedEdit) uint64 {
	data := EncodeEdit(e)
	// Gas beyond that of fresh slots.
	const (
		rest    = 34_000 // project, owner, signature, nonce
		perEdit = 12_000 // for the dearest operation: hashing, comparing, event
		slots   = 2      // for the dearest operation: an action's name and its points
		perByte = 18     // names and operations are hashed, compared and logged
	)
	return r.base + rest + r.surcharge(data) + calldataGas(data) + perByte*uint64(len(data)) + (slots*r.slot+perEdit)*uint64(len(e.Edits))
}
