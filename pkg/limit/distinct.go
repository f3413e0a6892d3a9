package limit

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// Distinct adds names to the set of a key and this UTC day, and returns the estimated number of its different names,
// with a standard error of 0.8 %. Redis keeps a HyperLogLog of at most 12 kB for each key and day; a flush empties it.
// Names should be hashes with a secret: a caller who chooses names and knows the hash of Redis could keep the estimate
// low.
func (l *Limiter) Distinct(ctx context.Context, key string, names [][]byte) (uint64, error) {
	elements := make([]any, len(names))
	for i, name := range names {
		elements[i] = name
	}
	counter := l.prefix + "{" + key + "}:different:" + strconv.FormatInt(dayOf(time.Now()), 10)
	var count *redis.IntCmd
	err := l.client.Call(ctx, func(ctx context.Context) error {
		_, err := l.client.Pipelined(ctx, func(p redis.Pipeliner) error {
			p.PFAdd(ctx, counter, elements...)
			count = p.PFCount(ctx, counter)
			p.PExpire(ctx, counter, 2*day)
			return nil
		})
		return err
	})
	if err != nil {
		l.unavailable.Inc()
		return 0, err
	}
	return uint64(count.Val()), nil
}
