package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
)

var alertsFor = flag.Duration("alerts.for", 4*time.Minute, "how long TestDrillOfTheAlerts restarts parts")

// TestDrillOfTheAlerts: Prometheus, with the rules that are shipped, scrapes a stack that takes 200 updates a second while each part of
// it is started again, one after the other. No page fires. Then all relayers are killed, and a page has to fire within 90 s.
//
//	go test ./cmd/scorelay -run TestDrillOfTheAlerts -timeout 60m -args -drills -alerts.for=30m
func TestDrillOfTheAlerts(t *testing.T) {
	if !*drill {
		t.Skip("takes five minutes; .ci/deep runs it, with -args -drills")
	}
	ctx, cancel := context.WithTimeout(t.Context(), *alertsFor+25*time.Minute)
	defer cancel()
	c := startClusterRig(ctx, t, testrand.Seed(t))
	p := startPrometheus(t, c.info(t).AdminURLs)
	stop := c.load(200 / 1.4) // posts: each tenth has five updates
	require.True(t, c.applied(20, 3*time.Minute), "the stack works before the restarts")
	began := time.Now()
	parts := []string{"relayer", "relayer", "api", "api", "nats", "nats", "nats", "redis", "chain"}
	for i, part := range parts {
		c.pause(time.Until(began.Add(*alertsFor * time.Duration(i+1) / time.Duration(len(parts)+1))))
		c.startAgain(part, i)
		t.Logf("%s: started again: %s", time.Since(began).Round(time.Second), part)
	}
	c.pause(time.Until(began.Add(*alertsFor)))
	told := func(state string) map[string]int { // how many evaluations, by severity and name
		counts := map[string]int{}
		for _, s := range p.ask(t, fmt.Sprintf(`sum by (severity, alertname) (count_over_time(ALERTS{alertstate=%q}[%ds]))`, state, int(time.Since(began).Seconds()))) {
			n := 0
			_, err := fmt.Sscan(s.Value[1].(string), &n)
			require.NoError(t, err)
			counts[s.Metric["severity"]+" "+s.Metric["alertname"]] = n
		}
		return counts
	}
	fired := told("firing")
	t.Logf("in %s, %d updates promised: evaluations, each 15 s, in which alerts fired: %v; in which they were about to: %v",
		time.Since(began).Round(time.Second), len(c.tally.Promised()), fired, told("pending"))
	require.NotEmpty(t, p.ask(t, `count(up == 1) == 4`), "all are scraped")
	for _, alert := range slices.Sorted(maps.Keys(fired)) {
		require.False(t, strings.HasPrefix(alert, "page "), "a page fires: %s", alert)
	}

	dead := c.info(t).PIDs
	require.NoError(t, syscall.Kill(dead["dev"][0], syscall.SIGSTOP)) // so that it does not start them
	for _, pid := range dead["relayer"] {
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	}
	killed := time.Now()
	paged := c.until(3*time.Minute, func() bool {
		return len(p.ask(t, `ALERTS{alertname="ScorelayLaneNotDriven", alertstate="firing"}`)) == 2
	})
	took := time.Since(killed)
	require.NoError(t, syscall.Kill(dead["dev"][0], syscall.SIGCONT))
	require.True(t, paged, "no page fires: %v", told("pending"))
	t.Logf("ScorelayLaneNotDriven fires for both lanes %s after all relayers died", took.Round(100*time.Millisecond))
	require.Less(t, took, 90*time.Second)
	require.True(t, c.until(3*time.Minute, func() bool { return len(p.ask(t, `ALERTS{alertstate="firing", severity="page"}`)) == 0 }), "it ends when relayers run")
	stop()
	c.verdict()
}

// startAgain has one process of a role end as an upgrade does, and waits until it, and what it keeps, is back. The chain's endpoint does
// not answer for ten seconds.
func (c *clusterRig) startAgain(role string, n int) {
	c.t.Helper()
	if role == "chain" {
		back := c.everywhere(rpcproxy.Drop())
		c.pause(10 * time.Second)
		back()
		return
	}
	before := c.info(c.t).PIDs[role]
	ended := before[n%len(before)]
	require.NoError(c.t, syscall.Kill(ended, syscall.SIGTERM))
	require.True(c.t, c.until(2*time.Minute, func() bool {
		now := c.info(c.t).PIDs[role]
		return len(now) == len(before) && !slices.Contains(now, ended) && !slices.Contains(now, 0)
	}), "%s does not start again", role)
	if role == "nats" {
		c.whole()
	}
}

// alarms are a Prometheus.
type alarms string

// startPrometheus starts one with the rules that are shipped, as often as the chart has it scrape.
func startPrometheus(t *testing.T, admins []string) alarms {
	t.Helper()
	path, err := exec.LookPath("prometheus")
	require.NoError(t, err, "install Debian's package prometheus")
	rules, err := filepath.Abs("../../deploy/observability/rules.yml")
	require.NoError(t, err)
	dir := t.TempDir()
	config, err := json.Marshal(map[string]any{
		"global":     map[string]any{"scrape_interval": "15s", "evaluation_interval": "15s"},
		"rule_files": []string{rules},
		"scrape_configs": []any{map[string]any{
			"job_name": "scorelay", "static_configs": []any{map[string]any{"targets": strings.Split(strings.ReplaceAll(strings.Join(admins, ","), "http://", ""), ",")}},
		}},
	})
	require.NoError(t, err)
	file := filepath.Join(dir, "prometheus.yml")
	require.NoError(t, os.WriteFile(file, config, 0o600))
	port, err := devnet.FreePort()
	require.NoError(t, err)
	address := fmt.Sprintf("127.0.0.1:%d", port)
	cmd := exec.Command(path, "--config.file", file, "--storage.tsdb.path", filepath.Join(dir, "data"), "--web.listen-address", address, "--log.level", "warn")
	cmd.SysProcAttr = devnet.DieWithParent()
	log := &fresh.Log{}
	cmd.Stdout, cmd.Stderr = log, log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil || t.Failed() {
			t.Logf("Prometheus: %v: %s", err, log)
		}
	})
	p := alarms("http://" + address)
	require.Eventually(t, func() bool { return len(p.ask(t, fmt.Sprintf("count(up == 1) == %d", len(admins)))) == 1 }, 2*time.Minute, 100*time.Millisecond,
		"it does not scrape all")
	return p
}

// value is one of an instant query's.
type value struct {
	Metric map[string]string
	Value  [2]any
}

// ask is the answer to an instant query; nothing, while the server is not up.
func (p alarms) ask(t *testing.T, query string) []value {
	t.Helper()
	resp, err := http.Get(string(p) + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		return nil
	}
	defer func() { _ = resp.Body.Close() }()
	var answer struct {
		Status, Error string
		Data          struct{ Result []value }
	}
	if json.NewDecoder(resp.Body).Decode(&answer) != nil {
		return nil
	}
	require.NotEqual(t, "error", answer.Status, "%s: %s", query, answer.Error)
	return answer.Data.Result
}
