// Package load fills a cluster: nodes without kubelets, and pods of five Deployments, which have
// services, spread constraints and anti-affinity, so that some four fifths of the room is taken.
package load

import (
	"fmt"
	"sync"
	"time"

	"berth/tests/live/internal/api"
)

// Plan describes the load, and for which scheduler it is.
type Plan struct {
	Nodes     int
	Pods      int
	Scheduler string // the schedulerName of the pods
	Namespace string
	Ample     bool // nodes have twice the room, because there are other pods, too
}

// FitsLabel says whether a pod has room: "true", or "false" together with MessageNote.
const (
	FitsLabel   = "bed/fits"
	MessageNote = "bed/message" // the beginning of its condition's message
	appLabel    = "app"
	poolLabel   = "pool"
	zoneKey     = "topology.kubernetes.io/zone"
	hostKey     = "kubernetes.io/hostname"
)

// App is one Deployment: its one ReplicaSet, its service and its pods.
type App struct {
	Name     string
	Replicas int
	CPU      int // thousandths of a core
	Memory   int // MiB
	Shape    func(pod *api.Pod)
}

func own(app string) api.Selector {
	return api.Selector{MatchLabels: map[string]string{appLabel: app}}
}

func spread(app, key, when string) []api.Spread {
	return []api.Spread{{MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: when, Selector: own(app)}}
}

// Apps returns the five Deployments of a plan.
func (p Plan) Apps() []App {
	cache := min(p.Pods/10, p.Nodes/2)
	share := func(percent int) int { return p.Pods * percent / 100 }
	apps := []App{
		{"web", 0, 100, 128, func(*api.Pod) {}},
		{"front", share(20), 250, 256, func(pod *api.Pod) {
			pod.Spec.Spread = spread("front", zoneKey, "DoNotSchedule")
		}},
		{"cache", cache, 400, 1024, func(pod *api.Pod) {
			pod.Spec.Affinity = &api.Affinity{Anti: &api.AntiAffinity{
				Required: []api.Term{{Selector: own("cache"), TopologyKey: hostKey}}}}
		}},
		{"batch", share(20), 500, 512, func(pod *api.Pod) {
			pod.Spec.Spread = spread("batch", hostKey, "ScheduleAnyway")
		}},
		{"store", share(10), 200, 2048, func(pod *api.Pod) {
			pod.Spec.NodeSelector = map[string]string{"disk": "ssd"}
			pod.Spec.Spread = spread("store", zoneKey, "DoNotSchedule")
		}},
	}
	apps[0].Replicas = p.Pods
	for _, app := range apps[1:] {
		apps[0].Replicas -= app.Replicas
	}
	return apps
}

// room returns a node's room: a quarter more than its share of all requests.
func (p Plan) room() (milli, mebibytes int) {
	for _, app := range p.Apps() {
		milli += app.Replicas * app.CPU
		mebibytes += app.Replicas * app.Memory
	}
	nodes := max(p.Nodes, 1)
	if p.Ample {
		milli, mebibytes = 2*milli, 2*mebibytes
	}
	return milli*5/4/nodes/100*100 + 500, mebibytes*5/4/nodes + 2048
}

// NodeName returns the name of node i.
func NodeName(i int) string { return fmt.Sprintf("node-%05d", i) }

// NodeObject returns node i with this much room, in a pool (which may be "").
func NodeObject(name string, i, milli, mebibytes int, pool string) api.Any {
	labels := map[string]string{hostKey: name, zoneKey: fmt.Sprintf("zone-%d", i%3),
		"kubernetes.io/os": "linux", "disk": []string{"ssd", "hdd"}[i/3%2]}
	if pool != "" {
		labels[poolLabel] = pool
	}
	room := map[string]string{"cpu": fmt.Sprintf("%dm", milli),
		"memory": fmt.Sprintf("%dMi", mebibytes), "pods": "110", "ephemeral-storage": "100Gi"}
	return api.Any{"apiVersion": "v1", "kind": "Node",
		"metadata": api.Any{"name": name, "labels": labels},
		"status": api.Any{"capacity": room, "allocatable": room,
			"conditions": []api.Any{{"type": "Ready", "status": "True", "reason": "Bed"}}}}
}

// AddNode creates a node and removes the taint that admission adds to a new node.
func AddNode(c *api.Client, name string, i, milli, mebibytes int, pool string) error {
	if err := c.Ensure("/api/v1/nodes", NodeObject(name, i, milli, mebibytes, pool)); err != nil {
		return err
	}
	return c.Patch("/api/v1/nodes/"+name, api.Any{"spec": api.Any{"taints": nil}})
}

// AddNode creates node i of the plan again.
func (p Plan) AddNode(c *api.Client, i int) error {
	milli, mebibytes := p.room()
	return AddNode(c, NodeName(i), i, milli, mebibytes, "")
}

// LoadNodes creates the nodes and the namespace.
func (p Plan) LoadNodes(c *api.Client) error {
	err := c.Ensure("/api/v1/namespaces", api.Any{"metadata": api.Any{"name": p.Namespace}})
	if err != nil {
		return err
	}
	return each(p.Nodes, func(i int) error { return p.AddNode(c, i) })
}

// LoadPods creates the Deployments' services, ReplicaSets and pods, and returns the pods' names. With a
// rate (pods a second) they are created at that pace, else as fast as the server takes them.
func (p Plan) LoadPods(c *api.Client, rate float64) ([]string, error) {
	var pods []*api.Pod
	apps := p.Apps()
	for _, app := range apps {
		owner, err := p.owner(c, app)
		if err != nil {
			return nil, err
		}
		for i := range app.Replicas {
			pod := p.Pod(app, fmt.Sprintf("%s-%05d", app.Name, i))
			pod.Meta.OwnerReferences = []api.Owner{owner}
			pods = append(pods, pod)
		}
	}
	interleave(pods)
	names := make([]string, len(pods))
	start := time.Now()
	return names, each(len(pods), func(i int) error {
		if rate > 0 {
			time.Sleep(time.Until(start.Add(time.Duration(float64(i) / rate * float64(time.Second)))))
		}
		names[i] = pods[i].Meta.Name
		return c.Ensure("/api/v1/namespaces/"+p.Namespace+"/pods", pods[i])
	})
}

// interleave puts the pods into a fixed order in which the Deployments alternate.
func interleave(pods []*api.Pod) {
	state := uint64(1)
	for i := len(pods) - 1; i > 0; i-- {
		state = state*6364136223846793005 + 1442695040888963407
		j := int(state>>33) % (i + 1)
		pods[i], pods[j] = pods[j], pods[i]
	}
}

func (p Plan) owner(c *api.Client, app App) (api.Owner, error) {
	labels := map[string]string{appLabel: app.Name}
	err := c.Ensure("/api/v1/namespaces/"+p.Namespace+"/services", api.Any{
		"metadata": api.Any{"name": app.Name},
		"spec": api.Any{"clusterIP": "None", "selector": labels,
			"ports": []api.Any{{"port": 80}}}})
	if err != nil {
		return api.Owner{}, err
	}
	path := "/apis/apps/v1/namespaces/" + p.Namespace + "/replicasets"
	err = c.Ensure(path, api.Any{
		"metadata": api.Any{"name": app.Name, "labels": labels},
		"spec": api.Any{"replicas": app.Replicas, "selector": api.Any{"matchLabels": labels},
			"template": api.Any{"metadata": api.Any{"labels": labels},
				"spec": api.Any{"containers": []api.Any{{"name": "c", "image": "bed/" + app.Name}}}}}})
	if err != nil {
		return api.Owner{}, err
	}
	var set struct {
		Meta api.Meta `json:"metadata"`
	}
	err = c.Get(path+"/"+app.Name, &set)
	return api.Owner{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: app.Name, UID: set.Meta.UID,
		Controller: true}, err
}

// Pod returns a pod of an app. If it is deleted, it is gone at once, because there is no kubelet to
// end its processes.
func (p Plan) Pod(app App, name string) *api.Pod {
	grace := int64(0)
	pod := &api.Pod{Meta: api.Meta{Name: name, Namespace: p.Namespace,
		Labels: map[string]string{appLabel: app.Name, FitsLabel: "true"}}}
	pod.Spec.SchedulerName = p.Scheduler
	pod.Spec.GraceSeconds = &grace
	pod.Spec.Containers = []api.Container{{Name: "c", Image: "bed/" + app.Name,
		Resources: api.Resources{Requests: map[string]string{
			"cpu": fmt.Sprintf("%dm", app.CPU), "memory": fmt.Sprintf("%dMi", app.Memory)}}}}
	app.Shape(pod)
	return pod
}

// each makes all calls, 32 at a time, and returns the first error.
func each(count int, call func(int) error) error {
	var group sync.WaitGroup
	var once sync.Once
	var first error
	work := make(chan int)
	for range 32 {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := range work {
				if err := call(i); err != nil {
					once.Do(func() { first = err })
				}
			}
		}()
	}
	for i := range count {
		work <- i
	}
	close(work)
	group.Wait()
	return first
}
