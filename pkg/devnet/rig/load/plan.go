package load

import (
	"crypto/rand"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

type Place struct {
	Project    score.ProjectID
	SignedOnly bool // only signed groups are accepted
	Actions    []string
	ScoreType  string // the project's first
	Updaters   []*Wallet
	Stranger   *Wallet // a non-member
	Targets    []common.Address
}

func RandomTargets(n int) []common.Address {
	targets := make([]common.Address, n)
	for i := range targets {
		_, _ = rand.Read(targets[i][:])
	}
	return targets
}

// RandomID returns a random id, in a word of its own.
func RandomID() (id score.UpdateID) {
	_, _ = rand.Read(id[:])
	return id
}

// Update returns the n-th update, without an id.
func (p *Place) Update(n int) Update {
	action := n % len(p.Actions)
	return Update{
		Project: p.Project, Action: p.Actions[action], ActionIndex: uint8(action), ScoreType: p.ScoreType,
		Target: p.Targets[n%len(p.Targets)], Wallet: p.Updaters[n%len(p.Updaters)],
	}
}

type planned struct {
	place   *Place
	minters []*sdk.Minter // one per updater
	posts   []*Post
	made    []Update // in order, except those of the open group
	group   []Update
	groups  int
}

// Plan returns n updates in sending order. In each hundred, one repeats an earlier update and one is invalid. A third
// of the others (all, if the place is SignedOnly) is in signed groups. Half of the single updates and every third
// group have random ids; other ids are consecutive per signer.
func Plan(place *Place, n int) []*Post {
	p := &planned{place: place}
	for range place.Updaters {
		p.minters = append(p.minters, sdk.NewMinter())
	}
	for i := range n {
		last := i%100 == 99
		grouped := !last && i%100 != 50 && (place.SignedOnly || i%100 >= 60 && i%100 < 92)
		if !grouped || i%30 == 0 {
			p.closeGroup()
		}
		u := place.Update(i)
		switch {
		case i%100 == 50:
			again := p.made[i-40]
			again.Again = true
			p.add(&Post{Updates: []Update{again}, Signed: place.SignedOnly || i/100%2 == 1})
			continue
		case last:
			p.add(invalid(place, u, i/100))
			continue
		case grouped:
			p.group = append(p.group, u)
			continue
		case i%2 == 0:
			u.ID = RandomID()
		default:
			u.ID = p.minters[i%len(p.minters)].Next()
		}
		p.add(Alone(u))
	}
	p.closeGroup()
	return p.posts
}

func (p *planned) add(post *Post) {
	p.posts = append(p.posts, post)
	p.made = append(p.made, post.Updates...)
}

func (p *planned) closeGroup() {
	if len(p.group) == 0 {
		return
	}
	signer := p.groups % len(p.minters)
	Assign(p.group, p.place.Updaters[signer], p.minters[signer], p.groups%3 == 2)
	p.add(&Post{Updates: p.group, Signed: true})
	p.group, p.groups = nil, p.groups+1
}

// Assign sets the signer and the ids of up to 256 updates: random ids, or the minter's next ones. The minter panics
// on more.
func Assign(updates []Update, wallet *Wallet, minter *sdk.Minter, random bool) {
	next := RandomID
	if !random {
		ids, err := minter.Range(len(updates))
		if err != nil {
			panic(fmt.Sprintf("load: %v", err))
		}
		at := -1
		next = func() score.UpdateID { at++; return ids.At(at) }
	}
	for i := range updates {
		updates[i].Wallet, updates[i].ID = wallet, next()
	}
}

// invalid returns a post that the API must reject, for one of six reasons in turn.
func invalid(place *Place, u Update, turn int) *Post {
	u.ID, u.Invalid = RandomID(), true
	post := &Post{Signed: place.SignedOnly}
	switch turn % 6 {
	case 0:
		u.Action, u.ActionIndex = fmt.Sprintf("no such action %d", turn), uint8(len(place.Actions))
	case 1:
		u.ScoreType, u.TypeIndex = fmt.Sprintf("no such score type %d", turn), score.MaxScoreTypes
	case 2:
		u.Wallet = place.Stranger
	case 3:
		u.Wallet, post.Signed = place.Stranger, true
	case 4:
		post.Signed, post.Forged = true, true
	case 5:
		u.Target = common.Address{}
		if place.SignedOnly {
			post.Signed, u.Target = false, place.Targets[0] // valid except for its lack of a group
		}
	}
	post.Updates = []Update{u}
	return post
}
