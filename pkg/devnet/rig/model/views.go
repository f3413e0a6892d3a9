package model

import (
	"bytes"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

var selectProject = registry.ReadProject(score.ProjectID{}).Data[:4]

// view returns the result of getProject, the only view that lanes call. ok is false for other calldata.
func (r *registryState) view(data []byte) (answer []byte, ok bool) {
	if len(data) != 4+word || !bytes.HasPrefix(data, selectProject) {
		return nil, false
	}
	id := score.ProjectID(data[4:])
	p := r.projects[id]
	if p == nil {
		p = &score.Record{}
	}
	return projectInfo(p, r.created[id], r.edits[id]), true
}

func projectInfo(p *score.Record, created, edits uint64) []byte {
	owners, signedOnly := uint64(0), uint64(0)
	for _, role := range p.Members {
		if role&score.Owner != 0 {
			owners++
		}
	}
	if p.SignedOnly {
		signedOnly = 1
	}
	var out []byte
	for _, n := range []uint64{created, owners, edits, uint64(len(p.Actions)), uint64(len(p.ScoreTypes)), signedOnly} {
		out = appendUint(out, n)
	}
	return out
}
