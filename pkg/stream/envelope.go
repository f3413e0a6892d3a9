package stream

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/scorelay/scorelay/pkg/score"
)

// MaxEnvelope is the largest number of updates in one envelope.
const MaxEnvelope = 1000

const (
	formatVersion = 1
	maxVersion    = 31 // there will be no later one: what begins otherwise is no message of ours
	kindUpdates   = 1
	kindProject   = 2
	headerBytes   = 2
	updateBytes   = 32 + 32 + 20 + 20 + 1 + 1
)

var errMalformed = errors.New("malformed message")

// EncodeEnvelope writes the wire form of 1 … MaxEnvelope updates: a version byte, a kind byte, a big-endian uint16
// count and, for each update, project, updateId, signer, target, action and score type.
func EncodeEnvelope(updates []score.Update) ([]byte, error) {
	if n := len(updates); n < 1 || n > MaxEnvelope {
		return nil, fmt.Errorf("an envelope holds 1 to %d updates, not %d", MaxEnvelope, n)
	}
	b := make([]byte, 0, headerBytes+2+len(updates)*updateBytes)
	b = append(b, formatVersion, kindUpdates)
	b = binary.BigEndian.AppendUint16(b, uint16(len(updates)))
	for i := range updates {
		u := &updates[i]
		b = append(b, u.Project[:]...)
		b = append(b, u.ID[:]...)
		b = append(b, u.Signer[:]...)
		b = append(b, u.Target[:]...)
		b = append(b, u.Action, u.ScoreType)
	}
	return b, nil
}

func encodeProject(p *score.Project) ([]byte, error) {
	body, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("couldn't encode a creation: %w", err)
	}
	return append([]byte{formatVersion, kindProject}, body...), nil
}

// decode reads either wire form; exactly one of the results is set.
func decode(b []byte) (updates []score.Update, project *score.Project, err error) {
	if len(b) < headerBytes {
		return nil, nil, fmt.Errorf("%w: %d bytes", errMalformed, len(b))
	}
	if b[0] > formatVersion && b[0] <= maxVersion {
		return nil, nil, fmt.Errorf("%w: version %d, this one reads up to %d", ErrNewer, b[0], formatVersion)
	}
	if b[0] != formatVersion {
		return nil, nil, fmt.Errorf("%w: version %d", errMalformed, b[0])
	}
	switch b[1] {
	case kindUpdates:
		updates, err = decodeUpdates(b[headerBytes:])
		return updates, nil, err
	case kindProject:
		project = new(score.Project)
		if err := json.Unmarshal(b[headerBytes:], project, json.RejectUnknownMembers(true)); err != nil {
			return nil, nil, fmt.Errorf("%w: %w", errMalformed, err)
		}
		return nil, project, nil
	default:
		return nil, nil, fmt.Errorf("%w: kind %d", errMalformed, b[1])
	}
}

func decodeUpdates(b []byte) ([]score.Update, error) {
	if len(b) < 2 {
		return nil, fmt.Errorf("%w: no count", errMalformed)
	}
	n := int(binary.BigEndian.Uint16(b))
	b = b[2:]
	if n < 1 || n > MaxEnvelope || len(b) != n*updateBytes {
		return nil, fmt.Errorf("%w: %d updates in %d bytes", errMalformed, n, len(b))
	}
	updates := make([]score.Update, n)
	for i := range updates {
		u := &updates[i]
		r := b[i*updateBytes : (i+1)*updateBytes]
		copy(u.Project[:], r)
		copy(u.ID[:], r[32:])
		copy(u.Signer[:], r[64:])
		copy(u.Target[:], r[84:])
		u.Action, u.ScoreType = r[104], r[105]
	}
	return updates, nil
}
