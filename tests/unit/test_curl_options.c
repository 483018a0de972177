/* What libcurl is told about each request: how a server is verified, where the request goes, with
 * which headers and time; and what becomes of what libcurl reports. libcurl itself does nothing
 * here: the linker gives its easy handle to the test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "live/transport/curl_easy.h"

static const int64_t second = INT64_C(1000000000);

/* ---- a handle that takes notes ---- */

typedef struct note {
    CURLoption option;
    const void *value; /* as it was given: of a number, its bits */
    char text[512];    /* of a string, a blob, or the lines of a list */
} note;

static note notes[64];
static size_t note_count;
static char place; /* the handle is its address */
static int64_t now_ns;
static long status, retry_after; /* what libcurl says of an answer */
static bool no_memory;
static int cleanups;

int64_t __wrap_event_loop_now(void);
int64_t __wrap_event_loop_now(void)
{
    return now_ns;
}

CURL *__wrap_curl_easy_init(void);
CURL *__wrap_curl_easy_init(void)
{
    note_count = 0;
    return no_memory ? NULL : &place;
}

void __wrap_curl_easy_cleanup(CURL *easy);
void __wrap_curl_easy_cleanup(CURL *easy)
{
    assert_true(easy == NULL || easy == &place);
    cleanups += easy != NULL;
}

static void note_text(note *n)
{
    const bool is_text = n->option == CURLOPT_URL || n->option == CURLOPT_REQUEST_TARGET ||
                         n->option == CURLOPT_CAINFO || n->option == CURLOPT_CAPATH ||
                         n->option == CURLOPT_SSLCERT || n->option == CURLOPT_SSLKEY ||
                         n->option == CURLOPT_PROXY || n->option == CURLOPT_NOPROXY ||
                         n->option == CURLOPT_USERAGENT || n->option == CURLOPT_PROTOCOLS_STR ||
                         n->option == CURLOPT_CUSTOMREQUEST;
    n->text[0] = '\0';
    if (n->value == NULL)
        return;
    if (is_text) {
        snprintf(n->text, sizeof(n->text), "%s", (const char *)n->value);
    } else if (n->option > CURLOPTTYPE_BLOB) {
        const struct curl_blob *blob = n->value;
        assert_int_equal(blob->flags, CURL_BLOB_COPY);
        snprintf(n->text, sizeof(n->text), "%.*s", (int)blob->len, (const char *)blob->data);
    } else if (n->option == CURLOPT_HTTPHEADER || n->option == CURLOPT_CONNECT_TO) {
        for (const struct curl_slist *at = n->value; at != NULL; at = at->next) {
            const size_t used = strlen(n->text);
            snprintf(n->text + used, sizeof(n->text) - used, "%s\n", at->data);
        }
    }
}

CURLcode __wrap_curl_easy_setopt(CURL *easy, CURLoption option, ...);
CURLcode __wrap_curl_easy_setopt(CURL *easy, CURLoption option, ...)
{
    va_list args;
    note *n = notes;
    assert_ptr_equal(easy, &place);
    while (n < notes + note_count && n->option != option)
        n++;
    assert_true(n < notes + sizeof(notes) / sizeof(notes[0]));
    note_count += n == notes + note_count;
    n->option = option;
    va_start(args, option);
    if (option < CURLOPTTYPE_OBJECTPOINT)
        n->value = (const void *)(intptr_t)va_arg(args, long);
    else if (option >= CURLOPTTYPE_OFF_T && option < CURLOPTTYPE_BLOB)
        n->value = (const void *)(intptr_t)va_arg(args, curl_off_t);
    else
        n->value = va_arg(args, const void *);
    va_end(args);
    note_text(n);
    return CURLE_OK;
}

CURLcode __wrap_curl_easy_getinfo(CURL *easy, CURLINFO info, ...);
CURLcode __wrap_curl_easy_getinfo(CURL *easy, CURLINFO info, ...)
{
    va_list args;
    assert_ptr_equal(easy, &place);
    va_start(args, info);
    if (info == CURLINFO_RESPONSE_CODE)
        *va_arg(args, long *) = status;
    else if (info == CURLINFO_RETRY_AFTER)
        *va_arg(args, curl_off_t *) = retry_after;
    else
        fail_msg("info %d", (int)info);
    va_end(args);
    return CURLE_OK;
}

/* The note about an option; NULL: it was not set. */
static const note *noted(CURLoption option)
{
    for (size_t i = 0; i < note_count; i++)
        if (notes[i].option == option)
            return &notes[i];
    return NULL;
}

static void is_text(CURLoption option, const char *text)
{
    assert_non_null(noted(option));
    assert_non_null(noted(option)->value);
    assert_string_equal(noted(option)->text, text);
}

static void is_number(CURLoption option, long number)
{
    assert_non_null(noted(option));
    assert_int_equal((intptr_t)noted(option)->value, number);
}

/* It was set to NULL, which differs from not being set: libcurl has defaults. */
static void is_null(CURLoption option)
{
    assert_non_null(noted(option));
    assert_null(noted(option)->value);
}

static int start(void **state)
{
    (void)state;
    (void)unsetenv("http_proxy"); /* those of whoever runs the tests */
    (void)unsetenv("all_proxy");
    (void)unsetenv("ALL_PROXY");
    now_ns = 100 * second;
    note_count = 0;
    status = retry_after = 0;
    no_memory = false;
    return 0;
}

/* ---- how a server is verified ---- */

/* Unless it is told to, nothing weakens libcurl's verification, nor are its roots replaced. */
static void verified_by_default(void **state)
{
    static const CURLoption untouched[] = {
        CURLOPT_SSL_VERIFYPEER, CURLOPT_SSL_VERIFYHOST, CURLOPT_CAINFO,  CURLOPT_CAINFO_BLOB,
        CURLOPT_CAPATH,         CURLOPT_SSLCERT,        CURLOPT_SSLKEY,  CURLOPT_SSLCERT_BLOB,
        CURLOPT_SSLKEY_BLOB,    CURLOPT_PROXY,          CURLOPT_NOPROXY,
    };
    (void)state;
    assert_ptr_equal(curl_handle_create(&(server_access){.server = "https://h"}), &place);
    for (size_t i = 0; i < sizeof(untouched) / sizeof(untouched[0]); i++)
        assert_null(noted(untouched[i]));
    is_number(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
    is_text(CURLOPT_PROTOCOLS_STR, "http,https");
    no_memory = true;
    assert_null(curl_handle_create(&(server_access){.server = "https://h"}));
}

static void not_verified(void **state)
{
    (void)state;
    (void)curl_handle_create(&(server_access){.server = "https://h", .insecure = true});
    is_number(CURLOPT_SSL_VERIFYPEER, 0);
    is_number(CURLOPT_SSL_VERIFYHOST, 0);
    is_number(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
}

/* Given roots are the only ones. */
static void roots(void **state)
{
    (void)state;
    (void)curl_handle_create(&(server_access){.server = "https://h", .ca_file = "/ca"});
    is_text(CURLOPT_CAINFO, "/ca");
    is_null(CURLOPT_CAPATH);
    assert_null(noted(CURLOPT_CAINFO_BLOB));
#if LIBCURL_VERSION_NUM >= 0x075700
    is_number(CURLOPT_CA_CACHE_TIMEOUT, 0);
#endif
    (void)curl_handle_create(
        &(server_access){.server = "https://h", .ca_file = "/ca", .ca_data = BERTH_STR("roots")});
    is_text(CURLOPT_CAINFO_BLOB, "roots");
    is_null(CURLOPT_CAINFO);
    is_null(CURLOPT_CAPATH);
    assert_null(noted(CURLOPT_SSL_VERIFYPEER));
}

static void own_certificate(void **state)
{
    (void)state;
    (void)curl_handle_create(
        &(server_access){.server = "https://h", .certificate_file = "/c", .key_file = "/k"});
    is_text(CURLOPT_SSLCERT, "/c");
    is_text(CURLOPT_SSLKEY, "/k");
    assert_null(noted(CURLOPT_SSLCERT_BLOB));
    assert_null(noted(CURLOPT_SSLKEY_BLOB));
    (void)curl_handle_create(&(server_access){.server = "https://h",
                                              .certificate_file = "/c",
                                              .certificate_data = BERTH_STR("certificate"),
                                              .key_file = "/k",
                                              .key_data = BERTH_STR("key")});
    is_text(CURLOPT_SSLCERT_BLOB, "certificate");
    is_text(CURLOPT_SSLKEY_BLOB, "key");
    assert_null(noted(CURLOPT_SSLCERT));
    assert_null(noted(CURLOPT_SSLKEY));
}

static void connections(void **state)
{
    (void)state;
    (void)curl_handle_create(&(server_access){.server = "https://h", .proxy = "socks5://p"});
    is_text(CURLOPT_PROXY, "socks5://p");
    is_text(CURLOPT_NOPROXY, ""); /* for every host */
    is_number(CURLOPT_PIPEWAIT, 1);
    is_number(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
    is_number(CURLOPT_NOSIGNAL, 1);
    is_number(CURLOPT_TCP_KEEPALIVE, 1);
    is_number(CURLOPT_CONNECTTIMEOUT_MS, 10000);
    assert_int_equal(strncmp(noted(CURLOPT_USERAGENT)->text, "berth/", 6), 0);
    (void)curl_handle_create(&(server_access){.server = "http://h"});
    is_number(CURLOPT_PIPEWAIT, 0);
}

/* ---- a request ---- */

static curl_request *r;

static void on_done(void *context, const live_answer *answer)
{
    (void)context;
    (void)answer;
}

static live_request get(void)
{
    return (live_request){.connection = LIVE_LEASE,
                          .method = "GET",
                          .path = "/p",
                          .timeout_ns = 10 * second,
                          .done = on_done};
}

static void prepare(const live_request *request, const server_access *access, const char *bearer)
{
    if (r != NULL)
        curl_request_free(r);
    r = curl_request_create(request, now_ns);
    curl_request_prepare(r, curl_handle_create(access), access, bearer, now_ns);
    assert_int_equal(r->class, LIVE_LEASE);
    assert_ptr_equal(noted(CURLOPT_PRIVATE)->value, r);
    assert_ptr_equal(noted(CURLOPT_WRITEDATA)->value, r);
    assert_ptr_equal(noted(CURLOPT_PREREQDATA)->value, r);
}

static int stop(void **state)
{
    (void)state;
    if (r != NULL)
        curl_request_free(r);
    r = NULL;
    return 0;
}

/* The name that is verified is the URL's; the connection goes to the server all the same. */
static void where_it_goes(void **state)
{
    static const struct {
        const char *server, *name, *url, *target, *to; /* `to` "": where the URL says */
    } cases[] = {
        {"https://h", NULL, "https://h", "/p", ""},
        {"https://h/", NULL, "https://h", "/p", ""},
        {"https://h:1/a/b//", NULL, "https://h:1", "/a/b/p", ""},
        {"https://h", "n", "https://n:443", "/p", "n:443:h:443\n"},
        {"https://h:6443", "n", "https://n:6443", "/p", "n:6443:h:6443\n"},
        {"https://10.0.0.1:6443/a/b/", "n.x", "https://n.x:6443", "/a/b/p",
         "n.x:6443:10.0.0.1:6443\n"},
        {"https://[fd00::1]", "n", "https://n:443", "/p", "n:443:[fd00::1]:443\n"},
        {"https://[fd00::1]:8/", "n", "https://n:8", "/p", "n:8:[fd00::1]:8\n"},
        {"http://h:1", "n", "http://h:1", "/p", ""},
        {"http://h:1/a/", NULL, "http://h:1", "/a/p", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const live_request request = get();
        prepare(&request,
                &(server_access){.server = cases[i].server, .tls_server_name = cases[i].name},
                NULL);
        is_text(CURLOPT_URL, cases[i].url);
        is_text(CURLOPT_REQUEST_TARGET, cases[i].target);
        assert_string_equal(noted(CURLOPT_CONNECT_TO)->text, cases[i].to);
        assert_int_equal(noted(CURLOPT_CONNECT_TO)->value == NULL, cases[i].to[0] == '\0');
    }
}

/* A proxy that relays requests of plain HTTP gets whole URLs; one that only makes connections, for
 * https, does not see the requests. */
static void through_a_proxy(void **state)
{
    static const char *const variables[] = {"http_proxy", "all_proxy", "ALL_PROXY"};
    const live_request request = get();
    (void)state;
    prepare(&request, &(server_access){.server = "http://h:1/a/", .proxy = "http://x"}, NULL);
    is_text(CURLOPT_URL, "http://h:1/a/p");
    is_null(CURLOPT_REQUEST_TARGET);
    prepare(&request, &(server_access){.server = "https://h:1/a/", .proxy = "http://x"}, NULL);
    is_text(CURLOPT_URL, "https://h:1");
    is_text(CURLOPT_REQUEST_TARGET, "/a/p");
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        assert_int_equal(setenv(variables[i], "http://x", 1), 0);
        prepare(&request, &(server_access){.server = "http://h"}, NULL);
        is_text(CURLOPT_URL, "http://h/p");
        is_null(CURLOPT_REQUEST_TARGET);
        prepare(&request, &(server_access){.server = "https://h"}, NULL);
        is_text(CURLOPT_REQUEST_TARGET, "/p");
        assert_int_equal(unsetenv(variables[i]), 0);
    }
}

static void headers(void **state)
{
    static const char *const lines[] = {"Impersonate-User: jane", "Impersonate-Group: ops"};
    server_access access = {.server = "https://h", .headers = lines, .header_count = 2};
    live_request request = get();
    char *token = calloc(1, 20001);
    (void)state;
    prepare(&request, &access, NULL);
    is_text(CURLOPT_HTTPHEADER, "Accept: application/json\nExpect:\nImpersonate-User: jane\n"
                                "Impersonate-Group: ops\n");
    access.header_count = 0;
    request.content_type = "text/x";
    prepare(&request, &access, "t");
    is_text(CURLOPT_HTTPHEADER, "Accept: application/json\nExpect:\nContent-Type: text/x\n"
                                "Authorization: Bearer t\n");
    assert_non_null(token);
    memset(token, 't', 20000); /* a long one is not cut off */
    prepare(&request, &access, token);
    const struct curl_slist *last = noted(CURLOPT_HTTPHEADER)->value;
    while (last->next != NULL)
        last = last->next;
    assert_int_equal(strlen(last->data), strlen("Authorization: Bearer ") + 20000);
    free(token);
}

static void methods(void **state)
{
    static const struct {
        const char *method, *type, *custom; /* `custom` "": libcurl's own word */
    } cases[] = {
        {"GET", NULL, ""},       {"DELETE", NULL, "DELETE"}, {"POST", "t", ""},
        {"PATCH", "t", "PATCH"}, {"DELETE", "t", "DELETE"},  {"POST", NULL, "POST"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        live_request request = get();
        request.method = cases[i].method;
        request.content_type = cases[i].type;
        request.body = BERTH_STR("body");
        prepare(&request, &(server_access){.server = "https://h"}, NULL);
        assert_string_equal(noted(CURLOPT_CUSTOMREQUEST)->text, cases[i].custom);
        assert_int_equal(noted(CURLOPT_CUSTOMREQUEST)->value == NULL, cases[i].custom[0] == '\0');
        is_number(CURLOPT_POSTFIELDSIZE_LARGE, cases[i].type != NULL ? 4 : 0);
        if (cases[i].type != NULL) {
            assert_memory_equal(noted(CURLOPT_POSTFIELDS)->value, "body", 4);
            assert_null(noted(CURLOPT_HTTPGET));
        } else {
            is_null(CURLOPT_POSTFIELDS);
            is_number(CURLOPT_HTTPGET, 1);
        }
    }
}

/* What is left of its time when it is handed to libcurl, rounded up; 0 means without end there. */
static void time_that_is_left(void **state)
{
    static const struct {
        int64_t timeout_ns, passed_ns;
        long left_ms;
    } cases[] = {{10000000000, 0, 10001}, {10000000000, 9000000000, 1001},
                 {10000000000, 1, 10000}, {1, 0, 1},
                 {5000000, 5000000, 1},   {0, 9000000000, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const server_access access = {.server = "https://h"};
        live_request request = get();
        request.timeout_ns = cases[i].timeout_ns;
        curl_request *one = curl_request_create(&request, now_ns);
        curl_request_prepare(one, curl_handle_create(&access), &access, NULL,
                             now_ns + cases[i].passed_ns);
        is_number(CURLOPT_TIMEOUT_MS, cases[i].left_ms);
        assert_ptr_equal(curl_request_take_handle(one), &place);
        is_null(CURLOPT_ERRORBUFFER); /* the next request has its own */
        assert_null(curl_request_take_handle(one));
        curl_request_free(one);
    }
}

/* ---- what libcurl reports ---- */

typedef size_t (*write_fn)(char *bytes, size_t size, size_t count, void *context);
typedef int (*prereq_fn)(void *context, char *peer, char *local, int peer_port, int local_port);

static char piece = 'x'; /* what the next bytes are */

/* libcurl has received some bytes; returns whether it is to go on. */
static bool receive(size_t size, size_t count)
{
    static char bytes[64];
    write_fn write;
    const void *value = noted(CURLOPT_WRITEFUNCTION)->value;
    memcpy(&write, &value, sizeof(write));
    memset(bytes, piece, sizeof(bytes));
    const size_t taken = write(bytes, size, count, r);
    assert_true(taken == size * count || taken == CURL_WRITEFUNC_ERROR);
    return taken == size * count;
}

/* libcurl is about to send; returns whether it may. */
static bool hand_over(void)
{
    prereq_fn ask;
    const void *value = noted(CURLOPT_PREREQFUNCTION)->value;
    memcpy(&ask, &value, sizeof(ask));
    const int code = ask(r, NULL, NULL, 0, 0);
    assert_true(code == CURL_PREREQFUNC_OK || code == CURL_PREREQFUNC_ABORT);
    return code == CURL_PREREQFUNC_OK;
}

static live_answer end(CURLcode code)
{
    live_answer answer;
    curl_request_answer(r, code, &answer);
    return answer;
}

static void begin(int64_t not_after_ns, uint32_t body_max)
{
    live_request request = get();
    request.not_after_ns = not_after_ns;
    request.body_max = body_max;
    prepare(&request, &(server_access){.server = "https://h"}, NULL);
}

/* At its deadline a request may be sent; a nanosecond later it is over, and surely was not. */
static void the_deadline(void **state)
{
    (void)state;
    for (int64_t late = -1; late <= 1; late++) {
        begin(now_ns - late, 0);
        assert_int_equal(hand_over(), late <= 0);
        const live_answer answer = end(CURLE_ABORTED_BY_CALLBACK);
        assert_int_equal(answer.outcome, late <= 0 ? LIVE_UNKNOWN : LIVE_NOT_SENT);
        if (late > 0)
            assert_string_equal(answer.why, "its deadline is over");
    }
    begin(0, 0);
    assert_true(hand_over()); /* it has none */
}

/* Only a whole answer counts; of what was handed over without one, the outcome is unknown. */
static void what_counts_as_an_answer(void **state)
{
    static const struct {
        bool handed;
        CURLcode code;
        long status;
        live_outcome outcome;
    } cases[] = {
        {false, CURLE_COULDNT_CONNECT, 0, LIVE_NOT_SENT},
        {false, CURLE_PEER_FAILED_VERIFICATION, 0, LIVE_NOT_SENT},
        {true, CURLE_OPERATION_TIMEDOUT, 0, LIVE_UNKNOWN},
        {true, CURLE_PARTIAL_FILE, 200, LIVE_UNKNOWN},
        {true, CURLE_OK, 0, LIVE_UNKNOWN},
        {true, CURLE_OK, 200, LIVE_ANSWERED},
        {true, CURLE_OK, 503, LIVE_ANSWERED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin(0, 0);
        status = cases[i].status;
        if (cases[i].handed)
            assert_true(hand_over());
        const live_answer answer = end(cases[i].code);
        const bool whole = cases[i].outcome == LIVE_ANSWERED;
        assert_int_equal(answer.outcome, cases[i].outcome);
        assert_int_equal(answer.status, whole ? cases[i].status : 0);
        assert_int_equal(answer.why[0] == '\0', whole);
        assert_int_equal(answer.body.len, 0);
        assert_non_null(answer.body.data);
    }
}

static void retry_after_is_told(void **state)
{
    (void)state;
    begin(0, 0);
    status = 429;
    assert_int_equal(end(CURLE_OK).retry_after_ns, -1);
    retry_after = 1;
    assert_int_equal(end(CURLE_OK).retry_after_ns, second);
    retry_after = 7;
    assert_int_equal(end(CURLE_OK).retry_after_ns, 7 * second);
    assert_int_equal(end(CURLE_PARTIAL_FILE).retry_after_ns, -1);
}

/* An answer may be as long as its limit, in pieces, and no byte longer. */
static void long_answers(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        begin(0, 50);
        (void)hand_over();
        piece = 'a';
        assert_true(receive(2, 10));
        piece = 'b';
        assert_true(receive(1, 29));
        piece = 'c';
        assert_int_equal(receive(1, 1 + more), more == 0);
        piece = 'x';
        status = 200;
        const live_answer answer = end(more == 0 ? CURLE_OK : CURLE_WRITE_ERROR);
        assert_int_equal(answer.outcome, more == 0 ? LIVE_ANSWERED : LIVE_UNKNOWN);
        assert_int_equal(answer.body.len, more == 0 ? 50 : 0);
        for (uint32_t i = 0; i < answer.body.len; i++) /* the pieces one after the other */
            assert_int_equal(answer.body.data[i], i < 20 ? 'a' : i < 49 ? 'b' : 'c');
        assert_string_equal(answer.why, more == 0 ? "" : "the answer is too large");
    }
    begin(0, 0);
    assert_int_equal(r->answer_max, LIVE_BODY_MAX);
    r->state = REQUEST_CANCELLED;
    assert_false(receive(1, 1));
}

static size_t read_bytes;
static bool reads_on;

static bool on_data(void *context, const char *bytes, size_t count)
{
    assert_ptr_equal(context, &read_bytes);
    assert_int_equal(bytes[0], 'x');
    read_bytes += count;
    return reads_on;
}

/* A stream's bytes are its reader's, unless its status is not 200. */
static void streams(void **state)
{
    live_request request = get();
    (void)state;
    request.data = on_data;
    request.context = &read_bytes;
    request.body_max = 4;
    read_bytes = 0;
    reads_on = true;
    status = 200;
    prepare(&request, &(server_access){.server = "https://h"}, NULL);
    assert_true(receive(3, 4));
    assert_int_equal(r->first_byte_ns, now_ns);
    now_ns++;
    assert_true(receive(1, 1));
    assert_int_equal(r->first_byte_ns, now_ns - 1);
    assert_int_equal(read_bytes, 13);
    assert_int_equal(end(CURLE_OK).body.len, 0);
    reads_on = false;
    assert_false(receive(1, 1));
    assert_string_equal(end(CURLE_WRITE_ERROR).why, "its reader has ended it");
    status = 410;
    prepare(&request, &(server_access){.server = "https://h"}, NULL);
    assert_true(receive(1, 4));
    assert_int_equal(read_bytes, 14);
    assert_int_equal(end(CURLE_OK).body.len, 4);
}

/* Nothing of an attempt is left in the next one. */
static void the_next_attempt(void **state)
{
    const server_access access = {.server = "https://h", .tls_server_name = "n"};
    const live_request request = get();
    (void)state;
    prepare(&request, &access, "old");
    assert_true(hand_over());
    assert_true(receive(1, 9));
    snprintf(r->error, sizeof(r->error), "of the first");
    const int before = cleanups;
    curl_request_reset(r);
    assert_int_equal(cleanups, before + 1);
    assert_null(r->easy);
    curl_request_prepare(r, curl_handle_create(&access), &access, "new", now_ns);
    is_text(CURLOPT_HTTPHEADER, "Accept: application/json\nExpect:\nAuthorization: Bearer new\n");
    is_text(CURLOPT_CONNECT_TO, "n:443:h:443\n");
    const live_answer answer = end(CURLE_COULDNT_CONNECT);
    assert_int_equal(answer.outcome, LIVE_NOT_SENT);
    assert_null(strstr(answer.why, "first"));
    status = 200;
    assert_int_equal(end(CURLE_OK).body.len, 0);
    now_ns += second;
    assert_true(receive(1, 2));
    assert_int_equal(end(CURLE_OK).body.len, 2);
    assert_int_equal(r->first_byte_ns, now_ns);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(verified_by_default), T(not_verified), T(roots),
        T(own_certificate),     T(connections),  T(where_it_goes),
        T(through_a_proxy),     T(headers),      T(methods),
        T(time_that_is_left),   T(the_deadline), T(what_counts_as_an_answer),
        T(retry_after_is_told), T(long_answers), T(streams),
        T(the_next_attempt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
