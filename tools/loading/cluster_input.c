/* Loads clusters from files, standard input, an API server or a synthetic specification into an
 * engine. */
#include "loading/cluster_input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/progress.h"
#include "cli/text_buffer.h"
#include "cli/verbosity.h"
#include "inspect/fresh.h"
#include "workloads/workloads.h"

/* If a workload wants more pods than this, only as many are made as the nodes may have room for. */
enum { MANY_REPLICAS = 100000 };

option_group cluster_input_options(cluster_input *input)
{
    enum { OWN_OPTIONS = CLUSTER_OPTIONS_MAX - CLUSTER_LIVE_OPTIONS };
    const option options[OWN_OPTIONS] = {
        {.name = "file",
         .letter = 'f',
         .kind = OPTION_TEXTS,
         .alias = "filename",
         .value = "FILE",
         .target = &input->files,
         .help = "read objects: JSON or YAML, gzip or not; of a folder its\n.json, .yaml and .yml "
                 "files; '-' is standard input;\nrepeatable, or a list with commas"},
        {.name = "recursive",
         .letter = 'R',
         .kind = OPTION_FLAG,
         .target = &input->recursive,
         .help = "read the subfolders of a folder, too"},
        {.name = "namespace",
         .letter = 'n',
         .kind = OPTION_TEXT,
         .value = "NAMESPACE",
         .target = &input->namespace_name,
         .help =
             "the namespace of objects that name none, as in\nkubectl apply -n (default: default)"},
        {.name = "synthetic",
         .kind = OPTION_TEXT,
         .value = "SPEC",
         .target = &input->synthetic,
         .help = "make the cluster instead: nodes=N,zones=N,pods=N,running=N,\n"
                 "workload=NAME,seed=N (see 'berth generate --help')"},
        {.name = "strict",
         .kind = OPTION_FLAG,
         .target = &input->strict,
         .help = "treat warnings about the input as errors"},
        {.name = "expand",
         .kind = OPTION_FLAG,
         .target = &input->expand,
         .help = "also make the pods of workloads that come from an API\nserver, for an input that "
                 "lacks them"},
        {.name = "add",
         .kind = OPTION_FLAG,
         .target = &input->add,
         .help = "add the objects of manifests to the cluster (default:\nthey change workloads "
                 "that exist, and the answer is\nfor the state after the rollout)"},
        {.name = "scale",
         .kind = OPTION_CHOICE,
         .value = "WHAT",
         .target = &input->autoscalers.goal,
         .choices = scale_goal_names,
         .help = "how many pods the targets of HorizontalPodAutoscalers\nhave: as many as now, or "
                 "the autoscaler's minimum or maximum"},
    };
    memcpy(input->options, options, sizeof(options));
    cluster_live_options(&input->live, input->options + OWN_OPTIONS);
    return (option_group){input->options, CLUSTER_OPTIONS_MAX, OPTIONS_INPUT};
}

int cluster_input_check(cluster_input *input, const text_list *operands, const char *command)
{
    input->command = command;
    for (size_t i = 0; i < operands->count; i++)
        text_list_add(&input->files, operands->items[i]);
    int code = cluster_live_check(&input->live, input->synthetic != NULL || input->files.count > 0,
                                  command);
    if (code != EXIT_DONE)
        return code;
    if (input->synthetic != NULL && input->files.count > 0)
        return exit_usage(command, "files and --synthetic exclude each other");
    if (input->synthetic != NULL && input->live.wanted)
        return exit_usage(command, "--synthetic and a live cluster (--live, --kubeconfig, "
                                   "--context) exclude each other");
    if (input->synthetic == NULL && input->files.count == 0 && !input->live.wanted)
        return exit_usage(command, "no input: name files with -f, give --live for the cluster of "
                                   "your kubeconfig, or --synthetic");
    code = input_files_expand(&input->expanded, &input->files, input->recursive, command);
    if (code != EXIT_DONE)
        return code;
    size_t standard = 0;
    for (size_t i = 0; i < input->files.count; i++)
        standard += strcmp(input->files.items[i], "-") == 0;
    if (standard > 1)
        return exit_usage(command, "standard input ('-') can be read only once");
    workload_spec spec = workload_spec_default();
    char reason[256];
    if (input->synthetic != NULL &&
        !workload_spec_parse(input->synthetic, &spec, reason, sizeof(reason)))
        return exit_usage(command, "--synthetic: %s", reason);
    return EXIT_DONE;
}

berth_status cluster_input_version(cluster_input *input, engine_setup *setup, berth_error *error)
{
    input->live.scales = input->autoscalers.goal != SCALE_CURRENT;
    TRY(cluster_live_read(&input->live, setup, error));
    setup->keep_objects = setup->keep_objects || input->live.scales;
    const cluster_text *cluster = &input->live.cluster;
    const cluster_version_live live = {cluster->text, cluster->bytes, cluster->version};
    if (cluster->text != NULL && input->namespace_name == NULL &&
        strcmp(cluster->namespace_name, "default") != 0)
        input->namespace_name = cluster->namespace_name;
    cluster_version_find(&input->version, &live, &input->files, setup);
    return BERTH_OK;
}

static void tell_version(cluster_input *input, const engine_setup *setup)
{
    char text[512], warning[512];
    if (input->version.count == 0)
        return;
    cluster_version_say(&input->version, setup, text, sizeof(text), warning, sizeof(warning));
    if (warning[0] != '\0')
        findings_add(&input->inspection.findings, FINDING_VERSION, words_of(warning), NULL, 1);
}

/* The context of the callbacks below. */
typedef struct load {
    cluster_input *input;
    const engine_setup *setup;
    berth_engine *engine;
    progress progress;
    uint64_t object_count;
} load;

static void skip(cluster_input *input, berth_pod_id pod, berth_str reason, bool refused)
{
    input->skips = heap_grow(input->skips, &input->skip_capacity, input->skip_count + 1,
                             sizeof(*input->skips));
    input->skips[input->skip_count++] =
        (cluster_skip){pod, word_table_add(&input->skip_reasons, reason), refused};
}

void cluster_input_skip(cluster_input *input, berth_pod_id pod, berth_str reason)
{
    skip(input, pod, reason, true);
}

/* Skip pods that never enter a scheduler's queue: those that are being deleted, and those of other
 * schedulers. */
void cluster_input_pass_over(cluster_input *input, const engine_setup *setup, berth_pod_id pod,
                             bool deleting, berth_str scheduler_name)
{
    if (deleting) {
        skip(input, pod, words_of("being deleted"), false);
    } else if (!engine_setup_serves(setup, scheduler_name)) {
        text_buffer reason = {0};
        text_add(&reason, "schedulerName %.*s: served by no profile", (int)scheduler_name.len,
                 scheduler_name.data);
        skip(input, pod, text_str(&reason), false);
        text_free(&reason);
    }
}

static void skip_if_due(load *l, berth_pod_id id, const berth_pod *pod)
{
    if (id != BERTH_POD_NONE && pod->node_name.len == 0)
        cluster_input_pass_over(l->input, l->setup, id, pod->meta.deleting, pod->scheduler_name);
}

static void tell_replaced(load *l, const berth_object *object)
{
    text_buffer text = {0};
    const berth_metadata *meta = object->as.any; /* every object begins with it */
    text_add(&text, "%s %.*s/%.*s: it replaces one of an earlier manifest",
             berth_kind_name(object->kind), (int)meta->namespace_name.len,
             meta->namespace_name.data, (int)meta->name.len, meta->name.data);
    findings_add(&l->input->inspection.findings, FINDING_VALUE, text_str(&text), NULL, 1);
    text_free(&text);
}

/* Add an object. If the cluster and a manifest, or two manifests, have it, settle which one
 * counts. */
static berth_status add_or_settle(load *l, const berth_object *object, berth_object_id *id,
                                  berth_error *error)
{
    berth_status status = berth_engine_add(l->engine, object, id, error);
    if (l->input->add)
        return status;
    if (status == BERTH_OK)
        twins_added(&l->input->twins, object);
    if (status != BERTH_E_EXISTS)
        return status;
    switch (twins_settle(&l->input->twins, l->engine, object, id)) {
    case TWINS_REPLACED:
        tell_replaced(l, object);
        return BERTH_OK;
    case TWINS_SETTLED:
        return BERTH_OK;
    default:
        return status;
    }
}

/* Add a pod as admission leaves it. */
static berth_status add_pod(load *l, const berth_object *object, berth_object_id *id,
                            berth_error *error)
{
    admission *rules = &l->input->admission;
    text_buffer refusal = {0};
    berth_pod pod;
    berth_object changed = {.kind = BERTH_KIND_POD, .as.pod = &pod};
    const berth_object *added = object;
    if (rules->ranges.count > 0) {
        pod = *object->as.pod;
        if (admission_pod(rules, &pod, &l->input->inspection.findings, &refusal))
            added = &changed;
    }
    const berth_status status = add_or_settle(l, added, id, error);
    if (status == BERTH_OK) {
        skip_if_due(l, id->pod, added->as.pod);
        if (refusal.len > 0 && id->pod != BERTH_POD_NONE)
            cluster_input_skip(l->input, id->pod, text_str(&refusal));
        admission_added(rules, added->as.pod, id->pod, refusal.len > 0);
    }
    text_free(&refusal);
    return status;
}

static void note_fresh(cluster_input *input, const berth_pod *pod, berth_pod_id id)
{
    if (id == BERTH_POD_NONE || !is_fresh(&pod->meta))
        return;
    input->fresh =
        heap_grow(input->fresh, &input->fresh_capacity, input->fresh_count + 1, sizeof(id));
    input->fresh[input->fresh_count++] = id;
}

static berth_status add_object(load *l, const berth_object *object, berth_error *error)
{
    berth_object_id id;
    if (object->kind == BERTH_KIND_POD)
        TRY(add_pod(l, object, &id, error));
    else
        TRY(add_or_settle(l, object, &id, error));
    if (object->kind == BERTH_KIND_NODE)
        for (uint32_t i = 0; i < object->as.node->allocatable.count; i++)
            word_table_add(&l->input->resources, object->as.node->allocatable.items[i].name);
    if (object->kind == BERTH_KIND_POD)
        note_fresh(l->input, object->as.pod, id.pod);
    budgets_add(&l->input->budgets, object);
    if (object->kind == BERTH_KIND_POD)
        allowances_pod(&l->input->allowances, object->as.pod, id.pod);
    claim_book_see(&l->input->claims, object);
    if (l->input->changes != NULL)
        changes_added(l->input->changes, object, &id);
    if (l->input->on_added != NULL)
        l->input->on_added(l->input->context, object, &id);
    l->object_count++;
    return BERTH_OK;
}

static void on_whole(void *context, const berth_note *note)
{
    cluster_input *input = context;
    if (words_equal(note->kind, words_of(AUTOSCALER_KIND)))
        autoscalers_note(&input->autoscalers, note, &input->inspection.findings);
    else
        admission_note(&input->admission, note, &input->inspection.findings);
}

static void on_note(void *context, const berth_note *note)
{
    cluster_input *input = context;
    allowances_note(&input->allowances, note);
    if (note->workload != NULL)
        autoscalers_note(&input->autoscalers, note, &input->inspection.findings);
    if (note->what == BERTH_NOTE_WORKLOAD)
        changes_note(input->changes, note);
    else
        inspection_note(&input->inspection, note);
}

static void on_refused(void *context, berth_pod_id pod, berth_str reason)
{
    cluster_input_skip(context, pod, reason);
}

void cluster_input_look(cluster_input *input, const berth_object *object, const berth_error *origin)
{
    inspection_object(&input->inspection, object, origin);
}

/* The engine's error names the object and the field; the reader knows the place in the file. */
void cluster_input_refused(cluster_input *input, const berth_object *object,
                           const berth_error *origin, berth_error *error)
{
    error_place(error, origin);
    if (error->code == BERTH_E_EXISTS)
        places_cite(&input->inspection.places, object, error);
}

/* Hold a pod for its rollout, as admission leaves it. A pod that admission refuses is reported and
 * never made. */
static void hold_pod(cluster_input *input, const berth_object *object, const berth_error *origin)
{
    text_buffer refusal = {0};
    berth_pod pod = *object->as.pod;
    const berth_object changed = {.kind = BERTH_KIND_POD, .as.pod = &pod};
    (void)admission_pod(&input->admission, &pod, &input->inspection.findings, &refusal);
    if (refusal.len == 0)
        changes_hold(input->changes, &changed);
    else
        findings_add(&input->inspection.findings, FINDING_ADMISSION, text_str(&refusal), origin, 1);
    text_free(&refusal);
}

static berth_status on_read(void *context, const berth_object *object, const berth_error *origin,
                            berth_error *error)
{
    load *l = context;
    change_fate fate = CHANGE_NEW;
    if (object->kind == BERTH_KIND_POD && l->input->changes != NULL)
        TRY(changes_pod(l->input->changes, l->engine, object->as.pod, &fate, error));
    if (fate == CHANGE_STAYS)
        return BERTH_OK;
    cluster_input_look(l->input, object, origin);
    if (fate == CHANGE_HELD) {
        hold_pod(l->input, object, origin);
        return BERTH_OK;
    }
    berth_status status = add_object(l, object, error);
    if (status == BERTH_OK)
        places_add(&l->input->inspection.places, object, origin);
    else
        cluster_input_refused(l->input, object, origin, error);
    return status;
}

static berth_status on_made(void *context, const berth_object *object, berth_error *error)
{
    load *l = context;
    if (l->object_count % 1024 == 0)
        progress_update(&l->progress, l->object_count);
    return add_object(l, object, error);
}

static berth_status on_copied(void *context, const berth_object *object, berth_error *error)
{
    return add_object(context, object, error);
}

static void on_progress(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
    load *l = context;
    l->progress.total = total_bytes;
    progress_update(&l->progress, done_bytes);
}

berth_read_options cluster_input_reading(cluster_input *input)
{
    input->inspection.on_whole = on_whole;
    input->inspection.context = input;
    return (berth_read_options){
        .size = sizeof(berth_read_options),
        .apply_defaults = true,
        .note = on_note,
        .note_context = input,
        .whole_kinds = ADMISSION_KINDS "," AUTOSCALER_KIND,
        .expand = input->expand,
        .changes = input->changes != NULL,
        .known = input->reader,
        .namespace_name = input->namespace_name,
        .cancel = input->cancel,
        .many_replicas = input->grows ? 0 : MANY_REPLICAS,
    };
}

static void tell_changes(cluster_input *input)
{
    char text[512];
    for (size_t i = 0; i < changes_count(input->changes); i++) {
        workload_change_say(changes_at(input->changes, i), text, sizeof(text));
        findings_add(&input->inspection.findings, FINDING_CHANGE, words_of(text), NULL, 1);
    }
}

/* Load the text of a live read, without copying it. */
static berth_status load_live(load *l, berth_reader *reader, berth_error *error)
{
    const cluster_text *cluster = &l->input->live.cluster;
    if (cluster->text == NULL)
        return BERTH_OK;
    places_source(&l->input->inspection.places, cluster->server);
    if (cluster->bytes > UINT32_MAX) { /* a berth_str cannot hold more */
        char path[32];
        snprintf(path, sizeof(path), "/proc/self/fd/%d", cluster->file);
        return berth_reader_file(reader, path, on_read, l, error);
    }
    return berth_reader_text(reader, (berth_str){cluster->text, (uint32_t)cluster->bytes},
                             cluster->server, on_read, l, error);
}

static berth_status load_files(load *l, berth_error *error)
{
    if (!l->input->add)
        l->input->changes =
            changes_create(l->input->plays && l->input->autoscalers.goal == SCALE_CURRENT);
    berth_read_options options = cluster_input_reading(l->input);
    options.progress = on_progress;
    options.progress_context = l;
    options.threads = (uint32_t)l->setup->threads;
    berth_reader *reader = NULL;
    berth_status status = berth_reader_create(&options, &reader, error);
    if (status != BERTH_OK)
        return status;
    status = load_live(l, reader, error);
    for (size_t i = 0; i < l->input->files.count && status == BERTH_OK; i++) {
        const char *path = l->input->files.items[i];
        progress_start(&l->progress, "reading", 0);
        places_source(&l->input->inspection.places,
                      strcmp(path, "-") == 0 ? "standard input" : path);
        status = berth_reader_file(reader, path, on_read, l, error);
        progress_end(&l->progress);
    }
    places_source(&l->input->inspection.places, NULL);
    if (status == BERTH_OK)
        status = berth_reader_finish(reader, l->engine, on_read, l, error);
    if (status == BERTH_OK && l->input->changes != NULL)
        status = changes_end(l->input->changes, l->engine, error);
    if (status == BERTH_OK && l->input->changes != NULL)
        tell_changes(l->input);
    if (l->input->more_follows)
        l->input->reader = reader;
    else
        berth_reader_destroy(reader);
    return status;
}

static berth_status load_synthetic(load *l, berth_error *error)
{
    workload_spec spec = workload_spec_default();
    char reason[256];
    if (!workload_spec_parse(l->input->synthetic, &spec, reason, sizeof(reason)))
        return error_set(error, BERTH_E_ARG, NULL, "%s", reason);
    workload_source *source = workload_source_create(&spec);
    progress_start(&l->progress, "making", workload_object_count(&spec));
    berth_status status = workload_source_make_all(source, on_made, l, error);
    progress_end(&l->progress);
    workload_source_destroy(source);
    return status;
}

static int by_id(const void *a, const void *b)
{
    const berth_pod_id left = *(const berth_pod_id *)a, right = *(const berth_pod_id *)b;
    return (left > right) - (left < right);
}

static int by_pod(const void *a, const void *b)
{
    const cluster_skip *left = a;
    const cluster_skip *right = b;
    return left->pod < right->pod ? -1 : left->pod > right->pod;
}

void cluster_input_admit(cluster_input *input, berth_engine *engine)
{
    admission_end(&input->admission, engine, &input->inspection.findings, on_refused, input);
    if (input->skip_count > 0)
        qsort(input->skips, input->skip_count, sizeof(*input->skips), by_pod);
}

/* The context of playing rollouts. */
typedef struct rolling {
    cluster_input *input;
    berth_engine *engine;
    berth_status (*decide)(void *context, berth_pod_id pod, bool *placed, berth_error *error);
    void *context;
} rolling;

static berth_status add_held(void *context, const berth_object *pod, berth_pod_id *id,
                             berth_error *error)
{
    const rolling *r = context;
    berth_object_id added;
    TRY(berth_engine_add(r->engine, pod, &added, error));
    note_fresh(r->input, pod->as.pod, added.pod);
    claim_book_see(&r->input->claims, pod);
    *id = added.pod;
    return BERTH_OK;
}

static berth_status decide_held(void *context, berth_pod_id pod, bool *placed, berth_error *error)
{
    const rolling *r = context;
    return r->decide(r->context, pod, placed, error);
}

berth_status cluster_input_play(cluster_input *input, berth_engine *engine,
                                berth_status (*decide)(void *context, berth_pod_id pod,
                                                       bool *placed, berth_error *error),
                                void *context, berth_error *error)
{
    rolling r = {input, engine, decide, context};
    const rollout_player player = {add_held, decide_held, &r};
    if (input->changes == NULL)
        return BERTH_OK;
    TRY(rollouts_play(input->changes, engine, &player, error));
    if (input->fresh_count > 0)
        qsort(input->fresh, input->fresh_count, sizeof(*input->fresh), by_id);
    return BERTH_OK;
}

berth_status cluster_input_report(cluster_input *input, berth_error *error)
{
    return inspection_end(&input->inspection, input->command, input->strict, error);
}

berth_status cluster_input_load(cluster_input *input, const engine_setup *setup,
                                berth_engine *engine, berth_error *error)
{
    load l = {.input = input, .setup = setup, .engine = engine};
    tell_version(input, setup);
    TRY(prices_read(&input->prices, error));
    if (setup->config != NULL)
        berth_scheduler_config_notes(setup->config, inspection_note, &input->inspection);
    berth_status status =
        input->synthetic != NULL ? load_synthetic(&l, error) : load_files(&l, error);
    if (status == BERTH_OK)
        status = autoscalers_apply(&input->autoscalers, engine, input->changes,
                                   &input->inspection.findings, on_copied, &l, error);
    if (status == BERTH_OK)
        cluster_input_admit(input, engine);
    if (status == BERTH_OK)
        status = allowances_end(&input->allowances, &input->budgets, engine,
                                &input->inspection.findings, error);
    if (status == BERTH_OK)
        references_nodes(engine, &input->inspection.findings);
    if (status == BERTH_OK && input->prices.path != NULL)
        prices_inspect(&input->prices, engine, &input->inspection.findings);
    if (status == BERTH_OK && !input->more_follows)
        status = cluster_input_report(input, error);
    verbosity_note("%" PRIu64 " objects loaded", l.object_count);
    if (input->fresh_count > 0)
        qsort(input->fresh, input->fresh_count, sizeof(*input->fresh), by_id);
    return status;
}

bool cluster_input_is_fresh(const cluster_input *input, berth_pod_id pod)
{
    return input->fresh_count > 0 &&
           bsearch(&pod, input->fresh, input->fresh_count, sizeof(*input->fresh), by_id) != NULL;
}

const cluster_skip *cluster_input_skipped(const cluster_input *input, berth_pod_id pod)
{
    if (input->skip_count == 0)
        return NULL;
    const cluster_skip wanted = {.pod = pod};
    return bsearch(&wanted, input->skips, input->skip_count, sizeof(*input->skips), by_pod);
}

void cluster_input_release(cluster_input *input)
{
    inspection_free(&input->inspection);
    admission_free(&input->admission);
    claim_book_free(&input->claims);
    changes_destroy(input->changes);
    twins_free(&input->twins);
    budgets_free(&input->budgets);
    allowances_free(&input->allowances);
    berth_reader_destroy(input->reader);
    cluster_live_free(&input->live);
    autoscalers_free(&input->autoscalers);
    prices_free(&input->prices);
    text_list_free(&input->files);
    input_files_free(&input->expanded);
    word_table_free(&input->resources);
    word_table_free(&input->skip_reasons);
    free(input->fresh);
    free(input->skips);
}
