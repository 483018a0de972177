/* The public functions of an engine: its life, cluster state, decisions. */
#include "berth/transaction.h"

#include <inttypes.h>
#include <string.h>

#include "api/engine_calls.h"
#include "base/assert.h"
#include "base/error.h"
#include "base/heap.h"
#include "base/sized.h"
#include "base/text.h"
#include "cluster/cluster_moves.h"
#include "cluster/cluster_read.h"
#include "cluster/cluster_sweep.h"
#include "cluster/cluster_undo.h"
#include "versions/branch.h"
#include "versions/engine_state.h"

/* Room for the search trees of the many kinds of a large cluster: at 100,000 nodes, a tree takes
 * half a megabyte, with its forests up to one. */
static const size_t TREE_BYTES = (size_t)1 << 30;

static const berth_engine_config default_config = {.size = sizeof(default_config)};
static const berth_decide_options default_options = {.size = sizeof(default_options)};

void berth_engine_config_init_sized(berth_engine_config *config, size_t size)
{
    berth__sized_init(config, size, &default_config, sizeof(default_config));
}

void berth_decide_options_init_sized(berth_decide_options *options, size_t size)
{
    berth__sized_init(options, size, &default_options, sizeof(default_options));
}

/* ---- life ---- */

/* The points at which a profile names a plugin, as bits. */
static uint32_t points_of(const berth_profile *profile, berth_str name)
{
    uint32_t points = 0;
    for (uint32_t p = 0; p < BERTH_POINT_COUNT; p++) {
        berth_plugin_list list = berth_profile_list(profile, (berth_point)p);
        for (uint32_t i = 0; i < list.count; i++)
            if (berth__str_eq(list.items[i].name, name))
                points |= 1u << p;
    }
    return points;
}

/* Whether multiPoint put a plugin into the list of a point for which it has no function. The reader
 * of configurations does not know an embedder's plugins, so it lists them at every point. */
static bool is_idle(berth__embedder_plugins own, const berth_profile *profile, berth_point point,
                    const berth_plugin_ref *ref)
{
    const uint32_t phases = 1u << BERTH_POINT_FILTER | 1u << BERTH_POINT_SCORE |
                            1u << BERTH_POINT_PRE_FILTER | 1u << BERTH_POINT_PRE_SCORE;
    berth_str name = ref->implementation.len > 0 ? ref->implementation : ref->name;
    const berth_plugin *table = berth__embedder_find(own, name);
    if (table == NULL || (points_of(profile, ref->name) & ~phases) == 0)
        return false;
    return point == BERTH_POINT_FILTER ? table->filter == NULL : table->score == NULL;
}

/* Copy the list of a point without the plugins that have nothing to do there. */
static berth_status leave_out_idle(berth_engine *engine, berth__embedder_plugins own,
                                   const berth_profile *profile, berth_point point,
                                   berth_plugin_list *out)
{
    berth_plugin_list list = berth_profile_list(profile, point);
    berth_plugin_ref *items = berth__arena_alloc(&engine->arena, list.count * sizeof(*items), 8);
    if (items == NULL)
        return BERTH_E_NOMEM;
    *out = (berth_plugin_list){items, 0};
    for (uint32_t i = 0; i < list.count; i++)
        if (!is_idle(own, profile, point, &list.items[i]))
            items[out->count++] = list.items[i];
    return BERTH_OK;
}

static berth_status refuse_reuse(const berth_engine *engine, berth_error *error)
{
    const berth__ready_profile *profile = &engine->profiles[engine->profile_count - 1];
    const berth_str name = berth__text(engine->cluster.model, profile->scheduler_name);
    return berth__error_set(error, BERTH_E_UNSUPPORTED,
                            "feature gate OpportunisticBatching=true is not followed in profile "
                            "\"%.*s\": its PodTopologySpread has no default constraints, so "
                            "kube-scheduler would reuse scores for half a second",
                            (int)name.len, name.data);
}

static berth_status make_profile(berth_engine *engine, berth__embedder_plugins own,
                                 const berth_profile *source, berth_error *error)
{
    berth_plugin_list lists[BERTH_POINT_COUNT];
    berth_profile profile = *source;
    for (uint32_t p = 0; p < BERTH_POINT_COUNT; p++)
        lists[p] = berth_profile_list(source, (berth_point)p);
    if (own.count > 0) {
        BERTH_TRY_PLAIN(
            leave_out_idle(engine, own, source, BERTH_POINT_FILTER, &lists[BERTH_POINT_FILTER]),
            error);
        BERTH_TRY_PLAIN(
            leave_out_idle(engine, own, source, BERTH_POINT_SCORE, &lists[BERTH_POINT_SCORE]),
            error);
        profile.points = lists;
        profile.point_count = BERTH_POINT_COUNT;
    }
    BERTH_TRY(berth__profile_make(engine->cluster.model, &engine->arena, own, &profile,
                                  &engine->profiles[engine->profile_count], error));
    engine->profile_count++;
    return engine->cluster.model->behaviours.reuses_scores &&
                   berth__profile_reuses_scores(&engine->profiles[engine->profile_count - 1])
               ? refuse_reuse(engine, error)
               : BERTH_OK;
}

static berth_status make_profiles(berth_engine *engine, const berth_engine_config *config,
                                  berth_error *error)
{
    const berth_profile *sources =
        config->profiles != NULL ? config->profiles : berth_profile_default_of(config->kubernetes);
    uint32_t count = config->profiles != NULL ? config->profile_count : 1;
    berth__embedder_plugins own;
    BERTH_TRY(berth__embedder_read(&engine->arena, config->plugins, config->plugin_count,
                                   berth__profile_plugin_find, &own, error));
    engine->profiles = berth__arena_alloc(&engine->arena, count * sizeof(berth__ready_profile), 16);
    if (engine->profiles == NULL)
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    for (uint32_t i = 0; i < count; i++) {
        if (sources[i].era != sources[0].era)
            return berth__error_set(error, BERTH_E_INVALID,
                                    "profiles of v1 and of v1alpha1 do not mix in one engine");
        BERTH_TRY(make_profile(engine, own, &sources[i], error));
    }
    return BERTH_OK;
}

/* With extenders that filter or prioritize, nodes are ranked even if no plugin scores. */
static berth_status take_extenders(berth_engine *engine, const berth_engine_config *config,
                                   berth_error *error)
{
    BERTH_TRY(berth__extenders_read(&engine->arena, config->extenders, config->extender_count,
                                    &engine->extenders, error));
    for (uint32_t i = 0; i < engine->profile_count && engine->extenders.count > 0; i++) {
        if (engine->profiles[i].legacy)
            return berth__error_set(error, BERTH_E_UNSUPPORTED,
                                    "profiles of v1alpha1 have no extenders here");
        engine->profiles[i].ranks_nodes |= engine->extenders.rank;
    }
    return BERTH_OK;
}

static int64_t huge_ns_of(const berth_engine_config *config)
{
    static const int64_t most[] = {[BERTH_HUGE_PAGES_NONE] = 0,
                                   [BERTH_HUGE_PAGES_AUTO] = 1000000,
                                   [BERTH_HUGE_PAGES_ALL] = INT64_MAX};
    return most[config->huge_pages];
}

/* If workers are bound to several NUMA nodes, allocate the data that they scan there. */
static berth_status make_homes(berth_engine *engine, int64_t huge_ns)
{
    berth__model *model = engine->cluster.model;
    uint32_t groups = berth__workers_groups(engine->workers);
    if (groups == 1 || engine->heap == NULL)
        return BERTH_OK;
    for (uint32_t g = 0; g < groups; g++) {
        BERTH_TRY(berth__heap_create_on(engine->machine,
                                        berth__workers_group_numa(engine->workers, g), huge_ns,
                                        &engine->homes[g]));
        model->homes[g] = berth__heap_allocator(engine->homes[g]);
        if (engine->limit.bytes > 0)
            model->homes[g] =
                berth__limited_init(&engine->limited_homes[g], model->homes[g], &engine->limit);
    }
    model->home_count = groups;
    return BERTH_OK;
}

/* Copy the keys into the engine's arena, like profiles. */
static berth_status keep_annotations(berth_engine *engine, const berth_engine_config *config,
                                     berth_error *error)
{
    const berth_strs *from = &config->annotation_keys;
    bool ok = true;
    if (from->count > UINT8_MAX) {
        berth__error_set(error, BERTH_E_ARG, "%u annotations are more than 255",
                         (unsigned)from->count);
        berth__error_field(error, "annotation_keys");
        return BERTH_E_ARG;
    }
    berth_str *keys = berth__arena_alloc(&engine->arena, from->count * sizeof(*keys), 8);
    for (uint32_t i = 0; keys != NULL && i < from->count; i++)
        keys[i] = berth__arena_str(&engine->arena, from->items[i], &ok);
    engine->cluster.model->annotation_keys = (berth_strs){keys, from->count};
    return keys != NULL && ok ? BERTH_OK : berth__error_no_memory(error);
}

static berth_status start(berth_engine *engine, const berth_engine_config *config,
                          berth_error *error)
{
    bool legacy = config->profiles != NULL && config->profiles[0].era == BERTH_ERA_V1ALPHA1;
    uint32_t minor = legacy ? (uint32_t)BERTH__KUBERNETES_LEGACY : config->kubernetes;
    berth__behaviours behaviours;
    BERTH_TRY(berth__behaviours_make(minor, config->feature_gates, &behaviours, error));
    BERTH_TRY_PLAIN(berth__cluster_init(&engine->cluster, engine->allocator, &behaviours), error);
    berth__published_init(engine);
    berth_status status = berth__machine_create(engine->allocator, NULL, &engine->machine);
    if (status != BERTH_OK)
        return berth__error_set(error, status, "the machine's topology can't be read");
    engine->cluster.model->attached_volumes_max = config->attached_volumes_max;
    engine->cluster.model->keep_objects = config->keep_objects;
    BERTH_TRY(keep_annotations(engine, config, error));
    uint32_t threads =
        config->threads > 0 ? config->threads : berth__machine_cores(engine->machine);
    BERTH_TRY(make_profiles(engine, config, error));
    BERTH_TRY(take_extenders(engine, config, error));
    status = berth__workers_create(engine->allocator, engine->machine, threads,
                                   config->bind_workers, &engine->workers);
    if (status != BERTH_OK)
        return berth__error_set(error, status, "%u workers can't be started", (unsigned)threads);
    status = make_homes(engine, huge_ns_of(config));
    const berth__decider_setup setup = {.profiles = engine->profiles,
                                        .profile_count = engine->profile_count,
                                        .extenders =
                                            engine->extenders.count > 0 ? &engine->extenders : NULL,
                                        .workers = engine->workers,
                                        .path = config->path,
                                        .seed = config->seed};
    if (status == BERTH_OK)
        status = berth__decider_init(&engine->decider, &engine->cluster, &setup);
    if (engine->limit.bytes == 0) {
        engine->decider.indexes.bytes_max = TREE_BYTES;
        engine->decider.indexes.asks.bytes_max = TREE_BYTES / 4;
    }
    if (status == BERTH_OK)
        status = berth__decider_listen(&engine->decider, &engine->arena);
    if (status == BERTH_OK && config->check_plugins)
        status = berth__plugin_checks_create(engine->allocator, &engine->decider.checks);
    berth__transactions_init(&engine->transactions, &engine->decider);
    berth__sweep_keep_all(engine->cluster.model);
    return berth__error_plain(error, status);
}

static berth_status check_config(const berth_engine_config *config, berth_error *error)
{
    if (config->threads > 1024)
        return berth__error_set(error, BERTH_E_ARG, "threads is at most 1024, not %u",
                                (unsigned)config->threads);
    if (config->profiles != NULL && config->profile_count == 0)
        return berth__error_set(error, BERTH_E_ARG, "an engine needs a profile");
    if (config->plugins == NULL && config->plugin_count > 0)
        return berth__error_set(error, BERTH_E_ARG, "plugin_count is not 0, and plugins is NULL");
    if (config->extenders == NULL && config->extender_count > 0)
        return berth__error_set(error, BERTH_E_ARG,
                                "extender_count is not 0, and extenders is NULL");
    if (berth_profile_default_of(config->kubernetes) == NULL)
        return berth__error_set(error, BERTH_E_UNSUPPORTED,
                                "Kubernetes 1.%u is not known: 1.%d to 1.%d are",
                                (unsigned)berth__minor_of(config->kubernetes),
                                BERTH__KUBERNETES_OLDEST, BERTH__KUBERNETES_NEWEST);
    if ((unsigned)config->path > BERTH_PATH_INDEX)
        return berth__error_set(error, BERTH_E_ARG, "there is no path number %d",
                                (int)config->path);
    if ((unsigned)config->huge_pages > BERTH_HUGE_PAGES_ALL)
        return berth__error_set(error, BERTH_E_ARG, "there is no choice of huge pages number %d",
                                (int)config->huge_pages);
    return BERTH_OK;
}

/* Allocate an engine that has its memory and nothing else yet; NULL when out of memory. */
static berth_engine *create_empty(const berth_engine_config *config)
{
    const berth_allocator *allocator = config->allocator;
    berth__heap *heap = NULL;
    if (allocator == NULL) {
        if (berth__heap_create(huge_ns_of(config), &heap) != BERTH_OK)
            return NULL;
        allocator = berth__heap_allocator(heap);
    }
    berth_engine *engine = berth__alloc_zero(allocator, sizeof(*engine), 64);
    if (engine == NULL) {
        berth__heap_destroy(heap);
        return NULL;
    }
    engine->heap = heap;
    engine->memory = *allocator;
    engine->allocator = &engine->memory;
    engine->limit.bytes = config->memory_limit_bytes;
    if (engine->limit.bytes > 0)
        engine->allocator = berth__limited_init(&engine->limited, &engine->memory, &engine->limit);
    return engine;
}

static void free_engine(berth_engine *engine)
{
    berth__history_destroy(&engine->history);
    berth__transactions_destroy(&engine->transactions);
    berth__decider_destroy(&engine->decider);
    berth__workers_destroy(engine->workers);
    berth__cluster_destroy(&engine->cluster);
    for (uint32_t g = 0; g < BERTH__GROUPS_MAX; g++)
        berth__heap_destroy(engine->homes[g]);
    berth__machine_destroy(engine->machine);
    berth__arena_destroy(&engine->arena);
    berth__heap *heap = engine->heap;
    const berth_allocator memory = engine->memory; /* a copy: the original is about to be freed */
    berth__free(&memory, engine, sizeof(*engine));
    berth__heap_destroy(heap);
}

berth_status berth_engine_create(const berth_engine_config *config, berth_engine **out,
                                 berth_error *error)
{
    berth_engine_config own = default_config;
    BERTH_TRY(berth__need(out, "out", error));
    *out = NULL;
    if (config != NULL)
        BERTH_TRY(berth__sized_read(&own, sizeof(own), config, "berth_engine_config", error));
    config = &own;
    BERTH_TRY(check_config(config, error));
    berth_engine *engine = create_empty(config);
    if (engine == NULL)
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    const berth_allocator *allocator = engine->allocator;
    berth__arena_init(&engine->arena, allocator);
    berth_status status = start(engine, config, error);
    if (status != BERTH_OK) {
        free_engine(engine);
        return status;
    }
    berth__use_open(&engine->decider.use);
    *out = engine;
    return BERTH_OK;
}

void berth_engine_destroy(berth_engine *engine)
{
    if (engine == NULL)
        return;
    if (engine->branch != NULL) {
        berth_branch_drop(engine);
        return;
    }
    berth__use_close(&engine->decider.use, "an engine was destroyed");
    if (engine->cluster.watcher != NULL)
        berth__stop(__FILE__, __LINE__, "an engine was destroyed before its scheduler");
    berth__branches_destroy(engine);
    uint64_t pins = berth__history_pins(&engine->history);
    if (pins > 0)
        berth__stop(__FILE__, __LINE__,
                    "an engine was destroyed while %" PRIu64 " %s of its snapshots, by readers and "
                    "branches, %s not been given back",
                    pins, pins == 1 ? "pin" : "pins", pins == 1 ? "has" : "have");
    free_engine(engine);
}

static void add_use(berth_memory *sum, berth__heap *heap)
{
    berth__heap_use use = berth__heap_usage(heap);
    sum->used_bytes += use.used_bytes;
    sum->resident_bytes += use.resident_bytes;
    sum->huge_bytes += use.huge_bytes;
    sum->huge_refused |= use.huge_refused;
    sum->active_bytes += use.active_bytes;
    sum->metadata_bytes += use.metadata_bytes;
}

static berth_status ask_memory(const berth_engine *engine, berth_memory *out, berth_error *error)
{
    out->limited_bytes = berth__memory_limit_used(&engine->limit);
    if (engine->heap == NULL && engine->limit.bytes > 0)
        return BERTH_OK;
    if (engine->heap == NULL)
        return berth__error_set(
            error, BERTH_E_UNSUPPORTED,
            engine->branch != NULL ? "a branch's memory is part of its engine's"
                                   : "the engine's memory comes from an allocator of the caller's");
    add_use(out, engine->heap);
    for (uint32_t g = 0; g < BERTH__GROUPS_MAX && engine->homes[g] != NULL; g++)
        add_use(out, engine->homes[g]);
    return BERTH_OK;
}

berth_status berth_engine_memory_sized(const berth_engine *engine, berth_memory *out, size_t size,
                                       berth_error *error)
{
    if (engine == NULL)
        return berth__no_engine(error);
    berth_memory own = {0};
    berth_status status = ask_memory(engine, &own, error);
    berth__sized_give(out, size, &own, sizeof(own));
    return status;
}

/* ---- cluster state ---- */

static berth_status find_pod(const berth_engine *engine, berth_pod_id id, uint32_t *index,
                             berth_error *error)
{
    *index = berth__cluster_pod(&engine->cluster, id);
    return *index != BERTH_POD_INDEX_NONE
               ? BERTH_OK
               : berth__error_set(error, BERTH_E_NOT_FOUND, "there is no pod with this id");
}

/* The same for a present node. */
static berth_status find_node(const berth_engine *engine, berth_node_id id, berth_error *error)
{
    return berth__cluster_present(&engine->cluster, id) != NULL
               ? BERTH_OK
               : berth__error_set(error, BERTH_E_NOT_FOUND, "there is no node with this id");
}

berth_status berth__engine_add_like(berth_engine *engine, berth_pod_id like, berth_str name,
                                    berth_pod_id *id, berth_error *error)
{
    uint32_t index;
    BERTH_TRY(find_pod(engine, like, &index, error));
    return berth__cluster_add_like(&engine->cluster, index, name, id, error);
}

berth_status berth_engine_add_like(berth_engine *engine, berth_pod_id like, berth_str name,
                                   berth_pod_id *id, berth_error *error)
{
    berth_pod_id ignored;
    if (id == NULL)
        id = &ignored;
    *id = BERTH_POD_NONE;
    BERTH_TRY(berth__engine_enter(engine, error));
    return berth__engine_leave(engine, berth__engine_add_like(engine, like, name, id, error));
}

uint32_t berth_engine_forbidden(berth_engine *engine, const berth_pod_id *pods, uint32_t count,
                                bool *forbidden)
{
    if (engine == NULL)
        return 0;
    const berth__cluster *cluster = &engine->cluster;
    uint32_t found = 0;
    bool ready = !cluster->cow.branch ||
                 berth__cluster_make_disruption_writable(&engine->cluster) == BERTH_OK;
    for (uint32_t i = 0; i < count && !ready; i++)
        forbidden[i] = true;
    if (!ready)
        return count;
    berth__disruption_begin(cluster->disruption);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = berth__cluster_pod(cluster, pods[i]);
        const berth__pod_record *pod =
            index != BERTH_POD_INDEX_NONE ? berth__pod_at(&cluster->pods, index) : NULL;
        forbidden[i] = false;
        if (pod != NULL &&
            berth__disruption_violates(cluster->disruption, pod->cls->identity,
                                       berth__pod_name(pod), &forbidden[i]) != BERTH_OK)
            forbidden[i] = true; /* out of memory: count it as forbidden */
        found += forbidden[i];
    }
    return found;
}

berth_status berth_engine_node_order(berth_engine *engine, berth_node_id *out, uint32_t capacity,
                                     uint32_t *count, berth_error *error)
{
    if (count != NULL)
        *count = 0;
    BERTH_TRY(berth__engine_enter(engine, error));
    berth_status status = berth__cluster_sync(&engine->cluster);
    const berth__layout *layout = engine->cluster.view.layout;
    berth__images_begin_cycle(&engine->cluster.view.images);
    for (uint32_t slot = 0; status == BERTH_OK && slot < layout->count && slot < capacity; slot++)
        out[slot] = layout->nodes[slot];
    if (status == BERTH_OK && count != NULL)
        *count = layout->count;
    return berth__error_plain(error, berth__engine_leave(engine, status));
}

/* ---- decisions ---- */

berth__decider *berth__engine_decider(berth_engine *engine)
{
    return &engine->decider;
}

static const berth_placement no_placement = {.verdict = BERTH_VERDICT_ERROR,
                                             .node = BERTH_NODE_NONE};

static berth_status decide(berth_engine *engine, berth_pod_id pod,
                           const berth_decide_options *options, berth_placement *out,
                           berth_error *error)
{
    berth_decide_options own = default_options;
    uint32_t index;
    BERTH_TRY(berth__need(out, "out", error));
    *out = no_placement;
    if (options != NULL)
        BERTH_TRY(berth__sized_read(&own, sizeof(own), options, "berth_decide_options", error));
    if ((own.flags & ~(uint32_t)(BERTH_DECIDE_KEEP_ROTATION | BERTH_DECIDE_SEARCH_ONLY)) != 0)
        return berth__error_set(error, BERTH_E_ARG, "there are no flags %#x", (unsigned)own.flags);
    BERTH_TRY(berth__engine_enter(engine, error));
    berth_status status = find_pod(engine, pod, &index, error);
    if (status == BERTH_OK)
        status = berth__decide(&engine->decider, index, &own, out, error);
    if (status != BERTH_OK)
        *out = no_placement;
    return berth__engine_leave(engine, status);
}

berth_status berth_engine_decide_sized(berth_engine *engine, berth_pod_id pod,
                                       const berth_decide_options *options, berth_placement *out,
                                       size_t size, berth_error *error)
{
    if (BERTH_LIKELY(size == sizeof(*out)))
        return decide(engine, pod, options, out, error);
    berth_placement own;
    berth_status status = decide(engine, pod, options, &own, error);
    berth__sized_give(out, size, &own, sizeof(own));
    return status;
}

/* Find a pod that is pending, or one that is on a node. */
static berth_status find_pod_where(const berth_engine *engine, berth_pod_id id, bool pending,
                                   uint32_t *index, berth_error *error)
{
    BERTH_TRY(find_pod(engine, id, index, error));
    if ((berth__pod_at(&engine->cluster.pods, *index)->node == BERTH_NODE_NONE) == pending)
        return BERTH_OK;
    return berth__error_set(error, BERTH_E_STATE,
                            pending ? "the pod is on a node" : "the pod is on no node");
}

berth_status berth__engine_bind(berth_engine *engine, berth_pod_id pod, berth_node_id node,
                                berth_error *error)
{
    uint32_t index;
    BERTH_TRY(find_pod(engine, pod, &index, error));
    BERTH_TRY(find_node(engine, node, error));
    BERTH_TRY(find_pod_where(engine, pod, true, &index, error));
    berth__change change;
    berth_status status = berth__cluster_begin_move(&engine->cluster, index, &change);
    if (status == BERTH_OK)
        status = berth__branch_reserve(engine) ? berth__decider_bind(&engine->decider, index, node)
                                               : BERTH_E_NOMEM;
    if (status == BERTH_E_NOMEM)
        return berth__error_set(error, status, "out of memory");
    if (status != BERTH_OK)
        return berth__error_set(error, status, "a plugin refused the placement");
    berth__branch_note(engine, index);
    berth__cluster_end_move(&engine->cluster, &change);
    return BERTH_OK;
}

berth_status berth_engine_bind(berth_engine *engine, berth_pod_id pod, berth_node_id node,
                               berth_error *error)
{
    BERTH_TRY(berth__engine_enter(engine, error));
    return berth__engine_leave(engine, berth__engine_bind(engine, pod, node, error));
}

berth_status berth__engine_unbind(berth_engine *engine, berth_pod_id pod, berth_error *error)
{
    uint32_t index;
    BERTH_TRY(find_pod_where(engine, pod, false, &index, error));
    berth__change change;
    BERTH_TRY_PLAIN(berth__cluster_begin_move(&engine->cluster, index, &change), error);
    BERTH_TRY_PLAIN(berth__decider_unbind(&engine->decider, index), error);
    berth__cluster_end_move(&engine->cluster, &change);
    return BERTH_OK;
}

berth_status berth_engine_unbind(berth_engine *engine, berth_pod_id pod, berth_error *error)
{
    BERTH_TRY(berth__engine_enter(engine, error));
    return berth__engine_leave(engine, berth__engine_unbind(engine, pod, error));
}

berth_status berth__engine_nominate(berth_engine *engine, berth_pod_id pod, berth_node_id node,
                                    berth_error *error)
{
    berth__cluster *cluster = &engine->cluster;
    uint32_t index;
    BERTH_TRY(find_pod(engine, pod, &index, error));
    if (node != BERTH_NODE_NONE)
        BERTH_TRY(find_node(engine, node, error));
    BERTH_TRY(find_pod_where(engine, pod, true, &index, error));
    if (!berth__cluster_reserve_undo(cluster, index))
        return berth__error_no_memory(error);
    if (node == BERTH_NODE_NONE) {
        berth__nominations_drop(&cluster->nominations, index);
        return BERTH_OK;
    }
    BERTH_TRY_PLAIN(berth__nominations_reserve(&cluster->nominations, node), error);
    if (berth__pod_at(&cluster->pods, index)->cls->identity->pod_group != 0)
        berth__nominations_set(&cluster->nominations, &cluster->pods, index, node, false);
    else
        berth__nominations_take_over(&cluster->nominations, &cluster->pods, index, node);
    return BERTH_OK;
}

berth_status berth_engine_nominate(berth_engine *engine, berth_pod_id pod, berth_node_id node,
                                   berth_error *error)
{
    BERTH_TRY(berth__engine_enter(engine, error));
    return berth__engine_leave(engine, berth__engine_nominate(engine, pod, node, error));
}

static berth_status decide_and_bind(berth_engine *engine, berth_pod_id pod, berth_placement *out,
                                    berth_error *error)
{
    berth__images *images = &engine->cluster.view.images;
    const berth__progress before = berth__decider_progress(&engine->decider);
    const uint64_t cycle = images->cycle;
    uint32_t index;
    BERTH_TRY(find_pod(engine, pod, &index, error));
    BERTH_TRY(berth__decide(&engine->decider, index, &default_options, out, error));
    if (out->verdict != BERTH_VERDICT_PLACED)
        return BERTH_OK;
    berth_status status = berth__engine_bind(engine, pod, out->node, error);
    if (status == BERTH_E_NOMEM) { /* a plugin's refusal ends an attempt; this is none */
        berth__decider_set_progress(&engine->decider, &before);
        berth__images_return_to_cycle(images, cycle);
    }
    return status;
}

static berth_status schedule(berth_engine *engine, berth_pod_id pod, berth_placement *out,
                             berth_error *error)
{
    BERTH_TRY(berth__need(out, "out", error));
    *out = no_placement;
    BERTH_TRY(berth__engine_enter(engine, error));
    const berth_status status = decide_and_bind(engine, pod, out, error);
    if (status != BERTH_OK)
        *out = no_placement;
    return berth__engine_leave(engine, status);
}

berth_status berth_engine_schedule_sized(berth_engine *engine, berth_pod_id pod,
                                         berth_placement *out, size_t size, berth_error *error)
{
    if (BERTH_LIKELY(size == sizeof(*out)))
        return schedule(engine, pod, out, error);
    berth_placement own;
    berth_status status = schedule(engine, pod, &own, error);
    berth__sized_give(out, size, &own, sizeof(own));
    return status;
}

/* ---- transactions ---- */

berth_status berth__engine_begin(berth_engine *engine, berth_error *error)
{
    /* A rollback discards a layout made inside, so every transaction would make it again. */
    berth_status status = berth__cluster_sync(&engine->cluster);
    if (status == BERTH_OK)
        status = berth__transaction_begin(&engine->transactions);
    return berth__error_plain(error, status);
}

berth_status berth_engine_begin(berth_engine *engine, berth_error *error)
{
    BERTH_TRY(berth__engine_enter(engine, error));
    return berth__engine_leave(engine, berth__engine_begin(engine, error));
}

static berth_status end(berth_engine *engine, void (*function)(berth__transactions *),
                        berth_error *error)
{
    BERTH_TRY(berth__engine_enter(engine, error));
    bool open = engine->transactions.depth > 0;
    if (open)
        function(&engine->transactions);
    (void)berth__engine_leave(engine, BERTH_OK);
    return open ? BERTH_OK : berth__error_set(error, BERTH_E_STATE, "no transaction is open");
}

berth_status berth_engine_commit(berth_engine *engine, berth_error *error)
{
    return end(engine, berth__transaction_commit, error);
}

berth_status berth_engine_rollback(berth_engine *engine, berth_error *error)
{
    return end(engine, berth__transaction_rollback, error);
}

uint32_t berth_engine_depth(const berth_engine *engine)
{
    return engine != NULL ? engine->transactions.depth : 0;
}

static berth_status change_node(berth_engine *engine, berth_node_id node, bool flag,
                                berth_status (*function)(berth__cluster *, uint32_t, bool),
                                berth_error *error)
{
    BERTH_TRY(berth__engine_enter(engine, error));
    berth_status status = find_node(engine, node, error);
    if (status == BERTH_OK)
        status = berth__error_plain(error, function(&engine->cluster, node, flag));
    return berth__engine_leave(engine, status);
}

berth_status berth_engine_cordon_node(berth_engine *engine, berth_node_id node, bool unschedulable,
                                      berth_error *error)
{
    return change_node(engine, node, unschedulable, berth__cluster_cordon, error);
}

berth_status berth_engine_close_node(berth_engine *engine, berth_node_id node, bool closed,
                                     berth_error *error)
{
    return change_node(engine, node, closed, berth__cluster_close, error);
}

/* ---- digest and check ---- */

berth_status berth_engine_check(berth_engine *engine, berth_error *error)
{
    return engine != NULL ? berth__cluster_check(&engine->cluster, error) : berth__no_engine(error);
}
