/* NodeAffinity: nodeSelector, required and preferred node affinity, and the profile's
 * addedAffinity.
 * Source: kube-scheduler v1.32, plugins/nodeaffinity. */
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/text.h"
#include "plugins/node_match.h"
#include "plugins/registry.h"

/* The profile's addedAffinity. */
typedef struct instance {
    bool has_required;
    berth__interned_node_selector required;
    const berth__interned_node_preference *preferred;
    uint32_t preferred_count;
} instance;

typedef struct filter_state {
    bool has_added;
    berth__node_match added;
    berth__node_match own;
} filter_state;

typedef struct score_state {
    berth__term_match *terms;
    const int32_t **weights;
    uint32_t count;
    int64_t most; /* sum of the weights' absolute values */
} score_state;

static berth_status node_affinity_configure(berth__model *model, berth__arena *arena,
                                            const berth_plugin_args *args, void *opaque,
                                            berth_error *error)
{
    instance *own = opaque;
    bool ok = true;
    if (args == NULL)
        return BERTH_OK;
    const berth_node_affinity *added = &args->node_affinity.added_affinity;
    own->has_required = added->required != NULL;
    if (own->has_required)
        own->required = berth__node_selector_make(&model->strings, arena, added->required, &ok);
    berth__interned_node_preference *terms =
        berth__arena_alloc(arena, added->preferred_count * sizeof(*terms), 8);
    ok &= terms != NULL;
    for (uint32_t i = 0; ok && i < added->preferred_count; i++) {
        terms[i].weight = added->preferred[i].weight;
        terms[i].term =
            berth__node_term_make(&model->strings, arena, &added->preferred[i].preference, &ok);
    }
    own->preferred = terms;
    own->preferred_count = added->preferred_count;
    return ok ? BERTH_OK : berth__error_no_memory(error);
}

/* ---- filter ---- */

/* Store in `names` the intersection of the metadata.name requirements (operator In) of one term.
 * Returns false if the term has no such entry and therefore allows all names. */
static bool term_names(const berth__model *model, const berth__node_term *term, berth__sym *names,
                       uint32_t *count)
{
    bool any = false;
    *count = 0;
    for (uint32_t i = 0; i < term->field_count; i++) {
        const berth__interned_requirement *field = &term->fields[i];
        if (field->key != model->known.metadata_name || field->op != BERTH__OP_IN)
            continue;
        if (!any) {
            memcpy(names, field->values, field->value_count * sizeof(*names));
            *count = field->value_count;
        } else {
            uint32_t kept = 0;
            for (uint32_t k = 0; k < *count; k++)
                for (uint32_t v = 0; v < field->value_count; v++)
                    if (names[k] == field->values[v]) {
                        names[kept++] = names[k];
                        break;
                    }
            *count = kept;
        }
        any = true;
    }
    return any;
}

static uint32_t most_field_values(const berth__interned_node_selector *required)
{
    uint32_t most = 0;
    for (uint32_t t = 0; t < required->count; t++)
        for (uint32_t i = 0; i < required->terms[t].field_count; i++)
            if (required->terms[t].fields[i].value_count > most)
                most = required->terms[t].fields[i].value_count;
    return most;
}

/* Set the bits of the nodes with these names. */
static void allow_names(const berth__view *view, const berth__sym *names, uint32_t count,
                        uint64_t *allowed)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = berth__view_slot_of(view, names[i]);
        if (slot != BERTH__SLOT_NONE)
            berth__bit_set(allowed, slot);
    }
}

/* Restrict the search to the union of the names that the terms allow (kube-scheduler:
 * PreFilterResult). */
static berth__outcome restrict_names(berth__prepare *prepare)
{
    const berth__view *view = prepare->cycle->view;
    const berth__interned_node_selector *required = &prepare->cycle->cls->node_rules->required;
    uint32_t most = most_field_values(required);
    if (most == 0 || required->count == 0)
        return BERTH__ACTIVE;
    berth__sym *names = berth__arena_alloc(prepare->arena, most * sizeof(*names), 8);
    uint64_t *allowed = berth__arena_alloc_zero(
        prepare->arena, (size_t)view->layout->tile_count * BERTH__TILE / 8, 64);
    if (names == NULL || allowed == NULL) {
        prepare->ok = false;
        return BERTH__SKIP;
    }
    bool any_name = false;
    for (uint32_t t = 0; t < required->count; t++) {
        uint32_t count;
        if (!term_names(view->model, &required->terms[t], names, &count))
            return BERTH__ACTIVE; /* this term allows every node */
        any_name |= count > 0;
        allow_names(view, names, count, allowed);
    }
    if (!any_name) {
        berth__reason(prepare->reasons, BERTH_CODE_UNRESOLVABLE, "pod affinity terms conflict");
        return BERTH__REFUSE;
    }
    prepare->allowed = allowed;
    return BERTH__ACTIVE;
}

static bool term_leaves(const berth__model *model, const berth__node_term *term, berth__sym name)
{
    for (uint32_t i = 0; i < term->field_count; i++) {
        const berth__interned_requirement *field = &term->fields[i];
        bool listed = field->key != model->known.metadata_name || field->op != BERTH__OP_IN;
        for (uint32_t v = 0; v < field->value_count && !listed; v++)
            listed = field->values[v] == name;
        if (!listed)
            return false;
    }
    return true;
}

bool berth__affinity_leaves(const berth__model *model, const berth__class *cls, berth__sym name)
{
    const berth__interned_node_selector *required = &cls->node_rules->required;
    bool leaves = false;
    for (uint32_t t = 0; t < required->count && !leaves; t++)
        leaves = term_leaves(model, &required->terms[t], name);
    return leaves;
}

static berth__outcome node_affinity_prepare_filter(berth__prepare *prepare)
{
    const instance *added = prepare->instance;
    const berth__node_rules *rules = prepare->cycle->cls->node_rules;
    filter_state *own = prepare->state;
    bool needed = rules != NULL && (rules->has_selector || rules->has_required);
    if (!needed && !added->has_required)
        return BERTH__SKIP;
    berth__view *view = prepare->cycle->view;
    own->has_added = added->has_required;
    if (own->has_added)
        prepare->ok &= berth__node_match_make(view, prepare->arena, (berth__labels){0},
                                              &added->required, &own->added);
    if (needed)
        prepare->ok &=
            berth__node_match_make(view, prepare->arena, rules->selector,
                                   rules->has_required ? &rules->required : NULL, &own->own);
    return needed && rules->has_required && !prepare->bare ? restrict_names(prepare)
                                                           : BERTH__ACTIVE;
}

static void node_affinity_filter(const berth__question *cycle, const void *opaque_instance,
                                 const void *opaque, uint32_t tile, berth__mask *mask)
{
    (void)opaque_instance;
    const filter_state *own = opaque;
    if (own->has_added)
        berth__node_match_tile(cycle->view, &own->added, tile, mask);
    berth__node_match_tile(cycle->view, &own->own, tile, mask);
}

static void node_affinity_explain(const berth__question *cycle, const void *opaque_instance,
                                  const void *opaque, uint32_t slot, berth__reasons *reasons)
{
    (void)opaque_instance;
    const filter_state *own = opaque;
    uint32_t at = slot % BERTH__TILE;
    berth__mask mask = berth__mask_range(at, at + 1);
    if (own->has_added)
        berth__node_match_tile(cycle->view, &own->added, slot / BERTH__TILE, &mask);
    if (berth__mask_empty(&mask))
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                      "node(s) didn't match scheduler-enforced node affinity");
    else
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                      "node(s) didn't match Pod's node affinity/selector");
}

/* ---- score ---- */

static void add_terms(berth__prepare *prepare, const berth__interned_node_preference *terms,
                      uint32_t count, score_state *own)
{
    for (uint32_t i = 0; i < count && prepare->ok; i++) {
        if (terms[i].weight == 0 || terms[i].term.empty)
            continue;
        own->most += terms[i].weight < 0 ? -(int64_t)terms[i].weight : terms[i].weight;
        prepare->ok = berth__term_match_make(prepare->cycle->view, prepare->arena, &terms[i].term,
                                             &own->terms[own->count]);
        own->weights[own->count++] = &terms[i].weight;
    }
}

static berth__outcome node_affinity_prepare_score(berth__prepare *prepare)
{
    const instance *added = prepare->instance;
    const berth__node_rules *rules = prepare->cycle->cls->node_rules;
    score_state *own = prepare->state;
    bool has_own = rules != NULL && rules->has_preferred;
    if (!has_own && added->preferred_count == 0)
        return prepare->bare ? BERTH__UNIFORM : BERTH__SKIP;
    uint32_t own_count = has_own ? rules->preferred_count : 0;
    for (uint32_t i = 0; i < own_count; i++) {
        const berth__interned_node_preference *term = &rules->preferred[i];
        if (!term->term.valid && term->weight != 0) {
            berth__reason(prepare->reasons, BERTH_CODE_UNRESOLVABLE, "%.*s",
                          (int)rules->preferred_problem.len, rules->preferred_problem.data);
            return BERTH__FAIL;
        }
    }
    uint32_t most = added->preferred_count + own_count;
    own->terms = berth__arena_alloc(prepare->arena, most * sizeof(*own->terms), 8);
    own->weights = berth__arena_alloc(prepare->arena, most * sizeof(*own->weights), 8);
    prepare->ok = own->terms != NULL && own->weights != NULL;
    add_terms(prepare, added->preferred, added->preferred_count, own);
    if (has_own)
        add_terms(prepare, rules->preferred, own_count, own);
    prepare->small = own->most <= BERTH__NARROW_MAX;
    return BERTH__ACTIVE;
}

static void node_affinity_score(const berth__question *cycle, const void *opaque_instance,
                                const void *opaque, uint32_t tile, const berth__mask *mask,
                                int64_t *out)
{
    (void)opaque_instance;
    const score_state *own = opaque;
    cycle->view->kernels->clear(out);
    for (uint32_t i = 0; i < own->count; i++) {
        berth__mask matched = *mask;
        berth__term_match_tile(cycle->view, &own->terms[i], tile, &matched);
        cycle->view->kernels->add_where(&matched, *own->weights[i], out);
    }
}

static void node_affinity_score_kept(const berth__question *cycle, const void *opaque_instance,
                                     const void *opaque, uint32_t tile, const berth__mask *mask,
                                     int16_t *kept)
{
    (void)opaque_instance;
    const score_state *own = opaque;
    memset(kept, 0, BERTH__TILE * sizeof(*kept));
    for (uint32_t i = 0; i < own->count; i++) {
        berth__mask matched = *mask;
        berth__term_match_tile(cycle->view, &own->terms[i], tile, &matched);
        cycle->view->kernels->add_where_kept(&matched, (int16_t)*own->weights[i], kept);
    }
}

/* ---- waking ---- */

static bool meets(const berth__wake *wake, const berth__node_rules *rules, const instance *added,
                  const berth__node_facts *facts)
{
    const berth__intern *strings = &wake->view->model->strings;
    berth__sym name = wake->node->name;
    if (added->has_required &&
        !berth__node_selector_meets(strings, &added->required, name, berth__node_labels(facts)))
        return false;
    return berth__node_rules_admit(strings, rules, name, berth__node_labels(facts));
}

/* Wake if a node matches now and did not before. */
static bool node_affinity_wakes(berth__wake *wake, const berth__waiter *waiter, const void *opaque)
{
    const berth__node_rules *rules = waiter->cls->node_rules;
    return meets(wake, rules, opaque, wake->new_facts) &&
           (wake->old_facts == NULL || !meets(wake, rules, opaque, wake->old_facts));
}

const berth__plugin_ops berth__plugin_node_affinity = {
    .name = "NodeAffinity",
    .flags = BERTH__STATIC_FILTER | BERTH__STATIC_SCORE | BERTH__ALWAYS_UNRESOLVABLE,
    .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_LABELS,
    .wakes = node_affinity_wakes,
    .instance_bytes = sizeof(instance),
    .configure = node_affinity_configure,
    .filter_state_bytes = sizeof(filter_state),
    .prepare_filter = node_affinity_prepare_filter,
    .filter = node_affinity_filter,
    .explain = node_affinity_explain,
    .score_state_bytes = sizeof(score_state),
    .prepare_score = node_affinity_prepare_score,
    .score = node_affinity_score,
    .score_kept = node_affinity_score_kept,
    .normalize = BERTH__NORMALIZATION_MAX,
};
