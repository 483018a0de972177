package suites

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"berth/tests/live/internal/bed"
)

// Options of a run.
type Options struct {
	Folder     string // for logs
	Source     string // the sources of Kubernetes: tests read files beside their own
	Programs   string // the folder of the test programs; '/' of a package's path is '.'
	EtcdServer string // the program that is etcd
	Berth      string // the program under test; "" tests kube-scheduler
	List       string // a file: the tests that need not pass
	Only       string // the package with this path, else those whose paths have this text
	Limit      time.Duration
}

const (
	packages = "test/integration/scheduler"
	suffix   = ".test"
)

// Run runs the programs one after the other, writes a line for each to `to`, and returns the sum.
func Run(ctx context.Context, o Options, to io.Writer) (Counts, error) {
	var sum Counts
	list, err := readList(o.List)
	if err != nil {
		return sum, err
	}
	for _, folder := range []*string{&o.Folder, &o.Source, &o.Programs} {
		absolute, err := filepath.Abs(*folder) // the programs run in other folders
		if err != nil {
			return sum, err
		}
		*folder = absolute
	}
	programs, err := filepath.Glob(filepath.Join(o.Programs, "*"+suffix))
	if err != nil || len(programs) == 0 {
		return sum, fmt.Errorf("there are no test programs in %s", o.Programs)
	}
	for _, program := range chosen(programs, o.Only) {
		suite := path(program)
		counts, err := o.one(ctx, program, suite, list)
		if err != nil {
			return sum, fmt.Errorf("%s: %w", suite, err)
		}
		counts.print(to, suite)
		sum.add(counts)
	}
	sum.print(to, "all")
	return sum, nil
}

// path returns the path of a program's package below test/integration.
func path(program string) string {
	return strings.ReplaceAll(strings.TrimSuffix(filepath.Base(program), suffix), ".", "/")
}

// chosen returns the program of the package with this path, else those whose paths have this text.
func chosen(programs []string, only string) []string {
	if i := slices.IndexFunc(programs, func(program string) bool { return path(program) == only }); i >= 0 {
		return programs[i : i+1]
	}
	return slices.DeleteFunc(slices.Clone(programs), func(program string) bool {
		return !strings.Contains(path(program), only)
	})
}

// one runs each test of a program by itself, so that one that hangs ends alone.
func (o *Options) one(ctx context.Context, program, suite string, list []listed) (Counts, error) {
	folder := filepath.Join(o.Folder, filepath.Base(program))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return Counts{}, err
	}
	etcd, url, err := o.etcd(folder)
	if err != nil {
		return Counts{}, err
	}
	defer etcd.Kill()
	command := func(ctx context.Context, arguments ...string) *exec.Cmd {
		command := exec.CommandContext(ctx, program, arguments...)
		command.Dir = filepath.Join(o.Source, packages, strings.TrimPrefix(suite, "scheduler"))
		command.Env = append(os.Environ(), "KUBE_INTEGRATION_ETCD_URL="+url, "BERTH="+o.Berth,
			"BERTH_SUITE_FOLDER="+folder)
		// The kernel kills it when this thread ends.
		command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		return command
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	names, err := command(ctx, "-test.list=.").Output()
	if err != nil {
		return Counts{}, err
	}
	var counts Counts
	for _, name := range strings.Fields(string(names)) {
		if !strings.HasPrefix(name, "Test") {
			continue
		}
		if o.Berth != "" && find(list, suite, name) != nil { // all of it: some take seven minutes to fail
			counts.Listed = append(counts.Listed, name)
			continue
		}
		tests, err := o.attempt(ctx, command, folder, name)
		if err != nil {
			return counts, err
		}
		counts.add(sortOut(suite, tests, list, o.Berth != ""))
	}
	return counts, nil
}

// attempt runs a test, and once more if its program ends before the test does: on a busy machine, an API
// server gives up its start, and its process with it.
func (o *Options) attempt(ctx context.Context, command func(context.Context, ...string) *exec.Cmd, folder, name string) (
	tests []Test, err error,
) {
	for try := 1; try <= 2; try++ {
		file := filepath.Join(folder, fmt.Sprintf("%s.%d.output", name, try))
		output, err := os.Create(file)
		if err != nil {
			return nil, err
		}
		start := time.Now()
		limited, cancel := context.WithTimeout(ctx, o.Limit+time.Minute)
		test := command(limited, "-test.v", "-test.run=^"+name+"$", "-test.timeout="+o.Limit.String())
		test.Stdout, test.Stderr = output, output
		_ = test.Run() // the output says what failed
		cancel()
		output.Close()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if tests, err = readFile(file); err != nil {
			return nil, err
		}
		if time.Since(start) >= o.Limit || !broken(tests) {
			break
		}
	}
	return tests, nil
}

// broken reports whether the program ended before a test did.
func broken(tests []Test) bool {
	return slices.ContainsFunc(tests, func(test Test) bool { return test.Result == "" })
}

func readFile(path string) ([]Test, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	tests, err := Read(file)
	if err == nil && len(tests) == 0 {
		err = fmt.Errorf("no test ran, see %s", path)
	}
	return tests, err
}

// etcd starts an etcd for one program. The folder is removed with the others.
func (o *Options) etcd(folder string) (*bed.Process, string, error) {
	ports, err := bed.FreePorts(2)
	if err != nil {
		return nil, "", err
	}
	clients, peers := fmt.Sprintf("http://127.0.0.1:%d", ports[0]), fmt.Sprintf("http://127.0.0.1:%d", ports[1])
	etcd, err := bed.Start(folder, "etcd", o.EtcdServer, "--name=suite",
		"--data-dir="+filepath.Join(folder, "etcd-data"), "--listen-client-urls="+clients,
		"--advertise-client-urls="+clients, "--listen-peer-urls="+peers,
		"--initial-advertise-peer-urls="+peers, "--initial-cluster=suite="+peers,
		"--quota-backend-bytes=4294967296", "--logger=zap")
	return etcd, clients, err
}

func (c *Counts) add(more Counts) {
	c.Passed += more.Passed
	c.Skipped += more.Skipped
	c.GoCode += more.GoCode
	c.Steps += more.Steps
	c.Listed = append(c.Listed, more.Listed...)
	c.Failed = append(c.Failed, more.Failed...)
}

func (c *Counts) print(to io.Writer, suite string) {
	fmt.Fprintf(to, "%-45s %4d passed, %d failed, %d listed; %d with Go code, %d without a scheduler, %d skipped\n",
		suite, c.Passed, len(c.Failed), len(c.Listed), c.GoCode, c.Steps, c.Skipped)
	if suite == "all" {
		return
	}
	for _, name := range c.Failed {
		fmt.Fprintln(to, "  FAILED", name)
	}
}
