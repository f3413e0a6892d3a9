package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/status"
	"github.com/scorelay/scorelay/pkg/stream"
)

// followed tracks accepted updates until they are final. It is safe for concurrent use.
type followed struct {
	client *redisdb.Client
	read   func(ctx context.Context, refs []score.Ref) ([]score.Status, error)

	mu   sync.Mutex
	open map[score.Ref]time.Time // time of acceptance
}

type final struct {
	ref      score.Ref
	accepted time.Time
	took     time.Duration // from accepted until seen as final
	outcome  score.Outcome
	block    uint64 // that contains the update; 0: unknown
}

// follow reads a deployment's statuses from Redis. Close the result.
func follow(redisURL string, s *stream.Stream) (*followed, error) {
	client, err := redisdb.Open(redisURL)
	if err != nil {
		return nil, fmt.Errorf("couldn't reach Redis: %w", err)
	}
	d := s.Deployment() // for the prefix, as in package app
	prefix := fmt.Sprintf("scorelay:%d:%x:%x:", d.ChainID, d.Contract[:4], s.Created().UnixNano())
	statuses := status.New(client, status.Config{Prefix: prefix, Salt: s.Salt()})
	return &followed{client: client, open: map[score.Ref]time.Time{}, read: func(ctx context.Context, refs []score.Ref) ([]score.Status, error) {
		read, _, err := statuses.Read(ctx, refs)
		return read, err
	}}, nil
}

func (f *followed) close() { _ = f.client.Close() }

func (f *followed) add(ref score.Ref) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open[ref] = time.Now()
}

func (f *followed) left() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.open)
}

// look returns the updates that are final now and stops following them.
func (f *followed) look(ctx context.Context) (finals []final, err error) {
	f.mu.Lock()
	refs := slices.Collect(maps.Keys(f.open))
	f.mu.Unlock()
	if len(refs) == 0 {
		return nil, nil
	}
	statuses, err := f.read(ctx, refs)
	if err != nil {
		return nil, ctx.Err() // the next look retries
	}
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, ref := range refs {
		if statuses[i].Stage == score.Final {
			accepted := f.open[ref]
			finals = append(finals, final{ref, accepted, now.Sub(accepted), statuses[i].Outcome, statuses[i].Block})
			delete(f.open, ref)
		}
	}
	return finals, nil
}

// percentile returns a percentile of at least one value, by nearest rank.
func percentile(values []float64, part float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return values[min(len(values)-1, int(math.Ceil(part*float64(len(values))))-1)]
}
