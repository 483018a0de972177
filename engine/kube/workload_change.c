/* What a workload of a manifest changes: the one that is there is found, templates are compared. */
#include "kube/workload_change.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "text/json_copy.h"

/* ---- workloads that are there ---- */

static berth_str namespace_of(const berth_reader *reader, const berth__json *meta)
{
    return berth__reader_namespace(reader, berth__json_text(berth__json_get(meta, "namespace")));
}

static berth_str key_of(berth__arena *arena, const char *kind, berth_str namespace_name,
                        berth_str name, bool *ok)
{
    return berth__arena_print(arena, ok, "%s %.*s/%.*s", kind, (int)namespace_name.len,
                              namespace_name.data, (int)name.len, name.data);
}

static const berth__json *template_of(const berth__workload_entry *entry, const berth__json *tree)
{
    for (int i = 0; i < 4 && entry->template_path[i] != NULL; i++)
        tree = berth__json_get(tree, entry->template_path[i]);
    return tree;
}

static bool read_count(const berth__json *number, int32_t *out)
{
    if (number == NULL || number->type != BERTH__JSON_NUMBER)
        return false;
    *out = atoi(number->as.text.data); /* a digit is followed by what ends the number */
    return true;
}

berth_status berth__workload_keep_seen(berth_reader *reader, const berth__workload_entry *entry,
                                       const berth__item *item)
{
    bool ok = true;
    const berth__json *meta = berth__json_get(item->tree, "metadata");
    const berth__json *template = template_of(entry, item->tree);
    const berth__json *owners = berth__json_get(meta, "ownerReferences");
    if (owners != NULL && owners->count > 0)
        return BERTH_OK; /* what another workload has made no manifest changes */
    berth_str key = key_of(&reader->kept, entry->name, namespace_of(reader, meta),
                           berth__json_text(berth__json_get(meta, "name")), &ok);
    berth__seen_workload *seen =
        berth__arena_alloc_zero(&reader->kept, sizeof(*seen), _Alignof(berth__seen_workload));
    berth__json *copy =
        template == NULL ? NULL
                         : berth__arena_alloc(&reader->kept, sizeof(*copy), _Alignof(berth__json));
    if (!ok || seen == NULL ||
        (template != NULL && (copy == NULL || !berth__json_copy(&reader->kept, template, copy))))
        return berth__reader_no_memory(reader);
    seen->template = copy;
    seen->has_replicas = read_count(
        berth__json_get(berth__json_get(item->tree, "spec"), "replicas"), &seen->replicas);
    seen->entry.key = key.data;
    seen->entry.key_bytes = key.len;
    if (berth__keymap_find(&reader->seen_workloads, key.data, key.len) == NULL)
        berth__keymap_add(&reader->seen_workloads, &seen->entry);
    return BERTH_OK;
}

/* A workload of a manifest, in the arena of the reader. */
typedef struct noted_change {
    berth__keymap_entry entry;
    const char *source;
    uint32_t line;
    uint32_t deferred; /* its place among the objects that wait for the end of the input */
} noted_change;

/* As with `kubectl apply`, the later of two objects with one name counts. */
static berth_status replace(berth_reader *reader, const berth__item *item, noted_change *first)
{
    bool ok = true;
    const berth_str place =
        berth__arena_print(&reader->object, &ok, "%s:%" PRIu32, first->source, first->line);
    if (!ok)
        return berth__reader_no_memory(reader);
    reader->deferred[first->deferred].what = BERTH__DEFERRED_REPLACED;
    first->source = item->source;
    first->line = item->line;
    first->deferred = reader->deferred_count;
    berth__note(reader, item, BERTH_NOTE_REPLACES, place, (berth_str){0});
    return BERTH_OK;
}

berth_status berth__workload_note_change(berth_reader *reader, const berth__workload_entry *entry,
                                         const berth__item *item)
{
    bool ok = true;
    const berth__json *meta = berth__json_get(item->tree, "metadata");
    berth_str name = berth__json_text(berth__json_get(meta, "name"));
    if (berth__str_empty(name))
        name = item->made_name;
    berth_str key = key_of(&reader->kept, entry->name, namespace_of(reader, meta), name, &ok);
    noted_change *noted =
        berth__arena_alloc_zero(&reader->kept, sizeof(*noted), _Alignof(noted_change));
    if (!ok || noted == NULL)
        return berth__reader_no_memory(reader);
    berth__keymap_entry *first = berth__keymap_find(&reader->changes, key.data, key.len);
    if (first != NULL)
        return replace(reader, item, (noted_change *)first);
    *noted = (noted_change){.entry = {.key = key.data, .key_bytes = key.len},
                            .source = item->source,
                            .line = item->line,
                            .deferred = reader->deferred_count};
    berth__keymap_add(&reader->changes, &noted->entry);
    return BERTH_OK;
}

berth_status berth__workload_find_seen(const berth__expansion *e, const berth__seen_workload **out)
{
    bool ok = true;
    berth_str key =
        key_of(&e->reader->object, e->entry->name, e->namespace_name, e->w.meta.name, &ok);
    if (!ok)
        return berth__reader_no_memory(e->reader);
    *out = (const berth__seen_workload *)berth__keymap_find(&e->reader->seen_workloads, key.data,
                                                            key.len);
    return BERTH_OK;
}

/* ---- templates ---- */

/* What an API server adds to a template that says nothing of it. */
static const char *const defaulted[] = {
    "apiVersion",
    "creationTimestamp",
    "defaultMode",
    "divisor",
    "dnsPolicy",
    "enableServiceLinks",
    "failureThreshold",
    "hostPort",
    "imagePullPolicy",
    "kubectl.kubernetes.io/restartedAt",
    "periodSeconds",
    "protocol",
    "restartPolicy",
    "scheme",
    "securityContext",
    "serviceAccount",
    "serviceAccountName",
    "successThreshold",
    "terminationGracePeriodSeconds",
    "terminationMessagePath",
    "terminationMessagePolicy",
    "timeoutSeconds",
    "type",
};

static bool is_empty(const berth__json *value)
{
    switch (value->type) {
    case BERTH__JSON_NUMBER:
        return false;
    case BERTH__JSON_STRING:
        return value->as.text.len == 0;
    default:
        return value->count == 0; /* null, false, a list or an object without anything in it */
    }
}

static bool is_default(const berth__json_member *member)
{
    if (is_empty(&member->value))
        return true;
    if (berth__str_is(member->key, "schedulerName"))
        return berth__str_is(berth__json_text(&member->value), "default-scheduler");
    for (size_t i = 0; i < sizeof(defaulted) / sizeof(defaulted[0]); i++)
        if (berth__str_is(member->key, defaulted[i]))
            return true;
    return false;
}

/* What the members of such a field are. */
static bool has_amounts(berth_str key)
{
    return berth__str_is(key, "requests") || berth__str_is(key, "limits") ||
           berth__str_is(key, "overhead") || berth__str_is(key, "sizeLimit");
}

static bool same_text(berth_str a, berth_str b, bool amounts)
{
    berth_quantity left, right;
    if (berth__str_eq(a, b))
        return true;
    return amounts && berth_quantity_parse(a, &left, NULL) == BERTH_OK &&
           berth_quantity_parse(b, &right, NULL) == BERTH_OK && left.units == right.units &&
           left.nanos == right.nanos;
}

static bool same_value(const berth__json *fresh, const berth__json *seen, bool amounts);

static bool same_members(const berth__json *fresh, const berth__json *seen, bool amounts)
{
    for (uint32_t i = 0; i < fresh->count; i++) {
        const berth__json_member *member = &fresh->as.members[i];
        const berth__json *other = berth__json_member_of(seen, member->key.data, member->key.len);
        if (other == NULL ? !is_empty(&member->value)
                          : !same_value(&member->value, other, amounts || has_amounts(member->key)))
            return false;
    }
    for (uint32_t i = 0; i < seen->count; i++) {
        const berth__json_member *member = &seen->as.members[i];
        if (berth__json_member_of(fresh, member->key.data, member->key.len) == NULL &&
            !is_default(member))
            return false;
    }
    return true;
}

static bool same_value(const berth__json *fresh, const berth__json *seen, bool amounts)
{
    bool texts = (fresh->type == BERTH__JSON_NUMBER || fresh->type == BERTH__JSON_STRING) &&
                 (seen->type == BERTH__JSON_NUMBER || seen->type == BERTH__JSON_STRING);
    if (texts)
        return same_text(fresh->as.text, seen->as.text, amounts);
    if (fresh->type != seen->type)
        return is_empty(fresh) && is_empty(seen);
    if (fresh->type == BERTH__JSON_OBJECT)
        return same_members(fresh, seen, amounts);
    if (fresh->count != seen->count)
        return false;
    for (uint32_t i = 0; fresh->type == BERTH__JSON_ARRAY && i < fresh->count; i++)
        if (!same_value(&fresh->as.items[i], &seen->as.items[i], amounts))
            return false;
    return true;
}

/* Whether pods of the template `fresh`, as a manifest has it, are like those of `seen`, to which an
 * API server has added defaults. */
static bool same_template(const berth__json *fresh, const berth__json *seen)
{
    return same_value(fresh, seen, false);
}

/* ---- telling ---- */

/* ---- how it is rolled out ---- */

static void read_bound(const berth__json *of, const char *key, berth_count_or_percent *out)
{
    const berth__json *value = berth__json_get(of, key);
    if (value != NULL)
        (void)berth__count_or_percent_read(value, out);
}

/* Source: kubernetes v1.36 pkg/apis/apps/v1/defaults.go. */
static void read_strategy(const berth__expansion *e, berth_workload_note *note)
{
    const bool is_deployment = e->entry->kind == BERTH__WORKLOAD_DEPLOYMENT;
    const berth__json *strategy = berth__json_get(berth__json_get(e->item->tree, "spec"),
                                                  is_deployment ? "strategy" : "updateStrategy");
    const berth__json *rolling = berth__json_get(strategy, "rollingUpdate");
    berth_str type = berth__json_text(berth__json_get(strategy, "type"));
    note->rollout = berth__str_is(type, "Recreate")   ? BERTH_ROLLOUT_RECREATE
                    : berth__str_is(type, "OnDelete") ? BERTH_ROLLOUT_ON_DELETE
                                                      : BERTH_ROLLOUT_ROLLING;
    note->max_surge = note->max_unavailable =
        (berth_count_or_percent){.given = true, .percent = true, .value = 25};
    if (!is_deployment) {
        note->max_surge = (berth_count_or_percent){.given = true};
        note->max_unavailable = (berth_count_or_percent){.given = true, .value = 1};
    }
    read_bound(rolling, "maxSurge", &note->max_surge);
    read_bound(rolling, "maxUnavailable", &note->max_unavailable);
    if (e->entry->kind == BERTH__WORKLOAD_STATEFUL_SET)
        (void)read_count(berth__json_get(rolling, "partition"), &note->partition);
}

berth_status berth__workload_tell_change(const berth__expansion *e, int64_t wanted)
{
    const berth__seen_workload *seen = NULL;
    BERTH_TRY(berth__workload_find_seen(e, &seen));
    const berth__json *template = template_of(e->entry, e->item->tree);
    berth_workload_note workload = {
        .size = sizeof(workload),
        .is_there = seen != NULL,
        .same_template = seen != NULL && seen->template != NULL && template != NULL &&
                         same_template(template, seen->template),
        .wanted = e->entry->kind == BERTH__WORKLOAD_DAEMON_SET ? -1 : wanted,
        .owner_kind = e->owner.kind,
        .owner_name = e->owner.name,
    };
    read_strategy(e, &workload);
    berth__note_workload(e->reader, e->item, BERTH_NOTE_WORKLOAD, &workload);
    return BERTH_OK;
}

void berth__workload_tell_seen(berth_reader *reader, const berth__item *item)
{
    const berth__json *replicas = berth__json_get(berth__json_get(item->tree, "spec"), "replicas");
    const bool scales = !berth__str_is(item->kind, "DaemonSet") &&
                        !berth__str_is(item->kind, "Job") && !berth__str_is(item->kind, "CronJob");
    int32_t count = 1;
    (void)read_count(replicas, &count);
    const berth_workload_note workload = {
        .size = sizeof(workload),
        .wanted = scales ? count : -1,
        .owner_kind = item->kind,
        .owner_name =
            berth__json_text(berth__json_get(berth__json_get(item->tree, "metadata"), "name")),
    };
    berth__note_workload(reader, item, BERTH_NOTE_NOT_EXPANDED, &workload);
}
