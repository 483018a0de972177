/* Texts of the table's cells. */
#include "top/top_words.h"

#include <inttypes.h>
#include <string.h>

#include "cli/exits.h"

/* ---- amounts ---- */

static bool is_bytes(berth_str resource)
{
    return words_equal(resource, words_of("memory")) ||
           words_equal(resource, words_of("ephemeral-storage")) ||
           (resource.len > 10 && memcmp(resource.data, "hugepages-", 10) == 0);
}

static void bytes_text(int64_t amount, char *out, size_t size)
{
    static const char units[] = "KMGTPE";
    double value = (double)amount / 1024.0;
    size_t unit = 0;
    if (amount < 1024) {
        snprintf(out, size, "%" PRId64, amount);
        return;
    }
    for (; value >= 1023.95 && units[unit + 1] != '\0'; unit++)
        value /= 1024.0;
    snprintf(out, size, "%.1f%ci", value, units[unit]);
}

void top_amount_text(berth_str resource, int64_t amount, char *out, size_t size)
{
    if (is_bytes(resource))
        bytes_text(amount, out, size);
    else if (!words_equal(resource, words_of("cpu")) || amount == 0)
        snprintf(out, size, "%" PRId64, amount);
    else if (amount < 1000)
        snprintf(out, size, "%" PRId64 "m", amount);
    else
        snprintf(out, size, "%.1f", (double)amount / 1000.0);
}

void top_plain_text(berth_str resource, int64_t amount, char *out, size_t size)
{
    if (!words_equal(resource, words_of("cpu"))) {
        snprintf(out, size, "%" PRId64, amount);
        return;
    }
    int len = snprintf(out, size, "%" PRId64 ".%03d", amount / 1000, (int)(amount % 1000));
    while (len > 0 && out[len - 1] == '0')
        out[--len] = '\0';
    if (len > 0 && out[len - 1] == '.')
        out[--len] = '\0';
}

const char *top_unit(berth_str resource)
{
    return words_equal(resource, words_of("cpu")) ? "cores" : is_bytes(resource) ? "bytes" : "";
}

void top_share_text(berth_str resource, int64_t part, int64_t all, char *out, size_t size)
{
    char of[TOP_AMOUNT_BYTES];
    char text[TOP_AMOUNT_BYTES];
    top_amount_text(resource, part, text, sizeof(text));
    top_amount_text(resource, all, of, sizeof(of));
    size_t len = strlen(text);
    size_t of_len = strlen(of);
    bool same_unit = is_bytes(resource) && len > 2 && of_len > 2 &&
                     strcmp(text + len - 2, of + of_len - 2) == 0 && text[len - 1] == 'i';
    snprintf(out, size, "%.*s/%s", (int)(same_unit ? len - 2 : len), text, of);
}

void top_limits_text(const top *t, const top_row *row, uint32_t resource, char *out, size_t size)
{
    if (row->cells[resource].limited)
        top_amount_text(word_table_get(&t->resources, resource), row->cells[resource].limits, out,
                        size);
    else
        snprintf(out, size, "-");
}

double top_percent(int64_t part, int64_t all)
{
    return all > 0 ? 100.0 * (double)part / (double)all : 0.0;
}

bool top_is_shown(const top *t, uint32_t resource)
{
    const top_row *const sums[] = {&t->nodes, &t->waiting, &t->stranded};
    bool shown = resource < t->named;
    for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]) && !shown; i++)
        shown = sums[i]->cells[resource].requested > 0 || sums[i]->cells[resource].allocatable > 0;
    return shown;
}

/* ---- remarks ---- */

/* A list on one line. */
typedef struct remarks {
    FILE *file;
    bool any;
} remarks;

static void next(remarks *r)
{
    if (r->any)
        fputs("; ", r->file);
    r->any = true;
}

static void remark(void *context, const char *text)
{
    remarks *r = context;
    next(r);
    fputs(text, r->file);
}

static void remark_resources(const top *t, const top_row *row, remarks *r)
{
    for (uint32_t i = TOP_FIXED_RESOURCES; i < t->resources.count; i++) {
        const top_cell *cell = &row->cells[i];
        berth_str name = word_table_get(&t->resources, i);
        char text[2 * TOP_AMOUNT_BYTES];
        if (cell->requested == 0 && cell->allocatable == 0)
            continue;
        if (row->nodes > 0)
            top_share_text(name, cell->requested, cell->allocatable, text, sizeof(text));
        else
            top_amount_text(name, cell->requested, text, sizeof(text));
        next(r);
        fprintf(r->file, "%.*s %s", (int)name.len, name.data, text);
    }
}

/* Add a remark on containers without limits. If no container has a limit, the row already shows
 * "-", and there is no remark. */
static void remark_containers(const top_row *row, remarks *r)
{
    const uint64_t counts[] = {[TOP_CPU] = row->without_cpu, [TOP_MEMORY] = row->without_memory};
    static const char *const names[] = {[TOP_CPU] = "cpu", [TOP_MEMORY] = "memory"};
    bool any = false;
    for (size_t i = 0; i < 2; i++) {
        if (counts[i] == 0 || !row->cells[i].limited)
            continue;
        if (!any)
            remark(r, "no limit in containers:");
        fprintf(r->file, "%s %s %" PRIu64 "/%" PRIu64, any ? "," : "", names[i], counts[i],
                row->containers);
        any = true;
    }
}

static void remark_quota(const resource_quota *quota, remarks *r)
{
    next(r);
    fprintf(r->file, "quota %s:", quota->name);
    for (size_t i = 0; i < quota->count; i++) {
        const quota_entry *entry = &quota->entries[i];
        char text[2 * TOP_AMOUNT_BYTES];
        berth_str resource = words_of(entry->resource != NULL ? entry->resource : "pods");
        top_share_text(resource, entry->used, entry->hard, text, sizeof(text));
        fprintf(r->file, "%s %s %s", i > 0 ? "," : "", entry->shown, text);
    }
}

static void remark_quotas(const top *t, const top_row *row, remarks *r)
{
    const resource_quotas *quotas = &t->input->admission.quotas;
    for (size_t i = 0; i < quotas->count; i++)
        if (words_equal(words_of(quotas->items[i].namespace_name), row->name))
            remark_quota(&quotas->items[i], r);
}

berth_status top_notes_write(const top *t, const top_row *row, FILE *file, berth_error *error)
{
    remarks r = {.file = file};
    bool by_pod = t->by == TOP_BY_NAMESPACE || t->by == TOP_BY_OWNER;
    if (t->by == TOP_BY_NODE && row->node != BERTH_NODE_NONE) {
        TRY(node_state_notes(t->engine, row->node, remark, &r, error));
        if (row->state == NODE_STATE_OPEN && row->full)
            remark(&r, "no room for another pod");
    }
    if (by_pod && row->pending > 0) {
        next(&r);
        fprintf(file, "%" PRIu64 " pending", row->pending);
    }
    remark_resources(t, row, &r);
    if (by_pod)
        remark_containers(row, &r);
    if (t->by == TOP_BY_NAMESPACE)
        remark_quotas(t, row, &r);
    return BERTH_OK;
}
