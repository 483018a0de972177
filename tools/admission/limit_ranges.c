/* Keeps amounts as given; sums are computed in billionths. */
#include "admission/limit_ranges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "cli/words.h"

/* ---- reading ---- */

static berth_str text_of(const json_t *value)
{
    return json_is_string(value)
               ? (berth_str){json_string_value(value), (uint32_t)json_string_length(value)}
               : (berth_str){0};
}

static bool amount_of(const json_t *value, berth_quantity *out)
{
    char number[64];
    berth_str text = text_of(value);
    if (json_is_number(value)) {
        snprintf(number, sizeof(number), "%.9g", json_number_value(value));
        text = words_of(number);
    }
    return text.data != NULL && berth_quantity_parse(text, out, NULL) == BERTH_OK;
}

static limit_entry *entry_of(limit_range *range, const char *resource, bool of_pod)
{
    for (size_t i = 0; i < range->count; i++)
        if (range->entries[i].of_pod == of_pod && strcmp(range->entries[i].resource, resource) == 0)
            return &range->entries[i];
    range->entries =
        heap_grow(range->entries, &range->capacity, range->count + 1, sizeof(*range->entries));
    limit_entry *entry = &range->entries[range->count++];
    *entry = (limit_entry){.resource = heap_text(resource, strlen(resource)), .of_pod = of_pod};
    return entry;
}

/* Complete a LimitRange: a maximum is the default limit; the default limit is the default request;
 * without both, a minimum is. Source: pkg/apis/core/v1/defaults.go. */
static void complete(limit_entry *entry)
{
    static const limit_bound from[][2] = {{LIMIT_DEFAULT, LIMIT_MAX},
                                          {LIMIT_DEFAULT_REQUEST, LIMIT_DEFAULT},
                                          {LIMIT_DEFAULT_REQUEST, LIMIT_MIN}};
    for (size_t i = 0; i < sizeof(from) / sizeof(from[0]) && !entry->of_pod; i++) {
        limit_bound to = from[i][0], with = from[i][1];
        if (entry->given[to] || !entry->given[with])
            continue;
        entry->given[to] = true;
        entry->amount[to] = entry->amount[with];
    }
}

static void read_item(limit_range *range, const json_t *item, bool of_pod)
{
    static const char *const names[LIMIT_BOUND_COUNT] = {"default", "defaultRequest", "min", "max",
                                                         "maxLimitRequestRatio"};
    size_t first = range->count;
    for (int bound = 0; bound < LIMIT_BOUND_COUNT; bound++) {
        const char *resource;
        json_t *value;
        json_object_foreach(json_object_get(item, names[bound]), resource, value)
        {
            limit_entry *entry = entry_of(range, resource, of_pod);
            entry->given[bound] = amount_of(value, &entry->amount[bound]);
        }
    }
    for (size_t i = first; i < range->count; i++)
        complete(&range->entries[i]);
}

bool limit_ranges_add(limit_ranges *l, berth_str namespace_name, berth_str name,
                      const json_t *object)
{
    limit_range range = {.namespace_name = heap_text(namespace_name.data, namespace_name.len),
                         .name = heap_text(name.data, name.len)};
    const json_t *limits = json_object_get(json_object_get(object, "spec"), "limits");
    bool whole = true;
    for (size_t i = 0; i < json_array_size(limits); i++) {
        const json_t *item = json_array_get(limits, i);
        berth_str type = text_of(json_object_get(item, "type"));
        bool of_pod = words_equal(type, words_of("Pod"));
        if (of_pod || words_equal(type, words_of("Container")))
            read_item(&range, item, of_pod);
        else
            whole = false;
    }
    l->items = heap_grow(l->items, &l->capacity, l->count + 1, sizeof(*l->items));
    l->items[l->count++] = range;
    return whole;
}

/* ---- defaults ---- */

static void *hold(limit_ranges *l, const void *from, size_t count, size_t extra, size_t size)
{
    void *copy = heap_new(count + extra, size);
    if (count > 0)
        memcpy(copy, from, count * size);
    l->held = heap_grow(l->held, &l->held_capacity, l->held_count + 1, sizeof(*l->held));
    l->held[l->held_count++] = copy;
    return copy;
}

static void release(limit_ranges *l)
{
    while (l->held_count > 0)
        free(l->held[--l->held_count]);
}

static const berth_quantity *find(berth_resources list, const char *name)
{
    for (uint32_t i = 0; i < list.count; i++)
        if (words_equal(list.items[i].name, words_of(name)))
            return &list.items[i].amount;
    return NULL;
}

/* Add the amounts of `bound` for resources that the list lacks. */
static bool fill(limit_ranges *l, const limit_range *range, limit_bound bound,
                 berth_resources *list)
{
    uint32_t count = list->count;
    berth_resource *items = NULL;
    for (size_t i = 0; i < range->count; i++) {
        const limit_entry *entry = &range->entries[i];
        if (entry->of_pod || !entry->given[bound] || find(*list, entry->resource) != NULL)
            continue;
        if (items == NULL)
            items = hold(l, list->items, list->count, range->count, sizeof(*items));
        items[count++] = (berth_resource){words_of(entry->resource), entry->amount[bound]};
    }
    if (items != NULL)
        *list = (berth_resources){items, count};
    return items != NULL;
}

static bool fill_containers(limit_ranges *l, const limit_range *range,
                            const berth_container **containers, uint32_t count)
{
    berth_container *copy = hold(l, *containers, count, 0, sizeof(*copy));
    bool changed = false;
    for (uint32_t i = 0; i < count; i++) {
        changed |= fill(l, range, LIMIT_DEFAULT, &copy[i].limits);
        changed |= fill(l, range, LIMIT_DEFAULT_REQUEST, &copy[i].requests);
    }
    *containers = copy;
    return changed;
}

static bool is_of(const limit_range *range, const berth_pod *pod)
{
    berth_str in = pod->meta.namespace_name;
    return words_equal(words_of(range->namespace_name), in.len > 0 ? in : words_of("default"));
}

const limit_range *limit_ranges_apply(limit_ranges *l, berth_pod *pod)
{
    const limit_range *changed = NULL;
    release(l);
    for (size_t i = 0; i < l->count; i++) {
        if (!is_of(&l->items[i], pod))
            continue;
        bool some = fill_containers(l, &l->items[i], &pod->containers, pod->container_count);
        some |= fill_containers(l, &l->items[i], &pod->init_containers, pod->init_container_count);
        if (some)
            changed = &l->items[i];
    }
    return changed;
}

/* ---- refusals ---- */

static __int128 nanos(const berth_quantity *amount)
{
    return amount == NULL ? 0 : (__int128)amount->units * 1000000000 + amount->nanos;
}

/* The request and the limit of a resource; NULL: absent. */
typedef struct asked {
    const berth_quantity *request;
    const berth_quantity *limit;
} asked;

static bool refuses(const limit_entry *entry, asked of, text_buffer *reason)
{
    const char *what = entry->of_pod ? "Pod" : "Container";
    char bound[64];
    const char *verb = NULL;
    limit_bound which = LIMIT_MIN;
    if (entry->given[LIMIT_MIN] &&
        (of.request == NULL || nanos(of.request) < nanos(&entry->amount[LIMIT_MIN]))) {
        verb = "minimum";
    } else if (entry->given[LIMIT_MAX] &&
               (of.limit == NULL || nanos(of.limit) > nanos(&entry->amount[LIMIT_MAX]) ||
                nanos(of.request) > nanos(&entry->amount[LIMIT_MAX]))) {
        verb = "maximum";
        which = LIMIT_MAX;
    } else if (entry->given[LIMIT_RATIO] && nanos(of.request) > 0 &&
               (double)nanos(of.limit) / (double)nanos(of.request) >
                   (double)nanos(&entry->amount[LIMIT_RATIO]) / 1e9) {
        verb = "max limit to request ratio of";
        which = LIMIT_RATIO;
    }
    if (verb == NULL)
        return false;
    berth_quantity_format(entry->amount[which], true, bound, sizeof(bound));
    text_add(reason, "%s %s usage per %s is %s", verb, entry->resource, what, bound);
    return true;
}

static asked of_container(const limit_entry *entry, const berth_container *container)
{
    return (asked){find(container->requests, entry->resource),
                   find(container->limits, entry->resource)};
}

static bool refuse_containers(const limit_entry *entry, const berth_container *list, uint32_t count,
                              text_buffer *reason)
{
    for (uint32_t i = 0; i < count; i++)
        if (refuses(entry, of_container(entry, &list[i]), reason))
            return true;
    return false;
}

static void add_to(berth_quantity *sum, const berth_quantity *amount)
{
    __int128 total = nanos(sum) + nanos(amount);
    *sum = (berth_quantity){(int64_t)(total / 1000000000), (int32_t)(total % 1000000000)};
}

/* Check all containers together; a limit counts if every container has one. */
static bool refuse_whole(const limit_entry *entry, const berth_pod *pod, text_buffer *reason)
{
    berth_quantity request = {0, 0}, limit = {0, 0};
    bool requested = false, limited = pod->container_count > 0;
    for (uint32_t i = 0; i < pod->container_count; i++) {
        asked one = of_container(entry, &pod->containers[i]);
        add_to(&request, one.request);
        add_to(&limit, one.limit);
        requested |= one.request != NULL;
        limited &= one.limit != NULL;
    }
    return refuses(entry, (asked){requested ? &request : NULL, limited ? &limit : NULL}, reason);
}

bool limit_ranges_refuse(const limit_ranges *l, const berth_pod *pod, text_buffer *reason)
{
    text_buffer why = {0};
    for (size_t i = 0; i < l->count; i++) {
        const limit_range *range = &l->items[i];
        for (size_t k = 0; is_of(range, pod) && k < range->count; k++) {
            const limit_entry *entry = &range->entries[k];
            bool refused = entry->of_pod ? refuse_whole(entry, pod, &why)
                                         : refuse_containers(entry, pod->containers,
                                                             pod->container_count, &why) ||
                                               refuse_containers(entry, pod->init_containers,
                                                                 pod->init_container_count, &why);
            if (!refused)
                continue;
            text_clear(reason);
            text_add(reason, "LimitRange %s refuses it: %s", range->name, why.text);
            text_free(&why);
            return true;
        }
    }
    return false;
}

void limit_ranges_free(limit_ranges *l)
{
    release(l);
    for (size_t i = 0; i < l->count; i++) {
        for (size_t k = 0; k < l->items[i].count; k++)
            free(l->items[i].entries[k].resource);
        free(l->items[i].entries);
        free(l->items[i].namespace_name);
        free(l->items[i].name);
    }
    free(l->items);
    free(l->held);
}
