package status

import (
	"context"

	"github.com/scorelay/scorelay/pkg/score"
)

// States are the states of updates as they are stored, in order, claims without their deadlines.
func (s *Store) States(ctx context.Context, refs []score.Ref) ([]string, error) {
	states := make([]string, len(refs))
	for i := range refs {
		n, index := nameOf(&refs[i])
		runs, _, _, err := s.runs(ctx, s.tableOf(refs[i].Project), []name{n})
		if err != nil {
			return nil, err
		}
		if states[i], err = stateAt(runs[n], index); err != nil {
			return nil, err
		}
		if state := states[i]; state != "" && (state[0] == kindClaimed || state[0] == kindReclaimed) {
			states[i] = state[:1] + state[7:]
		}
	}
	return states, nil
}

// Table is the key of a table.
func (s *Store) Table(i int) string { return s.table(i) }
