package relay

import (
	"log/slog"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

type waiting struct {
	id      score.Lane
	signer  common.Address
	config  *Config
	lane    *lane.Lane
	metrics *metrics
	log     *slog.Logger

	need   *big.Int // balance in wei that would end waiting for funds
	reason lane.Wait
	since  time.Time
	logged bool
	words  error // nodes' last error for the lowest slot
}

// set records why nothing new is assigned, in the metric and, if operators can act on it, once per reason in the log.
// Each session first waits for a head, which is logged only if none comes for Config.StaleAfter.
func (w *waiting) set(why lane.Wait, numbers ...any) {
	now, view := w.config.Now(), w.lane.View()
	if why != w.reason {
		w.reason, w.since, w.logged = why, now, false
		w.metrics.wait(w.id, why)
	}
	if w.logged || view == nil && now.Sub(w.since) < w.config.StaleAfter {
		return
	}
	w.logged = true
	if view == nil {
		w.log.Warn("no head of the chain yet; the lane binds nothing until one comes")
		return
	}
	log := w.log.With(numbers...)
	switch why {
	case lane.WaitHead:
		log.Warn("no head of the chain for a while; the lane binds nothing new until one comes", "last_block", view.Head.Number)
	case lane.WaitFunds:
		log.Error("the lane's signer cannot pay for another transaction; fund it, the lane resumes by itself. Is the contract gone, too, as `scorelay status` says then, the chain began again: do not",
			"signer", w.signer, "balance_wei", view.Account.Balance, "need_wei", w.need, "block", view.Account.At.Number)
	case lane.WaitCeiling:
		log.Warn("gas, or an update, costs more than the lane may pay; it waits for the price to fall", "max_wei", w.config.Rules.Fees.MaxCap,
			"max_per_update_wei", w.config.Rules.Fees.MaxUpdate, "l1_wei_per_byte", view.Price.L1Byte,
			"max_tx_wei", w.config.Rules.Fees.MaxTxFee, "base_fee_wei", view.Price.BaseFee, "tip_wei", view.Price.Tip, "legacy_price_wei", view.Price.Gas)
	case lane.WaitUnderpriced:
		slot := w.lane.Lowest()
		log.Error("nodes refuse the lane's transactions for their price; the lane raises the tip up to SCORELAY_MAX_TIP_GWEI and SCORELAY_MAX_FEE_GWEI, and keeps broadcasting them",
			"nonce", slot.Nonce, "tx", slot.Last().Hash, "tip_wei", slot.Last().Tip, "cap_wei", slot.Last().Cap, "err", w.words, "market_tip_wei", view.Price.Tip, "max_tip_wei", w.config.Rules.Fees.MaxTip, "max_wei", w.config.Rules.Fees.MaxCap)
	case lane.WaitUnincluded:
		slot := w.lane.Lowest()
		log.Warn("a transaction is in no block though it pays the base fee; the lane raises its price, and cancels a batch that nodes take and drop, to send it in halves",
			"nonce", slot.Nonce, "tx", slot.Last().Hash, "attempts", len(slot.Attempts), "bytes", len(slot.Last().Raw), "tip_wei", slot.Last().Tip,
			"market_tip_wei", view.Price.Tip, "block", view.Head.Number, "err", w.words)
	case lane.WaitForeign:
		log.Error("an endpoint shows nonces of the lane's signer that the lane did not use; the relayer looks for their transactions, "+
			"and the lane resumes behind them when they are seen in final blocks, or when the account no longer shows them",
			"signer", w.signer, "account_nonce", view.Account.Nonce, "next_nonce", w.lane.State.Next, "transactions_seen", len(view.Foreign))
	case lane.WaitUnjournaled:
		log.Error("a transaction of the lane's signer is not in the lane's journal: NATS was restored from an older copy, or the key is used "+
			"elsewhere, as by another deployment. The lane halts until an operator decides: find out which, then run `scorelay lanes resume`",
			"signer", w.signer, "lane", w.id, "journal_next_nonce", w.lane.State.Next, "account_nonce", view.Account.Nonce)
	case lane.WaitBehind:
		log.Error("the account shows fewer transactions of the lane than were final; the lane binds nothing new until they are back",
			"account_nonce", view.Account.Nonce, "final_nonce", w.lane.State.FirstOpen(), "block", view.Account.At.Number, "proved", view.Account.Proved)
	case lane.WaitRefused:
		log.Error("nodes refuse the lane's transactions for a reason that neither price nor time cures, or that is not known; the lane keeps broadcasting them: see the sends' errors")
	case lane.WaitContract:
		log.Error("the contract refuses everything this lane sends; grant its signer the relayer role (`scorelay lanes add --signer` does, also for a lane that is there); the lane resumes by itself",
			"signer", w.signer, "contract", w.config.Contract)
	case lane.WaitSigner:
		log.Error("the lane's signer does not sign; the lane binds nothing new, and asks it again", "signer", w.signer)
	case lane.WaitCut:
		log.Warn("the lane was cut; it binds nothing, broadcasts what is journaled until that is final, and gives away what it has",
			"open_slots", len(w.lane.State.Slots))
	case lane.WaitPaused:
		log.Info("an operator paused the lane; it binds nothing new, and sees to what is bound until `scorelay resume`",
			"open_slots", len(w.lane.State.Slots))
	case lane.WaitNode:
		log.Warn("no node tells what queued work would do; the lane binds nothing new until one does")
	}
}

func orZero(n *big.Int) *big.Int {
	if n == nil {
		return new(big.Int)
	}
	return n
}
