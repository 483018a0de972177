/* Lists and watches are cut into objects, wherever the network splits them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "live/watch/stream_cut.h"

typedef struct pieces {
    char text[8][128];
    int count, most;
} pieces;

static bool take(void *context, const char *text, size_t length)
{
    pieces *p = context;
    assert_true(p->count < 8 && length < 128);
    memcpy(p->text[p->count], text, length);
    p->text[p->count++][length] = '\0';
    return p->most == 0 || p->count < p->most;
}

typedef bool (*cut_fn)(stream_cut *, const char *, size_t);

/* Feed a text in pieces of `step` bytes. */
static bool feed(stream_cut *cut, cut_fn how, const char *text, size_t step)
{
    size_t length = strlen(text);
    for (size_t at = 0; at < length; at += step)
        if (!how(cut, text + at, length - at < step ? length - at : step))
            return false;
    return true;
}

static const char list[] =
    "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"7\",\"items\":[{}]},\n"
    " \"items\": [{\"a\":\"}]\\\"{\"} , {\"b\":[{},[1]]},{}],\"x\":{\"items\":[{\"no\":1}]}}";

static void test_list_items(void **state)
{
    (void)state;
    for (size_t step = 1; step < sizeof(list); step++) {
        pieces p = {.count = 0};
        stream_cut cut = {.piece = take, .context = &p};
        stream_cut_reset(&cut);
        assert_true(feed(&cut, stream_cut_list, list, step));
        assert_int_equal(p.count, 3);
        assert_string_equal(p.text[0], "{\"a\":\"}]\\\"{\"}");
        assert_string_equal(p.text[1], "{\"b\":[{},[1]]}");
        assert_string_equal(p.text[2], "{}");
        const char *rest = stream_cut_list_end(&cut);
        assert_non_null(rest);
        assert_non_null(strstr(rest, "\"resourceVersion\":\"7\""));
        assert_null(strstr(rest, "\"b\""));
        stream_cut_free(&cut);
    }
}

/* The text around a million items takes no more memory than the text around none. */
static void test_list_is_not_kept(void **state)
{
    (void)state;
    pieces p = {.count = 0};
    stream_cut cut = {.piece = take, .context = &p};
    stream_cut_reset(&cut);
    assert_true(stream_cut_list(&cut, "{\"items\":[", 10));
    for (int i = 0; i < 10000; i++) {
        assert_true(stream_cut_list(&cut, i > 0 ? ",{}" : "{}", i > 0 ? 3 : 2));
        p.count = 0;
    }
    assert_true(cut.count < 64);
    assert_null(stream_cut_list_end(&cut));
    assert_true(stream_cut_list(&cut, "]}", 2));
    assert_string_equal(stream_cut_list_end(&cut), "{\"items\":[]}");
    stream_cut_free(&cut);
}

static void test_list_that_is_none(void **state)
{
    (void)state;
    pieces p = {.count = 0};
    stream_cut cut = {.piece = take, .context = &p};
    stream_cut_reset(&cut);
    assert_null(stream_cut_list_end(&cut));
    assert_false(stream_cut_list(&cut, "}", 1));
    stream_cut_reset(&cut);
    assert_true(stream_cut_list(&cut, "{\"items\":[{\"a\":", 15));
    assert_null(stream_cut_list_end(&cut)); /* the list breaks off */
    stream_cut_reset(&cut);
    assert_true(stream_cut_list(&cut, "{\"a\":\"", 6));
    assert_null(stream_cut_list_end(&cut));
    stream_cut_reset(&cut);
    p.count = 0;
    assert_true(feed(&cut, stream_cut_list, "{\"items\",[{}]}", 100)); /* no value of that key */
    assert_int_equal(p.count, 0);
    p.most = 1;
    stream_cut_reset(&cut);
    assert_false(feed(&cut, stream_cut_list, "{\"items\":[{},{}]}", 100));
    assert_int_equal(p.count, 1);
    stream_cut_free(&cut);
}

static void test_lines(void **state)
{
    (void)state;
    static const char text[] = "{\"a\":1}\n\n{\"b\":2}\n{\"c\":";
    for (size_t step = 1; step < sizeof(text); step++) {
        pieces p = {.count = 0};
        stream_cut cut = {.piece = take, .context = &p};
        assert_true(feed(&cut, stream_cut_lines, text, step));
        assert_int_equal(p.count, 2);
        assert_string_equal(p.text[1], "{\"b\":2}");
        p.most = 3;
        assert_false(feed(&cut, stream_cut_lines, "3}\n{}\n", step));
        assert_string_equal(p.text[2], "{\"c\":3}");
        stream_cut_free(&cut);
    }
}

static void test_what_is_too_large(void **state)
{
    (void)state;
    pieces p = {.count = 0};
    size_t size = STREAM_PIECE_MAX / 2 + 1;
    char *half = malloc(size);
    assert_non_null(half);
    memset(half, 'x', size);
    stream_cut cut = {.piece = take, .context = &p};
    assert_true(stream_cut_lines(&cut, half, size));
    assert_false(stream_cut_lines(&cut, half, size));
    stream_cut_reset(&cut);
    assert_true(stream_cut_list(&cut, half, size));
    assert_false(stream_cut_list(&cut, half, size));
    stream_cut_free(&cut);
    free(half);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list_items),        cmocka_unit_test(test_list_is_not_kept),
        cmocka_unit_test(test_list_that_is_none), cmocka_unit_test(test_lines),
        cmocka_unit_test(test_what_is_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
