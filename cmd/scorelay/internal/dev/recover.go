package dev

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/node"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/directory"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// unusable is the reason why kept data cannot be continued.
type unusable struct{ error }

// resume checks, before anything starts, that NATS contains a deployment and the chain its contract. Our own chain
// must also contain the newest final block in NATS. If not, resume moves the data aside and clears k; other failures
// are errors. It discards the data of an incomplete start.
func resume(ctx context.Context, d *dataDir, k *kept, o *Options, say func(string), log *slog.Logger) error {
	if !k.Ready {
		if err := d.discard(); err != nil {
			return err
		}
		k.forget()
		return nil
	}
	err := inspect(ctx, d, k, o, log)
	var why unusable
	if err == nil {
		say(fmt.Sprintf("going on with the stack in %s: its API key, project, ports and scores (--fresh begins again)", d.path))
		return nil
	}
	if !errors.As(err, &why) || ctx.Err() != nil {
		return err
	}
	aside, err := d.setAside()
	if err != nil {
		return err
	}
	k.forget()
	say(fmt.Sprintf("starting fresh, with a new API key and project: %v (the old data is in %s until the next such start)", why, aside))
	return nil
}

func inspect(ctx context.Context, d *dataDir, k *kept, o *Options, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	url, stop, err := startNATS(d, k)
	if err != nil {
		return unusable{err}
	}
	defer stop()
	natsSettings := app.NATS{NATSURL: app.Secret(url)}
	connector := app.Connector{Log: log}
	conn, js, err := connector.NATS(ctx, &natsSettings, "scorelay-dev")
	if err != nil {
		return err
	}
	defer conn.Close()
	var opened *stream.Stream
	var followed score.Followed
	err = whileNATSIsAway(ctx, func(ctx context.Context) error {
		var projects *directory.Directory
		if opened, err = stream.Open(ctx, js); err == nil {
			projects, err = directory.Open(ctx, js)
		}
		if err != nil {
			return fmt.Errorf("NATS has no complete deployment: %w", err)
		}
		followed, _, err = projects.Followed(ctx)
		return err
	})
	if err != nil {
		return unusable{err}
	}
	settings := chainSettings(k.ChainRPC)
	if len(k.ChainRPC) == 0 {
		own, err := devnet.StartChain(chainOptions(d, k, 0, 0))
		if errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, node.ErrDatadirUsed) {
			return err
		}
		if err != nil {
			return unusable{err}
		}
		defer own.Close()
		settings = chainSettings([]string{own.URL})
	}
	c, err := app.DialChain(ctx, &settings, log, prometheus.NewRegistry())
	if err != nil {
		return err
	}
	defer c.Close()
	final := evidence.Ref{Number: followed.Block, Hash: followed.Hash}
	if len(k.ChainRPC) > 0 {
		// A public chain may have replaced its newest blocks; Scorelay follows that by itself.
		final = evidence.Ref{}
	}
	return verify(ctx, connector, c, opened.Deployment(), final)
}

// whileNATSIsAway repeats try while a cluster elects leaders.
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

func startNATS(d *dataDir, k *kept) (url string, stop func(), err error) {
	if k.Servers < 2 {
		server, err := devnet.StartNATS(d.nats(), devnet.NATSOptions{})
		if err != nil {
			return "", nil, err
		}
		return server.URL, server.Close, nil
	}
	mesh, err := devnet.StartMesh(k.Servers)
	if err != nil {
		return "", nil, err
	}
	servers, failed := make([]*devnet.NATSServer, k.Servers), make([]error, k.Servers)
	var starting sync.WaitGroup
	for i := range servers {
		starting.Go(func() {
			servers[i], failed[i] = devnet.StartNATS(d.natsOf(i), devnet.NATSOptions{Cluster: mesh.Cluster(i)})
		})
	}
	starting.Wait()
	stop = func() {
		for _, s := range servers {
			if s != nil {
				s.Close()
			}
		}
		mesh.Close()
	}
	if err := errors.Join(failed...); err != nil {
		stop()
		return "", nil, err
	}
	return servers[0].URL, stop, nil
}

// verify returns an unusable error if the chain lacks the deployment's contract or the final block. Block 0 is not
// checked.
func verify(ctx context.Context, connector app.Connector, c *chain.Client, d score.Deployment, final evidence.Ref) error {
	if _, err := connector.ChainID(ctx, c); err != nil {
		return err
	}
	if err := connector.VerifyChain(ctx, c, d); err != nil {
		if ctx.Err() != nil {
			return err
		}
		return unusable{err}
	}
	if final.Number == 0 {
		return nil
	}
	block, err := c.BlockByNumber(ctx, final.Number)
	if err != nil && !errors.Is(err, ethereum.NotFound) {
		return err
	}
	if err != nil || block.Hash != final.Hash {
		return unusable{fmt.Errorf("the chain does not hold block %d, %s, which NATS calls final", final.Number, final.Hash)}
	}
	return nil
}
