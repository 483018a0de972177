/* When credentials are renewed, to the nanosecond: tokens of files, plugins and their certificates,
 * files of certificates. The clocks, the plugin, the loop's timers and the transport are the
 * test's. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "live/credentials/credentials.h"
#include "live/credentials/exec_plugin.h"
#include "live/log/log.h"

static const int64_t second = INT64_C(1000000000);

/* ---- what the credentials are made of ---- */

static char places[3]; /* these are only handed on */
static event_loop *const loop = (void *)&places[0];
static curl_transport *const transport = (void *)&places[1];
static exec_plugin *const plugin = (void *)&places[2];

static int64_t now_ns, unix_ns;
static int runs, kills, renewals, resumptions;
static int64_t run_timeout_ns, timer_at_ns;
static exec_done_fn run_done;
static live_timer_fn timer_fire;
static void *run_context, *timer_context;

int64_t __wrap_event_loop_now(void);
int64_t __wrap_event_loop_now(void)
{
    return now_ns;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out)
{
    (void)clock;
    *out = (struct timespec){.tv_sec = unix_ns / second, .tv_nsec = unix_ns % second};
    return 0;
}

live_id __wrap_event_loop_timer(event_loop *of, int64_t at_ns, live_timer_fn fire, void *context);
live_id __wrap_event_loop_timer(event_loop *of, int64_t at_ns, live_timer_fn fire, void *context)
{
    assert_ptr_equal(of, loop);
    assert_null(timer_fire);
    timer_at_ns = at_ns;
    timer_fire = fire;
    timer_context = context;
    return 5;
}

void __wrap_event_loop_timer_stop(event_loop *of, live_id timer);
void __wrap_event_loop_timer_stop(event_loop *of, live_id timer)
{
    assert_ptr_equal(of, loop);
    if (timer == 5)
        timer_fire = NULL;
}

void __wrap_curl_transport_renew(curl_transport *of);
void __wrap_curl_transport_renew(curl_transport *of)
{
    assert_ptr_equal(of, transport);
    renewals++;
}

void __wrap_curl_transport_resume(curl_transport *of);
void __wrap_curl_transport_resume(curl_transport *of)
{
    assert_ptr_equal(of, transport);
    resumptions++;
}

exec_plugin *__wrap_exec_plugin_run(event_loop *of, const exec_config *config, int64_t timeout_ns,
                                    exec_done_fn done, void *context);
exec_plugin *__wrap_exec_plugin_run(event_loop *of, const exec_config *config, int64_t timeout_ns,
                                    exec_done_fn done, void *context)
{
    assert_ptr_equal(of, loop);
    assert_string_equal(config->command, "x");
    runs++;
    run_timeout_ns = timeout_ns;
    run_done = done;
    run_context = context;
    return plugin;
}

void __wrap_exec_plugin_kill(exec_plugin *which);
void __wrap_exec_plugin_kill(exec_plugin *which)
{
    if (which == NULL)
        return;
    assert_ptr_equal(which, plugin);
    kills++;
}

/* ---- the credentials ---- */

static kubeconfig config;
static credentials *c;
static char folder[32], path[64];

static int start(void **state)
{
    (void)state;
    log_setup(false, 0);
    now_ns = 100 * second;
    unix_ns = 1795000000 * second + 999999999;
    runs = kills = renewals = resumptions = 0;
    timer_fire = NULL;
    run_done = NULL;
    config = (kubeconfig){.access = {.server = "https://h"}};
    snprintf(folder, sizeof(folder), "/tmp/berth-renewal-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/file", folder);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    credentials_destroy(c);
    assert_null(timer_fire);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
    return 0;
}

static void open_with(credentials_options options)
{
    options.loop = loop;
    options.config = &config;
    c = credentials_create(&options);
    credentials_attach(c, transport);
}

static void write_file(const char *text)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static access_state authorize(const char **bearer)
{
    const char *why = "";
    *bearer = NULL;
    const access_state state = credentials_access_ops.authorize(c, bearer, &why);
    assert_int_equal(strlen(why) > 0, state == ACCESS_FAILED);
    return state;
}

static void is(access_state state)
{
    const char *bearer;
    assert_int_equal(authorize(&bearer), state);
    assert_true(state == ACCESS_READY || bearer == NULL);
}

static void has_token(const char *token)
{
    const char *bearer;
    assert_int_equal(authorize(&bearer), ACCESS_READY);
    assert_non_null(bearer);
    assert_string_equal(bearer, token);
}

/* ---- token files ---- */

/* A token is read again when it is 50 s old, or as old as the options say. */
static void tokens_are_read_again(void **state)
{
    static const struct {
        int64_t option_ns, age_ns;
    } cases[] = {{0, 50000000000}, {7, 7}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        write_file("old");
        config.token_file = path;
        open_with((credentials_options){.token_age_ns = cases[i].option_ns});
        has_token("old");
        write_file("new");
        now_ns += cases[i].age_ns - 1;
        has_token("old");
        now_ns++;
        has_token("new");
        write_file("newest");
        now_ns += cases[i].age_ns - 1;
        has_token("new");
        if (i == 0)
            credentials_destroy(c);
    }
}

/* Blanks around a token are no part of it; what is none leaves the old one. */
static void what_a_token_is(void **state)
{
    static const char *const none[] = {"", " \t\r\n", "a\nb", "a\rb"};
    (void)state;
    write_file("\r\n\t one two\t \r\n");
    config.token_file = path;
    config.token = "of the configuration";
    open_with((credentials_options){0});
    has_token("one two");
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        write_file(none[i]);
        assert_true(credentials_access_ops.refused(c));
        has_token("one two");
    }
    write_file("x");
    assert_true(credentials_access_ops.refused(c));
    has_token("x");
}

/* ---- plugins ---- */

static void print(const char *token, const char *certificate, const char *key, int64_t expires_ns)
{
    assert_non_null(run_done);
    const exec_done_fn done = run_done;
    run_done = NULL;
    done(run_context, &(exec_credential){.token = token,
                                         .certificate = certificate,
                                         .key = key,
                                         .expires_unix_ns = expires_ns});
}

static void print_nothing(void)
{
    assert_non_null(run_done);
    const exec_done_fn done = run_done;
    run_done = NULL;
    done(run_context, &(exec_credential){.token = "not this", .failure = "it failed"});
}

static void open_plugin(void)
{
    config.exec.command = "x";
    open_with((credentials_options){0});
}

/* One plugin runs at a time; its token serves until it expires. */
static void a_plugin_runs_once(void **state)
{
    (void)state;
    open_plugin();
    assert_int_equal(runs, 0);
    is(ACCESS_WAIT);
    is(ACCESS_WAIT);
    assert_int_equal(runs, 1);
    assert_int_equal(run_timeout_ns, 60 * second);
    print("t", NULL, NULL, unix_ns + 1);
    assert_int_equal(resumptions, 1);
    has_token("t");
    unix_ns++;
    is(ACCESS_WAIT);
    assert_int_equal(runs, 2);
    print("u", NULL, NULL, INT64_MAX);
    has_token("u");
    assert_int_equal(runs, 2);
    assert_int_equal(renewals, 0);
}

/* After a failure requests fail for 5 s; then the plugin runs again. */
static void a_plugin_that_fails(void **state)
{
    (void)state;
    config.exec.command = "x";
    open_with((credentials_options){.exec_timeout_ns = 9});
    is(ACCESS_WAIT);
    assert_int_equal(run_timeout_ns, 9);
    print_nothing();
    assert_int_equal(resumptions, 1);
    is(ACCESS_FAILED);
    now_ns += 5 * second - 1;
    is(ACCESS_FAILED);
    assert_int_equal(runs, 1);
    now_ns++;
    is(ACCESS_WAIT);
    assert_int_equal(runs, 2);
    print("t", NULL, NULL, unix_ns + 1);
    has_token("t");
    unix_ns++;
    is(ACCESS_WAIT);
    print_nothing(); /* the token has expired: it is not used any longer */
    is(ACCESS_FAILED);
}

/* A refused token makes the plugin run again, but not if it has run within the last second: other
 * requests have been refused with the old token. */
static void a_refused_token(void **state)
{
    (void)state;
    open_plugin();
    is(ACCESS_WAIT);
    print("t", NULL, NULL, INT64_MAX);
    now_ns += second - 1;
    assert_true(credentials_access_ops.refused(c));
    has_token("t");
    now_ns++;
    assert_true(credentials_access_ops.refused(c));
    is(ACCESS_WAIT);
    assert_int_equal(runs, 2);
}

static void shows(const char *certificate, const char *key)
{
    const server_access *access = credentials_access_ops.access(c);
    assert_int_equal(access->certificate_data.len, strlen(certificate));
    assert_int_equal(access->key_data.len, strlen(key));
    assert_int_equal(access->certificate_data.data != NULL, certificate[0] != '\0');
    assert_int_equal(access->key_data.data != NULL, key[0] != '\0');
    if (certificate[0] != '\0') {
        assert_memory_equal(access->certificate_data.data, certificate, strlen(certificate));
        assert_memory_equal(access->key_data.data, key, strlen(key));
    }
}

/* Connections are made anew when a certificate is replaced, by its key, too, or goes; not for the
 * first one, and not for the same. */
static void certificates_of_a_plugin(void **state)
{
    static const struct {
        const char *certificate, *key;
        int renewals;
    } cases[] = {
        {NULL, NULL, 0}, {"C", "K", 0},   {"C", "K", 0},   {"C", "K2", 1},
        {"C2", "K2", 2}, {NULL, NULL, 3}, {NULL, NULL, 3}, {"C3", "K3", 3},
    };
    (void)state;
    open_plugin();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char certificate[8] = "", key[8] = ""; /* borrowed until the call returns */
        if (cases[i].certificate != NULL) {
            snprintf(certificate, sizeof(certificate), "%s", cases[i].certificate);
            snprintf(key, sizeof(key), "%s", cases[i].key);
        }
        is(ACCESS_WAIT);
        const bool none = cases[i].certificate == NULL;
        print("t", none ? NULL : certificate, none ? NULL : key, unix_ns + 1);
        certificate[0] = key[0] = '?';
        shows(none ? "" : cases[i].certificate, none ? "" : cases[i].key);
        assert_int_equal(renewals, cases[i].renewals);
        unix_ns++;
    }
}

static void killed_at_the_end(void **state)
{
    (void)state;
    open_plugin();
    is(ACCESS_WAIT);
    credentials_destroy(c);
    assert_int_equal(kills, 1);
    open_plugin();
    is(ACCESS_WAIT);
    print("t", NULL, NULL, INT64_MAX);
    credentials_destroy(c);
    assert_int_equal(kills, 1); /* it has ended */
    c = NULL;
}

/* ---- certificates in files ---- */

static int look(void)
{
    const live_timer_fn fire = timer_fire;
    assert_non_null(fire);
    timer_fire = NULL;
    now_ns = timer_at_ns;
    fire(timer_context);
    return renewals;
}

/* Each of the three files is looked at, every 5 min. */
static void files_are_looked_at(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        const char *const file = path;
        config.access = (server_access){.server = "https://h",
                                        .ca_file = i == 0 ? file : NULL,
                                        .certificate_file = i == 1 ? file : NULL,
                                        .key_file = i == 2 ? file : NULL};
        write_file("one");
        renewals = 0;
        open_with((credentials_options){0});
        assert_int_equal(timer_at_ns, now_ns + 300 * second);
        assert_int_equal(look(), 0);
        assert_int_equal(timer_at_ns, now_ns + 300 * second);
        write_file("longer");
        assert_int_equal(look(), 1);
        assert_int_equal(look(), 1);
        unlink(path);
        assert_int_equal(look(), 1); /* no file: nothing to connect with */
        if (i < 2)
            credentials_destroy(c);
    }
}

static void set_time(time_t seconds, long ns)
{
    const struct timespec both[2] = {{seconds, ns}, {seconds, ns}};
    assert_int_equal(utimensat(AT_FDCWD, path, both, 0), 0);
}

/* A file has changed if its time has, by a nanosecond, or if it is another one of the same size and
 * time. */
static void what_a_change_is(void **state)
{
    char other[sizeof(path) + 8];
    (void)state;
    write_file("text");
    set_time(1000, 5);
    config.access.ca_file = path;
    open_with((credentials_options){.look_every_ns = 3});
    assert_int_equal(timer_at_ns, now_ns + 3);
    assert_int_equal(look(), 0);
    assert_int_equal(timer_at_ns, now_ns + 3);
    set_time(1001, 5);
    assert_int_equal(look(), 1);
    set_time(1001, 6);
    assert_int_equal(look(), 2);
    snprintf(other, sizeof(other), "%s.other", path);
    assert_int_equal(rename(path, other), 0);
    write_file("text");
    set_time(1001, 6);
    assert_int_equal(unlink(other), 0);
    assert_int_equal(look(), 3);
    write_file("longer text");
    set_time(1001, 6);
    assert_int_equal(look(), 4);
    assert_int_equal(look(), 4);
}

/* Data takes precedence: the file beside it is not looked at. */
static void data_has_no_file(void **state)
{
    (void)state;
    const berth_str data = BERTH_STR("data");
    config.access = (server_access){.server = "https://h",
                                    .ca_file = path,
                                    .ca_data = data,
                                    .certificate_file = path,
                                    .certificate_data = data,
                                    .key_file = path,
                                    .key_data = data};
    write_file("one");
    open_with((credentials_options){0});
    write_file("longer");
    assert_int_equal(look(), 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(tokens_are_read_again), T(what_a_token_is),     T(a_plugin_runs_once),
        T(a_plugin_that_fails),   T(a_refused_token),     T(certificates_of_a_plugin),
        T(killed_at_the_end),     T(files_are_looked_at), T(what_a_change_is),
        T(data_has_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
