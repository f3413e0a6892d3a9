package chain

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/lane"
)

// texts maps what nodes say to classes: first hit wins, so that the more specific stands first. The phrases are matched
// anywhere in the folded text, because clients, proxies and rollups wrap each other's errors; JSON-RPC codes are no
// help (one client's -32000 is another's -32003).
var texts = []struct {
	class   lane.SendClass
	phrases []string
}{
	{lane.NonceHigh, []string{
		"future transaction tries to replace pending", "in-flight transaction limit", "gapped-nonce", "nonce too high",
		"noncegap", "nonce gap", "nonce too far in the future", "exceeds next nonce", "too distant from current sender nonce",
	}},
	{lane.ReplacementUnderpriced, []string{
		"replacement transaction underpriced", "replacement underpriced", "could not replace existing tx",
		"replacementnotallowed", "another transaction with same nonce", "another tx which has the same nonce",
		"ownnoncealreadyused",
	}},
	{lane.NonceLow, []string{
		"nonce too low", "nonce is too low", "oldnonce", "invalid transaction nonce", "pool(stale)",
		"transaction already finalized",
	}},
	{lane.Known, []string{
		"already known", "alreadyknown", "already imported", "alreadyimported", "already exists in cache",
		"is already in the system", "known transaction",
	}},
	{lane.BadGas, []string{
		"intrinsic gas too low", "intrinsic gas too high", "intrinsic gas exceeds", "floor data gas", "transaction gas is too low",
	}},
	{lane.FeeCapRPC, []string{"exceeds the configured cap", "transaction fee cap exceeded"}},
	{lane.Invalid, []string{ // before FeeLow: it, too, talks about fees
		"max priority fee per gas higher than max fee per gas", "max priority fee per gas exceeds max fee per gas",
		"max priority fee per gas greater than max fee per gas",
	}},
	{lane.TooBig, []string{
		"oversized data", "gas limit too high", "exceeds block gas limit", "exceeds current gas limit",
		"gas limit reached", "gaslimitexceeded", "max initcode", "transaction is too big", "rlp-encoded size exceeds",
	}},
	{lane.PoolFull, []string{
		"txpool is full", "pool is full", "pool full", "out of capacity", "queue full", "pool limit", "account limit exceeded",
		"too many transactions in the queue",
	}},
	{lane.FeeLow, []string{
		"gas price below minimum", "less than block base fee", "below current base fee", "feetoolow", "fee too low",
		"gas price too low", "gas price is too low", "minimum gas price", "gas price minimum", "unacceptable gas price",
		"underpriced",
	}},
	{lane.Funds, []string{
		"insufficient funds", "insufficientfunds", "insufficient balance", "insufficient_payer_balance",
		"upfront cost exceeds", "overdraft", "not enough funds", "lack of funds",
	}},
	{lane.Reserved, []string{"already reserved", "conflicting type"}},
	{lane.Invalid, []string{
		"invalid sender", "invalid chain id", "invalid chainid", "wrong chain", "invalid signature", "negative value",
		"only replay-protected", "transaction type not supported", "unsupported transaction type", "gas uint64 overflow",
		"sender not an eoa", "senderiscontract", "sender account not authorized", "higher than 2^256-1",
	}},
	{lane.Throttled, []string{
		"too many requests", "rate limit", "limit exceeded", "request limit", "batch too large", "response too large",
	}},
	{lane.Timeout, []string{"timeout", "timed out", "deadline exceeded"}},
	{lane.NodeDown, []string{
		"connection refused", "connection reset", "unexpected eof", "syncing", "method not found",
		"does not exist/is not available", "service unavailable", "bad gateway", "network is unreachable", "no such host",
	}},
}

// unknownTransaction contains the phrase of a known one.
const unknownTransaction = "unknown transaction"

// Classify tells what an endpoint's answer to a raw transaction means. What it does not understand is lane.Unknown.
func Classify(err error) lane.SendClass {
	if err == nil {
		return lane.Accepted
	}
	if class, ok := classifyTransport(err); ok {
		return class
	}
	if class := classifyText(err.Error()); class != lane.Unknown {
		return class
	}
	var coded rpc.Error
	if errors.As(err, &coded) { // the codes that mean one thing everywhere
		switch coded.ErrorCode() {
		case -32005:
			return lane.Throttled
		case -32601:
			return lane.NodeDown
		case -32002:
			return lane.Timeout
		}
	}
	return lane.Unknown
}

// classifyTransport judges what never became a JSON-RPC answer.
func classifyTransport(err error) (lane.SendClass, bool) {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return lane.Timeout, true
	}
	var rest *restError
	if errors.As(err, &rest) {
		if rest.limited {
			return lane.Throttled, true
		}
		return lane.NodeDown, true
	}
	var http rpc.HTTPError
	if errors.As(err, &http) {
		if http.StatusCode == 429 {
			return lane.Throttled, true
		}
		if http.StatusCode == 408 || http.StatusCode == 504 {
			return lane.Timeout, true
		}
		// Some nodes send their JSON-RPC error with a 4xx or 5xx. Its text is believed unless it would make a refusal
		// final, which the page of some proxy must not.
		if class := classifyText(string(http.Body)); class != lane.Unknown && !deterministic(class) {
			return class, true
		}
		return lane.NodeDown, true
	}
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return lane.Timeout, true
	}
	var op *net.OpError
	if errors.As(err, &op) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, rpc.ErrMissingBatchResponse) || errors.Is(err, rpc.ErrClientQuit) {
		return lane.NodeDown, true
	}
	return lane.Unknown, false
}

func classifyText(text string) lane.SendClass {
	text = strings.ReplaceAll(strings.ToLower(text), unknownTransaction, "")
	for _, row := range texts {
		for _, phrase := range row.phrases {
			if strings.Contains(text, phrase) {
				return row.class
			}
		}
	}
	return lane.Unknown
}

// deterministic tells whether every further try of the same bytes would be refused, too.
func deterministic(class lane.SendClass) bool {
	switch class {
	case lane.BadGas, lane.TooBig, lane.FeeCapRPC, lane.Invalid:
		return true
	}
	return false
}

// undelivered tells whether the request cannot have reached the endpoint: it rests, or there was no connection to send it
// over.
func undelivered(err error) bool {
	var op *net.OpError
	var rest *restError
	return errors.As(err, &rest) || errors.As(err, &op) && op.Op == "dial"
}

// refusals are what EVMs say when they, and not the node, end a call.
var refusals = []string{
	"revert", "evm error", "out of gas", "outofgas", "gas required exceeds", "intrinsic gas", "floor data gas", "invalid opcode",
	"invalid jump", "stack underflow", "stack limit", "write protection", "vm execution error", "return data out of bounds",
	"max code size", "max initcode", "gas uint64 overflow", "bad instruction", "contract creation code storage",
}

// asRevert finds the EVM's refusal in an answer to eth_call or eth_estimateGas; nil if the node is at fault.
func asRevert(err error) *lane.RevertError {
	var coded rpc.Error
	if !errors.As(err, &coded) {
		return nil
	}
	text := strings.ToLower(coded.Error())
	refused := coded.ErrorCode() == 3
	for _, phrase := range refusals {
		refused = refused || strings.Contains(text, phrase)
	}
	if !refused {
		return nil
	}
	revert := &lane.RevertError{Text: coded.Error()}
	var withData rpc.DataError
	if errors.As(err, &withData) {
		if data, ok := withData.ErrorData().(string); ok {
			revert.Data = hexIn(data)
			text += " " + strings.ToLower(data) // Nethermind says what happened here
		}
	}
	revert.OutOfGas = len(revert.Data) == 0 && containsAny(text,
		"out of gas", "outofgas", "gas required exceeds", "intrinsic gas", "floor data gas")
	return revert
}

// hexIn decodes the hex digits after 0x in text such as "0x08c3…" or "Reverted 0x08c3…"; nil if there are none.
func hexIn(text string) []byte {
	_, digits, found := strings.Cut(text, "0x")
	if !found {
		return nil
	}
	data, err := hex.DecodeString(strings.TrimSpace(digits))
	if err != nil {
		return nil
	}
	return data
}

func containsAny(text string, phrases ...string) bool {
	for _, phrase := range phrases {
		if strings.Contains(text, phrase) {
			return true
		}
	}
	return false
}
