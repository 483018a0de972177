/* The options of a transfer, its callbacks, and the decision whether its outcome is known. */
#include "live/transport/curl_easy.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"

curl_request *curl_request_create(const live_request *request, int64_t now_ns)
{
    curl_request *r = heap_new(1, sizeof(*r));
    r->class = request->connection;
    r->method = heap_text(request->method, strlen(request->method));
    r->path = heap_text(request->path, strlen(request->path));
    if (request->content_type != NULL) {
        r->content_type = heap_text(request->content_type, strlen(request->content_type));
        r->body = heap_text(request->body.data, request->body.len);
        r->body_bytes = request->body.len;
    }
    r->answer_max = request->body_max != 0 ? request->body_max : LIVE_BODY_MAX;
    r->sent_ns = now_ns;
    r->timeout_ns = request->timeout_ns;
    r->not_after_ns = request->not_after_ns;
    r->done = request->done;
    r->data = request->data;
    r->context = request->context;
    return r;
}

void curl_request_reset(curl_request *r)
{
    curl_easy_cleanup(r->easy);
    curl_slist_free_all(r->headers);
    curl_slist_free_all(r->connect_to);
    free(r->url);
    free(r->target);
    free(r->answer);
    r->easy = NULL;
    r->headers = r->connect_to = NULL;
    r->url = r->target = r->answer = NULL;
    r->answer_bytes = r->answer_capacity = 0;
    r->first_byte_ns = 0;
    r->handed = false;
    r->error[0] = '\0';
}

void curl_request_free(curl_request *r)
{
    curl_request_reset(r);
    free(r->method);
    free(r->path);
    free(r->content_type);
    free(r->body);
    free(r);
}

/* ---- callbacks ---- */

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
    curl_request *r = context;
    size_t length = size * count;
    if (r->state == REQUEST_CANCELLED)
        return CURL_WRITEFUNC_ERROR;
    if (r->first_byte_ns == 0)
        r->first_byte_ns = event_loop_now();
    long status = 0;
    if (r->data != NULL)
        curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status == 200) {
        r->enough = !r->data(r->context, bytes, length);
        return r->enough ? CURL_WRITEFUNC_ERROR : length;
    }
    if (length > r->answer_max - r->answer_bytes) {
        r->too_large = true;
        return CURL_WRITEFUNC_ERROR;
    }
    r->answer = heap_grow(r->answer, &r->answer_capacity, r->answer_bytes + length + 1, 1);
    memcpy(r->answer + r->answer_bytes, bytes, length);
    r->answer_bytes += length;
    return length;
}

/* Called just before the request is sent, when the connection is established. */
static int on_hand_over(void *context, char *peer, char *local, int peer_port, int local_port)
{
    curl_request *r = context;
    (void)peer;
    (void)local;
    (void)peer_port;
    (void)local_port;
    r->late = r->not_after_ns != 0 && event_loop_now() > r->not_after_ns;
    if (r->late)
        return CURL_PREREQFUNC_ABORT;
    r->handed = true;
    return CURL_PREREQFUNC_OK;
}

static int on_socket_made(void *context, curl_socket_t fd, curlsocktype purpose)
{
    unsigned int milliseconds = 45000; /* detects a peer that has vanished silently */
    (void)context;
    (void)purpose;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof(milliseconds));
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC); /* a credential plugin must not have it */
    return CURL_SOCKOPT_OK;
}

/* ---- preparation ---- */

/* Finds the host in a URL and returns the length of "host:port". */
static size_t host_of(const char *server, const char **host)
{
    const char *mark = strstr(server, "://");
    *host = mark != NULL ? mark + 3 : server;
    return strcspn(*host, "/");
}

/* Whether a proxy may relay the requests themselves, of plain HTTP: it needs whole URLs. */
static bool may_be_relayed(const server_access *access)
{
    return strncmp(access->server, "https://", 8) != 0 &&
           (access->proxy != NULL || getenv("http_proxy") != NULL || getenv("all_proxy") != NULL ||
            getenv("ALL_PROXY") != NULL);
}

/* The URL names the server, or tls-server-name; then the connection still goes to the server, by
 * `connect_to`. The path is a text of its own, because libcurl takes a URL apart and puts it
 * together again, character by character, for each request. */
static void make_url(curl_request *r, const server_access *access)
{
    const char *host;
    size_t host_bytes = host_of(access->server, &host);
    size_t server_bytes = strlen(access->server);
    while (server_bytes > 0 && access->server[server_bytes - 1] == '/')
        server_bytes--;
    const char *folder = host + host_bytes;
    const char *end = access->server + server_bytes;
    const int folder_bytes = end > folder ? (int)(end - folder) : 0;
    const size_t path_bytes = (size_t)folder_bytes + strlen(r->path) + 1;
    r->target = heap_new(path_bytes, 1);
    snprintf(r->target, path_bytes, "%.*s%s", folder_bytes, folder, r->path);
    const char *name = access->tls_server_name;
    if (name == NULL || strncmp(access->server, "https://", 8) != 0) {
        const size_t to_host = (size_t)(folder - access->server);
        const bool whole = may_be_relayed(access);
        r->url = heap_new(to_host + path_bytes, 1);
        snprintf(r->url, to_host + path_bytes, "%.*s%s", (int)to_host, access->server,
                 whole ? r->target : "");
        if (whole) {
            free(r->target);
            r->target = NULL;
        }
        return;
    }
    const char *bracket = memchr(host, ']', host_bytes); /* for an IPv6 address */
    const char *from = bracket != NULL ? bracket : host;
    const char *port = memchr(from, ':', host_bytes - (size_t)(from - host));
    int name_bytes = port != NULL ? (int)(port - host) : (int)host_bytes;
    const char *port_text = port != NULL ? port : ":443";
    int port_bytes = port != NULL ? (int)(host + host_bytes - port) : 4;
    const size_t bytes = sizeof("https://") + strlen(name) + (size_t)port_bytes;
    r->url = heap_new(bytes, 1);
    snprintf(r->url, bytes, "https://%s%.*s", name, port_bytes, port_text);
    char to[1024];
    snprintf(to, sizeof(to), "%s%.*s:%.*s%.*s", name, port_bytes, port_text, name_bytes, host,
             port_bytes, port_text);
    r->connect_to = curl_slist_append(NULL, to);
}

static void add_header(curl_request *r, const char *line)
{
    struct curl_slist *longer = curl_slist_append(r->headers, line);
    if (longer != NULL)
        r->headers = longer;
}

static void set_headers(curl_request *r, const server_access *access, const char *bearer)
{
    add_header(r, "Accept: application/json");
    add_header(r, "Expect:");
    char line[8192];
    if (r->content_type != NULL) {
        snprintf(line, sizeof(line), "Content-Type: %s", r->content_type);
        add_header(r, line);
    }
    if (bearer != NULL) {
        size_t bytes = strlen(bearer) + sizeof("Authorization: Bearer ");
        char *long_line = heap_new(bytes, 1);
        snprintf(long_line, bytes, "Authorization: Bearer %s", bearer);
        add_header(r, long_line);
        free(long_line);
    }
    for (size_t i = 0; i < access->header_count; i++)
        add_header(r, access->headers[i]);
}

static void set_blob(CURL *easy, CURLoption option, berth_str data)
{
    struct curl_blob blob = {.len = data.len, .flags = CURL_BLOB_COPY};
    memcpy(&blob.data, &data.data,
           sizeof(blob.data)); /* the blob's pointer is not const, but libcurl only reads it */
    curl_easy_setopt(easy, option, &blob);
}

static void set_tls(CURL *easy, const server_access *access)
{
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (access->insecure) {
        curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
    }
    /* These are the only roots: the system's are not used. */
    if (access->ca_data.data != NULL) {
        curl_easy_setopt(easy, CURLOPT_CAINFO, NULL);
        curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
        set_blob(easy, CURLOPT_CAINFO_BLOB, access->ca_data);
    } else if (access->ca_file != NULL) {
        curl_easy_setopt(easy, CURLOPT_CAINFO, access->ca_file);
        curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
#if LIBCURL_VERSION_NUM >= 0x075700 /* by default libcurl trusts a cached CA file for a day */
        curl_easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, 0L);
#endif
    }
    if (access->certificate_data.data != NULL)
        set_blob(easy, CURLOPT_SSLCERT_BLOB, access->certificate_data);
    else if (access->certificate_file != NULL)
        curl_easy_setopt(easy, CURLOPT_SSLCERT, access->certificate_file);
    if (access->key_data.data != NULL)
        set_blob(easy, CURLOPT_SSLKEY_BLOB, access->key_data);
    else if (access->key_file != NULL)
        curl_easy_setopt(easy, CURLOPT_SSLKEY, access->key_file);
    if (access->proxy != NULL) {
        curl_easy_setopt(easy, CURLOPT_PROXY, access->proxy);
        curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
    }
}

CURL *curl_handle_create(const server_access *access)
{
    CURL *easy = curl_easy_init();
    if (easy == NULL)
        return NULL;
    set_tls(easy, access);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_hand_over);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, on_socket_made);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    char agent[64]; /* the API server indents JSON for names like those of browsers and curl */
    snprintf(agent, sizeof(agent), "berth/%s", berth_version());
    curl_easy_setopt(easy, CURLOPT_USERAGENT, agent);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    /* Requests wait until the first one's connection is known to carry many; plain HTTP never does,
     * and libcurl 7.88 forgets some of those that waited in vain. */
    const bool https = strncmp(access->server, "https://", 8) == 0;
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, https ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, 10000L);
    return easy;
}

static void set_method(CURL *easy, const curl_request *r)
{
    const bool posts = r->content_type != NULL;
    const bool plain = strcmp(r->method, posts ? "POST" : "GET") == 0;
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body_bytes);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, r->body); /* this makes it a POST */
    if (!posts)
        curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, plain ? NULL : r->method);
}

void curl_request_prepare(curl_request *r, CURL *easy, const server_access *access,
                          const char *bearer, int64_t now_ns)
{
    const int64_t left_ns = r->sent_ns + r->timeout_ns - now_ns;
    const long timeout_ms = r->timeout_ns > 0 ? (long)(left_ns / 1000000 + 1) : 0;
    r->easy = easy;
    make_url(r, access);
    set_headers(r, access, bearer);
    set_method(easy, r);
    curl_easy_setopt(easy, CURLOPT_URL, r->url);
    curl_easy_setopt(easy, CURLOPT_REQUEST_TARGET, r->target);
    curl_easy_setopt(easy, CURLOPT_CONNECT_TO, r->connect_to);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, r->headers);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, r);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, r->error);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, r);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, r);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, timeout_ms);
}

CURL *curl_request_take_handle(curl_request *r)
{
    CURL *easy = r->easy;
    r->easy = NULL;
    if (easy != NULL)
        curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, NULL); /* the rest is set before it is read */
    return easy;
}

/* ---- end ---- */

static const char *explanation(const curl_request *r, CURLcode code)
{
    if (r->late)
        return "its deadline is over";
    if (r->too_large)
        return "the answer is too large";
    if (r->enough)
        return "its reader has ended it";
    return r->error[0] != '\0' ? r->error : curl_easy_strerror(code);
}

/* Nobody waits for longer than a day, whatever a server asks for. */
enum { RETRY_AFTER_MAX_S = 24 * 60 * 60 };

/* An answer that breaks off does not count as one: the result of a write cannot be relied on. */
void curl_request_answer(curl_request *r, CURLcode code, live_answer *out)
{
    long status = 0;
    curl_off_t retry_after = 0;
    *out = (live_answer){.body = {"", 0}, .retry_after_ns = -1, .why = ""};
    curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status);
    if (code != CURLE_OK || status == 0) {
        out->outcome = r->handed ? LIVE_UNKNOWN : LIVE_NOT_SENT;
        out->why = explanation(r, code);
        return;
    }
    out->outcome = LIVE_ANSWERED;
    out->status = (int)status;
    if (r->answer != NULL)
        out->body = (berth_str){r->answer, (uint32_t)r->answer_bytes};
    if (curl_easy_getinfo(r->easy, CURLINFO_RETRY_AFTER, &retry_after) == CURLE_OK &&
        retry_after > 0)
        out->retry_after_ns = (retry_after < RETRY_AFTER_MAX_S ? retry_after : RETRY_AFTER_MAX_S) *
                              INT64_C(1000000000);
}
