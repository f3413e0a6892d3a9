package score

import (
	"errors"
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/ethereum/go-ethereum/common"
)

// Bounds of a project. The contract enforces the same numbers; a test of package registry compares them.
const (
	MaxPoints           = 1<<31 - 1 // of one action; keeps an int64 score from overflowing in 2^32 updates
	MaxActions          = 200       // of one project, over its whole life
	MaxScoreTypes       = 64        // of one project, over its whole life
	MaxCreationMembers  = 100       // owners plus updaters named in one creation
	MaxNameBytes        = 64        // UTF-8 bytes of an action's or a score type's name
	MaxProjectNameBytes = 128       // UTF-8 bytes of a project's name
)

// Direction says what an action's points do to a score.
type Direction uint8

// The directions of the interface.
const (
	Add      Direction = 0
	Subtract Direction = 1
)

// Action is a named score change. Actions are append-only: a changed point value is a new entry, with a new index,
// under the same name.
type Action struct {
	Name      string    `json:"name"`
	Points    uint32    `json:"points"` // 1 … MaxPoints
	Direction Direction `json:"direction"`
}

// Delta is the signed number of points the action adds to a score.
func (a Action) Delta() int64 {
	if a.Direction == Subtract {
		return -int64(a.Points)
	}
	return int64(a.Points)
}

// Project is a project as its creator describes it. The contract gives actions and score types their indexes in the
// order of the slices.
type Project struct {
	ID         ProjectID        `json:"projectId"`
	Name       string           `json:"name"`
	Actions    []Action         `json:"actions"`
	Owners     []common.Address `json:"owners"`
	Updaters   []common.Address `json:"updaters"`
	ScoreTypes []string         `json:"scoreTypes"`
	SignedOnly bool             `json:"signedOnly,omitzero"` // takes updates in signed groups only
}

// Problem says what is wrong with one field of a request; Pointer is a JSON pointer (RFC 6901) into its body.
type Problem struct {
	Pointer string
	Detail  string
}

// Problems lists everything that would make the contract refuse the project, in the terms of the create-project
// body; empty means valid. The contract checks all of it again, except that names are UTF-8 without control characters:
// it counts their bytes.
func (p *Project) Problems() []Problem {
	var out []Problem
	add := func(pointer, format string, args ...any) {
		out = append(out, Problem{pointer, fmt.Sprintf(format, args...)})
	}
	name := func(pointer, name string, seen map[string]bool, repeats string) {
		if detail := nameProblem(name, MaxNameBytes); detail != "" {
			add(pointer, "%s", detail)
		} else if seen[name] {
			add(pointer, "%s", repeats)
		}
		seen[name] = true
	}
	if detail := nameProblem(p.Name, MaxProjectNameBytes); detail != "" {
		add("/name", "%s", detail)
	}
	if n := len(p.Actions); n < 1 || n > MaxActions {
		add("/inputActions", "must hold 1 to %d actions, has %d", MaxActions, n)
	}
	names := make(map[string]bool, len(p.Actions))
	for i, a := range p.Actions {
		at := fmt.Sprintf("/inputActions/%d", i)
		name(at+"/name", a.Name, names, "repeats the name of an earlier action")
		if a.Points < 1 || a.Points > MaxPoints {
			add(at+"/points", "must be an integer from 1 to %d", MaxPoints)
		}
		if a.Direction > Subtract {
			add(at+"/direction", "must be 0 (add) or 1 (subtract)")
		}
	}
	if n := len(p.ScoreTypes); n < 1 || n > MaxScoreTypes {
		add("/scoreTypes", "must hold 1 to %d names, has %d", MaxScoreTypes, n)
	}
	types := make(map[string]bool, len(p.ScoreTypes))
	for i, scoreType := range p.ScoreTypes {
		name(fmt.Sprintf("/scoreTypes/%d", i), scoreType, types, "repeats an earlier score type")
	}
	if len(p.Owners) < 1 {
		add("/owners", "must hold at least one address")
	}
	if n := len(p.Owners) + len(p.Updaters); n > MaxCreationMembers {
		add("/owners", "owners and updaters together must be at most %d, are %d", MaxCreationMembers, n)
	}
	for _, list := range []struct {
		pointer string
		members []common.Address
	}{{"/owners", p.Owners}, {"/updaters", p.Updaters}} {
		seen := make(map[common.Address]bool, len(list.members))
		for i, member := range list.members {
			at := fmt.Sprintf("%s/%d", list.pointer, i)
			if member == (common.Address{}) {
				add(at, "must not be the zero address")
			} else if seen[member] {
				add(at, "repeats an earlier address of the list")
			}
			seen[member] = true
		}
	}
	return out
}

func nameProblem(name string, maxBytes int) string {
	switch {
	case name == "":
		return "must not be empty"
	case len(name) > maxBytes:
		return fmt.Sprintf("must be at most %d bytes of UTF-8, is %d", maxBytes, len(name))
	case !utf8.ValidString(name):
		return "must be valid UTF-8"
	}
	for _, r := range name {
		if unicode.IsControl(r) {
			return "must not contain control characters"
		}
	}
	return ""
}

// Role is what an address may do in a project, as bits: an address may be owner and updater at once.
type Role uint8

// The roles; the contract uses the same bits.
const (
	Updater Role = 1 << 0
	Owner   Role = 1 << 1
)

// ErrTooBig says that a project's record does not fit into one message of the NATS server (1 MB by default: tens of
// thousands of members). What was stored stays as it was.
var ErrTooBig = errors.New("the project's record is larger than the NATS server's max_payload")

// Record is what is known of a project that exists: on the chain, by its events, or accepted and on its way there.
type Record struct {
	ID         ProjectID               `json:"projectId"`
	Name       string                  `json:"name"`
	Actions    []Action                `json:"actions"`    // by index
	ScoreTypes []string                `json:"scoreTypes"` // by index
	Members    map[common.Address]Role `json:"members"`    // never holds a zero role
	SignedOnly bool                    `json:"signedOnly,omitzero"`
	Created    uint64                  `json:"-"` // block of the creation, in a view of the directory; elsewhere 0
}

// RecordOf is the record a creation leads to.
func RecordOf(p *Project) *Record {
	r := &Record{
		ID: p.ID, Name: p.Name, Actions: p.Actions, ScoreTypes: p.ScoreTypes, Members: map[common.Address]Role{}, SignedOnly: p.SignedOnly,
	}
	for _, a := range p.Owners {
		r.Members[a] |= Owner
	}
	for _, a := range p.Updaters {
		r.Members[a] |= Updater
	}
	return r
}

// MembersOf are those with one of the roles, by address; never nil.
func (r *Record) MembersOf(roles Role) []common.Address {
	members := []common.Address{}
	for member, has := range r.Members {
		if has&roles != 0 {
			members = append(members, member)
		}
	}
	slices.SortFunc(members, common.Address.Cmp)
	return members
}

// MembersAfter are the first of MembersOf behind an address, nil: from the first on, at most so many. It costs far less where these are few.
func (r *Record) MembersAfter(roles Role, after *common.Address, most int) []common.Address {
	members := make([]common.Address, 0, min(most, len(r.Members)))
	for member, has := range r.Members {
		if has&roles == 0 || after != nil && member.Cmp(*after) <= 0 {
			continue
		}
		if at, _ := slices.BinarySearchFunc(members, member, common.Address.Cmp); at < most {
			members = slices.Insert(members[:min(len(members), most-1)], at, member)
		}
	}
	return members
}

// Words are what an update's indexes mean in the project: its action's name and signed points, and its score type's name; nil where the
// project does not have them. Lists only grow, so that a newer record says the same of an older update.
func (r *Record) Words(action, scoreType uint8) (name *string, points *int64, of *string) {
	if i := int(action); i < len(r.Actions) {
		delta := r.Actions[i].Delta()
		name, points = &r.Actions[i].Name, &delta
	}
	if i := int(scoreType); i < len(r.ScoreTypes) {
		of = &r.ScoreTypes[i]
	}
	return name, points, of
}

// ActionIndex finds the newest action of that name.
func (r *Record) ActionIndex(name string) (uint8, bool) {
	for i := len(r.Actions) - 1; i >= 0; i-- {
		if r.Actions[i].Name == name {
			return uint8(i), true
		}
	}
	return 0, false
}

// ScoreTypeIndex finds the score type of that name.
func (r *Record) ScoreTypeIndex(name string) (uint8, bool) {
	i := slices.Index(r.ScoreTypes, name)
	return uint8(max(i, 0)), i >= 0
}
