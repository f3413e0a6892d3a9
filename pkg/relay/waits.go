package relay

import (
	"math/big"
	"time"

	"github.com/scorelay/scorelay/pkg/lane"
)

// staleAfter is how long a lane binds on what it knows of the chain without hearing of a head. The feed tells of the same
// head again with every poll, so that only a chain that does not answer, or one nobody may trust, makes it stale.
func (c Config) staleAfter() time.Duration { return c.CallTimeout + 10*c.PollInterval }

// blocked tells why nothing may be bound at all.
func (s *session) blocked() lane.Wait {
	why, head := s.lane.Blocked(), s.lane.Last()
	switch {
	case head == nil:
	case s.feed.broken.Load(), time.Since(head.Now) > s.config.staleAfter():
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
		log.Error("the lane's signer cannot pay for another transaction; top it up, the lane goes on by itself",
			"signer", s.signer.Address(), "balance_wei", orZero(head.Account.Balance))
	case lane.WaitCeiling:
		log.Warn("gas costs more than the lane may pay; it waits for the price to fall", "max_wei", s.config.Rules.Fees.MaxCap,
			"max_tx_wei", s.config.Rules.Fees.MaxTxFee, "base_fee_wei", head.Quote.BaseFee, "tip_wei", head.Quote.Tip, "legacy_price_wei", head.Quote.Price)
	case lane.WaitForeign:
		log.Error("somebody else uses the lane's key; the lane waits until those transactions are final and goes on behind them",
			"signer", s.signer.Address(), "account_nonce", head.Account.Nonce, "next_nonce", s.lane.State.Next)
	case lane.WaitBehind:
		log.Error("the chain has fewer of the lane's transactions than were final; the lane waits until it is back",
			"account_nonce", head.Account.Nonce, "final_nonce", s.lane.State.Floor(), "block", head.Block.Number)
	case lane.WaitRefused:
		log.Error("nodes refuse the lane's transactions for a reason that neither price nor time cures; it keeps trying: see the sends' errors")
	case lane.WaitContract:
		log.Error("the contract refuses everything this lane sends; grant its signer the relayer role, the lane goes on by itself",
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
