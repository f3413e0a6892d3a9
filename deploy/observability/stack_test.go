package observability

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
)

// patience limits one step, even on a busy machine.
const patience = 2 * time.Minute

// TestARunningStackAnswersEachQuery runs an API and two relayers on real servers, lightly loaded. promtool accepts
// their metrics, Prometheus scrapes them with this folder's configuration, every dashboard query returns a sample,
// and all alerts stay silent.
func TestARunningStackAnswersEachQuery(t *testing.T) {
	tool(t, "prometheus") // skip before the build
	bin, data := t.TempDir(), t.TempDir()
	build := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "./cmd/api", "./cmd/relayer", "./cmd/scorelay", "./pkg/devnet/rig/stack/stack")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	start(t, exec.Command(filepath.Join(bin, "stack"), "--programs", bin, "--relayers", "2", "--block-time", "500ms", "--data-dir", data))
	var info struct {
		AdminURLs []string `json:"adminUrls"` // the API, then the relayers
	}
	eventually(t, "the stack is up", func() error {
		text, err := os.ReadFile(filepath.Join(data, "dev.json"))
		if err != nil {
			return err
		}
		return json.Unmarshal(text, &info)
	})
	prometheus := scrape(t, info.AdminURLs[:1], info.AdminURLs[1:])
	load := exec.Command("go", "run", ".", "load", "--data-dir", data, "--rate", "60", "--duration", "12s", "--projects", "3", "--signed", "20")
	load.Dir = filepath.Join(root, "cmd", "bench")
	if out, err := load.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, admin := range info.AdminURLs {
		lint := tool(t, "promtool", "check", "metrics")
		lint.Stdin = strings.NewReader(get(t, admin+"/metrics"))
		if out, err := lint.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("promtool about %s: %v: %s", admin, err, out)
		}
	}
	for _, query := range queries(t) {
		eventually(t, "an answer to "+query, func() error {
			answer := prometheus.ask(t, query)
			if !slices.ContainsFunc(answer, func(s sample) bool { return s.Value[1] != "NaN" }) {
				return fmt.Errorf("Prometheus answers %v", answer)
			}
			return nil
		})
	}
	if firing := prometheus.ask(t, `ALERTS{alertstate="firing"}`); len(firing) > 0 {
		t.Errorf("alerts fire where nothing is wrong: %v", firing)
	}
}

// queries returns the dashboards' distinct queries, with Grafana's variables replaced.
func queries(t *testing.T) (all []string) {
	t.Helper()
	files, err := filepath.Glob("dashboards/*.json")
	if err != nil || len(files) != 4 {
		t.Fatalf("%d dashboards, %v", len(files), err)
	}
	known, seen := read(t, root+"/docs/metrics.md"), map[string]bool{}
	for _, file := range files {
		var dashboard struct {
			UID, Title string
			Templating struct {
				List []struct{ Definition string } // variables that query Prometheus
			}
			Panels []struct {
				Title   string
				GridPos struct{ X, Y, W, H int }
				Targets []struct{ Expr string }
			}
		}
		if err := json.Unmarshal([]byte(read(t, file)), &dashboard); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if seen[dashboard.UID] || !strings.HasPrefix(dashboard.UID, "scorelay-") || dashboard.Title == "" {
			t.Errorf("%s: the uid %q is another's, or no name", file, dashboard.UID)
		}
		seen[dashboard.UID] = true
		for _, variable := range dashboard.Templating.List {
			if of := strings.TrimPrefix(variable.Definition, "label_values("); of != variable.Definition {
				all = append(all, of[:strings.Index(of, ",")])
			}
		}
		for _, panel := range dashboard.Panels {
			if panel.Title == "" || len(panel.Targets) == 0 || panel.GridPos.W*panel.GridPos.H == 0 || panel.GridPos.X+panel.GridPos.W > 24 {
				t.Errorf("%s: the panel %q asks nothing, or has no place", file, panel.Title)
			}
			for _, target := range panel.Targets {
				for _, name := range metric.FindAllString(target.Expr, -1) {
					short := name
					for _, part := range []string{"_bucket", "_sum", "_count"} {
						short = strings.TrimSuffix(short, part)
					}
					if !strings.Contains(known, "`"+short+"`") {
						t.Errorf("%s: %q asks for %s, which is no metric", file, panel.Title, name)
					}
				}
				query := strings.NewReplacer("$__rate_interval", "20s", "$lane", ".*").Replace(target.Expr)
				if strings.Contains(query, "$") {
					t.Errorf("%s: %q has a variable that is not known: %s", file, panel.Title, query)
				}
				if !seen[query] {
					all = append(all, query)
				}
				seen[query] = true
			}
		}
	}
	return all
}

// server is the base URL of a Prometheus server.
type server string

// scrape starts Prometheus with prometheus.yml, except for targets, intervals (1 s) and the rules' path.
func scrape(t *testing.T, apis, relayers []string) server {
	t.Helper()
	var config map[string]any
	load(t, "prometheus.yml", &config)
	config["global"] = map[string]any{"scrape_interval": "1s", "evaluation_interval": "1s"}
	rules, err := filepath.Abs("rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	config["rule_files"] = []string{rules}
	for i, urls := range [][]string{apis, relayers} {
		job := config["scrape_configs"].([]any)[i].(map[string]any)
		delete(job, "dns_sd_configs")
		var targets []string
		for _, at := range urls {
			targets = append(targets, strings.TrimPrefix(at, "http://"))
		}
		job["static_configs"] = []map[string]any{{"targets": targets}}
	}
	text, err := yaml.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	start(t, tool(t, "prometheus", "--config.file", file, "--storage.tsdb.path", filepath.Join(dir, "data"), "--web.listen-address", address, "--log.level", "warn"))
	s := server("http://" + address)
	eventually(t, "Prometheus scrapes all", func() error {
		if up := s.ask(t, "up == 1"); len(up) != len(apis)+len(relayers) {
			return fmt.Errorf("%d are up", len(up))
		}
		return nil
	})
	return s
}

// sample is a result of an instant query; Value is the time and the value.
type sample struct {
	Metric map[string]string
	Value  [2]any
}

// ask returns an instant query's result, or nil while the server is starting. A query error fails the test.
func (s server) ask(t *testing.T, query string) []sample {
	t.Helper()
	resp, err := http.Get(string(s) + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	var answer struct {
		Status, Error string
		Data          struct{ Result []sample }
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return nil
	}
	if answer.Status == "error" {
		t.Fatalf("%s: %s", query, answer.Error)
	}
	return answer.Data.Result
}

// start runs a program until the test ends, and logs its output if the test failed.
func start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
		defer late.Stop()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", cmd.Path, err)
		}
		if t.Failed() {
			t.Logf("%s: %s", cmd.Path, said.String())
		}
	})
}

func eventually(t *testing.T, what string, try func() error) {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); ; <-tick.C {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("waited too long until %s: %v", what, err)
		}
	}
}

func get(t *testing.T, from string) string {
	t.Helper()
	resp, err := http.Get(from)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s: %v", from, resp.Status, err)
	}
	return string(text)
}
