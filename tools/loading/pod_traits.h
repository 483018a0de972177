/* Facts about a pod that a drain needs and the engine does not keep. */
#ifndef BERTH_TOOLS_POD_TRAITS_H
#define BERTH_TOOLS_POD_TRAITS_H

#include "berth/berth.h"

/* Traits that decide what a drain does with a pod, or that it reports. */
typedef enum pod_trait {
    POD_DAEMON = 1u << 0,      /* a DaemonSet's pod: stays */
    POD_MIRROR = 1u << 1,      /* a static pod of the node: stays */
    POD_TERMINATING = 1u << 2, /* being deleted: not placed again */
    POD_BARE = 1u << 3,        /* without a controller: nothing would make it again */
    POD_EMPTY_DIR = 1u << 4,   /* has emptyDir volumes; an eviction deletes their data */
    /* A spread constraint of it counts no nodes whose taints it does not tolerate. */
    POD_HONORS_TAINTS = 1u << 5,
} pod_trait;

enum { POD_STAYS = POD_DAEMON | POD_MIRROR | POD_TERMINATING };

/* The traits of a pod, or-ed together. */
unsigned pod_traits_of(const berth_pod *pod);

#endif
