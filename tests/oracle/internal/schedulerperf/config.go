// Package schedulerperf reads the benchmark that Kubernetes keeps for its scheduler
// (test/integration/scheduler_perf in the module k8s.io/kubernetes) and turns each workload into a
// list of changes of a cluster, in the order in which the benchmark makes them.
package schedulerperf

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// A TestCase is a template of operations and the workloads that fill in its parameters.
type TestCase struct {
	Name                   string
	FeatureGates           map[string]bool
	SchedulerConfigPath    string
	DefaultPodTemplatePath string
	Labels                 []string
	WorkloadTemplate       []operation
	Workloads              []Workload

	topic, folder string // the folder of the file, below scheduler_perf and in full
}

// A Workload is one set of parameters.
type Workload struct {
	Name         string
	FeatureGates map[string]bool
	Labels       []string
	Threshold    threshold
	Params       map[string]any
}

// A threshold is a number of pods a second, or one for each topic.
type threshold struct {
	value   float64
	byTopic map[string]float64
}

func (t *threshold) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &t.value) == nil {
		return nil
	}
	return json.Unmarshal(text, &t.byTopic)
}

func (t threshold) of(topic string) float64 {
	if value, ok := t.byTopic[topic]; ok {
		return value
	}
	return t.value
}

// An operation has the fields of all operations; Opcode says which of them count.
type operation struct {
	Opcode               string
	Count                int
	CountParam           string
	CountMultiplierParam string
	Namespace            string
	TemplateParams       map[string]any
	TemplatePath         string
	LabelSelector        map[string]string
	SkipWaitToCompletion bool

	// createNodes
	NodeTemplatePath         string
	NodeAllocatableStrategy  *nodeAllocatable
	LabelNodePrepareStrategy *nodeLabel
	UniqueNodeLabelStrategy  *nodeLabel

	// createPods
	PodTemplatePath                   string
	PersistentVolumeTemplatePath      string
	PersistentVolumeClaimTemplatePath string
	CollectMetrics                    bool
	SteadyState                       bool
	SteadyStateParam                  string
	Duration                          string
	DurationParam                     string
	SignatureBatchSize                int
	SignatureBatchSizeParam           string

	// createNamespaces, createPodSets
	Prefix                string
	NamespaceTemplatePath string
	NamespacePrefix       string
	CreatePodsOp          *operation

	// churn
	Mode                 string
	Number               int
	IntervalMilliseconds int
	TemplatePaths        []string
}

// nodeAllocatable adds resources to a node, and volume limits in a CSINode.
type nodeAllocatable struct {
	NodeAllocatable    map[string]string
	CsiNodeAllocatable map[string]any
	MigratedPlugins    []string
}

// nodeLabel gives nodes one of some values in turn or, without any, a value of their own.
type nodeLabel struct {
	LabelKey    string
	LabelValues []string
}

// Load reads all configurations below a folder, ordered by path.
func Load(root string) ([]TestCase, error) {
	var paths []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == "performance-config.yaml" {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	sort.Strings(paths)
	var out []TestCase
	for _, path := range paths {
		cases, err := loadFile(root, path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, cases...)
	}
	return out, nil
}

func loadFile(root, path string) ([]TestCase, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	text, err = yaml.ToJSON(text)
	if err != nil {
		return nil, err
	}
	var cases []TestCase
	if err := json.Unmarshal(text, &cases); err != nil {
		return nil, err
	}
	for i := range cases {
		cases[i].folder = filepath.Dir(path)
		cases[i].topic, err = filepath.Rel(root, cases[i].folder)
		if err != nil {
			return nil, err
		}
	}
	return cases, nil
}
