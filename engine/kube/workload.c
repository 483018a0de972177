/* Expands workloads to pods, as their controllers do, with names that are the same in every run.
 *
 * A pod of a StatefulSet is named NAME-ORDINAL, of a DaemonSet NAME-HASH-NODE, of every other
 * workload NAME-HASH-NUMBER from 0. HASH is eight hexadecimal digits computed from the workload's
 * kind, namespace and name. A Deployment's pods belong to a ReplicaSet NAME-HASH and are named
 * after it; a CronJob's belong to one Job NAME-HASH. A suspended Job or CronJob has no pods.
 * Sources: kubernetes v1.32 pkg/controller/{deployment,statefulset,daemon,job}. */
#include "kube/workload_change.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "kube/kind_info.h"
#include "kube/workload_fields.h"

/* ---- the kinds ---- */

/* clang-format off */
static const berth__workload_entry workloads[] = {
    {"Deployment", "apps", BERTH__WORKLOAD_DEPLOYMENT, berth__workload_fields_deployment,
     {"spec", "template"}, "apps/v1", "ReplicaSet", BERTH_KIND_REPLICA_SET},
    {"ReplicaSet", "apps", BERTH__WORKLOAD_REPLICA_SET, berth__workload_fields_replica_set,
     {"spec", "template"}, "apps/v1", "ReplicaSet", BERTH_KIND_REPLICA_SET},
    {"ReplicationController", "", BERTH__WORKLOAD_REPLICATION_CONTROLLER,
     berth__workload_fields_replication,
     {"spec", "template"}, "v1", "ReplicationController", BERTH_KIND_REPLICATION_CONTROLLER},
    {"StatefulSet", "apps", BERTH__WORKLOAD_STATEFUL_SET, berth__workload_fields_stateful_set,
     {"spec", "template"}, "apps/v1", "StatefulSet", BERTH_KIND_STATEFUL_SET},
    {"DaemonSet", "apps", BERTH__WORKLOAD_DAEMON_SET, berth__workload_fields_daemon_set,
     {"spec", "template"}, "apps/v1", "DaemonSet", BERTH_KIND_COUNT},
    {"Job", "batch", BERTH__WORKLOAD_JOB, berth__workload_fields_job,
     {"spec", "template"}, "batch/v1", "Job", BERTH_KIND_COUNT},
    {"CronJob", "batch", BERTH__WORKLOAD_CRON_JOB, berth__workload_fields_cron_job,
     {"spec", "jobTemplate", "spec", "template"}, "batch/v1", "Job", BERTH_KIND_COUNT},
};
/* clang-format on */

static const berth__workload_entry *find_entry(const berth__item *item)
{
    if (berth__str_is(item->kind, "Pod") || berth__str_is(item->kind, "Node"))
        return NULL; /* by far the most frequent case */
    for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++) {
        if (berth__str_is(item->kind, workloads[i].name) &&
            berth__kind_info_group_is(item->api_version, berth__text_of(workloads[i].group)))
            return &workloads[i];
    }
    return NULL;
}

bool berth__is_workload(const berth__item *item)
{
    return find_entry(item) != NULL;
}

const berth__json *berth__workload_pod_spec(const berth__item *item)
{
    const berth__workload_entry *entry = find_entry(item);
    const berth__json *at = item->tree;
    if (entry == NULL)
        return berth__str_is(item->kind, "Pod") ? berth__json_get(at, "spec") : NULL;
    for (int i = 0; i < 4 && entry->template_path[i] != NULL; i++)
        at = berth__json_get(at, entry->template_path[i]);
    return berth__json_get(at, "spec");
}

/* ---- one workload ---- */

berth_str berth__arena_print(berth__arena *arena, bool *ok, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = berth__arena_alloc(arena, (size_t)len + 1, 1);
    if (text == NULL) {
        *ok = false;
        return (berth_str){0};
    }
    va_start(args, format);
    vsnprintf(text, (size_t)len + 1, format, args);
    va_end(args);
    return (berth_str){text, (uint32_t)len};
}

/* FNV-1a: names must not change when the hash tables' function does. */
uint32_t berth__name_hash(uint32_t hash, berth_str part)
{
    for (uint32_t i = 0; i < part.len; i++)
        hash = (hash ^ (unsigned char)part.data[i]) * UINT32_C(16777619);
    return (hash ^ 0xff) * UINT32_C(16777619); /* a byte that ends every part */
}

static berth_status name_parts(berth__expansion *e)
{
    bool ok = true;
    berth__arena *arena = &e->reader->object;
    berth_str name = e->w.meta.name;
    uint32_t hash = berth__name_hash(BERTH__NAME_HASH_SEED, berth__text_of(e->entry->name));
    hash = berth__name_hash(berth__name_hash(hash, e->namespace_name), name);
    snprintf(e->hash, sizeof(e->hash), "%08" PRIx32, hash);
    bool own =
        e->entry->kind == BERTH__WORKLOAD_DEPLOYMENT || e->entry->kind == BERTH__WORKLOAD_CRON_JOB;
    e->owner = (berth_owner){
        .api_version = berth__text_of(e->entry->owner_version),
        .kind = berth__text_of(e->entry->owner_kind),
        .name = own ? berth__arena_print(arena, &ok, "%.*s-%s", (int)name.len, name.data, e->hash)
                    : name,
        .uid = berth__arena_print(arena, &ok, "berth-%s", e->hash),
        .controller = true,
    };
    return ok ? BERTH_OK : berth__reader_no_memory(e->reader);
}

static void link_path(berth__expansion *e)
{
    int count = 0;
    for (; count < 4 && e->entry->template_path[count] != NULL; count++)
        e->path[count] = (berth__field_path){.up = count > 0 ? &e->path[count - 1] : NULL,
                                             .key = berth__text_of(e->entry->template_path[count])};
    e->path[count] = (berth__field_path){.up = &e->path[count - 1], .key = BERTH_STR("spec")};
}

const berth__field_path *berth__expansion_spec_path(const berth__expansion *e)
{
    int count = 0;
    while (count < 4 && e->entry->template_path[count] != NULL)
        count++;
    return &e->path[count];
}

static berth_status check_count(const berth__expansion *e, int32_t value, const char *member)
{
    if (value >= 0)
        return BERTH_OK;
    char field[64];
    snprintf(field, sizeof(field), "%s.%s",
             e->entry->kind == BERTH__WORKLOAD_CRON_JOB ? "spec.jobTemplate.spec" : "spec", member);
    return berth__reader_invalid(e->reader, field, "must not be negative, found %" PRId32, value);
}

static berth_status check_workload(const berth__expansion *e)
{
    const berth__workload *w = &e->w;
    if (!w->has_template)
        return berth__reader_invalid(e->reader,
                                     e->entry->kind == BERTH__WORKLOAD_CRON_JOB
                                         ? "spec.jobTemplate.spec.template"
                                         : "spec.template",
                                     "a pod template is required");
    BERTH_TRY(check_count(e, w->replicas, "replicas"));
    BERTH_TRY(check_count(e, w->parallelism, "parallelism"));
    BERTH_TRY(check_count(e, w->completions, "completions"));
    return check_count(e, w->first_ordinal, "ordinals.start");
}

berth_status berth__expansion_open(berth__expansion *e, berth_reader *reader,
                                   const berth__item *item)
{
    memset(e, 0, sizeof(*e));
    e->reader = reader;
    e->item = item;
    e->entry = find_entry(item);
    berth__decoder decoder = {&reader->object, reader->error};
    BERTH_TRY(berth__decode_fields(&decoder, NULL, item->tree, e->entry->fields, &e->w));
    e->namespace_name = berth__reader_namespace(reader, e->w.meta.namespace_name);
    BERTH_TRY(berth__reader_name(reader, item, &e->w.meta));
    link_path(e);
    BERTH_TRY(check_workload(e));
    return name_parts(e);
}

berth_status berth__expansion_of(berth_reader *reader, const berth__item *item,
                                 berth_status (*emit)(berth__expansion *e))
{
    berth__expansion e;
    berth_status status = berth__expansion_open(&e, reader, item);
    if (status == BERTH_OK)
        status = emit(&e);
    return berth__reader_fault(reader, item, status);
}

static bool is_zero(const berth__json *value)
{
    return value != NULL && value->type == BERTH__JSON_NUMBER && berth__str_is(value->as.text, "0");
}

/* A dump writes controllers like this if it also has their pods (kube.h, berth_engine_dump). */
static bool wants_no_pods(const berth__json *spec)
{
    return is_zero(berth__json_get(spec, "replicas"));
}

/* Whether a workload's status from an API server says that it has no pods now: a DaemonSet that no
 * node admits, a Job that is over or suspended, a CronJob between its runs. */
static bool has_no_pods(const berth__item *item)
{
    const berth__json *status = berth__json_get(item->tree, "status");
    const berth__json *active = berth__json_get(status, "active");
    if (berth__str_is(item->kind, "DaemonSet"))
        return is_zero(berth__json_get(status, "desiredNumberScheduled")) &&
               berth__json_get(status, "observedGeneration") != NULL;
    if (berth__str_is(item->kind, "CronJob"))
        return active == NULL || active->type != BERTH__JSON_ARRAY || active->count == 0;
    /* A Job has an empty status until its controller sees it. */
    return berth__str_is(item->kind, "Job") && status != NULL &&
           status->type == BERTH__JSON_OBJECT && status->count > 0 &&
           (active == NULL || is_zero(active));
}

/* Whether to make the pods of a workload although an API server has seen it. If another workload
 * made it, that one makes its pods. */
static bool is_expanded(const berth_reader *reader, const berth__item *item)
{
    const berth__json *meta = berth__json_get(item->tree, "metadata");
    const berth__json *owners = berth__json_get(meta, "ownerReferences");
    return reader->options.templates ||
           (reader->options.expand &&
            (owners == NULL || owners->type != BERTH__JSON_ARRAY || owners->count == 0));
}

/* Whether a workload with that uid, before its expansion, is a change to an existing one. */
static bool is_change(const berth_reader *reader, const berth__json *uid)
{
    return reader->options.changes && !reader->options.templates &&
           berth__str_empty(berth__json_text(uid));
}

/* A manifest without a number of replicas leaves that number unchanged. */
static berth_status keep_replicas(berth__expansion *e)
{
    const berth__seen_workload *seen = NULL;
    BERTH_TRY(berth__workload_find_seen(e, &seen));
    if (e->w.has_replicas || seen == NULL || !seen->has_replicas)
        return BERTH_OK;
    e->w.has_replicas = true;
    e->w.replicas = seen->replicas;
    return BERTH_OK;
}

berth_status berth__workload_expand(berth_reader *reader, const berth__item *item, bool *taken)
{
    berth__expansion e;
    *taken = false;
    if (find_entry(item) == NULL)
        return BERTH_OK;
    /* An object from an API server always has a template; one without a template makes no pods. */
    const berth__json *spec = berth__json_get(item->tree, "spec");
    *taken = berth__json_get(spec, "jobTemplate") != NULL ||
             berth__json_get(spec, "template") != NULL ||
             (reader->options.apply_defaults && !wants_no_pods(spec));
    if (!*taken)
        return BERTH_OK;
    const berth__json *uid = berth__json_get(berth__json_get(item->tree, "metadata"), "uid");
    if (uid != NULL && uid->type == BERTH__JSON_STRING && uid->as.text.len > 0 &&
        !is_expanded(reader, item)) {
        *taken = false; /* the dump has its pods elsewhere */
        if (reader->options.changes)
            BERTH_TRY(berth__workload_keep_seen(reader, find_entry(item), item));
        if (!wants_no_pods(spec) && !has_no_pods(item))
            berth__workload_tell_seen(reader, item);
        return BERTH_OK;
    }
    if (is_change(reader, uid) && !reader->finishing) {
        BERTH_TRY(berth__reader_fault(reader, item,
                                      berth__workload_note_change(reader, find_entry(item), item)));
        reader->changing = item->source;
        return berth__defer(reader, BERTH__DEFERRED_OBJECT, item);
    }
    berth_status status = berth__expansion_open(&e, reader, item);
    if (status == BERTH_OK && is_change(reader, uid))
        status = keep_replicas(&e);
    if (status == BERTH_OK)
        status = berth__expansion_run(&e);
    return berth__reader_fault(reader, item, status);
}
