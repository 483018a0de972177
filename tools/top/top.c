/* Makes one pass over the nodes and one over the pods. The engine has the sum of the requests on
 * each node; requests of namespaces and owners are added up pod by pod. */
#include "top/top.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/amounts.h"
#include "cli/exits.h"
#include "cli/heap.h"
#include "loading/node_list.h"
#include "loading/usage.h"
#include "top/top_cost.h"
#include "top/top_owner.h"
#include "top/top_sort.h"

const char *const top_by_names[] = {"node", "namespace", "zone", "owner", NULL};
const char *const top_sort_names[] = {"cpu", "memory", "pods", "name", "cost", NULL};

/* ---- resources ---- */

static bool starts_with(berth_str text, const char *prefix)
{
    size_t len = strlen(prefix);
    return text.len >= len && memcmp(text.data, prefix, len) == 0;
}

/* Whether a resource is shown without an option: extended resources and huge pages. */
static bool is_shown_unasked(berth_str resource)
{
    return memchr(resource.data, '/', resource.len) != NULL || starts_with(resource, "hugepages-");
}

static int by_bytes(const void *a, const void *b)
{
    const berth_str *left = a;
    const berth_str *right = b;
    return words_compare(*left, *right);
}

static berth_status add_asked(top *t, const berth_str *names, uint32_t count, berth_error *error)
{
    for (size_t i = 0; i < t->asked->count; i++) {
        berth_str asked = words_of(t->asked->items[i]);
        uint32_t n = 0;
        uint32_t known = 0;
        while (n < count && !words_equal(names[n], asked))
            n++;
        if (n == count && !word_table_find(&t->resources, asked, &known))
            return error_set(error, BERTH_E_NOT_FOUND, NULL,
                             "no node or pod of the input names the resource '%s'",
                             t->asked->items[i]);
        word_table_add(&t->resources, asked);
    }
    return BERTH_OK;
}

static berth_status choose_resources(top *t, berth_error *error)
{
    uint32_t count = berth_engine_resource_names(t->engine, NULL, 0);
    berth_str *names = heap_new(count, sizeof(*names));
    berth_engine_resource_names(t->engine, names, count);
    if (count > 0)
        qsort(names, count, sizeof(*names), by_bytes);
    word_table_add(&t->resources, words_of("cpu"));
    word_table_add(&t->resources, words_of("memory"));
    word_table_add(&t->resources, words_of("pods"));
    berth_status status = add_asked(t, names, count, error);
    t->named = t->resources.count;
    for (uint32_t i = 0; i < count; i++)
        if (is_shown_unasked(names[i]))
            word_table_add(&t->resources, names[i]);
    free(names);
    t->limit_resources = heap_new(t->limits->resources.count, sizeof(*t->limit_resources));
    for (uint32_t i = 0; i < t->limits->resources.count; i++)
        if (!word_table_find(&t->resources, word_table_get(&t->limits->resources, i),
                             &t->limit_resources[i]))
            t->limit_resources[i] = UINT32_MAX;
    return status;
}

/* ---- rows ---- */

static void open_row(const top *t, top_row *row)
{
    row->cells = heap_new(t->resources.count, sizeof(*row->cells));
    row->node = BERTH_NODE_NONE;
}

/* Find or make the row of a key; `*row` is valid until the next row is made. */
static bool find_row(top *t, berth_str key, top_row **row)
{
    size_t known = t->row_count;
    uint32_t number = word_table_add(&t->keys, key);
    if (number == known) {
        t->rows = heap_grow(t->rows, &t->row_capacity, known + 1, sizeof(*t->rows));
        t->rows[t->row_count] = (top_row){.kind = {0}};
        open_row(t, &t->rows[t->row_count++]);
    }
    *row = &t->rows[number];
    return number == known;
}

static void add_cells(const top *t, top_row *to, const top_cell *from)
{
    for (size_t r = 0; r < t->resources.count; r++) {
        top_cell *cell = &to->cells[r];
        cell->requested = amount_sum(cell->requested, from[r].requested);
        cell->limits = amount_sum(cell->limits, from[r].limits);
        cell->allocatable = amount_sum(cell->allocatable, from[r].allocatable);
        cell->free = amount_sum(cell->free, from[r].free);
        cell->closed = amount_sum(cell->closed, from[r].closed);
        cell->most = from[r].most > cell->most ? from[r].most : cell->most;
        cell->limited |= from[r].limited;
    }
}

static void add_row(const top *t, top_row *to, const top_row *from)
{
    add_cells(t, to, from->cells);
    to->nodes += from->nodes;
    to->usable += from->usable;
    to->pods += from->pods;
    to->pending += from->pending;
    to->containers += from->containers;
    to->without_cpu += from->without_cpu;
    to->without_memory += from->without_memory;
    to->price += from->price;
    to->used += from->used;
    to->idle += from->idle;
}

/* ---- nodes ---- */

bool top_is_usable(const top_row *row)
{
    return row->state == NODE_STATE_OPEN && !row->full;
}

/* Compute the free amounts from the allocatable and requested ones in `row->cells`. */
static void free_up(const top *t, top_row *row)
{
    const top_cell *pods = &row->cells[TOP_PODS];
    row->full = pods->requested >= pods->allocatable;
    row->usable = top_is_usable(row);
    for (size_t r = 0; r < t->resources.count; r++) {
        top_cell *cell = &row->cells[r];
        int64_t free = amount_difference(cell->allocatable, cell->requested);
        if (free < 0)
            free = 0;
        cell->free = row->usable ? free : 0;
        cell->most = cell->free;
        cell->closed = row->usable ? 0 : free;
    }
}

static berth_status measure_node(top *t, berth_node_id node, top_row *row, berth_error *error)
{
    row->name = berth_engine_node_name(t->engine, node);
    row->nodes = 1;
    row->price = top_cost_node(t, node);
    t->unpriced += !top_cost_known(t, node);
    TRY(node_state_read(t->engine, node, &row->state, error));
    for (uint32_t r = 0; r < t->resources.count; r++)
        TRY(berth_engine_node_resource(t->engine, node, word_table_get(&t->resources, r),
                                       &row->cells[r].allocatable, &row->cells[r].requested,
                                       error));
    free_up(t, row);
    t->state_nodes[row->state]++;
    t->full_nodes += row->state == NODE_STATE_OPEN && row->full;
    return BERTH_OK;
}

static top_row *row_of_node(top *t, berth_node_id node)
{
    top_row *row = NULL;
    berth_str key = t->by == TOP_BY_NODE ? berth_engine_node_name(t->engine, node)
                                         : usage_zone(t->engine, node);
    if (find_row(t, key, &row))
        row->name = key;
    return row;
}

static berth_status add_nodes(top *t, const berth_node_id *nodes, uint32_t count,
                              berth_error *error)
{
    top_row one = {.kind = {0}};
    berth_status status = BERTH_OK;
    open_row(t, &one);
    for (uint32_t i = 0; i < count && status == BERTH_OK; i++) {
        memset(one.cells, 0, t->resources.count * sizeof(*one.cells));
        status = measure_node(t, nodes[i], &one, error);
        if (status != BERTH_OK)
            break;
        add_row(t, &t->nodes, &one);
        if (t->by != TOP_BY_NODE && t->by != TOP_BY_ZONE)
            continue;
        top_row *row = row_of_node(t, nodes[i]);
        add_row(t, row, &one);
        row->node = nodes[i];
        row->state = one.state;
        row->full = one.full;
    }
    free(one.cells);
    return status;
}

/* ---- pods ---- */

static bool is_refused(const top *t, berth_pod_id pod)
{
    const cluster_skip *skip = cluster_input_skipped(t->input, pod);
    return skip != NULL && skip->refused;
}

/* Add the idle part of a node's price, after all of its pods. `before`: the used part of all prices
 * before the node. */
static void add_idle(top *t, berth_node_id node, money before)
{
    money idle = top_cost_node(t, node) - (t->nodes.used - before);
    if (idle <= 0)
        return;
    t->nodes.idle += idle;
    if (t->by == TOP_BY_NODE || t->by == TOP_BY_ZONE)
        row_of_node(t, node)->idle += idle;
}

/* Measure one pod's limits and, if `requests` is set, its requests. Requests are not needed if the
 * engine's sum for the pod's node counts. */
static void measure_pod(const top *t, berth_pod_id pod, bool requests, top_row *row)
{
    const pod_limit *limit = pod_limits_find(t->limits, pod);
    memset(row->cells, 0, t->resources.count * sizeof(*row->cells));
    row->pods = 1;
    for (uint32_t r = 0; r < t->resources.count && requests; r++)
        (void)berth_engine_pod_resource(t->engine, pod, word_table_get(&t->resources, r),
                                        &row->cells[r].requested, NULL);
    row->containers = limit != NULL ? limit->containers : 0;
    row->without_cpu = limit != NULL ? limit->without_cpu : 0;
    row->without_memory = limit != NULL ? limit->without_memory : 0;
    for (uint32_t i = 0; limit != NULL && i < limit->count; i++) {
        const limit_amount *amount = &t->limits->amounts[limit->first + i];
        uint32_t r = t->limit_resources[amount->resource];
        if (r == UINT32_MAX)
            continue;
        row->cells[r].limits = amount->amount;
        row->cells[r].limited = true;
    }
}

static bool is_wanted(const top *t, berth_str namespace_name)
{
    return t->only_namespace == NULL || words_equal(namespace_name, words_of(t->only_namespace));
}

/* The row of a namespace or, if `owner` is set, of an owner in it. */
static top_row *row_of_group(top *t, berth_str namespace_name, top_owner owner)
{
    top_row *row = NULL;
    const berth_str parts[] = {namespace_name, owner.kind, owner.name};
    text_clear(&t->key);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        text_add_str(&t->key, words_of(i > 0 ? "/" : ""));
        text_add_str(&t->key, parts[i]);
    }
    if (find_row(t, text_str(&t->key), &row)) {
        row->namespace_name = namespace_name;
        row->kind = owner.kind;
        row->name = owner.name.len > 0 ? owner.name : namespace_name;
    }
    return row;
}

/* `scratch` has room for one pod's cells. */
static berth_status add_pod(top *t, berth_pod_id pod, berth_node_id node, top_row *scratch,
                            berth_error *error)
{
    bool present = node != BERTH_NODE_NONE && berth_engine_node_present(t->engine, node);
    bool by_pod = t->by == TOP_BY_NAMESPACE || t->by == TOP_BY_OWNER;
    if (is_refused(t, pod)) {
        t->refused++;
        return BERTH_OK;
    }
    measure_pod(t, pod, by_pod || !present, scratch);
    scratch->pending = node == BERTH_NODE_NONE;
    scratch->used = present ? top_cost_pod(t, pod, node) : 0;
    if (by_pod) {
        berth_pod_info info = {.size = sizeof(info)};
        top_owner owner = {{0}, {0}};
        TRY(berth_engine_pod_info(t->engine, pod, &info, error));
        if (t->by == TOP_BY_OWNER)
            owner = top_owner_of(t->engine, pod, &info);
        if (is_wanted(t, info.namespace_name))
            add_row(t, row_of_group(t, info.namespace_name, owner), scratch);
    } else if (present) {
        add_row(t, row_of_node(t, node), scratch);
    }
    for (size_t r = 0; r < t->resources.count && present; r++)
        scratch->cells[r].requested = 0; /* included in the sums of the nodes */
    add_row(t, present ? &t->nodes : scratch->pending ? &t->waiting : &t->stranded, scratch);
    return BERTH_OK;
}

static berth_status add_pods(top *t, berth_error *error)
{
    top_row scratch = {.kind = {0}};
    berth_node_id limit = berth_engine_node_limit(t->engine);
    berth_status status = BERTH_OK;
    open_row(t, &scratch);
    for (berth_node_id at = 0; at <= limit && status == BERTH_OK; at++) {
        berth_node_id node = at < limit ? at : BERTH_NODE_NONE;
        money before = t->nodes.used;
        for (berth_pod_id pod = berth_engine_next_pod(t->engine, node, BERTH_POD_NONE);
             pod != BERTH_POD_NONE && status == BERTH_OK;
             pod = berth_engine_next_pod(t->engine, node, pod))
            status = add_pod(t, pod, node, &scratch, error);
        if (top_cost_shown(t) && at < limit && berth_engine_node_present(t->engine, node))
            add_idle(t, node, before);
    }
    free(scratch.cells);
    return status;
}

/* Add namespaces that have a quota, even without pods. */
static void add_quotas(top *t)
{
    const resource_quotas *quotas = &t->input->admission.quotas;
    for (size_t i = 0; i < quotas->count && t->by == TOP_BY_NAMESPACE; i++) {
        berth_str name = words_of(quotas->items[i].namespace_name);
        if (is_wanted(t, name))
            (void)row_of_group(t, name, (top_owner){{0}, {0}});
    }
}

/* ---- the whole ---- */

berth_status top_make(top *t, berth_error *error)
{
    uint32_t count = 0;
    berth_node_id *nodes = NULL;
    TRY(choose_resources(t, error));
    open_row(t, &t->total);
    open_row(t, &t->nodes);
    open_row(t, &t->waiting);
    open_row(t, &t->stranded);
    TRY(node_list_make(t->engine, &nodes, &count, error));
    berth_status status = add_nodes(t, nodes, count, error);
    free(nodes);
    if (status == BERTH_OK)
        status = add_pods(t, error);
    add_quotas(t);
    for (size_t i = 0; i < t->row_count; i++)
        add_row(t, &t->total, &t->rows[i]);
    top_sort_rows(t->rows, t->row_count, t->sort);
    return status;
}

void top_release(top *t)
{
    for (size_t i = 0; i < t->row_count; i++)
        free(t->rows[i].cells);
    free(t->rows);
    free(t->total.cells);
    free(t->nodes.cells);
    free(t->waiting.cells);
    free(t->stranded.cells);
    free(t->limit_resources);
    word_table_free(&t->keys);
    text_free(&t->key);
    word_table_free(&t->resources);
}
