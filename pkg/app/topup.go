package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/signer"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/topup"
)

type TopUps struct {
	TopUpKeystore string  `name:"topup-keystore" env:"SCORELAY_TOPUP_KEYSTORE" placeholder:"FILE" help:"geth keystore file of an account that tops lanes' signers up, or description of a remote one (web3signer, AWS KMS). Empty: nothing tops them up. No lane's signer, and no other program's account. Give it to each relayer."`
	TopUpPassword string  `name:"topup-password-file" env:"SCORELAY_TOPUP_PASSWORD_FILE" placeholder:"FILE" help:"File with the password of that keystore file."`
	TopUpBelow    float64 `name:"topup-below-ether" env:"SCORELAY_TOPUP_BELOW_ETHER" default:"0" help:"A signer that has less is topped up, ether. One transfer is open at a time, until it is final: leave what lanes need meanwhile."`
	TopUpTo       float64 `name:"topup-to-ether" env:"SCORELAY_TOPUP_TO_ETHER" default:"0" help:"How much it has then, ether."`
	TopUpPerDay   float64 `name:"topup-per-day-ether" env:"SCORELAY_TOPUP_PER_DAY_ETHER" default:"0" help:"Ceiling of what is paid on a UTC day to all signers together, ether, fees at most included. There is none above it and no default."`
}

// mostTopUp is the maximum amount, ether: more than exists.
const mostTopUp = 1e9

func (s *TopUps) problems(p *problems) {
	if s.TopUpKeystore == "" {
		p.check(s.TopUpPassword == "" && s.TopUpBelow == 0 && s.TopUpTo == 0 && s.TopUpPerDay == 0,
			"SCORELAY_TOPUP_… is set, but not SCORELAY_TOPUP_KEYSTORE: name the account that pays, or unset all of them")
		return
	}
	p.check(s.TopUpBelow > 0, "SCORELAY_TOPUP_BELOW_ETHER is %g; it must be more than 0", s.TopUpBelow)
	p.check(s.TopUpTo > s.TopUpBelow, "SCORELAY_TOPUP_TO_ETHER is %g; it must be more than SCORELAY_TOPUP_BELOW_ETHER", s.TopUpTo)
	p.check(s.TopUpPerDay > s.TopUpTo && s.TopUpPerDay <= mostTopUp,
		"SCORELAY_TOPUP_PER_DAY_ETHER is %g; it must be more than SCORELAY_TOPUP_TO_ETHER, since fees count, and at most %g", s.TopUpPerDay, mostTopUp)
}

// topUpKey returns nil without a keystore.
func (s *TopUps) topUpKey() (*signer.Key, error) {
	if s.TopUpKeystore == "" {
		return nil, nil
	}
	keys, err := signer.FromKeystore(s.TopUpKeystore, s.TopUpPassword)
	switch {
	case errors.Is(err, signer.ErrPasswordFile):
		return nil, fmt.Errorf("SCORELAY_TOPUP_PASSWORD_FILE: %w", err)
	case err != nil:
		return nil, fmt.Errorf("SCORELAY_TOPUP_KEYSTORE: %w", err)
	case len(keys) != 1:
		return nil, fmt.Errorf("SCORELAY_TOPUP_KEYSTORE holds %d keys; one account pays", len(keys))
	}
	return keys[0], nil
}

// weiOf converts ether to wei, rounded to a gwei.
func weiOf(ether float64) *big.Int {
	gwei, _ := big.NewFloat(math.Round(ether * 1e9)).Int(nil)
	return gwei.Mul(gwei, big.NewInt(1e9))
}

func (r *relayer) openTopUp(ctx context.Context) error {
	if r.payer == nil {
		return nil
	}
	records, err := topup.Open(ctx, r.js)
	if err != nil {
		return err
	}
	s, d := r.settings, r.stream.Deployment()
	r.topUp = topup.New(topup.Config{
		Below: weiOf(s.TopUpBelow), To: weiOf(s.TopUpTo), PerDay: weiOf(s.TopUpPerDay),
		Fees: s.rules().Fees, BumpBlocks: s.BumpBlocks, ChainID: d.ChainID,
	}, topup.Deps{
		Heads: r.heads, Chain: r.chain, Store: records, Roster: r.roster, Signer: r.payer.For(d.ChainID), Halted: r.guard.Halted,
		Paused: func(id score.Lane) bool { return r.pauses.Current().Of(id) != nil }, Log: r.log, Metrics: r.metrics,
		Trusted: func(ctx context.Context, account common.Address) (bool, error) {
			final, some := r.heads.Final()
			if !some {
				return false, nil
			}
			return isRelayer(ctx, r.chain, d.Contract, account, final)
		},
	})
	return nil
}

func (r *relayer) toppedUp() *kv.TopUpReport {
	if r.topUp == nil {
		return nil
	}
	told := r.topUp.Told()
	return &kv.TopUpReport{
		Account: told.Account, BalanceWei: told.Balance, SpentWei: told.Spent, PerDayWei: told.PerDay, Lane: told.Lane,
		Wait: string(told.Wait), Since: told.Since.UTC(), Stopped: told.Stopped,
	}
}
