/* A checking mode for embedders' plugins: whether what is kept of their answers is what they would
 * answer now. A plugin that is called STATIC or NODE_LOCAL, and is not, otherwise answers wrongly
 * in silence.
 *
 * Beside what decisions keep, each own plugin's answers about each node are kept once more, by kind
 * of pod, and for as long as its flags say that they hold: STATIC until a node changes, NODE_LOCAL
 * until something on that node does. At every decision all of them are asked for anew and compared.
 * A plugin with neither flag is prepared anew; EACH promises nothing.
 *
 * Threads: the engine's. Cost: each decision asks all own plugins about all nodes. */
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

/* Compare, for a decision whose stages are prepared; `scratch` is the decision's. Errors:
 * E_INTERNAL, naming the plugin; E_NOMEM. */
berth_status berth__plugin_checks_run(berth__plugin_checks *checks, const berth__decision *decision,
                                      berth__arena *scratch, berth_error *error);

#endif
