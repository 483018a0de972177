/* berth verify: replays decision vectors and reports every difference.
 *
 * A scenario's objects are added to a fresh engine in the order of the file. Its pods are decided
 * one by one, and each is then bound where the vector bound it, so that one difference does not
 * cause the next. Every decision is taken twice on the same state: with an explanation, which is
 * compared in full, and without one, which must have the same outcome.
 *
 * The events of a scenario, if it has any, happen between decisions (verify/sequence.h).
 *
 * Vectors of v1.15 name no mode. They are replayed under two profiles, first with the priorities
 * that count in the total, then with those that were recorded beside them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/berth.h"
#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/options.h"
#include "cli/plain_text.h"
#include "cli/words.h"
#include "commands/commands.h"
#include "loading/engine_setup.h"
#include "loading/node_list.h"
#include "traces/json_slice.h"
#include "verify/decision_json.h"
#include "verify/device_list.h"
#include "verify/difference_log.h"
#include "verify/group_decision.h"
#include "verify/legacy_profile.h"
#include "verify/scripted_extenders.h"
#include "verify/sequence.h"
#include "verify/vector_file.h"
#include "verify/verify_matrix.h"

/* The lists of a scenario, in the order in which they are loaded. */
static const struct {
    const char *key;
    berth_kind kind;
} lists[] = {
    {"namespaces", BERTH_KIND_NAMESPACE},
    {"storageClasses", BERTH_KIND_STORAGE_CLASS},
    {"csiDrivers", BERTH_KIND_CSI_DRIVER},
    {"csiNodes", BERTH_KIND_CSI_NODE},
    {"csiStorageCapacities", BERTH_KIND_CSI_STORAGE_CAPACITY},
    {"persistentVolumes", BERTH_KIND_PERSISTENT_VOLUME},
    {"persistentVolumeClaims", BERTH_KIND_PERSISTENT_VOLUME_CLAIM},
    {"volumeAttachments", BERTH_KIND_VOLUME_ATTACHMENT},
    {"services", BERTH_KIND_SERVICE},
    {"replicationControllers", BERTH_KIND_REPLICATION_CONTROLLER},
    {"replicaSets", BERTH_KIND_REPLICA_SET},
    {"statefulSets", BERTH_KIND_STATEFUL_SET},
    {"podDisruptionBudgets", BERTH_KIND_POD_DISRUPTION_BUDGET},
    {"compositePodGroups", BERTH_KIND_COMPOSITE_POD_GROUP},
    {"podGroups", BERTH_KIND_POD_GROUP},
    {"deviceClasses", BERTH_KIND_DEVICE_CLASS},
    {"resourceSlices", BERTH_KIND_RESOURCE_SLICE},
    {"deviceTaintRules", BERTH_KIND_DEVICE_TAINT_RULE},
    {"resourceClaims", BERTH_KIND_RESOURCE_CLAIM},
    {"nodes", BERTH_KIND_NODE},
    {"pods", BERTH_KIND_POD},
};

enum { LIST_COUNT = sizeof(lists) / sizeof(lists[0]) };

typedef struct verify {
    engine_setup setup;
    verify_matrix matrix;
    uint64_t shown_max;
    berth_reader *readers[BERTH_KIND_COUNT];
    berth_explanation *explanation;
    /* of the current scenario */
    berth_engine *engine;
    vector_scenario scenario;
    sequence sequence;
    scripted_extenders *extenders; /* NULL: there are none */
    berth_pod_id *placed;          /* pods bound as expected */
    size_t placed_count;
    size_t placed_capacity;
    const berth_profile *legacy; /* the current profile of v1.15; NULL: v1.32 */
    bool has_version; /* the scenario names its version, such as 1.36; otherwise it is v1.32 */
    const char *path;
    bool *differs; /* for each decision of the scenario */
    size_t differs_capacity;
    device_list devices; /* in use in the scenario */
    difference_log log;  /* of the current file */
    uint64_t decisions;
    uint64_t mismatches; /* decisions that differ, and node orders */
} verify;

static const command_help help = {
    .name = "verify",
    .synopsis = "[OPTION...] FILE...",
    .text =
        "Replays decision vectors (JSON lines, gzip or not; tests/vectors/README.md). Prints one\n"
        "line a file, 'FILE decisions=N mismatches=M', and the first differences in full. The "
        "exit\n"
        "code is 0 if nothing differs, else 1.\n\n"
        "With lists of paths and threads each file is replayed once for each combination, and\n"
        "the lines name it: 'FILE path=scan threads=4 decisions=N mismatches=M'.\n",
    .examples =
        "  berth verify tests/vectors/v1.32/resources.jsonl.gz\n"
        "  berth verify tests/vectors/v1.32/*.jsonl.gz\n"
        "  berth verify --paths scan,index --threads 1,2,4 tests/vectors/v1.32/*.jsonl.gz\n",
};

/* ---- loading a scenario ---- */

/* Where objects are added, and where the id of a pod is stored. */
typedef struct reading {
    berth_engine *engine;
    berth_pod_id *pod;           /* NULL: not needed */
    const sequence_event *event; /* the event that adds the object; NULL: the scenario */
    bool again;                  /* the pod may exist already */
} reading;

static berth_status add_object(void *context, const berth_object *object, const berth_error *origin,
                               berth_error *error)
{
    (void)origin;
    const reading *r = context;
    if (r->event != NULL)
        return sequence_apply(r->engine, object, r->event->deletes, error);
    berth_object_id id;
    berth_status status = berth_engine_add(r->engine, object, &id, error);
    if (status == BERTH_OK && r->pod != NULL)
        *r->pod = id.pod;
    if (status != BERTH_E_EXISTS || !r->again)
        return status;
    const berth_metadata *meta = object->as.any;
    *r->pod = berth_engine_find_pod(r->engine, meta->namespace_name, meta->name);
    return BERTH_OK;
}

static berth_status read_text(verify *v, berth_kind kind, berth_str text, reading *r,
                              berth_error *error)
{
    if (v->readers[kind] == NULL) {
        const berth_read_options options = {.size = sizeof(options),
                                            .default_kind = berth_kind_name(kind)};
        berth_status status = berth_reader_create(&options, &v->readers[kind], error);
        if (status != BERTH_OK)
            return status;
    }
    return berth_reader_text(v->readers[kind], text, v->scenario.name, add_object, r, error);
}

static berth_status read_object(verify *v, berth_kind kind, berth_str text, berth_pod_id *pod,
                                berth_error *error)
{
    reading r = {v->engine, pod, NULL, pod != NULL && sequence_is(&v->sequence)};
    return read_text(v, kind, text, &r, error);
}

static berth_status load_lists(verify *v, berth_error *error)
{
    for (size_t i = 0; i < LIST_COUNT; i++) {
        berth_str list = json_slice_member(v->scenario.scenario, lists[i].key);
        berth_str element = {0};
        size_t at = 0;
        while (list.data != NULL && json_slice_next(list, &at, &element)) {
            berth_status status = read_object(v, lists[i].kind, element, NULL, error);
            if (status != BERTH_OK)
                return status;
        }
    }
    return BERTH_OK;
}

static berth_status create_engine(verify *v, berth_error *error)
{
    uint32_t count;
    TRY(scripted_extenders_read(json_slice_member(v->scenario.scenario, "extenders"), &v->extenders,
                                error));
    const berth_extender *const *tables = scripted_extenders_tables(v->extenders, &count);
    TRY(engine_setup_create_extended(&v->setup, tables, count, &v->engine, error));
    scripted_extenders_serve(v->extenders, v->engine);
    return BERTH_OK;
}

/* With extenders, kube-scheduler draws among equals in every version; vectors then have the
 * first. */
static berth_status resolve(verify *v, berth_error *error)
{
    const bool given = v->setup.tie_given;
    const int tie = v->setup.tie;
    if (json_slice_member(v->scenario.scenario, "extenders").data != NULL) {
        v->setup.tie_given = true;
        v->setup.tie = 0;
    }
    const berth_status status = engine_setup_resolve_text(
        &v->setup, json_slice_member(v->scenario.scenario, "config"), v->scenario.name, error);
    v->setup.tie_given = given;
    v->setup.tie = tie;
    return status;
}

/* Make the engine of a scenario. In mode all-nodes the percentage is 100, otherwise the
 * configuration's. */
static berth_status open_engine(verify *v, berth_error *error)
{
    const char *mode = json_string_value(json_object_get(v->scenario.expected, "mode"));
    berth_status status = BERTH_OK;
    v->setup.percentage_given = mode != NULL && strcmp(mode, "all-nodes") == 0;
    v->setup.percentage = 100;
    const char *version = json_string_value(json_object_get(v->scenario.expected, "version"));
    const char *gates = json_string_value(json_object_get(v->scenario.expected, "gates"));
    v->setup.feature_gates = gates;
    v->has_version = version != NULL;
    v->setup.kubernetes = version == NULL                ? "1.32"
                          : strcmp(version, "1.36") == 0 ? "1.36.2"
                                                         : version;
    if (v->legacy != NULL)
        engine_setup_resolve_profile(&v->setup, v->legacy);
    else
        status = resolve(v, error);
    if (status == BERTH_OK)
        status = create_engine(v, error);
    if (status == BERTH_OK)
        status = load_lists(v, error);
    device_list_begin(&v->devices, json_slice_member(v->scenario.scenario, "resourceClaims"));
    v->sequence = (sequence){.events = json_slice_member(v->scenario.scenario, "events")};
    return status;
}

static void close_engine(verify *v)
{
    berth_engine_destroy(v->engine);
    scripted_extenders_free(v->extenders);
    v->extenders = NULL;
    engine_setup_release(&v->setup);
    device_list_end(&v->devices);
    v->setup.kubernetes = NULL;
    v->setup.feature_gates = NULL; /* it belongs to the scenario */
    v->engine = NULL;
    v->placed_count = 0;
}

/* ---- comparing ---- */

static berth_status compare_order(verify *v, berth_error *error)
{
    json_t *wanted = json_object_get(v->scenario.expected, "order");
    if (wanted == NULL)
        return BERTH_OK;
    uint32_t count = 0;
    berth_node_id *nodes = NULL;
    TRY(node_list_make(v->engine, &nodes, &count, error));
    json_t *names = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(names,
                              decision_json_text(berth_engine_node_name(v->engine, nodes[i])));
    json_t *expected = json_pack("{sO}", "order", wanted);
    json_t *found = json_pack("{so}", "order", names);
    v->mismatches += difference_log_compare(&v->log, v->scenario.name, expected, found);
    json_decref(expected);
    json_decref(found);
    free(nodes);
    return BERTH_OK;
}

/* For an attempt that ended in an error, compare only the members that the vector has. */
static void keep_members_of(json_t *normal, const json_t *decision)
{
    const char *key = NULL;
    void *next = NULL;
    json_t *value = NULL;
    json_object_foreach_safe(normal, next, key, value)
    {
        if (json_object_get(decision, key) == NULL)
            json_object_del(normal, key);
    }
}

static berth_status decide_both(verify *v, berth_pod_id pod, berth_placement *plain,
                                berth_placement *explained, berth_error *error)
{
    berth_decide_options options = {
        .size = sizeof(options),
        .flags = BERTH_DECIDE_KEEP_ROTATION,
    };
    berth_status status = berth_engine_decide(v->engine, pod, &options, plain, error);
    if (status != BERTH_OK)
        return status;
    options.flags = 0;
    options.explanation = v->explanation;
    return berth_engine_decide(v->engine, pod, &options, explained, error);
}

static void set_both(const verify *v, const json_t *decision, const berth_placement *plain,
                     const berth_placement *explained, json_t **expected, json_t **found)
{
    *expected = decision_json_expected(decision);
    /* Vectors of v1.32 omit victims that the scenario itself has placed, unless they are
     * evicted. */
    const bool all = v->has_version || sequence_is(&v->sequence);
    const decision_json_placed placed = {v->placed, all ? 0 : v->placed_count};
    *found = decision_json_taken(v->engine, explained, v->explanation, placed);
    json_object_set_new(*expected, "withoutExplanation",
                        decision_json_outcome_expected(*expected, decision));
    json_object_set_new(*found, "withoutExplanation",
                        decision_json_outcome_taken(v->engine, plain));
    if (json_is_string(json_object_get(*expected, "error"))) {
        keep_members_of(*expected, decision);
        keep_members_of(*found, decision);
    }
}

static void set_both_legacy(const verify *v, const json_t *decision, const berth_placement *plain,
                            const berth_placement *explained, json_t **expected, json_t **found)
{
    const berth_plugin_list priorities = berth_profile_list(v->legacy, BERTH_POINT_SCORE);
    *expected = decision_json_expected_legacy(decision, &priorities);
    *found = decision_json_taken_legacy(v->engine, explained, v->explanation, &priorities);
    if (v->legacy == &legacy_profile_counted) {
        json_t *taken = decision_json_outcome_taken(v->engine, plain);
        json_object_set_new(*expected, "withoutExplanation",
                            decision_json_outcome_expected_legacy(*expected, taken));
        json_object_set_new(*found, "withoutExplanation", taken);
    } else { /* these &priorities do not make the total */
        json_object_del(*expected, "total");
        json_object_del(*expected, "best");
        json_object_del(*found, "total");
        json_object_del(*found, "best");
    }
}

/* Returns whether the decision differs. */
static bool compare_decision(verify *v, const char *title, const json_t *decision,
                             const berth_placement *plain, const berth_placement *explained)
{
    json_t *expected = NULL;
    json_t *found = NULL;
    if (v->legacy == NULL)
        set_both(v, decision, plain, explained, &expected, &found);
    else
        set_both_legacy(v, decision, plain, explained, &expected, &found);
    bool differs = difference_log_compare(&v->log, title, expected, found);
    json_decref(expected);
    json_decref(found);
    return differs;
}

/* ---- devices ---- */

/* Compare the devices of a pod that was just bound as in the vector. Returns whether they
 * differ. */
static bool compare_devices(verify *v, const char *title, const json_t *decision, berth_pod_id pod)
{
    json_t *wanted = json_object_get(decision, "devices");
    json_t *expected =
        json_pack("{so}", "devices", wanted != NULL ? json_incref(wanted) : json_array());
    json_t *found = json_pack("{so}", "devices", device_list_taken(&v->devices, v->engine, pod));
    bool differs = difference_log_compare(&v->log, title, expected, found);
    json_decref(expected);
    json_decref(found);
    return differs;
}

/* ---- replaying ---- */

static berth_status bind_as_expected(verify *v, berth_pod_id pod, const json_t *decision,
                                     berth_error *error)
{
    const char *name = json_string_value(json_object_get(decision, "bound"));
    if (name == NULL)
        return BERTH_OK;
    berth_node_id node = berth_engine_find_node(v->engine, words_of(name));
    if (node == BERTH_NODE_NONE)
        return error_set(error, BERTH_E_NOT_FOUND, NULL, "bound to node '%s', which is not there",
                         name);
    v->placed = heap_grow(v->placed, &v->placed_capacity, v->placed_count + 1, sizeof(*v->placed));
    v->placed[v->placed_count++] = pod;
    return berth_engine_bind(v->engine, pod, node, error);
}

static berth_status replay_pod(verify *v, berth_pod_id pod, const json_t *decision,
                               size_t decision_idx, berth_error *error)
{
    berth_placement plain;
    berth_placement explained;
    berth_status status = decide_both(v, pod, &plain, &explained, error);
    if (status != BERTH_OK)
        return status;
    char title[256];
    const char *name = json_string_value(json_object_get(decision, "pod"));
    snprintf(title, sizeof(title), "%s decision %zu pod %s", v->scenario.name, decision_idx,
             name != NULL ? name : "?");
    if (compare_decision(v, title, decision, &plain, &explained))
        v->differs[decision_idx] = true;
    status = bind_as_expected(v, pod, decision, error);
    if (status == BERTH_OK && compare_devices(v, title, decision, pod))
        v->differs[decision_idx] = true;
    if (status == BERTH_OK && sequence_is(&v->sequence))
        status = sequence_follow(v->engine, decision, pod, error);
    return status;
}

/* Replay a decision about a group whose first pod was read; the others follow it among the pending
 * pods. */
static berth_status replay_group(verify *v, berth_pod_id first, berth_str pending, size_t *at,
                                 size_t *index, const json_t *decision, size_t decision_idx,
                                 berth_error *error)
{
    const size_t count = json_array_size(group_decision_members(decision));
    berth_pod_id *pods = heap_new(count + 1, sizeof(*pods));
    berth_status status = BERTH_OK;
    json_t *expected = NULL, *found = NULL;
    size_t known = 1;
    pods[0] = first;
    while (known < count && status == BERTH_OK) {
        berth_str text = {0};
        if (!json_slice_next(pending, at, &text))
            status = error_set(error, BERTH_E_INVALID, NULL, "fewer pending pods than members");
        else
            status = read_object(v, BERTH_KIND_POD, text, &pods[known], error);
        ++*index;
        known +=
            status == BERTH_OK && berth_engine_pod_node(v->engine, pods[known]) == BERTH_NODE_NONE;
    }
    if (status == BERTH_OK)
        status = group_decision_take(v->engine, decision, pods, &expected, &found, error);
    if (status == BERTH_OK) {
        char title[256];
        const char *name = json_string_value(json_object_get(decision, "group"));
        snprintf(title, sizeof(title), "%s decision %zu group %s", v->scenario.name, decision_idx,
                 name != NULL ? name : "?");
        v->differs[decision_idx] = difference_log_compare(&v->log, title, expected, found);
        status = group_decision_follow(v->engine, decision, pods, error);
    }
    if (status == BERTH_OK)
        status = sequence_follow(v->engine, decision, BERTH_POD_NONE, error);
    json_decref(expected);
    json_decref(found);
    free(pods);
    return status;
}

static berth_status let_happen(verify *v, size_t pending, berth_error *error)
{
    sequence_event event;
    bool due = false;
    berth_status status = sequence_next(&v->sequence, pending, &event, &due, error);
    while (status == BERTH_OK && due) {
        reading r = {v->engine, NULL, &event, false};
        status = read_text(v, event.kind, event.object, &r, error);
        if (status == BERTH_OK)
            status = sequence_next(&v->sequence, pending, &event, &due, error);
    }
    return status;
}

/* Replay the decisions of a scenario; `*done` counts those that were taken. */
static berth_status replay(verify *v, size_t *done, berth_error *error)
{
    berth_status status = open_engine(v, error);
    if (status == BERTH_OK)
        status = compare_order(v, error);
    if (status != BERTH_OK)
        return status;
    const json_t *decisions = json_object_get(v->scenario.expected, "decisions");
    const berth_str pending = json_slice_member(v->scenario.scenario, "pending");
    size_t count = json_array_size(decisions);
    size_t at = 0;
    for (size_t index = 0; *done < count; index++) {
        berth_str text = {0};
        berth_pod_id pod = BERTH_POD_NONE;
        if (pending.data == NULL || !json_slice_next(pending, &at, &text))
            return error_set(error, BERTH_E_INVALID, NULL,
                             "fewer pending pods than expected decisions");
        TRY(let_happen(v, index, error));
        TRY(read_object(v, BERTH_KIND_POD, text, &pod, error));
        if (berth_engine_pod_node(v->engine, pod) != BERTH_NODE_NONE)
            continue; /* the pod came again and has a node by now */
        const json_t *decision = json_array_get(decisions, *done);
        if (group_decision_members(decision) != NULL)
            TRY(replay_group(v, pod, pending, &at, &index, decision, *done, error));
        else
            TRY(replay_pod(v, pod, decision, *done, error));
        ++*done;
    }
    return BERTH_OK;
}

/* Replay a scenario. If it cannot be replayed to its end, every remaining decision counts as a
 * mismatch. */
static void replay_or_tell(verify *v, const berth_profile *legacy)
{
    berth_error error = {.code = BERTH_OK};
    size_t done = 0;
    size_t count = json_array_size(json_object_get(v->scenario.expected, "decisions"));
    v->legacy = legacy;
    if (replay(v, &done, &error) != BERTH_OK) {
        char text[1536];
        char title[192];
        berth_error_format(&error, text, sizeof(text));
        for (; done < count; done++) {
            snprintf(title, sizeof(title), "%s decision %zu: not taken", v->scenario.name, done);
            difference_log_failure(&v->log, title, text);
            v->differs[done] = true;
        }
    }
    close_engine(v);
}

static void replay_legacy(verify *v)
{
    /* the recorded scheduler's environment */
    char text[32];
    uint64_t limit = 0;
    berth_str volumes = json_slice_member(v->scenario.scenario, "kubeMaxPDVols");
    snprintf(text, sizeof(text), "%.*s", (int)volumes.len, volumes.data);
    if (options_number(text, 1, UINT32_MAX, &limit))
        v->setup.attached_volumes_max = (uint32_t)limit;
    replay_or_tell(v, &legacy_profile_counted);
    replay_or_tell(v, &legacy_profile_recorded);
    v->setup.attached_volumes_max = 0;
}

static void replay_scenario(verify *v)
{
    const json_t *expected = v->scenario.expected;
    size_t count = json_array_size(json_object_get(expected, "decisions"));
    v->differs = heap_grow(v->differs, &v->differs_capacity, count + 1, sizeof(*v->differs));
    memset(v->differs, 0, count * sizeof(*v->differs));
    if (json_object_get(expected, "mode") != NULL)
        replay_or_tell(v, NULL);
    else
        replay_legacy(v);
    v->decisions += count;
    for (size_t i = 0; i < count; i++)
        v->mismatches += v->differs[i];
}

static berth_status replay_file(verify *v, berth_error *error)
{
    vector_file file;
    bool more = true;
    berth_status status = vector_file_open(&file, v->path, error);
    while (status == BERTH_OK) {
        status = vector_file_next(&file, &v->scenario, &more, error);
        if (status == BERTH_OK && more)
            replay_scenario(v);
        vector_scenario_release(&v->scenario);
        if (!more)
            break;
    }
    vector_file_close(&file);
    return status;
}

/* ---- the command ---- */

/* Prints the line of a file: its name, the setting if there are several, and the counts. */
static void print_result(const verify *v)
{
    char setting[64] = "";
    if (v->matrix.path_count * v->matrix.thread_count > 1)
        snprintf(setting, sizeof(setting), " path=%s threads=%" PRIu64,
                 engine_path_names[v->setup.path], v->setup.threads);
    plain_text_line(stdout, "%s%s decisions=%" PRIu64 " mismatches=%" PRIu64, v->path, setting,
                    v->decisions, v->mismatches);
}

/* Replays a file under the setting of `v->setup`; prints its line and its differences. Returns an
 * exit code. */
static int verify_file(verify *v, const char *path)
{
    berth_error error = {.code = BERTH_OK};
    v->path = path;
    v->decisions = 0;
    v->mismatches = 0;
    difference_log_begin(&v->log, v->shown_max);
    berth_status status = replay_file(v, &error);
    difference_log_end(&v->log);
    int code = v->mismatches > 0 ? EXIT_NEGATIVE : EXIT_DONE;
    if (status != BERTH_OK) {
        code = exit_error(help.name, &error);
    } else {
        print_result(v);
        fwrite(v->log.text, 1, v->log.text_len, stdout);
        if (v->log.found > v->log.shown)
            printf("  and %" PRIu64 " more\n", v->log.found - v->log.shown);
        fflush(stdout);
    }
    difference_log_release(&v->log);
    return code;
}

/* Create an engine once before any file is read, to report a setting that cannot work. */
static berth_status try_engine(verify *v, berth_error *error)
{
    berth_engine *engine = NULL;
    berth_status status = engine_setup_resolve_text(&v->setup, (berth_str){NULL, 0}, NULL, error);
    if (status == BERTH_OK)
        status = engine_setup_create(&v->setup, &engine, error);
    berth_engine_destroy(engine);
    engine_setup_release(&v->setup);
    return status;
}

static int worse(int a, int b)
{
    return a > b ? a : b;
}

/* Verify every file, even after a failure; the worst exit code wins. */
static int verify_files(verify *v, const text_list *files)
{
    berth_error error = {.code = BERTH_OK};
    if (try_engine(v, &error) != BERTH_OK)
        return exit_error(help.name, &error);
    int worst = EXIT_DONE;
    for (size_t i = 0; i < files->count; i++)
        worst = worse(worst, verify_file(v, files->items[i]));
    return worst;
}

static int run(verify *v, const text_list *files)
{
    berth_error error = {.code = BERTH_OK};
    berth_status status = berth_explanation_create(NULL, &v->explanation, &error);
    if (status != BERTH_OK)
        return exit_status(help.name, "making room for explanations", status);
    int worst = EXIT_DONE;
    for (size_t p = 0; p < v->matrix.path_count; p++) {
        for (size_t t = 0; t < v->matrix.thread_count; t++) {
            v->setup.path = v->matrix.paths[p];
            v->setup.threads = v->matrix.threads[t];
            worst = worse(worst, verify_files(v, files));
        }
    }
    return worst;
}

int cmd_verify(int argc, char **argv)
{
    verify v = {.shown_max = 5, .setup.places_groups = true};
    text_list files = {0};
    const char *paths = NULL;
    const char *threads = NULL;
    const option options[] = {
        {.name = "threads",
         .kind = OPTION_TEXT,
         .value = "N,...",
         .target = &threads,
         .help = "threads that search (default: one per core)"},
        {.name = "paths",
         .kind = OPTION_TEXT,
         .value = "PATH,...",
         .target = &paths,
         .help = "how a node is found: auto, scan, index\n(default auto)"},
        {.name = "path",
         .kind = OPTION_TEXT,
         .value = "PATH",
         .target = &paths,
         .help = "the same as --paths"},
        {.name = "show",
         .kind = OPTION_NUMBER,
         .value = "N",
         .max = INT32_MAX,
         .target = &v.shown_max,
         .help = "how many decisions that differ to show for each file\n(default 5)"},
    };
    const option_group groups[] = {OPTION_GROUP(options)};
    options_result parsed = options_parse(&help, groups, 1, &files, argc, argv);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    if (parsed == OPTIONS_RUN && files.count == 0)
        code = exit_usage(help.name, "no file named");
    else if (parsed == OPTIONS_RUN)
        code = verify_matrix_parse(&v.matrix, help.name, paths, threads) ? run(&v, &files)
                                                                         : EXIT_USAGE;
    for (size_t i = 0; i < BERTH_KIND_COUNT; i++)
        berth_reader_destroy(v.readers[i]);
    berth_explanation_destroy(v.explanation);
    free(v.placed);
    free(v.differs);
    text_list_free(&files);
    return code;
}
