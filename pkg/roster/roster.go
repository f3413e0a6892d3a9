package roster

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

type State string

const (
	Active  State = "active"  // owns buckets, assigns their updates
	Leaving State = "leaving" // hands its buckets over and settles its pending transactions
	Cut     State = "cut"     // its key is lost: no new signatures, else like Leaving
	Gone    State = "gone"
)

type Lane struct {
	ID     score.Lane     `json:"id"`
	Signer common.Address `json:"signer"`
	State  State          `json:"state"`
	// Dead is an operator's statement about a cut lane: its journaled transactions that are not final never will be.
	// Other lanes then assign the work of these transactions again.
	Dead bool `json:"dead,omitempty"`
}

// Driven reports whether the lane needs a relayer.
func (l Lane) Driven() bool { return l.State != Gone }

// Roster is every lane that a deployment ever had, and the lane that should own each bucket.
type Roster struct {
	Lanes  []Lane                    `json:"lanes"`  // Lanes[i].ID is i
	Owners [score.Buckets]score.Lane `json:"owners"` // by bucket
}

// Reasons to reject a change.
var (
	ErrSigner = errors.New("the signer belongs to a lane")
	ErrLast   = errors.New("it is the last active lane")
	ErrFull   = errors.New("no lane id is left")
	ErrState  = errors.New("the lane's state does not allow it")
	ErrNoLane = errors.New("there is no such lane")
)

// First returns a new deployment's roster: a lane per signer, with buckets by score.FirstOwner.
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

func (r Roster) Lane(id score.Lane) (Lane, bool) {
	if int(id) >= len(r.Lanes) {
		return Lane{}, false
	}
	return r.Lanes[id], true
}

// BySigner includes gone lanes.
func (r Roster) BySigner(signer common.Address) (Lane, bool) {
	for _, l := range r.Lanes {
		if l.Signer == signer {
			return l, true
		}
	}
	return Lane{}, false
}

func (r Roster) Wanted(id score.Lane) (buckets []score.Bucket) {
	for b, owner := range r.Owners {
		if owner == id {
			buckets = append(buckets, score.Bucket(b))
		}
	}
	return buckets
}

// Add adds a lane for a signer, with its share of buckets. It may be repeated: an active lane of the signer stays.
// Errors: ErrSigner, ErrFull.
func (r Roster) Add(signer common.Address) (Roster, score.Lane, error) {
	if l, found := r.BySigner(signer); found && l.State == Active {
		return r, l.ID, nil
	}
	r = r.clone()
	id, err := r.enter(signer)
	if err != nil {
		return r, 0, err
	}
	r.share()
	return r, id, nil
}

// Remove moves a lane's buckets to the others; the lane leaves. Before its first session a lane is cut instead, so that
// any relayer can end it, since all may lack its key. Remove may be repeated. Errors: ErrNoLane, ErrState, ErrLast.
func (r Roster) Remove(id score.Lane, driven bool) (Roster, error) {
	left := leaves(driven)
	switch l, found := r.Lane(id); {
	case found && (l.State == left || l.State == Gone):
		return r, nil
	case found && l.State == Leaving:
		return r.Cut(id, false)
	}
	return r.retire(id, left)
}

func leaves(driven bool) State {
	if driven {
		return Leaving
	}
	return Cut
}

// Replace moves all buckets of lane id to a new lane; lane id leaves, as by Remove. Replace may be repeated. Errors:
// ErrNoLane, ErrState, ErrSigner, ErrFull.
func (r Roster) Replace(id score.Lane, signer common.Address, driven bool) (Roster, score.Lane, error) {
	was, _ := r.Lane(id)
	if is, found := r.BySigner(signer); found && is.State == Active && is.ID > id && was.State != Active { // repeated
		if was.State != Leaving || driven {
			return r, is.ID, nil
		}
		r, err := r.Cut(id, false)
		return r, is.ID, err
	}
	if err := r.active(id, "replaced"); err != nil {
		return r, 0, err
	}
	r = r.clone()
	successor, err := r.enter(signer)
	if err != nil {
		return r, 0, err
	}
	r.Lanes[id].State = leaves(driven)
	for b, owner := range r.Owners {
		if owner == id {
			r.Owners[b] = successor
		}
	}
	return r, successor, nil
}

// Cut moves the buckets of a lane with a lost key to the others. dead sets Lane.Dead, also of a lane that is cut
// already, and never clears it. Errors: ErrNoLane, ErrState, ErrLast.
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

// Gone makes a lane Gone. The caller must know that its journal has no work left. Errors: ErrNoLane, ErrState.
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

// Wake makes a gone lane Cut, since another lane handed buckets or work to it while it left. A lane in another state
// stays as it is. Errors: ErrNoLane.
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

func (r Roster) clone() Roster {
	r.Lanes = slices.Clone(r.Lanes)
	return r
}

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

func (r Roster) Equal(other Roster) bool {
	return slices.Equal(r.Lanes, other.Lanes) && r.Owners == other.Owners
}
