package chain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// errBehind means that the endpoint lacks the block that a read is pinned to.
var errBehind = errors.New("the endpoint does not know the block")

// errNotLearnt means that the responses are insufficient for a conclusion, while all endpoints may be honest.
var errNotLearnt = errors.New("nothing was learnt")

// behind turns the absence of a block, given by hash or number, into errBehind, since the item requested at the block
// may exist.
func behind(err error, block any) error {
	if errors.Is(err, ethereum.NotFound) || unknownBlock(err) {
		return fmt.Errorf("%w %v", errBehind, block)
	}
	return err
}

// candidates returns the endpoints that are up, those known to lack block need last. Endpoints set aside for
// contradictions are included only if all others rest.
func (c *Client) candidates(need uint64) []*endpoint {
	now := time.Now()
	var trusted, distrusted []*endpoint
	for _, e := range c.endpoints {
		if _, _, resting := e.breaker.rest(now); resting {
			continue
		}
		if e.trust.distrusted(now) {
			distrusted = append(distrusted, e)
		} else {
			trusted = append(trusted, e)
		}
	}
	if len(trusted) == 0 {
		trusted = distrusted
	}
	slices.SortStableFunc(trusted, func(a, b *endpoint) int { return lag(a, need) - lag(b, need) })
	return trusted
}

func lag(e *endpoint, need uint64) int {
	if newest := e.newest.Load(); newest != 0 && newest < need {
		return 1
	}
	return 0
}

// believable returns the candidates that are trusted with uncheckable data, or an empty list if all rest. It returns
// an error if all contradicted themselves lately.
func (c *Client) believable(ctx context.Context, op string, need uint64) (believed []*endpoint, err error) {
	now := time.Now()
	var errs []error
	for _, e := range c.candidates(need) {
		if e.trust.doubtful(now) {
			errs = append(errs, fmt.Errorf("%s contradicted itself in the last %s: what cannot be checked is not believed", e.name, distrustFirst))
		} else {
			believed = append(believed, e)
		}
	}
	if len(believed) == 0 && len(errs) > 0 {
		return nil, c.failed(ctx, op, errs)
	}
	return believed, nil
}

// failed returns ctx's error if ctx ended, else errs. If errs is empty, all endpoints rest, and the error contains
// how long.
func (c *Client) failed(ctx context.Context, op string, errs []error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("couldn't ask the chain (%s): %w", op, ctx.Err())
	}
	if len(errs) == 0 {
		for _, e := range c.endpoints {
			errs = append(errs, e.resting())
		}
	}
	return fmt.Errorf("couldn't ask the chain (%s): %w", op, errors.Join(errs...))
}

// read is readFrom for uncheckable data, of believable endpoints.
func (c *Client) read(ctx context.Context, op string, ask func(context.Context, *endpoint) error) error {
	endpoints, err := c.believable(ctx, op, 0)
	if err != nil {
		return err
	}
	return c.readFrom(ctx, endpoints, op, ask)
}

// readFrom asks one endpoint after another until one answers. A *evidence.RevertError is an answer.
func (c *Client) readFrom(ctx context.Context, endpoints []*endpoint, op string, ask func(context.Context, *endpoint) error) error {
	var errs []error
	absent := len(endpoints) > 0
	for _, e := range endpoints {
		err := e.do(ctx, op, ask)
		var revert *evidence.RevertError
		if err == nil || errors.As(err, &revert) {
			return err
		}
		if ctx.Err() != nil {
			return c.failed(ctx, op, nil)
		}
		if errors.Is(err, ethereum.NotFound) {
			err = errors.New(err.Error()) // keeps the joined error from matching NotFound
		} else {
			absent = false
		}
		errs = append(errs, err)
	}
	if absent {
		return fmt.Errorf("%s: %w", op, ethereum.NotFound)
	}
	return c.failed(ctx, op, errs)
}

type reply[T any] struct {
	from  *endpoint
	value T
	err   error
}

// each asks endpoints concurrently, up to Config.Grace after the first answer. replies are in the order of
// c.endpoints; errs are the failures.
func each[T any](ctx context.Context, c *Client, op string, endpoints []*endpoint, ask func(context.Context, *endpoint) (T, error)) (replies []reply[T], errs []error) {
	return eachWithin(ctx, c, c.cfg.Grace, op, endpoints, ask)
}

func eachWithin[T any](
	ctx context.Context, c *Client, grace time.Duration, op string, endpoints []*endpoint, ask func(context.Context, *endpoint) (T, error),
) (replies []reply[T], errs []error) {
	heard := gather(ctx, grace, endpoints, func(ctx context.Context, e *endpoint) reply[T] {
		r := reply[T]{from: e}
		r.err = e.do(ctx, op, func(ctx context.Context, e *endpoint) (err error) {
			r.value, err = ask(ctx, e)
			return err
		})
		return r
	}, func(r reply[T]) bool { return r.err == nil })
	for _, r := range heard {
		if r.err != nil {
			errs = append(errs, r.err)
		} else {
			replies = append(replies, r)
		}
	}
	slices.SortFunc(replies, func(a, b reply[T]) int { return slices.Index(c.endpoints, a.from) - slices.Index(c.endpoints, b.from) })
	return replies, errs
}

// gather asks endpoints concurrently. It returns once all have answered, or grace after the first answer for which
// enough is true, since later ones change little.
func gather[T any](ctx context.Context, grace time.Duration, endpoints []*endpoint, ask func(context.Context, *endpoint) T,
	enough func(T) bool,
) (heard []T) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan T, len(endpoints))
	for _, e := range endpoints {
		go func() { answers <- ask(ctx, e) }()
	}
	var late <-chan time.Time
	for len(heard) < len(endpoints) {
		select {
		case a := <-answers:
			heard = append(heard, a)
			if late == nil && enough(a) {
				late = time.After(grace)
			}
		case <-late:
			return heard
		}
	}
	return heard
}

// Distrust records that an endpoint contradicts verified data (trust.go).
func (c *Client) Distrust(endpoint string, why error) {
	if e := c.named(endpoint); e != nil {
		e.distrust(why)
	}
}

func (c *Client) named(name string) *endpoint {
	for _, e := range c.endpoints {
		if e.name == name {
			return e
		}
	}
	return nil
}

func contradiction(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{evidence.ErrContradiction}, args...)...)
}
