package dev

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/load"
)

type Summary struct {
	planned     int
	answered    int // with a definite response
	accepted    int // distinct, with a 200
	duplicates  int
	refused     int // by the API, permanently
	unanswered  int // without a definite response, sent or not
	wrong       int // response other than planned
	applied     int // of accepted: final and applied, by the API
	rejected    int // of accepted: final with another outcome, by the API
	doubled     int // applied more than once, by the audit
	lost        int // accepted, but neither final nor pending, by the audit or the contract
	pending     int // accepted and still pending, by the audit
	audited     bool
	problem     string
	settled     bool    // all of accepted became final
	interrupted bool    // by the user, before settled
	perSecond   float64 // applied, from the first request until the last update was final
	acceptedPer float64 // accepted, while sending
	gas         int
	answer      load.Percentiles
	final       load.Percentiles
	retries     int
}

func (r *Summary) Good() bool {
	return r.settled && r.audited && r.problem == "" && r.lost+r.doubled+r.rejected+r.pending+r.wrong+r.unanswered == 0 &&
		r.answered == r.planned && r.applied == r.accepted
}

func (r *Summary) verdict() string {
	waiting := r.accepted - r.applied - r.rejected
	switch {
	case r.doubled > 0:
		return fmt.Sprintf("WRONG: %s applied more than once.", were(r.doubled))
	case r.lost > 0:
		return fmt.Sprintf("WRONG: by the audit %s accepted and then lost.", were(r.lost))
	case r.audited && r.problem != "":
		return "WRONG: " + r.problem + "."
	case !r.settled:
		title, saved := "Not finished", "the logs say what the relayers wait for"
		if r.interrupted {
			title, saved = "Interrupted", "the next start continues with them"
		}
		return fmt.Sprintf("%s: %s accepted, %s of them applied and final. Of the other %s it is not known yet: they are saved, and %s.",
			title, were(r.accepted), Thousands(r.applied), Thousands(waiting), saved)
	case r.unanswered > 0:
		return fmt.Sprintf("Incomplete: every accepted update was applied exactly once, but %s not answered.", were(r.unanswered))
	case r.wrong > 0:
		return fmt.Sprintf("WRONG: %s answered otherwise than planned.", were(r.wrong))
	case r.rejected > 0:
		return fmt.Sprintf("WRONG: %s accepted and then rejected by the contract.", were(r.rejected))
	case !r.audited:
		return fmt.Sprintf("The API tells all %s accepted updates as applied; the audit was not made.", Thousands(r.applied))
	case r.pending > 0:
		return fmt.Sprintf("All %s accepted updates were applied exactly once; %s more in the stream are not final yet.", Thousands(r.applied), Thousands(r.pending))
	case !r.Good():
		return fmt.Sprintf("Incomplete: %s of %s updates were answered.", Thousands(r.answered), Thousands(r.planned))
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
	if waiting := r.accepted - r.applied - r.rejected; waiting > 0 {
		row("not final", "%s", Thousands(waiting))
	}
	if r.audited {
		row("lost", "%d, and %d applied twice", r.lost, r.doubled)
	}
	row("duplicates", "%s", Thousands(r.duplicates))
	row("refused", "%s by the API", Thousands(r.refused))
	if r.unanswered > 0 || r.wrong > 0 || r.retries > 0 {
		row("answers", "%d missing, %d not as planned, %d requests sent again", r.unanswered, r.wrong, r.retries)
	}
	row("rate", "%.0f updates/s final, %.0f/s accepted", r.perSecond, r.acceptedPer)
	row("cost", "%s gas an update", Thousands(r.gas))
	row("answered in", "%.1f ms (p50), %.1f ms (p90), %.1f ms (p99)", r.answer.P50, r.answer.P90, r.answer.P99)
	row("final after", "%.1f s (p50), %.1f s (p90), %.1f s (p99)", r.final.P50/1000, r.final.P90/1000, r.final.P99/1000)
	_ = w.Flush()
	return out.String()
}

func progress(planned, answered, waiting, final int) string {
	const columns = 20
	share := 0.0
	if planned > 0 { // an accepted update counts as half done until it is final
		share = min(1, (float64(answered)-float64(waiting)/2)/float64(planned))
	}
	full := int(share * columns)
	return fmt.Sprintf("[%s%s] %3.0f %%  %s of %s answered, %s final", strings.Repeat("#", full), strings.Repeat("-", columns-full),
		share*100, short(float64(answered)), units(float64(planned), "update"), short(float64(final)))
}
