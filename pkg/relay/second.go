package relay

import (
	"fmt"

	"github.com/scorelay/scorelay/pkg/score"
)

type secondReading struct {
	open bool
	read score.Position // everything before it was offered to riding projects
	last *score.Message // the newest offered message
}

func (c *secondReading) from() score.Position {
	if c.last != nil {
		return score.Position{Seq: c.last.Seq}
	}
	return c.read
}

// ride makes throttled projects with room ride with the second reading. If again, the reading must restart at
// sequence from.
func (in *intake) ride() (from uint64, again bool, err error) {
	if in.alone != nil {
		return 0, false, nil
	}
	c := &in.second
	riding, starved, behind := false, false, false
	var first score.Position
	var can []*parked
	for _, p := range in.parked {
		if p.behind && !p.next.Before(in.read) {
			p.behind, p.riding = false, false
		}
		p.caughtUp(in.read)
		n := in.horizon.Of(p.id())
		may := in.allowance(p)
		behind, riding = behind || p.behind && may > 0, riding || p.riding
		if !p.behind || p.riding || n >= may || p.edited && n > 0 {
			continue
		}
		if len(can) == 0 || p.next.Before(first) {
			first = p.next
		}
		can = append(can, p)
		starved = starved || n == 0 || 2*n < may
	}
	c.open = c.open && behind
	if !starved {
		return 0, false, nil
	}
	if c.open { // projects that it has not passed ride, too; its last message is offered again
		joined := false
		for _, p := range can {
			p.riding = !p.next.Before(c.from())
			joined = joined || p.riding
		}
		if joined && c.last != nil {
			return 0, false, in.takeSecond(*c.last)
		}
		riding = riding || joined
	}
	if riding {
		return 0, false, nil
	}
	for _, p := range can {
		p.riding = true
	}
	in.second = secondReading{open: true, read: score.Position{Seq: first.Seq}}
	return first.Seq, true, nil
}

func (in *intake) wantsSecond() bool {
	if in.alone != nil || !in.second.open || !in.second.read.Before(in.read) {
		return false
	}
	for _, p := range in.parked {
		if p.riding {
			return true
		}
	}
	return false
}

// takeSecond accepts the second reading's next message, if wantsSecond. The error is as of take, or errLost if
// messages are missing that the main reading had passed.
func (in *intake) takeSecond(m score.Message) error {
	c := &in.second
	in.lost(c.read, min(lostBefore(m), in.read.Seq), true) // the main reading may have begun behind the gap
	if at := (score.Position{Seq: m.Seq}); at.Before(in.read) {
		c.read, c.last = score.Position{Seq: m.Seq + 1}, &m
		if err := in.each(m, true); err != nil {
			return err
		}
	} else { // the main reading delivers it
		*c = secondReading{read: in.read}
	}
	if c.read.Before(in.read) {
		return nil
	}
	for _, p := range in.parked {
		if !p.riding {
			continue
		}
		if p.owed != 0 {
			return fmt.Errorf("%w: of what was passed of project %v, %d were not there when the stream was read again", errLost, p.id(), p.owed)
		}
		p.behind, p.riding, p.next = false, false, in.read
		p.caughtUp(in.read)
	}
	return nil
}
