/* Images counted by name, and the past of their counts: recording, undoing, shortening. */
#include "model/images.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"

enum { PAGE_SHIFT = 8, REWRITE_MIN = 1024 };

void berth__images_init(berth__images *images, berth__cow_owner *cow)
{
    *images = (berth__images){.cow = cow, .rewrite_at = REWRITE_MIN};
    berth__cow_array_init(&images->table, sizeof(berth__image_record), PAGE_SHIFT);
    berth__cow_array_init(&images->past, sizeof(berth__image_past), PAGE_SHIFT);
}

void berth__images_retire(berth__images *images)
{
    berth__cow_array_retire(&images->table, images->cow);
    berth__cow_array_retire(&images->past, images->cow);
}

static berth__image_record *record_of(const berth__images *images, berth__sym name)
{
    return berth__cow_array_find(&images->table, name);
}

const berth__image_record *berth__image_find(const berth__images *images, berth__sym name)
{
    const berth__image_record *image = record_of(images, name);
    return image != NULL && image->node_count > 0 ? image : NULL;
}

static berth__image_past *past_at(const berth__images *images, uint32_t place)
{
    return berth__cow_array_item(&images->past, place, sizeof(berth__image_past), PAGE_SHIFT);
}

const berth__image_past *berth__image_before(const berth__images *images, uint32_t past)
{
    return past != 0 ? past_at(images, past - 1) : NULL;
}

/* ---- counting ---- */

static bool make_records_writable(berth__images *images, const berth__node_facts *facts)
{
    for (uint32_t i = 0; facts != NULL && i < facts->image_count; i++)
        if (!berth__cow_array_add(&images->table, images->cow, berth__node_images(facts)[i].name))
            return false;
    return true;
}

/* Make the next `more` unused places of the past writable. */
static bool make_past_writable(berth__images *images, uint32_t more)
{
    const uint32_t end = images->past_count + more;
    for (uint32_t i = images->past_count; i < end; i = ((i >> PAGE_SHIFT) + 1) << PAGE_SHIFT)
        if (!berth__cow_array_add(&images->past, images->cow, i))
            return false;
    return true;
}

bool berth__images_make_writable(berth__images *images, const berth__node_facts *old,
                                 const berth__node_facts *fresh)
{
    const uint32_t most = (old != NULL ? old->image_count : 0) + //
                          (fresh != NULL ? fresh->image_count : 0);
    return make_records_writable(images, old) && make_records_writable(images, fresh) &&
           make_past_writable(images, most);
}

/* Move the image's current count to its past, unless that count began in this same cycle: then no
 * node was copied in between. */
static void begin_anew(berth__images *images, berth__image_record *image)
{
    if (image->cycle == images->cycle)
        return;
    *past_at(images, images->past_count) = (berth__image_past){
        .cycle = image->cycle, .node_count = image->node_count, .past = image->past};
    image->past = ++images->past_count;
    image->cycle = images->counted = images->cycle;
}

/* If the image has its former number of nodes again, drop the change from the past. */
static void join_past(const berth__images *images, berth__image_record *image)
{
    const berth__image_past *before = berth__image_before(images, image->past);
    if (before == NULL || before->node_count != image->node_count)
        return;
    image->cycle = before->cycle;
    image->past = before->past;
}

static void add_node(berth__images *images, const berth__node_image *of_node)
{
    berth__image_record *image = record_of(images, of_node->name);
    BERTH_ASSERT(image != NULL);
    if (image->node_count == 0) { /* no other node needs the past */
        *image = (berth__image_record){
            .size_bytes = of_node->size_bytes, .cycle = images->cycle, .node_count = 1};
        return;
    }
    begin_anew(images, image);
    image->node_count++;
    join_past(images, image);
}

static void remove_node(berth__images *images, const berth__node_image *of_node)
{
    berth__image_record *image = record_of(images, of_node->name);
    BERTH_ASSERT(image != NULL && image->node_count > 0);
    begin_anew(images, image);
    image->node_count--;
    join_past(images, image);
}

static void keep_node(berth__images *images, const berth__node_image *of_node)
{
    berth__image_record *image = record_of(images, of_node->name);
    BERTH_ASSERT(image != NULL && image->node_count > 0);
    if (image->node_count == 1)
        *image = (berth__image_record){
            .size_bytes = of_node->size_bytes, .cycle = images->cycle, .node_count = 1};
}

void berth__images_replace(berth__images *images, const berth__node_facts *old,
                           const berth__node_facts *fresh)
{
    const berth__node_image *before = old != NULL ? berth__node_images(old) : NULL;
    const berth__node_image *after = fresh != NULL ? berth__node_images(fresh) : NULL;
    const uint32_t before_count = old != NULL ? old->image_count : 0;
    const uint32_t after_count = fresh != NULL ? fresh->image_count : 0;
    uint32_t b = 0, a = 0; /* both lists are sorted by name */
    while (b < before_count || a < after_count) {
        if (a == after_count || (b < before_count && before[b].name < after[a].name)) {
            remove_node(images, &before[b++]);
        } else if (b == before_count || after[a].name < before[b].name) {
            add_node(images, &after[a++]);
        } else {
            keep_node(images, &after[a++]);
            b++;
        }
    }
}

static bool is_resized(const berth__images *images, const berth__node_image *of_node)
{
    const berth__image_record *image = berth__image_find(images, of_node->name);
    return image == NULL || (image->node_count == 1 && image->size_bytes != of_node->size_bytes);
}

uint64_t berth__images_changed(const berth__images *images, const berth__node_facts *old,
                               const berth__node_facts *fresh)
{
    const berth__node_image *before = berth__node_images(old), *after = berth__node_images(fresh);
    uint64_t bits = 0;
    uint32_t b = 0, a = 0; /* both lists are sorted by name */
    while (b < old->image_count || a < fresh->image_count) {
        if (a == fresh->image_count || (b < old->image_count && before[b].name < after[a].name)) {
            bits |= berth__image_bit(before[b++].name);
        } else if (b == old->image_count || after[a].name < before[b].name) {
            bits |= berth__image_bit(after[a++].name);
        } else {
            if (is_resized(images, &after[a]))
                bits |= berth__image_bit(after[a].name);
            a++;
            b++;
        }
    }
    return bits;
}

void berth__images_save(const berth__images *images, const berth__node_facts *facts,
                        berth__image_record *out)
{
    for (uint32_t i = 0; facts != NULL && i < facts->image_count; i++)
        out[i] = *record_of(images, berth__node_images(facts)[i].name);
}

void berth__images_restore(berth__images *images, const berth__node_facts *facts,
                           const berth__image_record *from)
{
    for (uint32_t i = 0; facts != NULL && i < facts->image_count; i++)
        *record_of(images, berth__node_images(facts)[i].name) = from[i];
}

/* ---- shortening the past ---- */

/* The tables of a rewrite. */
typedef struct rewrite {
    berth__images *images;
    berth__image_past *old;
    uint64_t *needed; /* a bit for each place: a node sees it */
    uint64_t *listed; /* a bit for each place: its image is in `names` */
    berth__sym *names;
    uint32_t name_count;
} rewrite;

/* Mark the place of an image's past that a node of that cycle sees. False: the image's record can't
 * be made writable. */
static bool look_back(rewrite *own, berth__sym name, uint64_t cycle)
{
    berth__images *images = own->images;
    const berth__image_record *image = record_of(images, name);
    if (image->past == 0)
        return true;
    if (!berth__bit_get(own->listed, image->past - 1)) {
        if (!berth__cow_array_make_writable(&images->table, images->cow, name))
            return false;
        berth__bit_set(own->listed, image->past - 1);
        own->names[own->name_count++] = name;
    }
    if (image->cycle <= cycle)
        return true;
    uint32_t place = image->past - 1;
    while (own->old[place].cycle > cycle && own->old[place].past != 0)
        place = own->old[place].past - 1;
    berth__bit_set(own->needed, place);
    return true;
}

static bool look_back_from(rewrite *own, const berth__node_record *node)
{
    for (uint32_t i = 0; node->facts != NULL && i < node->facts->image_count; i++)
        if (!look_back(own, berth__node_images(node->facts)[i].name, node->refreshed))
            return false;
    return true;
}

/* Write the needed part of one image's past again, newest first. If removal makes two equal counts
 * neighbours, the older one replaces both. */
static void write_again(const rewrite *own, berth__image_record *image)
{
    berth__images *images = own->images;
    uint32_t place = image->past, *link = &image->past;
    uint64_t *newest_cycle = &image->cycle;
    uint32_t newest_count = image->node_count;
    while (place != 0) {
        const berth__image_past *old = &own->old[place - 1];
        if (berth__bit_get(own->needed, place - 1) && old->node_count == newest_count) {
            *newest_cycle = old->cycle;
        } else if (berth__bit_get(own->needed, place - 1)) {
            berth__image_past *fresh = past_at(images, images->past_count++);
            *fresh = *old;
            *link = images->past_count;
            link = &fresh->past;
            newest_cycle = &fresh->cycle;
            newest_count = fresh->node_count;
        }
        place = old->past;
    }
    *link = 0;
}

static size_t bitmap_bytes(uint32_t bits)
{
    return ((size_t)bits + 63) / 64 * sizeof(uint64_t);
}

static bool begin_rewrite(rewrite *own, const berth__cow_array *nodes, uint32_t count)
{
    berth__images *images = own->images;
    for (uint32_t i = 0; i < images->past_count; i++)
        own->old[i] = *past_at(images, i);
    for (uint32_t i = 0; i < images->past_count; i += 1u << PAGE_SHIFT)
        if (!berth__cow_array_make_writable(&images->past, images->cow, i))
            return false;
    for (uint32_t id = 0; id < count; id++)
        if (!look_back_from(own, berth__node_at(nodes, id)))
            return false;
    return true;
}

/* Rewrite, with the tables in one allocated block. */
static void rewrite_in(berth__images *images, const berth__cow_array *nodes, uint32_t count,
                       char *block)
{
    const size_t bits = bitmap_bytes(images->past_count);
    rewrite own = {.images = images, .old = (berth__image_past *)(void *)block};
    block += images->past_count * sizeof(*own.old);
    own.needed = (uint64_t *)(void *)block;
    own.listed = (uint64_t *)(void *)(block + bits);
    own.names = (berth__sym *)(void *)(block + 2 * bits);
    if (!begin_rewrite(&own, nodes, count))
        return;
    images->past_count = 0;
    for (uint32_t i = 0; i < own.name_count; i++)
        write_again(&own, record_of(images, own.names[i]));
}

void berth__images_rewrite(berth__images *images, const berth__cow_array *nodes, uint32_t count)
{
    const berth_allocator *allocator = images->cow->allocator;
    const size_t bytes = images->past_count * (sizeof(berth__image_past) + sizeof(berth__sym)) +
                         2 * bitmap_bytes(images->past_count);
    char *block = berth__alloc_zero(allocator, bytes, 8);
    if (block != NULL)
        rewrite_in(images, nodes, count, block);
    images->rewrite_at = 2 * images->past_count;
    if (images->rewrite_at < count)
        images->rewrite_at = count;
    if (images->rewrite_at < REWRITE_MIN)
        images->rewrite_at = REWRITE_MIN;
    berth__free(allocator, block, bytes);
}
