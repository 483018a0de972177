/* Loading of clusters from files, standard input or a synthetic specification into an engine. */
#include "loading/cluster_input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/progress.h"
#include "cli/verbosity.h"
#include "workloads/workloads.h"

option_group cluster_input_options(cluster_input *input)
{
    const option options[CLUSTER_OPTIONS_MAX] = {
        {.name = "file",
         .letter = 'f',
         .kind = OPTION_TEXTS,
         .value = "FILE",
         .target = &input->files,
         .help = "read objects: JSON or YAML, gzip or not; '-' is\nstandard input; repeatable"},
        {.name = "synthetic",
         .kind = OPTION_TEXT,
         .value = "SPEC",
         .target = &input->synthetic,
         .help = "make the cluster instead: nodes=N,zones=N,pods=N,running=N,\n"
                 "workload=NAME,seed=N (see 'berth generate --help')"},
    };
    memcpy(input->options, options, sizeof(options));
    return (option_group){input->options, CLUSTER_OPTIONS_MAX};
}

int cluster_input_check(cluster_input *input, const text_list *operands, const char *command)
{
    for (size_t i = 0; i < operands->count; i++)
        text_list_add(&input->files, operands->items[i]);
    if (input->synthetic != NULL && input->files.count > 0)
        return exit_usage(command, "files and --synthetic exclude each other");
    if (input->synthetic == NULL && input->files.count == 0)
        return exit_usage(command, "no input: name files with -f, or give --synthetic");
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

/* What the callbacks below work on. */
typedef struct load {
    cluster_input *input;
    const engine_setup *setup;
    berth_engine *engine;
    progress progress;
    uint64_t object_count;
} load;

static void skip(cluster_input *input, berth_pod_id pod, berth_str reason)
{
    input->skips = heap_grow(input->skips, &input->skip_capacity, input->skip_count + 1,
                             sizeof(*input->skips));
    input->skips[input->skip_count++] =
        (cluster_skip){pod, word_table_add(&input->skip_reasons, reason)};
}

/* Terminating pods and pods of other schedulers never enter a scheduler's queue. */
static void skip_if_due(load *l, berth_pod_id id, const berth_pod *pod)
{
    if (id == BERTH_POD_NONE || pod->node_name.len > 0)
        return;
    if (pod->meta.deleting) {
        skip(l->input, id, words_of("being deleted"));
    } else if (!engine_setup_serves(l->setup, pod->scheduler_name)) {
        char reason[384];
        int len = snprintf(reason, sizeof(reason), "schedulerName %.*s: served by no profile",
                           (int)pod->scheduler_name.len, pod->scheduler_name.data);
        skip(l->input, id, (berth_str){reason, (uint32_t)len});
    }
}

static berth_status add_object(load *l, const berth_object *object, berth_error *error)
{
    berth_object_id id;
    berth_status status = berth_engine_add(l->engine, object, &id, error);
    if (status != BERTH_OK)
        return status;
    if (object->kind == BERTH_KIND_POD)
        skip_if_due(l, id.pod, object->as.pod);
    if (object->kind == BERTH_KIND_NODE)
        for (uint32_t i = 0; i < object->as.node->allocatable.count; i++)
            word_table_add(&l->input->resources, object->as.node->allocatable.items[i].name);
    if (l->input->on_added != NULL)
        l->input->on_added(l->input->context, object, &id);
    l->object_count++;
    return BERTH_OK;
}

/* The engine knows the object and the field, the reader where the object stands. */
static berth_status on_read(void *context, const berth_object *object, const berth_error *origin,
                            berth_error *error)
{
    berth_status status = add_object(context, object, error);
    if (status != BERTH_OK && origin != NULL)
        error_place(error, origin);
    return status;
}

static berth_status on_made(void *context, const berth_object *object, berth_error *error)
{
    load *l = context;
    if (l->object_count % 1024 == 0)
        progress_update(&l->progress, l->object_count);
    return add_object(l, object, error);
}

static void on_progress(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
    load *l = context;
    l->progress.total = total_bytes;
    progress_update(&l->progress, done_bytes);
}

static berth_status load_files(load *l, berth_error *error)
{
    berth_read_options options = {
        .size = sizeof(options),
        .apply_defaults = true,
        .progress = on_progress,
        .progress_context = l,
        .threads = (uint32_t)l->setup->threads,
    };
    berth_reader *reader = NULL;
    berth_status status = berth_reader_create(&options, &reader, error);
    if (status != BERTH_OK)
        return status;
    for (size_t i = 0; i < l->input->files.count && status == BERTH_OK; i++) {
        progress_start(&l->progress, "reading", 0);
        status = berth_reader_file(reader, l->input->files.items[i], on_read, l, error);
        progress_end(&l->progress);
    }
    if (status == BERTH_OK)
        status = berth_reader_finish(reader, l->engine, on_read, l, error);
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

static berth_status refuse_orphans(const berth_engine *engine, berth_error *error)
{
    berth_str node = {0};
    berth_pod_id pod = berth_engine_orphan(engine, &node);
    if (pod == BERTH_POD_NONE)
        return BERTH_OK;
    berth_str namespace_name = {0};
    berth_str name = {0};
    berth_engine_pod_name(engine, pod, &namespace_name, &name);
    error_set(error, BERTH_E_NOT_FOUND, NULL, "node '%.*s' is not in the input", (int)node.len,
              node.data);
    error_object(error, "Pod %.*s/%.*s", (int)namespace_name.len, namespace_name.data,
                 (int)name.len, name.data);
    snprintf(error->field, sizeof(error->field), "spec.nodeName");
    return BERTH_E_NOT_FOUND;
}

static int by_pod(const void *a, const void *b)
{
    const cluster_skip *left = a;
    const cluster_skip *right = b;
    return left->pod < right->pod ? -1 : left->pod > right->pod;
}

berth_status cluster_input_load(cluster_input *input, const engine_setup *setup,
                                berth_engine *engine, berth_error *error)
{
    load l = {.input = input, .setup = setup, .engine = engine};
    berth_status status =
        input->synthetic != NULL ? load_synthetic(&l, error) : load_files(&l, error);
    if (status == BERTH_OK)
        status = refuse_orphans(engine, error);
    verbosity_note("%" PRIu64 " objects loaded", l.object_count);
    if (input->skip_count > 0)
        qsort(input->skips, input->skip_count, sizeof(*input->skips), by_pod);
    return status;
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
    text_list_free(&input->files);
    word_table_free(&input->resources);
    word_table_free(&input->skip_reasons);
    free(input->skips);
}
