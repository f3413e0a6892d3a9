package signer

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/retry"
)

const (
	// bytes of a response: the largest transaction twice in hex, as geth returns it
	maxAnswer = 4 << 20
	tries     = 2 // of one request, for transient errors
	triesWait = 100 * time.Millisecond
)

// endpoint is web3signer, or a node that has the key.
type endpoint struct{ client *rpc.Client }

// Files can be replaced at run time: the certificate is read for each connection, the token for each request.
type endpointOptions struct {
	url             string
	certificateFile string // client certificate; set together with keyFile, or empty
	keyFile         string
	tokenFile       string // contains a bearer token; may be empty
}

// newEndpoint validates the options and reads their files once, offline.
func newEndpoint(o *endpointOptions) (*endpoint, error) {
	u, err := url.Parse(o.url)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("web3signer must be an address that begins with http:// or https://")
	case u.User != nil:
		return nil, errors.New("web3signer must hold no user or password: use tokenFile, or a client certificate")
	case u.Scheme == "http" && (o.tokenFile != "" || o.certificateFile != ""):
		return nil, errors.New("tokenFile and certificateFile need https://: over http:// others on the network could read the token")
	case (o.certificateFile == "") != (o.keyFile == ""):
		return nil, errors.New("set both of certificateFile and keyFile, or none")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if o.certificateFile != "" {
		if _, err := o.certificate(nil); err != nil {
			return nil, err
		}
		transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetClientCertificate: o.certificate}
	}
	options := []rpc.ClientOption{rpc.WithHTTPClient(&http.Client{
		Transport: bounded{transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { // a redirect would leak the token
			return errors.New("it redirects to another address, which is not followed")
		},
	})}
	if o.tokenFile != "" {
		if err := o.token(http.Header{}); err != nil {
			return nil, err
		}
		options = append(options, rpc.WithHTTPAuth(o.token))
	}
	client, err := rpc.DialOptions(context.Background(), o.url, options...) // connects lazily over HTTP
	if err != nil {
		return nil, errors.New("web3signer is no address of a JSON-RPC endpoint")
	}
	return &endpoint{client}, nil
}

func (o *endpointOptions) certificate(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(o.certificateFile, o.keyFile)
	if err != nil {
		return nil, fmt.Errorf("couldn't read the client certificate for the remote signer: %w", withoutPath(err))
	}
	return &pair, nil
}

func (o *endpointOptions) token(h http.Header) error {
	raw, err := os.ReadFile(o.tokenFile)
	if err != nil {
		return unreadable("the remote signer's token file", o.tokenFile, err)
	}
	h.Set("Authorization", "Bearer "+strings.TrimSpace(string(raw)))
	return nil
}

type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, maxAnswer)
	}
	return response, err
}

func (e *endpoint) ask(ctx context.Context, address common.Address, tx *types.Transaction, rules types.Signer) (*types.Transaction, error) {
	var answer json.RawMessage
	if err := e.call(ctx, &answer, "eth_signTransaction", arguments(address, tx, rules)); err != nil {
		return nil, err
	}
	return decode(answer)
}

// askTyped sends the EIP-712 data as text, as web3signer requires.
func (e *endpoint) askTyped(ctx context.Context, address common.Address, typed []byte, digest common.Hash) ([]byte, error) {
	var signature hexutil.Bytes
	if err := e.call(ctx, &signature, "eth_signTypedData", address, string(typed)); err != nil {
		return nil, err
	}
	if last := len(signature) - 1; last == crypto.RecoveryIDOffset && signature[last] >= 27 {
		signature[last] -= 27
	}
	public, err := crypto.SigToPub(digest[:], signature)
	if err != nil || crypto.PubkeyToAddress(*public) != address {
		return nil, fmt.Errorf("%w: it is no signature by %s of what it was asked to sign", ErrUntrue, address)
	}
	return signature, nil
}

// call retries a transient error once.
func (e *endpoint) call(ctx context.Context, answer any, method string, args ...any) error {
	var refused error
	err := retry.Do(ctx, tries, triesWait, func() error {
		err := e.client.CallContext(ctx, answer, method, args...)
		if refused = nil; err != nil && !transient(err) {
			refused = err
			return nil
		}
		return err
	})
	if err := errors.Join(err, refused); err != nil {
		return fmt.Errorf("the remote signer does not sign: %w", brief(err))
	}
	return nil
}

func arguments(address common.Address, tx *types.Transaction, rules types.Signer) map[string]any {
	args := map[string]any{
		"from": address, "gas": hexutil.Uint64(tx.Gas()), "nonce": hexutil.Uint64(tx.Nonce()), "value": (*hexutil.Big)(tx.Value()),
		"data": hexutil.Bytes(tx.Data()), "chainId": (*hexutil.Big)(rules.ChainID()),
	}
	if to := tx.To(); to != nil {
		args["to"] = to
	}
	if tx.Type() == types.LegacyTxType {
		args["gasPrice"] = (*hexutil.Big)(tx.GasPrice())
	} else {
		args["maxFeePerGas"], args["maxPriorityFeePerGas"] = (*hexutil.Big)(tx.GasFeeCap()), (*hexutil.Big)(tx.GasTipCap())
	}
	return args
}

// decode parses hex bytes (web3signer), or an object with member raw (geth).
func decode(answer json.RawMessage) (*types.Transaction, error) {
	var raw hexutil.Bytes
	if err := json.Unmarshal(answer, &raw); err != nil {
		var object struct{ Raw hexutil.Bytes }
		if json.Unmarshal(answer, &object) != nil {
			return nil, fmt.Errorf("%w: it is no transaction in hex", ErrUntrue)
		}
		raw = object.Raw
	}
	tx := new(types.Transaction)
	if err := tx.UnmarshalBinary(raw); err != nil {
		return nil, fmt.Errorf("%w: it is no transaction: %w", ErrUntrue, err)
	}
	return tx, nil
}

// transient is true for transport errors, HTTP 429 and 5xx.
func transient(err error) bool {
	var answered rpc.Error
	var status rpc.HTTPError
	switch {
	case errors.As(err, &answered):
		return false
	case errors.As(err, &status):
		return status.StatusCode == http.StatusTooManyRequests || status.StatusCode >= 500
	}
	return true
}

// brief removes the URL, which may contain a secret, and truncates an endpoint's text to 300 bytes.
func brief(err error) error {
	const most = 300
	var withURL *url.Error
	if errors.As(err, &withURL) {
		err = withURL.Err
	}
	if text := err.Error(); len(text) > most {
		return errors.New(strings.ToValidUTF8(text[:most], "") + "…")
	}
	return err
}
