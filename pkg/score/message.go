package score

import (
	"errors"
	"fmt"
	"time"
)

// MostStored bounds what is stored whole in one message of NATS, in bytes: an envelope of updates and signed groups, a signed transaction, a
// part of a lane's snapshot, all that is paused. A message of the ledger and what a lane gives have half of it.
const MostStored = 512 << 10

// MaxPayload is the max_payload that NATS must have, in bytes: a lane's journal holds a transaction, or a part of a snapshot, in base64, and beside
// it what was bound of 256 buckets and 64 parked projects, and what of it is traced.
const MaxPayload = 4*MostStored/3 + MostStored/2

// Message is one message of the stream of accepted updates: the updates of one envelope, one creation, one
// edit, or bytes that cannot be read. Exactly one of Updates, Project, Edit and Corrupt is set.
type Message struct {
	Seq     uint64    // its sequence in the stream; 1 is the first
	Time    time.Time // when the stream stored it
	Updates []Update
	Signed  []Signed // the signed groups among Updates, ascending and apart
	Project *Project
	Edit    *SignedEdit
	Traces  []Traced // what of it is traced, ascending; mostly nothing
	Corrupt error    // why the message cannot be read
	Raw     []byte   // the message as stored, when it is corrupt
}

// Alone names a message that goes to the contract in a transaction of its own: a creation or an edit. ok is false of others.
func (m *Message) Alone() (ref Ref, ok bool) {
	switch {
	case m.Project != nil:
		return CreationRef(m.Project.ID), true
	case m.Edit != nil:
		return m.Edit.Ref(), true
	}
	return Ref{}, false
}

// ErrNewer says that a message of the stream was written by a newer version of this program. It is not corrupt: a relayer of
// that version reads it.
var ErrNewer = errors.New("the message was written by a newer version of this program")

// StreamState is what the stream of accepted updates is and holds.
type StreamState struct {
	Created           time.Time // its identity: a stream made again under the same name has another
	FirstSeq, LastSeq uint64    // of the messages it holds; FirstSeq is LastSeq+1 where it holds none
	LastTime          time.Time // when the newest message was stored
	Messages, Bytes   uint64
	MaxBytes          uint64 // its bound; 0: none
}

// ErrFull says that the stream is at its byte bound: the message was not stored. Final updates must be purged, or the
// bound raised, before anything more is accepted.
var ErrFull = errors.New("the stream is full")

// ErrHalted says that accepting halts until an operator decides: NATS holds less than it had acknowledged. What was to be
// stored may be stored; it may be sent again.
var ErrHalted = errors.New("accepting halts")

// ErrOtherMeaning says that a creation cannot replace a dead-lettered one, because its actions or score types do not
// begin with that one's: updates accepted for the first, which may still be on their way, would mean something else
// under the second. It was not stored.
var ErrOtherMeaning = errors.New("the actions and score types must begin with those of the creation it replaces")

// TakenError says that a creation of this projectId was accepted before.
type TakenError struct {
	Seq     uint64   // of the accepted creation, in the stream
	Project *Project // what was accepted
}

// Error names the projectId and the sequence of its accepted creation.
func (e *TakenError) Error() string {
	return fmt.Sprintf("project %s was accepted before, at sequence %d", e.Project.ID, e.Seq)
}
