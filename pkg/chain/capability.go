package chain

import (
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/rpc"
)

const (
	refusalsToMiss = 3                // in a row, in words that say nothing else
	missFor        = 10 * time.Minute // then it is tried again: nodes are exchanged behind a name
)

// capability is a method that not every node offers. The zero value is one that is offered until it proves otherwise.
type capability struct {
	mu       sync.Mutex
	refusals int // in a row
	until    time.Time
}

func (k *capability) offered(now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return !now.Before(k.until)
}

func (k *capability) worked() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refusals = 0
}

// refused notes an error of the node in answer to the method.
func (k *capability) refused(err error, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refusals++
	if unsupported(err) || k.refusals >= refusalsToMiss {
		k.refusals, k.until = 0, now.Add(missFor)
	}
}

// unsupported tells whether an error says that the node does not have the method at all.
func unsupported(err error) bool {
	var coded rpc.Error
	return errors.As(err, &coded) && (coded.ErrorCode() == -32601 || containsAny(strings.ToLower(coded.Error()),
		"method not found", "does not exist/is not available", "not supported", "unsupported", "not whitelisted", "method is disabled"))
}

// unknownBlock tells whether an error says that the node does not have a block.
func unknownBlock(err error) bool {
	var coded rpc.Error
	return errors.As(err, &coded) && containsAny(strings.ToLower(coded.Error()),
		"header not found", "header for hash not found", "block not found", "unknown block", "resource not found",
		"beyond head block", "blockoutofrange", "block is not available")
}

// badParams tells whether an error says that the node does not take a parameter's form.
func badParams(err error) bool {
	var coded rpc.Error
	return errors.As(err, &coded) && (coded.ErrorCode() == -32602 || containsAny(strings.ToLower(coded.Error()),
		"invalid argument", "invalid params", "cannot unmarshal"))
}

// rateLimited tells whether a JSON-RPC error says that too much was asked in too little time.
func rateLimited(err error) bool {
	var coded rpc.Error
	return errors.As(err, &coded) && (coded.ErrorCode() == 429 || containsAny(strings.ToLower(coded.Error()),
		"too many requests", "rate limit", "request limit reached", "compute units per second"))
}
