/* A queue of gangs: the pods of a PodGroup start together, once all of them fit. Groups that do not
 * fit wait in their order, and are tried again when pods have left.
 *     cc gang_queue.c $(pkg-config --cflags --libs berth) */
#include <stdio.h>
#include <stdlib.h>

#include <berth/berth.h>

enum { PODS_MAX = 16, GROUPS = 3 };

#define NODE(name)                                             \
    "apiVersion: v1\nkind: Node\nmetadata: {name: " name "}\n" \
    "status: {allocatable: {cpu: '8', pods: '110'}}\n---\n"
/* A PodGroup and its first pod. */
#define GANG(name, count, cpu)                                                            \
    "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: " name "}\n" \
    "spec: {schedulingPolicy: {gang: {minCount: " count "}}}\n---\n"                      \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name "-0}\n"                           \
    "spec: {schedulingGroup: {podGroupName: " name "},\n"                                 \
    "  containers: [{name: main, resources: {requests: {cpu: '" cpu "'}}}]}\n---\n"

static const char cluster_yaml[] =
    NODE("a") NODE("b") GANG("train", "3", "4") GANG("large", "4", "4") GANG("small", "2", "2");

typedef struct gang {
    const char *name;
    uint32_t count;
    bool started;
    berth_pod_id pods[PODS_MAX];
} gang;

static void require(berth_status status, const berth_error *error)
{
    char text[1024];
    if (status == BERTH_OK)
        return;
    berth_error_format(error, text, sizeof(text));
    fprintf(stderr, "gang_queue: %s\n", text);
    exit(1);
}

static berth_str pod_name(const gang *of, uint32_t i, char name[32])
{
    int len = snprintf(name, 32, "%s-%u", of->name, (unsigned)i);
    return (berth_str){name, (uint32_t)len};
}

/* Find the first pod of the group, and add the others, which equal it. */
static void submit(berth_engine *engine, gang *one)
{
    berth_error error;
    char name[32];
    one->pods[0] = berth_engine_find_pod(engine, BERTH_STR("default"), pod_name(one, 0, name));
    for (uint32_t i = 1; i < one->count; i++)
        require(berth_engine_add_like(engine, one->pods[0], pod_name(one, i, name), &one->pods[i],
                                      &error),
                &error);
}

/* Start every waiting group that fits now, in the order of the queue. */
static void start(berth_engine *engine, gang *queue)
{
    for (int i = 0; i < GROUPS; i++) {
        gang *one = &queue[i];
        berth_error error;
        berth_pod_group_outcome outcome = {.size = sizeof(outcome)};
        if (one->started)
            continue;
        require(berth_engine_schedule_pod_group(engine, one->pods, one->count, &outcome, &error),
                &error);
        one->started = outcome.verdict == BERTH_VERDICT_PLACED;
        if (one->started)
            printf("%s: %u pods started\n", one->name, (unsigned)outcome.placed);
        else
            printf("%s: waits for room for %u pods\n", one->name, (unsigned)outcome.minimum);
    }
}

/* The group has ended: its pods leave the cluster. */
static void finish(berth_engine *engine, const gang *one)
{
    berth_error error;
    char name[32];
    for (uint32_t i = 0; i < one->count; i++)
        require(berth_engine_remove(engine, BERTH_KIND_POD, BERTH_STR("default"),
                                    pod_name(one, i, name), &error),
                &error);
    printf("%s: finished\n", one->name);
}

int main(void)
{
    static gang queue[GROUPS] = {{.name = "train", .count = 3},
                                 {.name = "large", .count = 4},
                                 {.name = "small", .count = 2}};
    berth_error error;
    berth_engine *engine;
    berth_engine_config config;
    const berth_str text = {cluster_yaml, sizeof(cluster_yaml) - 1};
    berth_engine_config_init(&config);
    config.feature_gates = BERTH_STR("GenericWorkload=true"); /* follow PodGroups */
    require(berth_engine_create(&config, &engine, &error), &error);
    require(berth_engine_load_text(engine, text, "cluster", NULL, NULL, &error), &error);
    for (int i = 0; i < GROUPS; i++)
        submit(engine, &queue[i]);
    start(engine, queue);
    finish(engine, &queue[0]);
    start(engine, queue);
    finish(engine, &queue[2]);
    start(engine, queue);
    berth_engine_destroy(engine);
    return 0;
}
