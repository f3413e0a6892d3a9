package status

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
)

// ErrFlushed says that Redis lost its data while it was being restored, or more than the restore knew of; the restore must begin again.
var ErrFlushed = errors.New("Redis was flushed during the restore, or another restore was requested")

// Config of a Store. The zero value of a field takes its default.
type Config struct {
	Prefix    string        // of every key; deployments that share a Redis need different ones. Default "scorelay:"
	Retention time.Duration // how long a status is kept after its last change. Default 7 days
	Claim     time.Duration // lifetime of a claim: longer than an accept can take. Default 15 s
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

// Store keeps claims and statuses. It is safe for concurrent use.
type Store struct {
	client *redisdb.Client
	config Config
}

// New returns a Store on the client, which stays the caller's to close.
func New(client *redisdb.Client, config Config) *Store {
	return &Store{client: client, config: config.withDefaults()}
}

// Read tells how far each has come, in order, in two exchanges with Redis however many they are; the zero Status when
// nothing is known here. complete tells whether the store was Complete in the moment it was read. A slot that changes
// between the exchanges is no harm: the status is one of those before or after.
func (s *Store) Read(ctx context.Context, refs []score.Ref) (statuses []score.Status, complete bool, err error) {
	keys := s.keys(refs)
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

// call runs one exchange with Redis; an error says what could not be done.
func (s *Store) call(ctx context.Context, what string, exchange func(context.Context) error) error {
	if err := s.client.Call(ctx, exchange); err != nil {
		return fmt.Errorf("couldn't %s: %w", what, err)
	}
	return nil
}

// keys of records. Ids are kept as raw bytes: hex would double the keys, which are most of what an update costs here.
func (s *Store) keys(refs []score.Ref) []string {
	keys := make([]string, len(refs))
	for i := range refs {
		if r := &refs[i]; r.Creation {
			keys[i] = s.config.Prefix + "p:" + string(r.Project[:])
		} else {
			keys[i] = s.config.Prefix + "u:" + string(r.Project[:]) + string(r.Update[:])
		}
	}
	return keys
}
