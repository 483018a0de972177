/* Turns nodes and pods of a cluster back into objects: from facts, and from the sample of a pod's
 * class. */
#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "cluster/cluster_info.h"
#include "cluster/cluster_read.h"
#include "objects/object_copy.h"

static berth_str text_of(const berth__cluster *cluster, berth__sym sym)
{
    return sym != 0 ? berth__text(cluster->model, sym) : (berth_str){0};
}

/* ---- nodes ---- */

/* Arrays of a node's object while it is being built. */
typedef struct node_parts {
    berth__arena arena;
    const berth__cluster *cluster;
    const berth__node_facts *facts;
    bool ok;
} node_parts;

static void *part(node_parts *own, uint32_t count, size_t bytes)
{
    void *memory = berth__arena_alloc(&own->arena, count * bytes, 8);
    own->ok &= memory != NULL;
    return own->ok ? memory : NULL;
}

/* cpu is stored in milli. */
static berth_resources amounts_of(node_parts *own)
{
    const berth__node_facts *facts = own->facts;
    uint32_t count = facts->amount_count + 1u;
    berth_resource *items = part(own, count, sizeof(*items));
    for (uint32_t i = 0; own->ok && i < facts->amount_count; i++) {
        uint32_t resource = facts->amounts[i].resource;
        int64_t amount = facts->amounts[i].allocatable;
        items[i] = (berth_resource){
            text_of(own->cluster, berth__resource_name(own->cluster->model, resource)),
            {amount, 0}};
        if (resource == BERTH__CPU)
            items[i].amount = (berth_quantity){amount / 1000, (int32_t)(amount % 1000) * 1000000};
    }
    if (own->ok)
        items[count - 1] = (berth_resource){BERTH_STR("pods"), {facts->pods_max, 0}};
    return (berth_resources){items, count};
}

static void put_labels(const berth__cluster *cluster, berth__labels labels, berth_key_value *out)
{
    for (uint32_t i = 0; i < labels.count; i++)
        out[i] = (berth_key_value){berth__text(cluster->model, labels.items[i].key),
                                   berth__text(cluster->model, labels.items[i].value)};
}

static berth_map labels_of(node_parts *own)
{
    berth__labels labels = berth__node_labels(own->facts);
    berth_key_value *entries = part(own, labels.count, sizeof(*entries));
    if (own->ok)
        put_labels(own->cluster, labels, entries);
    return (berth_map){entries, labels.count};
}

/* Annotations that plugins read: the engine's plugins and an embedder's. */
static berth_map annotations_of(node_parts *own)
{
    const berth_str avoids = BERTH_STR("scheduler.alpha.kubernetes.io/preferAvoidPods");
    berth__labels kept = berth__node_annotations(own->facts);
    berth_key_value *entries = part(own, kept.count + 1, sizeof(*entries));
    bool known = false;
    if (!own->ok)
        return (berth_map){0};
    put_labels(own->cluster, kept, entries);
    for (uint32_t i = 0; i < kept.count; i++)
        known |= berth__str_eq(entries[i].key, avoids);
    bool adds = own->facts->avoid_pods != 0 && !known;
    if (adds)
        entries[kept.count] =
            (berth_key_value){avoids, text_of(own->cluster, own->facts->avoid_pods)};
    return (berth_map){entries, kept.count + adds};
}

static const berth_taint *taints_of(node_parts *own)
{
    const berth__taint_list *list = own->facts->taints;
    berth_taint *taints = part(own, list->count, sizeof(*taints));
    for (uint32_t i = 0; own->ok && i < list->count; i++)
        taints[i] = (berth_taint){.key = text_of(own->cluster, list->items[i].key),
                                  .value = text_of(own->cluster, list->items[i].value),
                                  .effect = text_of(own->cluster, list->items[i].effect)};
    return taints;
}

static int by_name(const void *a, const void *b)
{
    const berth_image *left = a, *right = b;
    return berth__str_cmp(left->names.items[0], right->names.items[0]);
}

/* Images have the size that rules read, that of the first node that brought the image. They are
 * sorted by name, because facts order them by ids of texts, which depend on other objects. */
static const berth_image *images_of(node_parts *own)
{
    uint32_t count = own->facts->image_count;
    const berth__node_image *from = berth__node_images(own->facts);
    berth_image *images = part(own, count, sizeof(*images));
    berth_str *names = part(own, count, sizeof(*names));
    for (uint32_t i = 0; own->ok && i < count; i++) {
        names[i] = berth__text(own->cluster->model, from[i].name);
        const berth__image_record *known =
            berth__image_find(&own->cluster->view.images, from[i].name);
        images[i] =
            (berth_image){.names = {&names[i], 1},
                          .size_bytes = known != NULL ? known->size_bytes : from[i].size_bytes};
    }
    if (own->ok && count > 1)
        qsort(images, count, sizeof(*images), by_name);
    return images;
}

/* Conditions that v1.15 reads, with values that result in the same bits. */
static uint32_t conditions_of(const berth__node_facts *facts, berth_condition out[5])
{
    static const struct {
        uint8_t bit;
        berth_condition condition;
    } table[] = {
        {BERTH__NODE_NOT_READY, {.type = {"Ready", 5}, .status = {"False", 5}}},
        {BERTH__NODE_NETWORK_UNAVAILABLE,
         {.type = {"NetworkUnavailable", 18}, .status = {"True", 4}}},
        {BERTH__NODE_MEMORY_PRESSURE, {.type = {"MemoryPressure", 14}, .status = {"True", 4}}},
        {BERTH__NODE_DISK_PRESSURE, {.type = {"DiskPressure", 12}, .status = {"True", 4}}},
        {BERTH__NODE_PID_PRESSURE, {.type = {"PIDPressure", 11}, .status = {"True", 4}}},
    };
    uint32_t count = 0;
    for (uint32_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if ((facts->conditions & table[i].bit) != 0)
            out[count++] = table[i].condition;
    return count;
}

static uint32_t features_of(const berth__node_facts *facts, berth_str out[8])
{
    uint32_t count = 0;
#define X(name, bit, text)                              \
    if ((facts->features & BERTH__FEATURE_##name) != 0) \
        out[count++] = BERTH_STR(text);
    BERTH__FEATURE_LIST(X)
#undef X
    return count;
}

static berth_status copy_node(node_parts *own, berth_str name, const uint32_t *sizes,
                              const berth_allocator *allocator, berth_object **out,
                              berth_error *error)
{
    const berth__node_facts *facts = own->facts;
    berth_condition conditions[5];
    berth_str features[8];
    const berth_node node = {
        .meta = {.name = name, .labels = labels_of(own), .annotations = annotations_of(own)},
        .unschedulable = facts->unschedulable,
        .taints = taints_of(own),
        .taint_count = facts->taints->count,
        .allocatable = amounts_of(own),
        .images = images_of(own),
        .image_count = facts->image_count,
        .conditions = conditions,
        .condition_count = conditions_of(facts, conditions),
        .declared_features = {features, features_of(facts, features)},
    };
    const berth_object object = {.kind = BERTH_KIND_NODE, .as.node = &node};
    return own->ok ? berth__object_copy_own(&object, sizes, allocator, out, error)
                   : berth__error_no_memory(error);
}

berth_status berth__cluster_node_object(const berth__cluster *cluster, berth_node_id id,
                                        const uint32_t *sizes, const berth_allocator *allocator,
                                        berth_object **out, berth_error *error)
{
    const berth__node_record *node = berth__cluster_present(cluster, id);
    if (node == NULL)
        return berth__error_set(error, BERTH_E_NOT_FOUND, "there is no node with this id");
    node_parts own = {.cluster = cluster, .facts = node->facts, .ok = true};
    berth__arena_init(&own.arena, cluster->model->allocator);
    berth_status status =
        copy_node(&own, berth__text(cluster->model, node->name), sizes, allocator, out, error);
    berth__arena_destroy(&own.arena);
    return status;
}

/* ---- pods ---- */

static berth_str node_kept_for(const berth__cluster *cluster, uint32_t pod)
{
    const berth__nomination *kept = berth__nominations_find(&cluster->nominations, pod);
    return kept != NULL ? berth__cluster_node_name(cluster, kept->node) : (berth_str){0};
}

/* Put the pod's own condition, if it has one, before those of the sample, which are part of its
 * class. */
static bool join_conditions(berth__arena *arena, const berth__pod_record *record, berth_pod *pod)
{
    static const berth_condition preempted = {.type = {"DisruptionTarget", 16},
                                              .status = {"True", 4},
                                              .reason = {"PreemptionByScheduler", 21}};
    berth_condition *all = berth__arena_alloc(arena, (pod->condition_count + 1u) * sizeof(*all), 8);
    uint32_t count = 0;
    if (all == NULL)
        return false;
    if (record->disrupted)
        all[count++] = preempted;
    for (uint32_t i = 0; i < pod->condition_count; i++)
        if (!berth__str_eq(pod->conditions[i].type, preempted.type))
            all[count++] = pod->conditions[i];
    pod->conditions = all;
    pod->condition_count = count;
    return true;
}

/* Keep only annotations that plugins read. All pods of its class have the same ones. */
static bool keep_annotations(const berth__cluster *cluster, berth__arena *arena,
                             const berth__class *cls, berth_metadata *meta)
{
    berth__labels kept = cls->identity->annotations;
    berth_key_value *entries = berth__arena_alloc(arena, kept.count * sizeof(*entries), 8);
    if (entries == NULL)
        return false;
    put_labels(cluster, kept, entries);
    meta->annotations = (berth_map){entries, kept.count};
    return true;
}

/* Whether the pod's own claims, for volumes or devices, are found by its uid. */
static bool goes_by_uid(const berth__class *cls)
{
    return (cls->volumes != NULL && cls->volumes->pod_uid != 0) ||
           (cls->claims != NULL && cls->claims->pod_uid != 0);
}

static berth_status copy_pod(const berth__cluster *cluster, uint32_t index, const uint32_t *sizes,
                             const berth_allocator *allocator, berth_object **out,
                             berth_error *error)
{
    const berth__pod_record *record = berth__pod_at(&cluster->pods, index);
    const berth__class *cls = record->cls;
    berth_pod pod = *cls->sample->as.pod;
    berth__arena arena;
    berth__arena_init(&arena, cluster->model->allocator);
    pod.meta.name = berth__pod_name(record);
    if (!goes_by_uid(cls))
        pod.meta.uid = (berth_str){0};
    pod.meta.creation_time_ns = 0;
    pod.node_name = berth__cluster_node_name(cluster, record->node);
    pod.has_priority = true;
    pod.priority = record->priority;
    pod.phase = (berth_str){0};
    pod.nominated_node_name = node_kept_for(cluster, index);
    pod.start_time_ns = record->start_time_ns;
    pod.template_id = 0;
    const berth_object object = {.kind = BERTH_KIND_POD, .as.pod = &pod};
    berth_status status =
        join_conditions(&arena, record, &pod) && keep_annotations(cluster, &arena, cls, &pod.meta)
            ? berth__object_copy_own(&object, sizes, allocator, out, error)
            : berth__error_no_memory(error);
    berth__arena_destroy(&arena);
    return status;
}

berth_status berth__cluster_pod_object(const berth__cluster *cluster, berth_pod_id id,
                                       const uint32_t *sizes, const berth_allocator *allocator,
                                       berth_object **out, berth_error *error)
{
    uint32_t index = berth__cluster_pod(cluster, id);
    if (index == BERTH_POD_INDEX_NONE)
        return berth__error_set(error, BERTH_E_NOT_FOUND, "there is no pod with this id");
    if (berth__pod_at(&cluster->pods, index)->cls->sample == NULL)
        return berth__error_set(error, BERTH_E_STATE,
                                "the engine was made without keep_objects: it has no objects of "
                                "pods");
    return copy_pod(cluster, index, sizes, allocator, out, error);
}
