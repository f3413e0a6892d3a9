// Package redisdb is the connection to Redis that its adapters (status, limit) share, with one circuit breaker: no call
// waits longer than the timeout, and after a failure calls fail at once for a moment. So a dead Redis slows no request down.
package redisdb

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// ErrDown says that Redis did not answer a moment ago and was not asked again.
var ErrDown = errors.New("Redis is down")

// errData marks an error that says nothing about Redis' health.
var errData = errors.New("unexpected data in Redis")

// Client is a go-redis client behind a circuit breaker. It is safe for concurrent use; the fields are set before.
type Client struct {
	*redis.Client
	Timeout time.Duration // of one call
	Pause   time.Duration // how long calls fail at once after one failed

	downUntil atomic.Int64 // unix ns
}

// Open returns a client of a Redis, redis://[user:password@]host:port/db (rediss:// for TLS), with a timeout of 200 ms and
// a pause of 500 ms. It does not connect yet. A failed call is repeated at most once.
func Open(url string) (*Client, error) {
	opts, err := redis.ParseURL(url)
	if err != nil {
		return nil, fmt.Errorf("couldn't read the Redis URL: %w", err)
	}
	opts.ContextTimeoutEnabled = true
	opts.MaxRetries = 1
	opts.MinRetryBackoff = 5 * time.Millisecond
	opts.MaxRetryBackoff = 20 * time.Millisecond
	opts.DialTimeout = 2 * time.Second // continues in the background when a call has given up
	opts.DialerRetries = 1
	opts.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return &Client{Client: redis.NewClient(opts), Timeout: 200 * time.Millisecond, Pause: 500 * time.Millisecond}, nil
}

// BadData is an error for an exchange that read what it did not expect: Redis answered, so calls do not pause.
func BadData(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errData, fmt.Errorf(format, args...))
}

// Call runs one exchange with Redis within the timeout; or not at all, with ErrDown, for a moment after one failed.
func (c *Client) Call(ctx context.Context, exchange func(context.Context) error) error {
	if time.Now().UnixNano() < c.downUntil.Load() {
		return ErrDown
	}
	limited, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	err := exchange(limited)
	if err != nil && ctx.Err() == nil && !errors.Is(err, errData) { // the caller did not give up: Redis failed
		c.downUntil.Store(time.Now().Add(c.Pause).UnixNano())
	}
	return err
}
