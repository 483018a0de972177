package berth

/*
#include "glue.h"
*/
import "C"

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"
)

// packedText writes out the packed form of an object, field by field as in the C structs. Tests
// compare it with the result of the JSON reader for the same object.
func packedText(object any) (string, error) {
	a := borrowArena()
	defer a.giveBack()
	packed, err := a.object(object)
	if err != nil {
		return "", err
	}
	return textOf(packed.kind, packed.object), nil
}

// readText reads a JSON text with one object and returns the result as text.
func readText(json []byte) (string, error) {
	a := borrowArena()
	defer a.giveBack()
	cErr := one[C.berth_error](a)
	out := one[*C.berth_object](a)
	source := a.strSet(string(json))
	if C.bg_read_one(source, out, cErr) != C.BERTH_OK {
		return "", failure(cErr)
	}
	if *out == nil {
		return "", misuse(NotFound, "the text holds no object that rules read")
	}
	defer C.berth_object_destroy(*out)
	return textOf(C.uint32_t((*out).kind), *(*unsafe.Pointer)(unsafe.Pointer(&(*out).as))), nil
}

var packedTypes = [C.BERTH_KIND_COUNT]reflect.Type{
	C.BERTH_KIND_NAMESPACE:               reflect.TypeFor[C.berth_namespace](),
	C.BERTH_KIND_STORAGE_CLASS:           reflect.TypeFor[C.berth_storage_class](),
	C.BERTH_KIND_CSI_DRIVER:              reflect.TypeFor[C.berth_csi_driver](),
	C.BERTH_KIND_CSI_NODE:                reflect.TypeFor[C.berth_csi_node](),
	C.BERTH_KIND_CSI_STORAGE_CAPACITY:    reflect.TypeFor[C.berth_csi_storage_capacity](),
	C.BERTH_KIND_PERSISTENT_VOLUME:       reflect.TypeFor[C.berth_persistent_volume](),
	C.BERTH_KIND_PERSISTENT_VOLUME_CLAIM: reflect.TypeFor[C.berth_persistent_volume_claim](),
	C.BERTH_KIND_VOLUME_ATTACHMENT:       reflect.TypeFor[C.berth_volume_attachment](),
	C.BERTH_KIND_SERVICE:                 reflect.TypeFor[C.berth_service](),
	C.BERTH_KIND_REPLICATION_CONTROLLER:  reflect.TypeFor[C.berth_controller](),
	C.BERTH_KIND_REPLICA_SET:             reflect.TypeFor[C.berth_controller](),
	C.BERTH_KIND_STATEFUL_SET:            reflect.TypeFor[C.berth_controller](),
	C.BERTH_KIND_POD_DISRUPTION_BUDGET:   reflect.TypeFor[C.berth_pod_disruption_budget](),
	C.BERTH_KIND_NODE:                    reflect.TypeFor[C.berth_node](),
	C.BERTH_KIND_POD:                     reflect.TypeFor[C.berth_pod](),
	C.BERTH_KIND_RESOURCE_SLICE:          reflect.TypeFor[C.berth_resource_slice](),
	C.BERTH_KIND_DEVICE_CLASS:            reflect.TypeFor[C.berth_device_class](),
	C.BERTH_KIND_RESOURCE_CLAIM:          reflect.TypeFor[C.berth_resource_claim](),
	C.BERTH_KIND_DEVICE_TAINT_RULE:       reflect.TypeFor[C.berth_device_taint_rule](),
	C.BERTH_KIND_POD_GROUP:               reflect.TypeFor[C.berth_pod_group](),
	C.BERTH_KIND_COMPOSITE_POD_GROUP:     reflect.TypeFor[C.berth_composite_pod_group](),
}

func textOf(kind C.uint32_t, object unsafe.Pointer) string {
	var out strings.Builder
	fmt.Fprintf(&out, "kind %d\n", kind)
	writeStruct(&out, "", reflect.NewAt(packedTypes[kind], object).Elem())
	return out.String()
}

// writeStruct writes a line for each field that is present. An array is a pointer followed by a
// count; any other pointer points to one struct.
func writeStruct(out *strings.Builder, path string, value reflect.Value) {
	of := value.Type()
	if of == reflect.TypeFor[C.berth_str]() {
		s := (*C.berth_str)(value.Addr().UnsafePointer())
		if s.data != nil {
			fmt.Fprintf(out, "%s %q\n", path, text(*s))
		}
		return
	}
	for i := range of.NumField() {
		name, field := of.Field(i).Name, value.Field(i)
		at := path + "." + name
		switch field.Kind() {
		case reflect.Struct:
			writeStruct(out, at, field)
		case reflect.Pointer:
			count := 1
			if i+1 < of.NumField() && strings.HasSuffix(of.Field(i+1).Name, "count") {
				count = int(value.Field(i + 1).Uint())
			}
			if field.IsNil() || count == 0 { // an empty list equals none
				continue
			}
			fmt.Fprintf(out, "%s: %d\n", at, count)
			for k := range count {
				element := unsafe.Add(field.UnsafePointer(), uintptr(k)*field.Type().Elem().Size())
				writeStruct(out, fmt.Sprintf("%s[%d]", at, k), reflect.NewAt(field.Type().Elem(), element).Elem())
			}
		case reflect.Array: // padding
		default:
			if name != "template_id" && !strings.HasSuffix(name, "count") && !field.IsZero() {
				fmt.Fprintf(out, "%s %v\n", at, formatted(field))
			}
		}
	}
}

func formatted(field reflect.Value) string {
	switch {
	case field.CanInt():
		return fmt.Sprint(field.Int())
	case field.CanUint():
		return fmt.Sprint(field.Uint())
	}
	return fmt.Sprint(field.Bool())
}
