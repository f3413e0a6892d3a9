package dev

import (
	"context"
	"errors"
	"fmt"
	"math"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/node"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/directory"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// verify compares kept data with the chain, before any relayer would wait for blocks that never come. NATS must have a
// deployment, and the chain its contract. Our own chain must also have the newest final block in NATS, unlike a public
// chain, which may have replaced that block.
func (b *builder) verify(ctx context.Context, js jetstream.JetStream, c *chain.Client) error {
	var deployment score.Deployment
	var followed score.Followed
	err := whileNATSIsAway(ctx, func(ctx context.Context) error {
		opened, err := stream.Open(ctx, js)
		if err != nil {
			return err
		}
		deployment = opened.Deployment()
		projects, err := directory.Open(ctx, js)
		if err == nil {
			followed, _, err = projects.Followed(ctx)
		}
		return err
	})
	if err != nil {
		return b.damaged(fmt.Errorf("NATS has no complete deployment: %w", err))
	}
	if err := (app.Connector{Log: b.log}).VerifyChain(ctx, c, deployment); err != nil {
		return b.damaged(err)
	}
	if len(b.kept.ChainRPC) > 0 || followed.Block == 0 {
		return nil
	}
	block, err := c.BlockByNumber(ctx, followed.Block)
	if err != nil && !errors.Is(err, ethereum.NotFound) {
		return err
	}
	if err != nil || block.Hash != followed.Hash {
		return b.damaged(fmt.Errorf("the chain does not hold block %d, %s, which NATS calls final", followed.Block, followed.Hash))
	}
	return nil
}

// damaged adds the fix to an error of a stack that was complete before, except to those that pass.
func (b *builder) damaged(err error) error {
	if err == nil || !b.kept.Ready || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, node.ErrDatadirUsed) {
		return err
	}
	check := ""
	if len(b.kept.ChainRPC) > 0 {
		check = "check --chain-rpc; "
	}
	return fmt.Errorf("couldn't go on with the stack in %s: %w; %sif its data is damaged, or its chain was reset, begin again with --fresh",
		b.dir.path, err, check)
}

// whileNATSIsAway repeats try as long as its error may mean that a cluster elects leaders.
func whileNATSIsAway(ctx context.Context, try func(ctx context.Context) error) (err error) {
	_ = retry.Do(ctx, math.MaxInt, 250*time.Millisecond, func() error {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		err = try(ctx)
		var refused *jetstream.APIError
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrNoResponders) || errors.As(err, &refused) && refused.Code == 503 {
			return err
		}
		return nil
	})
	return err
}
