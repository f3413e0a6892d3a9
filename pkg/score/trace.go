package score

import (
	"encoding/hex"
	"fmt"
)

// Trace identifies a span to continue, as in W3C Trace Context: 16 bytes of trace id, 8 of span id. Zero: unsampled.
type Trace [24]byte

func NewTrace(trace [16]byte, span [8]byte) (t Trace) {
	copy(t[:], trace[:])
	copy(t[len(trace):], span[:])
	return t
}

// Valid reports whether both ids are nonzero, as W3C requires.
func (t Trace) Valid() bool {
	return [16]byte(t[:16]) != [16]byte{} && [8]byte(t[16:]) != [8]byte{}
}

func (t Trace) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, t[:]), nil }

func (t *Trace) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(t)) {
		return fmt.Errorf("a trace has %d hex digits, not %d", hex.EncodedLen(len(t)), len(text))
	}
	_, err := hex.Decode(t[:], text)
	return err
}

// Traced is the trace of an envelope's unit, a creation or an edit.
type Traced struct {
	Index int // of the unit's first update; 0 of a creation or edit
	Trace Trace
}
