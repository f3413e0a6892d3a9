package load

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// attemptTimeout bounds one HTTP request; the API responds 503 long before.
const attemptTimeout = 15 * time.Second

// Client uses the replicas of one API in turn. It is safe for concurrent use.
type Client struct {
	*sdk.Client
	Domain wallet.Domain // for signed groups; set before use

	http *http.Client
}

// NewClient keeps up to connections idle connections per replica. replicas are one or more addresses, such as
// http://127.0.0.1:8080.
func NewClient(apiKey string, connections int, replicas ...string) (*Client, error) {
	transport := &inTurn{Transport: &http.Transport{MaxIdleConnsPerHost: connections, IdleConnTimeout: time.Minute}}
	for _, address := range replicas {
		replica, err := url.Parse(address)
		if err == nil && replica.Host == "" {
			err = errors.New("it has no host")
		}
		if err != nil {
			return nil, fmt.Errorf("%q is no address of an API: %w", address, err)
		}
		transport.replicas = append(transport.replicas, replica)
	}
	return newClient(replicas[0], apiKey, transport), nil
}

func newClient(address, apiKey string, transport http.RoundTripper) *Client {
	over := &http.Client{Timeout: attemptTimeout, Transport: transport}
	return &Client{Client: sdk.NewClient(address, apiKey, over), http: over}
}

func (c *Client) Close() { c.http.CloseIdleConnections() }

// CreateProject retries until the API accepts or rejects the creation, or ctx ends.
func (c *Client) CreateProject(ctx context.Context, p *score.Project) error {
	return sdk.Retry(ctx, func() error { return c.Client.CreateProject(ctx, p) })
}

type inTurn struct {
	*http.Transport
	replicas []*url.URL
	next     atomic.Uint64
}

func (t *inTurn) RoundTrip(r *http.Request) (*http.Response, error) {
	to := t.replicas[t.next.Add(1)%uint64(len(t.replicas))]
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host, r.Host = to.Scheme, to.Host, to.Host
	return t.Transport.RoundTrip(r)
}

type Wallet struct {
	Address common.Address
	Sign    sdk.Signer
}

func NewWallet(key *ecdsa.PrivateKey) *Wallet {
	return &Wallet{Address: crypto.PubkeyToAddress(key.PublicKey), Sign: sdk.KeySigner(key)}
}

func RandomWallet() (*Wallet, error) {
	key, err := crypto.GenerateKey()
	if err != nil {
		return nil, fmt.Errorf("couldn't make a wallet: %w", err)
	}
	return NewWallet(key), nil
}
