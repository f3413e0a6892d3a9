package relay

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// endCreation ends a creation that the chain reverted. If transactions reverted because its projectId was taken, the
// final block has the project, since they are final. But if they were cancelled, they prove nothing. So if only a
// newer block has the project, the creation is assigned again, up to takenTries, and reverts if that block is right.
func (q *requeue) endCreation(ctx context.Context, again binding, p *piece, refusal *evidence.RevertError) (bool, error) {
	work := again.entry.Work
	same, err := q.created(ctx, p.project.ID, &work)
	switch {
	case errors.Is(err, errNotFinal) && work.Tries < takenTries && registry.DecodeRevert(refusal.Data).Name == registry.RevertProjectExists:
		return q.bind(ctx, again)
	case errors.Is(err, errNotFinal):
		return true, q.drop(ctx, work, p, score.Unprocessable, refusalText(refusal))
	case err != nil:
		q.pause(retryTransport, lane.WaitNode, "err", err)
		return false, nil
	case same:
		return true, q.drop(ctx, work, p, score.Applied, "it exists as accepted")
	}
	return true, q.drop(ctx, work, p, score.ProjectExists, "the projectId is taken on the chain")
}

// endEdit ends an edit that the chain reverted. If the cause may be that its project's creation or an earlier edit
// lost its slot, too, the edit is assigned again.
func (q *requeue) endEdit(ctx context.Context, again binding, p *piece, refusal *evidence.RevertError) (bool, error) {
	outcome := registry.EditOutcome(registry.DecodeRevert(refusal.Data))
	if outcome == score.UnknownProject {
		switch created, _, err := q.creations(ctx); {
		case err != nil:
			q.pause(retryTransport, lane.WaitStream, "err", err)
			return false, nil
		case created[p.edit.Project]:
			return q.bind(ctx, again)
		}
	}
	for i := range q.lane.State.Slots {
		if w := &q.lane.State.Slots[i].Work; w.Kind.Alone() && *w.Project == p.edit.Project && w.From.Before(again.entry.Work.From) {
			return q.bind(ctx, again)
		}
	}
	return true, q.drop(ctx, again.entry.Work, p, outcome, refusalText(refusal))
}

var (
	errNotFinal = errors.New("it is in no final block")
	errDiffer   = errors.New("endpoints say different things of the project")
	errNoEvent  = errors.New("endpoints have no event of the project's creation; they are asked again from the first block on")
)

// created reports whether the work itself, by a transaction that the journal lacks, created the project in a final
// block; errNotFinal if none has it. It compares the event, since owners may have edited the project.
func (q *requeue) created(ctx context.Context, id score.ProjectID, work *lane.Work) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, q.config.CallTimeout)
	defer cancel()
	info, err := registry.ReadProject(id).Do(ctx, q.agreed)
	switch {
	case err != nil:
		return false, err
	case !info.Exists():
		return false, errNotFinal
	}
	creation, err := q.creation(ctx, id, work, info.CreatedBlock)
	if err != nil {
		return false, err
	}
	return bytes.Equal(registry.EncodeCreateProject(creation), work.Data), nil
}

// creation finds the event of a project's creation in final blocks. It reads the block that the contract names, then
// all from the deployment on, since on some rollups the contract counts another chain's blocks. If that search fails,
// the next call for the same work continues it.
func (q *requeue) creation(ctx context.Context, id score.ProjectID, work *lane.Work, named uint64) (creation *score.Project, err error) {
	in := func(from, to uint64, through func(evidence.Block)) error {
		return q.logs(ctx, q.config.Contract, registry.ProjectTopics(), from, to, func(block evidence.Block, logs []types.Log) error {
			for i := range logs {
				event, err := registry.ParseLog(&logs[i])
				if err != nil {
					return err
				}
				if e, ok := event.(registry.ProjectCreated); ok && e.Project.ID == id {
					creation = &e.Project
				}
			}
			through(block)
			return nil
		})
	}
	final := q.lane.View().Final.Number
	if named <= final {
		err = in(named, named, func(evidence.Block) {})
	}
	if creation != nil {
		return creation, nil
	}
	if q.searched.work != work.ID || q.searched.next > final {
		q.searched.work, q.searched.next = work.ID, q.config.DeployBlock
	}
	err = errors.Join(err, in(q.searched.next, final, func(through evidence.Block) { q.searched.next = through.Number + 1 }))
	switch {
	case creation != nil:
		return creation, nil
	case err != nil:
		return nil, err
	}
	return nil, errNoEvent
}

// agreed returns the result of a view in the final block, if all endpoints that answer agree.
func (q *requeue) agreed(ctx context.Context, data []byte) ([]byte, error) {
	said, err := q.ask(ctx, evidence.Call{To: q.config.Contract, Data: data}, q.lane.View().Final.Hash)
	if err != nil {
		return nil, err
	}
	for _, c := range said {
		switch {
		case c.Refusal != nil:
			return nil, c.Refusal
		case !bytes.Equal(c.Data, said[0].Data):
			return nil, fmt.Errorf("%s and %s: %w", said[0].Endpoint, c.Endpoint, errDiffer)
		}
	}
	return said[0].Data, nil
}
