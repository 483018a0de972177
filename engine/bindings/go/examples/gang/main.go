// Gang is a queue of jobs that start completely or not at all. The pods of a job are placed as one
// group, the longest-waiting job first. A later job starts earlier only if the jobs before it still
// do not fit.
package main

import (
	"fmt"
	"io"
	"log"
	"os"

	berth "berth/go"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Job is a number of equal pods.
type Job struct {
	Name string
	Pods int
	CPU  string

	ids []berth.PodID
}

// Queue holds the jobs that have not started, the oldest first.
type Queue struct {
	engine  *berth.Engine
	waiting []*Job
}

// Submit adds the job's pods to the engine, pending, and the job to the queue.
func (q *Queue) Submit(job *Job) error {
	first := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: job.Name + "-0", Namespace: "jobs"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse(job.CPU)}}}}},
	}
	id, err := q.engine.AddPod(first)
	if err != nil {
		return err
	}
	job.ids = make([]berth.PodID, job.Pods)
	job.ids[0] = id
	if _, err := q.engine.AddLike(id, job.Name+"-", 1, job.ids[1:]); err != nil {
		return err
	}
	q.waiting = append(q.waiting, job)
	return nil
}

// Start places every job that can start now, in order.
func (q *Queue) Start(out io.Writer) error {
	var still []*Job
	for _, job := range q.waiting {
		placed, err := q.engine.ScheduleGroup(job.ids, nil)
		if err != nil {
			return err
		}
		if placed == len(job.ids) {
			fmt.Fprintf(out, "%s: %d pods started\n", job.Name, placed)
			continue
		}
		fmt.Fprintf(out, "%s: waits, %d of %d pods would fit\n", job.Name, placed, len(job.ids))
		still = append(still, job)
	}
	q.waiting = still
	return nil
}

// Finish removes a job's pods from the cluster.
func (q *Queue) Finish(job *Job) error {
	names, err := q.engine.PodNames(job.ids)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := q.engine.RemovePod(name.Namespace, name.Name); err != nil {
			return err
		}
	}
	return nil
}

func run(out io.Writer) error {
	engine, err := berth.New(nil)
	if err != nil {
		return err
	}
	defer engine.Close()
	node := &corev1.Node{Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourcePods: resource.MustParse("110")}}}
	for i := range 4 {
		node.Name = fmt.Sprintf("n%d", i) // each call packs the object, so one object is enough
		if _, err := engine.AddNode(node); err != nil {
			return err
		}
	}
	queue := &Queue{engine: engine}
	train := &Job{Name: "train", Pods: 6, CPU: "4"}
	for _, job := range []*Job{train, {Name: "large", Pods: 5, CPU: "4"}, {Name: "small", Pods: 2, CPU: "2"}} {
		if err := queue.Submit(job); err != nil {
			return err
		}
	}
	if err := queue.Start(out); err != nil {
		return err
	}
	if err := queue.Finish(train); err != nil {
		return err
	}
	fmt.Fprintln(out, "train: finished")
	return queue.Start(out)
}

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}
