package score

import "github.com/ethereum/go-ethereum/common"

// Followed is the directory's checkpoint: how far its records contain the contract's final events.
type Followed struct {
	ChainID  uint64         `json:"chainId"`
	Contract common.Address `json:"contract"`
	// Position is where reading the ledger continues, the text of a ledger.Position. It is empty while all records
	// must be rebuilt from the chain.
	Position string `json:"position,omitempty"`
	// Block is that of Position. Records contain every event up to it. Some contain later events if a writer crashed
	// between storing records and this checkpoint. If Position is empty, all records are about to be rebuilt, and
	// meanwhile only those as of Block or earlier may be valid.
	Block uint64      `json:"block"`
	Hash  common.Hash `json:"hash"` // of Block
	// Gaps means that records lack events, so all records are rebuilt from the chain until its endpoints return all
	// events.
	Gaps bool `json:"gaps,omitempty"`
}

// DatedRecord is a record as of an event.
type DatedRecord struct {
	*Record // nil: the project does not exist

	Created  uint64 `json:"created"`  // block of the creation
	Block    uint64 `json:"block"`    // of the newest event
	LogIndex uint   `json:"logIndex"` // in Block
}
