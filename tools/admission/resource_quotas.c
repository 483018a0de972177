/* Takes the amounts of pods from the engine, which adds up containers as quotas do. */
#include "admission/resource_quotas.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "cli/words.h"

/* ---- reading ---- */

static bool is_cpu(const char *resource)
{
    return resource != NULL && strcmp(resource, "cpu") == 0;
}

/* Reads an amount in the engine's units. */
static bool read_amount(const json_t *value, const char *resource, int64_t *out)
{
    berth_quantity amount;
    char number[64];
    berth_str text = {0};
    if (json_is_string(value))
        text = (berth_str){json_string_value(value), (uint32_t)json_string_length(value)};
    if (json_is_number(value)) {
        snprintf(number, sizeof(number), "%.9g", json_number_value(value));
        text = words_of(number);
    }
    if (text.data == NULL || berth_quantity_parse(text, &amount, NULL) != BERTH_OK)
        return false;
    *out = is_cpu(resource) && amount.units < INT64_MAX / 1000
               ? amount.units * 1000 + amount.nanos / 1000000
               : amount.units;
    return true;
}

/* The resource of pods that a quota's name stands for. Returns false if pods' requests do not count
 * for it. */
static bool resource_of(const char *name, const char **out)
{
    static const char requests[] = "requests.";
    *out = NULL;
    if (strcmp(name, "pods") == 0 || strcmp(name, "count/pods") == 0)
        return true;
    if (strncmp(name, requests, sizeof(requests) - 1) == 0)
        *out = name + sizeof(requests) - 1;
    else if (strcmp(name, "cpu") == 0 || strcmp(name, "memory") == 0 ||
             strcmp(name, "ephemeral-storage") == 0)
        *out = name;
    return *out != NULL && strcmp(*out, "storage") != 0;
}

static void add_entry(resource_quota *quota, const char *shown, const char *resource,
                      const json_t *hard, const json_t *used)
{
    quota_entry entry = {.shown = NULL};
    if (!read_amount(hard, resource, &entry.hard))
        return;
    entry.used_given = read_amount(used, resource, &entry.used);
    entry.shown = heap_text(shown, strlen(shown));
    entry.resource = resource != NULL ? heap_text(resource, strlen(resource)) : NULL;
    quota->entries =
        heap_grow(quota->entries, &quota->capacity, quota->count + 1, sizeof(*quota->entries));
    quota->entries[quota->count++] = entry;
}

const char *resource_quotas_add(resource_quotas *q, berth_str namespace_name, berth_str name,
                                const json_t *object)
{
    const json_t *spec = json_object_get(object, "spec");
    const json_t *used = json_object_get(json_object_get(object, "status"), "used");
    const char *passed_over = NULL;
    const char *shown;
    json_t *hard;
    if (json_array_size(json_object_get(spec, "scopes")) > 0 ||
        json_object_get(spec, "scopeSelector") != NULL)
        return "all of it, as it has scopes";
    resource_quota quota = {.namespace_name = heap_text(namespace_name.data, namespace_name.len),
                            .name = heap_text(name.data, name.len)};
    json_object_foreach(json_object_get(spec, "hard"), shown, hard)
    {
        const char *resource;
        if (resource_of(shown, &resource))
            add_entry(&quota, shown, resource, hard, json_object_get(used, shown));
        else if (strncmp(shown, "limits.", 7) == 0)
            passed_over = "its limits.*";
    }
    q->items = heap_grow(q->items, &q->capacity, q->count + 1, sizeof(*q->items));
    q->items[q->count++] = quota;
    return passed_over;
}

/* ---- counting ---- */

bool resource_quotas_cover(const resource_quotas *q, berth_str namespace_name)
{
    for (size_t i = 0; i < q->count; i++)
        if (words_equal(words_of(q->items[i].namespace_name), namespace_name))
            return true;
    return false;
}

static int64_t use_of(const berth_engine *engine, berth_pod_id pod, const quota_entry *entry)
{
    int64_t amount = 0;
    if (entry->resource == NULL)
        return 1;
    if (berth_engine_pod_resource(engine, pod, words_of(entry->resource), &amount, NULL) !=
        BERTH_OK)
        return 0;
    return amount;
}

static bool is_of(const resource_quota *quota, const berth_engine *engine, berth_pod_id pod)
{
    berth_str namespace_name = {0};
    berth_str name = {0};
    berth_engine_pod_name(engine, pod, &namespace_name, &name);
    return words_equal(words_of(quota->namespace_name), namespace_name);
}

void resource_quotas_count(resource_quotas *q, size_t first, const berth_engine *engine,
                           berth_pod_id pod, bool is_new)
{
    for (size_t i = first; i < q->count; i++) {
        if (!is_of(&q->items[i], engine, pod))
            continue;
        for (size_t k = 0; k < q->items[i].count; k++) {
            quota_entry *entry = &q->items[i].entries[k];
            if (is_new || !entry->used_given)
                entry->used += use_of(engine, pod, entry);
        }
    }
}

static void show_amount(const quota_entry *entry, int64_t amount, char *out, size_t size)
{
    berth_quantity quantity = {amount, 0};
    if (is_cpu(entry->resource))
        quantity = (berth_quantity){amount / 1000, (int32_t)(amount % 1000) * 1000000};
    berth_quantity_format(quantity, entry->resource != NULL && strstr(entry->resource, "memory"),
                          out, size);
}

static bool is_listed(const char *list, const char *wanted)
{
    size_t len = strlen(wanted);
    for (const char *at = list; (at = strstr(at, wanted)) != NULL; at += len)
        if ((at == list || at[-1] == ',') && (at[len] == '\0' || at[len] == ','))
            return true;
    return false;
}

/* Whether every pod must request the resource if a quota counts it. */
static bool is_compute(const char *resource)
{
    return strcmp(resource, "cpu") == 0 || strcmp(resource, "memory") == 0;
}

static bool refuses(const resource_quota *quota, const berth_engine *engine, berth_pod_id pod,
                    const char *lacks, text_buffer *reason)
{
    for (size_t k = 0; k < quota->count; k++) {
        const quota_entry *entry = &quota->entries[k];
        char asked[64], used[64], hard[64];
        int64_t more = use_of(engine, pod, entry);
        if (entry->resource != NULL &&
            (is_listed(lacks, entry->resource) || (more == 0 && is_compute(entry->resource)))) {
            text_clear(reason);
            text_add(reason, "failed quota: %s: must specify %s", quota->name, entry->shown);
            return true;
        }
        if (more == 0 || entry->used + more <= entry->hard)
            continue;
        show_amount(entry, more, asked, sizeof(asked));
        show_amount(entry, entry->used, used, sizeof(used));
        show_amount(entry, entry->hard, hard, sizeof(hard));
        text_clear(reason);
        text_add(reason, "exceeded quota: %s, requested: %s=%s, used: %s=%s, limited: %s=%s",
                 quota->name, entry->shown, asked, entry->shown, used, entry->shown, hard);
        return true;
    }
    return false;
}

bool resource_quotas_refuse(resource_quotas *q, const berth_engine *engine, berth_pod_id pod,
                            const char *lacks, text_buffer *reason)
{
    for (size_t i = 0; i < q->count; i++)
        if (is_of(&q->items[i], engine, pod) && refuses(&q->items[i], engine, pod, lacks, reason))
            return true;
    for (size_t i = 0; i < q->count; i++)
        for (size_t k = 0; is_of(&q->items[i], engine, pod) && k < q->items[i].count; k++)
            q->items[i].entries[k].used += use_of(engine, pod, &q->items[i].entries[k]);
    return false;
}

void resource_quotas_save(resource_quotas *q)
{
    for (size_t i = 0; i < q->count; i++)
        for (size_t k = 0; k < q->items[i].count; k++)
            q->items[i].entries[k].saved = q->items[i].entries[k].used;
}

void resource_quotas_restore(resource_quotas *q)
{
    for (size_t i = 0; i < q->count; i++)
        for (size_t k = 0; k < q->items[i].count; k++)
            q->items[i].entries[k].used = q->items[i].entries[k].saved;
}

void resource_quotas_free(resource_quotas *q)
{
    for (size_t i = 0; i < q->count; i++) {
        for (size_t k = 0; k < q->items[i].count; k++) {
            free(q->items[i].entries[k].shown);
            free(q->items[i].entries[k].resource);
        }
        free(q->items[i].entries);
        free(q->items[i].namespace_name);
        free(q->items[i].name);
    }
    free(q->items);
}
