/* What a drain has to know of a pod beside what the engine keeps. */
#ifndef BERTH_TOOLS_POD_TRAITS_H
#define BERTH_TOOLS_POD_TRAITS_H

#include "berth/berth.h"

/* What a drain does with a pod, or has to tell of it. */
typedef enum pod_trait {
    POD_DAEMON = 1u << 0,      /* of a DaemonSet: stays */
    POD_MIRROR = 1u << 1,      /* of the node's own manifests: stays */
    POD_TERMINATING = 1u << 2, /* on its way out: not placed anew */
    POD_BARE = 1u << 3,        /* of no controller: nobody would make it again */
    POD_EMPTY_DIR = 1u << 4,   /* has data in emptyDir volumes, which go with it */
} pod_trait;

enum { POD_STAYS = POD_DAEMON | POD_MIRROR | POD_TERMINATING };

/* The traits of a pod, added up. */
unsigned pod_traits_of(const berth_pod *pod);

#endif
