package chain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
)

// errBehind says that an endpoint does not know the block that a read is pinned to.
var errBehind = errors.New("the endpoint does not know the block")

// errNotLearnt says that answers do not suffice to believe anything, and that this is not the fault of one endpoint.
var errNotLearnt = errors.New("nothing was learnt")

// behind turns an absent block into errBehind: what was asked for is not known to be absent.
func behind(err error, at common.Hash) error {
	if errors.Is(err, ethereum.NotFound) || unknownBlock(err) {
		return fmt.Errorf("%w %s", errBehind, at)
	}
	return err
}

func aheadOf(err error, number uint64) error {
	if errors.Is(err, ethereum.NotFound) || unknownBlock(err) {
		return fmt.Errorf("%w %d", errBehind, number)
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

// words are the candidates whose unverifiable answers are believed.
func words(candidates []*endpoint) (believed []*endpoint, err error) {
	now := time.Now()
	var errs []error
	for _, e := range candidates {
		if e.trust.doubtful(now) {
			errs = append(errs, fmt.Errorf("%s contradicted itself in the last %s: what cannot be checked is not believed", e.name, distrustFirst))
		} else {
			believed = append(believed, e)
		}
	}
	return believed, errors.Join(errs...)
}

// joined is why no endpoint told anything; when none was asked, it says when they are asked again.
func (c *Client) joined(op string, errs []error) error {
	if len(errs) == 0 {
		for _, e := range c.endpoints {
			errs = append(errs, e.resting())
		}
	}
	return fmt.Errorf("couldn't ask the chain (%s): %w", op, errors.Join(errs...))
}

// read asks for what cannot be checked, one endpoint after the other until one answers. A *lane.RevertError is an answer.
// ethereum.NotFound comes back only if every endpoint asked said it.
func (c *Client) read(ctx context.Context, op string, ask func(context.Context, *endpoint) error) error {
	endpoints, doubt := words(c.candidates(0))
	if len(endpoints) == 0 && doubt != nil {
		return c.joined(op, []error{doubt})
	}
	return c.readFrom(ctx, endpoints, op, ask)
}

// readChecked is read for answers that ask checks.
func (c *Client) readChecked(ctx context.Context, op string, need uint64, ask func(context.Context, *endpoint) error) error {
	return c.readFrom(ctx, c.candidates(need), op, ask)
}

func (c *Client) readFrom(ctx context.Context, endpoints []*endpoint, op string, ask func(context.Context, *endpoint) error) error {
	var errs []error
	absent := len(endpoints) > 0
	for _, e := range endpoints {
		err := e.do(ctx, op, ask)
		var revert *lane.RevertError
		if err == nil || errors.As(err, &revert) {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("couldn't ask the chain (%s): %w", op, ctx.Err())
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
	return c.joined(op, errs)
}

// reply is what one of several endpoints answered.
type reply[T any] struct {
	from  *endpoint
	value T
	err   error
}

// each asks several endpoints at once. It returns those that answered, in their order, soon after the first has: the
// others have Config.Grace. errs are of those that did not.
func each[T any](ctx context.Context, c *Client, op string, endpoints []*endpoint, ask func(context.Context, *endpoint) (T, error)) (replies []reply[T], errs []error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan reply[T], len(endpoints))
	for _, e := range endpoints {
		go func() {
			r := reply[T]{from: e}
			r.err = e.do(ctx, op, func(ctx context.Context, e *endpoint) (err error) {
				r.value, err = ask(ctx, e)
				return err
			})
			results <- r
		}()
	}
	var late <-chan time.Time
	for waiting := len(endpoints); waiting > 0; waiting-- {
		select {
		case r := <-results:
			if r.err != nil {
				errs = append(errs, r.err)
				continue
			}
			replies = append(replies, r)
			if late == nil {
				late = time.After(c.cfg.Grace)
			}
		case <-late:
			waiting = 1
		}
	}
	slices.SortFunc(replies, func(a, b reply[T]) int { return slices.Index(c.endpoints, a.from) - slices.Index(c.endpoints, b.from) })
	return replies, errs
}

// Distrust sets an endpoint aside for a while that contradicts what was verified: half a minute at first, twice as long
// each time up to ten minutes. It is used meanwhile only when all others rest, and then only for what can be checked.
func (c *Client) Distrust(endpoint string, why error) {
	for _, e := range c.endpoints {
		if e.name == endpoint {
			e.distrust(why)
		}
	}
}

// contradiction makes an evidence.ErrContradiction.
func contradiction(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{evidence.ErrContradiction}, args...)...)
}
