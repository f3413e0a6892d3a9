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
// that all who send for it fill the same words.
func (s *Server) reserveIDs(c *fiber.Ctx, by *caller) *Problem {
	r, _, p := counted(s, c, by, decodeReserve, func(r *reserveRequest) (score.ProjectID, score.Cost) {
		return r.project, score.Cost{Units: 1}
	})
	if p != nil {
		return p
	}
	if _, p := s.known(r.project); p != nil {
		return p
	}
	minter, ok := s.minters.Get(r.project)
	if !ok {
		minter = s.deps.NewMinter() // of two requests at once, one begins a prefix for itself alone
		s.minters.Add(r.project, minter)
	}
	ids, err := minter.Range(r.count)
	if err != nil {
		return fieldProblem(codeInvalidBody, "/count", err.Error())
	}
	return s.send(c, reserved{r.project, ids.First, ids.Count})
}

// reserveRequest is a well-formed reservation.
type reserveRequest struct {
	project score.ProjectID
	count   int
}

func decodeReserve(body []byte) (*reserveRequest, *Problem) {
	return decode(body, func(b *reserveBody, f *fields) *reserveRequest {
		return &reserveRequest{
			project: parsed(f, "/projectId", b.ProjectID, score.ParseProjectID),
			count:   int(f.integer("/count", b.Count, 1, maxReserved, fmt.Sprintf("an integer from 1 to %d", maxReserved))),
		}
	})
}
