/* The same answers as tests/oracle/internal/kube/extenders.go. */
#include "verify/scripted_extenders.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"

typedef struct scripted {
    scripted_extenders *all;
    berth_extender table;
    json_t *from;
    berth_str resource; /* managed_resources points here; at most one */
    int64_t fails, refuses, for_good, leaves_out, drops, spares, empties;
    char refuses_text[64], for_good_text[64];
    berth_extender_victims *kept;
} scripted;

struct scripted_extenders {
    const berth_engine *engine;
    scripted *items;
    const berth_extender **tables;
    uint32_t count;
    json_t *root;
};

/* ---- the script ---- */

static uint64_t mix(uint64_t hash, berth_str text)
{
    for (uint32_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.data[i]) * 0x100000001b3U;
    return hash;
}

/* A number below 100: FNV-1a of "NAME|QUESTION|NAMESPACE/POD|NODE". */
static int64_t draw(const scripted *e, const char *question, berth_pod_id pod, berth_str node)
{
    const berth_engine *engine = e->all->engine;
    berth_str namespace_name, name;
    const berth_str asked = {question, (uint32_t)strlen(question)};
    berth_engine_pod_name(engine, pod, &namespace_name, &name);
    const berth_str parts[] = {e->table.name,  BERTH_STR("|"), asked,
                               BERTH_STR("|"), namespace_name, BERTH_STR("/"),
                               name,           BERTH_STR("|"), node};
    uint64_t hash = 0xcbf29ce484222325U;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        hash = mix(hash, parts[i]);
    return (int64_t)((hash >> 33) % 100);
}

static berth_status fail(const scripted *e, berth_pod_id pod, berth_error *error)
{
    if (draw(e, "fails", pod, (berth_str){0}) >= e->fails)
        return BERTH_OK;
    return error_set(error, BERTH_E_INVALID, NULL, "%.*s fails", (int)e->table.name.len,
                     e->table.name.data);
}

static berth_status filter(void *context, berth_pod_id pod, const berth_node_id *nodes,
                           uint32_t count, berth_extender_verdict *verdicts, berth_str *reasons,
                           berth_error *error)
{
    const scripted *e = context;
    TRY(fail(e, pod, error));
    for (uint32_t i = 0; i < count; i++) {
        const int64_t drawn =
            draw(e, "filter", pod, berth_engine_node_name(e->all->engine, nodes[i]));
        const char *reason = "";
        if (drawn < e->refuses) {
            verdicts[i] = BERTH_EXTENDER_REFUSES;
            reason = e->refuses_text;
        } else if (drawn < e->refuses + e->for_good) {
            verdicts[i] = BERTH_EXTENDER_REFUSES_FOR_GOOD;
            reason = e->for_good_text;
        } else if (drawn < e->refuses + e->for_good + e->leaves_out) {
            verdicts[i] = BERTH_EXTENDER_LEAVES_OUT;
        }
        reasons[i] = (berth_str){reason, (uint32_t)strlen(reason)};
    }
    return BERTH_OK;
}

static berth_status prioritize(void *context, berth_pod_id pod, const berth_node_id *nodes,
                               uint32_t count, int64_t *scores, berth_error *error)
{
    const scripted *e = context;
    TRY(fail(e, pod, error));
    for (uint32_t i = 0; i < count; i++)
        scores[i] =
            draw(e, "prioritize", pod, berth_engine_node_name(e->all->engine, nodes[i])) % 11;
    return BERTH_OK;
}

static berth_status preempt(void *context, berth_pod_id pod,
                            const berth_extender_victims *candidates, uint32_t count,
                            const berth_extender_victims **kept, uint32_t *kept_count,
                            berth_error *error)
{
    scripted *e = context;
    (void)error;
    free(e->kept);
    e->kept = heap_new(count + 1, sizeof(*e->kept));
    for (uint32_t i = 0; i < count; i++) {
        const int64_t drawn =
            draw(e, "preempt", pod, berth_engine_node_name(e->all->engine, candidates[i].node));
        berth_extender_victims one = candidates[i];
        if (drawn < e->drops)
            continue;
        if (drawn < e->drops + e->spares)
            one.pod_count = 1;
        else if (drawn < e->drops + e->spares + e->empties)
            one.pod_count = 0;
        e->kept[(*kept_count)++] = one;
    }
    *kept = e->kept;
    return BERTH_OK;
}

/* ---- reading ---- */

static bool has(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

static int64_t number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static bool read_one(scripted_extenders *all, scripted *e, json_t *from)
{
    const char *name = json_string_value(json_object_get(from, "name"));
    const json_t *resources = json_object_get(from, "managedResources");
    const char *resource = json_string_value(json_array_get(resources, 0));
    if (name == NULL || json_array_size(resources) > 1)
        return false;
    *e = (scripted){.all = all,
                    .from = from,
                    .fails = number(from, "fails"),
                    .refuses = number(from, "refuses"),
                    .for_good = number(from, "forGood"),
                    .leaves_out = number(from, "leavesOut"),
                    .drops = number(from, "drops"),
                    .spares = number(from, "spares"),
                    .empties = number(from, "empties")};
    snprintf(e->refuses_text, sizeof(e->refuses_text), "%s refuses", name);
    snprintf(e->for_good_text, sizeof(e->for_good_text), "%s refuses for good", name);
    if (resource != NULL)
        e->resource = (berth_str){resource, (uint32_t)strlen(resource)};
    e->table = (berth_extender){.size = sizeof(e->table),
                                .flags = has(from, "ignorable") ? BERTH_EXTENDER_IGNORABLE : 0,
                                .name = {name, (uint32_t)strlen(name)},
                                .context = e,
                                .managed_resources = {&e->resource, resource != NULL ? 1 : 0},
                                .weight = number(from, "weight"),
                                .filter = has(from, "filters") ? filter : NULL,
                                .prioritize = has(from, "prioritizes") ? prioritize : NULL,
                                .preempt = has(from, "preempts") ? preempt : NULL};
    return true;
}

berth_status scripted_extenders_read(berth_str text, scripted_extenders **out, berth_error *error)
{
    *out = NULL;
    if (text.data == NULL)
        return BERTH_OK;
    json_t *root = json_loadb(text.data, text.len, 0, NULL);
    const size_t count = json_array_size(root);
    scripted_extenders *all = heap_new(1, sizeof(*all));
    *all = (scripted_extenders){.items = heap_new(count + 1, sizeof(*all->items)),
                                .tables = heap_new(count + 1, sizeof(*all->tables)),
                                .root = root};
    bool good = json_is_array(root);
    for (; good && all->count < count; all->count++) {
        good = read_one(all, &all->items[all->count], json_array_get(root, all->count));
        all->tables[all->count] = &all->items[all->count].table;
    }
    if (good) {
        *out = all;
        return BERTH_OK;
    }
    scripted_extenders_free(all);
    return error_set(error, BERTH_E_INVALID, NULL,
                     "extenders must be a list of extenders with a name and at most one resource");
}

void scripted_extenders_free(scripted_extenders *all)
{
    if (all == NULL)
        return;
    for (uint32_t i = 0; i < all->count; i++)
        free(all->items[i].kept);
    free(all->items);
    free(all->tables);
    json_decref(all->root);
    free(all);
}

const berth_extender *const *scripted_extenders_tables(const scripted_extenders *all,
                                                       uint32_t *count)
{
    *count = all != NULL ? all->count : 0;
    return all != NULL ? all->tables : NULL;
}

void scripted_extenders_serve(scripted_extenders *all, const berth_engine *engine)
{
    if (all != NULL)
        all->engine = engine;
}
