/* Pages about the process: which of them only clients of this host may have, the log level at its
 * limits, the time since the start, and heap profiles. The clock and the heap are the test's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "live/log/log.h"
#include "live/serving/debug_pages.h"

static time_t now_s;

time_t __wrap_time(time_t *out);
time_t __wrap_time(time_t *out)
{
    assert_null(out);
    return now_s;
}

/* ---- a heap in place of jemalloc's ---- */

static bool profiles;
static int dump; /* what a dump returns */
static const char *dumped;

int mallctl(const char *name, void *old, size_t *old_bytes, void *new, size_t new_bytes);
int mallctl(const char *name, void *old, size_t *old_bytes, void *new, size_t new_bytes)
{
    if (strcmp(name, "opt.prof") == 0) {
        assert_int_equal(*old_bytes, sizeof(profiles));
        memcpy(old, &profiles, sizeof(profiles));
        return 0;
    }
    const char *path;
    assert_string_equal(name, "prof.dump");
    assert_int_equal(new_bytes, sizeof(path));
    memcpy(&path, new, sizeof(path));
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(dumped, out);
    assert_int_equal(fclose(out), 0);
    return dump;
}

void malloc_stats_print(void (*write)(void *, const char *), void *context, const char *options);
void malloc_stats_print(void (*write)(void *, const char *), void *context, const char *options)
{
    assert_string_equal(options, "a");
    write(context, "all ");
    write(context, "statistics");
}

/* ---- pages ---- */

static debug_facts facts;
static char text[8192];

/* The status of a page; 0: it is none of these. Its text is in `text`. */
static unsigned get(const char *method, const char *path, bool detailed, const char *body)
{
    debug_page page = {.status = 0};
    text[0] = '\0';
    if (!debug_page_find(&facts, method, path, detailed, body, &page))
        return 0;
    assert_true(page.length < sizeof(text));
    assert_int_equal(page.length, strlen(page.text));
    strcpy(text, page.text);
    free(page.text);
    return page.status;
}

static int start(void **state)
{
    (void)state;
    log_setup(false, 0);
    facts = (debug_facts){.began_s = 1000000000, .rules_minor = 37, .flags = "a=b\n"};
    now_s = 1000000000;
    profiles = false;
    dump = 0;
    dumped = "profile";
    return 0;
}

/* Exactly these change something, or show memory. */
static void what_is_local(void **state)
{
    static const struct {
        const char *method, *path;
        bool takes, local;
    } cases[] = {
        {"PUT", "/debug/flags/v", true, true},      {"GET", "/debug/flags/v", false, false},
        {"POST", "/debug/flags/v", false, false},   {"PUT", "/debug/flags/", false, false},
        {"PUT", "/debug/flags/vv", false, false},   {"GET", "/debug/pprof/heap", false, true},
        {"HEAD", "/debug/pprof/heap", false, true}, {"GET", "/debug/pprof/", false, false},
        {"GET", "/statusz", false, false},          {"PUT", "/metrics", false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(debug_page_takes(cases[i].method, cases[i].path), cases[i].takes);
        assert_int_equal(debug_page_is_local(cases[i].method, cases[i].path), cases[i].local);
    }
}

static void log_levels(void **state)
{
    static const struct {
        const char *body;
        int level; /* -1: it is none */
    } cases[] = {
        {"0", 0},
        {"9", 9},
        {"10", 10},
        {"11", -1},
        {"010", 10},
        {"4\r\n", 4},
        {"7  ", 7},
        {"", -1},
        {" 1", -1},
        {"+1", -1},
        {"-1", -1},
        {"1x", -1},
        {":", -1},
        {"/", -1},
        {"1 2", -1},
        {"\n", -1},
        {"0x1", -1},
        {"a", -1},
        {"99999999999999999999", -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        log_set_level(5);
        const unsigned status = get("PUT", "/debug/flags/v", false, cases[i].body);
        assert_int_equal(status, cases[i].level < 0 ? 400 : 200);
        assert_int_equal(log_level(), cases[i].level < 0 ? 5 : cases[i].level);
        assert_int_equal(get("GET", "/debug/flags/v", false, cases[i].body), 200);
        assert_int_equal(atoi(text), log_level());
    }
    log_set_level(0);
}

static void has(const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("no '%s' in: %s", part, text);
}

static void time_since_the_start(void **state)
{
    static const struct {
        long up_s;
        const char *line;
    } cases[] = {
        {0, "\nUp: 0 hr 00 min 00 sec\n"},      {59, "\nUp: 0 hr 00 min 59 sec\n"},
        {60, "\nUp: 0 hr 01 min 00 sec\n"},     {3599, "\nUp: 0 hr 59 min 59 sec\n"},
        {3600, "\nUp: 1 hr 00 min 00 sec\n"},   {3661, "\nUp: 1 hr 01 min 01 sec\n"},
        {90061, "\nUp: 25 hr 01 min 01 sec\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        now_s = facts.began_s + cases[i].up_s;
        assert_int_equal(get("GET", "/statusz", false, ""), 200);
        has(cases[i].line);
    }
    has("\nStarted: Sun Sep  9 01:46:40 UTC 2001\n");
    has("\nEmulation version: 1.37\n");
    facts.rules_minor = 1;
    assert_int_equal(get("GET", "/statusz", false, ""), 200);
    has("\nEmulation version: 1.1\n");
    facts.rules_minor = 0;
    assert_int_equal(get("GET", "/statusz", false, ""), 200);
    assert_null(strstr(text, "Emulation"));
    assert_int_equal(get("GET", "/flagz", false, ""), 200);
    has("\n\na=b\n");
    facts.flags = NULL;
    assert_int_equal(get("GET", "/flagz", false, ""), 200);
}

/* ---- profiles ---- */

static void heap_profiles(void **state)
{
    static char large[5001];
    (void)state;
    assert_int_equal(get("GET", "/debug/pprof/heap", false, ""), 404);
    has("MALLOC_CONF=prof:true");
    assert_int_equal(get("GET", "/debug/pprof/heap", true, ""), 200);
    assert_string_equal(text, "all statistics");
    profiles = true;
    assert_int_equal(get("GET", "/debug/pprof/heap", false, ""), 200);
    assert_string_equal(text, "profile");
    memset(large, 'p', sizeof(large) - 1);
    dumped = large;
    assert_int_equal(get("GET", "/debug/pprof/heap", false, ""), 200);
    assert_string_equal(text, large);
    dumped = "p";
    assert_int_equal(get("GET", "/debug/pprof/heap", false, ""), 200);
    assert_string_equal(text, "p");
    dumped = "";
    assert_int_equal(get("GET", "/debug/pprof/heap", false, ""), 500);
    dumped = "cut off";
    dump = 5;
    assert_int_equal(get("GET", "/debug/pprof/heap", false, ""), 500);
    has("the profile can't be written");
}

/* Which paths are pages, with profiles and without. */
static void paths(void **state)
{
    static const char *const none[] = {
        "/debug/pprof", "/debug/flags", "/debug/flags/v/", "/statusz/", "/", "/metrics"};
    (void)state;
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        assert_int_equal(get("GET", none[i], false, ""), 0);
    assert_int_equal(get("GET", "/debug/pprof/", false, ""), 200);
    assert_int_equal(get("GET", "/debug/pprof/profile", false, ""), 404);
    has("perf record");
    assert_int_equal(get("GET", "/debug/pprof/goroutine", false, ""), 404);
    has("there is no such profile");
    facts.no_profiles = true;
    assert_int_equal(get("GET", "/debug/pprof/", false, ""), 0);
    assert_int_equal(get("GET", "/debug/pprof/heap", true, ""), 0);
    assert_int_equal(get("GET", "/debug/flags/v", false, ""), 200);
    assert_int_equal(get("GET", "/statusz", false, ""), 200);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup(name, start)
    const struct CMUnitTest tests[] = {
        T(what_is_local), T(log_levels), T(time_since_the_start), T(heap_profiles), T(paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
