/* Simulation of a cluster under a scheduler: pods and nodes come, change and leave; bindings fail,
 * are late or expire; victims leave at once, later or not at all; transactions and other schedulers
 * bind pods on the engine; readers hold snapshots of the engine. All of it follows from one seed.
 * After every step
 *   - each pod is where an independent record has it, on one node or in the queue; none is lost,
 *   - the allocated amounts of each touched node are the sum of its pods' requests,
 *   - no pod was put where its requests do not fit,
 *   - the counters of the scheduler equal those of the record, and its own checks pass,
 *   - snapshots that readers hold do not change,
 *   - pods of the unschedulable pool fit nowhere: any pod that fits has been woken. After each step
 * one of them is decided, and all of them every so often.
 *
 * Usage: test_scheduler_simulation [--seed S] [--rounds N] [--steps N] [--trace]. A failure prints
 * the command that replays its round. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/berth.h"
#include "cluster_gen.h"

enum {
    PODS_MAX = 400, /* records of a round; names are not reused */
    LIVE_MAX = 48,  /* pods at a time */
    PROFILES = 2,
    SCHEDULERS = 3, /* one of these names has no scheduler */
    CHECK_ALL_EVERY = 32,
    SNAPSHOTS = 3, /* published ones that readers hold at the same time */
};

#define SECOND INT64_C(1000000000)

typedef enum life {
    ABSENT,
    IDLE, /* exists, but no scheduler handles it, or it can no longer be placed */
    WAITING,
    ASSUMED,
    SETTLED, /* on a node, bound by anybody */
} life;

typedef struct pod_record {
    const berth_pod *object;
    berth_pod_id id;
    life life;
    uint32_t node; /* name number; UINT32_MAX: none */
    berth_binding_id binding;
    bool leaving; /* its eviction was requested */
} pod_record;

typedef struct node_record {
    const berth_node *object; /* NULL: absent */
    bool closed;
} node_record;

typedef struct simulation {
    uint64_t seed;
    unsigned long step;
    bool trace, failed, legacy;
    cluster_gen gen;
    berth_profile profiles[PROFILES];
    berth_engine *engine;
    berth_scheduler *scheduler;
    berth_explanation *explanation;
    int64_t now_ns;
    pod_record pods[PODS_MAX];
    uint32_t pod_count, live_count;
    node_record nodes[512];
    berth_metadata *known[BERTH_KIND_COUNT][16]; /* other objects; NULL: absent */
    berth_binding_id stale;                      /* a binding that no longer exists */
    berth_scheduler_counters want;
    uint64_t troubles, troubles_wanted;
    berth_snapshot *snapshots[SNAPSHOTS];
    uint64_t digests[SNAPSHOTS]; /* at their publication */
} simulation;

/* ---- reporting ---- */

static void fail(simulation *s, const char *format, ...)
{
    va_list arguments;
    if (s->failed)
        return;
    s->failed = true;
    fprintf(stderr, "FAILED in step %lu: ", s->step);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr,
            "\nreplay: test_scheduler_simulation --seed %" PRIu64
            " --rounds 1 --steps %lu --trace\n",
            s->seed, s->step + 1);
}

static void trace(simulation *s, const char *what, berth_str name)
{
    if (s->trace)
        fprintf(stderr, "%5lu %8.3f %s %.*s\n", s->step, (double)s->now_ns / 1e9, what,
                NAIVE_TEXT(name));
}

static void must(simulation *s, const char *what, berth_status status, const berth_error *error)
{
    char text[1200] = "";
    if (status == BERTH_OK)
        return;
    if (error != NULL)
        berth_error_format(error, text, sizeof(text));
    fail(s, "%s: %s %s", what, berth_status_name(status), text);
}

static void same(simulation *s, const char *what, uint64_t wanted, uint64_t got)
{
    if (wanted != got)
        fail(s, "%s is %" PRIu64 " where %" PRIu64 " was expected", what, got, wanted);
}

/* ---- the record ---- */

static uint32_t node_number(const simulation *s, berth_node_id node)
{
    berth_str name = berth_engine_node_name(s->engine, node);
    char digits[16] = "";
    memcpy(digits, name.data + 1, name.len - 1 < 15 ? name.len - 1 : 15);
    return (uint32_t)strtoul(digits, NULL, 10);
}

static pod_record *pod_of(simulation *s, berth_pod_id id)
{
    for (uint32_t i = 0; i < s->pod_count; i++)
        if (s->pods[i].life != ABSENT && s->pods[i].id == id)
            return &s->pods[i];
    fail(s, "a callback names a pod that is not there");
    return &s->pods[0];
}

static bool is_served(const simulation *s, const berth_pod *pod)
{
    for (uint32_t i = 0; i < PROFILES; i++)
        if (naive_same(pod->scheduler_name, s->profiles[i].scheduler_name))
            return true;
    return false;
}

static int64_t amount(berth_resources list, const char *name)
{
    naive_nanos nanos = 0;
    naive_resource(list, naive_str(name), &nanos);
    return strcmp(name, "cpu") == 0 ? naive_milli_value(nanos) : naive_value(nanos);
}

static const char *const resources[] = {"cpu", "memory", "ephemeral-storage"};

static int64_t allocated(const simulation *s, uint32_t node, const char *resource,
                         const pod_record *without)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < s->pod_count; i++)
        if (s->pods[i].life >= ASSUMED && s->pods[i].node == node && &s->pods[i] != without)
            sum += strcmp(resource, "pods") == 0
                       ? 1
                       : naive_pod_request(s->gen.kubernetes, s->pods[i].object,
                                           naive_str(resource), NAIVE_HELD);
    return sum;
}

static bool has_fit(const berth_profile *profile)
{
    const berth_plugin_list filters = berth_profile_list(profile, BERTH_POINT_FILTER);
    for (uint32_t i = 0; i < filters.count; i++)
        if (naive_is(filters.items[i].name, "NodeResourcesFit"))
            return true;
    return false;
}

/* The scheduler has put a pod on a node: its requests must fit beside those of the other pods. */
static void expect_room(simulation *s, const pod_record *pod)
{
    const berth_node *node = s->nodes[pod->node].object;
    if (node == NULL) {
        fail(s, "a pod is bound to a node that is not there");
        return;
    }
    if (s->nodes[pod->node].closed)
        fail(s, "a pod is bound to a node that is closed");
    for (uint32_t i = 0; i < PROFILES; i++)
        if (naive_same(pod->object->scheduler_name, s->profiles[i].scheduler_name) &&
            (s->legacy || !has_fit(&s->profiles[i])))
            return;
    if (allocated(s, pod->node, "pods", pod) + 1 > amount(node->allocatable, "pods"))
        fail(s, "more pods than the node takes");
    for (uint32_t r = 0; r < 3; r++) {
        int64_t asked = naive_pod_request(s->gen.kubernetes, pod->object, naive_str(resources[r]),
                                          NAIVE_INCOMING);
        if (asked > 0 && allocated(s, pod->node, resources[r], pod) + asked >
                             amount(node->allocatable, resources[r]))
            fail(s, "the node is now over its capacity of %s", resources[r]);
    }
}

static void check_node(simulation *s, uint32_t number)
{
    static const char *const all[] = {"pods", "cpu", "memory", "ephemeral-storage"};
    const berth_node *node = s->nodes[number].object;
    if (node == NULL || s->legacy) /* v1.15 counts init containers apart */
        return;
    berth_node_id id = berth_engine_find_node(s->engine, node->meta.name);
    for (uint32_t r = 0; r < 4; r++) {
        int64_t allocatable = 0, requested = 0;
        must(s, "node_resource",
             berth_engine_node_resource(s->engine, id, naive_str(all[r]), &allocatable, &requested,
                                        NULL),
             NULL);
        if (requested != allocated(s, number, all[r], NULL))
            fail(s, "node %.*s has allocated %" PRId64 " of %s, its pods ask for %" PRId64,
                 NAIVE_TEXT(node->meta.name), requested, all[r],
                 allocated(s, number, all[r], NULL));
    }
}

static void check_pod(simulation *s, const pod_record *pod)
{
    static const char *const lives[] = {"absent", "idle", "waiting", "assumed", "settled"};
    berth_pod_status status;
    life got = ABSENT;
    if (pod->life == ABSENT) {
        if (berth_engine_find_pod(s->engine, naive_namespace(&pod->object->meta),
                                  pod->object->meta.name) != BERTH_POD_NONE)
            fail(s, "pod %.*s should be gone", NAIVE_TEXT(pod->object->meta.name));
        return;
    }
    berth_scheduler_pod(s->scheduler, pod->id, &status);
    if (status.state == BERTH_POD_STATE_GONE)
        got = IDLE;
    else if (status.state == BERTH_POD_STATE_ASSUMED)
        got = ASSUMED;
    else
        got = status.state == BERTH_POD_STATE_BOUND ? SETTLED : WAITING;
    if (got != pod->life)
        fail(s, "pod %.*s is %s where it should be %s", NAIVE_TEXT(pod->object->meta.name),
             lives[got], lives[pod->life]);
    if (pod->life == ASSUMED && status.binding != pod->binding)
        fail(s, "pod %.*s has another binding", NAIVE_TEXT(pod->object->meta.name));
    berth_node_id node = berth_engine_pod_node(s->engine, pod->id);
    if (pod->life >= ASSUMED ? node == BERTH_NODE_NONE || node_number(s, node) != pod->node
                             : node != BERTH_NODE_NONE)
        fail(s, "pod %.*s is on another node", NAIVE_TEXT(pod->object->meta.name));
}

static void check_counters(simulation *s)
{
    berth_scheduler_counters got;
    berth_scheduler_count(s->scheduler, &got);
    same(s, "submitted", s->want.submitted, got.submitted);
    same(s, "assumptions", s->want.assumptions, got.assumptions);
    same(s, "bound", s->want.bound, got.bound);
    same(s, "taken", s->want.taken, got.taken);
    same(s, "deleted", s->want.deleted, got.deleted);
    same(s, "forgotten", s->want.forgotten, got.forgotten);
    same(s, "expired", s->want.expired, got.expired);
    same(s, "given up", s->want.given_up, got.given_up);
    same(s, "evictions", s->want.evictions, got.evictions);
    same(s, "late answers", s->want.late_answers, got.late_answers);
    same(s, "troubles", s->troubles_wanted, s->troubles);
    uint64_t live = got.gated + got.active + got.backoff + got.unschedulable, waiting = 0;
    for (uint32_t i = 0; i < s->pod_count; i++)
        waiting += s->pods[i].life == WAITING;
    same(s, "waiting", waiting, live);
}

/* ---- the oracle of waking ---- */

static void expect_unschedulable(simulation *s, const pod_record *pod)
{
    berth_error error = {.code = BERTH_OK};
    berth_pod_status status;
    berth_placement placement;
    if (pod->life != WAITING)
        return;
    berth_scheduler_pod(s->scheduler, pod->id, &status);
    if (status.state != BERTH_POD_STATE_UNSCHEDULABLE)
        return;
    const berth_decide_options options = {.size = sizeof(options),
                                          .flags = BERTH_DECIDE_KEEP_ROTATION,
                                          .explanation = s->step % 8 == 0 ? s->explanation : NULL};
    must(s, "decide", berth_engine_decide(s->engine, pod->id, &options, &placement, &error),
         &error);
    if (placement.verdict != BERTH_VERDICT_PLACED)
        return;
    berth_str node = berth_engine_node_name(s->engine, placement.node);
    fail(s, "pod %.*s fits on %.*s and has not been woken", NAIVE_TEXT(pod->object->meta.name),
         NAIVE_TEXT(node));
    for (uint32_t i = 0; i < status.rejector_count; i++) {
        berth_str name = berth_scheduler_rejector(s->scheduler, pod->id, i);
        fprintf(stderr, "rejected by %.*s\n", NAIVE_TEXT(name));
    }
    gen_print_pod(stderr, pod->object);
}

/* ---- callbacks ---- */

static berth_answer on_bind(void *context, const berth_binding *binding)
{
    simulation *s = context;
    pod_record *pod = pod_of(s, binding->pod);
    uint32_t luck = gen_below(&s->gen, 100);
    trace(s, "  bind", pod->object->meta.name);
    if (pod->life != WAITING)
        fail(s, "a pod is bound that does not wait");
    pod->life = ASSUMED;
    pod->node = node_number(s, binding->node);
    pod->binding = binding->id;
    s->want.assumptions++;
    expect_room(s, pod);
    if (luck < 12)
        return BERTH_ANSWER_FAILED;
    if (luck < 45)
        return BERTH_ANSWER_LATER;
    pod->life = SETTLED;
    s->want.bound++;
    return BERTH_ANSWER_DONE;
}

/* Pods that no scheduler may handle any more do not return to the queue. */
static void send_back(simulation *s, pod_record *pod)
{
    bool returns = is_served(s, pod->object) && !pod->object->meta.deleting;
    pod->life = returns ? WAITING : IDLE;
    pod->node = UINT32_MAX;
    s->want.deleted += !returns;
}

static void on_unbind(void *context, const berth_binding *binding, berth_unbind_reason reason)
{
    simulation *s = context;
    s->stale = binding->id;
    if (reason == BERTH_UNBIND_DELETED || reason == BERTH_UNBIND_TAKEN) {
        s->want.given_up++;
        return; /* the caller knows about the pod */
    }
    pod_record *pod = pod_of(s, binding->pod);
    trace(s, reason == BERTH_UNBIND_EXPIRED ? "  expired" : "  failed", pod->object->meta.name);
    if (pod->life != ASSUMED || pod->binding != binding->id)
        fail(s, "a binding ends that has ended before");
    *(reason == BERTH_UNBIND_EXPIRED ? &s->want.expired : &s->want.forgotten) += 1;
    send_back(s, pod);
}

static void forget_pod(simulation *s, pod_record *pod)
{
    if (pod->life == WAITING || pod->life == ASSUMED)
        s->want.deleted++;
    pod->life = ABSENT;
    pod->node = UINT32_MAX;
    s->live_count--;
}

static berth_answer on_evict(void *context, const berth_eviction *eviction)
{
    simulation *s = context;
    pod_record *pod = pod_of(s, eviction->victim);
    const pod_record *preemptor = pod_of(s, eviction->preemptor);
    uint32_t luck = gen_below(&s->gen, 100);
    trace(s, "  evict", pod->object->meta.name);
    if (pod->life < ASSUMED || pod->node != node_number(s, eviction->node))
        fail(s, "a victim is not on the node");
    if (pod->object->priority >= preemptor->object->priority)
        fail(s, "a victim's priority is no lower");
    if (luck < 10) {
        s->troubles_wanted++;
        return BERTH_ANSWER_FAILED;
    }
    s->want.evictions++;
    if (luck < 50) {
        pod->leaving = true;
        return BERTH_ANSWER_LATER;
    }
    forget_pod(s, pod);
    return BERTH_ANSWER_DONE;
}

static void on_report(void *context, berth_trouble trouble, const berth_error *error)
{
    simulation *s = context;
    (void)trouble;
    (void)error;
    s->troubles++;
}

/* ---- events, direct or posted ---- */

typedef enum verb { ADD, UPDATE, REMOVE } verb;

static void apply(simulation *s, verb how, const berth_object *object, berth_status wanted)
{
    static const char *const names[] = {"add", "update", "remove"};
    const berth_metadata *meta = object->as.any;
    berth_error error = {.code = BERTH_OK};
    berth_status status = BERTH_OK;
    bool posted = gen_chance(&s->gen, 40);
    char what[64];
    snprintf(what, sizeof(what), "%s %s%s", names[how], berth_kind_name(object->kind),
             posted ? " (posted)" : "");
    trace(s, what, meta->name);
    if (posted && how == ADD)
        status = berth_scheduler_post_add(s->scheduler, object, &error);
    else if (posted && how == UPDATE)
        status = berth_scheduler_post_update(s->scheduler, object, &error);
    else if (posted)
        status = berth_scheduler_post_remove(s->scheduler, object->kind, meta->namespace_name,
                                             meta->name, &error);
    else if (how == ADD)
        status = berth_scheduler_add(s->scheduler, s->now_ns, object, NULL, &error);
    else if (how == UPDATE)
        status = berth_scheduler_update(s->scheduler, s->now_ns, object, &error);
    else
        status = berth_scheduler_remove(s->scheduler, s->now_ns, object->kind, meta->namespace_name,
                                        meta->name, &error);
    if (posted) {
        must(s, what, status, NULL);
        s->troubles_wanted += wanted != BERTH_OK;
        must(s, "advance", berth_scheduler_advance(s->scheduler, s->now_ns, &error), &error);
    } else if (status != wanted) {
        must(s, what, status == BERTH_OK ? BERTH_E_INTERNAL : status, &error);
    }
}

/* Every call first handles posted events, expiries and timers: let it do so before the record
 * changes. */
static void settle(simulation *s)
{
    berth_error error = {.code = BERTH_OK};
    must(s, "advance", berth_scheduler_advance(s->scheduler, s->now_ns, &error), &error);
}

static berth_object pod_object(const berth_pod *pod)
{
    berth_object object = {.kind = BERTH_KIND_POD};
    object.as.pod = pod;
    return object;
}

static berth_str node_text(simulation *s, uint32_t number)
{
    return naive_str(naive_print(&s->gen.region, "n%u", number));
}

/* A random pod in one of these states (one bit for each state), or NULL. */
static pod_record *some_pod(simulation *s, unsigned lives)
{
    uint32_t start = s->pod_count > 0 ? gen_below(&s->gen, s->pod_count) : 0;
    for (uint32_t i = 0; i < s->pod_count; i++) {
        pod_record *pod = &s->pods[(start + i) % s->pod_count];
        if ((lives >> pod->life & 1u) != 0)
            return pod;
    }
    return NULL;
}

enum { ANY_POD = 1u << IDLE | 1u << WAITING | 1u << ASSUMED | 1u << SETTLED };

static uint32_t some_node(simulation *s, bool present)
{
    uint32_t count = s->gen.node_names, start = gen_below(&s->gen, count);
    for (uint32_t i = 0; i < count; i++)
        if ((s->nodes[(start + i) % count].object != NULL) == present)
            return (start + i) % count;
    return UINT32_MAX;
}

static void maybe_gate(simulation *s, berth_pod *pod)
{
    static const berth_str gate = {"example.com/wait", 16};
    pod->scheduling_gates = (berth_strs){NULL, 0};
    if (pod->node_name.len == 0 && gen_chance(&s->gen, 12))
        pod->scheduling_gates = (berth_strs){&gate, 1};
}

static void add_pod(simulation *s)
{
    if (s->pod_count == PODS_MAX || s->live_count >= LIVE_MAX)
        return;
    uint32_t node = gen_chance(&s->gen, 25) ? some_node(s, gen_chance(&s->gen, 90)) : UINT32_MAX;
    berth_str node_name = node != UINT32_MAX ? node_text(s, node) : (berth_str){0};
    berth_pod *pod = naive_alloc(&s->gen.region, sizeof(*pod));
    *pod = *gen_pod(&s->gen, s->pod_count, node_name, SCHEDULERS);
    maybe_gate(s, pod);
    settle(s);
    pod_record *record = &s->pods[s->pod_count++];
    *record = (pod_record){.object = pod, .node = node, .life = SETTLED};
    if (node == UINT32_MAX)
        record->life = is_served(s, pod) && !pod->meta.deleting ? WAITING : IDLE;
    s->want.submitted += record->life == WAITING;
    s->live_count++;
    const berth_object object = pod_object(pod);
    apply(s, ADD, &object, BERTH_OK);
    record->id = berth_engine_find_pod(s->engine, naive_namespace(&pod->meta), pod->meta.name);
}

static void remove_pod(simulation *s, pod_record *pod)
{
    settle(s);
    if (pod->life == ABSENT)
        return;
    forget_pod(s, pod);
    const berth_object object = pod_object(pod->object);
    apply(s, REMOVE, &object, BERTH_OK);
}

static void finish_pod(simulation *s, pod_record *pod)
{
    berth_pod *finished = naive_alloc(&s->gen.region, sizeof(*finished));
    settle(s);
    if (pod->life == ABSENT)
        return;
    *finished = *pod->object;
    finished->phase = naive_str(gen_chance(&s->gen, 50) ? "Succeeded" : "Failed");
    forget_pod(s, pod);
    const berth_object object = pod_object(finished);
    apply(s, UPDATE, &object, BERTH_OK);
}

/* Updates the state of a pod in the record after an update of its object. */
static void follow_update(simulation *s, pod_record *pod, const berth_pod *to, uint32_t shown)
{
    bool eligible = is_served(s, to) && !to->meta.deleting;
    if (shown != UINT32_MAX) {
        if (pod->life == WAITING || (pod->life == ASSUMED && shown != pod->node))
            s->want.taken++;
        else if (pod->life == ASSUMED)
            s->want.bound++;
        pod->life = SETTLED;
        pod->node = shown;
    } else if (pod->life == WAITING && !eligible) {
        s->want.deleted++;
        pod->life = IDLE;
    } else if (pod->life == IDLE && eligible) {
        s->want.submitted++;
        pod->life = WAITING;
    }
}

static void update_pod(simulation *s, pod_record *pod)
{
    settle(s);
    if (pod->life == ABSENT)
        return;
    uint32_t number = (uint32_t)(pod - s->pods), shown = UINT32_MAX;
    berth_pod *to = naive_alloc(&s->gen.region, sizeof(*to));
    if (gen_chance(&s->gen, 50)) { /* a completely different pod */
        *to = *gen_pod(&s->gen, number, (berth_str){0}, SCHEDULERS);
        to->meta.namespace_name = pod->object->meta.namespace_name;
    } else {
        *to = *pod->object;
        if (gen_chance(&s->gen, 20)) {
            to->has_priority = true;
            to->priority = (int32_t)gen_below(&s->gen, 5) * 10;
        }
        to->meta.deleting |= gen_chance(&s->gen, 8);
    }
    if (pod->life == SETTLED ? gen_chance(&s->gen, 70) : gen_chance(&s->gen, 12))
        shown = pod->life >= ASSUMED && gen_chance(&s->gen, 90) ? pod->node : some_node(s, true);
    if (pod->life == ASSUMED && gen_chance(&s->gen, 20))
        shown = pod->node;
    to->node_name = shown != UINT32_MAX ? node_text(s, shown) : (berth_str){0};
    maybe_gate(s, to);
    follow_update(s, pod, to, shown);
    pod->object = to;
    const berth_object object = pod_object(to);
    apply(s, UPDATE, &object, BERTH_OK);
}

/* ---- nodes and other objects ---- */

static berth_object node_object(const berth_node *node)
{
    berth_object object = {.kind = BERTH_KIND_NODE};
    object.as.node = node;
    return object;
}

static void put_node(simulation *s, bool present)
{
    uint32_t number = some_node(s, present);
    if (number == UINT32_MAX)
        return;
    berth_node *node = naive_alloc(&s->gen.region, sizeof(*node));
    *node = *gen_node(&s->gen, number);
    if (present && gen_chance(&s->gen, 60)) { /* only one change */
        const berth_node fresh = *node;
        *node = *s->nodes[number].object;
        switch (gen_below(&s->gen, 4)) {
        case 0:
            node->meta.labels = fresh.meta.labels;
            break;
        case 1:
            node->taints = fresh.taints;
            node->taint_count = fresh.taint_count;
            break;
        case 2:
            node->allocatable = fresh.allocatable;
            break;
        default:
            node->unschedulable = fresh.unschedulable;
            node->conditions = fresh.conditions;
            node->condition_count = fresh.condition_count;
        }
    }
    settle(s);
    s->nodes[number].object = node;
    const berth_object object = node_object(node);
    apply(s, present ? UPDATE : ADD, &object, BERTH_OK);
    check_node(s, number);
}

static void remove_node(simulation *s)
{
    uint32_t number = some_node(s, true);
    if (number == UINT32_MAX)
        return;
    settle(s);
    const berth_object object = node_object(s->nodes[number].object);
    s->nodes[number] = (node_record){.object = NULL};
    apply(s, REMOVE, &object, BERTH_OK);
}

/* Closes or opens a node by a call of the engine. */
static void close_or_open(simulation *s)
{
    berth_error error = {.code = BERTH_OK};
    uint32_t number = some_node(s, true);
    if (number == UINT32_MAX)
        return;
    settle(s);
    node_record *node = &s->nodes[number];
    node->closed = !node->closed;
    trace(s, node->closed ? "close" : "open", node->object->meta.name);
    must(s, "close",
         berth_engine_close_node(s->engine,
                                 berth_engine_find_node(s->engine, node->object->meta.name),
                                 node->closed, &error),
         &error);
}

/* The metadata of an object that the generator has just made and that is not shared yet. */
static berth_metadata *object_metadata(const berth_object *object)
{
    union {
        const void *given;
        berth_metadata *own;
    } any = {object->as.any};
    return any.own;
}

static void change_other(simulation *s)
{
    berth_kind kind = (berth_kind)gen_below(&s->gen, BERTH_KIND_NODE);
    uint32_t names = gen_object_names(kind);
    berth_object object;
    if (names == 0)
        return;
    uint32_t index = gen_below(&s->gen, names);
    if (!gen_object(&s->gen, kind, index, &object))
        return;
    berth_metadata **known = &s->known[kind][index];
    berth_metadata *fresh = object_metadata(&object);
    verb how = *known == NULL ? ADD : gen_chance(&s->gen, 60) ? UPDATE : REMOVE;
    if (how != ADD)
        fresh->namespace_name = (*known)->namespace_name;
    *known = how != REMOVE ? fresh : NULL;
    apply(s, how, &object, BERTH_OK);
}

/* Posts events about unknown or unchanged objects: reported, and harmless. */
static void disturb(simulation *s)
{
    const pod_record *pod = some_pod(s, ANY_POD);
    berth_pod unknown = {.meta = {.name = naive_str("stranger")}};
    berth_node no_node = {.meta = {.name = naive_str("nowhere")}};
    const berth_object pods = pod_object(&unknown), nodes = node_object(&no_node);
    settle(s);
    switch (gen_below(&s->gen, 5)) {
    case 0:
        apply(s, UPDATE, &pods, BERTH_E_NOT_FOUND);
        break;
    case 1:
        apply(s, REMOVE, &pods, BERTH_E_NOT_FOUND);
        break;
    case 2:
        apply(s, UPDATE, &nodes, BERTH_E_NOT_FOUND);
        break;
    case 3:
        apply(s, REMOVE, &nodes, BERTH_E_NOT_FOUND);
        break;
    default:
        if (pod != NULL && pod->life != ABSENT) {
            const berth_object again = pod_object(pod->object);
            apply(s, ADD, &again, BERTH_E_EXISTS);
        }
    }
}

/* ---- bindings and time ---- */

static void answer(simulation *s)
{
    berth_error error = {.code = BERTH_OK};
    settle(s);
    pod_record *pod = some_pod(s, 1u << ASSUMED);
    berth_binding_id id = s->stale;
    bool done = gen_chance(&s->gen, 75);
    if (pod != NULL && gen_chance(&s->gen, 90)) {
        id = pod->binding;
        if (done) {
            pod->life = SETTLED;
            s->want.bound++;
            s->stale = id;
        }
    } else {
        s->want.late_answers++;
        s->troubles_wanted++;
    }
    trace(s, done ? "answer done" : "answer failed", (berth_str){0});
    must(s, "bind_done",
         berth_scheduler_bind_done(s->scheduler, id, done ? BERTH_ANSWER_DONE : BERTH_ANSWER_FAILED,
                                   &error),
         NULL);
    must(s, "advance", berth_scheduler_advance(s->scheduler, s->now_ns, &error), &error);
}

static void let_time_pass(simulation *s)
{
    int64_t next_ns = berth_scheduler_next(s->scheduler);
    uint32_t luck = gen_below(&s->gen, 100);
    if (luck < 50)
        s->now_ns += gen_below(&s->gen, 2000) * (SECOND / 1000);
    else if (luck < 90 && next_ns != BERTH_TIME_NEVER)
        s->now_ns = next_ns > s->now_ns ? next_ns : s->now_ns;
    else if (luck < 95)
        s->now_ns += 30 * SECOND;
    else
        s->now_ns += 300 * SECOND;
    trace(s, "time", (berth_str){0});
    settle(s);
    if (next_ns != BERTH_TIME_NEVER && next_ns <= s->now_ns &&
        berth_scheduler_next(s->scheduler) < s->now_ns)
        fail(s, "something that is due has not happened");
}

static void schedule(simulation *s)
{
    berth_error error = {.code = BERTH_OK};
    berth_step step;
    s->now_ns += gen_below(&s->gen, 20) * (SECOND / 1000);
    trace(s, "step", (berth_str){0});
    must(s, "step", berth_scheduler_step(s->scheduler, s->now_ns, &step, &error), &error);
    if (step.pod == BERTH_POD_NONE)
        return;
    const pod_record *pod = pod_of(s, step.pod);
    if (s->trace)
        fprintf(stderr, "        %.*s -> %d attempt %u victims %u\n",
                NAIVE_TEXT(pod->object->meta.name), (int)step.kind, step.attempt,
                step.victim_count);
    check_pod(s, pod);
    if (step.placement.node != BERTH_NODE_NONE)
        check_node(s, node_number(s, step.placement.node));
}

/* Someone tries changes on the engine, and keeps them or not. */
static void try_on_engine(simulation *s)
{
    berth_error error = {.code = BERTH_OK};
    berth_placement placement;
    settle(s);
    pod_record *pod = some_pod(s, 1u << WAITING), *running = some_pod(s, 1u << SETTLED);
    if (pod == NULL)
        return;
    bool kept = gen_chance(&s->gen, 50), removes = running != NULL && gen_chance(&s->gen, 30);
    trace(s, kept ? "transaction, committed" : "transaction, rolled back", pod->object->meta.name);
    must(s, "begin", berth_engine_begin(s->engine, &error), &error);
    if (removes)
        must(s, "remove",
             berth_engine_remove(s->engine, BERTH_KIND_POD, running->object->meta.namespace_name,
                                 running->object->meta.name, &error),
             &error);
    must(s, "schedule", berth_engine_schedule(s->engine, pod->id, &placement, &error), &error);
    if (berth_scheduler_advance(s->scheduler, s->now_ns, NULL) != BERTH_E_STATE)
        fail(s, "the scheduler goes on in a transaction");
    must(s, "end", (kept ? berth_engine_commit : berth_engine_rollback)(s->engine, &error), &error);
    if (kept && removes)
        forget_pod(s, running);
    if (kept && placement.verdict == BERTH_VERDICT_PLACED) {
        pod->life = SETTLED;
        pod->node = node_number(s, placement.node);
        s->want.taken++;
    }
    settle(s);
}

/* A pod leaves its node without the scheduler, and has to be scheduled again. */
static void unbind_past_scheduler(simulation *s, pod_record *pod)
{
    berth_error error = {.code = BERTH_OK};
    bool returns = is_served(s, pod->object) && !pod->object->meta.deleting;
    trace(s, "unbind past the scheduler", pod->object->meta.name);
    s->want.taken += pod->life == ASSUMED;
    s->want.submitted += returns;
    pod->life = returns ? WAITING : IDLE;
    pod->node = UINT32_MAX;
    must(s, "unbind", berth_engine_unbind(s->engine, pod->id, &error), &error);
}

static void bind_past_scheduler(simulation *s, pod_record *pod)
{
    berth_error error = {.code = BERTH_OK};
    berth_placement placement;
    trace(s, "schedule past the scheduler", pod->object->meta.name);
    must(s, "schedule", berth_engine_schedule(s->engine, pod->id, &placement, &error), &error);
    if (placement.verdict != BERTH_VERDICT_PLACED)
        return;
    s->want.taken += pod->life == WAITING;
    pod->life = SETTLED;
    pod->node = node_number(s, placement.node);
}

static void go_past_scheduler(simulation *s)
{
    settle(s);
    bool binds = gen_chance(&s->gen, 50);
    pod_record *pod = some_pod(s, binds ? 1u << WAITING : 1u << SETTLED | 1u << ASSUMED);
    if (pod != NULL)
        (binds ? bind_past_scheduler : unbind_past_scheduler)(s, pod);
    settle(s);
}

/* Readers release a snapshot and take the latest one. */
static void publish(simulation *s)
{
    berth_error error = {.code = BERTH_OK};
    uint32_t i = gen_below(&s->gen, SNAPSHOTS);
    settle(s);
    trace(s, "publish", (berth_str){0});
    berth_snapshot_unpin(s->snapshots[i]);
    must(s, "publish", berth_engine_publish(s->engine, &error), &error);
    s->snapshots[i] = berth_engine_pin(s->engine);
    s->digests[i] = berth_snapshot_digest(s->snapshots[i]);
    same(s, "a snapshot's digest", berth_engine_digest(s->engine), s->digests[i]);
}

static void check_versions(simulation *s)
{
    berth_error error = {.code = BERTH_OK};
    for (uint32_t i = 0; i < SNAPSHOTS; i++) {
        if (s->snapshots[i] == NULL)
            continue;
        must(s, "snapshot check", berth_snapshot_check(s->snapshots[i], &error), &error);
        same(s, "a snapshot's digest", s->digests[i], berth_snapshot_digest(s->snapshots[i]));
    }
}

/* Removes victims whose eviction takes time. */
static void remove_leaving(simulation *s)
{
    for (uint32_t i = 0; i < s->pod_count; i++)
        if (s->pods[i].leaving && s->pods[i].life != ABSENT && gen_chance(&s->gen, 30)) {
            remove_pod(s, &s->pods[i]);
            return;
        }
}

static void one_step(simulation *s)
{
    pod_record *pod = some_pod(s, ANY_POD);
    uint32_t luck = gen_below(&s->gen, 100);
    if (luck < 34)
        schedule(s);
    else if (luck < 50)
        add_pod(s);
    else if (luck < 58 && pod != NULL)
        (gen_chance(&s->gen, 80) ? remove_pod : finish_pod)(s, pod);
    else if (luck < 66 && pod != NULL)
        update_pod(s, pod);
    else if (luck < 71)
        put_node(s, true);
    else if (luck < 74)
        put_node(s, false);
    else if (luck < 76)
        (gen_chance(&s->gen, 60) ? remove_node : close_or_open)(s);
    else if (luck < 82)
        change_other(s);
    else if (luck < 88)
        answer(s);
    else if (luck < 95)
        let_time_pass(s);
    else if (luck < 97)
        (gen_chance(&s->gen, 60) ? remove_leaving : publish)(s);
    else if (luck < 98)
        (gen_chance(&s->gen, 70) ? try_on_engine : go_past_scheduler)(s);
    else
        disturb(s);
}

/* ---- a round ---- */

static void make_profiles(simulation *s)
{
    const berth_profile *base = berth_profile_default_of(s->gen.kubernetes);
    for (uint32_t i = 0; i < PROFILES; i++)
        s->profiles[i] = s->legacy ? *gen_legacy_profile(&s->gen, i)
                                   : *gen_profile(&s->gen, i, base, NULL, NULL);
}

static void start(simulation *s)
{
    berth_error error = {.code = BERTH_OK};
    berth_engine_config config;
    berth_scheduler_options options;
    make_profiles(s);
    berth_engine_config_init(&config);
    config.threads = 1;
    config.seed = s->seed;
    config.kubernetes = s->gen.release;
    config.path = (berth_path)gen_below(&s->gen, 3);
    config.profiles = s->profiles;
    config.profile_count = PROFILES;
    must(s, "engine", berth_engine_create(&config, &s->engine, &error), &error);
    must(s, "explanation", berth_explanation_create(NULL, &s->explanation, &error), NULL);
    berth_scheduler_options_init(&options);
    options.bind_timeout_ns = gen_chance(&s->gen, 80) ? 5 * SECOND : BERTH_TIME_NEVER;
    options.pace_evictions = gen_chance(&s->gen, 50);
    options.callbacks = (berth_scheduler_callbacks){
        .context = s, .bind = on_bind, .unbind = on_unbind, .evict = on_evict, .report = on_report};
    if (!s->failed)
        must(s, "scheduler", berth_scheduler_create(s->engine, &options, &s->scheduler, &error),
             &error);
    for (uint32_t i = 0; !s->failed && i < 1 + s->gen.node_names / 2; i++)
        put_node(s, false);
}

static void check(simulation *s, bool all)
{
    berth_error error = {.code = BERTH_OK};
    uint32_t start = s->pod_count > 0 ? gen_below(&s->gen, s->pod_count) : 0;
    must(s, "scheduler check", berth_scheduler_check(s->scheduler, &error), &error);
    check_counters(s);
    if (s->pod_count > 0) {
        check_pod(s, &s->pods[start]);
        if (s->pods[start].life >= ASSUMED)
            check_node(s, s->pods[start].node);
    }
    for (uint32_t i = 0; i < s->pod_count; i++) {
        const pod_record *pod = &s->pods[(start + i) % s->pod_count];
        berth_pod_status status = {.state = BERTH_POD_STATE_GONE};
        if (pod->life == WAITING)
            berth_scheduler_pod(s->scheduler, pod->id, &status);
        if (status.state != BERTH_POD_STATE_UNSCHEDULABLE && !all)
            continue;
        expect_unschedulable(s, pod);
        if (!all)
            break;
        check_pod(s, pod);
    }
    if (!all)
        return;
    must(s, "engine check", berth_engine_check(s->engine, &error), &error);
    check_versions(s);
    for (uint32_t n = 0; n < s->gen.node_names; n++)
        check_node(s, n);
}

/* The totals of all rounds, to check that every path was taken. */
static berth_scheduler_counters total;

static void add_up(const simulation *s)
{
    berth_scheduler_counters c;
    if (s->scheduler == NULL)
        return;
    berth_scheduler_count(s->scheduler, &c);
    total.submitted += c.submitted;
    total.bound += c.bound;
    total.taken += c.taken;
    total.deleted += c.deleted;
    total.assumptions += c.assumptions;
    total.forgotten += c.forgotten;
    total.expired += c.expired;
    total.given_up += c.given_up;
    total.unplaced += c.unplaced;
    total.errors += c.errors;
    total.woken += c.woken;
    total.flushed += c.flushed;
    total.nominations += c.nominations;
    total.evictions += c.evictions;
    total.late_answers += c.late_answers;
}

static void print_total(void)
{
    printf("submitted %" PRIu64 ": bound %" PRIu64 ", taken %" PRIu64 ", deleted %" PRIu64 "\n",
           total.submitted, total.bound, total.taken, total.deleted);
    printf("assumed %" PRIu64 ": forgotten %" PRIu64 ", expired %" PRIu64 ", given up %" PRIu64
           "; late answers %" PRIu64 "\n",
           total.assumptions, total.forgotten, total.expired, total.given_up, total.late_answers);
    printf("unplaced %" PRIu64 ", errors %" PRIu64 ", woken %" PRIu64 ", flushed %" PRIu64
           ", nominations %" PRIu64 ", evictions %" PRIu64 "\n",
           total.unplaced, total.errors, total.woken, total.flushed, total.nominations,
           total.evictions);
}

static bool run_round(uint64_t seed, unsigned long steps, bool show)
{
    simulation *s = calloc(1, sizeof(*s));
    if (s == NULL)
        abort();
    s->seed = seed;
    s->trace = show;
    s->legacy = GEN_KNOWS_LEGACY && seed % 5 == 4;
    gen_init(&s->gen, seed, s->legacy ? GEN_ALL : GEN_ALL & ~(unsigned)GEN_LEGACY);
    gen_set_release(&s->gen, seed / 5);
    if (s->gen.node_names > 40)
        s->gen.node_names = 40;
    start(s);
    for (s->step = 0; s->step < steps && !s->failed; s->step++) {
        one_step(s);
        if (!s->failed)
            check(s, s->step % CHECK_ALL_EVERY == 0);
    }
    bool ok = !s->failed;
    add_up(s);
    for (uint32_t i = 0; i < SNAPSHOTS; i++)
        berth_snapshot_unpin(s->snapshots[i]);
    berth_scheduler_destroy(s->scheduler);
    berth_explanation_destroy(s->explanation);
    berth_engine_destroy(s->engine);
    gen_free(&s->gen);
    free(s);
    return ok;
}

int main(int argc, char **argv)
{
    uint64_t seed = 1, rounds = 1000;
    unsigned long steps = 1000;
    bool show = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            seed = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
            rounds = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc)
            steps = strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--trace") == 0)
            show = true;
        else
            return 2;
    }
    for (uint64_t i = 0; i < rounds; i++)
        if (!run_round(seed + i, steps, show))
            return 1;
    printf("%" PRIu64 " rounds of %lu steps\n", rounds, steps);
    print_total();
    return 0;
}
