package standings

import (
	"context"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

const scanned = 1000 // keys per SCAN call

var globs = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)

// Sweep removes older generations in small steps. It may be interrupted and called again.
func (s *Store) Sweep(ctx context.Context, generation uint64) error {
	if cluster, is := s.client.UniversalClient.(*redis.ClusterClient); is {
		return cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error { return s.sweep(ctx, node, generation) })
	}
	return s.sweep(ctx, s.client, generation)
}

func (s *Store) sweep(ctx context.Context, node redis.Cmdable, generation uint64) error {
	var cursor uint64
	for {
		err := s.call(ctx, "remove old standings", func(ctx context.Context) (err error) {
			var keys []string
			if keys, cursor, err = node.Scan(ctx, cursor, globs.Replace(s.prefix)+"*", scanned).Result(); err != nil {
				return err
			}
			return s.remove(ctx, node, keys, generation)
		})
		if err != nil || cursor == 0 {
			return err
		}
	}
}

// remove deletes a project's record first, so that reads miss it before its data is incomplete.
func (s *Store) remove(ctx context.Context, node redis.Cmdable, keys []string, generation uint64) error {
	of := map[string][]string{} // by the common prefix of a project's keys
	for _, key := range keys {
		rest, ours := strings.CutPrefix(key, s.prefix)
		number, _, cut := strings.Cut(rest, ":{")
		old, err := strconv.ParseUint(number, 10, 64)
		if !ours || !cut || err != nil || old >= generation {
			continue
		}
		begin := key[:strings.LastIndexByte(key, ':')+1]
		of[begin] = append(of[begin], key)
	}
	if len(of) == 0 {
		return nil
	}
	_, err := node.Pipelined(ctx, func(p redis.Pipeliner) error {
		for begin, keys := range of {
			p.Unlink(ctx, append([]string{begin + record}, keys...)...)
		}
		return nil
	})
	return err
}
