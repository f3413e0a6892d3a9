package score

import (
	"encoding/hex"
	"errors"
	"strings"
)

// ErrNotHex32 says that a string is not 32 bytes of hex with a 0x prefix.
var ErrNotHex32 = errors.New("must be 0x followed by 64 hex digits")

// ProjectID names a project: 32 bytes chosen by the caller, set once.
type ProjectID [32]byte

// UpdateID names one update of a project: 32 bytes chosen by the caller. The contract applies each
// (ProjectID, UpdateID) at most once, forever.
type UpdateID [32]byte

// ParseProjectID reads 0x and 64 hex digits of either case; anything else is ErrNotHex32.
func ParseProjectID(s string) (ProjectID, error) {
	b, err := parse32(s)
	return ProjectID(b), err
}

// ParseUpdateID reads 0x and 64 hex digits of either case; anything else is ErrNotHex32.
func ParseUpdateID(s string) (UpdateID, error) {
	b, err := parse32(s)
	return UpdateID(b), err
}

func parse32(s string) (b [32]byte, err error) {
	digits, found := strings.CutPrefix(s, "0x")
	if !found || len(digits) != 64 {
		return b, ErrNotHex32
	}
	if _, err := hex.Decode(b[:], []byte(digits)); err != nil {
		return [32]byte{}, ErrNotHex32
	}
	return b, nil
}

// String is 0x and 64 lower-case hex digits.
func (p ProjectID) String() string { return "0x" + hex.EncodeToString(p[:]) }

// String is 0x and 64 lower-case hex digits.
func (u UpdateID) String() string { return "0x" + hex.EncodeToString(u[:]) }

// MarshalText writes the form of String.
func (p ProjectID) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// MarshalText writes the form of String.
func (u UpdateID) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// UnmarshalText reads the form ParseProjectID takes.
func (p *ProjectID) UnmarshalText(text []byte) (err error) {
	*p, err = ParseProjectID(string(text))
	return err
}

// UnmarshalText reads the form ParseUpdateID takes.
func (u *UpdateID) UnmarshalText(text []byte) (err error) {
	*u, err = ParseUpdateID(string(text))
	return err
}

// Word is the first 31 bytes of an updateId: the 256 ids that share a word share one storage slot of the contract's
// bitmap, so updates whose ids share a word are cheap together.
type Word [31]byte

// Word returns the id without its last byte.
func (u UpdateID) Word() Word { return Word(u[:31]) }

// Low returns the id's last byte: its bit in the word's bitmap.
func (u UpdateID) Low() byte { return u[31] }

// Lane is one signer with its nonces, which carries the projects of some buckets. One session drives it at a time.
type Lane uint16

// MaxLanes bounds a deployment's number of lanes: a lane without a bucket has nothing to do.
const MaxLanes = Buckets
