/* The openb trace (Alibaba, 2023): its nodes and tasks as Kubernetes objects.
 *
 * Nodes are as in the authors' own manifests. A task becomes a pod that requests cpu, memory and
 * thousandths of GPUs in total; a task that needs whole GPUs also requests their number. So a part
 * of a GPU is taken from the node's sum. That it must fit on one device is not expressed, because
 * no default plugin would read it. */
#ifndef BERTH_TOOLS_OPENB_H
#define BERTH_TOOLS_OPENB_H

#include "traces/csv_table.h"
#include "workloads/draft.h"

/* The resource of nodes and pods that counts thousandths of GPUs. */
extern const char openb_gpu_milli[];

typedef struct openb_nodes {
    csv_table table;
    uint32_t name, cpu, memory, gpus, model; /* columns */
} openb_nodes;

/* Open nodes.csv. Call openb_nodes_close, even after a failure. Errors: BERTH_E_IO, BERTH_E_PARSE,
 * BERTH_E_INVALID. */
berth_status openb_nodes_open(openb_nodes *nodes, const char *path, berth_error *error);
void openb_nodes_close(openb_nodes *nodes);

/* Read the next node into `d`, where it is valid until the next one; `*more` is false at the
 * end. */
berth_status openb_nodes_next(openb_nodes *nodes, draft *d, bool *more, berth_error *error);

typedef struct openb_pods {
    csv_table table;
    uint32_t name, cpu, memory, gpus, milli;
    uint32_t models, qos;                 /* CSV_COLUMN_NONE: this list lacks the column */
    uint32_t created, deleted, scheduled; /* all three, or CSV_COLUMN_NONE for all */
} openb_pods;

/* When a task came, left, and was placed, in seconds from the start of the trace. */
typedef struct openb_times {
    bool known;
    bool was_scheduled;
    int64_t created_s, deleted_s, scheduled_s;
} openb_times;

/* Open one of the lists of tasks, like nodes.csv. */
berth_status openb_pods_open(openb_pods *pods, const char *path, berth_error *error);
void openb_pods_close(openb_pods *pods);
berth_status openb_pods_next(openb_pods *pods, draft *d, openb_times *times, bool *more,
                             berth_error *error);

#endif
