/* Opens and closes engines for benchmarks of changes. */
#include "changed_engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/heap.h"
#include "workloads/workloads.h"

bool changed_engine_open_empty(changed_engine *c, berth_path path, uint64_t pods)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.path = path;
    *c = (changed_engine){.pods = heap_new(pods, sizeof(*c->pods)), .pod_capacity = pods};
    return berth_engine_create(&config, &c->engine, &c->error) == BERTH_OK;
}

berth_status changed_engine_add(changed_engine *c, const berth_object *object)
{
    berth_object_id id;
    berth_status status = berth_engine_add(c->engine, object, &id, &c->error);
    if (status == BERTH_OK && object->kind == BERTH_KIND_POD && c->pod_count < c->pod_capacity)
        c->pods[c->pod_count++] = id.pod;
    return status;
}

static berth_status take(void *context, const berth_object *object, berth_error *error)
{
    (void)error; /* the engine keeps its own */
    return changed_engine_add(context, object);
}

bool changed_engine_open(changed_engine *c, const char *kind, uint64_t nodes, berth_path path,
                         uint64_t pods)
{
    char text[160], reason[160];
    workload_spec spec = workload_spec_default();
    snprintf(text, sizeof(text), "workload=%s,nodes=%" PRIu64 ",pods=%" PRIu64, kind, nodes, pods);
    if (!changed_engine_open_empty(c, path, pods) ||
        !workload_spec_parse(text, &spec, reason, sizeof(reason)))
        return false;
    workload_source *source = workload_source_create(&spec);
    berth_status status = workload_source_make_all(source, take, c, NULL);
    workload_source_destroy(source);
    return status == BERTH_OK &&
           berth_engine_node_order(c->engine, NULL, 0, NULL, &c->error) == BERTH_OK;
}

void changed_engine_close(bench_state *state, changed_engine *c, bool ok)
{
    char text[1200];
    berth_error_format(&c->error, text, sizeof(text));
    if (!ok)
        bench_fail(state, text);
    berth_engine_destroy(c->engine);
    free(c->pods);
}
