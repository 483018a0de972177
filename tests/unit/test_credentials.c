/* Credentials over time: token files that change, plugins that run, fail and hang, certificates
 * that are replaced. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "live/credentials/credentials.h"
#include "live/credentials/exec_plugin.h"

#define SECOND INT64_C(1000000000)

typedef struct world {
    char folder[64], path[96];
    kubeconfig config;
    event_loop *loop;
    credentials *c;
    curl_transport *curl;
} world;

static world w;

static void write_file(const char *name, const char *text)
{
    snprintf(w.path, sizeof(w.path), "%s/%s", w.folder, name);
    FILE *file = fopen(w.path, "we");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int start(void **state)
{
    (void)state;
    w = (world){.folder = "/tmp/berth-credentials-XXXXXX"};
    assert_non_null(mkdtemp(w.folder));
    w.config.access.server = "https://h";
    w.loop = event_loop_create();
    assert_non_null(w.loop);
    assert_true(curl_transport_setup());
    return 0;
}

static void open_with(credentials_options options)
{
    options.loop = w.loop;
    options.config = &w.config;
    w.c = credentials_create(&options);
    w.curl = curl_transport_create(&(curl_transport_options){
        .loop = w.loop, .access = &credentials_access_ops, .access_self = w.c});
    credentials_attach(w.c, w.curl);
}

static int stop(void **state)
{
    (void)state;
    char command[128];
    curl_transport_destroy(w.curl);
    credentials_destroy(w.c);
    event_loop_destroy(w.loop);
    snprintf(command, sizeof(command), "rm -r %s", w.folder);
    return system(command);
}

static access_state ask(const char **bearer)
{
    const char *why = "";
    *bearer = NULL;
    return credentials_access_ops.authorize(w.c, bearer, &why);
}

static void assert_token(const char *expected)
{
    const char *bearer;
    assert_int_equal(ask(&bearer), ACCESS_READY);
    assert_non_null(bearer);
    assert_string_equal(bearer, expected);
}

static void turn_for(int64_t ns)
{
    for (int64_t until_ns = event_loop_now() + ns; event_loop_now() < until_ns;)
        event_loop_turn(w.loop, SECOND / 200);
}

static access_state turn_while_waiting(const char **bearer)
{
    access_state state;
    int64_t until_ns = event_loop_now() + 20 * SECOND;
    while ((state = ask(bearer)) == ACCESS_WAIT && event_loop_now() < until_ns)
        event_loop_turn(w.loop, SECOND / 100);
    return state;
}

/* ---- tokens ---- */

static void test_token_of_the_file(void **state)
{
    (void)state;
    w.config.token = "fixed";
    open_with((credentials_options){0});
    assert_token("fixed");
    assert_false(credentials_access_ops.refused(w.c)); /* there is no other one to try */
}

static void test_token_file(void **state)
{
    (void)state;
    write_file("token", " one\n");
    w.config.token = "fixed";
    w.config.token_file = w.path;
    open_with((credentials_options){.token_age_ns = SECOND / 20});
    assert_token("one");
    write_file("token", "two\n");
    assert_token("one"); /* too new to be read again */
    usleep(60000);
    assert_token("two");
    /* An empty, missing or invalid file leaves the old token. */
    write_file("token", "\n");
    usleep(60000);
    assert_token("two");
    write_file("token", "a\nb\n");
    usleep(60000);
    assert_token("two");
    unlink(w.path);
    usleep(60000);
    assert_token("two");
    /* A 401 makes the file be read immediately. */
    write_file("token", "three");
    assert_true(credentials_access_ops.refused(w.c));
    assert_token("three");
}

/* ---- plugins ---- */

static const char *arguments[4];
static const char *environment[2];

static void plugin(const char *script)
{
    write_file("plugin", script);
    assert_int_equal(chmod(w.path, 0700), 0);
    arguments[0] = w.path;
    environment[0] = "GREETING=hello";
    w.config.exec = (exec_config){.command = w.path,
                                  .api_version = "client.authentication.k8s.io/v1",
                                  .arguments = arguments,
                                  .environment = environment};
}

#define PRINT(status)                                                       \
    "#!/bin/sh\necho '{\"apiVersion\":\"client.authentication.k8s.io/v1\"," \
    "\"kind\":\"ExecCredential\",\"status\":{" status "}}'\n"

static void test_plugin(void **state)
{
    const char *bearer;
    (void)state;
    plugin(PRINT("\"token\":\"'$GREETING-$KUBERNETES_EXEC_INFO_'\""));
    open_with((credentials_options){0});
    assert_int_equal(ask(&bearer), ACCESS_WAIT);
    assert_int_equal(turn_while_waiting(&bearer), ACCESS_READY);
    assert_string_equal(bearer, "hello-");
    assert_token("hello-"); /* kept: it does not expire */
    /* Refused soon after the plugin ran: a new one would be refused, too. Later the plugin runs
     * again. */
    assert_true(credentials_access_ops.refused(w.c));
    assert_token("hello-");
}

/* A program without standard input reads its plugin through descriptor 0. */
static void test_plugin_without_standard_input(void **state)
{
    const char *bearer;
    (void)state;
    plugin(PRINT("\"token\":\"t\""));
    open_with((credentials_options){0});
    const int kept = dup(STDIN_FILENO);
    close(STDIN_FILENO);
    assert_int_equal(ask(&bearer), ACCESS_WAIT);
    assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), FD_CLOEXEC);
    assert_int_equal(turn_while_waiting(&bearer), ACCESS_READY);
    assert_string_equal(bearer, "t");
    assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), -1); /* closed again */
    if (kept >= 0) {
        assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
        close(kept);
    }
}

/* The environment of the kubeconfig takes the place of the program's, name by name. */
static void test_plugin_environment(void **state)
{
    const char *bearer;
    (void)state;
    assert_int_equal(setenv("GREETING", "good morning", 1), 0);
    assert_int_equal(setenv("GREETINGS", "many", 1), 0);
    plugin(PRINT("\"token\":\"'$GREETING-$GREETINGS'\""));
    open_with((credentials_options){0});
    assert_int_equal(ask(&bearer), ACCESS_WAIT);
    assert_int_equal(turn_while_waiting(&bearer), ACCESS_READY);
    assert_string_equal(bearer, "hello-many");
    assert_int_equal(unsetenv("GREETING"), 0);
    assert_int_equal(unsetenv("GREETINGS"), 0);
}

static void test_plugin_is_told(void **state)
{
    const char *bearer;
    (void)state;
    plugin("#!/bin/sh\ncat >/dev/null\ncase $KUBERNETES_EXEC_INFO in\n"
           "*'\"spec\":{\"cluster\":{\"a\":1},\"interactive\":false}'*) ;;\n*) exit 1 ;;\nesac\n"
           "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\","
           "\"status\":{\"clientCertificateData\":\"C\",\"clientKeyData\":\"K\","
           "\"expirationTimestamp\":\"2000-01-01T00:00:00Z\"}}'\n");
    char cluster[] = "{\"a\":1}";
    w.config.exec.cluster_json = cluster;
    open_with((credentials_options){0});
    assert_int_equal(ask(&bearer), ACCESS_WAIT);
    turn_for(SECOND / 5);
    const server_access *access = credentials_access_ops.access(w.c);
    assert_int_equal(access->certificate_data.len, 1);
    assert_memory_equal(access->key_data.data, "K", 1);
    /* The token has already expired, so the plugin runs again for each request. */
    assert_int_equal(ask(&bearer), ACCESS_WAIT);
}

static void assert_fails(const char *script, int64_t timeout_ns)
{
    const char *bearer;
    plugin(script);
    open_with((credentials_options){.exec_timeout_ns = timeout_ns});
    assert_int_equal(turn_while_waiting(&bearer), ACCESS_FAILED);
    assert_null(bearer);
    /* The plugin does not run again immediately. */
    assert_int_equal(ask(&bearer), ACCESS_FAILED);
}

static void test_plugin_fails(void **state)
{
    (void)state;
    assert_fails("#!/bin/sh\nexit 3\n", 0);
}

static void test_plugin_prints_nonsense(void **state)
{
    (void)state;
    assert_fails("#!/bin/sh\necho hello\n", 0);
}

static void test_plugin_prints_without_end(void **state)
{
    (void)state;
    assert_fails("#!/bin/sh\nexec cat /dev/zero\n", 0);
}

/* What follows a good answer makes it too long. */
static void test_plugin_prints_too_much(void **state)
{
    (void)state;
    assert_fails(PRINT("\"token\":\"t\"") "head -c 2000000 /dev/zero | tr '\\0' ' '\nexit 0\n", 0);
}

static void test_plugin_hangs(void **state)
{
    (void)state;
    int64_t from_ns = event_loop_now();
    assert_fails("#!/bin/sh\nexec sleep 30\n", SECOND / 5);
    assert_true(event_loop_now() - from_ns < 10 * SECOND);
}

/* The plugin closes its output and keeps running: wait, then kill it. */
static void test_plugin_lingers(void **state)
{
    (void)state;
    assert_fails("#!/bin/sh\nexec sleep 30 >/dev/null\n", SECOND / 5);
}

static void test_plugin_is_missing(void **state)
{
    const char *bearer;
    (void)state;
    plugin("");
    unlink(w.path);
    open_with((credentials_options){0});
    assert_int_equal(turn_while_waiting(&bearer), ACCESS_FAILED);
}

static void test_destroyed_while_it_runs(void **state)
{
    const char *bearer;
    (void)state;
    plugin("#!/bin/sh\nexec sleep 30\n");
    open_with((credentials_options){0});
    assert_int_equal(ask(&bearer), ACCESS_WAIT);
    turn_for(SECOND / 50);
}

/* ---- certificates ---- */

static int ended;

static void on_done(void *context, const live_answer *answer)
{
    (void)context;
    (void)answer;
    ended++;
}

static bool on_data(void *context, const char *bytes, size_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
    return true;
}

/* A changed file ends streams, so that they are opened again over new connections. */
static void test_certificates_change(void **state)
{
    (void)state;
    write_file("ca.crt", "one");
    w.config.access.ca_file = w.path;
    char url[64];
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(at);
    int silent = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); /* no server answers there */
    assert_int_equal(bind(silent, (struct sockaddr *)&at, size), 0);
    assert_int_equal(listen(silent, 8), 0);
    assert_int_equal(getsockname(silent, (struct sockaddr *)&at, &size), 0);
    snprintf(url, sizeof(url), "http://127.0.0.1:%d", ntohs(at.sin_port));
    w.config.access.server = url;
    open_with((credentials_options){.look_every_ns = SECOND / 50});
    ended = 0;
    (void)live_send(
        curl_transport_interface(w.curl),
        &(live_request){.method = "GET", .path = "/", .done = on_done, .data = on_data});
    turn_for(SECOND / 10);
    assert_int_equal(ended, 0);
    write_file("ca.crt", "two!");
    turn_for(SECOND / 10);
    assert_int_equal(ended, 1);
    close(silent);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_token_of_the_file),
        TEST(test_token_file),
        TEST(test_plugin),
        TEST(test_plugin_without_standard_input),
        TEST(test_plugin_environment),
        TEST(test_plugin_is_told),
        TEST(test_plugin_fails),
        TEST(test_plugin_prints_nonsense),
        TEST(test_plugin_prints_without_end),
        TEST(test_plugin_prints_too_much),
        TEST(test_plugin_hangs),
        TEST(test_plugin_lingers),
        TEST(test_plugin_is_missing),
        TEST(test_destroyed_while_it_runs),
        TEST(test_certificates_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
