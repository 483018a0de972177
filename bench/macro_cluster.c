/* Fills engines with synthetic clusters for the macro-benchmarks. */
#include "macro_cluster.h"

#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"

int macro_workload_kind(const char *name)
{
    int kind = 0;
    while (strcmp(workload_names[kind], name) != 0)
        kind++;
    return kind;
}

bool macro_cluster_open(macro_cluster *cluster, const macro_engine *options, uint64_t pods)
{
    *cluster = (macro_cluster){.pod_capacity = pods};
    cluster->pods = heap_new(pods > 0 ? pods : 1, sizeof(*cluster->pods));
    berth_profile profile = *berth_profile_default();
    profile.percentage_of_nodes_to_score = options->percentage;
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.threads = options->threads;
    config.path = options->path;
    config.profiles = &profile;
    config.profile_count = 1;
    config.allocator = options->allocator;
    return berth_engine_create(&config, &cluster->engine, &cluster->error) == BERTH_OK;
}

void macro_cluster_close(macro_cluster *cluster)
{
    berth_engine_destroy(cluster->engine);
    free(cluster->pods);
    cluster->engine = NULL;
    cluster->pods = NULL;
}

berth_status macro_cluster_add(void *context, const berth_object *object, berth_error *error)
{
    macro_cluster *cluster = context;
    berth_object_id id;
    berth_status status = berth_engine_add(cluster->engine, object, &id, error);
    if (status == BERTH_OK && object->kind == BERTH_KIND_POD &&
        object->as.pod->node_name.len == 0 && cluster->pod_count < cluster->pod_capacity)
        cluster->pods[cluster->pod_count++] = id.pod;
    return status;
}

bool macro_cluster_fill(macro_cluster *cluster, const workload_spec *spec)
{
    workload_source *source = workload_source_create(spec);
    berth_status status =
        workload_source_make_all(source, macro_cluster_add, cluster, &cluster->error);
    workload_source_destroy(source);
    return status == BERTH_OK && macro_cluster_lay_out(cluster);
}

bool macro_cluster_lay_out(macro_cluster *cluster)
{
    return berth_engine_node_order(cluster->engine, NULL, 0, NULL, &cluster->error) == BERTH_OK;
}

const char *macro_cluster_problem(const macro_cluster *cluster)
{
    static char text[1200];
    berth_error_format(&cluster->error, text, sizeof(text));
    return text;
}
