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

// A Scheduler is the scheduling loop over an engine: pods wait in a queue, are decided in order,
// bound by a callback, and woken by changes that could help them. The caller passes the time; no
// clock is read.
//
// While a scheduler exists, objects are added, changed and removed through it: immediately with
// Add, Update and Remove, or with PostAdd, PostUpdate and PostRemove, which work on any goroutine
// and inside callbacks and do not wait for the engine. An engine has at most one scheduler. Close
// the scheduler before the engine.
type Scheduler struct {
	*loop
	engine *Engine // reachable as long as the scheduler is
}

// loop is the part of a scheduler that its cleanup needs.
type loop struct {
	owner     *state
	at        *C.berth_scheduler
	callbacks Callbacks
	handle    cgo.Handle
	uses      atomic.Int64 // posts in progress, plus 1 while it is open
	closed    atomic.Bool
	panicked  *PanicError // sync: owner.mu; the first one of the current call
	notified  atomic.Pointer[PanicError]
}

// BindingID identifies one assumption: a pod on its way to a node.
type BindingID uint64

// Binding is a pod and the node that it is being bound to.
type Binding struct {
	ID   BindingID
	Pod  PodID
	Node NodeID
}

// Eviction is a pod to evict so that another one fits.
type Eviction struct {
	Preemptor PodID
	Node      NodeID
	Victim    PodID
}

// Answer is the outcome of a callback.
type Answer int

// The answers.
const (
	Done   Answer = C.BERTH_ANSWER_DONE   // the callback did it
	Later  Answer = C.BERTH_ANSWER_LATER  // the outcome follows through BindDone or an event
	Cannot Answer = C.BERTH_ANSWER_FAILED // it is not possible
)

// UnbindReason is why a binding was given up.
type UnbindReason int

// The reasons.
const (
	BindFailed  UnbindReason = C.BERTH_UNBIND_FAILED
	BindExpired UnbindReason = C.BERTH_UNBIND_EXPIRED
	PodDeleted  UnbindReason = C.BERTH_UNBIND_DELETED
	PodTaken    UnbindReason = C.BERTH_UNBIND_TAKEN
)

// Trouble is the kind of a reported problem.
type Trouble int

// The troubles.
const (
	BadEvent        Trouble = C.BERTH_TROUBLE_EVENT
	LateAnswer      Trouble = C.BERTH_TROUBLE_LATE_ANSWER
	EvictionRefused Trouble = C.BERTH_TROUBLE_EVICTION
)

// Callbacks are called inside a call of the scheduler, on its goroutine (except Notify). They may
// post, answer bindings, and read the engine and the scheduler. While one runs, changing and
// deciding return an error of code [State], on every goroutine. If a callback panics, its answer
// counts as Cannot, and the call that it was made from returns a [PanicError]; the scheduler
// continues. Each callback may be nil.
type Callbacks struct {
	Bind   func(Binding) Answer // nil: Done
	Unbind func(Binding, UnbindReason)
	Evict  func(Eviction) Answer // nil: Done
	Report func(Trouble, error)  // the error is nil except for BadEvent
	// Notify reports that posted events wait for a step. It runs on the posting goroutine; if it
	// panics, the post returns the panic, but has taken effect.
	Notify func()
}

// SchedulerOptions describe a scheduler. A duration of 0 means kube-scheduler's default; for the
// backoff it means the value of the engine's scheduler configuration, if that has one.
type SchedulerOptions struct {
	BackoffInitial   time.Duration // after the first failed attempt; default 1 s
	BackoffMax       time.Duration // the backoff doubles up to this; default 10 s
	UnschedulableMax time.Duration // a pod is always tried again after this time; default 5 min
	BindTimeout      time.Duration // for an assumed pod; default none
	Now              time.Time     // the submission time of pods that are already pending
	// A pod that must evict others waits until evictions that were answered Later have begun, but no
	// longer than a second without any progress.
	PaceEvictions bool
	Callbacks     Callbacks
}

func nanos(d time.Duration) C.int64_t {
	if d == 0 {
		return -1
	}
	return C.int64_t(d)
}

// clock converts a time for C; the zero Time is 0.
func clock(t time.Time) C.int64_t {
	if t.IsZero() {
		return 0
	}
	return C.int64_t(t.UnixNano())
}

func schedulers(c *children) *int { return &c.schedulers }

// NewScheduler makes the scheduler of an engine. Nil options mean the zero value.
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
		pace_evictions: C.bool(options.PaceEvictions),
		handle:         C.uintptr_t(l.handle),
		has_bind:       C.bool(l.callbacks.Bind != nil), has_unbind: C.bool(l.callbacks.Unbind != nil),
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
// [State] if it is closed, or if one of its callbacks runs.
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

// done ends a post, or closes the scheduler; the last user frees it.
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

// result converts a status into an error. A call made inside a callback leaves the panic of the
// outer call alone.
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

// Add adds an object immediately, as [Engine.Add] does.
func (s *Scheduler) Add(now time.Time, object any) (ObjectID, error) {
	return s.change(now, object, false)
}

// Update replaces an object immediately.
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

// Remove removes the object that has the same kind, namespace and name.
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

// AddPods adds pods, dozens per crossing, as [Engine.AddPods] does.
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

// PostAdd posts an object to add between two decisions. It works on any goroutine and does not
// wait.
func (s *Scheduler) PostAdd(object any) error { return s.post(object, false) }

// PostUpdate posts an object to update.
func (s *Scheduler) PostUpdate(object any) error { return s.post(object, true) }

// posted returns the outcome of a post: that of C, or a panic of Notify.
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

// PostRemove posts the removal of the object that has the same kind, namespace and name.
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

// BindDone posts the outcome, Done or Cannot, of a binding for which the callback answered Later.
func (s *Scheduler) BindDone(binding BindingID, answer Answer) error {
	return s.settle(func(cErr *C.berth_error) C.berth_status {
		return C.berth_scheduler_bind_done(s.at, C.berth_binding_id(binding), C.berth_answer(answer), cErr)
	})
}

// EvictDone posts the outcome, Done or Cannot, of an eviction for which the callback answered
// Later. After Cannot the pod stays, and preemption may request its eviction again; after Done an
// event has to remove the pod.
func (s *Scheduler) EvictDone(victim PodID, answer Answer) error {
	return s.settle(func(cErr *C.berth_error) C.berth_status {
		return C.berth_scheduler_evict_done(s.at, C.berth_pod_id(victim), C.berth_answer(answer), cErr)
	})
}

// Advance applies posted events and due timers without a decision.
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

// StepKind is the outcome of a step.
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
	Binding   BindingID // of a placed pod
	Waited    time.Duration
	Kind      StepKind
	Nominated NodeID // the choice of preemption, or NoNode
	Victims   uint32 // number of requested evictions
	Attempt   uint32 // attempts for this pod, from 1
}

var _ = [1]struct{}{}[unsafe.Sizeof(Step{})-C.sizeof_bg_step]

// Step applies posted events and decides on the first pod in the queue. If no pod is active, the
// kind is StepIdle and the pod NoPod.
func (s *Scheduler) Step(now time.Time) (Step, error) {
	var out [1]Step
	count, err := s.Steps(now, out[:])
	if count == 0 {
		return Step{Pod: NoPod, Nominated: NoNode}, err
	}
	return out[0], err
}

// Steps takes steps until no pod is active or `out` is full, in one crossing. It returns the number
// of steps.
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

// Next returns the time of the next timer; false if there is none.
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

// PodState is the state of a pod in the scheduler.
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

// PodStatus is what a scheduler knows about a pod.
type PodStatus struct {
	State     PodState
	Attempts  int
	Nominated NodeID // NoNode: none
	Binding   BindingID
	Rejectors []string // the plugins that rejected the last attempt
}

// Pod returns the status of a pod.
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

// Counters are the current numbers of pods, and counts since the scheduler was made, as in
// berth_scheduler_counters.
type Counters struct {
	Gated, Active, Backoff, Unschedulable, Assumed uint64
	Submitted, Bound, Taken, Deleted               uint64
	Assumptions, Forgotten, Expired, GivenUp       uint64
	Decisions, Unplaced, Errors                    uint64
	Woken, Flushed                                 uint64
	Nominations, Evictions                         uint64
	EventsPosted, EventsRefused, LateAnswers       uint64
	BackoffEnded, PoppedEarly                      uint64
	FreedActive, FreedBackoff, BoundAfterFlush     uint64
}

// Counters returns the present numbers.
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
		uint64(c.backoff_ended), uint64(c.popped_early),
		uint64(c.freed_active), uint64(c.freed_backoff), uint64(c.bound_after_flush),
	}, nil
}

// LastTrouble returns the error of the last posted event that was refused; nil if none was.
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

// Check compares the queue with itself and with the engine: for tests.
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
