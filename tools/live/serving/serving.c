/* A libmicrohttpd daemon on a socket that we open ourselves, so that errors can be explained. */
#include "live/serving/serving.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "live/serving/connections.h"
#include "live/serving/debug_pages.h"
#include "live/serving/permission.h"
#include "live/serving/self_signed.h"

enum { CONNECTION_TIMEOUT_S = 30, FILE_BYTES_MAX = 1 << 20, CONNECTIONS_DEFAULT = 64 };

/* If the list of waiting connections is full, the kernel drops new ones, and their clients try
 * again a second later. */
enum { BACKLOG = 1024 };

struct serving {
    serving_options options;
    time_t began;
    struct MHD_Daemon *daemon;
    connections open;
    char *certificate, *key, *client_authority;
    uint16_t port;
};

typedef debug_page page;

/* A request whose headers were read. */
typedef struct request {
    char body[DEBUG_BODY_BYTES]; /* cut off, and terminated */
    size_t length;
    permission permission;
    question question;
} request;

/* ---- health ---- */

static bool belongs(const health_check *check, const char *kind)
{
    return strcmp(kind, "livez") == 0    ? check->livez
           : strcmp(kind, "readyz") == 0 ? check->readyz
                                         : check->healthz;
}

/* Prints the checks of that kind, or the named one, a line each. Returns whether all of them
 * pass. */
static bool print_checks(FILE *out, const serving_options *options, const char *kind,
                         const char *only, bool *found)
{
    bool good = true;
    *found = only[0] == '\0' || strcmp(only, "ping") == 0;
    if (*found)
        fputs("[+]ping ok\n", out);
    for (size_t i = 0; i < options->check_count; i++) {
        const health_check *check = &options->checks[i];
        if (!belongs(check, kind) || (only[0] != '\0' && strcmp(only, check->name) != 0))
            continue;
        *found = true;
        bool passes = check->passes(check->context);
        good = good && passes;
        fprintf(out, passes ? "[+]%s ok\n" : "[-]%s failed: reason withheld\n", check->name);
    }
    return good;
}

static page text_page(unsigned status, const char *text)
{
    return (page){status, "text/plain; charset=utf-8", strdup(text), strlen(text)};
}

/* `only`: the name of one check, or "". */
static page health_page(const serving_options *options, const char *kind, const char *only,
                        bool verbose)
{
    page p = {MHD_HTTP_OK, "text/plain; charset=utf-8", NULL, 0};
    bool found = false;
    FILE *out = open_memstream(&p.text, &p.length);
    if (out == NULL)
        return p;
    bool good = print_checks(out, options, kind, only, &found);
    fprintf(out, "%s check %s\n", kind, good ? "passed" : "failed");
    fclose(out);
    if (found && !good)
        p.status = MHD_HTTP_INTERNAL_SERVER_ERROR;
    if (found && (!good || verbose))
        return p;
    free(p.text);
    return found ? text_page(MHD_HTTP_OK, "ok") : text_page(MHD_HTTP_NOT_FOUND, "not found\n");
}

static page slis_page(const serving_options *options)
{
    static const char *const kinds[] = {"healthz", "livez", "readyz"};
    page p = {MHD_HTTP_OK, "text/plain; version=0.0.4; charset=utf-8", NULL, 0};
    FILE *out = open_memstream(&p.text, &p.length);
    if (out == NULL)
        return p;
    fputs("# HELP kubernetes_healthcheck This metric records the result of a single healthcheck.\n"
          "# TYPE kubernetes_healthcheck gauge\n",
          out);
    for (int kind = 0; kind < 3; kind++) {
        fprintf(out, "kubernetes_healthcheck{name=\"ping\",type=\"%s\"} 1\n", kinds[kind]);
        for (size_t i = 0; i < options->check_count; i++) {
            const health_check *check = &options->checks[i];
            if (belongs(check, kinds[kind]))
                fprintf(out, "kubernetes_healthcheck{name=\"%s\",type=\"%s\"} %d\n", check->name,
                        kinds[kind], check->passes(check->context));
        }
    }
    fclose(out);
    return p;
}

/* ---- pages ---- */

static page metrics_page(const serving_options *options)
{
    page p = {MHD_HTTP_OK, "text/plain; version=0.0.4; charset=utf-8", NULL, 0};
    if (options->refresh != NULL)
        options->refresh(options->context);
    p.text = metrics_text(options->metrics, &p.length);
    return p;
}

static page configz_page(const serving_options *options)
{
    page p = {MHD_HTTP_OK, "application/json", NULL, 0};
    FILE *out = open_memstream(&p.text, &p.length);
    if (out == NULL)
        return p;
    const char *text =
        options->configuration != NULL ? options->configuration(options->context) : NULL;
    fprintf(out, "{\"componentconfig\":%s}", text != NULL ? text : "{}");
    fclose(out);
    return p;
}

/* Returns "livez" for "/livez" and "/livez/ping" (`*rest`: "ping"), and NULL for other paths. */
static const char *health_kind(const char *path, const char **rest)
{
    static const char *const kinds[] = {"livez", "readyz", "healthz"};
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(kinds[i]);
        if (path[0] != '/' || strncmp(path + 1, kinds[i], length) != 0)
            continue;
        *rest = path + 1 + length;
        if ((*rest)[0] == '/')
            ++*rest;
        else if ((*rest)[0] != '\0')
            continue;
        return kinds[i];
    }
    return NULL;
}

static page find_page(const serving_options *options, const char *path, bool verbose)
{
    const char *rest, *kind = health_kind(path, &rest);
    if (kind != NULL)
        return health_page(options, kind, rest, verbose);
    if (strcmp(path, "/metrics") == 0)
        return metrics_page(options);
    if (strcmp(path, "/metrics/slis") == 0)
        return slis_page(options);
    if (strcmp(path, "/configz") == 0)
        return configz_page(options);
    return text_page(MHD_HTTP_NOT_FOUND, "404 page not found\n");
}

static enum MHD_Result answer(struct MHD_Connection *connection, const page *p, unsigned retry_s)
{
    if (p->text == NULL)
        return MHD_NO;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(p->length, p->text, MHD_RESPMEM_MUST_FREE);
    if (response == NULL) {
        free(p->text);
        return MHD_NO;
    }
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, p->type);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache, private");
    MHD_add_response_header(response, "X-Frame-Options", "DENY");
    char seconds[16];
    snprintf(seconds, sizeof(seconds), "%u", retry_s);
    if (retry_s > 0)
        MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, seconds);
    enum MHD_Result result = MHD_queue_response(connection, p->status, response);
    MHD_destroy_response(response);
    return result;
}

static bool has_argument(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value_n(connection, MHD_GET_ARGUMENT_KIND, name, strlen(name),
                                         NULL, NULL) == MHD_YES;
}

static page choose_page(const serving *s, struct MHD_Connection *connection, const char *path,
                        const char *method, const request *r)
{
    const serving_options *options = &s->options;
    const debug_facts facts = {.began_s = (long)s->began,
                               .rules_minor =
                                   options->rules != NULL ? options->rules(options->context) : 0,
                               .no_profiles = options->no_profiles,
                               .flags = options->flags};
    page p;
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0 &&
        !debug_page_takes(method, path))
        return text_page(MHD_HTTP_METHOD_NOT_ALLOWED, "405 method not allowed\n");
    if (options->permission.is_open == NULL && debug_page_is_local(method, path) &&
        !connections_is_local(&s->open, connection))
        return text_page(MHD_HTTP_FORBIDDEN, "403 only for clients of this host\n");
    if (debug_page_find(&facts, method, path, has_argument(connection, "debug"), r->body, &p))
        return p;
    return find_page(options, path, has_argument(connection, "verbose"));
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection,
                                  const char *path, const char *method, const char *version,
                                  const char *body, size_t *body_bytes, void **request_context)
{
    serving *s = context;
    (void)version;
    request *r = *request_context;
    if (r == NULL) {
        *request_context = calloc(1, sizeof(*r));
        if (*request_context == NULL)
            return MHD_NO;
        connections_request(&s->open, connection, true);
        return MHD_YES;
    }
    const question_rule *questions = &s->options.questions;
    const bool asks = questions->takes != NULL && questions->takes(questions->context, path);
    if (*body_bytes > 0 && asks) {
        /* Data from clients without permission is not stored. */
        const permission_state state =
            permission_of(&r->permission, &s->options.permission, connection, method, path);
        if (state == PERMISSION_WAITS)
            return MHD_YES; /* the piece comes again */
        if (state == PERMISSION_GIVEN)
            question_body(&r->question, questions, body, *body_bytes);
        *body_bytes = 0;
        return MHD_YES;
    }
    if (*body_bytes > 0) {
        size_t room = sizeof(r->body) - 1 - r->length;
        size_t taken = *body_bytes < room ? *body_bytes : room;
        memcpy(r->body + r->length, body, taken);
        r->length += taken;
        *body_bytes = 0;
        return MHD_YES;
    }
    page p;
    switch (permission_of(&r->permission, &s->options.permission, connection, method, path)) {
    case PERMISSION_WAITS:
        return MHD_YES;
    case PERMISSION_REFUSED:
        p = permission_page(&r->permission);
        break;
    default:
        if (asks && !r->question.asked)
            connections_client(&s->open, connection, r->question.client);
        if (asks && !question_is_answered(&r->question, questions, connection, method, path))
            return MHD_YES;
        p = asks ? question_take_answer(&r->question) : choose_page(s, connection, path, method, r);
    }
    return answer(connection, &p, r->question.retry_s);
}

static void on_complete(void *context, struct MHD_Connection *connection, void **request_context,
                        enum MHD_RequestTerminationCode code)
{
    serving *s = context;
    request *r = *request_context;
    if (r != NULL) {
        permission_free(&r->permission);
        question_free(&r->question);
    }
    free(r);
    *request_context = NULL;
    (void)code;
    connections_request(&s->open, connection, false);
}

static void on_connection(void *context, struct MHD_Connection *connection, void **socket_context,
                          enum MHD_ConnectionNotificationCode code)
{
    serving *s = context;
    (void)socket_context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        connections_open(&s->open, connection);
    else
        connections_close(&s->open, connection);
}

/* ---- start ---- */

/* Splits "HOST:PORT"; false if it is malformed. An empty `host` means every address. */
static bool split_address(const char *address, char host[256], const char **port)
{
    const char *colon = strrchr(address, ':');
    size_t length = colon != NULL ? (size_t)(colon - address) : 0;
    if (colon == NULL || colon[1] == '\0' || length >= 256 || strlen(colon + 1) > 5 ||
        strspn(colon + 1, "0123456789") != strlen(colon + 1) || atoi(colon + 1) > UINT16_MAX)
        return false;
    if (length >= 2 && address[0] == '[' && colon[-1] == ']') {
        address++;
        length -= 2;
    } else if (memchr(address, ':', length) != NULL) {
        return false;
    }
    memcpy(host, address, length);
    host[length] = '\0';
    *port = colon + 1;
    return true;
}

static int listen_on(const struct addrinfo *address)
{
    int on = 1, off = 0;
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (address->ai_family == AF_INET6) /* "::" accepts IPv4 and IPv6, as in Go */
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    if (bind(fd, address->ai_addr, address->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    int code = errno;
    close(fd);
    errno = code;
    return -1;
}

static berth_status open_socket(const char *address, int *out, berth_error *error)
{
    char host[256];
    const char *port;
    struct addrinfo *found,
        hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    if (!split_address(address, host, &port))
        return error_set(error, BERTH_E_ARG, NULL,
                         "'%s' is no address to serve at: HOST:PORT, [IPv6]:PORT or :PORT",
                         address);
    int code = getaddrinfo(host[0] != '\0' ? host : NULL, port, &hints, &found);
    if (code != 0)
        return error_set(error, BERTH_E_ARG, NULL, "can't serve at '%s': %s", address,
                         gai_strerror(code));
    int fd = -1;
    for (int family = 0; family < 2 && fd < 0; family++) /* IPv6 first, because it accepts both */
        for (const struct addrinfo *a = found; a != NULL && fd < 0; a = a->ai_next)
            if (a->ai_family == (family == 0 ? AF_INET6 : AF_INET))
                fd = listen_on(a);
    freeaddrinfo(found);
    if (fd < 0)
        return error_set(error, BERTH_E_IO, NULL, "can't serve at '%s': %s", address,
                         strerror(errno));
    *out = fd;
    return BERTH_OK;
}

static berth_status read_pem(const char *path, char **out, berth_error *error)
{
    char *text = heap_new(FILE_BYTES_MAX + 1, 1);
    FILE *file = fopen(path, "re");
    size_t length = file != NULL ? fread(text, 1, FILE_BYTES_MAX, file) : 0;
    bool failed = file == NULL || ferror(file) != 0;
    int code = errno;
    if (file != NULL)
        fclose(file);
    if (failed || length == 0) {
        free(text);
        return error_set(error, BERTH_E_IO, path, "can't be read: %s",
                         failed ? strerror(code) : "it is empty");
    }
    text[length] = '\0';
    *out = text;
    return BERTH_OK;
}

static berth_status read_files(serving *s, berth_error *error)
{
    const serving_options *options = &s->options;
    if (options->client_ca_file != NULL)
        TRY(read_pem(options->client_ca_file, &s->client_authority, error));
    if (s->client_authority != NULL && !client_authority_good(s->client_authority))
        return error_set(error, BERTH_E_IO, options->client_ca_file,
                         "it has no certificate in PEM, with which to check those of clients");
    if (options->certificate_file == NULL && options->key_file == NULL) {
        char host[256] = "";
        const char *port;
        if (!options->self_signed || !split_address(options->address, host, &port))
            return BERTH_OK; /* open_socket reports the address */
        return self_signed_make(host, &s->certificate, &s->key, error);
    }
    if (options->certificate_file == NULL || options->key_file == NULL)
        return error_set(
            error, BERTH_E_ARG, NULL,
            "a certificate and its key to serve with are given together or not at all");
    TRY(read_pem(options->certificate_file, &s->certificate, error));
    return read_pem(options->key_file, &s->key, error);
}

/* The daemon's thread blocks all signals; the network thread handles them. */
static struct MHD_Daemon *start_daemon(serving *s, int fd)
{
    sigset_t all, before;
    unsigned flags = MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME;
    /* GnuTLS priorities: TLS 1.2 or newer. The library's default still offers 1.0 and 1.1. */
    char priorities[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_PRIORITIES, 0, priorities},
        {MHD_OPTION_HTTPS_MEM_CERT, 0, s->certificate},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, s->key},
        {MHD_OPTION_HTTPS_MEM_TRUST, 0, s->client_authority}, /* asks clients for a certificate */
        {MHD_OPTION_END, 0, NULL},
    };
    if (s->client_authority == NULL)
        tls[3].option = MHD_OPTION_END;
    if (s->certificate == NULL)
        tls[0].option = MHD_OPTION_END;
    else
        flags |= MHD_USE_TLS;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    struct MHD_Daemon *daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, on_request, s, MHD_OPTION_LISTEN_SOCKET, fd,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)s->open.capacity, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)CONNECTION_TIMEOUT_S, MHD_OPTION_NOTIFY_CONNECTION, on_connection, s,
        MHD_OPTION_NOTIFY_COMPLETED, on_complete, s, MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return daemon;
}

static uint16_t port_of(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address = {.any = {.sa_family = AF_UNSPEC}};
    socklen_t size = sizeof(address);
    if (getsockname(fd, &address.any, &size) != 0)
        return 0;
    return ntohs(address.any.sa_family == AF_INET6 ? address.v6.sin6_port : address.v4.sin_port);
}

static berth_status start(serving *s, berth_error *error)
{
    int fd = -1;
    TRY(read_files(s, error));
    TRY(open_socket(s->options.address, &fd, error));
    s->port = port_of(fd);
    s->daemon = start_daemon(s, fd);
    if (s->daemon != NULL)
        return BERTH_OK;
    close(fd);
    return error_set(error, BERTH_E_IO, s->options.certificate_file,
                     s->certificate != NULL ? "can't serve with this certificate and its key"
                                            : "the server can't be started");
}

berth_status serving_start(const serving_options *options, serving **out, berth_error *error)
{
    serving *s = heap_new(1, sizeof(*s));
    s->options = *options;
    s->began = time(NULL);
    connections_init(&s->open,
                     options->connections > 0 ? options->connections : CONNECTIONS_DEFAULT);
    berth_status status = start(s, error);
    if (status != BERTH_OK) {
        serving_stop(s);
        return status;
    }
    *out = s;
    return BERTH_OK;
}

void serving_stop(serving *s)
{
    if (s == NULL)
        return;
    if (s->daemon != NULL)
        MHD_stop_daemon(s->daemon);
    free(s->certificate);
    free(s->key);
    free(s->client_authority);
    connections_free(&s->open);
    free(s);
}

uint16_t serving_port(const serving *s)
{
    return s->port;
}
