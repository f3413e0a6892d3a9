package model

import "time"

// Clock is virtual time, which only Advance moves.
type Clock struct{ now time.Time }

func NewClock() *Clock { return &Clock{time.Unix(1_700_000_000, 0).UTC()} }

func (c *Clock) Now() time.Time { return c.now }

func (c *Clock) Advance(d time.Duration) { c.now = c.now.Add(d) }
