package httpapi

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"github.com/scorelay/scorelay/pkg/score"
)

const (
	maxReserved = 1 << 16 // ids of one answer
	maxMinters  = 4096    // projects remembered; one that is forgotten begins a new prefix, which costs a word at most
)

// reserveBody is the body of reserve-ids as it comes.
type reserveBody struct {
	ProjectID *string `json:"projectId"`
	Count     *int64  `json:"count"`
}

// reserved is the body of a 200 of reserve-ids: the ids first, first+1, … first+count-1.
type reserved struct {
	ProjectID score.ProjectID `json:"projectId"`
	First     score.UpdateID  `json:"first"`
	Count     int             `json:"count"`
}

// reserveIDs hands out updateIds that count up, for callers who keep no counter of their own. Nothing is stored: no other
// process mints under the same prefix, and what a dead process had left is never used. Each project has its own count, so
// that whoever sends for it fills the same words.
func (s *Server) reserveIDs(c *fiber.Ctx) *Problem {
	body, p := jsonBody(c)
	if p != nil {
		return p
	}
	project, count, p := decodeReserve(body)
	if p != nil {
		return p
	}
	if _, ok := s.projects.await(s.life, project, projectPatience); !ok {
		return fieldProblem(codeUnknownProject, "/projectId", "is no project")
	}
	first, err := s.minters.ensure(project, s.newMinter).Range(count)
	if err != nil {
		return fieldProblem(codeInvalidBody, "/count", err.Error())
	}
	return s.send(c, reserved{project, first, count})
}

func decodeReserve(body []byte) (project score.ProjectID, count int, p *Problem) {
	var b reserveBody
	if p := decode(body, &b); p != nil {
		return project, 0, p
	}
	var wrong fields
	if text := wrong.required("/projectId", b.ProjectID); text != nil {
		var err error
		project, err = score.ParseProjectID(*text)
		wrong.check("/projectId", err)
	}
	switch {
	case b.Count == nil:
		wrong.add(fieldRequired, "/count", "is required")
	case *b.Count < 1 || *b.Count > maxReserved:
		wrong.add(fieldInvalid, "/count", fmt.Sprintf("must be an integer from 1 to %d", maxReserved))
	default:
		count = int(*b.Count)
	}
	return project, count, wrong.problem()
}
