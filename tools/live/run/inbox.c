/* A list under a lock: parsing and applying a change costs a hundred times as much as the lock. */
#include "live/run/inbox.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/heap.h"
#include "live/transport/event_loop.h"

void inbox_init(inbox *box)
{
    pthread_condattr_t attributes;
    *box = (inbox){.number = 0};
    box->last = &box->first;
    pthread_mutex_init(&box->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&box->changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

void inbox_destroy(inbox *box)
{
    while (box->first != NULL) {
        message *m = box->first;
        box->first = m->next;
        message_free(m);
    }
    pthread_cond_destroy(&box->changed);
    pthread_mutex_destroy(&box->lock);
}

/* Signalled without the lock, so that the taker need not wait for it once more. */
static void signal_if(inbox *box, bool waiting)
{
    if (waiting)
        pthread_cond_signal(&box->changed);
}

static uint64_t put(inbox *box, message *m, bool at_once)
{
    pthread_mutex_lock(&box->lock);
    uint64_t number = m->number = ++box->number;
    *box->last = m;
    box->last = &m->next;
    box->count++;
    const bool signals = box->waiting && (at_once || !box->gathers);
    pthread_mutex_unlock(&box->lock);
    signal_if(box, signals);
    return number;
}

uint64_t inbox_put_change(inbox *box, message_kind kind, berth_kind object_kind,
                          berth_str namespace_name, berth_str name, const berth_object *object)
{
    size_t room = object == NULL ? namespace_name.len + name.len : 0;
    message *m = heap_new(1, sizeof(*m) + room);
    m->kind = kind;
    m->object_kind = object_kind;
    if (object != NULL) {
        m->object = heap_object(object);
    } else {
        if (namespace_name.len > 0)
            memcpy(m->texts, namespace_name.data, namespace_name.len);
        memcpy(m->texts + namespace_name.len, name.data, name.len);
        m->namespace_name = (berth_str){m->texts, namespace_name.len};
        m->name = (berth_str){m->texts + namespace_name.len, name.len};
    }
    return put(box, m, false);
}

uint64_t inbox_put_update(inbox *box, const berth_object *object, uint64_t born)
{
    message *m = heap_new(1, sizeof(*m));
    m->kind = MESSAGE_UPDATE;
    m->object_kind = object->kind;
    m->born = born;
    m->object = heap_object(object);
    return put(box, m, false);
}

uint64_t inbox_put(inbox *box, message_kind kind)
{
    message *m = heap_new(1, sizeof(*m));
    m->kind = kind;
    return put(box, m, true);
}

size_t inbox_backlog(inbox *box)
{
    pthread_mutex_lock(&box->lock);
    size_t backlog = box->count + box->behind;
    pthread_mutex_unlock(&box->lock);
    return backlog;
}

void inbox_wake(inbox *box)
{
    pthread_mutex_lock(&box->lock);
    box->woken = true;
    const bool signals = box->waiting && !box->gathers;
    pthread_mutex_unlock(&box->lock);
    signal_if(box, signals);
}

void inbox_gather(inbox *box)
{
    pthread_mutex_lock(&box->lock);
    box->gathers = true;
    pthread_mutex_unlock(&box->lock);
}

void inbox_flush(inbox *box)
{
    pthread_mutex_lock(&box->lock);
    const bool signals = box->waiting && (box->first != NULL || box->woken);
    pthread_mutex_unlock(&box->lock);
    signal_if(box, signals);
}

/* A condition variable cannot wait on CLOCK_BOOTTIME, so the time is converted to
 * CLOCK_MONOTONIC. */
static struct timespec monotonic_time(int64_t until_ns)
{
    struct timespec at;
    int64_t wait_ns = until_ns - event_loop_now();
    if (wait_ns < 0)
        wait_ns = 0;
    if (wait_ns > INT64_C(1000000000)) /* at most 1 s, in case of a suspend */
        wait_ns = INT64_C(1000000000);
    clock_gettime(CLOCK_MONOTONIC, &at);
    int64_t ns = at.tv_nsec + wait_ns;
    at.tv_sec += (time_t)(ns / 1000000000);
    at.tv_nsec = (long)(ns % 1000000000);
    return at;
}

message *inbox_take(inbox *box, int64_t until_ns)
{
    pthread_mutex_lock(&box->lock);
    box->behind = 0;
    if (box->first == NULL && !box->woken && event_loop_now() < until_ns) {
        struct timespec at = monotonic_time(until_ns);
        box->waiting = true;
        (void)pthread_cond_timedwait(&box->changed, &box->lock, &at);
        box->waiting = false;
    }
    message *all = box->first;
    box->behind = box->count;
    box->first = NULL;
    box->last = &box->first;
    box->count = 0;
    box->woken = false;
    pthread_mutex_unlock(&box->lock);
    return all;
}

void message_free(message *m)
{
    berth_object_destroy(m->object);
    free(m);
}
