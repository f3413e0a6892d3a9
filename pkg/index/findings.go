package index

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
)

// Counts counts the outcomes of accepted work in the stream. Accepted is the sum of the others.
type Counts struct {
	Accepted  int `json:"accepted"`
	Applied   int `json:"applied"`   // for creations: created; for edits: made
	Duplicate int `json:"duplicate"` // always 0 for creations and edits
	Rejected  int `json:"rejected"`
	Pending   int `json:"pending"` // the lane still works on it
	Lost      int `json:"lost"`    // outcome missing, although the lane claims to be done with it
}

type Findings struct {
	// Block is the final block as of which events were counted and scores compared.
	Block     uint64      `json:"block"`
	Hash      common.Hash `json:"hash"`
	Updates   Counts      `json:"updates"`
	Creations Counts      `json:"creations"`
	Edits     Counts      `json:"edits"`

	// Awaited counts pending work up to sequence Until, the stream's end at the first audit.
	Until   uint64 `json:"until"`
	Awaited int    `json:"awaited"`

	// Doubled counts updateIds applied more than once, through a relayer or directly.
	Doubled int `json:"doubled"`
	// Repeated counts the outcomes of updates in excess of their acceptances. If Whole is set, work was done twice: a
	// fault, although the contract applied each id once. Otherwise acceptances may have been purged or lost.
	Repeated int  `json:"repeated"`
	Whole    bool `json:"whole"` // the stream has all its sequences, and Older is 0
	// Dead counts lanes declared dead. Their transactions may still be executed after other lanes assigned the work
	// again. So if Dead is above 0, Repeated is harmless, and work done twice counts as Duplicate, its second
	// outcome.
	Dead int `json:"dead"`
	// Older counts outcomes of updates that the stream lacks: purged, lost, or of another deployment.
	Older int `json:"older"`
	// Direct counts updates that members applied without a relayer.
	Direct int `json:"direct"`
	// Unreadable counts corrupt messages, which other counts omit.
	Unreadable int `json:"unreadable"`

	Scores     int `json:"scores"`     // scores compared: all that an event changed
	Mismatched int `json:"mismatched"` // of them, different from the sum of the applied points

	Ledger LedgerFindings `json:"ledger"`

	Examples []string `json:"examples,omitempty"`
}

const maxExamples = 10

func (r *Findings) example(format string, args ...any) {
	if len(r.Examples) < maxExamples {
		r.Examples = append(r.Examples, fmt.Sprintf(format, args...))
	}
}

// OK reports whether the deployment has no fault so far. Pending work is fine.
func (r *Findings) OK() bool {
	return r.Problem() == ""
}

func (r *Findings) Lost() int { return r.Updates.Lost + r.Creations.Lost + r.Edits.Lost }

func (r *Findings) Pending() int { return r.Updates.Pending + r.Creations.Pending + r.Edits.Pending }

// Problem returns the faults in a sentence, or "".
func (r *Findings) Problem() string {
	var faults []string
	add := func(n int, what string) {
		if n > 0 {
			faults = append(faults, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(r.Updates.Lost, "updates lost")
	add(r.Creations.Lost, "creations lost")
	add(r.Edits.Lost, "edits lost")
	add(r.Doubled, "updates applied twice")
	add(r.Mismatched, "scores that are not the sum of what was applied")
	add(r.Unreadable, "messages of the stream that cannot be read")
	add(r.Ledger.Missing, "final blocks that the ledger lacks")
	add(r.Ledger.Doubled, "blocks that are twice in the ledger")
	add(r.Ledger.Wrong, "blocks in the ledger that are not the chain's")
	if r.Whole && r.Dead == 0 {
		add(r.Repeated, "outcomes of updates that were sent twice")
	}
	return strings.Join(faults, ", ")
}

func (r *Findings) String() string {
	line := fmt.Sprintf("block %d: accepted %d, applied %d, duplicate %d, rejected %d, pending %d, lost %d, doubled %d; "+
		"creations accepted %d, applied %d, rejected %d, pending %d, lost %d; scores compared %d, mismatched %d",
		r.Block, r.Updates.Accepted, r.Updates.Applied, r.Updates.Duplicate, r.Updates.Rejected, r.Updates.Pending,
		r.Updates.Lost, r.Doubled, r.Creations.Accepted, r.Creations.Applied, r.Creations.Rejected, r.Creations.Pending,
		r.Creations.Lost, r.Scores, r.Mismatched)
	add := func(n int, what string) {
		if n > 0 {
			line += fmt.Sprintf("; %s %d", what, n)
		}
	}
	if r.Awaited < r.Pending() {
		line += fmt.Sprintf("; of the pending ones %d were there when the audit began, up to sequence %d", r.Awaited, r.Until)
	}
	if e := r.Edits; e.Accepted > 0 {
		line += fmt.Sprintf("; edits accepted %d, applied %d, rejected %d, pending %d, lost %d", e.Accepted, e.Applied, e.Rejected, e.Pending, e.Lost)
	}
	add(r.Direct, "direct")
	add(r.Older, "outcomes of updates not in the stream")
	add(r.Repeated, "repeated outcomes")
	add(r.Dead, "lanes that were declared dead, whose work may have been done twice,")
	add(r.Unreadable, "unreadable messages")
	if l := r.Ledger; l.To > 0 {
		line += fmt.Sprintf("; ledger up to block %d, %d behind, compared %d, missing %d, doubled %d, wrong %d",
			l.To, l.Behind, l.Blocks, l.Missing, l.Doubled, l.Wrong)
	}
	return line
}
