/* The parts of base/ when memory ends, and at the ends of their ranges. */
#include "counted_memory.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/cow_array.h"
#include "base/error.h"
#include "base/keymap.h"
#include "base/undo_log.h"

/* ---- errors ---- */

static void test_every_status(void **state)
{
    static const struct {
        berth_status status;
        const char *name, *text;
    } all[] = {
#define X(number, name, text) {BERTH_##name, "BERTH_" #name, text},
        BERTH_STATUS_LIST(X)
#undef X
    };
    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        char out[64];
        berth_error error = {.code = all[i].status};
        assert_string_equal(berth_status_name(all[i].status), all[i].name);
        assert_string_equal(berth_status_text(all[i].status), all[i].text);
        assert_int_equal(berth_error_format(&error, out, sizeof(out)), strlen(all[i].text));
        assert_string_equal(out, all[i].text); /* an error without a message */
    }
}

/* Check the text of an error, whole and cut at each length. */
static void assert_formats(const berth_error *error, const char *expected)
{
    char out[256];
    size_t len = strlen(expected);
    for (size_t size = 0; size <= len + 1; size++) {
        memset(out, '#', sizeof(out));
        assert_int_equal(berth_error_format(error, out, size), len);
        if (size > 0) {
            assert_memory_equal(out, expected, size - 1);
            assert_int_equal(out[size - 1], '\0');
        }
        assert_int_equal(out[size], '#');
    }
}

static void test_error_parts(void **state)
{
    (void)state;
    berth_error error;
    assert_int_equal(berth__error_set(&error, BERTH_E_ARG, "%s", "no"), BERTH_E_ARG);
    assert_formats(&error, "no");
    error.column = 7; /* means nothing without a line */
    assert_formats(&error, "no");
    error.line = 3;
    assert_formats(&error, "3:7: no");
    error.column = 0;
    assert_formats(&error, "3: no");
    snprintf(error.source, sizeof(error.source), "a.yaml");
    assert_formats(&error, "a.yaml:3: no");
    berth__error_field(&error, "spec.%s", "x");
    assert_formats(&error, "a.yaml:3: spec.x: no");
    berth__error_named(&error, "Pod", BERTH_STR("default"), BERTH_STR("p"));
    assert_formats(&error, "a.yaml:3: Pod default/p: spec.x: no");
    berth__error_named(&error, "Node", BERTH_STR(""), BERTH_STR("n"));
    assert_formats(&error, "a.yaml:3: Pod default/p: spec.x: no"); /* the first name stays */
    berth__error_object(&error, "%s", "");
    berth__error_named(&error, "Node", BERTH_STR(""), BERTH_STR("n"));
    assert_formats(&error, "a.yaml:3: Node n: spec.x: no");
}

/* A caller may want no error. */
static void test_no_error(void **state)
{
    (void)state;
    assert_int_equal(berth__error_set(NULL, BERTH_E_ARG, "no"), BERTH_E_ARG);
    assert_int_equal(berth__error_no_memory(NULL), BERTH_E_NOMEM);
    assert_int_equal(berth__error_plain(NULL, BERTH_E_PARSE), BERTH_E_PARSE);
    assert_int_equal(berth__error_plain(NULL, BERTH_OK), BERTH_OK);
    berth__error_object(NULL, "x");
    berth__error_field(NULL, "x");
    berth__error_named(NULL, "Pod", BERTH_STR("a"), BERTH_STR("b"));
}

/* ---- arenas ---- */

static void test_arena_without_memory(void **state)
{
    (void)state;
    counted memory = {.fail_at = 1, .for_good = true};
    berth_allocator allocator = {&memory, counted_allocate, counted_release};
    berth__arena arena;
    bool ok = true;
    berth__arena_init_sized(&arena, &allocator, 64);
    assert_int_equal(berth__arena_used_bytes(&arena), 0);
    berth__arena_reset(&arena); /* without a chunk, too */
    assert_null(berth__arena_alloc_zero(&arena, 8, 8));
    assert_null(berth__arena_copy(&arena, "x", 1, &ok));
    assert_false(ok);
    ok = true;
    assert_null(berth__arena_str(&arena, BERTH_STR("x"), &ok).data);
    assert_false(ok);
    ok = true;
    assert_null(berth__arena_str(&arena, (berth_str){0}, &ok).data); /* absent: nothing is copied */
    assert_true(ok);
    atomic_store(&memory.fail_at, 0);
    assert_non_null(berth__arena_copy(&arena, NULL, 0, &ok));
    assert_memory_equal(berth__arena_copy(&arena, "abc", 3, &ok), "abc", 3);
    assert_non_null(berth__arena_alloc(&arena, 16 << 20, 64)); /* more than the largest chunk */
    assert_non_null(berth__arena_alloc(&arena, 1, 1));         /* the next chunk is the largest */
    assert_true(ok);
    berth__arena_destroy(&arena);
    assert_int_equal(atomic_load(&memory.bytes), 0);
}

/* ---- keymaps ---- */

enum { ENTRIES = 300 };

static void test_keymap_without_memory(void **state)
{
    static berth__keymap_entry entries[ENTRIES];
    static uint32_t keys[ENTRIES];
    (void)state;
    counted memory = {.fail_at = 1, .for_good = true};
    berth_allocator allocator = {&memory, counted_allocate, counted_release};
    berth__keymap map;
    assert_int_equal(berth__keymap_init(&map, &allocator), BERTH_E_NOMEM);
    berth__keymap_destroy(&map);
    atomic_store(&memory.calls, 0);
    atomic_store(&memory.fail_at, 2);
    assert_int_equal(berth__keymap_init(&map, &allocator), BERTH_OK);
    uint32_t buckets = map.bucket_count;
    for (uint32_t i = 0; i < ENTRIES; i++) {
        keys[i] = i;
        entries[i] = (berth__keymap_entry){.key = &keys[i], .key_bytes = sizeof(keys[i])};
        berth__keymap_add(&map, &entries[i]);
    }
    assert_int_equal(map.bucket_count, buckets); /* it could not grow: its chains are longer */
    for (uint32_t i = 0; i < ENTRIES; i++)
        assert_ptr_equal(berth__keymap_find(&map, &keys[i], sizeof(keys[i])), &entries[i]);
    assert_null(berth__keymap_find(&map, &keys[1], 1));
    for (uint32_t i = 0; i < ENTRIES; i++)
        berth__keymap_remove(&map, &entries[i]);
    assert_null(berth__keymap_find(&map, &keys[0], sizeof(keys[0])));
    berth__keymap_destroy(&map);
    berth__keymap_destroy(&map); /* a second time: nothing is left */
    assert_int_equal(atomic_load(&memory.bytes), 0);
}

/* ---- undo logs ---- */

static void set_back(void *owner, void *record)
{
    memcpy(owner, record, sizeof(int));
}

static void count_kept(void *owner, void *record)
{
    (void)record;
    ++*(int *)owner;
}

static const berth__undo_kind undone = {set_back, NULL}, kept = {set_back, count_kept};

static void test_undo_log_that_rests(void **state)
{
    (void)state;
    int value = 1;
    berth__undo_log log = {.allocator = NULL};
    berth__undo_log_destroy(&log); /* never initialised */
    berth__undo_log_init(&log, berth__allocator_default());
    assert_true(berth__undo_reserve(&log, UINT32_MAX, SIZE_MAX / 2));
    assert_null(berth__undo_push(&log, &undone, &value, sizeof(value)));
    assert_null(berth__undo_newest(&log));
    berth__undo_cancel(&log);
    berth__undo_to(&log, 0);
    berth__undo_keep(&log);
    assert_int_equal(value, 1);
    assert_int_equal(log.capacity, 0);
    berth__undo_log_destroy(&log);
}

static void change(berth__undo_log *log, const berth__undo_kind *kind, int *value, int to)
{
    assert_true(berth__undo_reserve(log, 1, sizeof(*value)));
    memcpy(berth__undo_push(log, kind, value, sizeof(*value)), value, sizeof(*value));
    *value = to;
}

static void test_undo_log(void **state)
{
    enum { HUGE_BYTES = 3 << 20 };
    (void)state;
    counted memory = {.fail_at = 0};
    berth_allocator allocator = {&memory, counted_allocate, counted_release};
    berth__undo_log log;
    int a = 1, b = 1;
    berth__undo_log_init(&log, &allocator);
    log.recording = true;
    change(&log, &undone, &a, 2);
    uint32_t middle = log.top;
    change(&log, &kept, &b, 2);
    change(&log, &undone, &a, 3);
    assert_int_equal(*(int *)berth__undo_newest(&log), 2);
    berth__undo_cancel(&log); /* a stays 3, and is not set back to 2 */
    berth__undo_to(&log, middle);
    assert_int_equal(a, 3);
    assert_int_equal(b, 1);
    change(&log, &kept, &b, 7);
    berth__undo_keep(&log);
    assert_int_equal(b, 8); /* its keep was called, once */
    assert_int_equal(log.top, 0);
    /* What is too much, or more than there is, is refused; the log stays as it is. */
    assert_false(berth__undo_reserve(&log, UINT32_MAX / 2, 0));
    atomic_store(&memory.fail_at, atomic_load(&memory.calls) + 1);
    assert_false(berth__undo_reserve(&log, 1, HUGE_BYTES));
    log.top = UINT32_MAX / 2 + 1;
    assert_false(berth__undo_reserve(&log, 1, 1));
    const uint32_t capacity = log.capacity;
    log.top = UINT32_MAX / 2; /* the greatest that is taken, if there is room behind it */
    log.capacity = UINT32_MAX;
    assert_true(berth__undo_reserve(&log, 1, 1));
    log.top = 0;
    log.capacity = capacity;
    /* A log that had to be large does not stay large. */
    assert_true(berth__undo_reserve(&log, 1, HUGE_BYTES));
    change(&log, &undone, &a, 4);
    berth__undo_to(&log, 0);
    assert_int_equal(a, 3);
    assert_int_equal(log.capacity, 0);
    berth__undo_log_destroy(&log);
    assert_int_equal(atomic_load(&memory.bytes), 0);
}

/* ---- copy-on-write arrays ---- */

enum { SHIFT = 2, FAR = 70000, INDEXES = 5 };

static const uint32_t indexes[INDEXES] = {0, 3, 4, 5000, FAR};

static void add_all(berth__cow_array *table, berth__cow_owner *cow, uint32_t value)
{
    for (uint32_t i = 0; i < INDEXES; i++) {
        while (!berth__cow_array_add(table, cow, indexes[i]))
            ; /* the planned failure happens once */
        *(uint32_t *)berth__cow_array_find(table, indexes[i]) = value + i;
    }
}

static void assert_values(const berth__cow_array *table, uint32_t value)
{
    for (uint32_t i = 0; i < INDEXES; i++)
        assert_int_equal(*(uint32_t *)berth__cow_array_find(table, indexes[i]), value + i);
    assert_null(berth__cow_array_find(table, 100));
    assert_null(berth__cow_array_find(table, 40000));
    assert_null(berth__cow_array_find(table, 2 * FAR));
}

static void count_pages(void *context, uint32_t page, void *first, void *second)
{
    (void)page;
    assert_ptr_not_equal(first, second);
    ++*(uint32_t *)context;
}

static uint32_t difference(const berth__cow_array *a, const berth__cow_array *b)
{
    uint32_t pages = 0, back = 0;
    berth__cow_array_compare(a, b, count_pages, &pages);
    berth__cow_array_compare(b, a, count_pages, &back);
    assert_int_equal(pages, back);
    return pages;
}

/* Fill a table; share it with a branch that changes all of it, then drop the branch. Returns false
 * if the planned failure of memory did not happen. */
static bool branch_life(unsigned fail_at)
{
    counted memory = {.fail_at = fail_at};
    berth_allocator allocator = {&memory, counted_allocate, counted_release};
    berth__cow_owner owner, branch;
    berth__cow_array table, copy, none;
    berth__cow_owner_init(&owner, &allocator, NULL);
    berth__cow_array_init(&table, sizeof(uint32_t), SHIFT);
    none = table;
    assert_int_equal(berth__cow_array_blocks(&none), 0);
    add_all(&table, &owner, 1);
    assert_values(&table, 1);
    assert_int_equal(berth__cow_array_blocks(&table), 1 + 3 + 4);
    assert_int_equal(difference(&table, &none), 4);
    berth__cow_owner_init(&branch, &allocator, NULL);
    branch.shared = branch.branch = true;
    branch.stamp = owner.stamp + 1;
    copy = table;
    assert_int_equal(difference(&table, &copy), 0);
    while (!berth__cow_array_make_writable(&copy, &branch, 3))
        assert_int_equal(difference(&table, &copy), 0);
    assert_int_equal(difference(&table, &copy), 1);
    add_all(&copy, &branch, 100);
    assert_values(&table, 1);
    assert_values(&copy, 100);
    assert_int_equal(difference(&table, &copy), 4);
    berth__cow_owner_destroy(&branch);
    berth__cow_array_retire(&table, &owner);
    assert_null(table.directories);
    berth__cow_owner_destroy(&owner);
    assert_int_equal(atomic_load(&memory.bytes), 0);
    return atomic_load(&memory.calls) >= fail_at;
}

static void test_cow_array(void **state)
{
    (void)state;
    unsigned at = 1;
    while (branch_life(at))
        at++;
    assert_true(at > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_status),
        cmocka_unit_test(test_error_parts),
        cmocka_unit_test(test_no_error),
        cmocka_unit_test(test_arena_without_memory),
        cmocka_unit_test(test_keymap_without_memory),
        cmocka_unit_test(test_undo_log_that_rests),
        cmocka_unit_test(test_undo_log),
        cmocka_unit_test(test_cow_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
