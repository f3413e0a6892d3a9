package limit

import (
	"context"
	_ "embed" // the script
	"errors"
	"hash/maphash"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
)

//go:embed take.lua
var takeLua string

var takeScript = redis.NewScript(takeLua)

const (
	maxTakes = 256 // per exchange, which blocks Redis

	// With several batchers a slow server of a Cluster delays only some of the takes.
	clusterBatchers = 64

	replyNumbers = 6 // per take, in the script's reply

	maxNumber = 1 << 53 // bound on the script's counts, and on µs as a time.Duration
)

// take is an admitted request: its cost and its reply.
type take struct {
	counters
	usage  *usage // at this replica
	at     time.Time
	units  int
	gas    uint64 // less the credit
	credit uint64

	reply reply
	left  score.Left // as this replica knows it, until settled
}

// counters names the Redis keys that count a key's use on one day, and the quota that bounds it.
type counters struct {
	rateKey, gasKey string // empty if the quota's PerSecond, or Gas, is 0
	quota           score.Quota
}

type reply struct {
	wait, full time.Duration
	noGas      bool
	units      int
	all, mine  uint64 // gas of the day, of all replicas and of this one
	err        error  // set if the reply is missing
}

var errNoReply = errors.New("no reply")

// takes are in the order of the call's arguments.
type call struct {
	scriptCall
	takes []*take
}

// batcher returns the key's batcher, which makes one exchange at a time.
func (l *Limiter) batcher(key string) *redisdb.Batcher[*take] {
	if len(l.batchers) == 1 {
		return l.batchers[0]
	}
	return l.batchers[maphash.String(l.seed, key)%uint64(len(l.batchers))]
}

// exchange settles all takes before their keys' next exchange, which then reports all that the replica has spent.
func (l *Limiter) exchange(ctx context.Context, takes []*take) error {
	defer func() {
		for _, t := range takes {
			t.settle()
		}
	}()
	calls := l.calls(takes)
	scripts := make([]scriptCall, len(calls))
	for i, c := range calls {
		scripts[i] = c.scriptCall
	}
	replies, err := l.run(ctx, takeScript, scripts)
	if err != nil {
		return err
	}
	for i, c := range calls {
		numbers, wrong := replies[i].Int64Slice()
		if wrong == nil {
			wrong = l.read(numbers, c)
		}
		if wrong != nil {
			err = redisdb.BadData("a reply to %d takes of rate limits: %w", len(c.takes), wrong)
		}
	}
	return err
}

func (l *Limiter) calls(takes []*take) []call {
	var order []counters
	of := make(map[counters][]*take, 1)
	for _, t := range takes {
		if of[t.counters] == nil {
			order = append(order, t.counters)
		}
		of[t.counters] = append(of[t.counters], t)
	}
	var calls []call
	for i, c := range order {
		if i == 0 || l.client.Cluster() {
			calls = append(calls, call{scriptCall: scriptCall{args: []any{l.replica, (2 * day).Milliseconds()}}})
		}
		calls[len(calls)-1].add(c, of[c])
	}
	return calls
}

func (c *call) add(of counters, takes []*take) {
	each, spent, all := 0.0, uint64(0), uint64(0)
	if of.rateKey != "" {
		c.keys, each = append(c.keys, of.rateKey), 1e6/float64(of.quota.PerSecond)
	}
	if of.gasKey != "" {
		c.keys = append(c.keys, of.gasKey)
	}
	for _, t := range takes {
		here, known := t.usage.spentOn(dayOf(t.at))
		spent, all = max(spent, here), max(all, known)
	}
	c.args = append(c.args, each, of.quota.Burst, of.quota.Gas, spent, all, len(takes))
	for _, t := range takes {
		c.args = append(c.args, t.units, t.gas)
	}
	c.takes = append(c.takes, takes...)
}

func (l *Limiter) read(numbers []int64, c call) error {
	replies, bad, err := parseReplies(numbers, len(c.takes))
	if err != nil {
		return err
	}
	if bad > 0 {
		l.unreadable.Add(float64(bad))
		l.log.Error("Redis holds what is no count of a rate limit; the API counts those keys again from nothing. Does another program write to this Redis?", "values", bad, "keys", c.keys)
	}
	for i, t := range c.takes {
		t.reply = replies[i]
	}
	return nil
}

// parseReplies also returns how many values in Redis were unreadable. An invalid number fails only its own take,
// since other keys' takes share the call.
func parseReplies(numbers []int64, takes int) (replies []reply, bad int64, err error) {
	if len(numbers) != takes*replyNumbers+1 {
		return nil, 0, redisdb.BadData("%d numbers for %d takes", len(numbers), takes)
	}
	replies = make([]reply, takes)
	for i := range replies {
		n := numbers[i*replyNumbers:][:replyNumbers]
		if slices.Min(n) < 0 || slices.Max(n) > maxNumber {
			replies[i].err = redisdb.BadData("%d, of which one is nothing that is counted", n)
			continue
		}
		replies[i] = reply{
			wait: time.Duration(n[0]) * time.Microsecond, noGas: n[1] > 0, units: int(n[2]), full: time.Duration(n[3]) * time.Microsecond,
			all: uint64(n[4]), mine: uint64(n[5]),
		}
	}
	return replies, max(numbers[len(numbers)-1], 0), nil
}
