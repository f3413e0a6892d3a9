// Package txpool says what nodes answer to raw transactions. An answer decides what is sent next and nothing else: it ends
// no slot and frees no nonce.
package txpool

import (
	"errors"
	"slices"
)

// Class is what a node's answer to a raw transaction means for its slot. Package chain maps node errors to classes;
// nothing else in the program looks at their text.
type Class uint8

// The classes. The zero value is Unknown, so that an answer that is not understood is ambiguous and frees nothing.
const (
	Unknown                Class = iota // text that is not known: the node may have it
	Added                               // taken into the pool now
	Known                               // the very same bytes were in the pool already
	ReplacementUnderpriced              // another transaction with this nonce is in the pool at a price too close
	NonceLow                            // the nonce was used in a block: look for receipts, it may be ours
	NonceHigh                           // a lower nonce is missing in that pool
	Delegated                           // the account is delegated (EIP-7702): the pool takes one transaction of it at a time
	FeeLow                              // below the pool's or the block's minimum price
	Full                                // no room, in all or for this account
	Funds                               // the signer's balance does not cover it
	FeeCapRPC                           // gas limit × price is above the node's own fee cap: configuration
	Reserved                            // the account is held by another pool (7702 delegation, blob pool)
	BadGas                              // the gas limit is below the intrinsic or floor cost
	TooBig                              // too many bytes or too much gas for this chain
	Invalid                             // wrong chain, sender or shape: a bug or configuration
	Throttled                           // rate limited: the node may have it
	NodeDown                            // 5xx, refused, syncing: the node may have it
	Timeout                             // no answer in time: the node may have it
)

var names = [...]string{
	"unknown", "added", "known", "replacement_underpriced", "nonce_low", "nonce_high", "delegated", "fee_low", "pool_full", "funds",
	"fee_cap_rpc", "reserved", "bad_gas", "too_big", "invalid", "throttled", "node_down", "timeout",
}

// String is the class's name in logs and metrics.
func (c Class) String() string {
	if int(c) < len(names) {
		return names[c]
	}
	return "unknown"
}

// Taken tells whether the bytes are in a pool for certain.
func (c Class) Taken() bool { return c == Added || c == Known }

// Ambiguous tells whether the node may hold the bytes although it did not say so.
func (c Class) Ambiguous() bool {
	return c == Unknown || c == Throttled || c == NodeDown || c == Timeout
}

// Answer is one node's answer to one raw transaction.
type Answer struct {
	Class     Class
	Delivered bool  // the bytes may have reached the node
	Err       error // the node's words
	// MinTip is the least tip that the node takes, wei per gas, where it refuses a lower one and names it; else 0.
	MinTip uint64
}

// Result is the answer to one raw transaction, over all nodes it went to: Taken if any took it; else ambiguous if any
// was ambiguous; else the most telling refusal.
type Result struct {
	Class Class
	// Refused is what Class hides: the most telling refusal by another node that got it, where Class is ambiguous, or one for what is in the transaction,
	// where Class speaks of the nonce or the account. Unknown if there is none.
	Refused Class
	Err     error // the node's words, for logs; nil when Taken
	// MinTip is the lowest that the nodes named which refuse lower ones; 0 where one of them named none.
	MinTip uint64
}

// ranked are the classes by what they say of a transaction that several nodes got: taken; then what leaves it open whether
// a node has the bytes; then the refusals, first what says where the nonce stands, then what may pass, then what will not.
var ranked = []Class{
	Added, Known,
	Unknown, Throttled, Timeout, NodeDown,
	NonceLow, ReplacementUnderpriced, NonceHigh, Delegated, FeeLow, Full, Funds, Reserved,
	BadGas, TooBig, FeeCapRPC, Invalid,
}

// Join joins the nodes' answers to one transaction. A node that the bytes cannot have reached has no say, unless they
// reached none.
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

// ofNonce reports whether a refusal speaks of the nonce or the account, not of what is in the transaction.
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
