/* Reads nodes and pods back: labels, taints, amounts, and a short form of each. */
#include "cluster/cluster_info.h"

#include "base/error.h"
#include "base/sized.h"
#include "base/text.h"
#include "cluster/cluster_read.h"
#include "model/related.h"
#include "store/device_facts.h"

static const berth__pod_record *find_pod(const berth__cluster *cluster, berth_pod_id pod)
{
    uint32_t index = berth__cluster_pod(cluster, pod);
    return index != BERTH_POD_INDEX_NONE ? berth__pod_at(&cluster->pods, index) : NULL;
}

/* Id 0 means no text. */
static berth_str text_of(const berth__cluster *cluster, berth__sym sym)
{
    return sym != 0 ? berth__text(cluster->model, sym) : (berth_str){0};
}

/* ---- walking ---- */

berth_pod_id berth__cluster_next_pod(const berth__cluster *cluster, berth_node_id node,
                                     berth_pod_id after)
{
    uint32_t index = BERTH_POD_INDEX_NONE;
    if (after != BERTH_POD_NONE) {
        index = berth__cluster_pod(cluster, after);
        if (index != BERTH_POD_INDEX_NONE)
            index = berth__pod_at(&cluster->pods, index)->next;
    } else if (node == BERTH_NODE_NONE) {
        index = cluster->pods.first_pending;
    } else if (node < cluster->node_count) {
        index = berth__cluster_node(cluster, node)->first_pod;
    }
    return index == BERTH_POD_INDEX_NONE ? BERTH_POD_NONE : berth__cluster_pod_id(cluster, index);
}

/* ---- resources ---- */

static berth_str resource_name(const berth__cluster *cluster, uint32_t resource)
{
    return berth__text(cluster->model, berth__resource_name(cluster->model, resource));
}

/* Whether the name lives as long as this state. It does not if it is condemned or, on a branch, if
 * it came to the engine after the branch's snapshot. */
static bool may_read(const berth__cluster *cluster, berth__sym name)
{
    const berth__intern *strings = &cluster->model->strings;
    return berth__intern_place(strings, name)->verdict == 0 &&
           (!cluster->cow.branch || *berth__intern_born(strings, name) <= cluster->cow.rooted);
}

uint32_t berth__cluster_resources(const berth__cluster *cluster, berth__sym *out)
{
    berth__model *model = cluster->model;
    uint32_t count = 0;
    berth__model_lock(model);
    for (uint32_t i = 0; i < model->resource_count; i++) {
        berth__sym name = berth__resource_name(model, i);
        if (name != 0 && may_read(cluster, name))
            out[count++] = name;
    }
    berth__model_unlock(model);
    return count;
}

/* A column of one node: from its tile, or from facts and pods if the node has no slot or the tiles
 * lack the column. */
static void read_amounts(const berth__cluster *cluster, berth_node_id id, uint32_t column,
                         int64_t *allocatable, int64_t *requested)
{
    const berth__node_record *node = berth__cluster_node(cluster, id);
    if (node->slot == BERTH__SLOT_NONE || column >= cluster->view.resource_count) {
        *allocatable = *requested = 0;
        (void)berth__cluster_node_resource(cluster, id, resource_name(cluster, column), allocatable,
                                           requested, NULL);
        return;
    }
    berth__tile *tile = cluster->view.tiles[node->slot >> BERTH__TILE_SHIFT];
    *allocatable = berth__tile_allocatable(tile, column)[node->slot % BERTH__TILE];
    *requested = berth__tile_used(tile, column)[node->slot % BERTH__TILE];
}

uint32_t berth__cluster_resource_by_node(const berth__cluster *cluster, berth_str resource,
                                         const berth__node_amounts *out)
{
    uint32_t column = berth__resource_find(cluster->model, resource), count = 0;
    bool pods = berth__str_is(resource, "pods");
    for (uint32_t id = 0; id < cluster->node_count; id++) {
        const berth__node_record *node = berth__cluster_node(cluster, id);
        int64_t allocatable = 0, requested = 0;
        if (!berth__node_present(node) || count++ >= out->capacity)
            continue;
        if (pods) {
            allocatable = node->facts->pods_max;
            requested = node->pod_count;
        } else if (column != BERTH__RESOURCE_NONE) {
            read_amounts(cluster, id, column, &allocatable, &requested);
        }
        if (out->nodes != NULL)
            out->nodes[count - 1] = id;
        if (out->allocatable != NULL)
            out->allocatable[count - 1] = allocatable;
        if (out->requested != NULL)
            out->requested[count - 1] = requested;
    }
    return count;
}

/* ---- labels ---- */

static uint32_t put_labels(const berth__cluster *cluster, berth__labels labels,
                           berth_key_value *out, uint32_t capacity)
{
    for (uint32_t i = 0; i < labels.count && i < capacity; i++)
        out[i] = (berth_key_value){berth__text(cluster->model, labels.items[i].key),
                                   berth__text(cluster->model, labels.items[i].value)};
    return labels.count;
}

uint32_t berth__cluster_node_labels(const berth__cluster *cluster, berth_node_id id,
                                    berth_key_value *out, uint32_t capacity)
{
    const berth__node_record *node = berth__cluster_present(cluster, id);
    return node != NULL ? put_labels(cluster, berth__node_labels(node->facts), out, capacity) : 0;
}

uint32_t berth__cluster_pod_labels(const berth__cluster *cluster, berth_pod_id id,
                                   berth_key_value *out, uint32_t capacity)
{
    const berth__pod_record *pod = find_pod(cluster, id);
    return pod != NULL ? put_labels(cluster, pod->cls->identity->labels, out, capacity) : 0;
}

berth_str berth__cluster_pod_label(const berth__cluster *cluster, berth_pod_id id, berth_str key)
{
    const berth__pod_record *pod = find_pod(cluster, id);
    berth__sym sym = pod != NULL ? berth__intern_find(&cluster->model->strings, key) : 0;
    return sym != 0 ? text_of(cluster, berth__labels_get(pod->cls->identity->labels, sym))
                    : (berth_str){0};
}

/* ---- nodes ---- */

berth_status berth__cluster_node_info(const berth__cluster *cluster, berth_node_id id,
                                      berth_node_info *out, berth_error *error)
{
    BERTH_TRY(berth__sized_check(out, "berth_node_info", error));
    const berth__node_record *node = berth__cluster_present(cluster, id);
    if (node == NULL)
        return berth__error_set(error, BERTH_E_NOT_FOUND, "there is no node with this id");
    const berth_node_info info = {.size = sizeof(info),
                                  .pod_count = node->pod_count,
                                  .name = berth__text(cluster->model, node->name),
                                  .label_count = node->facts->label_count,
                                  .taint_count = node->facts->taints->count,
                                  .resource_count = node->facts->amount_count + 1u,
                                  .unschedulable = node->facts->unschedulable,
                                  .closed = node->closed};
    berth__sized_write(out, &info, sizeof(info));
    return BERTH_OK;
}

uint32_t berth__cluster_node_taints(const berth__cluster *cluster, berth_node_id id,
                                    berth_taint *out, uint32_t capacity)
{
    const berth__node_record *node = berth__cluster_present(cluster, id);
    const berth__taint_list *taints = node != NULL ? node->facts->taints : NULL;
    for (uint32_t i = 0; taints != NULL && i < taints->count && i < capacity; i++)
        out[i] = (berth_taint){.key = text_of(cluster, taints->items[i].key),
                               .value = text_of(cluster, taints->items[i].value),
                               .effect = text_of(cluster, taints->items[i].effect)};
    return taints != NULL ? taints->count : 0;
}

uint32_t berth__cluster_node_allocatable(const berth__cluster *cluster, berth_node_id id,
                                         berth_amount *out, uint32_t capacity)
{
    const berth__node_record *node = berth__cluster_present(cluster, id);
    if (node == NULL)
        return 0;
    const berth__node_facts *facts = node->facts;
    for (uint32_t i = 0; i < facts->amount_count && i < capacity; i++)
        out[i] = (berth_amount){resource_name(cluster, facts->amounts[i].resource),
                                facts->amounts[i].allocatable};
    if (facts->amount_count < capacity)
        out[facts->amount_count] = (berth_amount){BERTH_STR("pods"), facts->pods_max};
    return facts->amount_count + 1u;
}

/* ---- pods ---- */

uint32_t berth__cluster_pod_requests(const berth__cluster *cluster, berth_pod_id id,
                                     berth_amount *out, uint32_t capacity)
{
    const berth__pod_record *pod = find_pod(cluster, id);
    const berth__request *request = pod != NULL ? pod->cls->request : NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; request != NULL && i < BERTH__SCALARS; i++)
        if (request->use[i] != 0 && count++ < capacity)
            out[count - 1] = (berth_amount){resource_name(cluster, i), request->use[i]};
    for (uint32_t i = 0; request != NULL && i < request->scalar_count; i++)
        if (request->scalars[i].use != 0 && count++ < capacity)
            out[count - 1] = (berth_amount){resource_name(cluster, request->scalars[i].resource),
                                            request->scalars[i].use};
    return count;
}

static berth_str composite_of(const berth__cluster *cluster, const berth__identity *identity)
{
    berth__sym name;
    bool composite = false;
    if (identity->pod_group != 0)
        (void)berth__related_root(cluster->view.related, identity->namespace_name,
                                  identity->pod_group, &name, &composite);
    return composite ? text_of(cluster, name) : (berth_str){0};
}

berth_status berth__cluster_pod_info(const berth__cluster *cluster, berth_pod_id id,
                                     berth_pod_info *out, berth_error *error)
{
    BERTH_TRY(berth__sized_check(out, "berth_pod_info", error));
    const berth__pod_record *pod = find_pod(cluster, id);
    if (pod == NULL)
        return berth__error_set(error, BERTH_E_NOT_FOUND, "there is no pod with this id");
    const berth__class *cls = pod->cls;
    const berth__identity *identity = cls->identity;
    const berth_pod_info info = {
        .size = sizeof(info),
        .priority = pod->priority,
        .kind = cls->serial,
        .node = pod->node,
        .label_count = identity->labels.count,
        .resource_count = berth__cluster_pod_requests(cluster, id, NULL, 0),
        .namespace_name = berth__text(cluster->model, identity->namespace_name),
        .name = berth__pod_name(pod),
        .scheduler_name = text_of(cluster, cls->scheduler_name),
        .start_time_ns = pod->start_time_ns,
        .owner_api_version = text_of(cluster, identity->owner_api_version),
        .owner_kind = text_of(cluster, identity->owner_kind),
        .owner_name = text_of(cluster, identity->owner_name),
        .owner_uid = text_of(cluster, identity->owner_uid),
        .gated = cls->gates != 0,
        .deleting = cls->deleting,
        .has_volumes = cls->volumes != NULL,
        .may_preempt = cls->preempts,
        .pod_group = text_of(cluster, identity->pod_group),
        .composite_group = composite_of(cluster, identity)};
    berth__sized_write(out, &info, sizeof(info));
    return BERTH_OK;
}

uint32_t berth__cluster_pod_claims(const berth__cluster *cluster, berth_pod_id id,
                                   berth_claim_choice *out, size_t size, uint32_t capacity)
{
    uint32_t pod = berth__cluster_pod(cluster, id), count = 0;
    const berth__storage *storage = cluster->view.storage;
    berth__volume_choice choice;
    if (pod == BERTH_POD_INDEX_NONE || berth__pod_at(&cluster->pods, pod)->node == BERTH_NODE_NONE)
        return 0;
    if (storage == NULL) /* a branch that has not used volumes yet */
        return 0;
    for (; berth__storage_choice(storage, pod, count, &choice); count++) {
        const berth__stored *claim = &choice.claim->record;
        const berth_claim_choice own = {
            .claim_namespace = text_of(cluster, claim->key.namespace_name),
            .claim_name = text_of(cluster, claim->key.name),
            .volume = choice.volume != NULL ? text_of(cluster, choice.volume->record.key.name)
                                            : (berth_str){0}};
        if (count < capacity)
            berth__sized_give_at(out, count, size, &own, sizeof(own));
    }
    return count;
}

/* Write the devices of one claim. Returns how many it has. */
static uint32_t tell_devices(const berth__cluster *cluster, const berth__device_claim *claim,
                             berth_taken_device *out, size_t size, uint32_t from, uint32_t capacity)
{
    const berth__device_allocation *chosen = claim->chosen;
    for (uint32_t i = 0; i < chosen->result_count && from + i < capacity; i++) {
        const berth__device_result *result = &chosen->results[i];
        const berth_taken_device own = {.claim_namespace =
                                            text_of(cluster, claim->record.key.namespace_name),
                                        .claim_name = text_of(cluster, claim->record.key.name),
                                        .request = text_of(cluster, result->request),
                                        .driver = text_of(cluster, result->driver),
                                        .pool = text_of(cluster, result->pool),
                                        .device = text_of(cluster, result->device),
                                        .share_id = text_of(cluster, result->share_id),
                                        .admin_access = result->admin_access};
        berth__sized_give_at(out, from + i, size, &own, sizeof(own));
    }
    return chosen->result_count;
}

uint32_t berth__cluster_pod_devices(const berth__cluster *cluster, berth_pod_id id,
                                    berth_taken_device *out, size_t size, uint32_t capacity)
{
    uint32_t pod = berth__cluster_pod(cluster, id), count = 0;
    const berth__storage *storage = cluster->view.storage;
    const berth__device_claim *claim;
    if (pod == BERTH_POD_INDEX_NONE || storage == NULL ||
        berth__pod_at(&cluster->pods, pod)->node == BERTH_NODE_NONE)
        return 0;
    for (uint32_t i = 0; (claim = berth__storage_granted_claim(storage, pod, i)) != NULL; i++)
        if (claim->chosen != NULL && claim->record.holder == pod)
            count += tell_devices(cluster, claim, out, size, count, capacity);
    return count;
}
