/* Searches for the plans of a growth: each shape alone, mixes, and nodes that can be removed
 * again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "plans/growth.h"

enum { REPAIRS_MAX = 6, BATCH_PARTS = 4, EXCHANGE_MAX = 16, ROUNDS_MAX = 4 };

static bool may_go_on(growth *g)
{
    g->ended_early = g->ended_early || g->decisions > g->decisions_max;
    return !g->ended_early;
}

/* Whether `a` is better: more pods, then a lower price, then fewer nodes. */
static bool is_better(const growth_plan *a, const growth_plan *b)
{
    if (!a->tried || !b->tried)
        return a->tried;
    if (a->placed != b->placed)
        return a->placed > b->placed;
    if (fabs(a->price - b->price) > 1e-9 * (a->price + b->price))
        return a->price < b->price;
    return a->nodes < b->nodes;
}

static void take_better(growth *g, const growth_plan *plan)
{
    if (is_better(plan, &g->best))
        g->best = *plan;
}

/* ---- each shape alone ---- */

static uint64_t pods_of(const growth *g, uint64_t shapes)
{
    uint64_t count = 0;
    for (size_t k = 0; k < g->kind_count; k++)
        count += (g->kinds[k].fits & shapes) != 0 ? g->kinds[k].count : 0;
    return count;
}

static berth_status try_alone(growth *g, size_t shape, uint64_t count, growth_plan *plan,
                              berth_error *error)
{
    memset(plan->counts, 0, sizeof(plan->counts));
    plan->counts[shape] = (uint32_t)count;
    TRY(growth_try(g, plan, error));
    take_better(g, plan);
    return BERTH_OK;
}

/* Add more and more nodes until all pods that the shape takes are placed or more nodes do not help;
 * then find the smallest number that places as many. `*failed` is the largest number that was tried
 * and did not suffice. */
static berth_status climb(growth *g, size_t shape, uint64_t wanted, uint64_t *failed,
                          berth_error *error)
{
    growth_plan *found = &g->alone[shape];
    uint64_t cap = g->shapes->items[shape].max < wanted ? g->shapes->items[shape].max : wanted;
    uint64_t count = *failed + 1 < cap ? *failed + 1 : cap;
    while (may_go_on(g)) {
        growth_plan plan = {.mixed = false};
        TRY(try_alone(g, shape, count, &plan, error));
        if (plan.placed > found->placed || !found->tried)
            *found = plan;
        if (plan.placed >= wanted || count >= cap)
            break;
        *failed = plan.placed < found->placed ? *failed : count;
        uint64_t share = plan.placed > 0 ? count * (wanted - plan.placed) / plan.placed : count;
        uint64_t step = share > count ? count : share;
        count = count + step + 1 < cap ? count + step + 1 : cap;
    }
    return BERTH_OK;
}

static berth_status search_alone(growth *g, size_t shape, berth_error *error)
{
    growth_plan *found = &g->alone[shape];
    uint64_t bit = UINT64_C(1) << shape;
    uint64_t wanted = pods_of(g, bit);
    uint64_t least = 0;
    double price;
    if (wanted == 0)
        return BERTH_OK;
    growth_bound(g, bit, &least, &price);
    uint64_t failed = least > 0 ? least - 1 : 0;
    TRY(climb(g, shape, wanted, &failed, error));
    while (found->tried && failed + 1 < found->nodes && may_go_on(g)) {
        growth_plan plan = {.mixed = false};
        uint64_t middle = failed + (found->nodes - failed) / 2;
        TRY(try_alone(g, shape, middle, &plan, error));
        if (plan.placed >= found->placed)
            *found = plan;
        else
            failed = middle;
    }
    return BERTH_OK;
}

/* ---- mixes ---- */

/* The value of placing a pod: 1, or its largest share of all requests for a resource. */
static double *make_worths(const growth *g, bool by_share)
{
    double *worths = heap_new(g->kind_count, sizeof(*worths));
    for (size_t k = 0; k < g->kind_count; k++)
        worths[k] = by_share ? 0.0 : 1.0;
    for (uint32_t r = 0; by_share && r < g->resources.count; r++) {
        double all = 0.0;
        for (size_t k = 0; k < g->kind_count; k++)
            all += (double)g->kinds[k].requests[r] * (double)g->kinds[k].count;
        for (size_t k = 0; k < g->kind_count && all > 0.0; k++) {
            double share = (double)g->kinds[k].requests[r] / all;
            worths[k] = share > worths[k] ? share : worths[k];
        }
    }
    return worths;
}

/* How many nodes of a shape to try at a time: a part of what is missing, so that large clusters
 * need few steps and the last steps are small. */
static uint32_t batch_of(const growth *g, size_t shape, const growth_plan *plan)
{
    uint64_t left = g->shapes->items[shape].max - plan->counts[shape];
    double most = 0.0;
    for (uint32_t r = 0; r < g->resources.count; r++) {
        int64_t room = g->room[shape * g->resources.count + r];
        double asked = 0.0;
        for (size_t i = 0; i < g->pod_count && room > 0; i++) {
            const growth_kind *kind = &g->kinds[g->pods[i].kind];
            if (!g->placed[i] && (kind->fits >> shape & 1) != 0)
                asked += (double)kind->requests[r];
        }
        if (room > 0 && asked / (double)room > most)
            most = asked / (double)room;
    }
    uint64_t batch = (uint64_t)(most / BATCH_PARTS);
    batch = batch < 1 ? 1 : batch;
    return (uint32_t)(batch < left ? batch : left);
}

typedef struct step {
    size_t shape;
    uint32_t nodes; /* nodes that took pods */
    double rate;    /* price divided by the value of the pods placed */
} step;

/* Find out how much a batch of one shape would help. */
static berth_status try_step(growth *g, size_t shape, uint32_t batch, const double *worths,
                             const bool *before, step *out, berth_error *error)
{
    size_t first = g->added_count;
    double worth = 0.0;
    TRY(berth_engine_begin(g->engine, error));
    berth_status status = growth_add_nodes(g, shape, batch, error);
    if (status == BERTH_OK)
        status = growth_place(g, NULL, error);
    *out = (step){.shape = shape, .rate = INFINITY};
    if (status == BERTH_OK) {
        for (size_t i = 0; i < g->pod_count; i++)
            worth += g->placed[i] && !before[i] ? worths[g->pods[i].kind] : 0.0;
        out->nodes = growth_used(g, first);
        if (worth > 0.0 && out->nodes > 0)
            out->rate = g->shapes->items[shape].price * out->nodes / worth;
    }
    g->trials++;
    berth_engine_rollback(g->engine, NULL);
    g->added_count = first;
    memcpy(g->placed, before, g->pod_count * sizeof(*before));
    return status;
}

/* One step of a mix: add the shape that places most for its price. `*more`: there was one. */
static berth_status mix_step(growth *g, growth_plan *plan, const double *worths, bool *before,
                             bool *more, berth_error *error)
{
    step best = {.rate = INFINITY};
    memcpy(before, g->placed, g->pod_count * sizeof(*before));
    for (size_t s = 0; s < g->shapes->count && may_go_on(g); s++) {
        uint32_t batch = batch_of(g, s, plan);
        step one;
        if (batch == 0)
            continue;
        TRY(try_step(g, s, batch, worths, before, &one, error));
        if (one.rate < best.rate)
            best = one;
    }
    *more = isfinite(best.rate) && may_go_on(g);
    if (!*more)
        return BERTH_OK;
    plan->counts[best.shape] += best.nodes;
    TRY(growth_add_nodes(g, best.shape, best.nodes, error));
    return growth_place(g, NULL, error);
}

/* Continue from the nodes of the plan until no pod is left or nothing helps. */
static berth_status mix_on(growth *g, growth_plan *plan, const double *worths, berth_error *error)
{
    bool *before = heap_new(g->pod_count, sizeof(*before));
    bool more = true;
    berth_status status = berth_engine_begin(g->engine, error);
    if (status == BERTH_OK) {
        status = growth_carry_out(g, plan, error);
        while (more && status == BERTH_OK)
            status = mix_step(g, plan, worths, before, &more, error);
        berth_engine_rollback(g->engine, NULL);
        g->added_count = 0;
    }
    free(before);
    return status;
}

/* Search a mix. Pods that were placed while nodes came one by one may not all fit when all nodes
 * exist at once; then more nodes are added for the rest. */
static berth_status search_mix(growth *g, bool by_share, berth_error *error)
{
    double *worths = make_worths(g, by_share);
    growth_plan plan = {.mixed = true};
    berth_status status = BERTH_OK;
    for (int i = 0; i < REPAIRS_MAX && status == BERTH_OK && may_go_on(g); i++) {
        uint64_t nodes = plan.nodes;
        status = mix_on(g, &plan, worths, error);
        if (status == BERTH_OK)
            status = growth_try(g, &plan, error);
        if (status != BERTH_OK)
            break;
        take_better(g, &plan);
        if (plan.placed >= g->target || plan.nodes == nodes)
            break;
    }
    free(worths);
    return status;
}

/* ---- improving the best ---- */

/* Try a change of the best plan: `less` nodes of one shape fewer, `more` of another. */
static berth_status try_change(growth *g, size_t from, uint32_t less, size_t to, uint32_t more,
                               bool *better, berth_error *error)
{
    growth_plan plan = g->best;
    plan.counts[from] -= less;
    plan.counts[to] += more;
    TRY(growth_try(g, &plan, error));
    *better = is_better(&plan, &g->best);
    if (*better) {
        size_t shapes = 0;
        for (size_t s = 0; s < g->shapes->count; s++)
            shapes += plan.counts[s] > 0;
        plan.mixed = shapes > 1;
        g->best = plan;
    }
    return BERTH_OK;
}

/* Remove as many nodes of a shape as possible without placing fewer pods, by halving. */
static berth_status take_out(growth *g, size_t shape, berth_error *error)
{
    uint32_t part = g->best.counts[shape];
    while (part > 0 && may_go_on(g)) {
        bool better = false;
        if (part <= g->best.counts[shape])
            TRY(try_change(g, shape, part, shape, 0, &better, error));
        if (!better)
            part /= 2;
    }
    return BERTH_OK;
}

/* Exchange nodes of one shape for nodes of another, as long as that is cheaper and places as many
 * pods. A dearer node is exchanged for one, two, ... cheaper ones; of a cheaper shape, just as many
 * nodes are exchanged as cost more than one dearer node. */
static berth_status exchange(growth *g, size_t from, size_t to, bool *any, berth_error *error)
{
    double ratio = g->shapes->items[to].price / g->shapes->items[from].price;
    uint32_t less = ratio < 1.0 ? 1 : (uint32_t)(ratio + 1e-9) + 1;
    uint32_t more = 1;
    while (from != to && less <= EXCHANGE_MAX && more <= EXCHANGE_MAX &&
           more * ratio < less * (1.0 - 1e-9) && g->best.counts[from] >= less &&
           g->best.counts[to] + more <= g->shapes->items[to].max && may_go_on(g)) {
        bool better = false;
        TRY(try_change(g, from, less, to, more, &better, error));
        *any = *any || better;
        more += !better;
    }
    return BERTH_OK;
}

static berth_status improve(growth *g, berth_error *error)
{
    bool any = true;
    for (int round = 0; round < ROUNDS_MAX && any && may_go_on(g); round++) {
        any = false;
        for (size_t s = 0; s < g->shapes->count; s++)
            TRY(take_out(g, s, error));
        for (size_t from = 0; from < g->shapes->count; from++)
            for (size_t to = 0; to < g->shapes->count; to++)
                TRY(exchange(g, from, to, &any, error));
    }
    return BERTH_OK;
}

static bool is_at_bound(const growth *g)
{
    return g->best.tried && g->best.placed == g->target &&
           g->best.price <= g->bound_price * (1.0 + 1e-9);
}

berth_status growth_search(growth *g, berth_error *error)
{
    uint64_t all = 0;
    for (size_t s = 0; s < g->shapes->count; s++)
        all |= UINT64_C(1) << s;
    growth_bound(g, all, &g->bound_nodes, &g->bound_price);
    for (size_t s = 0; s < g->shapes->count; s++)
        TRY(search_alone(g, s, error));
    for (int by_share = 0; by_share <= 1 && g->shapes->count > 1 && !is_at_bound(g); by_share++)
        TRY(search_mix(g, by_share != 0, error));
    if (g->best.tried && !is_at_bound(g))
        TRY(improve(g, error));
    return BERTH_OK;
}
