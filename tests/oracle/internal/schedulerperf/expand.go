package schedulerperf

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// errUnsupported is why a workload cannot be expressed as changes of a cluster.
var errUnsupported = errors.New("not supported")

const (
	// Between pods that come one by one, and between changes beside them, time passes as if
	// kube-scheduler just met the threshold; this is the rate of workloads without one.
	plainRate = 500
	// Pods of a steady state, at most: more would only take longer.
	steadyMax = 20000
)

// A pod that was made and not deleted.
type pod struct {
	namespace, name string
	labels          map[string]any
	claims          []string // made for it
}

// An expansion writes the changes of one workload, a line each:
//
//	add OBJECT, update OBJECT       an object as JSON
//	delete KIND NAMESPACE NAME      the namespace is - for kinds without one
//	place                           decide until no waiting pod can be placed
//	measure, stop                   what is placed in between counts
type expansion struct {
	out       io.Writer
	test      *TestCase
	workload  *Workload
	templates templates
	pods      []pod
	claims    []claim
	spaces    map[string]bool
	serial    map[string]int // of generated names
	labels    map[*nodeLabel]int
	churns    []*churn
	measuring bool

	claimTemplates map[string]object // by namespace/name
}

// A churn makes or deletes objects each time that `every` more pods have come.
type churn struct {
	op        operation
	namespace string
	every     int
	left      int
	ticks     int
	made      [][]string // by template and place: the name of the object there
}

// Expand writes the workloads that `selected` chooses. Each begins with a line
//
//	workload NAME THRESHOLD CONFIGURATION GATES
//
// (0: no threshold; -: none), or is a line `skip NAME REASON`.
func Expand(out io.Writer, cases []TestCase, selected func(name string, labels []string) bool) error {
	parsed := templates{}
	for t := range cases {
		test := &cases[t]
		for w := range test.Workloads {
			workload := &test.Workloads[w]
			name := test.topic + "/" + test.Name + "/" + workload.Name
			if !selected(name, slices.Concat(test.Labels, workload.Labels)) {
				continue
			}
			if reason := refuses(test); reason != "" {
				fmt.Fprintf(out, "skip %s %s\n", name, reason)
				continue
			}
			fmt.Fprintf(out, "workload %s %g %s %s\n", name, workload.Threshold.of(test.topic),
				configuration(test), gates(test, workload))
			e := expansion{out: out, test: test, workload: workload, templates: parsed,
				spaces: map[string]bool{}, serial: map[string]int{}, labels: map[*nodeLabel]int{},
				claimTemplates: map[string]object{}}
			for i := range test.WorkloadTemplate {
				if err := e.run(i, test.WorkloadTemplate[i]); err != nil {
					return fmt.Errorf("%s, operation %d: %w", name, i, err)
				}
			}
		}
	}
	return nil
}

// refuses says which operation of a test case has no counterpart here; "" if all have one.
func refuses(test *TestCase) string {
	known := []string{"createNodes", "createNamespaces", "createPods", "createPodSets", "createAny", "createPodGroups",
		"updateAny", "allocResourceClaims", "deletePods", "churn", "barrier", "startCollectingMetrics", "stopCollectingMetrics"}
	for _, op := range test.WorkloadTemplate {
		if !slices.Contains(known, op.Opcode) {
			return "has the operation " + op.Opcode
		}
	}
	return ""
}

func configuration(test *TestCase) string {
	if test.SchedulerConfigPath == "" {
		return "-"
	}
	return filepath.Join(test.folder, test.SchedulerConfigPath)
}

func gates(test *TestCase, workload *Workload) string {
	all := map[string]bool{}
	maps.Copy(all, test.FeatureGates)
	maps.Copy(all, workload.FeatureGates)
	var words []string
	for name, on := range all {
		words = append(words, fmt.Sprintf("%s=%t", name, on))
	}
	sort.Strings(words)
	if len(words) == 0 {
		return "-"
	}
	return strings.Join(words, ",")
}

// ---- parameters ----

// param is the value of a parameter, named with or without its dollar sign.
func (e *expansion) param(name string) (any, error) {
	name, byDefault, hasDefault := strings.Cut(strings.TrimPrefix(name, "$"), "|")
	if value, ok := e.workload.Params[name]; ok {
		return value, nil
	}
	if !hasDefault {
		return nil, fmt.Errorf("there is no parameter %s", name)
	}
	var value any
	text, err := yaml.ToJSON([]byte(byDefault))
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	return value, err
}

// count is a number given as such, or by a parameter.
func (e *expansion) count(given int, name string) (int, error) {
	if name == "" {
		return given, nil
	}
	value, err := e.param(name)
	if err != nil {
		return 0, err
	}
	number, err := number(value)
	return int(number), err
}

func (e *expansion) params(of map[string]any) (map[string]any, error) {
	out := map[string]any{}
	for name, value := range of {
		out[name] = value
		if text, ok := value.(string); ok && strings.HasPrefix(text, "$") {
			resolved, err := e.param(text)
			if err != nil {
				return nil, err
			}
			out[name] = resolved
		}
	}
	return out, nil
}

func (e *expansion) path(relative string) string {
	return filepath.Join(e.test.folder, relative)
}

func (e *expansion) rate() float64 {
	if at := e.workload.Threshold.of(e.test.topic); at > 0 {
		return at
	}
	return plainRate
}

// ---- objects ----

func child(of object, name string) object {
	inner, ok := of[name].(object)
	if !ok {
		inner = object{}
		of[name] = inner
	}
	return inner
}

func (e *expansion) write(verb string, it object) error {
	text, err := json.Marshal(it)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.out, "%s %s\n", verb, text)
	return err
}

// name is the name of an object. One that has only the beginning of a name gets a name.
func (e *expansion) name(it object, namespace string) string {
	meta := child(it, "metadata")
	name, _ := meta["name"].(string)
	if prefix, ok := meta["generateName"].(string); ok && name == "" {
		key := fmt.Sprint(it["kind"], "/", namespace, "/", prefix)
		name = fmt.Sprintf("%s%05d", prefix, e.serial[key])
		e.serial[key]++
		meta["name"] = name
		delete(meta, "generateName")
	}
	return name
}

// add writes an object, named as above; one of a kind that has a namespace gets it. Returns the
// name.
func (e *expansion) add(it object, namespace string) (string, error) {
	if namespace != "" {
		child(it, "metadata")["namespace"] = namespace
	}
	return e.name(it, namespace), e.write("add", it)
}

func (e *expansion) delete(kind, namespace, name string) {
	if namespace == "" {
		namespace = "-"
	}
	fmt.Fprintf(e.out, "delete %s %s %s\n", kind, namespace, name)
}

func (e *expansion) namespace(name string, template object) error {
	if name == "" || name == "default" || e.spaces[name] {
		return nil
	}
	e.spaces[name] = true
	if template == nil {
		template = object{"apiVersion": "v1", "kind": "Namespace"}
	}
	child(template, "metadata")["name"] = name
	return e.write("add", template)
}

// isOfCluster says whether objects of this kind have no namespace.
func isOfCluster(kind any) bool {
	return slices.Contains([]string{"Node", "Namespace", "PersistentVolume", "StorageClass", "CSINode", "DeviceClass",
		"ResourceSlice", "PriorityClass"}, fmt.Sprint(kind))
}

func spaceOf(it object, namespace string) string {
	if isOfCluster(it["kind"]) {
		return ""
	}
	return namespace
}

// ---- operations ----

func (e *expansion) run(idx int, op operation) error {
	if op.CountParam != "" || op.CountMultiplierParam != "" {
		count, err := e.count(op.Count, op.CountParam)
		if err != nil {
			return err
		}
		times, err := e.count(1, op.CountMultiplierParam)
		if err != nil {
			return err
		}
		op.Count = count * times
	}
	switch op.Opcode {
	case "createNodes":
		return e.createNodes(op)
	case "createNamespaces":
		return e.createNamespaces(op)
	case "createPods":
		if op.Namespace == "" {
			op.Namespace = fmt.Sprintf("namespace-%d", idx)
		}
		return e.createPods(op)
	case "createPodSets":
		return e.createPodSets(op)
	case "createAny", "createPodGroups", "updateAny":
		return e.createAny(op)
	case "allocResourceClaims":
		return e.allocateClaims(op)
	case "deletePods":
		e.deletePods(op)
	case "churn":
		return e.startChurn(idx, op)
	case "barrier":
		fmt.Fprintln(e.out, "place")
	case "startCollectingMetrics":
		e.measure(true)
	case "stopCollectingMetrics":
		e.measure(false)
	default:
		return fmt.Errorf("%s: %w", op.Opcode, errUnsupported)
	}
	return nil
}

func (e *expansion) measure(on bool) {
	if e.measuring = on; on {
		fmt.Fprintln(e.out, "measure")
	} else {
		fmt.Fprintln(e.out, "stop")
	}
}

func (e *expansion) createNamespaces(op operation) error {
	for i := range op.Count {
		var template object
		if op.NamespaceTemplatePath != "" {
			var err error
			if template, err = e.templates.render(e.path(op.NamespaceTemplatePath), nil, nil); err != nil {
				return err
			}
		}
		if err := e.namespace(fmt.Sprintf("%s-%d", op.Prefix, i), template); err != nil {
			return err
		}
	}
	return nil
}

func (e *expansion) createAny(op operation) error {
	count := op.Count
	if count == 0 && op.CountParam == "" {
		count = 1
	}
	params, err := e.params(op.TemplateParams)
	if err != nil {
		return err
	}
	for i := range count {
		it, err := e.templates.render(e.path(op.TemplatePath), params, object{"Index": i, "Count": count})
		if err != nil {
			return err
		}
		space := spaceOf(it, op.Namespace)
		if err := e.namespace(space, nil); err != nil {
			return err
		}
		if op.Opcode != "updateAny" {
			name, err := e.add(it, space)
			if err != nil {
				return err
			}
			switch it["kind"] {
			case "ResourceClaim":
				e.claims = append(e.claims, claim{space, name})
			case "ResourceClaimTemplate":
				e.claimTemplates[space+"/"+name] = it
			}
			continue
		}
		if space != "" {
			child(it, "metadata")["namespace"] = space
		}
		if err := e.write("update", it); err != nil {
			return err
		}
	}
	return nil
}

// deletePods deletes the pods of a namespace with some labels, or all of them.
func (e *expansion) deletePods(op operation) {
	e.pods = slices.DeleteFunc(e.pods, func(p pod) bool {
		if p.namespace != op.Namespace {
			return false
		}
		for key, value := range op.LabelSelector {
			if p.labels[key] != any(value) {
				return false
			}
		}
		e.leave(p)
		return true
	})
}

func (e *expansion) createPodSets(op operation) error {
	for i := range op.Count {
		set := *op.CreatePodsOp
		set.Namespace = fmt.Sprintf("%s-%d", op.NamespacePrefix, i)
		if err := e.run(0, set); err != nil {
			return err
		}
	}
	return nil
}

// startChurn begins a change that goes on beside the operations after it.
func (e *expansion) startChurn(idx int, op operation) error {
	if op.Namespace == "" {
		op.Namespace = fmt.Sprintf("namespace-%d", idx)
	}
	if err := e.namespace(op.Namespace, nil); err != nil {
		return err
	}
	interval := 500 * time.Millisecond
	if op.IntervalMilliseconds > 0 {
		interval = time.Duration(op.IntervalMilliseconds) * time.Millisecond
	}
	every := max(1, int(e.rate()*interval.Seconds()))
	places := max(op.Number, 1)
	c := &churn{op: op, namespace: op.Namespace, every: every, left: every}
	for range op.TemplatePaths {
		c.made = append(c.made, make([]string, places))
	}
	e.churns = append(e.churns, c)
	return nil
}

// tick is called when one more pod has come.
func (e *expansion) tick() error {
	for _, c := range e.churns {
		if c.left--; c.left > 0 {
			continue
		}
		c.left = c.every
		if c.op.Mode == "create" && c.op.Number > 0 && c.ticks >= c.op.Number {
			continue
		}
		fmt.Fprintln(e.out, "place")
		for i, path := range c.op.TemplatePaths {
			if err := e.change(c, i, path); err != nil {
				return err
			}
		}
		c.ticks++
	}
	return nil
}

// change makes the object of a template or, if it recreates and the object is there, deletes it.
func (e *expansion) change(c *churn, i int, path string) error {
	it, err := e.templates.render(e.path(path), nil, nil)
	if err != nil {
		return err
	}
	space := spaceOf(it, c.namespace)
	name := &c.made[i][c.ticks%len(c.made[i])]
	if c.op.Mode == "recreate" && *name != "" {
		e.delete(fmt.Sprint(it["kind"]), space, *name)
		*name = ""
		return nil
	}
	*name, err = e.add(it, space)
	return err
}
