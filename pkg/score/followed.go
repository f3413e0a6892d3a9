package score

import "github.com/ethereum/go-ethereum/common"

// Followed is up to where the contract's final events are in the directory's records.
type Followed struct {
	ChainID  uint64         `json:"chainId"`
	Contract common.Address `json:"contract"`
	// Position is where reading the ledger continues, as a text of ledger.Position; empty while all records have to be made from the chain.
	Position string      `json:"position,omitempty"`
	Block    uint64      `json:"block"` // that of Position: every event up to it is in the records
	Hash     common.Hash `json:"hash"`  // of that block
	// Writing is set while a writer stores records: some may hold events of blocks after Block.
	Writing bool `json:"writing,omitempty"`
	// Lacking are projects whose events have gaps as the endpoints gave them: their records are made again until there are none.
	Lacking []ProjectID `json:"lacking,omitempty"`
}

// DatedRecord is a project's record as of an event.
type DatedRecord struct {
	*Record // nil: the project does not exist

	Created  uint64 `json:"created"`  // block of the project's creation
	Since    uint64 `json:"since"`    // block of the oldest event in this record that the one stored before it lacks
	Block    uint64 `json:"block"`    // of the newest event
	LogIndex uint   `json:"logIndex"` // of that event, in its block
}
