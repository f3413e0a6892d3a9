package model

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/registry/rig/calls"
	"github.com/scorelay/scorelay/pkg/score"
)

type Tx struct {
	*types.Transaction
	From common.Address
}

// Decode returns the same Tx for the same bytes.
func (c *Chain) Decode(raw []byte) (*Tx, error) {
	hash := crypto.Keccak256Hash(raw)
	if tx := c.txs[hash]; tx != nil {
		return tx, nil
	}
	tx := new(types.Transaction)
	if err := tx.UnmarshalBinary(raw); err != nil {
		return nil, err
	}
	from, err := types.Sender(c.signer, tx)
	if err != nil {
		return nil, err
	}
	c.txs[hash] = &Tx{tx, from}
	return c.txs[hash], nil
}

// Tx returns a decoded transaction, or nil.
func (c *Chain) Tx(hash common.Hash) *Tx { return c.txs[hash] }

// tip returns the miner's tip per gas at a base fee; negative if the base fee exceeds the fee cap.
func (t *Tx) tip(baseFee *big.Int) *big.Int {
	left := new(big.Int).Sub(t.GasFeeCap(), baseFee)
	if left.Cmp(t.GasTipCap()) > 0 {
		return t.GasTipCap()
	}
	return left
}

// intrinsic returns the minimum gas of a transaction with this data: intrinsic gas, or the floor of EIP-7623.
func intrinsic(data []byte) uint64 {
	zeros := uint64(bytes.Count(data, []byte{0}))
	tokens := zeros + 4*(uint64(len(data))-zeros)
	return 21_000 + max(4*tokens, 10*tokens)
}

type call struct {
	batch   *batch.Batch
	data    []byte          // event's data of a batch, or arguments of a creation
	proofs  []score.Outcome // by group: Applied, SignatureRequired if it is unsigned, or BadSignature
	project *score.Project  // of a creation
	edit    *score.SignedEdit
	forged  bool            // signed by another than the owner
	gas     uint64          // upper bound by the gas rules
	poison  bool            // the contract reverts on it
	account *common.Address // that gains or loses the relayer role
	grant   bool
}

var errOtherCall = errors.New("calldata of no call that is known here")

// A batch with an update of Poison reverts. An update of Glutton uses more gas than a transaction may have.
var (
	Poison  = common.HexToAddress("0xdead00000000000000000000000000000000dead")
	Glutton = common.HexToAddress("0xfa770000000000000000000000000000000fa77e")
)

const gluttony = 1 << 25 // gas

// read returns nil for invalid calldata, and the same call for the same bytes.
func (c *Chain) read(data []byte) *call {
	key := crypto.Keccak256Hash(data)
	if known, ok := c.calls[key]; ok {
		return known
	}
	read, err := c.readCall(data)
	if err != nil {
		read = nil
	}
	c.calls[key] = read
	return read
}

func (c *Chain) readCall(data []byte) (*call, error) {
	if b, err := registry.DecodeBatch(data); err == nil {
		return c.readBatch(b)
	}
	if p, err := registry.DecodeCreateProject(data); err == nil {
		return &call{project: p, data: data[4:], gas: c.rules.CreateProject(p)}, nil
	}
	if e, err := registry.DecodeEdit(data); err == nil {
		by := signerOf(c.domain.EditDigest(e.ProjectEdit), e.Signature)
		return &call{edit: e, forged: by != e.Owner, gas: c.rules.Edit(e)}, nil
	}
	for _, a := range c.relayers {
		switch {
		case bytes.Equal(data, registry.EncodeGrantRelayer(a)):
			return &call{account: &a, grant: true, gas: 60_000}, nil
		case bytes.Equal(data, calls.RevokeRelayer(a)):
			return &call{account: &a, gas: 60_000}, nil
		}
	}
	return nil, errOtherCall
}

func (c *Chain) readBatch(b batch.Batch) (*call, error) {
	read := &call{batch: &b, data: registry.EncodeBatchData(b), gas: c.rules.Batch.Gas(b)}
	for i := range b.Groups {
		g := &b.Groups[i]
		proof, err := c.proof(g)
		if err != nil {
			return nil, err
		}
		read.proofs = append(read.proofs, proof)
		for j := range g.Updates {
			switch g.Updates[j].Target {
			case Poison:
				read.poison = true
			case Glutton:
				read.gas += gluttony
			}
		}
	}
	return read, nil
}

func (c *Chain) proof(g *batch.Group) (score.Outcome, error) {
	if g.Signature == nil {
		return score.SignatureRequired, nil
	}
	body, err := batch.EncodeBody(g.Kind, g.Updates)
	if err != nil {
		return 0, fmt.Errorf("a batch that was decoded cannot be encoded: %w", err)
	}
	if signerOf(c.domain.GroupDigest(g.Project, g.Kind, body), *g.Signature) != g.Signer {
		return score.BadSignature, nil
	}
	return score.Applied, nil
}

// signerOf returns the zero address if recovery fails.
func signerOf(digest common.Hash, compact score.GroupSignature) common.Address {
	signature := append(bytes.Clone(compact[:]), compact[32]>>7)
	signature[32] &= 0x7f
	key, err := crypto.SigToPub(digest[:], signature)
	if err != nil {
		return common.Address{}
	}
	return crypto.PubkeyToAddress(*key)
}
