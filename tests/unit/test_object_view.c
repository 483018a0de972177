/* The view of an object's text: the fields that plugins read, and a hash of them; also the table of
 * objects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "assert_text.h"
#include "live/watch/object_table.h"
#include "live/watch/object_view.h"

static bool read_as(object_view *view, berth_kind kind, const char *text)
{
    return object_view_read(view, kind, text, strlen(text));
}

#define POD(version, ready, message)                                                     \
    "{\"metadata\":{\"name\":\"web-0\",\"namespace\":\"shop\",\"uid\":\"u-1\","          \
    "\"resourceVersion\":\"" version "\",\"generation\":3,\"labels\":{\"app\":\"web\"}," \
    "\"annotations\":{\"big\":\"thing\"},\"managedFields\":[{\"manager\":\"x\"}]},"      \
    "\"spec\":{\"schedulerName\":\"default-scheduler\",\"containers\":[{\"name\":\"c\"," \
    "\"image\":\"i\",\"env\":[{\"name\":\"A\",\"value\":\"}\"}]}],\"priority\":5},"      \
    "\"status\":{\"phase\":\"Pending\",\"nominatedNodeName\":\"n7\",\"conditions\":["    \
    "{\"type\":\"Ready\",\"status\":\"" ready "\",\"lastProbeTime\":\"" version "\"},"   \
    "{\"type\":\"PodScheduled\",\"status\":\"False\",\"message\":\"" message "\"}],"     \
    "\"containerStatuses\":[{\"name\":\"c\",\"state\":{\"running\":{\"at\":\"" version "\"}}}]}}"

static void test_pod(void **state)
{
    (void)state;
    object_view view = {.version = 0};
    assert_true(read_as(&view, BERTH_KIND_POD, POD("12", "True", "m")));
    assert_text(view.name, "web-0");
    assert_text(view.namespace_name, "shop");
    assert_text(view.uid, "u-1");
    assert_int_equal(view.version, 12);
    assert_int_equal(view.generation, 3);
    assert_text(view.scheduler_name, "default-scheduler");
    assert_text(view.nominated_node_name, "n7");
    assert_int_equal(view.node_name.len, 0);
    assert_text(view.scheduled,
                "{\"type\":\"PodScheduled\",\"status\":\"False\",\"message\":\"m\"}");
    char kept[2048];
    snprintf(kept, sizeof(kept), "%.*s", (int)view.kept_bytes, view.kept);
    assert_string_equal(
        kept, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\", \"metadata\":{\"name\":\"web-0\","
              "\"namespace\":\"shop\",\"uid\":\"u-1\",\"labels\":{\"app\":\"web\"}},"
              "\"spec\":{\"schedulerName\":\"default-scheduler\",\"containers\":[{\"name\":\"c\","
              "\"image\":\"i\"}],\"priority\":5},\"status\":{\"phase\":\"Pending\","
              "\"nominatedNodeName\":\"n7\",\"conditions\":[{\"type\":\"Ready\",\"status\":"
              "\"True\"},{\"type\":\"PodScheduled\",\"status\":\"False\"}],\"containerStatuses\":["
              "{\"name\":\"c\"}]}}");
    object_view_free(&view);
}

/* A heartbeat does not change the hash; each field that is read does. */
static void test_hash(void **state)
{
    (void)state;
    object_view view = {.version = 0};
    assert_true(read_as(&view, BERTH_KIND_POD, POD("12", "True", "m")));
    uint64_t hash = view.hash;
    assert_true(read_as(&view, BERTH_KIND_POD, POD("99", "True", "other words")));
    assert_int_equal(view.hash, hash);
    assert_int_equal(view.version, 99);
    assert_true(read_as(&view, BERTH_KIND_POD, POD("12", "False", "m")));
    assert_int_not_equal(view.hash, hash);
    object_view_free(&view);
}

/* The hash of a pod whose label has these two characters, eight bytes apart, behind some others. */
static uint64_t hash_with(object_view *view, int before, char one, char other)
{
    char text[256];
    snprintf(text, sizeof(text),
             "{\"metadata\":{\"name\":\"a\",\"labels\":{\"b\":\"%.*s%c-------%c\"}}}", before,
             "--------", one, other);
    assert_true(read_as(view, BERTH_KIND_POD, text));
    return view->hash;
}

/* Two changes do not cancel each other, at whichever byte of the hashed words they are. */
static void test_hash_of_two_changes(void **state)
{
    enum { LETTERS = 16 };
    (void)state;
    object_view view = {.version = 0};
    uint64_t hashes[LETTERS * LETTERS];
    for (int before = 0; before < 8; before++)
        for (int i = 0; i < LETTERS * LETTERS; i++) {
            hashes[i] =
                hash_with(&view, before, (char)('a' + i / LETTERS), (char)('a' + i % LETTERS));
            for (int k = 0; k < i; k++)
                assert_true(hashes[k] != hashes[i]);
        }
    object_view_free(&view);
}

/* A quote ends a string unless an odd number of backslashes is in front of it. */
static void test_escapes(void **state)
{
    static const char text[] =
        "{\"a\":\"\\\\\",\"b\":\"x\\\"y\",\"c\":[\"\\\\\\\"]\"],\"\\\\\":1,\"d\":\"\"}";
    static const char *const cut_off[] = {"{\"a\":\"", "{\"a\":\"x\\\"}", "{\"a\":[\"]",
                                          "{\"a\\\":1}"};
    (void)state;
    const berth_str object = {text, sizeof(text) - 1};
    assert_text(json_member(object, "a"), "\"\\\\\"");
    assert_text(json_member(object, "b"), "\"x\\\"y\"");
    assert_text(json_member(object, "c"), "[\"\\\\\\\"]\"]");
    assert_text(json_member(object, "d"), "\"\"");
    for (size_t i = 0; i < sizeof(cut_off) / sizeof(cut_off[0]); i++)
        assert_null(json_member((berth_str){cut_off[i], (uint32_t)strlen(cut_off[i])}, "a").data);
}

static void test_every_kind(void **state)
{
    (void)state;
    object_view view = {.version = 0};
    for (int kind = 0; kind < BERTH_KIND_COUNT; kind++) {
        char begin[128];
        assert_true(read_as(&view, (berth_kind)kind, "{\"metadata\":{\"name\":\"x\"}}"));
        snprintf(begin, sizeof(begin), "\"kind\":\"%s\",", berth_kind_name((berth_kind)kind));
        view.kept[view.kept_bytes - 1] = '\0';
        assert_non_null(strstr(view.kept, begin));
    }
    object_view_free(&view);
}

static void test_what_is_no_object(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "x",
        "[]",
        "{}",
        "{\"metadata\":{}}",
        "{\"metadata\":{\"name\":\"\"}}",
        "{\"metadata\":{\"name\":\"a\\u0062\"}}",
        "{\"metadata\":{\"name\":7}}",
        "{\"metadata\":{\"name\":\"a\"}",
        "{\"metadata\":{\"name\":\"a\"}}}",
        "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"containers\":[{},}]}}",
        "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"containers\":[{}",
        "{\"metadata\":{\"name\":\"a\"},\"spec\"}",
        "{\"metadata\":{\"name\":\"a\"},7:8}",
        "{\"metadata\":{\"name\":\"a\"},\"x\":\"",
    };
    object_view view = {.version = 0};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (read_as(&view, BERTH_KIND_POD, texts[i]))
            fail_msg("taken for an object: %s", texts[i]);
    assert_true(read_as(&view, BERTH_KIND_POD, "{\"metadata\":{\"name\":\"a\"}}"));
    assert_int_equal(view.version, 0);
    object_view_free(&view);
}

/* Reads a pod whose containers are a list in so many other lists. */
static bool read_nested(object_view *view, int depth)
{
    char text[1024], opening[128] = "", closing[128] = "";
    memset(opening, '[', (size_t)depth);
    memset(closing, ']', (size_t)depth);
    snprintf(text, sizeof(text), "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"containers\":%s{}%s}}",
             opening, closing);
    return read_as(view, BERTH_KIND_POD, text);
}

/* No object nests lists deeply, so a view does not follow them: its stack has an end. */
static void test_deep_lists(void **state)
{
    (void)state;
    object_view view = {.version = 0};
    assert_true(read_nested(&view, 1));
    assert_true(read_nested(&view, 50));
    assert_false(read_nested(&view, 100));
    object_view_free(&view);
}

static void test_events(void **state)
{
    (void)state;
    berth_str type, object;
    const char *text = "{\"type\":\"ADDED\", \"object\" : {\"a\":[\"}\"]} }";
    assert_true(watch_event_read(text, strlen(text), &type, &object));
    assert_text(type, "ADDED");
    assert_text(object, "{\"a\":[\"}\"]}");
    assert_text(json_member(object, "a"), "[\"}\"]");
    assert_null(json_member(object, "b").data);
    /* in another order, with more members, and with blanks */
    static const char *const others[] = {
        "{\"object\":{\"a\":[\"}\"]},\"type\":\"ADDED\"}",
        "{\"type\":\"ADDED\",\"object\":{\"a\":[\"}\"]},\"more\":1}",
        "{\"type\":\"ADDED\",\"version\":2,\"object\":{\"a\":[\"}\"]}}",
        " { \"type\" : \"ADDED\" , \"object\" : {\"a\":[\"}\"]}}\n",
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_true(watch_event_read(others[i], strlen(others[i]), &type, &object));
        assert_text(type, "ADDED");
        assert_text(object, "{\"a\":[\"}\"]}");
    }
    static const char *const cut[] = {
        "{\"type\":\"ADDED\",\"object\":{",
        "{\"type\":\"ADDED\",\"object\":",
        "{\"type\":\"ADDED\",\"object\":[1]}",
        "{\"type\":\"ADDED\"",
        "{\"type\":\"ADDED",
        "{\"type\":\"ADDED\",\"object\":{\"a\":\"b\\",
    };
    for (size_t i = 0; i < sizeof(cut) / sizeof(cut[0]); i++) {
        /* what an event before left there does not count */
        type = (berth_str)BERTH_STR("ADDED");
        object = (berth_str)BERTH_STR("{\"a\":1}");
        assert_false(watch_event_read(cut[i], strlen(cut[i]), &type, &object));
    }
    assert_false(watch_event_read("{\"type\":1}", 10, &type, &object));
    assert_false(watch_event_read("{\"type\":\"A\",\"object\":1}", 23, &type, &object));
    assert_false(watch_event_read("nonsense", 8, &type, &object));
    /* an event whose length does not fit into 32 bits is refused before it is read */
    assert_false(watch_event_read(text, (size_t)UINT32_MAX + 1, &type, &object));
}

/* ---- the table ---- */

static berth_str numbered(char *out, int number)
{
    return (berth_str){out, (uint32_t)snprintf(out, 32, "pod-%d", number)};
}

static void test_table(void **state)
{
    (void)state;
    object_table table = {.count = 0};
    char text[32];
    enum { COUNT = 3000 };
    assert_null(object_table_find(&table, BERTH_STR("ns"), BERTH_STR("x")));
    for (int i = 0; i < COUNT; i++)
        object_table_add(&table, BERTH_STR("ns"), numbered(text, i), BERTH_STR("uid"))->mark =
            (uint32_t)i % 3;
    for (int i = 0; i < COUNT; i += 5)
        object_table_remove(&table, object_table_find(&table, BERTH_STR("ns"), numbered(text, i)));
    assert_int_equal(table.count, COUNT - COUNT / 5);
    for (int i = 0; i < COUNT; i++) {
        object_entry *entry = object_table_find(&table, BERTH_STR("ns"), numbered(text, i));
        assert_int_equal(entry != NULL, i % 5 != 0);
        if (entry != NULL) {
            assert_text(object_entry_uid(entry), "uid");
            assert_text(object_entry_namespace(entry), "ns");
            assert_int_equal(entry->mark, (uint32_t)i % 3);
        }
        assert_null(object_table_find(&table, BERTH_STR("other"), numbered(text, i)));
    }
    object_entry *entry;
    for (size_t from = 0; (entry = object_table_unmarked(&table, 1, &from)) != NULL;)
        object_table_remove(&table, entry);
    int left = 0;
    for (int i = 0; i < COUNT; i++)
        left += object_table_find(&table, BERTH_STR("ns"), numbered(text, i)) != NULL;
    assert_int_equal(left, 800);
    assert_int_equal(table.count, 800);
    object_table_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pod),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_hash_of_two_changes),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_what_is_no_object),
        cmocka_unit_test(test_deep_lists),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
