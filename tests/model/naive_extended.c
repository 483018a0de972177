/* Extended resources backed by devices: the class that backs one, the claim that a placement makes
 * for them, and the amounts that scores see on a node. */
#include <stdlib.h>
#include <string.h>

#include "naive_devices.h"

#define PREFIX "deviceclass.resource.kubernetes.io/"

bool naive_may_be_backed(berth_str name)
{
    return naive_extended_name(name) || naive_starts(name, PREFIX);
}

/* ---- classes ---- */

static int by_name(const void *a, const void *b)
{
    const berth_metadata *x = &(*(const berth_device_class *const *)a)->meta;
    const berth_metadata *y = &(*(const berth_device_class *const *)b)->meta;
    uint32_t least = x->name.len < y->name.len ? x->name.len : y->name.len;
    int order = memcmp(x->name.data, y->name.data, least);
    return order != 0 ? order : (x->name.len > y->name.len) - (x->name.len < y->name.len);
}

static bool is_own_name(berth_str resource, const berth_device_class *cls)
{
    uint32_t prefix = sizeof(PREFIX) - 1;
    return naive_starts(resource, PREFIX) &&
           naive_same((berth_str){resource.data + prefix, resource.len - prefix}, cls->meta.name);
}

/* Visits classes in the order of their names, as kube-scheduler receives them: a class is ignored
 * if another one of the same age already names the resource. */
const berth_device_class *naive_class_behind(const naive_attempt *a, berth_str resource)
{
    const naive_objects *all = &a->cluster->objects[BERTH_KIND_DEVICE_CLASS];
    const berth_device_class *found = NULL;
    if (a->cluster->kubernetes < 36 || all->count == 0 || !naive_scalar_name(resource)) {
        return NULL;
    }
    const berth_device_class **list = naive_alloc(a->region, all->count * sizeof(*list));
    for (size_t i = 0; i < all->count; i++) {
        list[i] = all->items[i];
    }
    qsort(list, all->count, sizeof(*list), by_name);
    for (size_t i = 0; i < all->count; i++) {
        const berth_device_class *before = NULL;
        for (size_t k = 0; k < i; k++) {
            bool same = list[i]->extended_resource.len > 0 &&
                        naive_same(list[k]->extended_resource, list[i]->extended_resource);
            if (same && (before == NULL ||
                         list[k]->meta.creation_time_ns > before->meta.creation_time_ns)) {
                before = list[k];
            }
        }
        if (before != NULL && before->meta.creation_time_ns >= list[i]->meta.creation_time_ns) {
            continue;
        }
        if (is_own_name(resource, list[i]) || naive_same(resource, list[i]->extended_resource)) {
            found = list[i];
        }
    }
    return found;
}

/* ---- the claim ---- */

/* Adds the names that the pod requests, each once. */
static void add_names(naive_attempt *a, berth_resources list, berth_strs *names)
{
    for (uint32_t i = 0; i < list.count; i++) {
        berth_str name = list.items[i].name;
        if (!naive_may_be_backed(name) || naive_in(*names, name) ||
            naive_pod_request(a->cluster->kubernetes, a->pod, name, NAIVE_INCOMING) == 0) {
            continue;
        }
        berth_str *items = naive_alloc(a->region, (names->count + 1) * sizeof(*items));
        if (names->count > 0) {
            memcpy(items, names->items, names->count * sizeof(*items));
        }
        items[names->count] = name;
        *names = (berth_strs){items, names->count + 1};
    }
}

static berth_strs names_asked(naive_attempt *a)
{
    berth_strs names = {0};
    for (uint32_t i = 0; i < a->pod->container_count; i++) {
        add_names(a, a->pod->containers[i].requests, &names);
    }
    for (uint32_t i = 0; i < a->pod->init_container_count; i++) {
        add_names(a, a->pod->init_containers[i].requests, &names);
    }
    add_names(a, a->pod->overhead, &names);
    return names;
}

/* The claim that an earlier attempt left. */
static const berth_resource_claim *written_claim(const naive_attempt *a)
{
    const naive_objects *all = &a->cluster->objects[BERTH_KIND_RESOURCE_CLAIM];
    for (size_t i = 0; i < all->count; i++) {
        const berth_resource_claim *claim = all->items[i];
        const berth_str *special = naive_label(
            claim->meta.annotations, naive_str("resource.kubernetes.io/extended-resource-claim"));
        for (uint32_t o = 0;
             special != NULL && naive_is(*special, "true") && o < claim->meta.owner_count; o++) {
            const berth_owner *owner = &claim->meta.owners[o];
            if (owner->controller && naive_same(owner->name, a->pod->meta.name) &&
                naive_same(owner->uid, a->pod->meta.uid)) {
                return claim;
            }
        }
    }
    return NULL;
}

void naive_find_special(naive_attempt *a)
{
    a->special = a->written = NULL;
    a->asked = names_asked(a);
    for (uint32_t i = 0; i < a->asked.count && a->special == NULL; i++) {
        if (naive_class_behind(a, a->asked.items[i]) != NULL) {
            berth_resource_claim *claim = naive_alloc(a->region, sizeof(*claim));
            claim->meta.namespace_name = naive_namespace(&a->pod->meta);
            claim->meta.name = naive_str(NAIVE_SPECIAL);
            a->written = written_claim(a);
            a->special = a->written != NULL ? a->written : claim;
        }
    }
}

/* The amount of a resource that container number `container` requests, in whole units. */
static int64_t asks_for(const naive_attempt *a, uint32_t container, berth_str name, bool *lasts,
                        uint32_t *rank)
{
    uint32_t inits = a->pod->init_container_count;
    const berth_container *c = container < inits ? &a->pod->init_containers[container]
                                                 : &a->pod->containers[container - inits];
    naive_nanos amount = 0;
    *lasts = container >= inits || c->restart_always;
    *rank = 0;
    if (!naive_resource(c->requests, name, &amount) || amount % 1000000000 != 0) {
        return 0;
    }
    for (uint32_t i = 0; i < c->requests.count; i++) {
        berth_str other = c->requests.items[i].name;
        uint32_t least = other.len < name.len ? other.len : name.len;
        int order = memcmp(other.data, name.data, least);
        *rank += order < 0 || (order == 0 && other.len < name.len);
    }
    return naive_value(amount);
}

static void add_request(naive_attempt *a, berth_resource_claim *claim, berth_claim_request *list,
                        const char *name, const berth_device_class *cls, int64_t count)
{
    berth_exact_request *exact = naive_alloc(a->region, sizeof(*exact));
    exact->class_name = cls->meta.name;
    exact->allocation_mode = naive_str("ExactCount");
    exact->count = count;
    list[claim->request_count++] = (berth_claim_request){.name = naive_str(name), .exactly = exact};
}

static void add_requests(naive_attempt *a, berth_resource_claim *claim, berth_claim_request *list,
                         berth_str name)
{
    const berth_device_class *cls = naive_class_behind(a, name);
    uint32_t count = a->pod->init_container_count + a->pod->container_count, rank;
    int64_t most = 0;
    const char *most_name = NULL;
    bool lasts;
    for (uint32_t i = 0; i < count; i++) {
        int64_t asked = asks_for(a, i, name, &lasts, &rank);
        const char *request =
            naive_print(a->region, "container-%u-request-%u", (unsigned)i, (unsigned)rank);
        if (asked > 0 && lasts) {
            add_request(a, claim, list, request, cls, asked);
        }
        if (asked == 0 || lasts) {
            continue;
        }
        for (uint32_t k = i; k < count; k++) {
            int64_t other = asks_for(a, k, name, &lasts, &rank);
            asked -= lasts ? other : 0;
        }
        if (asked > most) {
            most = asked;
            most_name = request;
        }
    }
    if (most > 0) {
        add_request(a, claim, list, most_name, cls, most);
    }
}

static int by_request(const void *a, const void *b)
{
    berth_str x = ((const berth_claim_request *)a)->name;
    berth_str y = ((const berth_claim_request *)b)->name;
    uint32_t least = x.len < y.len ? x.len : y.len;
    int order = memcmp(x.data, y.data, least);
    return order != 0 ? order : (x.len > y.len) - (x.len < y.len);
}

/* Builds the special claim for a node; `*none` is set if there is nothing to allocate. Returns
 * false if the node is refused. */
bool naive_special_on(naive_attempt *a, const berth_node *node, berth_resource_claim *out,
                      bool *none, naive_refusal *r)
{
    uint32_t containers = a->pod->init_container_count + a->pod->container_count;
    berth_claim_request *list =
        naive_alloc(a->region, (a->asked.count * containers + 1) * sizeof(*list));
    bool any = false;
    *out = *a->special;
    if (a->special->request_count > 0) {
        return naive_refuse(a, r, true, "cannot schedule extended resource claim");
    }
    for (uint32_t i = 0; i < a->asked.count; i++) {
        bool present;
        int64_t has = naive_allocatable(node, a->asked.items[i], &present);
        if (naive_class_behind(a, a->asked.items[i]) != NULL && has == 0) {
            add_requests(a, out, list, a->asked.items[i]);
            any = true;
        } else if (!present) {
            return naive_refuse(a, r, true, "cannot fit resource");
        }
    }
    qsort(list, out->request_count, sizeof(*list), by_request);
    out->requests = list;
    *none = !any && a->claim_count == 0;
    return true;
}

/* ---- scores ---- */

static bool class_takes(naive_attempt *a, const berth_device_class *cls, const naive_device *device,
                        bool *problem)
{
    for (uint32_t i = 0; i < cls->selector_count; i++) {
        const char *why = NULL;
        bool yes = naive_selects(a->region, a->cluster->kubernetes, cls->selectors[i].expression,
                                 device, &why);
        *problem = *problem || why != NULL;
        if (!yes) {
            return false;
        }
    }
    return true;
}

bool naive_backed_amounts(const naive_attempt *attempt, const berth_node *node, berth_str name,
                          int64_t *capacity, int64_t *used)
{
    naive_attempt a = *attempt;
    naive_search s = {.a = &a, .node = node};
    const berth_device_class *cls = naive_class_behind(&a, name);
    const naive_objects *all = &a.cluster->objects[BERTH_KIND_RESOURCE_SLICE];
    bool problem = false;
    *capacity = *used = 0;
    if (cls == NULL) {
        return false;
    }
    naive_find_uses(&s);
    for (size_t i = 0; i < all->count; i++) {
        const berth_resource_slice *slice = all->items[i];
        bool here =
            slice->all_nodes || naive_same(slice->node_name, node->meta.name) ||
            slice->per_device_node_selection ||
            (slice->node_name.len == 0 && slice->node_selector == NULL) ||
            (slice->node_name.len == 0 && slice->node_selector != NULL &&
             naive_node_selector_matches(slice->node_selector, node->meta.labels, node->meta.name));
        for (uint32_t d = 0; here && d < slice->device_count; d++) {
            const naive_device device = {.slice = slice, .device = &slice->devices[d]};
            if ((slice->per_device_node_selection &&
                 !naive_device_reaches(slice, device.device, node)) ||
                !class_takes(&a, cls, &device, &problem)) {
                continue;
            }
            bool taken = false;
            NAIVE_EACH_RESULT(&s, result)
            {
                taken = taken || naive_is_result(result, &device);
            }
            ++*capacity;
            *used += taken;
        }
    }
    return !problem && *capacity > 0;
}
