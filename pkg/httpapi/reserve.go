package httpapi

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"github.com/scorelay/scorelay/pkg/score"
)

const (
	maxReserved = 1 << 16 // ids per response
	maxMinters  = 4096    // projects with a cached minter; a new one's prefix costs at most one more word
)

type reserveBody struct {
	ProjectID *string `json:"projectId"`
	Count     *int64  `json:"count"`
}

type reserved struct {
	ProjectID score.ProjectID `json:"projectId"`
	First     score.UpdateID  `json:"first"`
	Count     int             `json:"count"`
}

// reserveIDs allocates consecutive updateIds, for callers without a counter of their own. Each process has its own
// prefixes, so it stores nothing; the unused ids of a dead process stay unused. Each project has its own counter, so
// that all its senders fill the same words.
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
		minter = s.deps.NewMinter() // of two concurrent requests, one gets a prefix of its own
		s.minters.Add(r.project, minter)
	}
	ids, err := minter.Range(r.count)
	if err != nil {
		return fieldProblem(codeInvalidBody, "/count", err.Error())
	}
	return s.send(c, reserved{r.project, ids.First, ids.Count})
}

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
