#include "live/answer/live_copy.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/heap.h"
#include "live/log/log.h"
#include "loading/pod_traits.h"

static const int64_t publish_every_ns = 5000000;

/* Traits of pods by id, in pieces that stay where they are while others read them. */
enum { PIECE = 1 << 14, PIECES = 1 << 12 };
typedef struct traits_piece {
    _Atomic uint8_t of[PIECE];
} traits_piece;

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
    _Atomic uint64_t version; /* relaxed: no other data depends on it */
    /* A piece is zeroed before it is put here (release), and read after that (acquire). relaxed:
     * traits do not depend on each other. */
    _Atomic(traits_piece *) traits[PIECES];
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

/* ---- traits ---- */

static void note_traits(live_copy *c, berth_pod_id id, const berth_pod *pod)
{
    if (id == BERTH_POD_NONE || id / PIECE >= PIECES)
        return;
    traits_piece *piece = atomic_load_explicit(&c->traits[id / PIECE], memory_order_relaxed);
    if (piece == NULL) {
        piece = heap_new(1, sizeof(*piece));
        atomic_store_explicit(&c->traits[id / PIECE], piece, memory_order_release);
    }
    atomic_store_explicit(&piece->of[id % PIECE], (uint8_t)pod_traits_of(pod),
                          memory_order_relaxed);
}

unsigned live_copy_traits(const live_copy *c, berth_pod_id pod)
{
    const traits_piece *piece =
        pod / PIECE < PIECES ? atomic_load_explicit(&c->traits[pod / PIECE], memory_order_acquire)
                             : NULL;
    return piece != NULL ? atomic_load_explicit(&piece->of[pod % PIECE], memory_order_relaxed) : 0;
}

/* ---- the watches ---- */

static uint64_t on_change(void *context, const watch_change *change)
{
    live_copy *c = context;
    berth_error error = {.code = BERTH_OK};
    berth_object_id id = {.pod = BERTH_POD_NONE};
    berth_status status;
    switch (change->operation) {
    case WATCH_ADD:
        status = berth_engine_add(c->engine, change->object, &id, &error);
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
    if (change->operation == WATCH_UPDATE && change->kind == BERTH_KIND_POD)
        id.pod = berth_engine_find_pod(c->engine, change->namespace_name, change->name);
    if (change->object != NULL && change->kind == BERTH_KIND_POD)
        note_traits(c, id.pod, change->object->as.pod);
    mark(c);
    return ++c->changes;
}

static void on_listed(void *context, berth_kind kind)
{
    live_copy *c = context;
    (void)kind;
    if (!watcher_is_synced(c->watcher))
        return;
    live_timer_stop(c->transport, c->timer);
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
        c->watcher = watcher_create(transport, &sink, minor, engine_setup_follows_groups(setup),
                                    engine_setup_follows_composites(setup));
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
    for (size_t i = 0; i < PIECES; i++)
        free(atomic_load_explicit(&c->traits[i], memory_order_relaxed));
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
