package relay

import (
	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// piece is decoded work: a batch, or a lone creation or edit.
type piece struct {
	batch *batch.Batch
	nonce uint64 // if in a block
	known int    // slots of the batch assumed as used

	project *score.Project
	edit    *score.SignedEdit
}

// pieceOf decodes the calldata of work, except NonceOnly.
func pieceOf(kind lane.WorkKind, data []byte) (*piece, error) {
	switch kind {
	case lane.Creation:
		project, err := registry.DecodeCreateProject(data)
		return &piece{project: project}, err
	case lane.Edit:
		edit, err := registry.DecodeEdit(data)
		return &piece{edit: edit}, err
	}
	b, err := registry.DecodeBatch(data)
	return &piece{batch: &b}, err
}

func pieceOfSlot(slot *lane.Slot) (*piece, error) {
	data, err := slot.Data()
	if err != nil {
		return nil, err
	}
	return pieceOf(slot.Work.Kind, data)
}

func (p *piece) alone() (kind lane.WorkKind, data []byte, ref score.Ref) {
	if p.edit != nil {
		return lane.Edit, registry.EncodeEdit(p.edit), p.edit.Ref()
	}
	return lane.Creation, registry.EncodeCreateProject(p.project), score.CreationRef(p.project.ID)
}

func (p *piece) refs() []score.Ref {
	if p.batch != nil {
		return score.Refs(p.batch.Updates())
	}
	_, _, ref := p.alone()
	return []score.Ref{ref}
}

// done checks by the receipt that a creation or an edit did its work. The error wraps registry.ErrNoEvent.
func (p *piece) done(contract common.Address, receipt *evidence.Receipt) error {
	if p.edit != nil {
		return registry.Edited(p.edit, contract, &receipt.Receipt)
	}
	return registry.Created(p.project.ID, contract, &receipt.Receipt)
}

func (p *piece) splits() bool { return p.batch != nil && p.batch.Units() > 1 }

func (p *piece) worst(rules *registry.GasRules) uint64 {
	switch {
	case p.project != nil:
		return rules.CreateProject(p.project)
	case p.edit != nil:
		return rules.Edit(p.edit)
	}
	return rules.Batch.Gas(*p.batch) - uint64(p.known)*(rules.Batch.Fresh-rules.Batch.Used)
}

// least returns about the least gas by the rules, if all applies.
func (p *piece) least(rules *registry.GasRules) uint64 {
	switch {
	case p.project != nil:
		return rules.CreateProject(p.project) // never much less
	case p.edit != nil:
		return 0 // an edit that adds a role to a member writes no fresh slot
	}
	return rules.Batch.Estimate(*p.batch, batch.Fresh{})
}
