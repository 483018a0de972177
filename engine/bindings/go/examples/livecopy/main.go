// Livecopy keeps an engine as a copy of a cluster: informers of client-go post their events to a
// scheduler, which decides on pending pods and binds them through the API server.
//
// Here the cluster is client-go's fake one. A program for a real cluster makes its clientset
// from a configuration; everything else stays the same.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"sort"
	"time"

	berth "berth/go"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
)

// LiveCopy is an engine that follows a cluster.
type LiveCopy struct {
	Engine    *berth.Engine
	Scheduler *berth.Scheduler

	client kubernetes.Interface
	wake   chan struct{}
	bind   chan bound
	stop   context.CancelFunc
}

// bound is a decision to send to the API server.
type bound struct {
	binding berth.BindingID
	pod     berth.PodName
	node    string
}

// New makes a live copy and fills it.
func New(ctx context.Context, client kubernetes.Interface) (*LiveCopy, error) {
	engine, err := berth.New(nil)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	c := &LiveCopy{Engine: engine, client: client, wake: make(chan struct{}, 1),
		bind: make(chan bound, 1024), stop: stop}
	c.Scheduler, err = engine.NewScheduler(&berth.SchedulerOptions{Now: time.Now(),
		Callbacks: berth.Callbacks{Bind: c.onBind, Notify: c.onNotify,
			Report: func(what berth.Trouble, err error) { log.Print(what, err) }}})
	if err != nil {
		return nil, err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	for _, informer := range []cache.SharedIndexInformer{
		factory.Core().V1().Nodes().Informer(), factory.Core().V1().Pods().Informer(),
		factory.Core().V1().Namespaces().Informer(), factory.Core().V1().PersistentVolumes().Informer(),
		factory.Core().V1().PersistentVolumeClaims().Informer(), factory.Core().V1().Services().Informer(),
		factory.Storage().V1().StorageClasses().Informer(), factory.Storage().V1().CSINodes().Informer(),
		factory.Policy().V1().PodDisruptionBudgets().Informer(),
	} {
		if _, err := informer.AddEventHandler(c.handler()); err != nil {
			return nil, err
		}
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	go c.binder(ctx)
	return c, nil
}

// handler posts the events of an informer. A post does not wait for the engine, and the events of
// one informer stay in order. Objects are packed immediately, so the cache of the informer is not
// shared.
func (c *LiveCopy) handler() cache.ResourceEventHandler {
	post := func(err error) {
		if err != nil {
			log.Print(err)
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { post(c.Scheduler.PostAdd(object)) },
		UpdateFunc: func(_, object any) { post(c.Scheduler.PostUpdate(object)) },
		DeleteFunc: func(object any) {
			if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = last.Obj
			}
			post(c.Scheduler.PostRemove(object))
		},
	}
}

func (c *LiveCopy) onNotify() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// onBind passes a binding to another goroutine because the API server is slow. Meanwhile the pod is
// assumed.
func (c *LiveCopy) onBind(b berth.Binding) berth.Answer {
	pod, err := c.Engine.PodName(b.Pod)
	if err != nil {
		return berth.Cannot
	}
	node, err := c.Engine.NodeName(b.Node)
	if err != nil {
		return berth.Cannot
	}
	select {
	case c.bind <- bound{b.ID, pod, node}:
		return berth.Later
	default:
		return berth.Cannot // too many in progress: the pod is tried again after its backoff
	}
}

func (c *LiveCopy) binder(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case b := <-c.bind:
			answer := berth.Done
			err := c.client.CoreV1().Pods(b.pod.Namespace).Bind(ctx, &corev1.Binding{
				ObjectMeta: metav1.ObjectMeta{Name: b.pod.Name, Namespace: b.pod.Namespace},
				Target:     corev1.ObjectReference{Kind: "Node", Name: b.node},
			}, metav1.CreateOptions{})
			if err != nil {
				answer = berth.Cannot
			}
			if err := c.Scheduler.BindDone(b.binding, answer); err != nil {
				log.Print(err)
			}
		}
	}
}

// Run schedules until the context ends or `done`, called after each round, returns true.
func (c *LiveCopy) Run(ctx context.Context, done func() bool) error {
	steps := make([]berth.Step, 256)
	for {
		if _, err := c.Scheduler.Steps(time.Now(), steps); err != nil {
			return err
		}
		if done() {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.wake:
		case <-time.After(50 * time.Millisecond): // for backoffs and flushes; Scheduler.Next returns the exact time
		}
	}
}

// Close ends everything, the scheduler before the engine.
func (c *LiveCopy) Close() error {
	c.stop()
	if err := c.Scheduler.Close(); err != nil {
		return err
	}
	return c.Engine.Close()
}

func run(out io.Writer) error {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	amounts := func(cpu string) corev1.ResourceList {
		return corev1.ResourceList{"cpu": resource.MustParse(cpu), "pods": resource.MustParse("10")}
	}
	client := fake.NewClientset(
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Status: corev1.NodeStatus{Allocatable: amounts("2")}},
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "b"}, Status: corev1.NodeStatus{Allocatable: amounts("4")}})
	live, err := New(ctx, client)
	if err != nil {
		return err
	}
	defer live.Close()
	for _, name := range []string{"x", "y", "z"} { // the informers see them, as in a cluster
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "m",
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("2")}}}}}}
		if _, err := client.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	err = live.Run(ctx, func() bool {
		counters, err := live.Scheduler.Counters()
		return err != nil || counters.Bound == 3
	})
	if err != nil {
		return err
	}
	var lines []string
	for _, action := range client.Actions() {
		if create, ok := action.(interface{ GetObject() runtime.Object }); ok && action.GetSubresource() == "binding" {
			binding := create.GetObject().(*corev1.Binding)
			lines = append(lines, fmt.Sprintf("%s is bound to a node", binding.Name))
		}
	}
	sort.Strings(lines)
	for _, line := range lines {
		fmt.Fprintln(out, line)
	}
	return nil
}

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}
