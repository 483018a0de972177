/* The workload that a pod belongs to: its controller, or the controller's owner. */
#ifndef BERTH_TOOLS_TOP_OWNER_H
#define BERTH_TOOLS_TOP_OWNER_H

#include "berth/berth.h"

/* Texts are the engine's, as those of berth_pod_info. */
typedef struct top_owner {
    berth_str kind; /* "Pod": the pod has no controller; "StaticPod": it belongs to its node */
    berth_str name;
} top_owner;

/* `info` is the result of berth_engine_pod_info for the pod. */
top_owner top_owner_of(const berth_engine *engine, berth_pod_id pod, const berth_pod_info *info);

#endif
