package status

import (
	"context"
	"slices"
	"strings"

	"github.com/scorelay/scorelay/pkg/score"
)

// States are the states of updates as they are stored, in order, claims without their deadlines and tokens.
func (s *Store) States(ctx context.Context, refs []score.Ref) ([]string, error) {
	states := make([]string, len(refs))
	for i := range refs {
		p := s.placeOf(&refs[i])
		found, _, _, err := s.states(ctx, s.tableOf(refs[i].Project), []place{p})
		if err != nil {
			return nil, err
		}
		states[i] = found[p]
		if state := states[i]; state != "" && (state[0] == kindClaimed || state[0] == kindReclaimed) {
			states[i] = state[:1] + state[15:]
		}
	}
	return states, nil
}

// ClaimSingles makes a claim for each, with its token, in one call.
func (s *Store) ClaimSingles(ctx context.Context, refs []score.Ref, tokens []string) ([]string, error) {
	claims, answers := make([]*claim, len(refs)), make([]string, len(refs))
	for i := range refs {
		p := s.placeOf(&refs[i])
		claims[i] = &claim{items: []item{{p.name, p.index, p.index, 0}}, token: short(tokens[i]), bucket: score.BucketOf(refs[i].Project)}
	}
	err := s.claimAll(ctx, 0, slices.Clone(claims))
	for i, c := range claims {
		answers[i] = strings.ReplaceAll(string(c.answers), "p", "w")
	}
	return answers, err
}

// Share has so many share an entry at least.
func (s *Store) Share(least int) { s.least = least }

// Table is the key of a table.
func (s *Store) Table(i int) string { return s.table(i) }
