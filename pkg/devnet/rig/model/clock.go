package model

import "time"

// Clock is virtual time: it moves when it is told to.
type Clock struct{ now time.Time }

// NewClock starts at a moment that is the same in every run.
func NewClock() *Clock { return &Clock{time.Unix(1_700_000_000, 0).UTC()} }

// Now is the moment.
func (c *Clock) Now() time.Time { return c.now }

// Advance moves on.
func (c *Clock) Advance(d time.Duration) { c.now = c.now.Add(d) }
