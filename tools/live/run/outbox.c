/* A list under a lock. The deciding thread bounds it: it stops deciding while there are many
 * orders. */
#include "live/run/outbox.h"

#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"

void outbox_init(outbox *box)
{
    *box = (outbox){.count = 0};
    box->last = &box->first;
    pthread_mutex_init(&box->lock, NULL);
}

void outbox_destroy(outbox *box)
{
    for (order *o; (o = outbox_take(box)) != NULL;)
        free(o);
    pthread_mutex_destroy(&box->lock);
}

static berth_str copy(char **at, berth_str text)
{
    berth_str own = {*at, text.len};
    if (text.len == 0)
        return (berth_str){0};
    memcpy(*at, text.data, text.len);
    *at += text.len;
    return own;
}

static size_t room_of(const order_texts *texts)
{
    size_t room = (size_t)texts->namespace_name.len + texts->name.len + texts->node.len +
                  texts->message.len + texts->preemptor_namespace.len + texts->preemptor_name.len +
                  texts->scheduler.len + texts->claim_count * sizeof(berth_claim_choice);
    for (uint32_t i = 0; i < texts->claim_count; i++)
        room += (size_t)texts->claims[i].claim_namespace.len + texts->claims[i].claim_name.len +
                texts->claims[i].volume.len;
    room += texts->device_count * sizeof(order_devices);
    for (uint32_t i = 0; i < texts->device_count; i++)
        room += (size_t)texts->devices[i].claim_namespace.len + texts->devices[i].claim_name.len +
                texts->devices[i].allocation.len + texts->devices[i].requests.len +
                texts->devices[i].mappings.len;
    return room;
}

static void copy_claims(order *o, char **at, const order_texts *texts)
{
    o->claims = o->room;
    o->claim_count = texts->claim_count;
    for (uint32_t i = 0; i < texts->claim_count; i++)
        o->room[i] =
            (berth_claim_choice){.claim_namespace = copy(at, texts->claims[i].claim_namespace),
                                 .claim_name = copy(at, texts->claims[i].claim_name),
                                 .volume = copy(at, texts->claims[i].volume)};
}

static void copy_devices(order *o, order_devices *to, char **at, const order_texts *texts)
{
    o->devices = to;
    o->device_count = texts->device_count;
    for (uint32_t i = 0; i < texts->device_count; i++)
        to[i] = (order_devices){.claim_namespace = copy(at, texts->devices[i].claim_namespace),
                                .claim_name = copy(at, texts->devices[i].claim_name),
                                .allocation = copy(at, texts->devices[i].allocation),
                                .requests = copy(at, texts->devices[i].requests),
                                .mappings = copy(at, texts->devices[i].mappings)};
}

void outbox_put(outbox *box, const order *plain, const order_texts *texts)
{
    order *o = heap_new(1, sizeof(*o) + room_of(texts));
    order_devices *devices = (order_devices *)&o->room[texts->claim_count];
    char *at = (char *)&devices[texts->device_count];
    memcpy(o, plain, sizeof(*o));
    o->next = NULL;
    copy_claims(o, &at, texts);
    copy_devices(o, devices, &at, texts);
    o->namespace_name = copy(&at, texts->namespace_name);
    o->name = copy(&at, texts->name);
    o->node = copy(&at, texts->node);
    o->message = copy(&at, texts->message);
    o->preemptor_namespace = copy(&at, texts->preemptor_namespace);
    o->preemptor_name = copy(&at, texts->preemptor_name);
    o->scheduler = copy(&at, texts->scheduler);
    pthread_mutex_lock(&box->lock);
    *box->last = o;
    box->last = &o->next;
    box->count++;
    pthread_mutex_unlock(&box->lock);
}

order *outbox_take(outbox *box)
{
    pthread_mutex_lock(&box->lock);
    order *o = box->first;
    if (o != NULL) {
        box->first = o->next;
        if (box->first == NULL)
            box->last = &box->first;
        box->count--;
    }
    pthread_mutex_unlock(&box->lock);
    return o;
}

size_t outbox_count(outbox *box)
{
    pthread_mutex_lock(&box->lock);
    size_t count = box->count;
    pthread_mutex_unlock(&box->lock);
    return count;
}
