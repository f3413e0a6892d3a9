package score

import (
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// MaxPart is how many updates a Part holds at most: what one script of Redis does at once.
const MaxPart = 1000

// Total, instead of the index of a score type, is the sum of a wallet's scores of all types.
const Total = -1

// Execution is what the contract did with one update, in a final block.
type Execution struct {
	ID        UpdateID
	Target    common.Address
	Signer    common.Address
	Action    uint8
	ScoreType uint8
	Points    int64 // signed, of the action; what the score changed by if the outcome is Applied
	Outcome   Outcome
	Tx        common.Hash
	Block     uint64
	Time      time.Time // of the block
	Gas       uint64    // its share of the transaction's gas; the shares of all updates of a transaction are the transaction's
	Fee       uint64    // its share of what was paid for it, wei
}

// Mark is how far a project's executions are known: all those in blocks before Block, and the first Count of those in Block.
type Mark struct {
	Block uint64
	Count uint32
}

// Part is what comes next in a project: all its executions after one mark, up to another. At most MaxPart.
type Part struct {
	Project    ProjectID
	From, To   Mark
	Executions []Execution // in the order of the chain
}

// Standing is a wallet's place in an order of a project's wallets: by the score of one type, or by Total.
type Standing struct {
	Wallet common.Address
	Score  int64
	Rank   uint64 // 1 + how many wallets have a higher score; equal scores share it
}

// Page is a part of an order.
type Page struct {
	Standings []Standing // highest score first; equal scores in an order that does not change
	Wallets   uint64     // in the whole order
	More      bool       // others follow the last one
}

// Day is what a project's updates of one day (UTC, by their block's time) were and cost.
type Day struct {
	Date     time.Time // the midnight it begins at
	Applied  uint64
	Rejected uint64 // duplicates, too
	Gas      uint64
	Fee      *big.Int // wei
	Wallets  uint64   // that were hit for the first time
}

// Summary is a project at a glance.
type Summary struct {
	Updates uint64    // applied
	Wallets uint64    // with a score, be it 0
	Last    time.Time // of the newest execution's block; zero if there is none
}
