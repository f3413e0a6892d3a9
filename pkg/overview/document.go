// Package overview looks at a whole deployment: is everything moving, and if not, why not. `scorelay status` and /ops show what it finds.
//
// What is stored is read where it is stored: roster, journals, leases, the stream, the chain. So it is told also while no relayer runs.
// Why a lane waits, versions, and how endpoints do for a replica is what replicas said in the last seconds.
package overview

import (
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/pause"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/topup"
)

// Document is what there is to tell of a deployment. What is not known, or does not exist, is left out.
type Document struct {
	At      time.Time `json:"at"`
	OK      bool      `json:"ok"`      // all lanes move and all that they need answers, as far as is known; dead letters, webhooks and standings have alerts of their own
	Verdict string    `json:"verdict"` // a sentence

	Lanes     []Lane     `json:"lanes"` // of the roster, also those that nothing drives, or that are gone
	Replicas  []Replica  `json:"replicas"`
	Endpoints []Endpoint `json:"endpoints"`
	Backlog   []Project  `json:"backlog"` // of projects of which something waits, the most first

	Rates *Rates `json:"rates,omitempty"`
	TopUp *TopUp `json:"topUp,omitempty"` // of lanes' signers; left out where no relayer makes any

	BacklogWhole bool   `json:"backlogWhole"` // else more may wait: there was too much to read
	Chain        Chain  `json:"chain"`
	Ledger       Ledger `json:"ledger"`
	NATS         NATS   `json:"nats"`
	Redis        Redis  `json:"redis"`

	Halted string       `json:"halted,omitempty"` // why accepting halts
	Paused *pause.Pause `json:"paused,omitempty"` // everything, by an operator
	// Projects that an operator paused, whether something of them waits or not.
	PausedProjects map[score.ProjectID]pause.Pause `json:"pausedProjects,omitempty"`
}

// Lane is one lane.
type Lane struct {
	Lane    score.Lane     `json:"lane"`
	Signer  common.Address `json:"signer"`
	State   roster.State   `json:"state"`             // what it shall do
	Replica string         `json:"replica,omitempty"` // the relayer that has its lease
	Epoch   uint64         `json:"epoch"`             // sessions so far; 0: it was never driven

	BalanceWei   string `json:"balanceWei,omitempty"`
	LastsSeconds *int64 `json:"lastsSeconds,omitempty"` // the balance, as its relayer saw it fall
	LacksWei     string `json:"lacksWei,omitempty"`     // at least, for another transaction; left out unless it waits for funds
	Nonces       Nonces `json:"nonces"`
	InFlight     int    `json:"inFlight"`  // transactions in no block; all that are not final while the chain does not tell
	OpenSlots    int    `json:"openSlots"` // not final
	Queue        int    `json:"queue"`     // pieces of work that lost their slot

	Waiting        uint64   `json:"waiting"`                  // updates and creations to be bound, but for those of paused projects
	OldestSeconds  *float64 `json:"oldestSeconds,omitempty"`  // since the oldest was accepted of them, or of what is bound and not final
	WaitingSeconds *float64 `json:"waitingSeconds,omitempty"` // since the oldest was accepted of those that wait
	OpenSeconds    *float64 `json:"openSeconds,omitempty"`    // since the oldest was accepted of what is bound and not final

	Moves  bool         `json:"moves"`            // it binds what comes, or would
	Paused *pause.Pause `json:"paused,omitempty"` // by an operator
	Wait   lane.Wait    `json:"wait,omitempty"`
	Since  *time.Time   `json:"since,omitempty"` // from when on it waits
	Why    string       `json:"why,omitempty"`   // it does not move: a sentence
}

// Nonces of a lane's signer: the next one of each.
type Nonces struct {
	Journaled uint64  `json:"journaled"`
	Settled   uint64  `json:"settled"`
	Chain     *uint64 `json:"chain,omitempty"` // at the head
}

// Replica is a process that said something of itself in the last seconds, or one of an older version that has a lane's lease.
type Replica struct {
	Role    string     `json:"role"` // api or relayer
	Name    string     `json:"name"`
	Version string     `json:"version,omitempty"`
	Began   *time.Time `json:"began,omitempty"`
	SeenAt  *time.Time `json:"seenAt,omitempty"`
	Lanes   int        `json:"lanes"` // that it drives
}

// Endpoint is how an endpoint of the chain does for one process.
type Endpoint struct {
	Endpoint string `json:"endpoint"`
	SeenBy   string `json:"seenBy"` // a replica, or who looks
	Up       bool   `json:"up"`
	Why      string `json:"why,omitempty"` // it is not up
	Newest   uint64 `json:"newest"`        // number of its newest block; 0: not seen
	TookMS   int64  `json:"tookMs"`        // its last answer, in milliseconds
}

// Project is what waits of a project.
type Project struct {
	Project       score.ProjectID `json:"project"`
	Lane          score.Lane      `json:"lane"`
	Updates       uint64          `json:"updates"` // of a paused one, those at least of which its lane told, or that were read
	OldestSeconds *float64        `json:"oldestSeconds,omitempty"`
}

// Rates are how much went through in the last minute, as the replicas say that told something in the last seconds.
type Rates struct {
	AcceptedPerSecond float64  `json:"acceptedPerSecond"`      // updates
	NotDurable        uint64   `json:"notDurable,omitempty"`   // posts that NATS did not acknowledge in time; a number, not a rate
	FinalPerSecond    float64  `json:"finalPerSecond"`         // updates
	GasPerUpdate      *float64 `json:"gasPerUpdate,omitempty"` // that final transactions used, creations' too, by updates that became final
	GasPriceGwei      *float64 `json:"gasPriceGwei,omitempty"` // that final transactions paid
	BlockFill         *float64 `json:"blockFill,omitempty"`    // part of the blocks' gas limits that all transactions used, also those of others
}

// TopUp is how the account does that tops lanes' signers up, as a relayer says; one that could pay, if there is one.
type TopUp struct {
	Account    common.Address `json:"account"`
	BalanceWei string         `json:"balanceWei,omitempty"`
	SpentWei   string         `json:"spentWei"`       // on this UTC day, fees at most included
	PerDayWei  string         `json:"perDayWei"`      // the ceiling
	Lane       *score.Lane    `json:"lane,omitempty"` // whose signer is being paid
	Wait       topup.Wait     `json:"wait,omitempty"`
	Since      *time.Time     `json:"since,omitempty"` // from when on it waits
	Why        string         `json:"why,omitempty"`   // it pays nothing: a sentence
}

// Chain is where the chain is.
type Chain struct {
	ID    uint64     `json:"id"`
	Head  uint64     `json:"head,omitempty"`
	At    *time.Time `json:"at,omitempty"`    // of the head
	Final uint64     `json:"final,omitempty"` // newest block of the ledger
	Error string     `json:"error,omitempty"`
	// Headers have fields since a hard fork that this version does not know: see chain.Client.Unchecked.
	Unchecked bool `json:"unchecked,omitempty"`
}

// Ledger is how far the ledger of final blocks is, and what it holds.
type Ledger struct {
	Block         uint64     `json:"block"`                   // newest; 0: it holds none
	At            *time.Time `json:"at,omitempty"`            // of that block
	BehindBlocks  *uint64    `json:"behindBlocks,omitempty"`  // the head
	BehindSeconds *float64   `json:"behindSeconds,omitempty"` // the head, by the blocks' times
	Oldest        uint64     `json:"oldest"`                  // block that it holds
	Bytes         uint64     `json:"bytes"`
	Bound         uint64     `json:"bound"`            // bytes, from which on the oldest blocks make room
	Writer        string     `json:"writer,omitempty"` // the relayer that has its lease
}

// ledger takes in what was read of the ledger, and compares it with the head.
func (d *Document) ledger(l Ledger) {
	if l.At != nil && d.Chain.At != nil {
		blocks, seconds := d.Chain.Head-min(d.Chain.Head, l.Block), max(0, d.Chain.At.Sub(*l.At).Seconds())
		l.BehindBlocks, l.BehindSeconds = &blocks, &seconds
	}
	d.Ledger, d.Chain.Final = l, l.Block
}

// NATS is how the stream of accepted updates is kept.
type NATS struct {
	Copies int      `json:"copies"`
	Behind []string `json:"behind"` // servers whose copy is behind, or that are away
	Bytes  uint64   `json:"bytes"`
	Bound  uint64   `json:"bound"` // bytes
}

// Redis is how the store of statuses does.
type Redis struct {
	Bytes uint64  `json:"bytes,omitempty"`
	Full  float64 `json:"full,omitempty"` // part of its maxmemory
	Error string  `json:"error,omitempty"`
	// What it refused replicas in the last minute: of each its role, its name, and Redis' own words.
	Refused []string `json:"refused,omitempty"`
	// How far leaderboards, histories and statistics are being rebuilt, which cannot be read until then; empty if they are not.
	Rebuilding string `json:"rebuilding,omitempty"`
}

// sentences say of each reason for which a lane may wait what it is, for people.
var sentences = map[lane.Wait]string{
	lane.WaitHead:        "no block of the chain for a while",
	lane.WaitAccount:     "its account, or the price of gas, was not read yet",
	lane.WaitWindow:      "enough of its transactions wait for a block",
	lane.WaitDelegated:   "its signer is delegated (EIP-7702), so it has one transaction in each block",
	lane.WaitUnincluded:  "its lowest transaction gets into no block, though it pays the base fee; see the relayer's log",
	lane.WaitFinality:    "enough of its transactions wait to be final",
	lane.WaitFunds:       "its signer cannot pay for another transaction; fund it",
	lane.WaitCeiling:     "gas, or an update, costs more than it may pay",
	lane.WaitUnderpriced: "nodes refuse its transactions for their price; see the relayer's log",
	lane.WaitForeign:     "another program seems to use its signer's nonces",
	lane.WaitUnjournaled: "its journal lacks a transaction; decide: scorelay lanes resume",
	lane.WaitBehind:      "the chain shows fewer of its transactions than were final",
	lane.WaitRefused:     "nodes refuse its transactions; see the relayer's log",
	lane.WaitContract:    "the contract refuses what it sends; has its signer the relayer role?",
	lane.WaitOutcomes:    "the outcomes of a final transaction cannot be read",
	lane.WaitSigner:      "its signer does not sign, or its relayer has no key for it",
	lane.WaitCut:         "it was cut, and gives away what it has",
	lane.WaitNode:        "no node tells what queued work would do",
	lane.WaitStream:      "the stream or its journal cannot be read or written",
	lane.WaitPaused:      "an operator paused it; it resumes by scorelay resume",
	lane.WaitHalted:      "accepting halts; decide: scorelay halt show",
	lane.WaitJournal:     "its journal cannot be continued; see the relayer's log",
}
