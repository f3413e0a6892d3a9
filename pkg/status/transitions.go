package status

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// Accepted says that updates, creations and edits are stored in the stream: the claims of updates become what they stand for.
// tokens are those the updates were claimed with, in order: another request's claim of an update that was rejected stays.
// A creation or an edit may follow one that was rejected, without a claim between them: it replaces the rejection, and its token is
// not read.
func (s *Store) Accepted(ctx context.Context, refs []score.Ref, tokens []string) error {
	if len(refs) != len(tokens) {
		return fmt.Errorf("couldn't mark %d records as accepted: %d tokens were given", len(refs), len(tokens))
	}
	return s.move(ctx, "mark as accepted", "accepted", refs, func(i int) string {
		if refs[i].Alone() {
			return "!"
		}
		return short(tokens[i])
	})
}

// short is a token as claims hold it. It is compared only with tokens of the same update.
func short(token string) string {
	sum := sha256.Sum256([]byte(token))
	return string(sum[:8])
}

// Bound says that updates, a creation or an edit are in this slot now, even if they were in another. txs are the slot's transactions so
// far, and those of slots close behind it: what one of them rejected is final, and stays. So does what was rejected in a block after final, the newest final one when the slot
// was bound: the slot is no later try.
func (s *Store) Bound(ctx context.Context, lane score.Lane, nonce uint64, refs []score.Ref, final uint64, txs []common.Hash) error {
	to := string(appendUint([]byte(boundState(lane, nonce)), final, 5))
	for _, tx := range txs {
		t := transactionOf(tx)
		to += string(t[:])
	}
	return s.move(ctx, "mark as batched", "bound", refs, always(to))
}

// Released says that they are no longer in this slot and wait for another; what is elsewhere stays there.
func (s *Store) Released(ctx context.Context, lane score.Lane, nonce uint64, refs []score.Ref) error {
	return s.move(ctx, "mark as accepted again", "released", refs, always(boundState(lane, nonce)))
}

// Reopened says that the chain lost the block of a slot's final transaction tx: what tx did to them is taken back, and they are in the
// slot again. What another transaction made final stays.
func (s *Store) Reopened(ctx context.Context, lane score.Lane, nonce uint64, tx common.Hash, refs []score.Ref) error {
	t := transactionOf(tx)
	return s.move(ctx, "mark as batched again", "reopened", refs, always(string(t[:])+boundState(lane, nonce)))
}

func always(argument string) func(int) string { return func(int) string { return argument } }

// Slot says where a slot's transaction is: handed to a node (stage Submitted) or in a block (Included). What a session of a
// later epoch of the lane's journal said of the slot stays.
func (s *Store) Slot(ctx context.Context, lane score.Lane, epoch, nonce uint64, stage score.Stage, tx common.Hash, block uint64) error {
	if stage != score.Included {
		block = 0
	}
	return s.send(ctx, "write a slot's status", s.writes("slot", int(lane)%s.tables, []item{{name: slotName(lane, nonce)}},
		[]string{slotState(tx, block, epoch)}))
}

// Final says what became of each, beside the fold of the ledger: of edits, whose end no event tells. What says more about an id stays:
// applied before duplicate before a rejection.
func (s *Store) Final(ctx context.Context, tx common.Hash, block uint64, refs []score.Ref, outcomes []score.Outcome) error {
	if len(refs) != len(outcomes) {
		return fmt.Errorf("couldn't mark %d records final: %d outcomes were given", len(refs), len(outcomes))
	}
	return s.send(ctx, "mark as final", s.finals("l", tx, block, refs, outcomes))
}
