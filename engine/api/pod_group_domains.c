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
    berth__group_part *part;         /* the group */
    const berth__node_part *allowed; /* the domain of the group above it; NULL: all nodes */
    berth__arena arena;
    const berth__group_points *points; /* of the group's profile */
    uint64_t *entries; /* value and slot of each node that has the label, by value */
    domain *domains;   /* by name */
    uint32_t count;
    berth__mask *slots; /* by tile: the nodes of one domain at a time */
} domain_search;

/* ---- the domain of pods on nodes ---- */

static berth_status note_stray(berth__group_part *part, berth_str why)
{
    part->stray = why;
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

static berth_status note_value(berth__group_cycle *cycle, berth__group_part *part, berth__sym value)
{
    const berth__model *model = cycle->engine->cluster.model;
    const berth_str former = berth__text(model, part->domain), text = berth__text(model, value);
    if (part->domain != 0 && part->domain != value && former.len > 0)
        return note_stray(
            part, berth__pod_group_words(&cycle->arena,
                                         "more than 1 domain found for pod group: %.*s, %.*s",
                                         (int)former.len, former.data, (int)text.len, text.data));
    part->domain = value;
    return BERTH_OK;
}

berth_status berth__pod_group_note_domain(berth__group_cycle *cycle, berth__group_part *part,
                                          const berth__pod_record *record)
{
    const berth__cluster *cluster = &cycle->engine->cluster;
    const berth__sym key = part->facts->topology;
    if (key == 0 || part->stray.data != NULL || !cluster->model->behaviours.pod_group_placements)
        return BERTH_OK;
    const berth__node_record *node = berth__cluster_node(cluster, record->node);
    const bool present = berth__node_present(node);
    const berth__sym value = present ? berth__labels_get(berth__node_labels(node->facts), key) : 0;
    if (value != 0)
        return note_value(cycle, part, value);
    const berth_str pod = name_of(cycle, record), name = berth__text(cluster->model, node->name);
    if (pod.data == NULL)
        return BERTH_E_NOMEM;
    if (present)
        return note_stray(part, berth__pod_group_words(&cycle->arena,
                                                       "no topology domain found for pod %.*s",
                                                       (int)pod.len, pod.data));
    return note_stray(part,
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

static bool is_allowed(const domain_search *own, uint32_t slot)
{
    return own->allowed == NULL ||
           berth__bit_get(own->allowed->slots[slot / BERTH__TILE].words, slot % BERTH__TILE);
}

/* List the nodes that have the label. If pods of the group are on nodes already, the label must
 * have the value of their domain. */
static berth_status list_nodes(domain_search *own, uint32_t *count)
{
    const berth__group_part *part = own->part;
    berth__view *view = &own->cycle->engine->cluster.view;
    const berth__sym *values =
        berth__layout_column(view->layout, &view->nodes, part->facts->topology);
    own->entries = berth__arena_alloc(&own->arena, view->layout->count * sizeof(uint64_t), 8);
    if (values == NULL || own->entries == NULL)
        return BERTH_E_NOMEM;
    *count = 0;
    for (uint32_t slot = 0; slot < view->layout->count; slot++)
        if (values[slot] != 0 && (part->already == 0 || values[slot] == part->domain) &&
            is_allowed(own, slot))
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
    berth_status status = berth__pod_group_try(own->cycle, own->part);
    decider->part = own->allowed;
    mark(own, one, false);
    return status;
}

/* Add what the placed members of a PodGroup request. */
static void add_requests(const domain_search *own, const berth__group_part *part, int64_t *requests)
{
    const berth__cluster *cluster = &own->cycle->engine->cluster;
    for (uint32_t i = 0; i < part->count; i++) {
        const berth__group_member *member = &own->cycle->members[part->members[i]];
        if (member->node != BERTH_NODE_NONE)
            berth__fit_add_request(&cluster->view, own->points->fit->instance,
                                   berth__pod_at(&cluster->pods, member->pod)->cls, requests);
    }
}

static void note_outcome(domain_search *own, domain *one)
{
    const berth__stage *fit = own->points->fit;
    one->fits = own->part->verdict == BERTH_VERDICT_PLACED;
    one->placed = own->part->placed;
    const berth__group_part *end = own->cycle->tree.parts + own->part->end;
    for (const berth__group_part *part = own->part; one->fits && fit != NULL && part < end; part++)
        add_requests(own, part, one->requests);
}

/* Try the members in every domain, each time from the same state except for the rotation. The
 * caller's callback about members is not called here, but later, for one of the domains. */
static berth_status try_all(domain_search *own)
{
    berth__group_cycle *cycle = own->cycle;
    berth_status (*const unplaced)(void *, uint32_t) = cycle->unplaced;
    const bool trying = cycle->trying;
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
        if (own->part->verdict == BERTH_VERDICT_ERROR)
            break;
    }
    cycle->unplaced = unplaced;
    cycle->trying = trying;
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

static berth_status fail_of_score(const domain_search *own, int64_t score)
{
    return berth__pod_group_fail(
        own->part,
        berth__pod_group_words(&own->cycle->arena,
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
    if (own->points->pods_count == 0)
        return BERTH_OK;
    for (uint32_t i = 0; i < own->count; i++)
        totals[i] = own->domains[i].fits ? (int64_t)own->part->already + own->domains[i].placed : 0;
    if (!berth__pod_group_pods_count_scores(totals, own->count))
        return berth__pod_group_fail(
            own->part,
            BERTH_STR("running NormalizePlacementScore on PlacementScore plugins: plugin "
                      "\"PodGroupPodsCount\" failed with: no pods from pod group are "
                      "assigned to any of the candidate placements"));
    for (uint32_t i = 0; i < own->count; i++)
        totals[i] *= own->points->pods_count;
    return BERTH_OK;
}

/* Find the first of the best domains; `*best` is NULL if scoring fails. */
static berth_status choose(domain_search *own, const domain **best)
{
    const berth__stage *by_fit = own->points->fit;
    int64_t *totals = berth__arena_alloc_zero(&own->arena, own->count * sizeof(*totals), 8);
    int64_t most = -1;
    if (totals == NULL)
        return BERTH_E_NOMEM;
    BERTH_TRY(score_by_pods(own, totals));
    for (uint32_t i = 0; i < own->count && own->part->verdict != BERTH_VERDICT_ERROR; i++) {
        if (!own->domains[i].fits)
            continue;
        const int64_t fit = by_fit != NULL ? score_by_fit(own, &own->domains[i]) : 0;
        if (fit < 0 || fit > BERTH__SCORE_MAX) {
            *best = NULL;
            return fail_of_score(own, fit);
        }
        totals[i] += by_fit != NULL ? fit * by_fit->weight : 0;
        if (totals[i] > most)
            *best = &own->domains[i];
        most = totals[i] > most ? totals[i] : most;
    }
    return BERTH_OK;
}

/* Refuse the group. The message is about `count` domains; the first was tried last. */
static berth_status refuse_all(berth__group_cycle *cycle, berth__group_part *part, uint32_t count)
{
    static const berth_str bare = {"pod group is unschedulable", 26};
    const bool begins =
        part->message.len >= bare.len && memcmp(part->message.data, bare.data, bare.len) == 0;
    const berth_str first = begins ? bare : part->message;
    berth__pod_group_refuse(part);
    return berth__pod_group_say(
        &cycle->arena, &part->message,
        berth__pod_group_words(&cycle->arena,
                               "0/%u placements are available, first placement status: %.*s",
                               (unsigned)count, (int)first.len, first.data));
}

static berth_status settle(domain_search *own)
{
    const domain *best = NULL;
    uint32_t fitting = 0;
    for (uint32_t i = 0; i < own->count; i++) {
        fitting += own->domains[i].fits;
        best = best == NULL && own->domains[i].fits ? &own->domains[i] : best;
    }
    if (fitting > 1) {
        BERTH_TRY(choose(own, &best));
        if (own->part->verdict == BERTH_VERDICT_ERROR)
            return BERTH_OK;
    }
    BERTH_TRY(repeat(own, best != NULL ? best : &own->domains[0]));
    return best != NULL ? BERTH_OK : refuse_all(own->cycle, own->part, own->count);
}

/* ---- the whole search ---- */

static void begin(berth__group_cycle *cycle, berth__group_part *part)
{
    part->judged = true;
    part->placed = 0;
    berth__pod_group_forget_below(cycle, part);
}

static berth_status search(domain_search *own)
{
    berth__group_cycle *cycle = own->cycle;
    berth_status status = berth__cluster_sync(&cycle->engine->cluster);
    if (status == BERTH_OK)
        status = find_domains(own);
    if (status != BERTH_OK)
        return berth__error_no_memory(cycle->error);
    if (own->count == 0) {
        berth__pod_group_refuse(own->part);
        own->part->message = BERTH_STR("no feasible placements found");
        return BERTH_OK;
    }
    BERTH_TRY(try_all(own));
    return own->part->verdict == BERTH_VERDICT_ERROR ? BERTH_OK : settle(own);
}

static berth_status search_domains(berth__group_cycle *cycle, berth__group_part *part,
                                   const berth__group_points *points)
{
    domain_search own = {
        .cycle = cycle, .part = part, .allowed = cycle->engine->decider.part, .points = points};
    if (part->stray.data != NULL)
        return berth__pod_group_fail(
            part, berth__pod_group_words(&cycle->arena,
                                         "cannot determine domain for already scheduled pods: %.*s",
                                         (int)part->stray.len, part->stray.data));
    berth__arena_init(&own.arena, cycle->engine->allocator);
    berth_status status = search(&own);
    berth__arena_destroy(&own.arena);
    return status;
}

berth_status berth__pod_group_place_in_domain(berth__group_cycle *cycle, berth__group_part *part)
{
    const berth__group_points *points = &berth__pod_group_profile(cycle)->groups;
    berth_status status;
    begin(cycle, part);
    if (part->facts->topology == 0 || !points->generates) {
        status = berth__pod_group_try(cycle, part);
        if (status == BERTH_OK && part->verdict == BERTH_VERDICT_UNSCHEDULABLE)
            status = refuse_all(cycle, part, 1);
    } else {
        status = search_domains(cycle, part, points);
    }
    if (part->verdict == BERTH_VERDICT_ERROR)
        berth__pod_group_forget_below(cycle, part);
    return status;
}
