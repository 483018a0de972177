// Package berth is Berth in Go: a placement engine in your process that makes kube-scheduler's
// exact decisions, without an API server.
//
// An [Engine] holds a cluster: nodes, pods and the other objects that scheduling rules read, taken
// from k8s.io/api types or from JSON and YAML. It decides where pods run, binds them and explains
// refusals. A [Transaction] can take back everything done in it. A [Snapshot] is a published state
// of an engine that any goroutine can read; a [Branch] is a what-if engine made from a snapshot. A
// [Scheduler] adds a queue, bindings, wake-ups and preemption to an engine. A [Plugin] filters and
// scores nodes in Go.
//
// # Goroutines
//
// Every method of every type may be called from any goroutine at any time. Calls on one engine wait
// for each other. Calls on different engines and branches, and reads of snapshots, run in parallel.
// No misuse leads to a memory fault: calls on closed values, and calls that are not allowed at that
// moment, return an [Error].
//
// # Closing
//
// Close everything made from an engine before the engine itself: otherwise [Engine.Close] returns
// an error that counts what is still open, and changes nothing. Closing twice returns an error and
// is harmless. The garbage collector frees unreachable values in the right order, but this is only
// a safety net: C memory does not make the collector run.
//
// # Objects
//
// Objects are packed into C memory during the call and not kept: they may be changed afterwards.
package berth

/*
#cgo noescape bg_find_pod
#cgo nocallback bg_find_pod
#cgo noescape bg_find_node
#cgo nocallback bg_find_node
#cgo noescape bg_pod_nodes
#cgo nocallback bg_pod_nodes
#cgo noescape bg_node_names
#cgo nocallback bg_node_names
#cgo noescape bg_pod_names
#cgo nocallback bg_pod_names
#cgo noescape bg_node_resources
#cgo nocallback bg_node_resources
#cgo noescape berth_engine_node_pods
#cgo nocallback berth_engine_node_pods
#cgo noescape berth_engine_pending
#cgo nocallback berth_engine_pending
#cgo noescape berth_engine_node_order
#cgo nocallback berth_engine_node_order
#cgo noescape berth_engine_forbidden
#cgo nocallback berth_engine_forbidden
#cgo noescape bg_snapshot_names
#cgo nocallback bg_snapshot_names
#cgo noescape bg_snapshot_pod_names
#cgo nocallback bg_snapshot_pod_names
#cgo noescape bg_snapshot_nodes
#cgo nocallback bg_snapshot_nodes
#cgo noescape bg_snapshot_pods
#cgo nocallback bg_snapshot_pods
#cgo noescape bg_snapshot_resources
#cgo nocallback bg_snapshot_resources
#include <stdlib.h>
#include "glue.h"
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"
)

// NodeID identifies a node of one engine, its snapshots and its branches. A node name keeps its id
// as long as the engine lives.
type NodeID uint32

// PodID identifies a pod of one engine, its snapshots and its branches; ids are never reused.
type PodID uint64

// The ids that stand for no node and no pod.
const (
	NoNode NodeID = 1<<32 - 1
	NoPod  PodID  = 1<<64 - 1
)

// Code is the kind of an error. It is an error itself, so errors.Is(err, berth.NotFound) reports
// whether err is an [Error] of that code.
type Code int

// The codes, equal to enum berth_status.
const (
	Argument     Code = C.BERTH_E_ARG
	State        Code = C.BERTH_E_STATE
	NoMemory     Code = C.BERTH_E_NOMEM
	Malformed    Code = C.BERTH_E_PARSE
	Invalid      Code = C.BERTH_E_INVALID
	Exists       Code = C.BERTH_E_EXISTS
	NotFound     Code = C.BERTH_E_NOT_FOUND
	OutOfRange   Code = C.BERTH_E_RANGE
	NotSupported Code = C.BERTH_E_UNSUPPORTED
	InputOutput  Code = C.BERTH_E_IO
	Conflicting  Code = C.BERTH_E_CONFLICT
	Internal     Code = C.BERTH_E_INTERNAL
	Cancelled    Code = C.BERTH_E_CANCELLED
)

// Error returns the code's text, such as "not found".
func (c Code) Error() string {
	return C.GoString(C.berth_status_text(C.berth_status(c)))
}

// Error is the type of the errors that this package returns.
type Error struct {
	Code    Code
	Source  string // the file or text that was being read, "" if none
	Line    int    // in Source, from 1; 0 if unknown
	Column  int
	Offset  int64  // bytes from the start of Source, -1 if unknown
	Object  string // "Pod default/web-0", "" if none
	Field   string // "spec.containers[0].resources.requests.cpu", "" if none
	Message string // what was found and what was expected
}

// Error returns the message, with place, object and field in front of it.
func (e *Error) Error() string {
	var out strings.Builder
	out.WriteString("berth: ")
	if e.Source != "" {
		out.WriteString(e.Source)
		if e.Line > 0 {
			fmt.Fprintf(&out, ":%d", e.Line)
		}
		if e.Column > 0 {
			fmt.Fprintf(&out, ":%d", e.Column)
		}
		out.WriteString(": ")
	}
	for _, part := range [...]string{e.Object, e.Field} {
		if part != "" {
			out.WriteString(part)
			out.WriteString(": ")
		}
	}
	out.WriteString(e.Message)
	return out.String()
}

// Unwrap returns the code.
func (e *Error) Unwrap() error { return e.Code }

// PanicError is returned by a call if one of the embedder's callbacks panicked during it. For the
// engine, the callback has then answered [Cannot].
type PanicError struct {
	Value any    // the argument of panic
	Stack []byte // of the goroutine that panicked
}

// Error names the value, without the stack.
func (e *PanicError) Error() string {
	return fmt.Sprintf("berth: a callback panicked: %v", e.Value)
}

// Unwrap returns the value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Version returns the version of the linked library, "MAJOR.MINOR.PATCH".
func Version() string { return C.GoString(C.berth_version()) }

// VersionNumber returns the same as a number, which grows with the version: 1.2.3 is 1002003.
func VersionNumber() int { return int(C.berth_version_number()) }

// KubernetesVersion is a version of kube-scheduler, 1.Minor.Patch.
type KubernetesVersion struct{ Minor, Patch int }

// Number returns the version for [Config].Kubernetes.
func (v KubernetesVersion) Number() int { return v.Minor | (v.Patch+1)<<16 }

// String returns the version as "1.37.0".
func (v KubernetesVersion) String() string { return fmt.Sprintf("1.%d.%d", v.Minor, v.Patch) }

// KubernetesVersions returns the versions of kube-scheduler that the library knows, the newest
// first: the first patch release of each minor version, and each later one from which on decisions
// differ.
func KubernetesVersions() []KubernetesVersion {
	numbers := make([]C.uint32_t, C.berth_kubernetes_versions(nil, 0))
	C.berth_kubernetes_versions(unsafe.SliceData(numbers), C.uint32_t(len(numbers)))
	versions := make([]KubernetesVersion, len(numbers))
	for i, number := range numbers {
		versions[i] = KubernetesVersion{int(number & 0xffff), int(number>>16) - 1}
	}
	return versions
}

// failure converts a C error.
func failure(from *C.berth_error) error {
	offset := int64(-1)
	if uint64(from.offset) < 1<<63 {
		offset = int64(from.offset)
	}
	return &Error{
		Code:    Code(from.code),
		Source:  C.GoString(&from.source[0]),
		Line:    int(from.line),
		Column:  int(from.column),
		Offset:  offset,
		Object:  C.GoString(&from.object[0]),
		Field:   C.GoString(&from.field[0]),
		Message: C.GoString(&from.message[0]),
	}
}

// misuse makes an error for a wrong use of this package.
func misuse(code Code, format string, arguments ...any) error {
	return &Error{Code: code, Offset: -1, Message: fmt.Sprintf(format, arguments...)}
}

// text copies a C text.
func text(from C.berth_str) string {
	if from.data == nil {
		return ""
	}
	return C.GoStringN(from.data, C.int(from.len))
}

// texts copies an array of C texts.
func texts(from []C.berth_str) []string {
	out := make([]string, len(from))
	for i, one := range from {
		out[i] = text(one)
	}
	return out
}

// view returns a slice over a C array without copying it.
func view[T any](at *T, count C.uint32_t) []T {
	if at == nil || count == 0 {
		return nil
	}
	return unsafe.Slice(at, int(count))
}
