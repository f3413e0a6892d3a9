package overview

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/topup"
)

// funds holds the lanes' signers' accounts; nil if the chain is unavailable.
type funds map[score.Lane]evidence.Account

// chain sets c and returns the accounts of the lanes' signers.
func (d *Deployment) chain(ctx context.Context, c *Chain, known roster.Roster) funds {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	head, err := d.Chain.Head(ctx)
	if err != nil {
		c.Error = err.Error()
		return nil
	}
	if code, err := d.Chain.Code(ctx, d.Stream.Deployment().Contract); err == nil && len(code) == 0 {
		c.Error = fmt.Sprintf("%s has %v", d.Stream.Deployment().Contract, registry.ErrNoCode)
		return nil
	}
	at := time.Unix(int64(head.Time), 0).UTC()
	c.Head, c.At, c.Unchecked = head.Number, &at, d.Chain.Unchecked()
	signers := make([]common.Address, len(known.Lanes))
	for i, l := range known.Lanes {
		signers[i] = l.Signer
	}
	accounts, err := d.Chain.Accounts(ctx, head.Number, signers)
	if err != nil {
		c.Error = fmt.Sprintf("the lanes' accounts cannot be read: %v", err)
		return nil
	}
	f := funds{}
	for i, l := range known.Lanes {
		f[l.ID] = accounts[i]
	}
	return f
}

func (f funds) tell(l *Lane) {
	if f == nil {
		return
	}
	now := f[l.Lane]
	l.BalanceWei, l.Nonces.Chain = now.Balance.String(), &now.Nonce
	if l.Epoch > 0 {
		l.InFlight = int(l.Nonces.Journaled - min(l.Nonces.Journaled, max(now.Nonce, l.Nonces.Settled)))
	}
}

// topUp returns a relayer's report of top-ups, preferably of one ready to pay; else nil.
func topUp(reports []kv.Report) *TopUp {
	var found *kv.TopUpReport
	for _, r := range reports {
		if r.TopUp != nil && (found == nil || r.TopUp.Wait == "") {
			found = r.TopUp
		}
	}
	if found == nil {
		return nil
	}
	t := &TopUp{Account: found.Account, SpentWei: amount(found.SpentWei), PerDayWei: amount(found.PerDayWei), Lane: found.Lane, Wait: topup.Wait(found.Wait)}
	if found.BalanceWei != nil {
		t.BalanceWei = found.BalanceWei.String()
	}
	if t.Wait != topup.WaitNone {
		t.Since, t.Why = &found.Since, cmp.Or(t.Wait.Sentence(), "its relayer says: "+found.Wait)
	}
	if found.Stopped != "" {
		t.Why = found.Stopped + "; then: scorelay topup resume"
	}
	return t
}

func amount(wei *big.Int) string {
	if wei == nil {
		return "0"
	}
	return wei.String()
}
