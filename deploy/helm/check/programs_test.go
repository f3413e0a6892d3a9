package check

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
)

// TestProgramsTakeTheEnvironment checks that the programs accept all settings of the chart, files included.
func TestProgramsTakeTheEnvironment(t *testing.T) {
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin, "./cmd/api", "./cmd/relayer")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, args := range variants(t) {
		for _, p := range pods(render(t, args...)) {
			c := p.Spec.Containers[0]
			if c.Name != "api" && c.Name != "relayer" {
				continue
			}
			if said := healthcheck(t, filepath.Join(bin, c.Name), p); !strings.Contains(said, "couldn't ask for the health") || strings.Contains(said, "ignored") {
				t.Errorf("%s, %s says: %s", name, p.owner, said)
			}
		}
	}
	broken := pods(render(t, append(variants(t)["small"], "--set-string", "api.settings.SCORELAY_RATE=-1")...))[0]
	if said := healthcheck(t, filepath.Join(bin, "api"), broken); !strings.Contains(said, "SCORELAY_RATE") {
		t.Errorf("a setting that is wrong is not told: %s", said)
	}
}

// healthcheck runs the program's healthcheck, which first reads all settings, in the pod's environment. Files are
// below a test directory. The health request fails: its port is closed.
func healthcheck(t *testing.T, program string, p pod) (said string) {
	t.Helper()
	dir := t.TempDir()
	var inPod []string
	for _, path := range files(p) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(path, "/run/scorelay/") {
			if err := os.WriteFile(filepath.Join(dir, path), []byte("http://secret.example.com\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		inPod = append(inPod, path, filepath.Join(dir, path))
	}
	here := strings.NewReplacer(inPod...)
	command := exec.Command(program, "healthcheck")
	command.Env = []string{} // leave out this machine's
	for _, variable := range p.Spec.Containers[0].Env {
		value := here.Replace(variable.Value)
		if variable.Name == "SCORELAY_ADMIN_LISTEN" {
			value = "127.0.0.1:1" // a closed port
		}
		command.Env = append(command.Env, variable.Name+"="+value)
	}
	out, err := command.CombinedOutput()
	if err == nil {
		t.Fatalf("%s: a process answered", program)
	}
	return string(out)
}

// TestREADMEInstalls checks that the README's install commands render pods, and that its commands use the audit
// CronJob.
func TestREADMEInstalls(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(chart, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	installs := 0
	for line := range strings.Lines(string(text)) {
		command, is := strings.CutPrefix(strings.TrimSpace(line), "helm upgrade --install scorelay deploy/helm/scorelay ")
		if !is {
			continue
		}
		installs++
		if objects := render(t, strings.Fields(strings.ReplaceAll(command, "deploy/helm/", "../"))...); len(pods(objects)) == 0 {
			t.Errorf("%s installs nothing", line)
		}
	}
	if installs == 0 {
		t.Error("the README does not say how to install the chart")
	}
	audit := named[*batch.CronJob](t, render(t, variants(t)["small"]...), "-audit").Name
	if !strings.Contains(string(text), "--from=cronjob/"+audit+" ") {
		t.Errorf("the README's commands are not made from cronjob/%s", audit)
	}
}

// TestAnAuditThatFoundSomethingIsNotRepeated checks that exit codes 1 and 3 fail the Job at once. An audit that
// failed to read (2) is tried again.
func TestAnAuditThatFoundSomethingIsNotRepeated(t *testing.T) {
	job := named[*batch.CronJob](t, render(t, variants(t)["small"]...), "-audit").Spec.JobTemplate.Spec
	if job.Template.Spec.RestartPolicy != core.RestartPolicyNever || *job.BackoffLimit < 1 {
		t.Errorf("a policy of failures needs pods that are not restarted, and another try: %+v", job)
	}
	var ended []int32
	for _, rule := range job.PodFailurePolicy.Rules {
		codes := rule.OnExitCodes
		if rule.Action != batch.PodFailurePolicyActionFailJob || codes.Operator != batch.PodFailurePolicyOnExitCodesOpIn || *codes.ContainerName != job.Template.Spec.Containers[0].Name {
			t.Errorf("the rule %+v", rule)
		}
		ended = append(ended, codes.Values...)
	}
	if !slices.Equal(ended, []int32{1, 3}) {
		t.Errorf("the Job ends at once with the exit codes %v", ended)
	}
}
