package httpapi_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// withTerms has the bench use another API key, made with these terms.
func (b *bench) withTerms(terms apikey.Terms) *bench {
	b.t.Helper()
	b.secret, _ = b.key("another", terms)
	return b
}

// left is what an answer says is left of a policy, and for how many seconds; -1 if it says nothing.
func left(t *testing.T, r response, policy string) (units, seconds int) {
	t.Helper()
	line := r.header.Get("RateLimit")
	match := regexp.MustCompile(`"` + policy + `";r=(\d+);t=(\d+)`).FindStringSubmatch(line)
	if match == nil {
		return -1, -1
	}
	units, err := strconv.Atoi(match[1])
	require.NoError(t, err)
	seconds, err = strconv.Atoi(match[2])
	require.NoError(t, err)
	return units, seconds
}

func retryAfter(t *testing.T, r response) int {
	t.Helper()
	seconds, err := strconv.Atoi(r.header.Get("Retry-After"))
	require.NoError(t, err, r)
	return seconds
}

// TestARateCountsUpdates: a signed group of 200 is 200, on whichever replica, and what may not pass takes nothing.
func TestARateCountsUpdates(t *testing.T) {
	a, b := replicas(t, func(*setup) {})
	b.secret = a.withTerms(apikey.Terms{Rate: 1}).secret
	b.knows(b.secret)

	r := a.post("/update-scores", a.group(score.KindWord, a.inWord("first", 200))).ok()
	require.Equal(t, `"updates";q=256;qu="updates";w=256`, r.header.Get("RateLimit-Policy"))
	units, seconds := left(t, r, "updates")
	require.InDelta(t, 56, units, 20)
	require.InDelta(t, 200, seconds, 20)

	r = b.post("/update-scores", b.group(score.KindWord, b.inWord("second", 150)))
	require.Equal(t, "rate_limited", r.code(), r)
	require.InDelta(t, 94, retryAfter(t, r), 20, "94 too many, at one a second")
	require.Equal(t, "at most 1 updates per second, 256 at once", r.body["detail"])
	units, _ = left(t, r, "updates")
	require.InDelta(t, 56, units, 20)

	r = b.post("/update-score", b.update("one")).ok()
	r = b.post("/update-score", []byte("{"))
	require.Equal(t, "malformed_json", r.code())
	after, _ := left(t, r, "updates")
	require.LessOrEqual(t, after, units+20)
	require.NotEqual(t, -1, after, "it counts as one")
	r = b.get("/projects/%s", b.project.ID).ok()
	require.Empty(t, r.header.Get("RateLimit-Policy"), "the key has no rate of look-ups")
}

// TestAKeyOverItsRateHasNoBodyRead: what this replica alone knows is enough.
func TestAKeyOverItsRateHasNoBodyRead(t *testing.T) {
	b := newBench(t, nil).withProject().withTerms(apikey.Terms{Rate: 1})
	b.post("/update-scores", b.group(score.KindWord, b.inWord("all", 256))).ok()
	r := b.until(limited, func() response { return b.post("/update-score", []byte("{")) })
	units, seconds := left(t, r, "updates")
	require.Zero(t, units)
	require.InDelta(t, 256, seconds, 10)
}

// TestABudgetOfGas is spent by what is stored, at worst, and by nothing else.
func TestABudgetOfGas(t *testing.T) {
	t.Parallel()
	fresh.Today()
	rules := registry.Osaka()
	one := int(rules.Unit(score.Unit{Updates: make([]score.Update, 1)}))
	b := startBench(t, nil)
	creation := int(rules.CreateProject(b.project))
	all := creation + 3*one
	b.withTerms(apikey.Terms{Gas: uint64(all)})
	gas := func(r response) int {
		t.Helper()
		require.Equal(t, fmt.Sprintf(`"gas";q=%d;qu="gas";w=86400`, all), r.header.Get("RateLimit-Policy"))
		units, seconds := left(t, r, "gas")
		require.LessOrEqual(t, seconds, 86_400)
		return units
	}
	r := b.post("/create-project", createBody(b.project))
	require.Equal(t, 3*one, gas(r), r)
	r = b.post("/update-score", b.update("one")).ok()
	require.Equal(t, 2*one, gas(r))
	r = b.post("/update-score", b.update("one"))
	require.Equal(t, "duplicate", r.body["status"], r)
	require.Equal(t, 2*one, gas(b.post("/update-score", []byte("{"))))
	stranger := *b
	stranger.owner = devnet.Key(5)
	require.Equal(t, "signer_not_member", stranger.post("/update-score", stranger.update("two")).code())
	r = b.post("/update-scores", b.group(score.KindFree, b.updates("a", "b", "c", "d")))
	require.Equal(t, "budget_spent", r.code(), r)
	require.Equal(t, 2*one, gas(r), "all or nothing")
	require.LessOrEqual(t, retryAfter(t, r), 3600)
	require.Equal(t, fmt.Sprintf("the key has %d gas a day, and %d left", all, 2*one), r.body["detail"])

	b.publisher.refuse(score.ErrFull)
	require.Equal(t, "stream_full", b.post("/update-score", b.update("two")).code())
	b.publisher.refuse(nil)
	for _, id := range []string{"two", "three"} {
		r = b.post("/update-score", b.update(id)).ok()
	}
	require.Zero(t, gas(r))
	require.Equal(t, "budget_spent", b.post("/update-score", b.update("four")).code())
	require.Equal(t, http.StatusOK, b.get("/projects/%s", b.project.ID).status, "look-ups cost no gas")

	b.withTerms(apikey.Terms{Gas: uint64(creation)})
	for range 2 {
		require.Equal(t, "project_exists", b.post("/create-project", createBody(b.project)).code(), "what is not stored is given back")
	}
}

// TestABudgetOfEther is spent at the price when a request comes, by what is stored; while there is no price nothing
// passes and nothing is spent.
func TestABudgetOfEther(t *testing.T) {
	t.Parallel()
	fresh.Today()
	rules := registry.Osaka()
	unit := score.Unit{Updates: make([]score.Update, 1)}
	gas := rules.Unit(unit)
	bytes := rules.Surcharged(1).Unit(unit) - gas
	require.Greater(t, bytes, uint64(50))
	require.Less(t, bytes, uint64(200))
	var perGas, perByte, asked atomic.Uint64
	b := startBench(t, deps(func(d *httpapi.Deps) {
		d.Gwei = func(gas, bytes uint64) (uint64, bool) {
			asked.Add(1)
			return gas*perGas.Load() + bytes*perByte.Load(), perGas.Load() > 0
		}
	})).withProject()
	b.post("/update-score", b.update("free")).ok()
	require.Zero(t, asked.Load(), "no price is asked for keys without such a budget")

	budget := 10 * gas
	b.withTerms(apikey.Terms{Rate: 1000, Ether: score.Gwei(budget)})
	for _, r := range []response{
		b.post("/update-score", b.update("one")), b.post("/update-scores", b.group(score.KindWord, b.inWord("one", 2))),
	} {
		require.Equal(t, "chain_unavailable", r.code(), r)
		require.Positive(t, retryAfter(t, r))
	}
	require.Equal(t, http.StatusOK, b.reserve(1).status, "what takes no gas needs no price")

	perGas.Store(2)
	perByte.Store(3)
	r := b.post("/update-score", b.update("one")).ok()
	rest := int(budget - 2*gas - 3*bytes)
	units, seconds := left(t, r, "ether")
	require.Equal(t, rest, units)
	require.LessOrEqual(t, seconds, 86_400)
	require.Contains(t, r.header.Get("RateLimit-Policy"), fmt.Sprintf(`, "ether";q=%d;qu="gwei";w=86400`, budget))
	require.Equal(t, "duplicate", b.post("/update-score", b.update("one")).body["status"])
	units, _ = left(t, b.post("/update-score", []byte("{")), "ether")
	require.Equal(t, rest, units, "what is not stored is given back")

	perGas.Store(9) // dearer than what is left
	r = b.post("/update-score", b.update("two"))
	require.Equal(t, "budget_spent", r.code(), r)
	require.LessOrEqual(t, retryAfter(t, r), 3600)
	require.Equal(t, fmt.Sprintf("the key has %s ether a day, and %s left", score.Gwei(budget), score.Gwei(rest)),
		r.body["detail"])
	units, _ = left(t, r, "ether")
	require.Equal(t, rest, units)
	r = b.post("/update-groups", object{"groups": []any{b.group(score.KindWord, b.inWord("two", 1))}}).ok()
	require.Contains(t, fmt.Sprint(r.body["groups"]), "budget_spent")

	perGas.Store(1)
	r = b.post("/update-score", b.update("two")).ok()
	units, _ = left(t, r, "ether")
	require.Equal(t, rest-int(gas+3*bytes), units)
}

// TestLookUpsHaveARateOfTheirOwn.
func TestLookUpsHaveARateOfTheirOwn(t *testing.T) {
	b := newBench(t, nil).withProject().withTerms(apikey.Terms{LookUps: 1, Rate: 100})
	r := b.get("/projects/%s", b.project.ID).ok()
	require.Equal(t, `"look-ups";q=1;qu="look-ups";w=1`, r.header.Get("RateLimit-Policy"))
	require.Equal(t, `"look-ups";r=0;t=1`, r.header.Get("RateLimit"))
	require.Equal(t, "rate_limited", b.untilRefused().code())
	r = b.post("/update-score", b.update("one")).ok()
	require.Regexp(t, `^"updates";q=300;qu="updates";w=3$`, r.header.Get("RateLimit-Policy"))
}

func TestAKeyWithoutBudgetsIsToldNone(t *testing.T) {
	b := newBench(t, nil).withProject()
	for _, r := range []response{b.post("/update-score", b.update("one")), b.get("/projects/%s", b.project.ID)} {
		require.Empty(t, r.ok().header.Get("RateLimit-Policy"))
		require.Empty(t, r.header.Get("RateLimit"))
	}
}

// TestRights: a key does what it has the right to, and nothing else.
func TestRights(t *testing.T) {
	b := newBench(t, nil).withProject()
	another := newProject("another")
	acts := map[string]func() response{
		"create": func() response { return b.post("/create-project", createBody(another)) },
		"update": func() response { return b.post("/update-score", b.update("one")) },
		"read":   func() response { return b.get("/projects/%s", b.project.ID) },
	}
	also := map[string]func() response{
		"update": func() response { return b.reserve(1) },
		"read":   func() response { return b.get("/projects/%s/scores/%s", b.project.ID, devnet.Address(9)) },
	}
	for _, right := range apikey.Rights() {
		b.withTerms(apikey.Terms{Rights: []string{right}})
		for act, do := range acts {
			r := do()
			if act == right {
				r.ok()
				if more := also[act]; more != nil {
					more().ok()
				}
				continue
			}
			require.Equal(t, "key_lacks_right", r.code())
			require.Contains(t, r.body["detail"], map[string]string{"create": "create projects", "update": "send updates", "read": "look up"}[act])
		}
	}
}
