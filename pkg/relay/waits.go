package relay

import (
	"context"
	"math/big"
	"time"

	"github.com/scorelay/scorelay/pkg/lane"
)

// blocked tells why nothing may be bound at all. A lane binds on what it knows of the chain only while that is fresh: the
// tracker confirms the same head with every poll, so that only a chain that does not answer makes it stale.
func (s *session) blocked() lane.Wait {
	why, head := s.lane.Blocked(), s.lane.Last()
	switch {
	case head == nil:
	case s.config.Now().Sub(head.Now) > s.config.StaleAfter:
		return lane.WaitHead
	case s.stuck && (why == lane.WaitNone || why == lane.WaitFinality):
		return lane.WaitOutcomes
	}
	return why
}

// waits notes why nothing new is bound, and says so once, with the numbers that matter.
func (s *session) waits(why lane.Wait, numbers ...any) {
	if why == s.waiting {
		return
	}
	s.waiting = why
	s.metrics.wait(s.id, why)
	log, head := s.log.With(numbers...), s.lane.Last()
	if head == nil {
		return
	}
	switch why {
	case lane.WaitHead:
		log.Warn("no head of the chain for a while; the lane binds nothing new until one comes", "last_block", head.Block.Number)
	case lane.WaitFunds:
		log.Error("the lane's signer cannot pay for another transaction; fund it, the lane resumes by itself",
			"signer", s.signer.Address(), "balance_wei", orZero(head.Account.Balance))
	case lane.WaitCeiling:
		log.Warn("gas costs more than the lane may pay; it waits for the price to fall", "max_wei", s.config.Rules.Fees.MaxCap,
			"max_tx_wei", s.config.Rules.Fees.MaxTxFee, "base_fee_wei", head.Price.BaseFee, "tip_wei", head.Price.Tip, "legacy_price_wei", head.Price.Gas)
	case lane.WaitForeign:
		log.Error("an endpoint shows nonces of the lane's signer that the lane did not use; the relayer looks for their transactions, "+
			"and the lane resumes behind them when they are seen in final blocks, or when the account no longer shows them",
			"signer", s.signer.Address(), "account_nonce", head.Account.Nonce, "next_nonce", s.lane.State.Next, "transactions_seen", len(head.Foreign))
	case lane.WaitUnjournaled:
		log.Error("a transaction of the lane's signer to the contract is not in the lane's journal: NATS was restored from an older copy, "+
			"or the key is used elsewhere. The lane halts until an operator decides: find out which, then run `scorelay lanes resume`",
			"signer", s.signer.Address(), "lane", s.id, "journal_next_nonce", s.lane.State.Next, "account_nonce", head.Account.Nonce)
	case lane.WaitBehind:
		log.Error("the account shows fewer transactions of the lane than were final; the lane binds nothing new until they are back",
			"account_nonce", head.Account.Nonce, "final_nonce", s.lane.State.Floor(), "block", head.Account.At.Number, "proved", head.Account.Proved)
	case lane.WaitRefused:
		log.Error("nodes refuse the lane's transactions for a reason that neither price nor time cures; it keeps trying: see the sends' errors")
	case lane.WaitContract:
		log.Error("the contract refuses everything this lane sends; grant its signer the relayer role, the lane resumes by itself",
			"signer", s.signer.Address(), "contract", s.config.Contract)
	case lane.WaitSigner:
		log.Error("couldn't sign; the lane waits and tries again")
	case lane.WaitNode:
		log.Warn("no node tells what waiting work would do; the lane binds nothing new until one does")
	}
}

func orZero(n *big.Int) *big.Int {
	if n == nil {
		return new(big.Int)
	}
	return n
}

// decidedEvery is how often a lane that halts looks whether an operator wrote to its journal. It appends nothing by itself
// then, so that nothing else would tell.
const decidedEvery = 2 * time.Second

// decided ends the session, so that the journal is read again, when another wrote to it.
func (s *session) decided(ctx context.Context) error {
	now := s.config.Now()
	if now.Before(s.lookAgain) {
		return nil
	}
	s.lookAgain = now.Add(decidedEvery)
	return s.fenced(ctx)
}

// fenced is lane.ErrFenced when another wrote to the lane's journal, other errors when that is not known.
func (s *session) fenced(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.config.CallTimeout)
	defer cancel()
	last, err := s.Journal.Last(ctx, s.id)
	if err == nil && last != s.last {
		err = lane.ErrFenced
	}
	return err
}
