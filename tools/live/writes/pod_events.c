/* Each request is a task. A series remembers the first of several equal events for some minutes. */
#include "live/writes/pod_events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "live/writes/json_text.h"
#include "live/writes/text_map.h"

static const int64_t second_ns = 1000000000;

enum {
    IN_FLIGHT = 8,         /* while few events wait; */
    WAITING_FOR_MORE = 64, /* one more for so many that wait, */
    IN_FLIGHT_MAX = 96,    /* up to this number */
    TRIES_MAX = 12,        /* answered attempts for one event */
    RETRY_FIRST_S = 1,
    RETRY_MAX_S = 10,
    NOTE_MAX = 1024,
    NAME_MAX_BYTES = 253,
    SERIES_S = 360,     /* equal events further apart do not form a series */
    HEARTBEAT_S = 1800, /* how often a continuing series is written */
    SERIES_MAX = 4096,  /* series that are remembered */
    KEY_BYTES = 1200,
};

typedef struct series {
    struct series *before, *next;
    char *key;
    char *event; /* the first event, JSON */
    char *path;  /* the path of that event */
    int64_t last_ns, written_ns, last_wall_ns;
    unsigned count, written_count;
} series;

typedef struct event_task {
    write_task task; /* must be first: task and event_task are cast to each other */
    pod_events *all;
    struct event_task *before, *next;
    unsigned refusals; /* answers that did not accept it */
    char *whole; /* for a patch: what to post if the event does not exist; NULL: this is a post */
} event_task;

struct pod_events {
    write_lane lane;
    char *host;
    size_t waiting_max;
    uint64_t dropped;
    int64_t last_name_ns; /* makes names unique */
    text_map by_key;
    series *first_series;
    event_task *first_task;
    live_id timer; /* runs while there are series */
};

static const struct {
    const char *reason, *action, *type;
    bool repeats;
} kinds[EVENT_KIND_COUNT] = {
    [EVENT_SCHEDULED] = {"Scheduled", "Binding", "Normal", false},
    [EVENT_FAILED_SCHEDULING] = {"FailedScheduling", "Scheduling", "Warning", true},
    [EVENT_PREEMPTED] = {"Preempted", "Preempting", "Normal", false},
    [EVENT_BINDING_CONDITIONS] = {"BindingConditionsPending", "Scheduling", "Normal", false},
};

pod_events *pod_events_create(write_gate *gate, write_lane *after, const char *host,
                              size_t waiting_max)
{
    pod_events *e = heap_new(1, sizeof(*e));
    write_lane_open(&e->lane, gate, LIVE_WRITES, IN_FLIGHT, "create, patch events.events.k8s.io");
    e->lane.after = after;
    e->host = heap_text(host, strlen(host));
    e->waiting_max = waiting_max;
    return e;
}

static void free_task(event_task *t)
{
    write_task_clear(&t->task);
    free(t->whole);
    free(t);
}

static void remove_task(event_task *t)
{
    pod_events *e = t->all;
    *(t->before != NULL ? &t->before->next : &e->first_task) = t->next;
    if (t->next != NULL)
        t->next->before = t->before;
    free_task(t);
}

static void free_series(series *s)
{
    free(s->key);
    free(s->event);
    free(s->path);
    free(s);
}

static void remove_series(pod_events *e, series *s)
{
    *(s->before != NULL ? &s->before->next : &e->first_series) = s->next;
    if (s->next != NULL)
        s->next->before = s->before;
    text_map_remove(&e->by_key, write_str(s->key));
    free_series(s);
}

void pod_events_destroy(pod_events *e)
{
    if (e == NULL)
        return;
    for (event_task *t = e->first_task, *next; t != NULL; t = next) {
        next = t->next;
        free_task(t);
    }
    for (series *s = e->first_series, *next; s != NULL; s = next) {
        next = s->next;
        free_series(s);
    }
    text_map_free(&e->by_key);
    live_timer_stop(e->lane.gate->transport, e->timer);
    write_lane_close(&e->lane);
    free(e->host);
    free(e);
}

/* ---- requests ---- */

/* The series' event no longer exists: post it, including the patch's changes. */
static void post_instead(event_task *t)
{
    char *slash = strrchr(t->task.path, '/');
    *slash = '\0';
    free(t->task.body);
    t->task.body = t->whole;
    t->whole = NULL;
    t->task.method = "POST";
    t->task.content_type = "application/json";
    t->task.tries = 0;
    write_lane_put(&t->all->lane, &t->task, false);
}

/* A server that is away, restarts (and has not read its roles yet) or is overloaded may accept the
 * event later. So an event is given up only when the server refuses it for good, or for the
 * TRIES_MAX-th time. A conflict means that an earlier try was accepted. */
static void on_answer(write_task *task, const live_answer *answer)
{
    event_task *t = (event_task *)task;
    write_result result = write_result_of(answer);
    bool final = result == WRITE_BAD || result == WRITE_GONE;
    t->refusals += answer->outcome == LIVE_ANSWERED && answer->status != 429;
    if (result == WRITE_GONE && t->whole != NULL) {
        post_instead(t);
    } else if (result == WRITE_DONE || result == WRITE_CONFLICT) {
        remove_task(t);
    } else if (final || t->refusals >= TRIES_MAX) {
        t->all->dropped++;
        remove_task(t);
    } else {
        write_task_again(task,
                         answer->retry_after_ns >= 0
                             ? answer->retry_after_ns
                             : write_backoff(t->all->lane.gate, task->tries,
                                             RETRY_FIRST_S * second_ns, RETRY_MAX_S * second_ns));
    }
}

/* Events must not fall ever further behind the bindings that they are about. */
static size_t in_flight(const pod_events *e)
{
    const size_t wanted = IN_FLIGHT + pod_events_pending(e) / WAITING_FOR_MORE;
    return wanted < IN_FLIGHT_MAX ? wanted : IN_FLIGHT_MAX;
}

/* Owner: takes all texts. `whole` is NULL for a post. */
static void send_event(pod_events *e, char *path, char *body, char *whole)
{
    if (pod_events_pending(e) >= e->waiting_max) {
        e->dropped++;
        free(path);
        free(body);
        free(whole);
        return;
    }
    event_task *t = heap_new(1, sizeof(*t));
    t->all = e;
    t->whole = whole;
    t->task = (write_task){.method = whole != NULL ? "PATCH" : "POST",
                           .content_type = whole != NULL ? "application/strategic-merge-patch+json"
                                                         : "application/json",
                           .path = path,
                           .body = body,
                           .answered = on_answer};
    t->next = e->first_task;
    if (e->first_task != NULL)
        e->first_task->before = t;
    e->first_task = t;
    e->lane.limit = in_flight(e);
    write_lane_put(&e->lane, &t->task, false);
}

/* ---- series ---- */

static json_t *series_value(const series *s)
{
    char last[WRITE_TIME_BYTES];
    write_micro_time(last, s->last_wall_ns);
    return json_pack("{si ss}", "count", (int)s->count, "lastObservedTime", last);
}

static void write_series(pod_events *e, series *s)
{
    json_t *whole = json_loads(s->event, 0, NULL);
    json_object_set_new(whole, "series", series_value(s));
    s->written_ns = live_now(e->lane.gate->transport);
    s->written_count = s->count;
    send_event(e, heap_text(s->path, strlen(s->path)),
               write_json_text(json_pack("{so}", "series", series_value(s))),
               write_json_text(whole));
}

static void on_sweep(void *context);

static void set_sweep(pod_events *e)
{
    const live_transport *transport = e->lane.gate->transport;
    e->timer = live_timer_set(transport, live_now(transport) + SERIES_S * second_ns, on_sweep, e);
}

/* Writes each ended series one last time, and continuing series from time to time. */
static void on_sweep(void *context)
{
    pod_events *e = context;
    int64_t now_ns = live_now(e->lane.gate->transport);
    series *next;
    for (series *s = e->first_series; s != NULL; s = next) {
        next = s->next;
        bool ended = now_ns - s->last_ns >= SERIES_S * second_ns;
        if (s->count > 1 && (ended ? s->written_count < s->count
                                   : now_ns - s->written_ns >= HEARTBEAT_S * second_ns))
            write_series(e, s);
        if (ended)
            remove_series(e, s);
    }
    e->timer = 0;
    if (e->first_series != NULL)
        set_sweep(e);
}

/* Returns whether an equal event came recently; if so, this one is counted in its series. */
static bool joins_series(pod_events *e, berth_str key)
{
    const live_transport *transport = e->lane.gate->transport;
    series *s = text_map_get(&e->by_key, key);
    int64_t now_ns = live_now(transport);
    if (s == NULL)
        return false;
    if (now_ns - s->last_ns >= SERIES_S * second_ns) {
        remove_series(e, s);
        return false;
    }
    s->count++;
    s->last_ns = now_ns;
    s->last_wall_ns = live_wall(transport);
    if (s->count == 2)
        write_series(e, s);
    return true;
}

/* Owner: takes `path`. */
static void begin_series(pod_events *e, berth_str key, const char *event, char *path)
{
    if (e->by_key.count >= SERIES_MAX) {
        free(path);
        return;
    }
    series *s = heap_new(1, sizeof(*s));
    s->key = heap_text(key.data, key.len);
    s->event = heap_text(event, strlen(event));
    s->path = path;
    s->count = s->written_count = 1;
    s->last_ns = live_now(e->lane.gate->transport);
    s->next = e->first_series;
    if (e->first_series != NULL)
        e->first_series->before = s;
    e->first_series = s;
    text_map_add(&e->by_key, key, s);
    if (e->timer == 0)
        set_sweep(e);
}

/* ---- events ---- */

/* "POD.HEXNANOSECONDS", or a random name if that is too long. */
static void event_name(pod_events *e, char out[NAME_MAX_BYTES + 1], berth_str about)
{
    const live_transport *transport = e->lane.gate->transport;
    int64_t wall_ns = live_wall(transport);
    if (wall_ns <= e->last_name_ns)
        wall_ns = e->last_name_ns + 1;
    e->last_name_ns = wall_ns;
    int length =
        snprintf(out, NAME_MAX_BYTES + 1, "%.*s.%" PRIx64, WRITE_ARG(about), (uint64_t)wall_ns);
    if (length > NAME_MAX_BYTES)
        snprintf(out, NAME_MAX_BYTES + 1, "%016" PRIx64 "%016" PRIx64, live_random(transport),
                 live_random(transport));
}

/* Cuts like kube-scheduler: at 1,024 bytes including the dots, never within a character. */
static void add_note(json_text *text, berth_str note)
{
    static const char dots[] = " ...";
    char cut[NOTE_MAX + 1];
    if (note.len > NOTE_MAX) {
        size_t length = NOTE_MAX - (sizeof(dots) - 1);
        while (length > 0 && ((unsigned char)note.data[length] & 0xc0) == 0x80)
            length--;
        memcpy(cut, note.data, length);
        memcpy(cut + length, dots, sizeof(dots));
        note = write_str(cut);
    }
    json_text_pair(text, ",\"note\":", note);
}

/* A reference to a pod, or to a group in its place. */
static void add_reference(json_text *text, const char *key, const write_pod *pod)
{
    static const struct {
        const char *kind, *version;
    } heads[] = {
        {"{\"kind\":\"Pod\"", ",\"apiVersion\":\"v1\""},
        {"{\"kind\":\"PodGroup\"", ",\"apiVersion\":\"scheduling.k8s.io/v1beta1\""},
        {"{\"kind\":\"CompositePodGroup\"", ",\"apiVersion\":\"scheduling.k8s.io/v1alpha3\""}};
    char version[24];
    snprintf(version, sizeof(version), "%" PRIu64, pod->version);
    json_text_part(text, key);
    json_text_part(text, heads[pod->kind].kind);
    json_text_pair(text, ",\"namespace\":", pod->namespace_name);
    json_text_pair(text, ",\"name\":", pod->name);
    json_text_pair(text, ",\"uid\":", pod->uid);
    json_text_part(text, heads[pod->kind].version);
    if (pod->version > 0)
        json_text_pair(text, ",\"resourceVersion\":", write_str(version));
    json_text_part(text, "}");
}

static char *event_text(const pod_events *e, event_kind kind, const write_pod *pod,
                        const write_pod *related, const char *name, berth_str note)
{
    json_text text = {0};
    char now[WRITE_TIME_BYTES];
    char *instance = write_path("%.*s-%s", WRITE_ARG(pod->scheduler_name), e->host);
    write_micro_time(now, live_wall(e->lane.gate->transport));
    json_text_pair(
        &text, "{\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\",\"metadata\":{\"name\":",
        write_str(name));
    json_text_pair(&text, ",\"namespace\":", pod->namespace_name);
    json_text_pair(&text, "},\"eventTime\":", write_str(now));
    json_text_pair(&text, ",\"reportingController\":", pod->scheduler_name);
    json_text_pair(&text, ",\"reportingInstance\":", write_str(instance));
    json_text_pair(&text, ",\"action\":", write_str(kinds[kind].action));
    json_text_pair(&text, ",\"reason\":", write_str(kinds[kind].reason));
    add_reference(&text, ",\"regarding\":", pod);
    add_note(&text, note);
    json_text_pair(&text, ",\"type\":", write_str(kinds[kind].type));
    if (related != NULL)
        add_reference(&text, ",\"related\":", related);
    json_text_part(&text, "}");
    free(instance);
    return text.data;
}

void pod_events_put(pod_events *e, event_kind kind, const write_pod *regarding,
                    const write_pod *related, berth_str note)
{
    char name[NAME_MAX_BYTES + 1], key[KEY_BYTES];
    if (kinds[kind].repeats) {
        snprintf(key, sizeof(key), "%s/%.*s/%.*s/%.*s/%.*s/%" PRIu64, kinds[kind].reason,
                 WRITE_ARG(regarding->scheduler_name), WRITE_ARG(regarding->namespace_name),
                 WRITE_ARG(regarding->name), WRITE_ARG(regarding->uid), regarding->version);
        if (joins_series(e, write_str(key)))
            return;
    }
    event_name(e, name, regarding->name);
    char *body = event_text(e, kind, regarding, related, name, note);
    char *path = write_path("/apis/events.k8s.io/v1/namespaces/%.*s/events",
                            WRITE_ARG(regarding->namespace_name));
    if (kinds[kind].repeats)
        begin_series(e, write_str(key), body, write_path("%s/%s", path, name));
    send_event(e, path, body, NULL);
}

void pod_events_leader(pod_events *e, const leader_event *event)
{
    char name[NAME_MAX_BYTES + 1], now[WRITE_TIME_BYTES];
    event_name(e, name, write_str(event->name));
    write_time(now, live_wall(e->lane.gate->transport));
    json_t *value = json_pack(
        "{ss ss s{ss ss} s{ss ss ss ss} ss ss s{ss} ss ss si ss ss ss}", "apiVersion", "v1", "kind",
        "Event", "metadata", "name", name, "namespace", event->namespace_name, "involvedObject",
        "kind", "Lease", "namespace", event->namespace_name, "name", event->name, "apiVersion",
        "coordination.k8s.io/v1", "reason", "LeaderElection", "message", event->message, "source",
        "component", event->component, "firstTimestamp", now, "lastTimestamp", now, "count", 1,
        "type", "Normal", "reportingComponent", event->component, "reportingInstance", "");
    send_event(e, write_path("/api/v1/namespaces/%s/events", event->namespace_name),
               write_json_text(value), NULL);
}

uint64_t pod_events_dropped(const pod_events *e)
{
    return e->dropped;
}

uint64_t pod_events_sent(const pod_events *e)
{
    return e->lane.asked;
}

size_t pod_events_pending(const pod_events *e)
{
    return e->lane.queued + e->lane.sent + e->lane.waiting;
}

bool pod_events_denied(const pod_events *e)
{
    return e->lane.denied;
}
