package apikey

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

const (
	maxRate = 1_000_000
	maxGas  = 1_000_000_000_000_000 - 1 // largest number in an HTTP header (RFC 9651); for gwei, too

	maxProjects = 1000 // per key: every API keeps the record in memory
)

// Terms are the limits and rights of a key. In the zero value, the API's defaults apply.
type Terms struct {
	Rate    int        `json:"rate,omitempty"`            // updates per second; 0: the API's default
	LookUps int        `json:"lookUps,omitempty"`         // per second; 0: the API's default
	Gas     uint64     `json:"gasPerDay,omitempty"`       // per UTC day; 0: the API's default
	Ether   score.Gwei `json:"gweiPerDay,omitempty"`      // per UTC day, beside gas; 0: no limit
	Creates uint64     `json:"createGasPerDay,omitempty"` // per UTC day, for creations and edits; 0: no limit
	Words   uint64     `json:"wordsPerDay,omitempty"`     // distinct id words per UTC day; 0: no limit
	Wallets uint64     `json:"walletsPerDay,omitempty"`   // distinct wallets per UTC day; 0: no limit
	Rights  []string   `json:"rights,omitempty"`          // of Rights; empty: all

	Projects []score.ProjectID `json:"projects,omitempty"`        // the key's projects; empty: all
	Whole    bool              `json:"wholeSignatures,omitempty"` // refuses signatures that cover only the time
	Expires  *time.Time        `json:"expires,omitempty"`         // nil: never
}

// CallerTerms returns the default terms of a new key: 500 updates a second all day, if their ids count up. They limit
// work that costs many times as much: per day 5,000 small projects, a million random ids and a million new wallets.
func CallerTerms() Terms {
	return Terms{Rate: 500, LookUps: 50, Creates: 1_000_000_000, Words: 1_000_000, Wallets: 1_000_000}
}

// ErrTerms is wrapped with the reason.
var ErrTerms = errors.New("a key cannot have these terms")

// In display order.
var rights = []struct {
	name string
	is   score.Rights
}{{"create", score.MayCreate}, {"update", score.MayUpdate}, {"read", score.MayRead}}

func Rights() []string {
	names := make([]string, len(rights))
	for i, r := range rights {
		names[i] = r.name
	}
	return names
}

// ParseExpiry parses a time, a duration from now, or "never" (nil). Errors: ErrTerms.
func ParseExpiry(text string, now time.Time) (*time.Time, error) {
	if text == "never" {
		return nil, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if after, wrong := time.ParseDuration(text); wrong == nil {
		at, err = now.Add(after), nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: it expires at a time like 2027-01-31T00:00:00Z, after a duration like 720h, or never, not %q", ErrTerms, text)
	}
	at = at.UTC().Truncate(time.Second)
	return &at, nil
}

// ParseEther parses 0 or at least a gwei, and rounds to gwei. Errors: ErrTerms.
func ParseEther(text string) (score.Gwei, error) {
	ether, err := strconv.ParseFloat(text, 64)
	gwei := math.Round(ether * 1e9)
	if err != nil || !(gwei >= 0 && gwei <= maxGas) || (gwei == 0) != (ether == 0) {
		return 0, fmt.Errorf("%w: its budget must be 0 (none) or 0.000000001 to %s ether per day, not %q", ErrTerms, score.Gwei(maxGas), text)
	}
	return score.Gwei(gwei), nil
}

func (t *Terms) check() error {
	switch {
	case t.Rate < 0 || t.Rate > maxRate:
		return fmt.Errorf("%w: its rate must be 0 (the API's default) to %d updates per second", ErrTerms, maxRate)
	case t.LookUps < 0 || t.LookUps > maxRate:
		return fmt.Errorf("%w: its rate of look-ups must be 0 (the API's default) to %d per second", ErrTerms, maxRate)
	case t.Ether > maxGas:
		return fmt.Errorf("%w: its budget must be at most %s ether per day", ErrTerms, score.Gwei(maxGas))
	case max(t.Gas, t.Creates, t.Words, t.Wallets) > maxGas:
		return fmt.Errorf("%w: a bound of gas, words or wallets must be at most %d per day", ErrTerms, uint64(maxGas))
	}
	if len(t.Projects) > maxProjects {
		return fmt.Errorf("%w: it may be bound to %d projects at most", ErrTerms, maxProjects)
	}
	for _, name := range t.Rights {
		if !slices.Contains(Rights(), name) {
			return fmt.Errorf("%w: rights are %s, not %q", ErrTerms, strings.Join(Rights(), ", "), name)
		}
	}
	return nil
}

func (k *Key) grant() *score.Grant {
	g := &score.Grant{Key: k.ID, Name: k.Name, Budget: score.Budget{
		Updates: k.Rate, LookUps: k.LookUps, Gas: k.Gas, Gwei: uint64(k.Ether), Creates: k.Creates, Words: k.Words, Wallets: k.Wallets,
	}, Whole: k.Whole}
	if k.Expires != nil {
		g.Expires = *k.Expires
	}
	if len(k.Projects) > 0 {
		g.Projects = make(map[score.ProjectID]struct{}, len(k.Projects))
		for _, project := range k.Projects {
			g.Projects[project] = struct{}{}
		}
	}
	for _, r := range rights {
		if len(k.Rights) == 0 || slices.Contains(k.Rights, r.name) {
			g.Rights |= r.is
		}
	}
	return g
}
