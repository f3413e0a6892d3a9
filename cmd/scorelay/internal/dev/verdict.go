package dev

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/scorelay/scorelay/pkg/index"
)

type Summary struct {
	planned     int
	accepted    int // distinct, with HTTP 200
	duplicates  int // accepted again
	refused     int // by the API, permanently
	applied     int // of accepted: final and applied, by the events
	rejected    int // of accepted: final and rejected, by the events
	doubled     int // applied more than once, by the audit
	lost        int // accepted, but neither final nor pending, by the audit or the contract
	pending     int // accepted and still pending, by the audit
	audited     bool
	problem     string
	settled     bool            // all were accepted or refused, and all accepted ones became final
	interrupted bool            // by the user, before settled
	perSecond   float64         // applied, from the first request until the last update was final
	acceptedPer float64         // accepted, while sending
	gas         int             // per update; 0: unknown
	finality    []time.Duration // from acceptance to the event, of each of applied; ascending
}

func (r *Summary) waiting() int { return max(0, r.accepted-r.applied-r.rejected) }

// audit adds the results of the audit. missing is the number of updates with a 200 and an id that the contract has not
// used.
func (r *Summary) audit(findings *index.Findings, missing int) {
	r.audited, r.pending, r.lost, r.doubled = true, findings.Awaited, findings.Lost(), findings.Doubled
	if r.pending == 0 { // else the block of the audit may be before some updates
		r.lost = max(missing, r.lost)
	}
	if !findings.OK() {
		r.problem = findings.Problem()
	}
}

func (r *Summary) Good() bool {
	return r.settled && r.audited && r.problem == "" && r.lost+r.doubled+r.rejected+r.pending+r.refused == 0 &&
		r.accepted == r.planned && r.applied == r.accepted
}

func (r *Summary) verdict() string {
	switch {
	case r.doubled > 0:
		return fmt.Sprintf("WRONG: %s applied more than once.", were(r.doubled))
	case r.lost > 0:
		return fmt.Sprintf("WRONG: %s accepted and then lost.", were(r.lost))
	case r.audited && r.problem != "":
		return "WRONG: " + r.problem + "."
	case !r.settled:
		title, saved := "Not finished", "the logs say what the relayer waits for"
		if r.interrupted {
			title, saved = "Interrupted", "the next start continues with them"
		}
		return fmt.Sprintf("%s: %s accepted, %s of them applied and final. Of the other %s it is not known yet: they are saved, and %s.",
			title, were(r.accepted), Thousands(r.applied), Thousands(r.waiting()), saved)
	case r.refused > 0:
		return fmt.Sprintf("WRONG: %s refused by the API.", were(r.refused))
	case r.rejected > 0:
		return fmt.Sprintf("WRONG: %s accepted and then rejected by the contract.", were(r.rejected))
	case !r.audited:
		return fmt.Sprintf("Incomplete: all %s accepted updates are applied, by the project's events, but the audit was not made.", Thousands(r.applied))
	case r.pending > 0:
		return fmt.Sprintf("All %s accepted updates were applied exactly once; %s more in the stream are not final yet.", Thousands(r.applied), Thousands(r.pending))
	case !r.Good():
		return fmt.Sprintf("Incomplete: %s of %s updates were accepted.", Thousands(r.accepted), Thousands(r.planned))
	default:
		return fmt.Sprintf("All %s accepted updates were applied exactly once. The stream, the contract's events and its scores agree.", Thousands(r.applied))
	}
}

func were(n int) string {
	if n == 1 {
		return "1 update was"
	}
	return Thousands(n) + " updates were"
}

func (r *Summary) table() string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) { _, _ = fmt.Fprintf(w, "  "+name+"\t"+format+"\n", args...) }
	row("accepted", "%s", Thousands(r.accepted))
	row("applied", "%s", Thousands(r.applied))
	if r.waiting() > 0 {
		row("not final", "%s", Thousands(r.waiting()))
	}
	if unanswered := r.planned - r.accepted - r.refused; unanswered > 0 {
		row("not answered", "%s; each may be stored or not", Thousands(unanswered))
	}
	if r.audited {
		row("lost", "%d, and %d applied more than once", r.lost, r.doubled)
	}
	row("duplicates", "%s", Thousands(r.duplicates))
	if r.refused > 0 {
		row("refused", "%s by the API", Thousands(r.refused))
	}
	row("rate", "%.0f updates/s final, %.0f/s accepted", r.perSecond, r.acceptedPer)
	if r.gas > 0 {
		row("cost", "%s gas an update", Thousands(r.gas))
	}
	if n := len(r.finality); n > 0 {
		after := func(percent int) float64 { return r.finality[(n-1)*percent/100].Seconds() }
		row("final after", "%.1f s (p50), %.1f s (p90), %.1f s (p99)", after(50), after(90), after(99))
	}
	_ = w.Flush()
	return out.String()
}

// progress counts an accepted update as half done until it is final.
func (r *Summary) progress() string {
	const columns = 20
	answered, final := float64(r.accepted+r.refused), float64(r.applied+r.rejected)
	share := 0.0
	if r.planned > 0 {
		share = min(1, (answered-float64(r.waiting())/2)/float64(r.planned))
	}
	full := int(share * columns)
	return fmt.Sprintf("[%s%s] %3.0f %%  %s of %s answered, %s final", strings.Repeat("#", full), strings.Repeat("-", columns-full),
		share*100, short(answered), units(float64(r.planned), "update"), short(final))
}

func units(n float64, name string) string {
	if n != 1 {
		name += "s"
	}
	return short(n) + " " + name
}

// short formats a number in at most six characters.
func short(n float64) string {
	switch {
	case n < 99_999.5:
		return Thousands(int(n + 0.5))
	case n < 999_500:
		return fmt.Sprintf("%.0fk", n/1000)
	default:
		return fmt.Sprintf("%.1fM", n/1_000_000)
	}
}

func Thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return Thousands(n/1000) + fmt.Sprintf(",%03d", n%1000)
}
