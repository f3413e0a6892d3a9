package rpcproxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Call is one call of a request: the request itself, or an element of a batch.
type Call struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params,omitempty"` // as sent; a fault's Ask may replace it
}

// Args are the call's positional parameters; nil when there are none.
func (c *Call) Args() []json.RawMessage {
	var args []json.RawMessage
	_ = json.Unmarshal(c.Params, &args) // the node says what is wrong with them
	return args
}

// SetArgs replaces the call's parameters.
func (c *Call) SetArgs(args []json.RawMessage) {
	c.Params, _ = json.Marshal(args) // of valid parts
}

// Answer is what a call gets: a result or an error.
type Answer struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

// Error is a JSON-RPC error.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// null is the answer that something is not there.
func null() *Answer { return &Answer{Result: json.RawMessage("null")} }

// response is an Answer on the wire.
type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Answer
}

var errNotJSONRPC = errors.New("not a JSON-RPC request")

// parse reads a request's calls without decoding their parameters.
func parse(body []byte) (calls []*Call, batch bool, err error) {
	if batch = bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")); batch {
		err = json.Unmarshal(body, &calls)
	} else {
		calls = make([]*Call, 1)
		err = json.Unmarshal(body, &calls[0])
	}
	if err == nil && slices.Contains(calls, nil) {
		err = errNotJSONRPC
	}
	return calls, batch, err
}

// encodeAnswers writes answers, in the order of the calls, as a response body.
func encodeAnswers(calls []*Call, answers []*Answer, batch bool) []byte {
	out := make([]response, len(calls))
	for i, c := range calls {
		out[i] = response{"2.0", c.ID, *answers[i]}
	}
	return encode(out, batch)
}

func encode[T any](parts []T, batch bool) []byte {
	var body any = parts
	if !batch {
		body = parts[0]
	}
	raw, _ := json.Marshal(body) // of valid parts
	return raw
}

// decodeAnswers reads a node's response and puts its answers into the order of the calls. It fails when it is no such
// response, as with a page of HTML.
func decodeAnswers(body []byte, calls []*Call, batch bool) ([]*Answer, error) {
	all := make([]response, 1)
	var into any = &all[0]
	if batch {
		into = &all
	}
	if err := json.Unmarshal(body, into); err != nil {
		return nil, fmt.Errorf("couldn't read the node's answer: %w", err)
	}
	byID := make(map[string]*Answer, len(all))
	for i := range all {
		byID[string(all[i].ID)] = &all[i].Answer
	}
	answers := make([]*Answer, len(calls))
	for i, c := range calls {
		answers[i] = byID[string(c.ID)]
		switch {
		case answers[i] == nil:
			return nil, errors.New("the node left a call unanswered")
		case answers[i].Error == nil && answers[i].Result == nil:
			answers[i].Result = json.RawMessage("null")
		}
	}
	return answers, nil
}
