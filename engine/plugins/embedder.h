/* An embedder's own plugins, wrapped into the table that all plugins fill. */
#ifndef BERTH_PLUGINS_EMBEDDER_H
#define BERTH_PLUGINS_EMBEDDER_H

#include "berth/plugin.h"
#include "plugins/plugin.h"

/* The plugin tables in an engine's configuration. */
typedef struct berth__embedder_plugins {
    const berth_plugin *const *items;
    uint32_t count;
} berth__embedder_plugins;

/* Finds the engine's plugin of a name, or NULL. */
typedef const berth__plugin_ops *(*berth__plugin_find_fn)(berth_str name);

/* Copy an embedder's tables, of any struct size, into `arena` and validate them; `find` knows the
 * names of the engine's plugins. Errors: BERTH_E_ARG (a table is incomplete), BERTH_E_EXISTS (a
 * name is taken), BERTH_E_NOMEM; error->field names the plugin. */
berth_status berth__embedder_read(berth__arena *arena, const berth_plugin *const *tables,
                                  uint32_t count, berth__plugin_find_fn find,
                                  berth__embedder_plugins *out, berth_error *error);

/* The table of a name, or NULL. */
const berth_plugin *berth__embedder_find(berth__embedder_plugins plugins, berth_str name);

/* Make a plugin that calls the table, and its instance from `args` (NULL: none); both live in
 * `arena`.
 * Errors: BERTH_E_NOMEM, and those of the table's configure. */
berth_status berth__embedder_make(berth__arena *arena, const berth_plugin *table,
                                  const berth_plugin_args *args, const berth__plugin_ops **plugin,
                                  const void **out, berth_error *error);

#endif
