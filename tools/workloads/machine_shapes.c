/* Machines of published traces: the most common shapes of Google's of 2011 and 2019 (1.0 is taken
 * as 32 cores and 128 GiB for 2011, as 64 cores and 512 GiB for 2019), and the two most common GPU
 * machines of Alibaba's of 2023. */
#include "workloads/machine_shapes.h"

static const machine_shape shapes_2011[] = {
    {"google-2011", 5347, 16, 64, 0, NULL}, {"google-2011", 3074, 16, 32, 0, NULL},
    {"google-2011", 795, 16, 96, 0, NULL},  {"google-2011", 632, 32, 128, 0, NULL},
    {"google-2011", 99, 8, 32, 0, NULL},    {"google-2011", 43, 16, 15, 0, NULL},
    {"google-2011", 4, 16, 4, 0, NULL},     {"google-2011", 3, 16, 124, 0, NULL},
    {"google-2011", 2, 32, 64, 0, NULL},    {"google-2011", 1, 16, 8, 0, NULL},
};

static const machine_shape shapes_2019[] = {
    {"google-2019", 2333, 64, 256, 0, NULL}, {"google-2019", 1934, 37, 170, 0, NULL},
    {"google-2019", 1466, 16, 85, 0, NULL},  {"google-2019", 1048, 45, 170, 0, NULL},
    {"google-2019", 680, 24, 170, 0, NULL},  {"google-2019", 585, 61, 256, 0, NULL},
    {"google-2019", 556, 45, 341, 0, NULL},
};

static const machine_shape shapes_gpu[] = {
    {"openb-2023", 549, 96, 384, 8, "G2"},
    {"openb-2023", 387, 104, 512, 2, "T4"},
};

static const struct {
    const machine_shape *shapes;
    uint32_t count;
} traces[] = {
    [MACHINES_2011] = {shapes_2011, sizeof(shapes_2011) / sizeof(*shapes_2011)},
    [MACHINES_2019] = {shapes_2019, sizeof(shapes_2019) / sizeof(*shapes_2019)},
    [MACHINES_GPU] = {shapes_gpu, sizeof(shapes_gpu) / sizeof(*shapes_gpu)},
};

const machine_shape *choose_machine(workload_random *random, machine_trace trace)
{
    const machine_shape *shape = traces[trace].shapes;
    uint32_t total = 0;
    for (uint32_t i = 0; i < traces[trace].count; i++)
        total += shape[i].share;
    uint32_t drawn = workload_random_below(random, total);
    while (drawn >= shape->share) {
        drawn -= shape->share;
        shape++;
    }
    return shape;
}
