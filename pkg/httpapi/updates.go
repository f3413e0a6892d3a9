package httpapi

import (
	"context"
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/scorelay/scorelay/pkg/score"
)

const pathLookUpUpdates = "/look-up-updates"

// maxLookedUp bounds the updates of one look-up: those of a signed group, or of a word of ids.
const maxLookedUp = 256

type updateView struct {
	UpdateID  score.UpdateID  `json:"updateId"`
	ProjectID score.ProjectID `json:"projectId"`
	progress
	Waits *waits `json:"waits,omitempty"`
}

// view is what is told of an update.
func (s *Server) view(ref score.Ref, st score.Status) updateView {
	view := updateView{UpdateID: ref.Update, ProjectID: ref.Project, progress: progressOf(st)}
	if st.Stage == score.Accepted {
		view.Waits = s.waitsFor(1, ref.Project)
	}
	return view
}

// update tells how far an update has come.
func (s *Server) update(c *fiber.Ctx, by *caller) *Problem {
	project, p := projectParam(c, by)
	if p != nil {
		return p
	}
	id, err := score.ParseUpdateID(c.Params("update"))
	if err != nil {
		return problem(codeInvalidPath, "the updateId "+err.Error())
	}
	ref := score.UpdateRef(project, id)
	statuses, p := s.statusesOf([]score.Ref{ref})
	if p != nil {
		return p
	}
	if statuses[0].Stage == 0 {
		return problem(codeUpdateNotFound, "")
	}
	return s.send(c, s.view(ref, statuses[0]))
}

// lookUpBody is the body of look-up-updates as it comes.
type lookUpBody struct {
	ProjectID *string  `json:"projectId"`
	UpdateIDs []string `json:"updateIds"`
}

// lookUpRequest is a well-formed look-up.
type lookUpRequest struct {
	project score.ProjectID
	refs    []score.Ref
}

// lookedUp is the body of a 200 of look-up-updates.
type lookedUp struct {
	ProjectID score.ProjectID `json:"projectId"`
	Updates   []updateView    `json:"updates"` // in the order asked
}

// lookUpUpdates is update for many at once. One that nothing was accepted under does not keep the others from their
// answer: its status is "unknown".
func (s *Server) lookUpUpdates(c *fiber.Ctx, by *caller) *Problem {
	r, p := request(c, decodeLookUp)
	if p != nil {
		return p
	}
	if p := by.covers(r.project); p != nil {
		return p
	}
	statuses, p := s.statusesOf(r.refs)
	if p != nil {
		return p
	}
	answer := lookedUp{ProjectID: r.project, Updates: make([]updateView, len(r.refs))}
	for i, ref := range r.refs {
		answer.Updates[i] = s.view(ref, statuses[i])
	}
	return s.send(c, answer)
}

func decodeLookUp(body []byte) (*lookUpRequest, *Problem) {
	return decode(body, func(b *lookUpBody, f *fields) *lookUpRequest {
		r := &lookUpRequest{project: parsed(f, "/projectId", b.ProjectID, score.ParseProjectID)}
		switch n := len(b.UpdateIDs); {
		case b.UpdateIDs == nil:
			f.add(fieldRequired, "/updateIds", "is required")
		case n < 1 || n > maxLookedUp:
			f.add(fieldInvalid, "/updateIds", fmt.Sprintf("must hold 1 to %d updateIds, has %d", maxLookedUp, n))
		default:
			for i := range b.UpdateIDs {
				id := parsed(f, fmt.Sprintf("/updateIds/%d", i), &b.UpdateIDs[i], score.ParseUpdateID)
				r.refs = append(r.refs, score.UpdateRef(r.project, id))
			}
		}
		return r
	})
}

// statusesOf is how far each of a project's updates has come, in order; zero of one that was never accepted. What Redis does not know any more, the
// contract may: an updateId that is used up was applied, whichever way it was sent. It knows no transaction and no duplicate, so that it is asked only
// where Redis has lost nothing and lacks no report. Otherwise no caller is given an end that may turn out to be another; nor is an id called unknown
// while the chain cannot be asked.
func (s *Server) statusesOf(refs []score.Ref) ([]score.Status, *Problem) {
	late := s.reporter.writer.Pending() // before Redis is read, which may take the reports meanwhile
	statuses, complete, err := s.deps.Statuses.Read(s.life, refs)
	switch {
	case err != nil, late && slices.ContainsFunc(statuses, inDoubt):
		return nil, temporary(codeStatusUnavailable, retryAfterFailure, "")
	case !complete && slices.ContainsFunc(statuses, inDoubt):
		return nil, temporary(codeStatusRebuilding, retryAfterFull, "")
	}
	var missing []int
	var ids []score.UpdateID
	for i, st := range statuses {
		if st.Stage == 0 {
			missing, ids = append(missing, i), append(ids, refs[i].Update)
		}
	}
	if len(missing) > 0 {
		ctx, cancel := context.WithTimeout(s.life, readTimeout)
		defer cancel()
		used, err := s.deps.Chain.Used(ctx, refs[0].Project, ids)
		if err != nil {
			s.deps.Log.Warn("the API could not ask the chain for updates; it asks the caller to retry", "project", refs[0].Project, "err", err)
			return nil, temporary(codeChainUnavailable, retryAfterFailure, "")
		}
		for n, i := range missing {
			if used[n] {
				statuses[i] = score.Status{Stage: score.Final, Outcome: score.Applied}
			}
		}
	}
	return statuses, nil
}

// inDoubt reports whether a restore may bring another end than this: a duplicate, say, of which the update it repeats is
// not restored yet. What is applied stays so, and what has no end yet promises none.
func inDoubt(st score.Status) bool {
	return st.Stage == 0 || st.Stage == score.Final && st.Outcome != score.Applied
}
