package model

import (
	"bytes"
	"encoding/binary"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// The selectors of the views that a lane asks for.
var (
	selectProject = registry.ReadProject(score.ProjectID{}).Data[:4]
	selectActions = registry.ReadActions(score.ProjectID{}).Data[:4]
	selectRoles   = registry.ReadRoles(score.ProjectID{}, nil).Data[:4]
)

// view answers a view function; ok is false for calldata of none that is known here. createdBlock is 1 of every project.
func (r *registryState) view(data []byte) (answer []byte, ok bool) {
	if len(data) < 4+word {
		return nil, false
	}
	p := r.projects[score.ProjectID(data[4:4+word])]
	if p == nil {
		p = &score.Record{}
	}
	switch {
	case bytes.HasPrefix(data, selectProject):
		return projectInfo(p), true
	case bytes.HasPrefix(data, selectActions):
		out := appendUint(appendUint(nil, word), uint64(len(p.Actions)))
		for _, a := range p.Actions {
			out = appendInt(out, a.Delta())
		}
		return out, true
	case bytes.HasPrefix(data, selectRoles):
		members := data[4+3*word:]
		out := appendUint(appendUint(nil, word), uint64(len(members)/word))
		for ; len(members) >= word; members = members[word:] {
			out = appendUint(out, uint64(p.Members[common.BytesToAddress(members[:word])]))
		}
		return out, true
	}
	return nil, false
}

// projectInfo is the answer of getProject.
func projectInfo(p *score.Record) []byte {
	exists, owners, signedOnly := uint64(0), uint64(0), uint64(0)
	if len(p.Actions) > 0 {
		exists = 1
	}
	for _, role := range p.Members {
		if role&score.Owner != 0 {
			owners++
		}
	}
	if p.SignedOnly {
		signedOnly = 1
	}
	var out []byte
	for _, n := range []uint64{exists, owners, 0, uint64(len(p.Actions)), uint64(len(p.ScoreTypes)), signedOnly} {
		out = appendUint(out, n)
	}
	return out
}

func appendInt(out []byte, n int64) []byte {
	fill := byte(0)
	if n < 0 {
		fill = 0xff
	}
	return binary.BigEndian.AppendUint64(append(out, bytes.Repeat([]byte{fill}, word-8)...), uint64(n))
}
