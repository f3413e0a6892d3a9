package status

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/scorelay/scorelay/pkg/score"
)

var (
	// ErrDown says that Redis did not answer a moment ago and was not asked again.
	ErrDown = errors.New("Redis is down")
	// ErrFlushed says that Redis lost its data while it was being restored; the restore must begin again.
	ErrFlushed = errors.New("Redis was flushed during the restore")
)

// Config of a Store. The zero value of a field takes its default.
type Config struct {
	Prefix    string        // of every key; deployments that share a Redis need different ones. Default "scorelay:"
	Retention time.Duration // how long a status is kept after its last change. Default 7 days
	Claim     time.Duration // lifetime of a claim: longer than an accept can take. Default 15 s
	Timeout   time.Duration // of one call. Default 200 ms
	Pause     time.Duration // how long calls fail at once after one failed. Default 500 ms
}

func (c Config) withDefaults() Config {
	if c.Prefix == "" {
		c.Prefix = "scorelay:"
	}
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&c.Retention, 7 * 24 * time.Hour},
		{&c.Claim, 15 * time.Second},
		{&c.Timeout, 200 * time.Millisecond},
		{&c.Pause, 500 * time.Millisecond},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	return c
}

// Store keeps claims and statuses. It is safe for concurrent use.
type Store struct {
	client    *redis.Client
	config    Config
	downUntil atomic.Int64 // unix ns; calls before it fail at once
}

// NewClient is a client with the options the stores here rely on: deadlines of contexts are honoured, and a failed call
// is repeated at most once, since a dead Redis must not hold anything up. url is redis://[user:password@]host:port/db
// (rediss:// for TLS). It does not connect yet.
func NewClient(url string) (*redis.Client, error) {
	opts, err := redis.ParseURL(url)
	if err != nil {
		return nil, fmt.Errorf("couldn't read the Redis URL: %w", err)
	}
	opts.ContextTimeoutEnabled = true
	opts.MaxRetries = 1
	opts.MinRetryBackoff = 5 * time.Millisecond
	opts.MaxRetryBackoff = 20 * time.Millisecond
	opts.DialTimeout = 2 * time.Second // goes on in the background when a call has given up
	opts.DialerRetries = 1
	opts.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return redis.NewClient(opts), nil
}

// New returns a Store on the client, which stays the caller's to close.
func New(client *redis.Client, config Config) *Store {
	return &Store{client: client, config: config.withDefaults()}
}

// Claim asks for an updateId. The token names the claim; the same token may claim again.
func (s *Store) Claim(ctx context.Context, project score.ProjectID, update score.UpdateID, token string) (score.Claim, error) {
	var answer string
	err := s.call(ctx, "claim an update", func(ctx context.Context) (err error) {
		answer, err = claimScript.Run(ctx, s.client, []string{s.updateKey(project, update)}, token, s.config.Claim.Milliseconds()).Text()
		return err
	})
	return score.Claim(answer), err
}

// Release gives a claim back after a failed accept; what is not this token's claim stays as it is.
func (s *Store) Release(ctx context.Context, project score.ProjectID, update score.UpdateID, token string) error {
	return s.call(ctx, "release a claim", func(ctx context.Context) error {
		return releaseScript.Run(ctx, s.client, []string{s.updateKey(project, update)}, token, s.retention()).Err()
	})
}

// NewToken is a token for claims that no other process has.
func NewToken() string { return rand.Text() }

// Update tells how far an update has come; the zero Status when nothing is known here.
func (s *Store) Update(ctx context.Context, project score.ProjectID, update score.UpdateID) (score.Status, error) {
	return s.status(ctx, s.updateKey(project, update))
}

// Updates is Update of each of the updates, in order, in two exchanges with Redis whatever their number. complete tells
// whether the store was Complete in the moment it was read.
func (s *Store) Updates(
	ctx context.Context, project score.ProjectID, updates []score.UpdateID,
) (statuses []score.Status, complete bool, err error) {
	return s.statuses(ctx, s.groupKeys(project, updates))
}

// Project tells how far a creation has come; the zero Status when nothing is known here.
func (s *Store) Project(ctx context.Context, project score.ProjectID) (score.Status, error) {
	return s.status(ctx, s.projectKey(project))
}

func (s *Store) status(ctx context.Context, key string) (score.Status, error) {
	statuses, _, err := s.statuses(ctx, []string{key})
	if err != nil {
		return score.Status{}, err
	}
	return statuses[0], nil
}

// statuses reads the records, with the store's generation, and then those of the slots they name. A slot that changes
// between is no harm: the status is one of those before or after.
func (s *Store) statuses(ctx context.Context, keys []string) (statuses []score.Status, complete bool, err error) {
	err = s.call(ctx, "read statuses", func(ctx context.Context) error {
		records, err := s.values(ctx, slices.Concat(keys, []string{s.generationKey()}))
		if err != nil {
			return err
		}
		records, complete = records[:len(keys)], records[len(keys)] != nil
		statuses = make([]score.Status, len(keys))
		bound := map[string][]int{} // which records name the slot
		for i, record := range records {
			text, there := record.(string)
			if !there {
				continue
			}
			var slot string
			if statuses[i], slot, err = parseRecord(text); err != nil {
				return err
			}
			if slot != "" {
				key := s.config.Prefix + "s:" + slot
				bound[key] = append(bound[key], i)
			}
		}
		slots := slices.Collect(maps.Keys(bound))
		if records, err = s.values(ctx, slots); err != nil {
			return err
		}
		for n, slot := range slots {
			text, _ := records[n].(string)
			for _, i := range bound[slot] {
				if statuses[i], err = inSlot(statuses[i], text); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	return statuses, complete, nil
}

// values reads the keys, in order: strings, or nil where a key is not there.
func (s *Store) values(ctx context.Context, keys []string) ([]any, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	return s.client.MGet(ctx, keys...).Result()
}

// Ping asks whether Redis answers.
func (s *Store) Ping(ctx context.Context) error {
	return s.call(ctx, "reach Redis", func(ctx context.Context) error { return s.client.Ping(ctx).Err() })
}

// call runs one exchange with Redis within the timeout, or not at all for a moment after one failed.
func (s *Store) call(ctx context.Context, what string, exchange func(context.Context) error) error {
	if time.Now().UnixNano() < s.downUntil.Load() {
		return fmt.Errorf("couldn't %s: %w", what, ErrDown)
	}
	limited, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	err := exchange(limited)
	if err == nil {
		return nil
	}
	if ctx.Err() == nil && !errors.Is(err, errMalformed) { // the caller did not give up: Redis failed
		s.downUntil.Store(time.Now().Add(s.config.Pause).UnixNano())
	}
	return fmt.Errorf("couldn't %s: %w", what, err)
}

func (s *Store) retention() int64 { return s.config.Retention.Milliseconds() }

// Ids are kept as raw bytes: hex would double the keys, which are most of what an update costs here.

func (s *Store) updateKey(project score.ProjectID, update score.UpdateID) string {
	return s.config.Prefix + "u:" + string(project[:]) + string(update[:])
}

func (s *Store) projectKey(project score.ProjectID) string {
	return s.config.Prefix + "p:" + string(project[:])
}
