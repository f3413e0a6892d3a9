package status

import (
	"context"

	"github.com/scorelay/scorelay/pkg/score"
)

// States are the states of updates as they are stored, in order, claims without their deadlines.
func (s *Store) States(ctx context.Context, refs []score.Ref) ([]string, error) {
	states := make([]string, len(refs))
	for i := range refs {
		p := s.placeOf(&refs[i])
		found, _, err := s.states(ctx, s.tableOf(refs[i].Project), []place{p})
		if err != nil {
			return nil, err
		}
		states[i] = found[p]
		if state := states[i]; state != "" && state[0]|0x20 == kindClaimed {
			states[i] = state[:1] + state[7:]
		}
	}
	return states, nil
}

// Table is the key of a table.
func (s *Store) Table(i int) string { return s.table(i) }
