package httpapi

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/scorelay/scorelay/pkg/score"
)

const (
	headerPolicy = "RateLimit-Policy" // draft-ietf-httpapi-ratelimit-headers
	headerLeft   = "RateLimit"

	secondsPerDay = 24 * 60 * 60
)

// maxBudgetWait limits the Retry-After of a spent budget, since an operator may raise the budget before the day ends.
const maxBudgetWait = time.Hour

// caller is an API key on this replica: its grant, and values derived from it once for all requests.
type caller struct {
	*score.Grant
	updates, lookUps allowance
	creations        allowance // gas for creations and edits, charged in addition to updates
	counts           *counters
	reading          *atomic.Int64 // look-ups in progress
}

type allowance struct {
	quota  score.Quota
	of     string
	unit   string // for people
	gasFor string // for people: the gas's purpose, unless it is for all work
	name   string // of the rate's policy
	policy string // the header; empty if unlimited
}

func (a *allowance) bounded() bool { return a.policy != "" }

func (by *caller) covers(project score.ProjectID) *Problem {
	if by.Covers(project) {
		return nil
	}
	return fieldProblem(codeKeysProjects, "/projectId", "is none of the API key's projects")
}

// callers holds one caller per used key.
type callers struct {
	config  *Config
	metrics *keyMetrics
	mu      sync.RWMutex
	byKey   map[string]*caller
}

func (c *callers) of(grant *score.Grant) *caller {
	c.mu.RLock()
	by := c.byKey[grant.Key]
	c.mu.RUnlock()
	if by != nil && by.Grant == grant {
		return by
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	reading := new(atomic.Int64)
	if before := c.byKey[grant.Key]; before != nil {
		reading = before.reading // shared with requests that began under the key's earlier terms
	}
	by = c.config.caller(grant, c.metrics.of(grant.Name))
	by.reading = reading
	c.byKey[grant.Key] = by
	return by
}

func (c *Config) caller(grant *score.Grant, counts *counters) *caller {
	updates := score.QuotaOf(cmp.Or(grant.Budget.Updates, c.RatePerSecond), score.MaxSigned)
	updates.Gas, updates.Gwei = cmp.Or(grant.Budget.Gas, c.GasPerDay), grant.Budget.Gwei
	creations := newAllowance(score.Quota{Gas: grant.Budget.Creates}, grant.Key+"/creations", "")
	creations.gasFor = " for creations and edits"
	return &caller{
		Grant: grant, counts: counts, creations: creations,
		updates: newAllowance(updates, grant.Key, "updates"),
		lookUps: newAllowance(score.QuotaOf(cmp.Or(grant.Budget.LookUps, c.LookUpsPerSecond), 1), grant.Key+"/look-ups", "look-ups"),
	}
}

func newAllowance(q score.Quota, of, unit string) allowance {
	a := allowance{quota: q, of: of, unit: unit, name: `"` + unit + `"`}
	if q.PerSecond > 0 {
		a.policy = fmt.Sprintf(`%s;q=%d;qu=%s;w=%d`, a.name, q.Burst, a.name, q.Seconds())
	}
	if q.Gas > 0 {
		a.policy += fmt.Sprintf(`, "gas";q=%d;qu="gas";w=%d`, q.Gas, secondsPerDay)
	}
	if q.Gwei > 0 {
		a.policy += fmt.Sprintf(`, "ether";q=%d;qu="gwei";w=%d`, q.Gwei, secondsPerDay)
	}
	a.policy = strings.TrimPrefix(a.policy, ", ")
	return a
}

// over returns the wait of a key over its rate on this replica, else zero. It needs no cost, so it is called before
// the body is read.
func (s *Server) over(a *allowance) score.Left {
	if a.quota.PerSecond == 0 || s.deps.Limiter == nil {
		return score.Left{}
	}
	wait := s.deps.Limiter.Over(a.of, a.quota)
	return score.Left{Wait: wait, Full: wait + time.Duration(a.quota.Seconds())*time.Second}
}

func (s *Server) spend(c *fiber.Ctx, a *allowance, cost score.Cost) *Problem {
	if !a.bounded() || s.deps.Limiter == nil {
		return nil
	}
	return a.tell(c, s.deps.Limiter.Take(s.life, a.of, a.quota, cost))
}

// tell sets the headers and returns the refusal; nil if the request may pass.
func (a *allowance) tell(c *fiber.Ctx, left score.Left) *Problem {
	a.headers(c, left)
	return a.refusal(left)
}

func (a *allowance) headers(c *fiber.Ctx, left score.Left) {
	c.Response().Header.Set(headerPolicy, a.policy)
	line := make([]byte, 0, 96)
	if a.quota.PerSecond > 0 {
		line = append(line, a.name...)
		line = append(line, ";r="...)
		line = strconv.AppendInt(line, int64(left.Units), 10)
		line = append(line, ";t="...)
		line = strconv.AppendInt(line, int64(math.Ceil(left.Full.Seconds())), 10)
	}
	daily := func(name string, left uint64) {
		if len(line) > 0 {
			line = append(line, ", "...)
		}
		line = append(line, name...)
		line = append(line, ";r="...)
		line = strconv.AppendUint(line, left, 10)
		line = append(line, ";t="...)
		line = strconv.AppendInt(line, secondsPerDay-time.Now().Unix()%secondsPerDay, 10)
	}
	// If a request is over its rate, its budget may be unread, so the header omits it.
	if a.quota.Gas > 0 && (left.Wait == 0 || left.NoGas || left.NoGwei) {
		daily(`"gas"`, left.Gas)
	}
	if a.quota.Gwei > 0 && (left.Wait == 0 || left.NoGwei) {
		daily(`"ether"`, left.Gwei)
	}
	if len(line) > 0 {
		c.Response().Header.SetBytesV(headerLeft, line)
	}
}

// refusal returns nil if the request may pass.
func (a *allowance) refusal(left score.Left) *Problem {
	switch {
	case left.Wait == 0:
		return nil
	case left.NoGas:
		return temporary(codeBudgetSpent, min(left.Wait, maxBudgetWait), fmt.Sprintf("the key has %d gas a day%s, and %d left", a.quota.Gas, a.gasFor, left.Gas))
	case left.NoGwei:
		return temporary(codeBudgetSpent, min(left.Wait, maxBudgetWait),
			fmt.Sprintf("the key has %s ether a day, and %s left", score.Gwei(a.quota.Gwei), score.Gwei(left.Gwei)))
	default:
		return temporary(codeRateLimited, left.Wait, fmt.Sprintf("at most %d %s per second, %d at once", a.quota.PerSecond, a.unit, a.quota.Burst))
	}
}

// counted decodes a post's body and charges its cost, which it returns, to the key. An undecodable body, or one about
// another key's project, costs one update.
func counted[T any](
	s *Server, c *fiber.Ctx, by *caller, decode func([]byte) (*T, *Problem), price func(*T) (score.ProjectID, score.Cost),
) (*T, score.Cost, *Problem) {
	if left := s.over(&by.updates); left.Wait > 0 {
		return nil, score.Cost{}, by.updates.tell(c, left)
	}
	r, p := request(c, decode)
	cost := score.Cost{Units: 1}
	if p == nil {
		project, full := price(r)
		cost, p = s.charge(by, project, full)
	}
	cost.At = time.Now()
	if refused := s.spend(c, &by.updates, cost); refused != nil {
		return nil, cost, refused
	}
	return r, cost, p
}

// charge returns the cost to charge for work; with the price in gwei, if the key has a budget of ether. It refuses
// such a key while the price is unknown, and work for another key's project; these cost one update.
func (s *Server) charge(by *caller, project score.ProjectID, cost score.Cost) (score.Cost, *Problem) {
	if p := by.covers(project); p != nil {
		return score.Cost{Units: 1}, p
	}
	if by.updates.quota.Gwei > 0 && cost.Gas > 0 {
		var known bool
		if cost.Gwei, known = s.deps.Gwei(cost.Gas, cost.Bytes); !known {
			return score.Cost{Units: 1}, temporary(codeChainUnavailable, retryAfterFailure, "no price of gas is known yet, and the key has a budget of ether")
		}
	}
	return cost, nil
}

// giveBack refunds the gas and gwei of a post that certainly stored nothing.
func (s *Server) giveBack(a *allowance, cost score.Cost) {
	if a.quota.Gas == 0 {
		cost.Gas = 0
	}
	if a.quota.Gwei == 0 {
		cost.Gwei = 0
	}
	if s.deps.Limiter != nil {
		s.deps.Limiter.Return(a.of, cost)
	}
}

// spendCreation charges a creation or an edit to the gas budget for these, in addition to the charge of counted. If
// too little of that budget is left, it refunds the charge of counted.
func (s *Server) spendCreation(by *caller, cost score.Cost) *Problem {
	if !by.creations.bounded() || s.deps.Limiter == nil {
		return nil
	}
	p := by.creations.refusal(s.deps.Limiter.Take(s.life, by.creations.of, by.creations.quota, score.Cost{Gas: cost.Gas}))
	if p != nil {
		p.Detail += fmt.Sprintf("; this one takes %d", cost.Gas)
		s.giveBack(&by.updates, cost)
	}
	return p
}

func (s *Server) giveCreationBack(by *caller, cost score.Cost) {
	s.giveBack(&by.updates, cost)
	s.giveBack(&by.creations, cost)
}

func (s *Server) priceOf(u score.Unit) score.Cost {
	return s.price(len(u.Updates), func(g Gas) uint64 { return g.Unit(u) })
}

func (s *Server) priceOfEdit(e *score.SignedEdit) score.Cost {
	return s.price(1, func(g Gas) uint64 { return g.Edit(e) })
}

func (s *Server) priceOfCreation(p *score.Project) score.Cost {
	return s.price(1, func(g Gas) uint64 { return g.CreateProject(p) })
}

func (s *Server) price(units int, of func(Gas) uint64) score.Cost {
	if s.deps.Gas == nil {
		return score.Cost{Units: units}
	}
	gas := of(s.deps.Gas)
	return score.Cost{Units: units, Gas: gas, Bytes: of(s.deps.Surcharge) - gas}
}
