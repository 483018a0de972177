/* Worker pool: a round counter that workers spin on, a condition variable once they have parked. */
#include "base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/assert.h"

/* Looks at `round` before a worker parks: about 20 microseconds, the price of waking a parked thread.
 * With fewer cores than workers a spinning worker takes the time of one that has work, so none spin. */
enum { SPINS_MAX = 8000 };

typedef struct worker {
    _Alignas(64) pthread_t thread;
    berth__workers *pool;
    uint32_t index;
} worker;

struct berth__workers {
    const berth_allocator *allocator;
    const berth__machine *machine;
    uint32_t count;
    uint32_t started; /* threads to join */
    uint32_t spins;
    worker *threads;        /* [count], [0] unused; sync: immutable after create */
    berth__job job;         /* sync: pair WORK-1 */
    void *context;          /* sync: pair WORK-1 */
    bool stop;              /* sync: pair WORK-1 */
    pthread_mutex_t lock;   /* guards parking only */
    pthread_cond_t wake;
    _Alignas(64) atomic_uint round;   /* sync: atomic, pairs WORK-1 and PARK */
    _Alignas(64) atomic_uint running; /* sync: atomic, pair WORK-2 */
    _Alignas(64) atomic_uint parked;  /* sync: atomic, pair PARK */
};

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void park(berth__workers *pool, unsigned seen)
{
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add_explicit(&pool->parked, 1, memory_order_seq_cst); /* PARK */
    while (atomic_load_explicit(&pool->round, memory_order_seq_cst) == seen)
        pthread_cond_wait(&pool->wake, &pool->lock);
    atomic_fetch_sub_explicit(&pool->parked, 1, memory_order_relaxed); /* under the lock */
    pthread_mutex_unlock(&pool->lock);
}

static unsigned await_round(berth__workers *pool, unsigned seen)
{
    for (uint32_t i = 0; i < pool->spins; i++) {
        unsigned round = atomic_load_explicit(&pool->round, memory_order_acquire); /* WORK-1 */
        if (round != seen)
            return round;
        relax();
    }
    park(pool, seen);
    return atomic_load_explicit(&pool->round, memory_order_acquire); /* WORK-1 */
}

static void *worker_main(void *argument)
{
    worker *self = argument;
    berth__workers *pool = self->pool;
    berth__machine_bind_worker(pool->machine, self->index, pool->count);
    unsigned seen = 0;
    for (;;) {
        seen = await_round(pool, seen);
        if (pool->stop)
            return NULL;
        pool->job(pool->context, self->index);
        atomic_fetch_sub_explicit(&pool->running, 1, memory_order_release); /* WORK-2 */
    }
}

static void announce(berth__workers *pool)
{
    atomic_fetch_add_explicit(&pool->round, 1, memory_order_seq_cst); /* WORK-1, PARK */
    if (atomic_load_explicit(&pool->parked, memory_order_seq_cst) == 0)
        return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

void berth__workers_run(berth__workers *workers, berth__job job, void *context)
{
    if (workers->count == 1) {
        job(context, 0);
        return;
    }
    workers->job = job;
    workers->context = context;
    /* Relaxed: the store is ordered before the workers' decrements by WORK-1. */
    atomic_store_explicit(&workers->running, workers->count - 1, memory_order_relaxed);
    announce(workers);
    job(context, 0);
    for (uint32_t i = 0; atomic_load_explicit(&workers->running, memory_order_acquire) != 0; i++) {
        if (i < workers->spins)
            relax();
        else
            sched_yield();
    }
}

static berth_status start_threads(berth__workers *pool)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (uint32_t i = 1; i < pool->count; i++) {
        pool->threads[i] = (worker){.pool = pool, .index = i};
        if (pthread_create(&pool->threads[i].thread, NULL, worker_main, &pool->threads[i]) != 0)
            break;
        pool->started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pool->started + 1 == pool->count ? BERTH_OK : BERTH_E_NOMEM;
}

berth_status berth__workers_create(const berth_allocator *allocator, const berth__machine *machine,
                                   uint32_t count, berth__workers **out)
{
    BERTH_ASSERT(count >= 1);
    berth__workers *pool = berth__alloc_zero(allocator, sizeof(*pool), 64);
    if (pool == NULL)
        return BERTH_E_NOMEM;
    pool->allocator = allocator;
    pool->machine = machine;
    pool->count = count;
    pool->spins = count <= berth__machine_cores(machine) ? SPINS_MAX : 0;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pool->threads = berth__alloc_zero(allocator, count * sizeof(worker), 64);
    berth_status status = pool->threads == NULL ? BERTH_E_NOMEM : start_threads(pool);
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
    workers->stop = true;
    announce(workers);
    for (uint32_t i = 1; i <= workers->started; i++)
        pthread_join(workers->threads[i].thread, NULL);
    pthread_cond_destroy(&workers->wake);
    pthread_mutex_destroy(&workers->lock);
    berth__free(workers->allocator, workers->threads, workers->count * sizeof(worker));
    berth__free(workers->allocator, workers, sizeof(*workers));
}

uint32_t berth__workers_count(const berth__workers *workers)
{
    return workers->count;
}
