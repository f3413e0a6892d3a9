package chain_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/ethereum/go-ethereum/rpc"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// corpus is what nodes were seen to say, and what it means for a slot.
var corpus = map[txpool.Class][]string{
	txpool.Known: {
		"already known", "transaction already imported", "AlreadyKnown", "Known transaction", "known transaction: 0x7f65",
		"Pool(AlreadyImported)", "tx already exists in cache", "Transaction with the same hash was already imported.",
		"known transaction. transaction with hash 0x6013…3053 is already in the system",
		"failed to forward tx to sequencer, please try again. Error message: 'already known'",
		"INTERNAL_ERROR: existing tx with same hash",
	},
	txpool.ReplacementUnderpriced: {
		"replacement transaction underpriced", "Replacement transaction underpriced",
		"INTERNAL_ERROR: could not replace existing tx", "ReplacementNotAllowed", "OwnNonceAlreadyUsed",
		"there is another tx which has the same nonce in the tx pool",
		"Transaction gas price 100wei is too low. There is another transaction with same nonce in the queue with gas price 150wei.",
		"transaction with the same nonce already submitted", "REPLACEMENT_FEE_TOO_LOW",
		"Tx with same nonce already inserted. To replace it, you need to specify a gas price > 1000000000",
	},
	txpool.NonceLow: {
		"nonce too low", "nonce too low: next nonce 1, tx nonce 0", "Nonce too low", "OldNonce",
		"OldNonce, Current nonce: 22, nonce of rejected tx: 17", "invalid transaction nonce", "Pool(Stale)",
		"Transaction nonce is too low. Try incrementing the nonce.", "transaction already finalized",
		"nonce too low. allowed nonce range: 427 - 447, actual: 426", "NONCE_TOO_LOW",
		"invalid nonce; got 18, expected 32: invalid sequence", "tx nonce is lower than account nonce",
		"Transaction nonce is less than the account nonce. 1 < 2", "Transaction 0x4a2c is discarded due to a too stale nonce",
	},
	txpool.NonceHigh: {
		"nonce too high", "NonceGap", "NonceGap, Future nonce. Expected nonce: 10", "nonce too far in the future",
		"future transaction tries to replace pending",
		"Transaction nonce is too distant from current sender nonce", "NONCE_TOO_HIGH",
		"invalid nonce; got 32, expected 18: invalid sequence", "tx nonce is higher than account nonce",
		"Transaction 0x4a2c is discarded due to in too distant future",
	},
	txpool.Delegated: {"gapped-nonce tx from delegated accounts", "in-flight transaction limit reached for delegated accounts"},
	txpool.FeeLow: {
		"transaction underpriced", "transaction gas price below minimum: gas tip cap 0, minimum needed 1",
		"max fee per gas less than block base fee", "max fee per gas less than block base fee: address 0x01, maxFeePerGas: 1, baseFee: 2",
		"FeeTooLow", "FeeTooLowToCompete", "FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 50, BaseFee: 100",
		"gas price too low", "Gas price below configured minimum gas price", "gas price less than block base fee",
		"Transaction gas price is too low. It does not satisfy your node's minimal gas price",
	},
	txpool.Full: {
		"txpool is full", "out of capacity", "queue full", "account limit exceeded: tx 3 over the limit",
		"sequencer pending tx pool full, please try again",
		"There are too many transactions in the queue. Your transaction was dropped due to limit. Try increasing the fee.",
	},
	txpool.Funds: {
		"insufficient funds for gas * price + value: balance 0, tx cost 42, overshot 42",
		"Insufficient funds for gas * price + value", "insufficient funds for transfer", "InsufficientFunds",
		"Upfront cost exceeds account balance", "transaction would cause overdraft", "not enough funds for gas",
		"Signer had insufficient balance", "lack of funds (0) for max fee (42)",
	},
	txpool.FeeCapRPC: {
		"tx fee (1.68 ether) exceeds the configured cap (1.00 ether)", "Transaction fee cap exceeded",
	},
	txpool.Reserved: {"address already reserved", "authority already reserved", "conflicting type"},
	txpool.BadGas: {
		"intrinsic gas too low: gas 20000, minimum needed 21000", "Intrinsic gas exceeds gas limit",
		"intrinsic gas too high -- CallGasCostMoreThanGasLimit",
		"insufficient gas for floor data gas cost: gas 85100, minimum needed 181000",
		"Transaction gas is too low. There is not enough gas to cover minimal cost of the transaction",
	},
	txpool.TooBig: {
		"oversized data: transaction size 131191, limit 131072", "exceeds block gas limit",
		"transaction gas limit too high (cap: 16777216, tx: 16777217)", "Transaction gas limit exceeds block gas limit",
		"gas limit reached", "max initcode size exceeded", "GasLimitExceeded, Gas limit: 1, gas limit of rejected tx: 2",
	},
	txpool.Invalid: {
		"invalid sender: invalid chain id for signer: have 99 want 1337", "invalid chain id for signer", "Wrong chainId",
		"max priority fee per gas higher than max fee per gas", "Max priority fee per gas exceeds max fee per gas",
		"negative value", "only replay-protected (EIP-155) transactions allowed over RPC", "transaction type not supported",
		"Invalid signature",
	},
	txpool.Throttled: {"Too Many Requests", "rate limit exceeded", "daily request limit reached", "batch too large"},
	txpool.NodeDown: {
		"connection refused", "node is syncing", "the method eth_sendRawTransaction does not exist/is not available",
		"Method not found", "502 Bad Gateway: <html>",
	},
	txpool.Timeout: {"request timed out", "i/o timeout", "context deadline exceeded"},
	txpool.Unknown: {"", "some old bollocks", "unknown transaction", "Unknown Transaction 0x12", "execution reverted"},
}

func TestClassifyTexts(t *testing.T) {
	t.Parallel()
	for class, texts := range corpus {
		for _, text := range texts {
			require.Equal(t, class, chain.Classify(errors.New(text)), text)
			require.Equal(t, class, chain.Classify(fmt.Errorf("call failed: %w", coded{text, -32000})), text)
			require.Equal(t, class, chain.Classify(errors.New(strings.ToUpper(text))), text)
		}
	}
}

// TestClassifyData: some nodes say in the error's data what is wrong, and no more than a method's name beside it.
func TestClassifyData(t *testing.T) {
	t.Parallel()
	node := fresh.NewChain(t)
	p := newProxy(t, node.URL)
	for text, want := range map[string]txpool.Class{
		"Tx with same nonce already inserted. To replace it, you need to specify a gas price > 9": txpool.ReplacementUnderpriced,
		"what is this": txpool.Unknown,
	} {
		p.inject(edit(func(_ string, _ []any, a map[string]any) {
			fail(a, -32602, "Invalid parameters: tx")
			a["error"].(map[string]any)["data"] = text
		}))
		require.Equal(t, want, sendAll(t, dial(t, chain.Config{URLs: []string{p.URL}}), transfer(t, 0, 0))[0].Class)
	}
}

// coded is a JSON-RPC error.
type coded struct {
	text string
	code int
}

func (c coded) Error() string  { return c.text }
func (c coded) ErrorCode() int { return c.code }

func TestClassifyTransport(t *testing.T) {
	t.Parallel()
	post := func(err error) error { return &url.Error{Op: "Post", URL: "https://node/secret", Err: err} }
	for _, c := range []struct {
		err  error
		want txpool.Class
	}{
		{nil, txpool.Added},
		{post(context.DeadlineExceeded), txpool.Timeout},
		{post(context.Canceled), txpool.Timeout},
		{post(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}), txpool.NodeDown},
		{post(&net.OpError{Op: "read", Err: syscall.ECONNRESET}), txpool.NodeDown},
		{post(io.EOF), txpool.NodeDown},
		{io.ErrUnexpectedEOF, txpool.NodeDown},
		{rpc.ErrMissingBatchResponse, txpool.NodeDown},
		{rpc.HTTPError{StatusCode: 429, Body: []byte("nonce too low")}, txpool.Throttled},
		{rpc.HTTPError{StatusCode: 503}, txpool.NodeDown},
		{rpc.HTTPError{StatusCode: 504}, txpool.Timeout},
		{rpc.HTTPError{StatusCode: 408, Body: []byte("Request Timeout")}, txpool.Timeout},
		{rpc.HTTPError{StatusCode: 403, Body: []byte("<html>forbidden")}, txpool.NodeDown},
		{rpc.HTTPError{StatusCode: 400, Body: []byte(`{"error":{"message":"nonce too low"}}`)}, txpool.NonceLow},
		{rpc.HTTPError{StatusCode: 400, Body: []byte(`{"error":{"message":"already known"}}`)}, txpool.Known},
		// A page must never make a refusal final.
		{rpc.HTTPError{StatusCode: 413, Body: []byte("oversized data")}, txpool.NodeDown},
		{rpc.HTTPError{StatusCode: 500, Body: []byte("invalid signature")}, txpool.NodeDown},
		{coded{"slow down", -32005}, txpool.Throttled},
		{coded{"nope", -32601}, txpool.NodeDown},
		{coded{"busy", -32002}, txpool.Timeout},
		{coded{"nonce too low", -32005}, txpool.NonceLow},
		{coded{"what", -32000}, txpool.Unknown},
	} {
		require.Equal(t, c.want, chain.Classify(c.err), "%v", c.err)
	}
}

// For any words of a node, in any wrapping, the classifier neither panics nor calls it accepted, and what it says does
// not depend on case.
func FuzzClassify(f *testing.F) {
	for _, texts := range corpus {
		for _, text := range texts {
			f.Add(text, -32000)
		}
	}
	f.Fuzz(func(t *testing.T, text string, code int) {
		class := chain.Classify(coded{text, code})
		require.NotEqual(t, txpool.Added, class)
		require.Equal(t, class, chain.Classify(coded{strings.ToLower(text), code}))
		status := chain.Classify(rpc.HTTPError{StatusCode: 500, Body: []byte(text)})
		require.NotContains(t, []txpool.Class{txpool.Added, txpool.BadGas, txpool.TooBig, txpool.FeeCapRPC, txpool.Invalid}, status)
	})
}
