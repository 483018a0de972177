/* JSON or YAML is recognized by the first few bytes, and the readers follow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "berth/kube.h"

#include "text/text_format.h"

static void test_beginnings(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_json;
    } cases[] = {
        {"", false},
        {" \n\t\r", false},
        {"kind: Pod", false},
        {"--- {\"kind\": \"Pod\"}", false},
        {"# {\"kind\": \"Pod\"}", false},
        {"\"kind\": Pod", false},
        {"{", true},
        {"{}", true},
        {" \n{ \r\n\t\"kind\": \"Pod\"}", true},
        {"{\"kind\": Pod}", true},
        {"{kind: Pod}", false},
        {"{ 'kind': Pod}", false},
        {"{? kind : Pod}", false},
        {"{ # a comment\n \"kind\": Pod}", false},
        {"{, }", false},
        {"[", true},
        {"[]", true},
        {"[1, 2]", true},
        {"[[[{\"kind\": \"Pod\"}]]]", true},
        {"[ [\n{kind: Pod}]]", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool is_json = berth__text_is_json(berth__text_of(cases[i].text));
        if (is_json != cases[i].is_json)
            fail_msg("'%s' is taken for %s", cases[i].text, is_json ? "JSON" : "YAML");
    }
}

/* Bytes behind the text must not be read. */
static void test_ends(void **state)
{
    (void)state;
    static const char text[] = "[ {x";
    static const bool wanted[] = {false, true, true, true, false};
    for (uint32_t len = 0; len <= 4; len++) {
        char *copy = malloc(len + 1);
        memcpy(copy, text, len);
        char *exact = realloc(copy, len > 0 ? len : 1);
        assert_int_equal(berth__text_is_json((berth_str){exact, len}), wanted[len]);
        free(exact);
    }
}

static berth_status name_object(void *context, const berth_object *object,
                                const berth_error *origin, berth_error *error)
{
    (void)origin;
    (void)error;
    const berth_metadata *meta = object->as.any;
    char *names = context;
    size_t len = strlen(names);
    snprintf(names + len, 256 - len, " %.*s", (int)meta->name.len, meta->name.data);
    return BERTH_OK;
}

static void test_reader(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "\xef\xbb\xbf{kind: Node, metadata: {name: a}}\n---\n{kind: Node, metadata: {name: 'b'}}",
        "[{kind: Node, metadata: {name: a}}, {kind: Node, metadata: {name: b}}]",
        "{apiVersion: v1, kind: List, items: [{kind: Node, metadata: {name: a}},\n"
        " {\"kind\": \"Node\", \"metadata\": {\"name\": \"b\"}}]}",
        "\n\n { \"kind\": \"Node\", \"metadata\": {\"name\": \"a\"}}"
        "{\"kind\": \"Node\", \"metadata\": {\"name\": \"b\"}}",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        const berth_read_options options = {.size = sizeof(options)};
        char names[256] = "";
        berth_error error;
        berth_reader *reader;
        assert_int_equal(berth_reader_create(&options, &reader, &error), BERTH_OK);
        if (berth_reader_text(reader, berth__text_of(texts[i]), "test", name_object, names,
                              &error) != BERTH_OK)
            fail_msg("text %zu: %s", i, error.message);
        assert_string_equal(names, " a b");
        berth_reader_destroy(reader);
    }
}

static void test_faults(void **state)
{
    (void)state;
    const berth_read_options options = {.size = sizeof(options)};
    char names[256] = "";
    char text[512];
    berth_error error;
    berth_reader *reader;
    assert_int_equal(berth_reader_create(&options, &reader, &error), BERTH_OK);
    assert_int_equal(berth_reader_text(reader, berth__text_of("{kind: Node,\n metadata: [}"),
                                       "test", name_object, names, &error),
                     BERTH_E_PARSE);
    berth_error_format(&error, text, sizeof(text));
    assert_non_null(strstr(text, "test:2:"));
    assert_non_null(strstr(text, "not YAML"));
    berth_reader_destroy(reader);
}

static void test_config(void **state)
{
    (void)state;
    berth_scheduler_config *config;
    berth_error error;
    assert_int_equal(
        berth_scheduler_config_text(
            berth__text_of("{apiVersion: kubescheduler.config.k8s.io/v1,\n"
                           " kind: KubeSchedulerConfiguration, podMaxBackoffSeconds: 77}"),
            "test", 0, &config, &error),
        BERTH_OK);
    assert_int_equal(berth_scheduler_config_backoff(config).max_seconds, 77);
    berth_scheduler_config_destroy(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beginnings), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_reader),     cmocka_unit_test(test_faults),
        cmocka_unit_test(test_config),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
