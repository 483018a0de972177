/* Places a PodGroup in one domain of a topology, such as a rack: tries the group in each domain as
 * if there were no other nodes, and chooses the domain with the best score among those that take
 * enough of its pods.
 *
 * kube-scheduler tries the domains in a random order and chooses at random among the best. Here
 * they are tried in the order of their names, and the first of the best is chosen.
 * Source: kube-scheduler v1.37, schedule_one_podgroup.go, podGroupSchedulingPlacementAlgorithm;
 * plugins/topologyaware. */
#include <inttypes.h>
#include <string.h>

#include "api/pod_group.h"
#include "base/bits.h"
#include "base/error.h"
#include "base/sort.h"
#include "base/text.h"
#include "plugins/placement_score.h"
#include "plugins/registry.h"

typedef struct domain {
    berth_str name;
    uint32_t first, count; /* of domain_search.entries */
    bool fits;
    uint32_t placed;        /* pods of the group */
    int64_t *requests;      /* their sums, by resource that NodeResourcesFit scores */
    berth__progress before; /* where the decisions for the domain began */
} domain;

typedef struct domain_search {
    berth__group_cycle *cycle;
    berth__arena arena;
    const berth__group_points *points; /* of the group's profile */
    uint64_t *entries; /* value and slot of each node that has the label, by value */
    domain *domains;   /* by name */
    uint32_t count;
    berth__mask *slots; /* by tile: the nodes of one domain at a time */
} domain_search;

/* ---- the domain of pods on nodes ---- */

/* The first reason counts. */
static berth_status note_stray(berth__group_cycle *cycle, berth_str why)
{
    if (cycle->stray.data == NULL)
        cycle->stray = why;
    return why.data != NULL ? BERTH_OK : BERTH_E_NOMEM;
}

static berth_str name_of(berth__group_cycle *cycle, const berth__pod_record *record)
{
    const berth__model *model = cycle->engine->cluster.model;
    const berth_str space = berth__text(model, record->cls->identity->namespace_name);
    const berth_str name = berth__pod_name(record);
    return berth__pod_group_words(&cycle->arena, "%.*s/%.*s", (int)space.len, space.data,
                                  (int)name.len, name.data);
}

static berth_status note_value(berth__group_cycle *cycle, berth__sym value)
{
    const berth__model *model = cycle->engine->cluster.model;
    const berth_str former = berth__text(model, cycle->domain), text = berth__text(model, value);
    if (cycle->domain != 0 && cycle->domain != value && former.len > 0)
        return note_stray(
            cycle, berth__pod_group_words(&cycle->arena,
                                          "more than 1 domain found for pod group: %.*s, %.*s",
                                          (int)former.len, former.data, (int)text.len, text.data));
    cycle->domain = value;
    return BERTH_OK;
}

berth_status berth__pod_group_note_domain(berth__group_cycle *cycle,
                                          const berth__pod_record *record)
{
    const berth__cluster *cluster = &cycle->engine->cluster;
    const berth__sym key = cycle->facts->topology;
    if (key == 0 || !cluster->model->behaviours.pod_group_placements)
        return BERTH_OK;
    const berth__node_record *node = berth__cluster_node(cluster, record->node);
    const bool present = berth__node_present(node);
    const berth__sym value = present ? berth__labels_get(berth__node_labels(node->facts), key) : 0;
    if (value != 0)
        return note_value(cycle, value);
    const berth_str pod = name_of(cycle, record), name = berth__text(cluster->model, node->name);
    if (pod.data == NULL)
        return BERTH_E_NOMEM;
    if (present)
        return note_stray(cycle, berth__pod_group_words(&cycle->arena,
                                                        "no topology domain found for pod %.*s",
                                                        (int)pod.len, pod.data));
    return note_stray(cycle,
                      berth__pod_group_words(&cycle->arena,
                                             "getting node for pod %.*s: nodeinfo not found for "
                                             "node name \"%.*s\"",
                                             (int)pod.len, pod.data, (int)name.len, name.data));
}

/* ---- finding the domains ---- */

static uint32_t slot_of(uint64_t entry)
{
    return (uint32_t)entry;
}

static berth__sym value_of(uint64_t entry)
{
    return (berth__sym)(entry >> 32);
}

/* List the nodes that have the label. If pods of the group are on nodes already, the label must
 * have the value of their domain. */
static berth_status list_nodes(domain_search *own, uint32_t *count)
{
    const berth__group_cycle *cycle = own->cycle;
    berth__view *view = &cycle->engine->cluster.view;
    const berth__sym *values =
        berth__layout_column(view->layout, &view->nodes, cycle->facts->topology);
    own->entries = berth__arena_alloc(&own->arena, view->layout->count * sizeof(uint64_t), 8);
    if (values == NULL || own->entries == NULL)
        return BERTH_E_NOMEM;
    *count = 0;
    for (uint32_t slot = 0; slot < view->layout->count; slot++)
        if (values[slot] != 0 && (cycle->already == 0 || values[slot] == cycle->domain))
            own->entries[(*count)++] = (uint64_t)values[slot] << 32 | slot;
    berth__sort_words(own->entries, *count);
    return BERTH_OK;
}

static int by_name(const void *a, const void *b)
{
    return berth__str_cmp(((const domain *)a)->name, ((const domain *)b)->name);
}

static berth_status find_domains(domain_search *own)
{
    const berth__cluster *cluster = &own->cycle->engine->cluster;
    const size_t tiles = cluster->view.layout->tile_count;
    const berth__stage *fit = own->points->fit;
    const uint32_t resources = fit != NULL ? berth__fit_resource_count(fit->instance) : 0;
    uint32_t nodes;
    BERTH_TRY(list_nodes(own, &nodes));
    for (uint32_t i = 0; i < nodes; i++)
        own->count += i == 0 || value_of(own->entries[i]) != value_of(own->entries[i - 1]);
    own->domains = berth__arena_alloc_zero(&own->arena, own->count * sizeof(domain), 8);
    own->slots = berth__arena_alloc_zero(&own->arena, tiles * sizeof(berth__mask), 64);
    int64_t *requests =
        berth__arena_alloc_zero(&own->arena, (size_t)own->count * resources * sizeof(int64_t), 8);
    if (own->domains == NULL || own->slots == NULL || requests == NULL)
        return BERTH_E_NOMEM;
    uint32_t at = 0;
    for (uint32_t i = 0; i < nodes; i = own->domains[at].first + own->domains[at].count, at++) {
        domain *one = &own->domains[at];
        one->name = berth__text(cluster->model, value_of(own->entries[i]));
        one->first = i;
        one->requests = requests + (size_t)at * resources;
        while (i + one->count < nodes &&
               value_of(own->entries[i + one->count]) == value_of(own->entries[i]))
            one->count++;
    }
    berth__sort(own->domains, own->count, sizeof(domain), by_name);
    return BERTH_OK;
}

/* ---- trying one ---- */

static void mark(domain_search *own, const domain *one, bool in)
{
    for (uint32_t i = one->first; i < one->first + one->count; i++) {
        const uint32_t slot = slot_of(own->entries[i]);
        uint64_t *words = own->slots[slot / BERTH__TILE].words;
        if (in)
            berth__bit_set(words, slot % BERTH__TILE);
        else
            berth__bit_clear(words, slot % BERTH__TILE);
    }
}

/* Try the members in a domain. */
static berth_status try_in(domain_search *own, const domain *one)
{
    berth__decider *decider = &own->cycle->engine->decider;
    const berth__node_part part = {own->slots, one->count};
    mark(own, one, true);
    decider->part = &part;
    berth_status status = berth__pod_group_try(own->cycle);
    decider->part = NULL;
    mark(own, one, false);
    return status;
}

static void note_outcome(domain_search *own, domain *one)
{
    const berth__group_cycle *cycle = own->cycle;
    const berth__cluster *cluster = &cycle->engine->cluster;
    const berth__stage *fit = own->points->fit;
    one->fits = cycle->verdict == BERTH_VERDICT_PLACED;
    one->placed = cycle->placed;
    for (uint32_t i = 0; one->fits && fit != NULL && i < cycle->count; i++)
        if (cycle->members[i].node != BERTH_NODE_NONE)
            berth__fit_add_request(&cluster->view, fit->instance,
                                   berth__pod_at(&cluster->pods, cycle->members[i].pod)->cls,
                                   one->requests);
}

/* Try the members in every domain, each time from the same state except for the rotation. The
 * caller's callback about members is not called here, but later, for one of the domains. */
static berth_status try_all(domain_search *own)
{
    berth__group_cycle *cycle = own->cycle;
    berth_status (*const unplaced)(void *, uint32_t) = cycle->unplaced;
    berth_status status = BERTH_OK;
    cycle->unplaced = NULL;
    cycle->trying = true;
    for (uint32_t i = 0; i < own->count && status == BERTH_OK; i++) {
        domain *one = &own->domains[i];
        one->before = berth__decider_progress(&cycle->engine->decider);
        status = berth__engine_begin(cycle->engine, cycle->error);
        if (status != BERTH_OK)
            break;
        status = try_in(own, one);
        if (status == BERTH_OK)
            note_outcome(own, one);
        berth__pod_group_end_transaction(cycle->engine, false);
        if (cycle->verdict == BERTH_VERDICT_ERROR)
            break;
    }
    cycle->unplaced = unplaced;
    cycle->trying = false;
    return status;
}

/* Repeat the attempt in a domain, this time keeping its result. */
static berth_status repeat(domain_search *own, const domain *one)
{
    berth__decider *decider = &own->cycle->engine->decider;
    const berth__progress after = berth__decider_progress(decider);
    berth__decider_set_progress(decider, &one->before);
    berth_status status = try_in(own, one);
    berth__decider_set_progress(decider, &after);
    return status;
}

/* ---- choosing ---- */

static berth_status fail_of_score(berth__group_cycle *cycle, int64_t score)
{
    return berth__pod_group_fail(
        cycle,
        berth__pod_group_words(&cycle->arena,
                               "applying score defaultWeights on PlacementScore plugins: plugin "
                               "\"NodeResourcesFit\" returns an invalid score %" PRId64
                               ", it should in the range of [0, 100] after normalizing",
                               score));
}

static int64_t score_by_fit(domain_search *own, const domain *one)
{
    const berth__node_part part = {own->slots, one->count};
    mark(own, one, true);
    const int64_t score = berth__fit_score_part(&own->cycle->engine->cluster.view,
                                                own->points->fit->instance, one->requests, &part);
    mark(own, one, false);
    return score;
}

/* Score the domains by the number of the group's pods there. */
static berth_status score_by_pods(domain_search *own, int64_t *totals)
{
    berth__group_cycle *cycle = own->cycle;
    if (own->points->pods_count == 0)
        return BERTH_OK;
    for (uint32_t i = 0; i < own->count; i++)
        totals[i] = own->domains[i].fits ? (int64_t)cycle->already + own->domains[i].placed : 0;
    if (!berth__pod_group_pods_count_scores(totals, own->count))
        return berth__pod_group_fail(
            cycle, BERTH_STR("running NormalizePlacementScore on PlacementScore plugins: plugin "
                             "\"PodGroupPodsCount\" failed with: no pods from pod group are "
                             "assigned to any of the candidate placements"));
    for (uint32_t i = 0; i < own->count; i++)
        totals[i] *= own->points->pods_count;
    return BERTH_OK;
}

/* Find the first of the best domains; `*best` is NULL if scoring fails. */
static berth_status choose(domain_search *own, const domain **best)
{
    berth__group_cycle *cycle = own->cycle;
    const berth__stage *by_fit = own->points->fit;
    int64_t *totals = berth__arena_alloc_zero(&own->arena, own->count * sizeof(*totals), 8);
    int64_t most = -1;
    if (totals == NULL)
        return BERTH_E_NOMEM;
    BERTH_TRY(score_by_pods(own, totals));
    for (uint32_t i = 0; i < own->count && cycle->verdict != BERTH_VERDICT_ERROR; i++) {
        if (!own->domains[i].fits)
            continue;
        const int64_t fit = by_fit != NULL ? score_by_fit(own, &own->domains[i]) : 0;
        if (fit < 0 || fit > BERTH__SCORE_MAX) {
            *best = NULL;
            return fail_of_score(cycle, fit);
        }
        totals[i] += by_fit != NULL ? fit * by_fit->weight : 0;
        if (totals[i] > most)
            *best = &own->domains[i];
        most = totals[i] > most ? totals[i] : most;
    }
    return BERTH_OK;
}

/* Refuse the group. The message is about `count` domains; the first was tried last. */
static berth_status refuse_all(berth__group_cycle *cycle, uint32_t count)
{
    static const berth_str bare = {"pod group is unschedulable", 26};
    const bool begins =
        cycle->message.len >= bare.len && memcmp(cycle->message.data, bare.data, bare.len) == 0;
    const berth_str first = begins ? bare : cycle->message;
    berth__pod_group_refuse(cycle);
    return berth__pod_group_say(
        cycle, berth__pod_group_words(&cycle->arena,
                                      "0/%u placements are available, first placement status: %.*s",
                                      (unsigned)count, (int)first.len, first.data));
}

static berth_status settle(domain_search *own)
{
    berth__group_cycle *cycle = own->cycle;
    const domain *best = NULL;
    uint32_t fitting = 0;
    for (uint32_t i = 0; i < own->count; i++) {
        fitting += own->domains[i].fits;
        best = best == NULL && own->domains[i].fits ? &own->domains[i] : best;
    }
    if (fitting > 1) {
        BERTH_TRY(choose(own, &best));
        if (cycle->verdict == BERTH_VERDICT_ERROR)
            return BERTH_OK;
    }
    BERTH_TRY(repeat(own, fitting > 0 ? best : &own->domains[0]));
    return fitting > 0 ? BERTH_OK : refuse_all(cycle, own->count);
}

/* ---- the whole search ---- */

static berth_status search(domain_search *own)
{
    berth__group_cycle *cycle = own->cycle;
    berth_status status = berth__cluster_sync(&cycle->engine->cluster);
    if (status == BERTH_OK)
        status = find_domains(own);
    if (status != BERTH_OK)
        return berth__error_no_memory(cycle->error);
    if (own->count == 0) {
        berth__pod_group_refuse(cycle);
        cycle->message = BERTH_STR("no feasible placements found");
        for (uint32_t i = 0; i < cycle->count; i++)
            cycle->members[i].node = BERTH_NODE_NONE;
        return BERTH_OK;
    }
    BERTH_TRY(try_all(own));
    return cycle->verdict == BERTH_VERDICT_ERROR ? BERTH_OK : settle(own);
}

berth_status berth__pod_group_place_in_domain(berth__group_cycle *cycle)
{
    const berth__group_points *points = &berth__pod_group_profile(cycle)->groups;
    if (cycle->facts->topology == 0 || !points->generates) {
        BERTH_TRY(berth__pod_group_try(cycle));
        return cycle->verdict == BERTH_VERDICT_UNSCHEDULABLE ? refuse_all(cycle, 1) : BERTH_OK;
    }
    if (cycle->stray.data != NULL)
        return berth__pod_group_fail(
            cycle, berth__pod_group_words(
                       &cycle->arena, "cannot determine domain for already scheduled pods: %.*s",
                       (int)cycle->stray.len, cycle->stray.data));
    domain_search own = {.cycle = cycle, .points = points};
    berth__arena_init(&own.arena, cycle->engine->allocator);
    berth_status status = search(&own);
    berth__arena_destroy(&own.arena);
    return status;
}
