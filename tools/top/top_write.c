/* Writes exact amounts in Kubernetes' form. */
#include "top/top_write.h"

#include "cli/exits.h"
#include "loading/usage.h"
#include "top/top_cost.h"
#include "top/top_words.h"

enum { AMOUNT_BYTES = 64 };

static void write_amount(output *o, const char *key, berth_str resource, int64_t amount)
{
    char text[AMOUNT_BYTES];
    usage_amount(resource, amount, text, sizeof(text));
    output_pair_text(o, key, text);
}

static bool has_some(const top_cell *cell)
{
    return cell->requested != 0 || cell->allocatable != 0 || cell->limited;
}

/* Write the resources of a row; without `all`, only those that it has. */
static void write_resources(const top *t, const top_row *row, bool all, output *o)
{
    output_key(o, "resources");
    output_array(o);
    for (uint32_t r = 0; r < t->resources.count; r++) {
        const top_cell *cell = &row->cells[r];
        berth_str name = word_table_get(&t->resources, r);
        if (!(r < TOP_FIXED_RESOURCES || has_some(cell) || (all && top_is_shown(t, r))))
            continue;
        output_object(o);
        output_pair_str(o, "resource", name);
        write_amount(o, "requested", name, cell->requested);
        if (cell->limited)
            write_amount(o, "limits", name, cell->limits);
        if (row->nodes > 0 || row == &t->nodes) {
            write_amount(o, "allocatable", name, cell->allocatable);
            write_amount(o, "free", name, cell->free);
            write_amount(o, "mostFree", name, cell->most);
            write_amount(o, "freeOnClosed", name, cell->closed);
        }
        output_object_end(o);
    }
    output_array_end(o);
}

static void write_containers(const top_row *row, output *o)
{
    output_pair_int(o, "containers", (int64_t)row->containers);
    output_pair_int(o, "withoutCpuLimit", (int64_t)row->without_cpu);
    output_pair_int(o, "withoutMemoryLimit", (int64_t)row->without_memory);
}

static void write_note(void *context, const char *note)
{
    output_text(context, note);
}

static berth_status write_state(const top *t, const top_row *row, output *o, berth_error *error)
{
    output_pair_str(o, "zone", usage_zone(t->engine, row->node));
    output_pair_text(o, "state", node_state_names[row->state]);
    output_key(o, "usable");
    output_bool(o, top_is_usable(row));
    output_key(o, "notes");
    output_array(o);
    TRY(node_state_notes(t->engine, row->node, write_note, o, error));
    if (row->full)
        output_text(o, "no room for another pod");
    output_array_end(o);
    return BERTH_OK;
}

static void write_quotas(const top *t, const top_row *row, output *o)
{
    const resource_quotas *quotas = &t->input->admission.quotas;
    output_key(o, "quotas");
    output_array(o);
    for (size_t i = 0; i < quotas->count; i++) {
        const resource_quota *quota = &quotas->items[i];
        if (!words_equal(words_of(quota->namespace_name), row->name))
            continue;
        for (size_t k = 0; k < quota->count; k++) {
            const quota_entry *entry = &quota->entries[k];
            berth_str resource = words_of(entry->resource != NULL ? entry->resource : "pods");
            output_object(o);
            output_pair_text(o, "quota", quota->name);
            output_pair_text(o, "resource", entry->shown);
            write_amount(o, "used", resource, entry->used);
            write_amount(o, "hard", resource, entry->hard);
            output_object_end(o);
        }
    }
    output_array_end(o);
}

/* Write the cost: of nodes their price, of pods their share of it. */
static void write_cost(const top *t, const top_row *row, output *o)
{
    bool of_nodes = t->by == TOP_BY_NODE || t->by == TOP_BY_ZONE;
    if (!top_cost_shown(t) || (t->by == TOP_BY_NODE && !top_cost_known(t, row->node)))
        return;
    money_write(o, "costPerHour", of_nodes ? row->price : row->used);
    money_write(o, "costPerMonth", money_month(of_nodes ? row->price : row->used));
    if (of_nodes)
        money_write(o, "idlePerHour", row->idle);
}

static berth_status write_row(const top *t, const top_row *row, output *o, berth_error *error)
{
    output_object(o);
    if (t->by == TOP_BY_OWNER) {
        output_pair_str(o, "namespace", row->namespace_name);
        output_pair_str(o, "kind", row->kind);
    }
    output_pair_str(o, "name", row->name);
    if (t->by == TOP_BY_NODE)
        TRY(write_state(t, row, o, error));
    if (t->by == TOP_BY_ZONE) {
        output_pair_int(o, "nodes", (int64_t)row->nodes);
        output_pair_int(o, "usableNodes", (int64_t)row->usable);
    }
    if (t->by == TOP_BY_NAMESPACE)
        write_quotas(t, row, o);
    output_pair_int(o, "pods", (int64_t)row->pods);
    if (t->by == TOP_BY_NAMESPACE || t->by == TOP_BY_OWNER)
        output_pair_int(o, "pendingPods", (int64_t)row->pending);
    write_cost(t, row, o);
    write_containers(row, o);
    write_resources(t, row, false, o);
    output_object_end(o);
    return BERTH_OK;
}

static void write_sum(const top *t, const char *key, const top_row *row, output *o)
{
    output_key(o, key);
    output_object(o);
    output_pair_int(o, "pods", (int64_t)row->pods);
    write_containers(row, o);
    write_resources(t, row, true, o);
    output_object_end(o);
}

static void write_summary(const top *t, output *o)
{
    output_key(o, "summary");
    output_object(o);
    output_pair_int(o, "nodes", (int64_t)t->nodes.nodes);
    output_pair_int(o, "usableNodes", (int64_t)t->nodes.usable);
    output_pair_int(o, "fullNodes", (int64_t)t->full_nodes);
    output_key(o, "nodesByState");
    output_object(o);
    for (size_t s = 0; s < NODE_STATE_COUNT; s++)
        output_pair_int(o, node_state_names[s], (int64_t)t->state_nodes[s]);
    output_object_end(o);
    output_pair_int(o, "refusedPods", (int64_t)t->refused);
    write_sum(t, "onNodes", &t->nodes, o);
    write_sum(t, "pending", &t->waiting, o);
    write_sum(t, "onMissingNodes", &t->stranded, o);
    top_cost_write(t, o);
    output_object_end(o);
}

berth_status top_write(const top *t, bool summary_only, output *o, berth_error *error)
{
    static const char *const lists[] = {[TOP_BY_NODE] = "nodes",
                                        [TOP_BY_NAMESPACE] = "namespaces",
                                        [TOP_BY_ZONE] = "zones",
                                        [TOP_BY_OWNER] = "owners"};
    output_pair_text(o, "by", top_by_names[t->by]);
    if (!summary_only) {
        output_key(o, lists[t->by]);
        output_array(o);
        for (size_t i = 0; i < t->row_count; i++)
            TRY(write_row(t, &t->rows[i], o, error));
        output_array_end(o);
    }
    write_summary(t, o);
    return BERTH_OK;
}
