/* Copy-on-write owner: its stamps, and its notes of the blocks that it made and retired. */
#include "base/cow_owner.h"

#include "base/assert.h"

void berth__cow_owner_init(berth__cow_owner *cow, const berth_allocator *allocator, void *context)
{
    *cow = (berth__cow_owner){.allocator = allocator, .context = context, .stamp = 1};
}

static void free_notes(berth__cow_owner *cow, berth__retired *list, bool release)
{
    for (berth__retired *one = list, *next; one != NULL; one = next) {
        next = one->next;
        if (release)
            one->release(cow->allocator, cow->context, one->object, one->bytes);
        berth__free(cow->allocator, one, sizeof(*one));
    }
}

void berth__cow_owner_destroy(berth__cow_owner *cow)
{
    if (cow->allocator == NULL)
        return;
    free_notes(cow, cow->retired, true);
    free_notes(cow, cow->spares, false);
    *cow = (berth__cow_owner){0};
}

bool berth__cow_owner_reserve_slow(berth__cow_owner *cow, uint32_t count)
{
    while (cow->spare_count < cow->held + count) {
        berth__retired *spare =
            berth__alloc(cow->allocator, sizeof(*spare), _Alignof(berth__retired));
        if (spare == NULL)
            return false;
        spare->next = cow->spares;
        cow->spares = spare;
        cow->spare_count++;
    }
    return true;
}

bool berth__cow_owner_hold(berth__cow_owner *cow, uint32_t count)
{
    if (!cow->shared)
        return true;
    if (!berth__cow_owner_reserve(cow, count))
        return false;
    cow->held += count;
    return true;
}

void berth__cow_owner_unhold(berth__cow_owner *cow, uint32_t count)
{
    if (!cow->shared)
        return;
    BERTH_ASSERT(cow->held >= count);
    cow->held -= count;
}

void berth__cow_owner_lend(berth__cow_owner *cow, berth__retired *note)
{
    note->next = cow->spares;
    cow->spares = note;
    cow->spare_count++;
}

static void note(berth__cow_owner *cow, uint64_t born, berth__release *release, void *object,
                 size_t bytes)
{
    berth__retired *one = cow->spares;
    BERTH_ASSERT(one != NULL);
    cow->spares = one->next;
    cow->spare_count--;
    *one = (berth__retired){cow->retired, born, release, object, bytes, NULL};
    cow->retired = one;
}

void berth__cow_owner_note_made(berth__cow_owner *cow, berth__release *release, void *object,
                                size_t bytes)
{
    if (cow->branch)
        note(cow, cow->stamp, release, object, bytes);
}

void berth__cow_owner_retire(berth__cow_owner *cow, uint64_t born, berth__release *release,
                             void *object, size_t bytes)
{
    if (object == NULL || cow->branch)
        return;
    if (!cow->shared || born == cow->stamp)
        release(cow->allocator, cow->context, object, bytes);
    else
        note(cow, born, release, object, bytes);
}

berth__retired *berth__cow_owner_publish(berth__cow_owner *cow, uint64_t next_stamp)
{
    berth__retired *retired = cow->retired;
    cow->retired = NULL;
    cow->stamp = next_stamp;
    cow->shared = true;
    return retired;
}

void berth__release_block(const berth_allocator *allocator, void *context, void *object,
                          size_t bytes)
{
    (void)context;
    berth__free(allocator, object, bytes);
}
