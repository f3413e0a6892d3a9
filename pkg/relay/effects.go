package relay

import (
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
)

// errSigner says that the key did not sign what everything else waits for.
var errSigner = errors.New("the lane's key does not sign")

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
		case lane.Bump:
			more, err = s.bump(ctx, e)
		case lane.Finalize:
			more, err = s.settle(ctx, e)
		case lane.SkipNonces:
			more, err = s.skip(ctx, e.Skip)
		case lane.OpenAgain:
			more, err = s.openAgain(ctx, e)
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

// send broadcasts the newest attempts of open slots.
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
			s.log.Info("no endpoint took a transaction; it is broadcast again, or bumped", "nonce", slots[i].Nonce,
				"tx", tx, "class", result.Class.String(), "err", result.Err)
		}
		effects, err := s.lane.Step(lane.Sent{Nonce: slots[i].Nonce, Tx: tx, Class: result.Class, Now: s.config.Now()})
		if err != nil {
			return nil, err
		}
		more = append(more, effects...)
	}
	return more, nil
}

// skip journals that nonces were used by transactions that are not the lane's.
func (s *session) skip(ctx context.Context, skip lane.Skip) ([]lane.Effect, error) {
	s.log.Warn("nonces were used that the lane did not bind; it continues behind them",
		"from", s.lane.State.Next, "to", skip.Next, "transactions", skip.Used)
	for i := range skip.Used {
		s.restoreStatuses(ctx, s.lane.Last().Foreign[s.lane.State.Next+uint64(i)].Tx.To())
	}
	return s.append(ctx, lane.Entry{Skip: &skip})
}

// openAgain journals that a settled slot is open again: the chain lost the block that held its transaction. What was said
// of its updates is taken back; the lane broadcasts the same bytes and settles the slot again when they are final.
func (s *session) openAgain(ctx context.Context, e lane.OpenAgain) ([]lane.Effect, error) {
	entry := lane.Reopen{Nonce: e.Nonce}
	if e.Fill {
		self := s.signer.Address()
		raw, err := s.sign(ctx, e.Nonce, e.Fees, lane.CancelGas, &self, nil)
		if err != nil {
			return nil, fmt.Errorf("%w a transaction that uses up nonce %d: %w", errSigner, e.Nonce, err)
		}
		entry.Raw = raw
	}
	effects, err := s.append(ctx, lane.Entry{Reopen: &entry})
	if err != nil {
		return nil, err
	}
	s.metrics.reopened.Inc()
	slot := s.lane.State.Slot(e.Nonce)
	if e.Fill {
		s.log.Warn("a nonce below the lane's own is not used on the chain; the lane uses it up with a transaction that carries nothing",
			"nonce", e.Nonce, "tx", slot.Last().Hash)
		return effects, nil
	}
	s.log.Error("the chain lost a final transaction of the lane; the same bytes are broadcast again and its statuses corrected",
		"nonce", e.Nonce, "tx", slot.Last().Hash, "updates", slot.Work.Count)
	return effects, s.reportReopened(ctx, slot, slot.Last().Hash)
}

// reportReopened takes back what was said of a slot's updates or creation in one of its transactions.
func (s *session) reportReopened(ctx context.Context, slot *lane.Slot, tx common.Hash) error {
	nonce := slot.Nonce
	switch slot.Work.Kind {
	case lane.Creation:
		project := *slot.Work.Project
		s.tell(ctx, 0, func(ctx context.Context) error { return s.Statuses.ProjectReopened(ctx, s.id, nonce, tx, project) })
	case lane.Updates:
		data, err := slot.Data()
		if err != nil {
			return err
		}
		b, err := registry.DecodeBatch(data)
		if err != nil {
			return fmt.Errorf("slot %d: %w: %w", nonce, lane.ErrCorrupt, err)
		}
		s.tell(ctx, b.Len(), func(ctx context.Context) error { return s.Statuses.Reopened(ctx, s.id, nonce, tx, b.Updates()) })
	}
	return nil
}

// bump journals another attempt of a slot and, by what follows from that, sends it.
func (s *session) bump(ctx context.Context, r lane.Bump) ([]lane.Effect, error) {
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
		s.log.Error("couldn't sign another attempt; the last one keeps being broadcast", "nonce", r.Nonce, "err", err)
		return nil, nil
	}
	s.metrics.attempts.WithLabelValues(r.Reason).Inc()
	s.log.Info("bumping a slot", "nonce", r.Nonce, "reason", r.Reason, "attempt", len(slot.Attempts)+1,
		"tip_wei", r.Fees.Tip, "cap_wei", r.Fees.Cap, "gas", r.Gas, "cancel", r.Cancel)
	return s.append(ctx, lane.Entry{Attempt: &lane.Replacement{Nonce: r.Nonce, Raw: raw, Reason: r.Reason}})
}
