package overview

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/roster"
)

// judge sets OK and Verdict. A halt of accepting comes first, then stopped lanes, then risks. An error of the chain
// here precedes lanes, since it explains their state.
func (d *Document) judge() {
	var stops []string
	if d.Chain.Error != "" {
		stops = append(stops, "the chain cannot be used here: "+d.Chain.Error)
	}
	if lanes := d.stopped(); lanes != "" {
		stops = append(stops, lanes)
	}
	if d.Paused != nil {
		stops = append(stops, d.paused())
	}
	if d.Rates != nil && d.Rates.NotDurable > 0 {
		stops = append(stops, fmt.Sprintf("NATS stored %d posts of the last minute not in time, or not at all", d.Rates.NotDurable))
	}
	switch {
	case d.Halted != "":
		d.Verdict = "accepting halts: " + d.Halted + " (see scorelay halt show)"
	case len(stops) > 0:
		d.Verdict = strings.Join(stops, "; ")
	case d.NATS.Full() >= nearlyFull:
		d.Verdict = fmt.Sprintf("the stream of accepted updates is %.0f %% full: raise its bound, or find out what is not final", 100*d.NATS.Full())
		if n := len(d.PausedProjects); n > 0 {
			d.Verdict += fmt.Sprintf("; it keeps what waits of %d paused projects, and everything behind", n)
		}
	case len(d.NATS.Behind) > 0:
		d.Verdict = "copies of the stream are behind, or away: " + strings.Join(d.NATS.Behind, ", ")
	case d.Redis.Error != "":
		d.Verdict = "all lanes move; Redis does not answer here: " + d.Redis.Error
	case len(d.Redis.Refused) > 0:
		d.Verdict = "all lanes move; Redis refuses calls of " + d.Redis.Refused[0]
	case d.Ledger.Writer == "":
		d.Verdict = "all lanes move; no relayer writes the ledger of final blocks, so statuses, leaderboards, events " +
			"and webhooks stay as they are"
	case d.TopUp != nil && d.TopUp.Why != "":
		d.Verdict = "all lanes move; their signers are not topped up: " + d.TopUp.Why
	default:
		d.OK, d.Verdict = true, "all lanes move"
		if d.Chain.Unchecked {
			d.Verdict += "; the chain had a hard fork that this version does not know, and headers are not checked: upgrade Scorelay"
		}
		if down := d.Down(); len(down) > 0 {
			d.Verdict += "; endpoints that are left alone: " + strings.Join(slices.Sorted(maps.Keys(down)), ", ")
		}
		if d.Redis.Rebuilding != "" {
			d.Verdict += "; leaderboards, histories and statistics are being rebuilt: " + d.Redis.Rebuilding
		}
		if n := len(d.PausedProjects); n > 0 {
			d.Verdict += fmt.Sprintf("; paused by an operator: %d of the projects", n)
		}
	}
}

// stopped describes the stopped lanes, paused ones last. It returns "" if all move, or only the pause of everything
// stops them.
func (d *Document) stopped() string {
	var stopped, paused []Lane
	driven := 0
	for _, l := range d.Lanes {
		if l.State != roster.Gone {
			driven++
		}
		switch {
		case l.Moves:
		case l.Wait != lane.WaitPaused:
			stopped = append(stopped, l)
		case d.Paused == nil:
			paused = append(paused, l)
		}
	}
	stopped = append(stopped, paused...)
	switch len(stopped) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("lane %d waits: %s", stopped[0].Lane, stopped[0].Why)
	}
	return fmt.Sprintf("%d of %d lanes wait; lane %d: %s", len(stopped), driven, stopped[0].Lane, stopped[0].Why)
}

func (d *Document) paused() string {
	what := "an operator paused all lanes, and accepting continues"
	if d.Paused.Refuses {
		what = "an operator paused everything: nothing is accepted"
	}
	if d.Paused.Reason != "" {
		what += " (" + d.Paused.Reason + ")"
	}
	return what
}

// nearlyFull is the used fraction of the stream's bound that needs an operator's attention.
const nearlyFull = 0.8

// Full returns the used fraction of the stream's bound; 0 if unbounded.
func (n *NATS) Full() float64 {
	if n.Bound == 0 {
		return 0
	}
	return float64(n.Bytes) / float64(n.Bound)
}

// Down returns the endpoints that are down for this process or a replica, each with a reason per process.
func (d *Document) Down() map[string][]string {
	all := map[string][]string{}
	for _, e := range d.Endpoints {
		if !e.Up {
			all[e.Endpoint] = append(all[e.Endpoint], e.Why+" for "+e.SeenBy)
		}
	}
	return all
}
