/* A run: request the server's version, create the engine, list, decide; at the end, shut down. */
#include "live/run/session.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/exits.h"
#include "live/credentials/credentials.h"
#include "live/lease/lease.h"
#include "live/log/log.h"
#include "live/read/server_wait.h"
#include "live/run/configz.h"
#include "live/run/extending.h"
#include "live/run/orders.h"
#include "live/run/served.h"
#include "live/transport/curl_transport.h"

static const int64_t second_ns = 1000000000;

enum {
    BLIND_SECONDS = 300, /* without a watch this long, nothing is evicted any more */
    /* Changes that wait for the deciding thread; while there are more, no further page is
     * requested. */
    BACKLOG_MAX = 20000,
    SETTLE_SECONDS = 5, /* for what is on its way when a run ends */
};

typedef struct session {
    const session_options *options;
    event_loop *loop;
    credentials *access;
    curl_transport *curl;
    const live_transport *transport;
    watcher *watcher;
    watcher *fresh; /* lists for a comparison; NULL: none is running */
    deciding deciding;
    bool deciding_runs;
    writes *writes; /* NULL: dry run */
    lease *lease;   /* NULL: no election */
    uint64_t acquired_version;
    int64_t acquired_ns; /* 0: not acquired, or already deciding */
    bool released;
    orders orders;
    extending extending;
    served served;
    reviewing *reviewing; /* NULL: everyone may read what is served */
    int signals;
    bool ends, reloads;
    int code;
    int64_t began_ns;
    server_wait api_server;
} session;

static void end(session *s, int code)
{
    s->ends = true;
    atomic_store_explicit(&s->served.stops, true, memory_order_relaxed); /* SERVED-1 */
    if (code != EXIT_DONE)
        s->code = code;
}

/* ---- reports of the watches ---- */

static uint64_t on_change(void *context, const watch_change *change)
{
    session *s = context;
    static const message_kind kinds[] = {MESSAGE_ADD, MESSAGE_UPDATE, MESSAGE_REMOVE};
    if (s->writes != NULL)
        orders_changed(&s->orders, change->kind, change->namespace_name, change->name);
    if (s->deciding.dry_run && change->operation == WATCH_UPDATE) {
        const object_entry *entry =
            watcher_find(s->watcher, change->kind, change->namespace_name, change->name);
        return inbox_put_update(&s->deciding.in, change->object, entry != NULL ? entry->born : 0);
    }
    return inbox_put_change(&s->deciding.in, kinds[change->operation], change->kind,
                            change->namespace_name, change->name, change->object);
}

static bool on_is_full(void *context)
{
    return inbox_backlog(&((session *)context)->deciding.in) > BACKLOG_MAX;
}

static void on_listed(void *context, berth_kind kind)
{
    session *s = context;
    char count[24], took[24];
    const reflector *r = watcher_reflector(s->watcher, kind);
    snprintf(count, sizeof(count), "%zu", r->table.count);
    snprintf(took, sizeof(took), "%.3f", (double)(event_loop_now() - s->began_ns) / 1e9);
    LOG_INFO(2, "listed", "kind", berth_kind_name(kind), "objects", count, "seconds", took);
    if (!watcher_is_synced(s->watcher))
        return;
    served_look(&s->served, s->watcher, s->writes, s->lease); /* ready from now on */
    LOG_INFO(0, "all lists are whole", "seconds", took);
    (void)inbox_put(&s->deciding.in, MESSAGE_SYNCED);
    if (s->lease != NULL)
        lease_start(s->lease); /* a standby keeps its cluster up to date */
    else
        (void)inbox_put(&s->deciding.in, MESSAGE_DECIDE);
}

static void on_seen(void *context, const object_entry *entry, const object_view *view)
{
    session *s = context;
    if (s->writes != NULL)
        orders_seen(&s->orders, entry, view);
}

static void on_text(void *context, berth_kind kind, const object_view *view, berth_str text)
{
    extending_seen(&((session *)context)->extending, kind, view, text);
}

static void on_gone(void *context, berth_kind kind, const object_entry *entry)
{
    session *s = context;
    extending_gone(&s->extending, kind, entry);
    if (s->writes == NULL)
        return;
    orders_gone(&s->orders, kind, entry);
    if (s->orders.held)
        event_loop_wake(s->loop);
    s->orders.held = false;
}

/* ---- writes ---- */

static void on_bound(void *context, const bind_outcome *outcome)
{
    session *s = context;
    if (s->served.server != NULL)
        served_bound(&s->served, outcome);
    orders_bound(&s->orders, outcome);
}

static void on_limited(void *context, const char *method, int64_t waited_ns)
{
    session *s = context;
    if (s->served.server != NULL)
        served_limited(&s->served, method, waited_ns);
}

static void on_evicted(void *context, const eviction_outcome *outcome)
{
    session *s = context;
    if (s->served.server != NULL)
        served_evicted(&s->served, outcome);
    orders_evicted(&s->orders, outcome);
}

static void take_orders(void *context)
{
    session *s = context;
    if (s->writes != NULL)
        orders_take(&s->orders);
}

static void on_woken(void *context)
{
    session *s = context;
    take_orders(s);
    if (s->reviewing != NULL)
        reviewing_turn(s->reviewing);
}

static void on_ordered(void *context)
{
    event_loop_wake(((session *)context)->loop);
}

/* ---- the lease ---- */

/* Starts deciding when the last leader's bindings are known: our view of the pods has passed the
 * moment at which we became leader, or 2 s are over. */
static void begin_deciding(void *context)
{
    session *s = context;
    int64_t now_ns = event_loop_now();
    uint64_t seen = strtoull(watcher_reflector(s->watcher, BERTH_KIND_POD)->version, NULL, 10);
    if (s->ends || s->acquired_ns == 0)
        return;
    if (seen < s->acquired_version && now_ns - s->acquired_ns < 2 * second_ns) {
        (void)live_timer_set(s->transport, now_ns + second_ns / 20, begin_deciding, s);
        return;
    }
    s->acquired_ns = 0;
    LOG_INFO(0, "leading");
    (void)inbox_put(&s->deciding.in, MESSAGE_DECIDE);
}

static void on_renewed(void *context, int64_t deadline_ns)
{
    writes_fence(((session *)context)->writes, deadline_ns);
}

static void on_acquired(void *context, uint64_t version)
{
    session *s = context;
    s->acquired_version = version;
    s->acquired_ns = event_loop_now();
    begin_deciding(s);
}

static void on_lost(void *context, const char *why)
{
    session *s = context;
    writes_fence(s->writes, 0);
    LOG_ERROR("the lease is lost; another process may lead from now on", "why", why);
    end(s, EXIT_NEGATIVE);
}

static void on_leader(void *context, const char *holder)
{
    (void)context;
    LOG_INFO(0, "the leader is known", "holder", holder);
}

static void on_released(void *context)
{
    ((session *)context)->released = true;
}

static void make_lease(session *s, const char *host)
{
    char identity[320];
    const session_options *o = s->options;
    snprintf(identity, sizeof(identity), "%s_%016" PRIx64 "%016" PRIx64, host,
             live_random(s->transport), live_random(s->transport));
    lease_options options;
    lease_options_init(&options);
    options.transport = s->transport;
    options.namespace_name = o->lease_namespace;
    options.name = o->lease_name;
    options.identity = identity;
    options.duration_ns = o->lease_ns;
    options.deadline_ns = o->renew_deadline_ns;
    options.retry_ns = o->retry_period_ns;
    const lease_callbacks callbacks = {s, on_renewed, on_acquired, on_lost, on_leader};
    s->lease = lease_create(&options, &callbacks);
}

static void make_writes(session *s)
{
    char host[256] = "";
    (void)gethostname(host, sizeof(host) - 1);
    const writes_options options = {
        .transport = s->transport,
        .host = host,
        .minor = s->api_server.version.minor,
        .scheduled_events = true,
        .binder = extending_binder(&s->extending),
        .rate = s->options->rate,
        .burst = s->options->burst,
        .callbacks = {s, on_bound, on_evicted, take_orders, on_limited}};
    s->writes = writes_create(&options);
    writes_fence(s->writes, s->options->leader_elect ? 0 : LIVE_NEVER);
    if (s->options->leader_elect)
        make_lease(s, host);
    s->orders = (orders){.deciding = &s->deciding,
                         .watcher = s->watcher,
                         .writes = s->writes,
                         .volume_timeout_ns = s->options->volume_timeout_ns,
                         .device_timeout_ns = s->options->device_timeout_ns};
}

/* ---- start ---- */

static void flush_inbox(void *context)
{
    inbox_flush(&((session *)context)->deciding.in);
}

static void on_config_note(void *context, const berth_note *note)
{
    char plugin[128], suggestion[128];
    (void)context;
    snprintf(plugin, sizeof(plugin), "%.*s", (int)note->word.len, note->word.data);
    snprintf(suggestion, sizeof(suggestion), "%.*s", (int)note->suggestion.len,
             note->suggestion.data != NULL ? note->suggestion.data : "");
    if (suggestion[0] != '\0')
        LOG_WARNING("arguments of a plugin that does not exist are ignored", "file",
                    note->place->source, "field", note->place->field, "plugin", plugin,
                    "didYouMean", suggestion);
    else
        LOG_WARNING("arguments of a plugin that does not exist are ignored", "file",
                    note->place->source, "field", note->place->field, "plugin", plugin);
}

static void begin(session *s)
{
    berth_error error = {.code = BERTH_OK};
    engine_setup *setup = s->options->setup;
    const watch_sink sink = {.change = on_change,
                             .is_full = on_is_full,
                             .listed = on_listed,
                             .seen = on_seen,
                             .text = on_text,
                             .gone = on_gone,
                             .context = s};
    berth_status resolved = engine_setup_resolve(setup, &error);
    if (resolved == BERTH_OK && setup->config != NULL)
        berth_scheduler_config_notes(setup->config, on_config_note, NULL);
    if (resolved == BERTH_OK)
        resolved = extending_start(&s->extending, s->loop, setup->config,
                                   (extender_wait){deciding_waits, &s->deciding},
                                   s->options->dry_run, &error);
    s->deciding.extenders = s->extending.extenders;
    s->deciding.texts = s->extending.texts;
    if (resolved != BERTH_OK || deciding_start(&s->deciding, &error) != BERTH_OK) {
        end(s, exit_error("run", &error));
        return;
    }
    s->deciding_runs = true;
    inbox_gather(&s->deciding.in);
    event_loop_before_wait(s->loop, flush_inbox, s);
    atomic_store_explicit(&s->served.deciding_runs, true, memory_order_relaxed); /* SERVED-1 */
    if (s->served.server != NULL) {
        served_configure(&s->served, configz_text(s->options), s->api_server.version.minor,
                         (int)setup->minor);
        served_rules(&s->served, (int)setup->minor, setup->feature_gates);
    }
    s->watcher = watcher_create(s->transport, &sink, s->api_server.version.minor,
                                engine_setup_follows_groups(s->options->setup),
                                engine_setup_follows_composites(s->options->setup));
    if (s->watcher == NULL) {
        end(s, exit_status("run", "making a reader", BERTH_E_NOMEM));
        return;
    }
    if (!s->options->dry_run)
        make_writes(s);
    watcher_start(s->watcher);
}

static void on_server(void *context, bool is_known)
{
    session *s = context;
    if (!is_known) {
        end(s, EXIT_INPUT);
        return;
    }
    s->options->setup->kubernetes = s->api_server.version.rules;
    begin(s);
}

/* ---- comparison with a new list ---- */

static uint64_t on_fresh(void *context, const watch_change *change)
{
    session *s = context;
    if (change->operation != WATCH_ADD)
        return 1;
    return inbox_put_change(&s->deciding.in, MESSAGE_COMPARE, change->kind, change->namespace_name,
                            change->name, change->object);
}

static void end_comparison(void *context)
{
    session *s = context;
    watcher_stop(s->fresh);
    watcher_destroy(s->fresh);
    s->fresh = NULL;
}

/* The comparison is ended later, because this is called from within its watcher. */
static void on_fresh_listed(void *context, berth_kind kind)
{
    session *s = context;
    (void)kind;
    if (!watcher_is_synced(s->fresh))
        return;
    (void)inbox_put(&s->deciding.in, MESSAGE_COMPARED);
    (void)live_timer_set(s->transport, live_now(s->transport), end_comparison, s);
}

static void begin_comparison(session *s)
{
    const watch_sink sink = {
        .change = on_fresh, .is_full = on_is_full, .listed = on_fresh_listed, .context = s};
    if (s->fresh != NULL || s->watcher == NULL || !watcher_is_synced(s->watcher))
        return;
    s->fresh = watcher_create(s->transport, &sink, s->api_server.version.minor,
                              engine_setup_follows_groups(s->options->setup),
                              engine_setup_follows_composites(s->options->setup));
    if (s->fresh != NULL)
        watcher_start(s->fresh);
}

/* ---- signals ---- */

/* The engine cannot change its profiles, so a new session begins with the new file. */
static void reload(session *s)
{
    const session_options *o = s->options;
    if (o->reload == NULL) {
        LOG_INFO(0, "there is no configuration file to read again");
    } else if (o->reload(o->reload_context)) {
        LOG_INFO(0, "the configuration has been read again and takes effect");
        s->reloads = true;
        end(s, EXIT_DONE);
    }
}

static void on_signal(void *context, int fd, uint32_t events)
{
    session *s = context;
    struct signalfd_siginfo what;
    (void)events;
    while (read(fd, &what, sizeof(what)) == (ssize_t)sizeof(what)) {
        if (what.ssi_signo == SIGUSR2) {
            begin_comparison(s);
            continue;
        }
        if (what.ssi_signo == SIGHUP) {
            if (!s->ends)
                reload(s);
            continue;
        }
        LOG_INFO(0, "a signal ends it", "signal", strsignal((int)what.ssi_signo));
        if (s->ends && !s->reloads)
            _exit(EXIT_NEGATIVE); /* the second signal: exit at once */
        s->reloads = false;
        end(s, EXIT_DONE);
    }
}

static bool take_signals(session *s)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGUSR2);
    sigaddset(&set, SIGHUP);
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return s->signals >= 0 && event_loop_fd(s->loop, s->signals, EPOLLIN, on_signal, s);
}

/* ---- checks ---- */

static void show_reloads(session *s)
{
    const session_options *o = s->options;
    if (o->reload == NULL)
        return;
    metrics_set(s->served.metrics, METRIC_RELOADS, (double)*o->reloads, METRIC_LABELS("success"));
    metrics_set(s->served.metrics, METRIC_RELOADS, (double)*o->bad_reloads, METRIC_LABELS("error"));
}

/* Logs what a user may want to know, and problems that should not go unnoticed. */
static void look(void *context)
{
    session *s = context;
    bool is_blind = s->watcher != NULL && watcher_lost_ns(s->watcher) >= BLIND_SECONDS * second_ns;
    atomic_store_explicit(&s->deciding.is_blind, is_blind,
                          memory_order_relaxed); /* relaxed: a hint */
    served_look(&s->served, s->watcher, s->writes, s->lease);
    show_reloads(s);
    (void)live_timer_set(s->transport, live_now(s->transport) + second_ns, look, s);
}

static bool start_serving(session *s)
{
    const session_options *o = s->options;
    berth_error error = {.code = BERTH_OK};
    if (o->serve == NULL)
        return true;
    if (!served_is_plain(o->serve))
        s->reviewing = reviewing_create(&o->reviewing, s->loop, s->transport);
    const served_place place = {.address = o->serve,
                                .certificate_file = o->certificate_file,
                                .key_file = o->key_file,
                                .client_ca_file = o->client_ca_file,
                                .permission = s->reviewing != NULL ? reviewing_rule(s->reviewing)
                                                                   : (permission_rule){0},
                                .flags = o->flags,
                                .no_profiles = o->no_profiles};
    if (served_start(&s->served, &place, &error) != BERTH_OK) {
        int code = exit_error("run", &error);
        end(s, error.code == BERTH_E_ARG ? EXIT_USAGE : code);
        return false;
    }
    s->deciding.metrics = s->served.metrics;
    LOG_INFO(0, "serving health and metrics", "address", o->serve);
    return true;
}

/* ---- public function ---- */

static bool open_session(session *s)
{
    s->loop = event_loop_create();
    if (s->loop == NULL || !take_signals(s) || !curl_transport_setup())
        return false;
    const credentials_options how = {.loop = s->loop, .config = s->options->config};
    s->access = credentials_create(&how);
    const curl_transport_options options = {
        .loop = s->loop,
        .access = &credentials_access_ops,
        .access_self = s->access,
        .observer = {.request_over = s->options->serve != NULL ? served_request : NULL,
                     .context = &s->served}};
    s->curl = curl_transport_create(&options);
    s->transport = curl_transport_interface(s->curl);
    credentials_attach(s->access, s->curl);
    event_loop_on_wake(s->loop, on_woken, s);
    return true;
}

static bool is_done(session *s)
{
    uint64_t wanted = s->options->dry_run_placements;
    /* relaxed: a statistic. */
    return s->ends || (wanted > 0 && atomic_load_explicit(&s->deciding.decisions,
                                                          memory_order_relaxed) >= wanted);
}

/* Waits for the current requests, because nothing else will learn their outcome. */
static void settle(session *s)
{
    int64_t until_ns = event_loop_now() + SETTLE_SECONDS * second_ns;
    (void)inbox_put(&s->deciding.in, MESSAGE_PAUSE);
    s->orders.ends = true;
    writes_end(s->writes);
    orders_take(&s->orders);
    while (!writes_is_settled(s->writes) && event_loop_now() < until_ns)
        event_loop_turn(s->loop, second_ns / 10);
    if (s->lease == NULL || !lease_is_held(s->lease))
        return;
    lease_release(s->lease, on_released, s);
    while (!s->released)
        event_loop_turn(s->loop, second_ns / 10);
}

static void close_session(session *s)
{
    if (s->writes != NULL && s->code == EXIT_DONE) /* after a lost lease we own nothing any more */
        settle(s);
    if (s->watcher != NULL)
        watcher_stop(s->watcher);
    if (s->fresh != NULL)
        end_comparison(s);
    if (s->deciding_runs) {
        deciding_stop(&s->deciding);
        if (s->options->dry_run)
            agreement_print(&s->deciding.agreement, stdout);
        lease_destroy(s->lease);
        writes_destroy(s->writes);
        deciding_free(&s->deciding);
    }
    extending_free(&s->extending);
    reviewing_stop(s->reviewing);
    served_free(&s->served);
    reviewing_destroy(s->reviewing);
    watcher_destroy(s->watcher);
    curl_transport_destroy(s->curl);
    credentials_destroy(s->access);
    event_loop_destroy(s->loop);
    if (s->signals >= 0)
        close(s->signals);
}

int session_run(const session_options *options)
{
    session s = {.options = options, .signals = -1};
    s.deciding.setup = options->setup;
    s.deciding.dry_run = options->dry_run;
    s.deciding.unschedulable_max_ns = options->unschedulable_max_ns;
    s.deciding.ordered = on_ordered;
    s.deciding.context = &s;
    served_init(&s.served, &s.deciding, options->config->access.server,
                options->leader_elect ? options->lease_name : NULL, options->lease_ns);
    if (!open_session(&s)) {
        fprintf(stderr, "berth run: the network can't be used: %s\n", strerror(errno));
        s.code = EXIT_INTERNAL;
    } else if (start_serving(&s)) {
        s.began_ns = event_loop_now();
        look(&s);
        s.api_server = (server_wait){.transport = s.transport,
                                     .command = "run",
                                     .server = options->config->access.server,
                                     .rules = options->setup->kubernetes,
                                     .ended = on_server,
                                     .context = &s};
        server_wait_start(&s.api_server);
        while (!is_done(&s))
            event_loop_turn(s.loop, second_ns);
    }
    close_session(&s);
    return s.reloads && s.code == EXIT_DONE ? SESSION_RELOAD : s.code;
}
