package stream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/scorelay/scorelay/pkg/score"
)

const MaxEnvelope = 1000

const (
	version    = 1
	traced     = 2  // of a message with traces
	editing    = 3  // of an edit; unknown to older programs
	maxVersion = 31 // a higher first byte marks foreign data
)

// Version is the newest message format for reading, and the one of edits.
const Version = editing

const (
	kindUpdates = 1
	kindProject = 2
	kindFiller  = 3 // empty, see Extend
	kindEdit    = 4
	headerBytes = 2
	updateBytes = 32 + 32 + 20 + 20 + 1 + 1
	spanBytes   = 2 + 2 + 1 + len(score.GroupSignature{})
	tracedBytes = 2 + len(score.Trace{})
)

var errMalformed = errors.New("malformed message")

// EncodeEnvelope returns the wire format of 1 … MaxEnvelope updates; signed and traces must be ascending. The format
// is version, kind, the traces (only in version 2), the updates, and the signed groups. Each list begins with its
// count, a big-endian uint16.
func EncodeEnvelope(updates []score.Update, signed []score.Signed, traces ...score.Traced) ([]byte, error) {
	if n := len(updates); n < 1 || n > MaxEnvelope {
		return nil, fmt.Errorf("an envelope holds 1 to %d updates, not %d", MaxEnvelope, n)
	}
	if err := checkSpans(updates, signed); err != nil {
		return nil, err
	}
	if err := checkTraces(traces, len(updates)); err != nil {
		return nil, err
	}
	b := make([]byte, 0, headerBytes+2+len(traces)*tracedBytes+2+len(updates)*updateBytes+2+len(signed)*spanBytes)
	b = appendHeader(b, kindUpdates, traces)
	b = binary.BigEndian.AppendUint16(b, uint16(len(updates)))
	for i := range updates {
		u := &updates[i]
		b = append(b, u.Project[:]...)
		b = append(b, u.ID[:]...)
		b = append(b, u.Signer[:]...)
		b = append(b, u.Target[:]...)
		b = append(b, u.Action, u.ScoreType)
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

// checkSpans checks that the signed groups are in order, in range and disjoint. Each needs one project, one signer,
// and ids that its kind can encode, since a contract call expresses only such groups.
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

func checkTraces(traces []score.Traced, items int) error {
	free := 0
	for i := range traces {
		t := &traces[i]
		if t.Index < free || t.Index >= items || !t.Trace.Valid() {
			return fmt.Errorf("trace %x at %d of %d, behind another up to %d", t.Trace, t.Index, items, free)
		}
		free = t.Index + 1
	}
	return nil
}

func appendHeader(b []byte, kind byte, traces []score.Traced) []byte {
	if len(traces) == 0 {
		return append(b, version, kind)
	}
	return appendTraces(append(b, traced, kind), traces)
}

func appendTraces(b []byte, traces []score.Traced) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(len(traces)))
	for i := range traces {
		b = binary.BigEndian.AppendUint16(b, uint16(traces[i].Index))
		b = append(b, traces[i].Trace[:]...)
	}
	return b
}

func encodeProject(p *score.Project, traces ...score.Traced) ([]byte, error) {
	if err := checkTraces(traces, 1); err != nil {
		return nil, err
	}
	body, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("couldn't encode a creation: %w", err)
	}
	return append(appendHeader(nil, kindProject, traces), body...), nil
}

// encodeEdit always writes the number of traces, 0 or 1.
func encodeEdit(e *score.SignedEdit, traces ...score.Traced) ([]byte, error) {
	if err := checkTraces(traces, 1); err != nil {
		return nil, err
	}
	body, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("couldn't encode an edit: %w", err)
	}
	return append(appendTraces([]byte{editing, kindEdit}, traces), body...), nil
}

// decode sets exactly one of Updates, Project and Edit, or none for a filler. The caller sets Seq and Time.
func decode(b []byte) (m score.Message, err error) {
	if len(b) < headerBytes {
		return score.Message{}, fmt.Errorf("%w: %d bytes", errMalformed, len(b))
	}
	wrote, kind, body := b[0], b[1], b[headerBytes:]
	var traces []score.Traced
	switch {
	case wrote > Version && wrote <= maxVersion:
		return score.Message{}, fmt.Errorf("%w: version %d, this one reads %d", score.ErrNewer, wrote, Version)
	case (wrote == editing) != (kind == kindEdit):
		return score.Message{}, fmt.Errorf("%w: version %d of kind %d", errMalformed, wrote, kind)
	case wrote == traced, wrote == editing:
		if traces, body, err = cutTraces(body, wrote); err != nil {
			return score.Message{}, err
		}
	case wrote != version:
		return score.Message{}, fmt.Errorf("%w: version %d", errMalformed, wrote)
	}
	items := 1
	switch {
	case kind == kindUpdates:
		m, err = decodeEnvelope(body)
		items = len(m.Updates)
	case kind == kindProject:
		m.Project, err = decodeJSON[score.Project](body)
	case kind == kindEdit:
		m.Edit, err = decodeJSON[score.SignedEdit](body)
	case kind == kindFiller && len(body) == 0 && wrote == version:
	default:
		err = fmt.Errorf("%w: kind %d", errMalformed, kind)
	}
	if err == nil {
		if wrong := checkTraces(traces, items); wrong != nil {
			err = fmt.Errorf("%w: %w", errMalformed, wrong)
		}
	}
	if err != nil {
		return score.Message{}, err
	}
	m.Traces = traces
	return m, nil
}

func decodeJSON[T any](b []byte) (*T, error) {
	v := new(T)
	if err := json.Unmarshal(b, v, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("%w: %w", errMalformed, err)
	}
	return v, nil
}

func decodeEnvelope(b []byte) (m score.Message, err error) {
	if m.Updates, b, err = cutUpdates(b); err != nil {
		return score.Message{}, err
	}
	if m.Signed, b, err = cutSpans(b); err != nil {
		return score.Message{}, err
	}
	if len(b) > 0 {
		return score.Message{}, fmt.Errorf("%w: %d bytes too many", errMalformed, len(b))
	}
	if err := checkSpans(m.Updates, m.Signed); err != nil {
		return score.Message{}, fmt.Errorf("%w: %w", errMalformed, err)
	}
	return m, nil
}

func cutUpdates(b []byte) (updates []score.Update, rest []byte, err error) {
	n, b, err := cutCount(b, 1, updateBytes)
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
	n, b, err := cutCount(b, 0, spanBytes)
	if err != nil || n == 0 {
		return nil, b, err
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

func cutTraces(b []byte, wrote byte) (traces []score.Traced, rest []byte, err error) {
	least := 1
	if wrote == editing {
		least = 0
	}
	n, b, err := cutCount(b, least, tracedBytes)
	if err != nil || n == 0 {
		return nil, b, err
	}
	traces = make([]score.Traced, n)
	for i := range traces {
		r := b[i*tracedBytes : (i+1)*tracedBytes]
		traces[i].Index = int(binary.BigEndian.Uint16(r))
		copy(traces[i].Trace[:], r[2:])
	}
	return traces, b[n*tracedBytes:], nil
}

// cutCount reads a count in least … MaxEnvelope, and checks that b contains as many items of size bytes.
func cutCount(b []byte, least, size int) (n int, rest []byte, err error) {
	if len(b) < 2 {
		return 0, nil, fmt.Errorf("%w: no count", errMalformed)
	}
	n = int(binary.BigEndian.Uint16(b))
	if b = b[2:]; n < least || n > MaxEnvelope || len(b) < n*size {
		return 0, nil, fmt.Errorf("%w: %d items of %d bytes in %d bytes", errMalformed, n, size, len(b))
	}
	return n, b, nil
}
