/* The symbol tables of an engine: strings, resources, taint lists; and their lock. */
#include "model/model.h"

#include <string.h>

#include "base/assert.h"
#include "base/hash.h"
#include "base/text.h"
#include "model/labels.h"
#include "model/pod_class.h"
#include "model/sweep.h"

berth_status berth__model_init(berth__model *model, const berth_allocator *allocator,
                               const berth__behaviours *behaviours)
{
    memset(model, 0, sizeof(*model));
    model->allocator = allocator;
    if (behaviours != NULL)
        model->behaviours = *behaviours;
    else
        (void)berth__behaviours_make(0, (berth_str){0}, &model->behaviours, NULL);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&model->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    berth__arena_init(&model->scratch, allocator);
    bool ok = berth__intern_init(&model->strings, allocator) == BERTH_OK &&
              berth__keymap_init(&model->taint_lists, allocator) == BERTH_OK &&
              berth__keymap_init(&model->parts, allocator) == BERTH_OK &&
              berth__keymap_init(&model->classes, allocator) == BERTH_OK;
    if (!ok)
        goto fail;
#define X(name, text) model->known.name = berth__intern_add(&model->strings, BERTH_STR(text), &ok);
    BERTH__KNOWN_LIST(X)
#undef X
    static const char *const fixed[] = {"cpu", "memory", "ephemeral-storage"};
    for (uint32_t i = 0; i < BERTH__SCALARS; i++)
        atomic_init(&model->resource_names[i],
                    berth__intern_add(&model->strings, berth__text_of(fixed[i]), &ok));
    atomic_init(&model->resource_count, BERTH__SCALARS);
    model->resources_named = BERTH__SCALARS;
    model->resource_slots_stale = true;
    if (!ok || berth__taints_intern(model, NULL, 0) == NULL)
        goto fail;
    model->sweep_at = UINT32_MAX; /* until berth__sweep_keep_all */
    return BERTH_OK;
fail:
    berth__model_destroy(model);
    return BERTH_E_NOMEM;
}

static size_t taint_list_bytes(uint32_t count)
{
    return sizeof(berth__taint_list) + count * sizeof(berth__interned_taint);
}

static void free_taint_lists(berth__model *model)
{
    for (uint32_t i = 0; i < berth__taints_count(model); i++) {
        berth__taint_list *list = *berth__taints_place(model, i);
        if (list != NULL)
            berth__free(model->allocator, list, taint_list_bytes(list->count));
    }
    berth__free(model->allocator, model->free_taints,
                model->free_taint_capacity * sizeof(*model->free_taints));
    for (uint32_t i = 0; i < BERTH__TAINT_SEGMENTS; i++)
        berth__free(model->allocator, model->taint_segments[i],
                    (sizeof(berth__taint_list *) << BERTH__TAINT_SHIFT) << i);
}

void berth__model_destroy(berth__model *model)
{
    berth__model_collect(model);
    BERTH_ASSERT(model->class_count == 0);
    berth__sweep_drop_batches(model);
    berth__free(model->allocator, model->class_places.free,
                model->class_places.capacity * sizeof(*model->class_places.free));
    free_taint_lists(model);
    berth__free(model->allocator, model->words, model->word_capacity * sizeof(*model->words));
    berth__class_memo_destroy(&model->class_memo, model->allocator);
    berth__keymap_destroy(&model->classes);
    berth__keymap_destroy(&model->parts);
    berth__keymap_destroy(&model->taint_lists);
    berth__intern_destroy(&model->strings);
    berth__arena_destroy(&model->scratch);
    pthread_mutex_destroy(&model->lock);
}

/* ---- the lock ---- */

/* Take a class off the stack before its count: a thread that adds to the count meanwhile may push
 * the class again. */
static void release_due(berth__model *model)
{
    berth__class *cls =
        atomic_exchange_explicit(&model->due, NULL, memory_order_acquire); /* MODEL-2 */
    while (cls != NULL) {
        berth__class *next = cls->next_due;
        uint32_t count = atomic_exchange_explicit(&cls->due, 0, memory_order_acq_rel); /* MODEL-2 */
        while (count-- > 0)
            berth__class_release(model, cls);
        cls = next;
    }
}

void berth__model_lock_slow(berth__model *model)
{
    pthread_mutex_lock(&model->lock);
    if (model->lock_depth++ == 0)
        berth__intern_claim(&model->strings, true);
}

void berth__model_unlock_slow(berth__model *model)
{
    release_due(model);
    BERTH_ASSERT(model->lock_depth > 0);
    if (--model->lock_depth == 0)
        berth__intern_claim(&model->strings, false);
    pthread_mutex_unlock(&model->lock);
}

void berth__model_collect(berth__model *model)
{
    /* Relaxed: the next call finds what this one misses; the exchange decides. */
    if (atomic_load_explicit(&model->due, memory_order_relaxed) == NULL ||
        pthread_mutex_trylock(&model->lock) != 0)
        return;
    release_due(model);
    pthread_mutex_unlock(&model->lock);
}

/* ---- resources ---- */

uint32_t berth__resource_find(const berth__model *model, berth_str name)
{
    berth__sym sym = berth__intern_find(&model->strings, name);
    uint32_t count =
        atomic_load_explicit(&model->resource_count, memory_order_acquire); /* MODEL-1 */
    for (uint32_t i = 0; sym != 0 && i < count; i++)
        if (berth__resource_name(model, i) == sym)
            return i;
    return BERTH__RESOURCE_NONE;
}

/* The slot of a name's column, or the free slot for it. */
static uint16_t *resource_slot(berth__model *model, berth__sym name)
{
    const uint32_t mask = 2 * BERTH__RESOURCES_MAX - 1;
    uint32_t at = (uint32_t)berth__hash_word(name) & mask;
    while (model->resource_slots[at] != 0 &&
           berth__resource_name(model, model->resource_slots[at] - 1u) != name)
        at = (at + 1) & mask;
    return &model->resource_slots[at];
}

static void settle_resource_slots(berth__model *model)
{
    if (!model->resource_slots_stale)
        return;
    memset(model->resource_slots, 0, sizeof(model->resource_slots));
    model->resource_slots_stale = false;
    for (uint32_t i = 0; i < model->resource_count; i++)
        if (berth__resource_name(model, i) != 0)
            *resource_slot(model, berth__resource_name(model, i)) = (uint16_t)(i + 1);
}

uint32_t berth__resource_known(berth__model *model, berth_str name)
{
    berth__sym sym = berth__intern_find(&model->strings, name);
    settle_resource_slots(model);
    uint32_t found = sym != 0 ? *resource_slot(model, sym) : 0;
    return found != 0 ? found - 1 : BERTH__RESOURCE_NONE;
}

static bool contains(berth_str text, const char *part)
{
    return text.len > 0 && memmem(text.data, text.len, part, strlen(part)) != NULL;
}

/* Whether the name of a quota for the resource is valid: "requests." followed by its name. */
static bool has_quota_name(berth_str name)
{
    static const char prefix[] = "requests.";
    char quota[384];
    if (name.len > sizeof(quota) - sizeof(prefix))
        return false;
    memcpy(quota, prefix, sizeof(prefix) - 1);
    memcpy(quota + sizeof(prefix) - 1, name.data, name.len);
    return berth__is_qualified_name((berth_str){quota, (uint32_t)(sizeof(prefix) - 1) + name.len});
}

bool berth__resource_is_extended(berth_str name)
{
    return contains(name, "/") && !contains(name, "kubernetes.io/") &&
           !berth__str_starts(name, "requests.") && has_quota_name(name);
}

static bool is_scalar(berth_str name)
{
    return berth__resource_is_extended(name) || berth__str_starts(name, "hugepages-") ||
           berth__str_starts(name, "attachable-volumes-") || contains(name, "kubernetes.io/");
}

/* The first column without a name, or BERTH__RESOURCE_NONE. */
static uint32_t nameless_column(const berth__model *model)
{
    uint32_t i = BERTH__SCALARS;
    if (model->resources_named == model->resource_count)
        i = model->resource_count;
    while (i < model->resource_count && berth__resource_name(model, i) != 0)
        i++;
    return i < BERTH__RESOURCES_MAX ? i : BERTH__RESOURCE_NONE;
}

static void name_column(berth__model *model, uint32_t column, berth__sym name)
{
    /* relaxed: see berth__resource_name */
    atomic_store_explicit(&model->resource_names[column], name, memory_order_relaxed);
    /* relaxed: see berth__names_epoch */
    uint64_t before = atomic_fetch_add_explicit(&model->names_epoch, 1, memory_order_relaxed);
    model->resource_since[column] = before + 1;
    if (!model->resource_slots_stale)
        *resource_slot(model, name) = (uint16_t)(column + 1);
    if (column == model->resource_count)
        atomic_fetch_add_explicit(&model->resource_count, 1, memory_order_release); /* MODEL-1 */
    /* Columns are scarce: many new ones make a sweep due, too, once sweeps are allowed. */
    if (++model->resources_named >= model->resource_sweep_at && model->kept_texts > 0)
        model->sweep_at = 0;
}

uint32_t berth__resource_add(berth__model *model, berth_str name, bool *ok)
{
    uint32_t found = berth__resource_known(model, name);
    if (found < BERTH__SCALARS || (found == BERTH__RESOURCE_NONE && !is_scalar(name)))
        return found;
    berth__sym sym = berth__intern_add(&model->strings, name, ok); /* holds known ones again */
    if (found != BERTH__RESOURCE_NONE || sym == 0)
        return found;
    uint32_t column = nameless_column(model);
    if (column == BERTH__RESOURCE_NONE) {
        *ok = false;
        return BERTH__RESOURCE_NONE;
    }
    name_column(model, column, sym);
    return column;
}

void berth__resource_forget(berth__model *model, uint32_t resource)
{
    BERTH_ASSERT(resource >= BERTH__SCALARS && berth__resource_name(model, resource) != 0);
    /* relaxed: see berth__resource_name */
    atomic_store_explicit(&model->resource_names[resource], 0, memory_order_relaxed);
    model->resources_named--;
    model->resource_slots_stale = true;
}

/* ---- amounts ---- */

__int128 berth__amount_nanos(berth_quantity amount)
{
    return (__int128)amount.units * 1000000000 + amount.nanos;
}

bool berth__amount_is_valid(berth_quantity amount)
{
    return amount.nanos > -1000000000 && amount.nanos < 1000000000 &&
           (amount.units == 0 || amount.nanos == 0 || (amount.units < 0) == (amount.nanos < 0));
}

bool berth__amount_read(__int128 nanos, bool milli, int64_t *out)
{
    const int64_t unit = milli ? 1000000 : 1000000000;
    if (nanos >= 0 && nanos <= INT64_MAX) { /* the usual case; dividing 128 bits is slow */
        int64_t small = (int64_t)nanos;
        *out = small / unit + (small % unit != 0);
        return true;
    }
    __int128 amount = nanos / unit;
    if (nanos % unit != 0)
        amount += nanos > 0 ? 1 : -1;
    if (amount > INT64_MAX || amount < INT64_MIN)
        return false;
    *out = (int64_t)amount;
    return true;
}

/* ---- taints ---- */

/* Reserve room for one more list, and for giving its id back. */
static bool reserve_taints(berth__model *model)
{
    uint32_t count = berth__taints_count(model);
    uint64_t at = (uint64_t)count + (1u << BERTH__TAINT_SHIFT);
    uint32_t segment = 63 - BERTH__TAINT_SHIFT - (uint32_t)__builtin_clzll(at);
    if (model->taint_segments[segment] == NULL)
        model->taint_segments[segment] = berth__alloc(
            model->allocator, (sizeof(berth__taint_list *) << BERTH__TAINT_SHIFT) << segment, 64);
    return model->taint_segments[segment] != NULL &&
           berth__grow(model->allocator, &model->free_taints, &model->free_taint_capacity,
                       count + 1, sizeof(*model->free_taints));
}

static void read_taints(berth__model *model, const berth_taint *taints, uint32_t count,
                        berth__taint_list *out, bool *ok)
{
    for (uint32_t i = 0; i < count; i++) {
        berth_str value = taints[i].value;
        out->items[i] = (berth__interned_taint){
            berth__intern_add(&model->strings, taints[i].key, ok),
            value.len > 0 ? berth__intern_add(&model->strings, value, ok) : model->known.empty,
            berth__intern_add(&model->strings, taints[i].effect, ok)};
    }
    size_t bytes = count * sizeof(*out->items);
    if (count > 0)
        out->text = berth__intern_add(&model->strings,
                                      (berth_str){(const char *)out->items, (uint32_t)bytes}, ok);
    out->entry = (berth__keymap_entry){.key = &out->text, .key_bytes = sizeof(out->text)};
    out->count = count;
}

const berth__taint_list *berth__taints_intern(berth__model *model, const berth_taint *taints,
                                              uint32_t count)
{
    size_t bytes = taint_list_bytes(count);
    berth__taint_list *list =
        berth__alloc_zero(model->allocator, bytes, _Alignof(berth__taint_list));
    if (list == NULL)
        return NULL;
    bool ok = true;
    read_taints(model, taints, count, list, &ok);
    berth__keymap_entry *same =
        ok ? berth__keymap_find(&model->taint_lists, &list->text, sizeof(list->text)) : NULL;
    ok = ok && (same != NULL || model->free_taint_count > 0 || reserve_taints(model));
    if (!ok || same != NULL) {
        berth__free(model->allocator, list, bytes);
        return ok ? (const berth__taint_list *)same : NULL;
    }
    list->id = model->free_taint_count > 0 ? model->free_taints[--model->free_taint_count]
                                           : model->taint_list_count++;
    *berth__taints_place(model, list->id) = list;
    berth__keymap_add(&model->taint_lists, &list->entry);
    return list;
}

void berth__taints_forget(berth__model *model, berth__taint_list *list)
{
    BERTH_ASSERT(list->id != 0);
    berth__keymap_remove(&model->taint_lists, &list->entry);
    *berth__taints_place(model, list->id) = NULL;
    model->free_taints[model->free_taint_count++] = list->id;
    berth__free(model->allocator, list, taint_list_bytes(list->count));
}
