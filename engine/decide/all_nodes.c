/* All nodes that a pod fits: a decision without its limit and without a choice. */
#include "decide/all_nodes.h"

#include "base/bits.h"
#include "base/error.h"
#include "decide/question.h"

/* List from the index if possible. */
static bool list_by_index(berth__decider *decider, const berth__decision *decision,
                          berth__node_list *list)
{
    const berth__layout *layout = decision->cycle->view->layout;
    if (decider->path == BERTH_PATH_SCAN ||
        !berth__question_nominations_by_index(decider, decision) ||
        (layout->closed_count > 0 && !decision->profile->counts_pods))
        return false;
    berth__index *index = berth__index_get(&decider->indexes, decision, &decider->search,
                                           &decider->arena, decider->path == BERTH_PATH_INDEX);
    return index != NULL && berth__index_list(&decider->indexes, index, &decider->arena, list);
}

static berth_status list_by_search(berth__decider *decider, const berth__decision *decision,
                                   berth__node_list *list)
{
    berth__search *search = &decider->search;
    const berth__layout *layout = decision->cycle->view->layout;
    bool nominations = berth__question_nominations(decider), scored = list->totals != NULL;
    if (nominations)
        BERTH_TRY(berth__dry_run_ask(&decider->dry_run, decision));
    BERTH_TRY(berth__search_all(search, decision, nominations ? &decider->dry_run : NULL, scored));
    if (scored && search->answer.feasible_count > 0)
        BERTH_TRY(berth__search_score(search, &decider->arena));
    for (uint32_t tile = 0; tile < layout->tile_count; tile++) {
        BERTH__MASK_EACH(&search->answer.feasible[tile], s)
        {
            uint32_t slot = tile * BERTH__TILE + s;
            berth__node_list_add(list, layout->nodes[slot],
                                 scored ? berth__search_total(search, slot) : 0);
        }
    }
    return BERTH_OK;
}

static berth_status list(berth__decider *decider, berth__decision *decision, berth__node_list *out)
{
    bool held;
    berth_status status = berth__question_hold(decider, &held);
    if (status == BERTH_OK)
        status = berth__prepared_get(&decider->prepared, decision, &decider->arena);
    if (status == BERTH_OK && decision->prepared->verdict.outcome == BERTH__ACTIVE &&
        !list_by_index(decider, decision, out))
        status = list_by_search(decider, decision, out);
    return berth__question_release(decider, held, status);
}

berth_status berth__decider_list(berth__decider *decider, uint32_t pod, berth__node_list *out,
                                 berth_error *error)
{
    berth__question cycle;
    berth__decision decision;
    decider->attempt.decision.prepared = NULL;
    decider->counts.questions++;
    BERTH_TRY(berth__question_ask(decider, pod, &cycle, &decision, error));
    berth__question_begin(decider);
    if (berth__question_gated(&decision) || cycle.view->layout->count == 0)
        return BERTH_OK;
    berth_status status = list(decider, &decision, out);
    if (status == BERTH_E_INVALID)
        return berth__error_set(error, status, "a score plugin fails on this pod");
    return status == BERTH_OK ? BERTH_OK : berth__error_no_memory(error);
}
