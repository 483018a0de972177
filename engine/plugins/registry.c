/* The list of all plugins that exist. */
#include "plugins/registry.h"

#include "base/text.h"

static const berth__plugin_ops *const plugins[] = {
#define X(symbol) &berth__plugin_##symbol,
    BERTH__PLUGIN_LIST(X)
#undef X
};

const berth__plugin_ops *berth__plugin_find(berth_str name)
{
    for (size_t i = 0; i < sizeof(plugins) / sizeof(plugins[0]); i++)
        if (berth__str_is(name, plugins[i]->name))
            return plugins[i];
    return NULL;
}
