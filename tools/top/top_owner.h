/* The workload that a pod belongs to: its controller, or what made that. */
#ifndef BERTH_TOOLS_TOP_OWNER_H
#define BERTH_TOOLS_TOP_OWNER_H

#include "berth/berth.h"

/* Texts are the engine's, as those of berth_pod_info. */
typedef struct top_owner {
    berth_str kind; /* "Pod": the pod has no controller; "StaticPod": it is of its node */
    berth_str name;
} top_owner;

/* `info` is what berth_engine_pod_info says of the pod. */
top_owner top_owner_of(const berth_engine *engine, berth_pod_id pod, const berth_pod_info *info);

#endif
