/* epoll for descriptors, a heap of timers, and an eventfd to be woken by other threads. */
#include "live/transport/event_loop.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "cli/heap.h"

enum { EVENTS_A_TURN = 64 };

typedef struct loop_timer {
    int64_t at_ns;
    live_id id; /* increasing; decides between timers of the same time */
    live_timer_fn fire;
    void *context;
} loop_timer;

typedef struct loop_fd {
    uint32_t events; /* 0: not watched */
    bool rests;      /* not watched, but the system may still report it */
    event_fd_fn ready;
    void *context;
} loop_fd;

struct event_loop {
    int epoll, wake;
    atomic_bool woken;  /* WAKE-1 */
    loop_timer *timers; /* a binary heap: [i] is not later than [2i+1] and [2i+2] */
    size_t timer_count, timer_capacity;
    live_id last_id;
    loop_fd *fds; /* indexed by descriptor */
    size_t fd_capacity;
    live_timer_fn on_wake;
    void *on_wake_context;
    struct {
        live_timer_fn fire;
        void *context;
    } each_turn[EACH_TURN_MAX];
    size_t each_turn_count;
    live_timer_fn before_wait;
    void *before_wait_context;
};

static void on_eventfd(void *context, int fd, uint32_t events)
{
    event_loop *loop = context;
    uint64_t count;
    (void)events;
    const bool counted = read(fd, &count, sizeof(count)) == (ssize_t)sizeof(count);
    /* acq_rel: WAKE-1 */
    (void)atomic_exchange_explicit(&loop->woken, false, memory_order_acq_rel);
    if (counted && loop->on_wake != NULL)
        loop->on_wake(loop->on_wake_context);
}

event_loop *event_loop_create(void)
{
    event_loop *loop = heap_new(1, sizeof(*loop));
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    loop->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (loop->epoll < 0 || loop->wake < 0 ||
        !event_loop_fd(loop, loop->wake, EPOLLIN, on_eventfd, loop)) {
        event_loop_destroy(loop);
        return NULL;
    }
    return loop;
}

void event_loop_destroy(event_loop *loop)
{
    if (loop == NULL)
        return;
    if (loop->epoll >= 0)
        close(loop->epoll);
    if (loop->wake >= 0)
        close(loop->wake);
    free(loop->timers);
    free(loop->fds);
    free(loop);
}

bool event_loop_fd(event_loop *loop, int fd, uint32_t events, event_fd_fn ready, void *context)
{
    size_t before = loop->fd_capacity;
    loop->fds = heap_grow(loop->fds, &loop->fd_capacity, (size_t)fd + 1, sizeof(*loop->fds));
    if (loop->fd_capacity > before)
        memset(loop->fds + before, 0, (loop->fd_capacity - before) * sizeof(*loop->fds));
    loop_fd *watched = &loop->fds[fd];
    struct epoll_event event = {.events = events, .data.fd = fd};
    int operation = EPOLL_CTL_MOD;
    if (events == 0)
        operation = EPOLL_CTL_DEL;
    else if (watched->events == 0 && !watched->rests)
        operation = EPOLL_CTL_ADD;
    bool was = watched->events != 0 || watched->rests;
    *watched = (loop_fd){events, false, ready, context};
    if (events == 0 && !was)
        return true;
    int failed = epoll_ctl(loop->epoll, operation, fd, &event);
    /* The descriptor may have been closed and its number used again. */
    if (failed != 0 && operation == EPOLL_CTL_MOD && errno == ENOENT)
        failed = epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event);
    return failed == 0 || operation == EPOLL_CTL_DEL;
}

void event_loop_fd_rest(event_loop *loop, int fd)
{
    if ((size_t)fd < loop->fd_capacity && loop->fds[fd].events != 0)
        loop->fds[fd] = (loop_fd){.rests = true};
}

/* ---- timers ---- */

static bool is_before(const loop_timer *a, const loop_timer *b)
{
    return a->at_ns < b->at_ns || (a->at_ns == b->at_ns && a->id < b->id);
}

static void sift_up(event_loop *loop, size_t at)
{
    loop_timer timer = loop->timers[at];
    for (; at > 0 && is_before(&timer, &loop->timers[(at - 1) / 2]); at = (at - 1) / 2)
        loop->timers[at] = loop->timers[(at - 1) / 2];
    loop->timers[at] = timer;
}

static void sift_down(event_loop *loop, size_t at)
{
    loop_timer timer = loop->timers[at];
    for (size_t child; (child = 2 * at + 1) < loop->timer_count; at = child) {
        if (child + 1 < loop->timer_count &&
            is_before(&loop->timers[child + 1], &loop->timers[child]))
            child++;
        if (!is_before(&loop->timers[child], &timer))
            break;
        loop->timers[at] = loop->timers[child];
    }
    loop->timers[at] = timer;
}

live_id event_loop_timer(event_loop *loop, int64_t at_ns, live_timer_fn fire, void *context)
{
    loop->timers = heap_grow(loop->timers, &loop->timer_capacity, loop->timer_count + 1,
                             sizeof(*loop->timers));
    loop->timers[loop->timer_count] = (loop_timer){at_ns, ++loop->last_id, fire, context};
    sift_up(loop, loop->timer_count++);
    return loop->last_id;
}

static void take_out(event_loop *loop, size_t at)
{
    loop_timer last = loop->timers[--loop->timer_count];
    if (at == loop->timer_count)
        return;
    loop->timers[at] = last;
    sift_up(loop, at);
    sift_down(loop, at);
}

/* A linear search: there are as many timers as current requests, a few hundred. */
void event_loop_timer_stop(event_loop *loop, live_id timer)
{
    for (size_t i = 0; i < loop->timer_count; i++)
        if (loop->timers[i].id == timer) {
            take_out(loop, i);
            return;
        }
}

/* Timers that are set meanwhile wait for the next turn; otherwise a turn might never end. */
static void fire_timers(event_loop *loop)
{
    live_id last = loop->last_id;
    int64_t now_ns = event_loop_now();
    while (loop->timer_count > 0 && loop->timers[0].at_ns <= now_ns && loop->timers[0].id <= last) {
        loop_timer due = loop->timers[0];
        take_out(loop, 0);
        due.fire(due.context);
    }
}

/* ---- turns ---- */

void event_loop_each_turn(event_loop *loop, live_timer_fn fire, void *context)
{
    assert(loop->each_turn_count < EACH_TURN_MAX);
    loop->each_turn[loop->each_turn_count].fire = fire;
    loop->each_turn[loop->each_turn_count++].context = context;
}

void event_loop_each_turn_stop(event_loop *loop, const void *context)
{
    size_t kept = 0;
    for (size_t i = 0; i < loop->each_turn_count; i++)
        if (loop->each_turn[i].context != context)
            loop->each_turn[kept++] = loop->each_turn[i];
    loop->each_turn_count = kept;
}

void event_loop_wake(event_loop *loop)
{
    uint64_t one = 1;
    /* acq_rel: WAKE-1 */
    if (atomic_exchange_explicit(&loop->woken, true, memory_order_acq_rel))
        return;
    /* If the counter is full, it was written before and the loop will wake anyway. */
    if (write(loop->wake, &one, sizeof(one)) < 0)
        return;
}

void event_loop_before_wait(event_loop *loop, live_timer_fn fire, void *context)
{
    loop->before_wait = fire;
    loop->before_wait_context = context;
}

void event_loop_on_wake(event_loop *loop, live_timer_fn fire, void *context)
{
    loop->on_wake = fire;
    loop->on_wake_context = context;
}

static int milliseconds_until(const event_loop *loop, int64_t wait_ns)
{
    if (loop->timer_count > 0) {
        int64_t until_ns = loop->timers[0].at_ns - event_loop_now();
        if (until_ns < wait_ns)
            wait_ns = until_ns;
    }
    if (wait_ns <= 0)
        return 0;
    return wait_ns > INT64_C(60000000000) ? 60000 : (int)((wait_ns + 999999) / 1000000);
}

void event_loop_turn(event_loop *loop, int64_t wait_ns)
{
    struct epoll_event events[EVENTS_A_TURN];
    for (size_t i = 0; i < loop->each_turn_count; i++)
        loop->each_turn[i].fire(loop->each_turn[i].context);
    if (loop->before_wait != NULL)
        loop->before_wait(loop->before_wait_context);
    int count = epoll_wait(loop->epoll, events, EVENTS_A_TURN, milliseconds_until(loop, wait_ns));
    for (int i = 0; i < count; i++) {
        /* Looked up again by number: an earlier event of this turn may have removed the
         * descriptor. */
        loop_fd watched = loop->fds[events[i].data.fd];
        if (watched.events != 0)
            watched.ready(watched.context, events[i].data.fd, events[i].events);
        else if (watched.rests) /* closed by its peer, say; it must not be reported each turn */
            (void)event_loop_fd(loop, events[i].data.fd, 0, NULL, NULL);
    }
    fire_timers(loop);
}

int64_t event_loop_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}
