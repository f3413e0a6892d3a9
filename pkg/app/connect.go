package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/roster/store"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/standings"
	"github.com/scorelay/scorelay/pkg/stream"
)

const (
	awaitEvery   = 250 * time.Millisecond // between tries of what is not there yet
	awaitLog     = 5 * time.Second        // between lines about it
	awaitCall    = 5 * time.Second        // of one try
	askAgain     = 10 * time.Second       // between questions to NATS servers that did not answer
	redisPatient = 5 * time.Second        // how long a start waits for Redis, which it can do without
)

// permanentError is one that waiting does not cure.
type permanentError struct{ error }

func (e permanentError) Unwrap() error { return e.error }

// Connector connects to what a process needs, waiting for what is not up yet.
type Connector struct {
	Log     *slog.Logger
	Waiting func(reason string) // may be nil; told what the process waits for, and "" when that is there
}

// await repeats try until it succeeds, fails for good, or ctx ends.
func (c Connector) await(ctx context.Context, what string, try func(context.Context) error) error {
	if c.Waiting != nil {
		defer c.Waiting("")
	}
	var lastLine time.Time
	began := time.Now()
	for {
		call, cancel := context.WithTimeout(ctx, awaitCall)
		err := try(call)
		cancel()
		var permanent permanentError
		if err == nil {
			return nil
		}
		if errors.As(err, &permanent) {
			return permanent.error
		}
		if c.Waiting != nil {
			c.Waiting(fmt.Sprintf("waiting for %s: %s; trying again%s", what, err, until(ctx)))
		}
		if time.Since(lastLine) > awaitLog {
			c.Log.Info("a dependency is away; trying again", "dependency", what, "err", err)
			lastLine = time.Now()
		}
		if retry.Sleep(ctx, awaitEvery) != nil {
			return fmt.Errorf("gave up waiting for %s after %s: %w", what, time.Since(began).Round(100*time.Millisecond), err)
		}
	}
}

// until says when a wait ends.
func until(ctx context.Context) string {
	deadline, bounded := ctx.Deadline()
	if !bounded {
		return ""
	}
	return " until " + deadline.UTC().Format("15:04:05") + " UTC"
}

func natsAt(s *NATS) string { return "NATS at " + hosts(s.NATSURL) + " (SCORELAY_NATS_URL)" }

// hosts are the servers of a list of URLs, without the passwords.
func hosts(urls Secret) string {
	var out []string
	for _, text := range strings.Split(urls.Reveal(), ",") {
		text = strings.TrimSpace(text)
		if !strings.Contains(text, "://") {
			text = "//" + text // NATS takes bare host:port
		}
		if u, err := url.Parse(text); err == nil && u.Host != "" {
			out = append(out, u.Host)
		}
	}
	if len(out) == 0 {
		return "an address that cannot be read"
	}
	return strings.Join(out, ", ")
}

// NATS connects under a client name, waiting for a server that is not up yet until ctx ends. The connection then
// reconnects forever; publishes while it is down fail at once instead of being sent later, when their senders have given
// up.
func (c Connector) NATS(ctx context.Context, s *NATS, name string) (*nats.Conn, jetstream.JetStream, error) {
	options := []nats.Option{
		nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond),
		nats.ReconnectJitter(100*time.Millisecond, 100*time.Millisecond), nats.ReconnectBufSize(-1),
		nats.Timeout(awaitCall), nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil { // nil: we closed it
				c.Log.Warn("lost NATS; reconnecting", "err", err)
			}
		}),
		nats.ReconnectHandler(func(conn *nats.Conn) {
			c.Log.Info("NATS is back")
			if err := takesAll(conn); err != nil {
				c.Log.Error("the NATS server that is back takes too small messages; what is larger is not stored until that is repaired", "err", err)
			}
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			c.Log.Warn("NATS reports an error; carrying on", "err", err)
		}),
	}
	if s.NATSCredentials != "" {
		options = append(options, nats.UserCredentials(s.NATSCredentials))
	}
	var conn *nats.Conn
	err := c.await(ctx, natsAt(s), func(context.Context) (err error) {
		conn, err = nats.Connect(s.NATSURL.Reveal(), options...)
		if errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) {
			return permanentError{fmt.Errorf("NATS refuses our credentials; check SCORELAY_NATS_URL and SCORELAY_NATS_CREDENTIALS: %w", err)}
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if err := takesAll(conn); err != nil {
		conn.Close()
		return nil, nil, err
	}
	js, err := jetstream.New(conn)
	if err != nil {
		conn.Close()
		return nil, nil, fmt.Errorf("couldn't use JetStream: %w", err)
	}
	return conn, js, nil
}

// takesAll is an error where the NATS server does not take messages as large as they may be, with what to do.
func takesAll(conn *nats.Conn) error {
	if takes := conn.MaxPayload(); takes < score.MaxPayload {
		return fmt.Errorf("the NATS server at %s takes messages of at most %d bytes, and this program stores some of up to %d: set max_payload in the configuration of each NATS server to 1MB, which is its default, or more",
			conn.ConnectedAddr(), takes, score.MaxPayload)
	}
	return nil
}

// Durable asks every NATS server whether it syncs every write before it acknowledges it, and refuses them if one does not,
// unless the settings allow it. silent are the monitoring endpoints of those that cannot be asked now; where most of a cluster can be,
// the start does not wait for the others, and AskSilent asks them.
func (c Connector) Durable(ctx context.Context, s *NATS) (silent []string, err error) {
	if s.AllowUnsafe {
		c.Log.Warn("not checking that NATS syncs every write: an accepted update may be lost with the machine's power")
		return nil, nil
	}
	err = c.await(ctx, "the monitoring endpoint of NATS at "+hosts(Secret(s.NATSMonitorURL))+" (SCORELAY_NATS_MONITOR_URL)", func(ctx context.Context) error {
		silent, err = syncs(ctx, s.monitors())
		return err
	})
	return silent, err
}

// syncs is stream.VerifySyncAlways, with what to do.
func syncs(ctx context.Context, monitors []string) ([]string, error) {
	silent, err := stream.VerifySyncAlways(ctx, monitors)
	if errors.Is(err, stream.ErrUnsafe) {
		return silent, permanentError{fmt.Errorf("%w; SCORELAY_NATS_MONITOR_URL names them; or set SCORELAY_ALLOW_UNSAFE_DURABILITY=true to accept the risk", err)}
	}
	return silent, err
}

// AskSilent asks the NATS servers that could not be asked as the process started, until each has answered or ctx ends. The error
// names one that does not sync.
func (c Connector) AskSilent(ctx context.Context, s *NATS, silent []string) error {
	for len(silent) > 0 {
		c.Log.Warn("NATS servers could not be asked whether they sync every write; asking again until they answer", "monitors", hosts(Secret(strings.Join(silent, ","))), "every", askAgain)
		for before := len(silent); len(silent) == before; {
			if err := retry.Sleep(ctx, askAgain); err != nil {
				return nil //nolint:nilerr // the process ends
			}
			now, err := syncs(ctx, s.monitors())
			permanent := permanentError{}
			switch {
			case errors.As(err, &permanent):
				return permanent.error
			case err != nil: // hardly any server answers
				continue
			}
			silent = slices.DeleteFunc(silent, func(monitor string) bool { return !slices.Contains(now, monitor) })
		}
	}
	return nil
}

// Stream opens the deployment's streams, waiting for `scorelay setup` to have made them until ctx ends.
func (c Connector) Stream(ctx context.Context, js jetstream.JetStream) (s *stream.Stream, err error) {
	err = c.await(ctx, "the deployment's streams (made by `scorelay setup`)", func(ctx context.Context) error {
		s, err = stream.Open(ctx, js)
		if errors.Is(err, stream.ErrUnsafe) {
			return permanentError{err}
		}
		return err
	})
	return s, err
}

// Roster opens the deployment's roster of lanes, waiting for `scorelay setup` to have written it until ctx ends.
func (c Connector) Roster(ctx context.Context, js jetstream.JetStream) (v *store.View, err error) {
	err = c.await(ctx, "the roster of lanes (made by `scorelay setup`)", func(ctx context.Context) error {
		s, err := store.Open(ctx, js)
		if err != nil {
			return err
		}
		v, err = s.View(ctx, c.Log)
		if errors.Is(err, score.ErrNewer) {
			return permanentError{err}
		}
		return err
	})
	return v, err
}

// Redis makes the client and waits a moment for the server, but not for long: everything works without it, less well.
func (c Connector) Redis(ctx context.Context, s *Redis) (*redisdb.Client, error) {
	client, err := redisdb.Open(s.RedisURL.Reveal())
	if err != nil {
		return nil, fmt.Errorf("SCORELAY_REDIS_URL: %w", err)
	}
	client.Log = c.Log
	ctx, cancel := context.WithTimeout(ctx, redisPatient)
	defer cancel()
	err = c.await(ctx, "Redis at "+hosts(s.RedisURL)+" (SCORELAY_REDIS_URL)", func(ctx context.Context) error { return client.Ping(ctx).Err() })
	if err != nil {
		c.Log.Warn("starting without Redis; using it when it comes up", "err", err)
	}
	return client, nil
}

// NewStandings is the projection of a deployment's final executions, which relayers write and APIs read.
func NewStandings(client *redisdb.Client, s *stream.Stream) *standings.Store {
	d := s.Deployment()
	return standings.New(client, standings.Config{Prefix: redisPrefix(s), Source: fmt.Sprintf("%d:%s", d.ChainID, d.Contract)})
}

// redisPrefix gives each deployment its own part of a Redis that several share. A stream that was made again is another
// deployment, on the same contract or not: claims of what the old one held must not answer for the new one.
func redisPrefix(s *stream.Stream) string {
	d := s.Deployment()
	return fmt.Sprintf("scorelay:%d:%x:%x:", d.ChainID, d.Contract[:4], s.Created().UnixNano())
}

// DialChain makes a client of the chain's endpoints. They may be down.
func DialChain(ctx context.Context, s *Chain, log *slog.Logger, metrics prometheus.Registerer) (*chain.Client, error) {
	urls := make([]string, len(s.ChainRPC))
	for i, url := range s.ChainRPC {
		urls[i] = url.Reveal()
	}
	return chain.Dial(ctx, chain.Config{URLs: urls, Timeout: s.ChainTimeout, FinalTag: s.FinalTag, MaxTip: s.MaxTip}, log, metrics)
}

const theChain = "the chain (SCORELAY_CHAIN_RPC)" // its client's errors name the endpoints

// ChainID waits until the chain answers and tells which one it is.
func (c Connector) ChainID(ctx context.Context, client *chain.Client) (id uint64, err error) {
	err = c.await(ctx, theChain, func(ctx context.Context) error {
		id, err = client.ChainID(ctx)
		if errors.Is(err, chain.ErrWrongChain) {
			return permanentError{err}
		}
		return err
	})
	return id, err
}

// VerifyChain waits until the chain answers, and refuses one that is not the deployment's, or does not hold the
// deployment's contract.
func (c Connector) VerifyChain(ctx context.Context, client *chain.Client, d score.Deployment) error {
	return c.await(ctx, theChain, func(ctx context.Context) error { return checkChain(ctx, client, d) })
}

// checkChain asks once. A permanentError says that the chain is not the deployment's; any other that it did not answer.
func checkChain(ctx context.Context, c *chain.Client, d score.Deployment) error {
	id, err := c.ChainID(ctx)
	if errors.Is(err, chain.ErrWrongChain) {
		return permanentError{err}
	}
	if err != nil {
		return err
	}
	if id != d.ChainID {
		return permanentError{fmt.Errorf("SCORELAY_CHAIN_RPC leads to chain %d, but this deployment is on chain %d", id, d.ChainID)}
	}
	code, err := c.Code(ctx, d.Contract)
	if err != nil {
		return err
	}
	if err := registry.VerifyCode(code, id, d.Contract); err != nil {
		return permanentError{fmt.Errorf("chain %d has at %s: %w", id, d.Contract, err)}
	}
	return nil
}
