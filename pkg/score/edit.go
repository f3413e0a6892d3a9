package score

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// MaxEdits is the most edits that the API accepts under one signature; the contract accepts all that fit in a
// transaction.
const MaxEdits = 64

// Operation is the kind of an edit, as the owner signs it.
type Operation string

const (
	AddOwner            Operation = "add owner"
	RemoveOwner         Operation = "remove owner"
	AddUpdater          Operation = "add updater"
	RemoveUpdater       Operation = "remove updater"
	AddAction           Operation = "add action"
	AddScoreType        Operation = "add score type"
	RequireSignedGroups Operation = "require signed groups"
	AllowUnsignedGroups Operation = "allow unsigned groups"
)

// Edit is one change of a project. Unused fields are zero.
type Edit struct {
	Operation Operation      `json:"operation"`
	Member    common.Address `json:"member"`
	Name      string         `json:"name"`
	Points    uint32         `json:"points"`
	Direction Direction      `json:"direction"`
}

// ProjectEdit is the EIP-712 message that an owner signs. The contract applies the edits in order, all or none.
type ProjectEdit struct {
	Project ProjectID `json:"projectId"`
	// If Edits is empty, only the nonce is used up, which revokes everything else signed with that nonce.
	Edits    []Edit `json:"edits"`
	Nonce    uint64 `json:"nonce"`    // the project's next in the contract
	Deadline uint64 `json:"deadline"` // unix seconds; the last time of a block that may include the edits
}

// SignedEdit has a transaction of its own, like a creation.
type SignedEdit struct {
	ProjectEdit
	Owner     common.Address `json:"owner"`
	Signature GroupSignature `json:"signature"`
}

func (e *SignedEdit) Ref() Ref { return EditRef(e.Project, e.Nonce) }

// Same compares all but the signatures, since a key can sign the same data twice with different bytes.
func (e *SignedEdit) Same(o *SignedEdit) bool {
	return e.Project == o.Project && e.Nonce == o.Nonce && e.Deadline == o.Deadline && e.Owner == o.Owner && slices.Equal(e.Edits, o.Edits)
}

// EditTakenError reports that an edit of this nonce was accepted, and is no dead letter.
type EditTakenError struct {
	Seq  uint64
	Edit *SignedEdit
}

func (e *EditTakenError) Error() string {
	return fmt.Sprintf("an edit of project %s with nonce %d was accepted before, at sequence %d", e.Edit.Project, e.Edit.Nonce, e.Seq)
}

type NextEdit struct {
	Nonce  uint64
	Stored bool // the stream has an edit of this nonce, which is no dead letter
	Waits  bool // an edit is pending: the stored one, or an included one before it that is not final
}

// Before returns the newest edit's nonce; ok reports whether there is one.
func (n NextEdit) Before() (nonce uint64, ok bool) {
	if n.Stored {
		return n.Nonce, true
	}
	return n.Nonce - 1, n.Nonce > 0
}

type EditState struct {
	Edit   *SignedEdit // nil if the stream no longer holds it
	Status Status
	Reason string // of a rejection; empty if unknown
}

// Over reports whether the deadline excludes all blocks after now.
func (e *ProjectEdit) Over(now time.Time) bool {
	return now.Unix() > 0 && uint64(now.Unix()) > e.Deadline
}

// Apply returns a copy of a project's record with the edits applied; nil if they are more than MaxEdits. problems is
// everything for which the contract would reject the edits, except nonce, deadline and signature. A project may have
// at most maxMembers members; unseen is the number of members that the record lacks. The contract repeats all checks
// except UTF-8 and control characters in names, unused fields, and the number of members.
func (e *ProjectEdit) Apply(r *Record, maxMembers, unseen int) (after *Record, problems []Problem) {
	if n := len(e.Edits); n > MaxEdits {
		return nil, []Problem{{"/edits", fmt.Sprintf("must hold at most %d edits, has %d", MaxEdits, n)}}
	}
	after = &Record{
		ID: r.ID, Name: r.Name, Actions: slices.Clone(r.Actions), ScoreTypes: slices.Clone(r.ScoreTypes), Members: maps.Clone(r.Members), SignedOnly: r.SignedOnly,
	}
	for i := range e.Edits {
		if field, detail := e.Edits[i].apply(after, maxMembers, unseen); detail != "" {
			problems = append(problems, Problem{fmt.Sprintf("/edits/%d/%s", i, field), detail})
		}
	}
	return after, problems
}

func (e *Edit) apply(r *Record, maxMembers, unseen int) (field, detail string) {
	if e.used() != *e {
		return "operation", "does not use all that is given; leave out what it does not use"
	}
	switch e.Operation {
	case AddOwner:
		return e.give(r, Owner, "an owner", maxMembers, unseen)
	case AddUpdater:
		return e.give(r, Updater, "an updater", maxMembers, unseen)
	case RemoveOwner:
		return e.take(r, Owner, "an owner")
	case RemoveUpdater:
		return e.take(r, Updater, "an updater")
	case AddAction:
		return e.addAction(r)
	case AddScoreType:
		return e.addScoreType(r)
	case RequireSignedGroups, AllowUnsignedGroups:
		if only := e.Operation == RequireSignedGroups; r.SignedOnly == only {
			return "operation", "changes nothing: the project is so already"
		}
		r.SignedOnly = !r.SignedOnly
		return "", ""
	}
	return "operation", fmt.Sprintf("must be one of %q", Operations())
}

// used returns the edit with only the fields that its operation uses. The contract ignores the others. But an unused
// long name could make the transaction too large, or short of gas, for every node, and block the lane.
func (e *Edit) used() Edit {
	switch e.Operation {
	case AddOwner, RemoveOwner, AddUpdater, RemoveUpdater:
		return Edit{Operation: e.Operation, Member: e.Member}
	case AddAction:
		return Edit{Operation: e.Operation, Name: e.Name, Points: e.Points, Direction: e.Direction}
	case AddScoreType:
		return Edit{Operation: e.Operation, Name: e.Name}
	case RequireSignedGroups, AllowUnsignedGroups:
		return Edit{Operation: e.Operation}
	}
	return *e
}

// Unseen counts the members that the edits add and the record lacks, since the record is older or the members were
// removed later.
func (e *ProjectEdit) Unseen(r *Record) int {
	unseen := map[common.Address]bool{}
	for i := range e.Edits {
		one := &e.Edits[i]
		if gives := one.Operation == AddOwner || one.Operation == AddUpdater; gives && r.Members[one.Member] == 0 {
			unseen[one.Member] = true
		}
	}
	return len(unseen)
}

func Operations() []Operation {
	return []Operation{AddOwner, RemoveOwner, AddUpdater, RemoveUpdater, AddAction, AddScoreType, RequireSignedGroups, AllowUnsignedGroups}
}

func (e *Edit) give(r *Record, role Role, is string, maxMembers, unseen int) (field, detail string) {
	switch has := len(r.Members) + unseen; {
	case e.Member == common.Address{}:
		return "member", "must not be the zero address"
	case r.Members[e.Member]&role != 0:
		return "member", "is " + is + " already"
	case r.Members[e.Member] == 0 && has >= maxMembers:
		return "member", fmt.Sprintf("is one too many: a project has at most %d owners and updaters here, and this one has %d; remove some first", maxMembers, has)
	}
	r.Members[e.Member] |= role
	return "", ""
}

func (e *Edit) take(r *Record, role Role, is string) (field, detail string) {
	switch {
	case r.Members[e.Member]&role == 0:
		return "member", "is not " + is
	case role == Owner && len(r.MembersAfter(Owner, nil, 2)) == 1:
		return "member", "is the last owner: a project without one could never be edited again"
	}
	if r.Members[e.Member] &^= role; r.Members[e.Member] == 0 {
		delete(r.Members, e.Member)
	}
	return "", ""
}

func (e *Edit) addAction(r *Record) (field, detail string) {
	switch detail := nameProblem(e.Name, MaxNameBytes); {
	case detail != "":
		return "name", detail
	case e.Points < 1 || e.Points > MaxPoints:
		return "points", fmt.Sprintf("must be an integer from 1 to %d", MaxPoints)
	case e.Direction > Subtract:
		return "direction", "must be 0 (add) or 1 (subtract)"
	case len(r.Actions) >= MaxActions:
		return "operation", fmt.Sprintf("is one too many: a project has at most %d actions over its life", MaxActions)
	}
	r.Actions = append(r.Actions, Action{Name: e.Name, Points: e.Points, Direction: e.Direction})
	return "", ""
}

func (e *Edit) addScoreType(r *Record) (field, detail string) {
	_, taken := r.ScoreTypeIndex(e.Name)
	switch detail := nameProblem(e.Name, MaxNameBytes); {
	case detail != "":
		return "name", detail
	case taken:
		return "name", "is a score type of the project already"
	case len(r.ScoreTypes) >= MaxScoreTypes:
		return "operation", fmt.Sprintf("is one too many: a project has at most %d score types over its life", MaxScoreTypes)
	}
	r.ScoreTypes = append(r.ScoreTypes, e.Name)
	return "", ""
}
