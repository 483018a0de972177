package compare

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"regexp"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	berth "berth/go"
	"berth/go/schedulerlibrary/framework"
	"berth/go/schedulerlibrary/simulator"
	"berth/go/schedulerlibrary/snapshot"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	kube "k8s.io/kubernetes/pkg/scheduler/framework"
	realsimulator "sigs.k8s.io/scheduler-library/pkg/simulator"
	realsnapshot "sigs.k8s.io/scheduler-library/pkg/upstreamsync/snapshot"
)

// pair holds a cluster on both sides.
type pair struct {
	real   *realsnapshot.ClusterSnapshot
	ours   *snapshot.ClusterSnapshot
	close  func()
	random *source
	names  []string
	fresh  []*corev1.Pod // pods that were asked about but are on no node
	placed [][2]*corev1.Pod
	hands  []*handles
	log    []string
}

type handles struct {
	real *realsnapshot.Unpreemption
	ours *snapshot.Unpreemption
	pods [][2]*corev1.Pod
}

func copies(pods []*corev1.Pod) []*corev1.Pod {
	out := make([]*corev1.Pod, len(pods))
	for i, pod := range pods {
		out[i] = pod.DeepCopy()
	}
	return out
}

func realSimulator(ctx context.Context, objects ...runtime.Object) (*realsimulator.SchedulingSimulator, error) {
	client, err := realsimulator.NewReadonlyClient(&rest.Config{Host: "http://127.0.0.1:1"}) // never asked
	if err != nil {
		return nil, err
	}
	cfg, err := latest.Default() // the library fails without a configuration
	if err != nil {
		return nil, err
	}
	return realsimulator.NewSchedulingSimulator(ctx, cfg, client, informers.NewSharedInformerFactory(fake.NewClientset(objects...), 0))
}

func newReal(ctx context.Context, pods []*corev1.Pod, nodes []*corev1.Node, objects ...runtime.Object) (*realsnapshot.ClusterSnapshot, error) {
	sim, err := realSimulator(ctx, objects...)
	if err != nil {
		return nil, err
	}
	return sim.NewClusterSnapshot(ctx, pods, nodes)
}

func ourSimulator(ctx context.Context, objects ...runtime.Object) (*simulator.SchedulingSimulator, error) {
	list := simulator.ObjectList{}
	for _, object := range objects {
		list = append(list, object)
	}
	client, err := simulator.NewReadonlyClient(list)
	if err != nil {
		return nil, err
	}
	return simulator.NewSchedulingSimulator(ctx, &berth.Config{Kubernetes: 36}, client)
}

func newOurs(ctx context.Context, pods []*corev1.Pod, nodes []*corev1.Node, objects ...runtime.Object) (*snapshot.ClusterSnapshot, error) {
	sim, err := ourSimulator(ctx, objects...)
	if err != nil {
		return nil, err
	}
	return sim.NewClusterSnapshot(ctx, pods, nodes)
}

func newPair(seed int64) (*pair, error) {
	p := &pair{random: &source{Rand: rand.New(rand.NewSource(seed))}}
	nodes, pods := p.random.cluster()
	objects := p.random.objects()
	for _, node := range nodes {
		p.names = append(p.names, node.Name)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var err error
	if p.real, err = newReal(ctx, copies(pods), nodes, objects...); err != nil {
		cancel()
		return nil, err
	}
	if p.ours, err = newOurs(ctx, pods, nodes, objects...); err != nil {
		cancel()
		return nil, err
	}
	p.close = func() { cancel(); p.ours.Close() }
	for _, pod := range pods {
		if pod.Namespace != "system" {
			p.placed = append(p.placed, [2]*corev1.Pod{pod.DeepCopy(), pod})
		}
	}
	return p, nil
}

// placement makes one placement for each side, both of the same random nodes in the same order.
func (p *pair) placement() (*fwk.Placement, *framework.Placement, error) {
	names := slices.Clone(p.names)
	p.random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	// The library has no fixed order for all nodes at once.
	names = names[:min(len(names), max(1, len(names)-1-p.random.Intn(4)))]
	if p.random.chance(3) {
		names = nil
	}
	real, err1 := p.real.MakePlacement(names)
	ours, err2 := p.ours.MakePlacement(names)
	return real, ours, errors.Join(err1, err2)
}

type status interface {
	Message() string
	Plugin() string
	IsSuccess() bool
}

func textOf(code fmt.Stringer, one status, plugin bool) string {
	if one.IsSuccess() {
		return "Success"
	}
	out := code.String() + " " + one.Message()
	if plugin {
		out += " by " + one.Plugin()
	}
	return out
}

func realStatus(one *fwk.Status, plugin bool) string {
	if one.IsSuccess() {
		return "Success"
	}
	return textOf(one.Code(), one, plugin)
}

func ourStatus(one *framework.Status, plugin bool) string {
	if one.IsSuccess() {
		return "Success"
	}
	return textOf(one.Code(), one, plugin)
}

func diagnosis(pre string, plugins []string, absent string, nodes map[string]string) string {
	out := fmt.Sprintf("pre %q plugins %v absent %q", pre, plugins, absent)
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		out += "; " + name + ": " + nodes[name]
	}
	return out
}

func realDiagnosis(d *kube.Diagnosis) string {
	if d == nil {
		return ""
	}
	nodes := map[string]string{}
	d.NodeToStatus.ForEachExplicitNode(func(name string, one *fwk.Status) { nodes[name] = realStatus(one, true) })
	return diagnosis(d.PreFilterMsg, slices.Sorted(maps.Keys(d.UnschedulablePlugins)), realStatus(d.NodeToStatus.AbsentNodesStatus(), true), nodes)
}

func ourDiagnosis(d *framework.Diagnosis) string {
	if d == nil {
		return ""
	}
	nodes := map[string]string{}
	d.NodeToStatus.ForEachExplicitNode(func(name string, one *framework.Status) { nodes[name] = ourStatus(one, true) })
	return diagnosis(d.PreFilterMsg, slices.Sorted(maps.Keys(d.UnschedulablePlugins)), ourStatus(d.NodeToStatus.AbsentNodesStatus(), true), nodes)
}

var uuid = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// same notes an answer, and fails if the other side answered differently.
func (p *pair) same(what, real, ours string) error {
	real, ours = uuid.ReplaceAllString(real, "UID"), uuid.ReplaceAllString(ours, "UID")
	p.log = append(p.log, what+" -> "+real)
	if real != ours {
		return fmt.Errorf("%s\n  library: %s\n  Berth:   %s", what, real, ours)
	}
	return nil
}

func (p *pair) take() (real, ours []*corev1.Pod) {
	for range 1 + p.random.Intn(4) {
		pod := p.random.pod()
		if len(p.fresh) > 0 && p.random.chance(20) { // a pod of a dry run, which now names its node
			at := p.random.Intn(len(p.fresh))
			pod = p.fresh[at]
			p.fresh = slices.Delete(p.fresh, at, at+1)
		}
		real, ours = append(real, pod.DeepCopy()), append(ours, pod)
	}
	return real, ours
}

func (p *pair) can() error {
	real, ours, err := p.placement()
	if err != nil {
		return err
	}
	pod := p.random.pod()
	names1, d1, err1 := p.real.CanSchedulePod(context.Background(), pod.DeepCopy(), real)
	names2, d2, err2 := p.ours.CanSchedulePod(context.Background(), pod, ours)
	slices.Sort(names1) // of goroutines
	slices.Sort(names2)
	if names1 != nil && names2 == nil || names1 == nil && names2 != nil {
		return fmt.Errorf("nil names on one side: %v %v", names1, names2)
	}
	return p.same(fmt.Sprintf("CanSchedulePod %s", pod.Name), fmt.Sprint(names1, err1, realDiagnosis(d1)), fmt.Sprint(names2, err2, ourDiagnosis(d2)))
}

func (p *pair) schedule() error {
	dry, stop := p.random.chance(25), p.random.chance(40)
	real, ours, err := p.placement()
	if err != nil {
		return err
	}
	var out1 []realsnapshot.SchedulingResult
	var out2 []snapshot.SchedulingResult
	var err1, err2 error
	what := fmt.Sprintf("SchedulePods dry %v stop %v", dry, stop)
	if p.random.chance(25) {
		what = fmt.Sprintf("SchedulePodsByTemplate dry %v", dry)
		template := &corev1.PodTemplateSpec{Spec: p.random.spec()}
		template.Name, template.Labels = pick(p.random, "", "t"), map[string]string{"app": pick(p.random, apps...)}
		count := p.random.Intn(6)
		out1, err1 = p.real.SchedulePodsByTemplate(context.Background(), template.DeepCopy(), real, count, realsnapshot.NewSchedulePodsByTemplateOptions(dry))
		out2, err2 = p.ours.SchedulePodsByTemplate(context.Background(), template, ours, count, snapshot.NewSchedulePodsByTemplateOptions(dry))
	} else {
		pods1, pods2 := p.take()
		out1, err1 = p.real.SchedulePods(context.Background(), pods1, real, realsnapshot.NewSchedulePodsOptions(dry, stop))
		out2, err2 = p.ours.SchedulePods(context.Background(), pods2, ours, snapshot.NewSchedulePodsOptions(dry, stop))
		if dry && err2 == nil {
			p.fresh = append(p.fresh, pods2...)
		}
	}
	text1, text2 := fmt.Sprint(err1, out1 == nil), fmt.Sprint(err2, out2 == nil)
	for _, one := range out1 {
		text1 += fmt.Sprintf("; %s on %q in %q %s", one.Pod.Name, one.SelectedNodeName, one.Pod.Spec.NodeName, realStatus(one.Status, false))
		if fit := (*kube.FitError)(nil); errors.As(one.Status.AsError(), &fit) {
			text1 += fmt.Sprint(" {", realDiagnosis(&fit.Diagnosis), "}")
		}
	}
	for i, one := range out2 {
		text2 += fmt.Sprintf("; %s on %q in %q %s", one.Pod.Name, one.SelectedNodeName, one.Pod.Spec.NodeName, ourStatus(one.Status, false))
		if fit := (*framework.FitError)(nil); errors.As(one.Status.AsError(), &fit) {
			text2 += fmt.Sprint(" {", ourDiagnosis(&fit.Diagnosis), "}")
		}
		if one.Status.IsSuccess() && !dry && err2 == nil && i < len(out1) {
			p.placed = append(p.placed, [2]*corev1.Pod{out1[i].Pod, one.Pod})
		}
	}
	return p.same(what, text1, text2)
}

func (p *pair) preempt() error {
	var real, ours []*corev1.Pod
	var left, taken [][2]*corev1.Pod
	for _, pods := range p.placed {
		if len(real) < 3 && p.random.chance(25) {
			real, ours, taken = append(real, pods[0]), append(ours, pods[1]), append(taken, pods)
		} else {
			left = append(left, pods)
		}
	}
	if p.random.chance(10) {
		pod := p.random.pod()
		pod.Spec.NodeName = pick(p.random, "", "far", p.names[0])
		real, ours = append(real, pod.DeepCopy()), append(ours, pod)
	}
	u1, err1 := p.real.PreemptPods(context.Background(), real)
	u2, err2 := p.ours.PreemptPods(context.Background(), ours)
	if err1 == nil && err2 == nil {
		p.placed = left
		p.hands = append(p.hands, &handles{u1, u2, taken})
	}
	return p.same(fmt.Sprintf("PreemptPods %d", len(real)), fmt.Sprint(err1), fmt.Sprint(err2))
}

func (p *pair) unpreempt() error {
	if len(p.hands) == 0 {
		return nil
	}
	one := pick(p.random, p.hands...)
	back1, err1 := p.real.Unpreempt(one.real)
	back2, err2 := p.ours.Unpreempt(one.ours)
	if err1 == nil && err2 == nil {
		p.placed = append(p.placed, one.pods...)
	}
	return p.same("Unpreempt", fmt.Sprint(len(back1), err1), fmt.Sprint(len(back2), err2))
}

func (p *pair) transaction() error {
	placed, hands := slices.Clone(p.placed), slices.Clone(p.hands)
	end := p.random.Intn(3)
	var problem, err1, err2 error
	reason := errors.New("reason")
	err1 = p.real.Transaction(context.Background(), func() (realsnapshot.TransactionResult, error) {
		var inner error
		err2 = p.ours.Transaction(context.Background(), func() (snapshot.TransactionResult, error) {
			inside := errors.Join(
				p.real.Transaction(context.Background(), func() (realsnapshot.TransactionResult, error) { return realsnapshot.Commit, nil }))
			inside2 := p.ours.Transaction(context.Background(), func() (snapshot.TransactionResult, error) { return snapshot.Commit, nil })
			problem = p.same("nested Transaction", fmt.Sprint(inside), fmt.Sprint(inside2))
			for range p.random.Intn(7) {
				if problem == nil {
					problem = p.step(false)
				}
			}
			if end == 2 {
				inner = reason
			}
			return snapshot.TransactionResult(end % 2), inner
		})
		return realsnapshot.TransactionResult(end % 2), inner
	})
	if end != 0 { // handles of a reverted transaction are invalid
		p.placed, p.hands = placed, hands
	}
	if problem != nil {
		return problem
	}
	return p.same(fmt.Sprintf("Transaction %d", end), fmt.Sprint(err1), fmt.Sprint(err2))
}

// state returns the pods of all nodes.
func (p *pair) state() (real, ours string) {
	all1, _ := p.real.MakePlacement(p.names)
	all2, _ := p.ours.MakePlacement(p.names)
	for i := range p.names {
		var pods1, pods2 []string
		for _, one := range all1.Nodes[i].GetPods() {
			pods1 = append(pods1, uuid.ReplaceAllString(one.GetPod().Name, "UID"))
		}
		for _, one := range all2.Nodes[i].GetPods() {
			pods2 = append(pods2, uuid.ReplaceAllString(one.GetPod().Name, "UID"))
		}
		slices.Sort(pods1)
		slices.Sort(pods2)
		real, ours = real+fmt.Sprint(p.names[i], pods1), ours+fmt.Sprint(p.names[i], pods2)
	}
	return real, ours
}

func (p *pair) step(outside bool) error {
	var err error
	switch at := p.random.Intn(11); {
	case at < 3:
		err = p.can()
	case at < 6:
		err = p.schedule()
	case at < 8:
		err = p.preempt()
	case at < 9:
		err = p.unpreempt()
	case outside:
		err = p.transaction()
	}
	if err != nil {
		return err
	}
	real, ours := p.state()
	return p.same("state", real, ours)
}

const steps = 30

func (p *pair) run() error {
	for range steps {
		if err := p.step(true); err != nil {
			return err
		}
	}
	return nil
}

func number(name string, otherwise int64) int64 {
	if value, err := strconv.ParseInt(os.Getenv(name), 10, 64); err == nil {
		return value
	}
	return otherwise
}

// TestSame asks both sides the same random questions. SEED is the first seed, COUNT the number of
// seeds.
func TestSame(t *testing.T) {
	// On one processor, the library tries the nodes one after the other, in the placement's order.
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))

	first, count := number("SEED", time.Now().Unix()%1000000*1000), number("COUNT", 150)
	fmt.Printf("seeds %d to %d; to repeat one: SEED=%d COUNT=1 go test -run TestSame\n", first, first+count-1, first)
	answers := 0
	for seed := first; seed < first+count; seed++ {
		p, err := newPair(seed)
		if err != nil {
			t.Fatal("seed", seed, err)
		}
		if err := p.run(); err != nil {
			if count == 1 {
				t.Log(strings.Join(p.log, "\n"))
			}
			t.Errorf("seed %d: %v", seed, err)
		}
		answers += len(p.log)
		p.close()
	}
	fmt.Printf("%d answers compared\n", answers)
}
