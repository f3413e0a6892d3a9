package chain

import (
	"context"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// Health is an endpoint's state according to its last exchanges.
type Health struct {
	Endpoint string
	Up       bool
	Why      string        // if down: "failing", "throttling", or "contradicting" verified data
	Newest   uint64        // number of its newest block seen; 0 before the first
	Took     time.Duration // duration of the last answered exchange; 0 before the first
}

func (c *Client) Health() []Health {
	now := time.Now()
	all := make([]Health, len(c.endpoints))
	for i, e := range c.endpoints {
		_, limited, resting := e.breaker.rest(now)
		h := Health{Endpoint: e.name, Newest: e.newest.Load(), Took: time.Duration(e.took.Load())}
		switch {
		case e.trust.distrusted(now):
			h.Why = "contradicting"
		case resting && limited:
			h.Why = "throttling"
		case resting:
			h.Why = "failing"
		default:
			h.Up = true
		}
		all[i] = h
	}
	return all
}

// Accounts returns accounts at the canonical block of a height, in order: one endpoint's claim, for display. Few
// nodes keep the state of more than the last 128 blocks.
func (c *Client) Accounts(ctx context.Context, height uint64, accounts []common.Address) (all []evidence.Account, err error) {
	at := hexutil.Uint64(height)
	err = c.read(ctx, "accounts", func(ctx context.Context, e *endpoint) error {
		var elems []rpc.BatchElem
		for _, account := range accounts {
			elems = append(elems, elem("eth_getBalance", account, at), elem("eth_getTransactionCount", account, at))
		}
		if err := e.calls(ctx, elems); err != nil {
			return err
		}
		all = make([]evidence.Account, len(accounts))
		for i := range all {
			var balance hexutil.Big
			var nonce hexutil.Uint64
			if err := answer(elems[2*i], &balance); err != nil {
				return err
			}
			if err := answer(elems[2*i+1], &nonce); err != nil {
				return err
			}
			all[i] = evidence.Account{Nonce: uint64(nonce), Balance: (*big.Int)(&balance), At: evidence.Ref{Number: height}}
		}
		return nil
	})
	return all, err
}
