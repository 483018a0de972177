/* The served pages, requested over loopback. */
#include "serving_client.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "live/log/log.h"
#include "live/serving/self_signed.h"

static bool leads, synced;

static bool passes(void *context)
{
    return *(const bool *)context;
}

static const health_check checks[] = {
    {"leaderElection", true, true, true, passes, &leads},
    {"sched-handler-sync", false, true, false, passes, &synced},
};

static void refresh(void *context)
{
    metrics_set(context, METRIC_BINDING_WINDOW, 16, METRIC_NO_LABELS);
}

static const char *configuration(void *context)
{
    (void)context;
    return "{\"kind\":\"KubeSchedulerConfiguration\"}";
}

static int rules(void *context)
{
    (void)context;
    return 37;
}

static serving_options options_of(const char *address)
{
    return (serving_options){.address = address,
                             .checks = checks,
                             .check_count = 2,
                             .metrics = counted,
                             .refresh = refresh,
                             .context = counted,
                             .configuration = configuration,
                             .rules = rules,
                             .flags = "serve=here\nv=2\n"};
}

static int start(void **state)
{
    (void)state;
    leads = synced = true;
    counted = metrics_create(true);
    serving_options options = options_of("127.0.0.1:0");
    berth_error error = {.code = BERTH_OK};
    server = NULL;
    assert_int_equal(serving_start(&options, &server, &error), BERTH_OK);
    return 0;
}

static long tls_version = CURL_SSLVERSION_DEFAULT; /* for the next request */

static const char *asked_host = "127.0.0.1";
static const char *put_body; /* of the next request; NULL: none */

/* The status; 0: no answer. */
static long ask(const char *scheme, const char *method, const char *path)
{
    CURL *curl = request_to(asked_host, scheme, method, path);
    if (tls_version != CURL_SSLVERSION_DEFAULT) {
        curl_easy_setopt(curl, CURLOPT_SSLVERSION, tls_version);
        curl_easy_setopt(curl, CURLOPT_SSL_CIPHER_LIST, "DEFAULT:@SECLEVEL=0");
    }
    if (put_body != NULL)
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, put_body);
    if (strcmp(method, "POST") == 0)
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, "something");
    return answer_to(curl);
}

static void answers(const char *path, long status, const char *text)
{
    assert_int_equal(ask("http", "GET", path), status);
    assert_string_equal(body, text);
}

/* The same as ask("https", "GET", "/livez") with one version of TLS and the weakest settings. */
static long ask_tls(long version)
{
    tls_version = version;
    const long status = ask("https", "GET", "/livez");
    tls_version = CURL_SSLVERSION_DEFAULT;
    return status;
}

/* The server answers over TLS since 1.2, and nothing else. */
static void answers_over_tls(void)
{
    assert_int_equal(ask("https", "GET", "/livez"), 200);
    assert_string_equal(body, "ok");
    assert_int_equal(ask("http", "GET", "/livez"), 0);
    assert_int_equal(ask_tls(CURL_SSLVERSION_TLSv1_2 | CURL_SSLVERSION_MAX_TLSv1_2), 200);
    assert_int_equal(ask_tls(CURL_SSLVERSION_TLSv1_3 | CURL_SSLVERSION_MAX_TLSv1_3), 200);
    assert_int_equal(ask_tls(CURL_SSLVERSION_TLSv1_1 | CURL_SSLVERSION_MAX_TLSv1_1), 0);
    assert_int_equal(ask_tls(CURL_SSLVERSION_TLSv1_0 | CURL_SSLVERSION_MAX_TLSv1_0), 0);
}

static char headers[4096]; /* of the last answer */

static size_t on_header(char *bytes, size_t size, size_t count, void *context)
{
    (void)context;
    const size_t at = strlen(headers);
    snprintf(headers + at, sizeof(headers) - at, "%.*s", (int)(size * count), bytes);
    return size * count;
}

/* Headers forbid caches to keep a page and browsers to frame it. Retry-After is absent: the server
 * could answer. */
static void headers_of_pages(void **state)
{
    (void)state;
    static const char *const paths[] = {"/livez", "/metrics", "/configz", "/nowhere"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        CURL *curl = request_to(asked_host, "http", "GET", paths[i]);
        curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
        headers[0] = '\0';
        assert_int_equal(answer_to(curl), i < 3 ? 200 : 404);
        assert_non_null(strcasestr(headers, "\r\nX-Content-Type-Options: nosniff\r\n"));
        assert_non_null(strcasestr(headers, "\r\nCache-Control: no-cache, private\r\n"));
        assert_non_null(strcasestr(headers, "\r\nX-Frame-Options: DENY\r\n"));
        assert_null(strcasestr(headers, "\r\nRetry-After:"));
    }
}

static void health(void **state)
{
    (void)state;
    answers("/livez", 200, "ok");
    answers("/readyz", 200, "ok");
    answers("/healthz", 200, "ok");
    answers("/livez?verbose", 200, "[+]ping ok\n[+]leaderElection ok\nlivez check passed\n");
    answers("/livez?verbose=true", 200, "[+]ping ok\n[+]leaderElection ok\nlivez check passed\n");
    synced = false;
    answers("/livez", 200, "ok");
    answers("/readyz", 500,
            "[+]ping ok\n[+]leaderElection ok\n[-]sched-handler-sync failed: reason withheld\n"
            "readyz check failed\n");
    answers("/readyz/leaderElection", 200, "ok");
    answers("/readyz/sched-handler-sync", 500,
            "[-]sched-handler-sync failed: reason withheld\nreadyz check failed\n");
    answers("/readyz/nothing", 404, "not found\n");
    answers("/livez/sched-handler-sync", 404, "not found\n");
    leads = false;
    assert_int_equal(ask("http", "GET", "/livez"), 500);
    assert_int_equal(ask("http", "GET", "/healthz"), 500);
}

static void pages(void **state)
{
    (void)state;
    assert_int_equal(ask("http", "GET", "/metrics"), 200);
    assert_non_null(strstr(body, "\nberth_binding_window 16\n"));
    assert_int_equal(ask("http", "GET", "/metrics/slis"), 200);
    assert_non_null(
        strstr(body, "kubernetes_healthcheck{name=\"leaderElection\",type=\"livez\"} 1\n"));
    assert_non_null(strstr(body, "kubernetes_healthcheck{name=\"ping\",type=\"healthz\"} 1\n"));
    assert_non_null(strstr(body, "kubernetes_healthcheck{name=\"ping\",type=\"readyz\"} 1\n"));
    answers("/configz", 200, "{\"componentconfig\":{\"kind\":\"KubeSchedulerConfiguration\"}}");
    answers("/", 404, "404 page not found\n");
    answers("/livezz", 404, "404 page not found\n");
    answers("/metrics/../configz/%00", 404, "404 page not found\n");
    assert_int_equal(ask("http", "POST", "/livez"), 405);
    assert_int_equal(ask("http", "DELETE", "/metrics"), 405);
}

static void has_part(const char *path, const char *part)
{
    assert_int_equal(ask("http", "GET", path), 200);
    if (strstr(body, part) == NULL)
        fail_msg("no '%s' in: %s", part, body);
}

static void put_level(const char *level, long status)
{
    put_body = level;
    assert_int_equal(ask("http", "PUT", "/debug/flags/v"), status);
    put_body = NULL;
}

/* Pages about the process. */
static void debugging(void **state)
{
    (void)state;
    has_part("/statusz", "berth run statusz\n");
    has_part("/statusz", "\nUp: 0 hr 00 min 0");
    has_part("/statusz", "\nEmulation version: 1.37\n");
    has_part("/statusz", "\nPaths: /configz ");
    has_part("/flagz", "\nserve=here\nv=2\n");
    log_set_level(2);
    has_part("/debug/flags/v", "2\n");
    put_level("3", 200);
    assert_string_equal(body, "successfully set klog.logging.verbosity to 3\n");
    assert_int_equal(log_level(), 3);
    assert_true(log_enabled(3));
    put_level("11", 400);
    put_level("-1", 400);
    put_level("x", 400);
    put_level("1 2", 400);
    put_level("99999999999999999999999999999999999999999999", 400);
    assert_int_equal(log_level(), 3);
    put_level("0\n", 200);
    assert_int_equal(log_level(), 0);
    put_level("1                                                \n", 200); /* is cut off */
    assert_int_equal(log_level(), 1);
    assert_int_equal(ask("http", "POST", "/debug/flags/v"), 405);
    has_part("/debug/pprof/", "profiles:\n");
    assert_int_equal(ask("http", "GET", "/debug/pprof/profile"), 404);
    assert_non_null(strstr(body, "perf record"));
    assert_int_equal(ask("http", "GET", "/debug/pprof/goroutine"), 404);
    assert_int_equal(ask("http", "GET", "/debug/pprof/heap"), 404); /* no jemalloc here */
    assert_non_null(strstr(body, "jemalloc"));
}

static bool own_address(char out[64])
{
    struct ifaddrs *all = NULL;
    bool found = false;
    if (getifaddrs(&all) != 0)
        return false;
    for (const struct ifaddrs *one = all; one != NULL && !found; one = one->ifa_next) {
        if (one->ifa_addr == NULL || one->ifa_addr->sa_family != AF_INET ||
            (one->ifa_flags & (IFF_LOOPBACK | IFF_UP)) != IFF_UP)
            continue;
        found = getnameinfo(one->ifa_addr, sizeof(struct sockaddr_in), out, 64, NULL, 0,
                            NI_NUMERICHOST) == 0;
    }
    freeifaddrs(all);
    return found;
}

/* Clients elsewhere read pages, but change nothing and get no heap profile. */
static void from_elsewhere(void **state)
{
    char host[64];
    (void)state;
    if (!own_address(host))
        skip(); /* this machine has no address but loopback */
    serving_stop(server);
    server = NULL;
    serving_options options = options_of(":0");
    assert_int_equal(serving_start(&options, &server, NULL), BERTH_OK);
    log_set_level(2);
    answers("/debug/flags/v", 200, "2\n");
    asked_host = host;
    assert_int_equal(ask("http", "GET", "/livez"), 200);
    assert_int_equal(ask("http", "GET", "/debug/flags/v"), 200);
    put_level("5", 403);
    assert_int_equal(ask("http", "GET", "/debug/pprof/heap"), 403);
    asked_host = "127.0.0.1";
    put_level("1", 200);
    asked_host = "[::1]";
    if (ask("http", "GET", "/livez") == 200)
        put_level("0", 200);
    asked_host = "127.0.0.1";
}

static void refused(const char *address, berth_status status)
{
    serving *other = NULL;
    serving_options options = options_of(address);
    berth_error error = {.code = BERTH_OK};
    assert_int_equal(serving_start(&options, &other, &error), status);
    assert_true(error.message[0] != '\0');
    assert_null(other);
}

static void addresses(void **state)
{
    (void)state;
    char taken[32];
    snprintf(taken, sizeof(taken), "127.0.0.1:%d", serving_port(server));
    refused(taken, BERTH_E_IO);
    refused("localhost", BERTH_E_ARG);
    refused("127.0.0.1:", BERTH_E_ARG);
    refused("127.0.0.1:http", BERTH_E_ARG);
    refused("::1:10259", BERTH_E_ARG);
    refused("127.0.0.1:70000000000", BERTH_E_ARG);
    serving *other = NULL;
    serving_options options = options_of(":0");
    assert_int_equal(serving_start(&options, &other, NULL), BERTH_OK);
    assert_true(serving_port(other) != 0);
    serving_stop(other);
}

static void over_tls(void **state)
{
    (void)state;
    char folder[] = "/tmp/berth-serving-XXXXXX", command[512], key[64], certificate[64];
    assert_non_null(mkdtemp(folder));
    snprintf(key, sizeof(key), "%s/key", folder);
    snprintf(certificate, sizeof(certificate), "%s/certificate", folder);
    snprintf(command, sizeof(command),
             "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
             "-subj /CN=test -keyout %s -out %s 2>/dev/null",
             key, certificate);
    bool made = system(command) == 0;
    serving_stop(server);
    server = NULL;
    serving_options options = options_of("127.0.0.1:0");
    berth_error error = {.code = BERTH_OK};
    options.certificate_file = certificate;
    assert_int_equal(serving_start(&options, &server, &error), BERTH_E_ARG); /* no key */
    options.key_file = "/nowhere/key";
    assert_int_equal(serving_start(&options, &server, &error), BERTH_E_IO);
    if (made) {
        options.key_file = certificate;
        assert_int_equal(serving_start(&options, &server, &error), BERTH_E_IO);
        options.key_file = key;
        assert_int_equal(serving_start(&options, &server, &error), BERTH_OK);
        answers_over_tls();
    }
    remove(key);
    remove(certificate);
    remove(folder);
    if (!made)
        skip(); /* needs openssl to make a certificate */
}

/* HTTPS without files: with a certificate for the address and for localhost. */
static void self_signed(void **state)
{
    (void)state;
    serving_stop(server);
    server = NULL;
    serving_options options = options_of("127.0.0.1:0");
    berth_error error = {.code = BERTH_OK};
    options.self_signed = true;
    assert_int_equal(serving_start(&options, &server, &error), BERTH_OK);
    answers_over_tls();
    char *certificate = NULL, *key = NULL;
    static const char *const hosts[] = {"", "10.1.2.3", "fd00::1", "berth.example"};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(self_signed_make(hosts[i], &certificate, &key, &error), BERTH_OK);
        assert_non_null(strstr(certificate, "BEGIN CERTIFICATE"));
        assert_non_null(strstr(key, "PRIVATE KEY"));
        free(certificate);
        free(key);
    }
}

/* Connects from an address of loopback and begins a request that does not end. */
static int begin_slowly(uint32_t from)
{
    static const char part[] = "GET /livez HTTP/1.1\r\nHost: a\r\n";
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(from)};
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(serving_port(server)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&own, sizeof(own)), 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof(to)), 0);
    assert_int_equal(send(fd, part, sizeof(part) - 1, MSG_NOSIGNAL), sizeof(part) - 1);
    return fd;
}

/* Whether the server has closed the connection, or does within a moment. */
static bool is_closed(int fd)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    char byte;
    return poll(&one, 1, 200) == 1 && recv(fd, &byte, 1, 0) <= 0;
}

enum { SLOW = 70 };

/* One client that is slow on many connections keeps the latest of them, and others are answered. */
static void slow_client(void **state)
{
    (void)state;
    int slow[SLOW];
    int other = begin_slowly(INADDR_LOOPBACK + 1);
    for (int i = 0; i < SLOW; i++)
        slow[i] = begin_slowly(INADDR_LOOPBACK + 2);
    answers("/livez", 200, "ok");
    assert_false(is_closed(other));
    assert_true(is_closed(slow[0]));
    assert_true(is_closed(slow[SLOW - 17])); /* a client has 16 connections */
    assert_false(is_closed(slow[SLOW - 16]));
    assert_false(is_closed(slow[SLOW - 1]));
    assert_int_equal(send(slow[SLOW - 1], "\r\n", 2, MSG_NOSIGNAL), 2);
    struct pollfd one = {.fd = slow[SLOW - 1], .events = POLLIN};
    assert_int_equal(poll(&one, 1, 20000), 1);
    char answer[16] = "";
    assert_true(recv(one.fd, answer, sizeof(answer) - 1, 0) > 0);
    assert_string_equal(answer, "HTTP/1.1 200 OK");
    close(other);
    for (int i = 0; i < SLOW; i++)
        close(slow[i]);
}

/* Many clients that are slow: the slowest of them makes room. */
static void slow_clients(void **state)
{
    (void)state;
    int slow[SLOW];
    for (int i = 0; i < SLOW; i++)
        slow[i] = begin_slowly(INADDR_LOOPBACK + 1 + (uint32_t)i);
    answers("/livez", 200, "ok");
    assert_true(is_closed(slow[0]));
    assert_true(is_closed(slow[SLOW - 48])); /* there are 48, one of which was the page's */
    assert_false(is_closed(slow[SLOW - 47]));
    assert_false(is_closed(slow[SLOW - 1]));
    for (int i = 0; i < SLOW; i++)
        close(slow[i]);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A thousand slow connections, of one client and of many, delay no probe by more than a second. */
static void a_thousand_slow_connections(void **state)
{
    enum { THOUSAND = 1000, ROUND = 100 };
    static int slow[THOUSAND];
    serving_options options = options_of("127.0.0.1:0");
    (void)state;
    for (int tls = 0; tls < 2; tls++) {
        serving_stop(server);
        server = NULL;
        options.self_signed = tls == 1;
        assert_int_equal(serving_start(&options, &server, NULL), BERTH_OK);
        for (int i = 0; i < THOUSAND; i++) {
            slow[i] = begin_slowly(INADDR_LOOPBACK + 1 + (uint32_t)(i < 500 ? 0 : i));
            if (i % ROUND != ROUND - 1)
                continue;
            double began = seconds_now();
            assert_int_equal(ask(tls == 1 ? "https" : "http", "GET", "/livez"), 200);
            assert_true(seconds_now() - began < 1);
        }
        for (int i = 0; i < THOUSAND; i++)
            close(slow[i]);
    }
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(health),
        T(headers_of_pages),
        T(pages),
        T(debugging),
        T(from_elsewhere),
        T(addresses),
        T(over_tls),
        T(slow_client),
        T(slow_clients),
        T(self_signed),
        T(a_thousand_slow_connections),
    };
    curl_global_init(CURL_GLOBAL_DEFAULT);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    curl_global_cleanup();
    return failed != 0;
}
