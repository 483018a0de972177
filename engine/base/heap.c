/* The memory of an engine: pieces in size classes, cut from chunks that the heap maps for itself.
 *
 * Why not jemalloc or the C library's heap: a library loaded at run time has almost no static TLS
 * (jemalloc takes 2.6 kB of it), and a linked library must not bring a malloc along. An engine's
 * memory can be measured, placed on a NUMA node, backed by huge pages and freed as a whole. The
 * heap can stay simple and fast, because the caller of a release knows that the piece belongs to
 * this heap.
 *
 * A piece of up to `piece_max` bytes lies in a slab of equal pieces, inside a chunk. The chunk's
 * table maps each page to its size class. Free pieces wait on shelves. A thread takes one shelf
 * while it needs it. Full and empty shelves exchange batches with the store that they share. A
 * larger piece is a mapping of its own and goes back to the system at once. With huge pages, only
 * pieces larger than a huge page are mapped alone, so chunks, which lie on huge pages, hold the
 * rest. */
#include "base/heap.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    HUGE_PAGE = 2 << 20,
    HUGE_FROM = 16 << 20,
    CHUNK = 8 * HUGE_PAGE, /* of address space: parts not yet cut use no memory */
    PAGE = 4096,           /* of the chunk's table; the system's pages may be larger */
    PAGES = CHUNK / PAGE,
    RECORD = PAGES + PAGE, /* at the start of a chunk */
    PIECE_MAX = 256 << 10,
    CLASSES = 65, /* of pieces up to HUGE_PAGE */
    SHELVES = 8,
    HEADER = 64, /* in front of a piece that is mapped alone */
};

typedef struct chunk {
    struct chunk *next;
    uint8_t class_of[PAGES]; /* of the slab that a page belongs to */
} chunk;

_Static_assert(sizeof(chunk) <= RECORD && RECORD % PAGE == 0, "the first slab is behind it");

/* Stands right before the memory of one large piece. */
typedef struct mapping {
    struct mapping *next, *before;
    char *start;
    size_t bytes;
    size_t huge_bytes;
} mapping;

_Static_assert(sizeof(mapping) <= HEADER, "keeps the memory behind it aligned");

typedef struct piece {
    struct piece *next;
} piece;

/* Free pieces of one class. */
typedef struct row {
    piece *first;
    uint32_t count, kept; /* at most `kept`; sync: `kept` is immutable after create */
    int64_t out; /* handed out less taken back; only the sum over all shelves has a meaning */
} row;

typedef struct shelf {
    _Alignas(64) atomic_bool taken; /* sync: atomic, pair HEAP-1 */
    row rows[CLASSES];              /* sync: the thread that has taken the shelf */
} shelf;

/* Free pieces of one class that shelves take from and give to. */
typedef struct store {
    piece *first;
    char *fresh, *fresh_end; /* the slab that is being cut */
} store;

struct berth__heap {
    berth_allocator allocator;
    /* sync: immutable after create, down to page_bytes */
    const berth__machine *machine; /* NULL: memory lies anywhere */
    uint32_t numa_node;
    bool huge_pages;
    size_t piece_max;
    size_t page_bytes;
    shelf shelves[SHELVES];
    _Alignas(64) pthread_mutex_t lock; /* taken last, with or without a shelf */
    /* sync: lock, to the end */
    store stores[CLASSES];
    chunk *chunks;
    char *free, *free_end; /* of the newest chunk */
    mapping *mappings;
    size_t mapped_bytes; /* of the address space */
    size_t cut_bytes;    /* of the chunks: slabs and records */
    size_t large_bytes;
    size_t huge_bytes;
    bool huge_refused;
};

/* ---- size classes: 8, multiples of 16 up to 128, then four to each doubling ---- */

static uint32_t class_of(size_t bytes)
{
    if (bytes <= 8)
        return 0;
    if (bytes <= 128)
        return (uint32_t)((bytes + 15) / 16);
    uint32_t log = 63 - (uint32_t)__builtin_clzll(bytes - 1);
    return 9 + (log - 7) * 4 + (uint32_t)((bytes - 1) >> (log - 2) & 3);
}

static size_t bytes_of(uint32_t class)
{
    if (class <= 8)
        return class > 0 ? (size_t) class * 16 : 8;
    uint32_t log = 7 + (class - 9) / 4;
    return ((size_t)4 + (class - 9) % 4 + 1) << (log - 2);
}

/* The bytes of a slab: whole pages with (almost) no space left over. */
static size_t slab_bytes(size_t piece_bytes)
{
    size_t pieces = piece_bytes <= PAGE ? 8 : piece_bytes < 4 * PAGE ? 4 : 1;
    return (piece_bytes * pieces + PAGE - 1) / PAGE * PAGE;
}

static uint32_t smallest(size_t a, size_t b)
{
    return (uint32_t)(a < b ? a : b);
}

/* The number of pieces that move to a shelf at once; below, the number that a shelf keeps. */
static uint32_t batch_of(size_t piece_bytes)
{
    return smallest(1 + 2 * PAGE / piece_bytes, 32);
}

static uint32_t kept_of(size_t piece_bytes)
{
    return smallest(2 + 16 * PAGE / piece_bytes, 256);
}

/* ---- mapping ---- */

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

static size_t ask_for_huge_pages(berth__heap *heap, char *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    if (madvise(memory, bytes, MADV_HUGEPAGE) == 0) {
        heap->huge_bytes += bytes;
        return bytes;
    }
#else
    (void)memory;
    (void)bytes;
#endif
    heap->huge_refused = true;
    return 0;
}

/* Map new pages for the heap and set `*huge_bytes` to how many bytes of them use huge pages. The
 * caller holds the lock. */
static char *map(berth__heap *heap, size_t bytes, size_t align, size_t *huge_bytes)
{
    char *memory = map_pages(bytes, align);
    if (memory == NULL)
        return NULL;
    if (heap->machine != NULL)
        (void)berth__machine_settle(heap->machine, memory, bytes, heap->numa_node);
    size_t before = heap->mapped_bytes;
    heap->mapped_bytes += bytes;
    *huge_bytes = 0;
    if (heap->huge_pages && bytes >= HUGE_PAGE && before >= HUGE_FROM)
        *huge_bytes = ask_for_huge_pages(heap, memory, bytes);
    return memory;
}

/* ---- pieces mapped alone ---- */

static void *allocate_large(berth__heap *heap, size_t bytes, size_t align)
{
    size_t offset = align > HEADER ? align : HEADER, huge_bytes;
    size_t whole = (bytes + offset + heap->page_bytes - 1) / heap->page_bytes * heap->page_bytes;
    pthread_mutex_lock(&heap->lock);
    char *start = map(heap, whole, whole >= HUGE_PAGE ? HUGE_PAGE : heap->page_bytes, &huge_bytes);
    if (start != NULL) {
        mapping *own = (mapping *)(start + offset - HEADER);
        *own = (mapping){heap->mappings, NULL, start, whole, huge_bytes};
        if (own->next != NULL)
            own->next->before = own;
        heap->mappings = own;
        heap->large_bytes += whole;
    }
    pthread_mutex_unlock(&heap->lock);
    return start != NULL ? start + offset : NULL;
}

static void release_large(berth__heap *heap, void *memory)
{
    const mapping own = *(mapping *)((char *)memory - HEADER);
    pthread_mutex_lock(&heap->lock);
    if (own.next != NULL)
        own.next->before = own.before;
    if (own.before != NULL)
        own.before->next = own.next;
    else
        heap->mappings = own.next;
    heap->mapped_bytes -= own.bytes;
    heap->large_bytes -= own.bytes;
    heap->huge_bytes -= own.huge_bytes;
    pthread_mutex_unlock(&heap->lock);
    (void)munmap(own.start, own.bytes);
}

/* ---- slabs and stores; callers hold the lock ---- */

static bool add_chunk(berth__heap *heap)
{
    size_t huge_bytes;
    chunk *made = (chunk *)map(heap, CHUNK, CHUNK, &huge_bytes);
    if (made == NULL)
        return false;
    made->next = heap->chunks;
    heap->chunks = made;
    heap->free = (char *)made + RECORD;
    heap->free_end = (char *)made + CHUNK;
    heap->cut_bytes += RECORD;
    return true;
}

static bool add_slab(berth__heap *heap, uint32_t class)
{
    size_t piece_bytes = bytes_of(class), bytes = slab_bytes(piece_bytes);
    if ((size_t)(heap->free_end - heap->free) < bytes && !add_chunk(heap))
        return false;
    char *slab = heap->free;
    memset(heap->chunks->class_of + (slab - (char *)heap->chunks) / PAGE, (int)class, bytes / PAGE);
    heap->free += bytes;
    heap->cut_bytes += bytes;
    heap->stores[class].fresh = slab;
    heap->stores[class].fresh_end = slab + bytes / piece_bytes * piece_bytes;
    return true;
}

static piece *take_piece(berth__heap *heap, uint32_t class)
{
    store *from = &heap->stores[class];
    piece *taken = from->first;
    if (taken != NULL) {
        from->first = taken->next;
        return taken;
    }
    if (from->fresh == from->fresh_end && !add_slab(heap, class))
        return NULL;
    taken = (piece *)from->fresh;
    from->fresh += bytes_of(class);
    return taken;
}

/* ---- shelves ---- */

/* A thread finds the same shelf again, unless another thread holds it at that moment. */
static shelf *take_shelf(berth__heap *heap)
{
    uint32_t at = (uint32_t)((uintptr_t)pthread_self() * UINT64_C(0x9e3779b97f4a7c15) >> 61);
    for (;; at++) {
        shelf *tried = &heap->shelves[at % SHELVES];
        if (!atomic_exchange_explicit(&tried->taken, true, memory_order_acquire)) /* HEAP-1 */
            return tried;
        if (at % SHELVES == SHELVES - 1)
            sched_yield();
    }
}

static void leave_shelf(shelf *taken)
{
    atomic_store_explicit(&taken->taken, false, memory_order_release); /* HEAP-1 */
}

/* Returns one piece to the caller and puts the rest of a batch into the row, which is empty. */
static __attribute__((noinline)) piece *refill(berth__heap *heap, row *to, uint32_t class)
{
    uint32_t batch = batch_of(bytes_of(class));
    pthread_mutex_lock(&heap->lock);
    piece *first = take_piece(heap, class);
    while (first != NULL && to->count + 1 < batch) {
        piece *more = take_piece(heap, class);
        if (more == NULL)
            break;
        more->next = to->first;
        to->first = more;
        to->count++;
    }
    pthread_mutex_unlock(&heap->lock);
    return first;
}

/* Move half of a row to the store. */
static __attribute__((noinline)) void give_back(berth__heap *heap, row *from, uint32_t class)
{
    uint32_t count = from->count / 2;
    piece *first = from->first, *last = first;
    for (uint32_t i = 1; i < count; i++)
        last = last->next;
    from->first = last->next;
    from->count -= count;
    pthread_mutex_lock(&heap->lock);
    last->next = heap->stores[class].first;
    heap->stores[class].first = first;
    pthread_mutex_unlock(&heap->lock);
}

/* ---- the allocator ---- */

static void *allocate(void *context, size_t bytes, size_t align)
{
    berth__heap *heap = context;
    /* The rounded size has a class that is a multiple of the alignment, too, and slabs begin at
     * pages. */
    size_t rounded = (bytes + align - 1) & ~(align - 1);
    if (rounded > heap->piece_max || align > PAGE)
        return align <= PAGE ? allocate_large(heap, bytes, align) : NULL;
    uint32_t class = class_of(rounded);
    shelf *at = take_shelf(heap);
    row *own = &at->rows[class];
    piece *taken = own->first;
    if (taken != NULL) {
        own->first = taken->next;
        own->count--;
    } else {
        taken = refill(heap, own, class);
    }
    own->out += taken != NULL;
    leave_shelf(at);
    return taken;
}

static void release(void *context, void *memory, size_t bytes)
{
    berth__heap *heap = context;
    if (bytes > heap->piece_max) {
        release_large(heap, memory);
        return;
    }
    uintptr_t place = (uintptr_t)memory % CHUNK;
    uint32_t class = ((const chunk *)((char *)memory - place))->class_of[place / PAGE];
    shelf *at = take_shelf(heap);
    row *own = &at->rows[class];
    piece *given = memory;
    given->next = own->first;
    own->first = given;
    own->out--;
    if (++own->count > own->kept)
        give_back(heap, own, class);
    leave_shelf(at);
}

/* ---- create and destroy ---- */

berth_status berth__heap_create_on(const berth__machine *machine, uint32_t numa_node,
                                   bool huge_pages, berth__heap **out)
{
    const berth_allocator *standard = berth__allocator_default();
    berth__heap *heap = berth__alloc_zero(standard, sizeof(*heap), _Alignof(berth__heap));
    if (heap == NULL)
        return BERTH_E_NOMEM;
    if (pthread_mutex_init(&heap->lock, NULL) != 0) {
        berth__free(standard, heap, sizeof(*heap));
        return BERTH_E_NOMEM;
    }
    heap->machine = machine;
    heap->numa_node = numa_node;
    heap->huge_pages = huge_pages;
    heap->piece_max = huge_pages ? HUGE_PAGE : PIECE_MAX;
    for (uint32_t i = 0; i < SHELVES * CLASSES; i++)
        heap->shelves[i / CLASSES].rows[i % CLASSES].kept = kept_of(bytes_of(i % CLASSES));
    heap->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    heap->allocator = (berth_allocator){heap, allocate, release};
    *out = heap;
    return BERTH_OK;
}

berth_status berth__heap_create(bool huge_pages, berth__heap **out)
{
    return berth__heap_create_on(NULL, 0, huge_pages, out);
}

void berth__heap_destroy(berth__heap *heap)
{
    if (heap == NULL)
        return;
    while (heap->mappings != NULL) {
        mapping *own = heap->mappings;
        heap->mappings = own->next;
        (void)munmap(own->start, own->bytes);
    }
    while (heap->chunks != NULL) {
        chunk *last = heap->chunks;
        heap->chunks = last->next;
        (void)munmap(last, CHUNK);
    }
    pthread_mutex_destroy(&heap->lock);
    berth__free(berth__allocator_default(), heap, sizeof(*heap));
}

const berth_allocator *berth__heap_allocator(const berth__heap *heap)
{
    return &heap->allocator;
}

/* ---- statistics ---- */

/* The number of pieces that users of the heap hold. Takes all shelves at once, because a piece may
 * come from one shelf and return to another. */
static uint64_t pieces_out(berth__heap *heap)
{
    int64_t sum = 0;
    for (uint32_t s = 0; s < SHELVES; s++) {
        atomic_bool *taken = &heap->shelves[s].taken;
        while (atomic_exchange_explicit(taken, true, memory_order_acquire)) /* HEAP-1 */
            sched_yield();
    }
    for (uint32_t s = 0; s < SHELVES; s++)
        for (uint32_t c = 0; c < CLASSES; c++)
            sum += heap->shelves[s].rows[c].out * (int64_t)bytes_of(c);
    for (uint32_t s = 0; s < SHELVES; s++)
        leave_shelf(&heap->shelves[s]);
    return (uint64_t)sum;
}

berth__heap_use berth__heap_usage(berth__heap *heap)
{
    uint64_t pieces = pieces_out(heap);
    pthread_mutex_lock(&heap->lock);
    berth__heap_use use = {
        .used_bytes = pieces + heap->large_bytes,
        .resident_bytes = heap->cut_bytes + heap->large_bytes,
        .huge_bytes = heap->huge_bytes,
        .huge_refused = heap->huge_refused,
    };
    pthread_mutex_unlock(&heap->lock);
    return use;
}
