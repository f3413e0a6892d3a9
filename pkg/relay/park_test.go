package relay

import (
	"maps"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// intakeModel plays a session's intake: two readings of a log, binding, parking and kills, in any order.
type intakeModel struct {
	*rapid.T
	config Config
	log    []score.Message
	state  *lane.State
	in     *intake
	second uint64                              // sequence that the second reading is at
	bound  map[score.Position]bool             // by an entry
	newest map[score.UpdateID][]score.Position // of an id, bound
	now    time.Time
	parks  int
	paused map[score.ProjectID]bool // by an operator
}

// drawLog makes messages of which many have more updates than the horizon has room for, with ids that come twice.
func drawLog(t *rapid.T) (log []score.Message) {
	for seq := range uint64(rapid.IntRange(1, 25).Draw(t, "messages")) {
		m := score.Message{Seq: 10 + seq}
		project := score.ProjectID{1 + rapid.Byte().Draw(t, "project")%4}
		if rapid.IntRange(0, 9).Draw(t, "creation") == 0 {
			m.Project = &score.Project{ID: project}
			log = append(log, m)
			continue
		}
		if rapid.IntRange(0, 5).Draw(t, "edit") == 0 {
			m.Edit = &score.SignedEdit{ProjectEdit: score.ProjectEdit{Project: project}}
			log = append(log, m)
			continue
		}
		for range rapid.IntRange(1, 6).Draw(t, "units") {
			n := 1
			if rapid.IntRange(0, 4).Draw(t, "signed") == 0 {
				n = rapid.IntRange(1, 6).Draw(t, "size")
				m.Signed = append(m.Signed, score.Signed{First: len(m.Updates), Count: n, Kind: score.KindFree})
			}
			if rapid.IntRange(0, 5).Draw(t, "mixed") == 0 {
				project = score.ProjectID{1 + rapid.Byte().Draw(t, "another")%4}
			}
			for range n {
				id := score.UpdateID{project[0], byte(len(log)), byte(len(m.Updates))}
				if n == 1 && rapid.IntRange(0, 5).Draw(t, "again") == 0 {
					id = score.UpdateID{project[0], 0xff}
				}
				m.Updates = append(m.Updates, score.Update{Project: project, ID: id})
			}
		}
		log = append(log, m)
	}
	return log
}

func newIntakeModel(t *rapid.T) *intakeModel {
	m := &intakeModel{
		T: t, log: drawLog(t), state: allBuckets(t), bound: map[score.Position]bool{}, newest: map[score.UpdateID][]score.Position{},
		now: time.Unix(1_000_000, 0),
	}
	m.config = Config{
		Horizon: batch.HorizonLimits{Updates: rapid.IntRange(1, 30).Draw(t, "ahead"), Lateness: time.Minute},
		Limits:  batch.Limits{MaxUpdates: rapid.IntRange(1, 10).Draw(t, "most"), MaxGas: 1 << 24, MaxBytes: 128 << 10},
		Now:     func() time.Time { return m.now },
	}
	m.open()
	return m
}

// open begins a session.
func (m *intakeModel) open() {
	m.in = begun(m.T, m.config, m.state)
	m.in.paused = m.paused
	m.in.share()
}

// pause has an operator pause a project, or resume it.
func (m *intakeModel) pause() {
	project := score.ProjectID{1 + rapid.Byte().Draw(m.T, "paused")%4}
	m.paused = maps.Clone(m.paused)
	if m.paused[project] {
		delete(m.paused, project)
	} else if m.paused == nil {
		m.paused = map[score.ProjectID]bool{project: true}
	} else {
		m.paused[project] = true
	}
}

// hold is session.hold, which is called before anything is bound.
func (m *intakeModel) hold() {
	if m.in.alone != nil && m.in.alone.creates() {
		return
	}
	if !maps.Equal(m.paused, m.in.paused) && m.in.pause(m.paused) {
		require.NoError(m, m.in.again(nil))
		return
	}
	for _, id := range m.in.parkable() {
		m.park(id)
	}
}

func (m *intakeModel) park(id score.ProjectID) {
	e, err := m.in.park(id)
	require.NoError(m, err)
	m.apply(e)
	m.in.parkedNow(id)
	m.parks++
}

// lose has the stream lose some messages but the newest, as after NATS went back in time and was moved on. What was bound there is
// bound.
func (m *intakeModel) lose() {
	from := rapid.IntRange(0, len(m.log)-1).Draw(m.T, "lost")
	to := rapid.IntRange(from, len(m.log)-1).Draw(m.T, "upto")
	m.log = slices.Delete(m.log, from, to)
}

func (m *intakeModel) apply(e lane.Entry) {
	e.Epoch = 1
	require.NoError(m, m.state.Apply(e))
}

func (m *intakeModel) message(from uint64) (score.Message, bool) {
	i := slices.IndexFunc(m.log, func(r score.Message) bool { return r.Seq >= from })
	if i < 0 {
		return score.Message{}, false
	}
	return m.log[i], true
}

// read takes a message of the main reading, as session.take does.
func (m *intakeModel) read() {
	r, some := m.message(m.in.read.Seq)
	if !some || !m.in.wantsMessage() {
		return
	}
	for {
		id, crowded := m.in.crowder()
		if !crowded {
			break
		}
		m.park(id)
	}
	if id, heavy := m.in.heavy(r); heavy {
		m.park(id)
	}
	_, err := m.in.take(r)
	require.NoError(m, err)
}

// readAgain takes a message of the second reading, as session.loop does.
func (m *intakeModel) readAgain() {
	from, again, err := m.in.ride()
	require.NoError(m, err)
	if again {
		m.second = from
	}
	if m.in.wantsSecond() {
		r, some := m.message(m.second)
		require.True(m, some, "it is not further than the main reading")
		m.second = r.Seq + 1
		require.NoError(m, m.in.takeSecond(r))
	}
}

// bind binds what is next, as binder.bindNew does.
func (m *intakeModel) bind() {
	m.hold()
	if m.in.turn() {
		m.ordered(m.in.alone)
		m.journal(m.in.alone)
		m.in.alone = nil
		return
	}
	choice, due := m.in.horizon.Next(m.now)
	if !due {
		return
	}
	for _, u := range choice.Units {
		require.False(m, m.paused[u.Unit.Updates[0].Project], "nothing of a paused project is bound")
		for _, update := range u.Unit.Updates {
			for _, before := range m.newest[update.ID] {
				require.True(m, before.Before(u.At), "of updates with an id in common the first is bound first")
			}
			m.newest[update.ID] = append(m.newest[update.ID], u.At)
		}
	}
	m.journal(m.in.places(choice.Units)...)
	m.in.batchBound(choice.Units)
}

// ordered: an edit is bound behind all of its project that came before it, and before all that came after it.
func (m *intakeModel) ordered(edit *place) {
	if edit.creates() {
		return
	}
	require.False(m, m.paused[edit.project], "nothing of a paused project is bound")
	for _, r := range m.log {
		at := score.Position{Seq: r.Seq}
		if r.Edit != nil && r.Edit.Project == edit.project && at != edit.Position {
			require.Equal(m, at.Before(edit.Position), m.bound[at], "%v, and the edit is at %v", at, edit.Position)
		}
		for i := range r.Updates {
			if at.Index = uint32(i); r.Updates[i].Project == edit.project {
				require.Equal(m, at.Before(edit.Position), m.bound[at], "%v, and the edit is at %v", at, edit.Position)
			}
		}
	}
}

func (m *intakeModel) journal(places ...*place) {
	moves, err := m.in.moves(places...)
	require.NoError(m, err)
	m.apply(lane.Entry{Pass: &lane.Pass{Moves: moves}})
	m.in.journaled(moves, places...)
	for _, p := range places {
		for i := range p.Count {
			at := score.Position{Seq: p.Seq, Index: p.Index + i}
			require.False(m, m.bound[at], "each once")
			m.bound[at] = true
		}
	}
}

func (m *intakeModel) pass() {
	moves := m.in.passes()
	m.apply(lane.Entry{Pass: &lane.Pass{Moves: moves}})
	m.in.journaled(moves)
}

// unpark is session.unpark.
func (m *intakeModel) unpark() {
	ready, moves := m.in.unparkable()
	m.apply(lane.Entry{Pass: &lane.Pass{Moves: moves}})
	m.in.journaled(moves)
	for _, p := range ready {
		m.apply(lane.Entry{Unpark: &lane.Unpark{Bucket: p.row.bucket, Project: p.id()}})
		m.in.unparked(p)
	}
}

// check: floors pass only what is bound, and what waits is bounded.
func (m *intakeModel) check() {
	left := 0
	for _, r := range m.log {
		at := score.Position{Seq: r.Seq}
		one := func(project score.ProjectID) {
			x := m.state.Buckets[score.BucketOf(project)].Of(project)
			require.Equal(m, m.bound[at], x.Has(at), "%v of project %v", at, project)
			if !m.bound[at] {
				left++
			}
			at.Index++
		}
		if ref, alone := r.Alone(); alone {
			one(ref.Project)
		}
		for i := range r.Updates {
			one(r.Updates[i].Project)
		}
	}
	held := 0
	for id := range m.in.parked {
		held += m.in.horizon.Of(id)
	}
	const unit, message = 6, 36
	n := len(m.in.parked)
	require.LessOrEqual(m, held, max(n, m.config.Horizon.Updates)+n*unit)
	require.LessOrEqual(m, m.in.horizon.Len(), 2*m.config.Horizon.Updates+n*unit+(1+m.parks)*message)
}

// others has all be bound that is not of paused projects, and checks that what these have holds nothing back.
func (m *intakeModel) others() {
	for range 40 * len(m.log) {
		m.read()
		m.readAgain()
		m.bind()
		m.unpark()
	}
	m.pass()
	m.check()
	require.Equal(m, m.log[len(m.log)-1].Seq+1, m.in.read.Seq, "all was read")
	require.Zero(m, m.in.backlog(), "what is paused is not counted")
	_, _, some := m.in.oldest()
	require.False(m, some)
	for _, held := range m.state.Buckets {
		require.Equal(m, m.log[len(m.log)-1].Seq+1, held.Floor.Seq, "the floors of buckets pass what is paused")
		for id := range held.Parked {
			require.True(m, m.paused[id])
		}
	}
	for _, r := range m.log {
		at := score.Position{Seq: r.Seq}
		for i := range r.Updates {
			at.Index = uint32(i)
			require.True(m, m.bound[at] || m.paused[r.Updates[i].Project], "%v waits", at)
		}
	}
}

// TestParkedProjectsAreBoundOnceAndInOrder plays intakes whose horizon is too small, and pauses of projects. What is not paused is all
// bound; after that all is resumed, and it ends with all bound, no floor behind, and nothing parked.
func TestParkedProjectsAreBoundOnceAndInOrder(t *testing.T) {
	t.Parallel()
	parks := 0
	rapid.Check(t, func(t *rapid.T) {
		m := newIntakeModel(t)
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			m.now = m.now.Add(time.Millisecond)
			switch rapid.IntRange(0, 13).Draw(t, "step") {
			case 0, 1, 2, 3, 4:
				m.read()
			case 5, 6, 7:
				m.readAgain()
			case 8, 9:
				m.bind()
			case 10:
				m.pass()
			case 11:
				m.unpark()
			case 13:
				m.pause()
			case 12:
				if rapid.IntRange(0, 3).Draw(t, "killed") == 0 {
					if rapid.IntRange(0, 3).Draw(t, "loses") == 0 {
						m.lose()
					}
					m.open()
				}
			}
		}
		m.check()
		m.others()
		m.paused = nil
		for range 40 * len(m.log) {
			m.read()
			m.readAgain()
			m.bind()
			m.unpark()
		}
		m.pass()
		m.check()
		for _, held := range m.state.Buckets {
			require.Empty(t, held.Parked)
		}
		require.Equal(t, score.Position{Seq: m.log[len(m.log)-1].Seq + 1}, m.state.ReadFrom(), "the floors have passed everything")
		parks += m.parks
	})
	require.Positive(t, parks)
}

// TestAnEditBehindMuchHoldsNoOtherProjectUp: it waits for all of its project that came before, and others are read meanwhile.
func TestAnEditBehindMuchHoldsNoOtherProjectUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &intakeModel{T: t, state: allBuckets(t), bound: map[score.Position]bool{}, newest: map[score.UpdateID][]score.Position{}, now: time.Unix(1_000_000, 0)}
		m.config = Config{
			Horizon: batch.HorizonLimits{Updates: 100, Lateness: time.Minute}, Now: func() time.Time { return m.now },
			Limits: batch.Limits{MaxUpdates: 5, MaxGas: 1 << 24, MaxBytes: 128 << 10},
		}
		much, other := score.ProjectID{1}, score.ProjectID{2}
		for seq := range uint64(rapid.IntRange(1, 8).Draw(t, "messages")) {
			r := score.Message{Seq: 1 + seq}
			for i := range 10 {
				r.Updates = append(r.Updates, score.Update{Project: much, ID: score.UpdateID{byte(seq), byte(i)}})
			}
			m.log = append(m.log, r)
		}
		next := uint64(len(m.log)) + 1
		m.log = append(m.log,
			score.Message{Seq: next, Edit: &score.SignedEdit{ProjectEdit: score.ProjectEdit{Project: much}}},
			score.Message{Seq: next + 1, Updates: []score.Update{{Project: other, ID: score.UpdateID{1, 1, 1}}}},
			score.Message{Seq: next + 2, Updates: []score.Update{{Project: much, ID: score.UpdateID{2, 2, 2}}}},
		)
		m.open()
		for range m.log {
			m.read()
		}
		m.bind()
		require.True(t, m.bound[score.Position{Seq: next + 1}], "the other project's is in the first transaction")
		for range 10 * len(m.log) {
			m.readAgain()
			m.bind()
			m.unpark()
		}
		m.pass()
		m.check()
		require.Equal(t, score.Position{Seq: next + 3}, m.state.ReadFrom())
	})
}

// TestABacklogIsCountedAcrossSessions floods an intake with one project, and kills sessions: what is told of it is what waits,
// but for what is bound ahead of its floor.
func TestABacklogIsCountedAcrossSessions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &intakeModel{T: t, state: allBuckets(t), bound: map[score.Position]bool{}, newest: map[score.UpdateID][]score.Position{}, now: time.Unix(1_000_000, 0)}
		m.config = Config{
			Horizon: batch.HorizonLimits{Updates: 40, Lateness: time.Minute}, Now: func() time.Time { return m.now },
			Limits: batch.Limits{MaxUpdates: 10, MaxGas: 1 << 24, MaxBytes: 128 << 10},
		}
		project, all := score.ProjectID{1}, uint64(0)
		for seq := range uint64(long.Size(20, 60)) {
			r := score.Message{Seq: 1 + seq}
			for i := range 10 {
				r.Updates = append(r.Updates, score.Update{Project: project, ID: score.UpdateID{byte(seq), byte(i)}})
				all++
			}
			m.log = append(m.log, r)
		}
		m.open()
		for range m.log {
			m.read()
		}
		for uint64(len(m.bound)) < all {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				m.in = begunAfter(t, m.config, m.state, m.in.large(0))
			case 1:
				m.pass()
			case 2, 3:
				m.read()
			case 4, 5, 6:
				m.readAgain()
			default:
				m.bind()
			}
			const ahead = 60 // the allowance, a message, and a batch
			require.InDelta(t, all-uint64(len(m.bound)), m.in.large(0)[project].Waiting, ahead)
			require.Equal(t, m.in.large(0)[project].Waiting, m.in.backlog())
		}
	})
}

// TestWhatWasToldBeforeTheFloorIsNotCounted: another lane told of it, long ago, or a store that was restored.
func TestWhatWasToldBeforeTheFloorIsNotCounted(t *testing.T) {
	t.Parallel()
	project, state := score.ProjectID{1}, allBuckets(t)
	held := state.Buckets[score.BucketOf(project)]
	held.Parked = map[score.ProjectID]lane.Extent{project: {Floor: score.Position{Seq: 9, Index: 1}}}
	state.Buckets[score.BucketOf(project)] = held
	for read, want := range map[uint64]uint64{8: 0, 9: 0, 10: 3_000} {
		in := begunAfter(t, Config{Limits: batch.DefaultLimits()}, state, map[score.ProjectID]score.Backlog{project: {Waiting: 3_000, Read: read}})
		require.Equal(t, want, in.backlog(), "read up to %d", read)
	}
}

// TestAMessageAtTheEndOfWhatWasToldIsNotCountedInIt: the backlog told counts what came before sequence Read.
func TestAMessageAtTheEndOfWhatWasToldIsNotCountedInIt(t *testing.T) {
	t.Parallel()
	p := &parked{unseen: 5, seen: 10}
	for _, seq := range []uint64{9, 10, 11} {
		p.met(place{Span: score.Span{Position: score.Position{Seq: seq}, Count: 1}})
		require.Equal(t, uint64(4), p.unseen, "after sequence %d", seq)
	}
}

// TestWhatIsParkedTakesNoMemory floods an intake with a million updates of a project, of which nothing is bound.
func TestWhatIsParkedTakesNoMemory(t *testing.T) {
	m := newFlooded(t)
	heap := func() int {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return int(stats.HeapAlloc)
	}
	m.flood(50)
	before := heap()
	m.flood(1_000)
	require.Equal(t, uint64(1_000_000), m.backlog())
	require.Less(t, heap()-before, 4<<20)
	require.Equal(t, m.allowance(m.parked[score.ProjectID{1}]), m.horizon.Of(score.ProjectID{1}))
}

// flooded is an intake that one project floods, in messages of a thousand updates.
type flooded struct {
	*testing.T
	*intake
	messages uint64
}

func newFlooded(t *testing.T) *flooded {
	return &flooded{T: t, intake: begun(t, Config{Limits: batch.DefaultLimits()}, allBuckets(t))}
}

// flood brings the next messages, up to so many in all.
func (f *flooded) flood(messages uint64) {
	for ; f.messages < messages; f.messages++ {
		require.True(f, f.wantsMessage())
		for id, crowded := f.crowder(); crowded; id, crowded = f.crowder() {
			e, err := f.park(id)
			require.NoError(f, err)
			e.Epoch = 1
			require.NoError(f, f.state.Apply(e))
			f.parkedNow(id)
		}
		m := score.Message{Seq: 1 + f.messages}
		for i := range 1_000 {
			m.Updates = append(m.Updates, score.Update{Project: score.ProjectID{1}, ID: score.UpdateID{byte(m.Seq >> 8), byte(m.Seq), byte(i >> 8), byte(i)}})
		}
		_, err := f.take(m)
		require.NoError(f, err)
	}
}

// TestTheExampleOfParking plays the one that park.go tells.
func TestTheExampleOfParking(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { // for the model's helpers: nothing is drawn
		m := &intakeModel{T: t, state: allBuckets(t), bound: map[score.Position]bool{}, newest: map[score.UpdateID][]score.Position{}, now: time.Unix(1_000_000, 0)}
		m.config = Config{
			Horizon: batch.HorizonLimits{Updates: 16, Lateness: time.Minute}, Now: func() time.Time { return m.now },
			Limits: batch.Limits{MaxUpdates: 8, MaxGas: 1 << 24, MaxBytes: 128 << 10},
		}
		a, b := score.ProjectID{1}, score.ProjectID{2}
		for seq := uint64(1); seq <= 40; seq++ {
			u := score.Update{Project: a, ID: score.UpdateID{31: byte(seq)}}
			if seq == 21 {
				u.Project = b
			}
			m.log = append(m.log, score.Message{Seq: seq, Updates: []score.Update{u}})
		}
		m.open()
		for range 16 {
			m.read()
		}
		require.Zero(t, m.parks)
		m.read()
		p := m.in.parked[a]
		require.Equal(t, 14, m.in.allowance(p))
		is := func(next uint64, behind, riding bool, owed uint64) {
			require.Equal(t, score.Position{Seq: next}, p.next)
			require.Equal(t, behind, p.behind)
			require.Equal(t, riding, p.riding)
			require.Equal(t, owed, p.owed)
		}
		is(15, true, false, 3) // 15, 16, and 17, which the horizon had no room for
		for range 23 {
			m.read()
		}
		is(15, true, false, 25)
		require.Equal(t, 1, m.in.horizon.Of(b))
		m.now = m.now.Add(time.Second)
		m.bind()
		require.Equal(t, 7, m.in.horizon.Of(a))
		require.Zero(t, m.in.horizon.Of(b))
		m.now = m.now.Add(time.Second)
		m.bind()
		require.Zero(t, m.in.horizon.Of(a))
		for range 20 {
			m.readAgain()
		}
		is(30, true, false, 11)
		for range 20 {
			m.now = m.now.Add(time.Second)
			m.bind()
			for range 20 {
				m.readAgain()
			}
		}
		is(41, false, false, 0)
		m.unpark()
		require.Empty(t, m.in.parked)
	})
}
