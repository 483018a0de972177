/* The pods of a workload with a number of replicas in its specification, its controller if a plugin
 * reads that, and the claims of StatefulSets. */

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "berth/read.h"
#include "kube/claim_template.h"
#include "kube/workload_change.h"

enum { EXTRA_LABELS_MAX = 5 };

/* ---- labels ---- */

typedef struct label_list {
    berth_key_value items[EXTRA_LABELS_MAX];
    uint32_t count;
} label_list;

static void add_label(label_list *labels, const char *key, berth_str value)
{
    labels->items[labels->count++] = (berth_key_value){berth__text_of(key), value};
}

/* `base` and `extra`; entries of `extra` replace those of the same key. */
static bool merge_labels(berth__arena *arena, const berth_map *base, const berth_key_value *extra,
                         uint32_t extra_count, berth_map *out)
{
    berth_key_value *entries = berth__arena_alloc(
        arena, ((size_t)base->count + extra_count) * sizeof(*entries), _Alignof(berth_key_value));
    uint32_t count = 0;
    if (entries == NULL)
        return false;
    for (uint32_t i = 0; i < base->count; i++) {
        bool replaced = false;
        for (uint32_t k = 0; k < extra_count; k++)
            replaced = replaced || berth__str_eq(base->entries[i].key, extra[k].key);
        if (!replaced)
            entries[count++] = base->entries[i];
    }
    for (uint32_t k = 0; k < extra_count; k++)
        entries[count++] = extra[k];
    *out = (berth_map){entries, count};
    return true;
}

/* The labels that a controller puts on its pods, which selectors and matchLabelKeys use. */
static void controller_labels(const berth__expansion *e, berth_str pod_name, berth_str ordinal,
                              label_list *out)
{
    berth_str hash = {e->hash, BERTH__HASH_DIGITS};
    switch (e->entry->kind) {
    case BERTH__WORKLOAD_DEPLOYMENT:
        add_label(out, "pod-template-hash", hash);
        break;
    case BERTH__WORKLOAD_STATEFUL_SET:
        add_label(out, "apps.kubernetes.io/pod-index", ordinal);
        add_label(out, "statefulset.kubernetes.io/pod-name", pod_name);
        add_label(out, "controller-revision-hash", hash);
        break;
    case BERTH__WORKLOAD_DAEMON_SET:
        add_label(out, "controller-revision-hash", hash);
        break;
    case BERTH__WORKLOAD_JOB:
    case BERTH__WORKLOAD_CRON_JOB:
        add_label(out, "batch.kubernetes.io/job-name", e->owner.name);
        add_label(out, "job-name", e->owner.name);
        add_label(out, "batch.kubernetes.io/controller-uid", e->owner.uid);
        add_label(out, "controller-uid", e->owner.uid);
        if (berth__str_is(e->w.completion_mode, "Indexed"))
            add_label(out, "batch.kubernetes.io/job-completion-index", ordinal);
        break;
    case BERTH__WORKLOAD_REPLICA_SET:
    case BERTH__WORKLOAD_REPLICATION_CONTROLLER:
        break;
    }
}

/* ---- pods ---- */

bool berth__expansion_pod(const berth__expansion *e, berth_str name, berth_str ordinal,
                          berth_pod *out)
{
    label_list labels = {.count = 0};
    *out = e->w.pod;
    controller_labels(e, name, ordinal, &labels);
    out->meta = (berth_metadata){
        .name = name,
        .namespace_name = e->namespace_name,
        .annotations = e->w.pod.meta.annotations,
        .owners = &e->owner,
        .owner_count = 1,
    };
    return merge_labels(&e->reader->pod, &e->w.pod.meta.labels, labels.items, labels.count,
                        &out->meta.labels);
}

berth_status berth__expansion_emit(const berth__expansion *e, berth_pod *pod)
{
    if (e->reader->options.apply_defaults) {
        BERTH_TRY(berth__default_pod(e->reader, berth__expansion_spec_path(e),
                                     berth__workload_pod_spec(e->item), &e->reader->pod, pod));
        BERTH_TRY(berth__make_claims(e->reader, e->item, &e->reader->pod, pod));
    }
    return berth__reader_emit(e->reader, e->item, BERTH_KIND_POD, pod);
}

/* The volumes of a StatefulSet's pod: its claims replace volumes of the same name. */
static bool claim_volumes(const berth__expansion *e, berth_str ordinal, berth_pod *pod)
{
    bool ok = true;
    berth__arena *arena = &e->reader->pod;
    uint32_t count = 0;
    size_t most = (size_t)pod->volume_count + e->w.claim_count;
    berth_volume *volumes =
        berth__arena_alloc_zero(arena, most * sizeof(*volumes), _Alignof(berth_volume));
    if (volumes == NULL)
        return false;
    for (uint32_t c = 0; c < e->w.claim_count; c++) {
        berth_str name = e->w.claims[c].meta.name;
        volumes[count].name = name;
        volumes[count].source.kind = BERTH_VOLUME_CLAIM;
        volumes[count++].source.handle = berth__arena_print(
            arena, &ok, "%.*s-%.*s-%.*s", (int)name.len, name.data, (int)e->w.meta.name.len,
            e->w.meta.name.data, (int)ordinal.len, ordinal.data);
    }
    for (uint32_t v = 0; v < pod->volume_count; v++) {
        bool replaced = false;
        for (uint32_t c = 0; c < e->w.claim_count; c++)
            replaced = replaced || berth__str_eq(pod->volumes[v].name, volumes[c].name);
        if (!replaced)
            volumes[count++] = pod->volumes[v];
    }
    pod->volumes = volumes;
    pod->volume_count = count;
    return ok;
}

static berth_status emit_replica(const berth__expansion *e, int64_t number)
{
    bool ok = true;
    berth_pod pod;
    berth__arena *arena = &e->reader->pod;
    berth__arena_reset(arena);
    berth_str base = e->w.meta.name;
    berth_str ordinal = berth__arena_print(arena, &ok, "%" PRId64, number);
    berth_str name =
        e->entry->kind == BERTH__WORKLOAD_STATEFUL_SET
            ? berth__arena_print(arena, &ok, "%.*s-%" PRId64, (int)base.len, base.data, number)
            : berth__arena_print(arena, &ok, "%.*s-%s-%" PRId64, (int)base.len, base.data, e->hash,
                                 number);
    ok = ok && berth__expansion_pod(e, name, ordinal, &pod);
    if (ok && e->entry->kind == BERTH__WORKLOAD_STATEFUL_SET)
        ok = claim_volumes(e, ordinal, &pod);
    return ok ? berth__expansion_emit(e, &pod) : berth__reader_no_memory(e->reader);
}

/* How many pods the controller keeps at a time. */
static int64_t replica_count(const berth__expansion *e)
{
    const berth__workload *w = &e->w;
    if (e->reader->options.templates)
        return 1;
    if (e->entry->kind != BERTH__WORKLOAD_JOB && e->entry->kind != BERTH__WORKLOAD_CRON_JOB)
        return w->has_replicas ? w->replicas : 1;
    if (w->suspend || w->cron_suspend)
        return 0;
    int64_t count = w->has_parallelism ? w->parallelism : 1;
    return w->has_completions && w->completions < count ? w->completions : count;
}

static bool is_many(const berth__expansion *e)
{
    const uint32_t many = e->reader->options.many_replicas;
    return many > 0 && replica_count(e) > many;
}

/* How many pods all nodes take, running ones included. */
static int64_t pod_room(berth__arena *arena, const berth_engine *engine)
{
    const berth_str pods = BERTH_STR("pods");
    int64_t room = 0;
    uint32_t count = berth_engine_resource_by_node(engine, pods, NULL, NULL, NULL, 0);
    int64_t *allocatable =
        berth__arena_alloc(arena, count * sizeof(*allocatable), _Alignof(int64_t));
    if (allocatable == NULL)
        return INT64_MAX;
    count = berth_engine_resource_by_node(engine, pods, NULL, allocatable, NULL, count);
    for (uint32_t i = 0; i < count; i++)
        room = allocatable[i] < INT64_MAX - room ? room + allocatable[i] : INT64_MAX;
    return room;
}

/* How many pods to make: all that the controller wants, or one more than fit on all nodes. */
static int64_t count_to_make(const berth__expansion *e)
{
    const int64_t wanted = replica_count(e);
    if (!is_many(e) || e->reader->engine == NULL)
        return wanted;
    const int64_t many = e->reader->options.many_replicas;
    const int64_t room = pod_room(&e->reader->object, e->reader->engine);
    const int64_t most = room < many ? many : room;
    return most < wanted ? most + 1 : wanted;
}

static void tell_many(const berth__expansion *e, int64_t made)
{
    const berth_workload_note note = {
        .size = sizeof(note),
        .wanted = replica_count(e),
        .owner_kind = e->owner.kind,
        .owner_name = e->owner.name,
        .made = made,
    };
    berth__note_workload(e->reader, e->item, BERTH_NOTE_REPLICAS, &note);
}

static berth_status emit_replicas(berth__expansion *e)
{
    const int64_t first = e->entry->kind == BERTH__WORKLOAD_STATEFUL_SET ? e->w.first_ordinal : 0;
    const int64_t count = count_to_make(e);
    if (count < replica_count(e))
        tell_many(e, count);
    for (int64_t i = 0; i < count; i++)
        BERTH_TRY(emit_replica(e, first + i));
    return BERTH_OK;
}

/* ---- the controller itself ---- */

static berth_status emit_controller(const berth__expansion *e)
{
    berth_label_selector selector = {0};
    berth_controller controller = {.meta = e->w.meta, .selector = e->w.selector};
    if (e->entry->emitted == BERTH_KIND_COUNT)
        return BERTH_OK;
    controller.meta.name = e->owner.name;
    controller.meta.namespace_name = e->namespace_name;
    controller.meta.uid = e->owner.uid;
    if (e->w.selector != NULL)
        selector = *e->w.selector;
    else
        selector.match_labels = e->w.pod.meta.labels; /* the default before apps/v1 */
    if (e->entry->kind == BERTH__WORKLOAD_DEPLOYMENT) {
        label_list labels = {.count = 0};
        controller_labels(e, (berth_str){0}, (berth_str){0}, &labels);
        if (!merge_labels(&e->reader->object, &selector.match_labels, labels.items, labels.count,
                          &selector.match_labels))
            return berth__reader_no_memory(e->reader);
    }
    controller.selector = &selector;
    return berth__reader_emit(e->reader, e->item, e->entry->emitted, &controller);
}

static const berth_str *find_label(const berth_map *labels, berth_str key)
{
    for (uint32_t i = labels->count; i-- > 0;)
        if (berth__str_eq(labels->entries[i].key, key))
            return &labels->entries[i].value;
    return NULL;
}

static bool is_among(berth_strs values, const berth_str *value)
{
    for (uint32_t i = 0; value != NULL && i < values.count; i++)
        if (berth__str_eq(values.items[i], *value))
            return true;
    return false;
}

static bool selects(const berth_label_selector *selector, const berth_map *labels)
{
    for (uint32_t i = 0; i < selector->match_labels.count; i++) {
        const berth_key_value *wanted = &selector->match_labels.entries[i];
        const berth_str *value = find_label(labels, wanted->key);
        if (value == NULL || !berth__str_eq(*value, wanted->value))
            return false;
    }
    for (uint32_t i = 0; i < selector->match_expressions.count; i++) {
        const berth_requirement *one = &selector->match_expressions.items[i];
        const berth_str *value = find_label(labels, one->key);
        bool met = berth__str_is(one->op, "Exists")         ? value != NULL
                   : berth__str_is(one->op, "DoesNotExist") ? value == NULL
                   : berth__str_is(one->op, "In")           ? is_among(one->values, value)
                   : berth__str_is(one->op, "NotIn")        ? !is_among(one->values, value)
                                                            : true; /* refused elsewhere */
        if (!met)
            return false;
    }
    return true;
}

/* The API server makes a Job's selector. */
static void look_at_selector(const berth__expansion *e)
{
    const berth__workload_kind kind = e->entry->kind;
    if (kind != BERTH__WORKLOAD_JOB && kind != BERTH__WORKLOAD_CRON_JOB && e->w.selector != NULL &&
        berth__str_empty(e->w.meta.uid) && !selects(e->w.selector, &e->w.pod.meta.labels))
        berth__note(e->reader, e->item, BERTH_NOTE_SELECTOR, (berth_str){0}, (berth_str){0});
}

berth_status berth__expansion_run(berth__expansion *e)
{
    look_at_selector(e);
    if (e->reader->options.changes && !e->reader->options.templates)
        BERTH_TRY(berth__workload_tell_change(e, replica_count(e)));
    BERTH_TRY(emit_controller(e));
    if (e->entry->kind == BERTH__WORKLOAD_DAEMON_SET && !e->reader->options.templates)
        return berth__defer(e->reader, BERTH__DEFERRED_DAEMON_SET, e->item);
    if (e->entry->kind == BERTH__WORKLOAD_STATEFUL_SET && e->w.claim_count > 0)
        BERTH_TRY(berth__defer(e->reader, BERTH__DEFERRED_CLAIMS, e->item));
    if (is_many(e) && !e->reader->finishing)
        return berth__defer(e->reader, BERTH__DEFERRED_REPLICAS, e->item);
    return emit_replicas(e);
}

berth_status berth__workload_replicas(berth_reader *reader, const berth__item *item)
{
    return berth__expansion_of(reader, item, emit_replicas);
}

/* ---- claims of StatefulSets ---- */

static berth_status emit_claim(const berth__expansion *e,
                               const berth_persistent_volume_claim *template, int64_t number)
{
    bool ok = true;
    berth_persistent_volume_claim claim = *template;
    berth__arena *arena = &e->reader->pod;
    berth__arena_reset(arena);
    claim.meta.name = berth__arena_print(arena, &ok, "%.*s-%.*s-%" PRId64,
                                         (int)template->meta.name.len, template->meta.name.data,
                                         (int)e->w.meta.name.len, e->w.meta.name.data, number);
    claim.meta.namespace_name = e->namespace_name;
    if (ok && e->w.selector != NULL)
        ok = merge_labels(arena, &template->meta.labels, e->w.selector->match_labels.entries,
                          e->w.selector->match_labels.count, &claim.meta.labels);
    if (!ok)
        return berth__reader_no_memory(e->reader);
    if (berth__claim_is_known(e->reader, claim.meta.namespace_name, claim.meta.name))
        return BERTH_OK;
    if (e->reader->options.apply_defaults)
        BERTH_TRY(berth__default_object(e->reader, BERTH_KIND_PERSISTENT_VOLUME_CLAIM, &claim));
    return berth__reader_emit(e->reader, e->item, BERTH_KIND_PERSISTENT_VOLUME_CLAIM, &claim);
}

static berth_status emit_claims(berth__expansion *e)
{
    int64_t count = count_to_make(e);
    for (int64_t i = 0; i < count; i++) {
        for (uint32_t c = 0; c < e->w.claim_count; c++)
            BERTH_TRY(emit_claim(e, &e->w.claims[c], e->w.first_ordinal + i));
    }
    return BERTH_OK;
}

berth_status berth__workload_claims(berth_reader *reader, const berth__item *item)
{
    return berth__expansion_of(reader, item, emit_claims);
}
