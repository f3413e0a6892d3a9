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

// errBehind says that an endpoint does not know the block that a read is pinned to.
var errBehind = errors.New("the endpoint does not know the block")

// errNotLearnt says that answers do not suffice to believe anything, and that this is not the fault of one endpoint.
var errNotLearnt = errors.New("nothing was learnt")

// behind turns the absence of a block, told by its hash or number, into errBehind: what was asked for is not known to be
// absent.
func behind(err error, block any) error {
	if errors.Is(err, ethereum.NotFound) || unknownBlock(err) {
		return fmt.Errorf("%w %v", errBehind, block)
	}
	return err
}

// candidates are the endpoints to ask, in order: those that were seen to have block need, then the others; and those that
// are set aside for a contradiction only when all others rest. It is empty when all rest.
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

// lag is 1 for an endpoint whose newest block was below need.
func lag(e *endpoint, need uint64) int {
	if newest := e.newest.Load(); newest != 0 && newest < need {
		return 1
	}
	return 0
}

// believable are the candidates whose answers are believed unchecked. The error says that some are up, and none of these is.
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

// failed is why no endpoint told anything; when none was asked, it says when they are asked again.
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

// read is readFrom for what cannot be checked.
func (c *Client) read(ctx context.Context, op string, ask func(context.Context, *endpoint) error) error {
	endpoints, err := c.believable(ctx, op, 0)
	if err != nil {
		return err
	}
	return c.readFrom(ctx, endpoints, op, ask)
}

// readFrom asks one endpoint after the other until one answers. A *evidence.RevertError is an answer. ethereum.NotFound comes
// back only if every endpoint said it.
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
			err = errors.New(err.Error()) // must not make the whole look like NotFound
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

// reply is what one of several endpoints answered.
type reply[T any] struct {
	from  *endpoint
	value T
	err   error
}

// each asks several endpoints at once. It returns those that answered, in their order, soon after the first has. errs are
// of those that did not.
func each[T any](ctx context.Context, c *Client, op string, endpoints []*endpoint, ask func(context.Context, *endpoint) (T, error)) (replies []reply[T], errs []error) {
	return eachWithin(ctx, c, c.cfg.Grace, op, endpoints, ask)
}

// eachWithin is each, with its own time for those that are slower than the first.
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

// gather asks endpoints at once. It returns what was heard when all have answered, or a grace after the first answer that
// is enough, when the other endpoints' answers would change little.
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

// Distrust notes that an endpoint contradicts what was verified. The second time within half a minute it is set aside: half a minute at first, twice as long each time up to ten minutes. It is used meanwhile only when all others
// rest, and then only for what can be checked.
func (c *Client) Distrust(endpoint string, why error) {
	if e := c.named(endpoint); e != nil {
		e.distrust(why)
	}
}

// named is the endpoint of that name, nil if there is none.
func (c *Client) named(name string) *endpoint {
	for _, e := range c.endpoints {
		if e.name == name {
			return e
		}
	}
	return nil
}

// contradiction makes an evidence.ErrContradiction.
func contradiction(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{evidence.ErrContradiction}, args...)...)
}
