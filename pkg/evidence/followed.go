package evidence

import (
	"errors"

	"github.com/ethereum/go-ethereum/common"
)

// ErrMoved says that the stored Followed is not the one that the writer read: another writer moved it. Nothing was written.
var ErrMoved = errors.New("another writer moved the directory's checkpoint")

// Followed says how far the events of a contract were folded into records, and along which chain.
type Followed struct {
	ChainID  uint64         `json:"chainId"`
	Contract common.Address `json:"contract"`
	At       Ref            `json:"at"`              // every event up to this block is in the records; zero while nothing was folded
	Trail    Trail          `json:"trail,omitempty"` // blocks before At, of its chain
	// Ahead is set while records are written: some of them may hold events of the blocks after At up to this one, of its
	// chain, which is At's.
	Ahead *Ref `json:"ahead,omitempty"`
	// Suspect says that records as of blocks after At are of a chain that At's replaced: each must be made again.
	Suspect bool `json:"suspect,omitempty"`
}

// Trail are blocks of a chain that was followed, newest first, ever farther apart: wherever the chain was replaced, one of
// them is not much farther back than the last common block. Its length grows with the logarithm of the chain's; the oldest
// is always kept.
type Trail []Ref

// With is the trail with a newer block in front, thinned out: a block is left out where the next one is at most twice as
// far back as the one before.
func (t Trail) With(newest Ref) Trail {
	out := Trail{newest}
	back := func(r Ref) uint64 { return newest.Number - r.Number }
	for i, ref := range t {
		if ref.Number >= newest.Number {
			continue
		}
		if i == len(t)-1 || back(t[i+1]) > 2*back(out[len(out)-1]) {
			out = append(out, ref)
		}
	}
	return out
}

// Below are the blocks of the trail before a height.
func (t Trail) Below(number uint64) Trail {
	for i, ref := range t {
		if ref.Number < number {
			return t[i:]
		}
	}
	return nil
}
