package berth

/*
#include "glue.h"
*/
import "C"

import (
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"strings"
	"unsafe"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Objects of resource.k8s.io, and PodGroups, are recognized by the names of their types and packed
// through their JSON, because the versions of this package's k8s.io/api differ in the API versions
// and fields that they have. Such objects are few and change seldom. They are returned, and also
// accepted, as untyped objects.
type untypedKind struct {
	kind  C.uint32_t
	group string // of the API
	part  string // of the path of its package
}

var devices = reflect.TypeFor[*unstructured.Unstructured]()

var untypedKinds = map[string]untypedKind{
	"ResourceSlice":   {C.BERTH_KIND_RESOURCE_SLICE, "resource.k8s.io/", "k8s.io/api/resource/"},
	"DeviceClass":     {C.BERTH_KIND_DEVICE_CLASS, "resource.k8s.io/", "k8s.io/api/resource/"},
	"ResourceClaim":   {C.BERTH_KIND_RESOURCE_CLAIM, "resource.k8s.io/", "k8s.io/api/resource/"},
	"DeviceTaintRule": {C.BERTH_KIND_DEVICE_TAINT_RULE, "resource.k8s.io/", "k8s.io/api/resource/"},
	"PodGroup":        {C.BERTH_KIND_POD_GROUP, "scheduling.k8s.io/", "k8s.io/api/scheduling/"},
	"CompositePodGroup": {
		C.BERTH_KIND_COMPOSITE_POD_GROUP, "scheduling.k8s.io/", "k8s.io/api/scheduling/",
	},
}

// deviceKind returns the kind and the heading of such an object.
func deviceKind(from any) (C.uint32_t, string, bool) {
	of := reflect.TypeOf(from)
	if of == nil || of.Kind() != reflect.Pointer || isNil(from) {
		return 0, "", false
	}
	name, version := of.Elem().Name(), path.Base(of.Elem().PkgPath())
	object, bare := from.(*unstructured.Unstructured)
	if bare {
		name, version = object.GetKind(), path.Base(object.GetAPIVersion())
	}
	entry, known := untypedKinds[name]
	switch {
	case !known,
		bare && !strings.HasPrefix(object.GetAPIVersion(), entry.group),
		!bare && !strings.Contains(of.Elem().PkgPath(), entry.part):
		return 0, "", false
	}
	return entry.kind, fmt.Sprintf(`{"apiVersion":"%s%s","kind":"%s",`, entry.group, version, name), true
}

// device packs such an object by way of the reader. The memory of the reader is freed with the
// contents of the arena.
func (a *arena) device(from any) (packed, bool) {
	kind, heading, known := deviceKind(from)
	if !known {
		return packed{}, false
	}
	text, err := json.Marshal(from)
	if err != nil {
		a.fail(misuse(Invalid, "%v", err))
		return packed{kind: kind, object: unsafe.Pointer(one[C.berth_resource_claim](a))}, true
	}
	cErr, out := one[C.berth_error](a), one[*C.berth_object](a)
	if C.bg_read_one(a.strSet(heading+string(text[1:])), out, cErr) != C.BERTH_OK || *out == nil {
		a.fail(failure(cErr))
		return packed{kind: kind, object: unsafe.Pointer(one[C.berth_resource_claim](a))}, true
	}
	a.read = append(a.read, *out)
	return packed{kind: kind, object: *(*unsafe.Pointer)(unsafe.Pointer(&(*out).as))}, true
}
