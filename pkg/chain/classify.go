package chain

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/txpool"
)

var rates = []string{
	"too many request", "rate limit", "request rate", "rate exceeded", "rps limit", "request limit", "request count",
	"compute units per second", "monthly capacity", "quota", "slow down",
}

// texts maps error texts to classes. The first match wins, so specific phrases come first. Phrases match anywhere in
// the lower-case text, since clients, proxies and rollups wrap each other's errors. JSON-RPC codes come second, since
// they are ambiguous: one client's -32000 is another's -32003.
var texts = []struct {
	class   txpool.Class
	phrases []string
}{
	{txpool.Delegated, []string{"in-flight transaction limit", "delegated account"}},
	{txpool.NonceHigh, []string{
		"future transaction tries to replace pending", "gapped-nonce", "nonce too high",
		"noncegap", "nonce gap", "nonce too far in the future", "exceeds next nonce", "too distant from current sender nonce",
		"nonce is higher than", "due to in too distant future",
	}},
	{txpool.ReplacementUnderpriced, []string{
		"replacement transaction underpriced", "replacement underpriced", "could not replace existing tx",
		"replacementnotallowed", "another transaction with same nonce", "another tx which has the same nonce",
		"ownnoncealreadyused", "same nonce already", "replacement fee too low",
	}},
	{txpool.NonceLow, []string{
		"nonce too low", "nonce is too low", "oldnonce", "invalid transaction nonce", "pool(stale)",
		"transaction already finalized", "nonce is lower than", "nonce is less than", "too stale nonce", "invalid nonce; got",
	}},
	{txpool.Known, []string{
		"already known", "alreadyknown", "already imported", "alreadyimported", "already exists in cache",
		"is already in the system", "known transaction", "existing tx with same hash", "tx already exist",
	}},
	{txpool.BadGas, []string{
		"intrinsic gas too low", "intrinsic gas too high", "intrinsic gas exceeds", "floor data gas", "transaction gas is too low",
	}},
	{txpool.FeeCapRPC, []string{"exceeds the configured cap", "transaction fee cap exceeded"}},
	{txpool.Invalid, []string{ // before FeeLow, as these mention fees, too
		"max priority fee per gas higher than max fee per gas", "max priority fee per gas exceeds max fee per gas",
		"max priority fee per gas greater than max fee per gas",
	}},
	{txpool.TooBig, []string{
		"oversized data", "gas limit too high", "exceeds block gas limit", "exceeds current gas limit",
		"gas limit reached", "gaslimitexceeded", "max initcode", "transaction is too big", "rlp-encoded size exceeds",
	}},
	{txpool.Full, []string{
		"txpool is full", "pool is full", "pool full", "out of capacity", "queue full", "pool limit", "account limit exceeded",
		"too many transactions in the queue",
	}},
	{txpool.FeeLow, []string{
		"gas price below minimum", "less than block base fee", "below current base fee", "feetoolow", "fee too low",
		"gas price too low", "gas price is too low", "minimum gas price", "gas price minimum", "unacceptable gas price",
		"underpriced",
	}},
	{txpool.Funds, []string{
		"insufficient funds", "insufficientfunds", "insufficient balance", "insufficient payer balance",
		"upfront cost exceeds", "overdraft", "not enough funds", "lack of funds",
	}},
	{txpool.Reserved, []string{"already reserved", "conflicting type"}},
	{txpool.Invalid, []string{
		"invalid sender", "invalid chain id", "invalid chainid", "wrong chain", "invalid signature", "negative value",
		"only replay-protected", "transaction type not supported", "unsupported transaction type", "gas uint64 overflow",
		"sender not an eoa", "senderiscontract", "sender account not authorized", "higher than 2^256-1",
	}},
	{txpool.Throttled, slices.Concat(rates, []string{"limit exceeded", "batch too large", "response too large"})},
	{txpool.Timeout, []string{"timeout", "timed out", "deadline exceeded"}},
	{txpool.NodeDown, []string{
		"connection refused", "connection reset", "unexpected eof", "syncing", "method not found",
		"does not exist/is not available", "service unavailable", "bad gateway", "network is unreachable", "no such host",
	}},
}

// Classify returns the class of an endpoint's response to a raw transaction: txpool.Added for nil, txpool.Unknown if
// unrecognized.
func Classify(err error) txpool.Class {
	if err == nil {
		return txpool.Added
	}
	if class, ok := classifyTransport(err); ok {
		return class
	}
	text := err.Error()
	var withData rpc.DataError
	if errors.As(err, &withData) { // some nodes put the cause there
		text = fmt.Sprint(withData.Error(), " ", withData.ErrorData())
	}
	if class := classifyText(text); class != txpool.Unknown {
		return class
	}
	var coded rpc.Error
	if errors.As(err, &coded) { // codes with one meaning everywhere
		switch coded.ErrorCode() {
		case -32005:
			return txpool.Throttled
		case -32601:
			return txpool.NodeDown
		case -32002:
			return txpool.Timeout
		}
	}
	return txpool.Unknown
}

func classifyTransport(err error) (txpool.Class, bool) {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return txpool.Timeout, true
	}
	var rest *restError
	if errors.As(err, &rest) {
		if rest.limited {
			return txpool.Throttled, true
		}
		return txpool.NodeDown, true
	}
	var http rpc.HTTPError
	if errors.As(err, &http) {
		if http.StatusCode == 429 {
			return txpool.Throttled, true
		}
		if http.StatusCode == 408 || http.StatusCode == 504 {
			return txpool.Timeout, true
		}
		// Some nodes send their JSON-RPC error with a 4xx or 5xx. Its text counts, except for final refusals, since
		// the page may be a proxy's.
		switch class := classifyText(string(http.Body)); class {
		case txpool.Unknown, txpool.BadGas, txpool.TooBig, txpool.FeeCapRPC, txpool.Invalid:
			return txpool.NodeDown, true
		default:
			return class, true
		}
	}
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return txpool.Timeout, true
	}
	var op *net.OpError
	if errors.As(err, &op) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, rpc.ErrMissingBatchResponse) || errors.Is(err, rpc.ErrClientQuit) {
		return txpool.NodeDown, true
	}
	return txpool.Unknown, false
}

func classifyText(text string) txpool.Class {
	text = strings.ReplaceAll(strings.ToLower(text), "_", " ")
	text = strings.ReplaceAll(text, "unknown transaction", "") // contains a phrase of Known
	var got, want uint64
	_, nonces, _ := strings.Cut(text, "invalid nonce; got ")
	if _, err := fmt.Sscanf(nonces, "%d, expected %d", &got, &want); err == nil && got > want {
		return txpool.NonceHigh
	}
	for _, row := range texts {
		if containsAny(text, row.phrases...) {
			return row.class
		}
	}
	return txpool.Unknown
}

// minTips captures the minimum tip in a pool's refusal, in wei per gas: of geth and Bor, or of BSC.
var minTips = regexp.MustCompile(`gas tip cap (?:below minimum: )?\d+, minimum needed (\d+)|tip needed (\d+), tip permitted`)

func minTip(err error) (wei uint64) {
	if err == nil {
		return 0
	}
	if named := minTips.FindStringSubmatch(strings.ToLower(err.Error())); named != nil {
		wei, _ = strconv.ParseUint(named[1]+named[2], 10, 64) // 2^64-1 on overflow
	}
	return wei
}

func undelivered(err error) bool {
	var op *net.OpError
	var rest *restError
	return errors.As(err, &rest) || errors.As(err, &op) && op.Op == "dial"
}

// refusals are texts with which the EVM itself ends a call.
var refusals = []string{
	"revert", "evm error", "out of gas", "outofgas", "gas required exceeds", "intrinsic gas", "floor data gas", "invalid opcode",
	"invalid jump", "stack underflow", "stack limit", "write protection", "vm execution error", "return data out of bounds",
	"max code size", "max initcode", "gas uint64 overflow", "bad instruction", "contract creation code storage",
}

// maxRevert bounds a revert reason in logs, dead letters and journals, in bytes.
const maxRevert = 512

// asRevert returns the EVM's refusal of a call, or nil if the node is at fault.
func asRevert(err error) *evidence.RevertError {
	var coded rpc.Error
	if !errors.As(err, &coded) {
		return nil
	}
	text := strings.ToLower(coded.Error())
	if coded.ErrorCode() != 3 && !containsAny(text, refusals...) {
		return nil
	}
	revert := &evidence.RevertError{Text: err.Error()[:min(len(err.Error()), maxRevert)]}
	var withData rpc.DataError
	if errors.As(err, &withData) {
		if data, ok := withData.ErrorData().(string); ok {
			revert.Data = hexIn(data)
			revert.Data = revert.Data[:min(len(revert.Data), maxRevert)]
			text += " " + strings.ToLower(data) // Nethermind has the reason here
		}
	}
	revert.OutOfGas = len(revert.Data) == 0 && containsAny(text,
		"out of gas", "outofgas", "gas required exceeds", "intrinsic gas", "floor data gas")
	return revert
}

// hexIn decodes the hex digits after 0x, as in "Reverted 0x08c3…", else returns nil.
func hexIn(text string) []byte {
	_, digits, found := strings.Cut(text, "0x")
	data, err := hex.DecodeString(strings.TrimSpace(digits))
	if !found || err != nil {
		return nil
	}
	return data
}

func containsAny(text string, phrases ...string) bool {
	return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(text, phrase) })
}

// noCode leaves a comparison to the phrases.
const noCode = 0

func says(err error, code int, phrases ...string) bool {
	var coded rpc.Error
	return errors.As(err, &coded) && (code != noCode && coded.ErrorCode() == code || containsAny(strings.ToLower(coded.Error()), phrases...))
}

func unsupported(err error) bool {
	return says(err, -32601, "method not found", "does not exist/is not available", "not supported", "unsupported", "not whitelisted",
		"method is disabled")
}

func unknownBlock(err error) bool {
	return says(err, noCode, "header not found", "header for hash not found", "block not found", "unknown block", "resource not found",
		"beyond head block", "blockoutofrange", "block is not available")
}

func noFinality(err error) bool {
	return says(err, noCode, "finalized block not found", "safe block not found", "unknown block", "not supported")
}

func badParams(err error) bool {
	return says(err, -32602, "invalid argument", "invalid params", "cannot unmarshal")
}

// rateLimited reports whether a method's JSON-RPC error is a rate limit. -32005 alone is ambiguous: nodes also return
// it for queries that are too large and for disabled methods.
func rateLimited(method string, err error) bool {
	return says(err, 429, rates...) || says(err, -32005) &&
		(says(err, noCode, "requests", "per second") || method != "eth_getLogs" && strings.EqualFold(err.Error(), "limit exceeded"))
}

func batchMinded(err error) bool {
	return errors.Is(err, rpc.ErrMissingBatchResponse) || says(err, noCode, "batch too large", "batch size", "batch limit", "batching")
}
