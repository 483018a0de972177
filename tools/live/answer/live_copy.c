#include "live/answer/live_copy.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/heap.h"
#include "live/log/log.h"

static const int64_t publish_every_ns = 5000000;

struct live_copy {
    const live_transport *transport;
    berth_engine *engine;
    watcher *watcher;
    void (*synced)(void *context);
    void *context;
    live_id timer; /* of the next publication; 0: nothing has changed */
    uint64_t changes;
    /* The engine is published before this is set (release), and pinned after it is read
     * (acquire). */
    _Atomic bool is_synced;
    _Atomic uint64_t version; /* relaxed: it stands for itself */
};

/* ---- publications ---- */

static void publish(void *context)
{
    live_copy *c = context;
    berth_error error = {.code = BERTH_OK};
    c->timer = 0;
    if (berth_engine_publish(c->engine, &error) != BERTH_OK)
        LOG_ERROR("the copy can't be published", "why", error.message);
    atomic_fetch_add_explicit(&c->version, 1, memory_order_relaxed);
}

static void mark(live_copy *c)
{
    if (c->timer == 0 && atomic_load_explicit(&c->is_synced, memory_order_relaxed)) /* own thread */
        c->timer =
            live_timer_set(c->transport, live_now(c->transport) + publish_every_ns, publish, c);
}

/* ---- the watches ---- */

static uint64_t on_change(void *context, const watch_change *change)
{
    live_copy *c = context;
    berth_error error = {.code = BERTH_OK};
    berth_status status;
    switch (change->operation) {
    case WATCH_ADD:
        status = berth_engine_add(c->engine, change->object, NULL, &error);
        break;
    case WATCH_UPDATE:
        status = berth_engine_update(c->engine, change->object, &error);
        break;
    default:
        status = berth_engine_remove(c->engine, change->kind, change->namespace_name, change->name,
                                     &error);
    }
    char text[1024];
    berth_error_format(&error, text, sizeof(text));
    if (status != BERTH_OK)
        LOG_WARNING("an object is left out of the copy", "kind", berth_kind_name(change->kind),
                    "why", text);
    mark(c);
    return ++c->changes;
}

static void on_listed(void *context, berth_kind kind)
{
    live_copy *c = context;
    (void)kind;
    if (!watcher_is_synced(c->watcher))
        return;
    publish(c);
    atomic_store_explicit(&c->is_synced, true, memory_order_release);
    c->synced(c->context);
}

/* ---- life ---- */

berth_status live_copy_create(const live_transport *transport, const engine_setup *setup, int minor,
                              void (*synced)(void *context), void *context, live_copy **out,
                              berth_error *error)
{
    live_copy *c = heap_new(1, sizeof(*c));
    const watch_sink sink = {.change = on_change, .listed = on_listed, .context = c};
    c->transport = transport;
    c->synced = synced;
    c->context = context;
    berth_status status = engine_setup_create(setup, &c->engine, error);
    if (status == BERTH_OK) {
        c->watcher = watcher_create(transport, &sink, minor, engine_setup_follows_groups(setup));
        status = c->watcher != NULL ? BERTH_OK : BERTH_E_NOMEM;
    }
    if (status != BERTH_OK) {
        live_copy_destroy(c);
        return status;
    }
    *out = c;
    return BERTH_OK;
}

void live_copy_start(live_copy *c)
{
    watcher_start(c->watcher);
}

void live_copy_stop(live_copy *c)
{
    watcher_stop(c->watcher);
    live_timer_stop(c->transport, c->timer);
}

void live_copy_destroy(live_copy *c)
{
    if (c == NULL)
        return;
    if (c->watcher != NULL)
        watcher_destroy(c->watcher);
    berth_engine_destroy(c->engine);
    free(c);
}

const watcher *live_copy_watcher(const live_copy *c)
{
    return c->watcher;
}

bool live_copy_is_synced(const live_copy *c)
{
    return atomic_load_explicit(&c->is_synced, memory_order_acquire);
}

uint64_t live_copy_version(const live_copy *c)
{
    return atomic_load_explicit(&c->version, memory_order_relaxed);
}

berth_snapshot *live_copy_pin(live_copy *c)
{
    return live_copy_is_synced(c) ? berth_engine_pin(c->engine) : NULL;
}
