package httpapi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/gofiber/fiber/v2"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// How long an accept waits for others.
const (
	projectPatience   = 250 * time.Millisecond // for a creation another replica has just answered for
	firstClaimPause   = 2 * time.Millisecond
	maxClaimPause     = 100 * time.Millisecond
	retryAfterFull    = 5 * time.Second
	retryAfterFailure = time.Second
)

// accepted is the body of a 200 of update-score.
type accepted struct {
	UpdateID  score.UpdateID  `json:"updateId"`
	ProjectID score.ProjectID `json:"projectId"`
	Status    string          `json:"status"` // accepted or duplicate
}

// updateScore takes one update all the way from bytes to durable. It is the API's commit sequence, from top to bottom;
// enter has authenticated the key and counted its rate before.
func (s *Server) updateScore(c *fiber.Ctx) *Problem {
	ctx := s.life

	// Read: strictly, from the bytes as they came.
	r, p := request(c, decodeUpdate)
	if p != nil {
		return p
	}

	// Fresh: an old signature says nothing about now.
	if p := s.fresh(r); p != nil {
		return p
	}

	// Signed by whom? Costs the most, and is remembered.
	signer, p := s.signers.recover(r)
	if p != nil {
		return p
	}

	// Allowed and meaningful? Against the project as it is final on the chain, or as its accepted creation, which goes
	// ahead of this update in the same lane, will make it. The contract checks all of it again when it applies.
	rec, ok := s.projects.await(ctx, r.Project, projectPatience)
	if !ok {
		return fieldProblem(codeUnknownProject, "/projectId", "is no project")
	}
	if rec.SignedOnly {
		return problem(codeSignedOnly, "sign it in a group and send that to POST /update-scores")
	}
	if signer, p = s.signers.member(ctx, rec, signer, r); p != nil {
		return p
	}
	u, p := resolve(rec, r, signer)
	if p != nil {
		return p
	}

	// Claim the updateId, so that of two at once one is a duplicate. The claim expires: if this process dies here, a
	// retry gets through.
	token := s.tokens.next()
	claim, p := s.claim(ctx, u, token)
	switch {
	case p != nil:
		return p
	case claim == score.ClaimDuplicate:
		return s.answer(c, u, "duplicate")
	}

	// Store. This is the commit point: when add returns nil the stream has synced the update, and from here on it
	// reaches exactly one outcome, whatever dies. Its claim has become its status, as far as Redis was there.
	if err := s.enveloper(u.Project).add(alone(u)); err != nil {
		// Stored or not: the caller may send it again, and must not find its own claim in the way.
		s.release(u, token)
		return notStored(err)
	}
	return s.answer(c, u, "accepted")
}

// resolve turns the request's names into the project's indexes, as they are now.
func resolve(rec *score.Record, r *updateRequest, signer common.Address) (score.Update, *Problem) {
	u := score.Update{Project: r.Project, ID: r.Update, Signer: signer, Target: r.Target}
	var ok bool
	if u.Action, ok = rec.ActionIndex(r.ActionName); !ok {
		return u, fieldProblem(codeUnknownAction, "/actionName", "is no action of the project")
	}
	if u.ScoreType, ok = rec.ScoreTypeIndex(r.ScoreType); !ok {
		return u, fieldProblem(codeUnknownScoreType, "/scoreType", "is no score type of the project")
	}
	return u, nil
}

// enveloper is that of the project's lane.
func (s *Server) enveloper(project score.ProjectID) *enveloper {
	return s.envelopers[score.LaneOf(project, len(s.envelopers))]
}

// alone is a claimed update as a unit.
func alone(u score.Update) unit {
	updates := []score.Update{u}
	return unit{updates: updates, claimed: updates}
}

func (s *Server) answer(c *fiber.Ctx, u score.Update, status string) *Problem {
	s.metrics.updates.WithLabelValues(status).Inc()
	return s.send(c, accepted{u.ID, u.Project, status})
}

func (s *Server) fresh(r *updateRequest) *Problem {
	now := s.config.Now()
	switch err := s.config.Freshness.Check(r.at, now); {
	case errors.Is(err, wallet.ErrTooOld):
		return fieldProblem(codeMessageTooOld, "/message", timeOff("is %s old", now.Sub(r.at), r.at, s.config.Freshness.Past))
	case err != nil:
		return fieldProblem(codeMessageInFuture, "/message", timeOff("lies %s in the future", r.at.Sub(now), r.at, s.config.Freshness.Ahead))
	default:
		return nil
	}
}

// timeOff says how far a message's time is off, and of one that no clock is so wrong about what it may be instead.
func timeOff(format string, off time.Duration, at time.Time, allowed time.Duration) string {
	if off > 365*24*time.Hour {
		return "is read as " + at.UTC().Format(time.DateOnly) + ": is it in milliseconds?"
	}
	return fmt.Sprintf(format+"; at most %s is allowed", off.Round(time.Second), allowed)
}

// claim asks for the updateId until the answer is clear. Without Redis there is no claim, and the contract decides.
func (s *Server) claim(ctx context.Context, u score.Update, token string) (claim score.Claim, p *Problem) {
	p = s.untilClear(ctx, func() (busy bool) {
		var err error
		if claim, err = s.statuses.Claim(ctx, u.Project, u.ID, token); err != nil {
			s.metrics.unclaimed.Inc()
			claim = score.ClaimWon
		}
		return claim == score.ClaimBusy
	})
	return claim, p
}

// untilClear asks for claims again and again while somebody else's is in the way.
func (s *Server) untilClear(ctx context.Context, ask func() (busy bool)) *Problem {
	deadline := time.Now().Add(s.config.ClaimWait)
	for pause := firstClaimPause; ask(); pause = min(2*pause, maxClaimPause) {
		if time.Now().Add(pause).After(deadline) {
			return retry(codeUpdateInProgress, retryAfterFailure, "")
		}
		select {
		case <-ctx.Done():
			return retry(codeShuttingDown, retryAfterFailure, "")
		case <-time.After(pause):
		}
	}
	return nil
}

// release gives a claim back. If that fails too, the claim expires.
func (s *Server) release(u score.Update, token string) {
	if err := s.statuses.Release(s.life, u.Project, u.ID, token); err != nil {
		s.log.Debug("a claim could not be released; it will expire", "project", u.Project, "update", u.ID, "err", err)
	}
}

// notStored is the problem of an update or creation that could not be made durable.
func notStored(err error) *Problem {
	switch {
	case errors.Is(err, ErrFull):
		return retry(codeStreamFull, retryAfterFull, "")
	case errors.Is(err, errDrained):
		return retry(codeShuttingDown, retryAfterFailure, "")
	default:
		return retry(codeNotDurable, retryAfterFailure, "")
	}
}
