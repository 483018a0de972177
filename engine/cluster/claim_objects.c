/* Turns ResourceClaims back into objects as a scheduler would write them, including the allocations
 * that placements chose. */
#include <stdio.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "cluster/cluster_info.h"
#include "cluster/cluster_read.h"
#include "objects/object_copy.h"
#include "store/device_facts.h"

/* Arrays of an object while it is being built. */
typedef struct parts {
    berth__arena *arena;
    const berth__cluster *cluster;
    bool ok;
} parts;

static berth_str text_of(const parts *own, berth__sym sym)
{
    return sym != 0 ? berth__text(own->cluster->model, sym) : (berth_str){0};
}

static void *part(parts *own, uint32_t count, size_t bytes)
{
    void *memory = berth__arena_alloc(own->arena, (count + 1u) * bytes, 8);
    own->ok &= memory != NULL;
    return memory;
}

static berth_strs texts_of(parts *own, const berth__sym *syms, uint32_t count)
{
    berth_str *items = part(own, count, sizeof(*items));
    for (uint32_t i = 0; items != NULL && i < count; i++)
        items[i] = text_of(own, syms[i]);
    return (berth_strs){items, items != NULL ? count : 0};
}

/* ---- the node selector of an allocation ---- */

static berth_str number_text(parts *own, int64_t number)
{
    char *text = part(own, 24, 1);
    if (text == NULL)
        return (berth_str){0};
    return (berth_str){text, (uint32_t)snprintf(text, 24, "%lld", (long long)number)};
}

static berth_requirement requirement_of(parts *own, const berth__interned_requirement *from)
{
    static const berth_str words[] = {
        [BERTH__OP_IN] = {"In", 2},         [BERTH__OP_NOT_IN] = {"NotIn", 5},
        [BERTH__OP_EXISTS] = {"Exists", 6}, [BERTH__OP_NOT_EXISTS] = {"DoesNotExist", 12},
        [BERTH__OP_GREATER] = {"Gt", 2},    [BERTH__OP_LESS] = {"Lt", 2},
    };
    berth_requirement out = {.key = text_of(own, from->key), .op = words[from->op]};
    if (from->op == BERTH__OP_GREATER || from->op == BERTH__OP_LESS) {
        berth_str *number = part(own, 1, sizeof(*number));
        if (number != NULL)
            *number = number_text(own, from->number);
        out.values = (berth_strs){number, number != NULL};
    } else {
        out.values = texts_of(own, from->values, from->value_count);
    }
    return out;
}

static berth_requirements requirements_of(parts *own, const berth__interned_requirement *from,
                                          uint32_t count)
{
    berth_requirement *items = part(own, count, sizeof(*items));
    for (uint32_t i = 0; items != NULL && i < count; i++)
        items[i] = requirement_of(own, &from[i]);
    return (berth_requirements){items, items != NULL ? count : 0};
}

static const berth_node_selector *selector_of(parts *own, const berth__interned_node_selector *from)
{
    berth_node_selector *out = part(own, 1, sizeof(*out));
    berth_node_selector_term *terms = part(own, from->count, sizeof(*terms));
    if (out == NULL || terms == NULL)
        return NULL;
    for (uint32_t i = 0; i < from->count; i++)
        terms[i] = (berth_node_selector_term){
            .match_expressions =
                requirements_of(own, from->terms[i].expressions, from->terms[i].expression_count),
            .match_fields = requirements_of(own, from->terms[i].fields, from->terms[i].field_count),
        };
    *out = (berth_node_selector){terms, from->count};
    return out;
}

/* ---- devices ---- */

static berth_str name_of(parts *own, berth__device_name name)
{
    berth_str domain = text_of(own, name.domain), id = text_of(own, name.id);
    if (domain.len == 0)
        return id;
    uint32_t length = domain.len + 1 + id.len;
    char *text = part(own, length, 1);
    if (text == NULL)
        return (berth_str){0};
    snprintf(text, length + 1, "%.*s/%.*s", (int)domain.len, domain.data, (int)id.len, id.data);
    return (berth_str){text, length};
}

static berth_resources consumed_of(parts *own, const berth__device_result *result)
{
    const int64_t nanos = 1000000000;
    berth_resource *items = part(own, result->consumed_count, sizeof(*items));
    for (uint32_t i = 0; items != NULL && i < result->consumed_count; i++) {
        __int128 value = result->consumed[i].value;
        items[i] = (berth_resource){name_of(own, result->consumed[i].name),
                                    {(int64_t)(value / nanos), (int32_t)(value % nanos)}};
    }
    return (berth_resources){items, items != NULL ? result->consumed_count : 0};
}

static void mix_text(uint64_t hashes[2], berth_str text)
{
    for (int i = 0; i < 2; i++)
        hashes[i] = berth__hash_bytes(text.data, text.len, hashes[i] + text.len);
}

/* The ID of a share that a placement chose. kube-scheduler draws a random UUID. This one comes from
 * the claim and the result, so that a dump is the same each time (version 8 of RFC 9562). */
static berth_str share_id_of(parts *own, const berth__device_claim *claim, uint32_t nth)
{
    const berth__device_result *result = &claim->chosen->results[nth];
    const berth__sym syms[] = {claim->record.key.namespace_name,
                               claim->record.key.name,
                               claim->facts != NULL ? claim->facts->uid : 0,
                               result->request,
                               result->driver,
                               result->pool,
                               result->device};
    uint64_t h[2] = {nth, ~(uint64_t)nth};
    for (size_t i = 0; i < sizeof(syms) / sizeof(syms[0]); i++)
        mix_text(h, text_of(own, syms[i]));
    char *text = part(own, 40, 1);
    if (text == NULL)
        return (berth_str){0};
    int length = snprintf(text, 40, "%08x-%04x-8%03x-%04x-%012llx", (unsigned)(h[0] >> 32),
                          (unsigned)(h[0] >> 16 & 0xffff), (unsigned)(h[0] & 0xfff),
                          (unsigned)(h[1] >> 48 & 0x3fff) | 0x8000u,
                          (unsigned long long)(h[1] & 0xffffffffffff));
    return (berth_str){text, (uint32_t)length};
}

static berth_allocated_device device_of(parts *own, const berth__device_claim *claim, uint32_t nth)
{
    const berth__device_result *result = &claim->chosen->results[nth];
    berth_str share_id = text_of(own, result->share_id);
    if (result->share_id != 0 && share_id.len == 0)
        share_id = share_id_of(own, claim, nth);
    return (berth_allocated_device){
        .request = text_of(own, result->request),
        .driver = text_of(own, result->driver),
        .pool = text_of(own, result->pool),
        .device = text_of(own, result->device),
        .has_admin_access = result->admin_access,
        .admin_access = result->admin_access,
        .binding_conditions =
            texts_of(own, result->binding_conditions, result->binding_condition_count),
        .binding_failure_conditions =
            texts_of(own, result->binding_failures, result->binding_failure_count),
        .share_id = share_id,
        .consumed_capacity = consumed_of(own, result),
    };
}

static void allocation_of(parts *own, const berth__device_claim *claim, berth_claim_allocation *out)
{
    const berth__device_allocation *chosen = claim->chosen;
    berth_allocated_device *results = part(own, chosen->result_count, sizeof(*results));
    for (uint32_t i = 0; results != NULL && i < chosen->result_count; i++)
        results[i] = device_of(own, claim, i);
    *out = (berth_claim_allocation){
        .results = results,
        .result_count = chosen->result_count,
        .node_selector = chosen->has_selector ? selector_of(own, &chosen->selector) : NULL};
}

/* ---- claims ---- */

bool berth__cluster_chosen(const berth__cluster *cluster, const berth__device_claim *claim,
                           berth__arena *arena, berth_claim_allocation *out)
{
    parts own = {.arena = arena, .cluster = cluster, .ok = true};
    allocation_of(&own, claim, out);
    return own.ok;
}

/* The n-th claim that the pod names and that exists, or NULL. */
static const berth__device_claim *claim_of(const berth__cluster *cluster, const berth__class *cls,
                                           uint32_t nth)
{
    const berth__claim_list *list = cls->claims;
    const berth__storage *storage = cluster->view.storage;
    for (uint32_t i = 0; list != NULL && storage != NULL && i < list->count; i++) {
        const berth__device_claim *claim =
            list->items[i].claim == 0
                ? NULL
                : berth__storage_device_claim(storage, list->namespace_name, list->items[i].claim);
        if (claim != NULL && claim->facts != NULL && nth-- == 0)
            return claim;
    }
    return NULL;
}

berth_status berth__cluster_pod_claim_object(const berth__cluster *cluster, berth_pod_id id,
                                             uint32_t nth, const uint32_t *sizes,
                                             const berth_allocator *allocator, berth_object **out,
                                             berth_error *error)
{
    uint32_t pod = berth__cluster_pod(cluster, id);
    const berth__device_claim *claim =
        pod != BERTH_POD_INDEX_NONE
            ? claim_of(cluster, berth__pod_at(&cluster->pods, pod)->cls, nth)
            : NULL;
    if (claim == NULL)
        return berth__error_set(error, BERTH_E_NOT_FOUND,
                                "there is no pod with this id, or it has no such claim");
    berth__arena arena;
    parts own = {.arena = &arena, .cluster = cluster, .ok = true};
    berth__arena_init(&arena, cluster->model->allocator);
    berth_claim_allocation allocation = {.result_count = 0};
    bool chosen = claim->chosen != NULL && claim->record.holder == pod;
    const berth_resource_claim whole = {
        .meta = {.namespace_name = text_of(&own, claim->record.key.namespace_name),
                 .name = text_of(&own, claim->record.key.name),
                 .uid = text_of(&own, claim->facts->uid)},
        .allocation = chosen ? &allocation : NULL};
    if (chosen)
        allocation_of(&own, claim, &allocation);
    const berth_object object = {.kind = BERTH_KIND_RESOURCE_CLAIM, .as.resource_claim = &whole};
    berth_status status = own.ok ? berth__object_copy_own(&object, sizes, allocator, out, error)
                                 : berth__error_no_memory(error);
    berth__arena_destroy(&arena);
    return status;
}
