package batch

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// MaxGroup bounds the runs of a group, as their count has two bytes, and the updates of a planned group.
const MaxGroup = 1<<16 - 1

type Group struct {
	Project   score.ProjectID
	Signer    common.Address
	Kind      score.Kind
	Updates   []score.Update        // at least one
	Signature *score.GroupSignature // of Signer over the group's body; nil: unsigned
}

// Word returns the word of the ids; ok is false for KindFree.
func (g *Group) Word() (word score.Word, ok bool) {
	if g.Kind == score.KindFree || len(g.Updates) == 0 {
		return word, false
	}
	return g.Updates[0].ID.Word(), true
}

type Batch struct {
	Groups []Group
}

func (b Batch) Len() int {
	n := 0
	for i := range b.Groups {
		n += len(b.Groups[i].Updates)
	}
	return n
}

func (b Batch) Updates() []score.Update {
	out := make([]score.Update, 0, b.Len())
	for i := range b.Groups {
		out = append(out, b.Groups[i].Updates...)
	}
	return out
}

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

// Halves splits the batch by units, in order. An odd unit goes to the second half. If the batch has two units or
// more, both halves have some.
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

// Pick returns a batch of the updates that keep marks as true. It panics unless keep has a mark for each of Updates.
// A signed group stays whole if any of it is kept.
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

func (b *Batch) take(g Group, updates []score.Update) {
	if len(updates) == 0 {
		return
	}
	g.Updates = updates
	b.Groups = append(b.Groups, g)
}

// Header marks the parts of a group's header that repeat the one before, and are omitted.
type Header struct {
	SameProject, SameSigner bool
	// SameWord: as in the last group with a word; false for a signed group, which has a whole body.
	SameWord bool
}

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
