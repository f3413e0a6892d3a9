package registry

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/registry/internal/bindings"
	"github.com/scorelay/scorelay/pkg/score"
)

var contract = bindings.NewScoreRegistry()

// Sizes of the packed parts of a batch; IScoreRegistry.applyBatch draws them.
const (
	groupBytes      = 32 + 20 + 1 + 2
	wordBytes       = 31
	wordRecordBytes = 1 + 20 + 1 + 1
	freeRecordBytes = 32 + 20 + 1 + 1
)

// ErrFraming says that bytes are not a well-framed batch; the contract would revert on them with BadFraming.
var ErrFraming = errors.New("not a well-framed batch")

// ErrOtherCall says that calldata is not the call it was decoded as.
var ErrOtherCall = errors.New("calldata of another call")

// EncodeBatch is the calldata of applyBatch for the batch. It panics on a batch that package batch cannot have built: an
// empty one, or one with an update in a group it does not belong to.
func EncodeBatch(b batch.Batch) []byte {
	return contract.PackApplyBatch(EncodeBatchData(b))
}

// EncodeBatchData is the argument of applyBatch for the batch: what BatchApplied carries. It panics as EncodeBatch does.
func EncodeBatchData(b batch.Batch) []byte {
	if len(b.Groups) == 0 {
		panic("registry: batch without groups")
	}
	var out []byte
	for i := range b.Groups {
		out = appendGroup(out, &b.Groups[i])
	}
	return out
}

func appendGroup(out []byte, g *batch.Group) []byte {
	if n := len(g.Updates); n < 1 || n > batch.MaxGroup {
		panic(fmt.Sprintf("registry: group of %d updates", n))
	}
	out = append(out, g.Project[:]...)
	out = append(out, g.Signer[:]...)
	out = append(out, byte(g.Kind))
	out = binary.BigEndian.AppendUint16(out, uint16(len(g.Updates)))
	switch g.Kind {
	case batch.Word:
		out = append(out, g.Word[:]...)
	case batch.Free:
	default:
		panic(fmt.Sprintf("registry: group of kind %d", g.Kind))
	}
	for i := range g.Updates {
		u := &g.Updates[i]
		if u.Project != g.Project || u.Signer != g.Signer || g.Kind == batch.Word && u.ID.Word() != g.Word {
			panic(fmt.Sprintf("registry: update %s in a group it does not belong to", u.ID))
		}
		if g.Kind == batch.Word {
			out = append(out, u.ID.Low())
		} else {
			out = append(out, u.ID[:]...)
		}
		out = append(out, u.Target[:]...)
		out = append(out, u.Action, u.ScoreType)
	}
	return out
}

// DecodeBatch is the inverse of EncodeBatch. ErrOtherCall if the calldata is not exactly an applyBatch call as
// EncodeBatch writes it, ErrFraming if its argument is not well framed.
func DecodeBatch(calldata []byte) (batch.Batch, error) {
	method := contract.PackApplyBatch(nil)[:4]
	if !bytes.HasPrefix(calldata, method) {
		return batch.Batch{}, fmt.Errorf("%w: not applyBatch", ErrOtherCall)
	}
	// offset (32), length, data, padding
	args := calldata[4:]
	if len(args) < 64 {
		return batch.Batch{}, fmt.Errorf("%w: applyBatch cut short", ErrOtherCall)
	}
	length := binary.BigEndian.Uint64(args[56:64])
	if length > uint64(len(args)-64) {
		return batch.Batch{}, fmt.Errorf("%w: applyBatch cut short", ErrOtherCall)
	}
	data := args[64 : 64+length]
	if !bytes.Equal(calldata, contract.PackApplyBatch(data)) {
		return batch.Batch{}, fmt.Errorf("%w: applyBatch not as EncodeBatch writes it", ErrOtherCall)
	}
	return DecodeBatchData(bytes.Clone(data))
}

// DecodeBatchData is the inverse of EncodeBatchData: it takes what the contract takes, and nothing else. The error wraps
// ErrFraming.
func DecodeBatchData(data []byte) (batch.Batch, error) {
	if len(data) == 0 {
		return batch.Batch{}, fmt.Errorf("%w: empty", ErrFraming)
	}
	var b batch.Batch
	for at := 0; at < len(data); {
		g, size, err := decodeGroup(data[at:])
		if err != nil {
			return batch.Batch{}, fmt.Errorf("%w: group at byte %d: %s", ErrFraming, at, err.Error())
		}
		b.Groups = append(b.Groups, g)
		at += size
	}
	return b, nil
}

func decodeGroup(data []byte) (g batch.Group, size int, err error) {
	if len(data) < groupBytes {
		return g, 0, errors.New("header cut short")
	}
	g.Project = score.ProjectID(data[:32])
	g.Signer = common.Address(data[32:52])
	g.Kind = batch.Kind(data[52])
	count := int(binary.BigEndian.Uint16(data[53:55]))
	first, record := groupBytes, 0
	switch g.Kind {
	case batch.Word:
		first, record = groupBytes+wordBytes, wordRecordBytes
	case batch.Free:
		record = freeRecordBytes
	default:
		return g, 0, fmt.Errorf("kind %d", g.Kind)
	}
	size = first + count*record
	switch {
	case count == 0:
		return g, 0, errors.New("no records")
	case size > len(data):
		return g, 0, errors.New("records cut short")
	}
	if g.Kind == batch.Word {
		g.Word = score.Word(data[groupBytes:first])
	}
	g.Updates = make([]score.Update, count)
	for i := range g.Updates {
		u := &g.Updates[i]
		u.Project, u.Signer = g.Project, g.Signer
		r := data[first+i*record : first+(i+1)*record]
		idBytes := record - 22
		if g.Kind == batch.Word {
			copy(u.ID[:], g.Word[:])
			u.ID[31] = r[0]
		} else {
			copy(u.ID[:], r[:idBytes])
		}
		u.Target = common.Address(r[idBytes : idBytes+20])
		u.Action, u.ScoreType = r[idBytes+20], r[idBytes+21]
	}
	return g, size, nil
}
