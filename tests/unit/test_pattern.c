/* Patterns alone: which texts match, which do not, and that a match never differs outside the
 * gaps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arena_pieces.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "counted_memory.h"
#include "kube/pattern.h"

enum { TEXT_MAX = 4096 };

typedef struct sample {
    char data[TEXT_MAX];
    uint32_t len;
    berth__gaps gaps;
} sample;

static void put(sample *s, const char *text)
{
    size_t len = strlen(text);
    memcpy(s->data + s->len, text, len + 1);
    s->len += (uint32_t)len;
}

static void put_word(sample *s, berth__gap gap, const char *word)
{
    uint32_t at = s->len;
    put(s, word);
    s->gaps.word[gap] = (berth_str){s->data + at, s->len - at};
}

static berth_str text_of(const sample *s)
{
    return (berth_str){s->data, s->len};
}

/* A pod whose members are in kubectl's order. The owner's uid and a container's name have the same
 * keys as the gaps. */
static void make_pod(sample *s, const char *name, const char *uid, const char *node,
                     const char *app)
{
    *s = (sample){.len = 0};
    put(s, "{\"metadata\": {\"labels\": {\"app\": \"");
    put(s, app);
    put(s, "\"}, \"name\": \"");
    put_word(s, BERTH__GAP_NAME, name);
    put(s, "\", \"ownerReferences\": [{\"uid\": \"owner\"}], \"uid\":\"");
    put_word(s, BERTH__GAP_UID, uid);
    put(s, "\"}, \"spec\": {\"containers\": [{\"name\": \"main\"}], \"nodeName\" : \"");
    put_word(s, BERTH__GAP_NODE, node);
    put(s, "\"}}");
}

static void expect_word(const sample *s, const berth__gaps *gaps, berth__gap gap)
{
    assert_ptr_equal(gaps->word[gap].data, s->gaps.word[gap].data);
    assert_int_equal(gaps->word[gap].len, s->gaps.word[gap].len);
}

static berth__patterns *create(void)
{
    berth__patterns *patterns = berth__patterns_create(berth__allocator_default());
    assert_non_null(patterns);
    return patterns;
}

static berth__pattern_verdict look(berth__patterns *patterns, const sample *s,
                                   berth__pattern_id *id, berth__gaps *gaps)
{
    return berth__patterns_find(patterns, text_of(s), id, gaps);
}

/* ---- matching ---- */

static void test_found(void **state)
{
    (void)state;
    berth__patterns *patterns = create();
    berth__pattern_id first, found;
    berth__gaps gaps;
    sample s;
    make_pod(&s, "pod-1", "u1", "node-1", "a");
    assert_int_equal(look(patterns, &s, &found, &gaps), BERTH__PATTERN_WANTED);
    first = berth__patterns_register(patterns, text_of(&s), &s.gaps);
    assert_true(first.serial != 0);
    make_pod(&s, "another-pod", "0123456789-0123456789", "n", "a");
    assert_int_equal(look(patterns, &s, &found, &gaps), BERTH__PATTERN_FOUND);
    assert_int_equal(found.serial, first.serial);
    assert_int_equal(found.place, first.place);
    for (int gap = 0; gap < BERTH__GAP_COUNT; gap++)
        expect_word(&s, &gaps, (berth__gap)gap);
    /* Another label means another pattern, which is wanted when it is seen for the second time. */
    make_pod(&s, "pod-2", "u2", "node-1", "b");
    assert_int_equal(look(patterns, &s, &found, &gaps), BERTH__PATTERN_NONE);
    make_pod(&s, "pod-3", "u3", "node-2", "b");
    assert_int_equal(look(patterns, &s, &found, &gaps), BERTH__PATTERN_WANTED);
    berth__pattern_id second = berth__patterns_register(patterns, text_of(&s), &s.gaps);
    assert_true(second.serial > first.serial && second.place != first.place);
    assert_int_equal(look(patterns, &s, &found, &gaps), BERTH__PATTERN_FOUND);
    assert_int_equal(found.serial, second.serial);
    berth__patterns_destroy(patterns);
}

static void test_words(void **state)
{
    static const char *const bad[] = {"", "a\\u0062", "a\tb", "caf\xc3\xa9", "a\x7f", "\x80"};
    (void)state;
    berth__patterns *patterns = create();
    berth__pattern_id id;
    berth__gaps gaps;
    sample s;
    make_pod(&s, "pod-1", "u1", "node-1", "a");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        make_pod(&s, "pod-1", "u1", bad[i], "a");
        if (bad[i][0] != '\0')
            assert_int_equal(berth__patterns_register(patterns, text_of(&s), &s.gaps).serial, 0);
    }
    make_pod(&s, "pod-1", "u1", "node-1", "a");
    assert_true(berth__patterns_register(patterns, text_of(&s), &s.gaps).serial != 0);
    assert_int_equal(look(patterns, &s, &id, &gaps), BERTH__PATTERN_FOUND);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        make_pod(&s, bad[i], "u1", "node-1", "a");
        assert_int_not_equal(look(patterns, &s, &id, &gaps), BERTH__PATTERN_FOUND);
        make_pod(&s, "pod-1", "u1", bad[i], "a");
        assert_int_not_equal(look(patterns, &s, &id, &gaps), BERTH__PATTERN_FOUND);
    }
    berth__patterns_destroy(patterns);
}

/* Unsuitable texts: a key with an escape, a lead that is too long, a word that is not between
 * quotes or only a part of what is. */
static void test_not_learnt(void **state)
{
    static const char *const heads[] = {
        "{\"na\\u006de\": \"", "{\"name\"                         : \"", "{name: \"", "\""};
    (void)state;
    berth__patterns *patterns = create();
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        sample s = {.len = 0};
        put(&s, heads[i]);
        put_word(&s, BERTH__GAP_NAME, "pod");
        put(&s, "\"}");
        uint64_t serial = berth__patterns_register(patterns, text_of(&s), &s.gaps).serial;
        assert_true(i == 0 || serial == 0); /* an escaped key is a valid lead */
    }
    const berth__gaps none = {0};
    assert_int_equal(berth__patterns_register(patterns, BERTH_STR("{}"), &none).serial, 0);
    sample s = {.len = 0};
    put(&s, "{\"name\": \"");
    put_word(&s, BERTH__GAP_NAME, "the");
    put(&s, " pod\"}");
    assert_int_equal(berth__patterns_register(patterns, text_of(&s), &s.gaps).serial, 0);
    berth__patterns_destroy(patterns);
}

/* The text without its words. */
static size_t outside(const char *text, size_t len, const berth__gaps *gaps, char *out)
{
    size_t size = 0;
    for (size_t i = 0; i < len; i++) {
        bool inside = false;
        for (int gap = 0; gap < BERTH__GAP_COUNT; gap++)
            inside |= text + i >= gaps->word[gap].data &&
                      text + i < gaps->word[gap].data + gaps->word[gap].len;
        if (!inside)
            out[size++] = text[i];
    }
    return size;
}

/* Change, insert or delete any byte: if the text still matches, it equals the pattern outside the
 * words, and the words are plain. */
static void test_changed(void **state)
{
    (void)state;
    berth__patterns *patterns = create();
    berth__random random = {7};
    sample s, t;
    char left[TEXT_MAX], right[TEXT_MAX];
    uint32_t found = 0;
    make_pod(&s, "pod-1", "u1", "node-1", "a");
    assert_true(berth__patterns_register(patterns, text_of(&s), &s.gaps).serial != 0);
    size_t size = outside(s.data, s.len, &s.gaps, left);
    for (uint32_t round = 0; round < 20000; round++) {
        berth__pattern_id id;
        berth__gaps gaps;
        make_pod(&t, "pod-77", "x-y", "node-123", "a");
        uint32_t at = berth__random_below(&random, t.len), how = berth__random_below(&random, 4);
        if (how == 0)
            t.data[at] = (char)berth__random_below(&random, 256);
        else if (how == 1)
            memmove(t.data + at, t.data + at + 1, --t.len - at);
        else if (how == 2)
            memmove(t.data + at + 1, t.data + at, t.len++ - at);
        if (look(patterns, &t, &id, &gaps) != BERTH__PATTERN_FOUND)
            continue;
        found++;
        assert_int_equal(outside(t.data, t.len, &gaps, right), size);
        assert_memory_equal(left, right, size);
        for (int gap = 0; gap < BERTH__GAP_COUNT; gap++) {
            berth_str word = gaps.word[gap];
            assert_true(word.len > 0 && word.data[-1] == '"' && word.data[word.len] == '"');
            for (uint32_t i = 0; i < word.len; i++)
                assert_true(word.data[i] >= ' ' && word.data[i] < 0x7f && word.data[i] != '"' &&
                            word.data[i] != '\\');
        }
    }
    assert_true(found > 1000);
    berth__patterns_destroy(patterns);
}

/* ---- limits ---- */

/* With texts that are all different, many patterns, or texts that are too long, memory stays small,
 * and texts that repeat later are found again. */
static void test_limits(void **state)
{
    (void)state;
    counted c = {0};
    const berth_allocator allocator = {&c, counted_allocate, counted_release};
    berth__patterns *patterns = berth__patterns_create(&allocator);
    assert_non_null(patterns);
    berth__pattern_id id;
    berth__gaps gaps;
    sample s;
    uint64_t last = 0;
    char app[32];
    for (uint32_t i = 0; i < 200000; i++) {
        snprintf(app, sizeof(app), "app-%u", i / 3);
        make_pod(&s, "pod", "u", "node", app);
        if (look(patterns, &s, &id, &gaps) != BERTH__PATTERN_WANTED)
            continue;
        id = berth__patterns_register(patterns, text_of(&s), &s.gaps);
        assert_true(id.serial == 0 || (id.serial > last && id.place < BERTH__PATTERNS_MAX));
        last = id.serial > last ? id.serial : last;
        assert_true(atomic_load(&c.bytes) < 5 << 20);
    }
    assert_true(last > 0);
    uint32_t found = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        make_pod(&s, "pod", "u", "node", i % 2 == 0 ? "even" : "odd");
        berth__pattern_verdict verdict = look(patterns, &s, &id, &gaps);
        found += verdict == BERTH__PATTERN_FOUND;
        if (verdict == BERTH__PATTERN_WANTED)
            berth__patterns_register(patterns, text_of(&s), &s.gaps);
    }
    assert_true(found > 15000);
    while (s.len <= BERTH__PATTERN_BYTES_MAX)
        put(&s, " ");
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(look(patterns, &s, &id, &gaps), BERTH__PATTERN_NONE);
    berth__patterns_destroy(patterns);
    assert_int_equal(atomic_load(&c.bytes), 0);
}

/* Where nothing repeats, ever longer stretches are passed over without a look. */
static void test_pauses_where_nothing_repeats(void **state)
{
    (void)state;
    enum { TEXTS = 20000 };
    berth__patterns *patterns = create();
    berth__pattern_id id;
    berth__gaps gaps;
    sample s;
    char app[32];
    uint32_t wanted = 0;
    make_pod(&s, "pod", "u", "node", "a");
    assert_true(berth__patterns_register(patterns, text_of(&s), &s.gaps).serial != 0);
    for (uint32_t i = 0; i < TEXTS; i++) {
        snprintf(app, sizeof(app), "app-%u", i);
        make_pod(&s, "pod", "u", "node", app);
        const berth__pattern_verdict verdict = look(patterns, &s, &id, &gaps);
        assert_int_not_equal(verdict, BERTH__PATTERN_FOUND);
        wanted += verdict == BERTH__PATTERN_WANTED;
    }
    assert_in_range(wanted, 50, TEXTS / 64); /* without pauses one of 16 */
    berth__patterns_destroy(patterns);
}

static void test_scarce_memory(void **state)
{
    (void)state;
    for (unsigned fail_at = 1; fail_at < 8; fail_at++) {
        counted c = {0};
        const berth_allocator allocator = {&c, counted_allocate, counted_release};
        atomic_store(&c.fail_at, fail_at);
        berth__patterns *patterns = berth__patterns_create(&allocator);
        assert_int_equal(patterns == NULL, fail_at == 1);
        sample s;
        for (int i = 0; patterns != NULL && i < 3; i++) {
            berth__pattern_id id;
            berth__gaps gaps;
            make_pod(&s, "pod", "u", "node", i % 2 == 0 ? "a" : "b");
            look(patterns, &s, &id, &gaps);
            id = berth__patterns_register(patterns, text_of(&s), &s.gaps);
            bool known = look(patterns, &s, &id, &gaps) == BERTH__PATTERN_FOUND;
            assert_true(known || fail_at <= 6);
        }
        berth__patterns_destroy(patterns);
        assert_int_equal(atomic_load(&c.bytes), 0);
    }
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found),         cmocka_unit_test(test_words),
        cmocka_unit_test(test_not_learnt),    cmocka_unit_test(test_changed),
        cmocka_unit_test(test_limits),        cmocka_unit_test(test_pauses_where_nothing_repeats),
        cmocka_unit_test(test_scarce_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
