package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
)

// maxHandover bounds the bytes given at once, since the taker's entry and the giver's snapshots contain them. A
// single bucket or piece of work may be larger.
const maxHandover = score.MostStored / 2

// errAbandoned ends the session that journaled Abandon, so that the next one watches no abandoned slot.
var errAbandoned = errors.New("the lane was declared dead, and its open slots are given up")

// handover makes the lane's buckets match the roster, by Give in the giver's journal and Take in the taker's.
//
//	giver's session   append Give ─► post "given 4"               read the taker's journal ─► append Taken
//	                                      │                         ▲
//	taker's session                       └─► read the giver's journal ─► append Take ─► post "took 4"
//
// Notices only name the journal to read, and are posted until the board shows them. So steps may repeat, and entries
// follow from journals alone.
type handover struct {
	id       score.Lane
	config   *Config
	lane     *lane.Lane
	intake   *intake
	roster   Roster
	board    Board
	journal  Journal // other lanes', read only
	append   func(context.Context, lane.Entry) error
	reporter *reporter
	moved    *prometheus.CounterVec
	log      *slog.Logger

	due    bool                // something may have changed since the last step
	opened map[score.Lane]bool // by checked lane: whether its journal was ever opened
}

// step takes, gives and confirms the handoffs that are possible now, if due. If changed, the lane's buckets or those
// about to leave differ, and the caller must read the stream again.
func (h *handover) step(ctx context.Context) (changed bool, err error) {
	known, _ := h.roster.Current()
	me, found := known.Lane(h.id)
	if !h.due || !found {
		return false, nil
	}
	h.due = false
	took, err := h.take(ctx, known)
	if err != nil {
		return took, err
	}
	gave, err := h.give(ctx, known, me)
	if err != nil {
		return gave, err
	}
	if me.State == roster.Cut {
		if err := h.giveWork(ctx, known, me); err != nil {
			return true, err
		}
	}
	if err := h.taken(ctx, known); err != nil {
		return true, err
	}
	h.post(ctx)
	h.leave(ctx, known, me)
	return took || gave, nil
}

func (h *handover) pending() bool {
	known, _ := h.roster.Current()
	me, found := known.Lane(h.id)
	if !found {
		return false
	}
	buckets, wanted := h.lane.State.Buckets, known.Wanted(h.id)
	if len(wanted) != len(buckets) || slices.ContainsFunc(wanted, func(b score.Bucket) bool { _, owned := buckets[b]; return !owned }) {
		return true
	}
	for _, given := range h.lane.State.Given {
		if len(given.Open) > 0 {
			return true
		}
	}
	return me.State == roster.Cut
}

func (h *handover) take(ctx context.Context, known roster.Roster) (took bool, err error) {
	for _, l := range known.Lanes {
		if l.ID == h.id || h.board.Posted(l.ID, h.id).Given <= h.lane.State.Took[l.ID] {
			continue
		}
		giver, ok := h.read(ctx, l.ID)
		if !ok {
			continue
		}
		for _, open := range giver.Given[h.id].Open {
			if open.N != h.lane.State.Took[l.ID]+1 {
				continue
			}
			if err := h.append(ctx, lane.Entry{Take: &lane.Take{From: l.ID, Handover: open}}); err != nil {
				return took, err
			}
			took = took || len(open.Buckets) > 0
			h.moved.WithLabelValues("taken").Add(float64(len(open.Buckets)))
			h.log.Info("the lane took what another lane gave", "from", l.ID, "handover", open.N, "buckets", len(open.Buckets),
				"queued_works", len(open.Work))
		}
	}
	return took, nil
}

// read folds another lane's journal; false if it is unreadable, and the next head retries. The session waits for it
// without a deadline (Journal.Load), once for a handoff.
func (h *handover) read(ctx context.Context, id score.Lane) (*lane.State, bool) {
	state, _, err := h.journal.State(ctx, id)
	if err != nil {
		h.log.Warn("the lane couldn't read another lane's journal to hand buckets over; it tries again with the next head", "other", id, "err", err)
	}
	return state, err == nil
}

// give gives away the buckets that the roster assigns to others. A bucket held back by a creation or an edit is given
// when that work is final. A cut lane gives queued creations and edits with their buckets.
func (h *handover) give(ctx context.Context, known roster.Roster, me roster.Lane) (changed bool, err error) {
	state, leaving := h.lane.State, map[score.Bucket]bool{}
	for _, l := range known.Lanes {
		give, bytes := lane.Give{To: l.ID}, 0
		for b := range score.Buckets {
			bucket := score.Bucket(b)
			held, owned := state.Buckets[bucket]
			if !owned || known.Owners[b] != l.ID || l.ID == h.id {
				continue
			}
			if !h.driven(ctx, l.ID) {
				break
			}
			if h.heldBack(bucket, me) {
				leaving[bucket] = true
				continue
			}
			creations := state.QueuedAlone(bucket)
			size := sizeOf(held) + sizeOf(creations)
			if bytes > 0 && bytes+size > maxHandover {
				if err := h.giveSome(ctx, give); err != nil {
					return true, err
				}
				give, bytes, changed = lane.Give{To: l.ID}, 0, true
			}
			give.Buckets, bytes = append(give.Buckets, bucket), bytes+size
			for i := range creations {
				give.Work = append(give.Work, creations[i].ID)
			}
		}
		if len(give.Buckets) > 0 {
			if err := h.giveSome(ctx, give); err != nil {
				return true, err
			}
			changed = true
		}
	}
	for b := range leaving {
		if !h.intake.leaving[b] {
			h.log.Info("a creation or an edit that is not final holds a bucket of the lane back; the lane gives the bucket when it is", "bucket", b,
				"project", state.AloneInSlot(b), "to", known.Owners[b])
		}
	}
	changed = changed || !maps.Equal(leaving, h.intake.leaving)
	h.intake.leaving = leaving
	return changed, nil
}

// driven reports whether a relayer ever drove a lane; false if its journal is unreadable. A lane gets buckets only once
// it is driven: before that, perhaps all relayers lack its key, and the handoff would stay open.
func (h *handover) driven(ctx context.Context, id score.Lane) bool {
	if h.opened[id] || h.lane.State.Given[id].N > 0 {
		return true
	}
	var last uint64
	err := h.call(ctx, func(ctx context.Context) (err error) {
		last, err = h.journal.Last(ctx, id)
		return err
	})
	if err != nil {
		h.log.Warn("the lane couldn't read another lane's journal to hand buckets over; it tries again with the next head", "other", id, "err", err)
		return false
	}
	if _, looked := h.opened[id]; !looked && last == 0 {
		h.log.Info("no relayer has driven the lane yet that shall have buckets of this one; this one keeps them until one does", "other", id)
	}
	h.opened[id] = last > 0
	return last > 0
}

func (h *handover) heldBack(b score.Bucket, me roster.Lane) bool {
	if me.State == roster.Cut {
		return h.lane.State.AloneInSlot(b) != nil
	}
	return h.lane.State.HeldBack(b)
}

func sizeOf(part any) int {
	data, err := json.Marshal(part)
	if err != nil {
		return maxHandover // give it alone
	}
	return len(data)
}

func (h *handover) giveSome(ctx context.Context, give lane.Give) error {
	if err := h.append(ctx, lane.Entry{Give: &give}); err != nil {
		return err
	}
	h.moved.WithLabelValues("given").Add(float64(len(give.Buckets)))
	h.log.Info("the lane gave what another lane shall have", "to", give.To, "handover", h.lane.State.Given[give.To].N,
		"buckets", len(give.Buckets), "queued_works", len(give.Work))
	return nil
}

// giveWork gives away a cut lane's queued work, which certainly was not carried out. If an operator declared the lane
// dead, the work of open slots with unused nonces is queued first.
func (h *handover) giveWork(ctx context.Context, known roster.Roster, me roster.Lane) error {
	if me.Dead && len(h.lane.State.Slots) > 0 && h.unused() {
		return h.abandon(ctx)
	}
	for _, work := range slices.Clone(h.lane.State.Queue) {
		to, found := h.heir(ctx, known, &work)
		if !found {
			continue
		}
		if err := h.giveSome(ctx, lane.Give{To: to, Work: []uint64{work.ID}}); err != nil {
			return err
		}
	}
	return nil
}

// heir returns the lane that gets a cut lane's work; false if the work must stay. A creation or an edit follows its
// bucket. All else goes to an active lane.
func (h *handover) heir(ctx context.Context, known roster.Roster, work *lane.Work) (score.Lane, bool) {
	if work.Kind.Alone() {
		b := score.BucketOf(*work.Project)
		_, owned := h.lane.State.Buckets[b]
		return known.Owners[b], !owned && known.Owners[b] != h.id && h.driven(ctx, known.Owners[b])
	}
	i := slices.IndexFunc(known.Lanes, func(l roster.Lane) bool {
		return l.State == roster.Active && l.ID != h.id && h.driven(ctx, l.ID)
	})
	if i < 0 {
		return 0, false
	}
	return known.Lanes[i].ID, true
}

func (h *handover) unused() bool {
	view := h.lane.View()
	return view != nil && h.config.Now().Sub(view.Now) <= h.config.StaleAfter && h.lane.Unused()
}

func (h *handover) abandon(ctx context.Context) error {
	slots := slices.Clone(h.lane.State.Slots)
	if err := h.append(ctx, lane.Entry{Abandon: &lane.Abandon{By: "the roster"}}); err != nil { // the commit point
		return err
	}
	for i := range slots {
		refs, err := carried(&slots[i])
		if err != nil {
			return err
		}
		h.reporter.released(ctx, slots[i].Nonce, refs)
	}
	return errAbandoned
}

func (h *handover) taken(ctx context.Context, known roster.Roster) error {
	for _, to := range slices.Sorted(maps.Keys(h.lane.State.Given)) {
		given := h.lane.State.Given[to]
		if len(given.Open) == 0 {
			continue
		}
		if l, _ := known.Lane(to); l.State != roster.Gone && h.board.Posted(to, h.id).Took < given.Open[0].N {
			continue // until the taker posts a notice; a gone lane posts none
		}
		taker, ok := h.read(ctx, to)
		if !ok {
			continue
		}
		switch took := taker.Took[h.id]; {
		case took > given.N:
			return fmt.Errorf("%w: lane %d took handover %d of lane %d, which has given %d", lane.ErrCorrupt, to, took, h.id, given.N)
		case took >= given.Open[0].N:
			if err := h.append(ctx, lane.Entry{Taken: &lane.Taken{To: to, N: took}}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (h *handover) post(ctx context.Context) {
	state, notices := h.lane.State, map[score.Lane]lane.Notice{}
	for to, given := range state.Given {
		notices[to] = lane.Notice{Given: given.N, Took: state.Took[to]}
	}
	for from, n := range state.Took {
		notices[from] = lane.Notice{Given: state.Given[from].N, Took: n}
	}
	for _, to := range slices.Sorted(maps.Keys(notices)) {
		if h.board.Posted(h.id, to) == notices[to] {
			continue
		}
		if err := h.call(ctx, func(ctx context.Context) error { return h.board.Post(ctx, h.id, to, notices[to]) }); err != nil {
			h.log.Warn("the lane couldn't tell another lane of a handover; it tries again with the next head", "other", to, "err", err)
		}
	}
}

// leave ends the life of an empty lane that leaves or is cut. The lane must first take all offers and make its late
// reports, since no later session will. Its last settled block must be GoneAfter below the final one.
func (h *handover) leave(ctx context.Context, known roster.Roster, me roster.Lane) {
	state, view := h.lane.State, h.lane.View()
	if me.State != roster.Leaving && me.State != roster.Cut || !state.Empty() || view == nil || h.reporter.pending() {
		return
	}
	if n := len(state.Past); n > 0 && state.Past[n-1].Block.Number+h.config.GoneAfter > view.Final.Number {
		return
	}
	for _, l := range known.Lanes {
		if h.board.Posted(l.ID, h.id).Given > state.Took[l.ID] {
			return
		}
	}
	if err := h.call(ctx, func(ctx context.Context) error { return h.roster.Gone(ctx, h.id) }); err != nil {
		h.log.Warn("the lane couldn't note that nothing is left of it; it tries again with the next head", "err", err)
		return
	}
	h.log.Info("nothing is left of the lane; it is gone")
}

func (h *handover) call(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, h.config.CallTimeout)
	defer cancel()
	return do(ctx)
}

// creations returns the projects with a creation in any lane's journal, except old ones up to block forgotten
// (lane.Lanes.Creations). Updates rejected because such a project was unknown are queued again. Either their bucket
// was taken and the chain lost the creation's block, or the creation's lane was cut.
func (h *handover) creations(ctx context.Context) (projects map[score.ProjectID]bool, forgotten uint64, err error) {
	lanes, err := h.lanes(ctx)
	if err != nil {
		return nil, 0, err
	}
	return lanes.Creations()
}

func (h *handover) lanes(ctx context.Context) (lane.Lanes, error) {
	lanes := lane.Lanes{h.id: h.lane.State}
	if len(h.lane.State.Took)+len(h.lane.State.Given) > 0 {
		known, _ := h.roster.Current()
		for _, l := range known.Lanes {
			if l.ID == h.id {
				continue
			}
			state, _, err := h.journal.State(ctx, l.ID)
			if err != nil {
				return nil, err
			}
			lanes[l.ID] = state
		}
	}
	return lanes, nil
}
