/* NodeAffinityPriority of v1.15: sums the weights of the preferred node affinity terms that match.
 * Unlike NodeAffinity's score it reads only matchExpressions.
 * Source: Kubernetes v1.15.3, algorithm/priorities/node_affinity.go. */
#include <string.h>

#include "legacy/legacy_registry.h"
#include "plugins/node_match.h"

typedef struct weighted_term {
    int64_t weight;
    berth__node_term term; /* without its matchFields */
    berth__term_match match;
} weighted_term;

typedef struct state {
    weighted_term *terms;
    uint32_t count;
} state;

static bool add_term(berth__prepare *prepare, const berth__interned_node_preference *source,
                     state *own)
{
    weighted_term *out = &own->terms[own->count];
    out->weight = source->weight;
    out->term = source->term;
    out->term.valid = true;
    out->term.field_count = 0;
    own->count++;
    return berth__term_match_make(prepare->cycle->view, prepare->arena, &out->term, &out->match);
}

static berth__outcome legacy_node_affinity_priority_prepare(berth__prepare *prepare)
{
    const berth__node_rules *rules = prepare->cycle->cls->node_rules;
    state *own = prepare->state;
    uint32_t count = rules != NULL ? rules->preferred_count : 0;
    own->terms = berth__arena_alloc(prepare->arena, count * sizeof(*own->terms), 8);
    prepare->ok = own->terms != NULL;
    for (uint32_t i = 0; i < count && prepare->ok; i++) {
        const berth__interned_node_preference *term = &rules->preferred[i];
        if (term->weight == 0 || term->term.expression_count == 0)
            continue;
        if (!term->term.expressions_valid) {
            berth__reason(prepare->reasons, BERTH_CODE_UNRESOLVABLE, "%.*s",
                          (int)rules->preferred_problem.len, rules->preferred_problem.data);
            return BERTH__FAIL;
        }
        prepare->ok = add_term(prepare, term, own);
    }
    prepare->uniform = 0;
    return own->count > 0 ? BERTH__ACTIVE : BERTH__UNIFORM;
}

static void legacy_node_affinity_priority_score(const berth__question *cycle, const void *instance,
                                                const void *opaque, uint32_t tile,
                                                const berth__mask *mask, int64_t *out)
{
    (void)instance;
    const state *own = opaque;
    memset(out, 0, BERTH__TILE * sizeof(*out));
    for (uint32_t i = 0; i < own->count; i++) {
        berth__mask matched = *mask;
        berth__term_match_tile(cycle->view, &own->terms[i].match, tile, &matched);
        BERTH__MASK_EACH(&matched, s)
        {
            out[s] += own->terms[i].weight;
        }
    }
}

const berth__plugin_ops berth__plugin_node_affinity_priority = {
    .name = "NodeAffinityPriority",
    .flags = BERTH__STATIC_SCORE,
    .score_state_bytes = sizeof(state),
    .prepare_score = legacy_node_affinity_priority_prepare,
    .score = legacy_node_affinity_priority_score,
    .normalize = BERTH__NORMALIZATION_MAX,
    .score_max = BERTH__SCORE_MAX_LEGACY,
};
