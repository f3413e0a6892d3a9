package httpapi

import (
	"fmt"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.opentelemetry.io/otel/trace"

	"github.com/scorelay/scorelay/pkg/score"
)

// maxGroups bounds the groups of one request: several times the full ones that a body holds by default, which is all that sharing
// a request saves. A body could have one for each three bytes, each answered with hundreds and worked on by itself.
const maxGroups = 64

// maxGroupsAtOnce bounds the groups of one request that are accepted at the same time: enough to fill an envelope several
// times, few enough to leave places to other requests, which share them (Server.groups).
const maxGroupsAtOnce = 32

// statusRefused is of a group that is not stored, or perhaps is: its problem says which, and why.
const statusRefused = "refused"

// groupsBody is the body of update-groups as it comes.
type groupsBody struct {
	Groups []groupBody `json:"groups"` // maxGroups at most
}

// postedGroup is one group of several, on its way to its answer.
type postedGroup struct {
	*groupRequest // nil of one that could not be read

	cost       score.Cost
	left       *score.Left // of the key's budget, if that was asked
	verified   bool        // its signer is known
	duplicates []score.UpdateID
	problem    *Problem
}

// groupAnswer is what became of one group. Nothing of a refused one was stored, unless its code is not_durable or internal: then it may be.
type groupAnswer struct {
	Status     string           `json:"status"`           // accepted, duplicate or refused
	Accepted   int              `json:"accepted"`         // how many of its updates are no duplicates
	Duplicates []score.UpdateID `json:"duplicates"`       // in the order of the group
	Problem    *Problem         `json:"problem,omitzero"` // as update-scores would have answered, its pointers from the top of this body
	Waits      *waits           `json:"waits,omitempty"`
	RetryAfter int              `json:"retryAfter,omitzero"` // seconds, after which it may be sent again; without it, it would be refused again
}

// groupsAnswered is the body of a 200 of update-groups.
type groupsAnswered struct {
	Groups []groupAnswer `json:"groups"` // in the order they were sent
}

// updateGroups does with each of several groups what updateScores does with one: each stands or falls by itself, as if it had
// come alone.
func (s *Server) updateGroups(c *fiber.Ctx, by *caller) *Problem {
	if left := s.over(&by.updates); left.Wait > 0 {
		return by.updates.tell(c, left)
	}
	groups, p := request(c, decodeGroups)
	if p != nil {
		if refused := s.spend(c, &by.updates, score.Cost{Units: 1, At: time.Now()}); refused != nil {
			return refused
		}
		return p
	}

	// Together, so that they share envelopes.
	var all sync.WaitGroup
	places := make(chan struct{}, maxGroupsAtOnce)
	log, span := s.log(c), s.spanOf(c)
	for i := range *groups {
		g := &(*groups)[i]
		places <- struct{}{}
		s.groups <- struct{}{}
		all.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					log.Error("a group panicked; its answer says so, and the API continues", "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
					g.problem = problem(codeInternal, "")
				}
				<-s.groups
				<-places
			}()
			s.postGroup(g, by, span)
		})
	}
	all.Wait()

	answer := groupsAnswered{Groups: make([]groupAnswer, len(*groups))}
	var least *score.Left
	for i := range *groups {
		g := &(*groups)[i]
		answer.Groups[i] = s.answerGroup(c, by, g, i)
		if g.left != nil && (least == nil || g.left.Units < least.Units) {
			least = g.left
		}
	}
	if least != nil {
		by.updates.headers(c, *least)
	}
	return s.send(c, answer)
}

func decodeGroups(body []byte) (*[]postedGroup, *Problem) {
	return decode(body, func(b *groupsBody, f *fields) *[]postedGroup {
		switch {
		case b.Groups == nil:
			f.add(fieldRequired, "/groups", "is required")
		case len(b.Groups) == 0:
			f.add(fieldInvalid, "/groups", "must hold at least one group")
		}
		groups := make([]postedGroup, len(b.Groups))
		for i := range b.Groups {
			groups[i].groupRequest, groups[i].problem = b.Groups[i].request(new(fields))
		}
		return &groups
	})
}

// postGroup takes one group from its fields to durable; span is the request's, nil where that is not traced.
func (s *Server) postGroup(g *postedGroup, by *caller, span trace.Span) {
	g.cost = score.Cost{Units: 1} // of what cannot be read, or is about a project that is not the key's
	if g.problem == nil {
		g.cost, g.problem = s.charge(by, g.project, s.priceOf(g.unit()))
	}
	g.cost.At = time.Now()
	if by.updates.bounded() && s.deps.Limiter != nil {
		left := s.deps.Limiter.Take(s.life, by.updates.of, by.updates.quota, g.cost)
		g.left = &left
		if refused := by.updates.refusal(left); refused != nil {
			g.problem = refused
			return
		}
	}
	if g.problem != nil {
		return
	}
	if g.problem = s.verifyGroup(g.groupRequest); g.problem != nil {
		s.giveBack(&by.updates, g.cost)
		return
	}
	g.verified = true
	g.duplicates, g.problem = s.accept(g.groupRequest.verified(span), by)
}

// answerGroup notes what became of a group, and says it.
func (s *Server) answerGroup(c *fiber.Ctx, by *caller, g *postedGroup, i int) groupAnswer {
	if g.verified {
		s.done(c, by, g.cost, g.updates, len(g.duplicates), g.problem)
	}
	if p := g.problem; p != nil {
		s.metrics.updates.WithLabelValues(p.Code).Inc()
		return groupAnswer{Status: statusRefused, Problem: p.within("/groups/" + strconv.Itoa(i)), RetryAfter: p.retrySeconds()}
	}
	n := len(g.updates) - len(g.duplicates)
	return groupAnswer{Status: s.countAccepted(n, len(g.duplicates)), Accepted: n, Duplicates: g.duplicates, Waits: s.waitsFor(n, g.project)}
}
