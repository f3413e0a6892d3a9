// Package txpool classifies the answers of nodes to raw transactions. An answer only decides the next send: it
// never ends a pending transaction or frees a nonce.
package txpool

import (
	"errors"
	"slices"
)

// Class is the meaning of a node's answer. Only package chain reads the text of node errors.
type Class uint8

// The zero value is Unknown, so an unrecognized answer is ambiguous.
const (
	Unknown Class = iota // unrecognized text
	Added
	Known                  // the pool had the same bytes
	ReplacementUnderpriced // the pool has another transaction with this nonce at a close price
	NonceLow               // the nonce was used in a block, perhaps by us: read receipts
	NonceHigh              // the pool lacks a lower nonce
	Delegated              // EIP-7702 account: the pool takes one of its transactions at a time
	FeeLow                 // below the minimum price of pool or block
	Full                   // pool full, in all or for this account
	Funds                  // the signer's balance is too low
	FeeCapRPC              // gas limit × price exceeds the node's own fee cap
	Reserved               // another pool holds the account (7702 delegation, blob pool)
	BadGas                 // gas limit below the intrinsic or floor cost
	TooBig                 // too many bytes or too much gas for this chain
	Invalid                // wrong chain, sender or shape
	Throttled
	NodeDown // 5xx, refused, syncing
	Timeout
)

var names = [...]string{
	"unknown", "added", "known", "replacement_underpriced", "nonce_low", "nonce_high", "delegated", "fee_low", "pool_full", "funds",
	"fee_cap_rpc", "reserved", "bad_gas", "too_big", "invalid", "throttled", "node_down", "timeout",
}

func (c Class) String() string {
	if int(c) < len(names) {
		return names[c]
	}
	return "unknown"
}

// Taken reports whether the bytes are in a pool for certain.
func (c Class) Taken() bool { return c == Added || c == Known }

// Ambiguous reports whether the node may have the bytes without confirming it.
func (c Class) Ambiguous() bool {
	return c == Unknown || c == Throttled || c == NodeDown || c == Timeout
}

type Answer struct {
	Class     Class
	Delivered bool // the bytes may have reached the node
	Err       error
	// MinTip is the lowest tip that the node accepts, wei per gas, if it rejected a lower one and named the
	// minimum; else 0.
	MinTip uint64
}

// Result combines the answers of all nodes to one raw transaction: taken if any node took it, else ambiguous if any
// was ambiguous, else the most specific rejection.
type Result struct {
	Class Class
	// Refused is the most specific rejection that Class hides, by another node that got the bytes, or Unknown. An
	// ambiguous Class hides any rejection. A Class about nonce or account hides rejections of the transaction itself.
	Refused Class
	Err     error // for logs; nil if taken
	// MinTip is the smallest MinTip of nodes that rejected the tip as too low. It is 0 if one of them named no
	// minimum, or all took the tip.
	MinTip uint64
}

// ranked orders the classes for Join: first taken, then ambiguous, then rejections. Of these, first come those about
// the nonce, then those that may pass later, then permanent ones.
var ranked = []Class{
	Added, Known,
	Unknown, Throttled, Timeout, NodeDown,
	NonceLow, ReplacementUnderpriced, NonceHigh, Delegated, FeeLow, Full, Funds, Reserved,
	BadGas, TooBig, FeeCapRPC, Invalid,
}

// Join combines answers. Those of nodes that certainly lack the bytes count only if all lack them.
func Join(answers []Answer) Result {
	joined := join(answers)
	var tips []uint64
	var hidden []Answer
	for _, a := range answers {
		if a.Class == FeeLow && a.Delivered {
			tips = append(tips, a.MinTip)
		}
		if a.Delivered && !a.Class.Ambiguous() && (joined.Class.Ambiguous() || joined.Class.ofNonce() && !a.Class.ofNonce()) {
			hidden = append(hidden, a)
		}
	}
	if len(tips) > 0 {
		joined.MinTip = slices.Min(tips)
	}
	if len(hidden) > 0 {
		joined.Refused = join(hidden).Class
	}
	return joined
}

// ofNonce reports whether a rejection is about the nonce or the account rather than the transaction itself.
func (c Class) ofNonce() bool {
	return c == NonceLow || c == ReplacementUnderpriced || c == NonceHigh || c == Delegated
}

func join(answers []Answer) Result {
	for _, delivered := range []bool{true, false} {
		for _, class := range ranked {
			i := slices.IndexFunc(answers, func(a Answer) bool { return a.Class == class && a.Delivered == delivered })
			switch {
			case i >= 0 && class.Taken():
				return Result{Class: class}
			case i >= 0:
				return Result{Class: class, Err: answers[i].Err}
			}
		}
	}
	return Result{Class: Unknown, Err: errors.New("no endpoint answered")}
}
