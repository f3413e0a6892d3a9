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

// maxGroups bounds the groups of one request. Otherwise a body could contain a group per three bytes, each with its
// own work and hundreds of bytes of response.
const maxGroups = 64

// maxGroupsAtOnce bounds a request's groups in progress. They fill an envelope several times, and leave places to
// other requests.
const maxGroupsAtOnce = 32

// The problem's code shows whether a refused group may be stored.
const statusRefused = "refused"

type groupsBody struct {
	Groups []groupBody `json:"groups"` // at most maxGroups
}

type postedGroup struct {
	*groupRequest // nil if unreadable

	cost       score.Cost
	left       *score.Left // the rest of the key's budget, if it was read
	verified   bool
	duplicates []score.UpdateID
	problem    *Problem
}

// groupAnswer is the result of one group. A refused group may be stored only if its code is not_durable, halted or
// internal.
type groupAnswer struct {
	Status     string           `json:"status"`
	Accepted   int              `json:"accepted"`
	Duplicates []score.UpdateID `json:"duplicates"` // in the order of the group
	// As of update-scores, but its pointers start at the top of this body.
	Problem *Problem `json:"problem,omitzero"`
	Waits   *waits   `json:"waits,omitempty"`
	// Seconds; absent if a retry would be refused again.
	RetryAfter int `json:"retryAfter,omitzero"`
}

type groupsAnswered struct {
	Groups []groupAnswer `json:"groups"` // in the order of the request
}

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

	// The groups are posted concurrently, so that they share envelopes.
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

func (s *Server) postGroup(g *postedGroup, by *caller, span trace.Span) {
	g.cost = score.Cost{Units: 1} // stays so if the group is unreadable, or about another key's project
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
