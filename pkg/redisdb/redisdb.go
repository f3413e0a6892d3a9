// Package redisdb is the Redis connection that status, limit and standings share. Its circuit breaker makes calls
// fail at once for a pause after a failure, so that a dead Redis delays few requests.
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

// ErrDown is returned at once during the pause after a failure. Its text contains the cause.
var ErrDown = errors.New("Redis failed a moment ago")

// Errors of stored data leave the circuit breaker closed.
var errData = errors.New("unexpected data in Redis")

// Client is safe for concurrent use once its fields are set.
type Client struct {
	redis.UniversalClient
	Timeout time.Duration // of one call
	Pause   time.Duration // how long calls fail at once after a failure
	Log     *slog.Logger  // error replies of Redis, at most one line a minute

	down    atomic.Pointer[failure] // newest failure, wrapped in ErrDown
	refused atomic.Pointer[failure] // newest error reply
	logged  atomic.Int64            // unix ns of the last line about a refusal
}

type failure struct {
	err error
	at  time.Time
}

// refusedLately is how long Refused returns an error reply, and the least time between log lines about refusals.
const refusedLately = time.Minute

// Open returns a client with a timeout of 200 ms and a pause of 500 ms. It connects later. A failed call is retried
// once; a Cluster allows maxRedirects retries and redirects.
//
// The URL is redis://[user:password@]host:port/db, or rediss:// for TLS. With ?master_name=… its hosts are Sentinels,
// with ?cluster=true nodes of a Cluster (without /db). ?addr=host:port adds another host and may repeat.
func Open(text string) (*Client, error) {
	client, err := dial(text)
	if err != nil {
		return nil, fmt.Errorf("couldn't read the Redis URL: %w", err)
	}
	return &Client{UniversalClient: client, Timeout: 200 * time.Millisecond, Pause: 500 * time.Millisecond, Log: slog.New(slog.DiscardHandler)}, nil
}

const (
	retries     = 1
	minBackoff  = 5 * time.Millisecond
	maxBackoff  = 20 * time.Millisecond
	dialTimeout = 2 * time.Second // a dial continues in the background after its call has given up
	dialTries   = 1

	maxRedirects = 3 // between nodes of a Cluster, retries included
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

// Cluster reports whether the server is a Redis Cluster, where all keys of a call must share a hash slot.
func (c *Client) Cluster() bool {
	_, is := c.UniversalClient.(*redis.ClusterClient)
	return is
}

var memoryLine = regexp.MustCompile(`(?m)^(used_memory|maxmemory):(\d+)`)

// Memory returns the bytes that Redis uses (the sum of a Cluster's masters), and the used fraction of maxmemory (the
// fullest master's; 0 if unset). Both are 0 if Redis refuses INFO.
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

// Process returns the run_id of Redis, or those of a Cluster's masters, sorted; "" if unknown.
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

// info skips servers that refuse INFO.
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

// BadData returns an error that leaves the circuit breaker closed.
func BadData(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errData, fmt.Errorf(format, args...))
}

// Call runs one exchange within the timeout, or returns ErrDown during the pause after a failure.
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
	if err != nil && ctx.Err() == nil && !errors.Is(err, errData) && !failedScript(err) {
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

// Refused returns Redis's newest error reply, or "" if that is more than a minute old.
func (c *Client) Refused() string {
	if f := c.refused.Load(); f != nil && time.Since(f.at) < refusedLately {
		return f.err.Error()
	}
	return ""
}

// failedScript reports whether a command or a script failed on bad data. Then Redis is healthy, unlike with LOADING
// or OOM.
func failedScript(err error) bool {
	reply := redis.Error(nil)
	return errors.As(err, &reply) && (strings.HasPrefix(reply.Error(), "WRONGTYPE ") ||
		strings.HasPrefix(reply.Error(), "ERR ") && strings.Contains(reply.Error(), "user_script"))
}
