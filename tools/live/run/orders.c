/* A name alone does not identify an object: one that was created after the decision is different
 * (object_entry.born), and the decision must not be applied to it. A decision about a volume or
 * claim holds only for its state at that time (object_entry.changed). */
#include "live/run/orders.h"

#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"

static berth_str text_or_none(const char *text)
{
    return text != NULL ? (berth_str){text, (uint32_t)strlen(text)} : (berth_str){0};
}

static write_pod pod_of(const object_entry *entry, berth_str scheduler)
{
    return (write_pod){.namespace_name = object_entry_namespace(entry),
                       .name = object_entry_name(entry),
                       .uid = object_entry_uid(entry),
                       .scheduler_name = scheduler,
                       .version = entry->version,
                       .generation = entry->generation,
                       .scheduled = text_or_none(entry->scheduled),
                       .nominated = text_or_none(entry->nominated)};
}

/* The object that the decision was about, or NULL if it is gone. */
static const object_entry *find(const orders *o, const order *what, berth_kind kind,
                                berth_str namespace_name, berth_str name)
{
    const object_entry *entry = watcher_find(o->watcher, kind, namespace_name, name);
    return entry != NULL && entry->born <= what->decided_at ? entry : NULL;
}

/* The same, but also NULL if the object has changed since then. */
static const object_entry *find_as_it_was(const orders *o, const order *what, berth_kind kind,
                                          berth_str namespace_name, berth_str name)
{
    const object_entry *entry = find(o, what, kind, namespace_name, name);
    return entry != NULL && entry->changed <= what->decided_at ? entry : NULL;
}

/* Looks up the claim and volume of a choice, which the decision knows only by name. Returns false
 * if one of them is gone, was replaced or has changed. */
static bool find_choice(const orders *o, const order *what, const berth_claim_choice *claim,
                        volume_choice *out)
{
    static const berth_str none = {0};
    const object_entry *found = find_as_it_was(o, what, BERTH_KIND_PERSISTENT_VOLUME_CLAIM,
                                               claim->claim_namespace, claim->claim_name);
    const object_entry *volume =
        claim->volume.len > 0
            ? find_as_it_was(o, what, BERTH_KIND_PERSISTENT_VOLUME, none, claim->volume)
            : NULL;
    if (found == NULL || (claim->volume.len > 0 && volume == NULL))
        return false;
    *out = (volume_choice){.claim_namespace = claim->claim_namespace,
                           .claim_name = claim->claim_name,
                           .claim_uid = object_entry_uid(found),
                           .claim_version = found->version,
                           .volume_name = claim->volume,
                           .volume_version = volume != NULL ? volume->version : 0};
    return true;
}

/* Returns false if a chosen object is gone. */
static bool bind_volumes(orders *o, const order *what, const write_pod *about)
{
    volume_choice *choices = heap_new(what->claim_count, sizeof(*choices));
    bool all = true;
    for (uint32_t i = 0; all && i < what->claim_count; i++)
        all = find_choice(o, what, &what->claims[i], &choices[i]);
    if (all)
        writes_bind_with_volumes(o->writes, &(volume_job){.id = what->binding,
                                                          .pod = about,
                                                          .node = what->node,
                                                          .choices = choices,
                                                          .choice_count = what->claim_count,
                                                          .timeout_ns = o->volume_timeout_ns});
    free(choices);
    return all;
}

/* Gives up a binding because an object that it needs is gone. */
static void give_up(orders *o, const order *what)
{
    writes_unbind(o->writes, what->binding);
    deciding_bind_done(o->deciding, what->binding, false);
}

/* Looks up a claim that the decision knows only by name; the one for extended resources may not
 * exist yet. Returns false if it is gone or was replaced. */
static bool find_devices(const orders *o, const order *what, const order_devices *from,
                         device_choice *out)
{
    *out = (device_choice){.claim_namespace = from->claim_namespace,
                           .claim_name = from->claim_name,
                           .allocation = from->allocation,
                           .requests = from->requests,
                           .mappings = from->mappings};
    if (from->claim_name.len == 0)
        return true;
    const object_entry *found =
        find(o, what, BERTH_KIND_RESOURCE_CLAIM, from->claim_namespace, from->claim_name);
    if (found != NULL)
        out->claim_uid = object_entry_uid(found);
    return found != NULL;
}

/* Passes on the allocations for the pod's ResourceClaims. Returns false if one of the claims is
 * gone. */
static bool put_devices(orders *o, const order *what, const write_pod *about)
{
    device_choice *choices = heap_new(what->device_count, sizeof(*choices));
    bool all = true;
    for (uint32_t i = 0; all && i < what->device_count; i++)
        all = find_devices(o, what, &what->devices[i], &choices[i]);
    if (all)
        writes_devices(o->writes, &(device_job){.id = what->binding,
                                                .pod = about,
                                                .node = what->node,
                                                .choices = choices,
                                                .choice_count = what->device_count,
                                                .timeout_ns = o->device_timeout_ns});
    free(choices);
    return all;
}

/* Checks the node, too: the server looks only at the pod and would accept a node that is gone. */
static void bind(orders *o, const order *what)
{
    static const berth_str none = {0};
    const object_entry *pod = find(o, what, BERTH_KIND_POD, what->namespace_name, what->name);
    const object_entry *node = find(o, what, BERTH_KIND_NODE, none, what->node);
    if (o->ends || pod == NULL || pod->bound || node == NULL) {
        give_up(o, what);
        return;
    }
    write_pod about = pod_of(pod, what->scheduler);
    about.attempt = what->attempt;
    about.waited_ns = what->waited_ns;
    about.decided_ns = what->decided_ns;
    about.by_extender = what->by_extender;
    bool goes = what->device_count == 0 || put_devices(o, what, &about);
    if (goes && what->claim_count == 0)
        writes_bind(o->writes, what->binding, &about, what->node);
    else if (!goes || !bind_volumes(o, what, &about))
        give_up(o, what);
}

static void fail(orders *o, const order *what)
{
    const object_entry *pod = find(o, what, BERTH_KIND_POD, what->namespace_name, what->name);
    if (pod == NULL || pod->bound)
        return;
    const write_pod about = pod_of(pod, what->scheduler);
    writes_failed(
        o->writes, &about,
        &(write_failure){.error = what->error, .message = what->message, .nominated = what->node});
}

/* Whether the watch shows that the group was placed before. */
static bool was_placed(const object_entry *group)
{
    const berth_str status =
        json_plain_string(json_member(text_or_none(group->scheduled), "status"));
    return write_str_equal(status, BERTH_STR("True"));
}

static void note_group(orders *o, const order *what)
{
    static const berth_str none = {0};
    const object_entry *group =
        find(o, what, BERTH_KIND_POD_GROUP, what->namespace_name, what->name);
    if (group == NULL)
        return;
    write_pod about = pod_of(group, none);
    about.placed = was_placed(group);
    writes_pod_group(o->writes, &about,
                     &(write_group_outcome){
                         .placed = what->placed, .error = what->error, .message = what->message});
}

/* Tells the deciding thread to stop waiting for this eviction. */
static void stay(orders *o, berth_str namespace_name, berth_str name)
{
    (void)inbox_put_change(&o->deciding->in, MESSAGE_STAYS, BERTH_KIND_POD, namespace_name, name,
                           NULL);
}

static write_kind write_kind_of(berth_kind kind)
{
    if (kind == BERTH_KIND_POD_GROUP)
        return WRITE_POD_GROUP;
    return kind == BERTH_KIND_COMPOSITE_POD_GROUP ? WRITE_COMPOSITE_POD_GROUP : WRITE_POD;
}

static void evict(orders *o, const order *what)
{
    const object_entry *victim = find(o, what, BERTH_KIND_POD, what->namespace_name, what->name);
    const object_entry *preemptor =
        find(o, what, what->preemptor_kind, what->preemptor_namespace, what->preemptor_name);
    if (victim == NULL)
        return;
    if (o->ends || preemptor == NULL || preemptor->bound) {
        stay(o, what->namespace_name, what->name);
        return;
    }
    const write_pod from = pod_of(victim, what->scheduler);
    write_pod to = pod_of(preemptor, what->scheduler);
    to.kind = write_kind_of(what->preemptor_kind);
    writes_evict(o->writes, &from, &to, what->node);
}

static void unnominate(orders *o, const order *what)
{
    static const berth_str none = {0};
    const object_entry *pod = find(o, what, BERTH_KIND_POD, what->namespace_name, what->name);
    if (pod == NULL || pod->bound)
        return;
    const write_pod about = pod_of(pod, what->scheduler);
    writes_nominate(o->writes, &about, none);
}

static void free_claim(orders *o, const order *what)
{
    const object_entry *claim =
        find_as_it_was(o, what, BERTH_KIND_RESOURCE_CLAIM, what->namespace_name, what->name);
    if (o->ends || claim == NULL)
        return;
    writes_free_claim(o->writes, &(freed_claim){.namespace_name = what->namespace_name,
                                                .name = what->name,
                                                .uid = object_entry_uid(claim),
                                                .version = claim->version});
}

/* The claim of an earlier pod of that name stays: it goes with that pod. */
static void delete_claim(orders *o, const order *what)
{
    const object_entry *claim =
        find(o, what, BERTH_KIND_RESOURCE_CLAIM, what->namespace_name, what->name);
    const object_entry *pod =
        find(o, what, BERTH_KIND_POD, what->preemptor_namespace, what->preemptor_name);
    if (o->ends || claim == NULL || pod == NULL || pod->bound)
        return;
    writes_delete_claim(o->writes, &(deleted_claim){.namespace_name = what->namespace_name,
                                                    .name = what->name,
                                                    .uid = object_entry_uid(claim),
                                                    .pod_uid = object_entry_uid(pod)});
}

static void carry_out(orders *o, const order *what)
{
    switch (what->kind) {
    case ORDER_BIND:
        bind(o, what);
        break;
    case ORDER_UNBIND:
        writes_unbind(o->writes, what->binding);
        break;
    case ORDER_FAILED:
        fail(o, what);
        break;
    case ORDER_EVICT:
        evict(o, what);
        break;
    case ORDER_FREE_CLAIM:
        free_claim(o, what);
        break;
    case ORDER_DELETE_CLAIM:
        delete_claim(o, what);
        break;
    case ORDER_UNNOMINATE:
        unnominate(o, what);
        break;
    case ORDER_POD_GROUP:
        note_group(o, what);
        break;
    }
}

void orders_take(orders *o)
{
    if (o->holds) {
        o->held = true;
        return;
    }
    bool were_many = outbox_count(&o->deciding->out) >= ORDERS_MAX;
    while (o->ends || writes_has_room(o->writes)) {
        order *next = outbox_take(&o->deciding->out);
        if (next == NULL)
            break;
        carry_out(o, next);
        free(next);
    }
    if (were_many && outbox_count(&o->deciding->out) < ORDERS_MAX)
        deciding_wake(o->deciding);
}

void orders_bound(orders *o, const bind_outcome *outcome)
{
    deciding_bind_done(o->deciding, outcome->id, outcome->verdict == BIND_BOUND);
}

void orders_evicted(orders *o, const eviction_outcome *outcome)
{
    if (outcome->failed)
        stay(o, outcome->victim->namespace_name, outcome->victim->name);
}

void orders_seen(orders *o, const object_entry *entry, const object_view *view)
{
    if (!entry->bound)
        return;
    const write_pod pod = pod_of(entry, view->scheduler_name);
    writes_pod_seen(o->writes, &pod, view->node_name);
}

void orders_gone(orders *o, berth_kind kind, const object_entry *entry)
{
    static const berth_str none = {0};
    o->holds = true;
    if (kind == BERTH_KIND_NODE)
        writes_node_gone(o->writes, object_entry_name(entry));
    if (kind == BERTH_KIND_POD) {
        const write_pod pod = pod_of(entry, none);
        writes_pod_gone(o->writes, &pod);
    }
    if (kind == BERTH_KIND_POD_GROUP) {
        const write_pod group = pod_of(entry, none);
        writes_pod_group_gone(o->writes, &group);
    }
    o->holds = false;
}

void orders_changed(orders *o, berth_kind kind, berth_str namespace_name, berth_str name)
{
    if (kind == BERTH_KIND_PERSISTENT_VOLUME_CLAIM)
        writes_claim_seen(o->writes, namespace_name, name);
    if (kind == BERTH_KIND_RESOURCE_CLAIM)
        writes_device_claim_seen(o->writes, namespace_name, name);
}
