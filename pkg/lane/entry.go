package lane

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/score"
)

// Failures of an append. Each ends the session, and the journal is read again.
var (
	ErrFenced    = errors.New("another session or an operator appended to the lane's journal")
	ErrAmbiguous = errors.New("the append to the lane's journal may or may not be stored")
)

// ErrUnreadable reports an entry of another format, or with invalid bytes. The lane stays idle until an operator
// looks.
var ErrUnreadable = errors.New("the lane's journal holds an entry that this program cannot read")

const Version = 7

// Entry is one record of a lane's journal. Besides Version, Epoch and Time, exactly one field is set.
type Entry struct {
	Version int       `json:"v"`
	Epoch   uint64    `json:"epoch"` // fencing token of its session
	Time    time.Time `json:"time"`  // for people only

	Open        *Open        `json:"open,omitempty"`
	Skip        *Skip        `json:"skip,omitempty"`
	Bind        *Bind        `json:"bind,omitempty"`
	Replacement *Replacement `json:"replacement,omitempty"`
	Pass        *Pass        `json:"pass,omitempty"`
	Park        *Park        `json:"park,omitempty"`
	Unpark      *Unpark      `json:"unpark,omitempty"`
	Give        *Give        `json:"give,omitempty"`
	Take        *Take        `json:"take,omitempty"`
	Taken       *Taken       `json:"taken,omitempty"`
	Abandon     *Abandon     `json:"abandon,omitempty"`
	Settle      *Settle      `json:"settle,omitempty"`
	Reopen      *Reopen      `json:"reopen,omitempty"`
	Resume      *Resume      `json:"resume,omitempty"`
	Split       *Split       `json:"split,omitempty"`
	Drop        *Drop        `json:"drop,omitempty"`
	Snapshot    *Snapshot    `json:"snapshot,omitempty"`
}

// Identity is the stream, chain, contract and key of a journal. Under another identity its nonces, positions and
// calldata would mean something else.
type Identity struct {
	Stream   time.Time      `json:"stream"` // creation time of the stream of updates
	ChainID  uint64         `json:"chainId"`
	Contract common.Address `json:"contract"`
	Signer   common.Address `json:"signer"`
}

func (i Identity) Equal(o Identity) bool {
	return i.Stream.Equal(o.Stream) && i.ChainID == o.ChainID && i.Contract == o.Contract && i.Signer == o.Signer
}

// Open begins a session (term): later appends of earlier terms fail.
type Open struct {
	Replica  string   `json:"replica"` // "operator" if an operator journals a decision
	Identity Identity `json:"identity"`
	// Buckets is set only in the first Open of a lane that exists when the deployment begins.
	Buckets []score.Bucket `json:"buckets,omitempty"`
}

// Skip moves Next over nonces used before the journal began, or by foreign transactions in final blocks.
type Skip struct {
	Next uint64 `json:"next"`
	// Used has the foreign transaction of each skipped nonce. It is empty for nonces used before the journal began.
	Used []Used `json:"used,omitempty"`
}

type Used struct {
	Tx    common.Hash  `json:"tx"`
	Block evidence.Ref `json:"block"`
}

// Reopen makes the highest settled nonce pending again if the chain lost the block of its transaction. It also makes
// the nonce below the lane's first pending, if that turned out unused. Raw is an empty transaction for a foreign or
// unused nonce; nil rebroadcasts the settled transaction.
type Reopen struct {
	Nonce uint64 `json:"nonce"`
	Raw   []byte `json:"raw,omitempty"`
}

// Resume is an operator's decision to accept the signer's unjournaled transactions to the contract below this nonce.
type Resume struct {
	Below uint64 `json:"below"`
	By    string `json:"by"` // for people
}

// Bind assigns work: it journals the work, its stream positions and its first attempt in one write, the commit point
// of a batch.
type Bind struct {
	Nonce uint64 `json:"nonce"`
	Raw   []byte `json:"raw"`
	Work  Work   `json:"work"`
	Moves []Move `json:"moves,omitempty"`
	// Requeued is the queued work's id; 0 for new work, which has Moves.
	Requeued uint64 `json:"requeued,omitempty"`
	// Since is the newest block when the entry is written. Reorgs apart, the transaction is in that or a later block.
	Since uint64 `json:"since"`
	// Final is the newest final block when the entry is written. The transaction is in a later block.
	Final uint64 `json:"final"`
}

// Pass raises floors without a slot: over positions of other lanes, and over unreadable messages once dead-lettered.
type Pass struct {
	Moves []Move `json:"moves"`
}

// Park throttles a project: its backlog is read again from its own floor, so the bucket's floor can pass the backlog.
type Park struct {
	Bucket  score.Bucket    `json:"bucket"`
	Project score.ProjectID `json:"project"`
	Bound   score.Positions `json:"bound,omitempty"` // assigned, above the bucket's floor
}

// Unpark ends the throttling when the project's floor equals its bucket's.
type Unpark struct {
	Bucket  score.Bucket    `json:"bucket"`
	Project score.ProjectID `json:"project"`
}

type Give struct {
	To      score.Lane     `json:"to"`
	Buckets []score.Bucket `json:"buckets,omitempty"`
	Work    []uint64       `json:"work,omitempty"` // ids of the queued work
}

type Take struct {
	From score.Lane `json:"from"`
	Handover
}

// Taken acknowledges that the other lane took all handoffs up to N, so the giver can forget them.
type Taken struct {
	To score.Lane `json:"to"`
	N  uint64     `json:"n"`
}

// Abandon is an operator's decision that the lane's key is lost and its pending transactions are dead. Its open work
// goes to other lanes.
type Abandon struct {
	By string `json:"by"` // for people
}

// Replacement is a further attempt: at a higher price, or a cancellation (empty calldata).
type Replacement struct {
	Nonce  uint64 `json:"nonce"`
	Raw    []byte `json:"raw"`
	Reason string `json:"reason"`
}

type Result string

// The results, by the final transaction of the nonce. All except Done queue the slot's work again.
const (
	Done      Result = "done"      // ours, status 1
	Reverted  Result = "reverted"  // ours, status 0
	Foreign   Result = "foreign"   // foreign, or unknown since only the account shows the nonce used
	Cancelled Result = "cancelled" // our cancellation
)

// Settle ends the lowest pending transaction.
type Settle struct {
	Nonce  uint64       `json:"nonce"`
	Result Result       `json:"result"`
	Tx     common.Hash  `json:"tx"` // zero if only the account at Block shows the nonce used
	Block  evidence.Ref `json:"block"`
	// Again contains updates of a Done slot that were executed before their project existed.
	Again []Work `json:"again,omitempty"`
	// OutOfGas reports that a Reverted slot ran out of gas, as far as known.
	OutOfGas bool `json:"outOfGas,omitempty"`
}

type Split struct {
	ID   uint64 `json:"id"`
	Into []Work `json:"into"`
}

// Drop removes queued work after it was dead-lettered. Several updates are dropped only as one signed group.
type Drop struct {
	ID     uint64 `json:"id"`
	Count  int    `json:"count"`
	Reason string `json:"reason"`
}

// Snapshot is one part of an encoded State; its parts are consecutive entries. The last part makes the snapshot
// valid, and entries before its first part may then be purged.
type Snapshot struct {
	Part  int    `json:"part"` // from 0
	Parts int    `json:"parts"`
	Data  []byte `json:"data"`
}

type WorkKind string

const (
	Updates  WorkKind = "updates"
	Creation WorkKind = "creation"
	Edit     WorkKind = "edit"
	// NonceOnly has no work: the slot only uses up its nonce. Its attempts may still carry calldata (invariant 2).
	NonceOnly WorkKind = "nonceOnly"
)

// Alone reports whether the work has a transaction of its own.
func (k WorkKind) Alone() bool { return k == Creation || k == Edit }

// Work is the content of one slot: a batch of updates, a creation or an edit. Its calldata is opaque here.
type Work struct {
	ID      uint64           `json:"id"` // assigned by the fold
	Kind    WorkKind         `json:"kind"`
	Count   int              `json:"count"`             // updates; 1 for a creation or an edit
	From    score.Position   `json:"from"`              // lowest stream position
	Project *score.ProjectID `json:"project,omitempty"` // of a creation or an edit
	Data    []byte           `json:"data,omitempty"`    // calldata, while queued
	Whole   bool             `json:"whole,omitempty"`   // a signed group, unsplittable
	// Halve is set if the last transaction ran out of gas or was cancelled: the work is then split or, if Whole, gets
	// the maximum gas. Tries counts reverted and cancelled transactions.
	Halve bool `json:"halve,omitempty"`
	Tries int  `json:"tries,omitempty"`
	// Unknown counts how often the updates were queued again because the contract rejected their project as unknown
	// while an endpoint reported that it exists.
	Unknown int `json:"unknown,omitempty"`
	// Gives is State.Gives at first assignment: the updates are in buckets held then. If Taken (from another lane),
	// they may be in any bucket.
	Gives uint64 `json:"gives,omitempty"`
	Taken bool   `json:"taken,omitempty"`
	// Origin is the original name of work from another lane, else nil. With it, dead letters before and after the
	// handoff match. Parts of split work get names of their own.
	Origin *Origin `json:"origin,omitempty"`
	// Trace is for display only; nil if the work is untraced.
	Trace *WorkTrace `json:"trace,omitempty"`
}

type WorkTrace struct {
	Batch score.Trace  `json:"batch"` // of its first assignment
	Units []TracedUnit `json:"units"` // of the work, or of the Done work that it was part of; empty after a Split
}

const tracedUnitBytes = 240

func (t *WorkTrace) size() int {
	if t == nil {
		return 0
	}
	return len(t.Units) * tracedUnitBytes
}

// ofPart omits the units, which each part would repeat.
func (t *WorkTrace) ofPart() *WorkTrace {
	if t == nil {
		return nil
	}
	return &WorkTrace{Batch: t.Batch}
}

// TracedUnit is a unit, a creation or an edit in the stream.
type TracedUnit struct {
	Project score.ProjectID `json:"project"`
	Update  score.UpdateID  `json:"update"` // first of the unit; zero for a creation or an edit
	Count   int             `json:"count"`  // as Work.Count
	Trace   score.Trace     `json:"trace"`
}

// Origin names work by the lane that first assigned it.
type Origin struct {
	Lane score.Lane `json:"lane"`
	ID   uint64     `json:"id"`
}

// Name returns a name that is unique in the deployment, forever.
func (w *Work) Name(id score.Lane) Origin {
	if w.Origin != nil {
		return *w.Origin
	}
	return Origin{id, w.ID}
}

// Size returns the bytes of transactions, most of the entry's size. A snapshot counts 0: it repeats other entries.
func (e Entry) Size() int {
	switch {
	case e.Bind != nil:
		return len(e.Bind.Raw)
	case e.Replacement != nil:
		return len(e.Replacement.Raw)
	case e.Reopen != nil:
		return len(e.Reopen.Raw)
	}
	return 0
}

func (e Entry) Encode() ([]byte, error) {
	b, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("couldn't encode journal entry: %w", err)
	}
	return b, nil
}

// DecodeEntry returns ErrUnreadable for another format, since a fold that lacks entries would be wrong.
func DecodeEntry(b []byte) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(b, &e); err != nil {
		return Entry{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	if e.Version != Version {
		return Entry{}, fmt.Errorf("%w: it has format %d, this program knows %d: run the program that wrote it", ErrUnreadable, e.Version, Version)
	}
	return e, nil
}
