package topup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
)

// Version is the version of records written, and the newest that is read.
const Version = 1

// ErrCorrupt means that a record contradicts itself.
var ErrCorrupt = errors.New("the record cannot be continued")

// Record contains the day's spending and the newest transfer. Any relayer may send the transfer's bytes: its attempts
// have one nonce, so one payment results.
type Record struct {
	Version  int            `json:"version"`
	Account  common.Address `json:"account"` // payer
	Day      string         `json:"day"`     // UTC, by the time of a final block, as 2026-11-23; never decreases
	SpentWei *big.Int       `json:"spentWei"`
	// the newest; nil before the first, and after an operator's resume
	Transfer *Transfer `json:"transfer,omitempty"`
	// why payments are stopped until an operator resumes; a sentence
	Stopped string `json:"stopped,omitempty"`
}

// Transfer is one payment with all attempts that may have been sent. They have the same nonce, receiver and value.
type Transfer struct {
	Lane  score.Lane      `json:"lane"`
	Raw   []hexutil.Bytes `json:"raw"`             // signed, newest last
	Since uint64          `json:"since"`           // a block up to which its nonce was unused
	Ended *evidence.Ref   `json:"ended,omitempty"` // the final block that contains it; nil: pending

	attempts []*types.Transaction // decoded Raw
}

// Open returns the record's document, in the bucket of the roster, which every deployment has.
func Open(ctx context.Context, js jetstream.JetStream) (kv.Doc[Record], error) {
	return kv.OpenDoc[Record](ctx, js, "LANES", "topup", "the record of top-ups")
}

// Resume restarts payments at the account's nonce on the chain. It returns the previous record, and tries until ctx
// ends. After an error it may be done all the same.
func Resume(ctx context.Context, records kv.Doc[Record]) (before Record, err error) {
	_, err = records.Update(ctx, func(r *Record) error {
		before, *r = *r, r.Resumed()
		return nil
	})
	return before, err
}

func (r *Record) pending() *Transfer {
	if r.Transfer == nil || r.Transfer.Ended != nil {
		return nil
	}
	return r.Transfer
}

func (r *Record) spent(day string) *big.Int {
	if r.SpentWei == nil || day > r.Day {
		return new(big.Int)
	}
	return r.SpentWei
}

// spend adds an amount to a day, or to the record's day if that is later.
func (r *Record) spend(day string, wei *big.Int) {
	r.SpentWei = new(big.Int).Add(r.spent(day), wei)
	r.Day = max(r.Day, day)
}

// UnmarshalJSON returns score.ErrNewer for a record of a newer version, and ErrCorrupt for one that contradicts itself.
func (r *Record) UnmarshalJSON(data []byte) error {
	type document Record
	if err := json.Unmarshal(data, (*document)(r)); err != nil {
		return err
	}
	return r.check()
}

// check validates the record and decodes its attempts.
func (r *Record) check() error {
	if r.Version > Version {
		return fmt.Errorf("version %d, this program reads up to %d: %w", r.Version, Version, score.ErrNewer)
	}
	t := r.Transfer
	if t == nil {
		return nil
	}
	t.attempts = nil
	for _, raw := range t.Raw {
		tx := new(types.Transaction)
		if err := tx.UnmarshalBinary(raw); err != nil {
			return fmt.Errorf("%w: it holds bytes that are no transaction: %w", ErrCorrupt, err)
		}
		if tx.To() == nil || !tx.GasFeeCap().IsUint64() || !tx.GasTipCap().IsUint64() {
			return fmt.Errorf("%w: transaction %s is no transfer", ErrCorrupt, tx.Hash())
		}
		if from, err := evidence.Sender(tx); err != nil || from != r.Account {
			return fmt.Errorf("%w: transaction %s is not signed by %s", ErrCorrupt, tx.Hash(), r.Account)
		}
		t.attempts = append(t.attempts, tx)
		if first := t.attempts[0]; tx.Nonce() != first.Nonce() || *tx.To() != *first.To() || tx.Value().Cmp(first.Value()) != 0 {
			return fmt.Errorf("%w: its attempts differ in nonce, receiver or value", ErrCorrupt)
		}
	}
	if len(t.attempts) == 0 {
		return fmt.Errorf("%w: a transfer has no attempt", ErrCorrupt)
	}
	return nil
}

func (t *Transfer) last() *types.Transaction { return t.attempts[len(t.attempts)-1] }

func (t *Transfer) nonce() uint64 { return t.attempts[0].Nonce() }

func (t *Transfer) again(raw []byte) *Transfer {
	next := *t
	next.Raw = append(append([]hexutil.Bytes{}, t.Raw...), raw)
	return &next
}

// Of returns the record for an account. If another account paid before, only day and spending are kept. Exception: if
// that account has a pending transfer and is not stopped, all is kept.
func (r *Record) Of(account common.Address) Record {
	if r.Account == account || r.Stopped == "" && r.pending() != nil {
		return *r
	}
	return Record{Account: account, Day: r.Day, SpentWei: r.SpentWei}
}

// Resumed returns the record after an operator's review: only the day's spending stays, and the account's nonce is
// read from the chain again. A dropped transfer is never paid besides the next one, which has the same nonce, or a
// later one if the nonce was used.
func (r *Record) Resumed() Record {
	return Record{Version: Version, Account: r.Account, Day: r.Day, SpentWei: r.SpentWei}
}
