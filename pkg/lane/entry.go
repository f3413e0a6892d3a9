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

// ErrUnreadable: an entry of the journal has another format or invalid bytes. The lane stays idle until an operator
// looks.
var ErrUnreadable = errors.New("the lane's journal holds an entry that this program cannot read")

const Version = 7

// Entry is one record of a lane's journal. Exactly one field besides the header is set.
type Entry struct {
	Version int       `json:"v"`
	Epoch   uint64    `json:"epoch"` // fencing token of the session that wrote it
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

// Identity is the stream, chain, contract and key of a journal. Only that identity may drive it: under another its
// nonces, positions and calldata would mean something else.
type Identity struct {
	Stream   time.Time      `json:"stream"` // creation time of the stream of updates
	ChainID  uint64         `json:"chainId"`
	Contract common.Address `json:"contract"`
	Signer   common.Address `json:"signer"`
}

func (i Identity) Equal(o Identity) bool {
	return i.Stream.Equal(o.Stream) && i.ChainID == o.ChainID && i.Contract == o.Contract && i.Signer == o.Signer
}

// Open begins a session (term): from here on every append of an earlier term fails.
type Open struct {
	Replica  string   `json:"replica"` // that opened it; "operator" if an operator journals a decision
	Identity Identity `json:"identity"`
	// Buckets are the initial buckets, only in the first Open of lanes that exist when the deployment begins.
	Buckets []score.Bucket `json:"buckets,omitempty"`
}

// Skip moves Next over nonces used before the journal began, or by foreign transactions in final blocks.
type Skip struct {
	Next uint64 `json:"next"`
	// Used are the transactions that used the nonces from Next on, one each; empty where the journal begins.
	Used []Used `json:"used,omitempty"`
}

// Used is a foreign transaction and its block.
type Used struct {
	Tx    common.Hash  `json:"tx"`
	Block evidence.Ref `json:"block"`
}

// Reopen makes a nonce pending: the highest settled one, after the chain lost its block, or the one below the lane's
// first, which turned out unused. Raw is nil to rebroadcast the settled transaction, and otherwise an empty
// transaction for a foreign or unused nonce.
type Reopen struct {
	Nonce uint64 `json:"nonce"`
	Raw   []byte `json:"raw,omitempty"`
}

// Resume is an operator's decision to accept unjournaled transactions of the signer to the contract below this nonce.
// The lane continues behind them.
type Resume struct {
	Below uint64 `json:"below"`
	By    string `json:"by"` // for people
}

// Bind assigns: it creates a pending transaction from work, its first attempt and its stream positions, in one write.
// It is the commit point of a batch.
type Bind struct {
	Nonce uint64 `json:"nonce"`
	Raw   []byte `json:"raw"` // signed bytes of the first attempt
	Work  Work   `json:"work"`
	// Moves are the positions that this entry assigns, for new work.
	Moves []Move `json:"moves,omitempty"`
	// Requeued is the id of the queued work that is assigned again; 0 for new work.
	Requeued uint64 `json:"requeued,omitempty"`
	// Since is the newest block at this time: reorgs apart, the transaction is in no earlier one.
	Since uint64 `json:"since"`
	// Final is the newest final block at this time: the transaction is in a later one.
	Final uint64 `json:"final"`
}

// Pass raises floors over positions of other lanes, and over unreadable messages once dead-lettered.
type Pass struct {
	Moves []Move `json:"moves"`
}

// Park throttles a project: it gets its own floor and is read again from there, so its bucket's floor can pass its
// backlog.
type Park struct {
	Bucket  score.Bucket    `json:"bucket"`
	Project score.ProjectID `json:"project"`
	Bound   score.Positions `json:"bound,omitempty"` // its assigned positions above the bucket's floor
}

// Unpark ends the throttling once the project's floor equals its bucket's.
type Unpark struct {
	Bucket  score.Bucket    `json:"bucket"`
	Project score.ProjectID `json:"project"`
}

// Give offers buckets and queued work to another lane, as the next handoff between the two.
type Give struct {
	To      score.Lane     `json:"to"`
	Buckets []score.Bucket `json:"buckets,omitempty"`
	Work    []uint64       `json:"work,omitempty"` // ids of queued work
}

// Take accepts the next handoff from another lane.
type Take struct {
	From score.Lane `json:"from"`
	Handover
}

// Taken acknowledges that the other lane's journal took all handoffs up to N, so the giver can forget them.
type Taken struct {
	To score.Lane `json:"to"`
	N  uint64     `json:"n"`
}

// Abandon is an operator's decision that a lane's key is lost and its pending transactions are dead. The lane stops
// assigning, and its open work goes to other lanes.
type Abandon struct {
	By string `json:"by"` // for people
}

// Replacement is a further attempt: at a higher price, or a cancellation (empty calldata) if this nonce cannot carry
// the work.
type Replacement struct {
	Nonce  uint64 `json:"nonce"`
	Raw    []byte `json:"raw"`
	Reason string `json:"reason"`
}

// Result is how a slot ended.
type Result string

// The results. All except Done return the slot's work to the lane's queue.
const (
	Done      Result = "done"      // ours, final, status 1
	Reverted  Result = "reverted"  // ours, final, status 0: applied nothing
	Foreign   Result = "foreign"   // the nonce's final transaction is another of the signer's; below a Resume, any
	Cancelled Result = "cancelled" // our cancellation is final
)

// Settle ends the lowest pending transaction.
type Settle struct {
	Nonce  uint64       `json:"nonce"`
	Result Result       `json:"result"`
	Tx     common.Hash  `json:"tx"` // zero if only the account at Block shows the nonce used
	Block  evidence.Ref `json:"block"`
	// Again contains the updates of a Done slot that came before their project and go again.
	Again []Work `json:"again,omitempty"`
	// OutOfGas is why a Reverted slot reverted, as far as known.
	OutOfGas bool `json:"outOfGas,omitempty"`
}

// Split replaces queued work with smaller parts of the same updates.
type Split struct {
	ID   uint64 `json:"id"`
	Into []Work `json:"into"`
}

// Drop removes queued work after its updates, creation or edit were dead-lettered. Work of several updates is dropped
// only as one signed group, which has to stay whole.
type Drop struct {
	ID     uint64 `json:"id"`
	Count  int    `json:"count"`
	Reason string `json:"reason"`
}

// Snapshot is one part of an encoded State, in consecutive entries. The last makes it valid; entries before the first
// may then be purged.
type Snapshot struct {
	Part  int    `json:"part"` // from 0
	Parts int    `json:"parts"`
	Data  []byte `json:"data"`
}

// WorkKind is the kind of work that a slot carries.
type WorkKind string

const (
	Updates   WorkKind = "updates"
	Creation  WorkKind = "creation"
	Edit      WorkKind = "edit"
	NonceOnly WorkKind = "nonceOnly" // only the nonce is used up
	// Its attempts may still carry calldata. Example: slot 7 reverts in final block 100, its work is assigned to slot
	// 9, and slot 7 becomes NonceOnly. If the chain loses block 100, slot 7 is reopened and the same bytes are
	// broadcast, since a pool may hold them still. Executed or not, the work is slot 9's.
)

// Alone reports whether the work is a stream message with a transaction of its own.
func (k WorkKind) Alone() bool { return k == Creation || k == Edit }

// Work is the content of one slot: a batch of updates, one creation or one edit. The attempts' calldata contains it;
// it is opaque here.
type Work struct {
	ID      uint64           `json:"id"` // assigned by the fold
	Kind    WorkKind         `json:"kind"`
	Count   int              `json:"count"`             // updates; 1 for a creation or an edit
	From    score.Position   `json:"from"`              // lowest stream position; a creation's or an edit's message
	Project *score.ProjectID `json:"project,omitempty"` // of a creation or an edit
	Data    []byte           `json:"data,omitempty"`    // calldata, while the work is queued
	Whole   bool             `json:"whole,omitempty"`   // a signed group, unsplittable
	// Halve: its last transaction ran out of gas or was cancelled. It is split, or if Whole gets all the gas that a
	// transaction may have. Tries counts its transactions that reverted or were cancelled.
	Halve bool `json:"halve,omitempty"`
	Tries int  `json:"tries,omitempty"`
	// Unknown counts how often its updates were queued again because endpoints report their project, which the
	// contract did not know.
	Unknown int `json:"unknown,omitempty"`
	// Gives is State.Gives at first assignment: its updates are in buckets held then. Taken: it came from another
	// lane, so its updates may be in any bucket.
	Gives uint64 `json:"gives,omitempty"`
	Taken bool   `json:"taken,omitempty"`
	// Origin is the work's first name, if another lane gave it: dead letters stored before and after the handoff
	// match. Parts get names of their own.
	Origin *Origin `json:"origin,omitempty"`
	// Trace is set if part of the work is traced. It only informs.
	Trace *WorkTrace `json:"trace,omitempty"`
}

type WorkTrace struct {
	Batch score.Trace  `json:"batch"` // of its first assignment
	Units []TracedUnit `json:"units"` // of the work, or of the work that it is the rest of; empty in a half
}

// tracedUnitBytes is about the size of a unit in a journal.
const tracedUnitBytes = 240

func (t *WorkTrace) size() int {
	if t == nil {
		return 0
	}
	return len(t.Units) * tracedUnitBytes
}

// ofPart returns the trace for one of several parts. It omits the units, which each part would repeat.
func (t *WorkTrace) ofPart() *WorkTrace {
	if t == nil {
		return nil
	}
	return &WorkTrace{Batch: t.Batch}
}

// TracedUnit is a unit, a creation or an edit as stored in the stream.
type TracedUnit struct {
	Project score.ProjectID `json:"project"`
	Update  score.UpdateID  `json:"update"` // first of the unit; zero for a creation or an edit
	Count   int             `json:"count"`  // updates; 1 for a creation or an edit
	Trace   score.Trace     `json:"trace"`
}

// Origin is the lane that first assigned the work, and the work's ID there.
type Origin struct {
	Lane score.Lane `json:"lane"`
	ID   uint64     `json:"id"`
}

// Name returns an identifier of the work that is unique in the deployment, forever.
func (w *Work) Name(id score.Lane) Origin {
	if w.Origin != nil {
		return *w.Origin
	}
	return Origin{id, w.ID}
}

// Size returns the bytes of transactions in the entry, most of its size. A snapshot counts 0, since it only repeats
// other entries.
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

// DecodeEntry decodes an entry and rejects other formats: half a fold would be worse than an error.
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
