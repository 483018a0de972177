/* DynamicResources: finds devices for the ResourceClaims of a pod.
 * Source: kube-scheduler v1.36, plugins/dynamicresources. */
#include <string.h>

#include "plugins/registry.h"
#include "plugins/special_claim.h"

/* The state of filter and of score. */
typedef struct claims_state {
    berth__pod_claims *claims;
} claims_state;

static bool names_claims(const berth__class *cls)
{
    return cls->claims != NULL && cls->claims->count > 0;
}

static bool may_have_claims(const berth__class *cls)
{
    return names_claims(cls) || cls->extended != NULL;
}

static berth__outcome dynamic_resources_prepare_filter(berth__prepare *prepare)
{
    claims_state *state = prepare->state;
    prepare->stays = !may_have_claims(prepare->cycle->cls);
    berth__outcome outcome = berth__pod_claims_make(prepare->cycle, prepare->arena,
                                                    prepare->reasons, &state->claims, &prepare->ok);
    if (outcome != BERTH__ACTIVE || !prepare->ok)
        return outcome;
    prepare->ok = berth__pod_claims_recall(state->claims, prepare->arena);
    prepare->may_fail = prepare->ok && !berth__pod_claims_settle(state->claims);
    return outcome;
}

static void dynamic_resources_filter(const berth__question *cycle, const void *instance,
                                     const void *state, uint32_t tile, berth__mask *mask)
{
    (void)cycle;
    (void)instance;
    berth__pod_claims *claims = ((const claims_state *)state)->claims;
    (void)pthread_mutex_lock(&claims->devices->lock);
    berth__pod_claims_keep(claims, tile, mask);
    (void)pthread_mutex_unlock(&claims->devices->lock);
}

static void dynamic_resources_keep_failed(const berth__question *cycle, const void *instance,
                                          const void *state, uint32_t tile, berth__mask *mask)
{
    (void)cycle;
    (void)instance;
    berth__pod_claims *claims = ((const claims_state *)state)->claims;
    (void)pthread_mutex_lock(&claims->devices->lock);
    berth__pod_claims_keep_failed(claims, tile, mask);
    (void)pthread_mutex_unlock(&claims->devices->lock);
}

static void fail(berth__reasons *reasons, berth_str text)
{
    berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, BERTH__ERROR_PREFIX "%.*s", (int)text.len,
                  text.data);
    reasons->failed = true;
}

static void explain(berth__pod_claims *claims, uint32_t slot, berth__reasons *reasons)
{
    berth_str node = berth__text(claims->view->model, berth__view_node(claims->view, slot)->name);
    berth__claims_verdict verdict = berth__pod_claims_on(claims, slot);
    if (claims->special != NULL) {
        berth__claims_verdict without;
        berth__pod_claims *here = berth__special_claim_on(claims, slot, &without);
        claims = here != NULL ? here : claims;
    }
    if (verdict == BERTH__CLAIMS_FAILED) /* search again to get the text */
        verdict = berth__pod_claims_search(claims, slot);
    switch (verdict) {
    case BERTH__CLAIMS_UNKNOWN:
    case BERTH__CLAIMS_FIT:
        break;
    case BERTH__CLAIMS_NONE:
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "cannot allocate all claims");
        break;
    case BERTH__CLAIMS_INVALID:
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "invalid resource pools were encountered");
        break;
    case BERTH__CLAIMS_UNAVAILABLE:
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "resourceclaim not available on the node");
        break;
    case BERTH__CLAIMS_STALE:
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "cannot schedule extended resource claim");
        break;
    case BERTH__CLAIMS_NO_RESOURCE:
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "cannot fit resource");
        break;
    case BERTH__CLAIMS_TOO_LONG:
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                      BERTH__ERROR_PREFIX "node %.*s: timed out trying to allocate devices",
                      (int)node.len, node.data);
        reasons->failed = true;
        break;
    case BERTH__CLAIMS_FAILED:
        fail(reasons, claims->search.problem);
        break;
    case BERTH__CLAIMS_NO_MEMORY:
        reasons->ok = false;
        break;
    }
}

static void dynamic_resources_explain(const berth__question *cycle, const void *instance,
                                      const void *state, uint32_t slot, berth__reasons *reasons)
{
    (void)cycle;
    (void)instance;
    berth__pod_claims *claims = ((const claims_state *)state)->claims;
    (void)pthread_mutex_lock(&claims->devices->lock);
    explain(claims, slot, reasons);
    (void)pthread_mutex_unlock(&claims->devices->lock);
}

static const char *dynamic_resources_post_filter(const berth__question *cycle, const void *instance,
                                                 const void *state, berth__freed_claim *freed)
{
    (void)instance;
    const berth__pod_claims *claims = ((const claims_state *)state)->claims;
    for (uint32_t i = 0; i < claims->served_count; i++) {
        const berth__served_claim *served = &claims->served[i];
        if (!served->unavailable || !served->spare || served->special)
            continue;
        *freed = (berth__freed_claim){served->namespace_name, served->name, false};
        return "deallocation of ResourceClaim completed";
    }
    if (claims->special != NULL && claims->special->written != NULL) {
        const berth__stored *written = &claims->special->written->record;
        *freed = (berth__freed_claim){written->key.namespace_name, written->key.name, true};
        return "deletion of ResourceClaim completed";
    }
    return cycle->view->model->behaviours.tells_of_idle_claims ? "still not schedulable" : "";
}

/* ---- score ---- */

static berth__outcome dynamic_resources_prepare_score(berth__prepare *prepare)
{
    claims_state *state = prepare->state;
    prepare->uniform = 0;
    prepare->stays = !names_claims(prepare->cycle->cls);
    /* A special claim has no alternatives. */
    if (!berth__pod_claims_have_alternatives(prepare->cycle->view, prepare->cycle->cls->claims))
        return BERTH__UNIFORM;
    berth__outcome outcome = berth__pod_claims_make(prepare->cycle, prepare->arena,
                                                    prepare->reasons, &state->claims, &prepare->ok);
    if (outcome != BERTH__ACTIVE || !prepare->ok)
        return BERTH__UNIFORM;
    const berth__pod_claims *claims = state->claims;
    bool allocates = claims->want_count > 0 || claims->special != NULL;
    if (!allocates || (!claims->chooses && claims->served_score == 0))
        return BERTH__UNIFORM;
    prepare->ok = berth__pod_claims_recall(state->claims, prepare->arena);
    return BERTH__ACTIVE;
}

static void dynamic_resources_score(const berth__question *cycle, const void *instance,
                                    const void *state, uint32_t tile, const berth__mask *mask,
                                    int64_t *out)
{
    (void)cycle;
    (void)instance;
    berth__pod_claims *claims = ((const claims_state *)state)->claims;
    (void)pthread_mutex_lock(&claims->devices->lock);
    BERTH__MASK_EACH(mask, s)
    {
        uint32_t slot = tile * BERTH__TILE + s;
        out[s] = berth__pod_claims_on(claims, slot) == BERTH__CLAIMS_FIT
                     ? berth__pod_claims_score(claims, slot)
                     : 0;
    }
    (void)pthread_mutex_unlock(&claims->devices->lock);
}

/* ---- reserve ---- */

static berth__device_claim *make_special(berth__view *view, const berth__question *cycle)
{
    const berth__pod_record *pod = berth__pod_at(cycle->pods, cycle->pod);
    return berth__storage_special_claim_make(view->storage, cycle->cls->identity->namespace_name,
                                             berth__pod_name(pod));
}

static berth_status reserve_found(berth__view *view, const berth__question *cycle,
                                  const berth__pod_claims *claims, berth__arena *arena)
{
    uint32_t count = claims->want_count;
    berth__device_grant *grants = berth__arena_alloc(arena, (count + 1) * sizeof(*grants), 8);
    berth__device_allocation *found = berth__arena_alloc(arena, (count + 1) * sizeof(*found), 16);
    if (grants == NULL || found == NULL)
        return BERTH_E_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        berth__device_claim *claim = claims->wanting[i];
        if (claim == NULL)
            claim = make_special(view, cycle);
        if (claim == NULL || !berth__device_search_allocation(&claims->search, i, arena, &found[i]))
            return BERTH_E_NOMEM;
        grants[i] = (berth__device_grant){claim, &found[i]};
    }
    return berth__storage_reserve_devices(view->storage, cycle->pod, grants, count);
}

static berth_status choose_and_reserve(const berth__question *cycle,
                                       const berth__pod_placement *placement)
{
    berth__view *view = cycle->view;
    berth__arena *arena = &view->model->scratch;
    berth__arena_reset(arena);
    berth__reasons reasons = {.arena = arena, .ok = true};
    berth__pod_claims *claims = NULL;
    bool ok = true;
    berth__outcome outcome = berth__pod_claims_make(cycle, arena, &reasons, &claims, &ok);
    berth__claims_verdict verdict;
    if (!ok || !reasons.ok)
        return BERTH_E_NOMEM;
    if (outcome == BERTH__ACTIVE && claims->special != NULL)
        claims = berth__special_claim_on(claims, placement->slot, &verdict);
    if (outcome != BERTH__ACTIVE || claims == NULL || claims->want_count == 0)
        return BERTH_OK;
    verdict = berth__pod_claims_search(claims, placement->slot);
    if (verdict == BERTH__CLAIMS_NO_MEMORY)
        return BERTH_E_NOMEM;
    return verdict == BERTH__CLAIMS_FIT ? reserve_found(view, cycle, claims, arena) : BERTH_OK;
}

/* A pod on a node where it does not fit reserves nothing. */
static berth_status dynamic_resources_reserve(const berth__question *cycle, const void *instance,
                                              const berth__pod_placement *placement)
{
    berth__model *model = cycle->view->model;
    (void)instance;
    if (!may_have_claims(cycle->cls))
        return BERTH_OK;
    berth__model_lock(model);
    berth_status status = choose_and_reserve(cycle, placement);
    berth__model_unlock(model);
    return status;
}

static void dynamic_resources_unreserve(const berth__question *cycle, const void *instance,
                                        const berth__pod_placement *placement)
{
    (void)instance;
    (void)placement;
    if (cycle->view->storage != NULL) /* NULL in a branch until a pod needs it */
        berth__storage_unreserve_devices(cycle->view->storage, cycle->pod);
}

/* ---- waking ---- */

/* A change of any claim may have freed devices. A pod whose claims do not exist waits only for
 * these claims. A pod that leaves its node frees what was reserved for it. */
static bool dynamic_resources_wakes(berth__wake *wake, const berth__waiter *waiter,
                                    const void *instance)
{
    (void)instance;
    if ((wake->bits & BERTH_WAKE_POD_REMOVE) != 0)
        return may_have_claims(wake->before);
    return (wake->bits & BERTH_WAKE_RESOURCE_CLAIM) == 0 ||
           berth__pod_claims_exist(wake->view, waiter->cls->claims);
}

const berth__plugin_ops berth__plugin_dynamic_resources = {
    .name = "DynamicResources",
    .flags = BERTH__PREPARE_EACH | BERTH__ALWAYS_UNRESOLVABLE | BERTH__FILTERS_LATE,
    .wake_on = BERTH__WAKE_POD_SELF | BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_LABELS |
               BERTH_WAKE_NODE_ALLOCATABLE | BERTH_WAKE_POD_REMOVE | BERTH__WAKE_DEVICES,
    .wakes = dynamic_resources_wakes,
    .filter_misses = "not found",
    .filter_state_bytes = sizeof(claims_state),
    .prepare_filter = dynamic_resources_prepare_filter,
    .filter = dynamic_resources_filter,
    .explain = dynamic_resources_explain,
    .keep_failed = dynamic_resources_keep_failed,
    /* Other pods do not change which devices are in use; only claims do. */
    .adjust = berth__plugin_adjust_nothing,
    .post_filter = dynamic_resources_post_filter,
    .score_state_bytes = sizeof(claims_state),
    .prepare_score = dynamic_resources_prepare_score,
    .score = dynamic_resources_score,
    .normalize = BERTH__NORMALIZATION_MAX,
    .reserve = dynamic_resources_reserve,
    .unreserve = dynamic_resources_unreserve,
};
