package event

// Covers tells whether everything before another cursor was read.
func (c Cursor) Covers(o Cursor) bool {
	return c.dead >= o.dead && (c.block.Number > o.block.Number || c.block == o.block && (c.log > o.log || c.log == o.log && c.place >= o.place))
}

// Dead is how far dead letters were read.
func (c Cursor) Dead() uint64 { return c.dead }
