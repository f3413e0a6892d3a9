package relay

import (
	"context"
	"fmt"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// readAhead bounds the messages read and not yet looked at.
const readAhead = 256

// intake turns what is in a lane's buckets into the next thing to bind: a creation, or what the horizon of waiting updates offers.
// The lane's state says what is bound; the intake keeps the places of each bucket from its floor on, to tell how far an entry moves
// the floor.
//
// An example: message 7 is an envelope of 5 updates of one bucket, and everything before 7/0 is bound. A batch of three of them says:
// bound 7/0, 7/1 and 7/3, floor 7/2, 2 passed. A session killed then reads message 7 again, and take finds that three of the five are
// bound. The batch of the others says: bound 7/2 and 7/4, floor 8/0, 3 passed.
//
// A signed group is one place: it is bound whole or not at all, so no floor ever stands inside one.
type intake struct {
	config  Config
	state   *lane.State
	horizon *batch.Horizon // updates and signed groups that wait

	ahead    map[score.Bucket][]*place // by bucket, in order: from the first that is not bound
	waiting  map[score.Position]*place // those of the horizon
	creation *place                    // bound before anything else
	read     score.Position            // everything before it was taken

	messages chan score.Message
	failed   chan error
}

// place is a unit, a creation, or a message that cannot be read, with its positions, which are bound together.
type place struct {
	score.Span
	bucket  score.Bucket
	project *score.Project // of a creation
	bound   bool
}

func newIntake(config Config, state *lane.State) (*intake, error) {
	config = config.withDefaults()
	horizon, err := batch.NewHorizon(config.Model, config.Limits, config.Ahead)
	if err != nil {
		return nil, err
	}
	return &intake{
		config: config, state: state, horizon: horizon, ahead: map[score.Bucket][]*place{}, waiting: map[score.Position]*place{},
		messages: make(chan score.Message, readAhead), failed: make(chan error, 1),
	}, nil
}

// startReading reads the stream in a goroutine of its own until the context ends; the result waits for that.
func (in *intake) startReading(ctx context.Context, reader Reader) (wait func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer reader.Close()
		for {
			message, err := reader.Next(ctx)
			if err != nil {
				in.failed <- err
				return
			}
			select {
			case in.messages <- message:
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { <-done }
}

// wantsMessage tells whether another message can be taken. What is behind a creation may be of its project, so it comes after it.
func (in *intake) wantsMessage() bool { return in.creation == nil && in.horizon.Room() > 0 }

// take accepts the next message, which must come when wantsMessage. unreadable is its place, if it cannot be read, is the
// lane's, and was not dead-lettered yet. The error is lane.ErrCorrupt: a part of a signed group is bound. No program binds
// a part of one, so what became of it is not known; to continue could carry updates twice, or lose some.
func (in *intake) take(m score.Message) (unreadable *place, err error) {
	in.read = score.Position{Seq: m.Seq + 1}
	switch whole := (score.Span{Position: score.Position{Seq: m.Seq}, Count: 1}); {
	case m.Corrupt != nil:
		unreadable, err = in.put(&place{Span: whole, bucket: score.BucketOfMessage(m.Seq)})
		return unreadable, err
	case m.Project != nil:
		in.creation, err = in.put(&place{Span: whole, bucket: score.BucketOf(m.Project.ID), project: m.Project})
		return nil, err
	}
	at, now := score.Position{Seq: m.Seq}, in.config.Now()
	for unit := range score.Units(m.Updates, m.Signed) {
		span := score.Span{Position: at, Count: uint32(len(unit.Updates))}
		at.Index += span.Count
		p, err := in.put(&place{Span: span, bucket: score.BucketOf(unit.Updates[0].Project)})
		if err != nil {
			return nil, err
		}
		if p != nil {
			in.waiting[p.Position] = p
			in.horizon.Add(batch.Waiting{Unit: unit, At: p.Position, Came: now})
		}
	}
	return nil, nil
}

// put keeps a place in its bucket, and returns it if it is the lane's and not bound.
func (in *intake) put(p *place) (*place, error) {
	held, owned := in.state.Buckets[p.bucket]
	if !owned {
		return nil, nil
	}
	bound := uint32(0)
	for i := range p.Count {
		if held.Has(score.Position{Seq: p.Seq, Index: p.Index + i}) {
			bound++
		}
	}
	if p.bound = bound == p.Count; bound > 0 && !p.bound {
		return nil, fmt.Errorf("%w: a part of the signed group of %d updates at %v is bound", lane.ErrCorrupt, p.Count, p.Position)
	}
	if p.Before(held.Floor) {
		return nil, nil
	}
	in.ahead[p.bucket] = append(in.ahead[p.bucket], p)
	if p.bound {
		return nil, nil
	}
	return p, nil
}

// places are where units of the horizon are.
func (in *intake) places(units []batch.Waiting) []*place {
	places := make([]*place, len(units))
	for i := range units {
		places[i] = in.waiting[units[i].At]
	}
	return places
}

// moves are what an entry that binds the places says of their buckets.
func (in *intake) moves(places ...*place) ([]lane.Move, error) {
	spans, bind := map[score.Bucket][]score.Span{}, map[*place]bool{}
	var order []score.Bucket
	for _, p := range places {
		if spans[p.bucket] == nil {
			order = append(order, p.bucket)
		}
		spans[p.bucket] = append(spans[p.bucket], p.Span)
		bind[p] = true
	}
	var moves []lane.Move
	for _, bucket := range order {
		bound, err := score.PositionsOf(spans[bucket]...)
		if err != nil {
			return nil, err
		}
		move := in.move(bucket, func(p *place) bool { return p.bound || bind[p] })
		move.Bound = bound
		moves = append(moves, move)
	}
	return moves, nil
}

// move is how far the floor of a bucket may move when these places of it are bound.
func (in *intake) move(bucket score.Bucket, bound func(*place) bool) lane.Move {
	m := lane.Move{Bucket: bucket, Floor: in.read}
	for _, p := range in.ahead[bucket] {
		if !bound(p) {
			m.Floor = p.Position
			break
		}
		m.Passed += uint64(p.Count)
	}
	if floor := in.state.Buckets[bucket].Floor; m.Floor.Before(floor) { // the bucket was not read that far
		m.Floor = floor
	}
	return m
}

// passes are the moves of floors over what is bound, or not the lane's.
func (in *intake) passes() (moves []lane.Move) {
	for b := range score.Buckets {
		held, owned := in.state.Buckets[score.Bucket(b)]
		if !owned {
			continue
		}
		if m := in.move(score.Bucket(b), func(p *place) bool { return p.bound }); held.Floor.Before(m.Floor) {
			moves = append(moves, m)
		}
	}
	return moves
}

// bound says that an entry bound the places.
func (in *intake) bound(places ...*place) {
	for _, p := range places {
		p.bound = true
	}
	for _, p := range places {
		in.clear(p.bucket)
	}
}

// clear forgets the places of a bucket that its floor has passed.
func (in *intake) clear(bucket score.Bucket) {
	places := in.ahead[bucket]
	for len(places) > 0 && places[0].bound && places[0].Before(in.state.Buckets[bucket].Floor) {
		places = places[1:]
	}
	if len(places) == 0 {
		delete(in.ahead, bucket)
		return
	}
	in.ahead[bucket] = places
}

// batchBound says that what the horizon offered is journaled.
func (in *intake) batchBound(units []batch.Waiting) {
	in.bound(in.places(units)...)
	for i := range units {
		delete(in.waiting, units[i].At)
	}
	in.horizon.Bound()
}

// created says that the creation is journaled.
func (in *intake) created() {
	in.bound(in.creation)
	in.creation = nil
}
