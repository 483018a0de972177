/* Loading a cluster dump: from text in memory to an engine that is ready to decide. Names are
 * load/WORKLOAD/layout:L/nodes:N/running:R. The layout is `flat`, one object a line, or `indented`
 * as by kubectl. A round reads the whole dump; bytes_per_second counts the bytes of its text. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "berth/kube.h"
#include "cli/heap.h"
#include "harness.h"
#include "macro_cluster.h"
#include "manifest_text.h"

typedef struct load_case {
    const char *workload;
    bool indented;
    uint64_t nodes;
    uint64_t running;
} load_case;

static berth_status take(void *context, const berth_object *object, const berth_error *origin,
                         berth_error *error)
{
    (void)origin;
    return macro_cluster_add(context, object, error);
}

static bool load_once(bench_state *state, berth_str text)
{
    const macro_engine options = {.threads = 1, .path = BERTH_PATH_AUTO};
    const berth_read_options reading = {.size = sizeof(reading)};
    macro_cluster cluster;
    berth_reader *reader = NULL;
    bool ok = macro_cluster_open(&cluster, &options, 0) &&
              berth_reader_create(&reading, &reader, NULL) == BERTH_OK &&
              berth_reader_text(reader, text, "dump", take, &cluster, &cluster.error) == BERTH_OK &&
              macro_cluster_lay_out(&cluster);
    if (!ok)
        bench_fail(state, macro_cluster_problem(&cluster));
    bench_pause(state);
    berth_reader_destroy(reader);
    macro_cluster_close(&cluster);
    bench_resume(state);
    return ok;
}

static void load(bench_state *state)
{
    const load_case *c = bench_context(state);
    char specification[160];
    manifest_text text;
    snprintf(specification, sizeof(specification),
             "workload=%s,nodes=%" PRIu64 ",running=%" PRIu64 ",pods=0", c->workload, c->nodes,
             c->running);
    bool ok = manifest_text_make(specification, c->indented, &text) && text.bytes <= UINT32_MAX;
    if (!ok)
        bench_fail(state, "the dump could not be made");
    while (ok && bench_next(state))
        ok = load_once(state, (berth_str){text.data, (uint32_t)text.bytes});
    bench_bytes(state, bench_rounds(state) * (int64_t)text.bytes);
    bench_counter(state, "text_bytes", (double)text.bytes);
    free(text.data);
}

static void add(load_case c)
{
    char name[120];
    load_case *kept = heap_new(1, sizeof(*kept)); /* lives as long as the program */
    *kept = c;
    snprintf(name, sizeof(name), "load/%s/layout:%s/nodes:%" PRIu64 "/running:%" PRIu64, c.workload,
             c.indented ? "indented" : "flat", c.nodes, c.running);
    bench_case_add(&(bench_case){
        .name = name, .fn = load, .context = kept, .rounds = 1, .microseconds = true});
}

static void fill(bench_suite suite)
{
    uint64_t scale = suite == BENCH_FULL ? 100 : suite == BENCH_QUICK ? 20 : 1;
    for (int indented = 0; indented <= 1; indented++) {
        uint64_t nodes = 50 * scale;
        add((load_case){"basic", indented != 0, nodes, 20 * nodes});
        add((load_case){"mixed", indented != 0, nodes, 10 * nodes});
    }
}
BENCH_SUITE(fill)
