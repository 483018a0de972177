package kube

import (
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// An informer that receives objects by calls instead of listing and watching them: put stores an
// object and calls every handler before it returns, so the scheduler's own event handlers and
// assume caches are filled without a goroutine, a channel or a wait.
type informer struct {
	cache.SharedIndexInformer // never run; it provides the store and the rest of the interface
	handlers                  []cache.ResourceEventHandler
	updates                   int
}

func newInformer(object runtime.Object) *informer {
	indexers := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	return &informer{
		SharedIndexInformer: cache.NewSharedIndexInformer(&cache.ListWatch{}, object, 0, indexers),
	}
}

// registration reports that everything is synced, because handlers have already seen all objects.
type registration struct {
	cache.ResourceEventHandlerRegistration
}

func (registration) HasSynced() bool { return true }

func (i *informer) AddEventHandler(handler cache.ResourceEventHandler) (
	cache.ResourceEventHandlerRegistration, error,
) {
	i.handlers = append(i.handlers, handler)
	for _, object := range i.GetStore().List() {
		handler.OnAdd(object, true)
	}
	return registration{}, nil
}

func (i *informer) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, _ time.Duration) (
	cache.ResourceEventHandlerRegistration, error,
) {
	return i.AddEventHandler(handler)
}

func (i *informer) HasSynced() bool { return true }

func (i *informer) add(object any) error {
	if err := i.GetIndexer().Add(object); err != nil {
		return err
	}
	for _, handler := range i.handlers {
		handler.OnAdd(object, true)
	}
	return nil
}

// put adds the object, or replaces the one with its name.
func (i *informer) put(object any) error {
	old := i.get(object)
	if old == nil {
		return i.add(object)
	}
	if pod, ok := object.(*v1.Pod); ok { // the scheduler ignores updates with an unchanged version
		i.updates++
		pod.ResourceVersion = strconv.Itoa(i.updates)
	}
	if err := i.GetIndexer().Update(object); err != nil {
		return err
	}
	for _, handler := range i.handlers {
		handler.OnUpdate(old, object)
	}
	return nil
}

// remove removes the object with this name, if it exists.
func (i *informer) remove(object any) error {
	old := i.get(object)
	if old == nil {
		return nil
	}
	if err := i.GetIndexer().Delete(old); err != nil {
		return err
	}
	for _, handler := range i.handlers {
		handler.OnDelete(old)
	}
	return nil
}

// get returns the object with this name, or nil.
func (i *informer) get(object any) any {
	old, _, _ := i.GetIndexer().Get(object)
	return old
}

// store makes an object visible to listers, without an event.
func (i *informer) store(object any) error { return i.GetIndexer().Add(object) }

// register makes the factory return this informer for objects of the kind.
func register(factory informers.SharedInformerFactory, object runtime.Object) *informer {
	made := newInformer(object)
	factory.InformerFor(object, func(clientset.Interface, time.Duration) cache.SharedIndexInformer {
		return made
	})
	return made
}
