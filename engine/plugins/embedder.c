/* An embedder's own plugins: wraps the public table into the internal one, and implements what
 * these plugins may read. */
#include "plugins/embedder.h"

#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/sized.h"
#include "base/text.h"

_Static_assert((int)BERTH_SLICE == (int)BERTH__TILE, "a slice is a tile");

/* The instance of a wrapped plugin: its table, and the instance that its configure function
 * filled. */
typedef struct instance {
    const berth_plugin *table;
    void *own;
} instance;

static const berth__question *inside(const berth_cycle *cycle)
{
    return (const berth__question *)cycle;
}

static const berth_cycle *outside(const berth__question *cycle)
{
    return (const berth_cycle *)cycle;
}

/* ---- reading ---- */

static berth__sym sym_of(const berth_cycle *cycle, berth_str text)
{
    return berth__intern_find(&inside(cycle)->view->model->strings, text);
}

static berth_str label(const berth_cycle *cycle, berth__labels labels, berth_str key)
{
    berth__sym sym = sym_of(cycle, key);
    return sym != 0 ? berth__text(inside(cycle)->view->model, berth__labels_get(labels, sym))
                    : (berth_str){0};
}

berth_str berth_cycle_pod_namespace(const berth_cycle *cycle)
{
    return berth__text(inside(cycle)->view->model, inside(cycle)->cls->identity->namespace_name);
}

berth_str berth_cycle_pod_label(const berth_cycle *cycle, berth_str key)
{
    return label(cycle, inside(cycle)->cls->identity->labels, key);
}

berth_str berth_cycle_pod_annotation(const berth_cycle *cycle, berth_str key)
{
    return label(cycle, inside(cycle)->cls->identity->annotations, key);
}

int64_t berth_cycle_pod_request(const berth_cycle *cycle, berth_str resource)
{
    const berth__request *request = inside(cycle)->cls->request;
    uint32_t column = berth__resource_find(inside(cycle)->view->model, resource);
    if (column < BERTH__SCALARS)
        return request->ask[column];
    for (uint32_t i = 0; i < request->scalar_count; i++)
        if (request->scalars[i].resource == column)
            return request->scalars[i].ask;
    return 0;
}

uint32_t berth_cycle_slot_count(const berth_cycle *cycle)
{
    return inside(cycle)->view->layout->count;
}

berth_node_id berth_cycle_node(const berth_cycle *cycle, uint32_t slot)
{
    return inside(cycle)->view->layout->nodes[slot];
}

berth_str berth_cycle_node_name(const berth_cycle *cycle, uint32_t slot)
{
    const berth__view *view = inside(cycle)->view;
    return berth__text(view->model, berth__view_node(view, slot)->name);
}

/* A node that has been removed keeps its slot until the next layout, without facts. */
berth_str berth_cycle_node_label(const berth_cycle *cycle, uint32_t slot, berth_str key)
{
    const berth__node_facts *facts = berth__view_node(inside(cycle)->view, slot)->facts;
    return facts != NULL ? label(cycle, berth__node_labels(facts), key) : (berth_str){0};
}

berth_str berth_cycle_node_annotation(const berth_cycle *cycle, uint32_t slot, berth_str key)
{
    const berth__node_facts *facts = berth__view_node(inside(cycle)->view, slot)->facts;
    return facts != NULL ? label(cycle, berth__node_annotations(facts), key) : (berth_str){0};
}

void berth_cycle_node_resource(const berth_cycle *cycle, uint32_t slot, berth_str resource,
                               int64_t *allocatable, int64_t *requested)
{
    berth__tile *tile = inside(cycle)->view->tiles[slot / BERTH__TILE];
    uint32_t at = slot % BERTH__TILE, column = berth_cycle_column(cycle, resource);
    *allocatable = *requested = 0;
    if (berth__str_is(resource, "pods")) {
        *allocatable = tile->pods_max[at];
        *requested = tile->pods_used[at];
    } else if (column != BERTH_COLUMN_NONE) {
        *allocatable = berth__tile_allocatable(tile, column)[at];
        *requested = berth__tile_used(tile, column)[at];
    }
    if (inside(cycle)->without_usage)
        *requested = BERTH_USAGE_NONE;
}

uint32_t berth_cycle_column(const berth_cycle *cycle, berth_str resource)
{
    uint32_t column = berth__resource_find(inside(cycle)->view->model, resource);
    return column < inside(cycle)->view->resource_count ? column : BERTH_COLUMN_NONE;
}

const int64_t *berth_cycle_allocatable(const berth_cycle *cycle, uint32_t slice, uint32_t column)
{
    return berth__tile_allocatable(inside(cycle)->view->tiles[slice], column);
}

const int64_t *berth_cycle_requested(const berth_cycle *cycle, uint32_t slice, uint32_t column)
{
    return inside(cycle)->without_usage
               ? NULL
               : berth__tile_used(inside(cycle)->view->tiles[slice], column);
}

bool berth_cycle_may_refuse(const berth_cycle *cycle)
{
    return inside(cycle)->may_refuse;
}

/* ---- preparing ---- */

void *berth_preparation_allocate(berth_preparation *preparation, size_t bytes)
{
    berth__prepare *prepare = preparation->reserved;
    return berth__arena_alloc_zero(prepare->arena, bytes, 16);
}

void berth_preparation_refuse(berth_preparation *preparation, berth_code code, berth_str reason)
{
    berth__prepare *prepare = preparation->reserved;
    berth__reason(prepare->reasons, code, "%.*s", (int)reason.len, reason.data);
}

/* Add a default reason if the plugin refused the pod without one. */
static berth__outcome refused(const berth_plugin *table, berth__prepare *prepare)
{
    if (prepare->reasons->count == 0)
        berth__reason(prepare->reasons, table->code, "the pod was refused by %s", table->name);
    return BERTH__REFUSE;
}

/* A copy of the question with what the plugin may see. A static plugin must not see usage, because
 * its answers are kept. */
static berth__question asked_by(const berth__question *cycle, const instance *own)
{
    berth__question asked = *cycle;
    asked.without_usage = (own->table->flags & BERTH_PLUGIN_STATIC) != 0;
    return asked;
}

static berth__outcome prepare_with(berth__prepare *prepare,
                                   berth_prepared (*function)(berth_preparation *), bool filter)
{
    const instance *own = prepare->instance;
    if (function == NULL)
        return BERTH__ACTIVE;
    const berth__question cycle = asked_by(prepare->cycle, own);
    berth_preparation preparation = {outside(&cycle), own->own, prepare->state, prepare};
    prepare->counts_pods = (own->table->flags & BERTH_PLUGIN_EACH) != 0;
    prepare->counts_asked = filter ? 0 : UINT16_MAX;
    switch (function(&preparation)) {
    case BERTH_PREPARED_ACTIVE:
        return BERTH__ACTIVE;
    case BERTH_PREPARED_SKIP:
        return BERTH__SKIP;
    case BERTH_PREPARED_REFUSE:
        return filter ? refused(own->table, prepare) : BERTH__SKIP;
    case BERTH_PREPARED_NO_MEMORY:
        break;
    }
    prepare->ok = false;
    return BERTH__SKIP;
}

static berth__outcome prepare_filter(berth__prepare *prepare)
{
    return prepare_with(prepare, ((const instance *)prepare->instance)->table->prepare_filter,
                        true);
}

static berth__outcome prepare_score(berth__prepare *prepare)
{
    return prepare_with(prepare, ((const instance *)prepare->instance)->table->prepare_score,
                        false);
}

/* ---- filter and score ---- */

static berth_slice slice_of(const berth__question *cycle, uint32_t tile, const berth__mask *mask)
{
    const berth__layout *layout = cycle->view->layout;
    uint32_t first = tile * BERTH__TILE, left = layout->count - first;
    berth_slice slice = {.index = tile,
                         .count = left < BERTH__TILE ? left : BERTH__TILE,
                         .nodes = layout->nodes + first};
    berth__mask in_use = berth__mask_range(0, slice.count);
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        slice.mask[w] = mask->words[w] & in_use.words[w];
    return slice;
}

static void filter(const berth__question *cycle, const void *stage, const void *state,
                   uint32_t tile, berth__mask *mask)
{
    const instance *own = stage;
    berth_slice slice = slice_of(cycle, tile, mask);
    const berth__question asked = asked_by(cycle, own);
    own->table->filter(outside(&asked), own->own, state, &slice);
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        mask->words[w] &= slice.mask[w];
}

static void score(const berth__question *cycle, const void *stage, const void *state, uint32_t tile,
                  const berth__mask *mask, int64_t *out)
{
    const instance *own = stage;
    berth_slice slice = slice_of(cycle, tile, mask);
    memset(out, 0, BERTH__TILE * sizeof(*out));
    const berth__question asked = asked_by(cycle, own);
    own->table->score(outside(&asked), own->own, state, &slice, out);
}

static berth__mask only(uint32_t slot)
{
    return berth__mask_range(slot % BERTH__TILE, slot % BERTH__TILE + 1);
}

static bool filter_slot(const berth__question *cycle, const void *stage, const void *state,
                        uint32_t slot)
{
    berth__mask mask = only(slot);
    filter(cycle, stage, state, slot / BERTH__TILE, &mask);
    return !berth__mask_empty(&mask);
}

static int64_t score_slot(const berth__question *cycle, const void *stage, const void *state,
                          uint32_t slot)
{
    berth__mask mask = only(slot);
    int64_t values[BERTH__TILE];
    score(cycle, stage, state, slot / BERTH__TILE, &mask, values);
    return values[slot % BERTH__TILE];
}

static void explain(const berth__question *cycle, const void *stage, const void *state,
                    uint32_t slot, berth__reasons *reasons)
{
    const instance *own = stage;
    berth_str text = {0};
    if (own->table->reason != NULL)
        text = own->table->reason(outside(cycle), own->own, state, slot);
    if (text.len > 0)
        berth__reason(reasons, own->table->code, "%.*s", (int)text.len, text.data);
    else
        berth__reason(reasons, own->table->code, "node(s) were refused by %s", own->table->name);
}

/* ---- reserve ---- */

static berth_status reserve(const berth__question *cycle, const void *stage,
                            const berth__pod_placement *placement)
{
    const berth_plugin *table = ((const instance *)stage)->table;
    return table->reserve(table->context, outside(cycle), placement->pod, placement->node);
}

static void unreserve(const berth__question *cycle, const void *stage,
                      const berth__pod_placement *placement)
{
    const berth_plugin *table = ((const instance *)stage)->table;
    table->unreserve(table->context, outside(cycle), placement->pod, placement->node);
}

/* ---- making ---- */

static uint32_t flags_of(const berth_plugin *table)
{
    uint32_t flags = table->code == BERTH_CODE_UNRESOLVABLE ? BERTH__ALWAYS_UNRESOLVABLE
                                                            : BERTH__ALWAYS_UNSCHEDULABLE;
    if ((table->flags & BERTH_PLUGIN_STATIC) != 0)
        flags |= BERTH__STATIC_FILTER | BERTH__STATIC_SCORE;
    if ((table->flags & BERTH_PLUGIN_EACH) != 0)
        flags |= BERTH__PREPARE_EACH;
    return flags | BERTH__READS_CLASS;
}

static berth__normalization normalize_of(const berth_plugin *table)
{
    switch (table->normalize) {
    case BERTH_NORMALIZE_MAX:
        return BERTH__NORMALIZATION_MAX;
    case BERTH_NORMALIZE_MAX_REVERSED:
        return BERTH__NORMALIZATION_MAX_REVERSED;
    case BERTH_NORMALIZE_NONE:
        break;
    }
    return BERTH__NORMALIZATION_NONE;
}

static uint32_t wake_of(const berth_plugin *table)
{
    if (table->wake_on != 0)
        return table->wake_on;
    if ((table->flags & BERTH_PLUGIN_NODE_LOCAL) != 0)
        return BERTH__WAKE_NODE | BERTH__WAKE_POD;
    return (table->flags & BERTH_PLUGIN_STATIC) != 0 ? BERTH__WAKE_NODE : BERTH__WAKE_PUBLIC;
}

static berth__plugin_ops plugin_of(const berth_plugin *table)
{
    bool local = (table->flags & BERTH_PLUGIN_NODE_LOCAL) != 0;
    berth__plugin_ops plugin = {
        .name = table->name,
        .flags = flags_of(table),
        .wake_on = wake_of(table),
        .filter_state_bytes = table->filter_state_bytes,
        .score_state_bytes = table->score_state_bytes,
        .normalize = normalize_of(table),
    };
    if (table->filter != NULL) {
        plugin.prepare_filter = prepare_filter;
        plugin.filter = filter;
        plugin.explain = explain;
        plugin.filter_slot = local ? filter_slot : NULL;
    }
    if (table->score != NULL) {
        plugin.flags |= BERTH__SCORES_LATE;
        plugin.prepare_score = prepare_score;
        plugin.score = score;
        plugin.score_slot = local ? score_slot : NULL;
    }
    plugin.reserve = table->reserve != NULL ? reserve : NULL;
    plugin.unreserve = table->unreserve != NULL ? unreserve : NULL;
    return plugin;
}

/* Let the plugin read its arguments; complete an error that it left empty. */
static berth_status configure(const instance *own, const berth_plugin_args *args,
                              berth_error *error)
{
    berth_str arguments = args != NULL ? args->raw_json : (berth_str){0};
    berth_error refusal = {.offset = UINT64_MAX};
    berth_status status = own->table->configure(own->table->context, arguments, own->own, &refusal);
    if (status == BERTH_OK)
        return BERTH_OK;
    if (refusal.message[0] == '\0')
        berth__error_set(&refusal, status, "the plugin refused its arguments: %s",
                         berth_status_text(status));
    refusal.code = status;
    if (error != NULL)
        *error = refusal;
    return status;
}

berth_status berth__embedder_make(berth__arena *arena, const berth_plugin *table,
                                  const berth_plugin_args *args, const berth__plugin_ops **plugin,
                                  const void **out, berth_error *error)
{
    berth__plugin_ops *made = berth__arena_alloc(arena, sizeof(*made), 16);
    instance *own = berth__arena_alloc(arena, sizeof(*own), 16);
    void *memory = berth__arena_alloc_zero(arena, table->instance_bytes, 16);
    if (made == NULL || own == NULL || memory == NULL)
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    *made = plugin_of(table);
    *own = (instance){table, memory};
    *plugin = made;
    *out = own;
    return table->configure != NULL ? configure(own, args, error) : BERTH_OK;
}

/* ---- the list ---- */

const berth_plugin *berth__embedder_find(berth__embedder_plugins plugins, berth_str name)
{
    for (uint32_t i = 0; i < plugins.count; i++)
        if (berth__str_is(name, plugins.items[i]->name))
            return plugins.items[i];
    return NULL;
}

static const char *fault_of(const berth_plugin *table)
{
    uint32_t known = BERTH_PLUGIN_STATIC | BERTH_PLUGIN_NODE_LOCAL | BERTH_PLUGIN_EACH;
    if (table->name == NULL || table->name[0] == '\0')
        return "the plugin has no name";
    if (table->filter == NULL && table->score == NULL)
        return "the plugin has neither a filter nor a score";
    if ((table->flags & ~known) != 0)
        return "flags has bits that mean nothing";
    if ((table->flags & BERTH_PLUGIN_EACH) != 0 && (table->flags & ~BERTH_PLUGIN_EACH) != 0)
        return "BERTH_PLUGIN_EACH goes with no other flag";
    if ((table->reserve == NULL) != (table->unreserve == NULL))
        return "reserve and unreserve go together";
    if (table->reserve != NULL && table->filter == NULL)
        return "reserve goes with a filter";
    if ((table->wake_on & ~(uint32_t)BERTH__WAKE_PUBLIC) != 0)
        return "wake_on has bits that mean nothing";
    if (table->wake_on != 0 && table->filter == NULL)
        return "wake_on goes with a filter";
    return NULL;
}

/* What is wrong with a table, considering the tables before it; NULL: nothing. `*status` receives
 * the code. */
static const char *trouble_with(const berth_plugin *table, berth__embedder_plugins before,
                                berth__plugin_find_fn find, berth_status *status)
{
    const char *fault = fault_of(table);
    *status = BERTH_E_ARG;
    if (fault != NULL)
        return fault;
    berth_str name = berth__text_of(table->name);
    *status = BERTH_E_EXISTS;
    bool taken = find(name) != NULL || berth__embedder_find(before, name) != NULL;
    return taken ? "there is a plugin of this name" : NULL;
}

static berth_status read_table(const berth_plugin *table, berth__embedder_plugins before,
                               berth__plugin_find_fn find, berth_plugin *own, berth_error *error)
{
    berth_status status = BERTH_OK;
    *own = (berth_plugin){.size = sizeof(*own)};
    if (table == NULL)
        return berth__error_set(error, BERTH_E_ARG, "the plugin is NULL");
    BERTH_TRY(berth__sized_read(own, sizeof(*own), table, "berth_plugin", error));
    const char *trouble = trouble_with(own, before, find, &status);
    return trouble == NULL ? BERTH_OK : berth__error_set(error, status, "%s", trouble);
}

berth_status berth__embedder_read(berth__arena *arena, const berth_plugin *const *tables,
                                  uint32_t count, berth__plugin_find_fn find,
                                  berth__embedder_plugins *out, berth_error *error)
{
    berth_plugin *own = berth__arena_alloc(arena, count * sizeof(*own), _Alignof(berth_plugin));
    const berth_plugin **items = berth__arena_alloc(arena, count * sizeof(*items), sizeof(*items));
    if (own == NULL || items == NULL)
        return berth__error_no_memory(error);
    *out = (berth__embedder_plugins){items, 0};
    for (; out->count < count; out->count++) {
        uint32_t i = out->count;
        berth_status status = read_table(tables[i], *out, find, &own[i], error);
        if (status != BERTH_OK && own[i].name != NULL)
            berth__error_field(error, "plugins[%u].%s", (unsigned)i, own[i].name);
        else if (status != BERTH_OK)
            berth__error_field(error, "plugins[%u]", (unsigned)i);
        BERTH_TRY(status);
        items[i] = &own[i];
    }
    return BERTH_OK;
}
