/* The list of v1.15's predicates and priorities, searched by name. */
#include "legacy/legacy_registry.h"

#include "base/text.h"
#include "legacy/legacy.h"

static const berth__plugin_ops *const plugins[] = {
#define X(symbol) &berth__plugin_##symbol,
    BERTH__LEGACY_PLUGIN_LIST(X)
#undef X
};

bool berth__legacy_built(void)
{
    return true;
}

const berth__plugin_ops *berth__legacy_plugin_find(berth_str name)
{
    for (size_t i = 0; i < sizeof(plugins) / sizeof(plugins[0]); i++)
        if (berth__str_is(name, plugins[i]->name))
            return plugins[i];
    return NULL;
}
