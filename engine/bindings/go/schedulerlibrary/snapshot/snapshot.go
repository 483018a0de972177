// Package snapshot is the cluster snapshot of sigs.k8s.io/scheduler-library (v0.1.0-alpha1) over
// Berth: the same calls, options, results and texts of errors.
//
// As in that library, [ClusterSnapshot.SchedulePods] puts each pod on the first node of the placement
// that it fits, without scores, and a pod that was placed gets the name of its node in
// spec.nodeName, even in a dry run or if the placement is reverted later.
//
// These differences remain. Nodes are tried in the order of the placement, always; the library has
// no fixed order if the placement names all nodes, and tries 16 of them at a time. Pods with
// affinity that a simulation placed count for the pods after them on every node; in the library
// they do not count if their node had no such pod when the snapshot was made. Contexts are not
// watched.
package snapshot

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"

	berth "berth/go"
	"berth/go/schedulerlibrary/framework"
	"berth/go/schedulerlibrary/internal/cluster"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// ClusterSnapshot is a cluster to try changes on. One goroutine uses it at a time.
type ClusterSnapshot struct {
	cluster               *cluster.Cluster
	closers               []func() error
	undo                  []func() // of the lists of pods, since the open transaction began
	transactionInProgress bool
	version, newest       uint64         // for handles of preemptions; each change has a number of its own
	feasible              []berth.NodeID // room for answers
	fit                   []bool
}

// New makes a snapshot of the contents of a cluster; the simulator and the cluster's state call it.
// `closers` are called, in this order, by [ClusterSnapshot.Close].
func New(of *cluster.Cluster, closers ...func() error) *ClusterSnapshot {
	return &ClusterSnapshot{cluster: of, closers: closers}
}

// Close frees the snapshot. It is not necessary: the garbage collector does the same later.
func (s *ClusterSnapshot) Close() error {
	var errs []error
	for _, do := range s.closers {
		errs = append(errs, do())
	}
	return errors.Join(errs...)
}

// Engine returns the engine of the snapshot, for questions that this interface lacks. Do not change
// its nodes and pods.
func (s *ClusterSnapshot) Engine() *berth.Engine { return s.cluster.Engine }

func (s *ClusterSnapshot) changed() {
	s.newest++
	s.version = s.newest
}

// attempt calls `do`, and restores the state unless it returns true and no error.
func (s *ClusterSnapshot) attempt(do func() (keep bool, err error)) error {
	mark := len(s.undo)
	kept := false
	defer func() {
		if !kept {
			for len(s.undo) > mark {
				last := s.undo[len(s.undo)-1]
				s.undo = s.undo[:len(s.undo)-1]
				last()
			}
		}
		if !s.transactionInProgress {
			s.undo = nil
		}
	}()
	return s.cluster.Engine.Try(func() (bool, error) {
		keep, err := do()
		kept = keep && err == nil
		return keep, err
	})
}

// Transaction calls `transactionFn`, and keeps its changes to the snapshot if it returns [Commit]
// and no error. Transactions do not nest. A commit invalidates the handles of preemptions made
// before or in the transaction; without a commit, those from before stay valid.
func (s *ClusterSnapshot) Transaction(ctx context.Context, transactionFn func() (TransactionResult, error)) error {
	if s.transactionInProgress {
		return errors.New("a transaction is already in progress")
	}
	before := s.version
	kept := false
	err := func() error {
		defer func() {
			if !kept {
				s.version = before
			}
			s.transactionInProgress = false
			s.undo = nil
		}()
		return s.attempt(func() (bool, error) {
			s.transactionInProgress = true
			s.changed()
			result, err := transactionFn()
			kept = err == nil && result != Revert
			return kept, err
		})
	}()
	if err != nil {
		return fmt.Errorf("transaction failed: %w", err)
	}
	if kept {
		s.changed()
	}
	return nil
}

// profile wraps the error of a pod that names a scheduler without a profile.
func profile(pod *corev1.Pod, err error) error {
	if errors.Is(err, berth.NotFound) {
		return fmt.Errorf("profile not found for scheduler name %q", pod.Spec.SchedulerName)
	}
	return err
}

// ended returns an error if the context has ended; it says how many pods were decided before.
func ended(ctx context.Context, decided int) error {
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("ended after %d pods: %w", decided, context.Cause(ctx))
}

// CanSchedulePod returns the names of all nodes of a placement that a pod fits, in the order of the
// placement, and why the others refuse it. Without nodes it returns nil.
func (s *ClusterSnapshot) CanSchedulePod(ctx context.Context, pod *corev1.Pod, placement *framework.Placement) ([]string, *framework.Diagnosis, error) {
	if placement == nil || len(placement.Nodes) == 0 {
		return nil, nil, nil
	}
	if err := ended(ctx, 0); err != nil {
		return nil, nil, err
	}
	nodes, err := s.cluster.Use(placement)
	if err != nil {
		return nil, nil, fmt.Errorf("failed to assume placement: %w", err)
	}
	added, err := s.cluster.Add(pod)
	if err != nil {
		return nil, nil, fmt.Errorf("failed to create pod info: %w", err)
	}
	defer s.cluster.Drop(added)
	fits, count, err := s.fits(pod, added, nodes)
	if err != nil {
		return nil, nil, fmt.Errorf("failed to get framework: %w", profile(pod, err))
	}
	names, refused := make([]string, 0, count), make([]*cluster.Node, 0, len(nodes)-count)
	for i, node := range nodes {
		if fits[i] {
			names = append(names, node.Name)
		} else {
			refused = append(refused, node)
		}
	}
	diagnosis, err := s.diagnose(pod, added, refused)
	if err != nil {
		return nil, diagnosis, fmt.Errorf("failed to find nodes that fit pod: %w", err)
	}
	return names, diagnosis, nil
}

// SchedulePods puts pods, one after the other, on the first node of the placement that they fit, and
// returns the decision on each. After an error the snapshot is as it was; the decisions so far are
// returned, too. A context that ends is such an error; it is noticed between two pods.
func (s *ClusterSnapshot) SchedulePods(ctx context.Context, pods []*corev1.Pod, placement *framework.Placement, opts SchedulePodsOptions) ([]SchedulingResult, error) {
	return s.schedule(placement, opts, func(nodes []*cluster.Node, take func(SchedulingResult) bool) error {
		k := &kinds{}
		for i, pod := range pods {
			if err := ended(ctx, i); err != nil {
				return err
			}
			added, err := s.add(pod)
			if err != nil {
				return err
			}
			var known *seen
			if len(pods) > 1 {
				if known, err = k.of(s, pod, added); err != nil {
					return err
				}
			}
			one, err := s.settle(pod, added, nodes, k, known)
			if err != nil {
				return err
			}
			if !take(one) {
				break
			}
		}
		return s.drop(k.kept)
	})
}

// SchedulePodsByTemplate makes up to `maxPods` pods of a template and places them until one fits
// nowhere. The pods are named PREFIX-INDEX-UID. A context ends it as in [ClusterSnapshot.SchedulePods].
func (s *ClusterSnapshot) SchedulePodsByTemplate(ctx context.Context, template *corev1.PodTemplateSpec, placement *framework.Placement, maxPods int, opts SchedulePodsByTemplateOptions) ([]SchedulingResult, error) {
	if maxPods <= 0 {
		return nil, nil
	}
	options := SchedulePodsOptions{opts.CommonSchedulingOptions, true}
	if len(template.Spec.Volumes)+len(template.Spec.ResourceClaims) > 0 { // the names of pods may matter
		pods := make([]*corev1.Pod, 0)
		for i := range maxPods {
			pods = append(pods, podOf(template, i))
		}
		return s.SchedulePods(ctx, pods, placement, options)
	}
	return s.schedule(placement, options, func(nodes []*cluster.Node, take func(SchedulingResult) bool) error {
		pod := podOf(template, 0)
		added, err := s.add(pod)
		if err != nil {
			return err
		}
		k := &kinds{}
		known, err := k.of(s, pod, added)
		if err != nil {
			return err
		}
		waiting, pods := []*cluster.Pod{added}, []*corev1.Pod{pod}
		for done := 0; len(waiting) > 0; {
			// The next pods are made in growing numbers, as copies of the last one.
			next := min(2*len(waiting), 128, maxPods-done-len(waiting))
			var more []*cluster.Pod
			var morePods []*corev1.Pod
			if next > 0 {
				for i := range next {
					morePods = append(morePods, podOf(template, done+len(waiting)+i))
				}
				if more, err = s.cluster.AddLike(waiting[len(waiting)-1], morePods); err != nil {
					return err
				}
			}
			for i, one := range waiting {
				if err := ended(ctx, done+i); err != nil {
					return err
				}
				result, err := s.settle(pods[i], one, nodes, k, known)
				if err != nil {
					return err
				}
				if !take(result) {
					return s.drop(slices.Concat(k.kept, waiting[i+1:], more))
				}
			}
			done += len(waiting)
			waiting, pods = more, morePods
		}
		return s.drop(k.kept)
	})
}

// drop removes pending pods.
func (s *ClusterSnapshot) drop(pods []*cluster.Pod) error {
	for _, pod := range pods {
		if err := s.cluster.Drop(pod); err != nil {
			return err
		}
	}
	return nil
}

func podOf(template *corev1.PodTemplateSpec, index int) *corev1.Pod {
	prefix, namespace := template.Name, template.Namespace
	if prefix == "" {
		prefix = "templated-pod"
	}
	if namespace == "" {
		namespace = "default"
	}
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80 // a random UUID
	uid := fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d-%s", prefix, index, uid),
		Namespace: namespace, UID: types.UID(uid), Labels: template.Labels}, Spec: template.Spec}
}

func (s *ClusterSnapshot) schedule(placement *framework.Placement, opts SchedulePodsOptions,
	do func(nodes []*cluster.Node, take func(SchedulingResult) bool) error) ([]SchedulingResult, error) {
	if placement == nil || len(placement.Nodes) == 0 {
		return nil, nil
	}
	nodes, err := s.cluster.Use(placement)
	if err != nil {
		return nil, fmt.Errorf("error assuming placement: %w", err)
	}
	result := make([]SchedulingResult, 0)
	placed := false
	err = s.attempt(func() (bool, error) {
		return !opts.DryRun, do(nodes, func(one SchedulingResult) bool {
			result = append(result, one)
			success := one.Status.IsSuccess()
			placed = placed || success
			return success || !opts.StopOnFailure
		})
	})
	if err == nil && placed && !opts.DryRun {
		s.changed()
	}
	return result, err
}

// add adds a pod as a pending one.
func (s *ClusterSnapshot) add(pod *corev1.Pod) (*cluster.Pod, error) {
	added, err := s.cluster.Add(pod)
	if err != nil {
		return nil, fmt.Errorf("failed to create pod info for pod %s: %w", nameOf(pod), err)
	}
	return added, nil
}

// settle puts a pending pod on the first of these nodes that it fits, or says why there is none.
func (s *ClusterSnapshot) settle(pod *corev1.Pod, added *cluster.Pod, nodes []*cluster.Node, k *kinds, known *seen) (SchedulingResult, error) {
	out := SchedulingResult{Pod: pod}
	var node *cluster.Node
	var err error
	if known != nil && known.diagnosis == nil && known.at < len(nodes) {
		var fits bool
		if fits, err = s.cluster.Engine.Fits(added.ID, nodes[known.at].ID); fits {
			node = nodes[known.at]
		}
	}
	if node == nil && err == nil && (known == nil || known.diagnosis == nil) {
		node, err = s.first(pod, added, nodes)
	}
	if err != nil {
		return out, fmt.Errorf("failed to get framework for pod %s: %w", nameOf(pod), profile(pod, err))
	}
	if node == nil {
		out.Status = s.refusal(pod, added, nodes, k, known)
		k.kept = append(k.kept, added)
		return out, nil
	}
	if _, err := keyOf(pod); err != nil {
		out.Status = framework.AsStatus(err)
		return out, s.cluster.Drop(added)
	}
	if err := s.cluster.Bind(added, node); err != nil {
		out.Status = framework.AsStatus(err)
		return out, s.cluster.Drop(added)
	}
	if known != nil {
		known.at = node.Rank()
	}
	k.changes++
	s.undo = append(s.undo, func() { s.cluster.Leave(added) })
	out.SelectedNodeName = node.Name
	pod.Spec.NodeName = out.SelectedNodeName
	return out, nil
}

// refusal returns the status of a pod that fits none of these nodes.
func (s *ClusterSnapshot) refusal(pod *corev1.Pod, added *cluster.Pod, nodes []*cluster.Node, k *kinds, known *seen) *framework.Status {
	var diagnosis *framework.Diagnosis
	if known != nil && known.diagnosis != nil && known.changes == k.changes {
		diagnosis = known.diagnosis.Clone()
	} else {
		var err error
		if diagnosis, err = s.diagnose(pod, added, nodes); err != nil {
			return framework.AsStatus(err)
		}
		if known != nil {
			known.diagnosis, known.changes = diagnosis, k.changes
		}
	}
	return framework.NewStatus(framework.Unschedulable).WithError(
		&framework.FitError{Pod: pod, NumAllNodes: len(nodes), Diagnosis: *diagnosis})
}

// MakePlacement makes a placement of nodes by their names.
func (s *ClusterSnapshot) MakePlacement(candidateNodeNames []string) (*framework.Placement, error) {
	nodes := make([]framework.NodeInfo, 0, len(candidateNodeNames))
	for _, name := range candidateNodeNames {
		node := s.cluster.Node(name)
		if node == nil {
			return nil, fmt.Errorf("error getting %s from snapshot: %w", name, absent(name))
		}
		nodes = append(nodes, node)
	}
	return &framework.Placement{Nodes: nodes}, nil
}

func absent(name string) error { return fmt.Errorf("nodeinfo not found for node name %q", name) }

func nameOf(pod *corev1.Pod) string {
	if pod.Namespace == "" {
		return pod.Name
	}
	return pod.Namespace + "/" + pod.Name
}

func keyOf(pod *corev1.Pod) (types.UID, error) {
	if pod.UID == "" {
		return "", errors.New("cannot get cache key for pod with empty UID")
	}
	return pod.UID, nil
}

// PreemptPods takes pods off their nodes, all or none. They are found by uid on the node that
// spec.nodeName names. The handle can put them back until a placement is kept.
func (s *ClusterSnapshot) PreemptPods(ctx context.Context, pods []*corev1.Pod) (*Unpreemption, error) {
	for _, pod := range pods {
		if pod.Spec.NodeName == "" {
			return nil, fmt.Errorf("pod %s has no node name", nameOf(pod))
		}
	}
	handle := &Unpreemption{of: s, pods: pods, version: s.version}
	err := s.attempt(func() (bool, error) {
		for i, pod := range pods {
			if err := ended(ctx, i); err != nil {
				return false, err
			}
			removed, err := s.remove(pod)
			if err != nil {
				return false, fmt.Errorf("failed to unreserve and forget pod %s: failed to remove pod from snapshot: %w",
					nameOf(pod), err)
			}
			handle.removed = append(handle.removed, removed)
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return handle, nil
}

func (s *ClusterSnapshot) remove(pod *corev1.Pod) (*cluster.Pod, error) {
	uid, err := keyOf(pod)
	if err != nil {
		return nil, err
	}
	node := s.cluster.Node(pod.Spec.NodeName)
	if node == nil {
		return nil, absent(pod.Spec.NodeName)
	}
	found := node.Find(uid)
	if found == nil {
		return nil, fmt.Errorf("no corresponding pod %s in pods of node %s", pod.Name, pod.Spec.NodeName)
	}
	if err := s.cluster.Remove(found); err != nil {
		return nil, err
	}
	s.undo = append(s.undo, func() { s.cluster.Enter(found, node) })
	return found, nil
}

// Unpreempt puts the pods of a preemption back and returns them. It fails if a placement was kept, or
// a transaction began or was committed, since the preemption.
func (s *ClusterSnapshot) Unpreempt(u *Unpreemption) ([]*corev1.Pod, error) {
	if u == nil {
		return nil, errors.New("preemption handle is nil")
	}
	if u.of != s {
		return nil, errors.New("preemption handle is invalid: it belongs to another snapshot")
	}
	if s.version != u.version {
		return nil, errors.New("preemption handle is invalid: snapshot has been permanently mutated since preemption")
	}
	if u.reverted {
		return nil, errors.New("preemption handle is invalid: already unpreempted")
	}
	err := s.attempt(func() (bool, error) {
		for i := len(u.removed); i > 0; i-- {
			again, err := s.cluster.Return(u.removed[i-1])
			if err != nil {
				return false, err
			}
			s.undo = append(s.undo, func() { s.cluster.Leave(again) })
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	u.reverted = true
	return u.pods, nil
}
