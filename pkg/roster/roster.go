package roster

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// State is where in its life a lane is.
type State string

// The states of a lane.
const (
	Active  State = "active"  // owns buckets, binds what is in them
	Leaving State = "leaving" // gives its buckets away and settles its slots
	Cut     State = "cut"     // its key is lost: nothing new is signed, all else is as in Leaving
	Gone    State = "gone"    // its journal says that nothing is left to do
)

// Lane is one signer and what it shall do.
type Lane struct {
	ID     score.Lane     `json:"id"`
	Signer common.Address `json:"signer"`
	State  State          `json:"state"`
	// Dead says of a lane that was cut that its journaled transactions which are not final will never be: an operator's word,
	// on which other lanes bind their work again.
	Dead bool `json:"dead,omitempty"`
}

// Driven tells whether a relayer has something to do for the lane.
func (l Lane) Driven() bool { return l.State != Gone }

// Roster is every lane that a deployment ever had, and the lane that shall own each bucket.
type Roster struct {
	Lanes  []Lane                    `json:"lanes"`  // by id: Lanes[i].ID is i
	Owners [score.Buckets]score.Lane `json:"owners"` // by bucket
}

// What a change is refused for; the errors say the rest.
var (
	ErrSigner = errors.New("the signer belongs to a lane")
	ErrLast   = errors.New("it is the last active lane")
	ErrFull   = errors.New("no lane id is left")
	ErrState  = errors.New("the lane's state does not allow it")
	ErrNoLane = errors.New("there is no such lane")
)

// First is the roster of a new deployment: a lane for each signer, in order, buckets by score.FirstOwner.
func First(signers []common.Address) (Roster, error) {
	var r Roster
	if len(signers) == 0 || len(signers) > score.MaxLanes {
		return r, fmt.Errorf("a deployment begins with 1 to %d lanes, %d signers are named", score.MaxLanes, len(signers))
	}
	for _, signer := range signers {
		if _, err := r.enter(signer); err != nil {
			return Roster{}, err
		}
	}
	for b := range r.Owners {
		r.Owners[b] = score.FirstOwner(score.Bucket(b), len(signers))
	}
	return r, nil
}

// Lane finds a lane.
func (r Roster) Lane(id score.Lane) (Lane, bool) {
	if int(id) >= len(r.Lanes) {
		return Lane{}, false
	}
	return r.Lanes[id], true
}

// BySigner finds the lane of a signer, one that is gone too.
func (r Roster) BySigner(signer common.Address) (Lane, bool) {
	for _, l := range r.Lanes {
		if l.Signer == signer {
			return l, true
		}
	}
	return Lane{}, false
}

// Wanted are the buckets that a lane shall own.
func (r Roster) Wanted(id score.Lane) (buckets []score.Bucket) {
	for b, owner := range r.Owners {
		if owner == id {
			buckets = append(buckets, score.Bucket(b))
		}
	}
	return buckets
}

// Add enters a lane for a signer and gives it its share. Errors: ErrSigner, ErrFull.
func (r Roster) Add(signer common.Address) (Roster, score.Lane, error) {
	r = r.clone()
	id, err := r.enter(signer)
	if err != nil {
		return r, 0, err
	}
	r.share()
	return r, id, nil
}

// Remove has a lane give its buckets to the others and leave. Errors: ErrNoLane, ErrState, ErrLast.
func (r Roster) Remove(id score.Lane) (Roster, error) {
	return r.retire(id, Leaving)
}

// Replace enters a lane for a signer, gives it every bucket of lane id, and has that one leave. The share of the others stays as
// it is. Errors: ErrNoLane, ErrState, ErrSigner, ErrFull.
func (r Roster) Replace(id score.Lane, signer common.Address) (Roster, score.Lane, error) {
	if err := r.active(id, "replaced"); err != nil {
		return r, 0, err
	}
	r = r.clone()
	successor, err := r.enter(signer)
	if err != nil {
		return r, 0, err
	}
	r.Lanes[id].State = Leaving
	for b, owner := range r.Owners {
		if owner == id {
			r.Owners[b] = successor
		}
	}
	return r, successor, nil
}

// Cut has a lane whose key is lost give its buckets to the others, driven without the key. dead is Lane.Dead; it may be said
// later, and is not taken back. Errors: ErrNoLane, ErrState, ErrLast.
func (r Roster) Cut(id score.Lane, dead bool) (Roster, error) {
	l, found := r.Lane(id)
	var err error
	switch {
	case !found:
		return r, r.noLane(id)
	case l.State == Gone:
		return r, fmt.Errorf("lane %d is gone, nothing of it is left to cut: %w", id, ErrState)
	case l.State == Active:
		r, err = r.retire(id, Cut)
	default:
		r = r.clone()
	}
	if err != nil {
		return r, err
	}
	r.Lanes[id].State = Cut
	r.Lanes[id].Dead = l.Dead || dead
	return r, nil
}

// Gone ends the life of a lane that has nothing left, which its journal must say. Errors: ErrNoLane, ErrState.
func (r Roster) Gone(id score.Lane) (Roster, error) {
	l, found := r.Lane(id)
	switch {
	case !found:
		return r, r.noLane(id)
	case l.State == Active:
		return r, fmt.Errorf("lane %d is active, remove it first: %w", id, ErrState)
	}
	r = r.clone()
	r.Lanes[id].State = Gone
	return r, nil
}

// Wake has a lane that is gone driven again, without its key: another lane gave it something while it went. Others stay as they
// are. Errors: ErrNoLane.
func (r Roster) Wake(id score.Lane) (Roster, error) {
	l, found := r.Lane(id)
	switch {
	case !found:
		return r, r.noLane(id)
	case l.State != Gone:
		return r, nil
	}
	r = r.clone()
	r.Lanes[id].State = Cut
	return r, nil
}

// clone is a copy that may be changed.
func (r Roster) clone() Roster {
	r.Lanes = slices.Clone(r.Lanes)
	return r
}

// enter appends an active lane without buckets.
func (r *Roster) enter(signer common.Address) (score.Lane, error) {
	if signer == (common.Address{}) {
		return 0, errors.New("the signer's address is zero")
	}
	if l, taken := r.BySigner(signer); taken {
		return 0, fmt.Errorf("%s is the signer of lane %d, which is %s, and a signer has one lane for life; name another address: %w",
			signer, l.ID, l.State, ErrSigner)
	}
	if len(r.Lanes) == score.MaxLanes {
		return 0, fmt.Errorf("all %d lane ids were used, and none is used again; set up a new deployment: %w", score.MaxLanes, ErrFull)
	}
	id := score.Lane(len(r.Lanes))
	r.Lanes = append(r.Lanes, Lane{ID: id, Signer: signer, State: Active})
	return id, nil
}

// retire takes a lane's buckets.
func (r Roster) retire(id score.Lane, state State) (Roster, error) {
	verb := "removed"
	if state == Cut {
		verb = "cut"
	}
	if err := r.active(id, verb); err != nil {
		return r, err
	}
	if len(r.actives()) == 1 {
		return r, fmt.Errorf("no other lane could take the buckets of lane %d; add a lane first (scorelay lanes add): %w", id, ErrLast)
	}
	r = r.clone()
	r.Lanes[id].State = state
	r.share()
	return r, nil
}

// active fails unless the lane is.
func (r Roster) active(id score.Lane, verb string) error {
	l, found := r.Lane(id)
	switch {
	case !found:
		return r.noLane(id)
	case l.State != Active:
		return fmt.Errorf("lane %d is %s and cannot be %s: %w", id, l.State, verb, ErrState)
	}
	return nil
}

func (r Roster) noLane(id score.Lane) error {
	return fmt.Errorf("lane %d: %w; the deployment's are 0 to %d", id, ErrNoLane, len(r.Lanes)-1)
}

func (r Roster) actives() (ids []score.Lane) {
	for _, l := range r.Lanes {
		if l.State == Active {
			ids = append(ids, l.ID)
		}
	}
	return ids
}

// Equal tells whether two rosters say the same.
func (r Roster) Equal(other Roster) bool {
	return slices.Equal(r.Lanes, other.Lanes) && r.Owners == other.Owners
}
