package registry

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/registry/internal/bindings"
	"github.com/scorelay/scorelay/pkg/score"
)

// ErrOtherEvent reports a log of the contract's access control, or of another contract.
var ErrOtherEvent = errors.New("not an event of the registry")

// Event is one of the contract's own events, as IScoreRegistry.sol specifies them.
type Event interface{ isEvent() }

type ProjectCreated struct{ Project score.Project }

type ActionAdded struct {
	Project score.ProjectID
	Index   uint8 // the number of earlier actions
	Action  score.Action
}

type ScoreTypeAdded struct {
	Project score.ProjectID
	Index   uint8 // the number of earlier score types
	Name    string
}

// MemberChanged means that the member's roles are now exactly Roles; 0 for a removed member.
type MemberChanged struct {
	Project   score.ProjectID
	Member    common.Address
	Roles     score.Role
	ChangedBy common.Address
}

// SignedOnlySet means that the project now accepts only signed groups or, if SignedOnly is false, all updates.
type SignedOnlySet struct {
	Project    score.ProjectID
	SignedOnly bool
	ChangedBy  common.Address
}

type BatchApplied struct {
	Batch    batch.Batch
	Outcomes []score.Outcome // one for each of Batch.Updates()
	Data     []byte          // the batch as encoded in the event
}

// ScoreUpdated means that a member sent one update to the contract itself.
type ScoreUpdated struct {
	Update score.Update
	Score  int64 // the target's new score
}

func (ProjectCreated) isEvent() {}
func (ActionAdded) isEvent()    {}
func (ScoreTypeAdded) isEvent() {}
func (MemberChanged) isEvent()  {}
func (SignedOnlySet) isEvent()  {}
func (BatchApplied) isEvent()   {}
func (ScoreUpdated) isEvent()   {}

var (
	topicProjectCreated = topicOf(bindings.ScoreRegistryProjectCreated{}.ContractEventName())
	topicActionAdded    = topicOf(bindings.ScoreRegistryActionAdded{}.ContractEventName())
	topicScoreTypeAdded = topicOf(bindings.ScoreRegistryScoreTypeAdded{}.ContractEventName())
	topicMemberChanged  = topicOf(bindings.ScoreRegistryMemberChanged{}.ContractEventName())
	topicSignedOnlySet  = topicOf(bindings.ScoreRegistrySignedOnlySet{}.ContractEventName())
	topicBatchApplied   = topicOf(bindings.ScoreRegistryBatchApplied{}.ContractEventName())
	topicScoreUpdated   = topicOf(bindings.ScoreRegistryScoreUpdated{}.ContractEventName())
)

func topicOf(event string) common.Hash {
	parsed := contract.GetABI()
	return parsed.Events[event].ID
}

// ProjectTopics returns the first topics of the events that make up a project's record.
func ProjectTopics() []common.Hash {
	return []common.Hash{topicProjectCreated, topicActionAdded, topicScoreTypeAdded, topicMemberChanged, topicSignedOnlySet}
}

// UpdateTopics returns the first topics of the events that change scores.
func UpdateTopics() []common.Hash { return []common.Hash{topicBatchApplied, topicScoreUpdated} }

func Topics() []common.Hash { return append(ProjectTopics(), UpdateTopics()...) }

// Executed yields the updates in an event with their outcomes, in the contract's order.
func Executed(event Event) iter.Seq2[*score.Update, score.Outcome] {
	return func(yield func(*score.Update, score.Outcome) bool) {
		switch e := event.(type) {
		case ScoreUpdated:
			yield(&e.Update, score.Applied)
		case BatchApplied:
			outcomes := e.Outcomes
			for i := range e.Batch.Groups {
				updates := e.Batch.Groups[i].Updates
				for j := range updates {
					if !yield(&updates[j], outcomes[j]) {
						return
					}
				}
				outcomes = outcomes[len(updates):]
			}
		}
	}
}

// ExecutedOf yields a project's updates, with only Update and Outcome set, by index among all updates of the event.
// It skips updates that came before the project existed: they are sent again, or dead-lettered if that fails.
func ExecutedOf(event Event, project score.ProjectID) iter.Seq2[int, score.Execution] {
	return func(yield func(int, score.Execution) bool) {
		index := -1
		for u, outcome := range Executed(event) {
			index++
			if u.Project == project && outcome != score.UnknownProject && !yield(index, score.Execution{Update: *u, Outcome: outcome}) {
				return
			}
		}
	}
}

// ParseLog decodes one of the contract's events. The caller must filter by address first. The error wraps
// ErrOtherEvent for other events; any other error means that the address is not a ScoreRegistry. Invalid UTF-8 in
// names is replaced.
func ParseLog(log *types.Log) (Event, error) {
	if len(log.Topics) == 0 {
		return nil, ErrOtherEvent
	}
	var event Event
	var err error
	switch log.Topics[0] {
	case topicProjectCreated:
		event, err = parseProjectCreated(log)
	case topicActionAdded:
		event, err = parseActionAdded(log)
	case topicScoreTypeAdded:
		event, err = parseScoreTypeAdded(log)
	case topicMemberChanged:
		event, err = parseMemberChanged(log)
	case topicSignedOnlySet:
		event, err = parseSignedOnlySet(log)
	case topicBatchApplied:
		event, err = parseBatchApplied(log)
	case topicScoreUpdated:
		event, err = parseScoreUpdated(log)
	default:
		return nil, fmt.Errorf("%w: topic %s", ErrOtherEvent, log.Topics[0])
	}
	if err != nil {
		return nil, fmt.Errorf("couldn't read log %d of block %d: %w", log.Index, log.BlockNumber, err)
	}
	return event, nil
}

func parseProjectCreated(log *types.Log) (Event, error) {
	e, err := contract.UnpackProjectCreatedEvent(log)
	if err != nil {
		return nil, err
	}
	p := score.Project{
		ID: e.ProjectId, Name: validName(e.Name), Actions: unpackActions(e.Actions), Owners: e.Owners,
		Updaters: e.Updaters, ScoreTypes: slices.Clone(e.ScoreTypes), SignedOnly: e.SignedOnly,
	}
	for i := range p.Actions {
		p.Actions[i].Name = validName(p.Actions[i].Name)
	}
	for i, name := range p.ScoreTypes {
		p.ScoreTypes[i] = validName(name)
	}
	return ProjectCreated{Project: p}, nil
}

func parseActionAdded(log *types.Log) (Event, error) {
	e, err := contract.UnpackActionAddedEvent(log)
	if err != nil {
		return nil, err
	}
	a := score.Action{Name: validName(e.Name), Points: e.Points, Direction: score.Direction(e.Direction)}
	return ActionAdded{Project: e.ProjectId, Index: e.Index, Action: a}, nil
}

func parseScoreTypeAdded(log *types.Log) (Event, error) {
	e, err := contract.UnpackScoreTypeAddedEvent(log)
	if err != nil {
		return nil, err
	}
	return ScoreTypeAdded{Project: e.ProjectId, Index: e.Index, Name: validName(e.Name)}, nil
}

func parseMemberChanged(log *types.Log) (Event, error) {
	e, err := contract.UnpackMemberChangedEvent(log)
	if err != nil {
		return nil, err
	}
	return MemberChanged{Project: e.ProjectId, Member: e.Member, Roles: score.Role(e.Roles), ChangedBy: e.ChangedBy}, nil
}

func parseSignedOnlySet(log *types.Log) (Event, error) {
	e, err := contract.UnpackSignedOnlySetEvent(log)
	if err != nil {
		return nil, err
	}
	return SignedOnlySet{Project: e.ProjectId, SignedOnly: e.SignedOnly, ChangedBy: e.ChangedBy}, nil
}

func parseBatchApplied(log *types.Log) (Event, error) {
	e, err := contract.UnpackBatchAppliedEvent(log)
	if err != nil {
		return nil, err
	}
	b, err := DecodeBatchData(e.Data)
	if err != nil {
		return nil, err
	}
	outcomes := make([]score.Outcome, b.Len())
	if len(e.Outcomes) != 0 && len(e.Outcomes) != len(outcomes) {
		return nil, fmt.Errorf("%d outcomes for %d updates", len(e.Outcomes), len(outcomes))
	}
	for i, o := range e.Outcomes {
		outcomes[i] = score.Outcome(o)
		if !emitted(outcomes[i]) {
			return nil, fmt.Errorf("outcome %d of update %d is none of the contract's", o, i)
		}
	}
	return BatchApplied{Batch: b, Outcomes: outcomes, Data: e.Data}, nil
}

func emitted(o score.Outcome) bool {
	return o <= score.UnknownScoreType || o == score.SignatureRequired || o == score.BadSignature
}

func parseScoreUpdated(log *types.Log) (Event, error) {
	e, err := contract.UnpackScoreUpdatedEvent(log)
	if err != nil {
		return nil, err
	}
	return ScoreUpdated{Score: e.Score, Update: score.Update{
		Project: e.ProjectId, ID: e.UpdateId, Signer: e.Signer, Target: e.Target, Action: e.Action, ScoreType: e.ScoreType,
	}}, nil
}
