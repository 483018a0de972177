/* Lists devices in the order of claims and requests; neighbours of one pool share its name. */
#include "explain/taken_devices.h"

#include <stdlib.h>

#include "cli/heap.h"
#include "cli/words.h"

static void add_written(taken_devices *d, const claim_book *book, const berth_metadata *claim)
{
    const berth_resource_claim *written = claim_book_written(book, claim);
    for (uint32_t i = 0; written != NULL && i < written->allocation->result_count; i++) {
        const berth_allocated_device *one = &written->allocation->results[i];
        d->items = heap_grow(d->items, &d->capacity, (size_t)d->count + 1, sizeof(*d->items));
        d->items[d->count++] = (berth_taken_device){.claim_name = written->meta.name,
                                                    .request = one->request,
                                                    .driver = one->driver,
                                                    .pool = one->pool,
                                                    .device = one->device,
                                                    .share_id = one->share_id,
                                                    .admin_access = one->admin_access};
    }
}

/* Add the devices of claims into which a placement was written; the engine's own are listed
 * already. */
static void add_shared(taken_devices *d, const berth_engine *engine, berth_pod_id pod,
                       const claim_book *book)
{
    berth_object *named = NULL;
    for (uint32_t i = 0;
         berth_engine_pod_claim_object(engine, pod, i, NULL, &named, NULL) == BERTH_OK; i++) {
        if (named->as.resource_claim->allocation == NULL)
            add_written(d, book, &named->as.resource_claim->meta);
        berth_object_destroy(named);
    }
}

void taken_devices_make(taken_devices *d, const berth_engine *engine, berth_pod_id pod,
                        const claim_book *book)
{
    uint32_t count = berth_engine_pod_devices(engine, pod, NULL, 0);
    *d = (taken_devices){.count = count};
    if (count > 0) {
        d->items = heap_grow(NULL, &d->capacity, count, sizeof(*d->items));
        (void)berth_engine_pod_devices(engine, pod, d->items, count);
    }
    if (book != NULL && book->claim_count > 0)
        add_shared(d, engine, pod, book);
}

void taken_devices_free(taken_devices *d)
{
    free(d->items);
    *d = (taken_devices){0};
}

static bool same_pool(const berth_taken_device *a, const berth_taken_device *b)
{
    return words_equal(a->driver, b->driver) && words_equal(a->pool, b->pool);
}

void taken_devices_tell(const taken_devices *d, berth_str node, text_buffer *out)
{
    for (uint32_t i = 0; i < d->count; i++) {
        const berth_taken_device *one = &d->items[i];
        text_add(out, "%s%.*s",
                 i == 0                             ? ""
                 : same_pool(one, &d->items[i - 1]) ? ", "
                                                    : "; ",
                 (int)one->device.len, one->device.data);
        if (i + 1 < d->count && same_pool(one, &d->items[i + 1]))
            continue;
        text_add(out, " of %.*s", (int)one->driver.len, one->driver.data);
        if (!words_equal(one->pool, node))
            text_add(out, "/%.*s", (int)one->pool.len, one->pool.data);
    }
}

void taken_devices_write(const taken_devices *d, output *o)
{
    if (d->count == 0)
        return;
    output_key(o, "devices");
    output_array(o);
    for (uint32_t i = 0; i < d->count; i++) {
        const berth_taken_device *one = &d->items[i];
        output_object(o);
        output_pair_str(o, "claim", one->claim_name);
        output_pair_str(o, "request", one->request);
        output_pair_str(o, "driver", one->driver);
        output_pair_str(o, "pool", one->pool);
        output_pair_str(o, "device", one->device);
        if (one->share_id.data != NULL) {
            output_key(o, "shared");
            output_bool(o, true);
        }
        if (one->admin_access) {
            output_key(o, "adminAccess");
            output_bool(o, true);
        }
        output_object_end(o);
    }
    output_array_end(o);
}
