package batch_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/score"
)

// horizonModel plays a lane: what waits, in the order it came, and what was bound.
type horizonModel struct {
	*rapid.T
	horizon *batch.Horizon
	model   batch.Model
	limits  batch.Limits
	bounds  batch.HorizonLimits

	now     time.Time
	seq     uint64
	waiting []batch.Waiting
	offered []score.Position // positions, if there is an offer
}

func newHorizonModel(t *rapid.T) *horizonModel {
	m := &horizonModel{
		T: t, now: time.Unix(1_000_000, 0), model: model,
		limits: batch.Limits{
			MaxUpdates: rapid.IntRange(1, 40).Draw(t, "max updates"), MaxGas: rapid.Uint64Range(100_000, 2_000_000).Draw(t, "max gas"),
			MaxBytes: rapid.IntRange(700, 3_000).Draw(t, "max bytes"), Linger: time.Second,
		},
		bounds: batch.HorizonLimits{Updates: rapid.IntRange(1, 100).Draw(t, "horizon"), Lateness: 10 * time.Second},
	}
	var err error
	m.horizon, err = batch.NewHorizon(model, m.limits, m.bounds)
	require.NoError(t, err)
	return m
}

// add adds a message of a few units.
func (m *horizonModel) add() {
	m.seq++
	at := score.Position{Seq: m.seq}
	for range rapid.IntRange(1, 8).Draw(m.T, "units") {
		w := batch.Waiting{Unit: drawUnit(m.T), At: at, Came: m.now}
		m.waiting = append(m.waiting, w)
		m.horizon.Add(w)
		at.Index += uint32(len(w.Unit.Updates))
	}
}

func (m *horizonModel) updates() (n int) {
	for _, w := range m.waiting {
		n += len(w.Unit.Updates)
	}
	return n
}

// next asks for a choice and checks all that is promised of it.
func (m *horizonModel) next() (choice batch.Choice, ok bool) {
	fresh := m.offered == nil
	choice, ok = m.horizon.Next(m.now)
	if !ok {
		require.Nil(m, m.offered, "what is offered is offered again")
		if len(m.waiting) > 0 {
			require.Less(m, m.updates(), m.limits.MaxUpdates)
			require.True(m, m.now.Before(m.waiting[0].Came.Add(m.limits.Linger)), "waits too long")
		}
		return choice, false
	}
	byPosition := map[score.Position]int{}
	for i, w := range m.waiting {
		byPosition[w.At] = i
	}
	chosen := map[int]bool{}
	var updates []score.Update
	for _, w := range choice.Units {
		i, found := byPosition[w.At]
		require.True(m, found && !chosen[i], "it waits, and is chosen once")
		require.Equal(m, m.waiting[i], w)
		chosen[i] = true
		updates = append(updates, w.Unit.Updates...)
	}
	for _, at := range m.offered {
		require.True(m, chosen[byPosition[at]], "what was offered remains")
	}
	require.True(m, slices.IsSortedFunc(choice.Units, func(a, b batch.Waiting) int { return a.At.Compare(b.At) }))
	m.checkBatch(&choice, updates)
	m.checkOrder(&choice, chosen, fresh)
	m.offered = []score.Position{}
	for _, w := range choice.Units {
		m.offered = append(m.offered, w.At)
	}
	return choice, true
}

// checkBatch: the batch is the units, and within the limits.
func (m *horizonModel) checkBatch(choice *batch.Choice, updates []score.Update) {
	require.ElementsMatch(m, updates, choice.Batch.Updates())
	require.Equal(m, len(choice.Units), choice.Batch.Units(), "signed groups are whole")
	checkGroups(m.T, choice.Batch)
	require.Equal(m, m.model.Gas(choice.Batch), choice.Gas)
	if len(choice.Units) > 1 || choice.Units[0].Unit.Signature == nil {
		require.LessOrEqual(m, choice.Batch.Len(), m.limits.MaxUpdates)
		require.LessOrEqual(m, choice.Gas, m.limits.MaxGas)
		require.LessOrEqual(m, model.Bytes(choice.Batch), m.limits.MaxBytes)
	}
}

// checkOrder: first come is first bound of an id, what is late is next, and the lowest of the rest is told.
func (m *horizonModel) checkOrder(choice *batch.Choice, chosen map[int]bool, fresh bool) {
	holder := map[idKey]int{}
	late := -1
	for i, w := range m.waiting {
		eligible := true
		for _, u := range w.Unit.Updates {
			if j, found := holder[idKey{u.Project, u.ID}]; found && j != i {
				eligible = false
			}
		}
		for _, u := range w.Unit.Updates {
			holder[idKey{u.Project, u.ID}] = i
		}
		require.True(m, eligible || !chosen[i], "an earlier one of its ids is not bound")
		require.True(m, !eligible || chosen[i] || choice.Why == batch.Filled, "nothing is left without a reason")
		if eligible && late < 0 && m.now.Sub(w.Came) > m.bounds.Lateness {
			late = i
		}
	}
	require.True(m, late < 0 || chosen[late] || !fresh, "what is late longest is next")
}

// bind commits the offer.
func (m *horizonModel) bind() {
	m.horizon.Bound()
	m.waiting = slices.DeleteFunc(m.waiting, func(w batch.Waiting) bool { return slices.Contains(m.offered, w.At) })
	m.offered = nil
}

func (m *horizonModel) trim() {
	project := score.ProjectID{small(m.T, "project", 3)}
	keep, kept := rapid.IntRange(0, 12).Draw(m.T, "keep"), 0
	var want []batch.Waiting
	m.waiting = slices.DeleteFunc(m.waiting, func(w batch.Waiting) bool {
		if w.Unit.Updates[0].Project != project {
			return false
		}
		if kept < keep {
			kept += len(w.Unit.Updates)
			return false
		}
		want = append(want, w)
		return true
	})
	require.Equal(m, want, m.horizon.Trim(project, keep))
	if slices.ContainsFunc(want, func(w batch.Waiting) bool { return slices.Contains(m.offered, w.At) }) {
		m.offered = nil
	}
}

// reprice changes what slots cost, or the bound of gas, or neither.
func (m *horizonModel) reprice() {
	changed := m.model
	if rapid.Bool().Draw(m.T, "dearer") {
		changed.Fresh = model.Fresh * 5
	}
	limit := rapid.Uint64Range(1, 2_000_000).Draw(m.T, "gas")
	m.horizon.Reprice(changed, limit)
	limit = max(limit, changed.Gas(batch.Single(score.Update{Action: 255})))
	if changed != m.model || limit != m.limits.MaxGas {
		m.model, m.limits.MaxGas, m.offered = changed, limit, nil
	}
}

func (m *horizonModel) check() {
	require.Equal(m, m.updates(), m.horizon.Len())
	require.Equal(m, max(0, m.bounds.Updates-m.updates()), m.horizon.Room())
	by := map[score.ProjectID]int{}
	for _, w := range m.waiting {
		by[w.Unit.Updates[0].Project] += len(w.Unit.Updates)
	}
	told := map[score.ProjectID]int{}
	for id, n := range m.horizon.Projects() {
		told[id] = n
		require.Equal(m, n, m.horizon.Of(id))
	}
	require.Equal(m, by, told)
}

// TestHorizonLosesAndDoublesNothing plays lanes that add, bind, wait, park and change their bound of gas in any order.
func TestHorizonLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := newHorizonModel(t)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0, 1, 2, 3:
				m.add()
			case 4, 5, 6:
				if _, ok := m.next(); ok && rapid.IntRange(0, 3).Draw(t, "bind") > 0 {
					m.bind()
				}
			case 7:
				m.now = m.now.Add(time.Duration(rapid.IntRange(0, 12_000).Draw(t, "ms")) * time.Millisecond)
			case 8:
				m.trim()
			case 9:
				m.reprice()
			}
			m.check()
		}
		for len(m.waiting) > 0 {
			m.now = m.now.Add(m.limits.Linger)
			choice, ok := m.next()
			require.True(t, ok, "nothing waits longer than the linger")
			require.NotEmpty(t, choice.Units)
			m.bind()
			m.check()
		}
		_, ok := m.horizon.Due()
		require.False(t, ok)
	})
}

// stream makes consecutive updates of a project for wallets at random.
type stream struct {
	project score.ProjectID
	wallets int
	minted  int
	rng     *rand.Rand
}

func (s *stream) next() score.Update {
	u := score.Update{Project: s.project, Signer: common.Address{1}, ID: score.UpdateID{29: byte(s.minted >> 16), 30: byte(s.minted >> 8), 31: byte(s.minted)}}
	n := s.rng.IntN(s.wallets)
	u.Target = common.Address{byte(n), byte(n >> 8), byte(n >> 16)}
	s.minted++
	return u
}

// TestALightProjectNeverWaitsForAFlood: its update is in the batch that is chosen next or the one after, however many
// projects have more waiting than fits, after any turns, and if all of that is late.
func TestALightProjectNeverWaitsForAFlood(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limits := batch.Limits{MaxUpdates: 160, MaxGas: 1 << 40, MaxBytes: 1 << 30, Linger: time.Second}
		h, err := batch.NewHorizon(model, limits, batch.DefaultHorizon())
		require.NoError(t, err)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		floods := make([]*stream, rapid.IntRange(1, 8).Draw(t, "floods"))
		for i := range floods {
			floods[i] = &stream{project: score.ProjectID{byte(1 + i)}, wallets: 50, rng: rng}
		}
		light := &stream{project: score.ProjectID{200}, wallets: 5, rng: rng}
		now, seq := time.Unix(1_000_000, 0), uint64(0)
		add := func(s *stream) {
			seq++
			h.Add(batch.Waiting{Unit: score.Unit{Updates: []score.Update{s.next()}}, At: score.Position{Seq: seq}, Came: now})
		}
		slow := rapid.Bool().Draw(t, "slow")
		waits := 0
		for range 25 {
			for _, s := range floods {
				for h.Of(s.project) < 250 {
					add(s)
				}
			}
			if h.Of(light.project) == 0 && rapid.Bool().Draw(t, "light") {
				add(light)
			}
			if slow {
				now = now.Add(20 * time.Second)
			}
			if h.Of(light.project) > 0 {
				waits++
			}
			_, ok := h.Next(now)
			require.True(t, ok)
			h.Bound()
			if h.Of(light.project) == 0 {
				waits = 0
			}
			require.Less(t, waits, 2)
		}
	})
}

// TestProjectsShareByTurns: of projects that always have more waiting than fits, each has as many updates bound as any other,
// but for two transactions; so has one that comes later, from then on.
func TestProjectsShareByTurns(t *testing.T) {
	t.Parallel()
	limits := batch.Limits{MaxUpdates: 100, MaxGas: 1 << 40, MaxBytes: 1 << 30}
	h, err := batch.NewHorizon(model, limits, batch.DefaultHorizon())
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 1))
	var streams []*stream
	bound := map[score.ProjectID]int{}
	seq := uint64(0)
	now := time.Unix(1_000_000, 0)
	for i := range 400 {
		if i%100 == 0 {
			streams = append(streams, &stream{project: score.ProjectID{byte(i/100 + 1)}, wallets: 30, rng: rng})
			clear(bound)
		}
		for j, s := range streams {
			for h.Of(s.project) < 150*(j+1) {
				seq++
				h.Add(batch.Waiting{Unit: score.Unit{Updates: []score.Update{s.next()}}, At: score.Position{Seq: seq}, Came: now})
			}
		}
		choice, ok := h.Next(now)
		require.True(t, ok)
		for _, u := range choice.Units {
			bound[u.Unit.Updates[0].Project] += len(u.Unit.Updates)
		}
		h.Bound()
		least, most := 1<<30, 0
		for _, s := range streams {
			least, most = min(least, bound[s.project]), max(most, bound[s.project])
		}
		require.LessOrEqual(t, most-least, 3*limits.MaxUpdates, "%d", i)
	}
}

// TestAProjectThatWaitsAgainGainsNoTurn: one that is empty after each of its turns has no more of them than one that always waits.
func TestAProjectThatWaitsAgainGainsNoTurn(t *testing.T) {
	t.Parallel()
	limits := batch.Limits{MaxUpdates: 100, MaxGas: 1 << 40, MaxBytes: 1 << 30}
	h, err := batch.NewHorizon(model, limits, batch.DefaultHorizon())
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 1))
	again := &stream{project: score.ProjectID{1}, wallets: 30, rng: rng} // its id is the lower, so that it is first where they are equal
	always := &stream{project: score.ProjectID{2}, wallets: 30, rng: rng}
	now, seq := time.Unix(1_000_000, 0), uint64(0)
	bound := map[score.ProjectID]int{}
	for range 20 {
		for i, s := range []*stream{again, always} {
			for h.Of(s.project) < 100+200*i {
				seq++
				h.Add(batch.Waiting{Unit: score.Unit{Updates: []score.Update{s.next()}}, At: score.Position{Seq: seq}, Came: now})
			}
		}
		choice, ok := h.Next(now)
		require.True(t, ok)
		for _, u := range choice.Units {
			bound[u.Unit.Updates[0].Project] += len(u.Unit.Updates)
		}
		h.Bound()
	}
	require.InDelta(t, bound[again.project], bound[always.project], 200)
}

// TestWalletsHitOftenGoTogether: what a wallet has waiting goes in one transaction, the wallet with most first.
func TestWalletsHitOftenGoTogether(t *testing.T) {
	t.Parallel()
	limits := batch.Limits{MaxUpdates: 5, MaxGas: 1 << 40, MaxBytes: 1 << 30}
	h, err := batch.NewHorizon(model, limits, batch.DefaultHorizon())
	require.NoError(t, err)
	for i, wallet := range "abcadbeacb" {
		u := score.Update{ID: score.UpdateID{31: byte(i)}, Target: common.Address{byte(wallet)}}
		h.Add(batch.Waiting{Unit: score.Unit{Updates: []score.Update{u}}, At: score.Position{Seq: uint64(i + 1)}, Came: time.Unix(0, 0)})
	}
	var got []string
	for h.Len() > 0 {
		choice, ok := h.Next(time.Unix(0, 0))
		require.True(t, ok)
		targets := ""
		for _, u := range choice.Units {
			targets += string(u.Unit.Updates[0].Target[:1])
		}
		got = append(got, fmt.Sprintf("%s %s", targets, choice.Why))
		h.Bound()
	}
	require.Equal(t, []string{"ababa full", "cdecb full"}, got)
}

// TestHorizonKeepsNoMessages: a unit that waits long does not keep its message's memory.
func TestHorizonKeepsNoMessages(t *testing.T) {
	t.Parallel()
	h, err := batch.NewHorizon(model, batch.DefaultLimits(), batch.DefaultHorizon())
	require.NoError(t, err)
	updates := workload(2, 2, 2, 1)
	group := score.Unit{Updates: workload(2, 2, 2, 2), Kind: score.KindWord, Signature: new(score.GroupSignature)}
	h.Add(batch.Waiting{Unit: score.Unit{Updates: updates[:1:1]}, At: score.Position{Seq: 1}, Came: time.Unix(0, 0)})
	h.Add(batch.Waiting{Unit: group, At: score.Position{Seq: 2}, Came: time.Unix(0, 0)})
	want := slices.Concat(updates[:1], group.Updates)
	want = slices.Clone(want)
	updates[0], group.Updates[0] = score.Update{}, score.Update{}
	choice, ok := h.Next(time.Unix(3600, 0))
	require.True(t, ok)
	require.ElementsMatch(t, want, choice.Batch.Updates())
}

func TestHorizonLimits(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*batch.Limits, *batch.HorizonLimits){
		"batch":    func(l *batch.Limits, _ *batch.HorizonLimits) { l.MaxUpdates = 0 },
		"updates":  func(_ *batch.Limits, h *batch.HorizonLimits) { h.Updates = 0 },
		"lateness": func(_ *batch.Limits, h *batch.HorizonLimits) { h.Lateness = -1 },
	} {
		limits, horizon := batch.DefaultLimits(), batch.DefaultHorizon()
		spoil(&limits, &horizon)
		_, err := batch.NewHorizon(model, limits, horizon)
		require.ErrorIs(t, err, batch.ErrLimits, name)
	}
}

// BenchmarkHorizon binds from a full horizon: ns for each update, and bytes of memory while it waits.
func BenchmarkHorizon(b *testing.B) {
	for name, projects := range map[string]int{"one project": 1, "25 projects": 25} {
		b.Run(name, func(b *testing.B) {
			h, err := batch.NewHorizon(model, batch.DefaultLimits(), batch.DefaultHorizon())
			require.NoError(b, err)
			rng := rand.New(rand.NewPCG(1, 1))
			streams := make([]*stream, projects)
			for i := range streams {
				streams[i] = &stream{project: score.ProjectID{byte(i)}, wallets: 5_000 / projects, rng: rng}
			}
			now, seq, bound := time.Unix(1_000_000, 0), uint64(0), 0
			fill := func() {
				for h.Room() > 0 {
					seq++
					u := []score.Update{streams[rng.IntN(projects)].next()}
					h.Add(batch.Waiting{Unit: score.Unit{Updates: u}, At: score.Position{Seq: seq}, Came: now})
				}
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			fill()
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ResetTimer()
			for range b.N {
				choice, _ := h.Next(now)
				bound += choice.Batch.Len()
				h.Bound()
				fill()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(bound), "ns/update")
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(h.Len()), "B/update")
		})
	}
}
