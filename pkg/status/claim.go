package status

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
)

// NewToken is a token for claims that no other process has.
func NewToken() string { return rand.Text() }

// claim is what one accept claims.
type claim struct {
	items   []item
	token   string
	bucket  score.Bucket // of the project
	answers []byte       // a letter for each index of the items, in order
}

// Claim asks for 1 … score.MaxSigned updateIds of one project at once, for one accept. It answers for each, in order: all that no
// update was accepted under are won together; or none is, because one is busy, and then they are answered empty. So a
// caller that waits for one id holds none that others wait for. The token names the claims; its process may make the
// same again with it.
//
// What is claimed while an exchange with Redis is under way goes with the next, in one script call.
func (s *Store) Claim(ctx context.Context, refs []score.Ref, token string) ([]score.Claim, error) {
	at := make([]place, len(refs))
	for i := range refs {
		at[i] = s.placeOf(&refs[i])
	}
	items, order := itemsOf(at, func(int) byte { return 0 })
	c := &claim{items: items, token: short(token), bucket: score.BucketOf(refs[0].Project)}
	if err := s.claims[s.tableOf(refs[0].Project)].Do(ctx, c, len(items)); err != nil {
		return nil, err
	}
	claims := make([]score.Claim, len(refs))
	for i, ref := range order {
		switch c.answers[i] {
		case 'w', 'p':
			claims[ref] = score.ClaimWon
		case 'b':
			claims[ref] = score.ClaimBusy
		case 'd':
			claims[ref] = score.ClaimDuplicate
		}
	}
	return claims, nil
}

// single tells whether it is of one id.
func (c *claim) single() bool { return len(c.items) == 1 && c.items[0].first == c.items[0].last }

// claimAll makes the claims of many accepts: those of one id first, in the order of the table, since neighbours cost less together;
// then those of more, each all or none. shared is the id of a new entry, which has the single ones by lane and in the order in which they came: what will change
// together.
func (s *Store) claimAll(ctx context.Context, table int, claims []*claim, shared string) error {
	slices.SortStableFunc(claims, func(a, b *claim) int {
		switch {
		case a.single() && !b.single():
			return -1
		case b.single() && !a.single():
			return 1
		}
		return cmp.Compare(a.bucket, b.bucket)
	})
	arguments := make([]string, len(claims), len(claims)+2)
	var items []item
	singles := 0
	for i, c := range claims {
		arguments[i] = c.token
		if c.single() {
			singles++
			arguments[i] = s.held(place{c.items[0].name, c.items[0].first}, c.token)
		}
		for _, it := range c.items {
			it.argument = byte(i)
			items = append(items, it)
		}
	}
	slices.SortStableFunc(items[:singles], func(a, b item) int { return a.compare(&b) })
	if !s.share(items) {
		shared = ""
	}
	until := time.Now().Add(s.near())
	arguments = append(arguments, strconv.Itoa(singles), shared)
	answers, err := s.exchange(ctx, "claim updates", s.writes("claim", table, items, false, arguments))
	if err != nil {
		return err
	}
	text, err := answers[0].Text()
	for i, it := range items {
		n := int(it.last) - int(it.first) + 1
		if err != nil || len(text) < n {
			return fmt.Errorf("couldn't claim updates: %w", redisdb.BadData("too short an answer: %v", err))
		}
		c := claims[it.argument]
		if text[0] == 'p' {
			at := sharedPlace{place{sharedName(shared), byte(i)}, until, ""}
			if i < singles {
				at.index, at.token = it.argument, c.token
			}
			s.shared.Add(place{it.name, it.first}, at)
		}
		c.answers, text = append(c.answers, text[:n]...), text[n:]
	}
	return nil
}

// Release gives the token's claims among the updateIds back after a failed accept; all else stays as it is.
func (s *Store) Release(ctx context.Context, refs []score.Ref, token string) error {
	return s.move(ctx, moving{what: "release claims", move: "release", argument: func(_ int, own place) string {
		return s.held(own, short(token))
	}}, refs)
}
