package berth

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func cancelled(t *testing.T, err, cause error) {
	t.Helper()
	if !errors.Is(err, Cancelled) || !errors.Is(err, cause) {
		t.Errorf("got %v, want a cancellation by %v", err, cause)
	}
}

func podTexts(count int) string {
	var out strings.Builder
	for i := range count {
		fmt.Fprintf(&out, "---\n{apiVersion: v1, kind: Pod, metadata: {name: c%d}}\n", i)
	}
	return out.String()
}

func TestCancel(t *testing.T) {
	e := got(New(&Config{Threads: 1}))(t)
	defer e.Close()
	got(e.Load([]byte("{apiVersion: v1, kind: Node, metadata: {name: n1},"+
		" status: {allocatable: {cpu: 4, memory: 4Gi, pods: 110}}}\n"+podTexts(5)), nil))(t)
	pods := got(e.Pending(nil))(t)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	if n := got(e.FitCountContext(ctx, pods[0], 50))(t); len(n) != 50 {
		t.Errorf("%d fit", len(n))
	}
	cancel(cause)
	nodes, err := e.FitCountContext(ctx, pods[0], 50)
	cancelled(t, err, cause)
	if len(nodes) != 0 {
		t.Errorf("%d nodes", len(nodes))
	}
	fitted, err := e.SchedulePodsContext(ctx, pods, GroupOptions{}, nil)
	cancelled(t, err, cause)
	if c := got(e.Counts())(t); fitted != 0 || c.PodsPending != 5 {
		t.Errorf("%d fitted, %d pending", fitted, c.PodsPending)
	}
	added, err := e.Load([]byte(podTexts(9)[4:]), &LoadOptions{Context: ctx})
	cancelled(t, err, cause)
	if added != 0 {
		t.Errorf("%d added", added)
	}
	if n := got(e.SchedulePods(pods, GroupOptions{}, nil))(t); n != 5 {
		t.Errorf("%d placed after the cancellations", n)
	}
}

// A deadline ends a call that takes longer, and leaves the engine usable. On a busy machine a deadline can pass
// before the first pod is placed, or after the last one: then another one is tried.
func TestDeadline(t *testing.T) {
	const limit = 30_000_000
	e := got(New(&Config{Threads: 1}))(t)
	defer e.Close()
	for i := range 40 {
		got(e.Load(fmt.Appendf(nil, "{apiVersion: v1, kind: Node, metadata: {name: n%d},"+
			" status: {allocatable: {cpu: 1M, memory: 1Ti, pods: 1000000}}}\n", i), nil))(t)
	}
	got(e.Load([]byte(podTexts(1)[4:]), nil))(t)
	pods := got(e.Pending(nil))(t)
	placedBy := func(within time.Duration) int {
		ctx, cancel := context.WithTimeout(context.Background(), within)
		defer cancel()
		nodes, err := e.FitCountContext(ctx, pods[0], limit)
		if len(nodes) < limit {
			cancelled(t, err, context.DeadlineExceeded)
		}
		must(t, e.Check())
		return len(nodes)
	}
	within := 20 * time.Millisecond
	for range 20 {
		switch n := placedBy(within); n {
		case 0:
			within *= 2
		case limit:
			within /= 2
		default:
			return
		}
	}
	t.Error("no deadline ended a call between its first and its last pod")
}

func TestKubernetesVersions(t *testing.T) {
	versions := KubernetesVersions()
	if len(versions) < 7 || versions[0].String() != "1.37.0" || versions[1] != (KubernetesVersion{36, 3}) {
		t.Errorf("%v", versions)
	}
	for _, version := range versions {
		e := got(New(&Config{Threads: 1, Kubernetes: version.Number()}))(t)
		e.Close()
	}
	var major, minor, patch int
	fmt.Sscanf(Version(), "%d.%d.%d", &major, &minor, &patch)
	if VersionNumber() != major*1000000+minor*1000+patch {
		t.Errorf("%d is not %s", VersionNumber(), Version())
	}
}

func TestMemoryLimit(t *testing.T) {
	if _, err := New(&Config{Threads: 1, MemoryLimit: 1}); !errors.Is(err, NoMemory) {
		t.Errorf("got %v", err)
	}
	e := got(New(&Config{Threads: 1, MemoryLimit: 1 << 40}))(t)
	defer e.Close()
	if m := got(e.Memory())(t); m.Limited == 0 {
		t.Errorf("%+v", m)
	}
}
