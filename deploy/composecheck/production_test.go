package composecheck

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
)

var production = filepath.Join(root, "deploy", "production")

// TestProductionIsClosed checks that NATS and Redis require TLS and a password. Tests in cmd/scorelay run servers
// with these files and connect to them.
func TestProductionIsClosed(t *testing.T) {
	for file, wants := range map[string][]string{
		"nats.conf":         {`(?m)^tls \{`, `(?m)^authorization \{\n  include users.conf\n\}`, `(?m)^https: `, `(?m)^  sync_interval: always$`},
		"nats-cluster.conf": {`(?m)^include nats.conf$`, `(?m)^  tls \{`, `verify: true`},
		"redis.conf":        {`(?m)^port 0$`, `(?m)^tls-port 6379$`, `(?m)^protected-mode yes$`, `(?m)^aclfile `, `(?m)^maxmemory-policy noeviction$`},
	} {
		text, err := os.ReadFile(filepath.Join(production, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !regexp.MustCompile(want).Match(text) {
				t.Errorf("%s has nothing like %s", file, want)
			}
		}
		if regexp.MustCompile(`(?m)^http: `).Match(text) {
			t.Errorf("%s answers without TLS", file)
		}
	}
}

func loadProduction(t *testing.T) *types.Project {
	t.Helper()
	return loadFile(t, filepath.Join(production, "docker-compose.yml"))
}

// jobs run once; in production, an operator starts them.
var jobs = []string{"scorelay", "setup"}

func TestProductionServices(t *testing.T) {
	project := loadProduction(t)
	// The chain is external.
	want := []string{"api", "audit", "grafana", "nats", "prometheus", "redis", "relayer", "scorelay", "setup"}
	if got := project.ServiceNames(); !slices.Equal(got, want) {
		t.Fatalf("services are %v, want %v", got, want)
	}
	for name, service := range project.Services {
		if service.Build != nil || ours(service) && !strings.HasSuffix(service.Image, ":1.2.3") {
			t.Errorf("%s is not of the release", name)
		}
		if slices.Contains(jobs, name) {
			if service.Restart != "" || !slices.Equal(service.Profiles, []string{"tools"}) {
				t.Errorf("%s starts unasked", name)
			}
			continue
		}
		// the audit's result is a metric
		if service.Restart != types.RestartPolicyUnlessStopped || service.HealthCheck == nil && name != "audit" {
			t.Errorf("%s is not restarted, or has no health check", name)
		}
		if service.Deploy == nil || service.Deploy.Resources.Limits == nil || service.Deploy.Resources.Limits.MemoryBytes == 0 || service.Deploy.Resources.Limits.Pids == 0 {
			t.Errorf("%s may take all of the machine", name)
		}
		if service.Logging == nil || service.Logging.Options["max-size"] == "" {
			t.Errorf("the logs of %s may fill the disk", name)
		}
	}
}

// TestProductionServicesCanDoLittle checks that services have no capabilities and cannot gain any. Only Prometheus
// and Grafana have a writable root.
func TestProductionServicesCanDoLittle(t *testing.T) {
	for name, service := range loadProduction(t).Services {
		if !slices.Contains(service.CapDrop, "ALL") || !slices.Contains(service.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s keeps capabilities, or can get some", name)
		}
		if !service.ReadOnly && name != "prometheus" && name != "grafana" {
			t.Errorf("%s may write to its root", name)
		}
		for _, volume := range service.Volumes {
			if volume.Type == types.VolumeTypeBind && !volume.ReadOnly {
				t.Errorf("%s may write to %s", name, volume.Source)
			}
			if volume.Type != types.VolumeTypeBind || strings.HasPrefix(volume.Source, "/etc/scorelay/") && !bool(volume.Bind.CreateHostPath) {
				continue // docker reports a missing file
			}
			if _, err := os.Stat(volume.Source); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestProductionPublishesTheAPIAlone checks that only the API is public, with TLS; other ports are on the loopback
// address. NATS and Redis are only in the internal network that they share with our programs.
func TestProductionPublishesTheAPIAlone(t *testing.T) {
	project := loadProduction(t)
	for name, service := range project.Services {
		for _, port := range service.Ports {
			if name != "api" && port.HostIP != "127.0.0.1" {
				t.Errorf("%s publishes port %s to the world", name, port.Published)
			}
		}
		_, stores := service.Networks["stores"]
		if closed := name == "nats" || name == "redis"; stores != (closed || ours(service)) || closed && len(service.Networks) != 1 {
			t.Errorf("%s is in the networks %v", name, service.NetworksByPriority())
		}
	}
	if !project.Networks["stores"].Internal {
		t.Error("the stores reach the outside")
	}
	api := project.Services["api"]
	if len(api.Ports) != 1 || api.Ports[0].Target != 8080 {
		t.Errorf("the API publishes %v", api.Ports)
	}
	for _, variable := range []string{"SCORELAY_TLS_CERTIFICATE_FILE", "SCORELAY_TLS_KEY_FILE"} {
		if api.Environment[variable] == nil {
			t.Errorf("the API has no %s", variable)
		}
	}
}

// TestProductionSecretsAreInFiles checks that every variable is a setting and every secret a mounted file. Raw keys,
// UNSAFE settings and endpoints without TLS are errors.
func TestProductionSecretsAreInFiles(t *testing.T) {
	known := settings(t)
	project := loadProduction(t)
	for name, service := range project.Services {
		if !ours(service) {
			continue
		}
		for variable, value := range service.Environment {
			secret, is := known[variable]
			file, named := strings.CutSuffix(variable, "_FILE")
			switch {
			case variable == "SSL_CERT_DIR", variable == "GOMEMLIMIT":
			case is && secret, is && strings.Contains(variable, "UNSAFE"), strings.Contains(*value, "http://"):
				t.Errorf("%s sets %s", name, variable)
			case is:
			case !named || !known[file] || strings.HasSuffix(file, "_KEY") || strings.HasSuffix(file, "_KEYS"):
				t.Errorf("%s sets %s, which is no setting, or a raw key", name, variable)
			default:
				mounted := func(s types.ServiceSecretConfig) bool { return "/run/secrets/"+s.Source == *value }
				if !slices.ContainsFunc(service.Secrets, mounted) {
					t.Errorf("%s does not have %s, which %s names", name, *value, variable)
				}
			}
		}
	}
	for name, secret := range project.Secrets {
		if !strings.HasPrefix(secret.File, "/etc/scorelay/") || secret.Environment != "" || secret.Content != "" {
			t.Errorf("the secret %s is not in a file of the operator", name)
		}
	}
	for _, name := range []string{"api", "scorelay"} {
		for _, volume := range project.Services[name].Volumes {
			if strings.HasPrefix(volume.Target, "/run/relayer") || strings.HasPrefix(volume.Target, "/run/setup") {
				t.Errorf("%s sees the lanes' or the deployer's keys", name)
			}
		}
	}
}

// TestProductionIsScraped compares the admin listeners with development: both use one prometheus.yml.
func TestProductionIsScraped(t *testing.T) {
	development, production := load(t), loadProduction(t)
	for _, name := range []string{"api", "relayer"} {
		const listen = "SCORELAY_ADMIN_LISTEN"
		if got, want := production.Services[name].Environment[listen], development.Services[name].Environment[listen]; got == nil || *got != *want {
			t.Errorf("%s has another %s", name, listen)
		}
	}
}

func ours(service types.ServiceConfig) bool {
	return strings.HasPrefix(service.Image, "localhost/scorelay/")
}
