// Package check tests the Helm chart with Helm itself, with the Go types of Kubernetes and its operators, and with
// the settings and metrics of the programs. It is a separate module to keep these dependencies out of Scorelay's.
package check

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	keda "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	helm "helm.sh/helm/v4/pkg/cmd"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

const (
	root  = "../../.."
	chart = "../scorelay"
	// kubernetes is the oldest supported version.
	kubernetes = "v1.30.0"
)

// TestMain isolates Helm from the machine's settings and clusters.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "helm")
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME", "KUBECONFIG"} {
		if err := os.Setenv(name, filepath.Join(dir, name)); err != nil {
			panic(err)
		}
	}
	status := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(status)
}

// run executes a Helm command line.
func run(args ...string) (string, error) {
	var out bytes.Buffer
	command, err := helm.NewRootCmd(&out, args, helm.SetupLogging)
	if err != nil {
		return "", err
	}
	command.SetArgs(args)
	command.SetOut(&out)
	command.SetErr(&out)
	command.SilenceErrors = true
	err = command.Execute()
	return out.String(), err
}

// examples returns the chart's example value files by name.
func examples(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(chart, "examples", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]string{}
	for _, file := range files {
		byName[strings.TrimSuffix(filepath.Base(file), ".yaml")] = file
	}
	for _, name := range []string{"small", "production", "external"} {
		if byName[name] == "" {
			t.Fatalf("there is no example %s", name)
		}
	}
	return byName
}

// object is a rendered object, as its consumer's Go type.
type object interface{ meta.Object }

// empty contains a constructor for each kind that the chart may render.
var empty = map[string]func() object{
	"apps/v1 Deployment":                      func() object { return &apps.Deployment{} },
	"autoscaling/v2 HorizontalPodAutoscaler":  func() object { return &autoscaling.HorizontalPodAutoscaler{} },
	"batch/v1 CronJob":                        func() object { return &batch.CronJob{} },
	"batch/v1 Job":                            func() object { return &batch.Job{} },
	"keda.sh/v1alpha1 ScaledObject":           func() object { return &keda.ScaledObject{} },
	"monitoring.coreos.com/v1 PrometheusRule": func() object { return &monitoring.PrometheusRule{} },
	"monitoring.coreos.com/v1 ServiceMonitor": func() object { return &monitoring.ServiceMonitor{} },
	"networking.k8s.io/v1 Ingress":            func() object { return &networking.Ingress{} },
	"networking.k8s.io/v1 NetworkPolicy":      func() object { return &networking.NetworkPolicy{} },
	"policy/v1 PodDisruptionBudget":           func() object { return &policy.PodDisruptionBudget{} },
	"v1 Service":                              func() object { return &core.Service{} },
	"v1 ServiceAccount":                       func() object { return &core.ServiceAccount{} },
}

// render returns the chart's objects, decoded strictly: an unknown or repeated field fails the test.
func render(t *testing.T, args ...string) []object {
	t.Helper()
	out, err := run(append([]string{"template", "scorelay", chart, "--kube-version", kubernetes, "--namespace", "scores"}, args...)...)
	if err != nil {
		t.Fatalf("helm template %v: %v\n%s", args, err, out)
	}
	return decode(t, out)
}

func decode(t *testing.T, manifests string) (objects []object) {
	t.Helper()
	for _, document := range strings.Split("\n"+manifests, "\n---\n") {
		var kind meta.TypeMeta
		if err := yaml.Unmarshal([]byte(document), &kind); err != nil {
			t.Fatalf("%v in\n%s", err, document)
		}
		if kind.Kind == "" { // only comments
			continue
		}
		name := kind.APIVersion + " " + kind.Kind
		if empty[name] == nil {
			t.Fatalf("the chart makes a %s, which is not among the kinds that it may make", name)
		}
		made := empty[name]()
		if err := yaml.UnmarshalStrict([]byte(document), made); err != nil {
			t.Fatalf("%s: %v in\n%s", name, err, document)
		}
		objects = append(objects, made)
	}
	return objects
}

func all[T object](objects []object) (found []T) {
	for _, o := range objects {
		if is, ok := o.(T); ok {
			found = append(found, is)
		}
	}
	return found
}

// named returns an object by type and suffix of its name.
func named[T object](t *testing.T, objects []object, suffix string) (found T) {
	t.Helper()
	for _, o := range all[T](objects) {
		if strings.HasSuffix(o.GetName(), suffix) {
			return o
		}
	}
	t.Fatalf("there is no %T named …%s", found, suffix)
	return found
}

// pod is a pod template and its owner's name.
type pod struct {
	owner string
	core.PodTemplateSpec
}

func pods(objects []object) (found []pod) {
	for _, d := range all[*apps.Deployment](objects) {
		found = append(found, pod{d.Name, d.Spec.Template})
	}
	for _, j := range all[*batch.Job](objects) {
		found = append(found, pod{j.Name, j.Spec.Template})
	}
	for _, j := range all[*batch.CronJob](objects) {
		found = append(found, pod{j.Name, j.Spec.JobTemplate.Spec.Template})
	}
	return found
}

// variants returns Helm arguments by name: the examples, and values for the chart's other branches.
func variants(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for name, file := range examples(t) {
		all[name] = []string{"--values", file}
	}
	all["least"] = []string{
		"--set", "nats.url=nats://nats:4222,nats.monitorURLs={http://nats:8222},redis.url=redis://redis:6379,chain.rpc=http://node:8545",
		"--set", "relayer.keystore.secret=signers,relayer.keystore.passwordSecret.name=password",
	}
	all["setup by addresses"] = []string{
		"--values", examples(t)["external"], "--set", "setup.enabled=true,setup.deployer.secret=d,setup.deployer.passwordKey=,setup.admin=0x" + strings.Repeat("a", 40),
		"--set", fmt.Sprintf("setup.relayers={0x%s,0x%s}", strings.Repeat("1", 40), strings.Repeat("2", 40)),
		"--set", "setup.contract=0x" + strings.Repeat("c", 40) + ",setup.deployBlock=123456789,setup.streamMaxBytes=68719476736",
	}
	all["names that YAML takes for numbers"] = []string{
		"--values", examples(t)["external"], "--set-string", "nats.credentialsSecret.name=1,redis.urlSecret.key=2,relayer.keystore.secret=0x3,relayer.keystore.passwordSecret.name=11,api.tls.secret=1e3",
		"--set-string", "image.tag=4,image.pullSecrets={5},serviceAccount.name=6,api.pod.priorityClassName=7,api.ingress.className=true,authorities.configMap=8",
	}
	all["keystore and remote signers"] = []string{
		"--values", examples(t)["small"], "--set", "relayer.secrets={web3signer-token,web3signer-tls}",
		"--set", "relayer.topUp.secret=t,relayer.topUp.passwordKey=", "--set-string", "relayer.settings.SCORELAY_TOPUP_BELOW_ETHER=1,relayer.settings.SCORELAY_TOPUP_TO_ETHER=2,relayer.settings.SCORELAY_TOPUP_PER_DAY_ETHER=5",
	}
	all["names as long as they may be"] = []string{"--values", examples(t)["small"], "--set", "fullnameOverride=" + strings.Repeat("long", 20)}
	return all
}

func TestHelmLint(t *testing.T) {
	for name, values := range variants(t) {
		out, err := run(append([]string{"lint", "--strict", chart, "--kube-version", kubernetes}, values...)...)
		if err != nil || strings.Contains(out, "[WARNING]") || strings.Contains(out, "[ERROR]") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// TestRefused checks that unusable values are refused, with a message that names the fix or the value.
func TestRefused(t *testing.T) {
	small := []string{"--values", examples(t)["small"]}
	for name, test := range map[string]struct {
		args []string
		want []string
	}{
		"nothing is set":         {nil, []string{"set nats.url or nats.urlSecret.name", "set redis.url or redis.urlSecret.name", "set chain.rpc or chain.rpcSecret.name", "set nats.monitorURLs", "set relayer.keystore.secret"}},
		"a password in a URL":    {append(small, "--set", "redis.url=redis://u:secret@redis:6379"), []string{"/redis/url"}},
		"a URL twice":            {append(small, "--set", "nats.urlSecret.name=scorelay"), []string{"nats.url and nats.urlSecret.name are both set"}},
		"no setting":             {append(small, "--set-string", "api.settings.SCORELAY_RAET=5"), []string{"SCORELAY_RAET"}},
		"another program's":      {append(small, "--set-string", "relayer.settings.SCORELAY_RATE=5"), []string{"SCORELAY_RATE"}},
		"of one program for all": {append(small, "--set-string", "settings.SCORELAY_RATE=5"), []string{"SCORELAY_RATE"}},
		"what the chart sets":    {append(small, "--set-string", "api.settings.SCORELAY_DRAIN_TIMEOUT=1h"), []string{"SCORELAY_DRAIN_TIMEOUT"}},
		"a secret setting":       {append(small, "--set-string", "relayer.settings.SCORELAY_SIGNER_KEYS=ab"), []string{"SCORELAY_SIGNER_KEYS"}},
		"a number, not quoted":   {append(small, "--set-json", "api.settings.SCORELAY_GAS_PER_DAY=1000000000"), []string{"SCORELAY_GAS_PER_DAY", "string"}},
		"no value of the chart":  {append(small, "--set", "relayer.replica=3"), []string{"replica"}},
		"lanes not known":        {append(small, "--set", "relayer.autoscaling.enabled=true"), []string{"set relayer.autoscaling.lanes", "set relayer.autoscaling.prometheus"}},
		"no ceiling":             {append(small, "--set", "relayer.topUp.secret=t"), []string{"SCORELAY_TOPUP_PER_DAY_ETHER"}},
		"password among keys":    {append(small, "--set", "relayer.keystore.passwordSecret.name=scorelay-signers"), []string{"must be another Secret"}},
		"an account of others":   {append(small, "--set", "serviceAccount.name=there"), []string{"serviceAccount.name is of one that is there"}},
		"whose annotations":      {append(small, "--set", "serviceAccount.create=false,serviceAccount.annotations.a=b"), []string{"serviceAccount.annotations need serviceAccount.create"}},
		"a tag of no program":    {append(small, "--set", "image.tags.setup=v1"), []string{"setup"}},
		"setup without deployer": {append(small, "--set", "setup.deployer.secret="), []string{"set setup.deployer.secret"}},
	} {
		out, err := run(append([]string{"template", "scorelay", chart, "--kube-version", kubernetes}, test.args...)...)
		if err == nil {
			t.Errorf("%s: was rendered\n%s", name, out)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q is not in\n%v", name, want, err)
			}
		}
	}
}
