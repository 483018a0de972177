// Package fake is a scripted API server: it keeps objects in memory, lists them, sends their
// changes to watches and binds pods as kube-apiserver does, as far as a scheduler can see, unless a
// script makes it answer differently. It speaks HTTP/1.1 and HTTP/2, with TLS or without.
package fake

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

type object = map[string]any

// The collections that a scheduler reads or writes: the path between /apis and the plural name, and
// the kind.
var kinds = map[string]string{
	"api/v1/pods": "Pod", "api/v1/nodes": "Node", "api/v1/namespaces": "Namespace",
	"api/v1/services": "Service", "api/v1/replicationcontrollers": "ReplicationController",
	"api/v1/persistentvolumes": "PersistentVolume", "api/v1/events": "Event",
	"api/v1/persistentvolumeclaims": "PersistentVolumeClaim", "api/v1/configmaps": "ConfigMap",
	"apis/apps/v1/replicasets": "ReplicaSet", "apis/apps/v1/statefulsets": "StatefulSet",
	"apis/policy/v1/poddisruptionbudgets":            "PodDisruptionBudget",
	"apis/scheduling.k8s.io/v1/priorityclasses":      "PriorityClass",
	"apis/storage.k8s.io/v1/storageclasses":          "StorageClass",
	"apis/storage.k8s.io/v1/csinodes":                "CSINode",
	"apis/storage.k8s.io/v1/csidrivers":              "CSIDriver",
	"apis/storage.k8s.io/v1/csistoragecapacities":    "CSIStorageCapacity",
	"apis/storage.k8s.io/v1/volumeattachments":       "VolumeAttachment",
	"apis/resource.k8s.io/v1/resourceclaims":         "ResourceClaim",
	"apis/resource.k8s.io/v1/resourceslices":         "ResourceSlice",
	"apis/resource.k8s.io/v1/deviceclasses":          "DeviceClass",
	"apis/resource.k8s.io/v1/devicetaintrules":       "DeviceTaintRule",
	"apis/resource.k8s.io/v1/resourceclaimtemplates": "ResourceClaimTemplate",
	"apis/node.k8s.io/v1/runtimeclasses":             "RuntimeClass",
	"api/v1/limitranges":                             "LimitRange",
	"api/v1/resourcequotas":                          "ResourceQuota",
	"apis/events.k8s.io/v1/events":                   "Event",
	"apis/coordination.k8s.io/v1/leases":             "Lease",
	"apis/resource.k8s.io/v1beta1/resourceclaims":    "ResourceClaim",
	"apis/resource.k8s.io/v1beta1/resourceslices":    "ResourceSlice",
	"apis/resource.k8s.io/v1beta1/deviceclasses":     "DeviceClass",
	"apis/rbac.authorization.k8s.io/v1/clusterroles": "ClusterRole",
}

// A change of one object, as watches report it.
type change struct {
	collection string
	kind       string // ADDED, MODIFIED, DELETED
	version    int
	object     object
}

type store struct {
	mutex   sync.Mutex
	changed *sync.Cond
	objects map[string]map[string]object // collection, namespace/name
	history []change
	version int
	oldest  int // watches from older versions are answered 410
	uids    int
	era     int // increases when versions go back, which ends all watches
}

func newStore() *store {
	s := &store{objects: map[string]map[string]object{}, version: 1000, oldest: 1000}
	s.changed = sync.NewCond(&s.mutex)
	return s
}

// refusal is an answer other than 2xx, as a Status object.
type refusal struct {
	code    int
	reason  string
	message string
	details object
}

func refuse(code int, reason, message string, arguments ...any) *refusal {
	return &refusal{code: code, reason: reason, message: fmt.Sprintf(message, arguments...)}
}

func (r *refusal) status() object {
	return object{"kind": "Status", "apiVersion": "v1", "metadata": object{}, "status": "Failure",
		"message": r.message, "reason": r.reason, "details": r.details, "code": r.code}
}

func meta(o object) object {
	m, _ := o["metadata"].(object)
	if m == nil {
		m = object{}
		o["metadata"] = m
	}
	return m
}

func text(o object, path ...string) string {
	for _, key := range path[:len(path)-1] {
		o, _ = o[key].(object)
	}
	value, _ := o[path[len(path)-1]].(string)
	return value
}

func clone(o object) object {
	raw, _ := json.Marshal(o)
	var copied object
	_ = json.Unmarshal(raw, &copied)
	return copied
}

// put stores an object as a new version of itself. The mutex is held.
func (s *store) put(collection, kind string, o object) {
	s.version++
	meta(o)["resourceVersion"] = strconv.Itoa(s.version)
	key := text(o, "metadata", "namespace") + "/" + text(o, "metadata", "name")
	if s.objects[collection] == nil {
		s.objects[collection] = map[string]object{}
	}
	if kind == "DELETED" {
		delete(s.objects[collection], key)
	} else {
		s.objects[collection][key] = o
	}
	s.history = append(s.history, change{collection, kind, s.version, o})
	s.changed.Broadcast()
}

func (s *store) create(collection, namespace string, o object) (object, *refusal) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	m := meta(o)
	if namespace != "" {
		m["namespace"] = namespace
	}
	if prefix, _ := m["generateName"].(string); prefix != "" && text(o, "metadata", "name") == "" {
		m["name"] = fmt.Sprintf("%s%05d", prefix, s.uids+1)
	}
	if s.objects[collection][text(o, "metadata", "namespace")+"/"+text(o, "metadata", "name")] != nil {
		return nil, refuse(http.StatusConflict, "AlreadyExists", "%s %q already exists", collection, m["name"])
	}
	s.uids++
	m["uid"] = fmt.Sprintf("00000000-0000-4000-8000-%012d", s.uids)
	m["creationTimestamp"] = time.Now().UTC().Format(time.RFC3339)
	m["generation"] = 1
	o["kind"] = kinds[collection]
	o["apiVersion"] = versionOf(collection)
	if kinds[collection] == "Pod" && text(o, "status", "phase") == "" {
		status, _ := o["status"].(object)
		if status == nil {
			status = object{}
			o["status"] = status
		}
		status["phase"] = "Pending"
	}
	s.put(collection, "ADDED", o)
	return o, nil
}

func versionOf(collection string) string {
	parts := strings.Split(collection, "/")
	return strings.Join(parts[1:len(parts)-1], "/")
}

// update changes an object by a function, which may refuse.
func (s *store) update(collection, key string, change func(object) *refusal) (object, *refusal) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	there := s.objects[collection][key]
	if there == nil {
		return nil, refuse(http.StatusNotFound, "NotFound", "%s %q not found", collection, key)
	}
	next := clone(there)
	if refused := change(next); refused != nil {
		return nil, refused
	}
	meta(next)["resourceVersion"] = meta(there)["resourceVersion"]
	before, _ := json.Marshal(there)
	after, _ := json.Marshal(next)
	switch {
	case text(next, "metadata", "deletionTimestamp") != "" && !protected(next):
		s.put(collection, "DELETED", next)
	case string(before) != string(after): // a write without effect makes no new version
		s.put(collection, "MODIFIED", next)
	}
	return next, nil
}

// protected reports whether an object has a finalizer.
func protected(o object) bool {
	finalizers, _ := meta(o)["finalizers"].([]any)
	return len(finalizers) > 0
}

// preconditions compares uid and resourceVersion of a request with the object.
func preconditions(there, asked object) *refusal {
	for _, name := range []string{"uid", "resourceVersion"} {
		want, _ := asked[name].(string)
		if is := text(there, "metadata", name); want != "" && want != is {
			return refuse(http.StatusConflict, "Conflict", "Precondition failed: %s in precondition: %s, "+
				"%s in object meta: %s", strings.ToUpper(name), want, strings.ToUpper(name), is)
		}
	}
	return nil
}

func (s *store) bind(key string, binding object) *refusal {
	_, refused := s.update("api/v1/pods", key, func(pod object) *refusal {
		if refused := preconditions(pod, meta(binding)); refused != nil {
			return refused
		}
		conflict := func(message string, arguments ...any) *refusal {
			r := refuse(http.StatusConflict, "Conflict", "Operation cannot be fulfilled on pods/binding %q: "+
				message, append([]any{text(pod, "metadata", "name")}, arguments...)...)
			r.details = object{"name": text(pod, "metadata", "name"), "kind": "pods/binding"}
			return r
		}
		spec, _ := pod["spec"].(object)
		if node := text(pod, "spec", "nodeName"); node != "" {
			return conflict("pod %s is already assigned to node %q", text(pod, "metadata", "name"), node)
		}
		if gates, _ := spec["schedulingGates"].([]any); len(gates) > 0 {
			return conflict("pod %s has non-empty .spec.schedulingGates", text(pod, "metadata", "name"))
		}
		spec["nodeName"] = text(binding, "target", "name")
		setCondition(pod, object{"type": "PodScheduled", "status": "True"})
		return nil
	})
	return refused
}

func setCondition(pod, condition object) {
	status, _ := pod["status"].(object)
	if status == nil {
		status = object{}
		pod["status"] = status
	}
	conditions, _ := status["conditions"].([]any)
	for i, there := range conditions {
		if text(there.(object), "type") == condition["type"] {
			merged := there.(object)
			for key, value := range condition {
				merged[key] = value
			}
			conditions[i] = merged
			return
		}
	}
	status["conditions"] = append(conditions, condition)
}

func (s *store) remove(collection, key string, options object) (object, *refusal) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	there := s.objects[collection][key]
	if there == nil {
		return nil, refuse(http.StatusNotFound, "NotFound", "%s %q not found", collection, key)
	}
	asked, _ := options["preconditions"].(object)
	if refused := preconditions(there, asked); refused != nil {
		return nil, refused
	}
	gone := clone(there)
	if protected(gone) {
		meta(gone)["deletionTimestamp"] = time.Now().UTC().Format(time.RFC3339)
		s.put(collection, "MODIFIED", gone)
		return gone, nil
	}
	s.put(collection, "DELETED", gone)
	return gone, nil
}

// list returns the objects of a collection, sorted by key, and their version.
func (s *store) list(collection, namespace string) ([]object, int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var keys []string
	for key := range s.objects[collection] {
		if namespace == "" || strings.HasPrefix(key, namespace+"/") {
			keys = append(keys, key)
		}
	}
	sort.Strings(keys)
	items := make([]object, len(keys))
	for i, key := range keys {
		items[i] = s.objects[collection][key]
	}
	return items, s.version
}

// Expire forgets all history: clients that watch from an older version must list again.
func (s *store) Expire() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.version++
	s.oldest = s.version
	s.history = nil
	s.changed.Broadcast()
}

// Rewind acts as if etcd were restored from an old snapshot: versions go back, so the versions that
// clients know are in the future.
func (s *store) Rewind(by int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.version = max(s.version-by, 1)
	s.oldest = s.version
	s.history = nil
	s.era++
	s.changed.Broadcast()
}
