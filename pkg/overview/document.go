// Package overview examines a whole deployment: is everything moving, and if not, why. `scorelay status` and /ops
// show the result.
//
// It reads stored state at its source (roster, journals, leases, the stream, the chain), even while all relayers are
// down. The replicas' reports of the last seconds add why lanes wait, versions, and each replica's view of endpoints.
package overview

import (
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/topup"
)

// Document describes a deployment. Unknown and missing parts are omitted.
type Document struct {
	At time.Time `json:"at"`
	// OK reports whether all lanes move and all known dependencies respond. Dead letters, webhooks and standings have
	// their own alerts.
	OK      bool   `json:"ok"`
	Verdict string `json:"verdict"`

	Lanes     []Lane     `json:"lanes"` // all of the roster, even if idle or gone
	Replicas  []Replica  `json:"replicas"`
	Endpoints []Endpoint `json:"endpoints"`
	Backlog   []Project  `json:"backlog"` // largest first

	Rates *Rates `json:"rates,omitempty"`
	TopUp *TopUp `json:"topUp,omitempty"` // of lanes' signers; nil unless a relayer tops up

	BacklogWhole bool   `json:"backlogWhole"` // read to its end; if false, the backlog may be larger
	Chain        Chain  `json:"chain"`
	Ledger       Ledger `json:"ledger"`
	NATS         NATS   `json:"nats"`
	Redis        Redis  `json:"redis"`

	Halted string    `json:"halted,omitempty"` // why accepting halts
	Paused *kv.Pause `json:"paused,omitempty"` // everything, by an operator
	// By an operator.
	PausedProjects map[score.ProjectID]kv.Pause `json:"pausedProjects,omitempty"`
}

type Lane struct {
	Lane    score.Lane     `json:"lane"`
	Signer  common.Address `json:"signer"`
	State   roster.State   `json:"state"`             // desired
	Replica string         `json:"replica,omitempty"` // lease holder
	Epoch   uint64         `json:"epoch"`             // number of sessions

	BalanceWei string `json:"balanceWei,omitempty"`
	// until the balance is spent, at the rate that the lane's relayer observed
	LastsSeconds *int64 `json:"lastsSeconds,omitempty"`
	// minimum missing for the next transaction; only if the lane waits for funds
	LacksWei string `json:"lacksWei,omitempty"`
	Nonces   Nonces `json:"nonces"`
	// transactions outside a block; all pending ones if the chain is unavailable
	InFlight  int `json:"inFlight"`
	OpenSlots int `json:"openSlots"` // not final
	Queue     int `json:"queue"`     // work that lost its slot

	Waiting uint64 `json:"waiting"` // backlog of updates and creations, except paused projects
	// of the oldest update in the backlog, or assigned but not final
	OldestSeconds  *float64 `json:"oldestSeconds,omitempty"`
	WaitingSeconds *float64 `json:"waitingSeconds,omitempty"` // of the oldest in the backlog
	OpenSeconds    *float64 `json:"openSeconds,omitempty"`    // of the oldest assigned but not final

	Moves  bool       `json:"moves"`            // assigns new work, or would if there were any
	Paused *kv.Pause  `json:"paused,omitempty"` // by an operator
	Wait   lane.Wait  `json:"wait,omitempty"`
	Since  *time.Time `json:"since,omitempty"` // start of the wait
	Why    string     `json:"why,omitempty"`   // why it is stopped: a sentence
}

// Nonces holds the next nonce of a lane's signer, by source.
type Nonces struct {
	Journaled uint64  `json:"journaled"`
	Settled   uint64  `json:"settled"`
	Chain     *uint64 `json:"chain,omitempty"` // at the head
}

// Replica is a process that reported in the last seconds, or one of an older version that holds a lane's lease.
type Replica struct {
	Role    string     `json:"role"` // api or relayer
	Name    string     `json:"name"`
	Version string     `json:"version,omitempty"`
	Began   *time.Time `json:"began,omitempty"`
	SeenAt  *time.Time `json:"seenAt,omitempty"`
	Lanes   int        `json:"lanes"` // driven
}

// Endpoint is the health of a chain endpoint, as one process sees it.
type Endpoint struct {
	Endpoint string `json:"endpoint"`
	SeenBy   string `json:"seenBy"` // a replica, or Deployment.Observer
	Up       bool   `json:"up"`
	Why      string `json:"why,omitempty"` // why down
	Newest   uint64 `json:"newest"`        // its newest block; 0 if unknown
	TookMS   int64  `json:"tookMs"`        // duration of its last call
}

// Project is the backlog of a project.
type Project struct {
	Project score.ProjectID `json:"project"`
	Lane    score.Lane      `json:"lane"`
	// of a paused project a lower bound, as reported by its lane or read
	Updates       uint64   `json:"updates"`
	OldestSeconds *float64 `json:"oldestSeconds,omitempty"`
}

// Rates is the throughput of the last minute, summed over the replicas that reported in the last seconds.
type Rates struct {
	AcceptedPerSecond float64 `json:"acceptedPerSecond"` // updates
	// requests in that minute with a late or missing acknowledgement by NATS
	NotDurable     uint64  `json:"notDurable,omitempty"`
	FinalPerSecond float64 `json:"finalPerSecond"` // updates
	// of final transactions, including creations, per update made final
	GasPerUpdate *float64 `json:"gasPerUpdate,omitempty"`
	GasPriceGwei *float64 `json:"gasPriceGwei,omitempty"` // paid by final transactions
	// used fraction of the blocks' gas limits, including foreign transactions
	BlockFill *float64 `json:"blockFill,omitempty"`
}

// TopUp is the state of the account that tops up lanes' signers, as reported by a relayer; preferably one that can
// pay.
type TopUp struct {
	Account    common.Address `json:"account"`
	BalanceWei string         `json:"balanceWei,omitempty"`
	SpentWei   string         `json:"spentWei"`       // on this UTC day, maximum fees included
	PerDayWei  string         `json:"perDayWei"`      // limit
	Lane       *score.Lane    `json:"lane,omitempty"` // of the signer that is being paid
	Wait       topup.Wait     `json:"wait,omitempty"`
	Since      *time.Time     `json:"since,omitempty"` // start of the wait
	Why        string         `json:"why,omitempty"`   // why it is stopped: a sentence
}

type Chain struct {
	ID    uint64     `json:"id"`
	Head  uint64     `json:"head,omitempty"`
	At    *time.Time `json:"at,omitempty"`    // of the head
	Final uint64     `json:"final,omitempty"` // newest block of the ledger
	Error string     `json:"error,omitempty"`
	// Headers have unknown fields of a newer hard fork: see chain.Client.Unchecked.
	Unchecked bool `json:"unchecked,omitempty"`
}

// Ledger is the extent of the ledger of final blocks.
type Ledger struct {
	Block         uint64     `json:"block"`                   // newest; 0 if the ledger is empty
	At            *time.Time `json:"at,omitempty"`            // of that block
	BehindBlocks  *uint64    `json:"behindBlocks,omitempty"`  // behind the head
	BehindSeconds *float64   `json:"behindSeconds,omitempty"` // by the blocks' timestamps
	Oldest        uint64     `json:"oldest"`                  // oldest block
	Bytes         uint64     `json:"bytes"`
	Bound         uint64     `json:"bound"`            // size in bytes above which the oldest blocks are removed
	Writer        string     `json:"writer,omitempty"` // lease holder
}

func (d *Document) ledger(l Ledger) {
	if l.At != nil && d.Chain.At != nil {
		blocks, seconds := d.Chain.Head-min(d.Chain.Head, l.Block), max(0, d.Chain.At.Sub(*l.At).Seconds())
		l.BehindBlocks, l.BehindSeconds = &blocks, &seconds
	}
	d.Ledger, d.Chain.Final = l, l.Block
}

// NATS is the state of the stream of accepted updates.
type NATS struct {
	Copies int      `json:"copies"`
	Behind []string `json:"behind"` // servers that are down, or have a lagging copy
	Bytes  uint64   `json:"bytes"`
	Bound  uint64   `json:"bound"` // bytes
}

// Redis is the state of the status store.
type Redis struct {
	Bytes uint64  `json:"bytes,omitempty"`
	Full  float64 `json:"full,omitempty"` // used fraction of maxmemory
	Error string  `json:"error,omitempty"`
	// Calls refused in the last minute: role, name and error reply.
	Refused []string `json:"refused,omitempty"`
	// Progress of the rebuild of leaderboards, histories and statistics, which are unavailable until then; else
	// empty.
	Rebuilding string `json:"rebuilding,omitempty"`
}

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
