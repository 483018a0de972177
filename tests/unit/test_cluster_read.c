/* Reading a cluster once: which lists are requested, what is written of them, and what becomes of
 * answers that a server should not give. The linker gives the requests and the file in memory to
 * the test. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <cmocka.h>
#include <fcntl.h>

#include "cli/progress.h"
#include "live/read/api_reads.h"
#include "live/read/cluster_read.h"

/* ---- a server ---- */

typedef struct page {
    const char *path;
    int status; /* 0: no answer */
    const char *body;
    const char *broken; /* what came of an attempt before; NULL: there was none */
} page;

static const page *pages; /* in the order of their requests */
static size_t page_count, page_at;
static bool no_kubeconfig, no_file, no_stream, no_space, no_mapping;

berth_status __wrap_api_reads_open(api_reads *reads, const kubeconfig_search *search,
                                   berth_error *error);
berth_status __wrap_api_reads_open(api_reads *reads, const kubeconfig_search *search,
                                   berth_error *error)
{
    static char server[] = "https://h", namespace_name[] = "ns";
    assert_string_equal(search->path, "config");
    assert_string_equal(search->choice.context, "c");
    assert_true(search->home);
    *reads = (api_reads){.config.access.server = server, .config.namespace_name = namespace_name};
    error->code = BERTH_E_NOT_FOUND;
    return no_kubeconfig ? BERTH_E_NOT_FOUND : BERTH_OK;
}

void __wrap_api_reads_close(api_reads *reads);
void __wrap_api_reads_close(api_reads *reads)
{
    (void)reads;
}

static void hand_over(const char *text, live_data_fn data, void *context)
{
    const size_t count = strlen(text), half = count / 2;
    if (data(context, text, half)) /* as it comes: in pieces */
        (void)data(context, text + half, count - half);
}

api_answer __wrap_api_reads_get(api_reads *reads, const char *path, live_data_fn data,
                                void (*restart)(void *context), void *context);
api_answer __wrap_api_reads_get(api_reads *reads, const char *path, live_data_fn data,
                                void (*restart)(void *context), void *context)
{
    (void)reads;
    if (page_at == page_count)
        fail_msg("nobody expects a request for %s", path);
    const page *p = &pages[page_at++];
    assert_string_equal(path, p->path);
    if (p->broken != NULL) {
        hand_over(p->broken, data, context);
        restart(context);
    }
    if (p->status == 200 && data != NULL)
        hand_over(p->body, data, context);
    const bool collected = data == NULL || p->status != 200;
    const char *body = collected && p->body != NULL ? p->body : "";
    return (api_answer){.answered = p->status != 0,
                        .status = p->status,
                        .body = {body, (uint32_t)strlen(body)},
                        .why = "nobody is there"};
}

/* ---- a file in memory ---- */

int __real_memfd_create(const char *name, unsigned int flags);
int __wrap_memfd_create(const char *name, unsigned int flags);
int __wrap_memfd_create(const char *name, unsigned int flags)
{
    return no_file ? -1 : __real_memfd_create(name, flags);
}

FILE *__real_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode)
{
    return no_stream ? NULL : __real_fdopen(fd, mode);
}

int __real_ftruncate(int fd, off_t length);
int __wrap_ftruncate(int fd, off_t length);
int __wrap_ftruncate(int fd, off_t length)
{
    return no_space ? -1 : __real_ftruncate(fd, length);
}

void *__real_mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset)
{
    return no_mapping ? MAP_FAILED : __real_mmap(at, length, protection, flags, fd, offset);
}

/* ---- the progress bar ---- */

static int bars; /* started and not ended */

void __real_progress_start(progress *p, const char *label, uint64_t total);
void __wrap_progress_start(progress *p, const char *label, uint64_t total);
void __wrap_progress_start(progress *p, const char *label, uint64_t total)
{
    bars++;
    __real_progress_start(p, label, total);
}

static uint64_t told; /* what the bar was told last */

void __real_progress_update(progress *p, uint64_t done);
void __wrap_progress_update(progress *p, uint64_t done);
void __wrap_progress_update(progress *p, uint64_t done)
{
    told = done;
    __real_progress_update(p, done);
}

void __real_progress_end(progress *p);
void __wrap_progress_end(progress *p);
void __wrap_progress_end(progress *p)
{
    bars--;
    __real_progress_end(p);
}

/* ---- questions ---- */

static const cluster_kind pods = {.kind = "Pod", .resource = "pods"},
                          sets = {.kind = "ReplicaSet", .resource = "replicasets.apps"};
static const cluster_kind *const both[] = {&pods, &sets};
static cluster_text text;
static berth_error error;

#define VERSION                                               \
    {                                                         \
        "/version", 200, "{\"gitVersion\":\"v1.36.2\"}", NULL \
    }
#define PODS "/api/v1/pods?limit=500"
#define SETS "/apis/apps/v1/replicasets?limit=500"
#define GROUPS(versions)                                                                          \
    {                                                                                             \
        "/apis", 200, "{\"groups\":[{},{\"name\":\"x\"},{\"name\":\"apps\"," versions "}]}", NULL \
    }
#define V1                                                                                        \
    "\"preferredVersion\":{\"groupVersion\":\"apps/v1\"},\"versions\":[{\"groupVersion\":\"apps/" \
    "v1\"}]"
#define EMPTY "{\"items\":[]}"

static int start(void **state)
{
    (void)state;
    no_kubeconfig = no_file = no_stream = no_space = no_mapping = false;
    return 0;
}

static void on_signal(int number)
{
    (void)number;
}

static berth_status ask(const page *answers, size_t count, size_t kinds)
{
    const cluster_request request = {
        .kubeconfig = "config", .context = "c", .kinds = both, .kind_count = kinds};
    pages = answers;
    page_count = count;
    page_at = 0;
    text = (cluster_text){.bytes = 77};
    struct sigaction after;
    (void)signal(SIGPIPE, on_signal);
    const berth_status status = cluster_read(&request, &text, &error);
    assert_int_equal(sigaction(SIGPIPE, NULL, &after), 0);
    assert_ptr_equal(after.sa_handler, on_signal); /* it is the caller's again */
    assert_int_equal(bars, 0);                     /* no bar stays on the screen */
    if (status != BERTH_OK)
        assert_int_equal(text.bytes, 77); /* it is untouched */
    return status;
}

#define ASK(answers, kinds) ask(answers, sizeof(answers) / sizeof(*(answers)), kinds)

/* The objects that were read. */
static void has(const char *items)
{
    static const char head[] = "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[",
                      tail[] = "\n]}\n";
    const size_t bytes = strlen(head) + strlen(items) + strlen(tail);
    assert_int_equal(text.bytes, bytes);
    assert_memory_equal(text.text, head, strlen(head));
    assert_memory_equal(text.text + strlen(head), items, strlen(items));
    assert_memory_equal(text.text + bytes - strlen(tail), tail, strlen(tail));
    assert_int_equal(munmap(text.text, text.bytes), 0);
    assert_int_equal(close(text.file), 0);
    assert_int_equal(page_at, page_count);
}

static void says(const char *part)
{
    char message[1600];
    berth_error_format(&error, message, sizeof(message));
    if (strstr(message, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", message, part);
}

/* Items get their list's kind and apiVersion, unless they have their own; spaces in front of the
 * first member don't matter, and an empty item is none. */
static void items_are_named(void **state)
{
    static const page answers[] = {
        VERSION,
        GROUPS(V1),
        {PODS, 200,
         "{\"metadata\":{\"continue\":\"a/b c\"},\"items\":[{ "
         "\n\"a\":1},{\"kind\":\"K\",\"a\":2},{ }]}",
         NULL},
        {PODS "&continue=a%2Fb%20c", 200,
         "{\"metadata\":{\"continue\":\"\"},\"items\":[{\"a\":3}]}",
         "{\"items\":[{\"a\":8},{\"a\""},
        {SETS, 200, "{\"items\":[{\"a\":4}]}", NULL},
    };
    (void)state;
    assert_int_equal(ASK(answers, 2), BERTH_OK);
    assert_string_equal(text.version, "v1.36.2");
    assert_string_equal(text.server, "https://h");
    assert_string_equal(text.namespace_name, "ns");
    has("\n{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"a\":1},\n{\"kind\":\"K\",\"a\":2},\n"
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"a\":3},\n"
        "{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"a\":4}");
}

/* While a long list is read, the bar is told how many objects there are. */
static void progress_of_a_long_list(void **state)
{
    enum { ITEMS = 130 };
    static const char item[] = "{\"a\":1}";
    char body[sizeof("{\"items\":[]}") + ITEMS * sizeof(item)] = "{\"items\":[";
    (void)state;
    size_t length = strlen(body);
    for (int i = 0; i < ITEMS; i++)
        length +=
            (size_t)snprintf(body + length, sizeof(body) - length, "%s%s", i > 0 ? "," : "", item);
    snprintf(body + length, sizeof(body) - length, "]}");
    const page answers[] = {VERSION, GROUPS(V1), {PODS, 200, body, NULL}};
    told = 0;
    assert_int_equal(ASK(answers, 1), BERTH_OK);
    assert_int_equal(told, 128);
    assert_int_equal(munmap(text.text, text.bytes), 0);
    assert_int_equal(close(text.file), 0);
}

/* A group's preferred version comes first, then the others in their order; names that are too long,
 * or missing, are passed over, and so is a group that the server lacks. */
static void versions_in_turn(void **state)
{
#define LONG                                                                                      \
    "apps/v1234567890123456789012345678901234567890123456789012345678901234567890123456789012345" \
    "6789012345678901234567890123456789012345678901234567890"
    static const page falls_back[] = {
        VERSION,
        GROUPS("\"preferredVersion\":{\"groupVersion\":\"apps/v2\"},\"versions\":[{},"
               "{\"groupVersion\":\"apps/v2\"},{\"groupVersion\":\"" LONG "\"},"
               "{\"groupVersion\":\"apps/v1\"},{\"groupVersion\":\"apps/v0\"}]"),
        {PODS, 200, EMPTY, NULL},
        {"/apis/apps/v2/replicasets?limit=500", 404, "", NULL},
        {SETS, 200, EMPTY, NULL},
    };
    static const page none_preferred[] = {VERSION,
                                          GROUPS("\"versions\":[{\"groupVersion\":\"apps/v1\"}]"),
                                          {PODS, 200, EMPTY, NULL},
                                          {SETS, 404, "", NULL}};
    static const page too_long[] = {
        VERSION,
        GROUPS("\"preferredVersion\":{\"groupVersion\":\"" LONG "\"},\"versions\":[]"),
        {PODS, 200, EMPTY, NULL}};
    static const page no_group[] = {
        VERSION, {"/apis", 200, "{\"groups\":[]}", NULL}, {PODS, 200, EMPTY, NULL}};
    (void)state;
    assert_int_equal(ASK(falls_back, 2), BERTH_OK);
    has("");
    assert_int_equal(ASK(none_preferred, 2), BERTH_OK);
    has("");
    assert_int_equal(ASK(too_long, 2), BERTH_OK);
    has("");
    assert_int_equal(ASK(no_group, 2), BERTH_OK);
    has("");
}

/* A list that expires in the middle is read again from its start, twice. */
static void expired_lists(void **state)
{
#define FIRST                                                                        \
    {                                                                                \
        PODS, 200, "{\"metadata\":{\"continue\":\"t\"},\"items\":[{\"a\":1}]}", NULL \
    }
#define GONE                              \
    {                                     \
        PODS "&continue=t", 410, "", NULL \
    }
    static const page once[] = {
        VERSION, GROUPS(V1), FIRST, GONE, {PODS, 200, "{\"items\":[{\"a\":2}]}", NULL}};
    static const page thrice[] = {VERSION, GROUPS(V1), FIRST, GONE, FIRST, GONE, FIRST, GONE};
    (void)state;
    assert_int_equal(ASK(once, 1), BERTH_OK);
    has("\n{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"a\":2}");
    assert_int_equal(ASK(thrice, 1), BERTH_E_IO);
    says("the list of pods changes faster than it can be read (410)");
}

static void what_is_denied(void **state)
{
    static const page answers[] = {
        VERSION, GROUPS(V1), {PODS, 403, "", NULL}, {SETS, 403, "", NULL}};
    static const cluster_kind long_name = {
        .kind = "Kind",
        .resource = "a-resource-with-a-name-of-some-sixty-characters-to-fill-texts"};
    static const cluster_kind *many[8];
    static page denied[10] = {VERSION, GROUPS(V1)};
    (void)state;
    assert_int_equal(ASK(answers, 2), BERTH_E_IO);
    says("not allowed (403): the role lacks the verb list of pods, replicasets.apps");
    for (size_t i = 0; i < 8; i++) {
        many[i] = &long_name;
        denied[2 + i] = (page){
            "/api/v1/a-resource-with-a-name-of-some-sixty-characters-to-fill-texts?limit=500", 403,
            "", NULL};
    }
    const cluster_request request = {
        .kubeconfig = "config", .context = "c", .kinds = many, .kind_count = 8};
    pages = denied;
    page_count = 10;
    page_at = 0;
    assert_int_equal(cluster_read(&request, &text, &error), BERTH_E_IO);
    assert_int_equal(page_at, page_count);
    says("to-fill-texts, ...");
}

/* The version and the groups: who may not ask for the version gets the nodes' instead. */
static void the_server(void **state)
{
    static const struct {
        page version, groups;
        const char *why;
    } cases[] = {
        {{"/version", 0, "", NULL}, {0}, "the API server does not answer: nobody is there"},
        {{"/version", 500, "{\"message\":\"m\"}", NULL},
         {0},
         "the API server does not show /version (500): m"},
        {{"/version", 404, "{\"gitVersion\":\"v1\"}", NULL}, {0}, "there is no API server"},
        {{"/version", 200, "{}", NULL}, {0}, "there is no API server: it has no /version"},
        {VERSION, {"/apis", 403, "", NULL}, "lacks the verb get of the nonResourceURL /apis"},
        {VERSION, {"/apis", 0, "", NULL}, "the API server does not answer"},
        {VERSION, {"/apis", 401, "", NULL}, "does not accept the credentials (401)"},
        {VERSION, {"/apis", 200, "{}", NULL}, "/apis names no groups"},
    };
    static const page denied_version[] = {
        {"/version", 403, "", NULL}, GROUPS(V1), {PODS, 200, EMPTY, NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const page answers[] = {cases[i].version, cases[i].groups};
        assert_int_equal(ask(answers, cases[i].groups.path != NULL ? 2 : 1, 1), BERTH_E_IO);
        assert_int_equal(page_at, page_count);
        says(cases[i].why);
    }
    assert_int_equal(ASK(denied_version, 1), BERTH_OK);
    assert_string_equal(text.version, "");
    has("");
}

static void no_lists(void **state)
{
    static const struct {
        page pods;
        const char *why;
    } cases[] = {
        {{PODS, 404, "", NULL}, "what answers there is no API server: it has no pods"},
        {{PODS, 500, "", NULL}, "the API server does not list pods (500)"},
        {{PODS, 0, "", NULL}, "the API server does not answer"},
        {{PODS, 200, "{\"items\":[{\"a\":1}", NULL}, "answers to 'list pods' is no list"},
        {{PODS, 200, "[]", NULL}, "answers to 'list pods' is no list"},
        {{PODS, 200, "{\"kind\":\"Status\"}", NULL}, "answers to 'list pods' is no list"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const page answers[] = {VERSION, GROUPS(V1), cases[i].pods};
        assert_int_equal(ASK(answers, 1), BERTH_E_IO);
        assert_int_equal(page_at, page_count);
        says(cases[i].why);
    }
}

static void no_memory(void **state)
{
    static const page answers[] = {VERSION, GROUPS(V1), {PODS, 200, EMPTY, NULL}};
    bool *const refusals[] = {&no_file, &no_stream, &no_space, &no_mapping};
    (void)state;
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        *refusals[i] = true;
        assert_int_equal(ASK(answers, 1), BERTH_E_NOMEM);
        says("there is no memory for the cluster");
        *refusals[i] = false;
    }
    no_kubeconfig = true;
    assert_int_equal(ASK(answers, 1), BERTH_E_NOT_FOUND);
    assert_int_equal(page_at, 0);
}

/* A program whose standard input is closed gets file descriptor 0 for the file in memory. It is
 * closed, too, if there is no memory for a stream. */
static void no_stream_on_descriptor_0(void **state)
{
    static const page answers[] = {VERSION};
    (void)state;
    const int kept = dup(STDIN_FILENO);
    assert_true(kept > 0);
    assert_int_equal(close(STDIN_FILENO), 0);
    no_stream = true;
    const berth_status status = ASK(answers, 1);
    const bool closed = fcntl(STDIN_FILENO, F_GETFD) < 0;
    assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(close(kept), 0);
    assert_int_equal(status, BERTH_E_NOMEM);
    assert_true(closed);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup(name, start)
    const struct CMUnitTest tests[] = {
        T(items_are_named),
        T(progress_of_a_long_list),
        T(versions_in_turn),
        T(expired_lists),
        T(what_is_denied),
        T(the_server),
        T(no_lists),
        T(no_memory),
        T(no_stream_on_descriptor_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
