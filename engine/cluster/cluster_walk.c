/* Every object of a cluster, kind by kind. Nodes and pods are built again. Other kinds are the
 * objects that were passed in, with the later reservations of placements written into them. */
#include "cluster/cluster_walk.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "cluster/cluster_info.h"
#include "cluster/cluster_read.h"
#include "model/related.h"
#include "objects/sized_object.h"
#include "store/device_facts.h"
#include "store/storage.h"

typedef struct walk {
    const berth__cluster *cluster;
    const berth_allocator *allocator;
    const uint32_t *sizes; /* of the caller's structs */
    berth_each_object_fn each;
    void *context;
    berth_error *said; /* the error that `each` fills */
    berth_error *error;
} walk;

/* An error of the caller's function ends the walk. The function may have left its berth_error
 * unset. */
static berth_status hand_out(const walk *w, const berth_object *object)
{
    berth__arena arena;
    berth_object own = *object;
    berth__arena_init(&arena, w->allocator);
    bool grown = berth__object_grow(&arena, w->sizes, &own);
    berth_status status = grown ? w->each(w->context, &own, w->said) : BERTH_E_NOMEM;
    berth__arena_destroy(&arena);
    if (!grown)
        return berth__error_no_memory(w->error);
    if (status == BERTH_OK)
        return status;
    if (w->said->code == BERTH_OK)
        return berth__error_set(w->error, status, "the function that was given objects failed");
    if (w->error != NULL)
        *w->error = *w->said;
    return status;
}

static berth_status hand_out_own(const walk *w, berth_object *object)
{
    berth_status status = hand_out(w, object);
    berth_object_destroy(object);
    return status;
}

/* An array to walk over. */
typedef struct listed {
    void *items;
    size_t bytes;
    uint32_t count;
} listed;

static berth_status list_make(const walk *w, uint32_t count, size_t size, listed *out)
{
    *out = (listed){.bytes = count * size};
    out->items = berth__alloc(w->allocator, out->bytes, 16);
    return out->items != NULL ? BERTH_OK : berth__error_no_memory(w->error);
}

static void list_free(const walk *w, listed *list)
{
    berth__free(w->allocator, list->items, list->bytes);
}

/* Visit the items up to the first failure, and free the list. */
static berth_status walk_list(const walk *w, listed *list,
                              berth_status (*visit)(const walk *w, const void *items, uint32_t i))
{
    berth_status status = BERTH_OK;
    for (uint32_t i = 0; i < list->count && status == BERTH_OK; i++)
        status = visit(w, list->items, i);
    list_free(w, list);
    return status;
}

/* ---- nodes ---- */

/* The ids of nodes in the order of the next layout: added in this order, they get the same
 * layout. */
static berth_status node_order(const walk *w, listed *out)
{
    uint32_t count = w->cluster->tree->node_count;
    BERTH_TRY(list_make(w, count, sizeof(uint32_t), out));
    berth__node_tree_list(w->cluster->tree, out->items);
    out->count = count;
    return BERTH_OK;
}

static berth_status visit_node(const walk *w, const void *nodes, uint32_t i)
{
    berth_object *object = NULL;
    BERTH_TRY(berth__cluster_node_object(w->cluster, ((const uint32_t *)nodes)[i], NULL,
                                         w->allocator, &object, w->error));
    return hand_out_own(w, object);
}

static berth_status walk_nodes(const walk *w)
{
    listed order;
    BERTH_TRY(node_order(w, &order));
    return walk_list(w, &order, visit_node);
}

/* ---- pods ---- */

static berth_status walk_pod(const walk *w, uint32_t pod)
{
    berth_object *object = NULL;
    BERTH_TRY(berth__cluster_pod_object(w->cluster, berth__cluster_pod_id(w->cluster, pod), NULL,
                                        w->allocator, &object, w->error));
    return hand_out_own(w, object);
}

/* The pods of a list from its end to its beginning, which is the order in which they were put on
 * the node. */
static berth_status walk_back(const walk *w, uint32_t first)
{
    uint32_t count = 0;
    for (uint32_t at = first; at != BERTH_POD_INDEX_NONE; count++)
        at = berth__pod_at(&w->cluster->pods, at)->next;
    listed list;
    BERTH_TRY(list_make(w, count, sizeof(uint32_t), &list));
    uint32_t *pods = list.items;
    for (uint32_t at = first; at != BERTH_POD_INDEX_NONE;
         at = berth__pod_at(&w->cluster->pods, at)->next)
        pods[list.count++] = at;
    berth_status status = BERTH_OK;
    while (list.count > 0 && status == BERTH_OK)
        status = walk_pod(w, pods[--list.count]);
    list_free(w, &list);
    return status;
}

/* A node that is absent but has pods. */
typedef struct absent_node {
    berth_str name;
    uint32_t first_pod;
} absent_node;

static int by_node_name(const void *a, const void *b)
{
    return berth__str_cmp(((const absent_node *)a)->name, ((const absent_node *)b)->name);
}

static uint32_t list_absent(const walk *w, absent_node *out)
{
    uint32_t count = 0;
    for (uint32_t id = 0; id < w->cluster->node_count; id++) {
        const berth__node_record *node = berth__cluster_node(w->cluster, id);
        if (berth__node_present(node) || node->first_pod == BERTH_POD_INDEX_NONE)
            continue;
        if (out != NULL)
            out[count] = (absent_node){berth__cluster_node_name(w->cluster, id), node->first_pod};
        count++;
    }
    return count;
}

static berth_status visit_absent(const walk *w, const void *nodes, uint32_t i)
{
    return walk_back(w, ((const absent_node *)nodes)[i].first_pod);
}

static berth_status walk_orphans(const walk *w)
{
    listed list;
    BERTH_TRY(list_make(w, list_absent(w, NULL), sizeof(absent_node), &list));
    list.count = list_absent(w, list.items);
    if (list.count > 1)
        qsort(list.items, list.count, sizeof(absent_node), by_node_name);
    return walk_list(w, &list, visit_absent);
}

static berth_status visit_pods_of(const walk *w, const void *nodes, uint32_t i)
{
    return walk_back(w, berth__cluster_node(w->cluster, ((const uint32_t *)nodes)[i])->first_pod);
}

static berth_status walk_pods(const walk *w)
{
    listed order;
    BERTH_TRY(node_order(w, &order));
    BERTH_TRY(walk_list(w, &order, visit_pods_of));
    BERTH_TRY(walk_orphans(w));
    berth_status status = BERTH_OK;
    for (uint32_t pod = w->cluster->pods.first_pending;
         pod != BERTH_POD_INDEX_NONE && status == BERTH_OK;
         pod = berth__pod_at(&w->cluster->pods, pod)->next)
        status = walk_pod(w, pod);
    return status;
}

/* ---- other kinds ---- */

/* One object with its sort keys: by arrival among all objects, by arrival in its namespace, or by
 * name. */
typedef struct named {
    uint64_t arrival;
    berth_str namespace_name;
    uint32_t place;
    berth_str name;
    const berth_object *object;
    const berth__stored *record; /* for storage; else NULL */
} named;

static int by_place(const void *a, const void *b)
{
    const named *one = a, *other = b;
    if (one->arrival != other->arrival)
        return one->arrival < other->arrival ? -1 : 1;
    int order = berth__str_cmp(one->namespace_name, other->namespace_name);
    if (order == 0 && one->place != other->place)
        order = one->place < other->place ? -1 : 1;
    return order != 0 ? order : berth__str_cmp(one->name, other->name);
}

static berth_str text_of(const walk *w, berth__sym sym)
{
    return sym != 0 ? berth__text(w->cluster->model, sym) : (berth_str){0};
}

/* Fill `out` (NULL: only count) from the table of objects of that kind. */
static uint32_t list_stored(const walk *w, berth_kind kind, named *out)
{
    const berth__keymap *table = &w->cluster->view.storage->tables[kind];
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->bucket_count; i++)
        for (berth__keymap_entry *entry = table->buckets[i]; entry != NULL; entry = entry->next) {
            berth__stored *record = (berth__stored *)entry;
            const berth__stored_facts *facts = berth__storage_facts(record);
            const uint64_t *arrival = berth__storage_arrival(record);
            if (facts == NULL)
                continue;
            if (out != NULL)
                out[count] = (named){.arrival = arrival != NULL ? *arrival : 0,
                                     .namespace_name = text_of(w, record->key.namespace_name),
                                     .name = text_of(w, record->key.name),
                                     .object = facts->kept,
                                     .record = record};
            count++;
        }
    return count;
}

static uint32_t list_related(const walk *w, berth_kind kind, named *out)
{
    const berth__keymap *lists = &w->cluster->view.related->lists;
    uint32_t count = 0;
    for (uint32_t i = 0; i < lists->bucket_count; i++)
        for (berth__keymap_entry *entry = lists->buckets[i]; entry != NULL; entry = entry->next) {
            const berth__related_list *list = (const berth__related_list *)entry;
            const berth__related_object *object =
                list->key.kind == (uint32_t)kind ? list->first : NULL;
            for (uint32_t place = 1; object != NULL; object = object->next, place++, count++)
                if (out != NULL)
                    out[count] = (named){.namespace_name = text_of(w, object->key.namespace_name),
                                         .place = place,
                                         .name = text_of(w, object->key.name),
                                         .object = object->kept};
        }
    return count;
}

static uint32_t list_budgets(const walk *w, named *out)
{
    const berth__keymap *budgets = &w->cluster->disruption->budgets;
    uint32_t count = 0;
    for (uint32_t i = 0; i < budgets->bucket_count; i++)
        for (berth__keymap_entry *entry = budgets->buckets[i]; entry != NULL;
             entry = entry->next, count++) {
            const berth__budget *budget = (const berth__budget *)entry;
            if (out != NULL)
                out[count] = (named){.namespace_name = text_of(w, budget->key.namespace_name),
                                     .name = text_of(w, budget->key.name),
                                     .object = budget->kept};
        }
    return count;
}

static uint32_t list_kind(const walk *w, berth_kind kind, named *out)
{
    if (berth__storage_keeps(kind))
        return list_stored(w, kind, out);
    return kind == BERTH_KIND_POD_DISRUPTION_BUDGET ? list_budgets(w, out)
                                                    : list_related(w, kind, out);
}

/* A volume that is reserved for a claim, in the form in which the volume controller would bind
 * it. */
static berth_status walk_volume(const walk *w, const berth_object *kept, const berth__pv *record)
{
    const berth__claim *claim = record->reserved;
    if (claim == NULL)
        return hand_out(w, kept);
    berth_persistent_volume volume = *kept->as.persistent_volume;
    volume.has_claim_ref = true;
    volume.claim_namespace = text_of(w, claim->record.key.namespace_name);
    volume.claim_name = text_of(w, claim->record.key.name);
    volume.claim_uid = claim->facts != NULL ? text_of(w, claim->facts->uid) : (berth_str){0};
    const berth_object object = {
        .kind = kept->kind, .size = sizeof(volume), .as.persistent_volume = &volume};
    return hand_out(w, &object);
}

/* A claim to be provisioned for a node, with the annotation that a scheduler writes. */
static berth_status walk_claim(const walk *w, const berth_object *kept, const berth__claim *record)
{
    const berth_str selected = BERTH_STR("volume.kubernetes.io/selected-node");
    berth__sym node = record->assumed_node;
    if (node == 0)
        return hand_out(w, kept);
    berth_persistent_volume_claim claim = *kept->as.persistent_volume_claim;
    listed list;
    BERTH_TRY(list_make(w, claim.meta.annotations.count + 1, sizeof(berth_key_value), &list));
    berth_key_value *entries = list.items;
    for (uint32_t i = 0; i < claim.meta.annotations.count; i++)
        if (!berth__str_eq(claim.meta.annotations.entries[i].key, selected))
            entries[list.count++] = claim.meta.annotations.entries[i];
    entries[list.count++] = (berth_key_value){selected, text_of(w, node)};
    claim.meta.annotations = (berth_map){entries, list.count};
    const berth_object object = {
        .kind = kept->kind, .size = sizeof(claim), .as.persistent_volume_claim = &claim};
    berth_status status = hand_out(w, &object);
    list_free(w, &list);
    return status;
}

/* The pod whose placement chose devices for the claim, if the pod exists and its uid is known. */
static uint32_t list_holder(const walk *w, const berth__device_claim *record,
                            berth_claim_consumer *out)
{
    uint32_t pod = record->record.holder;
    if (pod == BERTH_POD_INDEX_NONE)
        return 0;
    const berth__pod_record *holder = berth__pod_at(&w->cluster->pods, pod);
    const berth__claim_list *claims = holder->cls->claims;
    if (claims == NULL || claims->pod_uid == 0)
        return 0;
    *out = (berth_claim_consumer){.resource = BERTH_STR("pods"),
                                  .name = berth__pod_name(holder),
                                  .uid = text_of(w, claims->pod_uid)};
    return 1;
}

/* A claim with chosen devices, allocated and reserved as a scheduler writes it. */
static berth_status walk_device_claim(const walk *w, const berth_object *kept,
                                      const berth__device_claim *record)
{
    if (record->chosen == NULL)
        return hand_out(w, kept);
    berth_resource_claim claim = *kept->as.resource_claim;
    berth_claim_allocation allocation;
    berth_claim_consumer holder;
    berth__arena arena;
    berth__arena_init(&arena, w->allocator);
    bool made = berth__cluster_chosen(w->cluster, record, &arena, &allocation);
    claim.allocation = &allocation;
    claim.reserved_for = &holder;
    claim.reserved_for_count = list_holder(w, record, &holder);
    const berth_object object = {
        .kind = kept->kind, .size = sizeof(claim), .as.resource_claim = &claim};
    berth_status status = made ? hand_out(w, &object) : berth__error_no_memory(w->error);
    berth__arena_destroy(&arena);
    return status;
}

static berth_status walk_named(const walk *w, const named *one)
{
    if (one->record != NULL && one->object->kind == BERTH_KIND_RESOURCE_CLAIM)
        return walk_device_claim(w, one->object, (const berth__device_claim *)one->record);
    if (one->record != NULL && one->object->kind == BERTH_KIND_PERSISTENT_VOLUME)
        return walk_volume(w, one->object, (const berth__pv *)one->record);
    if (one->record != NULL && one->object->kind == BERTH_KIND_PERSISTENT_VOLUME_CLAIM)
        return walk_claim(w, one->object, (const berth__claim *)one->record);
    return hand_out(w, one->object);
}

static berth_status walk_other(const walk *w, berth_kind kind)
{
    listed list;
    BERTH_TRY(list_make(w, list_kind(w, kind, NULL), sizeof(named), &list));
    named *items = list.items;
    list.count = list_kind(w, kind, items);
    if (list.count > 1)
        qsort(items, list.count, sizeof(*items), by_place);
    berth_status status = BERTH_OK;
    for (uint32_t i = 0; i < list.count && status == BERTH_OK; i++)
        status = walk_named(w, &items[i]);
    list_free(w, &list);
    return status;
}

berth_status berth__cluster_walk(const berth__cluster *cluster, berth_kind kind,
                                 const uint32_t *sizes, berth_each_object_fn each, void *context,
                                 berth_error *error)
{
    berth_error said = {.code = BERTH_OK};
    const walk w = {cluster, cluster->model->allocator, sizes, each, context, &said, error};
    if ((unsigned)kind >= BERTH_KIND_COUNT)
        return berth__error_set(error, BERTH_E_ARG, "there is no kind number %d", (int)kind);
    if (kind == BERTH_KIND_NODE)
        return walk_nodes(&w);
    if (!cluster->model->keep_objects)
        return berth__error_set(error, BERTH_E_STATE,
                                "the engine was made without keep_objects: it has no objects but "
                                "nodes");
    return kind == BERTH_KIND_POD ? walk_pods(&w) : walk_other(&w, kind);
}
