/* An engine of some nodes and pods to place, for micro-benchmarks of what changes it. Public
 * headers only. */
#ifndef BERTH_BENCH_CHANGED_ENGINE_H
#define BERTH_BENCH_CHANGED_ENGINE_H

#include "berth/berth.h"
#include "harness.h"

/* How many they are unless a benchmark's name says otherwise. */
enum { CHANGED_NODES = 5000 };

typedef struct changed_engine {
    berth_engine *engine;
    berth_pod_id *pods; /* pending ones, in order of arrival */
    uint64_t pod_count, pod_capacity;
    berth_error error; /* of the call that failed last */
} changed_engine;

/* An engine without objects, with room for `pods`, that decides by `path` on one thread. */
bool changed_engine_open_empty(changed_engine *c, berth_path path, uint64_t pods);

/* One with so many nodes, laid out, and `pods` pods of the workload `kind`. */
bool changed_engine_open(changed_engine *c, const char *kind, uint64_t nodes, berth_path path,
                         uint64_t pods);

berth_status changed_engine_add(changed_engine *c, const berth_object *object);

/* Close it; the benchmark fails with the error's text unless `ok`. */
void changed_engine_close(bench_state *state, changed_engine *c, bool ok);

#endif
