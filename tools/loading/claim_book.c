/* Keeps the objects of claims that have devices, and of claims that no single pod owns. For all
 * others the engine knows enough. */
#include "loading/claim_book.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/object_names.h"

static booked_claim *place_of(claim_book *book, berth_str namespace_name, berth_str name)
{
    uint32_t number = object_names_add(&book->names, (berth_str){0}, namespace_name, name);
    size_t before = book->capacity;
    book->items = heap_grow(book->items, &book->capacity, (size_t)number + 1, sizeof(*book->items));
    if (book->capacity > before)
        memset(book->items + before, 0, (book->capacity - before) * sizeof(*book->items));
    return &book->items[number];
}

static booked_claim *find(const claim_book *book, const berth_metadata *claim)
{
    uint32_t number = 0;
    const bool found = object_names_find(&book->names, (berth_str){0}, claim->namespace_name,
                                         claim->name, &number);
    return found ? &book->items[number] : NULL;
}

static bool is_of_one_pod(const berth_metadata *meta)
{
    for (uint32_t i = 0; i < meta->owner_count; i++)
        if (meta->owners[i].controller && words_equal(meta->owners[i].kind, words_of("Pod")))
            return true;
    return false;
}

void claim_book_see(claim_book *book, const berth_object *object)
{
    const berth_metadata *meta = object->as.any;
    if (object->kind == BERTH_KIND_POD) {
        const berth_pod *pod = object->as.pod;
        for (uint32_t i = 0; i < pod->resource_claim_count; i++)
            if (pod->resource_claims[i].claim.len > 0)
                place_of(book, meta->namespace_name, pod->resource_claims[i].claim)->users++;
        return;
    }
    if (object->kind != BERTH_KIND_RESOURCE_CLAIM)
        return;
    book->claim_count++;
    if (!book->keep_all && object->as.resource_claim->allocation == NULL && is_of_one_pod(meta))
        return;
    booked_claim *claim = place_of(book, meta->namespace_name, meta->name);
    berth_object_destroy(claim->object);
    claim->object = heap_object(object);
}

/* ---- current state ---- */

static const berth_resource_claim *current(const booked_claim *booked)
{
    return (booked->now != NULL ? booked->now : booked->object)->as.resource_claim;
}

/* Change a claim in the engine and here. */
static berth_status change(claim_book *book, booked_claim *booked, berth_engine *engine,
                           const berth_resource_claim *claim, berth_error *error)
{
    const berth_object object = {.kind = BERTH_KIND_RESOURCE_CLAIM, .as.resource_claim = claim};
    berth_object *now = heap_object(&object);
    if (booked->now == NULL) {
        book->changed = heap_grow(book->changed, &book->changed_capacity, book->changed_count + 1,
                                  sizeof(*book->changed));
        book->changed[book->changed_count++] = (uint32_t)(booked - book->items);
    }
    berth_object_destroy(booked->now);
    booked->now = now;
    return berth_engine_update(engine, now, error);
}

void claim_book_restore(claim_book *book)
{
    for (size_t i = 0; i < book->changed_count; i++) {
        booked_claim *booked = &book->items[book->changed[i]];
        berth_object_destroy(booked->now);
        booked->now = NULL;
    }
    book->changed_count = 0;
}

/* ---- placements ---- */

/* Write the claim with its devices, reserved for the pod. */
static berth_status write_claim(claim_book *book, booked_claim *booked, berth_engine *engine,
                                berth_pod_id pod, const berth_claim_allocation *allocation,
                                berth_error *error)
{
    berth_resource_claim claim = *current(booked);
    berth_str in = {0}, name = {0};
    uint32_t count = claim.reserved_for_count;
    berth_claim_consumer *consumers = heap_new((size_t)count + 1, sizeof(*consumers));
    berth_engine_pod_name(engine, pod, &in, &name);
    if (count > 0)
        memcpy(consumers, claim.reserved_for, count * sizeof(*consumers));
    consumers[count] = (berth_claim_consumer){.resource = words_of("pods"), .name = name};
    claim.reserved_for = consumers;
    claim.reserved_for_count = count + 1;
    claim.allocation = allocation;
    berth_status status = change(book, booked, engine, &claim, error);
    free(consumers);
    return status;
}

berth_status claim_book_placed(claim_book *book, berth_engine *engine, berth_pod_id pod,
                               berth_error *error)
{
    berth_object *given = NULL;
    berth_status status = BERTH_OK;
    if (book->claim_count == 0 || berth_engine_pod_devices(engine, pod, NULL, 0) == 0)
        return BERTH_OK;
    for (uint32_t i = 0; status == BERTH_OK; i++) {
        if (berth_engine_pod_claim_object(engine, pod, i, NULL, &given, NULL) != BERTH_OK)
            break;
        const berth_resource_claim *claim = given->as.resource_claim;
        booked_claim *booked = find(book, &claim->meta);
        if (claim->allocation != NULL && booked != NULL && booked->object != NULL &&
            booked->users > 1)
            status = write_claim(book, booked, engine, pod, claim->allocation, error);
        berth_object_destroy(given);
    }
    return status;
}

const berth_resource_claim *claim_book_written(const claim_book *book, const berth_metadata *claim)
{
    const booked_claim *booked = find(book, claim);
    return booked != NULL && booked->now != NULL && current(booked)->allocation != NULL
               ? current(booked)
               : NULL;
}

/* ---- releases ---- */

/* Whether the claim is reserved for a pod on a node, or for something that is not a pod. */
static bool is_in_use(const berth_resource_claim *claim, const berth_engine *engine)
{
    for (uint32_t i = 0; i < claim->reserved_for_count; i++) {
        const berth_claim_consumer *consumer = &claim->reserved_for[i];
        berth_pod_id pod =
            berth_engine_find_pod(engine, claim->meta.namespace_name, consumer->name);
        if (!words_equal(consumer->resource, words_of("pods")) ||
            (pod != BERTH_POD_NONE && berth_engine_pod_node(engine, pod) != BERTH_NODE_NONE))
            return true;
    }
    return false;
}

static berth_status give_back(claim_book *book, booked_claim *booked, berth_engine *engine,
                              berth_error *error)
{
    berth_resource_claim claim = *current(booked);
    if (claim.allocation == NULL || is_in_use(&claim, engine))
        return BERTH_OK;
    claim.allocation = NULL;
    claim.reserved_for = NULL;
    claim.devices = NULL;
    claim.reserved_for_count = claim.device_count = 0;
    return change(book, booked, engine, &claim, error);
}

berth_status claim_book_left(claim_book *book, berth_engine *engine, berth_pod_id pod,
                             berth_error *error)
{
    berth_object *named = NULL;
    berth_status status = BERTH_OK;
    for (uint32_t i = 0; book->claim_count > 0 && status == BERTH_OK; i++) {
        if (berth_engine_pod_claim_object(engine, pod, i, NULL, &named, NULL) != BERTH_OK)
            break;
        booked_claim *booked = find(book, &named->as.resource_claim->meta);
        if (booked != NULL && booked->object != NULL)
            status = give_back(book, booked, engine, error);
        berth_object_destroy(named);
    }
    return status;
}

const berth_object *claim_book_idle(const claim_book *book, const berth_engine *engine,
                                    const berth_metadata *claim, bool chosen, bool *owned)
{
    const booked_claim *booked = find(book, claim);
    if (booked == NULL || booked->object == NULL ||
        (!chosen && (current(booked)->allocation == NULL || is_in_use(current(booked), engine))))
        return NULL;
    *owned = is_of_one_pod(&current(booked)->meta);
    return booked->object;
}

void claim_book_drop(claim_book *book, const berth_metadata *claim)
{
    booked_claim *booked = find(book, claim);
    if (booked == NULL)
        return;
    berth_object_destroy(booked->object);
    booked->object = NULL;
}

void claim_book_free(claim_book *book)
{
    claim_book_restore(book);
    for (uint32_t i = 0; i < book->names.count; i++)
        berth_object_destroy(book->items[i].object);
    free(book->items);
    free(book->changed);
    word_table_free(&book->names);
    *book = (claim_book){.items = NULL};
}
