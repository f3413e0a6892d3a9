package observability

import (
	"regexp"
	"strings"
	"testing"
)

const runbook = "https://github.com/scorelay/scorelay/blob/main/docs/operations.md#"

var (
	link    = regexp.MustCompile(`\[[^\]]+\]\(#([^)]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	metric  = regexp.MustCompile(`scorelay_[a-z_]+`)
	row     = regexp.MustCompile("(?m)^\\| `(\\w+)` \\((\\w+)\\) \\| (.+) \\| (.+) \\| (.+) \\|$")
)

// TestTheRunbookTellsOfEachAlert compares the runbook's table with the rules: alerts, order, severity, meaning and
// action. The firing condition is prose; each metric in it, unlike in other columns, must occur in the rule.
func TestTheRunbookTellsOfEachAlert(t *testing.T) {
	page := read(t, root+"/docs/operations.md")
	headings := map[string]string{}
	for _, h := range heading.FindAllStringSubmatch(page, -1) {
		slug := strings.ReplaceAll(notSlug.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")
		headings[slug] = h[1]
	}
	rows, alerts := row.FindAllStringSubmatch(page, -1), rules(t)
	if len(rows) != len(alerts) {
		t.Fatalf("docs/operations.md has %d alerts, rules.yml %d", len(rows), len(alerts))
	}
	for i, alert := range alerts {
		name, severity, when, means, do := rows[i][1], rows[i][2], rows[i][3], rows[i][4], rows[i][5]
		if alert.Alert != name || alert.Labels["severity"] != severity {
			t.Fatalf("row %d is of %s (%s), the rule is %s (%s)", i+1, name, severity, alert.Alert, alert.Labels["severity"])
		}
		for _, named := range metric.FindAllString(when, -1) {
			if !strings.Contains(alert.Expr, named) {
				t.Errorf("%s: the runbook names %s, the rule does not ask for it", name, named)
			}
		}
		anchor := "what-to-watch"
		if to := link.FindStringSubmatch(do); to != nil {
			anchor = to[1]
		}
		do = link.ReplaceAllStringFunc(do, func(link string) string {
			return "see “" + headings[strings.Trim(link[strings.Index(link, "#"):], "#)")] + "” in the runbook"
		})
		for annotation, want := range map[string]string{"summary": link.ReplaceAllString(means, ""), "description": do, "runbook_url": runbook + anchor} {
			if got := alert.Annotations[annotation]; got != want {
				t.Errorf("%s: the %s is %q, the runbook says %q", name, annotation, got, want)
			}
		}
		if headings[anchor] == "" {
			t.Errorf("%s: the runbook has no heading #%s", name, anchor)
		}
	}
}

// TestAlertsAskForWhatThereIs checks that docs/metrics.md lists each metric of a rule, or its histogram.
func TestAlertsAskForWhatThereIs(t *testing.T) {
	known := read(t, root+"/docs/metrics.md")
	for _, alert := range rules(t) {
		for _, name := range metric.FindAllString(alert.Expr, -1) {
			if !strings.Contains(known, "`"+strings.TrimSuffix(name, "_bucket")+"`") {
				t.Errorf("%s asks for %s, which is no metric", alert.Alert, name)
			}
		}
	}
}

// TestEachAlertFiresAndDoesNot runs rules_test.yml with promtool. Each alert has a test of its name that sees it both
// silent and firing.
func TestEachAlertFiresAndDoesNot(t *testing.T) {
	var rulesFile struct {
		Groups []struct{ Interval string }
	}
	load(t, "rules.yml", &rulesFile)
	var file struct {
		Interval string `yaml:"evaluation_interval"`
		Tests    []struct {
			Name  string
			Exprs []struct {
				Samples []struct{ Labels string } `yaml:"exp_samples"`
			} `yaml:"promql_expr_test"`
		}
	}
	load(t, "rules_test.yml", &file)
	if own := rulesFile.Groups[0].Interval; own == "" || own != file.Interval {
		t.Errorf("the rules are evaluated every %q, and tested every %q", own, file.Interval)
	}
	fires, silent := map[string]bool{}, map[string]bool{}
	for _, test := range file.Tests {
		for _, expr := range test.Exprs {
			silent[test.Name] = silent[test.Name] || len(expr.Samples) == 0
			for _, s := range expr.Samples {
				fires[test.Name] = fires[test.Name] || strings.Contains(s.Labels, `alertname="`+test.Name+`", alertstate="firing"`)
			}
		}
	}
	for _, alert := range rules(t) {
		if !fires[alert.Alert] || !silent[alert.Alert] {
			t.Errorf("no test in which %s fires, or none in which it does not", alert.Alert)
		}
	}
	for _, args := range [][]string{{"check", "config", "prometheus.yml"}, {"test", "rules", "rules_test.yml"}} {
		if out, err := tool(t, "promtool", args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v: %s", args, err, out)
		}
	}
}
