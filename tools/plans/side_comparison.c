/* Finds the pods that differ between sides, in one walk over the lists of all sides, which are
 * sorted by name. */
#include "plans/side_comparison.h"

#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "plans/side_reasons.h"

const char *const pod_change_names[] = {"noLongerFits", "nodeNotInInput", "newlyFits", "moved",
                                        "onlyOnSomeSides"};

static int by_name(const side_pod *a, const side_pod *b)
{
    int order = words_compare(a->namespace_name, b->namespace_name);
    return order != 0 ? order : words_compare(a->name, b->name);
}

static berth_str node_name(const cluster_side *side, const side_pod *pod)
{
    return pod->node == BERTH_NODE_NONE ? words_of("-")
                                        : berth_engine_node_name(side->engine, pod->node);
}

const side_pod *comparison_pod(const comparison *c, const changed_pod *pod)
{
    for (size_t i = 0; i < c->side_count; i++)
        if (pod->on[i] != NULL)
            return pod->on[i];
    return NULL;
}

berth_str comparison_node(const comparison *c, const changed_pod *pod, size_t side)
{
    if (pod->on[side] == NULL)
        return (berth_str){0};
    return node_name(&c->sides[side].side, pod->on[side]);
}

/* ---- differences ---- */

static bool is_alike(const comparison *c, const changed_pod *pod, size_t side)
{
    const side_pod *first = pod->on[0];
    const side_pod *own = pod->on[side];
    if (first == NULL || own == NULL)
        return first == own;
    if (first->node == BERTH_NODE_NONE || own->node == BERTH_NODE_NONE)
        return first->node == own->node;
    if (own->stranded && !first->stranded)
        return false; /* even if both have the same name */
    return words_equal(comparison_node(c, pod, 0), comparison_node(c, pod, side));
}

static bool has_place(const side_pod *pod)
{
    return pod != NULL && pod->node != BERTH_NODE_NONE && !pod->stranded;
}

/* Compare one side's pod with the first side's and count the result; returns whether they
 * differ. */
static bool count_side(comparison *c, size_t side, changed_pod *pod)
{
    comparison_side *here = &c->sides[side];
    const side_pod *first = pod->on[0];
    const side_pod *own = pod->on[side];
    pod_change change = CHANGE_PRESENCE;
    if (is_alike(c, pod, side))
        return false;
    here->worse += first == NULL ? !has_place(own) : has_place(first);
    if (first == NULL || own == NULL) {
        here->here_alone += first == NULL;
        here->there_alone += own == NULL;
    } else if (own->node == BERTH_NODE_NONE) {
        here->lost++;
        change = CHANGE_LOST;
    } else if (own->stranded) {
        here->unhoused++;
        change = CHANGE_UNHOUSED;
    } else if (first->node == BERTH_NODE_NONE) {
        here->gained++;
        change = CHANGE_GAINED;
    } else {
        here->moved++;
        change = CHANGE_MOVED;
    }
    if (change < pod->change)
        pod->change = change;
    return true;
}

static void keep_if_changed(comparison *c, changed_pod *pod)
{
    bool differs = false;
    pod->change = CHANGE_PRESENCE;
    for (size_t i = 1; i < c->side_count; i++)
        differs = count_side(c, i, pod) || differs;
    if (!differs)
        return;
    c->pods = heap_grow(c->pods, &c->pod_capacity, c->pod_count + 1, sizeof(*c->pods));
    c->pods[c->pod_count++] = *pod;
}

/* The next pod by name among all sides. */
static const side_pod *next_pod(const comparison *c, const size_t *at)
{
    const side_pod *least = NULL;
    for (size_t i = 0; i < c->side_count; i++) {
        const cluster_side *side = &c->sides[i].side;
        if (at[i] < side->pod_count && (least == NULL || by_name(&side->pods[at[i]], least) < 0))
            least = &side->pods[at[i]];
    }
    return least;
}

static void find_changes(comparison *c)
{
    size_t at[COMPARISON_SIDES_MAX] = {0};
    for (const side_pod *pod = next_pod(c, at); pod != NULL; pod = next_pod(c, at)) {
        changed_pod one = {.reason = NULL};
        for (size_t i = 0; i < c->side_count; i++) {
            const cluster_side *side = &c->sides[i].side;
            if (at[i] < side->pod_count && by_name(&side->pods[at[i]], pod) == 0)
                one.on[i] = &side->pods[at[i]++];
        }
        keep_if_changed(c, &one);
    }
}

/* Sort by change. The walk was in the order of names, which a stable sort keeps. */
static void sort_changes(comparison *c)
{
    changed_pod *sorted = heap_new(c->pod_count, sizeof(*sorted));
    size_t count = 0;
    for (pod_change change = CHANGE_LOST; change <= CHANGE_PRESENCE; change++)
        for (size_t i = 0; i < c->pod_count; i++)
            if (c->pods[i].change == change)
                sorted[count++] = c->pods[i];
    free(c->pods);
    c->pods = sorted;
}

/* ---- reasons ---- */

/* Explain each pod that this side does not place while another one does; the first such side's
 * reason counts. */
static berth_status explain_side(comparison *c, size_t side, side_reasons *r, berth_error *error)
{
    for (size_t i = 0; i < c->pod_count; i++) {
        changed_pod *pod = &c->pods[i];
        uint32_t number = 0;
        if (pod->reason != NULL || has_place(pod->on[side]) || pod->on[side] == NULL)
            continue;
        if (pod->on[side]->stranded) {
            berth_str missing = words_of("its node is not in the input");
            pod->reason = heap_text(missing.data, missing.len);
            continue;
        }
        TRY(side_reasons_find(r, &c->sides[side].side, pod->on[side], &number, error));
        berth_str text = word_table_get(&r->texts, number);
        pod->reason = heap_text(text.data, text.len);
    }
    return BERTH_OK;
}

static berth_status explain_changes(comparison *c, berth_error *error)
{
    berth_status status = BERTH_OK;
    for (size_t i = 0; i < c->side_count && status == BERTH_OK; i++) {
        side_reasons r = {.as_sets = false};
        status = explain_side(c, i, &r, error);
        side_reasons_free(&r);
    }
    return status;
}

berth_status comparison_make(comparison *c, berth_error *error)
{
    find_changes(c);
    sort_changes(c);
    return explain_changes(c, error);
}

bool comparison_is_worse(const comparison *c)
{
    for (size_t i = 1; i < c->side_count; i++)
        if (c->sides[i].worse > 0)
            return true;
    return false;
}

void comparison_release(comparison *c)
{
    for (size_t i = 0; i < c->pod_count; i++)
        free(c->pods[i].reason);
    free(c->pods);
    for (size_t i = 0; i < COMPARISON_SIDES_MAX; i++)
        cluster_side_release(&c->sides[i].side);
}
