package httpapi

import (
	"context"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/scorelay/scorelay/pkg/score"
)

// usedPatience bounds the question to the chain whether a group was used up: an accept waits for the answer.
const usedPatience = 300 * time.Millisecond

// groupAccepted is the body of a 200 of update-scores.
type groupAccepted struct {
	ProjectID  score.ProjectID  `json:"projectId"`
	Status     string           `json:"status"`     // accepted, or duplicate when every update is one
	Accepted   int              `json:"accepted"`   // how many are no duplicates
	Duplicates []score.UpdateID `json:"duplicates"` // in the order of the group
}

// updateScores takes a signed group all the way from bytes to durable: updateScore for updates that were signed
// together. What is stored is the group as it was signed, since the contract checks that signature.
func (s *Server) updateScores(c *fiber.Ctx) *Problem {
	ctx := s.life

	// Read: strictly, from the bytes as they came. The updates must be in the one form the relayers will write them in,
	// or the signature would be of other bytes.
	r, p := request(c, decodeGroup)
	if p != nil {
		return p
	}

	// Signed by whom? There is no time in a group, and none is needed: its ids apply once, for ever.
	signer, p := s.signers.recoverGroup(r)
	if p != nil {
		return p
	}

	// Allowed and meaningful? As for a single update; the contract checks all of it again, signature included.
	rec, ok := s.projects.await(ctx, r.project, projectPatience)
	if !ok {
		return fieldProblem(codeUnknownProject, "/projectId", "is no project")
	}
	if rec.Members[signer] == 0 {
		return notMember(signer, "compare the domain (`signing` of GET /projects/{projectId}), projectId, kind and updates; "+
			"contract wallets cannot sign groups")
	}
	if p := r.resolvable(rec); p != nil {
		return p
	}
	r.setSigner(signer)

	// Claim the updateIds, together or not at all. Duplicates are somebody else's and stay so.
	token := s.tokens.next()
	won, duplicates, p := s.claimGroup(ctx, r, token)
	switch {
	case p != nil:
		return p
	case len(won) == 0:
		return s.answerGroup(c, r, nil, duplicates)
	}

	// Used up? Redis forgets in the end, the contract does not, and a group that was applied is public: without this
	// anybody could have the lanes pay for it again.
	if s.usedUp(ctx, r.project, won) {
		s.releaseGroup(r, token)
		return s.answerGroup(c, r, nil, r.ids())
	}

	// Store. This is the commit point, as of a single update. The group is stored whole, or its signature would be worth
	// nothing: the contract skips the duplicates.
	group := unit{updates: r.updates, claimed: won, signed: &score.Signed{Kind: r.kind, Signature: r.signature.Compact()}}
	if err := s.enveloper(r.project).add(group); err != nil {
		s.releaseGroup(r, token)
		return notStored(err)
	}
	return s.answerGroup(c, r, won, duplicates)
}

// answerGroup answers for a group that was stored, or of which nothing was accepted.
func (s *Server) answerGroup(c *fiber.Ctx, r *groupRequest, accepted []score.Update, duplicates []score.UpdateID) *Problem {
	status := "accepted"
	if len(accepted) == 0 {
		status = "duplicate"
	}
	s.metrics.updates.WithLabelValues("accepted").Add(float64(len(accepted)))
	s.metrics.updates.WithLabelValues("duplicate").Add(float64(len(duplicates)))
	return s.send(c, groupAccepted{r.project, status, len(accepted), duplicates})
}

// claimGroup asks for the group's updateIds until the answer is clear: won are the updates whose ids are this request's
// now, duplicates the other ids. With a problem nothing is claimed. Without Redis there are no claims, and the contract
// decides.
func (s *Server) claimGroup(ctx context.Context, r *groupRequest, token string) (won []score.Update, duplicates []score.UpdateID, p *Problem) {
	var claims []score.Claim
	p = s.untilClear(ctx, func() (busy bool) {
		var err error
		if claims, err = s.statuses.ClaimGroup(ctx, r.project, r.ids(), token); err != nil {
			s.metrics.unclaimed.Add(float64(len(r.updates)))
			claims = nil
		}
		for _, claim := range claims {
			busy = busy || claim == score.ClaimBusy
		}
		return busy
	})
	duplicates = []score.UpdateID{}
	if p != nil || claims == nil {
		return r.updates, duplicates, p
	}
	for i, claim := range claims {
		if claim == score.ClaimDuplicate {
			duplicates = append(duplicates, r.updates[i].ID)
		} else {
			won = append(won, r.updates[i])
		}
	}
	return won, duplicates, nil
}

// usedUp tells whether all of the updates' ids are used on the chain, as of a final block. Of a group whose other ids are
// duplicates, nothing is left then that could apply. Without an answer in time it is not: the contract decides.
func (s *Server) usedUp(ctx context.Context, project score.ProjectID, updates []score.Update) bool {
	ctx, cancel := context.WithTimeout(ctx, usedPatience)
	defer cancel()
	used, err := s.chain.Used(ctx, project, idsOf(updates))
	if err != nil {
		s.metrics.unasked.Inc()
		return false
	}
	return !slices.Contains(used, false)
}

// releaseGroup gives a group's claims back. If that fails too, they expire.
func (s *Server) releaseGroup(r *groupRequest, token string) {
	if err := s.statuses.ReleaseGroup(s.life, r.project, r.ids(), token); err != nil {
		s.log.Debug("the claims of a group could not be released; they will expire", "project", r.project, "updates", len(r.updates), "err", err)
	}
}
