/* Lists all nodes of an engine. */
#include "loading/node_list.h"

#include <stdlib.h>

#include "cli/exits.h"
#include "cli/heap.h"

berth_status node_list_make(berth_engine *engine, berth_node_id **out, uint32_t *count,
                            berth_error *error)
{
    uint32_t found = 0;
    TRY(berth_engine_node_order(engine, NULL, 0, &found, error));
    berth_node_id *nodes = heap_new(found, sizeof(*nodes));
    berth_status status = berth_engine_node_order(engine, nodes, found, &found, error);
    if (status != BERTH_OK) {
        free(nodes);
        return status;
    }
    *out = nodes;
    *count = found;
    return BERTH_OK;
}
