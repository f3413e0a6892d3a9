package lane

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// ErrCorrupt reports that a journal's entries contradict each other. The lane stays idle until an operator looks.
var ErrCorrupt = errors.New("the lane's journal contradicts itself")

type State struct {
	Identity Identity                 `json:"identity"`
	Epoch    uint64                   `json:"epoch"` // fencing token: the newest term
	First    *uint64                  `json:"first"` // lowest nonce ever; nil before the first slot
	Next     uint64                   `json:"next"`  // nonce of the next slot
	Buckets  map[score.Bucket]Holding `json:"buckets"`
	Given    map[score.Lane]Given     `json:"given,omitempty"` // by taker
	Took     map[score.Lane]uint64    `json:"took,omitempty"`  // number of the newest handoff taken, by giver
	Gives    uint64                   `json:"gives,omitempty"` // number of Give entries
	// Former contains buckets given away, each with Gives after that. Work with a lower Work.Gives may contain
	// their updates.
	Former    map[score.Bucket]uint64 `json:"former,omitempty"`
	Abandoned bool                    `json:"abandoned,omitempty"` // the key is lost
	Slots     []Slot                  `json:"slots"`               // open, contiguous by nonce, ending at Next-1
	Queue     []Work                  `json:"queue"`               // work to be assigned again, FIFO
	LastWork  uint64                  `json:"lastWork"`            // the newest Work.ID
	Past      []Past                  `json:"past"`                // newest settled nonces, contiguous, ascending
	Resumed   uint64                  `json:"resumed"`             // the highest Resume.Below

	partial *partial
}

// Slot is a pending transaction: one nonce of the lane's signer, its work, and every attempt signed for it. At most
// one attempt can be executed.
//
//	        Bind journaled                any answer of a node
//	work ───────────────────► waiting ◄─────────────────────────────┐
//	 ▲                          │  │ slow, too cheap: Replacement journaled, then sent
//	 │                          │  └────────────────────────────────┘
//	 │                          │ seen in a block of the chain ▲
//	 │                          ▼                              │ its block was replaced
//	 │                       included ─────────────────────────┘
//	 │                          │ its block is beyond the finality rule          ▲
//	 │                          ▼                                                │ Reopen journaled: the chain
//	 │   Settle journaled: done        ours, status 1                            │ lost that final block
//	 └──────────────────── reverted    ours, status 0           the work goes to the queue,
//	 └──────────────────── foreign     not ours                 in the same entry
//	 └──────────────────── cancelled   ours, without the work
type Slot struct {
	Nonce    uint64 `json:"nonce"`
	Work     Work   `json:"work"`
	Since    uint64 `json:"since"`              // as Bind.Since
	Final    uint64 `json:"final"`              // as Bind.Final
	Reopened bool   `json:"reopened,omitempty"` // by a Reopen entry
	// Attempts has at least one entry while the slot is open. Prices rise, except after Reopen.
	Attempts []Attempt `json:"attempts"`
}

// Last returns the newest attempt, the one to send.
func (s *Slot) Last() *Attempt { return &s.Attempts[len(s.Attempts)-1] }

// Attempt returns nil for an unknown hash.
func (s *Slot) Attempt(tx common.Hash) *Attempt {
	for i := range s.Attempts {
		if s.Attempts[i].Hash == tx {
			return &s.Attempts[i]
		}
	}
	return nil
}

func (s *Slot) Txs() []common.Hash {
	txs := make([]common.Hash, len(s.Attempts))
	for i := range txs {
		txs[i] = s.Attempts[i].Hash
	}
	return txs
}

// Data returns the calldata of the slot's work; empty for a NonceOnly slot of empty attempts.
func (s *Slot) Data() ([]byte, error) {
	for _, a := range s.Attempts {
		if !a.Cancel {
			tx, err := decodeTx(a.Raw)
			if err != nil {
				return nil, err
			}
			return tx.Data(), nil
		}
	}
	if s.Work.Kind == NonceOnly {
		return nil, nil
	}
	return nil, fmt.Errorf("%w: slot %d has no attempt that carries its work", ErrCorrupt, s.Nonce)
}

func (s *Slot) size() (bytes int) {
	bytes = s.Work.Trace.size()
	for i := range s.Attempts {
		bytes += len(s.Attempts[i].Raw)
	}
	return bytes
}

// FirstOpen returns the lowest pending nonce; Next if none is pending.
func (s *State) FirstOpen() uint64 { return s.Next - uint64(len(s.Slots)) }

// Untried reports whether the lane began with its deployment and still lacks a final transaction of its own.
func (s *State) Untried() bool {
	return len(s.Buckets) > 0 && len(s.Took) == 0 && !slices.ContainsFunc(s.Past, func(p Past) bool { return p.Attempt(p.Tx) != nil })
}

func (s *State) Size() (bytes int) {
	for i := range s.Slots {
		bytes += s.Slots[i].size()
	}
	for i := range s.Past {
		bytes += s.Past[i].size()
	}
	for i := range s.Queue {
		bytes += len(s.Queue[i].Data) + s.Queue[i].Trace.size()
	}
	return bytes
}

// Slot returns nil unless the nonce is pending.
func (s *State) Slot(nonce uint64) *Slot {
	if nonce < s.FirstOpen() || nonce >= s.Next {
		return nil
	}
	return &s.Slots[nonce-s.FirstOpen()]
}

// Apply folds one entry. If the entry contradicts the state, Apply returns ErrCorrupt and leaves the state unchanged.
func (s *State) Apply(e Entry) error {
	if e.Snapshot == nil {
		s.partial = nil
	}
	if e.Open == nil && e.Snapshot == nil && e.Epoch != s.Epoch {
		return fmt.Errorf("%w: an entry of epoch %d in epoch %d", ErrCorrupt, e.Epoch, s.Epoch)
	}
	switch {
	case e.Open != nil:
		return s.open(e)
	case e.Skip != nil:
		return s.skip(e.Skip)
	case e.Bind != nil:
		return s.bind(e.Bind)
	case e.Pass != nil:
		return s.pass(e.Pass)
	case e.Park != nil:
		return s.park(e.Park)
	case e.Unpark != nil:
		return s.unpark(e.Unpark)
	case e.Give != nil:
		return s.give(e.Give)
	case e.Take != nil:
		return s.take(e.Take)
	case e.Taken != nil:
		return s.taken(e.Taken)
	case e.Abandon != nil:
		return s.abandon()
	case e.Replacement != nil:
		return s.replace(e.Replacement)
	case e.Settle != nil:
		return s.settle(e.Settle)
	case e.Reopen != nil:
		return s.reopen(e.Reopen)
	case e.Resume != nil:
		s.Resumed = max(s.Resumed, e.Resume.Below)
		return nil
	case e.Split != nil:
		return s.split(e.Split)
	case e.Drop != nil:
		return s.drop(e.Drop)
	case e.Snapshot != nil:
		return s.restore(e.Snapshot)
	}
	return fmt.Errorf("%w: an entry that says nothing", ErrCorrupt)
}

func (s *State) open(e Entry) error {
	if e.Epoch <= s.Epoch {
		return fmt.Errorf("%w: epoch %d begins after epoch %d", ErrCorrupt, e.Epoch, s.Epoch)
	}
	if s.Epoch > 0 && !s.Identity.Equal(e.Open.Identity) {
		return fmt.Errorf("%w: identity changes from %+v to %+v", ErrCorrupt, s.Identity, e.Open.Identity)
	}
	if len(e.Open.Buckets) > 0 && s.Epoch > 0 {
		return fmt.Errorf("%w: buckets begin with epoch %d", ErrCorrupt, e.Epoch)
	}
	s.Epoch, s.Identity = e.Epoch, e.Open.Identity
	for _, b := range e.Open.Buckets {
		if s.Buckets == nil {
			s.Buckets = map[score.Bucket]Holding{}
		}
		s.Buckets[b] = Holding{}
	}
	return nil
}

func (s *State) skip(e *Skip) error {
	if len(s.Slots) > 0 || e.Next <= s.Next {
		return fmt.Errorf("%w: nonces up to %d skipped with %d open slots at %d", ErrCorrupt, e.Next, len(s.Slots), s.Next)
	}
	if s.First == nil {
		s.Past, s.Next = nil, e.Next
		return nil
	}
	if uint64(len(e.Used)) != e.Next-s.Next {
		return fmt.Errorf("%w: %d nonces skipped with %d transactions that used them", ErrCorrupt, e.Next-s.Next, len(e.Used))
	}
	for i, used := range e.Used {
		s.remember(Past{Slot: Slot{Nonce: s.Next + uint64(i), Work: Work{Kind: NonceOnly}}, Tx: used.Tx, Block: used.Block})
	}
	s.Next = e.Next
	return nil
}

func (s *State) bind(b *Bind) error {
	attempt, tx, err := decodeAttempt(b.Raw)
	isNew := b.Requeued == 0
	switch {
	case err != nil:
		return err
	case !isNew && len(b.Moves) > 0:
		return fmt.Errorf("%w: slot %d binds queued work and new positions", ErrCorrupt, b.Nonce)
	case b.Nonce != s.Next || attempt.Nonce != b.Nonce:
		return fmt.Errorf("%w: slot %d bound with a transaction of nonce %d when %d was next", ErrCorrupt, b.Nonce, attempt.Nonce, s.Next)
	case s.Abandoned:
		return fmt.Errorf("%w: slot %d bound in a lane that was abandoned", ErrCorrupt, b.Nonce)
	case attempt.Cancel, isNew && b.Work.Kind != Updates && (!b.Work.Kind.Alone() || b.Work.Project == nil):
		return fmt.Errorf("%w: slot %d bound with no work, or of no kind", ErrCorrupt, b.Nonce)
	}
	work := b.Work
	if isNew {
		buckets, bound, err := s.moved(b.Moves)
		if err != nil {
			return err
		}
		if work.Count < 1 || bound != uint64(work.Count) {
			return fmt.Errorf("%w: slot %d carries %d and binds %d positions", ErrCorrupt, b.Nonce, work.Count, bound)
		}
		s.Buckets = buckets
		s.LastWork++
		work.ID, work.Gives, work.Taken = s.LastWork, s.Gives, false
	} else {
		i := s.queued(b.Requeued)
		if i < 0 || !bytes.Equal(s.Queue[i].Data, tx.Data()) {
			return fmt.Errorf("%w: slot %d carries queued work %d, which is not that", ErrCorrupt, b.Nonce, b.Requeued)
		}
		work = s.Queue[i]
		s.Queue = slices.Delete(s.Queue, i, i+1)
	}
	work.Data = nil
	s.Slots = append(s.Slots, Slot{Nonce: b.Nonce, Work: work, Since: b.Since, Final: b.Final, Attempts: []Attempt{attempt}})
	if s.First == nil {
		first := b.Nonce
		s.First = &first
	}
	s.Next++
	return nil
}

func (s *State) replace(a *Replacement) error {
	slot := s.Slot(a.Nonce)
	if slot == nil {
		return fmt.Errorf("%w: another attempt of slot %d, which is not open", ErrCorrupt, a.Nonce)
	}
	attempt, tx, err := decodeAttempt(a.Raw)
	switch {
	case err != nil:
		return err
	case attempt.Nonce != a.Nonce:
		return fmt.Errorf("%w: another attempt of slot %d has nonce %d", ErrCorrupt, a.Nonce, attempt.Nonce)
	case !attempt.Cancel && (attempt.Cap <= slot.Last().Cap || attempt.Tip <= slot.Last().Tip):
		return fmt.Errorf("%w: another attempt of slot %d does not pay more", ErrCorrupt, a.Nonce)
	case attempt.Cap < slot.Last().Cap || attempt.Tip < slot.Last().Tip:
		return fmt.Errorf("%w: the attempt to cancel slot %d pays less", ErrCorrupt, a.Nonce)
	}
	if !attempt.Cancel {
		data, err := slot.Data()
		if err != nil {
			return err
		}
		if !bytes.Equal(data, tx.Data()) {
			return fmt.Errorf("%w: another attempt of slot %d carries other work", ErrCorrupt, a.Nonce)
		}
	}
	slot.Attempts = append(slot.Attempts, attempt)
	return nil
}

func (s *State) settle(e *Settle) error {
	if len(s.Slots) == 0 || s.Slots[0].Nonce != e.Nonce {
		return fmt.Errorf("%w: slot %d settled, which is not the lowest open one", ErrCorrupt, e.Nonce)
	}
	slot := &s.Slots[0]
	past := Past{Slot: *slot, Tx: e.Tx, Block: e.Block}
	switch e.Result {
	case Done:
		for _, w := range e.Again {
			s.LastWork++
			w.ID, w.Gives, w.Taken, w.Trace = s.LastWork, slot.Work.Gives, slot.Work.Taken, slot.Work.Trace
			s.Queue = append(s.Queue, w)
		}
	case Reverted, Foreign, Cancelled:
		past.Work = Work{Kind: NonceOnly}
		if slot.Work.Kind == NonceOnly {
			break
		}
		data, err := slot.Data()
		if err != nil {
			return err
		}
		work := slot.Work
		work.Data = data
		if e.Result != Foreign { // a foreign transaction proves nothing about the work
			work.Halve = e.OutOfGas || e.Result == Cancelled
			work.Tries++
		}
		s.Queue = append(s.Queue, work)
	default:
		return fmt.Errorf("%w: slot %d settled with result %q", ErrCorrupt, e.Nonce, e.Result)
	}
	s.remember(past)
	s.Slots = slices.Delete(s.Slots, 0, 1)
	return nil
}

func (s *State) queued(id uint64) int {
	return slices.IndexFunc(s.Queue, func(w Work) bool { return w.ID == id })
}

func (s *State) split(e *Split) error {
	i := s.queued(e.ID)
	if i < 0 || len(e.Into) < 2 {
		return fmt.Errorf("%w: queued work %d split into %d", ErrCorrupt, e.ID, len(e.Into))
	}
	parts, count := slices.Clone(e.Into), 0
	for j := range parts {
		parts[j].ID, parts[j].Unknown = s.LastWork+uint64(j)+1, s.Queue[i].Unknown
		parts[j].Gives, parts[j].Taken, parts[j].Trace = s.Queue[i].Gives, s.Queue[i].Taken, s.Queue[i].Trace.ofPart()
		count += parts[j].Count
	}
	if count != s.Queue[i].Count {
		return fmt.Errorf("%w: %d updates split into %d", ErrCorrupt, s.Queue[i].Count, count)
	}
	s.LastWork += uint64(len(parts))
	s.Queue = slices.Replace(s.Queue, i, i+1, parts...)
	return nil
}

func (s *State) drop(e *Drop) error {
	i, count := s.queued(e.ID), max(e.Count, 1)
	if i < 0 || s.Queue[i].Count != count {
		return fmt.Errorf("%w: queued work %d dropped with %d updates", ErrCorrupt, e.ID, count)
	}
	s.Queue = slices.Delete(s.Queue, i, i+1)
	return nil
}
