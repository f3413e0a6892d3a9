package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/scorelay/scorelay/pkg/pause"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/roster/store"
	"github.com/scorelay/scorelay/pkg/score"
)

// pausable says what is to be paused, or resumed.
type pausable struct {
	Lane *score.Lane `name:"lane" xor:"what" required:"" placeholder:"N" help:"This lane."`
	All  bool        `name:"all" xor:"what" required:"" help:"Every lane."`
}

type pauseCommand struct {
	natsFlags `embed:""`
	pausable  `embed:""`
	Accepting bool   `name:"accepting" help:"With --all: accept nothing either. Callers get 503 paused, with the reason."`
	Reason    string `name:"reason" placeholder:"TEXT" help:"Why, for those who look; callers are told it with --accepting."`
}

// Run pauses. What was paused before is paused from now on, for the new reason.
func (c *pauseCommand) Run(s signals) error {
	if c.Accepting && !c.All {
		return errors.New("--accepting needs --all: an update is accepted before it is known which lane will carry it")
	}
	one := pause.Pause{At: time.Now().UTC().Truncate(time.Second), Reason: c.Reason, Accepting: c.Accepting}
	err := c.change(s.drain, &c.natsFlags, func(ctx context.Context, pauses *pause.Store) error {
		_, err := pauses.Update(ctx, func(p pause.Pauses) pause.Pauses { return p.With(c.Lane, one) })
		return err
	})
	if err != nil {
		return err
	}
	what := "accepting continues"
	if c.Accepting {
		what = "nothing is accepted"
	}
	fmt.Printf("Paused %s: relayers bind nothing new, and see to what is bound; %s. It stays so over restarts, until scorelay resume.\n", c.pausable, what)
	return nil
}

type resumeCommand struct {
	natsFlags `embed:""`
	pausable  `embed:""`
}

// Run resumes. With --all nothing is paused any more, no lane by itself either.
func (c *resumeCommand) Run(s signals) error {
	after := pause.Pauses{}
	err := c.change(s.drain, &c.natsFlags, func(ctx context.Context, pauses *pause.Store) (err error) {
		if c.Lane == nil {
			return pauses.Clear(ctx)
		}
		after, err = pauses.Update(ctx, func(p pause.Pauses) pause.Pauses { return p.Without(*c.Lane) })
		return err
	})
	if err != nil {
		return err
	}
	if c.Lane != nil && after.All != nil {
		fmt.Printf("Resumed %s, but everything is paused still: scorelay resume --all.\n", c.pausable)
		return nil
	}
	fmt.Printf("Resumed %s.\n", c.pausable)
	return nil
}

// String names it.
func (p pausable) String() string {
	if p.Lane != nil {
		return fmt.Sprintf("lane %d", *p.Lane)
	}
	return "all lanes"
}

// change writes down what is paused.
func (p pausable) change(ctx context.Context, at *natsFlags, change func(context.Context, *pause.Store) error) error {
	js, _, closeNATS, err := at.open(ctx, commandLog())
	if err != nil {
		return err
	}
	defer closeNATS()
	if p.Lane != nil {
		lanes, err := store.Open(ctx, js)
		if err != nil {
			return err
		}
		known, err := lanes.Get(ctx)
		if err != nil {
			return err
		}
		if _, found := known.Lane(*p.Lane); !found {
			return fmt.Errorf("lane %d: %w; the deployment's are 0 to %d", *p.Lane, roster.ErrNoLane, len(known.Lanes)-1)
		}
	}
	pauses, err := pause.Open(ctx, js)
	if err != nil {
		return err
	}
	return change(ctx, pauses)
}
