package score

import "github.com/ethereum/go-ethereum/common"

// Followed is up to where the contract's final events are in the directory's records.
type Followed struct {
	ChainID  uint64         `json:"chainId"`
	Contract common.Address `json:"contract"`
	// Position is where reading the ledger continues, as a text of ledger.Position; empty while all records have to be
	// made from the chain.
	Position string `json:"position,omitempty"`
	// Block is that of Position: every event up to it is in the records, which may be newer where a writer died. Without
	// a Position, the newest block whose records may stand.
	Block uint64      `json:"block"`
	Hash  common.Hash `json:"hash"` // of that block
	// Gaps is set while records lack events: all are made from the chain again, until the endpoints give all events.
	Gaps bool `json:"gaps,omitempty"`
}

// DatedRecord is a project's record as of an event.
type DatedRecord struct {
	*Record // nil: the project does not exist

	Created  uint64 `json:"created"`  // block of the project's creation
	Block    uint64 `json:"block"`    // of the newest event
	LogIndex uint   `json:"logIndex"` // of that event, in its block
}
