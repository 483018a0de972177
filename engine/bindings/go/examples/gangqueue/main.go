// Gangqueue is a queue of gangs: the pods of a PodGroup start together, once all of them fit. Groups
// that do not fit wait in their order, and are tried again when pods have left.
package main

import (
	"fmt"
	"io"
	"log"
	"os"

	berth "berth/go"
)

const nodes = `
{apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {cpu: '8', pods: '110'}}}
---
{apiVersion: v1, kind: Node, metadata: {name: b}, status: {allocatable: {cpu: '8', pods: '110'}}}
`

// The PodGroup and the first pod of a gang.
const objects = `
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: %[1]s}
spec: {schedulingPolicy: {gang: {minCount: %[2]d}}}
---
apiVersion: v1
kind: Pod
metadata: {name: %[1]s-0}
spec:
  schedulingGroup: {podGroupName: %[1]s}
  containers: [{name: main, resources: {requests: {cpu: '%[3]s'}}}]
`

// Gang is a PodGroup of equal pods.
type Gang struct {
	Name  string
	Count int
	CPU   string

	pods []berth.PodID
}

// Queue holds the gangs that have not started, the oldest first.
type Queue struct {
	engine  *berth.Engine
	out     io.Writer
	waiting []*Gang
}

// Submit adds the gang's objects to the engine, its pods pending, and the gang to the queue.
func (q *Queue) Submit(gang *Gang) error {
	text := fmt.Sprintf(objects, gang.Name, gang.Count, gang.CPU)
	if _, err := q.engine.Load([]byte(text), nil); err != nil {
		return err
	}
	first, err := q.engine.FindPod("default", gang.Name+"-0")
	if err != nil {
		return err
	}
	gang.pods = make([]berth.PodID, gang.Count)
	gang.pods[0] = first
	q.waiting = append(q.waiting, gang)
	_, err = q.engine.AddLike(first, gang.Name+"-", 1, gang.pods[1:])
	return err
}

// Start starts every waiting gang that fits now, in the order of the queue.
func (q *Queue) Start() error {
	var still []*Gang
	for _, gang := range q.waiting {
		outcome, err := q.engine.SchedulePodGroup(gang.pods)
		if err != nil {
			return err
		}
		if outcome.Verdict == berth.Placed {
			fmt.Fprintf(q.out, "%s: %d pods started\n", gang.Name, outcome.Placed)
			continue
		}
		fmt.Fprintf(q.out, "%s: waits for room for %d pods\n", gang.Name, outcome.Minimum)
		still = append(still, gang)
	}
	q.waiting = still
	return nil
}

// Finish removes the pods of a gang that has ended, and tries the waiting gangs again.
func (q *Queue) Finish(gang *Gang) error {
	for i := range gang.pods {
		if err := q.engine.RemovePod("default", fmt.Sprintf("%s-%d", gang.Name, i)); err != nil {
			return err
		}
	}
	fmt.Fprintf(q.out, "%s: finished\n", gang.Name)
	return q.Start()
}

func run(out io.Writer) error {
	engine, err := berth.New(&berth.Config{FeatureGates: "GenericWorkload=true"}) // follow PodGroups
	if err != nil {
		return err
	}
	defer engine.Close()
	if _, err := engine.Load([]byte(nodes), nil); err != nil {
		return err
	}
	queue := &Queue{engine: engine, out: out}
	train, small := &Gang{Name: "train", Count: 3, CPU: "4"}, &Gang{Name: "small", Count: 2, CPU: "2"}
	for _, gang := range []*Gang{train, {Name: "large", Count: 4, CPU: "4"}, small} {
		if err := queue.Submit(gang); err != nil {
			return err
		}
	}
	if err := queue.Start(); err != nil {
		return err
	}
	if err := queue.Finish(train); err != nil {
		return err
	}
	return queue.Finish(small)
}

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}
