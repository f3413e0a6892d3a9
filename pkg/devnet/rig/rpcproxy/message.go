package rpcproxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

type Call struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params,omitempty"` // as sent; a fault's Ask may replace it
}

// Args returns the positional parameters, or nil.
func (c *Call) Args() []json.RawMessage {
	var args []json.RawMessage
	_ = json.Unmarshal(c.Params, &args) // the node reports invalid ones
	return args
}

func (c *Call) SetArgs(args []json.RawMessage) {
	c.Params, _ = json.Marshal(args)
}

type Answer struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func null() *Answer { return &Answer{Result: json.RawMessage("null")} }

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Answer
}

var errNotJSONRPC = errors.New("not a JSON-RPC request")

// parse decodes a request's calls, without their parameters.
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

// decodeAnswers returns answers in the order of the calls. It fails on other bodies, such as a page of HTML.
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
