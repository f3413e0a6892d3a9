package stream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/scorelay/scorelay/pkg/score"
)

// MaxEnvelope is the largest number of updates in one envelope, those of signed groups included.
const MaxEnvelope = 1000

// Versions of the wire form. A message is written in the oldest version that can say it, so that a program that knows no
// signed groups reads all that has none, and stops at the first that has one.
const (
	plainVersion  = 1
	signedVersion = 2 // an envelope with signed groups, or a project that takes nothing else
	newestVersion = signedVersion
	maxVersion    = 31 // there will be no later one: what begins otherwise is no message of ours
)

const (
	kindUpdates = 1
	kindProject = 2
	headerBytes = 2
	updateBytes = 32 + 32 + 20 + 20 + 1 + 1
	spanBytes   = 2 + 2 + 1 + len(score.GroupSignature{})
)

var errMalformed = errors.New("malformed message")

// message is what one message of the stream says: updates, of which some may be signed groups, or a project.
type message struct {
	updates []score.Update
	signed  []score.Signed
	project *score.Project
}

// EncodeEnvelope writes the wire form of 1 … MaxEnvelope updates, of which signed marks the signed groups, in ascending
// order: a version byte, a kind byte, a big-endian uint16 count and, for each update, project, updateId, signer, target,
// action and score type. Where there are signed groups their uint16 count follows and, for each, first and count as
// uint16, its kind and its signature.
func EncodeEnvelope(updates []score.Update, signed []score.Signed) ([]byte, error) {
	if n := len(updates); n < 1 || n > MaxEnvelope {
		return nil, fmt.Errorf("an envelope holds 1 to %d updates, not %d", MaxEnvelope, n)
	}
	if err := checkSpans(updates, signed); err != nil {
		return nil, err
	}
	b := make([]byte, 0, headerBytes+2+len(updates)*updateBytes+2+len(signed)*spanBytes)
	if len(signed) == 0 {
		b = append(b, plainVersion, kindUpdates)
	} else {
		b = append(b, signedVersion, kindUpdates)
	}
	b = binary.BigEndian.AppendUint16(b, uint16(len(updates)))
	for i := range updates {
		u := &updates[i]
		b = append(b, u.Project[:]...)
		b = append(b, u.ID[:]...)
		b = append(b, u.Signer[:]...)
		b = append(b, u.Target[:]...)
		b = append(b, u.Action, u.ScoreType)
	}
	if len(signed) == 0 {
		return b, nil
	}
	b = binary.BigEndian.AppendUint16(b, uint16(len(signed)))
	for i := range signed {
		b = binary.BigEndian.AppendUint16(b, uint16(signed[i].First))
		b = binary.BigEndian.AppendUint16(b, uint16(signed[i].Count))
		b = append(b, byte(signed[i].Kind))
		b = append(b, signed[i].Signature[:]...)
	}
	return b, nil
}

// checkSpans tells whether the signed groups are in order and in range, apart, and each of one project and signer, with
// ids that its kind can write: else the contract could not be told of what was signed.
func checkSpans(updates []score.Update, signed []score.Signed) error {
	free := 0
	for i := range signed {
		s := &signed[i]
		switch {
		case s.Count < 1 || s.Count > score.MaxSigned:
			return fmt.Errorf("a signed group holds 1 to %d updates, not %d", score.MaxSigned, s.Count)
		case s.First < free || s.First > len(updates)-s.Count:
			return fmt.Errorf("a signed group of %d updates at %d of %d, behind another up to %d", s.Count, s.First, len(updates), free)
		case s.Kind < score.KindWord || s.Kind > score.KindFree:
			return fmt.Errorf("a signed group of kind %d", s.Kind)
		}
		free = s.First + s.Count
		if err := checkGroup(s.Kind, updates[s.First:free]); err != nil {
			return fmt.Errorf("a signed group at %d %w", s.First, err)
		}
	}
	return nil
}

func checkGroup(kind score.Kind, updates []score.Update) error {
	for i := 1; i < len(updates); i++ {
		before, u := &updates[i-1], &updates[i]
		switch {
		case u.Project != before.Project || u.Signer != before.Signer:
			return errors.New("of two projects or signers")
		case kind != score.KindFree && u.ID.Word() != before.ID.Word():
			return fmt.Errorf("of kind %d with ids of two words", kind)
		case kind == score.KindWord && bytes.Compare(u.ID[:], before.ID[:]) <= 0:
			return fmt.Errorf("of kind %d with ids that do not ascend", kind)
		}
	}
	return nil
}

func encodeProject(p *score.Project) ([]byte, error) {
	body, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("couldn't encode a creation: %w", err)
	}
	version := byte(plainVersion)
	if p.SignedOnly {
		version = signedVersion
	}
	return append([]byte{version, kindProject}, body...), nil
}

// decode reads any wire form; exactly one of the message's updates and project is set.
func decode(b []byte) (message, error) {
	if len(b) < headerBytes {
		return message{}, fmt.Errorf("%w: %d bytes", errMalformed, len(b))
	}
	version, kind, body := b[0], b[1], b[headerBytes:]
	switch {
	case version > newestVersion && version <= maxVersion:
		return message{}, fmt.Errorf("%w: version %d, this one reads up to %d", ErrNewer, version, newestVersion)
	case version < plainVersion || version > maxVersion:
		return message{}, fmt.Errorf("%w: version %d", errMalformed, version)
	case kind == kindUpdates:
		return decodeEnvelope(body, version == signedVersion)
	case kind == kindProject:
		return decodeProject(body, version == signedVersion)
	}
	return message{}, fmt.Errorf("%w: kind %d", errMalformed, kind)
}

func decodeProject(b []byte, signedOnly bool) (message, error) {
	project := new(score.Project)
	if err := json.Unmarshal(b, project, json.RejectUnknownMembers(true)); err != nil {
		return message{}, fmt.Errorf("%w: %w", errMalformed, err)
	}
	if project.SignedOnly != signedOnly {
		return message{}, fmt.Errorf("%w: a project in the version of others", errMalformed)
	}
	return message{project: project}, nil
}

func decodeEnvelope(b []byte, withSigned bool) (m message, err error) {
	if m.updates, b, err = cutUpdates(b); err != nil {
		return message{}, err
	}
	if withSigned {
		if m.signed, b, err = cutSpans(b); err != nil {
			return message{}, err
		}
	}
	if len(b) > 0 {
		return message{}, fmt.Errorf("%w: %d bytes too many", errMalformed, len(b))
	}
	if err := checkSpans(m.updates, m.signed); err != nil {
		return message{}, fmt.Errorf("%w: %w", errMalformed, err)
	}
	return m, nil
}

func cutUpdates(b []byte) (updates []score.Update, rest []byte, err error) {
	n, b, err := cutCount(b, MaxEnvelope, updateBytes)
	if err != nil {
		return nil, nil, err
	}
	updates = make([]score.Update, n)
	for i := range updates {
		u := &updates[i]
		r := b[i*updateBytes : (i+1)*updateBytes]
		copy(u.Project[:], r)
		copy(u.ID[:], r[32:])
		copy(u.Signer[:], r[64:])
		copy(u.Target[:], r[84:])
		u.Action, u.ScoreType = r[104], r[105]
	}
	return updates, b[n*updateBytes:], nil
}

func cutSpans(b []byte) (signed []score.Signed, rest []byte, err error) {
	n, b, err := cutCount(b, MaxEnvelope, spanBytes)
	if err != nil {
		return nil, nil, err
	}
	signed = make([]score.Signed, n)
	for i := range signed {
		s := &signed[i]
		r := b[i*spanBytes : (i+1)*spanBytes]
		s.First, s.Count = int(binary.BigEndian.Uint16(r)), int(binary.BigEndian.Uint16(r[2:]))
		s.Kind = score.Kind(r[4])
		copy(s.Signature[:], r[5:])
	}
	return signed, b[n*spanBytes:], nil
}

// cutCount reads how many records of a size follow: from 1 to most, and all there.
func cutCount(b []byte, most, size int) (n int, rest []byte, err error) {
	if len(b) < 2 {
		return 0, nil, fmt.Errorf("%w: no count", errMalformed)
	}
	n = int(binary.BigEndian.Uint16(b))
	if b = b[2:]; n < 1 || n > most || len(b) < n*size {
		return 0, nil, fmt.Errorf("%w: %d records of %d bytes in %d bytes", errMalformed, n, size, len(b))
	}
	return n, b, nil
}
