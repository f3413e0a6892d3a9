package event

// Covers tells whether everything before another cursor was read.
func (c Cursor) Covers(o Cursor) bool { return c.covers(o) }

// Dead is how far dead letters were read.
func (c Cursor) Dead() uint64 { return c.dead }
