package score

import (
	"encoding/hex"
	"errors"
	"iter"
	"strings"
)

// Kind says how a group of updates is written: the low bits of the contract's kind byte.
type Kind uint8

// The kinds.
const (
	KindWord Kind = 1 // ids of one word, each at most once, in ascending order
	KindRuns Kind = 2 // ids of one word, in any order; neighbours of one wallet and score type share a run
	KindFree Kind = 3 // any ids; neighbours of one wallet and score type share a run
)

// MaxSigned is the most updates of one signed group: what one word holds, and what fits one transaction at worst.
const MaxSigned = 256

// GroupSignature is an EIP-712 signature of an updater over a group, or of an owner over an edit, in the compact form of EIP-2098: r, then s with the parity
// of y in its highest bit.
type GroupSignature [64]byte

// MarshalText writes the signature as 0x and hex.
func (s GroupSignature) MarshalText() ([]byte, error) {
	return []byte("0x" + hex.EncodeToString(s[:])), nil
}

// UnmarshalText reads what MarshalText writes.
func (s *GroupSignature) UnmarshalText(text []byte) error {
	digits, found := strings.CutPrefix(string(text), "0x")
	b, err := hex.DecodeString(digits)
	if !found || err != nil || len(b) != len(s) {
		return errors.New("must be 0x and 128 hex digits")
	}
	copy(s[:], b)
	return nil
}

// Signed marks neighbours in a longer list of updates as one signed group: they were signed together, in this order and
// kind, so they travel together to the contract, which checks the signature.
type Signed struct {
	First, Count int // Count is 1 … MaxSigned
	Kind         Kind
	Signature    GroupSignature
}

// Unit is what goes to the contract whole, in one transaction: an update that is not in a signed group, or a signed group.
type Unit struct {
	Updates   []Update        // one, or the group's in the order of its body
	Kind      Kind            // of a group
	Signature *GroupSignature // of a group; nil of an update that is not in a signed group
}

// Units are the units of a list of updates, in order. signed marks its signed groups: they ascend and do not overlap. A
// unit shares the memory of both.
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
