/* Replaces legacy/ in a library that is built without v1.15 (BERTH_LEGACY=OFF). */
#include "legacy/legacy.h"

bool berth__legacy_built(void)
{
    return false;
}

const berth__plugin_ops *berth__legacy_plugin_find(berth_str name)
{
    (void)name;
    return NULL;
}
