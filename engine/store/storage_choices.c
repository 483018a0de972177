/* Allocations that placements chose for claims of devices. Records, reservation lists and undo
 * records share these copies, and snapshots may still show a copy after its release. */
#include <string.h>

#include "base/assert.h"
#include "store/device_facts.h"

/* Includes the memory for the note of its release, so that releasing needs no memory. */
typedef struct noted_choice {
    berth__device_choice choice;
    berth__retired *note;
} noted_choice;

static noted_choice *choice_of(const berth__device_allocation *chosen)
{
    noted_choice *out;
    memcpy(&out, &chosen, sizeof(out)); /* the owner may drop the const */
    return out;
}

/* ---- copying ---- */

static const void *copy_array(berth__arena *arena, const void *items, uint32_t count,
                              size_t item_bytes, bool *ok)
{
    if (count == 0 || !*ok)
        return NULL;
    void *copy = berth__arena_alloc(arena, count * item_bytes, 16);
    *ok = copy != NULL;
    if (copy != NULL)
        memcpy(copy, items, count * item_bytes);
    return copy;
}

static const berth__interned_requirement *copy_requirements(berth__arena *arena,
                                                            const berth__interned_requirement *from,
                                                            uint32_t count, bool *ok)
{
    const void *copied = copy_array(arena, from, count, sizeof(*from), ok);
    berth__interned_requirement *items;
    memcpy(&items, &copied, sizeof(items)); /* the copy is our own */
    for (uint32_t i = 0; items != NULL && i < count; i++)
        items[i].values =
            copy_array(arena, items[i].values, items[i].value_count, sizeof(*items[i].values), ok);
    return items;
}

static berth__interned_node_selector copy_selector(berth__arena *arena,
                                                   berth__interned_node_selector from, bool *ok)
{
    const void *copied = copy_array(arena, from.terms, from.count, sizeof(*from.terms), ok);
    berth__node_term *terms;
    memcpy(&terms, &copied, sizeof(terms)); /* the copy is our own */
    for (uint32_t i = 0; terms != NULL && i < from.count; i++) {
        terms[i].expressions =
            copy_requirements(arena, terms[i].expressions, terms[i].expression_count, ok);
        terms[i].fields = copy_requirements(arena, terms[i].fields, terms[i].field_count, ok);
    }
    return (berth__interned_node_selector){terms, terms != NULL ? from.count : 0};
}

static void copy_result(berth__arena *arena, berth__device_result *result, bool *ok)
{
    result->consumed =
        copy_array(arena, result->consumed, result->consumed_count, sizeof(*result->consumed), ok);
    result->binding_conditions =
        copy_array(arena, result->binding_conditions, result->binding_condition_count,
                   sizeof(*result->binding_conditions), ok);
    result->binding_failures =
        copy_array(arena, result->binding_failures, result->binding_failure_count,
                   sizeof(*result->binding_failures), ok);
}

static void copy_allocation(berth__arena *arena, const berth__device_allocation *source,
                            berth__device_allocation *out, bool *ok)
{
    const void *copied =
        copy_array(arena, source->results, source->result_count, sizeof(*source->results), ok);
    berth__device_result *results;
    memcpy(&results, &copied, sizeof(results)); /* the copy is our own */
    *out = *source;
    out->results = results;
    for (uint32_t i = 0; results != NULL && i < source->result_count; i++)
        copy_result(arena, &results[i], ok);
    out->selector = copy_selector(arena, source->selector, ok);
    out->problem = berth__arena_str(arena, source->problem, ok);
}

/* ---- making and releasing ---- */

static void free_choice(const berth_allocator *allocator, noted_choice *own)
{
    berth__arena arena = own->choice.arena; /* the choice is part of it */
    if (own->note != NULL)
        berth__free(allocator, own->note, sizeof(*own->note));
    berth__arena_destroy(&arena);
}

static berth__release release_choice;
static void release_choice(const berth_allocator *allocator, void *context, void *object,
                           size_t bytes)
{
    (void)context;
    (void)bytes;
    free_choice(allocator, object);
}

/* The size of a copy without shared devices and conditions; others make the arena grow. */
static size_t common_bytes(const berth__device_allocation *source)
{
    enum { VALUES = 64 }; /* plus losses by alignment */
    size_t bytes = sizeof(noted_choice) + source->result_count * sizeof(*source->results) + VALUES;
    for (uint32_t i = 0; i < source->selector.count; i++)
        bytes += sizeof(*source->selector.terms) + (source->selector.terms[i].expression_count +
                                                    (size_t)source->selector.terms[i].field_count) *
                                                       sizeof(*source->selector.terms[i].fields);
    return bytes;
}

const berth__device_allocation *berth__device_choice_make(berth__storage *storage,
                                                          const berth__device_allocation *source)
{
    const berth_allocator *allocator = storage->model->allocator;
    bool shown = storage->cow != NULL && !storage->cow->branch, ok = true;
    berth__arena arena;
    berth__arena_init_sized(&arena, allocator, common_bytes(source));
    noted_choice *own = berth__arena_alloc_zero(&arena, sizeof(*own), 16);
    if (own != NULL) {
        copy_allocation(&arena, source, &own->choice.allocation, &ok);
        own->note =
            shown ? berth__alloc(allocator, sizeof(*own->note), _Alignof(berth__retired)) : NULL;
        own->choice.owner = storage;
        own->choice.born = shown ? storage->cow->stamp : 0;
        own->choice.uses = 1;
        own->choice.arena = arena;
        if (ok && (!shown || own->note != NULL))
            return &own->choice.allocation;
        free_choice(allocator, own);
        return NULL;
    }
    berth__arena_destroy(&arena);
    return NULL;
}

void berth__device_choice_use(const berth__storage *storage, const berth__device_allocation *chosen)
{
    noted_choice *own = choice_of(chosen);
    if (own != NULL && own->choice.owner == storage)
        own->choice.uses++;
}

void berth__device_choice_drop(berth__storage *storage, const berth__device_allocation *chosen)
{
    noted_choice *own = choice_of(chosen);
    berth__cow_owner *cow = storage->cow;
    if (own == NULL || own->choice.owner != storage)
        return;
    BERTH_ASSERT(own->choice.uses > 0);
    if (--own->choice.uses > 0)
        return;
    if (cow == NULL || cow->branch) { /* a branch's: no snapshot shows it */
        free_choice(storage->model->allocator, own);
        return;
    }
    if (cow->shared && own->choice.born != cow->stamp) { /* some snapshot may show it */
        berth__cow_owner_lend(cow, own->note);
        own->note = NULL;
    }
    berth__cow_owner_retire(cow, own->choice.born, release_choice, own, 0);
}
