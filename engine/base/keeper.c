/* Stamps and notes of blocks. */
#include "base/keeper.h"

#include "base/assert.h"

void berth__keeper_init(berth__keeper *keeper, const berth_allocator *allocator, void *context)
{
    *keeper = (berth__keeper){.allocator = allocator, .context = context, .stamp = 1};
}

static void free_notes(berth__keeper *keeper, berth__retired *list, bool release)
{
    for (berth__retired *one = list, *next; one != NULL; one = next) {
        next = one->next;
        if (release)
            one->release(keeper->allocator, keeper->context, one->object, one->bytes);
        berth__free(keeper->allocator, one, sizeof(*one));
    }
}

void berth__keeper_destroy(berth__keeper *keeper)
{
    if (keeper->allocator == NULL)
        return;
    free_notes(keeper, keeper->retired, true);
    free_notes(keeper, keeper->spares, false);
    *keeper = (berth__keeper){0};
}

bool berth__keeper_reserve_slow(berth__keeper *keeper, uint32_t count)
{
    while (keeper->spare_count < keeper->held + count) {
        berth__retired *spare =
            berth__alloc(keeper->allocator, sizeof(*spare), _Alignof(berth__retired));
        if (spare == NULL)
            return false;
        spare->next = keeper->spares;
        keeper->spares = spare;
        keeper->spare_count++;
    }
    return true;
}

bool berth__keeper_hold(berth__keeper *keeper, uint32_t count)
{
    if (!keeper->shared)
        return true;
    if (!berth__keeper_reserve(keeper, count))
        return false;
    keeper->held += count;
    return true;
}

void berth__keeper_unhold(berth__keeper *keeper, uint32_t count)
{
    if (!keeper->shared)
        return;
    BERTH_ASSERT(keeper->held >= count);
    keeper->held -= count;
}

static void note(berth__keeper *keeper, uint64_t born,
                 berth__release *release, void *object,
                        size_t bytes)
{
    berth__retired *one = keeper->spares;
    BERTH_ASSERT(one != NULL);
    keeper->spares = one->next;
    keeper->spare_count--;
    *one = (berth__retired){keeper->retired, born, release, object, bytes};
    keeper->retired = one;
}

void berth__keeper_made(berth__keeper *keeper,
                        berth__release *release, void *object,
                        size_t bytes)
{
    if (keeper->branch)
        note(keeper, keeper->stamp, release, object, bytes);
}

void berth__keeper_let_go(berth__keeper *keeper, uint64_t born,
                          berth__release *release, void *object,
                        size_t bytes)
{
    if (object == NULL || keeper->branch)
        return;
    if (!keeper->shared || born == keeper->stamp)
        release(keeper->allocator, keeper->context, object, bytes);
    else
        note(keeper, born, release, object, bytes);
}

berth__retired *berth__keeper_publish(berth__keeper *keeper, uint64_t next_stamp)
{
    berth__retired *retired = keeper->retired;
    keeper->retired = NULL;
    keeper->stamp = next_stamp;
    keeper->shared = true;
    return retired;
}

void berth__release_block(const berth_allocator *allocator, void *context, void *object,
                          size_t bytes)
{
    (void)context;
    berth__free(allocator, object, bytes);
}
