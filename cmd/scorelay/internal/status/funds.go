package status

import (
	"context"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
)

// spentOver is the number of blocks over which it is seen how fast a balance falls: nodes keep the state of the last 128.
const spentOver = 100

// funds are what the chain tells of the lanes' signers. nil: it tells nothing.
type funds struct {
	now    map[score.Lane]evidence.Account
	before map[score.Lane]evidence.Account // empty where no endpoint keeps that state
	took   time.Duration                   // between both
}

// chain tells where the chain is, and what it knows of the lanes' signers.
func (d *Deployment) chain(ctx context.Context, c *Chain, known roster.Roster) *funds {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	head, err := d.Chain.Head(ctx)
	if err != nil {
		c.Error = err.Error()
		return nil
	}
	at := time.Unix(int64(head.Time), 0).UTC()
	c.Head, c.At = head.Number, &at
	if final, err := d.Chain.FinalBlock(ctx, d.Confirmations); err == nil { // else none is final yet
		c.Final = final.Number
	}
	signers := make([]common.Address, len(known.Lanes))
	for i, l := range known.Lanes {
		signers[i] = l.Signer
	}
	accounts, err := d.Chain.Accounts(ctx, head.Number, signers)
	if err != nil {
		c.Error = fmt.Sprintf("the lanes' accounts cannot be read: %v", err)
		return nil
	}
	f := &funds{now: byLane(known, accounts)}
	if then, err := d.Chain.BlockByNumber(ctx, head.Number-min(spentOver, head.Number)); err == nil {
		if accounts, err = d.Chain.Accounts(ctx, then.Number, signers); err == nil {
			f.before, f.took = byLane(known, accounts), at.Sub(time.Unix(int64(then.Time), 0))
		}
	}
	return f
}

func byLane(known roster.Roster, accounts []evidence.Account) map[score.Lane]evidence.Account {
	all := map[score.Lane]evidence.Account{}
	for i, l := range known.Lanes {
		all[l.ID] = accounts[i]
	}
	return all
}

// tell says of a lane what the chain knows of its signer.
func (f *funds) tell(l *Lane) {
	if f == nil {
		return
	}
	now := f.now[l.Lane]
	l.BalanceWei, l.Nonces.Chain = now.Balance.String(), &now.Nonce
	if l.Epoch > 0 {
		l.InFlight = int(l.Nonces.Journaled - min(l.Nonces.Journaled, max(now.Nonce, l.Nonces.Settled)))
	}
	before, known := f.before[l.Lane]
	if !known || f.took <= 0 {
		return
	}
	spent := new(big.Int).Sub(before.Balance, now.Balance)
	if spent.Sign() <= 0 || now.Nonce == before.Nonce { // nothing was sent, or it was funded meanwhile
		return
	}
	lasts := new(big.Int).Mul(now.Balance, big.NewInt(int64(f.took/time.Second)))
	if lasts.Div(lasts, spent); lasts.IsInt64() {
		seconds := lasts.Int64()
		l.LastsSeconds = &seconds
	}
}
