package score

import (
	"errors"
	"fmt"
	"time"
)

// MostStored is the most bytes stored whole in one NATS message: an envelope, a signed transaction, a part of a
// lane's snapshot, or the paused scopes. Ledger messages and handoffs use at most half.
const MostStored = 512 << 10

// MaxPayload is the max_payload that NATS must have, in bytes. A journal entry holds a transaction or a snapshot part
// in base64, the assigned positions of 256 buckets and 64 throttled projects, and their traces.
const MaxPayload = 4*MostStored/3 + MostStored/2

// Message is one message of the stream of accepted updates. One of Updates, Project, Edit and Corrupt is set; none in
// a filler.
type Message struct {
	Seq     uint64    // stream sequence; 1 is the first
	Time    time.Time // of storage
	Updates []Update
	Signed  []Signed // of Updates, ascending and disjoint
	Project *Project
	Edit    *SignedEdit
	Traces  []Traced // ascending
	Corrupt error    // why it cannot be decoded
	Raw     []byte   // as stored, if corrupt
}

// Alone returns the reference of a creation or edit, which has a transaction of its own; else ok is false.
func (m *Message) Alone() (ref Ref, ok bool) {
	switch {
	case m.Project != nil:
		return CreationRef(m.Project.ID), true
	case m.Edit != nil:
		return m.Edit.Ref(), true
	}
	return Ref{}, false
}

// ErrNewer reports a message that only a newer version of this program can read.
var ErrNewer = errors.New("it was written by a newer version of this program")

type StreamState struct {
	Created           time.Time // of the stream of accepted updates; its identity, new if recreated
	FirstSeq, LastSeq uint64    // FirstSeq is LastSeq+1 if it is empty
	LastTime          time.Time // of the newest message
	Messages, Bytes   uint64
	MaxBytes          uint64 // 0: unlimited
}

// ErrFull reports that the message was refused for lack of space. Accepting resumes after final updates are purged or
// the bound is raised.
var ErrFull = errors.New("the stream is full")

// ErrHalted reports that NATS holds less than it acknowledged, so accepting is halted until an operator decides. The
// message may be stored; sending it again is safe.
var ErrHalted = errors.New("accepting halts")

// ErrOtherMeaning refuses a creation that would replace a dead-lettered one, since the indexes in pending updates,
// accepted for the earlier creation, would change their meaning.
var ErrOtherMeaning = errors.New("the actions and score types must begin with those of the creation it replaces")

type TakenError struct {
	Seq     uint64
	Project *Project
}

func (e *TakenError) Error() string {
	return fmt.Sprintf("project %s was accepted before, at sequence %d", e.Project.ID, e.Seq)
}
