// Package chart renders the Helm chart of tools/live/deploy as Helm does, and checks the result:
// every object strictly against the types of its API, the configuration with berth itself,
// expressions with Prometheus' own parser, and that berth.yaml is the chart with its default
// values.
package chart

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"github.com/prometheus/prometheus/promql/parser"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
)

const deploy = "../../../tools/live/deploy"

type values = map[string]any

// object is one rendered object.
type object struct {
	kind, namespace, name string
	text                  []byte
}

func load(t *testing.T) *chart.Chart {
	t.Helper()
	c, err := loader.LoadDir(filepath.Join(deploy, "chart"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func renderTexts(t *testing.T, c *chart.Chart, changed values) (map[string]string, error) {
	t.Helper()
	release := chartutil.ReleaseOptions{Name: "berth", Namespace: "kube-system", IsInstall: true}
	all, err := chartutil.ToRenderValues(c, changed, release, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return engine.Render(c, all)
}

var separator = regexp.MustCompile(`(?m)^---\s*$`)

// render returns the objects that Helm would apply.
func render(t *testing.T, changed values) []object {
	t.Helper()
	texts, err := renderTexts(t, load(t), changed)
	if err != nil {
		t.Fatal(err)
	}
	var out []object
	for file, text := range texts {
		if !strings.HasSuffix(file, ".yaml") {
			continue
		}
		for _, part := range separator.Split(text, -1) {
			var head struct {
				Kind     string
				Metadata struct{ Namespace, Name string }
			}
			if strings.TrimSpace(part) == "" {
				continue
			}
			if err := yaml.Unmarshal([]byte(part), &head); err != nil {
				t.Fatalf("%s: %v\n%s", file, err, part)
			}
			out = append(out, object{head.Kind, head.Metadata.Namespace, head.Metadata.Name, []byte(part)})
		}
	}
	sort.SliceStable(out, func(i, j int) bool {
		return out[i].kind+out[i].namespace+out[i].name < out[j].kind+out[j].namespace+out[j].name
	})
	return out
}

// decode reads an object into the type of its kind; fields that the type lacks are errors.
func decode(t *testing.T, o object) any {
	t.Helper()
	types := map[string]any{
		"ConfigMap": &core.ConfigMap{}, "Service": &core.Service{}, "ServiceAccount": &core.ServiceAccount{},
		"Deployment": &apps.Deployment{}, "PodDisruptionBudget": &policy.PodDisruptionBudget{},
		"NetworkPolicy": &networking.NetworkPolicy{}, "ClusterRole": &rbac.ClusterRole{},
		"ClusterRoleBinding": &rbac.ClusterRoleBinding{}, "Role": &rbac.Role{}, "RoleBinding": &rbac.RoleBinding{},
		"ServiceMonitor": &monitoring.ServiceMonitor{}, "PrometheusRule": &monitoring.PrometheusRule{},
	}
	into, known := types[o.kind]
	if !known {
		t.Fatalf("no type for kind %q:\n%s", o.kind, o.text)
	}
	if err := yaml.UnmarshalStrict(o.text, into); err != nil {
		t.Fatalf("%s %s: %v\n%s", o.kind, o.name, err, o.text)
	}
	return into
}

// find decodes the only object of a type.
func find[T any](t *testing.T, objects []object) *T {
	t.Helper()
	var found *T
	for _, o := range objects {
		if one, ok := decode(t, o).(*T); ok && (found == nil || o.name == "berth") {
			found = one
		}
	}
	return found
}

var everything = values{
	"replicas": 3, "kubernetes": "1.37.2", "logLevel": 4, "certificateSecret": "tls",
	"featureGates":   values{"GenericWorkload": true, "SchedulerPopFromBackoffQ": false},
	"extraArgs":      []any{"--pod-max-in-unschedulable-pods-duration=1m"},
	"nodeSelector":   values{"node-role.kubernetes.io/control-plane": ""},
	"tolerations":    []any{values{"operator": "Exists"}},
	"affinity":       values{"nodeAffinity": values{}},
	"podLabels":      values{"team": "a"},
	"podAnnotations": values{"note": "x"},
	"image":          values{"repository": "r.example/berth", "tag": "7", "pullSecrets": []any{"s"}},
	"networkPolicy": values{"enabled": true, "from": []any{values{"namespaceSelector": values{}}},
		"egress": []any{values{"to": []any{values{"podSelector": values{}}}}}},
	"metricsReaders": []any{values{"namespace": "monitoring", "name": "prometheus-k8s"}},
	"serviceMonitor": values{"enabled": true, "labels": values{"release": "p"}},
	"prometheusRule": values{"enabled": true}, "dashboard": values{"enabled": true},
	"profiles": []any{values{"schedulerName": "berth"}, values{"schedulerName": "packed"}},
	"configuration": values{"percentageOfNodesToScore": 40,
		"extenders": []any{values{"urlPrefix": "http://x", "filterVerb": "filter"}}},
}

var cases = map[string]values{
	"default": {}, "replace": {"mode": "replace"}, "shadow": {"mode": "shadow"}, "everything": everything,
	"other names": {"schedulerName": "packed", "leaseName": "packed"}, "one": {"replicas": 1},
}

func TestObjects(t *testing.T) {
	for name, changed := range cases {
		t.Run(name, func(t *testing.T) {
			objects := render(t, changed)
			seen := map[string]bool{}
			for _, o := range objects {
				decode(t, o)
				key := o.kind + "/" + o.namespace + "/" + o.name
				if o.name == "" || seen[key] {
					t.Errorf("%q is there twice, or has no name", key)
				}
				seen[key] = true
			}
			checkPod(t, objects)
			checkConfiguration(t, objects)
		})
	}
}

// checkPod checks that the pod meets a cluster's security rules, and that selectors select it.
func checkPod(t *testing.T, objects []object) {
	t.Helper()
	deployment := find[apps.Deployment](t, objects)
	template := deployment.Spec.Template
	for key, value := range deployment.Spec.Selector.MatchLabels {
		if template.Labels[key] != value {
			t.Errorf("the Deployment does not select its pods: %s", key)
		}
	}
	container := template.Spec.Containers[0]
	context := container.SecurityContext
	if !*template.Spec.SecurityContext.RunAsNonRoot || *context.AllowPrivilegeEscalation ||
		!*context.ReadOnlyRootFilesystem || !slices.Equal(context.Capabilities.Drop, []core.Capability{"ALL"}) {
		t.Error("the pod is not restricted")
	}
	volumes := map[string]bool{}
	for _, volume := range template.Spec.Volumes {
		volumes[volume.Name] = true
	}
	for _, mount := range container.VolumeMounts {
		if !volumes[mount.Name] {
			t.Errorf("no volume %s", mount.Name)
		}
	}
	if budget := find[policy.PodDisruptionBudget](t, objects); (budget != nil) != (*deployment.Spec.Replicas > 1) {
		t.Errorf("%d replicas, and the budget is %v", *deployment.Spec.Replicas, budget)
	}
}

func configuration(t *testing.T, objects []object) (values, string) {
	t.Helper()
	text := find[core.ConfigMap](t, objects).Data["config.yaml"]
	var config values
	if err := yaml.UnmarshalStrict([]byte(text), &config); err != nil {
		t.Fatal(err)
	}
	return config, text
}

// checkConfiguration makes berth read the configuration and the options, as in the container.
func checkConfiguration(t *testing.T, objects []object) {
	t.Helper()
	program := os.Getenv("BERTH")
	if program == "" {
		t.Skip("BERTH names no program")
	}
	_, text := configuration(t, objects)
	folder := t.TempDir()
	file := filepath.Join(folder, "config.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	arguments := slices.Clone(find[apps.Deployment](t, objects).Spec.Template.Spec.Containers[0].Args)
	arguments[slices.Index(arguments, "/etc/berth/config.yaml")] = file
	arguments = append(arguments, "--write-config-to", filepath.Join(folder, "written.yaml"))
	if out, err := exec.Command(program, arguments...).CombinedOutput(); err != nil {
		t.Errorf("berth %v: %v\n%s", arguments, err, out)
	}
}

func TestModes(t *testing.T) {
	for mode, wanted := range map[string]struct {
		election values
		profile  string
		writes   bool
		replicas int32
	}{
		"second": {values{"leaderElect": true, "resourceName": "berth", "resourceNamespace": "kube-system"},
			"berth", true, 2},
		"replace": {values{"leaderElect": true, "resourceName": "kube-scheduler", "resourceNamespace": "kube-system"},
			"default-scheduler", true, 2},
		"shadow": {values{"leaderElect": false}, "default-scheduler", false, 1},
	} {
		objects := render(t, values{"mode": mode})
		config, _ := configuration(t, objects)
		if fmt.Sprint(config["leaderElection"]) != fmt.Sprint(wanted.election) {
			t.Errorf("%s: leaderElection %v", mode, config["leaderElection"])
		}
		if fmt.Sprint(config["profiles"]) != fmt.Sprint([]any{values{"schedulerName": wanted.profile}}) {
			t.Errorf("%s: profiles %v", mode, config["profiles"])
		}
		deployment := find[apps.Deployment](t, objects)
		if *deployment.Spec.Replicas != wanted.replicas {
			t.Errorf("%s: %d replicas", mode, *deployment.Spec.Replicas)
		}
		if shadows := slices.Contains(deployment.Spec.Template.Spec.Containers[0].Args, "--dry-run"); shadows == wanted.writes {
			t.Errorf("%s: --dry-run is %v", mode, shadows)
		}
		checkRules(t, mode, objects, wanted.writes)
	}
}

// checkRules checks that a shadow can write nothing in the cluster, and that the others can change
// only their own Lease.
func checkRules(t *testing.T, mode string, objects []object, writes bool) {
	t.Helper()
	bindings := 0
	for _, rule := range find[rbac.ClusterRole](t, objects).Rules {
		reviews := slices.Contains(rule.APIGroups, "authentication.k8s.io") ||
			slices.Contains(rule.APIGroups, "authorization.k8s.io")
		for _, verb := range rule.Verbs {
			if !slices.Contains([]string{"get", "list", "watch"}, verb) && !reviews && !writes {
				t.Errorf("%s may %s %v", mode, verb, rule.Resources)
			}
		}
		if slices.Contains(rule.Resources, "pods/binding") {
			bindings++
		}
	}
	role := find[rbac.Role](t, objects)
	if (bindings == 1) != writes || (role != nil) != writes {
		t.Errorf("%s: %d rules for bindings, role %v", mode, bindings, role)
	}
	if role == nil {
		return
	}
	config, _ := configuration(t, objects)
	lease := config["leaderElection"].(values)["resourceName"]
	if got := role.Rules[1].ResourceNames; len(got) != 1 || got[0] != lease || role.Namespace != "kube-system" {
		t.Errorf("%s: leases %v in %s, and the configuration says %v", mode, got, role.Namespace, lease)
	}
}

// TestQuestions checks berth serve beside the scheduler: it has rights of its own, and the two
// selectors do not overlap.
func TestQuestions(t *testing.T) {
	for name, questions := range map[string]values{
		"plain": {"enabled": true},
		"all": {"enabled": true, "replicas": 2, "certificateSecret": "tls", "extraArgs": []any{"--deadline=2s"},
			"clients":       []any{values{"namespace": "batch", "name": "queue"}},
			"from":          []any{values{"namespaceSelector": values{}}},
			"configuration": values{"profiles": []any{values{"schedulerName": "packed"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			var own []object
			seen := map[string]bool{}
			for _, o := range render(t, values{"questions": questions, "networkPolicy": values{"enabled": true}}) {
				decode(t, o)
				key := o.kind + "/" + o.namespace + "/" + o.name
				if seen[key] {
					t.Errorf("%q is there twice", key)
				}
				seen[key] = true
				if strings.HasSuffix(strings.TrimSuffix(o.name, "-client"), "-questions") {
					own = append(own, o)
				}
			}
			checkQuestions(t, own, name == "all")
		})
	}
}

func checkQuestions(t *testing.T, objects []object, all bool) {
	t.Helper()
	deployment := find[apps.Deployment](t, objects)
	template := deployment.Spec.Template
	for key, value := range deployment.Spec.Selector.MatchLabels {
		if template.Labels[key] != value {
			t.Errorf("the Deployment does not select its pods: %s", key)
		}
	}
	if template.Labels["app.kubernetes.io/name"] != "berth-questions" {
		t.Error("the scheduler's selectors select these pods, too")
	}
	service := find[core.Service](t, objects)
	for key, value := range service.Spec.Selector {
		if template.Labels[key] != value {
			t.Errorf("the Service does not select the pods: %s", key)
		}
	}
	container := template.Spec.Containers[0]
	if !*template.Spec.SecurityContext.RunAsNonRoot || !*container.SecurityContext.ReadOnlyRootFilesystem {
		t.Error("the pod is not restricted")
	}
	if mounts := len(container.VolumeMounts); mounts != len(template.Spec.Volumes) || (mounts == 2) != all {
		t.Errorf("%d mounts of %d volumes", mounts, len(template.Spec.Volumes))
	}
	for _, rule := range find[rbac.ClusterRole](t, objects).Rules {
		for _, verb := range rule.Verbs {
			reviews := slices.Contains(rule.Resources, "tokenreviews") || slices.Contains(rule.Resources, "subjectaccessreviews")
			if verb != "get" && verb != "list" && verb != "watch" && !(verb == "create" && reviews) {
				t.Errorf("it may %s %v", verb, rule.Resources)
			}
		}
	}
	if bound := find[core.ConfigMap](t, objects) != nil; bound != all {
		t.Error("a configuration where none is given, or none")
	}
	checkServeArguments(t, container.Args)
}

// checkServeArguments checks that berth accepts the arguments: it fails only at a kubeconfig that
// does not exist.
func checkServeArguments(t *testing.T, arguments []string) {
	t.Helper()
	program := os.Getenv("BERTH")
	if program == "" {
		t.Skip("BERTH names no program")
	}
	arguments = append(slices.Clone(arguments), "--kubeconfig", filepath.Join(t.TempDir(), "none"))
	out, err := exec.Command(program, arguments...).CombinedOutput()
	if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != 3 || !strings.Contains(string(out), "none") {
		t.Errorf("berth %v: %v\n%s", arguments, err, out)
	}
}

func TestRefused(t *testing.T) {
	for why, changed := range map[string]values{
		"mode": {"mode": "third"}, "minimum": {"replicas": 0}, "additional properties 'replica'": {"replica": 2},
		"additional properties 'enable'": {"serviceMonitor": values{"enable": true}}, "kubernetes": {"kubernetes": "v1.36"},
		"configuration.profiles is set by the chart": {"configuration": values{"profiles": []any{}}},
		"configuration.leaderElection":               {"configuration": values{"leaderElection": values{}}},
	} {
		_, err := renderTexts(t, load(t), changed)
		if err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(why)) {
			t.Errorf("%v: %v lacks %q", changed, err, why)
		}
	}
}

// knownMetrics returns the metrics that berth serves: kube-scheduler's, its own, and those of the
// process.
func knownMetrics(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{"up": true}
	names, err := os.ReadFile("../../unit/metric_names/1.37.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(names)) {
		known[name] = true
	}
	for _, file := range []string{"metric_families.c", "metrics.c"} {
		text, err := os.ReadFile("../../../tools/live/serving/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, quoted := range regexp.MustCompile(`"(berth|process)_[a-z_]+"`).FindAll(text, -1) {
			known[strings.Trim(string(quoted), `"`)] = true
		}
	}
	return known
}

// checkExpression parses an expression and looks its metrics up.
func checkExpression(t *testing.T, known map[string]bool, expression string) {
	t.Helper()
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expression)
	if err != nil {
		t.Errorf("%s: %v", expression, err)
		return
	}
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		selector, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		name := selector.Name
		for _, part := range []string{"_bucket", "_sum", "_count"} {
			if base := strings.TrimSuffix(name, part); known[base] {
				name = base
			}
		}
		if !known[name] {
			t.Errorf("%s: there is no metric %s", expression, selector.Name)
		}
		return nil
	})
}

func TestAlerts(t *testing.T) {
	known := knownMetrics(t)
	for _, mode := range []string{"second", "replace", "shadow"} {
		rules := find[monitoring.PrometheusRule](t, render(t, values{"mode": mode, "prometheusRule": values{"enabled": true}}))
		alerts := 0
		for _, group := range rules.Spec.Groups {
			for _, rule := range group.Rules {
				checkExpression(t, known, rule.Expr.String())
				if rule.Annotations["summary"] == "" || rule.Annotations["description"] == "" || rule.Labels["severity"] == "" {
					t.Errorf("%s says too little", rule.Alert)
				}
				alerts++
			}
		}
		if alerts < 8 {
			t.Errorf("%s: %d alerts", mode, alerts)
		}
	}
}

func TestDashboard(t *testing.T) {
	var found *core.ConfigMap
	for _, o := range render(t, everything) {
		if o.name == "berth-dashboard" {
			found = decode(t, o).(*core.ConfigMap)
		}
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	decoder := json.NewDecoder(strings.NewReader(found.Data["scheduler.json"]))
	if err := decoder.Decode(&dashboard); err != nil {
		t.Fatal(err)
	}
	known := knownMetrics(t)
	for _, panel := range dashboard.Panels {
		if panel.Title == "" || len(panel.Targets) == 0 {
			t.Errorf("an empty panel %q", panel.Title)
		}
		for _, target := range panel.Targets {
			checkExpression(t, known, target.Expr)
		}
	}
}

func TestVersion(t *testing.T) {
	text, err := os.ReadFile("../../../CMakeLists.txt")
	if err != nil {
		t.Fatal(err)
	}
	version := string(regexp.MustCompile(`project\(berth VERSION ([0-9.]+)`).FindSubmatch(text)[1])
	if c := load(t); c.Metadata.Version != version || c.Metadata.AppVersion != version {
		t.Errorf("the chart is of %s, the application of %s, berth of %s", c.Metadata.Version, c.Metadata.AppVersion, version)
	}
}

const heading = "# The chart with its default values, for kubectl apply; made by tests/live/chart (BERTH_UPDATE=1).\n"

// TestPlainManifest checks that berth.yaml is the rendered chart without Helm's labels.
func TestPlainManifest(t *testing.T) {
	var out bytes.Buffer
	out.WriteString(heading)
	for _, o := range render(t, values{}) {
		text := regexp.MustCompile(`(?m)^ *(helm.sh/chart|app.kubernetes.io/managed-by):.*\n`).ReplaceAll(o.text, nil)
		text = regexp.MustCompile(`(?m)^\s*#.*\n`).ReplaceAll(text, nil)
		out.WriteString("---\n" + strings.TrimSpace(string(text)) + "\n")
	}
	file := filepath.Join(deploy, "berth.yaml")
	if os.Getenv("BERTH_UPDATE") != "" {
		if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(kept, out.Bytes()) {
		t.Errorf("%s differs from the chart (BERTH_UPDATE=1 writes it): %v", file, err)
	}
}
