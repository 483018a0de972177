/* Machines of published traces, drawn by their published shares. */
#ifndef BERTH_TOOLS_MACHINE_SHAPES_H
#define BERTH_TOOLS_MACHINE_SHAPES_H

#include "workloads/workload_kinds.h"

/* `share` is in hundredths of a percent of the machines of its trace. */
typedef struct machine_shape {
    const char *trace;
    uint32_t share;
    uint16_t cores;
    uint16_t gib;
    uint16_t gpus;
    const char *gpu_model;
} machine_shape;

/* Google's traces of 2011 and 2019, and the GPU machines of Alibaba's of 2023. */
typedef enum machine_trace {
    MACHINES_2011,
    MACHINES_2019,
    MACHINES_GPU,
} machine_trace;

const machine_shape *choose_machine(workload_random *random, machine_trace trace);

#endif
