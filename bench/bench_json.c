/* Reading manifests: text to objects, without an engine. The input consists of nodes and pods of
 * the program's workloads, one object per line, and of the same pods as kubectl indents them. */
#include <stdlib.h>

#include "berth/kube.h"
#include "harness.h"
#include "manifest_text.h"

enum { OBJECTS = 2000 };

static berth_status count_object(void *context, const berth_object *object,
                                 const berth_error *origin, berth_error *error)
{
    (void)object;
    (void)origin;
    (void)error;
    ++*(uint64_t *)context;
    return BERTH_OK;
}

static void read_text(bench_state *state, const char *what, bool wide)
{
    manifest_text text = {0};
    bool ok = manifest_text_make(what, wide, &text);
    const berth_read_options options = {.size = sizeof(options)};
    uint64_t objects = 0;
    while (ok && bench_next(state)) {
        berth_reader *reader = NULL;
        const berth_str borrowed = {text.data, (uint32_t)text.bytes};
        ok = berth_reader_create(&options, &reader, NULL) == BERTH_OK &&
             berth_reader_text(reader, borrowed, "benchmark", count_object, &objects, NULL) ==
                 BERTH_OK;
        berth_reader_destroy(reader);
    }
    if (!ok)
        bench_fail(state, "the text was not read");
    else if (objects < (uint64_t)bench_rounds(state) * OBJECTS)
        bench_fail(state, "objects are missing");
    bench_bytes(state, bench_rounds(state) * (int64_t)text.bytes);
    bench_items(state, (int64_t)objects);
    free(text.data);
}

BENCH_OF(json_nodes, BENCH_ONCE, read_text, "workload=basic,nodes=2000,pods=0", false)
BENCH_OF(json_pods, BENCH_ONCE, read_text, "workload=basic,nodes=1,pods=2000", false)
BENCH_OF(json_pods_indented, BENCH_ONCE, read_text, "workload=basic,nodes=1,pods=2000", true)
BENCH_OF(json_pods_mixed, BENCH_ONCE, read_text, "workload=mixed,nodes=100,pods=2000", false)
