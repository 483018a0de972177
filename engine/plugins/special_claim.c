/* The special claim: the ResourceClaim that a placement creates for extended resources. */
#include "plugins/special_claim.h"

#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/text.h"
#include "plugins/extended_resources.h"

/* ---- the pod's extended resources ---- */

static void sort_by_name(berth__special_claim *special)
{
    for (uint32_t i = 1; i < special->backed_count; i++) {
        berth__backed_resource one = special->backed[i];
        uint32_t at = i;
        for (; at > 0 && berth__str_cmp(one.name, special->backed[at - 1].name) < 0; at--)
            special->backed[at] = special->backed[at - 1];
        special->backed[at] = one;
    }
}

static void sort_out(const berth__question *cycle, berth__special_claim *special)
{
    const berth__request *request = cycle->cls->request;
    const berth__model *model = cycle->view->model;
    for (uint32_t i = 0; i < request->scalar_count; i++) {
        uint32_t resource = request->scalars[i].resource;
        berth_str name = berth__text(model, berth__resource_name(model, resource));
        if (request->scalars[i].ask == 0 || !berth__resource_may_be_backed(name))
            continue;
        const berth__device_class *of = berth__resource_backing(cycle->view, cycle->cls, resource);
        if (of == NULL)
            special->others[special->other_count++] = resource;
        else
            special->backed[special->backed_count++] = (berth__backed_resource){resource, name, of};
    }
    sort_by_name(special);
}

/* The claim of an earlier attempt, or NULL. Its owner is checked only if the pod's uid is known,
 * that is, if the pod names claims. */
static berth__device_claim *find_written(const berth__question *cycle)
{
    const berth__class *cls = cycle->cls;
    const berth__pod_record *pod = berth__pod_at(cycle->pods, cycle->pod);
    berth__device_claim *written = berth__backing_written(
        &cycle->view->devices->backing, cls->identity->namespace_name, berth__pod_name(pod));
    bool other =
        written != NULL && cls->claims != NULL && written->facts->owner_uid != cls->claims->pod_uid;
    return other ? NULL : written;
}

bool berth__special_claim_find(const berth__question *cycle, berth__arena *arena,
                               berth__special_claim **out)
{
    const berth__class *cls = cycle->cls;
    berth__view *view = cycle->view;
    if (cls->extended == NULL || view->devices == NULL)
        return true;
    if (!berth__devices_refresh(view->devices, view))
        return false;
    if (!berth__asks_backed(view, cls))
        return true;
    uint32_t most = cls->request->scalar_count;
    berth__special_claim *special = berth__arena_alloc_zero(arena, sizeof(*special), 8);
    if (special == NULL)
        return false;
    special->cls = cls;
    special->backed = berth__arena_alloc(arena, most * sizeof(*special->backed), 8);
    special->others = berth__arena_alloc(arena, most * sizeof(*special->others), 8);
    if (special->backed == NULL || special->others == NULL)
        return false;
    sort_out(cycle, special);
    special->written = find_written(cycle);
    special->alone = cls->claims == NULL || cls->claims->count == 0;
    *out = special;
    return true;
}

/* ---- the requests ---- */

typedef struct requests {
    berth__arena *arena;
    berth__device_request *items;
    uint32_t count;
    bool ok;
} requests;

static void add(requests *list, const berth__backed_resource *of, berth__sym name, int64_t count)
{
    berth__device_ask *ask = berth__arena_alloc_zero(list->arena, sizeof(*ask), 16);
    if (ask == NULL) {
        list->ok = false;
        return;
    }
    ask->class_name = of->of->record.key.name;
    ask->mode = BERTH__ALLOCATE_COUNT;
    ask->count = count;
    list->items[list->count++] = (berth__device_request){.name = name, .asks = ask, .ask_count = 1};
}

/* How much an init container that ends needs beyond the requests of later containers that keep
 * running. */
static int64_t lacks(const berth__extended_asks *asks, const berth__container_ask *init)
{
    int64_t lack = init->count;
    for (uint32_t i = 0; i < asks->count && lack > 0; i++) {
        const berth__container_ask *other = &asks->items[i];
        if (other->lasts && other->resource == init->resource &&
            other->container >= init->container)
            lack -= other->count < lack ? other->count : lack;
    }
    return lack;
}

/* Each container that keeps running gets a request of its own. Init containers that end share one
 * request, for the largest need. */
static void add_requests(requests *list, const berth__extended_asks *asks,
                         const berth__backed_resource *of)
{
    const berth__container_ask *largest = NULL;
    int64_t most = 0;
    for (uint32_t i = 0; i < asks->count; i++) {
        const berth__container_ask *one = &asks->items[i];
        if (one->resource != of->resource)
            continue;
        if (one->lasts) {
            add(list, of, one->request, one->count);
            continue;
        }
        int64_t lack = lacks(asks, one);
        if (lack > most) {
            largest = one;
            most = lack;
        }
    }
    if (largest != NULL)
        add(list, of, largest->request, most);
}

static int by_request(const void *a, const void *b, void *model)
{
    return berth__str_cmp(berth__text(model, ((const berth__device_request *)a)->name),
                          berth__text(model, ((const berth__device_request *)b)->name));
}

static bool make_requests(const berth__special_claim *special, const bool *by_devices,
                          berth__model *model, berth__arena *arena, berth__device_want *want)
{
    const berth__extended_asks *asks = special->cls->extended;
    requests list = {.arena = arena, .ok = true};
    list.items = berth__arena_alloc(arena, (asks->count + 1) * sizeof(*list.items), 8);
    if (list.items == NULL)
        return false;
    for (uint32_t i = 0; i < special->backed_count; i++)
        if (by_devices[i])
            add_requests(&list, asks, &special->backed[i]);
    qsort_r(list.items, list.count, sizeof(*list.items), by_request, model);
    want->requests = list.items;
    want->request_count = list.count;
    return list.ok;
}

/* ---- variants ---- */

/* Whether there are devices of an earlier attempt. kube-scheduler writes none without requests, and
 * looks for no more then. */
static bool has_devices(const berth__special_claim *special)
{
    return special->written != NULL && special->written->facts->allocation != NULL;
}

static bool make_variant(const berth__special_claim *special, const berth__pod_claims *base,
                         berth__special_variant *variant, berth__arena *arena)
{
    berth__pod_claims *claims = &variant->claims;
    berth__model *model = base->view->model;
    uint32_t count = base->want_count;
    berth_str space = berth__text(model, special->cls->identity->namespace_name);
    berth_str name = special->written != NULL
                         ? berth__text(model, special->written->record.key.name)
                         : BERTH_STR("<extended-resources>");
    *claims = *base;
    claims->special = NULL;
    claims->wants = berth__arena_alloc(arena, (count + 1) * sizeof(*claims->wants), 8);
    claims->wanting = berth__arena_alloc(arena, (count + 1) * sizeof(*claims->wanting), 8);
    if (claims->wants == NULL || claims->wanting == NULL)
        return false;
    memcpy(claims->wants, base->wants, count * sizeof(*claims->wants));
    memcpy(claims->wanting, base->wanting, count * sizeof(*claims->wanting));
    if (has_devices(special))
        return count == 0 || berth__pod_claims_begin(claims, arena);
    berth__device_want *want = &claims->wants[count];
    *want = (berth__device_want){.namespace_name = space, .name = name};
    claims->wanting[count] = special->written; /* NULL: created once the pod is placed */
    claims->want_count = count + 1;
    return make_requests(special, variant->by_devices, model, arena, want) &&
           berth__pod_claims_begin(claims, arena);
}

static bool lacks_resource(const berth__special_claim *special, const berth__view *view,
                           uint32_t slot, uint32_t i)
{
    return berth__tile_allocatable(view->tiles[slot / BERTH__TILE],
                                   special->backed[i].resource)[slot % BERTH__TILE] <= 0;
}

static berth__special_variant *find(const berth__special_claim *special, const berth__view *view,
                                    uint32_t slot)
{
    for (uint32_t v = 0; v < special->variant_count; v++) {
        bool same = true;
        for (uint32_t i = 0; i < special->backed_count && same; i++)
            same = special->variants[v]->by_devices[i] == lacks_resource(special, view, slot, i);
        if (same)
            return special->variants[v];
    }
    return NULL;
}

static bool add_variant(berth__special_claim *special, const berth__pod_claims *base, uint32_t slot,
                        berth__arena *arena)
{
    uint32_t count = special->variant_count;
    berth__special_variant *variant = berth__arena_alloc_zero(arena, sizeof(*variant), 16);
    bool *by_devices = berth__arena_alloc(arena, special->backed_count, 1);
    if (count == special->variant_capacity) {
        uint32_t capacity = count == 0 ? 4 : 2 * count;
        berth__special_variant **longer = berth__arena_alloc(arena, capacity * sizeof(*longer), 8);
        if (longer == NULL)
            return false;
        if (count > 0)
            memcpy(longer, special->variants, count * sizeof(*longer));
        special->variants = longer;
        special->variant_capacity = capacity;
    }
    if (variant == NULL || by_devices == NULL)
        return false;
    for (uint32_t i = 0; i < special->backed_count; i++)
        by_devices[i] = lacks_resource(special, base->view, slot, i);
    variant->by_devices = by_devices;
    special->variants[special->variant_count++] = variant;
    return make_variant(special, base, variant, arena);
}

bool berth__special_claim_vary(berth__special_claim *special, const berth__pod_claims *base,
                               berth__arena *arena)
{
    for (uint32_t slot = 0; slot < base->view->layout->count; slot++)
        if (find(special, base->view, slot) == NULL && !add_variant(special, base, slot, arena))
            return false;
    return true;
}

bool berth__special_claim_recall(berth__special_claim *special, berth__arena *arena)
{
    enum { KEPT = BERTH__LIMIT(16, 1) }; /* results for further variants are not kept */
    for (uint32_t v = 0; v < special->variant_count && v < KEPT; v++)
        if (!berth__pod_claims_recall(&special->variants[v]->claims, arena))
            return false;
    return true;
}

/* ---- on a node ---- */

/* Whether the node states an amount of each resource that no devices back. */
static bool names_others(const berth__special_claim *special, const berth__node_facts *facts)
{
    for (uint32_t i = 0; i < special->other_count; i++) {
        bool named = false;
        (void)berth__node_allocatable(facts, special->others[i], &named);
        if (!named)
            return false;
    }
    return true;
}

static bool asks_devices(const berth__special_variant *variant, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (variant->by_devices[i])
            return true;
    return false;
}

berth__pod_claims *berth__special_claim_on(const berth__pod_claims *base, uint32_t slot,
                                           berth__claims_verdict *verdict)
{
    const berth__special_claim *special = base->special;
    const berth__device_claim *written = special->written;
    *verdict = BERTH__CLAIMS_STALE;
    if (written != NULL && written->facts->request_count > 0)
        return NULL;
    *verdict = BERTH__CLAIMS_NO_RESOURCE;
    if (!names_others(special, berth__view_node(base->view, slot)->facts))
        return NULL;
    *verdict = BERTH__CLAIMS_FIT;
    berth__special_variant *variant = find(special, base->view, slot);
    const bool asks = asks_devices(variant, special->backed_count) && !has_devices(special);
    return special->alone && !asks ? NULL : &variant->claims;
}
