package berth

/*
#include <stdlib.h>
#include "glue.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Path is how a decision finds its node.
type Path uint32

// The paths. Automatic is the fastest one that returns the result of a full scan.
const (
	Automatic Path = C.BERTH_PATH_AUTO
	Scan      Path = C.BERTH_PATH_SCAN
	Index     Path = C.BERTH_PATH_INDEX
)

// HugePages is whether an engine asks for pages of 2 MiB.
type HugePages uint32

// The choices: see berth/engine.h.
const (
	NoHugePages   HugePages = C.BERTH_HUGE_PAGES_NONE
	AutoHugePages HugePages = C.BERTH_HUGE_PAGES_AUTO
	AllHugePages  HugePages = C.BERTH_HUGE_PAGES_ALL
)

// Config describes an engine. The zero value is the newest kube-scheduler with its default profile.
type Config struct {
	// Threads is the number of workers, including the calling goroutine; 0: one for each core. Only
	// scans use more than one.
	Threads int
	Path    Path
	Seed    uint64 // for random tie-breaks
	// Kubernetes is the minor version whose decisions the engine makes, 32 to 37, or the Number of a
	// [KubernetesVersion] for one patch release; 0: the newest.
	Kubernetes int
	// FeatureGates has the format of kube-scheduler's --feature-gates: "Name=true,Other=false".
	FeatureGates string
	// SchedulerConfiguration is a KubeSchedulerConfiguration as JSON or YAML, with the profiles of
	// the engine; SchedulerConfigurationFile is a file with one. Set at most one of them.
	SchedulerConfiguration     string
	SchedulerConfigurationFile string
	// Plugins are filters and scores in Go that profiles may name.
	Plugins []*Plugin
	// BindWorkers, HugePages and AttachedVolumesMax: see berth/engine.h.
	BindWorkers        bool
	HugePages          HugePages
	AttachedVolumesMax int
	// KeepObjects stores what [Engine.Dump], [Engine.Objects] and [Engine.PodObject] need: some
	// kilobytes for each kind of pod, nothing for each pod, some hundred bytes for each other
	// object.
	KeepObjects bool
	// CheckPlugins is for tests of plugins. Every decision calls each plugin for all nodes and
	// compares the result with the results that its Flags let the engine keep. A difference is an
	// error of code [Internal] that names plugin and node.
	CheckPlugins bool
	// MemoryLimit is the most memory, in bytes, that the engine may hold, with its snapshots,
	// branches and scheduler. A call that needs more fails with [NoMemory] and changes nothing. 0:
	// no limit.
	MemoryLimit uint64
}

// An Engine holds a cluster in memory and decides on its pods. Make one with [New], or as a
// [Branch].
type Engine struct {
	*state
}

// state is the part of an engine that the garbage collector's cleanup needs after the Engine itself
// is gone.
type state struct {
	mu  sync.Mutex // held during every C call that uses the engine
	box *C.bg_box  // nil: closed

	// calling counts the running callbacks of the scheduler and of dumps. It changes only under mu,
	// which is released while they run.
	calling atomic.Int32
	exited  atomic.Bool // a callback ended its goroutine inside C: every later call fails

	life     sync.Mutex // protects the following fields; never held while waiting for mu
	children children
	ended    bool // closed, or being closed
	orphaned bool // the Engine is unreachable: closing the last child frees it

	parent       *state // of a branch
	scheduler    *Scheduler
	transactions []*Transaction // the open ones, the innermost last
	plugins      *pluginSet
}

// children counts the open children of an engine.
type children struct{ snapshots, branches, schedulers int }

func (c children) any() bool { return c != children{} }

func (c children) String() string {
	var parts []string
	add := func(count int, what, many string) {
		if count == 1 {
			parts = append(parts, "1 "+what)
		} else if count > 1 {
			parts = append(parts, fmt.Sprintf("%d %s", count, many))
		}
	}
	add(c.snapshots, "snapshot", "snapshots")
	add(c.branches, "branch", "branches")
	add(c.schedulers, "scheduler", "schedulers")
	return strings.Join(parts, ", ")
}

// New makes an empty engine. A nil config means the zero value.
func New(config *Config) (*Engine, error) {
	if config == nil {
		config = &Config{}
	}
	if config.SchedulerConfiguration != "" && config.SchedulerConfigurationFile != "" {
		return nil, misuse(Argument, "a scheduler configuration is given twice")
	}
	if config.Threads < 0 || config.Kubernetes < 0 || config.AttachedVolumesMax < 0 {
		return nil, misuse(Argument, "a number of the configuration is below 0")
	}
	a := borrowArena()
	defer a.giveBack()
	s := &state{}
	if err := s.makePlugins(config.Plugins); err != nil {
		return nil, err
	}
	open := one[C.bg_open](a)
	open.threads = C.uint32_t(config.Threads)
	open.path = C.uint32_t(config.Path)
	open.seed = C.uint64_t(config.Seed)
	open.kubernetes = C.uint32_t(config.Kubernetes)
	open.feature_gates = a.str(config.FeatureGates)
	open.configuration = a.str(config.SchedulerConfiguration)
	if config.SchedulerConfigurationFile != "" {
		open.configuration_file = a.cString(config.SchedulerConfigurationFile)
	}
	open.bind_workers = C.bool(config.BindWorkers)
	open.huge_pages = C.uint32_t(config.HugePages)
	open.attached_volumes_max = C.uint32_t(config.AttachedVolumesMax)
	open.keep_objects = C.bool(config.KeepObjects)
	open.check_plugins = C.bool(config.CheckPlugins)
	open.memory_limit_bytes = C.uint64_t(config.MemoryLimit)
	open.annotation_keys = strs(a, annotationKeys(config.Plugins))
	if s.plugins != nil {
		open.plugins = s.plugins.tables
		open.plugin_count = C.uint32_t(s.plugins.count)
	}
	cErr := one[C.berth_error](a)
	out := one[*C.bg_box](a)
	if C.bg_engine_open(open, out, cErr) != C.BERTH_OK {
		err := failure(cErr)
		if broken := s.plugins.panicked(); broken != nil {
			err = broken
		}
		s.plugins.free()
		return nil, err
	}
	s.box = *out
	e := &Engine{s}
	runtime.AddCleanup(e, (*state).collected, s)
	return e, nil
}

// Close frees the engine. Everything made from it must be closed before: otherwise the error, of
// code [State], counts what is open, and nothing changes.
func (e *Engine) Close() error {
	s := e.state
	if err := s.acquire(); err != nil {
		return err
	}
	err := s.end()
	s.mu.Unlock()
	if err != nil {
		return err
	}
	s.destroy()
	runtime.KeepAlive(e)
	return nil
}

// end marks the engine as closed, if nothing of it is open; s.mu is held.
func (s *state) end() error {
	if s.calling.Load() > 0 {
		return misuse(State, "the engine can't be closed while one of its callbacks runs")
	}
	s.life.Lock()
	defer s.life.Unlock()
	if s.ended {
		return misuse(State, "the engine is closed")
	}
	if s.children.any() {
		return misuse(State, "the engine can't be closed: still open: %s", s.children)
	}
	s.ended = true
	return nil
}

// acquire takes mu. While a function of a plugin runs, the wait could last forever, because the
// caller may be that function; then acquire fails.
func (s *state) acquire() error {
	if s.mu.TryLock() {
		return nil
	}
	return s.plugins.await(&s.mu)
}

// destroy frees the C memory; s.ended is set.
func (s *state) destroy() {
	s.mu.Lock()
	box := s.box
	s.box = nil
	s.mu.Unlock()
	if box == nil || s.exited.Load() {
		return // a C call never returned: freeing its memory is not safe
	}
	if s.parent != nil {
		C.berth_branch_drop(box.engine)
	} else {
		C.berth_engine_destroy(box.engine)
	}
	C.bg_box_free(box)
	if s.parent == nil {
		s.plugins.free()
	} else {
		s.parent.release(func(c *children) *int { return &c.branches })
	}
}

// collected is called after an Engine has become unreachable.
func (s *state) collected() {
	s.life.Lock()
	now := !s.ended && !s.children.any()
	s.orphaned = true
	s.ended = s.ended || now
	s.life.Unlock()
	if now {
		s.destroy()
	}
}

// adopt counts a child, unless the engine is closed.
func (s *state) adopt(which func(*children) *int) error {
	s.life.Lock()
	defer s.life.Unlock()
	if s.ended {
		return misuse(State, "the engine is closed")
	}
	*which(&s.children)++
	return nil
}

// release uncounts a child. It frees the engine if that is unreachable and has no other child.
func (s *state) release(which func(*children) *int) {
	s.life.Lock()
	*which(&s.children)--
	now := s.orphaned && !s.ended && !s.children.any()
	s.ended = s.ended || now
	s.life.Unlock()
	if now {
		s.destroy()
	}
}

// lock begins a call on the engine. It fails if the engine is closed, or is running a function of a
// plugin, which must not call back.
func (e *Engine) lock() error {
	s := e.state
	if err := s.acquire(); err != nil {
		return err
	}
	if s.box == nil {
		s.mu.Unlock()
		return misuse(State, "the engine is closed")
	}
	if s.exited.Load() {
		s.mu.Unlock()
		return errExited()
	}
	return nil
}

func errExited() error {
	return misuse(State, "the engine is unusable: a callback ended its goroutine (runtime.Goexit)")
}

// unlock ends a call. Its use of e keeps the engine reachable until then.
func (e *Engine) unlock() {
	e.state.mu.Unlock()
	runtime.KeepAlive(e)
}

// result converts a status into an error: that of C, or the panic of a plugin.
func (s *state) result(status C.int) error {
	if s.plugins != nil && s.plugins.broken.Load() != nil {
		return s.plugins.panicked()
	}
	if status == C.BERTH_OK {
		return nil
	}
	return failure(&s.box.error)
}

// Memory is the memory use of an engine.
type Memory struct {
	Used     uint64 // bytes allocated
	Resident uint64 // bytes of resident pages; 0: unknown
	Huge     uint64 // bytes of address space for which huge pages were requested and not refused
	Limited  uint64 // bytes that count towards [Config].MemoryLimit; 0: no limit
}

// Memory returns the allocator's figures. Error: [NotSupported] on a branch.
func (e *Engine) Memory() (Memory, error) {
	if err := e.lock(); err != nil {
		return Memory{}, err
	}
	defer e.unlock()
	box := e.box
	if C.berth_engine_memory(box.engine, &box.memory, &box.error) != C.BERTH_OK {
		return Memory{}, failure(&box.error)
	}
	return Memory{uint64(box.memory.used_bytes), uint64(box.memory.resident_bytes),
		uint64(box.memory.huge_bytes), uint64(box.memory.limited_bytes)}, nil
}

// Check compares the whole state with itself: for tests. Cost: linear.
func (e *Engine) Check() error {
	if err := e.lock(); err != nil {
		return err
	}
	defer e.unlock()
	return e.result(C.int(C.berth_engine_check(e.box.engine, &e.box.error)))
}

// Digest returns a hash of the names and nodes of all pods; it does not depend on the order of
// binding.
func (e *Engine) Digest() (uint64, error) {
	if err := e.lock(); err != nil {
		return 0, err
	}
	defer e.unlock()
	return uint64(C.berth_engine_digest(e.box.engine)), nil
}

// Trim frees the memory that the engine keeps for future branches.
func (e *Engine) Trim() error {
	if err := e.lock(); err != nil {
		return err
	}
	defer e.unlock()
	C.berth_engine_trim(e.box.engine)
	return nil
}

// cArray allocates one C array, for tables that live as long as an engine.
func cArray[T any](count int) []T {
	var one T
	at := C.calloc(C.size_t(max(count, 1)), C.size_t(unsafe.Sizeof(one)))
	if at == nil {
		panic("berth: out of memory")
	}
	return unsafe.Slice((*T)(at), count)
}
