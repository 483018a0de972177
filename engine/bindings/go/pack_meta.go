package berth

/*
#include "glue.h"
*/
import "C"

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// compare compares C texts byte by byte.
func compare(a, b C.berth_str) int {
	return strings.Compare(unsafe.String((*byte)(unsafe.Pointer(a.data)), int(a.len)),
		unsafe.String((*byte)(unsafe.Pointer(b.data)), int(b.len)))
}

// labels packs a map sorted by key: Go maps have no order, but equal objects must be equal in C.
func (a *arena) labels(from map[string]string) C.berth_map {
	out := many[C.berth_key_value](a, len(from))
	i := 0
	for key, value := range from {
		out[i].key = a.strSet(key)
		out[i].value = a.strSet(value)
		i++
	}
	slices.SortFunc(out, func(x, y C.berth_key_value) int { return compare(x.key, y.key) })
	return C.berth_map{entries: unsafe.SliceData(out), count: C.uint32_t(len(out))}
}

// resources packs amounts sorted by name.
func (a *arena) resources(from corev1.ResourceList) C.berth_resources {
	out := many[C.berth_resource](a, len(from))
	i := 0
	for name, amount := range from {
		out[i].name = a.strSet(string(name))
		out[i].amount = a.quantity(&amount)
		if out[i].amount.units < 0 || out[i].amount.nanos < 0 {
			a.fail(&Error{Code: Invalid, Offset: -1, Field: string(name),
				Message: fmt.Sprintf("must not be negative, found %q", amount.String())})
		}
		i++
	}
	slices.SortFunc(out, func(x, y C.berth_resource) int { return compare(x.name, y.name) })
	return C.berth_resources{items: unsafe.SliceData(out), count: C.uint32_t(len(out))}
}

// quantity packs an amount exactly; no quantity is finer than a nano.
func (a *arena) quantity(from *resource.Quantity) C.berth_quantity {
	if units, ok := from.AsInt64(); ok {
		return C.berth_quantity{units: C.int64_t(units)}
	}
	const nanos = 1_000_000_000
	const limit = math.MaxInt64 / nanos
	if from.CmpInt64(-limit) > 0 && from.CmpInt64(limit) < 0 {
		amount := from.ScaledValue(resource.Nano)
		return C.berth_quantity{units: C.int64_t(amount / nanos), nanos: C.int32_t(amount % nanos)}
	}
	return a.largeQuantity(*from)
}

func (a *arena) largeQuantity(from resource.Quantity) C.berth_quantity {
	amount := from.AsDec() // AsDec changes its receiver: use the copy
	nanos := new(big.Int).Set(amount.UnscaledBig())
	scale := 9 - int64(amount.Scale())
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(scale, -scale)), nil)
	if scale >= 0 {
		nanos.Mul(nanos, power)
	} else {
		nanos.Quo(nanos, power)
	}
	units, rest := new(big.Int).QuoRem(nanos, big.NewInt(1_000_000_000), new(big.Int))
	if !units.IsInt64() {
		a.fail(misuse(OutOfRange, "the amount %s is out of range", amount.String()))
		return C.berth_quantity{}
	}
	return C.berth_quantity{units: C.int64_t(units.Int64()), nanos: C.int32_t(rest.Int64())}
}

func unixNano(t *metav1.Time) C.int64_t {
	if t.IsZero() {
		return 0
	}
	return C.int64_t(t.UnixNano())
}

func (a *arena) meta(out *C.berth_metadata, from *metav1.ObjectMeta) {
	out.name = a.str(from.Name)
	out.namespace_name = a.str(from.Namespace)
	out.uid = a.str(string(from.UID))
	out.labels = a.labels(from.Labels)
	out.annotations = a.labels(from.Annotations)
	out.creation_time_ns = unixNano(&from.CreationTimestamp)
	out.deleting = C.bool(from.DeletionTimestamp != nil)
	owners := many[C.berth_owner](a, len(from.OwnerReferences))
	for i := range from.OwnerReferences {
		owner := &from.OwnerReferences[i]
		owners[i] = C.berth_owner{
			api_version: a.strSet(owner.APIVersion),
			kind:        a.strSet(owner.Kind),
			name:        a.strSet(owner.Name),
			uid:         a.strSet(string(owner.UID)),
			controller:  C.bool(owner.Controller != nil && *owner.Controller),
		}
	}
	out.owners = unsafe.SliceData(owners)
	out.owner_count = C.uint32_t(len(owners))
}

// ---- selectors ----

func (a *arena) labelSelector(from *metav1.LabelSelector) *C.berth_label_selector {
	if from == nil {
		return nil
	}
	out := one[C.berth_label_selector](a)
	out.match_labels = a.labels(from.MatchLabels)
	list := many[C.berth_requirement](a, len(from.MatchExpressions))
	for i := range from.MatchExpressions {
		term := &from.MatchExpressions[i]
		list[i] = C.berth_requirement{
			key: a.strSet(term.Key), op: a.strSet(string(term.Operator)), values: strs(a, term.Values)}
	}
	out.match_expressions = C.berth_requirements{
		items: unsafe.SliceData(list), count: C.uint32_t(len(list))}
	return out
}

// mapSelector packs the selector of a ReplicationController.
func (a *arena) mapSelector(from map[string]string) *C.berth_label_selector {
	if len(from) == 0 {
		return nil
	}
	out := one[C.berth_label_selector](a)
	out.match_labels = a.labels(from)
	return out
}

func (a *arena) nodeRequirements(from []corev1.NodeSelectorRequirement) C.berth_requirements {
	list := many[C.berth_requirement](a, len(from))
	for i := range from {
		list[i] = C.berth_requirement{key: a.strSet(from[i].Key),
			op: a.strSet(string(from[i].Operator)), values: strs(a, from[i].Values)}
	}
	return C.berth_requirements{items: unsafe.SliceData(list), count: C.uint32_t(len(list))}
}

func (a *arena) nodeTerm(from *corev1.NodeSelectorTerm) C.berth_node_selector_term {
	return C.berth_node_selector_term{
		match_expressions: a.nodeRequirements(from.MatchExpressions),
		match_fields:      a.nodeRequirements(from.MatchFields),
	}
}

func (a *arena) nodeSelector(from *corev1.NodeSelector) *C.berth_node_selector {
	if from == nil {
		return nil
	}
	terms := many[C.berth_node_selector_term](a, len(from.NodeSelectorTerms))
	for i := range from.NodeSelectorTerms {
		terms[i] = a.nodeTerm(&from.NodeSelectorTerms[i])
	}
	out := one[C.berth_node_selector](a)
	out.terms = unsafe.SliceData(terms)
	out.count = C.uint32_t(len(terms))
	return out
}
