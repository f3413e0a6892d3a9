package relay

import (
	"context"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/lane"
)

// do carries effects out, in order, and those that follow from their results. An error ends the session; what a node or
// the status store fails to do does not, the next head brings it up again.
func (s *session) do(ctx context.Context, effects []lane.Effect) error {
	for len(effects) > 0 {
		effect := effects[0]
		effects = effects[1:]
		var more []lane.Effect
		var err error
		switch e := effect.(type) {
		case lane.Send:
			nonces := e.Nonces
			for len(effects) > 0 { // one request for all that follow
				next, ok := effects[0].(lane.Send)
				if !ok {
					break
				}
				nonces, effects = append(nonces, next.Nonces...), effects[1:]
			}
			more, err = s.send(ctx, nonces)
		case lane.Revive:
			s.revive(ctx, e.Raw)
		case lane.Probe:
			more, err = s.probe(ctx, e.Nonces)
		case lane.Resign:
			more, err = s.resign(ctx, e)
		case lane.Finalize:
			more, err = s.settle(ctx, e.Nonce)
		case lane.Takeover:
			s.log.Warn("nonces were used that the lane's journal does not know; it goes on behind them",
				"from", s.lane.State.Next, "to", e.Next)
			more, err = s.append(ctx, lane.Entry{Adopt: &lane.Adopt{Next: e.Next}})
		case lane.Report:
			s.tell(ctx, 0, func(ctx context.Context) error {
				return s.Statuses.Slot(ctx, s.id, e.Nonce, e.Stage, e.Tx, e.Block)
			})
		}
		if err != nil {
			return err
		}
		effects = append(more, effects...)
	}
	return nil
}

// send hands the newest attempts of open slots to the nodes.
func (s *session) send(ctx context.Context, nonces []uint64) (more []lane.Effect, err error) {
	var raw [][]byte
	var slots []*lane.Slot
	for _, nonce := range nonces {
		if slot := s.lane.State.Slot(nonce); slot != nil {
			slots = append(slots, slot)
			raw = append(raw, slot.Last().Raw)
		}
	}
	if len(raw) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.CallTimeout)
	defer cancel()
	results := s.Chain.Send(ctx, raw)
	for i, result := range results {
		tx := slots[i].Last().Hash
		s.metrics.sends.WithLabelValues(result.Class.String()).Inc()
		if !result.Class.Taken() {
			s.log.Info("a node did not take a transaction; it is handed out again or priced anew", "nonce", slots[i].Nonce,
				"tx", tx, "class", result.Class.String(), "err", result.Err)
		}
		effects, err := s.lane.Step(lane.Sent{Nonce: slots[i].Nonce, Tx: tx, Class: result.Class, Now: time.Now()})
		if err != nil {
			return nil, err
		}
		more = append(more, effects...)
	}
	return more, nil
}

// revive hands out what was final and is gone.
func (s *session) revive(ctx context.Context, raw [][]byte) {
	ctx, cancel := context.WithTimeout(ctx, s.config.CallTimeout)
	defer cancel()
	for i, result := range s.Chain.Send(ctx, raw) {
		s.metrics.sends.WithLabelValues(result.Class.String()).Inc()
		s.log.Error("a final transaction is not in the chain any more; it is handed out again", "tx", crypto.Keccak256Hash(raw[i]),
			"class", result.Class.String(), "err", result.Err)
	}
}

// probe looks for the receipts of all attempts of slots whose nonce is used up. A receipt of a block newer than the head
// is left for the next one, which knows that block.
func (s *session) probe(ctx context.Context, nonces []uint64) ([]lane.Effect, error) {
	head := s.lane.Last().Block
	owners := map[common.Hash]uint64{}
	var txs []common.Hash
	for _, nonce := range nonces {
		if slot := s.lane.State.Slot(nonce); slot != nil {
			for i := range slot.Attempts {
				txs = append(txs, slot.Attempts[i].Hash)
				owners[slot.Attempts[i].Hash] = nonce
			}
		}
	}
	receipts, ok := s.receipts(ctx, head.Hash, txs)
	if !ok {
		return nil, nil
	}
	found := map[uint64]lane.Inclusion{}
	later := map[uint64]bool{}
	for _, r := range receipts {
		if r == nil {
			continue
		}
		if nonce := owners[r.TxHash]; r.BlockNumber.Uint64() > head.Number {
			later[nonce] = true
		} else {
			found[nonce] = lane.Inclusion{Tx: r.TxHash, Number: r.BlockNumber.Uint64(), BlockHash: r.BlockHash}
		}
	}
	var asked []uint64
	for _, nonce := range nonces {
		if !later[nonce] {
			asked = append(asked, nonce)
		}
	}
	return s.lane.Step(lane.Receipts{At: head.Number, Asked: asked, Found: found})
}

// receipts asks a node that knows block at; false if none answered.
func (s *session) receipts(ctx context.Context, at common.Hash, txs []common.Hash) ([]*types.Receipt, bool) {
	ctx, cancel := context.WithTimeout(ctx, s.config.CallTimeout)
	defer cancel()
	receipts, err := s.Chain.Receipts(ctx, at, txs)
	if err != nil {
		s.log.Warn("couldn't read receipts; the next head tries again", "block", at, "err", err)
		return nil, false
	}
	return receipts, true
}

// resign journals another attempt of a slot and, by what follows from that, sends it.
func (s *session) resign(ctx context.Context, r lane.Resign) ([]lane.Effect, error) {
	slot := s.lane.State.Slot(r.Nonce)
	if slot == nil {
		return nil, nil
	}
	to, data := &s.config.Contract, []byte(nil)
	if r.Cancel {
		self := s.signer.Address()
		to = &self
	} else {
		var err error
		if data, err = slot.Data(); err != nil {
			return nil, err
		}
	}
	raw, err := s.sign(ctx, r.Nonce, r.Fees, r.Gas, to, data)
	if err != nil {
		s.log.Error("couldn't sign another attempt; the last one keeps being handed out", "nonce", r.Nonce, "err", err)
		return nil, nil
	}
	s.metrics.attempts.WithLabelValues(r.Reason).Inc()
	s.log.Info("pricing a slot anew", "nonce", r.Nonce, "reason", r.Reason, "attempt", len(slot.Attempts)+1,
		"tip_wei", r.Fees.Tip, "cap_wei", r.Fees.Cap, "gas", r.Gas, "cancel", r.Cancel)
	return s.append(ctx, lane.Entry{Attempt: &lane.Another{Nonce: r.Nonce, Raw: raw, Reason: r.Reason}})
}
