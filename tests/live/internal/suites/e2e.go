package suites

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"berth/tests/live/internal/api"
	"berth/tests/live/internal/bed"
	"berth/tests/live/internal/kubelets"
)

// E2E are the options of a run of the end-to-end tests of scheduling.
type E2E struct {
	Bed     bed.Options
	Program string // the tests and kube-controller-manager
	Berth   string // the program under test; "" tests kube-scheduler
	List    string // a file: the tests that need not pass
	Focus   string // a regular expression: which tests
	Limit   time.Duration
}

// EndToEnd is the name of this suite in the list.
const EndToEnd = "e2e"

// Room of a node, and how many there are. Tests fill nodes up, some in the time of a preStop hook.
var room = map[string]string{"cpu": "8", "memory": "16Gi", "pods": "110", "ephemeral-storage": "100Gi"}

const nodeCount = 4

// Tests of features that the servers do not have by default.
const offByDefault = `\[Alpha\]|\[Feature:OffByDefault\]`

// Run runs the tests on a cluster with simulated kubelets and writes the results to `to`.
func (o *E2E) Run(ctx context.Context, to io.Writer) (Counts, error) {
	var none Counts
	list, err := readList(o.List)
	if err != nil {
		return none, err
	}
	b, err := bed.New(o.Bed)
	if err != nil {
		return none, err
	}
	defer b.Close()
	controllers, err := o.controllers(b)
	if err != nil {
		return none, err
	}
	defer controllers.Kill()
	ctx, cancel := context.WithCancel(ctx)
	played := make(chan error, 1)
	go func() { played <- kubelets.Nodes{Count: nodeCount, Room: room}.Run(ctx, b.Admin) }()
	defer func() { cancel(); <-played }()
	scheduler, err := o.scheduler(b)
	if err != nil {
		return none, err
	}
	defer scheduler.Stop(10 * time.Second)
	if err := ready(ctx, b.Admin); err != nil {
		return none, err
	}
	report := filepath.Join(o.Bed.Folder, "report.json")
	tests, err := bed.Start(o.Bed.Folder, "tests", o.Program, "e2e", "--kubeconfig="+b.KubeconfigPath("admin"),
		"--provider=skeleton", "--dump-logs-on-failure=false", "--ginkgo.v", "--ginkgo.no-color",
		"--ginkgo.timeout="+o.Limit.String(), "--ginkgo.focus="+o.Focus, "--ginkgo.skip="+offByDefault,
		"--ginkgo.json-report="+report)
	if err != nil {
		return none, err
	}
	defer tests.Kill()
	for tests.Alive() {
		select {
		case err := <-played:
			return none, fmt.Errorf("kubelets: %w", err)
		case <-ctx.Done():
			return none, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	counts, err := fromReport(report, list, o.Berth != "")
	if err != nil {
		return none, fmt.Errorf("%w\n%s", err, tests.Tail())
	}
	counts.print(to, EndToEnd)
	return counts, nil
}

func (o *E2E) controllers(b *bed.Bed) (*bed.Process, error) {
	ports, err := bed.FreePorts(1)
	if err != nil {
		return nil, err
	}
	admin := b.KubeconfigPath("admin")
	file := func(name string) string { return filepath.Join(o.Bed.Folder, name) }
	return bed.Start(o.Bed.Folder, "kube-controller-manager", o.Program, "kube-controller-manager",
		"--kubeconfig="+admin, "--authentication-kubeconfig="+admin, "--authorization-kubeconfig="+admin,
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", ports[0]), "--leader-elect=false",
		"--service-account-private-key-file="+file("sa.key"), "--root-ca-file="+file("ca.crt"))
}

func (o *E2E) scheduler(b *bed.Bed) (*bed.Process, error) {
	if o.Berth == "" {
		return b.Scheduler("kube-scheduler", b.KubeconfigPath("kube-scheduler"))
	}
	return bed.Start(o.Bed.Folder, "berth", o.Berth, "run", "--kubeconfig", b.KubeconfigPath("berth"),
		"--leader-elect", "--v=3")
}

// ready waits until the nodes are there.
func ready(ctx context.Context, c *api.Client) error {
	for limit := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		var nodes struct {
			Items []api.Any `json:"items"`
		}
		err := c.Get("/api/v1/nodes", &nodes)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && len(nodes.Items) == nodeCount:
			return nil
		case time.Now().After(limit):
			return fmt.Errorf("%d of %d nodes are there (%v)", len(nodes.Items), nodeCount, err)
		}
	}
}

// fromReport reads ginkgo's report. Spaces in the names of tests are '_' in the list.
func fromReport(path string, list []listed, berth bool) (Counts, error) {
	var suites []struct {
		SpecReports []struct {
			ContainerHierarchyTexts []string
			LeafNodeText            string
			LeafNodeType            string
			State                   string
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Counts{}, err
	}
	if err := json.Unmarshal(text, &suites); err != nil {
		return Counts{}, fmt.Errorf("%s: %w", path, err)
	}
	var tests []Test
	for _, suite := range suites {
		for _, spec := range suite.SpecReports {
			if spec.LeafNodeType != "It" || spec.State == "skipped" && spec.LeafNodeText == "" {
				continue
			}
			name := strings.Join(append(spec.ContainerHierarchyTexts, spec.LeafNodeText), " ")
			result := map[string]string{"passed": "PASS", "skipped": "SKIP", "pending": "SKIP"}[spec.State]
			tests = append(tests, Test{strings.ReplaceAll(name, " ", "_"), result, Berth})
		}
	}
	return sortOut(EndToEnd, tests, list, berth), nil
}
