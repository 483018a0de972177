/* What the reader knows of the pod that it is handing out: while its callback runs, this pod
 * differs from every other with that serial in name, uid and node only. Serials are never used
 * again in the process. So the class that one of them got is the class of all, and need not be
 * looked up by what the pod is.
 *
 * The hint is the thread's, counts for the pod at that address alone (a copy may have been
 * changed), and is taken back when the callback returns. */
#ifndef BERTH_MODEL_REPLICA_HINT_H
#define BERTH_MODEL_REPLICA_HINT_H

#include "berth/objects.h"

typedef struct berth__replica_note {
    const berth_pod *pod; /* NULL: no hint */
    uint64_t serial;
} berth__replica_note;

extern _Thread_local berth__replica_note berth__replica_hint;

#endif
