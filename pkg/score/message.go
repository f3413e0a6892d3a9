package score

import (
	"errors"
	"fmt"
	"time"
)

// MostStored is the most bytes that are stored whole in one NATS message: an envelope, a signed transaction, a part
// of a lane's snapshot, or the paused scopes. Ledger messages and handoffs use at most half of it.
const MostStored = 512 << 10

// MaxPayload is the max_payload that NATS must have, in bytes. A journal entry contains a transaction or a snapshot
// part in base64, the assigned positions of 256 buckets and 64 throttled projects, and their traces.
const MaxPayload = 4*MostStored/3 + MostStored/2

// Message is one message of the stream of accepted updates: an envelope, a creation, an edit, or corrupt bytes.
// Exactly one of Updates, Project, Edit and Corrupt is set.
type Message struct {
	Seq     uint64    // stream sequence; 1 is the first
	Time    time.Time // when the stream stored it
	Updates []Update
	Signed  []Signed // of Updates, ascending and disjoint
	Project *Project
	Edit    *SignedEdit
	Traces  []Traced // ascending; mostly empty
	Corrupt error    // why it cannot be decoded
	Raw     []byte   // as stored, if corrupt
}

// Alone returns the reference of a creation or an edit, which has a transaction of its own. ok is false for other
// messages.
func (m *Message) Alone() (ref Ref, ok bool) {
	switch {
	case m.Project != nil:
		return CreationRef(m.Project.ID), true
	case m.Edit != nil:
		return m.Edit.Ref(), true
	}
	return Ref{}, false
}

// ErrNewer reports a message by a newer version of this program. It is not corrupt: relayers of that version can
// read it.
var ErrNewer = errors.New("the message was written by a newer version of this program")

// StreamState is the identity and size of the stream of accepted updates.
type StreamState struct {
	Created           time.Time // its identity, which recreating it changes
	FirstSeq, LastSeq uint64    // FirstSeq is LastSeq+1 if it is empty
	LastTime          time.Time // of the newest message
	Messages, Bytes   uint64
	MaxBytes          uint64 // 0: unlimited
}

// ErrFull reports that the stream has reached its byte bound, and the message was not stored. Accepting resumes
// after final updates are purged or the bound is raised.
var ErrFull = errors.New("the stream is full")

// ErrHalted reports that accepting is halted until an operator decides: NATS holds less than it acknowledged. The
// message may be stored; sending it again is safe.
var ErrHalted = errors.New("accepting halts")

// ErrOtherMeaning reports that a creation cannot replace a dead-lettered one: its actions or score types do not
// begin with the earlier ones. Pending updates that were accepted for the earlier creation would change their
// meaning. The new creation was not stored.
var ErrOtherMeaning = errors.New("the actions and score types must begin with those of the creation it replaces")

// TakenError reports that a creation of this projectId was accepted before.
type TakenError struct {
	Seq     uint64 // stream sequence of the accepted creation
	Project *Project
}

func (e *TakenError) Error() string {
	return fmt.Sprintf("project %s was accepted before, at sequence %d", e.Project.ID, e.Seq)
}
