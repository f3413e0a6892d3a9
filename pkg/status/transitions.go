package status

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// Accepted records that updates, creations and edits are stored in the stream, and replaces the claims with these
// tokens, in the order of refs. A creation or an edit replaces a rejection, and its token is ignored.
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

// short shortens a token, which is compared only with tokens of the same update.
func short(token string) string {
	sum := sha256.Sum256([]byte(token))
	return string(sum[:8])
}

// Bound records an assignment to a slot, even from another slot. A rejection by this try stays: by one of txs, or in
// a block after final. txs are the transactions so far of this slot and of slots close behind it; final is the newest
// final block at assignment.
func (s *Store) Bound(ctx context.Context, lane score.Lane, nonce uint64, refs []score.Ref, final uint64, txs []common.Hash) error {
	to := string(appendUint([]byte(boundState(lane, nonce)), final, 5))
	for _, tx := range txs {
		t := transactionOf(tx)
		to += string(t[:])
	}
	return s.move(ctx, "mark as batched", "bound", refs, always(to))
}

// Released records that refs left the slot and wait for another. States of other slots stay.
func (s *Store) Released(ctx context.Context, lane score.Lane, nonce uint64, refs []score.Ref) error {
	return s.move(ctx, "mark as accepted again", "released", refs, always(boundState(lane, nonce)))
}

// Reopened records that the chain lost the block of a slot's final transaction tx. It undoes the outcomes of tx and
// returns the updates to the slot. Outcomes of other transactions stay.
func (s *Store) Reopened(ctx context.Context, lane score.Lane, nonce uint64, tx common.Hash, refs []score.Ref) error {
	t := transactionOf(tx)
	return s.move(ctx, "mark as batched again", "reopened", refs, always(string(t[:])+boundState(lane, nonce)))
}

func always(argument string) func(int) string { return func(int) string { return argument } }

// Slot records a slot's transaction: sent to a node (stage Submitted) or in a block (Included). A record from a later
// epoch of the lane's journal stays.
func (s *Store) Slot(ctx context.Context, lane score.Lane, epoch, nonce uint64, stage score.Stage, tx common.Hash, block uint64) error {
	if stage != score.Included {
		block = 0
	}
	return s.send(ctx, "write a slot's status", s.writes("slot", int(lane)%s.tables, []item{{name: slotName(lane, nonce)}},
		[]string{slotState(tx, block, epoch)}))
}

// Final records outcomes outside the fold of the ledger: those of edits, which have no event. Applied replaces
// duplicate, and duplicate a rejection, but not the reverse.
func (s *Store) Final(ctx context.Context, tx common.Hash, block uint64, refs []score.Ref, outcomes []score.Outcome) error {
	if len(refs) != len(outcomes) {
		return fmt.Errorf("couldn't mark %d records final: %d outcomes were given", len(refs), len(outcomes))
	}
	return s.send(ctx, "mark as final", s.finals("l", tx, block, refs, outcomes))
}
