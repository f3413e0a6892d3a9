package relay

import "github.com/scorelay/scorelay/pkg/lane"

// maxScale bounds what is learnt, percent.
const maxScale = 1600

// margin is what the scale is given above what a chain was seen to charge, percent of the model: batches of another shape
// may be charged still more.
const margin = 25

// gas is the limit of a transaction that the model says needs so much. The model bounds what execution costs; a chain of
// other prices, such as a rollup that charges its data as gas, needs more, which receipts teach.
func (s *session) gas(model uint64) uint64 {
	return min(model/100*s.scale+model%100*s.scale/100, s.maxGas)
}

// fitBlocks bounds the gas of a transaction, and of a batch, by what the chain's blocks hold. Limits of blocks drift a
// little all the time; batches are planned again only for a change that counts.
func (s *session) fitBlocks(blockGas uint64) {
	s.maxGas = lane.MaxGas(blockGas, s.config.Rules.MaxGas)
	batchGas := lane.BatchGas(blockGas, s.config.Limits.MaxGas)
	if slack := s.batchGas / 256; batchGas >= s.batchGas-slack && batchGas <= s.batchGas+slack {
		return
	}
	s.batchGas = batchGas
	s.planGas()
}

// planGas bounds what the next batches may need by the model.
func (s *session) planGas() { s.intake.limitGas(s.batchGas * 100 / s.scale) }

// learn holds what a batch used against what the model says at worst.
func (s *session) learn(used, bound uint64) {
	s.metrics.gasOfModel.Observe(float64(used) / float64(bound))
	if used > bound {
		s.raise(used*100/bound+margin, "a batch used more gas than it can by the model")
	}
}

// ranOut gives the session's next transactions half as much gas again as one that ran out had. Others that were bound
// before that one ended had no more: they do not raise it further.
func (s *session) ranOut(had, bound uint64) {
	percent := had * 100 / bound
	s.raise(percent+percent/2, "a batch ran out of gas")
}

// raise gives the session's next transactions at least so many percent of the model's gas, and makes batches smaller by
// as much. The scale never falls while the session lasts.
func (s *session) raise(percent uint64, why string) {
	if percent = min(percent, maxScale); percent <= s.scale {
		return
	}
	s.log.Warn("the chain charges more gas than the model says; from now on transactions get more of it and carry less",
		"because", why, "percent_before", s.scale, "percent_now", percent)
	s.scale = percent
	s.planGas()
}
