package chain

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/retry"
)

const (
	silentAfter  = 15 * time.Second // without a head, a subscription is not believed to be alive
	followFirst  = time.Second
	followMost   = 30 * time.Second
	pushedBuffer = 256
)

// pushed is the newest block that an endpoint's subscription told of.
type pushed struct {
	mu    sync.Mutex
	block evidence.Block
	at    time.Time // zero while there is no subscription
}

func (p *pushed) latest() (evidence.Block, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.block, !p.at.IsZero() && time.Since(p.at) < silentAfter
}

func (p *pushed) set(b evidence.Block, at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.block, p.at = b, at
}

// Wake fires when a websocket tells of a new head. It is for one reader.
func (c *Client) Wake() <-chan struct{} { return c.wake }

// follow keeps a websocket's subscription to new heads until ctx ends. While there is none, Latest polls the endpoint.
func (c *Client) follow(ctx context.Context, e *endpoint) {
	wait := followFirst
	for ctx.Err() == nil {
		began := time.Now()
		err := c.subscribed(ctx, e)
		e.pushed.set(evidence.Block{}, time.Time{})
		if errors.Is(err, rpc.ErrNotificationsUnsupported) || ctx.Err() != nil {
			return
		}
		if time.Since(began) > followMost {
			wait = followFirst
		}
		e.log.Info("the chain's endpoint does not push its heads; polling it, and subscribing again", "err", redacted(err), "in", wait)
		_ = retry.Sleep(ctx, wait) // the loop looks at ctx
		wait = min(2*wait, followMost)
	}
}

// subscribed reads one subscription until it breaks. A head comes without its transactions, so the block is read.
func (c *Client) subscribed(ctx context.Context, e *endpoint) error {
	heads := make(chan struct {
		Hash common.Hash `json:"hash"`
	}, pushedBuffer)
	e.metrics.calls.WithLabelValues(e.name, "eth_subscribe").Inc()
	dialled, cancel := context.WithTimeout(ctx, e.timeout)
	sub, err := e.rpc.EthSubscribe(dialled, heads, "newHeads")
	cancel()
	if err != nil {
		return err
	}
	defer sub.Unsubscribe()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-sub.Err():
			return err
		case head := <-heads:
			for len(heads) > 0 { // only the newest counts
				head = <-heads
			}
			var b evidence.Block
			err := e.do(ctx, "pushed", func(ctx context.Context, e *endpoint) (err error) {
				b, err = c.blockByHash(ctx, e, head.Hash)
				return err
			})
			if err != nil {
				e.pushed.set(evidence.Block{}, time.Time{}) // Latest asks by itself
			} else {
				e.pushed.set(b, time.Now())
			}
			select {
			case c.wake <- struct{}{}:
			default:
			}
		}
	}
}
