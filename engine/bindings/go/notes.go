package berth

// #include <stdlib.h>
// #include "glue.h"
import "C"

import (
	"fmt"
	"strconv"
	"strings"
	"unsafe"
)

// NoteKind is what a note is about (berth_note_kind in berth/kube.h).
type NoteKind int

// Kinds of notes.
const (
	PassedOver           NoteKind = C.BERTH_NOTE_PASSED_OVER
	UnknownField         NoteKind = C.BERTH_NOTE_UNKNOWN_FIELD
	APIVersion           NoteKind = C.BERTH_NOTE_API_VERSION
	NotExpanded          NoteKind = C.BERTH_NOTE_NOT_EXPANDED
	RuntimeClassMissing  NoteKind = C.BERTH_NOTE_RUNTIME_CLASS_MISSING
	RuntimeClassApplied  NoteKind = C.BERTH_NOTE_RUNTIME_CLASS
	ClaimTemplateMissing NoteKind = C.BERTH_NOTE_CLAIM_TEMPLATE_MISSING
	DuplicateKey         NoteKind = C.BERTH_NOTE_DUPLICATE_KEY
	PriorityClassMissing NoteKind = C.BERTH_NOTE_PRIORITY_CLASS_MISSING
	SelectorMismatch     NoteKind = C.BERTH_NOTE_SELECTOR
	NoDaemons            NoteKind = C.BERTH_NOTE_NO_DAEMONS
)

var noteTexts = map[NoteKind]string{
	PassedOver:           "no scheduling rule uses objects of this kind",
	UnknownField:         "Kubernetes has no such field there",
	APIVersion:           "no API server serves the kind under this apiVersion",
	NotExpanded:          "the pods of this workload are expected to be in the input themselves",
	RuntimeClassMissing:  "the RuntimeClass is not in the input",
	RuntimeClassApplied:  "the RuntimeClass has been applied",
	ClaimTemplateMissing: "the ResourceClaimTemplate is not in the input",
	DuplicateKey:         "the key appears more than once",
	PriorityClassMissing: "the PriorityClass is not in the input",
	SelectorMismatch:     "the selector does not match the labels of the template",
	NoDaemons:            "no node admits pods of this DaemonSet",
}

// Note is a remark about an input that was nevertheless read. Line and Column count from 1; 0 is
// unknown. Word is what the remark is about, Suggestion what was probably meant.
type Note struct {
	What                              NoteKind
	Source                            string
	Line, Column                      int
	Object, Field                     string
	Kind, APIVersion, Namespace, Name string
	Word, Suggestion                  string
}

// String is the note as a line with its place.
func (n Note) String() string {
	var out strings.Builder
	out.WriteString(n.Source)
	if n.Line > 0 {
		fmt.Fprintf(&out, ":%d", n.Line)
	}
	for _, part := range []string{n.Object, n.Field, noteTexts[n.What], n.Word} {
		if part != "" {
			out.WriteString(": " + part)
		}
	}
	if n.Suggestion != "" {
		fmt.Fprintf(&out, " (probably meant: %s)", n.Suggestion)
	}
	return out.String()
}

// takeNotes returns the notes of a finished reading, and frees them.
func takeNotes(load *C.bg_load) []Note {
	if load.notes == nil {
		return nil
	}
	texts := strings.Split(C.GoStringN(load.notes, C.int(load.notes_bytes)), "\x00")
	C.free(unsafe.Pointer(load.notes))
	load.notes = nil
	out := make([]Note, 0, load.note_count)
	for range int(load.note_count) {
		what, _ := strconv.Atoi(texts[0])
		line, _ := strconv.Atoi(texts[2])
		column, _ := strconv.Atoi(texts[3])
		out = append(out, Note{NoteKind(what), texts[1], line, column, texts[4], texts[5], texts[6],
			texts[7], texts[8], texts[9], texts[10], texts[11]})
		texts = texts[C.BG_NOTE_TEXTS:]
	}
	return out
}
