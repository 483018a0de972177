package berth

/*
#include "glue.h"
*/
import "C"

import (
	"runtime"
	"runtime/cgo"
	"sync/atomic"
	"time"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
)

// A Scheduler is the loop over an engine: pods wait in a queue, are decided in order, bound by
// callback, and woken by the changes that could help them. Time is the caller's: no clock is read.
//
// Objects are added, changed and removed through the scheduler as long as it exists: at once with
// Add, Update and Remove, or from any goroutine, and while callbacks run, with PostAdd, PostUpdate
// and PostRemove, which do not wait for the engine. An engine has one scheduler at most. Close it
// before the engine.
type Scheduler struct {
	*loop
	engine *Engine // reachable as long as the scheduler is
}

// loop is what the cleanup of a scheduler needs.
type loop struct {
	owner     *state
	at        *C.berth_scheduler
	callbacks Callbacks
	handle    cgo.Handle
	uses      atomic.Int64 // posts under way, and 1 while it is open
	closed    atomic.Bool
	panicked  *PanicError // sync: owner.mu; the first of the present call
	notified  atomic.Pointer[PanicError]
}

// BindingID is one assumption: a pod on its way to a node.
type BindingID uint64

// Binding is a pod and the node that it is bound to.
type Binding struct {
	ID   BindingID
	Pod  PodID
	Node NodeID
}

// Eviction is a pod that has to go so that another one fits.
type Eviction struct {
	Preemptor PodID
	Node      NodeID
	Victim    PodID
}

// Answer says what became of what a callback was asked to do.
type Answer int

// The answers.
const (
	Done   Answer = C.BERTH_ANSWER_DONE   // it is done
	Later  Answer = C.BERTH_ANSWER_LATER  // the outcome will follow: BindDone, or an event
	Cannot Answer = C.BERTH_ANSWER_FAILED // it can't be done
)

// UnbindReason says why a binding was given up.
type UnbindReason int

// The reasons.
const (
	BindFailed  UnbindReason = C.BERTH_UNBIND_FAILED
	BindExpired UnbindReason = C.BERTH_UNBIND_EXPIRED
	PodDeleted  UnbindReason = C.BERTH_UNBIND_DELETED
	PodTaken    UnbindReason = C.BERTH_UNBIND_TAKEN
)

// Trouble says what is reported.
type Trouble int

// The troubles.
const (
	BadEvent        Trouble = C.BERTH_TROUBLE_EVENT
	LateAnswer      Trouble = C.BERTH_TROUBLE_LATE_ANSWER
	EvictionRefused Trouble = C.BERTH_TROUBLE_EVICTION
)

// Callbacks are called inside a call of the scheduler, on its goroutine (but Notify). They may post,
// answer bindings, and look at the engine and the scheduler; changing or deciding returns an error of
// code [State], and so it does for other goroutines while a callback runs. One that panics is taken
// to have answered Cannot, and the call that it was made from returns a [PanicError]; the scheduler
// goes on. Each may be nil.
type Callbacks struct {
	Bind   func(Binding) Answer // nil: Done
	Unbind func(Binding, UnbindReason)
	Evict  func(Eviction) Answer // nil: Done
	Report func(Trouble, error)  // the error is nil but for BadEvent
	// Notify: posted events wait: time for a step. On the posting goroutine; a panic is the error of
	// the post, which has taken effect.
	Notify func()
}

// SchedulerOptions say how a scheduler is made. Durations of 0 are kube-scheduler's; those of the backoff
// are what the engine's scheduler configuration says of it.
type SchedulerOptions struct {
	BackoffInitial   time.Duration // after the first failed attempt; 1 s
	BackoffMax       time.Duration // doubled each time up to this; 10 s
	UnschedulableMax time.Duration // a pod is tried again after that long in any case; 5 min
	BindTimeout      time.Duration // of an assumed pod; none
	Now              time.Time     // of the submission of pods that are pending already
	Callbacks        Callbacks
}

func nanos(d time.Duration) C.int64_t {
	if d == 0 {
		return -1
	}
	return C.int64_t(d)
}

// clock gives C's time; the zero Time is 0.
func clock(t time.Time) C.int64_t {
	if t.IsZero() {
		return 0
	}
	return C.int64_t(t.UnixNano())
}

func schedulers(c *children) *int { return &c.schedulers }

// NewScheduler makes the scheduler of an engine. Nil options are the zero ones.
func (e *Engine) NewScheduler(options *SchedulerOptions) (*Scheduler, error) {
	if options == nil {
		options = &SchedulerOptions{}
	}
	for _, d := range []time.Duration{options.BackoffInitial, options.BackoffMax,
		options.UnschedulableMax, options.BindTimeout} {
		if d < 0 {
			return nil, misuse(Argument, "a duration is negative")
		}
	}
	if err := e.lock(); err != nil {
		return nil, err
	}
	defer e.unlock()
	if err := e.adopt(schedulers); err != nil {
		return nil, err
	}
	a := borrowArena()
	defer a.giveBack()
	l := &loop{owner: e.state, callbacks: options.Callbacks}
	l.uses.Store(1)
	l.handle = cgo.NewHandle(l)
	open := one[C.bg_scheduler_open](a)
	*open = C.bg_scheduler_open{
		backoff_initial_ns: nanos(options.BackoffInitial), backoff_max_ns: nanos(options.BackoffMax),
		unschedulable_max_ns: nanos(options.UnschedulableMax),
		bind_timeout_ns:      nanos(options.BindTimeout), now_ns: clock(options.Now),
		handle:   C.uintptr_t(l.handle),
		has_bind: C.bool(l.callbacks.Bind != nil), has_unbind: C.bool(l.callbacks.Unbind != nil),
		has_evict: C.bool(l.callbacks.Evict != nil), has_report: C.bool(l.callbacks.Report != nil),
		has_notify: C.bool(l.callbacks.Notify != nil),
	}
	if err := e.result(C.bg_scheduler_make(e.box, open)); err != nil {
		l.handle.Delete()
		e.release(schedulers)
		return nil, err
	}
	l.at = e.box.scheduler
	s := &Scheduler{l, e}
	runtime.AddCleanup(s, (*loop).collected, l)
	return s, nil
}

// Close frees the scheduler; assumed pods stay on their nodes, posted events are dropped. Error:
// [State] if it is closed, or one of its callbacks runs.
func (s *Scheduler) Close() error {
	if err := s.lock(); err != nil {
		return err
	}
	calling := s.owner.calling.Load() > 0
	if !calling {
		s.closed.Store(true)
	}
	s.unlock()
	if calling {
		return misuse(State, "the scheduler can't be closed while one of its callbacks runs")
	}
	s.loop.done()
	return nil
}

func (l *loop) collected() {
	if !l.closed.Swap(true) {
		l.done()
	}
}

// done ends a post, or the scheduler's being open; the last one frees it.
func (l *loop) done() {
	if l.uses.Add(-1) > 0 {
		return
	}
	l.owner.mu.Lock()
	if l.owner.box != nil && !l.owner.exited.Load() {
		C.berth_scheduler_destroy(l.at)
		l.owner.box.scheduler = nil
	}
	l.owner.mu.Unlock()
	l.handle.Delete()
	l.owner.release(schedulers)
}

// use begins a post.
func (l *loop) use() error {
	for {
		uses := l.uses.Load()
		if uses == 0 || l.closed.Load() {
			return misuse(State, "the scheduler is closed")
		}
		if l.owner.exited.Load() {
			return errExited()
		}
		if l.uses.CompareAndSwap(uses, uses+1) {
			return nil
		}
	}
}

// lock begins a call that uses the engine.
func (s *Scheduler) lock() error {
	if err := s.engine.lock(); err != nil {
		return err
	}
	if s.closed.Load() {
		s.engine.unlock()
		return misuse(State, "the scheduler is closed")
	}
	return nil
}

func (s *Scheduler) unlock() {
	s.engine.unlock()
	runtime.KeepAlive(s)
}

// result turns a status into an error. A call that comes while a callback runs leaves the panic of
// the call around it alone.
func (s *Scheduler) result(status C.int) error {
	if s.owner.calling.Load() == 0 && s.panicked != nil {
		err := s.panicked
		s.panicked = nil
		s.owner.box.callback_broke = false
		return err
	}
	return s.engine.result(status)
}

// ---- events ----

// Add adds an object at once, as [Engine.Add] does.
func (s *Scheduler) Add(now time.Time, object any) (ObjectID, error) {
	return s.change(now, object, false)
}

// Update replaces an object at once.
func (s *Scheduler) Update(now time.Time, object any) error {
	_, err := s.change(now, object, true)
	return err
}

func (s *Scheduler) change(now time.Time, object any, update bool) (ObjectID, error) {
	none := ObjectID{NoNode, NoPod}
	a := borrowArena()
	defer a.giveBack()
	packed, err := a.object(object)
	if err != nil {
		return none, err
	}
	if err := s.lock(); err != nil {
		return none, err
	}
	defer s.unlock()
	box := s.owner.box
	err = s.result(C.bg_scheduler_change(box, clock(now), packed.kind, packed.object, C.bool(update)))
	if err != nil {
		return none, err
	}
	return ObjectID{NodeID(box.node), PodID(box.pod)}, nil
}

// Remove removes the object of the kind, namespace and name of the one given.
func (s *Scheduler) Remove(now time.Time, object any) error {
	kind, name, err := identity(object)
	if err != nil {
		return err
	}
	a := borrowArena()
	defer a.giveBack()
	if err := s.lock(); err != nil {
		return err
	}
	defer s.unlock()
	box := s.owner.box
	cErr := one[C.berth_error](a)
	status := C.berth_scheduler_remove(s.at, clock(now), C.berth_kind(kind),
		a.str(name.GetNamespace()), a.strSet(name.GetName()), cErr)
	if status != C.BERTH_OK {
		box.error = *cErr
	}
	return s.result(C.int(status))
}

// AddPods adds pods, some dozens in one crossing, as [Engine.AddPods] does.
func (s *Scheduler) AddPods(now time.Time, pods []*corev1.Pod, ids []PodID) (int, error) {
	return packBatches(pods, len(ids), ids == nil, func(a *arena) func(*C.berth_pod, *corev1.Pod) {
		return a.pod
	}, func(list []C.berth_pod, from int) (int, error) {
		if err := s.lock(); err != nil {
			return 0, err
		}
		defer s.unlock()
		var out *C.uint64_t
		if ids != nil {
			out = (*C.uint64_t)(unsafe.SliceData(ids[from:]))
		}
		box := s.owner.box
		status := C.bg_scheduler_add_pods(box, clock(now), unsafe.SliceData(list),
			C.uint32_t(len(list)), out)
		return int(box.done), s.result(status)
	})
}

// PostAdd posts an object to be added between two decisions. From any goroutine, without waiting.
func (s *Scheduler) PostAdd(object any) error { return s.post(object, false) }

// PostUpdate posts an object to be updated.
func (s *Scheduler) PostUpdate(object any) error { return s.post(object, true) }

// posted is the outcome of a post: C's, or a panic of Notify.
func (s *Scheduler) posted(status C.int, cErr *C.berth_error) error {
	if status != C.BERTH_OK {
		return failure(cErr)
	}
	if err := s.notified.Swap(nil); err != nil {
		return err
	}
	return nil
}

// end ends a post.
func (s *Scheduler) end() {
	s.loop.done()
	runtime.KeepAlive(s)
}

func (s *Scheduler) post(object any, update bool) error {
	a := borrowArena()
	defer a.giveBack()
	packed, err := a.object(object)
	if err != nil {
		return err
	}
	cErr := one[C.berth_error](a)
	if err := s.use(); err != nil {
		return err
	}
	defer s.end()
	return s.posted(C.bg_post(s.at, packed.kind, packed.object, C.bool(update), cErr), cErr)
}

// PostRemove posts the removal of the object of the kind, namespace and name of the one given.
func (s *Scheduler) PostRemove(object any) error {
	kind, name, err := identity(object)
	if err != nil {
		return err
	}
	a := borrowArena()
	defer a.giveBack()
	cErr := one[C.berth_error](a)
	if err := s.use(); err != nil {
		return err
	}
	defer s.end()
	return s.posted(C.int(C.berth_scheduler_post_remove(s.at, C.berth_kind(kind),
		a.str(name.GetNamespace()), a.strSet(name.GetName()), cErr)), cErr)
}

// settle posts an outcome.
func (s *Scheduler) settle(post func(cErr *C.berth_error) C.berth_status) error {
	a := borrowArena()
	defer a.giveBack()
	cErr := one[C.berth_error](a)
	if err := s.use(); err != nil {
		return err
	}
	defer s.end()
	return s.posted(C.int(post(cErr)), cErr)
}

// BindDone posts the outcome, Done or Cannot, of a binding that was answered Later.
func (s *Scheduler) BindDone(binding BindingID, answer Answer) error {
	return s.settle(func(cErr *C.berth_error) C.berth_status {
		return C.berth_scheduler_bind_done(s.at, C.berth_binding_id(binding), C.berth_answer(answer), cErr)
	})
}

// EvictDone posts the outcome, Done or Cannot, of an eviction that was answered Later. Cannot: the pod
// stays, and whoever needs its room may ask again; Done: an event will tell.
func (s *Scheduler) EvictDone(victim PodID, answer Answer) error {
	return s.settle(func(cErr *C.berth_error) C.berth_status {
		return C.berth_scheduler_evict_done(s.at, C.berth_pod_id(victim), C.berth_answer(answer), cErr)
	})
}

// Advance applies what is posted and what time has brought, without a decision.
func (s *Scheduler) Advance(now time.Time) error {
	a := borrowArena()
	defer a.giveBack()
	cErr := one[C.berth_error](a)
	if err := s.lock(); err != nil {
		return err
	}
	defer s.unlock()
	status := C.berth_scheduler_advance(s.at, clock(now), cErr)
	if status != C.BERTH_OK {
		s.owner.box.error = *cErr
	}
	return s.result(C.int(status))
}

// ---- decisions ----

// StepKind says what a step has done.
type StepKind uint32

// The kinds.
const (
	StepIdle          StepKind = C.BERTH_STEP_IDLE          // no pod is active
	StepBound         StepKind = C.BERTH_STEP_BOUND         // placed, and confirmed at once
	StepAssumed       StepKind = C.BERTH_STEP_ASSUMED       // placed, confirmation pending
	StepForgotten     StepKind = C.BERTH_STEP_FORGOTTEN     // placed, but the binding failed at once
	StepUnschedulable StepKind = C.BERTH_STEP_UNSCHEDULABLE // no node fits
	StepFailed        StepKind = C.BERTH_STEP_ERROR         // a rule failed on this pod
)

// Step is one decision of a scheduler.
type Step struct {
	Pod       PodID
	Placement Placement
	Binding   BindingID // of a pod that was placed
	Waited    time.Duration
	Kind      StepKind
	Nominated NodeID // by preemption, or NoNode
	Victims   uint32 // whose eviction was asked for
	Attempt   uint32 // of this pod, from 1 on
}

var _ = [1]struct{}{}[unsafe.Sizeof(Step{})-C.sizeof_bg_step]

// Step applies what is posted and decides on the pod that is first in the queue. The kind is
// StepIdle, and the pod NoPod, if none is active.
func (s *Scheduler) Step(now time.Time) (Step, error) {
	var out [1]Step
	count, err := s.Steps(now, out[:])
	if count == 0 {
		return Step{Pod: NoPod, Nominated: NoNode}, err
	}
	return out[0], err
}

// Steps takes steps until no pod is active or `out` is full, in one crossing, and returns how many.
func (s *Scheduler) Steps(now time.Time, out []Step) (int, error) {
	if err := s.lock(); err != nil {
		return 0, err
	}
	defer s.unlock()
	box := s.owner.box
	status := C.bg_scheduler_steps(box, clock(now), (*C.bg_step)(unsafe.Pointer(unsafe.SliceData(out))),
		C.uint32_t(len(out)))
	return int(box.done), s.result(status)
}

// Next returns when the next thing happens by itself; false: never.
func (s *Scheduler) Next() (time.Time, bool, error) {
	if err := s.lock(); err != nil {
		return time.Time{}, false, err
	}
	defer s.unlock()
	at := int64(C.berth_scheduler_next(s.at))
	if at == 1<<63-1 {
		return time.Time{}, false, nil
	}
	return time.Unix(0, at), true, nil
}

// ---- looking ----

// PodState is where a pod is in its life.
type PodState int

// The states.
const (
	PodStateGone          PodState = C.BERTH_POD_STATE_GONE
	PodStateGated         PodState = C.BERTH_POD_STATE_GATED
	PodStateActive        PodState = C.BERTH_POD_STATE_ACTIVE
	PodStateBackoff       PodState = C.BERTH_POD_STATE_BACKOFF
	PodStateUnschedulable PodState = C.BERTH_POD_STATE_UNSCHEDULABLE
	PodStateAssumed       PodState = C.BERTH_POD_STATE_ASSUMED
	PodStateBound         PodState = C.BERTH_POD_STATE_BOUND
)

// String returns the state's name.
func (s PodState) String() string {
	return C.GoString(C.berth_pod_state_name(C.berth_pod_state(s)))
}

// PodStatus is what a scheduler knows of a pod.
type PodStatus struct {
	State     PodState
	Attempts  int
	Nominated NodeID // NoNode: none
	Binding   BindingID
	Rejectors []string // the plugins that rejected the last attempt
}

// Pod returns what is known of a pod.
func (s *Scheduler) Pod(pod PodID) (PodStatus, error) {
	if err := s.lock(); err != nil {
		return PodStatus{}, err
	}
	defer s.unlock()
	status := &s.owner.box.status
	C.berth_scheduler_pod(s.at, C.berth_pod_id(pod), status)
	out := PodStatus{PodState(status.state), int(status.attempts), NodeID(status.nominated),
		BindingID(status.binding), nil}
	for i := range status.rejector_count {
		out.Rejectors = append(out.Rejectors,
			text(C.berth_scheduler_rejector(s.at, C.berth_pod_id(pod), i)))
	}
	return out, nil
}

// Counters are pods now, and everything counted since the scheduler was made, as
// berth_scheduler_counters has them.
type Counters struct {
	Gated, Active, Backoff, Unschedulable, Assumed uint64
	Submitted, Bound, Taken, Deleted               uint64
	Assumptions, Forgotten, Expired, GivenUp       uint64
	Decisions, Unplaced, Errors                    uint64
	Woken, Flushed                                 uint64
	Nominations, Evictions                         uint64
	EventsPosted, EventsRefused, LateAnswers       uint64
}

// Counters returns them.
func (s *Scheduler) Counters() (Counters, error) {
	if err := s.lock(); err != nil {
		return Counters{}, err
	}
	defer s.unlock()
	c := &s.owner.box.counters
	C.berth_scheduler_count(s.at, c)
	return Counters{
		uint64(c.gated), uint64(c.active), uint64(c.backoff), uint64(c.unschedulable), uint64(c.assumed),
		uint64(c.submitted), uint64(c.bound), uint64(c.taken), uint64(c.deleted),
		uint64(c.assumptions), uint64(c.forgotten), uint64(c.expired), uint64(c.given_up),
		uint64(c.decisions), uint64(c.unplaced), uint64(c.errors),
		uint64(c.woken), uint64(c.flushed),
		uint64(c.nominations), uint64(c.evictions),
		uint64(c.events_posted), uint64(c.events_refused), uint64(c.late_answers),
	}, nil
}

// LastTrouble returns the last posted event that was refused; nil if there was none.
func (s *Scheduler) LastTrouble() error {
	if err := s.lock(); err != nil {
		return err
	}
	defer s.unlock()
	if last := C.berth_scheduler_last_trouble(s.at); last.code != C.BERTH_OK {
		return failure(last)
	}
	return nil
}

// Check holds the queue against itself and the engine: for tests.
func (s *Scheduler) Check() error {
	a := borrowArena()
	defer a.giveBack()
	cErr := one[C.berth_error](a)
	if err := s.lock(); err != nil {
		return err
	}
	defer s.unlock()
	if C.berth_scheduler_check(s.at, cErr) != C.BERTH_OK {
		return failure(cErr)
	}
	return nil
}
