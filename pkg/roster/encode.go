package roster

import (
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/go-json-experiment/json"

	"github.com/scorelay/scorelay/pkg/score"
)

// Version is the format that this program writes, and the newest that it reads.
const Version = 1

type stored struct {
	Version int `json:"version"`
	Roster
}

func (r Roster) Encode() ([]byte, error) {
	data, err := json.Marshal(stored{Version, r})
	if err != nil {
		return nil, fmt.Errorf("couldn't encode the roster of lanes: %w", err)
	}
	return data, nil
}

// Decode returns score.ErrNewer for a version that only a newer program reads.
func Decode(data []byte) (Roster, error) {
	var form struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &form); err != nil {
		return Roster{}, fmt.Errorf("couldn't decode the roster of lanes: %w", err)
	}
	if form.Version > Version {
		return Roster{}, fmt.Errorf("the roster of lanes has version %d, this program reads up to %d: %w", form.Version, Version, score.ErrNewer)
	}
	var s stored
	if err := json.Unmarshal(data, &s, json.RejectUnknownMembers(true)); err != nil {
		return Roster{}, fmt.Errorf("couldn't decode the roster of lanes: %w", err)
	}
	if err := s.check(); err != nil {
		return Roster{}, fmt.Errorf("the roster of lanes contradicts itself: %w", err)
	}
	return s.Roster, nil
}

func (r Roster) check() error {
	if len(r.Lanes) > score.MaxLanes {
		return fmt.Errorf("%d lanes are more than %d", len(r.Lanes), score.MaxLanes)
	}
	signers := map[common.Address]bool{}
	for i, l := range r.Lanes {
		switch {
		case int(l.ID) != i:
			return fmt.Errorf("lane %d stands in place %d", l.ID, i)
		case signers[l.Signer]:
			return fmt.Errorf("%s signs for two lanes", l.Signer)
		case !slices.Contains([]State{Active, Leaving, Cut, Gone}, l.State):
			return fmt.Errorf("lane %d has the unknown state %q", l.ID, l.State)
		}
		signers[l.Signer] = true
	}
	for b, owner := range r.Owners {
		if l, found := r.Lane(owner); !found || l.State != Active {
			return fmt.Errorf("bucket %d shall belong to lane %d, which is not active", b, owner)
		}
	}
	return nil
}
