package registry

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/registry/internal/bindings"
	"github.com/scorelay/scorelay/pkg/score"
)

var contract = bindings.NewScoreRegistry()

// Flags in a group's kind byte; IScoreRegistry.applyBatch specifies the format.
const (
	flagSameProject = 0x10
	flagSameSigner  = 0x20
	flagSameWord    = 0x40
	flagSigned      = 0x80
	kindMask        = 0x0f
)

// ErrFraming reports data for which the contract would revert with BadFraming.
var ErrFraming = errors.New("not a well-framed batch")

var ErrOtherCall = errors.New("calldata of another call")

// EncodeBatch returns applyBatch's calldata. It panics if the batch is empty, or an update is in the wrong group or
// unfit for its encoding.
func EncodeBatch(b batch.Batch) []byte {
	return contract.PackApplyBatch(EncodeBatchData(b))
}

// EncodeBatchData returns applyBatch's argument, which the event BatchApplied repeats. A group omits header fields
// that it shares with earlier groups, where the format allows. It panics as EncodeBatch does.
func EncodeBatchData(b batch.Batch) []byte {
	if len(b.Groups) == 0 {
		panic("registry: batch without groups")
	}
	var out []byte
	for i, h := range b.Headers() {
		out = appendGroup(out, &b.Groups[i], h)
	}
	return out
}

func appendGroup(out []byte, g *batch.Group, h batch.Header) []byte {
	for i := range g.Updates {
		if u := &g.Updates[i]; u.Project != g.Project || u.Signer != g.Signer {
			panic(fmt.Sprintf("registry: update %s in a group it does not belong to", u.ID))
		}
	}
	body, err := batch.EncodeBody(g.Kind, g.Updates)
	if err != nil {
		panic("registry: group cannot be written: " + err.Error())
	}
	kind := len(out)
	out = append(out, byte(g.Kind))
	if h.SameProject {
		out[kind] |= flagSameProject
	} else {
		out = append(out, g.Project[:]...)
	}
	if h.SameSigner {
		out[kind] |= flagSameSigner
	} else {
		out = append(out, g.Signer[:]...)
	}
	if g.Signature != nil {
		out[kind] |= flagSigned
		out = append(out, g.Signature[:]...)
	}
	if h.SameWord {
		out[kind] |= flagSameWord
		body = body[len(score.Word{}):]
	}
	return append(out, body...)
}

// Relays reports whether the calldata calls a function that relayers use.
func Relays(calldata []byte) bool {
	parsed := contract.GetABI()
	return slices.ContainsFunc([]string{"applyBatch", "createProject", "editBySignature"}, func(name string) bool {
		return bytes.HasPrefix(calldata, parsed.Methods[name].ID)
	})
}

// DecodeBatch inverts EncodeBatch. It returns ErrOtherCall unless the calldata is exactly as EncodeBatch writes it,
// and ErrFraming if the argument is malformed.
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
	b, err := DecodeBatchData(args[64 : 64+length])
	if err != nil {
		return batch.Batch{}, err
	}
	if !bytes.Equal(calldata, EncodeBatch(b)) {
		return batch.Batch{}, fmt.Errorf("%w: applyBatch not as EncodeBatch writes it", ErrOtherCall)
	}
	return b, nil
}

// DecodeBatchData decodes applyBatch's argument. Like the contract, it accepts redundant headers, so only output of
// EncodeBatchData is sure to survive a round trip. The error wraps ErrFraming.
func DecodeBatchData(data []byte) (batch.Batch, error) {
	if len(data) == 0 {
		return batch.Batch{}, fmt.Errorf("%w: empty", ErrFraming)
	}
	var d decoder
	for d.at < len(data) {
		size, err := d.group(data[d.at:])
		if err != nil {
			return batch.Batch{}, fmt.Errorf("%w: group at byte %d: %w", ErrFraming, d.at, err)
		}
		d.at += size
	}
	return d.batch, nil
}

// decoder keeps the header fields that the next group may omit.
type decoder struct {
	batch batch.Batch
	at    int
	word  *score.Word // of the last group that had one
}

func (d *decoder) group(data []byte) (size int, err error) {
	flags, kind := data[0]&^kindMask, data[0]&kindMask
	g := batch.Group{Kind: score.Kind(kind)}
	rest := data[1:]
	take := func(out []byte) {
		if n := copy(out, rest); n == len(out) {
			rest = rest[n:]
		} else {
			err = errors.New("header cut short")
		}
	}
	first := len(d.batch.Groups) == 0
	switch {
	case first && flags&(flagSameProject|flagSameSigner) != 0, flags&flagSameWord != 0 && d.word == nil:
		return 0, errors.New("the same as nothing before")
	case flags&flagSameWord != 0 && (flags&flagSigned != 0 || g.Kind == score.KindFree):
		return 0, fmt.Errorf("kind %#x", data[0])
	}
	if !first {
		before := &d.batch.Groups[len(d.batch.Groups)-1]
		g.Project, g.Signer = before.Project, before.Signer
	}
	if flags&flagSameProject == 0 {
		take(g.Project[:])
	}
	if flags&flagSameSigner == 0 {
		take(g.Signer[:])
	}
	if flags&flagSigned != 0 {
		g.Signature = new(score.GroupSignature)
		take(g.Signature[:])
	}
	if err != nil {
		return 0, err
	}
	var word *score.Word
	if flags&flagSameWord != 0 {
		word = d.word
	}
	size, err = g.ReadBody(word, rest)
	if err != nil {
		return 0, err
	}
	if own, ok := g.Word(); ok {
		d.word = &own
	}
	d.batch.Groups = append(d.batch.Groups, g)
	return len(data) - len(rest) + size, nil
}

// CarrierOf decodes a transaction. It returns nil unless that carries the update, in a batch, to the contract at
// registry.
func CarrierOf(tx *types.Transaction, registry common.Address, project score.ProjectID, update score.UpdateID) *score.Carrier {
	if tx.To() == nil || *tx.To() != registry || tx.ChainId().Sign() == 0 { // lanes sign for one chain only (EIP-155)
		return nil
	}
	signer, err := types.Sender(types.LatestSignerForChainID(tx.ChainId()), tx)
	if err != nil {
		return nil
	}
	b, err := DecodeBatch(tx.Data())
	if err != nil {
		return nil
	}
	c := &score.Carrier{Signer: signer, Nonce: tx.Nonce(), MaxPrice: tx.GasFeeCap(), Updates: b.Len()}
	carried := false
	for _, u := range b.Updates() {
		if u.Project != project {
			continue
		}
		if c.OfProject++; u.ID == update {
			c.Update, carried = u, true
		}
	}
	if !carried {
		return nil
	}
	return c
}
