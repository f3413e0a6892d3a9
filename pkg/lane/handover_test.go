package lane_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

func gives(to score.Lane, buckets ...score.Bucket) lane.Entry {
	return entry(func(e *lane.Entry) { e.Give = &lane.Give{To: to, Buckets: buckets} })
}

func givesWork(to score.Lane, ids ...uint64) lane.Entry {
	return entry(func(e *lane.Entry) { e.Give = &lane.Give{To: to, Work: ids} })
}

func takes(from score.Lane, h lane.Handover) lane.Entry {
	return entry(func(e *lane.Entry) { e.Take = &lane.Take{From: from, Handover: h} })
}

func takenUpTo(to score.Lane, n uint64) lane.Entry {
	return entry(func(e *lane.Entry) { e.Taken = &lane.Taken{To: to, N: n} })
}

func opens(buckets ...score.Bucket) lane.Entry {
	return entry(func(e *lane.Entry) { e.Open = &lane.Open{Buckets: buckets} })
}

// projectIn makes up a project of a bucket; different seeds give different ones.
func projectIn(b score.Bucket, seed uint64) (id score.ProjectID) {
	random := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), 1})
	for {
		_, _ = random.Read(id[:])
		if score.BucketOf(id) == b {
			return id
		}
	}
}

func createsProject(nonce, seq uint64, b score.Bucket) lane.Entry {
	e := bindEntry(nonce, seq, 9)
	id := projectIn(b, 1)
	e.Bind.Work.Kind, e.Bind.Work.Project = lane.Creation, &id
	e.Bind.Moves[0].Bucket = b
	return e
}

func copyOf(t require.TestingT, s *lane.State) *lane.State {
	data, err := json.Marshal(s)
	require.NoError(t, err)
	var same lane.State
	require.NoError(t, json.Unmarshal(data, &same))
	return &same
}

func TestTheFoldRefusesHandoversThatLoseOrRepeat(t *testing.T) {
	t.Parallel()
	empty := lane.Handover{N: 1, Buckets: map[score.Bucket]lane.Holding{7: {}}}
	second := empty
	second.N = 2
	abandoned := entry(func(e *lane.Entry) { e.Abandon = &lane.Abandon{} })
	refused(t, map[string][]lane.Entry{
		"a bucket that is another's given":         {opened, gives(1, 5)},
		"a bucket given twice":                     {opened, gives(1, 0), gives(1, 0)},
		"a bucket given twice at once":             {opened, gives(1, 0, 0)},
		"nothing given":                            {opened, gives(1)},
		"work that is not queued given":            {opened, givesWork(1, 3)},
		"work of an open slot given":               {opened, bindEntry(0, 0, 1), givesWork(1, 1)},
		"a bucket given under its open creation":   {opened, createsProject(0, 1, 0), gives(1, 0)},
		"a bucket given without a queued creation": {opened, createsProject(0, 1, 0), settleEntry(0, lane.Foreign), gives(1, 0)},
		"a position of what was given":             {opened, gives(1, 0), bindEntry(0, 1, 1)},
		"a handover taken twice":                   {opened, takes(1, empty), takes(1, empty)},
		"a handover taken out of order":            {opened, takes(1, second)},
		"a bucket taken that the lane owns":        {opened, takes(1, lane.Handover{N: 1, Buckets: map[score.Bucket]lane.Holding{0: {}}})},
		"more taken than was given":                {opened, gives(1, 0), takenUpTo(1, 2)},
		"taken by a lane that got nothing":         {opened, gives(1, 0), takenUpTo(2, 1)},
		"a slot of an abandoned lane":              {opened, bindEntry(0, 0, 1), abandoned, bindEntry(0, 1, 1)},
	})
}

func TestACreationGoesWithItsBucket(t *testing.T) {
	t.Parallel()
	giver, err := fold([]lane.Entry{opened, createsProject(0, 1, 0), settleEntry(0, lane.Foreign)})
	require.NoError(t, err)
	require.True(t, giver.HeldBack(0))
	both := gives(1, 0)
	both.Give.Work = []uint64{1}
	require.NoError(t, giver.Apply(both))
	require.Empty(t, giver.Queue)
	taker, err := fold([]lane.Entry{opens(), takes(0, giver.Given[1].Open[0])})
	require.NoError(t, err)
	require.Len(t, taker.Queue, 1)
	require.Equal(t, lane.Creation, taker.Queue[0].Kind)
	require.Equal(t, at(2, 0), taker.Buckets[0].Floor)
	settled, err := lane.Lanes{0: giver, 1: taker}.Settled()
	require.NoError(t, err)
	require.Equal(t, at(1, 0), settled[0], "the creation has no outcome yet")
}

func TestAnAbandonedLaneGivesItsWork(t *testing.T) {
	t.Parallel()
	s, err := fold([]lane.Entry{
		opened, bindEntry(0, 0, 1, 2), bindEntry(1, 1, 3), settleEntry(0, lane.Done),
		entry(func(e *lane.Entry) { e.Abandon = &lane.Abandon{By: "operator"} }),
	})
	require.NoError(t, err)
	require.Empty(t, s.Slots)
	require.Len(t, s.Queue, 1)
	require.Equal(t, []byte{3}, s.Queue[0].Data)
	require.EqualValues(t, 1, s.Next, "a nonce that will never be used")
	require.NoError(t, s.Apply(givesWork(2, s.Queue[0].ID)))
	settled, err := lane.Lanes{0: s}.Settled()
	require.NoError(t, err)
	require.Equal(t, at(1, 0), settled[0], "what is on its way has no outcome")
}

// handovers is a deployment of some lanes that bind, settle, give and take, and a model of who owns what: nothing but a map.
type handovers struct {
	t     *rapid.T
	lanes lane.Lanes
	owner map[score.Bucket]score.Lane
	onWay map[score.Bucket]bool
	waits map[score.Bucket]uint64              // the lowest message that is not bound; each is of one bucket
	open  map[score.Bucket]map[uint64]struct{} // messages that are bound and not settled
	works map[string]map[score.Bucket]uint64   // what work carries, by its calldata
}

const handoverBuckets = 4

func newHandovers(t *rapid.T) *handovers {
	h := &handovers{
		t: t, lanes: lane.Lanes{}, owner: map[score.Bucket]score.Lane{}, onWay: map[score.Bucket]bool{}, waits: map[score.Bucket]uint64{},
		open: map[score.Bucket]map[uint64]struct{}{}, works: map[string]map[score.Bucket]uint64{},
	}
	for id := range score.Lane(3) {
		var mine []score.Bucket
		for b := range score.Bucket(handoverBuckets) {
			if score.FirstOwner(b, 2) == id && id < 2 { // the third begins with nothing
				mine = append(mine, b)
				h.owner[b] = id
			}
		}
		s, err := fold([]lane.Entry{opens(mine...)})
		require.NoError(t, err)
		h.lanes[id] = s
	}
	for b := range score.Bucket(handoverBuckets) {
		h.waits[b], h.open[b] = 1, map[uint64]struct{}{}
	}
	return h
}

// bind binds the next message of some of a lane's buckets: message n of bucket b has sequence n × buckets + b.
func (h *handovers) bind(id score.Lane) {
	s := h.lanes[id]
	data := []byte{byte(len(h.works)), byte(len(h.works) >> 8), 1}
	e := bindEntry(s.Next, 0, data...)
	e.Bind.Moves, e.Bind.Work.Count = nil, 0
	carried := map[score.Bucket]uint64{}
	for _, b := range slices.Sorted(maps.Keys(s.Buckets)) {
		if !rapid.Bool().Draw(h.t, "of bucket") {
			continue
		}
		n := h.waits[b]
		seq := n*handoverBuckets + uint64(b)
		e.Bind.Moves = append(e.Bind.Moves, lane.Move{
			Bucket: b, Bound: score.Positions{{Position: at(seq, 0), Count: 1}}, Floor: at(seq+handoverBuckets, 0), Passed: 1,
		})
		if e.Bind.Work.Count == 0 || seq < e.Bind.Work.From.Seq {
			e.Bind.Work.From = at(seq, 0)
		}
		e.Bind.Work.Count++
		carried[b] = n
	}
	if len(carried) == 0 {
		return
	}
	h.works[string(data)] = carried
	require.NoError(h.t, s.Apply(e))
	for b, n := range carried {
		h.open[b][n] = struct{}{}
		h.waits[b]++
	}
}

// bindAgain binds what lost its slot.
func (h *handovers) bindAgain(id score.Lane) {
	s := h.lanes[id]
	if len(s.Queue) == 0 {
		return
	}
	e := bindEntry(s.Next, 0, s.Queue[0].Data...)
	e.Bind.Moves, e.Bind.Work, e.Bind.Requeued = nil, lane.Work{}, s.Queue[0].ID
	require.NoError(h.t, s.Apply(e))
}

func (h *handovers) settle(id score.Lane) {
	s := h.lanes[id]
	if len(s.Slots) == 0 {
		return
	}
	data, err := s.Slots[0].Data()
	require.NoError(h.t, err)
	result := rapid.SampledFrom([]lane.Result{lane.Done, lane.Foreign}).Draw(h.t, "result")
	require.NoError(h.t, s.Apply(settleEntry(s.FirstOpen(), result)))
	if result == lane.Done {
		for b, n := range h.works[string(data)] {
			delete(h.open[b], n)
		}
	}
}

func (h *handovers) giveWork(from, to score.Lane) {
	s := h.lanes[from]
	if from != to && len(s.Queue) > 0 {
		require.NoError(h.t, s.Apply(givesWork(to, s.Queue[0].ID)))
	}
}

func (h *handovers) give(from, to score.Lane) {
	s := h.lanes[from]
	if from == to || len(s.Buckets) == 0 {
		return
	}
	given := rapid.SliceOfNDistinct(rapid.SampledFrom(slices.Sorted(maps.Keys(s.Buckets))), 1, 2, rapid.ID).Draw(h.t, "given")
	require.NoError(h.t, s.Apply(gives(to, given...)))
	for _, b := range given {
		h.onWay[b] = true
		require.ErrorIs(h.t, s.Apply(gives(to, b)), lane.ErrCorrupt, "given twice")
	}
}

// take takes the next handover, of which there may be none; all others are refused.
func (h *handovers) take(from, to score.Lane) {
	s := h.lanes[to]
	for _, handover := range h.lanes[from].Given[to].Open {
		e := takes(from, handover)
		if handover.N != s.Took[from]+1 {
			require.ErrorIs(h.t, s.Apply(e), lane.ErrCorrupt, "not the next")
			continue
		}
		require.NoError(h.t, s.Apply(e))
		for b := range handover.Buckets {
			h.owner[b], h.onWay[b] = to, false
		}
		require.ErrorIs(h.t, s.Apply(e), lane.ErrCorrupt, "taken twice")
		return
	}
}

func (h *handovers) taken(from, to score.Lane) {
	if n := h.lanes[to].Took[from]; n > 0 {
		require.NoError(h.t, h.lanes[from].Apply(takenUpTo(to, n)))
	}
}

// settled is what the model says is settled of a bucket: everything before a sequence.
func (h *handovers) settled(b score.Bucket) uint64 {
	n := h.waits[b]
	for bound := range h.open[b] {
		n = min(n, bound)
	}
	return n
}

// check holds a reading of the journals against the model: exact when it was made now, and never too far when it is torn.
func (h *handovers) check(read lane.Lanes, now bool) {
	settled, err := read.Settled()
	if err != nil {
		require.ErrorIs(h.t, err, lane.ErrTorn)
		require.False(h.t, now, "the journals were read at one moment")
		return
	}
	for b := range score.Bucket(handoverBuckets) {
		want := h.settled(b)*handoverBuckets + uint64(b)
		require.LessOrEqual(h.t, settled[b].Seq, want, "bucket %d", b)
		if now && h.waits[b] > 1 && len(h.open[0])+len(h.open[1])+len(h.open[2])+len(h.open[3]) == 0 {
			require.Equal(h.t, want, settled[b].Seq, "bucket %d, nothing is open", b)
		}
	}
}

func (h *handovers) owners() {
	for b, owner := range h.owner {
		var found []score.Lane
		for id, s := range h.lanes {
			if _, owned := s.Buckets[b]; owned {
				found = append(found, id)
			}
		}
		if h.onWay[b] {
			require.Empty(h.t, found, "bucket %d is on its way", b)
		} else {
			require.Equal(h.t, []score.Lane{owner}, found, "bucket %d", b)
		}
	}
}

// TestHandoversFollowAModel: every bucket has one owner or is on its way; and however the lanes' journals are read, one now and
// another later, no more counts as settled than is, or the reading is known to be torn.
func TestHandoversFollowAModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := newHandovers(t)
		read := lane.Lanes{} // a reading under way
		anyLane := rapid.Map(rapid.IntRange(0, 2), func(i int) score.Lane { return score.Lane(i) })
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			from, to := anyLane.Draw(t, "lane"), anyLane.Draw(t, "other")
			switch rapid.IntRange(0, 11).Draw(t, "step") {
			case 0, 1:
				h.bind(from)
			case 2:
				h.settle(from)
			case 3:
				h.give(from, to)
			case 4:
				h.take(from, to)
			case 5:
				h.taken(from, to)
			case 6:
				h.giveWork(from, to)
			case 7:
				h.bindAgain(from)
			case 8, 9: // between the reading of two journals
				h.giveWork(from, to)
				h.take(from, to)
				h.taken(from, to)
			default:
				if read[from] = copyOf(t, h.lanes[from]); len(read) == len(h.lanes) {
					h.check(read, false)
					read = lane.Lanes{}
				}
			}
			h.owners()
			h.check(h.lanes, true)
		}
	})
}

// TestATornReadingIsNoticed: the taker's journal is read before it takes, and the giver's when it has forgotten what it gave.
func TestATornReadingIsNoticed(t *testing.T) {
	t.Parallel()
	giver, err := fold([]lane.Entry{opened, bindEntry(0, 1, 1), settleEntry(0, lane.Foreign), givesWork(1, 1)})
	require.NoError(t, err)
	taker, err := fold([]lane.Entry{opens()})
	require.NoError(t, err)
	early := lane.Lanes{0: copyOf(t, giver), 1: copyOf(t, taker)}
	_, err = early.Settled()
	require.NoError(t, err)

	require.NoError(t, taker.Apply(takes(0, giver.Given[1].Open[0])))
	_, err = lane.Lanes{0: early[0], 1: taker}.Settled()
	require.NoError(t, err, "it is with both, which is one of them too many and none too few")

	require.NoError(t, giver.Apply(takenUpTo(1, 1)))
	_, err = lane.Lanes{0: giver, 1: early[1]}.NeededFrom()
	require.ErrorIs(t, err, lane.ErrTorn)
	settled, err := lane.Lanes{0: giver, 1: taker}.Settled()
	require.NoError(t, err)
	require.Equal(t, at(1, 0), settled[0])
}
