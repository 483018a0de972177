/* DynamicResources: the claims of a pod, its filter and score, and the devices that a placement
 * takes. Claims for extended resources left by an earlier attempt have no devices. */
#include <string.h>

#include "naive_devices.h"

static const berth_resource_claim *claim_named(const naive_attempt *a, berth_str name)
{
    return naive_find(a->cluster, BERTH_KIND_RESOURCE_CLAIM, naive_namespace(&a->pod->meta), name);
}

const berth_device_class *naive_class_named(const naive_attempt *a, berth_str name)
{
    return naive_find(a->cluster, BERTH_KIND_DEVICE_CLASS, (berth_str){0}, name);
}

const char *naive_claim_key(const naive_attempt *a, const berth_resource_claim *claim)
{
    berth_str ns = naive_namespace(&claim->meta);
    return naive_print(a->region, "%.*s/%.*s", NAIVE_TEXT(ns), NAIVE_TEXT(claim->meta.name));
}

const naive_device_hold *naive_claim_held(const naive_attempt *a, const berth_resource_claim *claim)
{
    for (size_t i = 0; i < a->cluster->hold_count; i++) {
        if (naive_same_object(a->cluster->holds[i].claim, &claim->meta)) {
            return &a->cluster->holds[i];
        }
    }
    return NULL;
}

/* ---- the claims of a pod ---- */

static bool owned_by(const berth_metadata *meta, const berth_pod *pod)
{
    for (uint32_t i = 0; i < meta->owner_count; i++) {
        if (meta->owners[i].controller) {
            return naive_same(meta->owners[i].uid, pod->meta.uid);
        }
    }
    return false;
}

/* The name of the claim of an entry; `*skip`: no claim is needed. Returns NULL if the pod is
 * refused. */
static const berth_str *entry_name(naive_attempt *a, const berth_pod_claim *entry, bool *skip,
                                   naive_refusal *r)
{
    berth_str ns = naive_namespace(&a->pod->meta), pod = a->pod->meta.name;
    *skip = false;
    if (entry->claim.len > 0) {
        return &entry->claim;
    }
    if (entry->claim_template.len == 0) {
        naive_refuse(a, r, true,
                     naive_print(a->region,
                                 "pod \"%.*s/%.*s\", spec.resourceClaim \"%.*s\": none of the "
                                 "supported fields are set",
                                 NAIVE_TEXT(ns), NAIVE_TEXT(pod), NAIVE_TEXT(entry->name)));
        return NULL;
    }
    for (uint32_t i = 0; i < a->pod->resource_claim_status_count; i++) {
        const berth_pod_claim *status = &a->pod->resource_claim_statuses[i];
        if (naive_same(status->name, entry->name)) {
            *skip = status->claim.len == 0;
            return &status->claim;
        }
    }
    naive_refuse(a, r, true,
                 naive_print(a->region, "pod \"%.*s/%.*s\": ResourceClaim not created yet",
                             NAIVE_TEXT(ns), NAIVE_TEXT(pod)));
    return NULL;
}

static bool add_claim(naive_attempt *a, const berth_pod_claim *entry, naive_refusal *r)
{
    bool skip;
    berth_str ns = naive_namespace(&a->pod->meta);
    const berth_str *name = entry_name(a, entry, &skip, r);
    if (name == NULL || skip) {
        return name != NULL;
    }
    const berth_resource_claim *claim = claim_named(a, *name);
    const char *reason = NULL;
    if (claim == NULL) {
        reason = naive_print(a->region, "could not find ResourceClaim \"%.*s/%.*s\"",
                             NAIVE_TEXT(ns), NAIVE_TEXT(*name));
    } else if (claim->meta.deleting) {
        reason =
            naive_print(a->region, "resourceclaim \"%.*s\" is being deleted", NAIVE_TEXT(*name));
    } else if (entry->claim.len == 0 && !owned_by(&claim->meta, a->pod)) {
        reason = naive_print(a->region,
                             "ResourceClaim %.*s/%.*s was not created for Pod %.*s/%.*s (Pod is "
                             "not owner)",
                             NAIVE_TEXT(ns), NAIVE_TEXT(*name), NAIVE_TEXT(ns),
                             NAIVE_TEXT(a->pod->meta.name));
    }
    if (reason != NULL) {
        return naive_refuse(a, r, true, reason);
    }
    APPEND(a->region, a->claims, a->claim_count, claim);
    return true;
}

static bool check_class(naive_attempt *a, const char *name, const berth_exact_request *ask,
                        naive_refusal *r)
{
    if (ask->class_name.len == 0) {
        a->error = true;
        return naive_refuse(a, r, true,
                            naive_print(a->region, "request %s: unsupported request type", name));
    }
    if (naive_class_named(a, ask->class_name) == NULL) {
        return naive_refuse(a, r, true,
                            naive_print(a->region, "request %s: device class %.*s does not exist",
                                        name, NAIVE_TEXT(ask->class_name)));
    }
    return true;
}

static bool check_request(naive_attempt *a, const berth_resource_claim *claim,
                          const berth_claim_request *request, naive_refusal *r)
{
    const char *name = naive_print(a->region, "%.*s", NAIVE_TEXT(request->name));
    if (request->exactly != NULL) {
        return check_class(a, name, request->exactly, r);
    }
    for (uint32_t i = 0; i < request->first_available_count; i++) {
        const berth_exact_request *ask = &request->first_available[i];
        if (!check_class(a, naive_print(a->region, "%s/%.*s", name, NAIVE_TEXT(ask->name)), ask,
                         r)) {
            return false;
        }
    }
    return request->first_available_count > 0 ||
           naive_refuse(a, r, true,
                        naive_print(a->region,
                                    "resource claim %s, request %s: unknown request type",
                                    naive_claim_key(a, claim), name));
}

static naive_outcome find_claims(naive_attempt *a, naive_refusal *r)
{
    for (uint32_t i = 0; i < a->pod->resource_claim_count; i++) {
        if (!add_claim(a, &a->pod->resource_claims[i], r)) {
            return NAIVE_REFUSE;
        }
    }
    for (size_t c = 0; c < a->claim_count; c++) {
        const berth_resource_claim *claim = a->claims[c];
        if (claim->allocation != NULL) {
            continue;
        }
        if (naive_claim_held(a, claim) != NULL) {
            naive_refuse(a, r, true,
                         naive_print(a->region,
                                     "resource claim %s is in the process of being allocated",
                                     naive_claim_key(a, claim)));
            return NAIVE_REFUSE;
        }
        for (uint32_t i = 0; i < claim->request_count; i++) {
            if (!check_request(a, claim, &claim->requests[i], r)) {
                return NAIVE_REFUSE;
            }
        }
    }
    return a->claim_count > 0 || a->special != NULL ? NAIVE_GO_ON : NAIVE_SKIP;
}

/* The claims of a refused pod are forgotten, so postFilter does not see them. */
naive_outcome naive_pre_devices(naive_attempt *a, const berth_plugin_ref *ref, naive_refusal *r)
{
    (void)ref;
    a->devices_looked_up = true;
    a->claim_count = a->unavailable_count = 0;
    naive_find_special(a);
    naive_outcome outcome = find_claims(a, r);
    if (outcome == NAIVE_REFUSE) {
        a->claim_count = 0;
        a->special = a->written = NULL;
    }
    return outcome;
}

/* ---- filter and score ---- */

static bool broken(const berth_resource_claim *claim)
{
    for (uint32_t i = 0; i < claim->allocation->result_count; i++) {
        const berth_allocated_device *result = &claim->allocation->results[i];
        for (uint32_t d = 0; d < claim->device_count; d++) {
            const berth_allocated_status *status = &claim->devices[d];
            for (uint32_t n = 0; n < status->condition_count; n++) {
                if (naive_same(status->driver, result->driver) &&
                    naive_same(status->pool, result->pool) &&
                    naive_same(status->device, result->device) &&
                    naive_is(status->conditions[n].status, "True") &&
                    naive_in(result->binding_failure_conditions, status->conditions[n].type)) {
                    return true;
                }
            }
        }
    }
    return false;
}

static bool serves(const berth_resource_claim *claim, const berth_node *node)
{
    const berth_node_selector *selector = claim->allocation->node_selector;
    return (selector == NULL ||
            naive_node_selector_matches(selector, node->meta.labels, node->meta.name)) &&
           !broken(claim);
}

static bool wants_devices(const naive_attempt *a)
{
    if (a->special != NULL) {
        return true;
    }
    for (size_t i = 0; i < a->claim_count; i++) {
        if (a->claims[i]->allocation == NULL) {
            return true;
        }
    }
    return false;
}

static bool sees_invalid_pool(const naive_search *s)
{
    for (size_t i = 0; i < s->pool_count; i++) {
        if (s->pools[i].invalid && !s->pools[i].incomplete) {
            return true;
        }
    }
    return false;
}

bool naive_devices_filter(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                          naive_refusal *r)
{
    (void)ref;
    naive_search s = {.a = a, .node = node};
    berth_resource_claim special;
    bool none = false;
    if (a->special != NULL && !naive_special_on(a, node, &special, &none, r)) {
        return false;
    }
    naive_found answer = wants_devices(a) && !none
                             ? naive_solve(&s, a->special != NULL ? &special : NULL)
                             : NAIVE_SOLVED;
    if (answer == NAIVE_FAILED) {
        r->error = true;
        return naive_refuse(
            a, r, true,
            naive_print(a->region, "running \"DynamicResources\" filter plugin: %s", s.problem));
    }
    if (answer == NAIVE_NONE) {
        return naive_refuse(a, r, true,
                            sees_invalid_pool(&s) ? "invalid resource pools were encountered"
                                                  : "cannot allocate all claims");
    }
    bool available = true;
    for (size_t i = 0; i < a->claim_count; i++) {
        if (a->claims[i]->allocation != NULL && !serves(a->claims[i], node)) {
            available = false;
            APPEND(a->region, a->unavailable, a->unavailable_count, a->claims[i]);
        }
    }
    return available || naive_refuse(a, r, true, "resourceclaim not available on the node");
}

/* The index of the alternative that a written allocation chose. */
static size_t written_choice(const naive_attempt *a, const berth_resource_claim *claim,
                             const berth_claim_request *request)
{
    for (uint32_t i = 0; i < claim->allocation->result_count; i++) {
        for (uint32_t k = 0; k < request->first_available_count; k++) {
            const char *name = naive_print(a->region, "%.*s/%.*s", NAIVE_TEXT(request->name),
                                           NAIVE_TEXT(request->first_available[k].name));
            if (naive_is(claim->allocation->results[i].request, name)) {
                return k;
            }
        }
    }
    return 8;
}

static int64_t score_node(naive_attempt *a, const berth_node *node)
{
    enum { MOST = 8 };
    naive_search s = {.a = a, .node = node};
    int64_t sum = 0;
    size_t open = 0;
    berth_resource_claim special;
    naive_refusal ignored = {0};
    bool none = false;
    if ((a->special != NULL && !naive_special_on(a, node, &special, &none, &ignored)) ||
        !wants_devices(a) || none ||
        naive_solve(&s, a->special != NULL ? &special : NULL) != NAIVE_SOLVED) {
        return 0;
    }
    for (size_t c = 0; c < a->claim_count; c++) {
        const berth_resource_claim *claim = a->claims[c];
        bool is_open = claim->allocation == NULL;
        for (uint32_t i = 0; i < claim->request_count; i++) {
            if (claim->requests[i].exactly == NULL) {
                sum += MOST - (int64_t)(is_open ? s.wants[open][i].chosen
                                                : written_choice(a, claim, &claim->requests[i]));
            }
        }
        open += is_open;
    }
    return sum;
}

bool naive_devices_score(naive_attempt *a, const berth_plugin_ref *ref, const berth_node **nodes,
                         size_t count, int64_t *values)
{
    (void)ref;
    int64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        values[i] = a->claim_count > 0 ? score_node(a, nodes[i]) : 0;
        most = values[i] > most ? values[i] : most;
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = most > 0 ? values[i] * 100 / most : 0;
    }
    return a->cluster->kubernetes >= 34;
}

/* ---- after the decision ---- */

/* A claim that only this pod has reserved is deallocated for another try. */
const char *naive_devices_post_filter(const naive_attempt *a)
{
    if (a->claim_count == 0 && a->special == NULL) {
        return a->cluster->kubernetes < 37 ? "no new claims to deallocate" : "";
    }
    for (size_t i = 0; i < a->unavailable_count; i++) {
        const berth_resource_claim *claim = a->unavailable[i];
        if (claim->reserved_for_count == 0 ||
            (claim->reserved_for_count == 1 &&
             naive_same(claim->reserved_for[0].uid, a->pod->meta.uid))) {
            return "deallocation of ResourceClaim completed";
        }
    }
    if (a->written != NULL) {
        return "deletion of ResourceClaim completed";
    }
    return a->cluster->kubernetes < 37 ? "still not schedulable" : "";
}

static const berth_claim_allocation *allocation_of(const naive_search *s, naive_cluster *cluster,
                                                   size_t claim)
{
    berth_claim_allocation *out = naive_alloc(&cluster->region, sizeof(*out));
    berth_allocated_device *results =
        naive_alloc(&cluster->region, (s->take_count + 1) * sizeof(*results));
    for (size_t i = 0; i < s->take_count; i++) {
        const naive_take *take = &s->takes[i];
        if (take->claim != claim) {
            continue;
        }
        bool multi = take->device.device->allow_multiple_allocations;
        berth_resource *consumed_items =
            naive_alloc(&cluster->region, (take->consumed.count + 1) * sizeof(*consumed_items));
        if (take->consumed.count > 0) {
            memcpy(consumed_items, take->consumed.items,
                   take->consumed.count * sizeof(*consumed_items));
        }
        results[out->result_count++] = (berth_allocated_device){
            .request = naive_str(naive_print(&cluster->region, "%s", take->ask->name)),
            .driver = take->device.slice->driver,
            .pool = take->device.slice->pool,
            .device = take->device.device->name,
            .admin_access = take->ask->exact->admin_access,
            .share_id = multi ? naive_str("shared") : (berth_str){0},
            .consumed_capacity = {consumed_items, take->consumed.count},
        };
    }
    out->results = results;
    return out;
}

/* A special claim is solved as a copy that ends with the call, so its hold gets another name. */
static const berth_metadata *special_meta(const naive_attempt *a)
{
    if (a->written != NULL) {
        return &a->written->meta;
    }
    berth_metadata *meta = naive_alloc(&a->cluster->region, sizeof(*meta));
    meta->name = naive_str(NAIVE_SPECIAL);
    return meta;
}

void naive_take_devices(naive_cluster *cluster, const berth_profile *profile, const berth_pod *pod,
                        const berth_node *node)
{
    naive_region region = {0};
    naive_refusal refusal = {0};
    naive_attempt a = {.region = &region, .cluster = cluster, .profile = profile, .pod = pod};
    naive_search s = {.a = &a, .node = node};
    berth_resource_claim special;
    bool none = false;
    bool open = naive_pre_devices(&a, NULL, &refusal) == NAIVE_GO_ON && wants_devices(&a);
    if (open && a.special != NULL) {
        open = naive_special_on(&a, node, &special, &none, &refusal) && !none;
    }
    if (open && naive_solve(&s, a.special != NULL ? &special : NULL) == NAIVE_SOLVED) {
        for (size_t c = 0; c < s.claim_count; c++) {
            const berth_resource_claim *claim = s.claims[c];
            const naive_device_hold hold = {&pod->meta,
                                            claim == &special ? special_meta(&a) : &claim->meta,
                                            allocation_of(&s, cluster, c)};
            APPEND(&cluster->region, cluster->holds, cluster->hold_count, hold);
        }
    }
    naive_region_free(&region);
}
