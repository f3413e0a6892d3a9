package batch

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// Plan groups updates into a batch, by rules that lower its cost by the model. signed marks the signed groups:
// ascending, disjoint, and valid for EncodeBody. Ids of a project must be distinct, which a Builder ensures. The
// rules, in turn:
//
//   - Owners. The updates of one signer in one project stand together, so that one header names both.
//   - Small words. An owner's words of few updates (at the contract's prices, of one or two) are small. Either they
//     all share one KindFree group, with shared runs (as B's in the package's example), or each has a group of its
//     own: whichever is cheaper in sum. A KindFree group pays more for reading actions, which counts if it is the
//     owner's first to read them.
//   - Layouts. A word outside that group is one KindWord group, one KindRuns group, or both: the singletons, which
//     are alone in their run, in the first and the others in the second. In the example, A's w is cheapest in runs.
//     With a dozen updates of h and a dozen singletons it would be split.
//   - Signed groups stay as they were signed, behind the other groups of their owner.
//   - Headers omit repeated parts. A signed body always has its word; the group behind it may omit it.
func Plan(model *Model, updates []score.Update, signed []score.Signed) (b Batch) {
	alone := make([]*score.Update, 0, len(updates))
	var groups []Group
	for unit := range score.Units(updates, signed) {
		if unit.Signature == nil {
			alone = append(alone, &unit.Updates[0])
			continue
		}
		g := Group{
			Project: unit.Updates[0].Project, Signer: unit.Updates[0].Signer, Kind: unit.Kind, Updates: slices.Clone(unit.Updates),
		}
		signature := *unit.Signature
		g.Signature = &signature
		groups = append(groups, g)
	}
	slices.SortFunc(alone, compareOwnersAndIDs)
	slices.SortStableFunc(groups, func(a, b Group) int { return a.owner().compare(b.owner()) })
	for len(alone)+len(groups) > 0 {
		var o owner
		switch {
		case len(groups) == 0 || len(alone) > 0 && ownerOf(alone[0]).compare(groups[0].owner()) < 0:
			o = ownerOf(alone[0])
		default:
			o = groups[0].owner()
		}
		n := countFirst(alone, func(u *score.Update) bool { return ownerOf(u) == o })
		b.Groups = model.ownerGroups(b.Groups, alone[:n])
		alone = alone[n:]
		for len(groups) > 0 && groups[0].owner() == o {
			b.Groups, groups = append(b.Groups, groups[0]), groups[1:]
		}
	}
	return b
}

func Single(u score.Update) Batch {
	return Batch{Groups: []Group{groupOf(score.KindWord, []*score.Update{&u})}}
}

type owner struct {
	project score.ProjectID
	signer  common.Address
}

func ownerOf(u *score.Update) owner { return owner{u.Project, u.Signer} }

func (g *Group) owner() owner { return owner{g.Project, g.Signer} }

func (o owner) compare(p owner) int {
	return cmp.Or(bytes.Compare(o.project[:], p.project[:]), o.signer.Cmp(p.signer))
}

// compareOwnersAndIDs avoids cmp.Or, which would compare all parts first: Plan spends most of its time here.
func compareOwnersAndIDs(a, b *score.Update) int {
	if c := bytes.Compare(a.Project[:], b.Project[:]); c != 0 {
		return c
	}
	if c := bytes.Compare(a.Signer[:], b.Signer[:]); c != 0 {
		return c
	}
	return bytes.Compare(a.ID[:], b.ID[:])
}

// ownerGroups appends the groups of an owner's unsigned updates, which ascend by id.
func (m *Model) ownerGroups(out []Group, updates []*score.Update) []Group {
	var words []wordPlan
	var free []*score.Update
	var small cost // of groups of their own for the updates in free
	for len(updates) > 0 {
		word := updates[0].ID.Word()
		w := m.planWord(updates[:countFirst(updates, func(u *score.Update) bool { return u.ID.Word() == word })])
		updates = updates[len(w.updates):]
		words = append(words, w)
		if m.small(len(w.updates)) {
			free, small = append(free, w.updates...), small.plus(w.cost)
		}
	}
	slices.SortFunc(free, compareRuns)
	runs, _ := runsOf(free)
	shared := m.groupCost(shape{kind: score.KindFree, updates: len(free), runs: runs})
	if allSmall := !slices.ContainsFunc(words, func(w wordPlan) bool { return !m.small(len(w.updates)) }); allSmall {
		shared.gas += m.Free.Action // likely the first to read the slots of their actions
		small.gas += m.Word.Action
	}
	share := len(free) > 0 && shared.less(small)
	for i := range words {
		if !share || !m.small(len(words[i].updates)) {
			out = words[i].groups(out)
		}
	}
	if share {
		for some := range slices.Chunk(free, MaxGroup) {
			out = append(out, groupOf(score.KindFree, some))
		}
	}
	return out
}

// small reports whether a word of n updates might be cheaper in a shared group: if n singletons cost less in an
// existing free group.
func (m *Model) small(n int) bool {
	if n > maxSmall {
		return false
	}
	own := m.groupCost(shape{kind: score.KindWord, updates: n, mask: maxMask})
	free := m.bodyCost(shape{kind: score.KindFree, updates: n, runs: n}).minus(m.dataCost(runsHead))
	return free.less(own)
}

// maxSmall bounds small words, so that a Builder can bound the bytes of a free group.
const maxSmall = 8

// groupCost excludes project, signer and first uses of storage slots.
func (m *Model) groupCost(s shape) cost {
	return m.headerCost(Header{SameProject: true, SameSigner: true}).plus(m.bodyCost(s))
}

// wordPlan is the cheapest encoding of an owner's word in groups of its own.
type wordPlan struct {
	updates []*score.Update // ascending
	byRun   []*score.Update // the same, sorted by run
	how     layout
	cost    cost
}

type layout uint8

const (
	oneWord layout = iota // a KindWord group
	oneRuns               // a KindRuns group
	// split is a KindWord group of singletons, and a KindRuns group of the others.
	split
)

func (m *Model) planWord(updates []*score.Update) wordPlan {
	w := wordPlan{updates: updates, byRun: slices.Clone(updates)}
	slices.SortFunc(w.byRun, compareRuns)
	runs, singletons := runsOf(w.byRun)
	n := len(updates)
	mask := maskLength(updates[0].ID.Low(), updates[n-1].ID.Low())
	w.cost = m.groupCost(shape{kind: score.KindWord, updates: n, mask: mask})
	if singletons == n {
		return w
	}
	if c := m.groupCost(shape{kind: score.KindRuns, updates: n, runs: runs}); c.less(w.cost) {
		w.cost, w.how = c, oneRuns
	}
	if singletons == 0 {
		return w
	}
	c := m.groupCost(shape{kind: score.KindWord, updates: singletons, mask: mask})
	c = c.plus(m.groupCost(shape{kind: score.KindRuns, updates: n - singletons, runs: runs - singletons})).minus(m.dataCost(wordBytes))
	if c.less(w.cost) {
		w.cost, w.how = c, split
	}
	return w
}

func (w *wordPlan) groups(out []Group) []Group {
	switch w.how {
	case oneWord:
		return append(out, groupOf(score.KindWord, w.updates))
	case oneRuns:
		return append(out, groupOf(score.KindRuns, w.byRun))
	}
	var singletons, others []*score.Update
	for rest := w.byRun; len(rest) > 0; {
		n := sameRun(rest)
		if n == 1 {
			singletons = append(singletons, rest[0])
		} else {
			others = append(others, rest[:n]...)
		}
		rest = rest[n:]
	}
	slices.SortFunc(singletons, compareIDs)
	return append(out, groupOf(score.KindWord, singletons), groupOf(score.KindRuns, others))
}

func runsOf(updates []*score.Update) (runs, singletons int) {
	for len(updates) > 0 {
		n := sameRun(updates)
		runs += (n + maxRun - 1) / maxRun
		if n == 1 {
			singletons++
		}
		updates = updates[n:]
	}
	return runs, singletons
}

func sameRun(updates []*score.Update) int {
	return countFirst(updates, func(u *score.Update) bool { return sharesRun(updates[0], u) })
}

func sharesRun(a, b *score.Update) bool { return a.Target == b.Target && a.ScoreType == b.ScoreType }

func countFirst(updates []*score.Update, such func(*score.Update) bool) (n int) {
	for n < len(updates) && such(updates[n]) {
		n++
	}
	return n
}

func groupOf(kind score.Kind, updates []*score.Update) Group {
	g := Group{Project: updates[0].Project, Signer: updates[0].Signer, Kind: kind, Updates: make([]score.Update, len(updates))}
	for i, u := range updates {
		g.Updates[i] = *u
	}
	return g
}

func compareIDs(a, b *score.Update) int { return bytes.Compare(a.ID[:], b.ID[:]) }

func compareRuns(a, b *score.Update) int {
	if c := bytes.Compare(a.Target[:], b.Target[:]); c != 0 {
		return c
	}
	if c := cmp.Compare(a.ScoreType, b.ScoreType); c != 0 {
		return c
	}
	return compareIDs(a, b)
}
