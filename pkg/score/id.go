package score

import (
	"encoding/hex"
	"errors"
	"strings"
)

var ErrNotHex32 = errors.New("must be 0x followed by 64 hex digits")

// ProjectID is chosen by the caller.
type ProjectID [32]byte

// UpdateID is chosen by the caller. The contract applies each (ProjectID, UpdateID) at most once, forever.
type UpdateID [32]byte

// ParseProjectID parses 0x and 64 hex digits of either case. Errors: ErrNotHex32.
func ParseProjectID(s string) (ProjectID, error) {
	b, err := parse32(s)
	return ProjectID(b), err
}

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

func (p ProjectID) String() string { return "0x" + hex.EncodeToString(p[:]) }

func (u UpdateID) String() string { return "0x" + hex.EncodeToString(u[:]) }

func (p ProjectID) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

func (u UpdateID) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

func (p *ProjectID) UnmarshalText(text []byte) (err error) {
	*p, err = ParseProjectID(string(text))
	return err
}

func (u *UpdateID) UnmarshalText(text []byte) (err error) {
	*u, err = ParseUpdateID(string(text))
	return err
}

// Word is the first 31 bytes of an updateId. Its 256 ids share one storage slot of the contract's bitmap, so their
// updates are cheap together.
type Word [31]byte

func (u UpdateID) Word() Word { return Word(u[:31]) }

// Low returns the index of the id's bit in its word's bitmap.
func (u UpdateID) Low() byte { return u[31] }

// Lane is one signer and its nonces. One session drives it at a time.
type Lane uint16

// MaxLanes is Buckets, since further lanes would have no bucket.
const MaxLanes = Buckets
