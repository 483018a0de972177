/* NodePreferAvoidPodsPriority of v1.15: 0 for nodes whose annotation lists the
 * ReplicationController or ReplicaSet that controls the pod, otherwise 10. Its usual weight of
 * 10,000 outweighs all other priorities.
 * Source: Kubernetes v1.15.3, algorithm/priorities/node_prefer_avoid_pods.go. */
#include "base/bits.h"
#include "base/text.h"
#include "legacy/legacy_registry.h"
#include "model/avoid_pods.h"

typedef struct state {
    const uint64_t *avoiding; /* one bit a slot */
} state;

static bool any_annotated(const berth__layout *layout)
{
    uint8_t bits = 0;
    for (uint32_t slot = 0; slot < layout->count; slot++)
        bits |= layout->conditions[slot];
    return (bits & BERTH__NODE_AVOIDS_PODS) != 0;
}

/* Adjacent nodes often have the same annotation, so it is parsed again only when it differs. */
static uint64_t *find_avoiding(berth__prepare *prepare, berth_str kind, berth_str uid)
{
    const berth__view *view = prepare->cycle->view;
    uint64_t *avoiding = berth__arena_alloc_zero(
        prepare->arena, (size_t)view->layout->tile_count * BERTH__TILE / 8, 64);
    berth__sym last = 0;
    bool listed = false;
    for (uint32_t slot = 0; avoiding != NULL && slot < view->layout->count; slot++) {
        if ((view->layout->conditions[slot] & BERTH__NODE_AVOIDS_PODS) == 0)
            continue;
        berth__sym annotation = berth__view_node(view, slot)->facts->avoid_pods;
        if (annotation != last)
            listed = berth__avoid_pods_lists(berth__text(view->model, annotation), kind, uid);
        last = annotation;
        berth__bit_put(avoiding, slot, listed);
    }
    return avoiding;
}

static berth__outcome legacy_node_prefer_avoid_pods_prepare(berth__prepare *prepare)
{
    const berth__model *model = prepare->cycle->view->model;
    const berth__identity *identity = prepare->cycle->cls->identity;
    state *own = prepare->state;
    berth_str kind = berth__text(model, identity->owner_kind);
    prepare->uniform = BERTH__SCORE_MAX_LEGACY;
    if ((!berth__str_is(kind, "ReplicationController") && !berth__str_is(kind, "ReplicaSet")) ||
        !any_annotated(prepare->cycle->view->layout))
        return BERTH__UNIFORM;
    own->avoiding = find_avoiding(prepare, kind, berth__text(model, identity->owner_uid));
    prepare->ok = own->avoiding != NULL;
    return BERTH__ACTIVE;
}

static void legacy_node_prefer_avoid_pods_score(const berth__question *cycle, const void *instance,
                                                const void *opaque, uint32_t tile,
                                                const berth__mask *mask, int64_t *out)
{
    (void)cycle;
    (void)instance;
    (void)mask;
    const state *own = opaque;
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        out[s] =
            berth__bit_get(own->avoiding, tile * BERTH__TILE + s) ? 0 : BERTH__SCORE_MAX_LEGACY;
}

const berth__plugin_ops berth__plugin_node_prefer_avoid_pods = {
    .name = "NodePreferAvoidPodsPriority",
    .score_state_bytes = sizeof(state),
    .prepare_score = legacy_node_prefer_avoid_pods_prepare,
    .score = legacy_node_prefer_avoid_pods_score,
    .score_max = BERTH__SCORE_MAX_LEGACY,
};
