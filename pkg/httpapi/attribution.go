package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/score"
)

// Bounds of what is told by key.
const (
	tellEvery = time.Second
	maxTold   = 1000 // lines of a second; beyond it what a key sends is told in one
	maxNamed  = 100  // names of keys in metrics; the others count together
	otherKeys = "other"
)

// attribution tells in the log which key had what accepted, so that it can be found out what a stolen key did. Creations are told one by
// one. Of updates a line for each would cost more than accepting them; so they are told together, those of a second that have a
// key, a project and a signer in common, with the first and the last id, and the requests of these: the stream says by its times and
// signers which they are.
type attribution struct {
	log *slog.Logger

	mu   sync.Mutex
	sent map[sender]*sent
}

// sender is whose updates are told together.
type sender struct {
	by      *caller
	project score.ProjectID
	signer  common.Address
}

// sent is how much a sender sent since it was told last.
type sent struct {
	accepted, duplicates, uncertain int
	first, last                     score.UpdateID
	firstRequest, lastRequest       string
}

func newAttribution(log *slog.Logger) *attribution {
	return &attribution{log: log, sent: map[sender]*sent{}}
}

// run tells what was sent until ctx ends, and then what is left.
func (a *attribution) run(ctx context.Context) {
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			a.tell()
		case <-ctx.Done():
			a.tell()
			return
		}
	}
}

// note counts a post of updates of one project and signer, by the id of its request.
func (a *attribution) note(by *caller, request string, updates []score.Update, accepted, duplicates, uncertain int) {
	of := sender{by, updates[0].Project, updates[0].Signer}
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.sent[of]
	if s == nil && len(a.sent) >= maxTold {
		of = sender{by: by}
		s = a.sent[of]
	}
	if s == nil {
		s = &sent{first: updates[0].ID, firstRequest: request}
		a.sent[of] = s
	}
	s.accepted += accepted
	s.duplicates += duplicates
	s.uncertain += uncertain
	s.last, s.lastRequest = updates[len(updates)-1].ID, request
}

// tell writes what was sent to the log.
func (a *attribution) tell() {
	a.mu.Lock()
	told := a.sent
	a.sent = make(map[sender]*sent, len(told))
	a.mu.Unlock()
	for of, s := range told {
		about := []any{"key", of.by.Key, "name", of.by.Name}
		if of.project != (score.ProjectID{}) {
			about = append(about, "project", of.project, "signer", of.signer)
		}
		a.log.Info("updates came by this key within a second", append(about,
			"accepted", s.accepted, "duplicates", s.duplicates, "uncertain", s.uncertain, "first", s.first, "firstRequest", s.firstRequest,
			"last", s.last, "lastRequest", s.lastRequest)...)
	}
}

// keyMetrics count by key, for the keys whose names came first.
type keyMetrics struct {
	updates, gas, requests *prometheus.CounterVec

	mu    sync.Mutex
	named map[string]bool
}

// counters are those of one key.
type counters struct {
	accepted, duplicates, gas          prometheus.Counter
	answered, limited, refused, failed prometheus.Counter
}

// of is the counters of the keys of a name.
func (m *keyMetrics) of(name string) *counters {
	name = strings.ToValidUTF8(name, "?")
	m.mu.Lock()
	if !m.named[name] {
		if len(m.named) < maxNamed {
			m.named[name] = true
		} else {
			name = otherKeys
		}
	}
	m.mu.Unlock()
	return &counters{
		accepted: m.updates.WithLabelValues(name, statusAccepted), duplicates: m.updates.WithLabelValues(name, statusDuplicate),
		gas:      m.gas.WithLabelValues(name),
		answered: m.requests.WithLabelValues(name, "answered"), limited: m.requests.WithLabelValues(name, "limited"),
		refused: m.requests.WithLabelValues(name, "refused"), failed: m.requests.WithLabelValues(name, "failed"),
	}
}

// request counts a request by its answer.
func (c *counters) request(p *Problem) {
	switch {
	case p == nil:
		c.answered.Inc()
	case p.Status == http.StatusTooManyRequests:
		c.limited.Inc()
	case p.Status < http.StatusInternalServerError:
		c.refused.Inc()
	default:
		c.failed.Inc()
	}
}

// done notes what became of a verified post: for the key's budget, its counters and the log.
func (s *Server) done(c *fiber.Ctx, by *caller, cost score.Cost, updates []score.Update, duplicates int, p *Problem) {
	accepted, uncertain := len(updates)-duplicates, 0
	if p != nil {
		accepted, duplicates = 0, 0
		if p.Code == codeNotDurable.Name || p.Code == codeInternal.Name { // of a group that panicked behind its publish
			uncertain = len(updates)
		}
	}
	if accepted+uncertain == 0 {
		s.giveBack(&by.updates, cost)
	}
	by.counts.accepted.Add(float64(accepted))
	by.counts.duplicates.Add(float64(duplicates))
	if accepted > 0 {
		by.counts.gas.Add(float64(cost.Gas))
	}
	if accepted+duplicates+uncertain > 0 {
		s.attribution.note(by, requestID(c), updates, accepted, duplicates, uncertain)
	}
}
