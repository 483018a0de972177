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

// Objects of resource.k8s.io are recognized by the names of their types and packed through their
// JSON, because the versions of this package's k8s.io/api differ in the API versions and fields
// that they have. Such objects are few and change seldom. They are returned, and also accepted, as
// untyped objects.
const (
	devicesPackage = "k8s.io/api/resource/"
	devicesGroup   = "resource.k8s.io/"
)

var devices = reflect.TypeFor[*unstructured.Unstructured]()

var deviceKinds = map[string]C.uint32_t{
	"ResourceSlice":   C.BERTH_KIND_RESOURCE_SLICE,
	"DeviceClass":     C.BERTH_KIND_DEVICE_CLASS,
	"ResourceClaim":   C.BERTH_KIND_RESOURCE_CLAIM,
	"DeviceTaintRule": C.BERTH_KIND_DEVICE_TAINT_RULE,
}

// deviceKind returns the kind and the heading of such an object.
func deviceKind(from any) (C.uint32_t, string, bool) {
	of := reflect.TypeOf(from)
	if of == nil || of.Kind() != reflect.Pointer || isNil(from) {
		return 0, "", false
	}
	name, version := of.Elem().Name(), path.Base(of.Elem().PkgPath())
	if object, bare := from.(*unstructured.Unstructured); bare {
		if !strings.HasPrefix(object.GetAPIVersion(), devicesGroup) {
			return 0, "", false
		}
		name, version = object.GetKind(), path.Base(object.GetAPIVersion())
	} else if !strings.Contains(of.Elem().PkgPath(), devicesPackage) {
		return 0, "", false
	}
	kind, known := deviceKinds[name]
	return kind, fmt.Sprintf(`{"apiVersion":"%s%s","kind":"%s",`, devicesGroup, version, name), known
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
