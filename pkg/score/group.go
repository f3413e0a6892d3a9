package score

import (
	"encoding/hex"
	"errors"
	"iter"
	"strings"
)

// Kind is the encoding of a group's updates: the low bits of the contract's kind byte.
type Kind uint8

// A run is adjacent updates with the same wallet and score type.
const (
	KindWord Kind = 1 // ids of one word, ascending, each at most once
	KindRuns Kind = 2 // ids of one word, in any order, in runs
	KindFree Kind = 3 // any ids, in runs
)

// MaxSigned is the most updates of one signed group: the ids of one word, which always fit in a transaction.
const MaxSigned = 256

// GroupSignature is a member's EIP-712 signature of a group, or an owner's of an edit. It has the compact form of
// EIP-2098: r, then s with the parity of y in its highest bit.
type GroupSignature [64]byte

func (s GroupSignature) MarshalText() ([]byte, error) {
	return []byte("0x" + hex.EncodeToString(s[:])), nil
}

func (s *GroupSignature) UnmarshalText(text []byte) error {
	digits, found := strings.CutPrefix(string(text), "0x")
	b, err := hex.DecodeString(digits)
	if !found || err != nil || len(b) != len(s) {
		return errors.New("must be 0x and 128 hex digits")
	}
	copy(s[:], b)
	return nil
}

// Signed marks neighbours in a list of updates as one signed group. They were signed in this order, so they stay
// together until the contract checks the signature.
type Signed struct {
	First, Count int // Count is 1 … MaxSigned
	Kind         Kind
	Signature    GroupSignature
}

// Unit is an update or a signed group, which goes into one transaction as a whole.
type Unit struct {
	Updates   []Update        // one, or the group's in the order of its body
	Kind      Kind            // of a group
	Signature *GroupSignature // of a group, like Kind; else nil
}

// Units yields the units of updates, in order. signed is ascending and disjoint. A unit shares the memory of updates
// and signed.
func Units(updates []Update, signed []Signed) iter.Seq[Unit] {
	return func(yield func(Unit) bool) {
		groups := signed
		for at := 0; at < len(updates); {
			unit := Unit{Updates: updates[at : at+1 : at+1]}
			if len(groups) > 0 && groups[0].First == at {
				g := &groups[0]
				groups = groups[1:]
				unit = Unit{Updates: updates[at : at+g.Count : at+g.Count], Kind: g.Kind, Signature: &g.Signature}
			}
			if !yield(unit) {
				return
			}
			at += len(unit.Updates)
		}
	}
}
