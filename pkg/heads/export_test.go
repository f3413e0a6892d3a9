package heads

// Remembered is how many blocks and checkpoints the tracker holds, and the bytes that both take at most.
func (t *Tracker) Remembered() (blocks, checkpoints, bytes int) {
	for i := range t.recent.blocks {
		bytes += blockBytes + 32*len(t.recent.blocks[i].Txs)
	}
	return len(t.recent.blocks), len(t.older.refs), bytes + 40*cap(t.older.refs)
}
