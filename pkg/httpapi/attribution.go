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

const (
	tellEvery = time.Second
	maxTold   = 1000 // lines per second; beyond it, a key's further updates share one line
	maxNamed  = 100  // key names in metrics; the others share otherKeys
	otherKeys = "other"
)

// attribution logs the accepted work of each key, so that an operator can trace a stolen key. A line per update would
// cost more than the accept. So the updates of a second with the same key, project and signer share a line, which has
// their first and last ids and requests.
type attribution struct {
	log *slog.Logger

	mu   sync.Mutex
	sent map[sender]*sent
}

type sender struct {
	by      *caller
	project score.ProjectID
	signer  common.Address
}

// sent counts a sender's updates since the last line.
type sent struct {
	accepted, duplicates, uncertain int
	first, last                     score.UpdateID
	firstRequest, lastRequest       string
}

func newAttribution(log *slog.Logger) *attribution {
	return &attribution{log: log, sent: map[sender]*sent{}}
}

// run logs every second; when ctx ends, it logs the rest.
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

// note counts a post's updates, of one project and signer; request is the post's id.
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

// keyMetrics count by key name, for the first maxNamed names.
type keyMetrics struct {
	updates, gas, requests *prometheus.CounterVec

	mu    sync.Mutex
	named map[string]bool
}

type counters struct {
	accepted, duplicates, gas          prometheus.Counter
	answered, limited, refused, failed prometheus.Counter
}

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

// done records the result of a verified post for its key: budget, counters and log.
func (s *Server) done(c *fiber.Ctx, by *caller, cost score.Cost, updates []score.Update, duplicates int, p *Problem) {
	accepted, uncertain := len(updates)-duplicates, 0
	if p != nil {
		accepted, duplicates = 0, 0
		// internal: a group may have panicked after its publish.
		if p.Code == codeNotDurable.Name || p.Code == codeInternal.Name {
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
