/* Builds the cluster that berth bench measures on, and measures its memory. */
#include "loading/bench_cluster.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/stopwatch.h"

enum { PROGRESS_EVERY = 4096 };

uint64_t bench_cluster_held_bytes(const bench_cluster *c)
{
    berth_memory memory;
    return berth_engine_memory(c->engine, &memory, NULL) == BERTH_OK ? memory.used_bytes : 0;
}

static bool waits(const bench_cluster *c, const berth_pod *pod)
{
    return pod->node_name.len == 0 && !pod->meta.deleting &&
           engine_setup_serves(c->setup, pod->scheduler_name);
}

static berth_status add(bench_cluster *c, const berth_object *object, berth_error *error)
{
    berth_object_id id;
    berth_status status = berth_engine_add(c->engine, object, &id, error);
    if (status != BERTH_OK)
        return status;
    if (id.pod != BERTH_POD_NONE && waits(c, object->as.pod)) {
        c->pods = heap_grow(c->pods, &c->pod_capacity, c->pod_count + 1, sizeof(*c->pods));
        c->pods[c->pod_count++] = id.pod;
    }
    c->object_count++;
    return BERTH_OK;
}

/* ---- synthetic clusters ---- */

static berth_status on_made(void *context, const berth_object *object, berth_error *error)
{
    bench_cluster *c = context;
    if (c->object_count % PROGRESS_EVERY == 0)
        progress_update(&c->bar, c->object_count);
    return add(c, object, error);
}

static berth_status make(bench_cluster *c, berth_error *error)
{
    workload_source *source = workload_source_create(&c->spec);
    berth_status status = BERTH_OK;
    progress_start(&c->bar, "building", workload_object_count(&c->spec));
    for (int part = 0; part < WORKLOAD_PART_COUNT && status == BERTH_OK; part++) {
        if (part == WORKLOAD_NODES)
            c->empty_bytes = bench_cluster_held_bytes(c);
        status = workload_source_make(source, (workload_part)part, on_made, c, error);
        if (part == WORKLOAD_NODES && status == BERTH_OK) {
            status = berth_engine_node_order(c->engine, NULL, 0, NULL, error);
            c->nodes_bytes = bench_cluster_held_bytes(c);
        }
    }
    progress_end(&c->bar);
    workload_source_destroy(source);
    return status;
}

/* ---- clusters from files ---- */

static berth_status on_read(void *context, const berth_object *object, const berth_error *origin,
                            berth_error *error)
{
    bench_cluster *c = context;
    berth_status status = add(c, object, error);
    if (status != BERTH_OK && origin != NULL)
        error_place(error, origin);
    return status;
}

static void on_progress(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
    bench_cluster *c = context;
    c->bar.total = total_bytes;
    c->read_bytes = done_bytes;
    progress_update(&c->bar, done_bytes);
}

static berth_status read_files(bench_cluster *c, berth_reader *reader, berth_error *error)
{
    uint64_t bytes = 0;
    berth_status status = BERTH_OK;
    for (size_t i = 0; i < c->files.count && status == BERTH_OK; i++) {
        progress_start(&c->bar, "reading", 0);
        c->read_bytes = 0;
        status = berth_reader_file(reader, c->files.items[i], on_read, c, error);
        bytes += c->read_bytes;
        progress_end(&c->bar);
    }
    c->read_bytes = bytes;
    if (status == BERTH_OK)
        status = berth_reader_finish(reader, c->engine, on_read, c, error);
    return status;
}

static berth_status load(bench_cluster *c, berth_error *error)
{
    berth_read_options options = {.size = sizeof(options),
                                  .apply_defaults = true,
                                  .progress = on_progress,
                                  .progress_context = c,
                                  .threads = (uint32_t)c->setup->threads};
    berth_reader *reader = NULL;
    berth_status status = berth_reader_create(&options, &reader, error);
    if (status != BERTH_OK)
        return status;
    stopwatch watch;
    stopwatch_start(&watch);
    status = read_files(c, reader, error);
    stopwatch_stop(&watch);
    c->read_seconds = stopwatch_seconds(&watch);
    berth_reader_destroy(reader);
    return status == BERTH_OK ? berth_engine_node_order(c->engine, NULL, 0, NULL, error) : status;
}

/* ---- both ---- */

berth_status bench_cluster_build(bench_cluster *c, berth_error *error)
{
    berth_status status = c->files.count > 0 ? load(c, error) : make(c, error);
    c->all_bytes = bench_cluster_held_bytes(c);
    c->weighed = c->all_bytes > 0;
    return status;
}

double bench_cluster_node_bytes(const bench_cluster *c)
{
    if (!c->weighed || c->files.count > 0 || c->spec.nodes == 0)
        return 0.0;
    return (double)(c->nodes_bytes - c->empty_bytes) / (double)c->spec.nodes;
}

double bench_cluster_pod_bytes(const bench_cluster *c)
{
    uint64_t pods = workload_running_count(&c->spec) + c->spec.pods;
    if (!c->weighed || c->files.count > 0 || pods == 0)
        return 0.0;
    return (double)(c->all_bytes - c->nodes_bytes) / (double)pods;
}

void bench_cluster_release(bench_cluster *c)
{
    berth_engine_destroy(c->engine);
    text_list_free(&c->files);
    free(c->pods);
}
