#include "plans/drain_plan.h"

#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/progress.h"
#include "cli/stopwatch.h"
#include "loading/node_list.h"
#include "loading/pod_traits.h"
#include "plans/node_cordon.h"
#include "plans/node_lookup.h"

/* ---- facts about pods that the engine does not keep ---- */

void drain_plan_see(drain_plan *d, const berth_object *object, berth_pod_id pod)
{
    local_volumes_see(&d->volumes, object, pod);
    if (pod != BERTH_POD_NONE && object->kind == BERTH_KIND_POD)
        drain_plan_mark(d, pod, pod_traits_of(object->as.pod));
}

void drain_plan_mark(drain_plan *d, berth_pod_id pod, unsigned traits)
{
    if (traits == 0)
        return;
    d->marked = heap_grow(d->marked, &d->marked_capacity, d->marked_count + 1, sizeof(*d->marked));
    d->marked[d->marked_count++] = (marked_pod){pod, traits};
}

static int by_pod(const void *a, const void *b)
{
    const marked_pod *left = a;
    const marked_pod *right = b;
    return left->pod < right->pod ? -1 : left->pod > right->pod;
}

static unsigned find_traits(const drain_plan *d, berth_pod_id pod)
{
    const marked_pod wanted = {.pod = pod};
    const marked_pod *found = d->marked_count > 0 ? bsearch(&wanted, d->marked, d->marked_count,
                                                            sizeof(*d->marked), by_pod)
                                                  : NULL;
    return found != NULL ? found->traits : 0;
}

/* ---- choosing the nodes ---- */

static void add_node(drain_plan *d, berth_node_id node)
{
    if (d->place_of_node[node] != 0)
        return; /* named twice */
    d->nodes[d->node_count++] = (drained){.node = node};
    d->place_of_node[node] = (uint32_t)d->node_count;
}

berth_status drain_plan_choose(drain_plan *d, const text_list *names, berth_error *error)
{
    uint32_t count = 0;
    berth_node_id *order = NULL;
    berth_status status = node_list_make(d->engine, &order, &count, error);
    if (status != BERTH_OK)
        return status;
    for (uint32_t i = 0; i < count; i++)
        if (order[i] >= d->place_count)
            d->place_count = order[i] + 1;
    d->place_of_node = heap_new(d->place_count, sizeof(*d->place_of_node));
    d->nodes = heap_new(count > names->count ? count : names->count, sizeof(*d->nodes));
    for (uint32_t i = 0; i < count; i++)
        if (d->all || (d->selector != NULL && label_query_matches(&d->query, d->engine, order[i])))
            add_node(d, order[i]);
    for (size_t i = 0; i < names->count && status == BERTH_OK; i++) {
        berth_node_id node = BERTH_NODE_NONE;
        status = node_lookup(d->engine, names->items[i], &node, error);
        if (status == BERTH_OK)
            add_node(d, node);
    }
    free(order);
    if (status == BERTH_OK && d->selector != NULL && d->node_count == 0)
        status =
            error_set(error, BERTH_E_NOT_FOUND, NULL, "no node's labels match '%s'", d->selector);
    return status;
}

static drained *place_of(const drain_plan *d, berth_node_id node)
{
    return &d->nodes[d->place_of_node[node] - 1];
}

/* ---- draining ---- */

static void add_move(drain_plan *d, drained *node, berth_pod_id pod, uint32_t order)
{
    unsigned traits = find_traits(d, pod);
    berth_str volume = local_volumes_of(&d->volumes, pod);
    if (traits & POD_STAYS) {
        node->stay[traits & POD_DAEMON ? 0 : traits & POD_MIRROR ? 1 : 2]++;
        return;
    }
    d->moves = heap_grow(d->moves, &d->move_capacity, d->move_count + 1, sizeof(*d->moves));
    d->moves[d->move_count++] = (move){.pod = pod,
                                       .from = node->node,
                                       .to = BERTH_NODE_NONE,
                                       .priority = berth_engine_pod_priority(d->engine, pod),
                                       .order = order,
                                       .bare = (traits & POD_BARE) != 0,
                                       .empty_dir = (traits & POD_EMPTY_DIR) != 0,
                                       .volume = volume};
    node->pods++;
    node->local += volume.len > 0;
    node->empty_dirs += (traits & POD_EMPTY_DIR) != 0;
    node->bare += (traits & POD_BARE) != 0;
    d->honors_taints |= (traits & POD_HONORS_TAINTS) != 0;
}

/* Collect the pods that must leave a node; the engine lists the newest first. */
static void collect_pods(drain_plan *d, drained *node)
{
    uint32_t count = berth_engine_node_pods(d->engine, node->node, NULL, 0);
    d->ids = heap_grow(d->ids, &d->id_capacity, count, sizeof(*d->ids));
    berth_engine_node_pods(d->engine, node->node, d->ids, count);
    for (uint32_t i = count; i-- > 0;)
        add_move(d, node, d->ids[i], (uint32_t)d->move_count);
}

static int by_priority(const void *a, const void *b)
{
    const move *left = a;
    const move *right = b;
    if (left->priority != right->priority)
        return left->priority > right->priority ? -1 : 1;
    return left->order < right->order ? -1 : left->order > right->order;
}

static berth_status explain(drain_plan *d, move *one, berth_error *error)
{
    const berth_decide_options options = {.size = sizeof(options),
                                          .flags =
                                              BERTH_DECIDE_KEEP_ROTATION | BERTH_DECIDE_SEARCH_ONLY,
                                          .explanation = d->explanation};
    berth_placement placement;
    berth_status status = berth_engine_decide(d->engine, one->pod, &options, &placement, error);
    if (status != BERTH_OK)
        return status;
    berth_str message = berth_explanation_message(d->explanation);
    if (message.data == NULL)
        message = words_of("the attempt failed with an error");
    one->message = word_table_add(&d->messages, message);
    return BERTH_OK;
}

static berth_status place(drain_plan *d, move *one, berth_error *error)
{
    berth_placement placement;
    berth_status status = berth_engine_schedule(d->engine, one->pod, &placement, error);
    if (status == BERTH_E_NOT_FOUND) { /* a pod of another scheduler */
        one->message = word_table_add(&d->messages, words_of(error->message));
        return BERTH_OK;
    }
    if (status != BERTH_OK)
        return status;
    one->to = placement.node;
    if (placement.verdict != BERTH_VERDICT_PLACED)
        return d->summary_only ? BERTH_OK
                               : explain(d, one, error); /* the explanation would not be shown */
    place_of(d, one->from)->placed++;
    return claim_book_placed(&d->input->claims, d->engine, one->pod, error);
}

/* Move the pods of one turn. All of them leave before the first is placed, since evictions run
 * ahead of a scheduler. */
static berth_status move_pods(drain_plan *d, move *moves, size_t count, uint32_t turn,
                              berth_error *error)
{
    berth_status status = BERTH_OK;
    for (size_t i = 0; i < count && status == BERTH_OK; i++)
        if (moves[i].turn == turn)
            status = berth_engine_unbind(d->engine, moves[i].pod, error);
    for (size_t i = 0; i < count && status == BERTH_OK; i++)
        if (moves[i].turn == turn)
            status = claim_book_left(&d->input->claims, d->engine, moves[i].pod, error);
    for (size_t i = 0; i < count && status == BERTH_OK; i++)
        if (moves[i].turn == turn)
            status = place(d, &moves[i], error);
    return status;
}

/* Choose the pods that leave in a turn: those whose budgets allow it. Returns how many. */
static size_t evict(drain_plan *d, move *moves, size_t count, uint32_t turn)
{
    size_t evicted = 0;
    for (size_t i = 0; i < count; i++) {
        if (moves[i].turn != 0 || !budgets_take(&d->input->budgets, moves[i].budget))
            continue;
        moves[i].turn = turn;
        place_of(d, moves[i].from)->turns = turn;
        evicted++;
    }
    return evicted;
}

/* Evict in turns, as budgets allow. Pods that a budget protects are still tried elsewhere and
 * reported. */
static berth_status move_in_turns(drain_plan *d, move *moves, size_t count, berth_error *error)
{
    budgets_begin(&d->input->budgets);
    for (size_t i = 0; i < count; i++)
        moves[i].budget = budgets_of(&d->input->budgets, d->engine, moves[i].pod);
    for (uint32_t turn = 1; evict(d, moves, count, turn) > 0; turn++) {
        TRY(move_pods(d, moves, count, turn, error));
        for (size_t i = 0; i < count; i++)
            if (moves[i].turn == turn && moves[i].to != BERTH_NODE_NONE)
                budgets_give(&d->input->budgets, moves[i].budget);
    }
    for (size_t i = 0; i < count; i++)
        place_of(d, moves[i].from)->forbidden += moves[i].turn == 0;
    return move_pods(d, moves, count, 0, error);
}

static berth_status drain_nodes(drain_plan *d, drained *nodes, size_t count, berth_error *error)
{
    size_t first = d->move_count;
    berth_status status = berth_engine_begin(d->engine, error);
    if (status != BERTH_OK)
        return status;
    d->honors_taints = false;
    for (size_t i = 0; i < count && status == BERTH_OK; i++) {
        status = berth_engine_close_node(d->engine, nodes[i].node, true, error);
        collect_pods(d, &nodes[i]);
    }
    for (size_t i = 0; i < count && status == BERTH_OK && d->honors_taints; i++)
        status = node_cordon(d->engine, nodes[i].node, error);
    move *moves = d->moves + first;
    size_t move_count = d->move_count - first;
    if (status == BERTH_OK && move_count > 0) {
        qsort(moves, move_count, sizeof(*moves), by_priority);
        status = move_in_turns(d, moves, move_count, error);
    }
    berth_engine_rollback(d->engine, NULL);
    claim_book_restore(&d->input->claims);
    return status;
}

static bool is_cancelled(const drain_plan *d)
{
    return d->cancel != NULL && __atomic_load_n(d->cancel, __ATOMIC_RELAXED) != 0;
}

static berth_status drain_all(drain_plan *d, berth_error *error)
{
    berth_status status = BERTH_OK;
    stopwatch watch;
    progress bar;
    progress_start(&bar, "draining", d->node_count);
    stopwatch_start(&watch);
    if (d->together)
        status = drain_nodes(d, d->nodes, d->node_count, error);
    for (size_t i = 0; i < d->node_count && !d->together && status == BERTH_OK; i++) {
        status = is_cancelled(d)
                     ? error_set(error, BERTH_E_CANCELLED, NULL, "the time for an answer is up")
                     : drain_nodes(d, &d->nodes[i], 1, error);
        if (i % 16 == 0)
            progress_update(&bar, i);
    }
    stopwatch_stop(&watch);
    progress_end(&bar);
    d->seconds = stopwatch_seconds(&watch);
    return status;
}

berth_status drain_plan_run(drain_plan *d, berth_error *error)
{
    if (d->marked_count > 0)
        qsort(d->marked, d->marked_count, sizeof(*d->marked), by_pod);
    local_volumes_end(&d->volumes);
    TRY(berth_explanation_create(NULL, &d->explanation, error));
    return drain_all(d, error);
}

void drain_plan_free(drain_plan *d)
{
    free(d->marked);
    free(d->nodes);
    free(d->place_of_node);
    free(d->moves);
    free(d->ids);
    local_volumes_free(&d->volumes);
    label_query_free(&d->query);
    word_table_free(&d->messages);
    berth_explanation_destroy(d->explanation);
}
