/* The objects that extenders are asked about: how much of each is kept, and when it is dropped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "live/extenders/object_texts.h"

static berth_str text_of(const char *text)
{
    return (berth_str){text, (uint32_t)strlen(text)};
}

/* The watch shows a pod on a node ("" : none), with a mark in its annotations. */
static void see_pod(object_texts *texts, const char *name, const char *node, const char *mark)
{
    char text[512];
    object_view view = {.hash = 0};
    snprintf(text, sizeof(text),
             "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"s\",\"uid\":\"u-%s\","
             "\"resourceVersion\":\"1\",\"managedFields\":[{\"manager\":\"m\"}],"
             "\"annotations\":{\"mark\":\"%s\"}},\"spec\":{\"nodeName\":\"%s\"}}",
             name, name, mark, node);
    assert_true(object_view_read(&view, BERTH_KIND_POD, text, strlen(text)));
    object_texts_put(texts, BERTH_KIND_POD, &view, text_of(text));
    object_view_free(&view);
}

static void see_node(object_texts *texts, const char *name)
{
    char text[256];
    object_view view = {.hash = 0};
    snprintf(text, sizeof(text), "{\"metadata\":{\"name\":\"%s\",\"uid\":\"u\"}}", name);
    assert_true(object_view_read(&view, BERTH_KIND_NODE, text, strlen(text)));
    object_texts_put(texts, BERTH_KIND_NODE, &view, text_of(text));
    object_view_free(&view);
}

/* The stored text of an object; "" if there is none. Valid until the next call. */
static const char *known(object_texts *texts, berth_kind kind, const char *space, const char *name)
{
    static char *text;
    size_t bytes;
    free(text);
    FILE *out = open_memstream(&text, &bytes);
    const bool found = object_texts_write(texts, kind, text_of(space), text_of(name), out);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(found, bytes > 0);
    return text;
}

static const char *pod(object_texts *texts, const char *name)
{
    return known(texts, BERTH_KIND_POD, "s", name);
}

static void drop_pod(object_texts *texts, const char *name)
{
    object_texts_drop(texts, BERTH_KIND_POD, text_of("s"), text_of(name));
}

static void test_pods_without_a_node(void **state)
{
    object_texts *texts = object_texts_create((object_texts_policy){.nodes = false});
    (void)state;
    see_pod(texts, "p", "", "one");
    assert_non_null(strstr(pod(texts, "p"), "\"mark\":\"one\""));
    assert_null(strstr(pod(texts, "p"), "managedFields"));
    see_pod(texts, "p", "", "two");
    assert_non_null(strstr(pod(texts, "p"), "\"mark\":\"two\""));
    assert_true(object_texts_has_uid(texts, text_of("s"), text_of("p"), "u-p"));
    assert_false(object_texts_has_uid(texts, text_of("s"), text_of("p"), "u-q"));
    see_pod(texts, "p", "n", "three");
    assert_string_equal(pod(texts, "p"), "");
    assert_false(object_texts_has_uid(texts, text_of("s"), text_of("p"), "u-p"));
    see_pod(texts, "q", "", "");
    drop_pod(texts, "q");
    drop_pod(texts, "q");
    assert_string_equal(pod(texts, "q"), "");
    see_node(texts, "n");
    assert_string_equal(known(texts, BERTH_KIND_NODE, "", "n"), "");
    object_texts_destroy(texts);
}

static void test_nodes_and_running_pods(void **state)
{
    object_texts *texts =
        object_texts_create((object_texts_policy){.nodes = true, .running_pods = true});
    (void)state;
    see_node(texts, "n");
    assert_string_equal(known(texts, BERTH_KIND_NODE, "", "n"),
                        "{\"metadata\":{\"name\":\"n\",\"uid\":\"u\"}}");
    see_pod(texts, "p", "n", "runs");
    assert_non_null(strstr(pod(texts, "p"), "\"mark\":\"runs\""));
    object_texts_drop(texts, BERTH_KIND_NODE, text_of(""), text_of("n"));
    assert_string_equal(known(texts, BERTH_KIND_NODE, "", "n"), "");
    assert_non_null(strstr(pod(texts, "p"), "\"mark\":\"runs\""));
    object_texts_destroy(texts);
}

/* Pods of one name in two namespaces, and a node of that name, are three objects. */
static void test_names_in_namespaces(void **state)
{
    object_texts *texts = object_texts_create((object_texts_policy){.nodes = true});
    static const char *const spaces[] = {"s", "t", "sp"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char text[128];
        object_view view = {.hash = 0};
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"name\":\"p\",\"namespace\":\"%s\",\"uid\":\"u-%s\"}}", spaces[i],
                 spaces[i]);
        assert_true(object_view_read(&view, BERTH_KIND_POD, text, strlen(text)));
        object_texts_put(texts, BERTH_KIND_POD, &view, text_of(text));
        object_view_free(&view);
    }
    see_node(texts, "p");
    for (size_t i = 0; i < 3; i++) {
        char uid[16];
        snprintf(uid, sizeof(uid), "u-%s", spaces[i]);
        assert_true(object_texts_has_uid(texts, text_of(spaces[i]), text_of("p"), uid));
        assert_non_null(strstr(known(texts, BERTH_KIND_POD, spaces[i], "p"), uid));
    }
    object_texts_drop(texts, BERTH_KIND_POD, text_of("t"), text_of("p"));
    assert_string_equal(known(texts, BERTH_KIND_POD, "t", "p"), "");
    assert_non_null(strstr(pod(texts, "p"), "u-s"));
    assert_non_null(strstr(known(texts, BERTH_KIND_NODE, "", "p"), "\"u\""));
    object_texts_destroy(texts);
    object_texts_destroy(NULL);
}

static void test_only_uids_of_running_pods(void **state)
{
    object_texts *texts = object_texts_create((object_texts_policy){.running_uids = true});
    char *uid;
    size_t bytes;
    (void)state;
    see_pod(texts, "p", "", "waits");
    see_pod(texts, "p", "n", "runs");
    assert_string_equal(pod(texts, "p"), "");
    assert_true(object_texts_has_uid(texts, text_of("s"), text_of("p"), "u-p"));
    FILE *out = open_memstream(&uid, &bytes);
    assert_true(object_texts_write_uid(texts, text_of("s"), text_of("p"), out));
    assert_false(object_texts_write_uid(texts, text_of("s"), text_of("q"), out));
    assert_int_equal(fclose(out), 0);
    assert_string_equal(uid, "\"u-p\"");
    free(uid);
    object_texts_destroy(texts);
}

/* In a dry run, the other scheduler binds pods before we decide on them. */
static void test_as_they_were_before_binding(void **state)
{
    object_texts *texts = object_texts_create((object_texts_policy){.last_pending = true});
    (void)state;
    see_pod(texts, "p", "", "waits");
    see_pod(texts, "p", "n", "runs");
    assert_non_null(strstr(pod(texts, "p"), "\"mark\":\"waits\""));
    see_pod(texts, "q", "n", "runs");
    assert_string_equal(pod(texts, "q"), "");
    drop_pod(texts, "p");
    assert_string_equal(pod(texts, "p"), "");
    object_texts_destroy(texts);
}

/* A pod requests a resource if it names the resource, whatever the amount. */
static void test_resources(void **state)
{
    static const berth_str names[] = {{"x.com/a", 7}, {"x.com/b", 7}};
    static const berth_strs resources = {names, 2};
    static const struct {
        const char *spec;
        bool asks;
    } cases[] = {
        {"\"containers\":[{\"resources\":{\"requests\":{\"x.com/b\":\"0\"}}}]", true},
        {"\"containers\":[{},{\"resources\":{\"limits\":{\"x.com/a\":\"1\"}}}]", true},
        {"\"initContainers\":[{\"resources\":{\"limits\":{\"x.com/a\":\"1\"}}}]", true},
        {"\"containers\":[{\"resources\":{\"requests\":{\"x.com/ab\":\"1\"}}}]", false},
        {"\"overhead\":{\"x.com/a\":\"1\"}", false},
    };
    object_texts *texts = object_texts_create((object_texts_policy){.nodes = false});
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[512];
        object_view view = {.hash = 0};
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"name\":\"p\",\"namespace\":\"s\",\"uid\":\"u\","
                 "\"annotations\":{\"nul\":\"a\\u0000b\"}},\"spec\":{%s}}",
                 cases[i].spec);
        assert_true(object_view_read(&view, BERTH_KIND_POD, text, strlen(text)));
        object_texts_put(texts, BERTH_KIND_POD, &view, text_of(text));
        object_view_free(&view);
        assert_non_null(strstr(pod(texts, "p"), "\\u0000"));
        assert_int_equal(object_texts_asks(texts, text_of("s"), text_of("p"), &resources),
                         cases[i].asks);
    }
    assert_false(object_texts_asks(texts, text_of("s"), text_of("q"), &resources));
    object_texts_destroy(texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pods_without_a_node),
        cmocka_unit_test(test_nodes_and_running_pods),
        cmocka_unit_test(test_names_in_namespaces),
        cmocka_unit_test(test_only_uids_of_running_pods),
        cmocka_unit_test(test_as_they_were_before_binding),
        cmocka_unit_test(test_resources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
