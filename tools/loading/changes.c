/* Tracks pods by owner, and decides which running pods stay when a manifest changes their
 * workload. */
#include "loading/changes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/object_names.h"
#include "cli/terminal.h"
#include "inspect/fresh.h"
#include "loading/controllers.h"
#include "loading/planned.h"

changes *changes_create(bool plays)
{
    changes *made = heap_new(1, sizeof(changes));
    made->plays = plays;
    return made;
}

void changes_destroy(changes *c)
{
    if (c == NULL)
        return;
    for (size_t i = 0; i < c->plan_count; i++) {
        free(c->plans[i].what.kind);
        free(c->plans[i].what.namespace_name);
        free(c->plans[i].what.name);
        free(c->plans[i].old);
        for (size_t k = 0; k < c->plans[i].held_count; k++)
            berth_object_destroy(c->plans[i].held[k]);
        free(c->plans[i].held);
    }
    free(c->rollouts);
    free(c->plans);
    free(c->pods);
    for (size_t i = c->planned_shown; i < c->shown_count; i++) {
        free(c->shown[i].kind);
        free(c->shown[i].namespace_name);
        free(c->shown[i].name);
        free(c->shown[i].autoscaler);
    }
    free(c->shown);
    word_table_free(&c->owners);
    free(c);
}

/* ---- templates ---- */

static void add_amount(berth_quantity amount, int64_t *sum)
{
    *sum += amount.units * 1000 + amount.nanos / 1000000;
}

static shape shape_of(const berth_pod *pod)
{
    shape out = {.image = pod->container_count > 0 ? words_hash(pod->containers[0].image) : 0};
    for (uint32_t i = 0; i < pod->container_count; i++) {
        const berth_resources *requests = &pod->containers[i].requests;
        for (uint32_t r = 0; r < requests->count; r++) {
            if (words_equal(requests->items[r].name, words_of("cpu")))
                add_amount(requests->items[r].amount, &out.cpu_milli);
            else if (words_equal(requests->items[r].name, words_of("memory")))
                add_amount(requests->items[r].amount, &out.memory_milli);
        }
    }
    return out;
}

/* Compares templates by first image and by requests. Used if the input has the pods of a workload
 * but not its old object. Requests that the manifest leaves out may have been filled in, so they
 * match anything. */
static bool is_like(shape old, shape fresh)
{
    return old.image == fresh.image && (fresh.cpu_milli == 0 || old.cpu_milli == fresh.cpu_milli) &&
           (fresh.memory_milli == 0 || old.memory_milli == fresh.memory_milli);
}

/* ---- owners ---- */

static uint32_t owner_number(changes *c, berth_str kind, berth_str namespace_name, berth_str name)
{
    return object_names_add(&c->owners, kind, namespace_name, name);
}

static berth_str namespace_of(const berth_metadata *meta)
{
    return meta->namespace_name.len > 0 ? meta->namespace_name : words_of("default");
}

/* The Deployment behind a ReplicaSet. The ReplicaSet's name is the Deployment's name and the hash
 * of its template, which its pods carry as a label. */
static bool deployment_of(const berth_metadata *pod, berth_str replica_set, berth_str *out)
{
    for (uint32_t i = 0; i < pod->labels.count; i++) {
        const berth_key_value *label = &pod->labels.entries[i];
        if (!words_equal(label->key, words_of("pod-template-hash")))
            continue;
        if (label->value.len + 1 >= replica_set.len)
            return false;
        *out = (berth_str){replica_set.data, replica_set.len - label->value.len - 1};
        return out->data[out->len] == '-' &&
               memcmp(out->data + out->len + 1, label->value.data, label->value.len) == 0;
    }
    return false;
}

static void add_owned(changes *c, uint32_t owner, berth_pod_id pod, shape like)
{
    c->pods = heap_grow(c->pods, &c->pod_capacity, c->pod_count + 1, sizeof(*c->pods));
    c->pods[c->pod_count++] = (owned_pod){owner, pod, like};
}

void changes_added(changes *c, const berth_object *object, const berth_object_id *id)
{
    if (object->kind != BERTH_KIND_POD || id->pod == BERTH_POD_NONE ||
        object->as.pod->meta.deleting)
        return;
    const berth_metadata *meta = &object->as.pod->meta;
    const berth_owner *owner = controller_of(meta);
    berth_str deployment;
    if (owner == NULL)
        return;
    add_owned(c, owner_number(c, owner->kind, namespace_of(meta), owner->name), id->pod,
              shape_of(object->as.pod));
    if (words_equal(owner->kind, words_of("ReplicaSet")) &&
        deployment_of(meta, owner->name, &deployment))
        add_owned(c, owner_number(c, words_of("Deployment"), namespace_of(meta), deployment),
                  id->pod, shape_of(object->as.pod));
}

/* ---- plans ---- */

static char *copy(berth_str text)
{
    return heap_text(text.data, text.len);
}

void changes_note(changes *c, const berth_note *note)
{
    const berth_workload_note *workload = note->workload;
    const bool is_set = words_equal(note->kind, words_of("StatefulSet"));
    const bool is_daemon = words_equal(note->kind, words_of("DaemonSet"));
    c->plans = heap_grow(c->plans, &c->plan_capacity, c->plan_count + 1, sizeof(*c->plans));
    c->plans[c->plan_count++] = (planned){
        .what = {.kind = copy(note->kind),
                 .namespace_name = copy(note->namespace_name),
                 .name = copy(note->name),
                 .wanted = workload->wanted > 0 ? (uint64_t)workload->wanted : 0,
                 .keeps = words_equal(note->kind, words_of("Job"))},
        .owner = owner_number(c, workload->owner_kind, note->namespace_name, workload->owner_name),
        .by_identity = is_set || is_daemon,
        .by_node = is_daemon,
        .is_there = workload->is_there,
        .same_template = workload->same_template,
        .template_fixed = words_equal(note->kind, words_of("ReplicaSet")) ||
                          words_equal(note->kind, words_of("ReplicationController")) ||
                          words_equal(note->kind, words_of("Job")),
        .rollout = workload->rollout,
        .max_surge = workload->max_surge,
        .max_unavailable = workload->max_unavailable,
        .partition = workload->partition,
    };
}

/* False for a CronJob: its running pods belong to runs that have begun, and a changed CronJob
 * starts another run. */
static bool takes_over(const planned *plan)
{
    return strcmp(plan->what.kind, "CronJob") != 0;
}

static void find_old(changes *c, const berth_engine *engine, planned *plan)
{
    const uint32_t owner =
        owner_number(c, words_of(plan->what.kind), words_of(plan->what.namespace_name),
                     words_of(plan->what.name));
    size_t capacity = 0;
    for (size_t i = 0; i < c->pod_count && takes_over(plan); i++) {
        if (c->pods[i].owner != owner)
            continue;
        plan->old = heap_grow(plan->old, &capacity, plan->old_count + 1, sizeof(*plan->old));
        plan->old[plan->old_count++] =
            (old_pod){.pod = c->pods[i].pod,
                      .node = berth_engine_pod_node(engine, c->pods[i].pod),
                      .shape = c->pods[i].shape};
    }
    plan->what.running = plan->old_count;
}

berth_status planned_remove(berth_engine *engine, old_pod *old, berth_error *error)
{
    berth_str namespace_name, name;
    if (old->gone)
        return BERTH_OK;
    berth_engine_pod_name(engine, old->pod, &namespace_name, &name);
    old->gone = true;
    return berth_engine_remove(engine, BERTH_KIND_POD, namespace_name, name, error);
}

static berth_status remove_old(berth_engine *engine, planned *plan, old_pod *old,
                               berth_error *error)
{
    plan->what.leaving += !old->gone;
    return planned_remove(engine, old, error);
}

int64_t planned_ordinal(berth_str pod_name)
{
    int64_t number = 0, unit = 1;
    uint32_t at = pod_name.len;
    for (; at > 0 && pod_name.data[at - 1] >= '0' && pod_name.data[at - 1] <= '9' &&
           unit < INT64_C(1000000000000);
         at--, unit *= 10)
        number += (pod_name.data[at - 1] - '0') * unit;
    return at < pod_name.len && at > 0 && pod_name.data[at - 1] == '-' ? number : -1;
}

/* ---- pods that are removed ---- */

/* Whether an old pod is replaced. Pods of a StatefulSet below its partition are not. */
static bool is_replaced(const berth_engine *engine, const planned *plan, const old_pod *old)
{
    berth_str namespace_name, name;
    if (plan->partition <= 0)
        return true;
    berth_engine_pod_name(engine, old->pod, &namespace_name, &name);
    return planned_ordinal(name) >= plan->partition;
}

static berth_status begin(changes *c, berth_engine *engine, planned *plan, const berth_pod *fresh,
                          berth_error *error)
{
    plan->begun = true;
    find_old(c, engine, plan);
    if (plan->old_count == 0 || plan->what.keeps || plan->template_fixed || fresh == NULL)
        return BERTH_OK;
    const bool another =
        plan->is_there ? !plan->same_template : !is_like(plan->old[0].shape, shape_of(fresh));
    plan->what.another = another && plan->rollout != BERTH_ROLLOUT_ON_DELETE;
    plan->what.waits_for_deletion = another && !plan->what.another;
    plan->plays = c->plays && plan->what.another;
    for (size_t i = 0; i < plan->old_count && plan->what.another; i++) {
        if (!is_replaced(engine, plan, &plan->old[i]))
            plan->what.kept++;
        else if (plan->plays)
            plan->what.leaving++;
        else
            TRY(remove_old(engine, plan, &plan->old[i], error));
    }
    return BERTH_OK;
}

/* The node that a DaemonSet's pod is pinned to. */
static berth_node_id pinned_node(const berth_engine *engine, const berth_pod *pod)
{
    const berth_node_selector *required = pod->node_affinity.required;
    if (required == NULL || required->count == 0 || required->terms[0].match_fields.count == 0)
        return BERTH_NODE_NONE;
    const berth_requirement *name = &required->terms[0].match_fields.items[0];
    return name->values.count > 0 ? berth_engine_find_node(engine, name->values.items[0])
                                  : BERTH_NODE_NONE;
}

static bool is_place_of(const berth_engine *engine, const planned *plan, const old_pod *old,
                        const berth_pod *fresh)
{
    berth_str namespace_name, name;
    if (old->gone)
        return false;
    if (plan->by_node)
        return old->node != BERTH_NODE_NONE && old->node == pinned_node(engine, fresh);
    berth_engine_pod_name(engine, old->pod, &namespace_name, &name);
    return words_equal(name, fresh->meta.name);
}

old_pod *planned_place(const berth_engine *engine, const planned *plan, const berth_pod *fresh)
{
    for (size_t i = 0; i < plan->old_count; i++)
        if (is_place_of(engine, plan, &plan->old[i], fresh))
            return &plan->old[i];
    return NULL;
}

/* Whether an old pod stays in the place of a new one. */
static bool stays(const berth_engine *engine, planned *plan, const berth_pod *fresh)
{
    if (plan->what.keeps)
        return plan->old_count > 0 || plan->is_there;
    if (!plan->by_identity)
        return !plan->what.another && plan->met <= plan->old_count;
    old_pod *old = planned_place(engine, plan, fresh);
    if (old == NULL || (plan->plays && is_replaced(engine, plan, old)))
        return false;
    old->stays = true;
    return true;
}

static planned *find_plan(changes *c, const berth_pod *pod)
{
    const berth_owner *owner = controller_of(&pod->meta);
    if (owner == NULL || !uid_is_made_up(owner->uid))
        return NULL;
    const uint32_t number = owner_number(c, owner->kind, namespace_of(&pod->meta), owner->name);
    for (size_t i = c->plan_count; i-- > 0;)
        if (c->plans[i].owner == number)
            return &c->plans[i];
    return NULL;
}

berth_status changes_pod(changes *c, berth_engine *engine, const berth_pod *pod, change_fate *fate,
                         berth_error *error)
{
    planned *plan = find_plan(c, pod);
    *fate = CHANGE_NEW;
    if (plan == NULL)
        return BERTH_OK;
    if (!plan->begun)
        TRY(begin(c, engine, plan, pod, error));
    plan->met++;
    if (stays(engine, plan, pod)) {
        *fate = CHANGE_STAYS;
        return BERTH_OK;
    }
    *fate = plan->plays ? CHANGE_HELD : CHANGE_NEW;
    plan->what.made++;
    return BERTH_OK;
}

void changes_hold(changes *c, const berth_object *pod)
{
    planned *plan = find_plan(c, pod->as.pod);
    plan->held =
        heap_grow(plan->held, &plan->held_capacity, plan->held_count + 1, sizeof(*plan->held));
    plan->held[plan->held_count++] = heap_object(pod);
}

/* Sorts surplus pods: pending ones are removed first, then the newest. */
static int by_leaving(const void *a, const void *b)
{
    const old_pod *left = a, *right = b;
    const bool left_waits = left->node == BERTH_NODE_NONE;
    const bool right_waits = right->node == BERTH_NODE_NONE;
    if (left_waits != right_waits)
        return left_waits ? -1 : 1;
    return left->pod > right->pod ? -1 : left->pod < right->pod;
}

/* Remove the pods that the manifest does not want any more. */
static berth_status end(changes *c, berth_engine *engine, planned *plan, berth_error *error)
{
    if (!plan->begun)
        TRY(begin(c, engine, plan, NULL, error));
    if (plan->by_node)
        plan->what.wanted = plan->met;
    for (size_t i = 0; i < plan->old_count && plan->what.another && !plan->plays; i++)
        if (plan->by_identity && !plan->by_node && !plan->old[i].stays)
            TRY(remove_old(engine, plan, &plan->old[i], error));
    if (plan->what.another || plan->what.keeps || plan->by_node)
        return BERTH_OK;
    uint64_t surplus =
        plan->old_count > plan->what.wanted ? plan->old_count - plan->what.wanted : 0;
    if (surplus > 0 && !plan->by_identity)
        qsort(plan->old, plan->old_count, sizeof(*plan->old), by_leaving);
    for (size_t i = 0; i < plan->old_count; i++)
        if (plan->by_identity ? !plan->old[i].stays : i < surplus)
            TRY(remove_old(engine, plan, &plan->old[i], error));
    return BERTH_OK;
}

berth_status changes_end(changes *c, berth_engine *engine, berth_error *error)
{
    c->shown = heap_new(c->plan_count + 1, sizeof(*c->shown));
    for (size_t i = 0; i < c->plan_count; i++) {
        TRY(end(c, engine, &c->plans[i], error));
        if (c->plans[i].what.running > 0 || (c->plans[i].what.keeps && c->plans[i].is_there))
            c->shown[c->shown_count++] = c->plans[i].what;
    }
    c->planned_shown = c->shown_count;
    c->shown_capacity = c->plan_count + 1;
    return BERTH_OK;
}

void changes_scaled(changes *c, findings *f, const workload_change *what)
{
    char text[512];
    workload_change_say(what, text, sizeof(text));
    findings_add(f, FINDING_CHANGE, words_of(text), NULL, 1);
    if (c == NULL)
        return;
    workload_change one = *what;
    one.kind = copy(words_of(what->kind));
    one.namespace_name = copy(words_of(what->namespace_name));
    one.name = copy(words_of(what->name));
    one.autoscaler = copy(words_of(what->autoscaler));
    c->shown = heap_grow(c->shown, &c->shown_capacity, c->shown_count + 1, sizeof(*c->shown));
    c->shown[c->shown_count++] = one;
}

/* ---- output ---- */

size_t changes_count(const changes *c)
{
    return c != NULL ? c->shown_count : 0;
}

const workload_change *changes_at(const changes *c, size_t number)
{
    return &c->shown[number];
}

static void say_scaled(const workload_change *one, char *text, size_t size)
{
    int len = snprintf(text, size, "%" PRIu64 " running, HPA %s: %" PRIu64 " at %s, ", one->running,
                       one->autoscaler, one->wanted, one->at_most ? "most" : "least");
    size_t at = len > 0 && (size_t)len < size ? (size_t)len : size - 1;
    if (one->made > 0)
        snprintf(text + at, size - at, "%" PRIu64 " more to place", one->made);
    else if (one->leaving > 0)
        snprintf(text + at, size - at, "%" PRIu64 " to leave", one->leaving);
    else
        snprintf(text + at, size - at, "nothing changes");
}

void workload_change_say(const workload_change *one, char *text, size_t size)
{
    int len = snprintf(text, size, "%s %s/%s: ", one->kind, one->namespace_name, one->name);
    size_t at = len > 0 && (size_t)len < size ? (size_t)len : size - 1;
    text += at;
    size -= at;
    if (one->autoscaler != NULL)
        say_scaled(one, text, size);
    else if (one->keeps)
        snprintf(text, size, "is there already, and a Job's pods do not change");
    else if (one->another && one->kept > 0)
        snprintf(text, size,
                 "%" PRIu64 " running, %" PRIu64 " wanted of another template: %" PRIu64
                 " to leave, %" PRIu64 " to place; the partition keeps %" PRIu64,
                 one->running, one->wanted, one->leaving, one->made, one->kept);
    else if (one->another)
        snprintf(text, size,
                 "%" PRIu64 " running, %" PRIu64 " wanted of another template: %" PRIu64
                 " to leave, %" PRIu64 " to place",
                 one->running, one->wanted, one->leaving, one->made);
    else if (one->waits_for_deletion && one->made == 0 && one->leaving == 0)
        snprintf(text, size,
                 "%" PRIu64 " running, %" PRIu64
                 " wanted of another template, which wait until old ones are deleted (OnDelete)",
                 one->running, one->wanted);
    else if (one->made > 0 && one->leaving > 0)
        snprintf(text, size,
                 "%" PRIu64 " running, %" PRIu64 " wanted, %" PRIu64 " to leave, %" PRIu64
                 " more to place",
                 one->running, one->wanted, one->leaving, one->made);
    else if (one->made > 0)
        snprintf(text, size, "%" PRIu64 " running, %" PRIu64 " wanted, %" PRIu64 " more to place",
                 one->running, one->wanted, one->made);
    else if (one->leaving > 0)
        snprintf(text, size, "%" PRIu64 " running, %" PRIu64 " wanted, %" PRIu64 " to leave",
                 one->running, one->wanted, one->leaving);
    else
        snprintf(text, size, "%" PRIu64 " running, %" PRIu64 " wanted, nothing changes",
                 one->running, one->wanted);
}

void changes_print(const changes *c, FILE *file)
{
    for (size_t i = 0; i < changes_count(c); i++) {
        char text[512];
        workload_change_say(changes_at(c, i), text, sizeof(text));
        fputs(i == 0 ? "Changes      " : "             ", file);
        terminal_wrap(file, text, strlen(text), 13, 15);
        fputc('\n', file);
    }
}

void changes_write(const changes *c, output *o)
{
    output_key(o, "changes");
    output_array(o);
    for (size_t i = 0; c != NULL && i < c->shown_count; i++) {
        const workload_change *one = &c->shown[i];
        output_object(o);
        output_pair_text(o, "kind", one->kind);
        output_pair_text(o, "namespace", one->namespace_name);
        output_pair_text(o, "name", one->name);
        output_pair_int(o, "running", (int64_t)one->running);
        output_pair_int(o, "wanted", (int64_t)one->wanted);
        output_pair_int(o, "leaving", (int64_t)one->leaving);
        output_pair_int(o, "toPlace", (int64_t)one->made);
        output_key(o, "anotherTemplate");
        output_bool(o, one->another);
        if (one->autoscaler != NULL)
            output_pair_text(o, "autoscaler", one->autoscaler);
        output_object_end(o);
    }
    output_array_end(o);
}
