/* The data of writes: strings, times, the server's Status, and copies of pods. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "live/writes/write_json.h"

static void bytes_that_are_no_text_are_replaced(void **state)
{
    static const struct {
        berth_str text;
        const char *json;
    } cases[] = {
        {{0}, "\"\""},
        {BERTH_STR("a\"\\\n"), "\"a\\\"\\\\\\n\""},
        {BERTH_STR("\xc3\xa9"), "\"\xc3\xa9\""},
        {BERTH_STR("a\xc3\xa9\xff~\x7f"), "\"a\?\?\?~\x7f\""},
        {BERTH_STR("\xc3"), "\"?\""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *json = write_json_text(write_json_str(cases[i].text));
        assert_string_equal(json, cases[i].json);
        free(json);
    }
    assert_null(write_str(NULL).data);
    assert_int_equal(write_str("abc").len, 3);
}

static void texts_are_compared_whole(void **state)
{
    (void)state;
    assert_true(write_str_equal(BERTH_STR("a"), BERTH_STR("a")));
    assert_false(write_str_equal(BERTH_STR("a"), BERTH_STR("b")));
    assert_false(write_str_equal(BERTH_STR("a"), BERTH_STR("ab")));
    assert_false(write_str_equal(BERTH_STR("ab"), BERTH_STR("ac")));
    assert_true(write_str_equal((berth_str){0}, (berth_str){"x", 0}));
    assert_false(write_str_equal((berth_str){0}, BERTH_STR("x")));
}

static void times_are_those_of_kubernetes(void **state)
{
    (void)state;
    char text[WRITE_TIME_BYTES];
    write_time(text, INT64_C(1795000000999999999));
    assert_string_equal(text, "2026-11-18T11:06:40Z");
    write_micro_time(text, INT64_C(1795000000999999999));
    assert_string_equal(text, "2026-11-18T11:06:40.999999Z");
    write_micro_time(text, INT64_C(1795000001000001000));
    assert_string_equal(text, "2026-11-18T11:06:41.000001Z");
    write_micro_time(text, 0);
    assert_string_equal(text, "1970-01-01T00:00:00.000000Z");
}

static void read_status(server_status *status, const char *body)
{
    memset(status, 'x', sizeof(*status));
    server_status_read(status, write_str(body));
}

static void a_status_is_read(void **state)
{
    (void)state;
    server_status status;
    read_status(&status, "{\"code\":409,\"reason\":\"Conflict\",\"message\":\"busy\",\"details\":"
                         "{\"kind\":\"pods/binding\"}}");
    assert_int_equal(status.code, 409);
    assert_string_equal(status.reason, "Conflict");
    assert_string_equal(status.message, "busy");
    assert_string_equal(status.kind, "pods/binding");
    read_status(&status, "{\"code\":\"409\",\"reason\":7}");
    assert_int_equal(status.code, 0);
    assert_string_equal(status.reason, "");
    assert_string_equal(status.message, "");
    assert_string_equal(status.kind, "");
    static const char *const others[] = {"no JSON", "[\"message\"]", "\"message\"", "{\"message\""};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        read_status(&status, others[i]);
        assert_string_equal(status.message, others[i]);
        assert_string_equal(status.reason, "");
    }
    read_status(&status, NULL);
    assert_string_equal(status.message, "");
}

static void long_texts_are_cut(void **state)
{
    (void)state;
    server_status status;
    char body[3000];
    memset(body, 'm', sizeof(body) - 1);
    body[sizeof(body) - 1] = '\0';
    read_status(&status, body);
    assert_int_equal(strlen(status.message), sizeof(status.message) - 1);
    memcpy(body, "{\"reason\":\"", 11);
    memcpy(body + sizeof(body) - 3, "\"}", 2);
    read_status(&status, body);
    assert_int_equal(strlen(status.reason), sizeof(status.reason) - 1);
    assert_string_equal(status.message, "");
}

static void assert_copy(berth_str own, berth_str of)
{
    assert_true(write_str_equal(own, of));
    assert_ptr_not_equal(own.data, of.data);
}

static void a_pod_is_copied_whole(void **state)
{
    (void)state;
    const write_pod pod = {.namespace_name = BERTH_STR("shop"),
                           .name = BERTH_STR("web-1"),
                           .uid = BERTH_STR("u-1-2-3"),
                           .scheduler_name = BERTH_STR("default-scheduler"),
                           .version = 70,
                           .generation = 3,
                           .scheduled = BERTH_STR("{\"type\":\"PodScheduled\"}"),
                           .nominated = BERTH_STR("node-of-great-length"),
                           .kind = WRITE_POD_GROUP,
                           .by_extender = true,
                           .attempt = 4,
                           .waited_ns = 5,
                           .decided_ns = 6};
    write_pod *first = write_pod_copy(&pod), *own = write_pod_copy(first);
    free(first);
    assert_copy(own->namespace_name, pod.namespace_name);
    assert_copy(own->name, pod.name);
    assert_copy(own->uid, pod.uid);
    assert_copy(own->scheduler_name, pod.scheduler_name);
    assert_copy(own->scheduled, pod.scheduled);
    assert_copy(own->nominated, pod.nominated);
    assert_int_equal(own->version, 70);
    assert_int_equal(own->generation, 3);
    assert_int_equal(own->kind, WRITE_POD_GROUP);
    assert_true(own->by_extender && !own->placed);
    assert_int_equal(own->attempt, 4);
    assert_int_equal(own->waited_ns, 5);
    assert_int_equal(own->decided_ns, 6);
    free(own);
    own = write_pod_copy(&(write_pod){.name = {"x", 1}});
    assert_null(own->nominated.data);
    assert_int_equal(own->nominated.len, 0);
    assert_string_equal(write_preemptor_type(own), "pod");
    assert_string_equal(write_preemptor_type(&pod), "podgroup");
    free(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_that_are_no_text_are_replaced),
        cmocka_unit_test(texts_are_compared_whole),
        cmocka_unit_test(times_are_those_of_kubernetes),
        cmocka_unit_test(a_status_is_read),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(a_pod_is_copied_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
