package relay

import (
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
)

// errNoKey makes drive try again: another replica may have the key, or an operator adds it.
var errNoKey = errors.New("this relayer has no key for the lane")

// errCut ends a signing session when its lane is cut. The next session opens without the key.
var errCut = errors.New("the lane was cut")

// keyless is the signer of a cut lane.
type keyless struct{ address common.Address }

func (s keyless) Address() common.Address { return s.address }

func (s keyless) Sign(context.Context, *types.Transaction) (*types.Transaction, error) {
	return nil, fmt.Errorf("the lane of %s was cut: nothing is signed for it any more", s.address)
}

func (r *Relayer) lane(id score.Lane) (roster.Lane, error) {
	known, _ := r.deps.Roster.Current()
	l, found := known.Lane(id)
	if !found {
		return l, fmt.Errorf("the roster has no lane %d", id)
	}
	return l, nil
}

func (r *Relayer) isGone(id score.Lane) bool {
	l, err := r.lane(id)
	return err == nil && !l.Driven()
}

func (r *Relayer) signer(id score.Lane) (Signer, error) {
	l, err := r.lane(id)
	switch {
	case err != nil:
		return nil, err
	case l.State == roster.Cut:
		return keyless{l.Signer}, nil
	}
	signer, has := r.deps.Signer(l.Signer)
	if !has {
		return nil, fmt.Errorf("%w %d: put that of %s into its keystore", errNoKey, id, l.Signer)
	}
	return signer, nil
}

func (r *Relayer) shares() (driven, able []score.Lane) {
	known, _ := r.deps.Roster.Current()
	for _, l := range known.Lanes {
		if !l.Driven() {
			continue
		}
		driven = append(driven, l.ID)
		if _, has := r.deps.Signer(l.Signer); has || l.State == roster.Cut {
			able = append(able, l.ID)
		}
	}
	return driven, able
}

func (r *Relayer) showLanes(ctx context.Context) {
	for {
		known, changed := r.deps.Roster.Current()
		r.metrics.configured(known)
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

// untilCut returns ctx, cancelled with cause errCut once the lane is cut, unless it is cut already.
func (r *Relayer) untilCut(ctx context.Context, id score.Lane) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := func() { cancel(nil) }
	if l, err := r.lane(id); err != nil || l.State == roster.Cut {
		return ctx, stop
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			known, changed := r.deps.Roster.Current()
			if l, _ := known.Lane(id); l.State == roster.Cut {
				cancel(errCut)
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-changed:
			}
		}
	}()
	return ctx, func() {
		stop()
		<-ended
	}
}
