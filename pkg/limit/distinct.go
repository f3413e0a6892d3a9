package limit

import (
	"context"
	_ "embed" // the script
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/scorelay/scorelay/pkg/redisdb"
)

//go:embed distinct.lua
var distinctLua string

var distinctScript = redis.NewScript(distinctLua)

const maxDistinct = 1024 // per exchange, which blocks Redis

type distinct struct {
	call  scriptCall // its key is that of the estimate
	added bool
}

// Distinct adds names to the set of a key and this UTC day, unless the set's estimated size has reached most. It
// reports whether it did. A call may exceed most by its own names. The estimate has a standard error of 0.8 %. Redis
// keeps a HyperLogLog of at most 12 kB for each key and day; a flush empties it. Names should be hashes with a
// secret, or a caller who chooses names could keep the estimate low. Concurrent calls share exchanges.
func (l *Limiter) Distinct(ctx context.Context, key string, most uint64, names [][]byte) (bool, error) {
	d := &distinct{call: scriptCall{
		keys: []string{l.prefix + "{" + key + "}:different:" + strconv.FormatInt(dayOf(time.Now()), 10)},
		args: []any{most, (2 * day).Milliseconds()},
	}}
	for _, name := range names {
		d.call.args = append(d.call.args, name)
	}
	err := l.distincts.Do(ctx, d, len(names))
	return d.added, err
}

func (l *Limiter) addDistinct(ctx context.Context, sets []*distinct) error {
	calls := make([]scriptCall, len(sets))
	for i, d := range sets {
		calls[i] = d.call
	}
	replies, err := l.run(ctx, distinctScript, calls)
	if err != nil {
		return err
	}
	for i, d := range sets {
		if d.added, err = replies[i].Bool(); err != nil {
			return redisdb.BadData("the reply for %s: %w", d.call.keys[0], err)
		}
	}
	return nil
}
