package httpapi

import "github.com/scorelay/scorelay/pkg/score"

// AcceptedName is the name of the project updates to that id are checked against, "" without one.
func AcceptedName(p *Projects, id score.ProjectID) string {
	rec, _, ok := p.lookup(id)
	if !ok {
		return ""
	}
	return rec.Name
}
