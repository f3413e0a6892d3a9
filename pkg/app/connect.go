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
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/standings"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

const (
	awaitEvery   = 250 * time.Millisecond // between attempts
	awaitLog     = 5 * time.Second
	awaitCall    = 5 * time.Second  // timeout of an attempt
	askAgain     = 10 * time.Second // between requests to silent NATS servers
	redisPatient = 5 * time.Second  // how long a start waits for Redis, which is optional
)

// permanentError persists however long we wait.
type permanentError struct{ error }

func (e permanentError) Unwrap() error { return e.error }

// Connector connects a process to its dependencies and waits for those that are down.
type Connector struct {
	Log     *slog.Logger
	Waiting func(reason string) // may be nil; gets the reason to wait, and "" at the end
}

// await repeats try until it succeeds, fails with a permanentError, or ctx ends.
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

func until(ctx context.Context) string {
	deadline, bounded := ctx.Deadline()
	if !bounded {
		return ""
	}
	return " until " + deadline.UTC().Format("15:04:05") + " UTC"
}

func natsAt(s *NATS) string { return "NATS at " + hosts(s.NATSURL) + " (SCORELAY_NATS_URL)" }

// hosts returns the servers of a list of URLs, without passwords.
func hosts(urls Secret) string {
	var out []string
	for _, text := range strings.Split(urls.Reveal(), ",") {
		text = strings.TrimSpace(text)
		if !strings.Contains(text, "://") {
			text = "//" + text // NATS accepts a bare host:port
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

// NATS connects under a client name and waits for the server until ctx ends. The connection then reconnects forever.
// While it is down, publishes fail at once, instead of being sent after their senders gave up.
func (c Connector) NATS(ctx context.Context, s *NATS, name string) (*nats.Conn, jetstream.JetStream, error) {
	options := []nats.Option{
		nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond),
		nats.ReconnectJitter(100*time.Millisecond, 100*time.Millisecond), nats.ReconnectBufSize(-1),
		nats.Timeout(awaitCall), nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil { // nil: closed by this process
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

// takesAll returns an error, with the fix, if the NATS server's message limit is below score.MaxPayload.
func takesAll(conn *nats.Conn) error {
	if takes := conn.MaxPayload(); takes < score.MaxPayload {
		return fmt.Errorf("the NATS server at %s takes messages of at most %d bytes, and this program stores some of up to %d: set max_payload in the configuration of each NATS server to 1MB, which is its default, or more",
			conn.ConnectedAddr(), takes, score.MaxPayload)
	}
	return nil
}

// Durable verifies that every NATS server syncs each write before it acknowledges it; with AllowUnsafe it only warns.
// silent are the monitoring endpoints that did not respond. If most of a cluster responds, the start continues, and
// AskSilent retries the others.
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

// syncs is stream.VerifySyncAlways, with the fix in its error.
func syncs(ctx context.Context, monitors []string) ([]string, error) {
	silent, err := stream.VerifySyncAlways(ctx, monitors)
	if errors.Is(err, stream.ErrUnsafe) {
		return silent, permanentError{fmt.Errorf("%w; SCORELAY_NATS_MONITOR_URL names them; or set SCORELAY_ALLOW_UNSAFE_DURABILITY=true to accept the risk", err)}
	}
	return silent, err
}

// AskSilent retries silent NATS servers until each has responded or ctx ends. The error names a server that does not
// sync.
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
			case err != nil: // too few servers respond
				continue
			}
			silent = slices.DeleteFunc(silent, func(monitor string) bool { return !slices.Contains(now, monitor) })
		}
	}
	return nil
}

// Stream opens the deployment's streams and waits until ctx ends for `scorelay setup` to create them.
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

// Roster opens the roster of lanes and waits until ctx ends for `scorelay setup` to write it.
func (c Connector) Roster(ctx context.Context, js jetstream.JetStream) (v *kv.RosterView, err error) {
	err = c.await(ctx, "the roster of lanes (made by `scorelay setup`)", func(ctx context.Context) error {
		s, err := kv.OpenRoster(ctx, js)
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

// Redis returns a client, even if the server, which is optional, does not respond within redisPatient.
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

// NewStandings returns the projection of a deployment's final executions.
func NewStandings(client *redisdb.Client, s *stream.Stream) *standings.Store {
	d := s.Deployment()
	return standings.New(client, standings.Config{Prefix: redisPrefix(s), Source: fmt.Sprintf("%d:%s", d.ChainID, d.Contract)})
}

// redisPrefix separates deployments in a shared Redis. A recreated stream is another deployment, even on the same
// contract: the old one's claims must not apply to it.
func redisPrefix(s *stream.Stream) string {
	d := s.Deployment()
	return fmt.Sprintf("scorelay:%d:%x:%x:", d.ChainID, d.Contract[:4], s.Created().UnixNano())
}

// DialChain returns a client of the chain's endpoints, which may be down.
func DialChain(ctx context.Context, s *Chain, log *slog.Logger, metrics prometheus.Registerer) (*chain.Client, error) {
	urls := make([]string, len(s.ChainRPC))
	for i, url := range s.ChainRPC {
		urls[i] = url.Reveal()
	}
	return chain.Dial(ctx, chain.Config{URLs: urls, Timeout: s.ChainTimeout, FinalTag: s.FinalTag, MaxTip: s.MaxTip}, log, metrics)
}

const theChain = "the chain (SCORELAY_CHAIN_RPC)" // its client's errors name the endpoints

// ChainID waits until the chain responds and returns its id.
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

// VerifyChain waits until the chain responds. It fails if the chain is another one or lacks the deployment's
// contract.
func (c Connector) VerifyChain(ctx context.Context, client *chain.Client, d score.Deployment) error {
	return c.await(ctx, theChain, func(ctx context.Context) error { return checkChain(ctx, client, d) })
}

// checkChain verifies once. A permanentError means a wrong chain or contract, another error that the chain did not
// respond.
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
