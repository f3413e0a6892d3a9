package check

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	keda "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"github.com/santhosh-tekuri/jsonschema/v6"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	admission "k8s.io/pod-security-admission/api"
	security "k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"
)

type scaledObject = *keda.ScaledObject

// TestPodsAreRestricted runs Kubernetes's own check of the Pod Security Standard "restricted". Beyond it, pods have a
// read-only root, no token, no service links, resource requests, and no CPU limit.
func TestPodsAreRestricted(t *testing.T) {
	standard, err := security.NewEvaluator(security.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, args := range variants(t) {
		for _, p := range pods(render(t, args...)) {
			results := standard.EvaluatePod(admission.LevelVersion{Level: admission.LevelRestricted, Version: admission.LatestVersion()}, &p.ObjectMeta, &p.Spec)
			for _, result := range results {
				if !result.Allowed {
					t.Errorf("%s, %s: %s: %s", name, p.owner, result.ForbiddenReason, result.ForbiddenDetail)
				}
			}
			c := p.Spec.Containers[0]
			if len(p.Spec.Containers) != 1 || !*c.SecurityContext.ReadOnlyRootFilesystem || *p.Spec.AutomountServiceAccountToken || *p.Spec.EnableServiceLinks {
				t.Errorf("%s, %s: it may write to its root, holds a token, or is given the addresses of other services", name, p.owner)
			}
			if c.Resources.Requests.Cpu().IsZero() || c.Resources.Requests.Memory().IsZero() || c.Resources.Limits.Memory().Cmp(*c.Resources.Requests.Memory()) < 0 {
				t.Errorf("%s, %s: resources are %v", name, p.owner, c.Resources)
			}
			if _, limited := c.Resources.Limits[core.ResourceCPU]; limited {
				t.Errorf("%s, %s: its CPU is limited", name, p.owner)
			}
		}
	}
}

// TestSecretsAreNamedOnly checks that the chart renders no Secret, keeps secrets out of environments, and mounts them
// with mode 0440.
func TestSecretsAreNamedOnly(t *testing.T) {
	for name, args := range variants(t) {
		for _, p := range pods(render(t, args...)) { // decode fails on a Secret
			for _, variable := range p.Spec.Containers[0].Env {
				if variable.ValueFrom != nil || strings.Contains(variable.Value, "@") {
					t.Errorf("%s, %s: %s holds a secret", name, p.owner, variable.Name)
				}
			}
			for _, v := range p.Spec.Volumes {
				if mode := secretMode(v); mode != nil && *mode != 0o440 {
					t.Errorf("%s, %s: the files of %s have mode %o", name, p.owner, v.Name, *mode)
				}
			}
		}
	}
}

func secretMode(v core.Volume) *int32 {
	switch {
	case v.Secret != nil:
		return v.Secret.DefaultMode
	case v.Projected != nil:
		return v.Projected.DefaultMode
	}
	return nil
}

// files returns a pod's mount paths: each listed item of a volume, or else its directory.
func files(p pod) (paths []string) {
	for _, mount := range p.Spec.Containers[0].VolumeMounts {
		for _, v := range p.Spec.Volumes {
			if v.Name != mount.Name {
				continue
			}
			var items []core.KeyToPath
			if v.Secret != nil {
				items = v.Secret.Items
			}
			if v.Projected != nil {
				for _, source := range v.Projected.Sources {
					items = append(items, source.Secret.Items...)
				}
			}
			for _, item := range items {
				paths = append(paths, mount.MountPath+"/"+item.Path)
			}
			if len(items) == 0 {
				paths = append(paths, mount.MountPath)
			}
			if v.Secret != nil && v.Name == "tls" { // the keys of each kubernetes.io/tls Secret
				paths = append(paths, mount.MountPath+"/tls.crt", mount.MountPath+"/tls.key")
			}
		}
	}
	return paths
}

// TestFilesAreMounted checks that each file in the environment is mounted, each volume is used, and the environment
// names each mounted secret outside /run/secrets.
func TestFilesAreMounted(t *testing.T) {
	for name, args := range variants(t) {
		for _, p := range pods(render(t, args...)) {
			have := files(p)
			if mounts := len(p.Spec.Containers[0].VolumeMounts); mounts != len(p.Spec.Volumes) || len(have) < mounts {
				t.Errorf("%s, %s: %d mounts, %d volumes, %d files", name, p.owner, mounts, len(p.Spec.Volumes), len(have))
			}
			env := environment(p.Spec.Containers[0])
			for _, path := range have {
				if strings.HasPrefix(path, "/run/") && !strings.HasPrefix(path, "/run/secrets/") && !slices.Contains(slices.Collect(maps.Values(env)), path) {
					t.Errorf("%s, %s: the secret %s is not for it", name, p.owner, path)
				}
			}
			for _, variable := range p.Spec.Containers[0].Env {
				for _, path := range strings.Split(variable.Value, ":") {
					if strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "//") && path != "/etc/ssl/certs" && !slices.Contains(have, path) {
						t.Errorf("%s, %s: %s names %s, which is not among %v", name, p.owner, variable.Name, path, have)
					}
				}
			}
		}
	}
}

// TestSelectors checks that each selector matches one Deployment's or Job's pods, or the admin Services, by labels
// that survive upgrades.
func TestSelectors(t *testing.T) {
	for name, args := range variants(t) {
		objects := render(t, args...)
		selects := func(who string, by map[string]string, owners ...string) {
			t.Helper()
			var found []string
			for _, p := range pods(objects) {
				if labels.SelectorFromSet(by).Matches(labels.Set(p.Labels)) {
					found = append(found, p.Spec.Containers[0].Name)
				}
			}
			if !slices.Equal(found, owners) {
				t.Errorf("%s: %s selects the pods of %v, not of %v", name, who, found, owners)
			}
			for label := range by {
				if strings.Contains(label, "version") || strings.Contains(label, "chart") {
					t.Errorf("%s: %s selects by %s, which an upgrade changes", name, who, label)
				}
			}
		}
		component := func(o object) string { return o.GetLabels()["app.kubernetes.io/component"] }
		for _, d := range all[*apps.Deployment](objects) {
			selects("Deployment "+d.Name, d.Spec.Selector.MatchLabels, component(d))
			for _, spread := range d.Spec.Template.Spec.TopologySpreadConstraints {
				selects("the spread of "+d.Name, spread.LabelSelector.MatchLabels, component(d))
			}
			if len(d.Spec.Template.Spec.TopologySpreadConstraints) != 2 {
				t.Errorf("%s: %s is not spread over zones and nodes", name, d.Name)
			}
		}
		for _, s := range all[*core.Service](objects) {
			selects("Service "+s.Name, s.Spec.Selector, component(s))
			ports := named[*apps.Deployment](t, objects, "-"+component(s)).Spec.Template.Spec.Containers[0].Ports
			for _, port := range s.Spec.Ports {
				if !slices.ContainsFunc(ports, func(p core.ContainerPort) bool { return p.Name == port.TargetPort.StrVal }) {
					t.Errorf("%s: Service %s leads to port %s, which is none of %v", name, s.Name, port.TargetPort.String(), ports)
				}
				if port.TargetPort.StrVal == "admin" && (s.Spec.ClusterIP != core.ClusterIPNone || !s.Spec.PublishNotReadyAddresses) {
					t.Errorf("%s: Service %s gives the admin listener an address, or hides pods that are not ready", name, s.Name)
				}
			}
		}
		for _, b := range all[*policy.PodDisruptionBudget](objects) {
			selects("PodDisruptionBudget "+b.Name, b.Spec.Selector.MatchLabels, component(b))
		}
		for _, p := range all[*networking.NetworkPolicy](objects) {
			want := component(p)
			if want == "audit" {
				want = "scorelay"
			}
			selects("NetworkPolicy "+p.Name, p.Spec.PodSelector.MatchLabels, want)
		}
		if policies := len(all[*networking.NetworkPolicy](objects)); policies != len(pods(objects)) {
			t.Errorf("%s: %d NetworkPolicies for %d kinds of pods", name, policies, len(pods(objects)))
		}
		for _, m := range all[*monitoring.ServiceMonitor](objects) {
			var found []string
			for _, s := range all[*core.Service](objects) {
				if labels.SelectorFromSet(m.Spec.Selector.MatchLabels).Matches(labels.Set(s.Labels)) {
					found = append(found, s.Name)
				}
			}
			if want := []string{"scorelay-api-admin", "scorelay-relayer-admin"}; !slices.Equal(found, want) {
				t.Errorf("%s: the ServiceMonitor selects %v, not %v", name, found, want)
			}
		}
	}
}

// TestNames checks that names and labels are valid, and names unique per type.
func TestNames(t *testing.T) {
	for name, args := range variants(t) {
		seen := map[string]bool{}
		for _, o := range render(t, args...) {
			// Kubernetes's limits: 52 characters for a CronJob's name, 63 for a pod's host name.
			if problems := validation.IsDNS1035Label(o.GetName()); len(problems) > 0 || len(o.GetName()) > 57 {
				t.Errorf("%s: %T %s: %v", name, o, o.GetName(), problems)
			}
			if o.GetNamespace() != "scores" {
				t.Errorf("%s: %T %s is in namespace %q", name, o, o.GetName(), o.GetNamespace())
			}
			for key, value := range o.GetLabels() {
				if problems := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...); len(problems) > 0 {
					t.Errorf("%s: label %s=%s: %v", name, key, value, problems)
				}
			}
			id := fmt.Sprintf("%T %s", o, o.GetName())
			if seen[id] {
				t.Errorf("%s: two of %s", name, id)
			}
			seen[id] = true
		}
	}
}

// TestLifecycle checks that the grace period exceeds the programs' own stop time, and that probes use the admin
// listener. The API sleeps before it drains, while load balancers remove it.
func TestLifecycle(t *testing.T) {
	objects := render(t, "--values", examples(t)["production"], "--set", "drainSeconds=40,preStopSeconds=7")
	for _, d := range all[*apps.Deployment](objects) {
		spec := d.Spec.Template.Spec
		c := spec.Containers[0]
		env := environment(c)
		drain, err := time.ParseDuration(env["SCORELAY_DRAIN_TIMEOUT"])
		if err != nil || drain != 40*time.Second {
			t.Errorf("%s: SCORELAY_DRAIN_TIMEOUT is %q", d.Name, env["SCORELAY_DRAIN_TIMEOUT"])
		}
		stopping := drain
		if c.Name == "api" {
			stopping += time.Duration(c.Lifecycle.PreStop.Sleep.Seconds) * time.Second
			if c.Lifecycle.PreStop.Sleep.Seconds != 7 {
				t.Errorf("an API drains after %d seconds", c.Lifecycle.PreStop.Sleep.Seconds)
			}
		}
		const killGrace = 2 * time.Second // as in pkg/lifecycle
		if grace := time.Duration(*spec.TerminationGracePeriodSeconds) * time.Second; grace < stopping+killGrace {
			t.Errorf("%s is killed after %s, while it takes up to %s", d.Name, grace, stopping+killGrace)
		}
		_, port, _ := strings.Cut(env["SCORELAY_ADMIN_LISTEN"], ":")
		for _, probe := range []*core.Probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
			at := slices.IndexFunc(c.Ports, func(p core.ContainerPort) bool { return p.Name == probe.HTTPGet.Port.StrVal })
			if at < 0 || strconv.Itoa(int(c.Ports[at].ContainerPort)) != port {
				t.Errorf("%s: a probe asks port %s, not the admin listener", d.Name, probe.HTTPGet.Port.String())
			}
		}
		if c.ReadinessProbe.HTTPGet.Path != "/readyz" || c.LivenessProbe.HTTPGet.Path != "/livez" {
			t.Errorf("%s: the probes ask %s and %s", d.Name, c.LivenessProbe.HTTPGet.Path, c.ReadinessProbe.HTTPGet.Path)
		}
		if d.Spec.Strategy.RollingUpdate.MaxUnavailable.IntValue() != 0 {
			t.Errorf("%s: an upgrade takes pods away before others are there", d.Name)
		}
	}
}

// TestGoKnowsItsMemory checks that GOMEMLIMIT is 85 to 90 % of a container's limit, in any unit. Go then collects
// before the kernel kills the program.
func TestGoKnowsItsMemory(t *testing.T) {
	known := func(args ...string) (checked int) {
		for _, p := range pods(render(t, append([]string{"--values", examples(t)["production"]}, args...)...)) {
			c := p.Spec.Containers[0]
			memory, limited := c.Resources.Limits[core.ResourceMemory]
			text, is := environment(c)["GOMEMLIMIT"]
			if is != limited {
				t.Errorf("%s: limited is %v, and Go knows %q", p.owner, limited, text)
			}
			if !limited {
				continue
			}
			bytes, err := strconv.ParseInt(text, 10, 64)
			if part := float64(bytes) / memory.AsApproximateFloat64(); err != nil || part < 0.85 || part > 0.9 {
				t.Errorf("%s: Go has %q of %s, which is not 85 to 90 %%", p.owner, text, memory.String())
			}
			checked++
		}
		return checked
	}
	if known() < 3 {
		t.Error("there are hardly any pods")
	}
	for _, limit := range []string{"1Gi", "1.5Gi", "1500M", "900000Ki", "1G", "1200000000"} {
		known("--set-string", "api.resources.limits.memory="+limit)
	}
	known("--set", "api.resources.limits.memory=null")
}

func environment(c core.Container) map[string]string {
	env := map[string]string{}
	for _, variable := range c.Env {
		env[variable.Name] = variable.Value
	}
	return env
}

// TestScaling checks that autoscaled Deployments set no replicas, and that there is at most one relayer per lane.
func TestScaling(t *testing.T) {
	objects := render(t, "--values", examples(t)["production"])
	for _, d := range all[*apps.Deployment](objects) {
		if d.Spec.Replicas != nil {
			t.Errorf("%s has %d replicas beside its autoscaler", d.Name, *d.Spec.Replicas)
		}
	}
	hpa := named[*autoscaling.HorizontalPodAutoscaler](t, objects, "-api")
	if hpa.Spec.ScaleTargetRef.Name != named[*apps.Deployment](t, objects, "-api").Name || *hpa.Spec.MinReplicas != 3 || hpa.Spec.MaxReplicas != 8 {
		t.Errorf("the API's autoscaler is %+v", hpa.Spec)
	}
	scaled := named[scaledObject](t, objects, "-relayer")
	if scaled.Spec.ScaleTargetRef.Name != named[*apps.Deployment](t, objects, "-relayer").Name || *scaled.Spec.MaxReplicaCount != 4 || *scaled.Spec.MinReplicaCount != 2 {
		t.Errorf("the relayers' autoscaler is %+v", scaled.Spec)
	}
	if want := `sum(max by (lane) (scorelay_relay_backlog_updates{namespace="scores",service="scorelay-relayer-admin"}))`; scaled.Spec.Triggers[0].Metadata["query"] != want {
		t.Errorf("KEDA asks for %s", scaled.Spec.Triggers[0].Metadata["query"])
	}
	one := named[scaledObject](t, render(t, "--values", examples(t)["production"], "--set", "relayer.autoscaling.lanes=1"), "-relayer")
	if *one.Spec.MinReplicaCount != 1 || *one.Spec.MaxReplicaCount != 1 {
		t.Errorf("one lane has %d to %d relayers", *one.Spec.MinReplicaCount, *one.Spec.MaxReplicaCount)
	}
}

// TestScaledObjectIsValid validates the ScaledObject by KEDA's own definition, which includes values and bounds.
func TestScaledObjectIsValid(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/kedacore/keda/v2").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "config", "crd", "bases", "keda.sh_scaledobjects.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var definition struct {
		Spec struct {
			Versions []struct {
				Name   string
				Schema struct {
					OpenAPIV3Schema any `json:"openAPIV3Schema"`
				}
			}
		}
	}
	if err := yaml.Unmarshal(text, &definition); err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("scaledobject", definition.Spec.Versions[0].Schema.OpenAPIV3Schema); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("scaledobject")
	if err != nil {
		t.Fatal(err)
	}
	out, err := run("template", "scorelay", chart, "--kube-version", kubernetes, "--values", examples(t)["production"], "--show-only", "templates/relayer.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, document, _ := strings.Cut(out, "\nkind: ScaledObject\n")
	var is map[string]any
	if err := yaml.Unmarshal([]byte(document), &is); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(is); err != nil {
		t.Error(err)
	}
	is["spec"].(map[string]any)["fallback"].(map[string]any)["behavior"] = "guess"
	if schema.Validate(is) == nil {
		t.Error("KEDA's definition takes anything")
	}
	if err := keda.CheckReplicaCountBoundsAreValid(named[scaledObject](t, decode(t, out), "-relayer")); err != nil {
		t.Error(err)
	}
}

// TestAlerts checks that a packaged chart contains the tested alerts.
func TestAlerts(t *testing.T) {
	dir := t.TempDir()
	if out, err := run("package", chart, "--destination", dir); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(root, "deploy", "observability", "rules.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var want monitoring.PrometheusRuleSpec
	if err := yaml.UnmarshalStrict(text, &want); err != nil {
		t.Fatal(err)
	}
	out, err := run("template", "scorelay", filepath.Join(dir, "scorelay-0.1.0.tgz"), "--kube-version", kubernetes, "--values", examples(t)["production"])
	if err != nil {
		t.Fatal(err)
	}
	rules := all[*monitoring.PrometheusRule](decode(t, out))
	if len(rules) != 1 || !reflect.DeepEqual(rules[0].Spec, want) || len(want.Groups) == 0 {
		t.Errorf("the alerts are %+v", rules)
	}
}

// TestNetworkPolicy checks each component's ports, incoming and outgoing.
func TestNetworkPolicy(t *testing.T) {
	objects := render(t, "--values", examples(t)["production"], "--set", "setup.enabled=true,setup.deployer.secret=d,networkPolicy.webhooks.ports={8443}")
	ports := func(p []networking.NetworkPolicyPort) (out []int) {
		for _, port := range p {
			out = append(out, port.Port.IntValue())
		}
		return out
	}
	for suffix, want := range map[string]struct{ in, out []int }{
		"-api":     {[]int{8080, 9100}, []int{53, 53, 4222, 8222, 6379, 443}},
		"-relayer": {[]int{9100}, []int{53, 53, 4222, 8222, 6379, 443, 8443}},
		"-setup":   {nil, []int{53, 53, 4222, 8222, 443}},
		"-audit":   {nil, []int{53, 53, 4222, 8222, 443}},
	} {
		p := named[*networking.NetworkPolicy](t, objects, suffix)
		var in, out []int
		for _, rule := range p.Spec.Ingress {
			in = append(in, ports(rule.Ports)...)
			if slices.Contains(ports(rule.Ports), 9100) && len(rule.From) == 0 {
				t.Errorf("%s: everyone may reach the admin listener", p.Name)
			}
		}
		for _, rule := range p.Spec.Egress {
			out = append(out, ports(rule.Ports)...)
		}
		if !slices.Equal(in, want.in) || !slices.Equal(out, want.out) || len(p.Spec.PolicyTypes) != 2 {
			t.Errorf("%s: in on %v, out on %v; want %v and %v", p.Name, in, out, want.in, want.out)
		}
	}
}

// TestSetupIsAnotherJobForOtherValues: Jobs are immutable, so the name changes exactly when the Job does.
func TestSetupIsAnotherJobForOtherValues(t *testing.T) {
	name := func(more ...string) string {
		return all[*batch.Job](render(t, append([]string{"--values", examples(t)["small"]}, more...)...))[0].Name
	}
	first, again, unrelated, other := name(), name(), name("--set", "api.replicas=5"), name("--set", "image.tag=v9")
	if first != again || first != unrelated || first == other {
		t.Errorf("the Job is %s, again %s, with more APIs %s, with another image %s", first, again, unrelated, other)
	}
}

// TestUnusedIsAbsent checks that disabled features render no objects.
func TestUnusedIsAbsent(t *testing.T) {
	for _, o := range render(t, append(variants(t)["least"], "--set", "networkPolicy.enabled=false,podDisruptionBudget.enabled=false")...) {
		switch o.(type) {
		case *apps.Deployment, *core.Service, *core.ServiceAccount, *batch.CronJob:
		default:
			t.Errorf("%T %s is there", o, o.GetName())
		}
	}
	var made []string
	for _, o := range render(t, "--values", examples(t)["external"]) {
		if _, is := o.(*networking.Ingress); is {
			made = append(made, o.GetName())
		}
	}
	if !slices.Equal(made, []string{"scorelay-api"}) {
		t.Errorf("the Ingresses of the external example are %v", made)
	}
}

// TestOnlyWhoSignsHasACloudsIdentity checks that each component has its own account, annotated only if it signs.
func TestOnlyWhoSignsHasACloudsIdentity(t *testing.T) {
	objects := render(t, "--values", examples(t)["small"], "--set-string", `serviceAccount.annotations.eks\.amazonaws\.com/role-arn=arn:role`)
	made := map[string]bool{}
	for _, a := range all[*core.ServiceAccount](objects) {
		of := a.Labels["app.kubernetes.io/component"]
		signs := of == "relayer" || of == "setup"
		if has := a.Annotations["eks.amazonaws.com/role-arn"] == "arn:role"; has != signs || len(a.Annotations) > 1 {
			t.Errorf("the account %s is annotated with %v", a.Name, a.Annotations)
		}
		if *a.AutomountServiceAccountToken {
			t.Errorf("the account %s gives pods its token", a.Name)
		}
		made[a.Name] = true
	}
	used := map[string]bool{}
	for _, p := range pods(objects) {
		if account := p.Spec.ServiceAccountName; !strings.HasSuffix(account, "-"+p.Labels["app.kubernetes.io/component"]) || !made[account] {
			t.Errorf("%s runs as %s", p.owner, account)
		}
		used[p.Spec.ServiceAccountName] = true
	}
	if len(made) != 4 || len(used) != 4 {
		t.Errorf("the accounts are %v, of which pods use %v", made, used)
	}
	for account, want := range map[string][]string{"": {"default", "default"}, "there": {"default", "there"}} {
		objects := render(t, "--values", examples(t)["small"], "--set", "serviceAccount.create=false,serviceAccount.name="+account)
		if len(all[*core.ServiceAccount](objects)) > 0 {
			t.Error("accounts are made although create is false")
		}
		for _, p := range pods(objects) {
			signs := slices.Contains([]string{"relayer", "setup"}, p.Labels["app.kubernetes.io/component"])
			if is := p.Spec.ServiceAccountName; is != want[map[bool]int{true: 1}[signs]] {
				t.Errorf("%s runs as %s, with the name %q", p.owner, is, account)
			}
		}
	}
}

// TestRelayersAreUpgradedFirst runs the README's steps: the first rolls only relayers, the second only APIs.
func TestRelayersAreUpgradedFirst(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(chart, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	steps := [][]string{{"--set", "image.tag=OLD"}}
	for line := range strings.Lines(string(text)) {
		if _, set, is := strings.Cut(line, "helm upgrade scorelay deploy/helm/scorelay -n scores -f values.yaml "); is {
			set, wait := strings.CutSuffix(strings.TrimSuffix(strings.TrimSpace(set), " &&"), " --wait")
			if !wait {
				t.Errorf("a step does not wait: %s", line)
			}
			steps = append(steps, strings.Fields(set))
		}
	}
	if len(steps) != 3 {
		t.Fatalf("the README has the steps %v", steps[1:])
	}
	for name, values := range map[string][]string{"small": {"--values", examples(t)["small"]}, "production": {"--values", examples(t)["production"]}} {
		var before []object
		for n, step := range steps {
			now := render(t, append(slices.Clone(values), step...)...)
			for _, program := range []string{"api", "relayer"} {
				d := named[*apps.Deployment](t, now, "-"+program)
				tag := map[bool]string{true: "NEW", false: "OLD"}[program == "relayer" && n > 0 || n > 1]
				if image := d.Spec.Template.Spec.Containers[0].Image; !strings.HasSuffix(image, "/"+program+":"+tag) || d.Labels["app.kubernetes.io/version"] != tag {
					t.Errorf("%s: after step %d the %s is %s, labelled %s", name, n, program, image, d.Labels["app.kubernetes.io/version"])
				}
				if n == 0 {
					continue
				}
				rolls := !reflect.DeepEqual(d.Spec.Template, named[*apps.Deployment](t, before, "-"+program).Spec.Template)
				if rolls != (program == []string{"relayer", "api"}[n-1]) {
					t.Errorf("%s: that the %s is rolled in step %d is %t", name, program, n, rolls)
				}
			}
			before = now
		}
	}
}
