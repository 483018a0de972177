/* Synthetic traces: pods of a synthetic cluster with random times of arrival and running. */
#include "traces/trace_synthetic.h"

#include <string.h>

#include "traces/random_times.h"
#include "workloads/workload_kinds.h"

enum {
    PODS_A_NODE = 15, /* for the default rate */
    DURATION_DEFAULT_S = 3600,
    /* purposes passed to workload_hash */
    ABOUT_ARRIVALS = 32,
    ABOUT_DURATIONS,
};

static const int64_t second_ns = INT64_C(1000000000);

typedef struct synthetic {
    trace_event_fn each;
    void *context;
    workload_random arrivals;
    workload_random durations;
    int64_t gap_ns; /* mean time between two arrivals */
    int64_t duration_ns;
    int64_t now_ns;
} synthetic;

void trace_arrivals_options(trace_arrivals *arrivals, option options[TRACE_ARRIVAL_OPTIONS])
{
    const option list[TRACE_ARRIVAL_OPTIONS] = {
        {.name = "pod-duration",
         .kind = OPTION_NUMBER,
         .value = "S",
         .min = 1,
         .max = 1000000000,
         .target = &arrivals->duration_s,
         .help = "of a synthetic trace: mean run time of a pod in seconds\n(default 3600)"},
        {.name = "arrivals-per-hour",
         .kind = OPTION_NUMBER,
         .value = "N",
         .min = 1,
         .max = 3600000000,
         .target = &arrivals->per_hour,
         .help = "of a synthetic trace: pods that arrive in an hour, on average\n"
                 "(default: as many as keep 15 running per node)"},
    };
    memcpy(options, list, sizeof(list));
}

static berth_status hand_object(void *context, const berth_object *object, berth_error *error)
{
    synthetic *s = context;
    trace_event event = {
        .kind = object->kind,
        .object = *object,
        .duration_ns = TRACE_NEVER,
        .leave_ns = TRACE_NEVER,
    };
    if (object->kind == BERTH_KIND_POD) {
        if (object->as.pod->node_name.len == 0)
            s->now_ns += random_exponential_ns(&s->arrivals, s->gap_ns);
        event.duration_ns = random_exponential_ns(&s->durations, s->duration_ns);
    }
    event.time_ns = s->now_ns;
    return s->each(s->context, &event, NULL, error);
}

berth_status trace_synthetic_read(const workload_spec *spec, const trace_arrivals *arrivals,
                                  trace_event_fn each, void *context, berth_error *error)
{
    uint64_t duration_s = arrivals->duration_s > 0 ? arrivals->duration_s : DURATION_DEFAULT_S;
    uint64_t per_hour =
        arrivals->per_hour > 0 ? arrivals->per_hour : PODS_A_NODE * spec->nodes * 3600 / duration_s;
    synthetic s = {
        .each = each,
        .context = context,
        .arrivals = {workload_hash(spec->seed, ABOUT_ARRIVALS, 0)},
        .durations = {workload_hash(spec->seed, ABOUT_DURATIONS, 0)},
        .gap_ns = 3600 * second_ns / (int64_t)(per_hour > 0 ? per_hour : 1),
        .duration_ns = (int64_t)duration_s * second_ns,
    };
    workload_source *source = workload_source_create(spec);
    berth_status status = workload_source_make_all(source, hand_object, &s, error);
    workload_source_destroy(source);
    return status;
}
