package score

import (
	"errors"
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/ethereum/go-ethereum/common"
)

// Bounds of a project, names in bytes of UTF-8. The contract has the same (a test of package registry compares them).
// MaxPoints keeps an int64 score from overflowing in 2^32 updates.
const (
	MaxPoints           = 1<<31 - 1 // of an action
	MaxActions          = 200       // over a project's life
	MaxScoreTypes       = 64        // over a project's life
	MaxCreationMembers  = 100       // owners plus updaters
	MaxNameBytes        = 64        // of an action or score type
	MaxProjectNameBytes = 128
)

type Direction uint8

const (
	Add      Direction = 0
	Subtract Direction = 1
)

// Action is a named score change. Actions are append-only: changed points are a new entry under the same name.
type Action struct {
	Name      string    `json:"name"`
	Points    uint32    `json:"points"` // 1 … MaxPoints
	Direction Direction `json:"direction"`
}

func (a Action) Delta() int64 {
	if a.Direction == Subtract {
		return -int64(a.Points)
	}
	return int64(a.Points)
}

// Project is a project as its creator describes it. The contract indexes the lists in this order.
type Project struct {
	ID         ProjectID        `json:"projectId"`
	Name       string           `json:"name"`
	Actions    []Action         `json:"actions"`
	Owners     []common.Address `json:"owners"`
	Updaters   []common.Address `json:"updaters"`
	ScoreTypes []string         `json:"scoreTypes"`
	SignedOnly bool             `json:"signedOnly,omitzero"` // accepts only signed groups
}

// Problem is an error in one field. Pointer is a JSON pointer (RFC 6901) into the request's body.
type Problem struct {
	Pointer string
	Detail  string
}

// Problems returns everything for which the contract would reject the project; nil if valid. The contract repeats all
// checks except those of UTF-8 and control characters in names.
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

// Role is the permissions of an address in a project, as bits.
type Role uint8

// The roles, with the contract's bits.
const (
	Updater Role = 1 << 0
	Owner   Role = 1 << 1
)

// ErrTooBig reports a record larger than one NATS message (1 MB by default: tens of thousands of members). The stored
// record stays.
var ErrTooBig = errors.New("the project's record is larger than the NATS server's max_payload")

// Record is the state of a project: from the contract's events, or accepted and on its way to the chain.
type Record struct {
	ID         ProjectID               `json:"projectId"`
	Name       string                  `json:"name"`
	Actions    []Action                `json:"actions"`    // by index
	ScoreTypes []string                `json:"scoreTypes"` // by index
	Members    map[common.Address]Role `json:"members"`    // nonzero roles
	SignedOnly bool                    `json:"signedOnly,omitzero"`
	Created    uint64                  `json:"-"` // block of the creation, in a view of the directory; else 0
}

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

// MembersOf returns the members with any of the roles, sorted by address; never nil.
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

// MembersAfter returns the first most members of MembersOf after an address (nil: from the first one). It is far
// cheaper if most is small.
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

// Words resolves an update's indexes to the action's name and signed points, and the score type's name; nil if
// missing. Lists only grow, so a newer record resolves older updates, too.
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

// ActionIndex returns the index of the newest action of that name.
func (r *Record) ActionIndex(name string) (uint8, bool) {
	for i := len(r.Actions) - 1; i >= 0; i-- {
		if r.Actions[i].Name == name {
			return uint8(i), true
		}
	}
	return 0, false
}

func (r *Record) ScoreTypeIndex(name string) (uint8, bool) {
	i := slices.Index(r.ScoreTypes, name)
	return uint8(max(i, 0)), i >= 0
}
