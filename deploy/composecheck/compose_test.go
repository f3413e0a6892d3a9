// Package composecheck tests the compose files, loaded with docker compose's own parser. It is a separate module to
// keep the parser's dependencies out of Scorelay's.
package composecheck

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

const root = "../.."

// anvilKeys are the well-known keys of anvil's first accounts, the only keys allowed in the files.
var anvilKeys = []string{
	"ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
	"59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
	"5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
	"7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6",
	"47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a",
}

func load(t *testing.T) *types.Project {
	t.Helper()
	return loadFile(t, filepath.Join(root, "docker-compose.yml"))
}

func loadFile(t *testing.T, file string) *types.Project {
	t.Helper()
	project, err := loader.LoadWithContext(context.Background(), types.ConfigDetails{
		WorkingDir:  filepath.Dir(file),
		ConfigFiles: []types.ConfigFile{{Filename: file}},
		Environment: types.Mapping{"SCORELAY_VERSION": "1.2.3"},
	}, loader.WithProfiles([]string{"*"}), func(o *loader.Options) { o.SetProjectName("scorelay", false) })
	if err != nil {
		t.Fatal(err)
	}
	return project
}

func TestServices(t *testing.T) {
	project := load(t)
	want := []string{"api", "chain", "grafana", "nats", "prometheus", "redis", "relayer", "scorelay", "setup"}
	if got := project.ServiceNames(); !slices.Equal(got, want) {
		t.Fatalf("services are %v, want %v", got, want)
	}
	for name, service := range project.Services {
		_, tag, tagged := strings.Cut(service.Image, ":")
		if !tagged || tag == "latest" {
			t.Errorf("%s: the image %s has no version", name, service.Image)
		}
		if slices.Contains(jobs, name) {
			continue
		}
		if service.HealthCheck == nil || len(service.HealthCheck.Test) == 0 {
			t.Errorf("%s has no health check", name)
		}
		if service.Restart != types.RestartPolicyUnlessStopped {
			t.Errorf("%s is not restarted", name)
		}
	}
	for _, name := range []string{"api", "relayer", "setup"} {
		if service := project.Services[name]; !service.ReadOnly || !slices.Contains(service.CapDrop, "ALL") {
			t.Errorf("%s may write to its root or keeps capabilities", name)
		}
	}
	for _, name := range []string{"nats", "redis", "chain"} {
		if !slices.ContainsFunc(project.Services[name].Volumes, func(v types.ServiceVolumeConfig) bool {
			return v.Type == types.VolumeTypeVolume && v.Target == "/data"
		}) {
			t.Errorf("%s keeps its data in no volume", name)
		}
	}
}

func TestRelayersScale(t *testing.T) {
	relayer := load(t).Services["relayer"]
	if relayer.ContainerName != "" || len(relayer.Ports) > 0 {
		t.Error("a container name or a published port keeps relayers from being scaled")
	}
	if relayer.Deploy == nil || relayer.Deploy.Replicas == nil || *relayer.Deploy.Replicas != 2 {
		t.Error("there are not two relayers")
	}
}

// TestObservabilityIsAskedFor checks that Prometheus and Grafana start only with their profile. Prometheus scrapes
// services by name, at their admin ports.
func TestObservabilityIsAskedFor(t *testing.T) {
	project := load(t)
	for _, name := range []string{"prometheus", "grafana"} {
		if !slices.Equal(project.Services[name].Profiles, []string{"observability"}) {
			t.Errorf("%s starts unasked", name)
		}
	}
	config, err := os.ReadFile(filepath.Join(root, "deploy", "observability", "prometheus.yml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"api", "relayer"} {
		listen := project.Services[name].Environment["SCORELAY_ADMIN_LISTEN"]
		if target := "names: [" + name + "], type: A, port: " + strings.TrimPrefix(*listen, ":") + ","; !strings.Contains(string(config), target) {
			t.Errorf("prometheus.yml has no %q", target)
		}
	}
}

func TestPublishedPortsAreLocal(t *testing.T) {
	for name, service := range load(t).Services {
		for _, port := range service.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s publishes port %s to the world", name, port.Published)
			}
		}
	}
}

func TestMountedFilesExist(t *testing.T) {
	for name, service := range load(t).Services {
		for _, volume := range service.Volumes {
			if volume.Type != types.VolumeTypeBind {
				continue
			}
			if _, err := os.Stat(volume.Source); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if !volume.ReadOnly {
				t.Errorf("%s may write to %s", name, volume.Source)
			}
		}
	}
}

func TestTargetsExist(t *testing.T) {
	dockerfile, err := os.ReadFile(filepath.Join(root, "deploy", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	for name, service := range load(t).Services {
		if service.Build != nil && !strings.Contains(string(dockerfile), " AS "+service.Build.Target+"\n") {
			t.Errorf("%s: the Dockerfile has no target %s", name, service.Build.Target)
		}
	}
}

// settings maps each variable that the programs read to whether it is a secret, which a file may contain.
func settings(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	tag := regexp.MustCompile("(?m)^\\s+\\w+\\s+(\\S+)\\s+`.*env:\"(SCORELAY_[A-Z_]+)\"")
	for _, dir := range []string{"cmd", "pkg"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, match := range tag.FindAllStringSubmatch(string(text), -1) {
				known[match[2]] = strings.HasSuffix(match[1], "Secret")
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return known
}

// TestVariablesExist checks that each variable is a setting; an unknown one has no effect.
func TestVariablesExist(t *testing.T) {
	known := settings(t)
	for name, service := range load(t).Services {
		if service.Build == nil {
			continue // a third-party image
		}
		for variable := range service.Environment {
			if _, is := known[variable]; !is && variable != "GOMEMLIMIT" { // read by the Go runtime
				t.Errorf("%s sets %s, which is no setting", name, variable)
			}
		}
	}
}

// TestGoKnowsItsMemory checks that each program has a memory limit, with GOMEMLIMIT at 85 to 90 % of it. Go then
// collects before the kernel kills the program.
func TestGoKnowsItsMemory(t *testing.T) {
	for file, project := range map[string]*types.Project{"development": load(t), "production": loadProduction(t)} {
		for name, service := range project.Services {
			if !ours(service) {
				continue
			}
			if service.Deploy == nil || service.Deploy.Resources.Limits == nil || service.Environment["GOMEMLIMIT"] == nil {
				t.Errorf("%s: %s has no limit of memory, or Go does not know it", file, name)
				continue
			}
			limit := float64(service.Deploy.Resources.Limits.MemoryBytes) / (1 << 20)
			known, err := strconv.ParseFloat(strings.TrimSuffix(*service.Environment["GOMEMLIMIT"], "MiB"), 64)
			if part := known / limit; err != nil || part < 0.85 || part > 0.9 {
				t.Errorf("%s: Go has %s of %s's %.0f MiB, which is not 85 to 90 %%", file, *service.Environment["GOMEMLIMIT"], name, limit)
			}
		}
	}
}

func TestNoSecretsButAnvils(t *testing.T) {
	files := []string{filepath.Join(root, "docker-compose.yml")}
	configs, err := filepath.Glob(filepath.Join(root, "deploy", "*.conf"))
	if err != nil {
		t.Fatal(err)
	}
	production, err := filepath.Glob(filepath.Join(root, "deploy", "production", "*"))
	if err != nil {
		t.Fatal(err)
	}
	key := regexp.MustCompile(`\b(?:0x)?[0-9a-fA-F]{64}\b`)
	for _, file := range slices.Concat(files, configs, production) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range key.FindAllString(string(text), -1) {
			if !slices.Contains(anvilKeys, strings.TrimPrefix(found, "0x")) {
				t.Errorf("%s holds a key that is not one of anvil's", file)
			}
		}
	}
}
