/* Finds a node by its name, or by its name without a domain if only one node has it; otherwise
 * suggests a similar one. */
#include "plans/node_lookup.h"

#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/suggest.h"
#include "cli/words.h"
#include "loading/node_list.h"

/* Users may type short names, because tables may show names without the nodes' domain. */
static berth_status find_short(berth_engine *engine, berth_str text, berth_node_id *out,
                               berth_error *error)
{
    uint32_t count = 0, found = 0;
    berth_node_id *nodes = NULL;
    TRY(node_list_make(engine, &nodes, &count, error));
    for (uint32_t i = 0; i < count; i++) {
        const berth_str name = berth_engine_node_name(engine, nodes[i]);
        if (name.len <= text.len || name.data[text.len] != '.' ||
            memcmp(name.data, text.data, text.len) != 0)
            continue;
        *out = nodes[i];
        found++;
    }
    free(nodes);
    if (found != 1)
        *out = BERTH_NODE_NONE;
    return BERTH_OK;
}

static berth_status suggest_node(berth_engine *engine, suggestion *like, berth_error *error)
{
    uint32_t count = 0;
    berth_node_id *nodes = NULL;
    TRY(node_list_make(engine, &nodes, &count, error));
    for (uint32_t i = 0; i < count; i++) {
        berth_str name = berth_engine_node_name(engine, nodes[i]);
        char *text = heap_text(name.data, name.len);
        suggestion_offer(like, text);
        free(text);
    }
    free(nodes);
    return BERTH_OK;
}

berth_status node_lookup(berth_engine *engine, const char *text, berth_node_id *out,
                         berth_error *error)
{
    if (strncmp(text, "node/", 5) == 0 || strncmp(text, "nodes/", 6) == 0)
        text = strchr(text, '/') + 1;
    *out = berth_engine_find_node(engine, words_of(text));
    if (*out != BERTH_NODE_NONE && berth_engine_node_present(engine, *out))
        return BERTH_OK;
    TRY(find_short(engine, words_of(text), out, error));
    if (*out != BERTH_NODE_NONE)
        return BERTH_OK;
    suggestion like;
    suggestion_begin(&like, text);
    TRY(suggest_node(engine, &like, error));
    const char *best = suggestion_end(&like);
    return error_set(error, BERTH_E_NOT_FOUND, NULL, "node '%s' is not in the input%s%s%s", text,
                     best != NULL ? "; did you mean '" : "", best != NULL ? best : "",
                     best != NULL ? "'?" : "");
}
