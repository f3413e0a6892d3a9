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

// NewToken is a token for claims that no other process has.
func NewToken() string { return rand.Text() }

// claim is what one accept claims.
type claim struct {
	items   []item
	token   string
	answers []byte // a letter for each index of the items, in order
}

// Claim asks for 1 … score.MaxSigned updateIds of one project at once, for one accept. It answers for each, in order: all that no
// update was accepted under are won together; or none is, because one is busy, and then they are answered empty. So a
// caller that waits for one id holds none that others wait for. The token names the claims; the same one may claim again.
//
// What is claimed while an exchange with Redis is under way goes with the next, in one script call.
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

// claimAll makes the claims of many accepts: those of one id first, in the order of the table, since neighbours cost less together;
// then those of more, each all or none.
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

// Release gives the token's claims among the updateIds back after a failed accept; all else stays as it is.
func (s *Store) Release(ctx context.Context, refs []score.Ref, token string) error {
	return s.move(ctx, "release claims", "release", refs, always(short(token)))
}
