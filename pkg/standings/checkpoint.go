package standings

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
)

const remembers = time.Second

func (s *Store) checkpointKey() string { return s.prefix + "checkpoint" }

// Checkpoint returns the zero value if there is no checkpoint for the store's source.
func (s *Store) Checkpoint(ctx context.Context) (c score.Checkpoint, err error) {
	var texts []any
	err = s.call(ctx, "read the checkpoint of the projection", func(ctx context.Context) (err error) {
		texts, err = s.client.HMGet(ctx, s.checkpointKey(), "source", "generation", "block", "hash", "time", "target", "anchored",
			"position", "process", "back", "anchor", "ahead").Result()
		return err
	})
	if err != nil || texts[0] == nil || texts[0] != s.source {
		return c, err
	}
	var numbers [5]uint64
	for i, at := range []int{1, 2, 4, 5, 6} {
		text, _ := texts[at].(string)
		if numbers[i], err = strconv.ParseUint(text, 10, 63); err != nil {
			return c, redisdb.BadData("the projection's checkpoint: %w", err)
		}
	}
	hash, _ := texts[3].(string)
	c = score.Checkpoint{Generation: numbers[0], Block: numbers[1], Hash: common.BytesToHash([]byte(hash)), Target: numbers[3]}
	if numbers[2] > 0 {
		c.Time = time.Unix(int64(numbers[2]), 0).UTC()
	}
	if numbers[4] > 0 {
		c.Anchored = time.Unix(int64(numbers[4]), 0).UTC()
	}
	for i, text := range []*string{&c.Position, &c.Process, &c.Back, &c.Anchor, &c.Ahead} {
		*text, _ = texts[7+i].(string)
	}
	return c, nil
}

// Begin begins a generation after the current one (after; 0: there is none). It is complete at the block target;
// until then reads return a RebuildingError. If another writer has replaced generation after, that writer's
// generation stays. Begin returns the valid checkpoint.
func (s *Store) Begin(ctx context.Context, after, target uint64) (score.Checkpoint, error) {
	if _, err := s.does(ctx, "begin a projection", beginScript, s.checkpointKey(), s.source, after, target); err != nil {
		return score.Checkpoint{}, err
	}
	return s.Checkpoint(ctx)
}

// Advance moves the checkpoint to a later block; to provides all fields except Generation. If the checkpoint is not
// at from (generation and hash), it returns score.ErrFoldMoved. It may be repeated.
func (s *Store) Advance(ctx context.Context, from, to score.Checkpoint) error {
	was := ""
	if from.Hash != (common.Hash{}) {
		was = string(from.Hash[:])
	}
	did, err := s.does(ctx, "move the checkpoint of the projection", advanceScript, s.checkpointKey(),
		s.source, from.Generation, was, to.Block, to.Hash[:], to.Time.Unix(), max(to.Anchored.Unix(), 0), to.Position, to.Process, to.Back, to.Anchor, to.Target)
	if err == nil && !did {
		return score.ErrFoldMoved
	}
	return err
}

// Reach notes the position that parts of a generation may reach, before they are appended: Checkpoint.Ahead moves from
// one position to another. It may be repeated. score.ErrFoldMoved: another writer moved Ahead, or began a generation.
func (s *Store) Reach(ctx context.Context, generation uint64, from, to string) error {
	did, err := s.does(ctx, "note the reach of the projection", reachScript, s.checkpointKey(), s.source, generation, from, to)
	if err == nil && !did {
		return score.ErrFoldMoved
	}
	return err
}

// remembered returns the checkpoint, cached unless now is set.
func (s *Store) remembered(ctx context.Context, now bool) (score.Checkpoint, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !now && time.Since(s.read) < remembers {
		return s.last, nil
	}
	at := time.Now()
	c, err := s.Checkpoint(ctx)
	if err == nil {
		s.last, s.read = c, at
	}
	return c, err
}

// reading calls read with the checkpoint's generation; found reports whether the project exists there. If it does
// not, reading retries with a fresh checkpoint, as a new generation may have begun.
func (s *Store) reading(ctx context.Context, read func(generation uint64) (found bool, err error)) (score.AsOf, error) {
	tried, asOf := uint64(0), score.AsOf{}
	for _, now := range []bool{false, true} {
		c, err := s.remembered(ctx, now)
		switch {
		case err != nil:
			return score.AsOf{}, err
		case c.Rebuilding():
			return score.AsOf{}, &score.RebuildingError{Block: c.Block, Target: c.Target}
		case c.Generation == tried:
			continue
		}
		tried, asOf = c.Generation, score.AsOf{Block: c.Block, Time: c.Time}
		if found, err := read(c.Generation); err != nil || found {
			return asOf, err
		}
	}
	return asOf, fmt.Errorf("couldn't read standings: %w", score.ErrNotProjected)
}
