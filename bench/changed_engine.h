/* An engine with nodes and pending pods, for micro-benchmarks of changes. Public headers only. */
#ifndef BERTH_BENCH_CHANGED_ENGINE_H
#define BERTH_BENCH_CHANGED_ENGINE_H

#include "berth/berth.h"
#include "harness.h"

/* The number of nodes, unless a benchmark's name contains another one. */
enum { CHANGED_NODES = 5000 };

typedef struct changed_engine {
    berth_engine *engine;
    berth_pod_id *pods; /* pending ones, in order of arrival */
    uint64_t pod_count, pod_capacity;
    berth_error error; /* of the last call that failed */
} changed_engine;

/* Open an engine without objects, with room for `pods`, that decides by `path` on one thread. */
bool changed_engine_open_empty(changed_engine *c, berth_path path, uint64_t pods);

/* Open an engine with `nodes` nodes, laid out, and `pods` pods of the workload `kind`. */
bool changed_engine_open(changed_engine *c, const char *kind, uint64_t nodes, berth_path path,
                         uint64_t pods);

berth_status changed_engine_add(changed_engine *c, const berth_object *object);

/* Close the engine; unless `ok`, the benchmark fails with the text of the error. */
void changed_engine_close(bench_state *state, changed_engine *c, bool ok);

#endif
