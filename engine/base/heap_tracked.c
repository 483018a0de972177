/* Heaps on the C library's malloc. A header in front of each piece links it with other pieces of
 * its heap, so that all of them can be freed with the heap. The pieces are spread over several
 * rings, each with a lock, so threads seldom wait for each other. */
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/heap_kind.h"

enum {
    RINGS = 16,
    LOG_MIN = 4, /* of the distance below */
    LOG_MAX = 12,
    LOG_MASK = 15,
};

/* Ends where the piece begins, and begins at a multiple of 16. */
typedef struct header {
    struct header *next;
    /* The address of the previous header plus log2 of the distance from the start of malloc's block
     * to the piece. Headers lie at multiples of 16, so both can be told apart. */
    char *before;
} header;

_Static_assert(sizeof(header) == 1 << LOG_MIN && LOG_MAX <= LOG_MASK, "the smallest distance");

typedef struct ring {
    _Alignas(64) pthread_mutex_t lock;
    /* sync: lock, to the end */
    _Alignas(16) header ends; /* before the first header and behind the last one */
    size_t bytes;
} ring;

typedef struct tracked_heap {
    berth__heap base;
    bool huge_refused; /* sync: immutable after create */
    ring rings[RINGS];
} tracked_heap;

static size_t log_of(const header *own)
{
    return (uintptr_t)own->before & LOG_MASK;
}

static header *before_of(const header *own)
{
    return (header *)(void *)(own->before - log_of(own));
}

static void set_before(header *own, header *before)
{
    own->before = (char *)before + log_of(own);
}

static void *start_of(header *own)
{
    return (char *)(own + 1) - ((size_t)1 << log_of(own));
}

static ring *ring_of(tracked_heap *heap, const header *own)
{
    return &heap->rings[(uintptr_t)own * UINT64_C(0x9e3779b97f4a7c15) >> 60];
}

_Static_assert(RINGS == 1 << (64 - 60), "ring_of");

static void *allocate(void *context, size_t bytes, size_t align)
{
    tracked_heap *heap = context;
    uint32_t log = align > sizeof(header) ? (uint32_t)__builtin_ctzll(align) : LOG_MIN;
    if (log > LOG_MAX || bytes > PTRDIFF_MAX - ((size_t)1 << log))
        return NULL;
    char *start =
        berth__alloc(berth__allocator_default(), bytes + ((size_t)1 << log), (size_t)1 << log);
    if (start == NULL)
        return NULL;
    header *own = (header *)(start + ((size_t)1 << log)) - 1;
    ring *at = ring_of(heap, own);
    pthread_mutex_lock(&at->lock);
    *own = (header){at->ends.next, (char *)&at->ends + log};
    set_before(own->next, own);
    at->ends.next = own;
    at->bytes += malloc_usable_size(start);
    pthread_mutex_unlock(&at->lock);
    return own + 1;
}

static void release(void *context, void *memory, size_t bytes)
{
    tracked_heap *heap = context;
    header *own = (header *)memory - 1;
    void *start = start_of(own);
    ring *at = ring_of(heap, own);
    (void)bytes;
    pthread_mutex_lock(&at->lock);
    before_of(own)->next = own->next;
    set_before(own->next, before_of(own));
    at->bytes -= malloc_usable_size(start);
    pthread_mutex_unlock(&at->lock);
    free(start);
}

/* Free the memory of the first `count` rings and of the heap. */
static void free_rings(tracked_heap *heap, uint32_t count)
{
    for (uint32_t r = 0; r < count; r++) {
        ring *own = &heap->rings[r];
        while (own->ends.next != &own->ends) {
            header *first = own->ends.next;
            own->ends.next = first->next;
            free(start_of(first));
        }
        pthread_mutex_destroy(&own->lock);
    }
    berth__free(berth__allocator_default(), heap, sizeof(*heap));
}

static void destroy(berth__heap *heap)
{
    free_rings((tracked_heap *)heap, RINGS);
}

static berth__heap_use usage(berth__heap *base)
{
    tracked_heap *heap = (tracked_heap *)base;
    berth__heap_use use = {.huge_refused = heap->huge_refused};
    for (uint32_t r = 0; r < RINGS; r++) {
        pthread_mutex_lock(&heap->rings[r].lock);
        use.used_bytes += heap->rings[r].bytes;
        pthread_mutex_unlock(&heap->rings[r].lock);
    }
    return use;
}

berth_status berth__heap_tracked_create(int64_t huge_ns, berth__heap **out)
{
    static const berth__heap_kind kind = {destroy, usage};
    tracked_heap *heap =
        berth__alloc_zero(berth__allocator_default(), sizeof(*heap), _Alignof(tracked_heap));
    if (heap == NULL)
        return BERTH_E_NOMEM;
    for (uint32_t r = 0; r < RINGS; r++) {
        heap->rings[r].ends = (header){&heap->rings[r].ends, (char *)&heap->rings[r].ends};
        if (pthread_mutex_init(&heap->rings[r].lock, NULL) != 0) {
            free_rings(heap, r);
            return BERTH_E_NOMEM;
        }
    }
    heap->huge_refused = huge_ns > 0;
    heap->base = (berth__heap){{heap, allocate, release}, &kind};
    *out = &heap->base;
    return BERTH_OK;
}
