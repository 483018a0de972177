package berth

/*
#include <stdlib.h>
#include "glue.h"
*/
import "C"

import "unsafe"

// An arena is C memory into which one object or a batch is packed for a call; it is reused
// afterwards. Structs in it are cleared before they are written: old bytes in C memory could look
// like Go pointers to the write barrier of the garbage collector.
type arena struct {
	chunk  unsafe.Pointer
	used   uintptr
	size   uintptr
	before []unsafe.Pointer  // full chunks, freed by reset
	read   []*C.berth_object // made by the reader, freed by reset
	err    error             // the first failure to pack
}

const (
	arenaChunk = 64 << 10
	arenaKeep  = 1 << 20 // larger chunks are freed
)

// Arenas that are not in use. This is not a sync.Pool, because a pool would drop arenas without
// freeing their C memory.
var spare = make(chan *arena, 8)

// borrowArena returns an empty arena for one call.
func borrowArena() *arena {
	select {
	case a := <-spare:
		return a
	default:
		return new(arena)
	}
}

// giveBack empties an arena and keeps it for the next call, or frees it.
func (a *arena) giveBack() {
	a.reset()
	select {
	case spare <- a:
	default:
		a.free()
	}
}

func (a *arena) reset() {
	for _, chunk := range a.before {
		C.free(chunk)
	}
	a.before = a.before[:0]
	for _, object := range a.read {
		C.berth_object_destroy(object)
	}
	a.read = a.read[:0]
	a.used = 0
	a.err = nil
	if a.size > arenaKeep {
		C.free(a.chunk)
		a.chunk, a.size = nil, 0
	}
}

func (a *arena) free() {
	a.reset()
	C.free(a.chunk)
	a.chunk, a.size = nil, 0
}

// raw returns uninitialized bytes with the alignment `align` (1 or 8).
func (a *arena) raw(bytes, align uintptr) unsafe.Pointer {
	at := (a.used + align - 1) &^ (align - 1)
	if at+bytes > a.size {
		a.grow(bytes)
		at = 0
	}
	a.used = at + bytes
	return unsafe.Add(a.chunk, at)
}

func (a *arena) grow(bytes uintptr) {
	size := max(2*a.size, arenaChunk, bytes)
	chunk := C.malloc(C.size_t(size)) // cgo's malloc never returns nil
	if a.chunk != nil {
		a.before = append(a.before, a.chunk)
	}
	a.chunk, a.size = chunk, size
}

// many returns `count` cleared structs in C memory; nil for none.
func many[T any](a *arena, count int) []T {
	if count == 0 {
		return nil
	}
	var one T
	bytes := unsafe.Sizeof(one) * uintptr(count)
	at := a.raw(bytes, 8)
	clear(unsafe.Slice((*byte)(at), bytes))
	return unsafe.Slice((*T)(at), count)
}

// one returns one cleared struct.
func one[T any](a *arena) *T {
	return &many[T](a, 1)[0]
}

// str packs a text; an empty one is packed as absent.
func (a *arena) str(s string) C.berth_str {
	if s == "" {
		return C.berth_str{}
	}
	return a.strSet(s)
}

// strSet packs a text that is present even if it is empty.
func (a *arena) strSet(s string) C.berth_str {
	at := a.raw(uintptr(len(s))+1, 1)
	out := unsafe.Slice((*byte)(at), len(s)+1)
	copy(out, s)
	out[len(s)] = 0
	return C.berth_str{data: (*C.char)(at), len: C.uint32_t(len(s))}
}

// strTo packs a text that may be absent.
func (a *arena) strTo(s *string) C.berth_str {
	if s == nil {
		return C.berth_str{}
	}
	return a.strSet(*s)
}

// cString packs a zero-terminated text.
func (a *arena) cString(s string) *C.char { return a.strSet(s).data }

// fail keeps the first error of packing.
func (a *arena) fail(err error) {
	if a.err == nil {
		a.err = err
	}
}

// strs packs a list of texts; each is present even if it is empty.
func strs[S ~string](a *arena, list []S) C.berth_strs {
	out := many[C.berth_str](a, len(list))
	for i, s := range list {
		out[i] = a.strSet(string(s))
	}
	return C.berth_strs{items: unsafe.SliceData(out), count: C.uint32_t(len(list))}
}
