package status

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
)

func NewToken() string { return rand.Text() }

type claim struct {
	items   []item
	token   string
	answers []byte // a letter per index of the items
}

// Claim claims 1 … score.MaxSigned updateIds of one project for one accept, and returns an answer per id. All ids
// without an accepted update are won together. If one is busy, none is won, and the other answers are empty, so that
// no caller waits for an id while it holds another. The same token may claim again. Claims that arrive during an
// exchange with Redis share the next script call.
func (s *Store) Claim(ctx context.Context, refs []score.Ref, token string) ([]score.Claim, error) {
	items, order := s.itemsOf(refs, func(int) byte { return 0 })
	c := &claim{items: items, token: short(token)}
	if err := s.claims[s.tableOf(refs[0].Project)].Do(ctx, c, len(items)); err != nil {
		return nil, err
	}
	claims := make([]score.Claim, len(refs))
	for i, ref := range order {
		switch c.answers[i] {
		case 'w':
			claims[ref] = score.ClaimWon
		case 'b':
			claims[ref] = score.ClaimBusy
		case 'd':
			claims[ref] = score.ClaimDuplicate
		}
	}
	return claims, nil
}

// claimAll makes single claims first, in the table's order: neighbours cost less together.
func (s *Store) claimAll(ctx context.Context, table int, claims []*claim) error {
	arguments := make([]string, len(claims), len(claims)+1)
	var single, together []item
	for i, c := range claims {
		arguments[i] = c.token
		to := &together
		if len(c.items) == 1 && c.items[0].first == c.items[0].last {
			to = &single
		}
		for _, it := range c.items {
			it.argument = byte(i)
			*to = append(*to, it)
		}
	}
	slices.SortStableFunc(single, func(a, b item) int { return a.compare(&b) })
	items := slices.Concat(single, together)
	answers, err := s.exchange(ctx, "claim updates", s.writes("claim", table, items, append(arguments, strconv.Itoa(len(single)))))
	if err != nil {
		return err
	}
	text, err := answers[0].Text()
	for _, it := range items {
		n := int(it.last) - int(it.first) + 1
		if err != nil || len(text) < n {
			return fmt.Errorf("couldn't claim updates: %w", redisdb.BadData("too short an answer: %v", err))
		}
		c := claims[it.argument]
		c.answers, text = append(c.answers, text[:n]...), text[n:]
	}
	return nil
}

// Release undoes the token's claims; other states stay.
func (s *Store) Release(ctx context.Context, refs []score.Ref, token string) error {
	return s.move(ctx, "release claims", "release", refs, always(short(token)))
}
