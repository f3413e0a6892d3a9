package relay

import (
	"context"
	"fmt"
	"slices"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// unknownTries bounds how often updates are queued again because an endpoint reports that their project exists.
const unknownTries = 3

// overtook returns which updates of an included batch came before their project and are queued again, and
// work.Unknown for those. A journal contains the project's creation. If that may be too long ago, an endpoint must
// report that the head has the project; a false report only costs a transaction.
func (t *settler) overtook(
	ctx context.Context, in evidence.Ref, work *lane.Work, updates []score.Update, outcomes []score.Outcome,
) (overtook []bool, unknown int, err error) {
	overtook, unknown = make([]bool, len(updates)), work.Unknown
	if !slices.Contains(outcomes, score.UnknownProject) {
		return overtook, unknown, nil
	}
	there, forgotten, err := t.creations(ctx)
	if err != nil {
		return nil, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, t.config.CallTimeout)
	defer cancel()
	if t.said.in != in || t.said.has == nil {
		t.said.in, t.said.has = in, map[score.ProjectID]bool{}
	}
	for i, u := range updates {
		if outcomes[i] != score.UnknownProject {
			continue
		}
		overtook[i] = there[u.Project]
		if _, told := there[u.Project]; told || work.Unknown >= unknownTries {
			continue
		}
		has, said := t.said.has[u.Project]
		if !said {
			if has, err = t.has(ctx, u.Project, forgotten); err != nil {
				return nil, 0, err
			}
			t.said.has[u.Project] = has
		}
		if overtook[i] = has; has {
			unknown = work.Unknown + 1
		}
	}
	return overtook, unknown, nil
}

// has reports whether the project exists at the head, by any endpoint's word. It fails if no endpoint answers, or if
// the head is below forgotten, the block up to which the journals may lack creations.
func (t *settler) has(ctx context.Context, project score.ProjectID, forgotten uint64) (bool, error) {
	read, head := registry.ReadProject(project), &t.lane.View().Head
	if head.Number < forgotten {
		return false, fmt.Errorf("a journal forgot creations up to block %d, and this process knows the chain up to %d", forgotten, head.Number)
	}
	said, err := t.ask(ctx, evidence.Call{To: t.config.Contract, Data: read.Data}, head.Hash)
	if err != nil {
		return false, err
	}
	told := false
	for _, c := range said {
		info, failed := read.Decode(c.Data)
		switch {
		case failed != nil:
			err = failed
		case info.Exists():
			return true, nil
		default:
			told = true
		}
	}
	if told {
		return false, nil
	}
	return false, fmt.Errorf("no endpoint tells whether project %v is there: %w", project, err)
}
