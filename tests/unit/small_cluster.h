/* Nodes and pods in one line each, for tests of the public engine. */
#ifndef BERTH_TESTS_UNIT_SMALL_CLUSTER_H
#define BERTH_TESTS_UNIT_SMALL_CLUSTER_H

#include <stdio.h>
#include <string.h>

#include "berth/engine.h"

static inline berth_str text(const char *from)
{
    return (berth_str){from, from != NULL ? (uint32_t)strlen(from) : 0};
}

/* A node with 4 cores, 16 GiB and 10 pods; `zone` may be NULL. */
typedef struct small_node {
    berth_node node;
    berth_key_value labels[3];
    berth_resource allocatable[3];
} small_node;

static inline const berth_object *small_node_object(small_node *storage, berth_object *object,
                                                    const char *name, const char *zone)
{
    *storage = (small_node){
        .labels = {{text("kubernetes.io/hostname"), text(name)},
                   {text("topology.kubernetes.io/zone"), text(zone)}},
        .allocatable = {{text("cpu"), {4, 0}},
                        {text("memory"), {INT64_C(16) << 30, 0}},
                        {text("pods"), {10, 0}}},
    };
    storage->node.meta.name = text(name);
    storage->node.meta.labels = (berth_map){storage->labels, zone != NULL ? 2 : 1};
    storage->node.allocatable = (berth_resources){storage->allocatable, 3};
    *object = (berth_object){.kind = BERTH_KIND_NODE};
    object->as.node = &storage->node;
    return object;
}

/* Adds nodes "node-0", "node-1" and so on in zone a, until one is refused. */
static inline berth_status small_add_nodes(berth_engine *engine, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char name[32];
        small_node node;
        berth_object object;
        (void)snprintf(name, sizeof(name), "node-%u", (unsigned)i);
        const berth_status status =
            berth_engine_add(engine, small_node_object(&node, &object, name, "a"), NULL, NULL);
        if (status != BERTH_OK)
            return status;
    }
    return BERTH_OK;
}

/* A pod that requests this many thousandths of a core; `node` NULL: pending. */
typedef struct small_pod {
    berth_pod pod;
    berth_container container;
    berth_resource requests[2];
} small_pod;

static inline const berth_object *small_pod_object(small_pod *storage, berth_object *object,
                                                   const char *name, const char *node,
                                                   int32_t milli)
{
    *storage = (small_pod){
        .requests = {{text("cpu"), {milli / 1000, milli % 1000 * 1000000}},
                     {text("memory"), {1 << 20, 0}}},
        .container = {.image = text("app:1")},
    };
    storage->container.requests = (berth_resources){storage->requests, 2};
    storage->pod.meta.name = text(name);
    storage->pod.node_name = text(node);
    storage->pod.containers = &storage->container;
    storage->pod.container_count = 1;
    *object = (berth_object){.kind = BERTH_KIND_POD};
    object->as.pod = &storage->pod;
    return object;
}

#endif
