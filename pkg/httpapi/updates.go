package httpapi

import (
	"context"
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/scorelay/scorelay/pkg/score"
)

const pathLookUpUpdates = "/look-up-updates"

// maxLookedUp equals the updates of a signed group, and of a word of ids.
const maxLookedUp = 256

type updateView struct {
	UpdateID  score.UpdateID  `json:"updateId"`
	ProjectID score.ProjectID `json:"projectId"`
	progress
	Waits *waits `json:"waits,omitempty"`
}

func (s *Server) view(ref score.Ref, st score.Status) updateView {
	view := updateView{UpdateID: ref.Update, ProjectID: ref.Project, progress: progressOf(st)}
	if st.Stage == score.Accepted {
		view.Waits = s.waitsFor(1, ref.Project)
	}
	return view
}

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

type lookUpBody struct {
	ProjectID *string  `json:"projectId"`
	UpdateIDs []string `json:"updateIds"`
}

type lookUpRequest struct {
	project score.ProjectID
	refs    []score.Ref
}

type lookedUp struct {
	ProjectID score.ProjectID `json:"projectId"`
	Updates   []updateView    `json:"updates"`
}

// lookUpUpdates gives ids without an accepted update the status "unknown".
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

// statusesOf returns the status of each of a project's updates, in order; zero if it was never accepted. If Redis has
// dropped a status, the contract is asked: a used updateId was applied, whichever way it was sent. The contract knows
// neither transactions nor duplicates, so this needs a Redis that is complete and has all reports. Otherwise a status
// in doubt becomes a problem, since a restore could change a returned outcome. While the chain is unavailable, a
// missing status becomes a problem, too.
func (s *Server) statusesOf(refs []score.Ref) ([]score.Status, *Problem) {
	late := s.reporter.late() // first, since Redis may get the late reports during Read
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

// inDoubt reports whether a restore may change this outcome: for example the outcome duplicate, until the update that
// it repeats is restored. Applied is permanent, and a pending status promises no outcome.
func inDoubt(st score.Status) bool {
	return st.Stage == 0 || st.Stage == score.Final && st.Outcome != score.Applied
}
