package index

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
)

// Counts counts what became of what the stream holds. Accepted is the sum of the others.
type Counts struct {
	Accepted  int `json:"accepted"`
	Applied   int `json:"applied"`   // of creations: created; of edits: made
	Duplicate int `json:"duplicate"` // of creations and edits always 0
	Rejected  int `json:"rejected"`
	Pending   int `json:"pending"` // no outcome yet, and the lane is not done with it
	Lost      int `json:"lost"`    // no outcome, and the lane believes that it is done with it
}

// Findings are what an audit found.
type Findings struct {
	Block     uint64      `json:"block"` // the final block up to which events were counted and at which scores were compared
	Hash      common.Hash `json:"hash"`
	Updates   Counts      `json:"updates"`
	Creations Counts      `json:"creations"`
	Edits     Counts      `json:"edits"`

	// Awaited counts what is pending of all that was accepted up to Until, the end of the stream as the audit found it first.
	Until   uint64 `json:"until"`
	Awaited int    `json:"awaited"`

	// Doubled counts the updateIds that were applied more than once, through a relayer or directly.
	Doubled int `json:"doubled"`
	// Repeated counts outcomes beyond the acceptances of their ids: work that was done twice. While the stream holds
	// all that was ever relayed to the contract (Whole: no sequence is missing, and no outcome is Older) that is a fault, though
	// the contract applied each id once; else they may be outcomes of acceptances that were purged or lost.
	Repeated int  `json:"repeated"`
	Whole    bool `json:"whole"`
	// Dead counts the lanes that were declared dead. What such a lane had sent may be executed all the same, beside what other lanes
	// bound again: where there are any, Repeated is no fault, and what was done twice counts by its second outcome, Duplicate.
	Dead int `json:"dead"`
	// Older counts outcomes of ids that the stream does not hold: purged meanwhile, or relayed by another deployment.
	Older int `json:"older"`
	// Direct counts updates that members applied without the relayer.
	Direct int `json:"direct"`
	// Unreadable counts messages of the stream that cannot be read; what was accepted in them is not counted.
	Unreadable int `json:"unreadable"`

	Scores     int `json:"scores"`     // compared: every wallet and score type that any event changed
	Mismatched int `json:"mismatched"` // of them, those where the contract's score is not the sum of the applied points

	Ledger LedgerFindings `json:"ledger"`

	// Examples are sentences about the first few faults.
	Examples []string `json:"examples,omitempty"`
}

const maxExamples = 10

func (r *Findings) example(format string, args ...any) {
	if len(r.Examples) < maxExamples {
		r.Examples = append(r.Examples, fmt.Sprintf(format, args...))
	}
}

// OK tells whether the deployment has kept its promise so far. What is pending is no fault.
func (r *Findings) OK() bool {
	return r.Problem() == ""
}

// Lost counts what was accepted, has no outcome, and its lane is done with.
func (r *Findings) Lost() int { return r.Updates.Lost + r.Creations.Lost + r.Edits.Lost }

// Pending counts what waits for its outcome.
func (r *Findings) Pending() int { return r.Updates.Pending + r.Creations.Pending + r.Edits.Pending }

// Problem is what is wrong, in a sentence; empty when OK.
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

// String tells the findings in one line.
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
