/* Heaps on jemalloc: one arena for each. The functions of jemalloc are weak symbols, so the library
 * loads without it.
 *
 * Thread caches: jemalloc's automatic cache of a thread mixes the pieces of all arenas, so a heap
 * needs caches of its own. An explicit cache serves one thread at a time, so each lies on a shelf
 * that a thread holds for the length of one call.
 *
 * Mappings: the arena takes its memory through the heap's hooks. The heap maps chunks of 16 MiB and
 * cuts extents from them side by side: decisions are up to 10 % faster than with mappings of a few
 * MiB each. It unmaps everything after the arena is gone. Until then the arena keeps the addresses,
 * and the pages of freed pieces return to the system (purge_forced) as jemalloc decides. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/heap_kind.h"

/* ---- jemalloc's interface, as jemalloc(3) describes it since 5.0 ---- */

typedef struct extent_hooks extent_hooks;

struct extent_hooks {
    void *(*alloc)(extent_hooks *hooks, void *wanted, size_t bytes, size_t align, bool *zero,
                   bool *commit, unsigned arena);
    bool (*dalloc)(extent_hooks *hooks, void *memory, size_t bytes, bool committed, unsigned arena);
    void (*destroy)(extent_hooks *hooks, void *memory, size_t bytes, bool committed,
                    unsigned arena);
    bool (*commit)(extent_hooks *hooks, void *memory, size_t bytes, size_t offset, size_t length,
                   unsigned arena);
    bool (*decommit)(extent_hooks *hooks, void *memory, size_t bytes, size_t offset, size_t length,
                     unsigned arena);
    bool (*purge_lazy)(extent_hooks *hooks, void *memory, size_t bytes, size_t offset,
                       size_t length, unsigned arena);
    bool (*purge_forced)(extent_hooks *hooks, void *memory, size_t bytes, size_t offset,
                         size_t length, unsigned arena);
    bool (*split)(extent_hooks *hooks, void *memory, size_t bytes, size_t first, size_t second,
                  bool committed, unsigned arena);
    bool (*merge)(extent_hooks *hooks, void *first, size_t first_bytes, void *second,
                  size_t second_bytes, bool committed, unsigned arena);
};

extern __attribute__((weak)) int mallctl(const char *name, void *old, size_t *old_bytes, void *new,
                                         size_t new_bytes);
extern __attribute__((weak)) void *mallocx(size_t bytes, int flags);
extern __attribute__((weak)) void dallocx(void *memory, int flags);

enum { NO_CACHE = 1 << 8 };

static int in_arena(unsigned arena)
{
    return (int)((arena + 1) << 20);
}

static int in_cache(unsigned cache)
{
    return (int)((cache + 2) << 8);
}

/* ---- a heap ---- */

enum {
    HUGE_PAGE = 2 << 20,
    SMALL_FIRST = 4 << 20, /* without huge pages, as heap.h says */
    CHUNK = 8 * HUGE_PAGE, /* of address space: parts not yet used take no memory */
    SHELVES = 8,
    CACHED_MAX = 32 << 10, /* jemalloc's opt.tcache_max as it is by default */
    CLASS_MAX = 14 << 10,  /* the largest class whose pieces share a slab */
};

typedef struct mapping {
    struct mapping *next;
    void *start;
    size_t bytes;
} mapping;

typedef struct shelf {
    _Alignas(64) atomic_bool taken; /* sync: atomic, pair HEAP-1 */
    /* sync: the thread that has taken the shelf */
    bool opened;
    bool cached; /* false: jemalloc had no cache left */
    unsigned cache;
    int flags;
} shelf;

typedef struct arena_heap {
    berth__heap base;
    extent_hooks hooks;
    /* sync: immutable after create, down to flags */
    const berth__machine *machine; /* NULL: memory lies anywhere */
    uint32_t numa_node;
    int64_t huge_ns;
    unsigned arena;
    int flags; /* of the arena, without a cache */
    shelf shelves[SHELVES];
    _Alignas(64) pthread_mutex_t lock; /* taken last */
    /* sync: lock, to the end */
    mapping *mappings;
    char *free, *free_end; /* of the newest chunk */
    char *settled;         /* before it, the size of the chunk's pages is settled */
    size_t mapped_bytes;
    size_t huge_bytes;
    bool huge_refused;
} arena_heap;

/* ---- the arena's mappings ---- */

static arena_heap *heap_of(extent_hooks *hooks)
{
    return (arena_heap *)((char *)hooks - offsetof(arena_heap, hooks));
}

/* Map pages at a multiple of `align`. NULL when out of memory. */
static char *map_pages(size_t bytes, size_t align)
{
    if (bytes > SIZE_MAX - align)
        return NULL;
    char *memory =
        mmap(NULL, bytes + align, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    size_t before = -(uintptr_t)memory & (align - 1), behind = align - before;
    if (before > 0)
        (void)munmap(memory, before);
    if (behind > 0)
        (void)munmap(memory + before + bytes, behind);
    return memory + before;
}

/* The functions from here to hook_alloc are called with the lock held. */
static bool ask_for_huge_pages(arena_heap *heap, char *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    if (madvise(memory, bytes, MADV_HUGEPAGE) == 0) {
        heap->huge_bytes += bytes;
        return true;
    }
#else
    (void)memory;
    (void)bytes;
#endif
    heap->huge_refused = true;
    return false;
}

static int64_t thread_time_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Ask for huge pages, and touch the first one: on a virtual machine whose host takes unused memory
 * back, it may take thirty times as long as on others. */
static void settle_pages(arena_heap *heap, char *memory, size_t bytes)
{
    if (heap->huge_ns == 0 || heap->huge_refused || !ask_for_huge_pages(heap, memory, bytes) ||
        heap->huge_ns == INT64_MAX)
        return;
    const int64_t begin_ns = thread_time_ns();
    *(volatile char *)memory = 0;
    heap->huge_refused = thread_time_ns() - begin_ns > heap->huge_ns;
}

/* Map new pages for the heap. NULL when out of memory. */
static char *map(arena_heap *heap, size_t bytes, size_t align)
{
    mapping *own = malloc(sizeof(*own));
    char *memory = own != NULL ? map_pages(bytes, align) : NULL;
    if (memory == NULL) {
        free(own);
        return NULL;
    }
    *own = (mapping){heap->mappings, memory, bytes};
    heap->mappings = own;
    if (heap->machine != NULL)
        (void)berth__machine_settle(heap->machine, memory, bytes, heap->numa_node);
    heap->mapped_bytes += bytes;
    return memory;
}

/* Extents are cut from chunks, side by side; only a large one is a mapping of its own. */
static char *cut(arena_heap *heap, size_t bytes, size_t align)
{
    if (bytes > CHUNK / 2 || align > CHUNK) {
        char *own = map(heap, bytes, bytes >= HUGE_PAGE && align < HUGE_PAGE ? HUGE_PAGE : align);
        if (own != NULL && bytes >= HUGE_PAGE)
            settle_pages(heap, own, bytes);
        return own;
    }
    size_t padding = -(uintptr_t)heap->free & (align - 1);
    if (padding + bytes > (size_t)(heap->free_end - heap->free)) {
        const size_t small = heap->mapped_bytes == 0 ? SMALL_FIRST : 0;
        char *chunk = map(heap, CHUNK, CHUNK);
        if (chunk == NULL)
            return NULL;
        heap->free = chunk;
        heap->free_end = chunk + CHUNK;
        heap->settled = chunk + small;
        padding = 0;
    }
    char *memory = heap->free + padding;
    heap->free = memory + bytes;
    for (; heap->settled < heap->free; heap->settled += HUGE_PAGE)
        settle_pages(heap, heap->settled, HUGE_PAGE);
    return memory;
}

static void *hook_alloc(extent_hooks *hooks, void *wanted, size_t bytes, size_t align, bool *zero,
                        bool *commit, unsigned arena)
{
    arena_heap *heap = heap_of(hooks);
    (void)arena;
    if (wanted != NULL)
        return NULL;
    pthread_mutex_lock(&heap->lock);
    char *memory = cut(heap, bytes, align);
    pthread_mutex_unlock(&heap->lock);
    *zero = memory != NULL; /* fresh pages */
    *commit = memory != NULL;
    return memory;
}

/* True: the memory stays mapped. */
static bool hook_dalloc(extent_hooks *hooks, void *memory, size_t bytes, bool committed,
                        unsigned arena)
{
    (void)hooks;
    (void)memory;
    (void)bytes;
    (void)committed;
    (void)arena;
    return true;
}

static bool hook_purge_forced(extent_hooks *hooks, void *memory, size_t bytes, size_t offset,
                              size_t length, unsigned arena)
{
    (void)hooks;
    (void)bytes;
    (void)arena;
    return madvise((char *)memory + offset, length, MADV_DONTNEED) != 0;
}

/* False means success: any extent can be split, and neighbours can be merged, even if
 * they were mapped separately. */
static bool hook_split(extent_hooks *hooks, void *memory, size_t bytes, size_t first, size_t second,
                       bool committed, unsigned arena)
{
    (void)hooks;
    (void)memory;
    (void)bytes;
    (void)first;
    (void)second;
    (void)committed;
    (void)arena;
    return false;
}

static bool hook_merge(extent_hooks *hooks, void *first, size_t first_bytes, void *second,
                       size_t second_bytes, bool committed, unsigned arena)
{
    (void)hooks;
    (void)first;
    (void)first_bytes;
    (void)second;
    (void)second_bytes;
    (void)committed;
    (void)arena;
    return false;
}

/* ---- shelves ---- */

/* A shelf's cache is made when a thread first takes the shelf. */
static __attribute__((noinline)) void open_shelf(const arena_heap *heap, shelf *opened)
{
    size_t bytes = sizeof(opened->cache);
    opened->opened = true;
    opened->cached = mallctl("tcache.create", &opened->cache, &bytes, NULL, 0) == 0;
    opened->flags = heap->flags | (opened->cached ? in_cache(opened->cache) : NO_CACHE);
}

/* A thread finds the same shelf again, unless another thread holds it at that moment. */
static shelf *take_shelf(arena_heap *heap)
{
    uint32_t at = (uint32_t)((uintptr_t)pthread_self() * UINT64_C(0x9e3779b97f4a7c15) >> 61);
    for (;; at++) {
        shelf *tried = &heap->shelves[at % SHELVES];
        if (!atomic_exchange_explicit(&tried->taken, true, memory_order_acquire)) { /* HEAP-1 */
            if (!tried->opened)
                open_shelf(heap, tried);
            return tried;
        }
        if (at % SHELVES == SHELVES - 1)
            sched_yield();
    }
}

static void leave_shelf(shelf *taken)
{
    atomic_store_explicit(&taken->taken, false, memory_order_release); /* HEAP-1 */
}

/* ---- the allocator ---- */

static void *allocate(void *context, size_t bytes, size_t align)
{
    arena_heap *heap = context;
    /* The class of a rounded size is a multiple of the alignment, too, and slabs begin at pages;
     * a larger piece begins at a cache line. */
    size_t rounded = (bytes + align - 1) & ~(align - 1);
    int aligned = rounded <= CLASS_MAX || align <= 64 ? 0 : __builtin_ctzll(align);
    if (rounded > CACHED_MAX)
        return mallocx(rounded, heap->flags | NO_CACHE | aligned);
    shelf *at = take_shelf(heap);
    void *memory = mallocx(rounded, at->flags | aligned);
    leave_shelf(at);
    return memory;
}

static void release(void *context, void *memory, size_t bytes)
{
    arena_heap *heap = context;
    if (bytes > CACHED_MAX) {
        dallocx(memory, heap->flags | NO_CACHE);
        return;
    }
    shelf *at = take_shelf(heap);
    dallocx(memory, at->flags);
    leave_shelf(at);
}

/* ---- statistics ---- */

static uint64_t read_size(const arena_heap *heap, const char *name)
{
    char path[64];
    size_t value = 0, bytes = sizeof(value);
    snprintf(path, sizeof(path), "stats.arenas.%u.%s", heap->arena, name);
    return mallctl(path, &value, &bytes, NULL, 0) == 0 ? value : 0;
}

/* The size of jemalloc's page, its unit of counting; the system's page may be smaller. */
static size_t page_bytes(void)
{
    size_t value = 0, bytes = sizeof(value);
    return mallctl("arenas.page", &value, &bytes, NULL, 0) == 0 ? value : 0;
}

/* Empty the caches, because jemalloc counts the pieces in them as used. Takes all shelves at once,
 * because a piece may come from one shelf and return to another. */
static void flush(arena_heap *heap)
{
    for (uint32_t s = 0; s < SHELVES; s++) {
        shelf *own = &heap->shelves[s];
        while (atomic_exchange_explicit(&own->taken, true, memory_order_acquire)) /* HEAP-1 */
            sched_yield();
        if (own->cached)
            (void)mallctl("tcache.flush", NULL, NULL, &own->cache, sizeof(own->cache));
    }
}

static berth__heap_use usage(berth__heap *base)
{
    arena_heap *heap = (arena_heap *)base;
    uint64_t epoch = 1;
    flush(heap);
    (void)mallctl("epoch", NULL, NULL, &epoch, sizeof(epoch));
    for (uint32_t s = 0; s < SHELVES; s++)
        leave_shelf(&heap->shelves[s]);
    pthread_mutex_lock(&heap->lock);
    berth__heap_use use = {.huge_bytes = heap->huge_bytes, .huge_refused = heap->huge_refused};
    pthread_mutex_unlock(&heap->lock);
    use.used_bytes = read_size(heap, "small.allocated") + read_size(heap, "large.allocated");
    use.resident_bytes = read_size(heap, "resident");
    use.active_bytes = read_size(heap, "pactive") * page_bytes();
    use.metadata_bytes = read_size(heap, "base") + read_size(heap, "internal");
    return use;
}

/* ---- create and destroy ---- */

/* The arena is gone. */
static void free_heap(arena_heap *heap)
{
    while (heap->mappings != NULL) {
        mapping *own = heap->mappings;
        heap->mappings = own->next;
        (void)munmap(own->start, own->bytes);
        free(own);
    }
    pthread_mutex_destroy(&heap->lock);
    berth__free(berth__allocator_default(), heap, sizeof(*heap));
}

static void destroy(berth__heap *base)
{
    arena_heap *heap = (arena_heap *)base;
    char path[32];
    for (uint32_t s = 0; s < SHELVES; s++)
        if (heap->shelves[s].cached)
            (void)mallctl("tcache.destroy", NULL, NULL, &heap->shelves[s].cache,
                          sizeof(heap->shelves[s].cache));
    snprintf(path, sizeof(path), "arena.%u.destroy", heap->arena);
    if (mallctl(path, NULL, NULL, NULL, 0) == 0) /* else the arena still uses the memory */
        free_heap(heap);
}

static const berth__heap_kind kind = {destroy, usage};

static bool make_arena(arena_heap *heap)
{
    extent_hooks *hooks = &heap->hooks;
    size_t bytes = sizeof(heap->arena);
    if (mallctl("arenas.create", &heap->arena, &bytes, &hooks, sizeof(hooks)) != 0)
        return false;
    heap->flags = in_arena(heap->arena);
    return true;
}

berth_status berth__heap_jemalloc_create(const berth__machine *machine, uint32_t numa_node,
                                         int64_t huge_ns, berth__heap **out)
{
    if (mallctl == NULL || mallocx == NULL || dallocx == NULL)
        return BERTH_E_UNSUPPORTED;
    const berth_allocator *standard = berth__allocator_default();
    arena_heap *heap = berth__alloc_zero(standard, sizeof(*heap), _Alignof(arena_heap));
    if (heap == NULL)
        return BERTH_E_NOMEM;
    if (pthread_mutex_init(&heap->lock, NULL) != 0) {
        berth__free(standard, heap, sizeof(*heap));
        return BERTH_E_NOMEM;
    }
    heap->machine = machine;
    heap->numa_node = numa_node;
    heap->huge_ns = huge_ns;
    heap->hooks = (extent_hooks){.alloc = hook_alloc,
                                 .dalloc = hook_dalloc,
                                 .purge_forced = hook_purge_forced,
                                 .split = hook_split,
                                 .merge = hook_merge};
    heap->base = (berth__heap){{heap, allocate, release}, &kind};
    if (!make_arena(heap)) {
        free_heap(heap);
        return BERTH_E_UNSUPPORTED;
    }
    *out = &heap->base;
    return BERTH_OK;
}
