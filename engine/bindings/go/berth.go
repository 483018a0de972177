// Package berth is Berth in Go: a placement engine with kube-scheduler's exact answers, in the
// process, thousands of decisions a millisecond apart from an API server.
//
// An [Engine] holds a cluster: nodes, pods and the other objects that rules read, taken from
// k8s.io/api types, or from JSON and YAML. It decides where pods go, binds them, explains refusals,
// and takes everything back that was done in a [Transaction]. A [Snapshot] is a published state of
// it, read on any goroutine; a [Branch] is a what-if engine made from a snapshot. A [Scheduler] puts
// a queue, bindings, waking and preemption over an engine. A [Plugin] filters and scores nodes in
// Go.
//
// # Goroutines
//
// Every method of every type may be called from any goroutine at any time: calls on one engine wait
// for each other, calls on different engines and branches, and reads of snapshots, run at the same
// time. No misuse leads to a memory fault: methods of what has been closed, and calls that are not
// allowed at the time, return an [Error].
//
// # Closing
//
// What is made from an engine is closed before it: [Engine.Close] returns an error that counts what
// is still open, and changes nothing then. Closing twice is an error and nothing worse. What is
// forgotten and unreachable is freed by the garbage collector, in the right order; that is a safety
// net: memory of C's does not press the collector to run.
//
// # Objects
//
// Objects are packed into C memory during the call and not kept: they may be changed afterwards.
package berth

/*
#cgo pkg-config: berth
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

// NodeID identifies a node of one engine, its snapshots and branches; it stays with the node's name
// as long as the engine lives.
type NodeID uint32

// PodID identifies a pod of one engine, its snapshots and branches; it is never used again.
type PodID uint64

// What is no node and no pod.
const (
	NoNode NodeID = 1<<32 - 1
	NoPod  PodID  = 1<<64 - 1
)

// Code says what kind of thing went wrong. It is an error itself, so that
// errors.Is(err, berth.NotFound) tells whether err is an [Error] of that code.
type Code int

// The codes, as enum berth_status has them.
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
)

// Error returns the code's text, such as "not found".
func (c Code) Error() string {
	return C.GoString(C.berth_status_text(C.berth_status(c)))
}

// Error is what every call of this package that fails returns.
type Error struct {
	Code    Code
	Source  string // the file or text that was read, "" if none
	Line    int    // in it, from 1; 0 if unknown
	Column  int
	Offset  int64  // bytes from its start, -1 if unknown
	Object  string // "Pod default/web-0", "" if none
	Field   string // "spec.containers[0].resources.requests.cpu", "" if none
	Message string // what was found and what was expected
}

// Error puts what is known in front of the message.
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

// PanicError is what a call returns in which a function of the embedder's, called back, has
// panicked. The engine is as if the function had answered that it can't be done.
type PanicError struct {
	Value any    // what was passed to panic
	Stack []byte // where
}

// Error names the value; the stack is left to who wants it.
func (e *PanicError) Error() string {
	return fmt.Sprintf("berth: a callback panicked: %v", e.Value)
}

// Unwrap returns the value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Version returns the version of the library that is linked, "MAJOR.MINOR.PATCH".
func Version() string { return C.GoString(C.berth_version()) }

// failure copies an error of C's.
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

// misuse makes an error of the package's own.
func misuse(code Code, format string, arguments ...any) error {
	return &Error{Code: code, Offset: -1, Message: fmt.Sprintf(format, arguments...)}
}

// text copies a text of C's.
func text(from C.berth_str) string {
	if from.data == nil {
		return ""
	}
	return C.GoStringN(from.data, C.int(from.len))
}

// texts copies many.
func texts(from []C.berth_str) []string {
	out := make([]string, len(from))
	for i, one := range from {
		out[i] = text(one)
	}
	return out
}

// view looks at an array of C's.
func view[T any](at *T, count C.uint32_t) []T {
	if at == nil || count == 0 {
		return nil
	}
	return unsafe.Slice(at, int(count))
}
