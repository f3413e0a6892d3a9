package score

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// MaxEdits is the most edits that are signed together, as far as the API takes them; the contract takes what fits a transaction.
const MaxEdits = 64

// Operation is what an edit does, in the words that its owner signs.
type Operation string

// The operations, as the contract knows them.
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

// Edit is one change of a project by its owner. What its operation does not use is zero.
type Edit struct {
	Operation Operation      `json:"operation"`
	Member    common.Address `json:"member"`    // of the four operations on members
	Name      string         `json:"name"`      // of AddAction and AddScoreType
	Points    uint32         `json:"points"`    // of AddAction
	Direction Direction      `json:"direction"` // of AddAction
}

// ProjectEdit is what an owner signs: edits of one project, which are made in order, all or none. As JSON it is the message
// of the EIP-712 data.
type ProjectEdit struct {
	Project  ProjectID `json:"projectId"`
	Edits    []Edit    `json:"edits"`    // none: the nonce is used up, which takes back what else was signed with it
	Nonce    uint64    `json:"nonce"`    // the contract's next of the project
	Deadline uint64    `json:"deadline"` // the last second, since 1970, in which a block may have it
}

// SignedEdit is what an owner has signed, as it goes to the contract: in a transaction of its own, as a creation does.
type SignedEdit struct {
	ProjectEdit
	Owner     common.Address `json:"owner"`
	Signature GroupSignature `json:"signature"`
}

// Ref names the edit.
func (e *SignedEdit) Ref() Ref { return EditRef(e.Project, e.Nonce) }

// Same tells whether both are the same edit, signed by the same owner. A key can sign the same twice, with other bytes.
func (e *SignedEdit) Same(o *SignedEdit) bool {
	return e.Project == o.Project && e.Nonce == o.Nonce && e.Deadline == o.Deadline && e.Owner == o.Owner && slices.Equal(e.Edits, o.Edits)
}

// EditTakenError says that an edit of this nonce was accepted before, which is no dead letter.
type EditTakenError struct {
	Seq  uint64      // of the accepted edit, in the stream
	Edit *SignedEdit // what was accepted
}

// Error names the project, the nonce and the sequence of the accepted edit.
func (e *EditTakenError) Error() string {
	return fmt.Sprintf("an edit of project %s with nonce %d was accepted before, at sequence %d", e.Edit.Project, e.Edit.Nonce, e.Seq)
}

// NextEdit is the edit of a project that comes next.
type NextEdit struct {
	Nonce  uint64
	Stored bool // an edit with this nonce is, and is no dead letter
	Waits  bool // for an edit that is not final: that one, or the one before, which is in a block
}

// Before is the nonce of the newest edit; not ok where there is none.
func (n NextEdit) Before() (nonce uint64, ok bool) {
	if n.Stored {
		return n.Nonce, true
	}
	return n.Nonce - 1, n.Nonce > 0
}

// EditState is what became of an edit.
type EditState struct {
	Edit   *SignedEdit // nil where the stream does not hold it any more
	Status Status
	Reason string // of a rejection; empty where none is known
}

// Over tells whether no block after now may have it.
func (e *ProjectEdit) Over(now time.Time) bool {
	return now.Unix() > 0 && uint64(now.Unix()) > e.Deadline
}

// Apply makes the edits, in their order, to a copy of a project's record, and lists everything that would make the contract refuse them, but
// for nonce, deadline and signature, and what would give the project more than maxMembers, of whom the record lacks unseen. Pointers are into
// the body of a post of edits. The contract checks all of it again, except that names are UTF-8 without control characters, that nothing is
// given that an operation does not use, and how many members there are.
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

// apply makes the edit to a record, or says which of its fields is wrong.
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

// used is the edit with nothing but what its operation uses. The contract ignores the rest, of any size: with a long name that
// nothing uses, an edit would be too large, or have too little gas, for any node to take its transaction, and hold its lane up.
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

// Unseen is how many members the edits add that the record lacks: it is older, or they were removed since.
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

// Operations are all there are.
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
