package status

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
)

// Config: zero fields except Salt take their defaults.
type Config struct {
	Prefix    string        // of every key; unique among deployments that share a Redis. Default "scorelay:"
	Retention time.Duration // of a status after its last change, in whole seconds. Default 7 days
	Salt      [16]byte      // secret, or a caller can choose ids that slow Redis down
	Claim     time.Duration // lifetime of a claim; must exceed the duration of an accept. Default 15 s
}

func (c Config) withDefaults() Config {
	if c.Prefix == "" {
		c.Prefix = "scorelay:"
	}
	if c.Retention <= 0 {
		c.Retention = 7 * 24 * time.Hour
	}
	if c.Claim <= 0 {
		c.Claim = 15 * time.Second
	}
	return c
}

// Store is safe for concurrent use.
type Store struct {
	client *redisdb.Client
	config Config
	tables int
	claims []*redisdb.Batcher[*claim] // by table
	hands  []hand                     // by table
}

// New returns a Store. The caller closes the client.
func New(client *redisdb.Client, config Config) *Store {
	s := &Store{client: client, config: config.withDefaults(), tables: 1}
	if client.Cluster() {
		s.tables = clusterTables
	}
	s.hands = make([]hand, s.tables)
	for table := range s.tables {
		s.hands[table].finals = s.config.Retention
		s.claims = append(s.claims, redisdb.NewBatcher(maxItems, func(ctx context.Context, claims []*claim) error {
			return s.claimAll(ctx, table, claims)
		}))
	}
	return s
}

// Read returns the status of each reference, in two exchanges per table for up to maxItems references. A reference
// without a state has the zero Status. complete reports whether each table that was read has its generation.
func (s *Store) Read(ctx context.Context, refs []score.Ref) (statuses []score.Status, complete bool, err error) {
	statuses, complete = make([]score.Status, len(refs)), true
	// slots and transactions, by table, with the indexes of their references
	beside := make([]map[place][]int, s.tables)
	var failed error
	s.each(refs, func(table int, of []int) {
		if failed != nil {
			return
		}
		places := make([]place, len(of))
		for i, ref := range of {
			places[i] = s.placeOf(&refs[ref])
		}
		states, there, err := s.states(ctx, table, places)
		complete = complete && there
		for i, ref := range of {
			var p parsed
			if err == nil {
				p, err = parseState(states[places[i]])
			}
			if err != nil {
				failed = err
				return
			}
			statuses[ref] = p.Status
			at := table
			if p.Stage == score.Batched {
				at = int(p.lane) % s.tables
			}
			if p.beside != nil {
				if beside[at] == nil {
					beside[at] = map[place][]int{}
				}
				beside[at][*p.beside] = append(beside[at][*p.beside], ref)
			}
		}
	})
	if failed != nil {
		return nil, false, failed
	}
	for table, places := range beside {
		if len(places) == 0 {
			continue
		}
		states, _, err := s.states(ctx, table, slices.Collect(maps.Keys(places)))
		if err != nil {
			return nil, false, err
		}
		for at, of := range places {
			for _, i := range of {
				if statuses[i], err = completed(statuses[i], states[at]); err != nil {
					return nil, false, err
				}
			}
		}
	}
	return statuses, complete, nil
}

// states also reports whether the table is complete.
func (s *Store) states(ctx context.Context, table int, places []place) (states map[place]string, complete bool, err error) {
	states, complete = make(map[place]string, len(places)), true
	places = slices.Compact(slices.SortedFunc(slices.Values(places), place.compare))
	for some := range slices.Chunk(places, maxItems) {
		blob := make([]byte, 0, len(some)*17)
		for i := range some {
			blob = append(append(blob, some[i].name[:]...), some[i].index)
		}
		answers, err := s.exchange(ctx, "read statuses", []scriptCall{{readScript, table, []any{blob}}})
		if err != nil {
			return nil, false, err
		}
		texts, err := answers[0].StringSlice()
		if err != nil || len(texts) != 1+len(some) {
			return nil, false, fmt.Errorf("couldn't read statuses: %w", redisdb.BadData("%d texts for %d places: %v", len(texts), len(some), err))
		}
		complete = complete && texts[0] != ""
		for i := range some {
			states[some[i]] = texts[1+i]
		}
	}
	return states, complete, nil
}
