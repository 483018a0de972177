/* One request at a time, and a timer for the next attempt. */
#include "live/lease/lease.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "live/log/log.h"
#include "live/writes/write_json.h"

static const int64_t second_ns = 1000000000;

enum { REQUEST_TIMEOUT_S = 5 };

typedef enum lease_phase {
    PHASE_IDLE = 0,
    PHASE_WAITS,
    PHASE_LEADS,
    PHASE_RELEASES,
    PHASE_OVER,
} lease_phase;

struct lease {
    const live_transport *transport;
    char *namespace_name, *name, *identity, *path,
        *paths; /* `path`: of this lease; `paths`: of all leases of the namespace */
    int64_t duration_ns, deadline_ns, retry_ns;
    lease_callbacks callbacks;
    lease_phase phase;
    json_t *object;      /* as last read from the server; NULL: unknown */
    char *record;        /* the text of its spec, as last observed */
    int64_t observed_ns; /* when the record last changed */
    char *holder;        /* the last holder reported */
    live_id request, timer, deadline_timer;
    int64_t sent_ns, renewed_ns;
    bool straight; /* the current request is a PUT without a GET before it */
    bool denied;
    void (*released)(void *context);
    void *released_context;
};

void lease_options_init(lease_options *options)
{
    *options = (lease_options){.namespace_name = "kube-system",
                               .name = "berth",
                               .identity = "",
                               .duration_ns = 15 * second_ns,
                               .deadline_ns = 10 * second_ns,
                               .retry_ns = 2 * second_ns};
}

const char *lease_options_wrong(const lease_options *options)
{
    if (options->duration_ns < second_ns || options->duration_ns % second_ns != 0)
        return "the lease's duration is not a number of seconds of 1 or more";
    if (options->duration_ns <= options->deadline_ns)
        return "the lease's duration is not longer than the deadline of its renewal";
    if (options->retry_ns < 1 || options->deadline_ns <= options->retry_ns / 5 * 6)
        return "the deadline of the lease's renewal is not longer than 1.2 times the retry period";
    return NULL;
}

static char *own_text(const char *text)
{
    return heap_text(text, strlen(text));
}

lease *lease_create(const lease_options *options, const lease_callbacks *callbacks)
{
    lease *l = heap_new(1, sizeof(*l));
    l->transport = options->transport;
    l->namespace_name = own_text(options->namespace_name);
    l->name = own_text(options->name);
    l->identity = own_text(options->identity);
    l->paths =
        write_path("/apis/coordination.k8s.io/v1/namespaces/%s/leases", options->namespace_name);
    l->path = write_path("%s/%s", l->paths, options->name);
    l->duration_ns = options->duration_ns;
    l->deadline_ns = options->deadline_ns;
    l->retry_ns = options->retry_ns;
    l->callbacks = *callbacks;
    return l;
}

static void stop(lease *l)
{
    live_cancel(l->transport, l->request);
    live_timer_stop(l->transport, l->timer);
    live_timer_stop(l->transport, l->deadline_timer);
    l->request = l->timer = l->deadline_timer = 0;
}

void lease_destroy(lease *l)
{
    if (l == NULL)
        return;
    stop(l);
    json_decref(l->object);
    free(l->namespace_name);
    free(l->name);
    free(l->identity);
    free(l->path);
    free(l->paths);
    free(l->record);
    free(l->holder);
    free(l);
}

/* ---- the record ---- */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static const char *holder_of(const lease *l)
{
    return text_of(json_object_get(l->object, "spec"), "holderIdentity");
}

static bool is_mine(const lease *l)
{
    return l->object != NULL && strcmp(holder_of(l), l->identity) == 0;
}

/* Returns whether the holder may still be working: its lease duration has not passed since the
 * record last changed, by our clock. */
static bool is_alive(const lease *l)
{
    const json_t *spec = json_object_get(l->object, "spec");
    json_int_t seconds = json_integer_value(json_object_get(spec, "leaseDurationSeconds"));
    int64_t since_ns = live_now(l->transport) - l->observed_ns;
    return holder_of(l)[0] != '\0' && seconds > 0 && since_ns / second_ns < seconds;
}

static void tell_holder(lease *l)
{
    const char *holder = holder_of(l);
    if (l->holder != NULL && strcmp(l->holder, holder) == 0)
        return;
    free(l->holder);
    l->holder = own_text(holder);
    if (l->callbacks.leader != NULL)
        l->callbacks.leader(l->callbacks.context, l->holder);
}

/* Stores the object that the server sent. Returns false if it is not a Lease. */
static bool observe(lease *l, berth_str body)
{
    json_t *object = json_loadb(body.data, body.len, 0, NULL);
    json_t *spec = json_object_get(object, "spec");
    if (!json_is_object(object) ||
        text_of(json_object_get(object, "metadata"), "name")[0] == '\0') {
        json_decref(object);
        return false;
    }
    char *record = spec != NULL ? json_dumps(spec, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    if (record == NULL)
        record = own_text("");
    if (l->record == NULL || strcmp(l->record, record) != 0)
        l->observed_ns = live_now(l->transport);
    free(l->record);
    l->record = record;
    json_decref(l->object);
    l->object = object;
    tell_holder(l);
    return true;
}

static uint64_t version_of(const lease *l)
{
    return strtoull(text_of(json_object_get(l->object, "metadata"), "resourceVersion"), NULL, 10);
}

/* The object with our record; all other fields stay. To give the lease up: no holder, 1 second. */
static char *record_text(const lease *l, const char *holder, int64_t seconds, bool keeps)
{
    char now[WRITE_TIME_BYTES];
    write_micro_time(now, live_wall(l->transport));
    json_t *object =
        l->object != NULL
            ? json_deep_copy(l->object)
            : json_pack("{ss ss s{ss ss}}", "apiVersion", "coordination.k8s.io/v1", "kind", "Lease",
                        "metadata", "name", l->name, "namespace", l->namespace_name);
    json_t *spec = json_object_get(object, "spec");
    if (!json_is_object(spec)) {
        json_object_set_new(object, "spec", json_object());
        spec = json_object_get(object, "spec");
    }
    json_int_t transitions = json_integer_value(json_object_get(spec, "leaseTransitions"));
    const char *before = text_of(spec, "holderIdentity");
    bool takes_over = l->object != NULL && holder[0] != '\0' && strcmp(before, holder) != 0;
    json_object_set_new(spec, "leaseTransitions", json_integer(transitions + takes_over));
    json_object_set_new(spec, "holderIdentity", json_string(holder));
    json_object_set_new(spec, "leaseDurationSeconds", json_integer(seconds));
    json_object_set_new(spec, "renewTime", json_string(now));
    if (!keeps || !json_is_string(json_object_get(spec, "acquireTime")))
        json_object_set_new(spec, "acquireTime", json_string(now));
    return write_json_text(object);
}

/* ---- requests ---- */

static void request(lease *l, const char *method, const char *path, char *body, live_done_fn done)
{
    l->sent_ns = live_now(l->transport);
    l->request = live_send(l->transport,
                           &(live_request){.connection = LIVE_LEASE,
                                           .method = method,
                                           .path = path,
                                           .content_type = body != NULL ? "application/json" : NULL,
                                           .body = write_str(body),
                                           .timeout_ns = REQUEST_TIMEOUT_S * second_ns,
                                           .done = done,
                                           .context = l});
    free(body);
}

static void on_read(void *context, const live_answer *answer);
static void on_written(void *context, const live_answer *answer);

static void note_denied(lease *l, const live_answer *answer)
{
    bool denied = answer->status == 401 || answer->status == 403;
    if (denied && !l->denied) {
        server_status status;
        server_status_read(&status, answer->body);
        LOG_ERROR(answer->status == 403 ? "not allowed: the role lacks a rule"
                                        : "the API server does not accept our credentials",
                  "rule", "create, get, update leases.coordination.k8s.io", "message",
                  status.message);
    }
    if (answer->outcome == LIVE_ANSWERED)
        l->denied = denied;
}

static void read_lease(lease *l)
{
    request(l, "GET", l->path, NULL, on_read);
}

static void write_record(lease *l, bool straight)
{
    bool creates = l->object == NULL;
    l->straight = straight;
    request(l, creates ? "POST" : "PUT", creates ? l->paths : l->path,
            record_text(l, l->identity, l->duration_ns / second_ns, is_mine(l)), on_written);
}

/* One attempt. A lease that is still ours can be renewed without reading it first. */
static void on_try(void *context)
{
    lease *l = context;
    l->timer = 0;
    if (is_mine(l) && is_alive(l))
        write_record(l, true);
    else
        read_lease(l);
}

static void try_at(lease *l, int64_t delay_ns)
{
    l->timer = live_timer_set(l->transport, live_now(l->transport) + delay_ns, on_try, l);
}

static void lose(lease *l, const char *why)
{
    stop(l);
    l->phase = PHASE_OVER;
    if (l->callbacks.lost != NULL)
        l->callbacks.lost(l->callbacks.context, why);
}

static void on_deadline(void *context)
{
    lease *l = context;
    l->deadline_timer = 0;
    lose(l, "the lease could not be renewed in time");
}

/* The lease is ours. The next renewal starts one retry period from now and must succeed by its
 * deadline. */
static void renewed(lease *l)
{
    bool first = l->phase == PHASE_WAITS;
    l->phase = PHASE_LEADS;
    l->renewed_ns = l->sent_ns;
    live_timer_stop(l->transport, l->deadline_timer);
    l->deadline_timer = live_timer_set(
        l->transport, live_now(l->transport) + l->retry_ns + l->deadline_ns, on_deadline, l);
    try_at(l, l->retry_ns);
    if (l->callbacks.renewed != NULL)
        l->callbacks.renewed(l->callbacks.context, l->sent_ns + l->deadline_ns);
    if (first && l->phase == PHASE_LEADS && l->callbacks.acquired != NULL)
        l->callbacks.acquired(l->callbacks.context, version_of(l));
}

/* Jitter keeps waiting candidates from trying at the same moment. */
static void failed(lease *l)
{
    int64_t jitter_ns = l->retry_ns / 5 * 6;
    if (l->phase == PHASE_LEADS)
        try_at(l, l->retry_ns);
    else
        try_at(l, l->retry_ns + (int64_t)(live_random(l->transport) % (uint64_t)(jitter_ns + 1)));
}

static void on_written(void *context, const live_answer *answer)
{
    lease *l = context;
    l->request = 0;
    note_denied(l, answer);
    if (answer->outcome == LIVE_ANSWERED && (answer->status == 200 || answer->status == 201) &&
        observe(l, answer->body))
        renewed(l);
    else if (l->straight)
        read_lease(l);
    else
        failed(l);
}

static void on_read(void *context, const live_answer *answer)
{
    lease *l = context;
    bool answered = answer->outcome == LIVE_ANSWERED;
    l->request = 0;
    note_denied(l, answer);
    bool shown = answered && answer->status == 200 && observe(l, answer->body);
    if (answered && answer->status == 404) {
        json_decref(l->object);
        l->object = NULL;
        write_record(l, false);
    } else if (shown && (is_mine(l) || !is_alive(l))) {
        write_record(l, false);
    } else if (shown && l->phase == PHASE_LEADS) {
        lose(l, "somebody else holds the lease");
    } else {
        failed(l);
    }
}

/* ---- release ---- */

static void on_over(void *context)
{
    lease *l = context;
    l->timer = 0;
    l->phase = PHASE_OVER;
    l->released(l->released_context);
}

static void on_given_up(void *context, const live_answer *answer)
{
    lease *l = context;
    (void)answer;
    l->request = 0;
    on_over(l);
}

static void on_read_to_release(void *context, const live_answer *answer)
{
    lease *l = context;
    l->request = 0;
    if (answer->outcome == LIVE_ANSWERED && answer->status == 200 && observe(l, answer->body) &&
        is_mine(l))
        request(l, "PUT", l->path, record_text(l, "", 1, false), on_given_up);
    else
        on_over(l);
}

void lease_release(lease *l, void (*done)(void *context), void *context)
{
    bool held = l->phase == PHASE_LEADS;
    stop(l);
    l->phase = PHASE_RELEASES;
    l->released = done;
    l->released_context = context;
    if (held)
        request(l, "GET", l->path, NULL, on_read_to_release);
    else
        l->timer = live_timer_set(l->transport, live_now(l->transport), on_over, l);
}

void lease_start(lease *l)
{
    l->phase = PHASE_WAITS;
    try_at(l, 0);
}

bool lease_is_held(const lease *l)
{
    return l->phase == PHASE_LEADS;
}

int64_t lease_renewed_ns(const lease *l)
{
    return l->renewed_ns;
}

bool lease_is_denied(const lease *l)
{
    return l->denied;
}
