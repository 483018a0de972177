/* Requests that wait until somebody has said whether they may be answered, and the credentials of
 * clients: tokens and certificates. */
#include "serving_client.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "live/serving/self_signed.h"

/* The last question, and the rule's answer to it. */
static struct {
    int times;
    char token[64], user[300], groups[1200], verb[32], path[64];
    unsigned status;
    const char *message;
    bool later;          /* answer on another thread */
    permission *waiting; /* answered by the test; NULL: none */
    bool hold;
} rule;

static bool is_open(void *context, const char *path)
{
    (void)context;
    return strcmp(path, "/livez") == 0;
}

static void *settle_later(void *context)
{
    usleep(20000);
    permission_settle(context, rule.status, rule.message);
    return NULL;
}

static void on_ask(void *context, const serving_client *client, permission *waits)
{
    (void)context;
    rule.times++;
    snprintf(rule.token, sizeof(rule.token), "%s", client->token != NULL ? client->token : "-");
    snprintf(rule.user, sizeof(rule.user), "%s", client->user != NULL ? client->user : "-");
    snprintf(rule.verb, sizeof(rule.verb), "%s", client->verb);
    snprintf(rule.path, sizeof(rule.path), "%s", client->path);
    rule.groups[0] = '\0';
    for (int i = 0; client->groups[i] != NULL; i++) {
        strncat(rule.groups, client->groups[i], sizeof(rule.groups) - strlen(rule.groups) - 1);
        strncat(rule.groups, ",", sizeof(rule.groups) - strlen(rule.groups) - 1);
    }
    pthread_t other;
    if (rule.hold)
        __atomic_store_n(&rule.waiting, waits, __ATOMIC_RELEASE);
    else if (!rule.later)
        permission_settle(waits, rule.status, rule.message);
    else if (pthread_create(&other, NULL, settle_later, waits) == 0)
        pthread_detach(other);
}

static const char *authority; /* file of the client authorities; NULL: none */

static void serve(bool tls)
{
    const serving_options options = {.address = "127.0.0.1:0",
                                     .self_signed = tls,
                                     .client_ca_file = authority,
                                     .permission = {is_open, on_ask, NULL},
                                     .metrics = counted,
                                     .context = counted};
    berth_error error = {.code = BERTH_OK};
    assert_int_equal(serving_start(&options, &server, &error), BERTH_OK);
}

static int start(void **state)
{
    (void)state;
    memset(&rule, 0, sizeof(rule));
    rule.status = 200;
    rule.message = "";
    counted = metrics_create(true);
    server = NULL;
    authority = NULL;
    return 0;
}

/* The credentials that the next requests send. */
static const char *header, *certificate, *key;

static long ask(const char *scheme, const char *method, const char *path)
{
    CURL *curl = request_to("127.0.0.1", scheme, method, path);
    struct curl_slist *headers = header != NULL ? curl_slist_append(NULL, header) : NULL;
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    if (strcmp(method, "PUT") == 0)
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, "3");
    if (certificate != NULL) {
        curl_easy_setopt(curl, CURLOPT_SSLCERT, certificate);
        curl_easy_setopt(curl, CURLOPT_SSLKEY, key);
    }
    const long status = answer_to(curl);
    curl_slist_free_all(headers);
    return status;
}

static void test_permitted(void **state)
{
    (void)state;
    for (int later = 0; later < 2; later++) {
        rule.later = later == 1;
        serve(later == 1);
        const char *scheme = later == 1 ? "https" : "http";
        rule.times = 0;
        assert_int_equal(ask(scheme, "GET", "/livez"), 200);
        assert_int_equal(rule.times, 0);
        assert_int_equal(ask(scheme, "GET", "/configz?a=b"), 200);
        assert_string_equal(body, "{\"componentconfig\":{}}");
        assert_int_equal(rule.times, 1);
        assert_string_equal(rule.path, "/configz");
        assert_string_equal(rule.verb, "get");
        assert_string_equal(rule.token, "-");
        assert_string_equal(rule.user, "-");
        assert_int_equal(ask(scheme, "PUT", "/debug/flags/v"), 200);
        assert_non_null(strstr(body, "verbosity to 3"));
        assert_string_equal(rule.verb, "put");
        assert_int_equal(ask(scheme, "GET", "/nothing"),
                         404); /* the rule is asked even so: it stays secret which paths exist */
        assert_int_equal(rule.times, 3);
        serving_stop(server);
        server = NULL;
    }
}

static void test_refused(void **state)
{
    (void)state;
    serve(false);
    rule.status = 403;
    rule.message = "forbidden: User \"x\" cannot get path \"/metrics\"";
    for (int later = 0; later < 2; later++) {
        rule.later = later == 1;
        assert_int_equal(ask("http", "GET", "/metrics"), 403);
        assert_string_equal(body, "{\n  \"kind\": \"Status\",\n  \"apiVersion\": \"v1\",\n"
                                  "  \"metadata\": {},\n  \"status\": \"Failure\",\n"
                                  "  \"message\": \"forbidden: User \\\"x\\\" cannot get path "
                                  "\\\"/metrics\\\"\",\n  \"reason\": \"Forbidden\",\n"
                                  "  \"details\": {},\n  \"code\": 403\n}");
    }
    rule.status = 401;
    rule.message = "Unauthorized";
    assert_int_equal(ask("http", "GET", "/metrics"), 401);
    assert_non_null(strstr(body, "\"reason\": \"Unauthorized\",\n  \"code\": 401\n}"));
    rule.status = 500;
    rule.message = "the API server answers 500";
    assert_int_equal(ask("http", "GET", "/metrics"), 500);
    assert_string_equal(body, "the API server answers 500");
    rule.status = 403;
    rule.message = "\xff";
    assert_int_equal(ask("http", "GET", "/metrics"), 403);
    assert_string_equal(body, "\xff");
    assert_int_equal(ask("http", "PUT", "/debug/flags/v"), 403);
}

/* Refusals in the words of the API server are JSON; the others are plain. */
static void test_types_of_refusals(void **state)
{
    static const struct {
        unsigned status;
        const char *message, *type;
    } cases[] = {
        {401, "Unauthorized", "application/json"},  {403, "forbidden", "application/json"},
        {403, "\xff", "text/plain; charset=utf-8"}, {500, "no", "text/plain; charset=utf-8"},
        {429, "no", "text/plain; charset=utf-8"},
    };
    (void)state;
    serve(false);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *type = NULL;
        rule.status = cases[i].status;
        rule.message = cases[i].message;
        CURL *curl = request_to("127.0.0.1", "http", "GET", "/configz");
        body_bytes = 0;
        assert_int_equal(curl_easy_perform(curl), CURLE_OK);
        curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &type);
        assert_non_null(type);
        assert_string_equal(type, cases[i].type);
        curl_easy_cleanup(curl);
    }
}

static void test_tokens(void **state)
{
    (void)state;
    static const struct {
        const char *header, *token;
    } cases[] = {{"Authorization: Bearer abc", "abc"},    {"Authorization: bearer abc", "abc"},
                 {"Authorization: Bearer   abc", "-"},    {"Authorization: Bearer abc def", "abc"},
                 {"Authorization:  Bearer abc  ", "abc"}, {"Authorization: Bearer ", "-"},
                 {"Authorization: Bearer", "-"},          {"Authorization: Basic abc", "-"},
                 {"Authorization: Bearerabc", "-"},       {"Authorization: Bearer a", "a"}};
    serve(false);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        header = cases[i].header;
        assert_int_equal(ask("http", "GET", "/configz"), 200);
        assert_string_equal(rule.token, cases[i].token);
    }
    header = NULL;
}

/* A verb is a method in small letters, of which fifteen count: a longer one is no shorter verb. */
static void test_verbs(void **state)
{
    static const struct {
        const char *method, *verb;
    } cases[] = {{"HEAD", "head"},
                 {"Get", "get"},
                 {"ABCDEFGHIJKLMN", "abcdefghijklmn"},
                 {"ABCDEFGHIJKLMNO", "abcdefghijklmno"},
                 {"ABCDEFGHIJKLMNOP", "abcdefghijklmno"},
                 {"ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmno"}};
    (void)state;
    serve(false);
    rule.status = 403;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        CURL *curl = request_to("127.0.0.1", "http", cases[i].method, "/configz");
        curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
        (void)answer_to(curl);
        assert_string_equal(rule.verb, cases[i].verb);
    }
}

static void *ask_configz(void *status)
{
    *(long *)status = ask("http", "GET", "/configz");
    return NULL;
}

/* While one request waits, others are served; it is answered before the server stops. */
static void test_others_are_served(void **state)
{
    (void)state;
    pthread_t waiter;
    long status = 0;
    serve(false);
    rule.hold = true;
    assert_int_equal(pthread_create(&waiter, NULL, ask_configz, &status), 0);
    permission *waiting = NULL;
    for (int i = 0; i < 1000 && waiting == NULL; i++) {
        usleep(10000);
        waiting = __atomic_load_n(&rule.waiting, __ATOMIC_ACQUIRE);
    }
    assert_non_null(waiting);
    CURL *curl = curl_easy_init();
    char url[64];
    snprintf(url, sizeof(url), "http://127.0.0.1:%d/livez", serving_port(server));
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, 20L);
    assert_int_equal(curl_easy_perform(curl), CURLE_OK);
    curl_easy_cleanup(curl);
    permission_settle(waiting, 503, "the scheduler is ending");
    pthread_join(waiter, NULL);
    assert_int_equal(status, 503);
}

/* ---- certificates ---- */

static char folder[] = "/tmp/berth-permission-XXXXXX";

static const char *in_folder(const char *name)
{
    static char paths[8][96];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

static bool openssl(const char *arguments)
{
    char command[2048];
    snprintf(command, sizeof(command), "cd %s && openssl %s 2>/dev/null", folder, arguments);
    return system(command) == 0;
}

/* Make NAME.pem and NAME.key, signed by SIGNER. */
static bool sign(const char *name, const char *signer, const char *subject, const char *extension,
                 const char *days)
{
    char arguments[1600];
    snprintf(arguments, sizeof(arguments),
             "req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj '%s' "
             "-keyout %s.key -out %s.csr",
             subject, name, name);
    FILE *file = fopen(in_folder("extension"), "we");
    if (!openssl(arguments) || file == NULL)
        return false;
    fprintf(file, "basicConstraints = CA:FALSE\n%s\n", extension);
    fclose(file);
    snprintf(arguments, sizeof(arguments),
             "x509 -req -in %s.csr -CA %s.pem -CAkey %s.key -CAcreateserial -days %s "
             "-extfile extension -out %s.pem",
             name, signer, signer, days, name);
    return openssl(arguments);
}

static bool make_authority(const char *name)
{
    char arguments[300];
    snprintf(arguments, sizeof(arguments),
             "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
             "-subj /CN=%s -keyout %s.key -out %s.pem",
             name, name, name);
    return openssl(arguments);
}

static bool make_certificates(void)
{
    static const char client[] = "extendedKeyUsage = clientAuth";
    char many[1200] = "/CN=many";
    for (int i = 0; i < CERTIFICATE_GROUPS_MAX + 1; i++)
        snprintf(many + strlen(many), sizeof(many) - strlen(many), "/O=group%d", i);
    char fits[1200];
    snprintf(fits, sizeof(fits), "%.*s", (int)(strrchr(many, '/') - many), many);
    return make_authority("ours") && make_authority("foreign") &&
           sign("jane", "ours", "/O=ops/O=dev/CN=jane", client, "1") &&
           sign("many", "ours", many, client, "1") && sign("fits", "ours", fits, client, "1") &&
           sign("server", "ours", "/CN=server", "extendedKeyUsage = serverAuth", "1") &&
           sign("comma", "ours", "/O=Acme, Inc./CN=first/CN= a, b", client, "1") &&
           sign("any", "ours", "/CN=any", "extendedKeyUsage = anyExtendedKeyUsage", "1") &&
           sign("plain", "ours", "/CN=plain", "", "1") &&
           sign("nobody", "ours", "/O=ops", client, "1") &&
           sign("expired", "ours", "/CN=expired", client, "-1") &&
           sign("stranger", "foreign", "/CN=stranger", client, "1");
}

static char certificate_path[96], key_path[96];

static long ask_with(const char *name)
{
    snprintf(certificate_path, sizeof(certificate_path), "%s/%s.pem", folder, name);
    snprintf(key_path, sizeof(key_path), "%s/%s.key", folder, name);
    certificate = certificate_path;
    key = key_path;
    strcpy(rule.user, "unasked");
    long status = ask("https", "GET", "/configz");
    certificate = key = NULL;
    return status;
}

static void names(const char *name, const char *user, const char *groups)
{
    assert_int_equal(ask_with(name), 200);
    assert_string_equal(rule.user, user);
    assert_string_equal(rule.groups, groups);
}

/* Not valid: 401 without a question; with a token, the token counts. */
static void is_invalid(const char *name)
{
    const int times = rule.times;
    assert_int_equal(ask_with(name), 401);
    assert_int_equal(rule.times, times);
    header = "Authorization: Bearer abc";
    names(name, "-", "");
    assert_string_equal(rule.token, "abc");
    header = NULL;
}

static void test_certificates(void **state)
{
    (void)state;
    char command[128], groups[1200] = "";
    assert_non_null(mkdtemp(folder));
    const bool made = make_certificates();
    if (made) {
        authority = in_folder("ours.pem");
        serve(true);
        names("jane", "jane", "ops,dev,");
        names("any", "any", "");
        names("plain", "plain", "");
        names("nobody", "-", "");
        names("comma", " a, b", "Acme, Inc.,");
        for (int i = 0; i < CERTIFICATE_GROUPS_MAX; i++)
            snprintf(groups + strlen(groups), sizeof(groups) - strlen(groups), "group%d,", i);
        names("fits", "many", groups);
        is_invalid("many");
        is_invalid("server");
        is_invalid("expired");
        is_invalid("stranger");
        assert_int_equal(ask("https", "GET", "/configz"), 200); /* without one */
        assert_string_equal(rule.user, "-");
        serving_stop(server);
        server = NULL;
        authority = NULL;
        serve(true);
        names("jane", "-", ""); /* no authority is set: certificates do not count */
    }
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    if (!made)
        skip(); /* needs openssl to make certificates */
}

static void test_authority_file(void **state)
{
    (void)state;
    berth_error error = {.code = BERTH_OK};
    const serving_options options = {.address = "127.0.0.1:0",
                                     .self_signed = true,
                                     .client_ca_file = "/nowhere/ca",
                                     .metrics = counted};
    assert_int_equal(serving_start(&options, &server, &error), BERTH_E_IO);
    char text[1024];
    berth_error_format(&error, text, sizeof(text));
    assert_non_null(strstr(text, "/nowhere/ca: can't be read"));
}

/* A text without a certificate is none of authorities: nobody's certificate could be checked. */
static void test_authorities(void **state)
{
    char *pem = NULL, *pem_key = NULL, two[8192];
    berth_error error = {.code = BERTH_OK};
    (void)state;
    assert_int_equal(self_signed_make("10.0.0.1", &pem, &pem_key, &error), BERTH_OK);
    assert_true(client_authority_good(pem));
    snprintf(two, sizeof(two), "%s\n%s", pem, pem);
    assert_true(client_authority_good(two));
    assert_false(client_authority_good(""));
    assert_false(client_authority_good("-----BEGIN CERTIFICATE-----"));
    assert_false(client_authority_good(pem_key));
    free(pem);
    free(pem_key);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(test_permitted),    T(test_refused),        T(test_types_of_refusals),
        T(test_tokens),       T(test_verbs),          T(test_others_are_served),
        T(test_certificates), T(test_authority_file), T(test_authorities),
    };
    curl_global_init(CURL_GLOBAL_DEFAULT);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    curl_global_cleanup();
    return failed != 0;
}
