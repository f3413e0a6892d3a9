package batch

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// MaxGroup is the most runs one group can hold, and the most updates a planned one does; its count is two bytes.
const MaxGroup = 1<<16 - 1

// Group is updates of one project and signer that are written together, in one way.
type Group struct {
	Project   score.ProjectID
	Signer    common.Address
	Kind      score.Kind
	Updates   []score.Update        // at least one
	Signature *score.GroupSignature // of Signer over the group's body; nil of a group without one
}

// Word is the one word of the ids of a KindWord or KindRuns group; ok is false of a KindFree group.
func (g *Group) Word() (word score.Word, ok bool) {
	if g.Kind == score.KindFree || len(g.Updates) == 0 {
		return word, false
	}
	return g.Updates[0].ID.Word(), true
}

// Batch is the ordered updates of one transaction.
type Batch struct {
	Groups []Group
}

// Len is the number of updates.
func (b Batch) Len() int {
	n := 0
	for i := range b.Groups {
		n += len(b.Groups[i].Updates)
	}
	return n
}

// Updates are the batch's updates in the order of the contract's outcomes.
func (b Batch) Updates() []score.Update {
	out := make([]score.Update, 0, b.Len())
	for i := range b.Groups {
		out = append(out, b.Groups[i].Updates...)
	}
	return out
}

// Units is the number of score.Units of the batch: what cannot be split further.
func (b Batch) Units() int {
	n := 0
	for i := range b.Groups {
		n += b.Groups[i].units()
	}
	return n
}

func (g *Group) units() int {
	if g.Signature != nil {
		return 1
	}
	return len(g.Updates)
}

// Halves splits the batch by units, in order; with an odd number of units the second half has one more. Neither is empty
// if there are at least two units.
func (b Batch) Halves() [2]Batch {
	var halves [2]Batch
	first := b.Units() / 2
	for _, g := range b.Groups {
		cut := min(first, g.units())
		first -= cut
		if g.Signature != nil {
			cut *= len(g.Updates)
		}
		halves[0].take(g, g.Updates[:cut])
		halves[1].take(g, g.Updates[cut:])
	}
	return halves
}

// Pick keeps those updates for which keep is true, in order; keep has one entry for each of Updates(). A signed group
// stays whole if any of it is kept.
func (b Batch) Pick(keep []bool) Batch {
	if len(keep) != b.Len() {
		panic(fmt.Sprintf("batch: %d marks for %d updates", len(keep), b.Len()))
	}
	var out Batch
	for _, g := range b.Groups {
		marks := keep[:len(g.Updates)]
		keep = keep[len(marks):]
		var kept []score.Update
		for i := range marks {
			if marks[i] {
				kept = append(kept, g.Updates[i])
			}
		}
		if g.Signature != nil && len(kept) > 0 {
			kept = g.Updates
		}
		out.take(g, kept)
	}
	return out
}

// take appends the group with only these of its updates, if there are any.
func (b *Batch) take(g Group, updates []score.Update) {
	if len(updates) == 0 {
		return
	}
	g.Updates = updates
	b.Groups = append(b.Groups, g)
}

// Header says what a group need not repeat, being the same as before. The encoding leaves out all that it may.
type Header struct {
	SameProject, SameSigner bool // as those of the group before
	SameWord                bool // as that of the last group with a word; never of a signed group, whose body is whole
}

// Headers are the headers of the batch's groups.
func (b Batch) Headers() []Header {
	headers := make([]Header, len(b.Groups))
	var before *Group
	var last score.Word
	worded := false
	for i := range b.Groups {
		g := &b.Groups[i]
		if before != nil {
			headers[i].SameProject = g.Project == before.Project
			headers[i].SameSigner = g.Signer == before.Signer
		}
		if word, ok := g.Word(); ok {
			headers[i].SameWord = worded && word == last && g.Signature == nil
			last, worded = word, true
		}
		before = g
	}
	return headers
}
