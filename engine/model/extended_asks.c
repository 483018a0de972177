/* The containers' requests for extended resources that devices may provide.
 * Source: kube-scheduler v1.36, dynamicresources/extendeddynamicresources.go. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/pod_class.h"

static const char class_prefix[] = "deviceclass.resource.kubernetes.io/";

bool berth__resource_class_name(berth_str name, berth_str *class_name)
{
    uint32_t length = sizeof(class_prefix) - 1;
    if (name.len < length || memcmp(name.data, class_prefix, length) != 0)
        return false;
    *class_name = (berth_str){name.data + length, name.len - length};
    return true;
}

bool berth__resource_may_be_backed(berth_str name)
{
    berth_str class_name;
    return memchr(name.data, '/', name.len) != NULL &&
           (berth__resource_class_name(name, &class_name) || berth__resource_is_extended(name));
}

static bool names_any(berth_resources list)
{
    for (uint32_t i = 0; i < list.count; i++)
        if (berth__amount_nanos(list.items[i].amount) != 0 &&
            berth__resource_may_be_backed(list.items[i].name))
            return true;
    return false;
}

bool berth__pod_asks_extended(const berth__model *model, const berth_pod *pod)
{
    bool any = model->behaviours.devices_back_resources && names_any(pod->overhead);
    if (!model->behaviours.devices_back_resources)
        return false;
    for (uint32_t i = 0; i < pod->container_count && !any; i++)
        any = names_any(pod->containers[i].requests);
    for (uint32_t i = 0; i < pod->init_container_count && !any; i++)
        any = names_any(pod->init_containers[i].requests);
    return any;
}

/* ---- as words ---- */

enum { WORDS = 7 };

/* The position of a name in the list when sorted by text. */
static uint32_t rank_of(berth_resources list, berth_str name)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < list.count; i++)
        rank += berth__str_cmp(list.items[i].name, name) < 0;
    return rank;
}

typedef void put_word(berth__model *model, uint32_t word, bool *ok);

static void write_ask(berth__model *model, const berth_container *container, uint32_t number,
                      bool lasts, const berth_resource *item, put_word *put, bool *ok)
{
    const __int128 nanos = berth__amount_nanos(item->amount), one = 1000000000;
    if (nanos <= 0 || nanos % one != 0 || nanos / one > INT64_MAX ||
        !berth__resource_may_be_backed(item->name))
        return;
    char text[64];
    uint32_t length =
        (uint32_t)snprintf(text, sizeof(text), "container-%u-request-%u", (unsigned)number,
                           (unsigned)rank_of(container->requests, item->name));
    uint64_t count = (uint64_t)(nanos / one);
    put(model, number, ok);
    put(model, lasts, ok);
    put(model, berth__resource_add(model, item->name, ok), ok);
    put(model, berth__intern_add(&model->strings, (berth_str){text, length}, ok), ok);
    put(model, (uint32_t)count, ok);
    put(model, (uint32_t)(count >> 32), ok);
    put(model,
        container->name.len > 0 ? berth__intern_add(&model->strings, container->name, ok) : 0, ok);
}

void berth__extended_asks_write(berth__model *model, const berth_pod *pod, put_word *put, bool *ok)
{
    uint32_t inits = pod->init_container_count;
    for (uint32_t i = 0; i < inits + pod->container_count; i++) {
        const berth_container *container =
            i < inits ? &pod->init_containers[i] : &pod->containers[i - inits];
        for (uint32_t r = 0; r < container->requests.count; r++)
            write_ask(model, container, i, i >= inits || container->restart_always,
                      &container->requests.items[r], put, ok);
    }
}

void berth__extended_asks_fill(berth__model *model, berth__arena *arena, const uint32_t *written,
                               uint32_t count, berth__extended_asks *out, bool *ok)
{
    out->count = count / WORDS;
    berth__container_ask *items = berth__arena_alloc(arena, (out->count + 1) * sizeof(*items), 8);
    if (items == NULL) {
        *ok = false;
        return;
    }
    /* relaxed: see transaction.c */
    atomic_store_explicit(&model->has_volumes, true, memory_order_relaxed);
    for (uint32_t i = 0; i < out->count; i++) {
        const uint32_t *word = &written[i * WORDS];
        items[i] = (berth__container_ask){.container = word[0],
                                          .lasts = word[1] != 0,
                                          .resource = word[2],
                                          .request = word[3],
                                          .name = word[6],
                                          .count = (int64_t)((uint64_t)word[5] << 32 | word[4])};
    }
    out->items = items;
}
