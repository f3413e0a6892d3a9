package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/gofiber/fiber/v2"

	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

// How long an accept waits for others.
const (
	projectPatience = 250 * time.Millisecond // for a creation that another replica has just answered for
	usedPatience    = 300 * time.Millisecond // for the chain to say whether a group was used up
	firstClaimPause = 2 * time.Millisecond
	maxClaimPause   = 100 * time.Millisecond
)

// maxContents bounds the accepted updates whose content is remembered, at some 130 bytes each.
const maxContents = 1 << 16

// What became of an update or a group that was posted.
const (
	statusAccepted  = "accepted"
	statusDuplicate = "duplicate"
)

// updateAccepted is the body of a 200 of update-score.
type updateAccepted struct {
	UpdateID  score.UpdateID  `json:"updateId"`
	ProjectID score.ProjectID `json:"projectId"`
	Status    string          `json:"status"`    // accepted or duplicate
	StatusURL string          `json:"statusUrl"` // where the update can be followed
	Waits     *waits          `json:"waits,omitempty"`

	SameContent *bool `json:"sameContent,omitempty"` // of a duplicate, where it is known
}

// appendJSON writes the answer that is given most often, without reflection.
func (u updateAccepted) appendJSON(b []byte) []byte {
	b = append(b, `{"updateId":"`...)
	b = append(b, u.UpdateID.String()...)
	b = append(b, `","projectId":"`...)
	b = append(b, u.ProjectID.String()...)
	b = append(b, `","status":"`...)
	b = append(b, u.Status...)
	b = append(b, `","statusUrl":"`...)
	b = append(b, u.StatusURL...)
	b = append(b, '"')
	if u.Waits != nil {
		if more, err := json.Marshal(u.Waits); err == nil {
			b = append(append(b, `,"waits":`...), more...)
		}
	}
	if u.SameContent != nil {
		b = strconv.AppendBool(append(b, `,"sameContent":`...), *u.SameContent)
	}
	return append(b, '}')
}

// groupAccepted is the body of a 200 of update-scores.
type groupAccepted struct {
	ProjectID  score.ProjectID  `json:"projectId"`
	Status     string           `json:"status"`     // accepted, or duplicate when every update is one
	Accepted   int              `json:"accepted"`   // how many are no duplicates
	Duplicates []score.UpdateID `json:"duplicates"` // in the order of the group
	Waits      *waits           `json:"waits,omitempty"`
}

// updateScore takes one update all the way from bytes to durable, for a key that enter has authenticated.
func (s *Server) updateScore(c *fiber.Ctx, by *caller) *Problem {
	r, cost, p := counted(s, c, by, decodeUpdate, func(r *updateRequest) (score.ProjectID, score.Cost) { return r.Project, s.priceOfOne })
	if p != nil {
		return p
	}
	u, p := s.verifyUpdate(r, by)
	if p != nil {
		s.giveBack(&by.updates, cost)
		return p
	}
	one := singleUnit(u)
	one.request = s.spanOf(c)
	duplicates, p := s.accept(one, by)
	s.done(c, by, cost, one.updates, len(duplicates), p)
	if p != nil {
		if p.Code == codeNotDurable.Name {
			s.sameContent(r, true) // it may be stored
		}
		return p
	}
	n := 1 - len(duplicates)
	status := s.countAccepted(n, len(duplicates))
	return s.send(c, updateAccepted{
		u.ID, u.Project, status, statusURL(u.Project) + "/updates/" + u.ID.String(), s.waitsFor(n, u.Project), s.sameContent(r, n == 1),
	})
}

// sameContent remembers the content of an update that is or may be stored, and reports whether a duplicate has the one that this API
// stored under its id; nil where that is not known. Of an id with two contents it forgets both: the contract decides which one counts. Another
// replica may have stored a third, without Redis.
func (s *Server) sameContent(r *updateRequest, accepted bool) *bool {
	type content struct {
		action, scoreType string
		target            common.Address
	}
	of := maphash.Comparable(s.seed, score.UpdateRef(r.Project, r.Update))
	is := maphash.Comparable(s.seed, content{r.ActionName, r.ScoreType, r.Target})
	switch was, known := s.contents.Get(of); {
	case known && !accepted:
		return new(was == is)
	case known && was != is:
		s.contents.Remove(of)
	case accepted:
		s.contents.Add(of, is)
	}
	return nil
}

// updateScores does the same for updates that were signed together.
func (s *Server) updateScores(c *fiber.Ctx, by *caller) *Problem {
	r, cost, p := counted(s, c, by, decodeGroup, func(r *groupRequest) (score.ProjectID, score.Cost) { return r.project, s.priceOf(r.unit()) })
	if p != nil {
		return p
	}
	if p := s.verifyGroup(r); p != nil {
		s.giveBack(&by.updates, cost)
		return p
	}
	duplicates, p := s.accept(r.verified(s.spanOf(c)), by)
	s.done(c, by, cost, r.updates, len(duplicates), p)
	if p != nil {
		return p
	}
	n := len(r.updates) - len(duplicates)
	status := s.countAccepted(n, len(duplicates))
	return s.send(c, groupAccepted{r.project, status, n, duplicates, s.waitsFor(n, r.project)})
}

// countAccepted counts what became of the updates of a post, and returns its status.
func (s *Server) countAccepted(accepted, duplicates int) string {
	s.accepted.Add(uint64(accepted))
	s.metrics.accepted.Add(float64(accepted))
	s.metrics.duplicates.Add(float64(duplicates))
	if accepted == 0 {
		return statusDuplicate
	}
	return statusAccepted
}

// accept makes a verified unit durable. It is the API's commit sequence, the same for an update and for a signed group.
// duplicates are the updateIds that were accepted or used before; when all are, nothing was stored.
func (s *Server) accept(u unit, by *caller) (duplicates []score.UpdateID, p *Problem) {
	if p := cmp.Or(s.notAccepting(&u.updates[0].Project), s.backlogFull(u.updates[0].Project)); p != nil {
		return nil, p
	}
	refs, token := score.Refs(u.updates), s.tokens.next()
	u.token = token

	// Claim the updateIds, together or not at all, so that of two requests at once one is a duplicate. Claims expire: if
	// this process dies here, a retry gets through.
	u.claimed, duplicates, p = s.awaitClaim(refs, token)
	if p != nil || len(u.claimed) == 0 {
		return duplicates, p
	}

	// Used up? Redis forgets in the end, the contract does not, and a group that was applied is public: without this
	// anyone could have the lanes pay for it again. A single update's signature is fresh, so Redis still knows its id.
	if u.signed != nil && s.usedUp(u.claimed) {
		s.release(refs, token)
		return idsOf(refs), nil
	}

	// Of too many different words of ids or wallets today? Each may take a new storage slot of the contract.
	if p := s.tooDiverse(by, u.updates); p != nil {
		s.release(refs, token)
		return nil, p
	}

	// Store. This is the commit point: when add returns nil the stream has synced the unit, and from here on each of its
	// updates reaches exactly one outcome, whichever process dies. Its claims have become statuses, as far as Redis was
	// there. A group is stored whole, or its signature would be worth nothing: the contract skips the duplicates.
	if err := s.enveloper.add(u); err != nil {
		// Stored or not: the caller may send it again, and must not find its own claims in the way.
		s.release(refs, token)
		return nil, s.notStored(err)
	}
	return duplicates, nil
}

// backlogFull is the problem of a project of which too much waits, as its lane said last; nil of others.
func (s *Server) backlogFull(project score.ProjectID) *Problem {
	if s.config.MaxWaiting == 0 || s.deps.Backlogs == nil {
		return nil
	}
	backlog := s.deps.Backlogs.Of(project)
	if backlog.Waiting < s.config.MaxWaiting {
		return nil
	}
	wait := drainTime(backlog.Waiting-s.config.MaxWaiting, backlog.PerSecond)
	return temporary(codeBacklogFull, wait, fmt.Sprintf("about %d updates wait, and %d may", backlog.Waiting, s.config.MaxWaiting))
}

// awaitClaim claims the updates, again while the claim of another request is in the way: won are this request's now, the
// others are duplicates. With a problem nothing is claimed. Without Redis there are no claims, and
// the contract decides.
func (s *Server) awaitClaim(refs []score.Ref, token string) (won []score.Ref, duplicates []score.UpdateID, p *Problem) {
	deadline := time.Now().Add(s.config.ClaimWait)
	for pause := firstClaimPause; ; pause = min(2*pause, maxClaimPause) {
		claims, err := s.deps.Statuses.Claim(s.life, refs, token)
		if err != nil {
			s.metrics.unclaimed.Add(float64(len(refs)))
			return refs, nil, nil
		}
		if !slices.Contains(claims, score.ClaimBusy) {
			for i, claim := range claims {
				if claim == score.ClaimDuplicate {
					duplicates = append(duplicates, refs[i].Update)
				} else {
					won = append(won, refs[i])
				}
			}
			return won, duplicates, nil
		}
		if time.Now().Add(pause).After(deadline) {
			return nil, nil, temporary(codeUpdateInProgress, s.posting.wait(), "")
		}
		if retry.Sleep(s.life, pause) != nil {
			return nil, nil, temporary(codeShuttingDown, retryAfterFailure, "")
		}
	}
}

// usedUp tells whether all of a project's updateIds are used on the chain, as of a final block. Of a group whose other
// ids are duplicates, nothing is left then that could apply. Without an answer in time it is not: the contract decides.
func (s *Server) usedUp(refs []score.Ref) bool {
	ctx, cancel := context.WithTimeout(s.life, usedPatience)
	defer cancel()
	used, err := s.deps.Chain.Used(ctx, refs[0].Project, idsOf(refs))
	if err != nil {
		s.metrics.unasked.Inc()
		return false
	}
	return !slices.Contains(used, false)
}

// release gives claims back. If that fails too, they expire.
func (s *Server) release(refs []score.Ref, token string) {
	if err := s.deps.Statuses.Release(s.life, refs, token); err != nil {
		s.deps.Log.Debug("the API could not release claims; they will expire", "project", refs[0].Project, "updates", len(refs), "err", err)
	}
}

// idsOf are the updateIds of references to updates, in order.
func idsOf(refs []score.Ref) []score.UpdateID {
	ids := make([]score.UpdateID, len(refs))
	for i := range refs {
		ids[i] = refs[i].Update
	}
	return ids
}

// notStored is the problem of an update or creation that could not be made durable.
func (s *Server) notStored(err error) *Problem {
	switch {
	case errors.Is(err, score.ErrFull):
		return temporary(codeStreamFull, retryAfterFull, "")
	case errors.Is(err, score.ErrHalted):
		return temporary(codeHalted, retryAfterHalt, "")
	case errors.Is(err, errDrained):
		return temporary(codeShuttingDown, retryAfterFailure, "")
	default:
		s.notDurable.Add(1)
		return temporary(codeNotDurable, s.posting.wait(), "")
	}
}
