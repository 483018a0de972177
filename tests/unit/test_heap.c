/* Heaps: allocated memory is counted, freed memory is not, and all of it is freed with the heap.
 * test_heap runs on the C library's malloc; test_heap_jemalloc (HEAP_JEMALLOC) links jemalloc. */
#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/heap.h"
#include "berth/engine.h"
#include "effort.h"

#ifdef HEAP_JEMALLOC
int mallctl(const char *name, void *old, size_t *old_bytes, void *new, size_t new_bytes);
#endif

static berth__heap *new_heap(int64_t huge_ns)
{
    berth__heap *heap;
    assert_int_equal(berth__heap_create(huge_ns, &heap), BERTH_OK);
    return heap;
}

static void test_use_is_counted(void **state)
{
    (void)state;
    enum { PIECES = 1000 };
    berth__heap *heap = new_heap(0), *other = new_heap(0);
    const berth_allocator *allocator = berth__heap_allocator(heap);
    uint64_t before = berth__heap_usage(heap).used_bytes;
    uint64_t beside = berth__heap_usage(other).used_bytes;
    void *pieces[PIECES];
    size_t asked = 0;
    for (size_t i = 0; i < PIECES; i++) {
        size_t bytes = 1 + i * 37;
        pieces[i] = berth__alloc(allocator, bytes, i % 2 == 0 ? 8 : 64);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % (i % 2 == 0 ? 8 : 64), 0);
        memset(pieces[i], (int)i, bytes);
        asked += bytes;
    }
    uint64_t held = berth__heap_usage(heap).used_bytes - before;
    assert_true(held >= asked);
    assert_true(held <= asked + asked / 4 + PIECES * 64); /* size classes are 25 % apart */
    assert_int_equal(berth__heap_usage(other).used_bytes, beside);
    for (size_t i = 0; i < PIECES; i++)
        berth__free(allocator, pieces[i], 1 + i * 37);
    assert_int_equal(berth__heap_usage(heap).used_bytes, before);
    berth__heap_destroy(heap);
    berth__heap_destroy(other);
    berth__heap_destroy(NULL);
}

#ifdef HEAP_JEMALLOC
/* Whether the machine gives huge pages to whoever asks. */
static bool has_huge_pages(void)
{
    bool has = false;
#ifdef MADV_HUGEPAGE
    const size_t bytes = 2 << 20;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    has = madvise(memory, bytes, MADV_HUGEPAGE) == 0;
    assert_int_equal(munmap(memory, bytes), 0);
#endif
    return has;
}
#endif

/* A large arena requests huge pages, unless the first takes too long; its memory works with or
 * without them. */
static void test_huge_pages_are_asked_for(void **state)
{
    (void)state;
    enum { PIECES = 96 };
    const size_t bytes = 1 << 20;
    const int64_t most[] = {0, 1, INT64_MAX};
    for (size_t i = 0; i < sizeof(most) / sizeof(*most); i++) {
        berth__heap *heap = new_heap(most[i]);
        const berth_allocator *allocator = berth__heap_allocator(heap);
        char *pieces[PIECES];
        for (size_t at = 0; at < PIECES; at++) {
            pieces[at] = berth__alloc(allocator, bytes, 64);
            assert_non_null(pieces[at]);
            pieces[at][0] = pieces[at][bytes - 1] = (char)at;
        }
        berth__heap_use use = berth__heap_usage(heap);
#ifdef HEAP_JEMALLOC
        if (most[i] == 0)
            assert_true(use.huge_bytes == 0 && !use.huge_refused);
        else if (most[i] == 1)
            assert_true(use.huge_bytes <= (2 << 20) && use.huge_refused);
        else if (has_huge_pages())
            assert_true(use.huge_bytes >= (PIECES - 4) * bytes && !use.huge_refused);
        else
            assert_true(use.huge_bytes == 0 && use.huge_refused);
        assert_true(use.active_bytes >= PIECES * bytes);
        assert_true(use.resident_bytes >= use.active_bytes);
        assert_true(use.metadata_bytes > 0);
#else
        assert_int_equal(use.huge_bytes, 0);
#ifndef BERTH_PLAIN_MALLOC
        assert_int_equal(use.huge_refused, most[i] > 0);
#endif
        assert_int_equal(use.resident_bytes, 0);
        assert_int_equal(use.active_bytes, 0);
        assert_int_equal(use.metadata_bytes, 0);
#endif
        for (size_t at = 0; at < PIECES; at++) {
            assert_int_equal(pieces[at][bytes - 1], (char)at);
            berth__free(allocator, pieces[at], bytes);
        }
        berth__heap_destroy(heap);
    }
}

#ifdef HEAP_JEMALLOC

static bool refused;      /* whether huge pages are refused */
static unsigned refusals; /* so often */

int __real_madvise(void *memory, size_t bytes, int advice);
int __wrap_madvise(void *memory, size_t bytes, int advice);

int __wrap_madvise(void *memory, size_t bytes, int advice)
{
    if (!refused || advice != MADV_HUGEPAGE)
        return __real_madvise(memory, bytes, advice);
    refusals++;
    errno = EINVAL;
    return -1;
}

/* On a system that refuses huge pages, nobody asks for them again. */
static void test_huge_pages_are_refused(void **state)
{
    (void)state;
    enum { PIECES = 64 };
    const size_t bytes = 1 << 20;
    const int64_t most[] = {INT64_C(10000000000), INT64_MAX};
    for (size_t i = 0; i < sizeof(most) / sizeof(*most); i++) {
        berth__heap *heap = new_heap(most[i]);
        const berth_allocator *allocator = berth__heap_allocator(heap);
        void *pieces[PIECES];
        refused = true;
        refusals = 0;
        for (size_t at = 0; at < PIECES; at++)
            assert_non_null(pieces[at] = berth__alloc(allocator, bytes, 64));
        refused = false;
        const berth__heap_use use = berth__heap_usage(heap);
        assert_int_equal(refusals, 1);
        assert_true(use.huge_refused);
        assert_int_equal(use.huge_bytes, 0);
        for (size_t at = 0; at < PIECES; at++)
            berth__free(allocator, pieces[at], bytes);
        berth__heap_destroy(heap);
    }
}

#endif

/* What this thread has allocated and not freed; 0 without jemalloc. */
static uint64_t thread_bytes(void)
{
    uint64_t allocated = 0, freed = 0;
#ifdef HEAP_JEMALLOC
    size_t bytes = sizeof(allocated);
    assert_int_equal(mallctl("thread.allocated", &allocated, &bytes, NULL, 0), 0);
    assert_int_equal(mallctl("thread.deallocated", &freed, &bytes, NULL, 0), 0);
#endif
    return allocated - freed;
}

static void test_heaps_come_and_go(void **state)
{
    (void)state;
    const uint64_t before = thread_bytes();
    for (int i = 0; i < 200; i++) {
        berth__heap *heap = new_heap(i % 2 == 0 ? INT64_MAX : 0);
        void *piece = berth__alloc(berth__heap_allocator(heap), 100 + (size_t)i, 8);
        assert_non_null(piece);
        berth__free(berth__heap_allocator(heap), piece, 100 + (size_t)i);
        berth__heap_destroy(heap);
    }
    assert_int_equal(thread_bytes(), before);
}

#ifndef BERTH_PLAIN_MALLOC /* whose pieces stay, so that sanitizers report them */

/* What the process holds: as the C library counts it, or, for jemalloc, pages of address space
 * (/proc/self/statm), because an arena unmaps all that it mapped. */
static uint64_t process_bytes(void)
{
#ifdef HEAP_JEMALLOC
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
#else
    struct mallinfo2 info = mallinfo2();
    return (uint64_t)info.uordblks + (uint64_t)info.hblkhd;
#endif
}

/* Small and large pieces that nobody released are freed with the heap. */
static void test_pieces_left_are_freed(void **state)
{
    (void)state;
    uint64_t before = process_bytes();
    for (int round = 0; round < 4; round++) {
        berth__heap *heap = new_heap(0);
        const berth_allocator *allocator = berth__heap_allocator(heap);
        for (size_t held = 0, bytes = 8; held < (size_t)128 << 20; held += bytes) {
            bytes = bytes * 5 % 99991;
            void *piece = berth__alloc(allocator, bytes, bytes % 2 == 0 ? 8 : 64);
            assert_non_null(piece);
            memset(piece, 1, bytes);
        }
        assert_true(process_bytes() >= before + ((uint64_t)128 << 20));
        berth__heap_destroy(heap);
        assert_true(process_bytes() < before + ((uint64_t)8 << 20));
    }
}

#endif

/* A machine that cannot place memory on a NUMA node: the memory lies anywhere. */
static void test_numa_node_is_refused(void **state)
{
    (void)state;
    berth__machine *machine;
    berth__heap *heap;
    assert_int_equal(
        berth__machine_create(berth__allocator_default(), "numa:2 core:2 pu:1", &machine),
        BERTH_OK);
    assert_false(berth__machine_settle(machine, &heap, sizeof(heap), 1));
    assert_int_equal(berth__heap_create_on(machine, 1, INT64_MAX, &heap), BERTH_OK);
    const berth_allocator *allocator = berth__heap_allocator(heap);
    for (size_t bytes = 1; bytes <= (size_t)32 << 20; bytes *= 4) {
        void *piece = berth__alloc(allocator, bytes, 64);
        assert_non_null(piece);
        memset(piece, 7, bytes);
        berth__free(allocator, piece, bytes);
    }
    berth__heap_destroy(heap);
    berth__machine_destroy(machine);
}

/* More heaps than jemalloc has arenas (4,094): the others come from the C library's malloc. */
static void test_more_heaps_than_arenas(void **state)
{
    (void)state;
    enum { HEAPS = 4200 };
    static berth__heap *heaps[HEAPS];
    void *pieces[2];
    for (size_t i = 0; i < HEAPS; i++)
        heaps[i] = new_heap(0);
    for (size_t i = 0; i < 2; i++) {
        const berth_allocator *allocator = berth__heap_allocator(heaps[i * (HEAPS - 1)]);
        pieces[i] = berth__alloc(allocator, 1000, 64);
        assert_non_null(pieces[i]);
        memset(pieces[i], 3, 1000);
    }
#ifdef HEAP_JEMALLOC
    assert_true(berth__heap_usage(heaps[0]).resident_bytes > 0);
#endif
    assert_int_equal(berth__heap_usage(heaps[HEAPS - 1]).resident_bytes, 0);
    for (size_t i = 0; i < 2; i++)
        berth__free(berth__heap_allocator(heaps[i * (HEAPS - 1)]), pieces[i], 1000);
    for (size_t i = 0; i < HEAPS; i++)
        berth__heap_destroy(heaps[i]);
}

static bool is_filled(const unsigned char *piece, size_t bytes, unsigned char with)
{
    for (size_t i = 0; i < bytes; i++)
        if (piece[i] != with)
            return false;
    return true;
}

/* ---- sizes ---- */

/* Memory of every size has the requested alignment, overlaps no other, and can be freed. */
static void test_sizes_and_alignments(void **state)
{
    (void)state;
    static const size_t aligns[] = {1, 8, 16, 64, 256, 4096};
    enum { ALIGNS = sizeof(aligns) / sizeof(*aligns), MOST = 400 };
    for (int huge = 0; huge < 2; huge++) {
        berth__heap *heap = new_heap(huge != 0 ? INT64_MAX : 0);
        const berth_allocator *allocator = berth__heap_allocator(heap);
        for (size_t a = 0; a < ALIGNS; a++) {
            unsigned char *pieces[MOST];
            size_t bytes[MOST], count = 0, sum = 0;
            for (size_t near = 1; near <= (size_t)4 << 20; near += near / 8 + 1)
                for (size_t size = near > 1 ? near - 1 : 1; size <= near + 1; size += 2) {
                    unsigned char *piece = berth__alloc(allocator, size, aligns[a]);
                    assert_non_null(piece);
                    assert_int_equal((uintptr_t)piece % aligns[a], 0);
                    memset(piece, (int)count & 255, size);
                    assert_true(count < MOST);
                    pieces[count] = piece;
                    bytes[count++] = size;
                    sum += size;
                }
            assert_true(berth__heap_usage(heap).used_bytes >= sum);
            for (size_t i = 0; i < count; i++) {
                assert_true(is_filled(pieces[i], bytes[i], i & 255));
                berth__free(allocator, pieces[i], bytes[i]);
            }
#ifndef BERTH_PLAIN_MALLOC
            assert_int_equal(berth__heap_usage(heap).used_bytes, 0);
#endif
        }
#ifndef BERTH_PLAIN_MALLOC
        assert_null(berth__alloc(allocator, PTRDIFF_MAX, 64));
        assert_null(berth__alloc(allocator, PTRDIFF_MAX / 2, 64)); /* no machine has as much */
#endif
        berth__heap_destroy(heap);
    }
}

/* The process's address space in use, in pages. */
static uint64_t pages_mapped(void)
{
    FILE *statm = fopen("/proc/self/statm", "r");
    uint64_t pages = 0;
    assert_non_null(statm);
    assert_int_equal(fscanf(statm, "%" SCNu64, &pages), 1);
    fclose(statm);
    return pages;
}

/* The pages of a large piece are returned to the system when it is freed, and its addresses serve
 * the next one. */
static void test_large_pieces_go_back(void **state)
{
    (void)state;
    berth__heap *heap = new_heap(0);
    const berth_allocator *allocator = berth__heap_allocator(heap);
    uint64_t before = berth__heap_usage(heap).resident_bytes;
    const uint64_t mapped = pages_mapped();
    for (int i = 0; i < 1000; i++) {
        char *piece = berth__alloc(allocator, (size_t)64 << 20, 64);
        assert_non_null(piece);
        piece[i] = 1;
        berth__free(allocator, piece, (size_t)64 << 20);
    }
    assert_int_equal(berth__heap_usage(heap).resident_bytes, before);
    assert_true(pages_mapped() <= mapped + ((uint64_t)8 << 30) / 4096);
    berth__heap_destroy(heap);
}

/* ---- many threads on one heap ---- */

/* More threads than a heap has shelves: some share one. */
enum { SHARERS = 12, HELD = 64 };

static int rounds; /* of each sharer */

static pthread_barrier_t all_there;

typedef struct sharer {
    const berth_allocator *allocator;
    uint64_t seed;
    bool overwritten; /* the same memory was allocated twice */
} sharer;

static size_t bytes_of(uint64_t random)
{
    return 8 + (size_t)(random % 600);
}

static void *share(void *argument)
{
    sharer *self = argument;
    unsigned char *pieces[HELD] = {0};
    size_t bytes[HELD];
    pthread_barrier_wait(&all_there);
    for (int round = 0; round < rounds; round++) {
        self->seed = self->seed * UINT64_C(6364136223846793005) + 1;
        uint64_t random = self->seed >> 33;
        size_t at = random % HELD;
        unsigned char with = (unsigned char)((uintptr_t)self / sizeof(*self) + at);
        if (pieces[at] == NULL) {
            bytes[at] = bytes_of(random / HELD);
            pieces[at] = berth__alloc(self->allocator, bytes[at], 8);
            memset(pieces[at], with, bytes[at]);
        } else {
            self->overwritten |= !is_filled(pieces[at], bytes[at], with);
            berth__free(self->allocator, pieces[at], bytes[at]);
            pieces[at] = NULL;
        }
    }
    for (size_t at = 0; at < HELD; at++)
        berth__free(self->allocator, pieces[at], bytes[at]);
    return NULL;
}

/* Runs `work` on one heap by all threads. No memory may be allocated twice or be left over, also if
 * the heap's use is read meanwhile so many times, which empties the cache. */
static void share_a_heap(void *(*work)(void *sharer), int readings)
{
    berth__heap *heap = new_heap(0);
    uint64_t before = berth__heap_usage(heap).used_bytes;
    sharer sharers[SHARERS];
    pthread_t threads[SHARERS];
    assert_int_equal(pthread_barrier_init(&all_there, NULL, SHARERS), 0);
    for (uint64_t i = 0; i < SHARERS; i++) {
        sharers[i] = (sharer){berth__heap_allocator(heap), 7 + i, false};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &sharers[i]), 0);
    }
    for (int i = 0; i < readings; i++)
        assert_true(berth__heap_usage(heap).used_bytes >= before);
    for (int i = 0; i < SHARERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_false(sharers[i].overwritten);
    }
    pthread_barrier_destroy(&all_there);
    assert_int_equal(berth__heap_usage(heap).used_bytes, before);
    berth__heap_destroy(heap);
}

static void test_threads_share_a_heap(void **state)
{
    (void)state;
    share_a_heap(share, 100);
}

/* Allocates and frees without a pause, so threads that share a shelf use it at the same time. */
static void *hurry(void *argument)
{
    sharer *self = argument;
    pthread_barrier_wait(&all_there);
    for (int round = 0; round < 4 * rounds && !self->overwritten; round++) {
        unsigned char *first = berth__alloc(self->allocator, 64, 8);
        unsigned char *second = berth__alloc(self->allocator, 64, 8);
        self->overwritten = first == second;
        berth__free(self->allocator, second, 64);
        berth__free(self->allocator, first, 64);
    }
    return NULL;
}

static void test_threads_share_a_shelf(void **state)
{
    (void)state;
    share_a_heap(hurry, 0);
}

/* Memory that one thread allocates and another one frees is reused. */
typedef struct giver {
    const berth_allocator *allocator;
    void *pieces[1000];
    bool take;
} giver;

static void *take_or_give(void *argument)
{
    giver *self = argument;
    for (size_t i = 0; i < sizeof(self->pieces) / sizeof(*self->pieces); i++)
        if (self->take)
            self->pieces[i] = berth__alloc(self->allocator, 200, 8);
        else
            berth__free(self->allocator, self->pieces[i], 200);
    return NULL;
}

static void test_what_others_give_is_used(void **state)
{
    (void)state;
    berth__heap *heap = new_heap(0);
    giver one = {.allocator = berth__heap_allocator(heap)};
    uint64_t held = 0;
    for (int round = 0; round < 200; round++) {
        one.take = true;
        (void)take_or_give(&one);
        one.take = false;
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, take_or_give, &one), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        if (round == 20)
            held = berth__heap_usage(heap).resident_bytes;
    }
    assert_true(berth__heap_usage(heap).resident_bytes <= held + held / 2);
    berth__heap_destroy(heap);
}

static void *own_allocate(void *context, size_t bytes, size_t align)
{
    return berth__alloc(context, bytes, align);
}

static void own_release(void *context, void *memory, size_t bytes)
{
    berth__free(context, memory, bytes);
}

/* An engine reports its memory, unless it has an allocator of the caller. */
static void test_engine_tells(void **state)
{
    (void)state;
    const berth_allocator *standard = berth__allocator_default();
    const berth_allocator own = {(void *)(uintptr_t)standard, own_allocate, own_release};
    berth_engine_config config;
    berth_engine *engine;
    berth_memory memory = {0};
    berth_error error;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.huge_pages = (berth_huge_pages)3;
    assert_int_equal(berth_engine_create(&config, &engine, &error), BERTH_E_ARG);
    assert_string_equal(error.message, "there is no choice of huge pages number 3");
    config.huge_pages = BERTH_HUGE_PAGES_ALL;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_memory(engine, &memory, &error), BERTH_OK);
    assert_true(memory.used_bytes > 0);
    berth_engine_destroy(engine);
    config.allocator = &own;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    memory.used_bytes = 7;
    assert_int_equal(berth_engine_memory(engine, &memory, &error), BERTH_E_UNSUPPORTED);
    assert_int_equal(memory.used_bytes, 0);
    assert_non_null(strstr(error.message, "allocator"));
    berth_engine_destroy(engine);
}

int main(void)
{
    rounds = (int)effort(60000);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_use_is_counted),
        cmocka_unit_test(test_huge_pages_are_asked_for),
#ifdef HEAP_JEMALLOC
        cmocka_unit_test(test_huge_pages_are_refused),
#endif
        cmocka_unit_test(test_heaps_come_and_go),
#ifndef BERTH_PLAIN_MALLOC
        cmocka_unit_test(test_pieces_left_are_freed),
#endif
        cmocka_unit_test(test_numa_node_is_refused),
        cmocka_unit_test(test_more_heaps_than_arenas),
        cmocka_unit_test(test_threads_share_a_heap),
        cmocka_unit_test(test_threads_share_a_shelf),
        cmocka_unit_test(test_sizes_and_alignments),
        cmocka_unit_test(test_large_pieces_go_back),
        cmocka_unit_test(test_what_others_give_is_used),
        cmocka_unit_test(test_engine_tells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
