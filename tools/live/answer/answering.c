/* The network's thread: signals, the API server's version, the copy, and the server for
 * questions. */
#include "live/answer/answering.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/exits.h"
#include "live/answer/asking.h"
#include "live/credentials/credentials.h"
#include "live/log/log.h"
#include "live/read/server_wait.h"
#include "live/run/served.h"

static const int64_t second_ns = 1000000000;
enum {
    WATCH_LOST_S = 300,
    CONNECTIONS = 1024,
    WAITING = 512,
    LOOKS_A_SECOND = 20,
    MANIFEST_MAX = 16 << 20,
    CHECKS = 2
};

typedef struct answering {
    const answering_options *options;
    event_loop *loop;
    credentials *access;
    curl_transport *curl;
    const live_transport *transport;
    reviewing *reviewing;
    metrics *metrics;
    serving *server;
    live_copy *copy;
    standing *standing;
    asking *asking;
    server_wait api_server;
    int signals, code;
    bool ends, is_listed, is_synced;
    health_check checks[CHECKS]; /* they read only atomics */
    _Atomic bool ready, watches;
} answering;

static void end(answering *a, int code)
{
    a->ends = true;
    a->code = code;
}

/* ---- health ---- */

static bool is_ready(void *context)
{
    return atomic_load_explicit(&((answering *)context)->ready, memory_order_relaxed);
}

static bool is_watching(void *context)
{
    return atomic_load_explicit(&((answering *)context)->watches, memory_order_relaxed);
}

static void look(void *context)
{
    answering *a = context;
    const int64_t lost_ns = a->copy != NULL ? watcher_lost_ns(live_copy_watcher(a->copy)) : 0;
    atomic_store_explicit(&a->watches, lost_ns < WATCH_LOST_S * second_ns, memory_order_relaxed);
    metrics_set(a->metrics, METRIC_WATCH_LOST_SECONDS, (double)lost_ns / 1e9, METRIC_NO_LABELS);
    if (a->asking != NULL)
        asking_look(a->asking);
    (void)live_timer_set(a->transport, live_now(a->transport) + second_ns / LOOKS_A_SECOND, look,
                         a);
}

/* ---- the server for questions ---- */

static berth_status serve(answering *a, berth_error *error)
{
    static const char plain[] = "http://";
    const answering_options *o = a->options;
    const bool is_plain = served_is_plain(o->listen);
    const health_check checks[CHECKS] = {
        {"copy", false, true, false, is_ready, a},
        {"watches", false, true, false, is_watching, a},
    };
    memcpy(a->checks, checks, sizeof(checks));
    const serving_options options = {
        .address = o->listen + (is_plain ? strlen(plain) : 0),
        .self_signed = !is_plain,
        .certificate_file = o->certificate_file,
        .key_file = o->key_file,
        .client_ca_file = o->client_ca_file,
        .permission = a->reviewing != NULL ? reviewing_rule(a->reviewing) : (permission_rule){0},
        .questions = asking_rule(a->asking),
        .connections = CONNECTIONS,
        .checks = a->checks,
        .check_count = CHECKS,
        .metrics = a->metrics,
        .context = a,
        .flags = o->flags};
    return serving_start(&options, &a->server, error);
}

static void start_serving(answering *a)
{
    berth_error error = {.code = BERTH_OK};
    const answering_options *o = a->options;
    const asking_options how = {.world = {a->copy, a->standing, o->setup, o->config->access.server},
                                .metrics = a->metrics,
                                .threads = o->threads,
                                .of_client = o->of_client,
                                .waiting = WAITING,
                                .time_ns = o->time_ns,
                                .manifest_max = MANIFEST_MAX};
    if (!served_is_plain(o->listen))
        a->reviewing = reviewing_create(&o->reviewing, a->loop, a->transport);
    if (asking_create(&how, &a->asking, &error) != BERTH_OK || serve(a, &error) != BERTH_OK) {
        const int code = exit_error("serve", &error);
        end(a, error.code == BERTH_E_ARG ? EXIT_USAGE : code);
        return;
    }
    LOG_INFO(0, "answering questions", "address", o->listen);
}

/* ---- the copy ---- */

static void note_progress(answering *a)
{
    if (!a->is_listed || !a->is_synced || is_ready(a))
        return;
    atomic_store_explicit(&a->ready, true, memory_order_relaxed);
    LOG_INFO(0, "the copy is complete");
}

static void on_listed(void *context)
{
    answering *a = context;
    a->is_listed = true;
    note_progress(a);
}

static void on_synced(void *context)
{
    answering *a = context;
    a->is_synced = true;
    note_progress(a);
}

static void follow(answering *a, int minor)
{
    berth_error error = {.code = BERTH_OK};
    engine_setup *setup = a->options->setup;
    setup->keep_objects = true;
    berth_status status = engine_setup_resolve(setup, &error);
    if (status == BERTH_OK)
        status = live_copy_create(a->transport, setup, minor, on_synced, a, &a->copy, &error);
    if (status != BERTH_OK) {
        end(a, exit_error("serve", &error));
        return;
    }
    a->standing = standing_create(a->transport, minor, on_listed, a);
    start_serving(a);
    if (a->ends)
        return;
    standing_start(a->standing);
    live_copy_start(a->copy);
}

static void on_server(void *context, bool is_known)
{
    answering *a = context;
    if (!is_known) {
        end(a, EXIT_INPUT);
        return;
    }
    a->options->setup->kubernetes = a->api_server.version.rules;
    follow(a, a->api_server.version.minor);
}

/* ---- life ---- */

static void on_signal(void *context, int fd, uint32_t events)
{
    answering *a = context;
    struct signalfd_siginfo what;
    (void)events;
    while (read(fd, &what, sizeof(what)) == (ssize_t)sizeof(what)) {
        LOG_INFO(0, "a signal ends it", "signal", strsignal((int)what.ssi_signo));
        end(a, EXIT_DONE);
    }
}

static bool take_signals(answering *a)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    a->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return a->signals >= 0 && event_loop_fd(a->loop, a->signals, EPOLLIN, on_signal, a);
}

static void on_woken(void *context)
{
    answering *a = context;
    if (a->reviewing != NULL)
        reviewing_turn(a->reviewing);
}

static bool open_all(answering *a)
{
    a->loop = event_loop_create();
    if (a->loop == NULL || !take_signals(a) || !curl_transport_setup())
        return false;
    const credentials_options how = {.loop = a->loop, .config = a->options->config};
    a->access = credentials_create(&how);
    const curl_transport_options options = {
        .loop = a->loop, .access = &credentials_access_ops, .access_self = a->access};
    a->curl = curl_transport_create(&options);
    a->transport = curl_transport_interface(a->curl);
    credentials_attach(a->access, a->curl);
    event_loop_on_wake(a->loop, on_woken, a);
    a->metrics = metrics_create(false);
    return true;
}

/* Clients that still wait are answered first; then the server stops. After that, nothing uses the
 * copy. */
static void close_all(answering *a)
{
    if (a->copy != NULL)
        live_copy_stop(a->copy);
    if (a->standing != NULL)
        standing_stop(a->standing);
    reviewing_stop(a->reviewing);
    asking_stop(a->asking);
    serving_stop(a->server);
    asking_destroy(a->asking);
    reviewing_destroy(a->reviewing);
    live_copy_destroy(a->copy);
    standing_destroy(a->standing);
    metrics_destroy(a->metrics);
    curl_transport_destroy(a->curl);
    credentials_destroy(a->access);
    event_loop_destroy(a->loop);
    if (a->signals >= 0)
        close(a->signals);
}

int answering_run(const answering_options *options)
{
    answering a = {.options = options, .signals = -1};
    atomic_init(&a.watches, true);
    if (!open_all(&a)) {
        fprintf(stderr, "berth serve: the network can't be used: %s\n", strerror(errno));
        a.code = EXIT_INTERNAL;
    } else {
        look(&a);
        a.api_server = (server_wait){.transport = a.transport,
                                     .command = "serve",
                                     .server = options->config->access.server,
                                     .rules = options->setup->kubernetes,
                                     .ended = on_server,
                                     .context = &a};
        server_wait_start(&a.api_server);
        while (!a.ends)
            event_loop_turn(a.loop, second_ns);
    }
    close_all(&a);
    return a.code;
}
