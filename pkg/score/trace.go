package score

import (
	"encoding/hex"
	"fmt"
)

// Trace names a span that others continue, as W3C Trace Context does: 16 bytes of the trace's id, then 8 of the span's. Only
// what is sampled has one. The zero Trace is none.
type Trace [24]byte

// NewTrace is that of a span.
func NewTrace(trace [16]byte, span [8]byte) (t Trace) {
	copy(t[:], trace[:])
	copy(t[len(trace):], span[:])
	return t
}

// Valid tells whether neither id is zero, which W3C forbids.
func (t Trace) Valid() bool {
	return [16]byte(t[:16]) != [16]byte{} && [8]byte(t[16:]) != [8]byte{}
}

// MarshalText writes 48 hex digits.
func (t Trace) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, t[:]), nil }

// UnmarshalText reads what MarshalText writes.
func (t *Trace) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(t)) {
		return fmt.Errorf("a trace has %d hex digits, not %d", hex.EncodedLen(len(t)), len(text))
	}
	_, err := hex.Decode(t[:], text)
	return err
}

// Traced says that a unit of an envelope, or a creation, is traced.
type Traced struct {
	Index int // of the unit's first update in the envelope; 0 of a creation
	Trace Trace
}
