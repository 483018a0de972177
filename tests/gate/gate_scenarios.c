/* Fixed work whose instructions are counted: gate_scenarios SCENARIO COUNT repeats COUNT times
 *   cold     decide for a pod of a new kind, every default plugin but those of volumes
 *            active, on 2,000 nodes, all scored by scanning
 *   commit   put a pod with rules on a node and take it off again
 *   report   ten decisions for pods of four kinds, bound, by the index of 5,000 nodes, then an
 *            update of a node that changes nothing but its allocatable cpu, as kubelets report it
 *   facts    ten decisions for pods of four kinds that spread over zones, bound, on 5,000 nodes,
 *            then a node gets an image and a taint, or loses the taint
 *   labels   the same decisions, then a node gets a label and a taint, or loses both
 *   images   the same decisions, for pods of four images that a quarter of the nodes have each,
 *            then a node gets another one of them, or loses it
 *   nodes    the same decisions, then a node comes, or the one that came last leaves
 *   json     read a cluster of 100 nodes and 300 pods from text, into an engine
 *   replicas read one of 400 nodes and 10,000 pods, most of them replicas
 * Public headers only; one thread. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/berth.h"
#include "cli/heap.h"
#include "cli/words.h"
#include "manifest_text.h"
#include "ruled_objects.h"

enum { NODES = 2000, REPORTING_NODES = 5000, DECISIONS_A_REPORT = 10 };

static berth_error error;

static int give_up(const char *doing)
{
    char text[1200];
    berth_error_format(&error, text, sizeof(text));
    fprintf(stderr, "gate_scenarios: %s: %s\n", doing, text);
    return 1;
}

static berth_engine *open_engine(berth_path path, int32_t percentage)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    berth_profile profile = *berth_profile_default();
    profile.percentage_of_nodes_to_score = percentage;
    config.threads = 1;
    config.path = path;
    config.profiles = &profile;
    config.profile_count = 1;
    berth_engine *engine = NULL;
    berth_engine_create(&config, &engine, &error);
    return engine;
}

/* Opens an engine with nodes and `count` pods; `pods` receives their ids. */
static berth_engine *open_ruled(uint64_t count, berth_pod_id *pods)
{
    draft *d = heap_new(1, sizeof(*d));
    berth_engine *engine = open_engine(BERTH_PATH_SCAN, 100);
    berth_status status = engine != NULL ? BERTH_OK : error.code;
    for (uint32_t i = 0; i < NODES && status == BERTH_OK; i++) {
        ruled_node(d, i);
        status = berth_engine_add(engine, &d->object, NULL, &error);
    }
    for (uint64_t i = 0; i < count && status == BERTH_OK; i++) {
        ruled_pod(d, i, true, UINT32_MAX);
        status = berth_engine_add_pod(engine, d->object.as.pod, &pods[i], &error);
    }
    free(d);
    if (status == BERTH_OK)
        return engine;
    berth_engine_destroy(engine);
    return NULL;
}

static int cold(uint64_t count)
{
    const berth_decide_options options = {.size = sizeof(options)};
    berth_pod_id *pods = heap_new(count, sizeof(*pods));
    berth_engine *engine = open_ruled(count, pods);
    berth_placement placement;
    berth_status status = engine != NULL ? BERTH_OK : BERTH_E_INTERNAL;
    for (uint64_t i = 0; i < count && status == BERTH_OK; i++)
        status = berth_engine_decide(engine, pods[i], &options, &placement, &error);
    berth_engine_destroy(engine);
    free(pods);
    return status == BERTH_OK ? 0 : give_up("cold");
}

static int commit(uint64_t count)
{
    enum { PODS = 64 };
    berth_pod_id pods[PODS];
    berth_placement placement;
    berth_engine *engine = open_ruled(PODS, pods);
    berth_status status = engine != NULL ? BERTH_OK : BERTH_E_INTERNAL;
    for (uint32_t i = 0; i < PODS && status == BERTH_OK; i++) /* all counters exist then */
        status = berth_engine_schedule(engine, pods[i], &placement, &error);
    for (uint32_t i = 0; i < PODS && status == BERTH_OK; i++)
        status = berth_engine_unbind(engine, pods[i], &error);
    for (uint64_t i = 0; i < count && status == BERTH_OK; i++) {
        status = berth_engine_bind(engine, pods[i % PODS], (uint32_t)(i * 61 % NODES), &error);
        if (status == BERTH_OK)
            status = berth_engine_unbind(engine, pods[i % PODS], &error);
    }
    berth_engine_destroy(engine);
    return status == BERTH_OK ? 0 : give_up("commit");
}

/* ---- reports of nodes ---- */

/* What a node reports, and what its pods are like. */
typedef enum reporting {
    REPORTS_AMOUNTS,
    REPORTS_FACTS,
    REPORTS_LABELS,
    REPORTS_IMAGES,
    COMES_AND_LEAVES,
} reporting;

static void reporting_node(draft *d, uint64_t idx, int64_t cpu_milli)
{
    draft_reset(d);
    draft_node(d, draft_text(d, "node-%" PRIu64, idx));
    draft_label(d, "kubernetes.io/hostname", draft_text(d, "node-%" PRIu64, idx));
    draft_label(d, "topology.kubernetes.io/zone", draft_text(d, "zone-%" PRIu64, idx % 3));
    draft_resource(d, "cpu", draft_milli(cpu_milli));
    draft_resource(d, "memory", draft_mebibytes(256 * 1024));
    draft_resource(d, "pods", draft_units(110));
}

static void put_image(draft *d, uint64_t number)
{
    draft_node_image(d, draft_text(d, "registry.example/app-%" PRIu64 ":v1", number),
                     INT64_C(300) << 20);
}

/* A node as it is before its first change. */
static void first_report(draft *d, reporting what, uint64_t node)
{
    reporting_node(d, node, 32000);
    if (what == REPORTS_IMAGES)
        put_image(d, node % 4);
}

static berth_status change_node(berth_engine *engine, draft *d, reporting what, uint64_t change)
{
    const uint64_t node = change * 61 % REPORTING_NODES;
    const bool leaves = change % 2 > 0;
    switch (what) {
    case REPORTS_AMOUNTS:
        reporting_node(d, node, 31000 + (int64_t)(change % 2000));
        return berth_engine_update(engine, &d->object, &error);
    case REPORTS_FACTS:
        reporting_node(d, node, 32000);
        draft_node_image(d, words_of("registry.example/app"), INT64_C(100) << 20);
        if (!leaves)
            draft_taint(d, "node.kubernetes.io/unschedulable", "", "NoSchedule");
        return berth_engine_update(engine, &d->object, &error);
    case REPORTS_LABELS:
        reporting_node(d, change / 2 * 61 % REPORTING_NODES, 32000);
        if (!leaves) {
            draft_label(d, "example.com/owner", draft_text(d, "owner-%" PRIu64, change % 7));
            draft_taint(d, "node.kubernetes.io/unreachable", "", "NoExecute");
        }
        return berth_engine_update(engine, &d->object, &error);
    case REPORTS_IMAGES:
        first_report(d, what, change / 2 * 61 % REPORTING_NODES);
        if (!leaves)
            put_image(d, (change / 2 * 61 + 1 + change / 2 % 3) % 4);
        return berth_engine_update(engine, &d->object, &error);
    case COMES_AND_LEAVES:
        reporting_node(d, REPORTING_NODES + change / 2, 32000);
        break;
    }
    return leaves ? berth_engine_remove(engine, BERTH_KIND_NODE, (berth_str){0},
                                        d->object.as.node->meta.name, &error)
                  : berth_engine_add(engine, &d->object, NULL, &error);
}

static berth_status schedule_plain(berth_engine *engine, draft *d, reporting what, uint64_t idx)
{
    berth_pod_id pod;
    berth_placement placement;
    draft_reset(d);
    draft_pod(d, words_of("default"), draft_text(d, "pod-%" PRIu64, idx));
    draft_resource(d, "cpu", draft_milli(100 + 100 * (int64_t)(idx % 4)));
    draft_resource(d, "memory", draft_mebibytes(128));
    if (what == REPORTS_IMAGES)
        draft_image(d, draft_text(d, "registry.example/app-%" PRIu64 ":v1", idx % 4));
    if (what != REPORTS_AMOUNTS) {
        draft_label(d, "app", draft_text(d, "app-%" PRIu64, idx % 4));
        draft_spread(d, "topology.kubernetes.io/zone", 1, "ScheduleAnyway", "app",
                     draft_text(d, "app-%" PRIu64, idx % 4));
    }
    berth_status status = berth_engine_add_pod(engine, d->object.as.pod, &pod, &error);
    return status != BERTH_OK ? status : berth_engine_schedule(engine, pod, &placement, &error);
}

static int run_reports(uint64_t count, reporting what)
{
    draft *d = heap_new(1, sizeof(*d));
    berth_engine *engine = open_engine(BERTH_PATH_AUTO, 0);
    berth_status status = engine != NULL ? BERTH_OK : error.code;
    for (uint32_t i = 0; i < REPORTING_NODES && status == BERTH_OK; i++) {
        first_report(d, what, i);
        status = berth_engine_add(engine, &d->object, NULL, &error);
    }
    for (uint64_t i = 0; i < count && status == BERTH_OK; i++) {
        for (uint64_t k = 0; k < DECISIONS_A_REPORT && status == BERTH_OK; k++)
            status = schedule_plain(engine, d, what, i * DECISIONS_A_REPORT + k);
        if (status == BERTH_OK)
            status = change_node(engine, d, what, i);
    }
    free(d);
    berth_engine_destroy(engine);
    return status == BERTH_OK ? 0 : give_up("reports");
}

static int report(uint64_t count)
{
    return run_reports(count, REPORTS_AMOUNTS);
}

static int facts(uint64_t count)
{
    return run_reports(count, REPORTS_FACTS);
}

static int labels(uint64_t count)
{
    return run_reports(count, REPORTS_LABELS);
}

static int images(uint64_t count)
{
    return run_reports(count, REPORTS_IMAGES);
}

static int nodes(uint64_t count)
{
    return run_reports(count, COMES_AND_LEAVES);
}

/* ---- text ---- */

static berth_status take(void *context, const berth_object *object, const berth_error *origin,
                         berth_error *problem)
{
    (void)origin;
    return berth_engine_add(context, object, NULL, problem);
}

static bool read_once(berth_str text)
{
    const berth_read_options options = {.size = sizeof(options)};
    berth_reader *reader = NULL;
    berth_engine *engine = open_engine(BERTH_PATH_SCAN, 100);
    bool ok = engine != NULL && berth_reader_create(&options, &reader, NULL) == BERTH_OK &&
              berth_reader_text(reader, text, "text", take, engine, &error) == BERTH_OK;
    berth_reader_destroy(reader);
    berth_engine_destroy(engine);
    return ok;
}

static int read_often(const char *specification, bool wide, uint64_t count)
{
    manifest_text text;
    if (!manifest_text_make(specification, wide, &text))
        return give_up("making the text");
    bool ok = true;
    for (uint64_t i = 0; i < count && ok; i++)
        ok = read_once((berth_str){text.data, (uint32_t)text.bytes});
    free(text.data);
    return ok ? 0 : give_up("reading it");
}

static int json(uint64_t count)
{
    return read_often("workload=mixed,nodes=100,pods=300,seed=1", true, count);
}

static int replicas(uint64_t count)
{
    return read_often("workload=basic,nodes=400,running=10000,pods=0,seed=1", false, count);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(uint64_t count);
    } scenarios[] = {{"cold", cold},   {"commit", commit}, {"report", report},
                     {"facts", facts}, {"labels", labels}, {"images", images},
                     {"nodes", nodes}, {"json", json},     {"replicas", replicas}};
    char *end = NULL;
    uint64_t count = argc == 3 ? strtoull(argv[2], &end, 10) : 0;
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]) && count > 0 && *end == '\0';
         i++)
        if (strcmp(argv[1], scenarios[i].name) == 0)
            return scenarios[i].run(count);
    fprintf(
        stderr,
        "usage: gate_scenarios cold|commit|report|facts|labels|images|nodes|json|replicas COUNT\n");
    return 2;
}
