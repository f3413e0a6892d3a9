package httpapi

import (
	"context"
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/scorelay/scorelay/pkg/score"
)

// maxLookedUp bounds the updates of one look-up: those of a signed group, or of a word of ids.
const maxLookedUp = 256

type updateView struct {
	UpdateID  score.UpdateID  `json:"updateId"`
	ProjectID score.ProjectID `json:"projectId"`
	progress
}

// update tells how far an update has come.
func (s *Server) update(c *fiber.Ctx) *Problem {
	project, p := projectParam(c)
	if p != nil {
		return p
	}
	id, err := score.ParseUpdateID(c.Params("update"))
	if err != nil {
		return problem(codeInvalidPath, "the updateId "+err.Error())
	}
	statuses, p := s.statusesOf(project, []score.UpdateID{id})
	if p != nil {
		return p
	}
	if statuses[0].Stage == 0 {
		return problem(codeUpdateNotFound, "")
	}
	return s.send(c, updateView{id, project, progressOf(statuses[0])})
}

// lookUpBody is the body of look-up-updates as it comes.
type lookUpBody struct {
	ProjectID *string  `json:"projectId"`
	UpdateIDs []string `json:"updateIds"`
}

// lookUpRequest is a well-formed look-up.
type lookUpRequest struct {
	project score.ProjectID
	updates []score.UpdateID
}

// lookedUp is the body of a 200 of look-up-updates.
type lookedUp struct {
	ProjectID score.ProjectID `json:"projectId"`
	Updates   []updateView    `json:"updates"` // in the order asked
}

// lookUpUpdates is update for many at once. One that nothing was accepted under does not keep the others from their
// answer: its status is "unknown".
func (s *Server) lookUpUpdates(c *fiber.Ctx) *Problem {
	r, p := request(c, decodeLookUp)
	if p != nil {
		return p
	}
	statuses, p := s.statusesOf(r.project, r.updates)
	if p != nil {
		return p
	}
	answer := lookedUp{ProjectID: r.project, Updates: make([]updateView, len(r.updates))}
	for i, id := range r.updates {
		answer.Updates[i] = updateView{id, r.project, progressOf(statuses[i])}
	}
	return s.send(c, answer)
}

func decodeLookUp(body []byte) (*lookUpRequest, *Problem) {
	var b lookUpBody
	if p := decode(body, &b); p != nil {
		return nil, p
	}
	var r lookUpRequest
	var wrong fields
	r.project = wrong.projectID(b.ProjectID)
	switch n := len(b.UpdateIDs); {
	case b.UpdateIDs == nil:
		wrong.add(fieldRequired, "/updateIds", "is required")
	case n < 1 || n > maxLookedUp:
		wrong.add(fieldInvalid, "/updateIds", fmt.Sprintf("must hold 1 to %d updateIds, has %d", maxLookedUp, n))
	default:
		r.updates = make([]score.UpdateID, n)
		for i, text := range b.UpdateIDs {
			var err error
			r.updates[i], err = score.ParseUpdateID(text)
			wrong.check(fmt.Sprintf("/updateIds/%d", i), err)
		}
	}
	if p := wrong.problem(); p != nil {
		return nil, p
	}
	return &r, nil
}

// statusesOf tells how far each update has come. What Redis does not know, the chain may: an updateId that was used up
// was applied, whoever sent it. Only when both know nothing, and Redis has lost nothing, was it never accepted: then its
// status is zero. While what Redis has lost is restored, nobody is told an end that may turn out to be another.
func (s *Server) statusesOf(project score.ProjectID, updates []score.UpdateID) ([]score.Status, *Problem) {
	statuses, complete, statusErr := s.statuses.Updates(s.life, project, updates)
	if statusErr != nil {
		statuses, complete = make([]score.Status, len(updates)), false
	}
	if missing := missingOf(statuses, updates); len(missing) > 0 {
		ctx, cancel := context.WithTimeout(s.life, readTimeout)
		defer cancel()
		used, err := s.chain.Used(ctx, project, missing)
		for i, at := 0, 0; err == nil && i < len(statuses); i++ {
			if statuses[i].Stage != 0 {
				continue
			}
			if used[at] {
				statuses[i] = score.Status{Stage: score.Final, Outcome: score.Applied}
			}
			at++
		}
	}
	switch {
	case complete || !slices.ContainsFunc(statuses, inDoubt):
		return statuses, nil
	case statusErr != nil:
		return nil, retry(codeStatusUnavailable, retryAfterFailure, "")
	default:
		return nil, retry(codeStatusRebuilding, retryAfterFull, "")
	}
}

// inDoubt tells whether a restore may bring another end than this: a duplicate, say, of which the update it repeats is
// not restored yet. What is applied stays so, and what has no end yet promises none.
func inDoubt(st score.Status) bool {
	return st.Stage == 0 || st.Stage == score.Final && st.Outcome != score.Applied
}

// missingOf lists the updates of which nothing is known.
func missingOf(statuses []score.Status, updates []score.UpdateID) (missing []score.UpdateID) {
	for i, st := range statuses {
		if st.Stage == 0 {
			missing = append(missing, updates[i])
		}
	}
	return missing
}
