/* Worker pool: threads that spin on a gate for a while, then park on a condition variable. */
#include "base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "base/assert.h"

/* How long a worker spins on the gate before it parks. Measured on 2 cores of an EPYC (Zen 5) in a
 * virtual machine: a spinning worker begins 0.2 to 0.7 us after the gate opens, a parked one 8 to
 * 10 us after. The caller's own part between two rounds, and between two decisions, is below 20 us
 * at 100,000 nodes. 50 us bridges that with room to spare. A caller that decides less often than
 * every 50 us loses at most the 10 us of a wake-up, and does not occupy a core. A pause takes 12 to
 * 34 ns there and as little as a tenth of that elsewhere, so it is timed. */
enum { SPIN_NS = 50000, TIMED_PAUSES = 64, SPINS_MIN = 500, SPINS_MAX = 50000 };

/* The gate: bits 0 to 15 count the workers inside, bit 16 open, bit 17 stop, bits 32 to 63 the
 * round. */
#define GATE_INSIDE UINT64_C(0xffff)
#define GATE_OPEN (UINT64_C(1) << 16)
#define GATE_STOP (UINT64_C(1) << 17)
#define GATE_ROUND (UINT64_C(1) << 32)

typedef struct worker {
    _Alignas(64) pthread_t thread;
    berth__workers *pool;
    uint32_t index;
    uint32_t group;       /* sync: immutable after create */
    pthread_mutex_t lock; /* guards parking only */
    pthread_cond_t wake;
    _Alignas(64) atomic_bool parked; /* written under the lock; sync: atomic, pair PARK-1 */
} worker;

struct berth__workers {
    const berth_allocator *allocator;
    const berth__machine *machine;
    uint32_t count;
    bool bound;
    uint32_t started; /* threads to join */
    uint32_t helpers; /* workers that are woken */
    uint32_t spins;   /* reads of the gate before parking; sync: immutable after create */
    worker *threads;  /* [count], [0] is the caller; sync: immutable after create */
    uint32_t group_count;
    uint32_t group_numa[BERTH__GROUPS_MAX]; /* sync: immutable after create */
    berth__job job;                         /* sync: pair WORK-1 */
    void *context;                          /* sync: pair WORK-1 */
    _Alignas(64) _Atomic uint64_t gate;     /* sync: atomic, pairs WORK-1, WORK-2 and PARK-1 */
};

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* The number of pauses that take SPIN_NS, by the fastest of five measurements: the others were
 * interrupted. */
static uint32_t time_pauses(void)
{
    uint64_t fastest = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        uint64_t start = clock_ns();
        for (int pause = 0; pause < TIMED_PAUSES; pause++)
            relax();
        uint64_t taken = clock_ns() - start;
        fastest = taken < fastest ? taken : fastest;
    }
    uint64_t spins = (uint64_t)SPIN_NS * TIMED_PAUSES / (fastest > 0 ? fastest : 1);
    return spins < SPINS_MIN ? SPINS_MIN : spins > SPINS_MAX ? SPINS_MAX : (uint32_t)spins;
}

static uint32_t round_of(uint64_t gate)
{
    return (uint32_t)(gate / GATE_ROUND);
}

static bool calls_nobody(uint64_t gate, uint32_t seen)
{
    return round_of(gate) == seen && (gate & GATE_STOP) == 0;
}

static void park(worker *self, uint32_t seen)
{
    pthread_mutex_lock(&self->lock);
    atomic_store_explicit(&self->parked, true, memory_order_seq_cst);               /* PARK-1 */
    if (calls_nobody(atomic_load_explicit(&self->pool->gate, memory_order_seq_cst), /* PARK-1 */
                     seen))
        /* relaxed: under the lock */
        while (atomic_load_explicit(&self->parked, memory_order_relaxed))
            pthread_cond_wait(&self->wake, &self->lock);
    atomic_store_explicit(&self->parked, false, memory_order_relaxed); /* relaxed: locked */
    pthread_mutex_unlock(&self->lock);
}

/* Wait for a round after `seen`, or for the end of the pool. The call may return for a round that
 * is over already. */
static uint64_t await_round(worker *self, uint32_t seen)
{
    for (;;) {
        for (uint32_t i = 0; i < self->pool->spins; i++) {
            /* relaxed: only spins; entering acquires (WORK-1) */
            uint64_t gate = atomic_load_explicit(&self->pool->gate, memory_order_relaxed);
            if (!calls_nobody(gate, seen))
                return gate;
            relax();
        }
        park(self, seen);
    }
}

/* Enter the open round, which may be later than `*gate`. `*gate` receives the gate as last seen. */
static bool enter(berth__workers *pool, uint64_t *gate)
{
    while ((*gate & GATE_OPEN) != 0)
        if (atomic_compare_exchange_weak_explicit(&pool->gate, gate, *gate + 1,
                                                  memory_order_acquire,  /* WORK-1 */
                                                  memory_order_relaxed)) /* relaxed: tried again */
            return true;
    return false;
}

static void *worker_main(void *argument)
{
    worker *self = argument;
    berth__workers *pool = self->pool;
    if (pool->bound)
        berth__machine_bind_worker(pool->machine, self->index, pool->count);
    uint32_t seen = 0;
    for (;;) {
        uint64_t gate = await_round(self, seen);
        if ((gate & GATE_STOP) != 0)
            return NULL;
        bool inside = enter(pool, &gate);
        seen = round_of(gate);
        if (!inside)
            continue;
        pool->job(pool->context, self->index);
        atomic_fetch_sub_explicit(&pool->gate, 1, memory_order_release); /* WORK-2 */
    }
}

/* Wake those of the first `count` workers that are parked. */
static void call(berth__workers *pool, uint32_t count)
{
    for (uint32_t i = 1; i <= count; i++) {
        worker *w = &pool->threads[i];
        if (!atomic_load_explicit(&w->parked, memory_order_seq_cst)) /* PARK-1 */
            continue;
        pthread_mutex_lock(&w->lock);
        atomic_store_explicit(&w->parked, false, memory_order_relaxed); /* relaxed: locked */
        pthread_cond_signal(&w->wake);
        pthread_mutex_unlock(&w->lock);
    }
}

static void open_gate(berth__workers *pool)
{
    /* relaxed: the caller itself closed the gate, and waited for the last worker to leave
     * (WORK-2) */
    uint64_t closed = atomic_load_explicit(&pool->gate, memory_order_relaxed);
    atomic_store_explicit(&pool->gate, closed + GATE_ROUND + GATE_OPEN,
                          memory_order_seq_cst); /* WORK-1, PARK-1 */
    call(pool, pool->helpers);
}

static void close_gate(berth__workers *pool)
{
    uint64_t gate =
        atomic_fetch_sub_explicit(&pool->gate, GATE_OPEN, memory_order_acquire); /* WORK-2 */
    for (uint32_t i = 0; (gate & GATE_INSIDE) != 0; i++) {
        if (i < pool->spins)
            relax();
        else
            sched_yield();
        gate = atomic_load_explicit(&pool->gate, memory_order_acquire); /* WORK-2 */
    }
}

void berth__workers_run(berth__workers *workers, berth__job job, void *context)
{
    if (workers->count == 1) {
        job(context, 0);
        return;
    }
    workers->job = job;
    workers->context = context;
    open_gate(workers);
    job(context, 0);
    close_gate(workers);
}

/* The group of a NUMA node, made if it is new. BERTH__GROUPS_MAX if there are too many. */
static uint32_t group_of_numa(berth__workers *pool, uint32_t numa)
{
    for (uint32_t g = 0; g < pool->group_count; g++)
        if (pool->group_numa[g] == numa)
            return g;
    if (pool->group_count == BERTH__GROUPS_MAX)
        return BERTH__GROUPS_MAX;
    pool->group_numa[pool->group_count] = numa;
    return pool->group_count++;
}

static void make_groups(berth__workers *pool)
{
    bool fits = pool->bound;
    for (uint32_t i = 0; i < pool->count && fits; i++) {
        pool->threads[i].group =
            group_of_numa(pool, berth__machine_numa_of(pool->machine, i, pool->count));
        fits = pool->threads[i].group < BERTH__GROUPS_MAX;
    }
    if (fits)
        return;
    pool->group_count = 1;
    for (uint32_t i = 0; i < pool->count; i++)
        pool->threads[i].group = 0;
}

static berth_status start_threads(berth__workers *pool)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (uint32_t i = 1; i < pool->count; i++) {
        worker *w = &pool->threads[i];
        w->pool = pool;
        w->index = i;
        pthread_mutex_init(&w->lock, NULL);
        pthread_cond_init(&w->wake, NULL);
        if (pthread_create(&w->thread, NULL, worker_main, w) != 0)
            break;
        pool->started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pool->started + 1 == pool->count ? BERTH_OK : BERTH_E_NOMEM;
}

/* Workers beyond the number of cores would only compete for cores. Debug builds wake them anyway:
 * the more threads run at the same time, the more a sanitizer finds. */
static uint32_t helpers_of(const berth__machine *machine, uint32_t count)
{
#ifdef BERTH_DEBUG
    (void)machine;
    return count - 1;
#else
    uint32_t cores = berth__machine_cores(machine);
    return (count <= cores ? count : cores) - 1;
#endif
}

berth_status berth__workers_create(const berth_allocator *allocator, const berth__machine *machine,
                                   uint32_t count, bool bound, berth__workers **out)
{
    BERTH_ASSERT(count >= 1);
    berth__workers *pool = berth__alloc_zero(allocator, sizeof(*pool), 64);
    if (pool == NULL)
        return BERTH_E_NOMEM;
    pool->allocator = allocator;
    pool->machine = machine;
    pool->count = count;
    pool->bound = bound;
    pool->helpers = helpers_of(machine, count);
    pool->spins = count > 1 ? time_pauses() : 0;
    pool->threads = berth__alloc_zero(allocator, count * sizeof(worker), 64);
    berth_status status = BERTH_E_NOMEM;
    if (pool->threads != NULL) {
        make_groups(pool);
        status = start_threads(pool);
    }
    if (status != BERTH_OK) {
        berth__workers_destroy(pool);
        return status;
    }
    *out = pool;
    return BERTH_OK;
}

void berth__workers_destroy(berth__workers *workers)
{
    if (workers == NULL)
        return;
    atomic_fetch_or_explicit(&workers->gate, GATE_STOP, memory_order_seq_cst); /* PARK-1 */
    call(workers, workers->started);
    for (uint32_t i = 1; i <= workers->started; i++) {
        pthread_join(workers->threads[i].thread, NULL);
        pthread_cond_destroy(&workers->threads[i].wake);
        pthread_mutex_destroy(&workers->threads[i].lock);
    }
    berth__free(workers->allocator, workers->threads, workers->count * sizeof(worker));
    berth__free(workers->allocator, workers, sizeof(*workers));
}

uint32_t berth__workers_count(const berth__workers *workers)
{
    return workers->count;
}

uint32_t berth__workers_groups(const berth__workers *workers)
{
    return workers->group_count;
}

uint32_t berth__workers_group_of(const berth__workers *workers, uint32_t index)
{
    return workers->threads[index].group;
}

uint32_t berth__workers_group_numa(const berth__workers *workers, uint32_t group)
{
    return workers->group_numa[group];
}
