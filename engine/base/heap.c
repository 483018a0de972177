/* Heaps on jemalloc arenas; on the C library's heap, with a count, where sanitizers watch that. */
#include "base/heap.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifdef BERTH_PLAIN_MALLOC

#include <malloc.h>

struct berth__heap {
    berth_allocator allocator;
    atomic_size_t used_bytes; /* sync: atomic, relaxed: a statistic */
};

static void *allocate(void *context, size_t bytes, size_t align)
{
    berth__heap *heap = context;
    void *memory = berth__alloc(berth__allocator_default(), bytes, align);
    if (memory != NULL)
        atomic_fetch_add_explicit(&heap->used_bytes, malloc_usable_size(memory),
                                  memory_order_relaxed); /* relaxed: a statistic */
    return memory;
}

static void release(void *context, void *memory, size_t bytes)
{
    berth__heap *heap = context;
    /* relaxed: a statistic */
    atomic_fetch_sub_explicit(&heap->used_bytes, malloc_usable_size(memory), memory_order_relaxed);
    berth__free(berth__allocator_default(), memory, bytes);
}

berth_status berth__heap_create_on(const berth__machine *machine, uint32_t numa_node,
                                   bool huge_pages, berth__heap **out)
{
    (void)machine;
    (void)numa_node;
    (void)huge_pages;
    berth__heap *heap =
        berth__alloc_zero(berth__allocator_default(), sizeof(*heap), _Alignof(berth__heap));
    if (heap == NULL)
        return BERTH_E_NOMEM;
    heap->allocator = (berth_allocator){heap, allocate, release};
    *out = heap;
    return BERTH_OK;
}

void berth__heap_destroy(berth__heap *heap)
{
    berth__free(berth__allocator_default(), heap, sizeof(*heap));
}

berth__heap_use berth__heap_usage(berth__heap *heap)
{
    /* relaxed: a statistic */
    return (berth__heap_use){.used_bytes =
                                 atomic_load_explicit(&heap->used_bytes, memory_order_relaxed)};
}

#else

#include <jemalloc/jemalloc.h>
#include <sched.h>

enum { HUGE_PAGE = 2 << 20, HUGE_FROM = 16 << 20 };

struct berth__heap {
    extent_hooks_t hooks; /* jemalloc's own but for `alloc` */
    extent_alloc_t *map;  /* jemalloc's own `alloc` */
    extent_hooks_t *map_hooks;
    berth_allocator allocator;
    /* sync: immutable after create, down to arena_flags */
    const berth__machine *machine; /* NULL: memory lies anywhere */
    uint32_t numa_node;
    unsigned arena;
    int arena_flags; /* of mallocx and dallocx: this arena, no cache */
    int cache_flags; /* the same, with the cache; sync: immutable after create */
    unsigned cache;
    bool cached; /* there is a cache; sync: immutable after create */
    bool huge_pages;
    _Alignas(64) atomic_bool cache_taken; /* sync: atomic, pair HEAP-1 */
    atomic_size_t mapped_bytes;           /* sync: these are atomic, relaxed: statistics */
    atomic_size_t huge_bytes;
    atomic_bool huge_refused;
};

/* ---- mapping ---- */

static void ask_for_huge_pages(berth__heap *heap, void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    if (madvise(memory, bytes, MADV_HUGEPAGE) == 0) {
        /* relaxed: a statistic */
        atomic_fetch_add_explicit(&heap->huge_bytes, bytes, memory_order_relaxed);
        return;
    }
#else
    (void)memory;
    (void)bytes;
#endif
    atomic_store_explicit(&heap->huge_refused, true, memory_order_relaxed); /* relaxed: one, too */
}

static void *map_extent(extent_hooks_t *hooks, void *at, size_t bytes, size_t align, bool *zero,
                        bool *commit, unsigned arena)
{
    berth__heap *heap = (berth__heap *)hooks; /* its first member */
    void *memory = heap->map(heap->map_hooks, at, bytes, align, zero, commit, arena);
    if (memory == NULL)
        return NULL;
    if (heap->machine != NULL)
        (void)berth__machine_settle(heap->machine, memory, bytes, heap->numa_node);
    /* relaxed: a statistic; who asks for huge pages a little late asks late */
    size_t before = atomic_fetch_add_explicit(&heap->mapped_bytes, bytes, memory_order_relaxed);
    if (heap->huge_pages && bytes >= HUGE_PAGE && before >= HUGE_FROM)
        ask_for_huge_pages(heap, memory, bytes);
    return memory;
}

/* ---- the allocator ---- */

static bool take_cache(berth__heap *heap)
{
    return heap->cached &&
           !atomic_exchange_explicit(&heap->cache_taken, true, memory_order_acquire); /* HEAP-1 */
}

static void leave_cache(berth__heap *heap)
{
    atomic_store_explicit(&heap->cache_taken, false, memory_order_release); /* HEAP-1 */
}

static void *allocate(void *context, size_t bytes, size_t align)
{
    berth__heap *heap = context;
    int flags = (int)MALLOCX_ALIGN(align);
    if (!take_cache(heap))
        return mallocx(bytes, flags | heap->arena_flags);
    void *memory = mallocx(bytes, flags | heap->cache_flags);
    leave_cache(heap);
    return memory;
}

static void release(void *context, void *memory, size_t bytes)
{
    berth__heap *heap = context;
    (void)bytes;
    if (!take_cache(heap)) {
        dallocx(memory, MALLOCX_TCACHE_NONE);
        return;
    }
    dallocx(memory, (int)MALLOCX_TCACHE(heap->cache));
    leave_cache(heap);
}

/* ---- life ---- */

/* jemalloc's control by name, of this heap's arena: "PREFIX.ARENA.SUFFIX". */
static int control(const berth__heap *heap, const char *prefix, const char *suffix, void *old,
                   size_t *old_bytes, void *new, size_t new_bytes)
{
    char name[64];
    snprintf(name, sizeof(name), "%s.%u.%s", prefix, heap->arena, suffix);
    return mallctl(name, old, old_bytes, new, new_bytes);
}

static bool set_hooks(berth__heap *heap)
{
    extent_hooks_t *own = &heap->hooks;
    size_t bytes = sizeof(heap->map_hooks);
    if (control(heap, "arena", "extent_hooks", &heap->map_hooks, &bytes, NULL, 0) != 0)
        return false;
    heap->hooks = *heap->map_hooks;
    heap->map = heap->hooks.alloc;
    heap->hooks.alloc = map_extent;
    return control(heap, "arena", "extent_hooks", NULL, NULL, &own, sizeof(own)) == 0;
}

/* A heap works without a cache, only slower. */
static void make_cache(berth__heap *heap)
{
    size_t bytes = sizeof(heap->cache);
    heap->arena_flags = (int)(MALLOCX_ARENA(heap->arena) | MALLOCX_TCACHE_NONE);
    heap->cached = mallctl("tcache.create", &heap->cache, &bytes, NULL, 0) == 0;
    if (heap->cached)
        heap->cache_flags = (int)(MALLOCX_ARENA(heap->arena) | MALLOCX_TCACHE(heap->cache));
}

static void empty_cache(berth__heap *heap, const char *how)
{
    if (!heap->cached)
        return;
    while (!take_cache(heap))
        sched_yield();
    (void)mallctl(how, NULL, NULL, &heap->cache, sizeof(heap->cache));
    leave_cache(heap);
}

berth_status berth__heap_create_on(const berth__machine *machine, uint32_t numa_node,
                                   bool huge_pages, berth__heap **out)
{
    berth__heap *heap =
        berth__alloc_zero(berth__allocator_default(), sizeof(*heap), _Alignof(berth__heap));
    size_t bytes = sizeof(heap->arena);
    if (heap == NULL)
        return BERTH_E_NOMEM;
    heap->machine = machine;
    heap->numa_node = numa_node;
    heap->huge_pages = huge_pages;
    heap->allocator = (berth_allocator){heap, allocate, release};
    if (mallctl("arenas.create", &heap->arena, &bytes, NULL, 0) != 0) {
        berth__free(berth__allocator_default(), heap, sizeof(*heap));
        return BERTH_E_NOMEM;
    }
    if (!set_hooks(heap)) {
        berth__heap_destroy(heap);
        return BERTH_E_NOMEM;
    }
    make_cache(heap);
    *out = heap;
    return BERTH_OK;
}

void berth__heap_destroy(berth__heap *heap)
{
    if (heap == NULL)
        return;
    empty_cache(heap, "tcache.destroy");
    (void)control(heap, "arena", "destroy", NULL, NULL, NULL, 0);
    berth__free(berth__allocator_default(), heap, sizeof(*heap));
}

/* ---- statistics ---- */

static uint64_t statistic(const berth__heap *heap, const char *name)
{
    size_t value = 0, bytes = sizeof(value);
    return control(heap, "stats.arenas", name, &value, &bytes, NULL, 0) == 0 ? value : 0;
}

berth__heap_use berth__heap_usage(berth__heap *heap)
{
    empty_cache(heap, "tcache.flush"); /* what lies in the cache counts as handed out */
    uint64_t epoch = 1;                /* any write brings the statistics up to date */
    size_t bytes = sizeof(epoch);
    (void)mallctl("epoch", &epoch, &bytes, &epoch, bytes);
    return (berth__heap_use){
        .used_bytes = statistic(heap, "small.allocated") + statistic(heap, "large.allocated"),
        .resident_bytes = statistic(heap, "resident"),
        /* relaxed: statistics */
        .huge_bytes = atomic_load_explicit(&heap->huge_bytes, memory_order_relaxed),
        .huge_refused = atomic_load_explicit(&heap->huge_refused, memory_order_relaxed),
    };
}

#endif

berth_status berth__heap_create(bool huge_pages, berth__heap **out)
{
    return berth__heap_create_on(NULL, 0, huge_pages, out);
}

const berth_allocator *berth__heap_allocator(const berth__heap *heap)
{
    return &heap->allocator;
}
