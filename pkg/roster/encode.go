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

type document struct {
	Version int `json:"version"`
	fields
}

type fields Roster

// MarshalJSON adds the version.
func (r Roster) MarshalJSON() ([]byte, error) { return json.Marshal(document{Version, fields(r)}) }

// UnmarshalJSON returns score.ErrNewer for a version that only a newer program reads.
func (r *Roster) UnmarshalJSON(data []byte) error {
	var form struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &form); err != nil {
		return err
	}
	if form.Version > Version {
		return fmt.Errorf("version %d, this program reads up to %d: %w", form.Version, Version, score.ErrNewer)
	}
	var d document
	if err := json.Unmarshal(data, &d, json.RejectUnknownMembers(true)); err != nil {
		return err
	}
	if err := Roster(d.fields).check(); err != nil {
		return fmt.Errorf("it contradicts itself: %w", err)
	}
	*r = Roster(d.fields)
	return nil
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
