/* The HTTP extenders of a configuration, as the engine calls them.
 *
 * Threads: created on the network's thread before the deciding thread starts, and destroyed after
 * it has ended; the engine calls them on the deciding thread, which waits for each answer as
 * kube-scheduler's scheduling cycle does. */
#ifndef BERTH_LIVE_EXTENDERS_H
#define BERTH_LIVE_EXTENDERS_H

#include "berth/extender.h"
#include "live/extenders/extender_http.h"
#include "live/extenders/object_texts.h"

typedef struct extenders extenders;

/* The extenders of a configuration; `*out` is NULL if it has none. `wait` is called while an answer
 * is awaited. Errors: BERTH_E_INVALID, BERTH_E_NOMEM. */
berth_status extenders_create(const berth_scheduler_config *config, extender_wait wait,
                              extenders **out, berth_error *error);
void extenders_destroy(extenders *e);

/* Which objects' texts are needed. Set both before the first decision; `engine` is used only to
 * look up names. */
object_texts_policy extenders_policy(const extenders *e);
void extenders_attach(extenders *e, const berth_engine *engine, object_texts *texts);

/* The tables for the engine's configuration; borrowed. */
const berth_extender *const *extenders_tables(const extenders *e, uint32_t *count);

/* The extender that binds pods in place of the API server; NULL: none does. */
typedef struct extender_binder {
    extender_access access;
    char *path; /* of its bindVerb */
    int64_t timeout_ns;
    bool ignorable;
    berth_strs managed_resources; /* of the configuration */
} extender_binder;
extender_binder *extenders_binder(extenders *e);

/* Whether the binder binds a pod. Threads: the deciding thread's. */
bool extenders_bind(const extenders *e, berth_pod_id pod);

#endif
