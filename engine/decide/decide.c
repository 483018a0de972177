/* The cycle of one pod: prepare, search, score, select, explain.
 * Source: kube-scheduler v1.32, schedule_one.go, schedulePod. */
#include "decide/decide.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "cluster/cluster_undo.h"
#include "columns/pod_counts.h"
#include "decide/message.h"
#include "decide/node_errors.h"
#include "decide/preemption.h"

/* Plugins whose reservations nobody else takes back. */
static bool undone_by_us(const berth__plugin_ops *plugin)
{
    return (plugin->flags & BERTH__READS_CLASS) != 0 && plugin->reserve != NULL;
}

static uint32_t own_records(const berth__ready_profile *profiles, uint32_t profile_count)
{
    uint32_t most = 0;
    for (uint32_t p = 0; p < profile_count; p++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < profiles[p].filter_count; i++)
            count += undone_by_us(profiles[p].filters[i].plugin);
        most = count > most ? count : most;
    }
    return most;
}

/* Embedders' plugins: whatever they prepare or call static, they may have read amounts for it. */
static bool keeps_amounts(const berth__ready_profile *profiles, uint32_t profile_count)
{
    for (uint32_t p = 0; p < profile_count; p++) {
        for (uint32_t i = 0; i < profiles[p].filter_count; i++)
            if ((profiles[p].filters[i].plugin->flags & BERTH__READS_CLASS) != 0)
                return true;
        for (uint32_t i = 0; i < profiles[p].scorer_count; i++)
            if ((profiles[p].scorers[i].plugin->flags & BERTH__READS_CLASS) != 0)
                return true;
    }
    return false;
}

berth_status berth__decider_init(berth__decider *decider, berth__cluster *cluster,
                                 const berth__ready_profile *profiles, uint32_t profile_count,
                                 berth__workers *workers, berth_path path, uint64_t seed)
{
    const berth_allocator *allocator = cluster->model->allocator;
    *decider = (berth__decider){.cluster = cluster,
                                .profiles = profiles,
                                .profile_count = profile_count,
                                .path = path,
                                .random = {seed}};
    cluster->own_records = own_records(profiles, profile_count);
    cluster->amounts_are_facts = keeps_amounts(profiles, profile_count);
    berth__arena_init(&decider->arena, allocator);
    berth__search_init(&decider->search, allocator, workers, berth__workers_count(workers));
    berth__dry_run_init(&decider->dry_run, allocator, &cluster->pods, &cluster->nominations,
                        cluster->disruption);
    berth__victims_init(&decider->victims, allocator, cluster->disruption);
    BERTH_TRY(berth__prepared_cache_init(&decider->prepared, allocator));
    return berth__index_cache_init(&decider->indexes, allocator);
}

/* The budgets are replaced as a whole when they change after a publication. */
static void follow_disruption(berth__decider *decider)
{
    decider->dry_run.disruption = decider->cluster->disruption;
    decider->victims.disruption = decider->cluster->disruption;
}

void berth__decider_destroy(berth__decider *decider)
{
    if (decider->cluster == NULL)
        return;
    follow_disruption(decider);
    berth__index_cache_destroy(&decider->indexes);
    berth__prepared_cache_destroy(&decider->prepared);
    berth__search_destroy(&decider->search);
    berth__dry_run_destroy(&decider->dry_run);
    berth__victims_destroy(&decider->victims);
    const berth_allocator *allocator = decider->cluster->model->allocator;
    berth__free(allocator, decider->potential,
                decider->potential_capacity * sizeof(*decider->potential));
    berth__free(allocator, decider->chosen, decider->chosen_capacity * sizeof(*decider->chosen));
    berth__arena_destroy(&decider->arena);
    decider->cluster = NULL;
}

/* ---- the question ---- */

uint32_t berth__decider_profile(const berth__decider *decider, const berth__class *cls)
{
    for (uint32_t i = 0; i < decider->profile_count; i++)
        if (decider->profiles[i].scheduler_name == cls->scheduler_name)
            return i;
    return UINT32_MAX;
}

static berth_status question(berth__decider *decider, uint32_t pod, berth__question *cycle,
                             uint32_t *profile, berth_error *error)
{
    berth__cluster *cluster = decider->cluster;
    const berth__pod_record *record = berth__pod_at(&cluster->pods, pod);
    *cycle = (berth__question){
        .view = &cluster->view, .cls = record->cls, .pod = pod, .required_node = record->node};
    if (record->node != BERTH_NODE_NONE &&
        berth__node_present(berth__cluster_node(cluster, record->node)))
        return berth__error_set(error, BERTH_E_STATE, "the pod is on a node");
    *profile = berth__decider_profile(decider, record->cls);
    if (*profile == UINT32_MAX) {
        berth_str name = berth__text(cluster->model, record->cls->scheduler_name);
        return berth__error_set(error, BERTH_E_NOT_FOUND, "no profile serves scheduler \"%.*s\"",
                                (int)name.len, name.data);
    }
    bool ready =
        berth__cluster_sync(cluster) == BERTH_OK &&
        (record->cls->volumes == NULL || berth__cluster_catch_up_volumes(cluster) == BERTH_OK);
    return ready ? BERTH_OK : berth__error_no_memory(error);
}

/* ---- answers before any node is visited ---- */

static berth_status refuse_with(berth_explanation *explanation, berth_str text)
{
    bool ok = true;
    if (explanation == NULL)
        return BERTH_OK;
    explanation->pre_filter = berth__arena_str(&explanation->arena, text, &ok);
    explanation->pre_filter_code = BERTH_CODE_UNRESOLVABLE;
    explanation->message = explanation->pre_filter;
    return ok ? BERTH_OK : BERTH_E_NOMEM;
}

static berth_status refuse_gated(berth__decider *decider, const berth__question *cycle,
                                 berth_explanation *explanation)
{
    berth_str gates = berth__text(decider->cluster->model, cycle->cls->gates);
    berth__reasons reasons = {.arena = &decider->arena, .ok = true};
    berth__reason(&reasons, BERTH_CODE_UNRESOLVABLE, "waiting for scheduling gates: [%.*s]",
                  (int)gates.len, gates.data);
    return reasons.ok ? refuse_with(explanation, reasons.items[0]) : BERTH_E_NOMEM;
}

/* ---- nominated pods ---- */

static bool has_nominations(const berth__decider *decider)
{
    return decider->cluster->nominations.by_pod.count > 0;
}

/* What-ifs put nominated pods on nodes: counters must know their terms before filters prepare. */
static bool learn_nominated(berth__decider *decider)
{
    const berth__nominations *nominations = &decider->cluster->nominations;
    const berth__keymap *map = &nominations->by_pod;
    for (uint32_t i = 0; nominations->ruling_count > 0 && i < map->bucket_count; i++)
        for (const berth__keymap_entry *entry = map->buckets[i]; entry != NULL;
             entry = entry->next) {
            const berth__nomination *one = (const berth__nomination *)entry;
            if (one->awake && one->ruling &&
                !berth__pod_counts_register(&decider->cluster->view, one->cls))
                return false;
        }
    return true;
}

static berth_status search(berth__decider *decider, const berth__question *cycle,
                           const berth__ready_profile *profile, berth__prepared_kind *prepared)
{
    if (!has_nominations(decider))
        return berth__search_filter(&decider->search, cycle, profile, prepared, decider->rotation);
    BERTH_TRY(berth__dry_run_ask(&decider->dry_run, cycle, profile, prepared));
    uint32_t own_slot =
        profile->behaviours->tries_nominated_first ? decider->dry_run.own_slot : BERTH__SLOT_NONE;
    return berth__search_nominated(&decider->search, cycle, profile, prepared, decider->rotation,
                                   &decider->dry_run, own_slot);
}

/* ---- choosing ---- */

/* Which of so many equals: a number below `count`. */
static uint32_t choose(berth__decider *decider, const berth__ready_profile *profile, uint32_t count)
{
    switch (profile->tie) {
    case BERTH_TIE_FIRST:
        break;
    case BERTH_TIE_RANDOM:
        return berth__random_below(&decider->random, count);
    case BERTH_TIE_ROUND_ROBIN:
        return decider->round_robin++ % count;
    }
    return 0;
}

/* Answer from the index, if it can. A single feasible node is taken without a score. */
static bool ask_index(berth__decider *decider, const berth__question *cycle, uint32_t profile_index,
                      berth__prepared_kind *prepared, berth_placement *out)
{
    const berth__ready_profile *profile = &decider->profiles[profile_index];
    if (cycle->view->layout->closed_count > 0 && !profile->counts_pods)
        return false; /* trees know of closed nodes by their room for pods */
    berth__index *index =
        berth__index_get(&decider->indexes, cycle, profile, profile_index, prepared,
                         &decider->search, &decider->arena, decider->path == BERTH_PATH_INDEX);
    if (index == NULL)
        return false;
    uint32_t node_count = cycle->view->layout->count;
    uint32_t start = decider->rotation % node_count;
    berth__index_answer answer;
    berth__index_search(&decider->indexes, index, start, berth__profile_limit(profile, node_count),
                        &answer);
    /* Nominated pods can only make nodes unfit. */
    if (answer.slots.feasible_count > 0 && has_nominations(decider))
        return false;
    out->path = BERTH_PATH_INDEX;
    out->feasible_count = answer.slots.feasible_count;
    out->next = answer.slots.next;
    if (answer.slots.cut_short &&
        profile->behaviours->passes_discarded_node) /* see berth__search_filter */
        out->next = (answer.slots.next + 1) % node_count;
    if (answer.slots.feasible_count == 0)
        return true;
    bool single = answer.slots.feasible_count == 1;
    uint32_t pick = single ? 0 : choose(decider, profile, answer.slots.best_count);
    out->verdict = BERTH_VERDICT_PLACED;
    out->node = cycle->view->layout->nodes[berth__index_nth_best(index, start, &answer, pick)];
    out->best_count = answer.slots.best_count;
    out->total = single ? 0 : answer.best;
    return true;
}

static berth_status fail(berth__decider *decider, berth_explanation *explanation,
                         const berth__reasons *reasons, berth_placement *out)
{
    (void)decider;
    out->verdict = BERTH_VERDICT_ERROR;
    if (explanation == NULL)
        return BERTH_OK;
    explanation->message = berth__message_join(&explanation->arena, reasons->items, reasons->count);
    return explanation->message.data != NULL ? BERTH_OK : BERTH_E_NOMEM;
}

static const berth__reasons *failed_scorer(const berth__search *search)
{
    for (uint32_t i = 0; i < search->profile->scorer_count; i++)
        if (search->ranked[i].outcome == BERTH__FAIL)
            return &search->ranked[i].reasons;
    return NULL;
}

/* Score and pick. A single feasible node is taken without scoring, but explained with scores. */
static berth_status pick(berth__decider *decider, const berth__ready_profile *profile,
                         berth_explanation *explanation, berth_placement *out)
{
    berth__search *search = &decider->search;
    bool single = search->feasible_count == 1;
    uint32_t slot = BERTH__SLOT_NONE;
    out->best_count = 1;
    if (!single || explanation != NULL) {
        berth_status status = berth__search_score(search, &decider->arena);
        if (status == BERTH_E_INVALID && !single)
            return fail(decider, explanation, failed_scorer(search), out);
        if (status == BERTH_OK && explanation != NULL)
            status = berth__explanation_scores(explanation, search);
        if (status != BERTH_OK && status != BERTH_E_INVALID)
            return status;
    }
    if (single) {
        slot = berth__search_only(search);
    } else {
        slot = berth__search_nth_best(search, choose(decider, profile, search->best_count));
        out->best_count = search->best_count;
        out->total = search->best;
    }
    out->verdict = BERTH_VERDICT_PLACED;
    out->node = decider->cluster->view.layout->nodes[slot];
    return BERTH_OK;
}

/* Errors on some nodes end the attempt; what the other nodes came to is explained nevertheless. */
static berth_status fail_on_nodes(berth__decider *decider, const berth__ready_profile *profile,
                                  berth_explanation *explanation, berth_str errors,
                                  berth_placement *out)
{
    const berth__reasons reasons = {.count = 1, .items = &errors, .ok = true};
    uint32_t picks = decider->round_robin;
    if (explanation != NULL && decider->search.feasible_count > 0)
        BERTH_TRY(pick(decider, profile, explanation, out));
    decider->round_robin = picks;
    out->node = BERTH_NODE_NONE;
    out->best_count = 0;
    out->total = 0;
    return fail(decider, explanation, &reasons, out);
}

static berth_status explain_preemption(berth__decider *decider, berth_explanation *explanation)
{
    berth__preemption preemption;
    return explanation != NULL ? berth__preempt(decider, explanation, &preemption) : BERTH_OK;
}

static berth_status run(berth__decider *decider, const berth__question *cycle,
                        uint32_t profile_index, berth_explanation *explanation,
                        berth_placement *out)
{
    const berth__ready_profile *profile = &decider->profiles[profile_index];
    uint32_t node_count = cycle->view->layout->count;
    if (cycle->cls->gates != 0 && profile->gates)
        return refuse_gated(decider, cycle, explanation);
    if (node_count == 0)
        return refuse_with(explanation, BERTH_LITERAL("no nodes available to schedule pods"));
    berth__prepared_kind *prepared =
        berth__prepared_get(&decider->prepared, cycle, profile, profile_index, &decider->arena);
    if (prepared == NULL)
        return BERTH_E_NOMEM;
    if (prepared->outcome == BERTH__FAIL)
        return fail(decider, explanation, prepared->why, out);
    decider->attempt.prepared = prepared;
    decider->attempt.refused = prepared->outcome == BERTH__REFUSE;
    if (decider->attempt.refused) {
        if (explanation != NULL)
            BERTH_TRY(berth__explanation_refuse(explanation, prepared->why));
        return explain_preemption(decider, explanation);
    }
    if (explanation == NULL && decider->path != BERTH_PATH_SCAN &&
        ask_index(decider, cycle, profile_index, prepared, out))
        return BERTH_OK;
    berth_status status = search(decider, cycle, profile, prepared);
    if (status != BERTH_OK)
        return status;
    out->feasible_count = decider->search.feasible_count;
    out->next = decider->search.next;
    if (explanation != NULL)
        status = berth__explanation_walk(explanation, &decider->search);
    berth_str errors = {0};
    if (status == BERTH_OK)
        status = berth__node_errors(&decider->search, &decider->arena, &errors);
    if (status != BERTH_OK)
        return status;
    if (errors.data != NULL)
        return fail_on_nodes(decider, profile, explanation, errors, out);
    if (decider->search.feasible_count > 0)
        return pick(decider, profile, explanation, out);
    return explain_preemption(decider, explanation);
}

berth_status berth__decide(berth__decider *decider, uint32_t pod,
                           const berth_decide_options *options, berth_placement *out,
                           berth_error *error)
{
    berth__attempt *attempt = &decider->attempt;
    uint32_t profile = 0, picks = decider->round_robin;
    attempt->prepared = NULL;
    attempt->search_only = (options->flags & BERTH_DECIDE_SEARCH_ONLY) != 0;
    BERTH_TRY(question(decider, pod, &attempt->cycle, &profile, error));
    attempt->profile = &decider->profiles[profile];
    attempt->start = decider->rotation;
    follow_disruption(decider);
    berth__arena_reset(&decider->arena);
    if (options->explanation != NULL)
        berth__explanation_reset(options->explanation);
    *out = (berth_placement){.verdict = BERTH_VERDICT_UNSCHEDULABLE,
                             .node = BERTH_NODE_NONE,
                             .start = decider->rotation,
                             .next = decider->rotation,
                             .path = BERTH_PATH_SCAN};
    struct berth__pod_counts *counts = decider->cluster->view.counts;
    bool held = counts->held;
    berth__pod_counts_hold(counts, held || has_nominations(decider));
    berth_status status = learn_nominated(decider)
                              ? run(decider, &attempt->cycle, profile, options->explanation, out)
                              : BERTH_E_NOMEM;
    berth__pod_counts_hold(counts, held);
    if (status != BERTH_OK)
        return berth__error_no_memory(error);
    if ((options->flags & BERTH_DECIDE_KEEP_ROTATION) != 0)
        decider->round_robin = picks;
    else
        decider->rotation = out->next;
    return BERTH_OK;
}

/* ---- one node ---- */

static berth_status ask_slot(berth__decider *decider, const berth__question *cycle,
                             const berth__ready_profile *profile, berth__prepared_kind *prepared,
                             uint32_t slot, bool *fits)
{
    berth__dry_run *dry_run = &decider->dry_run;
    BERTH_TRY(berth__dry_run_ask(dry_run, cycle, profile, prepared));
    BERTH_TRY(berth__dry_run_begin(dry_run, slot));
    bool passes = berth__dry_run_passes(dry_run, NULL);
    BERTH_TRY(berth__dry_run_end(dry_run));
    *fits = passes;
    return BERTH_OK;
}

berth_status berth__decider_fits(berth__decider *decider, uint32_t pod, uint32_t node, bool *fits,
                                 berth_error *error)
{
    berth__question cycle;
    uint32_t index = 0;
    *fits = false;
    decider->attempt.prepared = NULL;
    BERTH_TRY(question(decider, pod, &cycle, &index, error));
    const berth__ready_profile *profile = &decider->profiles[index];
    const berth__layout *layout = cycle.view->layout;
    uint32_t slot = berth__cluster_node(decider->cluster, node)->slot;
    follow_disruption(decider);
    berth__arena_reset(&decider->arena);
    if ((cycle.cls->gates != 0 && profile->gates) || slot == BERTH__SLOT_NONE ||
        berth__layout_closed(layout, slot))
        return BERTH_OK;
    if (!learn_nominated(decider))
        return berth__error_no_memory(error);
    berth__prepared_kind *prepared =
        berth__prepared_get(&decider->prepared, &cycle, profile, index, &decider->arena);
    if (prepared == NULL)
        return berth__error_no_memory(error);
    bool open = prepared->outcome == BERTH__ACTIVE &&
                (prepared->allowed == NULL || berth__bit_get(prepared->allowed, slot));
    berth_status status =
        open ? ask_slot(decider, &cycle, profile, prepared, slot, fits) : BERTH_OK;
    return status == BERTH_OK ? BERTH_OK : berth__error_no_memory(error);
}

/* ---- binding ---- */

static const berth__ready_profile *profile_for(const berth__decider *decider,
                                               const berth__class *cls)
{
    uint32_t profile = berth__decider_profile(decider, cls);
    return &decider->profiles[profile == UINT32_MAX ? 0 : profile];
}

static berth__question reserve_cycle(berth__decider *decider, uint32_t pod)
{
    return (berth__question){.view = &decider->cluster->view,
                             .cls = berth__pod_at(&decider->cluster->pods, pod)->cls,
                             .pod = pod,
                             .required_node = BERTH_NODE_NONE};
}

static berth__pod_placement seat_on(const berth__cluster *cluster, uint32_t pod, uint32_t node)
{
    return (berth__pod_placement){berth__cluster_pod_id(cluster, pod), node,
                                  berth__cluster_node(cluster, node)->slot};
}

/* An embedder's plugin that has reserved, or given back, in a transaction: the opposite undoes
 * it. */
typedef struct reserve_record {
    const berth__stage *stage;
    uint32_t pod;
    uint32_t node;
} reserve_record;

static void undo_reserve(void *owner, void *opaque)
{
    const reserve_record *record = opaque;
    const berth__question cycle = reserve_cycle(owner, record->pod);
    const berth__pod_placement seat =
        seat_on(((berth__decider *)owner)->cluster, record->pod, record->node);
    record->stage->plugin->unreserve(&cycle, record->stage->instance, &seat);
}

static void undo_unreserve(void *owner, void *opaque)
{
    const reserve_record *record = opaque;
    const berth__question cycle = reserve_cycle(owner, record->pod);
    const berth__pod_placement seat =
        seat_on(((berth__decider *)owner)->cluster, record->pod, record->node);
    (void)record->stage->plugin->reserve(&cycle, record->stage->instance, &seat);
}

static void note_reserve(berth__decider *decider, const berth__stage *stage, uint32_t pod,
                         uint32_t node, bool reserved)
{
    static const berth__undo_kind kinds[] = {{.undo = undo_unreserve}, {.undo = undo_reserve}};
    if (!undone_by_us(stage->plugin))
        return;
    reserve_record *record =
        berth__undo_push(&decider->cluster->undo, &kinds[reserved], decider, sizeof(*record));
    if (record != NULL)
        *record = (reserve_record){stage, pod, node};
}

/* What an embedder's plugins keep of reservations is the engine's, not a branch's. */
static bool reserves(const berth__decider *decider, const berth__plugin_ops *plugin)
{
    return !decider->cluster->cow.branch || !undone_by_us(plugin);
}

static void unreserve(berth__decider *decider, uint32_t pod, uint32_t node)
{
    const berth__question cycle = reserve_cycle(decider, pod);
    const berth__pod_placement seat = seat_on(decider->cluster, pod, node);
    const berth__ready_profile *profile = profile_for(decider, cycle.cls);
    for (uint32_t i = profile->filter_count; i-- > 0;) {
        const berth__stage *stage = &profile->filters[i];
        if (stage->plugin->unreserve == NULL || !reserves(decider, stage->plugin))
            continue;
        stage->plugin->unreserve(&cycle, stage->instance, &seat);
        note_reserve(decider, stage, pod, node, false);
    }
}

/* The reserve phase of all filters; what came before the first that refuses is the caller's to
 * undo. */
static berth_status reserve_all(berth__decider *decider, uint32_t pod, uint32_t node)
{
    const berth__question cycle = reserve_cycle(decider, pod);
    const berth__pod_placement seat = seat_on(decider->cluster, pod, node);
    const berth__ready_profile *profile = profile_for(decider, cycle.cls);
    for (uint32_t i = 0; i < profile->filter_count; i++) {
        const berth__stage *stage = &profile->filters[i];
        if (stage->plugin->reserve == NULL || !reserves(decider, stage->plugin))
            continue;
        BERTH_TRY(stage->plugin->reserve(&cycle, stage->instance, &seat));
        note_reserve(decider, stage, pod, node, true);
    }
    return BERTH_OK;
}

berth_status berth__decider_bind(berth__decider *decider, uint32_t pod, uint32_t node)
{
    berth__cluster *cluster = decider->cluster;
    BERTH_TRY(berth__cluster_sync(cluster));
    uint32_t begin = cluster->undo.top;
    BERTH_TRY(berth__cluster_bind(cluster, pod, node));
    berth_status status = reserve_all(decider, pod, node);
    if (status == BERTH_OK)
        return BERTH_OK;
    if (cluster->undo.recording) {
        berth__undo_to(&cluster->undo, begin);
    } else {
        unreserve(decider, pod, node);
        (void)berth__cluster_unbind(cluster, pod); /* needs no memory so soon */
    }
    return status;
}

berth_status berth__decider_unbind(berth__decider *decider, uint32_t pod)
{
    berth__cluster *cluster = decider->cluster;
    BERTH_TRY(berth__cluster_prepare_unbind(cluster, pod));
    if (!berth__cluster_reserve_undo(cluster, pod))
        return BERTH_E_NOMEM;
    unreserve(decider, pod, berth__pod_at(&cluster->pods, pod)->node);
    return berth__cluster_unbind(cluster, pod);
}
