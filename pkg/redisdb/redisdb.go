// Package redisdb is the connection to Redis that its adapters (status, limit, standings) share, with one circuit breaker: no call
// waits longer than the timeout, and after a failure calls fail at once for a moment. So a dead Redis slows no request down.
package redisdb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// ErrDown says that Redis failed a moment ago, by no answer or by a refusal, and was not asked again. The error has the cause in its text.
var ErrDown = errors.New("Redis failed a moment ago")

// errData marks an error that says nothing about Redis' health.
var errData = errors.New("unexpected data in Redis")

// Client is a go-redis client behind a circuit breaker. It is safe for concurrent use; the fields are set before.
type Client struct {
	redis.UniversalClient
	Timeout time.Duration // of one call
	Pause   time.Duration // how long calls fail at once after one failed
	Log     *slog.Logger  // gets what Redis refuses: the first refusal, and one a minute while there are more

	down    atomic.Pointer[failure] // newest, as the ErrDown that has it
	refused atomic.Pointer[failure] // newest by an error reply: Redis answers, and does not do what it was asked
	logged  atomic.Int64            // unix ns of the last line about one
}

type failure struct {
	err error
	at  time.Time
}

// refusedLately is how long a refusal is told, and the time between two lines about refusals.
const refusedLately = time.Minute

// Open returns a client of a Redis, with a timeout of 200 ms and a pause of 500 ms. It does not connect yet. A failed call is
// repeated at most once. The URL is redis://[user:password@]host:port/db, or rediss:// for TLS. With ?master_name=… its hosts
// are Sentinels, with ?cluster=true nodes of a Cluster (without /db); ?addr=host:port, which may repeat, names more of them.
func Open(text string) (*Client, error) {
	client, err := dial(text)
	if err != nil {
		return nil, fmt.Errorf("couldn't read the Redis URL: %w", err)
	}
	return &Client{UniversalClient: client, Timeout: 200 * time.Millisecond, Pause: 500 * time.Millisecond, Log: slog.New(slog.DiscardHandler)}, nil
}

// How calls are made.
const (
	retries     = 1
	minBackoff  = 5 * time.Millisecond
	maxBackoff  = 20 * time.Millisecond
	dialTimeout = 2 * time.Second // continues in the background when a call has given up
	dialTries   = 1

	maxRedirects = 3 // from node to node of a Cluster, repetitions among them
)

func dial(text string) (redis.UniversalClient, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	query := u.Query()
	off := &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	if query.Get("cluster") == "true" {
		query.Del("cluster")
		u.RawQuery = query.Encode()
		opts, err := redis.ParseClusterURL(u.String())
		if err != nil {
			return nil, err
		}
		opts.ContextTimeoutEnabled, opts.MaxRedirects = true, maxRedirects
		opts.MinRetryBackoff, opts.MaxRetryBackoff, opts.DialTimeout, opts.DialerRetries = minBackoff, maxBackoff, dialTimeout, dialTries
		opts.MaintNotificationsConfig = off
		return redis.NewClusterClient(opts), nil
	}
	if query.Has("master_name") {
		opts, err := redis.ParseFailoverURL(text)
		if err != nil {
			return nil, err
		}
		opts.ContextTimeoutEnabled, opts.MaxRetries = true, retries
		opts.MinRetryBackoff, opts.MaxRetryBackoff, opts.DialTimeout, opts.DialerRetries = minBackoff, maxBackoff, dialTimeout, dialTries
		return redis.NewFailoverClient(opts), nil
	}
	opts, err := redis.ParseURL(text)
	if err != nil {
		return nil, err
	}
	opts.ContextTimeoutEnabled, opts.MaxRetries = true, retries
	opts.MinRetryBackoff, opts.MaxRetryBackoff, opts.DialTimeout, opts.DialerRetries = minBackoff, maxBackoff, dialTimeout, dialTries
	opts.MaintNotificationsConfig = off
	return redis.NewClient(opts), nil
}

// Cluster tells whether it is a client of a Cluster, where a call's keys must share a slot.
func (c *Client) Cluster() bool {
	_, is := c.UniversalClient.(*redis.ClusterClient)
	return is
}

var memoryLine = regexp.MustCompile(`(?m)^(used_memory|maxmemory):(\d+)`)

// Memory is how many bytes a Redis uses, all masters of a Cluster together, and which part of its maxmemory, of a Cluster the fullest
// master: 0 where there is no bound. Both are 0 where Redis does not tell.
func (c *Client) Memory(ctx context.Context) (bytes uint64, part float64, err error) {
	var mu sync.Mutex
	err = c.info(ctx, "memory", func(info string) {
		numbers := map[string]float64{}
		for _, m := range memoryLine.FindAllStringSubmatch(info, -1) {
			numbers[m[1]], _ = strconv.ParseFloat(m[2], 64)
		}
		mu.Lock()
		defer mu.Unlock()
		bytes += uint64(numbers["used_memory"])
		if bound := numbers["maxmemory"]; bound > 0 {
			part = max(part, numbers["used_memory"]/bound)
		}
	})
	return bytes, part, err
}

var processLine = regexp.MustCompile(`(?m)^run_id:(\w+)`)

// Process names the Redis process, of a Cluster those of its masters; "" where Redis does not tell.
func (c *Client) Process(ctx context.Context) (string, error) {
	var mu sync.Mutex
	var ids []string
	err := c.info(ctx, "server", func(info string) {
		if m := processLine.FindStringSubmatch(info); m != nil {
			mu.Lock()
			ids = append(ids, m[1])
			mu.Unlock()
		}
	})
	slices.Sort(ids)
	return strings.Join(ids, " "), err
}

// info has Redis, or each master of a Cluster, tell of itself. One that does not tell, or may not, is passed over.
func (c *Client) info(ctx context.Context, section string, read func(info string)) error {
	ask := func(ctx context.Context, node *redis.Client) error {
		info, err := node.Info(ctx, section).Result()
		if refused := redis.Error(nil); errors.As(err, &refused) {
			return nil
		}
		if err == nil {
			read(info)
		}
		return err
	}
	switch client := c.UniversalClient.(type) {
	case *redis.ClusterClient:
		return client.ForEachMaster(ctx, ask)
	case *redis.Client:
		return ask(ctx, client)
	}
	return nil
}

// BadData is an error for an exchange that read what it did not expect: Redis answered, so calls do not pause.
func BadData(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errData, fmt.Errorf(format, args...))
}

// Call runs one exchange with Redis within the timeout; or not at all, with ErrDown, for a moment after one failed.
func (c *Client) Call(ctx context.Context, exchange func(context.Context) error) error {
	if f := c.down.Load(); f != nil && time.Since(f.at) < c.Pause {
		return f.err
	}
	limited, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	err := exchange(limited)
	if reply := redis.Error(nil); errors.As(err, &reply) {
		c.noteRefusal(reply)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, errData) && !failedScript(err) { // the caller did not give up: Redis failed
		c.down.Store(&failure{fmt.Errorf("%w: %s", ErrDown, err), time.Now()}) //nolint:errorlint // ErrDown alone decides what callers do
	}
	return err
}

func (c *Client) noteRefusal(reply error) {
	now := time.Now()
	c.refused.Store(&failure{reply, now})
	if last := c.logged.Load(); now.UnixNano()-last >= int64(refusedLately) && c.logged.CompareAndSwap(last, now.UnixNano()) {
		c.Log.Warn("Redis refused a call; the program does without Redis what it can, and asks again", "redis_says", reply)
	}
}

// Refused is what Redis answered, in its own words, to the newest call that it refused; "" if that was more than a minute ago.
func (c *Client) Refused() string {
	if f := c.refused.Load(); f != nil && time.Since(f.at) < refusedLately {
		return f.err.Error()
	}
	return ""
}

// failedScript tells whether a script or a command came upon data that it could not use, so that Redis is well; LOADING, OOM and their
// like are not that.
func failedScript(err error) bool {
	reply := redis.Error(nil)
	return errors.As(err, &reply) && (strings.HasPrefix(reply.Error(), "WRONGTYPE ") ||
		strings.HasPrefix(reply.Error(), "ERR ") && strings.Contains(reply.Error(), "user_script"))
}
