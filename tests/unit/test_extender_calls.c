/* Extenders over HTTP on loopback: the questions to the byte, what the answers do, and every way in
 * which a call fails. The server has no thread: it has its turns while libcurl would wait. */
#include "rule_cluster.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <microhttpd.h>
#include <unistd.h>

#include "live/extenders/extender_http.h"
#include "live/extenders/extender_questions.h"
#include "live/extenders/extenders.h"

/* ---- the extender's server ---- */

static struct {
    char path[64], type[64], method[8], body[4096];
    size_t bytes;
    int calls;
    bool authorized; /* a token was sent */
} asked;

static struct {
    const char *body;
    unsigned status;
    bool silent; /* the answer never begins */
} reply;

static struct MHD_Daemon *web;
static berth_scheduler_config *config;
static extenders *all;
static object_texts *texts;
static berth_error error;
static int waits, gives_up_at;

static ssize_t give_nothing(void *context, uint64_t at, char *out, size_t room)
{
    (void)context;
    (void)at;
    (void)out;
    (void)room;
    return 0; /* nothing yet */
}

static struct MHD_Response *make_reply(void)
{
    if (reply.silent)
        return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16, give_nothing, NULL, NULL);
    return MHD_create_response_from_buffer(strlen(reply.body), (void *)(uintptr_t)reply.body,
                                           MHD_RESPMEM_MUST_COPY);
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection,
                                  const char *path, const char *method, const char *version,
                                  const char *bytes, size_t *count, void **state)
{
    static int begun;
    (void)context;
    (void)version;
    if (*state == NULL) {
        const char *type = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Type");
        *state = &begun;
        asked.bytes = 0;
        snprintf(asked.path, sizeof(asked.path), "%s", path);
        snprintf(asked.method, sizeof(asked.method), "%s", method);
        snprintf(asked.type, sizeof(asked.type), "%s", type != NULL ? type : "");
        asked.authorized =
            MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization") != NULL;
        return MHD_YES;
    }
    if (*count > 0) {
        if (*count >= sizeof(asked.body) - asked.bytes)
            return MHD_NO;
        memcpy(asked.body + asked.bytes, bytes, *count);
        asked.bytes += *count;
        *count = 0;
        return MHD_YES;
    }
    asked.body[asked.bytes] = '\0';
    asked.calls++;
    struct MHD_Response *response = make_reply();
    const enum MHD_Result result = MHD_queue_response(connection, reply.status, response);
    MHD_destroy_response(response);
    return result;
}

CURLMcode __wrap_curl_multi_poll(CURLM *multi, struct curl_waitfd *more, unsigned count,
                                 int timeout_ms, int *found);
CURLMcode __wrap_curl_multi_poll(CURLM *multi, struct curl_waitfd *more, unsigned count,
                                 int timeout_ms, int *found)
{
    (void)multi;
    (void)more;
    (void)count;
    (void)found;
    assert_in_range(timeout_ms, 1, 1000); /* the caller is asked once a second at least */
    assert_int_equal(MHD_run(web), MHD_YES);
    return CURLM_OK;
}

/* ---- questions of any length ---- */

static struct {
    size_t bytes; /* the length that questions pretend to have; 0: their own */
    uint32_t posted;
} huge;

extender_question __real_extender_question_about_nodes(const extender_world *world,
                                                       berth_pod_id pod, const berth_node_id *nodes,
                                                       uint32_t count, bool by_name);
extender_question __wrap_extender_question_about_nodes(const extender_world *world,
                                                       berth_pod_id pod, const berth_node_id *nodes,
                                                       uint32_t count, bool by_name);
bool __real_extender_http_post(extender_http *http, const char *verb, berth_str body,
                               berth_str *answer, berth_error *problem);
bool __wrap_extender_http_post(extender_http *http, const char *verb, berth_str body,
                               berth_str *answer, berth_error *problem);

extender_question __wrap_extender_question_about_nodes(const extender_world *world,
                                                       berth_pod_id pod, const berth_node_id *nodes,
                                                       uint32_t count, bool by_name)
{
    extender_question q = __real_extender_question_about_nodes(world, pod, nodes, count, by_name);
    if (huge.bytes > 0)
        q.bytes = huge.bytes;
    return q;
}

bool __wrap_extender_http_post(extender_http *http, const char *verb, berth_str body,
                               berth_str *answer, berth_error *problem)
{
    if (huge.bytes == 0)
        return __real_extender_http_post(http, verb, body, answer, problem);
    huge.posted = body.len;
    snprintf(problem->message, sizeof(problem->message), "posted");
    return false;
}

/* ---- the cluster ---- */

static small_cluster c;
static berth_node_id a, b, d;
static berth_pod_id pending, first, second, third;

static bool goes_on(void *context)
{
    assert_ptr_equal(context, &waits);
    return ++waits != gives_up_at;
}

static void see(berth_kind kind, const char *text)
{
    object_view view = {.hash = 0};
    assert_true(object_view_read(&view, kind, text, strlen(text)));
    object_texts_put(texts, kind, &view, (berth_str){text, (uint32_t)strlen(text)});
    object_view_free(&view);
}

/* Opens the extenders of a list; %s in it is the address of the server. */
static void open_list(const char *list)
{
    char path[] = "/tmp/berth_calls.XXXXXX", url[64];
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    snprintf(url, sizeof(url), "http://127.0.0.1:%d/x",
             MHD_get_daemon_info(web, MHD_DAEMON_INFO_BIND_PORT)->port);
    fputs("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
          "extenders: ",
          file);
    for (const char *at = list, *mark; at != NULL; at = mark != NULL ? mark + 2 : NULL) {
        mark = strstr(at, "%s");
        fprintf(file, "%.*s%s", mark != NULL ? (int)(mark - at) : (int)strlen(at), at,
                mark != NULL ? url : "\n");
    }
    assert_int_equal(fclose(file), 0);
    small_require(berth_scheduler_config_file_with_extenders(path, 0, &config, &error), &error);
    assert_int_equal(unlink(path), 0);
    small_require(extenders_create(config, (extender_wait){goes_on, &waits}, &all, &error), &error);
    assert_non_null(all);
    texts = object_texts_create(extenders_policy(all));
    extenders_attach(all, c.engine, texts);
}

static void close_list(void)
{
    extenders_destroy(all);
    object_texts_destroy(texts);
    berth_scheduler_config_destroy(config);
    all = NULL;
    texts = NULL;
    config = NULL;
}

static const berth_extender *table(uint32_t which)
{
    uint32_t count;
    const berth_extender *const *tables = extenders_tables(all, &count);
    assert_true(which < count);
    return tables[which];
}

static int start(void **state)
{
    static const char *const proxies[] = {"http_proxy", "all_proxy", "ALL_PROXY"};
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    (void)state;
    for (size_t i = 0; i < sizeof(proxies) / sizeof(proxies[0]); i++)
        unsetenv(proxies[i]);
    memset(&asked, 0, sizeof(asked));
    reply.body = "{}";
    reply.status = 200;
    reply.silent = false;
    waits = gives_up_at = 0;
    assert_true(curl_transport_setup());
    web = MHD_start_daemon(MHD_NO_FLAG, 0, NULL, NULL, on_request, NULL, MHD_OPTION_SOCK_ADDR, &any,
                           MHD_OPTION_END);
    assert_non_null(web);
    small_open(&c, NULL);
    a = (berth_node_id)small_add(&c, "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n");
    b = (berth_node_id)small_add(&c, "apiVersion: v1\nkind: Node\nmetadata: {name: b}\n");
    d = (berth_node_id)small_add(&c, "apiVersion: v1\nkind: Node\nmetadata: {name: d}\n");
    static const char pod[] = "apiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: s}\n"
                              "spec: {%scontainers: [{name: c, image: i}]}\n";
    pending = (berth_pod_id)small_addf(&c, pod, "p", "");
    first = (berth_pod_id)small_addf(&c, pod, "r1", "nodeName: a, ");
    second = (berth_pod_id)small_addf(&c, pod, "r2", "nodeName: b, ");
    third = (berth_pod_id)small_addf(&c, pod, "r3", "nodeName: d, ");
    return 0;
}

static int stop(void **state)
{
    (void)state;
    close_list();
    small_close(&c);
    MHD_stop_daemon(web);
    return 0;
}

#define P "{\"metadata\":{\"name\":\"p\",\"namespace\":\"s\",\"uid\":\"u-p\"}}"
#define R1                                                                  \
    "{\"metadata\":{\"name\":\"r1\",\"namespace\":\"s\",\"uid\":\"u-r1\"}," \
    "\"spec\":{\"nodeName\":\"a\"}}"
#define R2                                                                  \
    "{\"metadata\":{\"name\":\"r2\",\"namespace\":\"s\",\"uid\":\"u-r2\"}," \
    "\"spec\":{\"nodeName\":\"b\"}}"
#define R3                                                                  \
    "{\"metadata\":{\"name\":\"r3\",\"namespace\":\"s\",\"uid\":\"u-r3\"}," \
    "\"spec\":{\"nodeName\":\"d\"}}"
#define A "{\"metadata\":{\"name\":\"a\",\"uid\":\"u\"}}"

static void see_pending(void)
{
    see(BERTH_KIND_POD, P);
}

static void see_running(void)
{
    see(BERTH_KIND_POD, R1);
    see(BERTH_KIND_POD, R2);
    see(BERTH_KIND_POD, R3);
}

static berth_extender_verdict verdicts[2];
static berth_str reasons[2];

static berth_status filter(void)
{
    const berth_node_id nodes[] = {a, b};
    memset(verdicts, 0, sizeof(verdicts));
    memset(&error, 0, sizeof(error));
    return table(0)->filter(table(0)->context, pending, nodes, 2, verdicts, reasons, &error);
}

static void is_asked(const char *path, const char *body)
{
    assert_string_equal(asked.method, "POST");
    assert_string_equal(asked.path, path);
    assert_string_equal(asked.type, "application/json");
    assert_false(asked.authorized);
    assert_string_equal(asked.body, body);
}

/* ---- questions ---- */

static void nodes_by_name(void **state)
{
    (void)state;
    open_list("[{urlPrefix: '%s', filterVerb: f, nodeCacheCapable: true}]");
    assert_false(extenders_policy(all).nodes);
    see_pending();
    reply.body = "{\"NodeNames\":[\"b\"],\"FailedNodes\":{\"a\":\"too hot\"}}";
    assert_int_equal(filter(), BERTH_OK);
    is_asked("/x/f", "{\"Pod\":" P ",\"Nodes\":null,\"NodeNames\":[\"a\",\"b\"]}");
    assert_int_equal(verdicts[0], BERTH_EXTENDER_REFUSES);
    assert_int_equal(verdicts[1], BERTH_EXTENDER_KEEPS);
    assert_int_equal(reasons[0].len, strlen("too hot"));
    assert_memory_equal(reasons[0].data, "too hot", reasons[0].len);
}

/* A node whose object is not known has its name alone. */
static void nodes_as_objects(void **state)
{
    (void)state;
    open_list("[{urlPrefix: '%s', filterVerb: f}]");
    assert_true(extenders_policy(all).nodes);
    assert_false(extenders_policy(all).running_uids || extenders_policy(all).running_pods);
    see_pending();
    see(BERTH_KIND_NODE, A);
    reply.body = "{\"Nodes\":{\"items\":[{\"metadata\":{\"name\":\"a\"}}]},\"NodeNames\":[\"b\"]}";
    assert_int_equal(filter(), BERTH_OK);
    is_asked("/x/f", "{\"Pod\":" P ",\"Nodes\":{\"metadata\":{},\"items\":[" A
                     ",{\"metadata\":{\"name\":\"b\"}}]},\"NodeNames\":null}");
    assert_int_equal(verdicts[0], BERTH_EXTENDER_KEEPS);
    assert_int_equal(verdicts[1], BERTH_EXTENDER_LEAVES_OUT);
}

static void scores(void **state)
{
    const berth_node_id nodes[] = {d, b, a};
    int64_t scores[] = {BERTH_EXTENDER_NO_SCORE, BERTH_EXTENDER_NO_SCORE, BERTH_EXTENDER_NO_SCORE};
    (void)state;
    open_list("[{urlPrefix: '%s', prioritizeVerb: p, weight: 3}]");
    assert_true(extenders_policy(all).nodes);
    assert_int_equal(table(0)->weight, 3);
    assert_null(table(0)->filter);
    assert_null(table(0)->preempt);
    see_pending();
    reply.body = "[{\"Host\":\"a\",\"Score\":4}]";
    assert_int_equal(table(0)->prioritize(table(0)->context, pending, nodes, 3, scores, &error),
                     BERTH_OK);
    is_asked("/x/p", "{\"Pod\":" P ",\"Nodes\":{\"metadata\":{},\"items\":["
                     "{\"metadata\":{\"name\":\"d\"}},{\"metadata\":{\"name\":\"b\"}},"
                     "{\"metadata\":{\"name\":\"a\"}}]},"
                     "\"NodeNames\":null}");
    assert_true(scores[0] == BERTH_EXTENDER_NO_SCORE);
    assert_true(scores[1] == BERTH_EXTENDER_NO_SCORE);
    assert_int_equal(scores[2], 4);
}

/* Nothing is asked about a pod that is gone. */
static void a_pod_that_is_gone(void **state)
{
    (void)state;
    open_list("[{urlPrefix: '%s', filterVerb: f}]");
    assert_int_equal(filter(), BERTH_E_INVALID);
    assert_string_equal(error.message, "the pod is gone");
    assert_int_equal(asked.calls, 0);
}

/* A question has at most as many bytes as a text may have. */
static void a_huge_question(void **state)
{
    (void)state;
    open_list("[{urlPrefix: '%s', filterVerb: f}]");
    see_pending();
    huge.posted = 0;
    huge.bytes = UINT32_MAX;
    assert_int_equal(filter(), BERTH_E_INVALID);
    assert_string_equal(error.message, "posted");
    assert_int_equal(huge.posted, UINT32_MAX);
    huge.posted = 0;
    huge.bytes = (size_t)UINT32_MAX + 1;
    assert_int_equal(filter(), BERTH_E_INVALID);
    assert_string_equal(error.message, "a question of more than 4 GiB");
    assert_int_equal(huge.posted, 0);
    huge.bytes = 0;
}

/* ---- victims ---- */

static const berth_extender_victims *kept;
static uint32_t kept_count;

static berth_status preempt(void)
{
    const berth_extender_victims candidates[] = {
        {.node = a, .pods = &first, .pod_count = 1, .budget_violations = 2},
        {.node = b, .pods = &second, .pod_count = 1}};
    kept = NULL;
    kept_count = 77;
    memset(&error, 0, sizeof(error));
    return table(0)->preempt(table(0)->context, pending, candidates, 2, &kept, &kept_count, &error);
}

static void victims_by_uid(void **state)
{
    (void)state;
    open_list("[{urlPrefix: '%s', preemptVerb: v, nodeCacheCapable: true}]");
    assert_true(extenders_policy(all).running_uids);
    assert_false(extenders_policy(all).running_pods || extenders_policy(all).nodes);
    see_pending();
    see(BERTH_KIND_POD, R1);
    assert_int_equal(preempt(), BERTH_OK);
    is_asked("/x/v", "{\"Pod\":" P ",\"NodeNameToVictims\":null,"
                     "\"NodeNameToMetaVictims\":{"
                     "\"a\":{\"Pods\":[{\"UID\":\"u-r1\"}],\"NumPDBViolations\":2},"
                     "\"b\":{\"Pods\":[{\"UID\":\"\"}],\"NumPDBViolations\":0}}}");
    assert_int_equal(kept_count, 0);
}

static void victims_as_objects(void **state)
{
    (void)state;
    open_list("[{urlPrefix: '%s', preemptVerb: v}]");
    assert_true(extenders_policy(all).running_pods);
    assert_false(extenders_policy(all).nodes);
    see_pending();
    see(BERTH_KIND_POD, R1);
    assert_int_equal(preempt(), BERTH_OK);
    is_asked("/x/v", "{\"Pod\":" P ",\"NodeNameToVictims\":{\"a\":{\"Pods\":[" R1
                     "],\"NumPDBViolations\":2},"
                     "\"b\":{\"Pods\":[null],"
                     "\"NumPDBViolations\":0}},"
                     "\"NodeNameToMetaVictims\":null}");
}

/* The answer's victims are pods of the node that it names them on, each node with its own. */
static void victims_that_are_chosen(void **state)
{
    (void)state;
    open_list("[{urlPrefix: '%s', preemptVerb: v}]");
    see_pending();
    see_running();
    reply.body = "{\"NodeNameToMetaVictims\":{\"b\":{\"Pods\":[{\"UID\":\"u-r2\"}],"
                 "\"NumPDBViolations\":1},\"a\":{\"Pods\":[{\"UID\":\"u-r1\"},"
                 "{\"UID\":\"u-r1\"}]},\"d\":{\"Pods\":[{\"UID\":\"u-r3\"}]}}}";
    assert_int_equal(preempt(), BERTH_OK);
    assert_int_equal(kept_count, 3);
    assert_int_equal(kept[0].node, b);
    assert_int_equal(kept[0].pod_count, 1);
    assert_int_equal(kept[0].pods[0], second);
    assert_int_equal(kept[0].budget_violations, 1);
    assert_int_equal(kept[1].node, a);
    assert_int_equal(kept[1].pod_count, 2);
    assert_int_equal(kept[1].pods[0], first);
    assert_int_equal(kept[1].pods[1], first);
    assert_int_equal(kept[1].budget_violations, 0);
    assert_int_equal(kept[2].node, d);
    assert_int_equal(kept[2].pod_count, 1);
    assert_int_equal(kept[2].pods[0], third);
}

static void victims_that_are_not_there(void **state)
{
    char wanted[256];
    (void)state;
    open_list("[{urlPrefix: '%s', preemptVerb: v}]");
    see_pending();
    see_running();
    reply.body = "{\"NodeNameToMetaVictims\":{\"z\":{\"Pods\":[]}}}";
    assert_int_equal(preempt(), BERTH_E_INVALID);
    assert_string_equal(error.message, "nodeinfo not found for node name \"z\"");
    assert_int_equal(kept_count, 77);
    reply.body = "{\"NodeNameToMetaVictims\":{\"a\":{\"Pods\":[{\"UID\":\"u-r1\"},"
                 "{\"UID\":\"u-r2\"},{\"UID\":\"u-r1\"}]}}}";
    assert_int_equal(preempt(), BERTH_E_INVALID);
    snprintf(wanted, sizeof(wanted),
             "extender: %.*s claims to preempt pod (UID: &{u-r2}) on node: a, but the pod is not "
             "found on that node",
             (int)table(0)->name.len, table(0)->name.data);
    assert_string_equal(error.message, wanted);
    assert_int_equal(kept_count, 77);
}

/* ---- failures ---- */

static void failures(void **state)
{
    static const struct {
        unsigned status;
        const char *body, *why;
    } cases[] = {
        {201, "{}", "failed f with extender at URL http://127.0.0.1:"},
        {404, "{}", "/x/f, code 404"},
        {500, "{}", "/x/f, code 500"},
        {200, "no JSON", "the extender's answer is no JSON"},
        {200, "{\"Error\":\"on fire\"}", "on fire"},
        {200, "{\"NodeNames\":[\"z\"]}", "claims a filtered node \"z\""},
    };
    (void)state;
    open_list("[{urlPrefix: '%s', filterVerb: f, nodeCacheCapable: true}]");
    see_pending();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        reply.status = cases[i].status;
        reply.body = cases[i].body;
        assert_int_equal(filter(), BERTH_E_INVALID);
        if (strstr(error.message, cases[i].why) == NULL)
            fail_msg("'%s' lacks '%s'", error.message, cases[i].why);
    }
    reply.status = 200;
    reply.body = "{\"NodeNames\":[\"a\"]}";
    assert_int_equal(filter(), BERTH_OK); /* the next call is not harmed */
    assert_int_equal(verdicts[0], BERTH_EXTENDER_KEEPS);
    assert_int_equal(verdicts[1], BERTH_EXTENDER_LEAVES_OUT);
}

/* An answer that does not come ends a call when its time is over, or when the caller gives up. */
static void silence(void **state)
{
    (void)state;
    open_list("[{urlPrefix: '%s', filterVerb: f, httpTimeout: 50ms}]");
    see_pending();
    reply.silent = true;
    assert_int_equal(filter(), BERTH_E_INVALID);
    assert_non_null(strstr(error.message, "Post \"http://127.0.0.1:"));
    assert_non_null(strstr(error.message, "/x/f\": "));
    assert_true(waits > 0);
    close_list();
    open_list("[{urlPrefix: '%s', filterVerb: f, httpTimeout: 10m}]");
    see_pending();
    gives_up_at = waits + 3;
    assert_int_equal(filter(), BERTH_E_INVALID);
    assert_int_equal(waits, gives_up_at);
}

/* ---- the list ---- */

/* Extenders without a verb for decisions have no table; the one that binds is set apart. */
static void the_list(void **state)
{
    uint32_t count;
    (void)state;
    open_list("[{urlPrefix: 'http://only-binds/', bindVerb: bind, httpTimeout: 7s,"
              " ignorable: true, managedResources: [{name: x.com/gpu}]},"
              " {urlPrefix: '%s', filterVerb: f, ignorable: true, nodeCacheCapable: true},"
              " {urlPrefix: '%s', preemptVerb: v}]");
    (void)extenders_tables(all, &count);
    assert_int_equal(count, 2);
    assert_int_equal(table(0)->flags, BERTH_EXTENDER_IGNORABLE);
    assert_non_null(table(0)->filter);
    assert_null(table(0)->prioritize);
    assert_null(table(0)->preempt);
    assert_int_equal(table(1)->flags, 0);
    assert_null(table(1)->filter);
    assert_non_null(table(1)->preempt);
    const extender_binder *binder = extenders_binder(all);
    assert_string_equal(binder->path, "/bind");
    assert_string_equal(binder->access.server.server, "http://only-binds/");
    assert_int_equal(binder->timeout_ns, INT64_C(7000000000));
    assert_true(binder->ignorable);
    assert_false(extenders_bind(all, pending)); /* it asks for none of the resources */
    see(BERTH_KIND_POD,
        "{\"metadata\":{\"name\":\"p\",\"namespace\":\"s\"},\"spec\":{\"containers\":"
        "[{\"resources\":{\"limits\":{\"x.com/gpu\":\"1\"}}}]}}");
    assert_true(extenders_bind(all, pending));
    close_list();
    open_list("[{urlPrefix: '%s', bindVerb: bind}]");
    assert_false(extenders_binder(all)->ignorable);
    assert_true(extenders_bind(all, pending)); /* all pods */
    close_list();
    open_list("[{urlPrefix: '%s', filterVerb: f}]");
    assert_null(extenders_binder(all));
    assert_false(extenders_bind(all, pending));
    assert_false(extenders_bind(NULL, pending));
}

/* What one extender needs stays needed, whatever the later ones do. */
static void what_all_need(void **state)
{
    (void)state;
    open_list("[{urlPrefix: '%s', filterVerb: f}, {urlPrefix: '%s', prioritizeVerb: p, weight: 1,"
              " nodeCacheCapable: true}]");
    assert_true(extenders_policy(all).nodes);
    close_list();
    open_list("[{urlPrefix: '%s', preemptVerb: v}, {urlPrefix: '%s', filterVerb: f,"
              " nodeCacheCapable: true}]");
    assert_true(extenders_policy(all).running_pods && extenders_policy(all).running_uids);
    assert_false(extenders_policy(all).nodes);
}

static void wrong_lists(void **state)
{
    extenders *none = all;
    char path[] = "/tmp/berth_calls.XXXXXX";
    (void)state;
    assert_int_equal(extenders_create(NULL, (extender_wait){NULL, NULL}, &none, &error), BERTH_OK);
    assert_null(none);
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fputs("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
          "extenders: [{urlPrefix: 'http://x', filterVerb: f}, {urlPrefix: 'https://y',"
          " bindVerb: b, tlsConfig: {insecure: true, caFile: /ca}}]\n",
          file);
    assert_int_equal(fclose(file), 0);
    small_require(berth_scheduler_config_file_with_extenders(path, 0, &config, &error), &error);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(extenders_create(config, (extender_wait){NULL, NULL}, &none, &error),
                     BERTH_E_INVALID);
    assert_null(none);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(nodes_by_name),
        T(nodes_as_objects),
        T(scores),
        T(a_pod_that_is_gone),
        T(a_huge_question),
        T(victims_by_uid),
        T(victims_as_objects),
        T(victims_that_are_chosen),
        T(victims_that_are_not_there),
        T(failures),
        T(silence),
        T(the_list),
        T(what_all_need),
        T(wrong_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
