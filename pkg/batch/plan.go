package batch

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// Plan groups updates into a batch, any number of them, in the way that costs least by the model. signed marks the
// signed groups among them: they ascend, do not overlap, and each is what EncodeBody takes. No updates give an empty batch.
func Plan(model *Model, updates []score.Update, signed []score.Signed) Batch {
	s := newSheet(model)
	for unit := range score.Units(updates, signed) {
		s.add(unit)
	}
	return s.batch()
}

// Single is the batch of one update outside signed groups.
func Single(u score.Update) Batch {
	return Batch{Groups: []Group{groupOf(score.KindWord, []score.Update{u})}}
}

// sheet keeps the account of a batch as it grows: which groups its updates will make, and what they cost at worst.
type sheet struct {
	model    *Model
	total    cost   // but for memory; with headers that name a project once and an owner's signer once
	action   uint64 // what reading a slot of actions costs, by a group of any kind
	updates  []score.Update
	projects map[score.ProjectID]*projectSheet
	slots    *storageSlots
}

// projectSheet has a project's groups. Rounds keep updates of one id apart: each is in a later round than the one before,
// and rounds follow each other in the batch, so the first to be added is the first the contract sees, by any signer.
type projectSheet struct {
	rounds map[score.UpdateID]int // where the next update of this id goes
	owners map[owner]*ownerSheet
}

// owner is whom groups of a project belong to that stand together.
type owner struct {
	round  int
	signer common.Address
}

// ownerSheet has an owner's groups. Words of few updates are small: they go to one KindFree group if that is cheaper than
// groups of their own.
type ownerSheet struct {
	words  map[score.Word]*wordSheet
	runs   map[wordRun]int // updates of each run of a word
	big    cost            // of the groups of words that are not small
	small  cost            // of the groups of small words, if each has its own
	free   shape           // of the KindFree group of the small words
	shared map[run]int     // updates of each run of that group
	signed []Group
}

type run struct {
	target    common.Address
	scoreType uint8
}

type wordRun struct {
	word *wordSheet
	run
}

// wordSheet has the unsigned updates of an owner's word.
type wordSheet struct {
	updates      []int32 // indexes into the sheet's
	first, last  byte    // low bytes
	runs, loners int     // loners are runs of one update
	pace         pace
}

func newSheet(model *Model) *sheet {
	return &sheet{
		model: model, total: model.baseCost(), action: max(model.Word.Action, model.Runs.Action, model.Free.Action),
		projects: map[score.ProjectID]*projectSheet{}, slots: newStorageSlots(),
	}
}

func runOf(u *score.Update) run { return run{u.Target, u.ScoreType} }

// owner finds or makes the place of a project's signer in a round.
func (s *sheet) owner(project score.ProjectID, o owner) *ownerSheet {
	p := s.project(project)
	found := p.owners[o]
	if found == nil {
		found = &ownerSheet{
			words: map[score.Word]*wordSheet{}, runs: map[wordRun]int{}, shared: map[run]int{}, free: shape{kind: score.KindFree},
		}
		p.owners[o] = found
		s.total = s.total.plus(s.model.dataCost(signerBytes))
		s.total.gas += s.model.Named + s.slots.chargeMember(s.model, project, o.signer)
	}
	return found
}

func (s *sheet) project(id score.ProjectID) *projectSheet {
	p := s.projects[id]
	if p == nil {
		p = &projectSheet{rounds: map[score.UpdateID]int{}, owners: map[owner]*ownerSheet{}}
		s.projects[id] = p
		s.total = s.total.plus(s.model.dataCost(projectBytes))
		s.total.gas += s.model.Project
	}
	return p
}

// add takes one more unit, and returns the word of an unsigned update, nil of a signed group.
func (s *sheet) add(unit score.Unit) *wordSheet {
	if unit.Signature != nil {
		s.addSigned(unit)
		return nil
	}
	return s.addUpdate(unit.Updates[0])
}

func (s *sheet) addUpdate(u score.Update) *wordSheet {
	p := s.project(u.Project)
	round := p.rounds[u.ID]
	p.rounds[u.ID] = round + 1
	o := s.owner(u.Project, owner{round, u.Signer})
	s.total = s.total.minus(o.unsigned(s.model))
	w := o.words[u.ID.Word()]
	if w == nil {
		w = &wordSheet{first: u.ID.Low(), last: u.ID.Low()}
		o.words[u.ID.Word()] = w
	} else {
		o.forget(s.model, w)
	}
	w.updates = append(w.updates, int32(len(s.updates)))
	s.updates = append(s.updates, u)
	o.count(w, &u)
	o.remember(s, w)
	s.total = s.total.plus(o.unsigned(s.model))
	s.total.gas += s.slots.chargeUpdate(s.model, &u, s.action)
	return w
}

func (s *sheet) addSigned(unit score.Unit) {
	updates, signature := slices.Clone(unit.Updates), *unit.Signature
	g := groupOf(unit.Kind, updates)
	g.Signature = &signature
	p := s.project(g.Project)
	round := 0
	for i := range updates {
		round = max(round, p.rounds[updates[i].ID])
	}
	o := s.owner(g.Project, owner{round, g.Signer})
	for i := range updates {
		p.rounds[updates[i].ID] = round + 1
		s.total.gas += s.slots.chargeUpdate(s.model, &updates[i], s.action)
	}
	o.signed = append(o.signed, g)
	s.updates = append(s.updates, updates...)
	shape := shapeOf(&g)
	s.total = s.total.plus(s.model.groupCost(shape)).plus(s.model.signatureCost(shape))
}

// groupCost is what a group costs beside its project, its signer and its slots.
func (m *Model) groupCost(s shape) cost {
	return m.headerCost(Header{SameProject: true, SameSigner: true}).plus(m.bodyCost(s))
}

// count notes another update in the runs of its word.
func (o *ownerSheet) count(w *wordSheet, u *score.Update) {
	key := wordRun{w, runOf(u)}
	n := o.runs[key]
	o.runs[key] = n + 1
	if n%maxRun == 0 {
		w.runs++
	}
	switch n {
	case 0:
		w.loners++
	case 1:
		w.loners--
	}
	w.first, w.last = min(w.first, u.ID.Low()), max(w.last, u.ID.Low())
}

// forget takes a word's groups out of the owner's account, before another update of it.
func (o *ownerSheet) forget(m *Model, w *wordSheet) {
	c, _ := m.cheapest(w)
	if m.small(len(w.updates)) {
		o.small = o.small.minus(c)
	} else {
		o.big = o.big.minus(c)
	}
}

// remember puts the word's groups into the owner's account, after another update of it. A word that has just become too
// many for the KindFree group leaves it.
func (o *ownerSheet) remember(s *sheet, w *wordSheet) {
	c, _ := s.model.cheapest(w)
	n := len(w.updates)
	switch {
	case s.model.small(n):
		o.small = o.small.plus(c)
		o.share(&s.updates[w.updates[n-1]])
	default:
		o.big = o.big.plus(c)
		if s.model.small(n - 1) {
			for _, i := range w.updates[:n-1] {
				o.unshare(&s.updates[i])
			}
		}
	}
}

func (o *ownerSheet) share(u *score.Update) {
	n := o.shared[runOf(u)]
	o.shared[runOf(u)] = n + 1
	o.free.updates++
	if n%maxRun == 0 {
		o.free.runs++
	}
}

func (o *ownerSheet) unshare(u *score.Update) {
	n := o.shared[runOf(u)] - 1
	o.shared[runOf(u)] = n
	o.free.updates--
	if n%maxRun == 0 {
		o.free.runs--
	}
}

// unsigned is what the owner's unsigned groups cost without their slots.
func (o *ownerSheet) unsigned(m *Model) cost {
	if o.frees(m) {
		return o.big.plus(m.groupCost(o.free))
	}
	return o.big.plus(o.small)
}

// frees tells whether the small words go to a KindFree group. If there are no other words, its updates are likely the
// first to read the slots of their actions.
func (o *ownerSheet) frees(m *Model) bool {
	free, own := m.groupCost(o.free), o.small
	if o.big == (cost{}) {
		free.gas += m.Free.Action
		own.gas += m.Word.Action
	}
	return o.free.updates > 0 && free.less(own)
}

// small tells whether a word of n updates might do better without a group of its own: if so many loners cost less in a
// KindFree group that is there anyway.
func (m *Model) small(n int) bool {
	if n < 1 || n > maxSmall {
		return n < 1
	}
	own := m.groupCost(shape{kind: score.KindWord, updates: n, mask: maxMask})
	free := m.bodyCost(shape{kind: score.KindFree, updates: n, runs: n}).minus(m.dataCost(runsHead))
	return free.less(own)
}

// maxSmall bounds small words, so that what leaves the KindFree group at once is little.
const maxSmall = 8

// layout says which groups a word's updates make if they have groups of their own.
type layout uint8

const (
	oneWord layout = iota // a KindWord group
	oneRuns               // a KindRuns group
	split                 // a KindWord group of loners and a KindRuns group of the others
)

// cheapest is the cheapest layout of a word, and its cost.
func (m *Model) cheapest(w *wordSheet) (best cost, how layout) {
	n := len(w.updates)
	mask := maskLength(w.first, w.last)
	best = m.groupCost(shape{kind: score.KindWord, updates: n, mask: mask})
	if w.loners == w.runs {
		return best, oneWord
	}
	if c := m.groupCost(shape{kind: score.KindRuns, updates: n, runs: w.runs}); c.less(best) {
		best, how = c, oneRuns
	}
	if w.loners == 0 {
		return best, how
	}
	c := m.groupCost(shape{kind: score.KindWord, updates: w.loners, mask: mask})
	c = c.plus(m.groupCost(shape{kind: score.KindRuns, updates: n - w.loners, runs: w.runs - w.loners})).minus(m.dataCost(wordBytes))
	if c.less(best) {
		best, how = c, split
	}
	return best, how
}

// batch makes the groups. Projects, the rounds of a project, the signers of a round, and the words of a signer ascend.
func (s *sheet) batch() Batch {
	var b Batch
	for _, id := range sorted(s.projects, func(a, b score.ProjectID) int { return bytes.Compare(a[:], b[:]) }) {
		owners := s.projects[id].owners
		for _, o := range sorted(owners, compareOwners) {
			b.Groups = owners[o].groups(s, b.Groups)
		}
	}
	return b
}

func compareOwners(a, b owner) int {
	return cmp.Or(cmp.Compare(a.round, b.round), a.signer.Cmp(b.signer))
}

func sorted[K comparable, V any](m map[K]V, compare func(a, b K) int) []K {
	keys := make([]K, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, compare)
	return keys
}

// groups appends the owner's groups.
func (o *ownerSheet) groups(s *sheet, out []Group) []Group {
	var free []score.Update
	frees := o.frees(s.model)
	for _, word := range sorted(o.words, func(a, b score.Word) int { return bytes.Compare(a[:], b[:]) }) {
		w := o.words[word]
		updates := make([]score.Update, len(w.updates))
		for i, at := range w.updates {
			updates[i] = s.updates[at]
		}
		if frees && s.model.small(len(updates)) {
			free = append(free, updates...)
			continue
		}
		out = o.wordGroups(s.model, w, updates, out)
	}
	slices.SortFunc(free, compareRuns)
	for some := range slices.Chunk(free, MaxGroup) {
		out = append(out, groupOf(score.KindFree, some))
	}
	return append(out, o.signed...)
}

// wordGroups appends the groups of a word that has its own.
func (o *ownerSheet) wordGroups(m *Model, w *wordSheet, updates []score.Update, out []Group) []Group {
	_, how := m.cheapest(w)
	var runs []score.Update
	switch how {
	case oneWord:
	case oneRuns:
		updates, runs = nil, updates
	case split:
		all := updates
		updates = nil
		for i := range all {
			if o.runs[wordRun{w, runOf(&all[i])}] == 1 {
				updates = append(updates, all[i])
			} else {
				runs = append(runs, all[i])
			}
		}
	}
	if len(updates) > 0 {
		slices.SortFunc(updates, compareIDs)
		out = append(out, groupOf(score.KindWord, updates))
	}
	if len(runs) > 0 {
		slices.SortFunc(runs, compareRuns)
		out = append(out, groupOf(score.KindRuns, runs))
	}
	return out
}

func groupOf(kind score.Kind, updates []score.Update) Group {
	return Group{Project: updates[0].Project, Signer: updates[0].Signer, Kind: kind, Updates: updates}
}

func compareIDs(a, b score.Update) int { return bytes.Compare(a.ID[:], b.ID[:]) }

// compareRuns brings together what may share a run.
func compareRuns(a, b score.Update) int {
	return cmp.Or(a.Target.Cmp(b.Target), cmp.Compare(a.ScoreType, b.ScoreType), compareIDs(a, b))
}
