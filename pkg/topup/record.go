package topup

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/score"
)

// Version of the record that this program writes, and the newest that it reads.
const Version = 1

// ErrCorrupt says that a record contradicts itself.
var ErrCorrupt = errors.New("the record of top-ups cannot be continued")

// Record is what was paid, and what is being paid. It is stored before anything of it is sent, by compare-and-set, so that it is true
// of all relayers together. Each of them may send what it holds: the nonce is what makes it paid once.
type Record struct {
	Version  int            `json:"version"`
	Account  common.Address `json:"account"` // that pays
	Day      string         `json:"day"`     // UTC, by the time of a final block, as 2026-11-23; days only go forward
	SpentWei *big.Int       `json:"spentWei"`
	Transfer *Transfer      `json:"transfer,omitempty"` // the newest; nil before the first, and after an operator's resume
	Stopped  string         `json:"stopped,omitempty"`  // why nothing more is paid until an operator resumes; a sentence
}

// Transfer is one payment, in all attempts that may have been sent: they have the same nonce, receiver and value.
type Transfer struct {
	Lane  score.Lane      `json:"lane"`
	Raw   []hexutil.Bytes `json:"raw"`             // signed, the newest last
	Since uint64          `json:"since"`           // a block up to which its nonce was not used
	Ended *evidence.Ref   `json:"ended,omitempty"` // the final block that holds it; nil: it is pending

	attempts []*types.Transaction // of Raw
}

// pending is the transfer that is not in a final block, nil if there is none.
func (r *Record) pending() *Transfer {
	if r.Transfer == nil || r.Transfer.Ended != nil {
		return nil
	}
	return r.Transfer
}

// spent is what counts on a day, wei.
func (r *Record) spent(day string) *big.Int {
	if r.SpentWei == nil || day > r.Day {
		return new(big.Int)
	}
	return r.SpentWei
}

// spend counts an amount on a day, or on the record's where that is later.
func (r *Record) spend(day string, wei *big.Int) {
	r.SpentWei = new(big.Int).Add(r.spent(day), wei)
	r.Day = max(r.Day, day)
}

// Check reads the bytes of the attempts. Errors: score.ErrNewer, ErrCorrupt.
func (r *Record) Check() error {
	if r.Version > Version {
		return fmt.Errorf("the record of top-ups has version %d: %w", r.Version, score.ErrNewer)
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
		if from, err := types.Sender(types.LatestSignerForChainID(tx.ChainId()), tx); err != nil || from != r.Account {
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

// last is the newest attempt.
func (t *Transfer) last() *types.Transaction { return t.attempts[len(t.attempts)-1] }

func (t *Transfer) nonce() uint64 { return t.attempts[0].Nonce() }

// again is the transfer with another attempt.
func (t *Transfer) again(raw []byte) *Transfer {
	next := *t
	next.Raw = append(append([]hexutil.Bytes{}, t.Raw...), raw)
	return &next
}

// Of is the record for an account: where another one paid before, and nothing of that is open, it begins again, on the same day.
func (r *Record) Of(account common.Address) Record {
	if r.Account == account || r.Stopped == "" && r.pending() != nil {
		return *r
	}
	return Record{Account: account, Day: r.Day, SpentWei: r.SpentWei}
}

// Resumed is the record without what an operator has looked at: the account's nonce is read from the chain again, and what was counted
// stays. A transfer that is forgotten so is not paid beside the next one: that has its nonce, or a later one because it was used.
func (r *Record) Resumed() Record {
	return Record{Version: Version, Account: r.Account, Day: r.Day, SpentWei: r.SpentWei}
}
