package batch

import (
	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// Kind says how a group's records carry their ids: the contract's kind byte.
type Kind uint8

// The kinds.
const (
	Word Kind = 1 // all ids share one word, written once; each record has the id's last byte
	Free Kind = 2 // each record has its whole id
)

// MaxGroup is the most updates one group can hold; its count is two bytes.
const MaxGroup = 1<<16 - 1

// wordWorth is how many updates of one word make a group of their own pay: below, the group's header costs more than
// writing the ids out.
const wordWorth = 3

// Group is a run of updates with the same project and signer, and in a Word group the same word of their ids.
type Group struct {
	Project score.ProjectID
	Signer  common.Address
	Kind    Kind
	Word    score.Word // zero in a Free group
	Updates []score.Update
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

// Of groups updates into a batch, whatever their number: all ids of one project, signer and word together if they
// are enough to pay for a group of their own (or are all there is of that project and signer), the others of
// that project and signer in one Free group. No updates give an empty batch.
func Of(updates []score.Update) Batch {
	owners := map[owner]*tally{}
	words := map[ownerWord]int{}
	for i := range updates {
		key := wordOf(&updates[i])
		if owners[key.owner] == nil {
			owners[key.owner] = &tally{}
		}
		owners[key.owner].move(words[key])
		words[key]++
	}

	var b Batch
	at := map[ownerWord]int{} // a Free group stands under the zero word and free = true
	for i := range updates {
		u := &updates[i]
		key := wordOf(u)
		kind := Word
		if words[key] < wordWorth && owners[key.owner].smallWords > 1 {
			kind = Free
			key = ownerWord{owner: key.owner, free: true}
		}
		index, found := at[key]
		if !found || len(b.Groups[index].Updates) == MaxGroup {
			index = len(b.Groups)
			at[key] = index
			b.Groups = append(b.Groups, Group{Project: u.Project, Signer: u.Signer, Kind: kind, Word: key.word})
		}
		b.Groups[index].Updates = append(b.Groups[index].Updates, *u)
	}
	return b
}

// owner is who a group belongs to.
type owner struct {
	project score.ProjectID
	signer  common.Address
}

type ownerWord struct {
	owner
	word score.Word
	free bool
}

func wordOf(u *score.Update) ownerWord {
	return ownerWord{owner: owner{u.Project, u.Signer}, word: u.ID.Word()}
}

// tally counts one owner's words and updates: big words have at least wordWorth updates, small ones fewer.
type tally struct {
	bigWords, bigUpdates     int
	smallWords, smallUpdates int
}

// move counts one more update of a word that had n.
func (t *tally) move(n int) {
	switch {
	case n >= wordWorth:
		t.bigUpdates++
	case n == wordWorth-1:
		t.bigWords++
		t.bigUpdates += wordWorth
		t.smallWords--
		t.smallUpdates -= n
	case n == 0:
		t.smallWords++
		t.smallUpdates++
	default:
		t.smallUpdates++
	}
}
