/* A checking mode for embedders' plugins: compares the kept answers of a plugin with fresh ones.
 * Without it, a plugin that is wrongly flagged STATIC or NODE_LOCAL silently leads to wrong
 * decisions.
 *
 * In addition to what decisions keep, this mode keeps the answers of each embedder's plugin about
 * each node, by kind of pod, as long as its flags promise that they hold: STATIC until a node
 * changes, NODE_LOCAL until something on that node changes. At every decision it calls the plugin
 * again for all nodes and compares. A plugin with neither flag is prepared a second time, and the
 * two states are compared. Plugins with EACH promise nothing.
 *
 * Threads: the engine's. Cost: each decision calls all of the embedder's plugins for all nodes. */
#ifndef BERTH_PREPARE_PLUGIN_CHECKS_H
#define BERTH_PREPARE_PLUGIN_CHECKS_H

#include "prepare/prepared.h"

typedef struct berth__plugin_checks {
    const berth_allocator *allocator;
    berth__keymap map;
    berth__use_order order;
} berth__plugin_checks;

berth_status berth__plugin_checks_create(const berth_allocator *allocator,
                                         berth__plugin_checks **out);
/* Accepts NULL. */
void berth__plugin_checks_destroy(berth__plugin_checks *checks);

/* Compare the answers, for a decision whose stages are prepared; `scratch` is the decision's.
 * Errors: BERTH_E_INTERNAL (names the plugin), BERTH_E_NOMEM. */
berth_status berth__plugin_checks_run(berth__plugin_checks *checks, const berth__decision *decision,
                                      berth__arena *scratch, berth_error *error);

#endif
