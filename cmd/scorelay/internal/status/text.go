// Package status formats a deployment's overview for a terminal.
package status

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/dev"
	"github.com/scorelay/scorelay/pkg/overview"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
)

// Columns is the maximum width of the text.
const Columns = 79

// lowFunds is the least time that a balance should last, in seconds.
const lowFunds = 24 * 60 * 60

// mostProjects is the most projects that a list shows; the document contains all.
const mostProjects = 3

// Lines formats the document in lines of at most Columns. If there are more lines than rows (0: unlimited), it omits
// lanes, first those that move.
func Lines(d *overview.Document, rows int) []string {
	head := append(dev.Fold(d.Verdict, Columns), chainLine(&d.Chain, d.At), "")
	heading := []string{fmt.Sprintf("%-4s %-11s %-11s %9s %6s %7s %3s %7s %7s %s", "lane", "driver", "signer", "balance", "lasts", "nonce", "tx", "waiting", "oldest", "state")}
	tail := append([]string{""}, below(d)...)
	lanes := table(d, len(d.Lanes))
	for room := len(d.Lanes) - 1; rows > 0 && room >= 0 && len(head)+len(heading)+len(lanes)+len(tail) > rows; room-- {
		lanes = table(d, room)
	}
	all := slices.Concat(head, heading, lanes, tail)
	for i := range all {
		all[i] = Printable(all[i])
	}
	return all
}

// Printable replaces non-printable characters, since text from NATS and nodes is untrusted.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// table formats at most room lanes, preferring stuck ones, and a line that counts the others.
func table(d *overview.Document, room int) (lines []string) {
	all := slices.Clone(d.Lanes)
	slices.SortStableFunc(all, func(a, b overview.Lane) int { return rank(&a) - rank(&b) })
	left := 0
	for _, l := range all[room:] {
		if l.State != roster.Gone {
			left++
		}
	}
	shown := all[:room]
	slices.SortFunc(shown, func(a, b overview.Lane) int { return int(a.Lane) - int(b.Lane) })
	for i := range shown {
		if shown[i].State != roster.Gone {
			lines = append(lines, laneLines(&shown[i], d.At)...)
		}
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("     … and %d more lanes (--json tells of all)", left))
	}
	return lines
}

func rank(l *overview.Lane) int {
	switch {
	case l.State == roster.Gone:
		return 2
	case l.Moves:
		return 1
	}
	return 0
}

func chainLine(c *overview.Chain, now time.Time) string {
	line := fmt.Sprintf("chain %d", c.ID)
	if c.At != nil {
		line += fmt.Sprintf("   head %s (%s ago)", count(c.Head), overview.Age(now.Sub(*c.At).Seconds()))
	}
	if c.Final > 0 {
		line += "   final " + count(c.Final)
	}
	return line
}

func laneLines(l *overview.Lane, now time.Time) []string {
	state, notes := "moves", []string{}
	if !l.Moves {
		state = "waits"
		why := l.Why
		if l.Since != nil {
			why = "for " + overview.Age(now.Sub(*l.Since).Seconds()) + ": " + why
		}
		notes = append(notes, why)
	}
	lasts := "-"
	if l.LastsSeconds != nil {
		lasts = overview.Age(float64(*l.LastsSeconds))
		if *l.LastsSeconds < lowFunds {
			notes = append(notes, "low balance: fund its signer")
		}
	}
	if l.State != roster.Active {
		notes = append(notes, "it is "+string(l.State))
	}
	oldest := "-"
	if l.OldestSeconds != nil {
		oldest = overview.Age(*l.OldestSeconds)
	}
	lines := []string{fmt.Sprintf("%-4d %-11s %-11s %9s %6s %7s %3d %7s %7s %s", l.Lane, short(orDash(l.Replica), 11), short(l.Signer.Hex(), 11),
		ether(l.BalanceWei), lasts, count(l.Nonces.Journaled), l.InFlight, count(l.Waiting), oldest, state)}
	for _, note := range notes {
		lines = append(lines, dev.Fold("     "+note, Columns)...)
	}
	return lines
}

func below(d *overview.Document) (lines []string) {
	say := func(format string, args ...any) {
		lines = append(lines, dev.Fold(fmt.Sprintf(format, args...), Columns)...)
	}
	lines = append(lines, waiting(d)...)
	if t := d.TopUp; t != nil {
		now := ""
		if t.Lane != nil {
			now = fmt.Sprintf(", now lane %d", *t.Lane)
		}
		say("top-ups    %s: %s ether, %s of %s paid today%s", short(t.Account.Hex(), 11), ether(t.BalanceWei), ether(t.SpentWei), ether(t.PerDayWei), now)
	}
	lines = append(lines, pausedProjects(d)...)
	if r := d.Rates; r != nil {
		gas := ""
		if r.GasPerUpdate != nil {
			gas = fmt.Sprintf(", %s gas an update", count(uint64(*r.GasPerUpdate)))
		}
		if r.GasPriceGwei != nil {
			gas += fmt.Sprintf(" at %.3g gwei", *r.GasPriceGwei)
		}
		if r.BlockFill != nil {
			gas += fmt.Sprintf(", blocks %.0f %% full", 100**r.BlockFill)
		}
		say("last minute  accepted %s a second, final %s%s", rate(r.AcceptedPerSecond), rate(r.FinalPerSecond), gas)
	}
	say("endpoints  %s", strings.Join(endpoints(d), ", "))
	say("replicas   %s", strings.Join(replicas(d), ", "))
	nats := "ok"
	if len(d.NATS.Behind) > 0 {
		nats = "behind or away: " + strings.Join(d.NATS.Behind, " ")
	}
	say("ledger     %s", ledger(&d.Ledger))
	redis := "ok, " + overview.Bytes(d.Redis.Bytes)
	if d.Redis.Full > 0 {
		redis += fmt.Sprintf(", %.0f %% full", 100*d.Redis.Full)
	}
	if len(d.Redis.Refused) > 0 {
		redis = "refuses calls of " + d.Redis.Refused[0]
	}
	if d.Redis.Error != "" {
		redis = "does not answer"
	}
	say("NATS       %s, copies %d, stream %.0f %% full (%s)   Redis %s", nats, d.NATS.Copies, 100*d.NATS.Full(), overview.Bytes(d.NATS.Bytes), redis)
	if d.Redis.Rebuilding != "" {
		say("rebuilding leaderboards, histories and statistics, which answer 503 until then: %s", d.Redis.Rebuilding)
	}
	return lines
}

func ledger(l *overview.Ledger) string {
	line := "no block"
	if l.Block > 0 {
		line = "block " + dev.Thousands(int(l.Block))
	}
	if l.BehindBlocks != nil {
		behind := counted(*l.BehindBlocks, "block")
		line += fmt.Sprintf(", %s behind the head (%s)", behind, overview.Age(*l.BehindSeconds))
	}
	if l.Block > 0 {
		line += fmt.Sprintf(", from %s on (%s)", dev.Thousands(int(l.Oldest)), overview.Bytes(l.Bytes))
	}
	return line + ", written by " + short(orDash(l.Writer), 20)
}

func waiting(d *overview.Document) (lines []string) {
	if len(d.Backlog) == 0 {
		return nil
	}
	atLeast := ""
	if !d.BacklogWhole {
		atLeast = "at least "
	}
	var all uint64
	for _, p := range d.Backlog {
		all += p.Updates
	}
	lines = append(lines, fmt.Sprintf("waiting %s%s of %s", atLeast, counted(all, "update"), counted(uint64(len(d.Backlog)), "project")))
	for _, p := range d.Backlog[:min(mostProjects, len(d.Backlog))] {
		line := fmt.Sprintf("  %s  %s, lane %d", short(p.Project.String(), 13), counted(p.Updates, "update"), p.Lane)
		if p.OldestSeconds != nil {
			line += ", oldest " + overview.Age(*p.OldestSeconds)
		}
		if _, paused := d.PausedProjects[p.Project]; paused {
			line += ", paused"
		}
		lines = append(lines, dev.Fold(line, Columns)...)
	}
	return lines
}

// pausedProjects lists the first paused projects, each in one line with as much of the reason as fits.
func pausedProjects(d *overview.Document) (lines []string) {
	ids := slices.SortedFunc(maps.Keys(d.PausedProjects), func(a, b score.ProjectID) int { return slices.Compare(a[:], b[:]) })
	for i, id := range ids {
		if i == mostProjects {
			return append(lines, fmt.Sprintf("           and %d more (--json tells of all)", len(ids)-i))
		}
		one := d.PausedProjects[id]
		lines = append(lines, dev.Fold(fmt.Sprintf("paused     %s  %s", short(id.String(), 13), one.Why()), Columns)[0])
	}
	return lines
}

// endpoints returns each endpoint's state: why it is down for any process, else as this command or a replica sees it.
func endpoints(d *overview.Document) (all []string) {
	down, seen := d.Down(), map[string]bool{}
	newest := d.Chain.Head
	for _, e := range d.Endpoints {
		if seen[e.Endpoint] {
			continue
		}
		seen[e.Endpoint] = true
		state := fmt.Sprintf("ok %d ms", e.TookMS)
		switch {
		case len(down[e.Endpoint]) > 1:
			state = fmt.Sprintf("%s and %d more", down[e.Endpoint][0], len(down[e.Endpoint])-1)
		case len(down[e.Endpoint]) == 1:
			state = down[e.Endpoint][0]
		case e.Newest == 0:
			state = "no answer yet"
		case e.Newest+1 < newest:
			state = fmt.Sprintf("behind %s blocks", count(newest-e.Newest))
		}
		all = append(all, e.Endpoint+" "+state)
	}
	return all
}

func replicas(d *overview.Document) (all []string) {
	counts := map[[2]string]int{} // by role and version
	for _, r := range d.Replicas {
		version, _, _ := strings.Cut(r.Version, " ")
		counts[[2]string{short(orDash(r.Role), 10), short(orDash(version), 20)}]++
	}
	for _, what := range slices.SortedFunc(maps.Keys(counts), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		all = append(all, fmt.Sprintf("%s %d (%s)", what[0], counts[what], what[1]))
	}
	if len(all) == 0 {
		all = append(all, "none said anything in the last seconds")
	}
	return all
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func short(s string, columns int) string {
	if len(s) <= columns {
		return s
	}
	end := (columns - 1) / 2
	return s[:columns-1-end] + "…" + s[len(s)-end:]
}

func count(n uint64) string {
	switch {
	case n < 1_000_000:
		return dev.Thousands(int(n))
	case n < 1_000_000_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1fG", float64(n)/1e9)
}

func counted(n uint64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return count(n) + " " + thing
}

func rate(n float64) string {
	if n < 100 {
		return strconv.FormatFloat(n, 'f', 1, 64)
	}
	return count(uint64(n))
}

// ether formats an amount of wei in ether, in at most nine characters.
func ether(wei string) string {
	n, ok := new(big.Float).SetString(wei)
	if !ok {
		return "-"
	}
	amount, _ := n.Quo(n, big.NewFloat(1e18)).Float64()
	switch {
	case amount >= 1e7:
		return fmt.Sprintf("%.1e", amount)
	case amount >= 1000:
		return dev.Thousands(int(amount))
	}
	return strconv.FormatFloat(amount, 'f', 4, 64)
}
