package clustersnapshot

import (
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"sort"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func node(name, cpu string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NodeStatus{
		Allocatable: corev1.ResourceList{"cpu": resource.MustParse(cpu), "pods": resource.MustParse("10")}}}
}

func pod(name, cpu, on string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "d"},
		Spec: corev1.PodSpec{NodeName: on, Containers: []corev1.Container{{Name: "m",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse(cpu)}}}}}}
}

// look returns everything that can be read from a snapshot.
func look(t *testing.T, s *Snapshot) []string {
	var out []string
	infos, err := s.ListNodeInfos()
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range infos {
		line := info.Node.Name + ":"
		var pods []string
		for _, one := range info.Pods {
			pods = append(pods, one.Name)
		}
		sort.Strings(pods)
		out = append(out, fmt.Sprint(line, pods))
	}
	digest, err := s.Engine().Digest()
	if err != nil {
		t.Fatal(err)
	}
	return append(out, fmt.Sprint(digest))
}

func TestSnapshot(t *testing.T) {
	s, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.SetClusterState([]*corev1.Node{node("a", "4"), node("b", "2")},
		[]*corev1.Pod{pod("x", "3", "a"), pod("lost", "1", "gone")}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	refused := s.SchedulePod(pod("y", "2", ""), "a")
	if refused == nil || refused.Type() != FailingPredicateError || refused.FailingPredicateName() != "NodeResourcesFit" ||
		!reflect.DeepEqual(refused.Reasons(), []string{"Insufficient cpu"}) {
		t.Fatal(refused)
	}
	if err := s.CheckPredicates(pod("y", "2", ""), "nowhere"); !errors.Is(err, ErrNodeNotFound) {
		t.Fatal(err)
	}
	before := look(t, s)
	err, cleanup := WithForkedSnapshot(s, func() (bool, error) {
		if err := s.AddNodeInfo(NewNodeInfo(node("c", "8"), nil, NewPodInfo(pod("daemon", "1", "c"), nil))); err != nil {
			return false, err
		}
		name, refused := s.SchedulePodOnAnyNodeMatching(pod("z", "5", ""), SchedulingOptions{})
		if refused != nil || name != "c" {
			t.Fatal(name, refused)
		}
		if _, refused := s.SchedulePodOnAnyNodeMatching(pod("zz", "2", ""),
			SchedulingOptions{IsNodeAcceptable: func(info *NodeInfo) bool { return info.Node.Name == "a" }}); refused == nil ||
			refused.Type() != NoNodesPassingPredicatesFoundError {
			t.Fatal(refused)
		}
		return false, nil
	})
	if err != nil || cleanup != nil {
		t.Fatal(err, cleanup)
	}
	if after := look(t, s); !reflect.DeepEqual(before, after) {
		t.Fatal(before, after)
	}
	if refused := s.SchedulePod(pod("y", "2", ""), "b"); refused != nil {
		t.Fatal(refused)
	}
	if err := s.UnschedulePod("d", "y", "b"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.GetNodeInfo("c"); !errors.Is(err, ErrNodeNotFound) {
		t.Fatal(err)
	}
}

// The pods of a node are in the order of their arrival, even after a revert.
func TestOrderOfPods(t *testing.T) {
	s, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	pods := []*corev1.Pod{}
	for i := range 10 {
		pods = append(pods, pod(fmt.Sprintf("p%d", 9-i), "100m", "a"))
	}
	if err := s.SetClusterState([]*corev1.Node{node("a", "4")}, pods, nil, nil); err != nil {
		t.Fatal(err)
	}
	s.Fork()
	if err := s.ForceRemovePod("d", "p5", "a"); err != nil {
		t.Fatal(err)
	}
	s.Revert()
	for range 20 {
		info, err := s.GetNodeInfo("a")
		if err != nil || len(info.Pods) != len(pods) {
			t.Fatal(err, info)
		}
		for i, one := range info.Pods {
			if one.Pod != pods[i] {
				t.Fatal(i, one.Name)
			}
		}
	}
}

// Random forks, reverts and commits: a revert restores what was visible at its fork.
func TestForks(t *testing.T) {
	s, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	random := rand.New(rand.NewSource(7))
	var seen [][]string
	for i := range 600 {
		name := fmt.Sprintf("n%d", random.Intn(6))
		switch random.Intn(7) {
		case 0:
			seen = append(seen, look(t, s))
			s.Fork()
		case 1:
			if len(seen) > 0 {
				s.Revert()
				if now := look(t, s); !reflect.DeepEqual(now, seen[len(seen)-1]) {
					t.Fatal(i, seen[len(seen)-1], now)
				}
				seen = seen[:len(seen)-1]
			}
		case 2:
			if len(seen) > 0 {
				if err := s.Commit(); err != nil {
					t.Fatal(err)
				}
				seen = seen[:len(seen)-1]
			}
		case 3:
			s.AddNodeInfo(&NodeInfo{Node: node(name, "4")})
		case 4:
			s.RemoveNodeInfo(name)
		default:
			s.SchedulePod(pod(fmt.Sprintf("p%d", i), "1", ""), name)
		}
	}
}
