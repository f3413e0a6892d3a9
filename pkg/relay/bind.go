package relay

import (
	"context"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// fill binds whatever may be bound now: first work that lost its slot, then what the intake has. What it bound is
// broadcast together, in one request.
func (s *session) fill(ctx context.Context) error {
	if err := s.bindAll(ctx); err != nil {
		return err
	}
	return s.sendBound(ctx)
}

// sendBound sends what was bound and not sent yet.
func (s *session) sendBound(ctx context.Context) error {
	effects := s.outbox
	s.outbox = nil
	return s.do(ctx, effects)
}

func (s *session) bindAll(ctx context.Context) error {
	for {
		if why := s.blocked(); why != lane.WaitNone {
			s.waits(why)
			return nil
		}
		var bound bool
		var err error
		if len(s.lane.State.Queue) == 0 {
			bound, err = s.bindNew(ctx)
		} else if err = s.sendBound(ctx); err == nil { // what was bound does not wait for the questions asked now
			bound, err = s.bindQueued(ctx)
		}
		if err != nil || !bound {
			return err
		}
	}
}

// bindNew binds the intake's batch if it is due, or its creation.
func (s *session) bindNew(ctx context.Context) (bool, error) {
	in := s.intake
	if why, due := in.due(s.config.Now()); due {
		b := in.builder.Build()
		bound, err := s.bind(ctx, binding{
			gas: s.gas(in.builder.Gas()), data: registry.EncodeBatch(b), updates: b.Updates(),
			entry: lane.Bind{
				Work: lane.Work{Kind: lane.Updates, Count: b.Len(), From: in.from}, Advance: true, Cursor: in.to,
			},
		})
		if bound {
			s.metrics.batch.WithLabelValues(why).Observe(float64(b.Len()))
			in.bound()
		}
		return bound, err
	}
	if in.creation == nil {
		s.waits(lane.WaitNone)
		return false, nil
	}
	project := in.creation
	bound, err := s.bind(ctx, binding{
		gas: s.gas(registry.CreateProjectGas(project)), data: registry.EncodeCreateProject(project), project: &project.ID,
		entry: lane.Bind{
			Work:    lane.Work{Kind: lane.Creation, Count: 1, From: score.Cursor{Seq: in.born}, Project: &project.ID},
			Advance: true, Cursor: score.Cursor{Seq: in.born + 1},
		},
	})
	if bound {
		in.created()
	}
	return bound, err
}

// binding is work about to become a slot.
type binding struct {
	gas     uint64
	data    []byte
	updates []score.Update   // in the order of their outcomes; nil of a creation
	project *score.ProjectID // of a creation
	entry   lane.Bind        // without nonce and bytes
}

// bind makes a slot: price, sign, journal, tell; then fill sends it. The append is the commit point: before it nothing has happened,
// after it the work has exactly this nonce until that is final. It reports false if the lane must wait.
func (s *session) bind(ctx context.Context, b binding) (bool, error) {
	fees, why := s.lane.Ready(b.gas)
	if why != lane.WaitNone {
		s.waits(why, "need_wei", s.lane.Need(b.gas, fees), "gas", b.gas)
		return false, nil
	}
	nonce := s.lane.State.Next
	raw, err := s.sign(ctx, nonce, fees, b.gas, &s.config.Contract, b.data)
	if err != nil {
		s.waits(lane.WaitSigner, "nonce", nonce, "err", err)
		return false, nil
	}
	s.waits(lane.WaitNone)
	b.entry.Nonce, b.entry.Raw, b.entry.Since = nonce, raw, s.lane.Last().Block.Number

	effects, err := s.append(ctx, lane.Entry{Bind: &b.entry}) // the commit point
	if err != nil {
		return false, err
	}
	s.metrics.attempts.WithLabelValues("first").Inc()
	project, updates := b.project, b.updates // what a write that fails keeps
	s.tell(ctx, len(updates), func(ctx context.Context) error {
		if project != nil {
			return s.Statuses.ProjectBound(ctx, s.id, nonce, *project)
		}
		return s.Statuses.Bound(ctx, s.id, nonce, updates)
	})
	s.outbox = append(s.outbox, effects...) // broadcast with what else is bound now
	return true, nil
}

// sign makes an attempt's bytes: type 2 where the chain has a base fee, a legacy transaction elsewhere.
func (s *session) sign(ctx context.Context, nonce uint64, fees lane.Fees, gas uint64, to *common.Address, data []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.CallTimeout)
	defer cancel()
	var tx *types.Transaction
	if s.lane.Last().Price.Legacy {
		tx = types.NewTx(&types.LegacyTx{
			Nonce: nonce, GasPrice: wei(fees.Cap), Gas: gas, To: to, Value: new(big.Int), Data: data,
		})
	} else {
		tx = types.NewTx(&types.DynamicFeeTx{
			ChainID: wei(s.config.ChainID), Nonce: nonce, GasTipCap: wei(fees.Tip), GasFeeCap: wei(fees.Cap),
			Gas: gas, To: to, Value: new(big.Int), Data: data,
		})
	}
	signed, err := s.signer.Sign(ctx, tx)
	if err != nil {
		return nil, err
	}
	raw, err := signed.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("couldn't encode a signed transaction: %w", err)
	}
	return raw, nil
}

func wei(n uint64) *big.Int { return new(big.Int).SetUint64(n) }

func gwei(n *big.Int) float64 {
	f, _ := new(big.Float).Quo(new(big.Float).SetInt(n), big.NewFloat(1e9)).Float64()
	return f
}
