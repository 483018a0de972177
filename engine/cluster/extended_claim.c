/* The ResourceClaim that a placement has made for a pod's extended resources, as an object, and
 * which of its requests serves which container.
 * Source: kube-scheduler v1.37, dynamicresources/extendeddynamicresources.go. */
#include "base/error.h"
#include "base/sized.h"
#include "base/text.h"
#include "cluster/cluster_info.h"
#include "cluster/cluster_read.h"
#include "devices/devices.h"
#include "objects/object_copy.h"
#include "store/device_facts.h"

/* A pod on its node, and the claim. */
typedef struct made_claim {
    const berth__cluster *cluster;
    const berth__extended_asks *asks;
    const berth__device_claim *claim;
} made_claim;

static berth_str text_of(const made_claim *made, berth__sym sym)
{
    return sym != 0 ? berth__text(made->cluster->model, sym) : (berth_str){0};
}

static bool is_extended(const berth__storage *storage, const berth__device_claim *claim)
{
    berth_str pod;
    return claim->facts != NULL ? claim->facts->extended
                                : berth__device_claim_is_special(storage, claim, &pod);
}

/* Returns false if the pod has no such claim. */
static bool find(const berth__cluster *cluster, berth_pod_id id, made_claim *out)
{
    uint32_t pod = berth__cluster_pod(cluster, id);
    const berth__storage *storage = cluster->view.storage;
    const berth__pod_record *record =
        pod != BERTH_POD_INDEX_NONE ? berth__pod_at(&cluster->pods, pod) : NULL;
    const berth__device_claim *claim;
    if (record == NULL || record->node == BERTH_NODE_NONE || record->cls->extended == NULL ||
        storage == NULL || cluster->view.devices == NULL)
        return false;
    *out = (made_claim){.cluster = cluster, .asks = record->cls->extended};
    for (uint32_t i = 0; (claim = berth__storage_granted_claim(storage, pod, i)) != NULL; i++)
        if (claim->chosen != NULL && claim->record.holder == pod && is_extended(storage, claim))
            out->claim = claim;
    return out->claim != NULL;
}

/* How many devices were chosen for a request. */
static uint32_t devices_for(const made_claim *made, berth__sym request)
{
    const berth__device_allocation *chosen = made->claim->chosen;
    uint32_t count = 0;
    for (uint32_t i = 0; i < chosen->result_count; i++)
        count += chosen->results[i].request == request;
    return count;
}

/* ---- requests ---- */

static berth_str class_of(const made_claim *made, const berth__container_ask *ask)
{
    const berth__model *model = made->cluster->model;
    const berth__device_class *of = berth__backing_find(&made->cluster->view.devices->backing,
                                                        berth__resource_name(model, ask->resource));
    return of != NULL ? text_of(made, of->record.key.name) : (berth_str){0};
}

static void sort_by_name(berth_claim_request *items, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        berth_claim_request one = items[i];
        uint32_t at = i;
        for (; at > 0 && berth__str_cmp(one.name, items[at - 1].name) < 0; at--)
            items[at] = items[at - 1];
        items[at] = one;
    }
}

/* Returns false when out of memory. */
static bool fill_requests(const made_claim *made, berth__arena *arena, berth_resource_claim *out)
{
    uint32_t room = made->asks->count + 1;
    berth_claim_request *items = berth__arena_alloc(arena, room * sizeof(*items), 8);
    berth_exact_request *exactly = berth__arena_alloc(arena, room * sizeof(*exactly), 8);
    if (items == NULL || exactly == NULL)
        return false;
    for (uint32_t i = 0; i < made->asks->count; i++) {
        const berth__container_ask *ask = &made->asks->items[i];
        uint32_t devices = devices_for(made, ask->request);
        if (devices == 0)
            continue;
        exactly[i] = (berth_exact_request){.class_name = class_of(made, ask),
                                           .allocation_mode = BERTH_STR("ExactCount"),
                                           .count = devices};
        items[out->request_count++] =
            (berth_claim_request){.name = text_of(made, ask->request), .exactly = &exactly[i]};
    }
    sort_by_name(items, out->request_count);
    out->requests = items;
    return true;
}

static berth_status make_object(const made_claim *made, berth__arena *arena, const uint32_t *sizes,
                                const berth_allocator *allocator, berth_object **out,
                                berth_error *error)
{
    const berth__device_claim *claim = made->claim;
    berth_claim_allocation allocation = {.result_count = 0};
    berth_resource_claim whole = {
        .meta = {.namespace_name = text_of(made, claim->record.key.namespace_name)},
        .allocation = &allocation};
    if (claim->facts != NULL) {
        whole.meta.name = text_of(made, claim->record.key.name);
        whole.meta.uid = text_of(made, claim->facts->uid);
    }
    const berth_object object = {.kind = BERTH_KIND_RESOURCE_CLAIM, .as.resource_claim = &whole};
    if (!fill_requests(made, arena, &whole) ||
        !berth__cluster_chosen(made->cluster, claim, arena, &allocation))
        return berth__error_no_memory(error);
    return berth__object_copy_own(&object, sizes, allocator, out, error);
}

berth_status berth__cluster_pod_extended_claim(const berth__cluster *cluster, berth_pod_id id,
                                               const uint32_t *sizes,
                                               const berth_allocator *allocator, berth_object **out,
                                               berth_error *error)
{
    made_claim made;
    berth__arena arena;
    if (!find(cluster, id, &made))
        return berth__error_set(error, BERTH_E_NOT_FOUND,
                                "there is no pod with this id, or devices were not chosen for its "
                                "extended resources");
    berth__arena_init(&arena, cluster->model->allocator);
    berth_status status = make_object(&made, &arena, sizes, allocator, out, error);
    berth__arena_destroy(&arena);
    return status;
}

/* ---- containers ---- */

typedef struct served_list {
    const made_claim *made;
    berth_extended_request *out;
    size_t size;
    uint32_t capacity, count;
} served_list;

static void add(served_list *list, const berth__container_ask *ask, berth__sym request)
{
    const berth__model *model = list->made->cluster->model;
    const berth_extended_request own = {
        .container = text_of(list->made, ask->name),
        .resource = text_of(list->made, berth__resource_name(model, ask->resource)),
        .request = text_of(list->made, request)};
    if (list->count < list->capacity)
        berth__sized_give_at(list->out, list->count, list->size, &own, sizeof(own));
    list->count++;
}

/* The one request shared by all init containers that end, for what they need beyond the requests of
 * other containers; 0: none. */
static berth__sym shared_request(const made_claim *made, uint32_t resource)
{
    for (uint32_t i = 0; i < made->asks->count; i++) {
        const berth__container_ask *ask = &made->asks->items[i];
        if (!ask->lasts && ask->resource == resource && devices_for(made, ask->request) > 0)
            return ask->request;
    }
    return 0;
}

/* An init container that ends first uses the requests of later containers that keep running. */
static void add_ending(served_list *list, const berth__container_ask *ask)
{
    const berth__extended_asks *asks = list->made->asks;
    int64_t lack = ask->count;
    for (uint32_t i = 0; i < asks->count && lack > 0; i++) {
        const berth__container_ask *other = &asks->items[i];
        if (!other->lasts || other->resource != ask->resource || other->container < ask->container)
            continue;
        add(list, ask, other->request);
        lack -= other->count < lack ? other->count : lack;
    }
    berth__sym shared = lack > 0 ? shared_request(list->made, ask->resource) : 0;
    if (shared != 0)
        add(list, ask, shared);
}

static void add_resource(served_list *list, uint32_t resource)
{
    const berth__extended_asks *asks = list->made->asks;
    for (uint32_t i = 0; i < asks->count; i++)
        if (asks->items[i].resource == resource && asks->items[i].lasts)
            add(list, &asks->items[i], asks->items[i].request);
    for (uint32_t i = 0; i < asks->count; i++)
        if (asks->items[i].resource == resource && !asks->items[i].lasts)
            add_ending(list, &asks->items[i]);
}

/* The next resource by name that the claim provides; NULL: none. */
static const berth__container_ask *next_resource(const made_claim *made,
                                                 const berth__container_ask *after)
{
    const berth__model *model = made->cluster->model;
    const berth__container_ask *next = NULL;
    for (uint32_t i = 0; i < made->asks->count; i++) {
        const berth__container_ask *ask = &made->asks->items[i];
        berth_str name = text_of(made, berth__resource_name(model, ask->resource));
        if (devices_for(made, ask->request) == 0)
            continue;
        if (after != NULL &&
            berth__str_cmp(name, text_of(made, berth__resource_name(model, after->resource))) <= 0)
            continue;
        if (next == NULL ||
            berth__str_cmp(name, text_of(made, berth__resource_name(model, next->resource))) < 0)
            next = ask;
    }
    return next;
}

uint32_t berth__cluster_pod_extended_requests(const berth__cluster *cluster, berth_pod_id id,
                                              berth_extended_request *out, size_t size,
                                              uint32_t capacity)
{
    made_claim made;
    if (!find(cluster, id, &made))
        return 0;
    served_list list = {.made = &made, .out = out, .size = size, .capacity = capacity};
    const berth__container_ask *resource = NULL;
    while ((resource = next_resource(&made, resource)) != NULL)
        add_resource(&list, resource->resource);
    return list.count;
}
