package check

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
)

var update = flag.Bool("update", false, "write the settings into the chart's schema")

// setting is a row of docs/settings.md.
type setting struct {
	help   string
	secret bool // <VARIABLE>_FILE may name a file instead
}

// settings returns each program's settings from docs/settings.md, which is generated from the programs.
func settings(t *testing.T) map[string]map[string]setting {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "settings.md"))
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `([A-Z][A-Z0-9_]+)`( \\(or `_FILE`\\))? \\|[^|]*\\|[^|]*\\| (.*) \\|$")
	programs := map[string]map[string]setting{}
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		_, program, _ := strings.Cut(part, "(`cmd/")
		program, _, _ = strings.Cut(program, "`")
		programs[program] = map[string]setting{}
		for _, match := range row.FindAllStringSubmatch(part, -1) {
			programs[program][match[1]] = setting{match[3], match[2] != ""}
		}
	}
	if len(programs["api"]) < 20 || len(programs["relayer"]) < 20 {
		t.Fatal("docs/settings.md has another form than this test reads")
	}
	return programs
}

// ours are settings that the chart sets from its own values.
var ours = []string{
	"SCORELAY_ADMIN_LISTEN", "SCORELAY_CHAIN_RPC", "SCORELAY_CONFIRMATIONS", "SCORELAY_DRAIN_TIMEOUT", "SCORELAY_FINALITY", "SCORELAY_LISTEN", "SCORELAY_NATS_CREDENTIALS",
	"SCORELAY_NATS_MONITOR_URL", "SCORELAY_NATS_URL", "SCORELAY_REDIS_URL", "SCORELAY_SIGNER_KEYSTORE", "SCORELAY_SIGNER_PASSWORD_FILE",
	"SCORELAY_TLS_CERTIFICATE_FILE", "SCORELAY_TLS_KEY_FILE", "SCORELAY_TOPUP_KEYSTORE", "SCORELAY_TOPUP_PASSWORD_FILE", "SCORELAY_TRUSTED_PROXIES",
}

// TestSchemaKnowsTheSettings checks that the schema lists exactly the programs' settings, except for secrets and
// ours, so Helm refuses mistyped ones. -update writes the schema.
func TestSchemaKnowsTheSettings(t *testing.T) {
	file := filepath.Join(chart, "values.schema.json")
	is, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(is, &schema); err != nil {
		t.Fatal(err)
	}
	programs := settings(t)
	free := func(of ...string) map[string]any {
		properties := map[string]any{}
		for name, s := range programs[of[0]] {
			everywhere := !slices.ContainsFunc(of, func(program string) bool { _, has := programs[program][name]; return !has })
			if everywhere && !s.secret && !slices.Contains(ours, name) {
				properties[name] = map[string]any{"type": "string", "description": s.help}
			}
		}
		return map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
	}
	definitions := schema["$defs"].(map[string]any)
	definitions["commonSettings"] = free("api", "relayer")
	definitions["apiSettings"] = free("api")
	definitions["relayerSettings"] = free("relayer")
	var want bytes.Buffer
	encoder := json.NewEncoder(&want)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(schema); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(is, want.Bytes()) {
		t.Error("values.schema.json is stale: run `go test -C deploy/helm/check -count=1 -run TestSchema . -args -update`")
	}
}

// TestVariablesExist checks that each variable is a setting of its program; an unknown one has no effect.
func TestVariablesExist(t *testing.T) {
	programs := settings(t)
	programs["scorelay"] = map[string]setting{}
	tag := regexp.MustCompile(`(Secret)?\s+.name:"[a-z-]+"(?: \w+:"[^"]*")*? env:"(SCORELAY_[A-Z_]+)"`)
	sources, err := filepath.Glob(filepath.Join(root, "cmd", "scorelay", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range sources {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range tag.FindAllStringSubmatch(string(text), -1) {
			programs["scorelay"][match[2]] = setting{secret: match[1] != ""}
		}
	}
	set := map[string]bool{}
	for name, args := range variants(t) {
		for _, p := range pods(render(t, args...)) {
			c := p.Spec.Containers[0]
			program, known := c.Name, programs[c.Name]
			if known == nil { // a command of cmd/scorelay
				program, known = "scorelay", programs["scorelay"]
			}
			for i, variable := range c.Env {
				if slices.ContainsFunc(c.Env[:i], func(before core.EnvVar) bool { return before.Name == variable.Name }) {
					t.Errorf("%s, %s: %s is set twice", name, p.owner, variable.Name)
				}
				bare := strings.TrimSuffix(variable.Name, "_FILE")
				_, exists := known[variable.Name]
				fromFile := bare != variable.Name && known[bare].secret
				// Go itself reads SSL_CERT_DIR and GOMEMLIMIT.
				if !exists && !fromFile && variable.Name != "SSL_CERT_DIR" && variable.Name != "GOMEMLIMIT" {
					t.Errorf("%s, %s: %s is no setting of %s", name, p.owner, variable.Name, program)
				}
				set[bare] = true
				set[variable.Name] = true
				if variable.Value == "" {
					t.Errorf("%s, %s: %s is empty", name, p.owner, variable.Name)
				}
			}
		}
	}
	for _, name := range ours {
		if !set[name] {
			t.Errorf("no variant of the chart sets %s", name)
		}
	}
}

// TestMetricsExist checks that relayers export each metric in KEDA's queries, as a gauge by lane.
func TestMetricsExist(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "metrics.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, relayer, _ := strings.Cut(string(text), "\n## The relayer")
	var queries []string
	for _, file := range slices.Sorted(maps.Values(examples(t))) {
		for _, scaled := range all[scaledObject](render(t, "--values", file)) {
			for _, trigger := range scaled.Spec.Triggers {
				queries = append(queries, trigger.Metadata["query"])
			}
		}
	}
	named := regexp.MustCompile(`scorelay_[a-z_]+`).FindAllString(strings.Join(queries, "\n"), -1)
	if len(named) == 0 {
		t.Fatal("no example has KEDA ask for a metric")
	}
	for _, metric := range named {
		if !strings.Contains(relayer, "| `"+metric+"` | gauge | `lane` |") {
			t.Errorf("relayers have no gauge %s by lane", metric)
		}
	}
}
