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
	maxAnswer = 4 << 20                // of an endpoint: the largest transaction twice, in hex, as geth answers it
	tries     = 2                      // of one question, where the endpoint may not have taken it
	triesWait = 100 * time.Millisecond // between them
)

// endpoint is a JSON-RPC endpoint with eth_signTransaction: web3signer, or a node that has the key.
type endpoint struct{ client *rpc.Client }

// endpointOptions say how to reach it. Files are read again for each connection, or request, so that they can be replaced.
type endpointOptions struct {
	url             string
	certificateFile string // of the client; with keyFile, or empty
	keyFile         string
	tokenFile       string // holds a bearer token; may be empty
}

// newEndpoint checks the options; it does not connect.
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
		CheckRedirect: func(*http.Request, []*http.Request) error { // the token is for this endpoint
			return errors.New("it redirects to another address, which is not followed")
		},
	})}
	if o.tokenFile != "" {
		if err := o.token(http.Header{}); err != nil {
			return nil, err
		}
		options = append(options, rpc.WithHTTPAuth(o.token))
	}
	client, err := rpc.DialOptions(context.Background(), o.url, options...) // of HTTP it connects to nothing
	if err != nil {
		return nil, errors.New("web3signer is no address of a JSON-RPC endpoint")
	}
	return &endpoint{client}, nil
}

// certificate reads the client's certificate, for a connection.
func (o *endpointOptions) certificate(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(o.certificateFile, o.keyFile)
	if err != nil {
		return nil, fmt.Errorf("couldn't read the client certificate for the remote signer: %w", withoutPath(err))
	}
	return &pair, nil
}

// token puts the bearer token into the header of a request.
func (o *endpointOptions) token(h http.Header) error {
	raw, err := os.ReadFile(o.tokenFile)
	if err != nil {
		return unreadable("the remote signer's token file", o.tokenFile, err)
	}
	h.Set("Authorization", "Bearer "+strings.TrimSpace(string(raw)))
	return nil
}

// bounded refuses to read more of an answer than maxAnswer.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, maxAnswer)
	}
	return response, err
}

// ask has the endpoint sign.
func (e *endpoint) ask(ctx context.Context, address common.Address, tx *types.Transaction, rules types.Signer) (*types.Transaction, error) {
	var answer json.RawMessage
	if err := e.call(ctx, &answer, "eth_signTransaction", arguments(address, tx, rules)); err != nil {
		return nil, err
	}
	return decode(answer)
}

// askTyped has the endpoint sign EIP-712 data, which web3signer takes as text.
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

// call asks the endpoint for a signature, twice where it may not have taken the question.
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

// arguments are those of eth_signTransaction.
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

// decode reads an answer: the bytes in hex, as web3signer gives them, or an object that has them as raw, as geth does.
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

// transient tells whether asking again at once may help: the endpoint could not be reached, or says so itself.
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

// brief drops the address from an error of net/http, which may hold a secret, and all but the beginning of what an endpoint says.
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
