/* Extenders of a run: made from the configuration, fed with the objects that the watches show, and
 * the connection to the one that binds.
 *
 * Threads: the network's; `extenders` and `texts` are passed on to the deciding thread. */
#ifndef BERTH_LIVE_EXTENDING_H
#define BERTH_LIVE_EXTENDING_H

#include "live/extenders/extenders.h"
#include "live/watch/object_table.h"
#include "live/writes/bindings.h"

typedef struct extending {
    extenders *extenders; /* NULL: the configuration has none */
    object_texts *texts;
    curl_transport *binder; /* NULL: the API server binds all pods */
} extending;

/* Errors: those of extenders_create. Owner: freed by extending_free, even after an error. */
berth_status extending_start(extending *e, event_loop *loop, const berth_scheduler_config *config,
                             extender_wait wait, bool dry_run, berth_error *error);
void extending_free(extending *e);

/* For writes_options; its transport is NULL if no extender binds. */
bind_extender extending_binder(const extending *e);

/* The watch shows an object, or that it is gone. */
void extending_seen(const extending *e, berth_kind kind, const object_view *view, berth_str text);
void extending_gone(const extending *e, berth_kind kind, const object_entry *entry);

#endif
