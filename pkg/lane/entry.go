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

// What an append to a journal can come to besides success. Either ends the session: the journal is read again.
var (
	ErrFenced    = errors.New("another session or an operator appended to the lane's journal")
	ErrAmbiguous = errors.New("the append to the lane's journal may or may not be stored")
)

// ErrUnreadable says that an entry of a journal is of a newer format or not an entry at all. Nothing may be done with the
// lane until an operator looks.
var ErrUnreadable = errors.New("the lane's journal holds an entry that this program cannot read")

// Version is the entry format this program reads and writes.
const Version = 7

// Entry is one record of a lane's journal. Besides the header exactly one field is set.
type Entry struct {
	Version int       `json:"v"`
	Epoch   uint64    `json:"epoch"` // of the session that wrote it
	Time    time.Time `json:"time"`  // for people; nothing is decided by it

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

// Identity is what a journal belongs to. A journal is never driven under another identity: its nonces, positions and
// calldata would mean something else.
type Identity struct {
	Stream   time.Time      `json:"stream"` // when the stream of updates was created
	ChainID  uint64         `json:"chainId"`
	Contract common.Address `json:"contract"`
	Signer   common.Address `json:"signer"`
}

// Equal tells whether both are the same.
func (i Identity) Equal(o Identity) bool {
	return i.Stream.Equal(o.Stream) && i.ChainID == o.ChainID && i.Contract == o.Contract && i.Signer == o.Signer
}

// Open begins a session: from here on every append of the previous epoch fails.
type Open struct {
	Replica  string   `json:"replica"` // that opened it; "operator" for a decision that an operator journals
	Identity Identity `json:"identity"`
	// Buckets are the lane's at the deployment's beginning: of the first Open only, and only of the lanes that are there then.
	Buckets []score.Bucket `json:"buckets,omitempty"`
}

// Skip moves Next over nonces that the lane did not bind: those used before its journal began, or by other transactions
// of its signer, once these are in final blocks.
type Skip struct {
	Next uint64 `json:"next"`
	// Used are the transactions that used the nonces from the lane's Next on, one each; none where the journal begins.
	Used []Used `json:"used,omitempty"`
}

// Used is a transaction that is not the lane's, and its block.
type Used struct {
	Tx    common.Hash  `json:"tx"`
	Block evidence.Ref `json:"block"`
}

// Reopen makes the highest settled nonce an open slot again, whose block the chain has lost; or the nonce below the lane's
// first, which the chain turned out not to have used. Raw is nil when the transaction that was settled is broadcast again;
// else it is a transaction that carries nothing, for a nonce that was not the lane's.
type Reopen struct {
	Nonce uint64 `json:"nonce"`
	Raw   []byte `json:"raw,omitempty"`
}

// Resume is an operator's decision: transactions of the signer to the contract below this nonce, which the journal does not
// know, stand, and the lane resumes behind them.
type Resume struct {
	Below uint64 `json:"below"`
	By    string `json:"by"` // for people
}

// Bind creates a slot: work, its first attempt, and the positions it takes from the stream, in one write. This is the commit point of a
// batch.
type Bind struct {
	Nonce uint64 `json:"nonce"`
	Raw   []byte `json:"raw"` // the first attempt's signed bytes
	Work  Work   `json:"work"`
	// Moves say which positions of the stream are bound now: those of new work.
	Moves []Move `json:"moves,omitempty"`
	// Requeued is the id of the queued work that is bound again; 0 of new work.
	Requeued uint64 `json:"requeued,omitempty"`
	// Since is the chain's newest block when the slot was bound: its transaction cannot be in an earlier one, but for those
	// that a reorg replaces.
	Since uint64 `json:"since"`
	// Final is the chain's newest final block then: its transaction is in a later one.
	Final uint64 `json:"final"`
}

// Pass moves floors without a slot: over positions of other lanes, and over messages that cannot be read, once they are
// dead-lettered.
type Pass struct {
	Moves []Move `json:"moves"`
}

// Park gives a project a floor of its own, so that its bucket's floor passes what waits of it: it is read again from its own.
type Park struct {
	Bucket  score.Bucket    `json:"bucket"`
	Project score.ProjectID `json:"project"`
	Bound   score.Positions `json:"bound,omitempty"` // its positions beyond the bucket's floor that are bound
}

// Unpark ends that, where the project's floor is its bucket's.
type Unpark struct {
	Bucket  score.Bucket    `json:"bucket"`
	Project score.ProjectID `json:"project"`
}

// Give hands buckets and queued work over to another lane: the next handover from this lane to that one.
type Give struct {
	To      score.Lane     `json:"to"`
	Buckets []score.Bucket `json:"buckets,omitempty"`
	Work    []uint64       `json:"work,omitempty"` // ids of queued work
}

// Take takes what another lane gave: the next handover from that lane to this one.
type Take struct {
	From score.Lane `json:"from"`
	Handover
}

// Taken says that the other lane's journal has taken the handovers up to one, so that this one need not keep them.
type Taken struct {
	To score.Lane `json:"to"`
	N  uint64     `json:"n"`
}

// Abandon is an operator's decision on a lane whose key is lost: no transaction of its open slots will ever be executed, and the
// lane binds nothing any more. What it has open goes to other lanes.
type Abandon struct {
	By string `json:"by"` // for people
}

// Replacement is a further attempt of an open slot: a bump, or a cancellation (no calldata) when the slot's work cannot be
// carried by this nonce.
type Replacement struct {
	Nonce  uint64 `json:"nonce"`
	Raw    []byte `json:"raw"`
	Reason string `json:"reason"`
}

// Result is how a slot ended.
type Result string

// The results. All but Done put the slot's work back in the lane's queue.
const (
	Done      Result = "done"      // ours, final, status 1
	Reverted  Result = "reverted"  // ours, final, status 0: nothing of it was applied
	Foreign   Result = "foreign"   // another transaction of the signer with this nonce is final; below a Resume, some transaction
	Cancelled Result = "cancelled" // our cancellation is final
)

// Settle ends the lowest open slot.
type Settle struct {
	Nonce  uint64       `json:"nonce"`
	Result Result       `json:"result"`
	Tx     common.Hash  `json:"tx"` // zero where only the account of Block shows the nonce used
	Block  evidence.Ref `json:"block"`
	// Again holds those updates of a Done slot that must go once more, because they came before their project.
	Again []Work `json:"again,omitempty"`
	// OutOfGas tells why a Reverted slot reverted, as far as is known.
	OutOfGas bool `json:"outOfGas,omitempty"`
}

// Split replaces queued work by smaller parts of the same updates.
type Split struct {
	ID   uint64 `json:"id"`
	Into []Work `json:"into"`
}

// Drop removes queued work whose updates, creation or edit were dead-lettered. Work of several updates goes so only when it is
// one signed group, which no half of could be sent.
type Drop struct {
	ID     uint64 `json:"id"`
	Count  int    `json:"count"` // as of the work
	Reason string `json:"reason"`
}

// Snapshot is one part of an encoded State. The parts follow each other without another entry between; the last makes
// the whole count, and every entry before the first may be purged then.
type Snapshot struct {
	Part  int    `json:"part"` // from 0
	Parts int    `json:"parts"`
	Data  []byte `json:"data"`
}

// WorkKind says what a slot carries.
type WorkKind string

// The kinds.
const (
	Updates   WorkKind = "updates"
	Creation  WorkKind = "creation"
	Edit      WorkKind = "edit"
	NonceOnly WorkKind = "nonceOnly" // none: the slot only has to use its nonce up
	// Its attempts may carry calldata all the same. Slot 7 reverted in final block 100: its work went to the queue and became
	// slot 9; of 7 the journal remembers the attempts and NonceOnly. The chain loses block 100: 7 is reopened and the same bytes
	// are broadcast, since a pool may hold them still. Whether they are executed now or not, the work is that of slot 9.
)

// Alone tells whether it is a message of the stream that goes in a transaction of its own.
func (k WorkKind) Alone() bool { return k == Creation || k == Edit }

// Work is what one slot carries: a batch of updates, one creation or one edit. The lane does not look inside; the calldata of the
// slot's attempts holds it all.
type Work struct {
	ID      uint64           `json:"id"` // given by the fold
	Kind    WorkKind         `json:"kind"`
	Count   int              `json:"count"`             // updates; 1 for a creation or an edit
	From    score.Position   `json:"from"`              // the lowest of its positions in the stream; of a creation or an edit, its message
	Project *score.ProjectID `json:"project,omitempty"` // of a creation or an edit
	Data    []byte           `json:"data,omitempty"`    // calldata, while the work waits in the queue
	Whole   bool             `json:"whole,omitempty"`   // it has no halves: a group that is signed as one
	// Halve: its last transaction ran out of gas or was cancelled. It is split, or if it has no halves gets all the gas that a
	// transaction may have. Tries is how many of its transactions ended without carrying it: reverted, or cancelled.
	Halve bool `json:"halve,omitempty"`
	Tries int  `json:"tries,omitempty"`
	// Unknown is how often its updates went again because endpoints say that their project is there, which the contract did not know.
	Unknown int `json:"unknown,omitempty"`
	// Gives is State.Gives when it was bound first: buckets given before are none of its. Taken: it came from another lane, so
	// that its buckets may be those of any.
	Gives uint64 `json:"gives,omitempty"`
	Taken bool   `json:"taken,omitempty"`
	// Origin is the work's first name, where another lane gave it: of dead letters that were stored before it was given, and are
	// stored again after. Parts of it have names of their own.
	Origin *Origin `json:"origin,omitempty"`
	// Trace is of work of which something is traced. Nothing is decided by it.
	Trace *WorkTrace `json:"trace,omitempty"`
}

// WorkTrace says how work is traced.
type WorkTrace struct {
	Batch score.Trace  `json:"batch"` // of binding it first
	Units []TracedUnit `json:"units"` // of it, or of that of which it is the rest; none of a half
}

// tracedUnitBytes is about what a unit takes in a journal.
const tracedUnitBytes = 240

func (t *WorkTrace) size() int {
	if t == nil {
		return 0
	}
	return len(t.Units) * tracedUnitBytes
}

// ofPart is the trace of one of many parts of work. The units are not repeated with each of them.
func (t *WorkTrace) ofPart() *WorkTrace {
	if t == nil {
		return nil
	}
	return &WorkTrace{Batch: t.Batch}
}

// TracedUnit is a unit, a creation or an edit, as the stream had it.
type TracedUnit struct {
	Project score.ProjectID `json:"project"`
	Update  score.UpdateID  `json:"update"` // the unit's first; zero of a creation or an edit
	Count   int             `json:"count"`  // updates; 1 for a creation or an edit
	Trace   score.Trace     `json:"trace"`
}

// Origin is the lane in which work was bound first, and its ID there.
type Origin struct {
	Lane score.Lane `json:"lane"`
	ID   uint64     `json:"id"`
}

// Name tells work of a lane from all other work of a deployment, for good.
func (w *Work) Name(id score.Lane) Origin {
	if w.Origin != nil {
		return *w.Origin
	}
	return Origin{id, w.ID}
}

// Size is the bytes of transactions in the entry, which are most of it; of a snapshot, none: it only repeats others.
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

// Encode writes the entry as JSON.
func (e Entry) Encode() ([]byte, error) {
	b, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("couldn't encode journal entry: %w", err)
	}
	return b, nil
}

// DecodeEntry reads an entry and refuses one of a newer format: folding half of a journal would be worse than none.
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
