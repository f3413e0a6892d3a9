package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// DefaultMinTip, in wei per gas, is the least that geth's miner accepts.
const DefaultMinTip = 1_000_000

// Config configures a Client. Zero values are the defaults.
type Config struct {
	URLs     []string      // http, https, ws or wss; the first that is up answers reads, all get transactions
	Timeout  time.Duration // of one exchange. Default 10 s
	Grace    time.Duration // wait for slower endpoints after the first answer. Default 300 ms
	LogRange uint64        // maximum blocks of one eth_getLogs. Default 2,000
	Proven   uint64        // last blocks of a log query that are proved. Default 4,096
	FinalTag string        // finalized or safe. Default finalized
	MinTip   uint64        // of a Price, wei per gas. Default DefaultMinTip, at most MaxTip
	MaxTip   uint64        // of a Price, wei per gas. Default 50 gwei
	// time without checked blocks, from the first unchecked one on, after which unknown header fields are accepted.
	// Default 1 minute
	Unchecked time.Duration
	Legacy    bool // use gas prices even if blocks have a base fee
}

func (c Config) withDefaults() Config {
	c.Timeout = cmp.Or(c.Timeout, 10*time.Second)
	c.Grace = cmp.Or(c.Grace, 300*time.Millisecond)
	c.LogRange = cmp.Or(c.LogRange, 2000)
	c.Proven = cmp.Or(c.Proven, 4096)
	c.Unchecked = cmp.Or(c.Unchecked, time.Minute)
	c.FinalTag = cmp.Or(c.FinalTag, "finalized")
	c.MaxTip = cmp.Or(c.MaxTip, 50_000_000_000)
	c.MinTip = cmp.Or(c.MinTip, min(DefaultMinTip, c.MaxTip))
	return c
}

// Client is safe for concurrent use.
type Client struct {
	cfg       Config
	endpoints []*endpoint
	log       *slog.Logger
	metrics   *metrics
	headers   headerRule
	encodes   atomic.Bool // encodeTransaction's encoding has matched a root
	late      late
	market    *market
	oracle    oracle
	quiet     quiet
	latest    standing[evidence.Block]
	finalized standing[*evidence.Block]
	life      context.Context // canceled by Close; ends requests that outlive their caller
	end       context.CancelFunc
}

// Dial returns a client of the endpoints, which may be down.
func Dial(ctx context.Context, cfg Config, log *slog.Logger, reg prometheus.Registerer) (*Client, error) {
	cfg = cfg.withDefaults()
	if len(cfg.URLs) == 0 {
		return nil, errors.New("no endpoint of the chain is configured")
	}
	if cfg.MinTip > cfg.MaxTip {
		return nil, fmt.Errorf("the least tip (%d wei) is above the highest (%d wei)", cfg.MinTip, cfg.MaxTip)
	}
	c := &Client{cfg: cfg, log: log, metrics: newMetrics(reg), market: newMarket(), late: late{came: map[common.Hash]*evidence.Receipt{}}}
	c.life, c.end = context.WithCancel(context.WithoutCancel(ctx))
	hosts := map[string]int{}
	for i, rawURL := range cfg.URLs {
		u, err := url.Parse(rawURL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" && !isWebSocket(rawURL) {
			c.Close()
			// the URL may contain a key
			return nil, fmt.Errorf("the chain's endpoint %d is not a URL such as https://host:8545", i+1)
		}
		name := u.Host
		if hosts[u.Host]++; hosts[u.Host] > 1 {
			name = fmt.Sprintf("%s#%d", u.Host, hosts[u.Host])
		}
		e, err := dial(ctx, rawURL, name, cfg, log, c.metrics)
		if err != nil {
			c.Close()
			return nil, err
		}
		c.endpoints = append(c.endpoints, e)
		c.metrics.begin(name)
	}
	return c, nil
}

// Own sets the deployment's contract. Transactions to it are excluded from the market price.
func (c *Client) Own(contract common.Address) { c.market.own(contract) }

// outlive returns a context that ends with the Client instead of ctx.
func (c *Client) outlive(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(c.life, cancel)
	return ctx, func() { stop(); cancel() }
}

func (c *Client) Close() {
	c.end()
	for _, e := range c.endpoints {
		e.close()
	}
}

var ErrWrongChain = errors.New("an endpoint is on another chain")

// ChainID asks every endpoint for its chain ID. Errors: ErrWrongChain if two differ, another if all fail.
func (c *Client) ChainID(ctx context.Context) (uint64, error) {
	var id uint64
	var errs []error
	from := ""
	for _, e := range c.endpoints {
		var answer hexutil.Uint64
		err := e.do(ctx, "chain_id", func(ctx context.Context, e *endpoint) error {
			return e.call(ctx, &answer, "eth_chainId")
		})
		switch {
		case err != nil:
			errs = append(errs, err)
		case from == "":
			id, from = uint64(answer), e.name
		case uint64(answer) != id:
			return 0, fmt.Errorf("%w: %s says %d, %s says %d", ErrWrongChain, from, id, e.name, uint64(answer))
		}
	}
	if from == "" {
		return 0, fmt.Errorf("couldn't ask for the chain id: %w", errors.Join(errs...))
	}
	return id, nil
}
