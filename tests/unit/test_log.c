/* The records of the log, read back from standard error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/log/log.h"

static FILE *records;
static int own_stderr;
static char text[16384];

static int start(void **state)
{
    (void)state;
    records = tmpfile();
    assert_non_null(records);
    own_stderr = dup(STDERR_FILENO);
    dup2(fileno(records), STDERR_FILENO);
    return 0;
}

static void give_back(void)
{
    if (own_stderr >= 0) {
        dup2(own_stderr, STDERR_FILENO);
        close(own_stderr);
    }
    own_stderr = -1;
}

static int stop(void **state)
{
    (void)state;
    give_back();
    fclose(records);
    return 0;
}

/* Returns the output so far, and stops catching it. */
static const char *written(void)
{
    give_back();
    rewind(records);
    text[fread(text, 1, sizeof(text) - 1, records)] = '\0';
    return text;
}

static void matches(const char *record, const char *pattern)
{
    regex_t regex;
    assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
    if (regexec(&regex, record, 0, NULL, 0) != 0)
        print_message("%s", record);
    assert_int_equal(regexec(&regex, record, 0, NULL, 0), 0);
    regfree(&regex);
}

static void lines_of_klog(void **state)
{
    (void)state;
    log_setup(false, 2);
    LOG_INFO(2, "bound a pod", "pod", "shop/web-1", "why",
             "it \"fits\"\n\x01\x1b\x7f\xc2\x9b\xc2\xa0");
    LOG_INFO(3, "left out");
    LOG_WARNING("careful");
    LOG_ERROR("bad");
    matches(written(),
            "^I[0-9]{4} [0-9:]{8}\\.[0-9]{6} +[0-9]+ test_log\\.c:[0-9]+\\] \"bound a pod\" "
            "pod=\"shop/web-1\" why=\"it "
            "\\\\\"fits\\\\\"\\\\n\\\\u0001\\\\u001b\\\\u007f\\\\u009b\xc2\xa0\"\n"
            "W[^\n]*\\] \"careful\"\nE[^\n]*\\] \"bad\"\n$");
}

/* Text of any language stays as it is; bytes that are no UTF-8 become question marks, each one. */
static void other_characters(void **state)
{
    (void)state;
    log_setup(false, 0);
    LOG_INFO(0, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x9a\xa2");
    LOG_INFO(0, "\x80 \xc1\x81 \xc3( \xe2\x82( \xf0\x9f\x9a( \xf5\x80\x80\x80 \xff \xe2\x82");
    matches(written(), "\\] \"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x9a\xa2\"\nI[^\n]*\\] "
                       "\"[?] [?][?] [?][(] [?][?][(] [?][?][?][(] [?][?][?][?] [?] [?][?]\"\n$");
}

static void lines_of_json(void **state)
{
    (void)state;
    log_setup(true, 2);
    LOG_INFO(2, "bound a pod", "pod", "shop/w\303\251b", "why", "\"\\\n\t\xff");
    LOG_ERROR("bad", "absent", (const char *)NULL);
    char *line = strtok((char *)(uintptr_t)written(), "\n");
    json_t *root = json_loads(line, 0, NULL);
    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, "msg")), "bound a pod");
    assert_string_equal(json_string_value(json_object_get(root, "pod")), "shop/w\303\251b");
    assert_string_equal(json_string_value(json_object_get(root, "why")), "\"\\\n\t?");
    assert_int_equal(json_integer_value(json_object_get(root, "v")), 2);
    assert_true(json_real_value(json_object_get(root, "ts")) > 1.7e12);
    matches(json_string_value(json_object_get(root, "caller")), "^test_log\\.c:[0-9]+$");
    json_decref(root);
    root = json_loads(strtok(NULL, "\n"), 0, NULL);
    assert_non_null(root);
    assert_null(json_object_get(root, "v"));
    assert_string_equal(json_string_value(json_object_get(root, "absent")), "");
    json_decref(root);
}

/* One line each, complete JSON, however long the values are. */
static void long_records_are_cut(void **state)
{
    (void)state;
    static char value[9000];
    memset(value, '"', sizeof(value) - 1);
    log_setup(true, 0);
    LOG_ERROR("long", "a", value, "b", value, "c", value, "d", value, "e", "end");
    LOG_ERROR(value, "a", value);
    char *line = strtok((char *)(uintptr_t)written(), "\n");
    for (int i = 0; i < 2; i++) {
        assert_true(strlen(line) < 4096);
        json_t *root = json_loads(line, 0, NULL);
        assert_non_null(root);
        assert_non_null(json_object_get(root, "a"));
        json_decref(root);
        line = strtok(NULL, "\n");
    }
    assert_null(line);
}

/* A message of escapes fills the record at any length; what follows it is left out if it does not
 * fit. */
static void full_records_end(void **state)
{
    (void)state;
    enum { ESCAPE_BYTES = 6 };
    char value[1024];
    memset(value, 1, sizeof(value) - 1);
    value[sizeof(value) - 1] = '\0';
    log_setup(true, 0);
    for (int i = 0; i < ESCAPE_BYTES; i++) {
        value[i] = 'x';
        LOG_INFO(0, value);
    }
    static char all[ESCAPE_BYTES * 4096 + 1];
    give_back();
    rewind(records);
    all[fread(all, 1, sizeof(all) - 1, records)] = '\0';
    char *line = strtok(all, "\n");
    for (int i = 0; i < ESCAPE_BYTES; i++) {
        assert_non_null(line);
        json_t *root = json_loads(line, 0, NULL);
        assert_non_null(root);
        json_decref(root);
        line = strtok(NULL, "\n");
    }
    assert_null(line);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(lines_of_klog),        T(other_characters), T(lines_of_json),
        T(long_records_are_cut), T(full_records_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
