/* The base layer: arena, interning, keymap, bits, random numbers, text, errors, growing arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/keymap.h"
#include "base/random.h"
#include "base/text.h"
#include "base/use_order.h"

/* ---- an allocator that counts, and fails on request ---- */

typedef struct counted {
    size_t bytes; /* not freed yet */
    unsigned calls;
    unsigned fail_at; /* the call that fails, from 1; 0: none */
} counted;

static void *counted_allocate(void *context, size_t bytes, size_t align)
{
    counted *c = context;
    if (++c->calls == c->fail_at)
        return NULL;
    void *memory = aligned_alloc(align, (bytes + align - 1) / align * align);
    assert_non_null(memory);
    c->bytes += bytes;
    return memory;
}

static void counted_release(void *context, void *memory, size_t bytes)
{
    counted *c = context;
    assert_true(c->bytes >= bytes);
    c->bytes -= bytes;
    free(memory);
}

static berth_allocator counting(counted *c)
{
    return (berth_allocator){c, counted_allocate, counted_release};
}

/* ---- memory ---- */

static void test_absurd_sizes_are_refused(void **state)
{
    (void)state;
    const berth_allocator *allocator = berth__allocator_default();
    assert_null(berth__alloc(allocator, SIZE_MAX, 64));
    assert_null(berth__alloc_zero(allocator, SIZE_MAX / 2 + 2, 64));
    berth__free(allocator, NULL, 10);
}

static void test_alloc_is_aligned_and_zeroed(void **state)
{
    (void)state;
    const berth_allocator *allocator = berth__allocator_default();
    for (size_t align = 1; align <= 4096; align *= 2) {
        size_t bytes = align * 3 + 1;
        unsigned char *memory = berth__alloc_zero(allocator, bytes, align);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % align, 0);
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(memory[i], 0);
        berth__free(allocator, memory, bytes);
    }
}

/* Hands out fresh pages, from some bytes behind the first one's beginning on. */
enum { FRESH_PAGE = 4096, FRESH_PAGES = 80, FRESH_SKIPPED = 64 };

static void *fresh_allocate(void *context, size_t bytes, size_t align)
{
    (void)align;
    char **fresh = context;
    assert_true(bytes + FRESH_SKIPPED <= (size_t)FRESH_PAGES * FRESH_PAGE);
    *fresh = mmap(NULL, (size_t)FRESH_PAGES * FRESH_PAGE, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(*fresh, MAP_FAILED);
    return *fresh + FRESH_SKIPPED;
}

static void fresh_release(void *context, void *memory, size_t bytes)
{
    (void)memory;
    (void)bytes;
    char **fresh = context;
    assert_int_equal(munmap(*fresh, (size_t)FRESH_PAGES * FRESH_PAGE), 0);
}

/* How many pages of a fresh piece are mapped, and whether all of them lie within it. */
static uint32_t mapped_pages(char *fresh, size_t bytes)
{
    unsigned char resident[FRESH_PAGES];
    uint32_t count = 0;
    assert_int_equal(mincore(fresh, (size_t)FRESH_PAGES * FRESH_PAGE, resident), 0);
    for (uint32_t i = 0; i < FRESH_PAGES; i++) {
        const bool mapped = (resident[i] & 1) != 0;
        const size_t first = (size_t)i * FRESH_PAGE, end = first + FRESH_PAGE;
        assert_true(!mapped || (first >= FRESH_SKIPPED && end <= FRESH_SKIPPED + bytes));
        count += mapped;
    }
    return count;
}

/* Of a large piece that will be written as a whole, the whole pages are mapped at once, and no
 * others; of a smaller one none. */
static void test_whole_pieces_are_mapped(void **state)
{
    (void)state;
    char *fresh = NULL;
    const berth_allocator allocator = {&fresh, fresh_allocate, fresh_release};
    const size_t least = 256 << 10;
    for (size_t bytes = least - 1; bytes < least + 2 * FRESH_PAGE; bytes += 997) {
        char *memory = berth__alloc_whole(&allocator, bytes, 64);
        const size_t whole = (bytes - (FRESH_PAGE - FRESH_SKIPPED)) / FRESH_PAGE;
        const uint32_t mapped = mapped_pages(fresh, bytes);
#if defined(MADV_POPULATE_WRITE)
        if (mapped > 0 || madvise(fresh, FRESH_PAGE, MADV_POPULATE_WRITE) == 0)
            assert_int_equal(mapped, bytes >= least ? whole : 0);
#else
        assert_int_equal(mapped, 0);
#endif
        memset(memory, 1, bytes);
        berth__free(&allocator, memory, bytes);
    }
}

static void test_grow_keeps_contents(void **state)
{
    (void)state;
    counted c = {0};
    berth_allocator allocator = counting(&c);
    uint32_t *items = NULL, capacity = 0;
    for (uint32_t i = 0; i < 5000; i++) {
        assert_true(berth__grow(&allocator, &items, &capacity, i + 1, sizeof(*items)));
        assert_true(capacity > i);
        items[i] = i * 7;
    }
    assert_int_equal((uintptr_t)items % 64, 0);
    for (uint32_t i = 0; i < 5000; i++)
        assert_int_equal(items[i], i * 7);
    assert_true(c.calls < 30);
    uint32_t before = capacity;
    uint32_t *where = items;
    c.fail_at = c.calls + 1;
    assert_false(berth__grow(&allocator, &items, &capacity, before + 1, sizeof(*items)));
    assert_ptr_equal(items, where);
    assert_int_equal(capacity, before);
    berth__free(&allocator, items, capacity * sizeof(*items));
    assert_int_equal(c.bytes, 0);
}

/* ---- arena ---- */

static void test_arena_pieces_are_apart(void **state)
{
    (void)state;
    enum { PIECES = 3000 };
    static unsigned char *pieces[PIECES];
    static size_t sizes[PIECES];
    counted c = {0};
    berth_allocator allocator = counting(&c);
    berth__arena arena;
    berth__arena_init(&arena, &allocator);
    assert_int_equal(c.calls, 0);
    berth__random random = {1};
    for (int i = 0; i < PIECES; i++) {
        size_t align = (size_t)1 << berth__random_below(&random, 7);
        sizes[i] = berth__random_below(&random, i % 100 == 0 ? 100000 : 200);
        pieces[i] = berth__arena_alloc(&arena, sizes[i], align);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % align, 0);
        memset(pieces[i], i % 251, sizes[i]);
    }
    for (int i = 0; i < PIECES; i++)
        for (size_t b = 0; b < sizes[i]; b++)
            if (pieces[i][b] != i % 251)
                fail_msg("byte %zu of piece %d was overwritten", b, i);
    berth__arena_destroy(&arena);
    assert_int_equal(c.bytes, 0);
}

static void test_arena_reset_reuses(void **state)
{
    (void)state;
    counted c = {0};
    berth_allocator allocator = counting(&c);
    berth__arena arena;
    berth__arena_init_sized(&arena, &allocator, 256);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 200; i++) {
            unsigned char *piece = berth__arena_alloc_zero(&arena, 100, 8);
            for (int b = 0; b < 100; b++)
                assert_int_equal(piece[b], 0);
            memset(piece, 0xee, 100);
        }
        berth__arena_reset(&arena);
        assert_int_equal(berth__arena_used_bytes(&arena), 0);
    }
    unsigned calls = c.calls;
    for (int i = 0; i < 100; i++)
        assert_non_null(berth__arena_alloc(&arena, 10, 1));
    assert_int_equal(c.calls, calls);
    assert_int_equal(berth__arena_used_bytes(&arena), 100 * 10);
    berth__arena_destroy(&arena);
    assert_int_equal(c.bytes, 0);
}

static void test_arena_out_of_memory(void **state)
{
    (void)state;
    counted c = {.fail_at = 1};
    berth_allocator allocator = counting(&c);
    berth__arena arena;
    berth__arena_init(&arena, &allocator);
    assert_null(berth__arena_alloc(&arena, 10, 8));
    bool ok = true;
    assert_non_null(berth__arena_str(&arena, BERTH_STR("text"), &ok).data);
    assert_true(ok);
    assert_null(berth__arena_alloc(&arena, SIZE_MAX - 100, 8));
    berth__arena_destroy(&arena);
    assert_int_equal(c.bytes, 0);
}

static void test_arena_text(void **state)
{
    (void)state;
    bool ok = true;
    berth__arena arena;
    berth__arena_init(&arena, berth__allocator_default());
    berth_str copy = berth__arena_str(&arena, (berth_str){"abcdef", 3}, &ok);
    assert_int_equal(copy.len, 3);
    assert_string_equal(copy.data, "abc");
    assert_null(berth__arena_str(&arena, (berth_str){0}, &ok).data);
    berth_str empty = berth__arena_str(&arena, BERTH_STR(""), &ok);
    assert_non_null(empty.data);
    assert_int_equal(empty.len, 0);
    assert_true(ok);
    berth__arena_destroy(&arena);
}

/* ---- intern ---- */

static void test_intern(void **state)
{
    (void)state;
    enum { TEXTS = 20000 };
    counted c = {0};
    berth_allocator allocator = counting(&c);
    berth__intern table;
    bool ok = true;
    char text[32];
    assert_int_equal(berth__intern_init(&table, &allocator), BERTH_OK);
    assert_int_equal(berth__intern_add(&table, (berth_str){0}, &ok), 0);
    assert_int_not_equal(berth__intern_add(&table, BERTH_STR(""), &ok), 0);
    static berth__sym ids[TEXTS];
    for (uint32_t i = 0; i < TEXTS; i++) {
        snprintf(text, sizeof(text), "text-%u", (unsigned)i);
        assert_int_equal(berth__intern_find(&table, berth__text_of(text)), 0);
        ids[i] = berth__intern_add(&table, berth__text_of(text), &ok);
        assert_true(i == 0 || ids[i] == ids[i - 1] + 1);
        assert_true(table.used_slots <=
                    atomic_load(&table.slots)->count / 2); /* gaps end searches */
    }
    assert_true(ok);
    for (uint32_t i = 0; i < TEXTS; i++) {
        snprintf(text, sizeof(text), "text-%u", (unsigned)i);
        assert_int_equal(berth__intern_add(&table, berth__text_of(text), &ok), ids[i]);
        assert_int_equal(berth__intern_find(&table, berth__text_of(text)), ids[i]);
        assert_true(berth__str_is(berth__intern_text(&table, ids[i]), text));
    }
    berth_str with_nul = {"a\0b", 3}, with_other = {"a\0c", 3};
    assert_int_not_equal(berth__intern_add(&table, with_nul, &ok),
                         berth__intern_add(&table, with_other, &ok));
    assert_int_equal(berth__intern_find(&table, BERTH_STR("a")), 0);
    assert_null(berth__intern_text(&table, 0).data);
    berth__intern_destroy(&table);
    assert_int_equal(c.bytes, 0);
}

/* Texts with the same hash of 32 bits are different texts. Among so many, some have the same. */
static void test_intern_many(void **state)
{
    (void)state;
    enum { TEXTS = 400000 };
    berth__intern table;
    bool ok = true;
    assert_int_equal(berth__intern_init(&table, berth__allocator_default()), BERTH_OK);
    for (uint32_t i = 0; i < TEXTS; i++) {
        char text[16];
        (void)snprintf(text, sizeof(text), "t%u", (unsigned)i);
        const berth__sym id = berth__intern_add(&table, berth__text_of(text), &ok);
        assert_true(ok);
        if (!berth__str_is(berth__intern_text(&table, id), text))
            fail_msg("%s is taken for another text", text);
    }
    berth__intern_destroy(&table);
}

/* Removed texts leave no trace: others reuse their ids and memory. */
static void test_intern_removal(void **state)
{
    (void)state;
    counted c = {0};
    berth_allocator allocator = counting(&c);
    berth__intern table;
    bool ok = true;
    char text[600], large[600];
    memset(large, 'x', sizeof(large));
    assert_int_equal(berth__intern_init(&table, &allocator), BERTH_OK);
    berth__sym kept = berth__intern_add(&table, BERTH_STR("kept"), &ok);
    size_t bytes = 0;
    for (uint32_t round = 0; round < 100; round++) {
        berth__sym ids[100];
        for (uint32_t i = 0; i < 100; i++) {
            int len =
                snprintf(text, sizeof(text), "%u-%u", 1000000 + (unsigned)round, 100 + (unsigned)i);
            berth_str given =
                i % 10 == 9 ? (berth_str){large, 500 + i} : (berth_str){text, (uint32_t)len};
            ids[i] = berth__intern_add(&table, given, &ok);
        }
        assert_true(ok && berth__intern_reserve_removal(&table, 100));
        for (uint32_t i = 0; i < 100; i++)
            berth__intern_remove(&table, ids[i]);
        assert_int_equal(berth__intern_find(&table, berth__text_of(text)), 0);
        if (round == 50) { /* sharing only changes who may look */
            assert_int_equal(berth__intern_share(&table), BERTH_OK);
            berth__intern_claim(&table, true);
        }
        berth__intern_settle(&table);
        assert_int_equal(table.in_use, 1);
        assert_true(table.used_slots <= atomic_load(&table.slots)->count / 2);
        bytes = round == 52 ? c.bytes : bytes;
    }
    assert_true(c.bytes <= bytes && table.count <= 202);
    assert_int_equal(berth__intern_find(&table, BERTH_STR("kept")), kept);
    berth__intern_destroy(&table);
    assert_int_equal(c.bytes, 0);
}

/* While a thread looks a text up, no memory that it may read is reused. */
static void test_intern_finders(void **state)
{
    (void)state;
    counted c = {0};
    berth_allocator allocator = counting(&c);
    berth__intern table;
    bool ok = true;
    assert_int_equal(berth__intern_init(&table, &allocator), BERTH_OK);
    assert_int_equal(berth__intern_share(&table), BERTH_OK);
    berth__intern_claim(&table, true);
    berth__sym gone = berth__intern_add(&table, BERTH_STR("gone"), &ok);
    assert_true(ok && berth__intern_reserve_removal(&table, 1));
    atomic_fetch_add(&table.stripes[3].finders, 1);
    berth__intern_remove(&table, gone);
    berth__intern_settle(&table);
    assert_true(berth__str_is(berth__intern_text(&table, gone), "gone"));
    assert_int_not_equal(berth__intern_add(&table, BERTH_STR("gone"), &ok), gone);
    atomic_fetch_sub(&table.stripes[3].finders, 1);
    berth__intern_settle(&table);
    assert_null(berth__intern_text(&table, gone).data);
    assert_int_equal(berth__intern_add(&table, BERTH_STR("other"), &ok), gone);
    berth__intern_destroy(&table);
    assert_int_equal(c.bytes, 0);
}

static void test_intern_out_of_memory(void **state)
{
    (void)state;
    for (unsigned fail_at = 1;; fail_at++) {
        counted c = {.fail_at = fail_at};
        berth_allocator allocator = counting(&c);
        berth__intern table;
        char text[32];
        unsigned refused = 0;
        if (berth__intern_init(&table, &allocator) == BERTH_OK) {
            for (uint32_t i = 0; i < 3000; i++) {
                bool ok = true;
                snprintf(text, sizeof(text), "text-%u", (unsigned)i);
                berth__sym id = berth__intern_add(&table, berth__text_of(text), &ok);
                if (!ok) { /* and the next attempt succeeds */
                    refused++;
                    assert_int_equal(berth__intern_find(&table, berth__text_of(text)), 0);
                    ok = true;
                    id = berth__intern_add(&table, berth__text_of(text), &ok);
                }
                assert_true(ok);
                assert_true(berth__str_is(berth__intern_text(&table, id), text));
                assert_true(table.used_slots <= atomic_load(&table.slots)->count / 2);
            }
            berth__intern_destroy(&table);
        }
        assert_true(refused <= 1);
        assert_int_equal(c.bytes, 0);
        if (c.calls < fail_at)
            break;
    }
}

/* ---- keymap ---- */

typedef struct entry {
    berth__keymap_entry entry;
    uint32_t key;
    bool in;
} entry;

static void test_keymap_follows_a_plain_model(void **state)
{
    (void)state;
    enum { ENTRIES = 2000 };
    static entry entries[ENTRIES];
    counted c = {0};
    berth_allocator allocator = counting(&c);
    berth__keymap map;
    assert_int_equal(berth__keymap_init(&map, &allocator), BERTH_OK);
    berth__random random = {2};
    uint32_t in = 0;
    for (uint32_t i = 0; i < ENTRIES; i++) {
        entries[i].key = i * 3;
        entries[i].entry.key = &entries[i].key;
        entries[i].entry.key_bytes = sizeof(entries[i].key);
    }
    for (int op = 0; op < 60000; op++) {
        entry *one = &entries[berth__random_below(&random, ENTRIES)];
        /* A table that cannot grow keeps working. */
        c.fail_at = op % 2 == 0 ? c.calls + 1 : 0;
        if (one->in)
            berth__keymap_remove(&map, &one->entry);
        else
            berth__keymap_add(&map, &one->entry);
        one->in = !one->in;
        in += one->in ? 1 : UINT32_MAX;
        const entry *other = &entries[berth__random_below(&random, ENTRIES)];
        const berth__keymap_entry *found =
            berth__keymap_find(&map, &other->key, sizeof(other->key));
        assert_ptr_equal(found, other->in ? &other->entry : NULL);
        assert_int_equal(map.count, in);
    }
    uint32_t absent = 1;
    assert_null(berth__keymap_find(&map, &absent, sizeof(absent)));
    assert_null(berth__keymap_find(&map, &entries[0].key, 2));
    berth__keymap_destroy(&map);
    assert_int_equal(c.bytes, 0);
}

/* ---- bits, hash, random ---- */

static void test_bits(void **state)
{
    (void)state;
    uint64_t words[3] = {0};
    for (uint32_t bit = 0; bit < 192; bit++) {
        assert_false(berth__bit_get(words, bit));
        berth__bit_set(words, bit);
        assert_true(berth__bit_get(words, bit));
        assert_int_equal(__builtin_popcountll(words[0]) + __builtin_popcountll(words[1]) +
                             __builtin_popcountll(words[2]),
                         1);
        berth__bit_clear(words, bit);
        assert_true((words[0] | words[1] | words[2]) == 0);
        berth__bit_put(words, bit, true);
        assert_true(berth__bit_get(words, bit));
        berth__bit_put(words, bit, false);
        assert_false(berth__bit_get(words, bit));
    }
    assert_true(berth__low_bits(0) == 0);
    assert_true(berth__low_bits(1) == 1);
    assert_true(berth__low_bits(63) == UINT64_MAX >> 1);
    assert_true(berth__low_bits(64) == UINT64_MAX);
}

static void test_nth_bit(void **state)
{
    (void)state;
    berth__random random = {3};
    for (int round = 0; round < 2000; round++) {
        uint64_t word = berth__random_next(&random), other = berth__random_next(&random);
        word = round % 3 == 0 ? word & other : round % 3 == 1 ? word | other : UINT64_MAX;
        uint32_t n = 0;
        for (uint32_t bit = 0; bit < 64; bit++)
            if ((word >> bit) & 1)
                assert_int_equal(berth__nth_bit(word, n++), bit);
    }
}

static void test_hash(void **state)
{
    (void)state;
    assert_true(berth__hash_bytes("abc", 3, 0) == berth__hash_bytes("abcd", 3, 0));
    assert_true(berth__hash_bytes("abc", 3, 0) != berth__hash_bytes("abc", 3, 1));
    assert_true(berth__hash_bytes("abc", 3, 0) != berth__hash_bytes("abd", 3, 0));
    assert_true(berth__hash_bytes("", 0, 0) == berth__hash_bytes(NULL, 0, 0));
}

static void test_random_repeats_and_spreads(void **state)
{
    (void)state;
    berth__random one = {42}, two = {42}, other = {43};
    uint32_t counts[10] = {0}, same = 0;
    for (int i = 0; i < 100000; i++) {
        uint32_t value = berth__random_below(&one, 10);
        assert_true(value < 10);
        assert_int_equal(value, berth__random_below(&two, 10));
        same += value == berth__random_below(&other, 10);
        counts[value]++;
    }
    assert_true(same < 11000);
    /* Five standard deviations (95 each) around 10,000. */
    for (int i = 0; i < 10; i++)
        assert_true(counts[i] > 9525 && counts[i] < 10475);
    assert_int_equal(berth__random_below(&one, 1), 0);
}

/* Repeatable runs depend on the values of the generator: splitmix64 from seed 0. */
static void test_random_values(void **state)
{
    (void)state;
    berth__random random = {0};
    assert_true(berth__random_next(&random) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(berth__random_next(&random) == UINT64_C(0x6e789e6aa1b965f4));
    assert_true(berth__random_next(&random) == UINT64_C(0x06c45d188009454f));
}

/* ---- text and errors ---- */

static void test_text(void **state)
{
    (void)state;
    assert_true(berth__str_eq((berth_str){0}, BERTH_STR("")));
    assert_true(berth__str_eq(BERTH_STR("ab"), (berth_str){"abc", 2}));
    assert_false(berth__str_eq(BERTH_STR("ab"), BERTH_STR("abc")));
    assert_true(berth__str_is(BERTH_STR("x"), "x"));
    assert_true(berth__str_empty((berth_str){0}));
    assert_true(berth__str_starts(BERTH_STR("hugepages-2Mi"), "hugepages-"));
    assert_false(berth__str_starts(BERTH_STR("huge"), "hugepages-"));
    assert_true(berth__str_starts((berth_str){"", 0}, ""));
    assert_true(berth__str_cmp(BERTH_STR("a"), BERTH_STR("b")) < 0);
    assert_true(berth__str_cmp(BERTH_STR("b"), BERTH_STR("a")) > 0);
    assert_true(berth__str_cmp(BERTH_STR("a"), BERTH_STR("aa")) < 0);
    assert_true(berth__str_cmp(BERTH_STR("10 x"), BERTH_STR("2 y")) < 0);
    assert_true(berth__str_cmp((berth_str){0}, BERTH_STR("")) == 0);
    assert_true(berth__str_cmp(BERTH_STR("\xff"), BERTH_STR("a")) > 0);
}

static void test_statuses_have_names(void **state)
{
    (void)state;
    assert_string_equal(berth_status_name(BERTH_OK), "BERTH_OK");
    assert_string_equal(berth_status_name(BERTH_E_NOT_FOUND), "BERTH_E_NOT_FOUND");
    assert_string_equal(berth_status_text(BERTH_E_NOMEM), "out of memory");
    assert_string_equal(berth_status_name((berth_status)999), "BERTH_UNKNOWN");
    assert_string_equal(berth_status_text((berth_status)999), "unknown status");
}

static void test_error_texts(void **state)
{
    (void)state;
    char text[256];
    berth_error error;
    assert_int_equal(berth__error_set(NULL, BERTH_E_ARG, "%d", 1), BERTH_E_ARG);
    berth__error_object(NULL, "%s", "x");
    berth__error_field(NULL, "%s", "x");
    memset(&error, 0xff, sizeof(error));
    assert_int_equal(berth__error_set(&error, BERTH_E_PARSE, "found %d", 7), BERTH_E_PARSE);
    assert_int_equal(error.code, BERTH_E_PARSE);
    assert_true(error.offset == UINT64_MAX);
    assert_int_equal(berth_error_format(&error, text, sizeof(text)), 7);
    assert_string_equal(text, "found 7");
    berth__error_object(&error, "Pod %s", "default/x");
    berth__error_field(&error, "spec.containers[%d]", 0);
    strcpy(error.source, "a.yaml");
    error.line = 3;
    const char *whole = "a.yaml:3: Pod default/x: spec.containers[0]: found 7";
    assert_int_equal(berth_error_format(&error, text, sizeof(text)), strlen(whole));
    assert_string_equal(text, whole);
    error.column = 9;
    whole = "a.yaml:3:9: Pod default/x: spec.containers[0]: found 7";
    assert_int_equal(berth_error_format(&error, text, 11), strlen(whole));
    assert_string_equal(text, "a.yaml:3:9");
    assert_int_equal(berth_error_format(&error, NULL, 0), strlen(whole));
}

static void test_long_error_texts_are_cut(void **state)
{
    (void)state;
    static char many[1000];
    memset(many, 'x', sizeof(many) - 1);
    berth_error error;
    berth__error_set(&error, BERTH_E_INVALID, "%s", many);
    berth__error_object(&error, "%s", many);
    berth__error_field(&error, "%s", many);
    assert_int_equal(strlen(error.message), sizeof(error.message) - 1);
    assert_int_equal(strlen(error.object), sizeof(error.object) - 1);
    assert_int_equal(strlen(error.field), sizeof(error.field) - 1);
}

/* ---- order of use ---- */

static void expect_order_of_use(const berth__use_order *order, const berth__used *items,
                                const char *wanted)
{
    const berth__used *newer = NULL;
    size_t count = 0;
    for (const berth__used *one = order->newest; one != NULL; one = one->older, count++) {
        assert_int_equal('a' + (int)(one - items), wanted[count]);
        assert_ptr_equal(one->newer, newer);
        newer = one;
    }
    assert_ptr_equal(order->oldest, newer);
    assert_int_equal(count, strlen(wanted));
}

static void test_use_order(void **state)
{
    (void)state;
    berth__use_order order = {NULL, NULL};
    berth__used items[4] = {0};
    expect_order_of_use(&order, items, "");
    for (int i = 0; i < 4; i++)
        berth__use_add(&order, &items[i]);
    expect_order_of_use(&order, items, "dcba");
    berth__use_again(&order, &items[3]);
    expect_order_of_use(&order, items, "dcba");
    berth__use_again(&order, &items[0]);
    berth__use_again(&order, &items[2]);
    expect_order_of_use(&order, items, "cadb");
    berth__use_remove(&order, &items[0]);
    expect_order_of_use(&order, items, "cdb");
    berth__use_remove(&order, &items[1]);
    berth__use_remove(&order, &items[2]);
    expect_order_of_use(&order, items, "d");
    berth__use_remove(&order, &items[3]);
    expect_order_of_use(&order, items, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absurd_sizes_are_refused),
        cmocka_unit_test(test_alloc_is_aligned_and_zeroed),
        cmocka_unit_test(test_whole_pieces_are_mapped),
        cmocka_unit_test(test_grow_keeps_contents),
        cmocka_unit_test(test_arena_pieces_are_apart),
        cmocka_unit_test(test_arena_reset_reuses),
        cmocka_unit_test(test_arena_out_of_memory),
        cmocka_unit_test(test_arena_text),
        cmocka_unit_test(test_intern),
        cmocka_unit_test(test_intern_many),
        cmocka_unit_test(test_intern_removal),
        cmocka_unit_test(test_intern_finders),
        cmocka_unit_test(test_intern_out_of_memory),
        cmocka_unit_test(test_keymap_follows_a_plain_model),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_nth_bit),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_random_repeats_and_spreads),
        cmocka_unit_test(test_random_values),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_statuses_have_names),
        cmocka_unit_test(test_error_texts),
        cmocka_unit_test(test_long_error_texts_are_cut),
        cmocka_unit_test(test_use_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
