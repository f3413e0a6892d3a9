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

// ClaimAtOnce makes claims, each with its token, in one call with a shared entry, and returns a letter for each reference, in the order of a claim's ids.
func (s *Store) ClaimAtOnce(ctx context.Context, refs [][]score.Ref, tokens []string, shared string) ([]string, error) {
	claims, answers := make([]*claim, len(refs)), make([]string, len(refs))
	for i, refs := range refs {
		at := make([]place, len(refs))
		for k := range refs {
			at[k] = s.placeOf(&refs[k])
		}
		items, _ := itemsOf(at, func(int) byte { return 0 })
		claims[i] = &claim{items: items, token: short(tokens[i]), bucket: score.BucketOf(refs[0].Project)}
	}
	err := s.claimAll(ctx, 0, slices.Clone(claims), shared)
	for i, c := range claims {
		answers[i] = strings.ReplaceAll(string(c.answers), "p", "w")
	}
	return answers, err
}

// NewShared is the id of a shared entry.
func NewShared() string { return newShared() }

// Share has so many share an entry at least.
func (s *Store) Share(least int) { s.least = least }

// Table is the key of a table.
func (s *Store) Table(i int) string { return s.table(i) }
