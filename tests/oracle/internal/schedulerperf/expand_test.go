package schedulerperf

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const exampleConfig = `
- name: Basic
  defaultPodTemplatePath: ../templates/pod.yaml
  featureGates: {One: false}
  workloadTemplate:
  - opcode: createNodes
    countParam: $nodes
    labelNodePrepareStrategy: {labelKey: zone, labelValues: [a, b]}
  - opcode: churn
    mode: recreate
    number: 1
    intervalMilliseconds: 1000
    templatePaths: [../templates/pod.yaml]
  - opcode: createPods
    namespace: here
    countParam: $pods
    templateParams: {size: $size|2}
    collectMetrics: true
  - opcode: deletePods
    namespace: here
    labelSelector: {app: web}
  - opcode: createAny
    templatePath: ../templates/claim.yaml
    namespace: init
  - opcode: allocResourceClaims
    namespace: init
  workloads:
  - name: small
    threshold: {sub: 2, other: 7}
    labels: [performance]
    featureGates: {Two: true}
    params: {nodes: 3, pods: 5}
  - name: short
    params: {nodes: 1, pods: 1}
- name: Unknown
  workloadTemplate: [{opcode: solveEverything}]
  workloads: [{name: w, labels: [performance]}]
`

const podTemplate = `
apiVersion: v1
kind: Pod
metadata:
  generateName: p-
  labels: {app: web}
spec: {priority: {{or .size 9}}{{.Index}}}
`

const claimTemplate = `
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {generateName: c-}
`

func expand(t *testing.T) []string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"sub/performance-config.yaml": exampleConfig, "templates/pod.yaml": podTemplate,
		"templates/claim.yaml": claimTemplate,
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cases, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = Expand(&out, cases, func(_ string, labels []string) bool { return slices.Contains(labels, "performance") })
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

func TestExpand(t *testing.T) {
	verbs := ""
	lines := expand(t)
	for _, line := range lines {
		verb, _, _ := strings.Cut(line, " ")
		verbs += verb + " "
	}
	// Three nodes, the namespaces of churn and pods, five pods; at two pods a second and a change
	// each second, the churn makes a pod after two pods and deletes it after two more.
	wanted := "workload add add add add add measure add add place add add add place delete add place stop " +
		"delete delete delete delete delete add add add place delete skip "
	if verbs != wanted {
		t.Errorf("found  %s\nwanted %s", verbs, wanted)
	}
	for idx, part := range map[int]string{
		0:  "workload sub/Basic/small 2 - One=false,Two=true",
		1:  `"labels":{"kubernetes.io/hostname":"scheduler-perf-00000","zone":"a"},"name":"scheduler-perf-00000"`,
		2:  `"zone":"b"`,
		3:  `"allocatable":{"cpu":"4","memory":"32Gi","pods":"110"}`,
		7:  `"signature":"signature-label-0"`,
		8:  `"priority":21`,
		10: `"namespace":"namespace-1"`,
		14: "delete Pod namespace-1 p-00000",
		18: "delete Pod here p-00000",
		24: `"kind":"ResourceClaim","metadata":{"name":"c-00000","namespace":"init"}`,
		25: `"resourceClaimName":"c-00000"`,
		27: "delete Pod init allocates-c-00000",
		28: "skip sub/Unknown/w has the operation solveEverything",
	} {
		if idx >= len(lines) || !strings.Contains(lines[idx], part) {
			t.Errorf("line %d lacks %s", idx, part)
		}
	}
}

// A pod's claims are made with it and leave with it.
func TestClaimsOfTemplates(t *testing.T) {
	var out strings.Builder
	e := expansion{out: &out, claimTemplates: map[string]object{
		"here/t": {"spec": object{"spec": object{"devices": object{}}}}}}
	it := object{"metadata": object{}, "spec": object{"resourceClaims": []any{
		object{"name": "a", "resourceClaimTemplateName": "t"},
		object{"name": "b", "resourceClaimName": "shared"},
		object{"name": "c", "resourceClaimTemplateName": "later"}}}}
	names, err := e.makeClaims(it, "here", "p")
	if err != nil || !slices.Equal(names, []string{"p-a"}) {
		t.Fatalf("found %v, %v", names, err)
	}
	e.leave(pod{namespace: "here", name: "p", claims: names})
	lines := strings.Split(out.String(), "\n")
	if !strings.Contains(lines[0], `"spec":{"devices":{}}`) || !strings.Contains(lines[0], `"name":"p-a","namespace":"here"`) {
		t.Errorf("found %s", lines[0])
	}
	if wanted := []string{"delete Pod here p", "delete ResourceClaim here p-a", ""}; !slices.Equal(lines[1:], wanted) {
		t.Errorf("found %v", lines[1:])
	}
	if meta := child(it, "metadata"); meta["uid"] != "p" {
		t.Error("the pod has no uid")
	}
}

func TestMistakes(t *testing.T) {
	for text, reason := range map[string]string{
		"- name: [": "yaml",
		"- {name: A, workloadTemplate: [{opcode: createNodes, countParam: $no}], workloads: [{name: w}]}":                            "there is no parameter no",
		"- {name: A, workloadTemplate: [{opcode: createNodes, countParam: $nodes}], workloads: [{name: w, params: {nodes: many}}]}":  "many",
		"- {name: A, workloadTemplate: [{opcode: createPods, count: 1, podTemplatePath: none.yaml}], workloads: [{name: w}]}":        "none.yaml",
		"- {name: A, workloadTemplate: [{opcode: createPods, count: 1, steadyState: true, duration: long}], workloads: [{name: w}]}": "long",
	} {
		root := t.TempDir()
		if err := os.WriteFile(filepath.Join(root, "performance-config.yaml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		cases, err := Load(root)
		if err == nil {
			err = Expand(&strings.Builder{}, cases, func(string, []string) bool { return true })
		}
		if err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: found %v, wanted %s", text, err, reason)
		}
	}
}
