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

const (
	projectPatience = 250 * time.Millisecond // an update's wait for a creation that another replica has just accepted
	usedPatience    = 300 * time.Millisecond // for the chain's answer in usedUp
	firstClaimPause = 2 * time.Millisecond
	maxClaimPause   = 100 * time.Millisecond
)

// Entries of Server.contents, about 130 bytes each.
const maxContents = 1 << 16

const (
	statusAccepted  = "accepted"
	statusDuplicate = "duplicate"
)

type updateAccepted struct {
	UpdateID  score.UpdateID  `json:"updateId"`
	ProjectID score.ProjectID `json:"projectId"`
	Status    string          `json:"status"` // accepted or duplicate
	StatusURL string          `json:"statusUrl"`
	Waits     *waits          `json:"waits,omitempty"`

	// Of a duplicate: equals the stored update; nil if unknown.
	SameContent *bool `json:"sameContent,omitempty"`
}

// appendJSON encodes the most frequent response, to avoid reflection.
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

type groupAccepted struct {
	ProjectID  score.ProjectID  `json:"projectId"`
	Status     string           `json:"status"` // accepted; duplicate if all updates are duplicates
	Accepted   int              `json:"accepted"`
	Duplicates []score.UpdateID `json:"duplicates"` // in the order of the group
	Waits      *waits           `json:"waits,omitempty"`
}

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
			s.sameContent(r, true) // despite the error, it may be stored
		}
		return p
	}
	n := 1 - len(duplicates)
	status := s.countAccepted(n, len(duplicates))
	return s.send(c, updateAccepted{
		u.ID, u.Project, status, statusURL(u.Project) + "/updates/" + u.ID.String(), s.waitsFor(n, u.Project), s.sameContent(r, n == 1),
	})
}

// sameContent caches an update's content if accepted is set: the update may be stored. Else the update is a
// duplicate, and the result reports whether its content equals the cached one; nil if unknown. If an id has two
// contents, the cache drops both, since the contract decides which one counts.
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

func (s *Server) countAccepted(accepted, duplicates int) string {
	s.accepted.Add(uint64(accepted))
	s.metrics.accepted.Add(float64(accepted))
	s.metrics.duplicates.Add(float64(duplicates))
	if accepted == 0 {
		return statusDuplicate
	}
	return statusAccepted
}

// accept stores a verified unit durably, unless all its updates are duplicates. duplicates are the unit's updateIds
// that were accepted or used before.
func (s *Server) accept(u unit, by *caller) (duplicates []score.UpdateID, p *Problem) {
	if p := cmp.Or(s.notAccepting(&u.updates[0].Project), s.backlogFull(u.updates[0].Project)); p != nil {
		return nil, p
	}
	refs, token := score.Refs(u.updates), s.tokens.next()
	u.token = token

	// Of two concurrent requests with one id, one is a duplicate. If this process dies here, the claims expire and a
	// retry succeeds.
	u.claimed, duplicates, p = s.awaitClaim(refs, token)
	if p != nil || len(u.claimed) == 0 {
		return duplicates, p
	}

	// Has the chain applied the group? Redis forgets ids eventually, and an applied group is public, so anyone could
	// make the lanes pay for the group again. A single update's signature is fresh, so Redis still knows its id.
	if u.signed != nil && s.usedUp(u.claimed) {
		s.release(refs, token)
		return idsOf(refs), nil
	}

	// Each distinct id word or wallet may take a new storage slot of the contract, so the key's budget limits them.
	if p := s.tooDiverse(by, u.updates); p != nil {
		s.release(refs, token)
		return nil, p
	}

	// If add returns nil, the commit point has passed (Stream.publish): the stream has synced the unit. From there on
	// each update gets exactly one outcome, whichever process dies. A group is stored whole, since its signature covers
	// it; the contract skips the duplicates.
	if err := s.enveloper.add(u); err != nil {
		// A retry must find the ids unclaimed.
		s.release(refs, token)
		return nil, s.notStored(err)
	}
	return duplicates, nil
}

// backlogFull returns a problem if the project's backlog, as last reported by its lane, is full.
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

// awaitClaim claims the updates, and retries while another request's claim is unresolved. won are those that this
// request claimed; all of refs if Redis fails. If it returns a problem, all are unclaimed.
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

// usedUp reports whether refs, a group's claimed updates, are all used on the chain, as of a final block. Since the
// group's other updates are duplicates, none can apply then. If the answer is late, it returns false.
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

// If release fails, the claims expire.
func (s *Server) release(refs []score.Ref, token string) {
	if err := s.deps.Statuses.Release(s.life, refs, token); err != nil {
		s.deps.Log.Debug("the API could not release claims; they will expire", "project", refs[0].Project, "updates", len(refs), "err", err)
	}
}

func idsOf(refs []score.Ref) []score.UpdateID {
	ids := make([]score.UpdateID, len(refs))
	for i := range refs {
		ids[i] = refs[i].Update
	}
	return ids
}

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
