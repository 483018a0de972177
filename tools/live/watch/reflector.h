/* One kind of objects followed: listed in pages, watched, listed anew when the watch lost track,
 * and every difference told once.
 *
 *   WAIT ---------> LIST ---- whole: what was not in it is gone ----> WATCH
 *    ^  back-off     |  410 on a page: from the start                  | ends: watch again from the
 *    |               v                                                | last version
 *    +---- error ----+ <------ 410, an ERROR event, silence ----------+
 *         silence
 *
 * Threads: the network loop's. */
#ifndef BERTH_LIVE_REFLECTOR_H
#define BERTH_LIVE_REFLECTOR_H

#include "berth/kube.h"
#include "live/transport/transport.h"
#include "live/watch/object_table.h"
#include "live/watch/object_view.h"
#include "live/watch/stream_cut.h"

typedef enum watch_operation { WATCH_ADD = 0, WATCH_UPDATE, WATCH_REMOVE } watch_operation;

/* A difference. Owner: borrowed. */
typedef struct watch_change {
    watch_operation operation;
    berth_kind kind;
    berth_str namespace_name, name;
    const berth_object *object; /* NULL: of a removal */
} watch_change;

/* Who is told. */
typedef struct watch_sink {
    /* Numbers go up by one a call, over all kinds. */
    uint64_t (*change)(void *context, const watch_change *change);
    /* Whether the one behind is far behind: then no further page is asked for. NULL: never. */
    bool (*is_full)(void *context);
    /* A kind is listed for the first time. */
    void (*listed)(void *context, berth_kind kind);
    /* A pod of ours was seen, after `change`: what its status has to say may have moved. May be
     * NULL. */
    void (*seen)(void *context, const object_entry *entry, const object_view *view);
    /* It is about to be forgotten, after `change`. May be NULL. */
    void (*gone)(void *context, berth_kind kind, const object_entry *entry);
    void *context;
} watch_sink;

/* What is followed. */
typedef struct watch_resource {
    berth_kind kind;
    const char *path;     /* "/api/v1/pods" */
    const char *selector; /* "fieldSelector=...", percent-encoded; "" */
    const char *rbac;     /* "pods": for who has no right to it */
} watch_resource;

typedef enum reflector_state {
    REFLECTOR_WAIT = 0,
    REFLECTOR_LIST,
    REFLECTOR_WATCH
} reflector_state;

typedef struct reflector {
    const live_transport *transport;
    const watch_resource *resource;
    const watch_sink *sink;
    berth_reader *reader; /* shared by those of one thread */
    object_table table;
    object_view view;
    stream_cut cut;
    reflector_state state;
    char version[32]; /* to watch from; "": unknown */
    char *next_page;  /* metadata.continue; NULL: none */
    uint32_t mark;    /* the list in hand */
    bool listed;      /* once whole */
    bool from_anew;   /* an etcd may have been restored: lower versions are news */
    bool wants_list;  /* what comes next */
    bool expired;     /* an ERROR event said so */
    bool failed;      /* or something else */
    bool saw_event;
    int status_denied; /* 401 or 403, while it lasts; else 0 */
    live_id request, timer, watchdog;
    int64_t began_ns, last_byte_ns,
        healthy_since_ns; /* the last: of the watch; 0: it is not well */
    int64_t backoff_ns;   /* the last one; 0: none */
    int64_t patience_ns;  /* with a list that says nothing */
    /* counted */
    uint64_t lists, watches, events, unchanged, refused;
} reflector;

/* Times of client-go where there are such. */
enum {
    REFLECTOR_PAGE = 1000,
    REFLECTOR_SILENCE_SECONDS = 150,
};

/* Fill a zeroed one. Owner: all that is given outlives it. */
void reflector_init(reflector *r, const live_transport *transport, const watch_resource *resource,
                    const watch_sink *sink, berth_reader *reader);

/* Begin: a list. */
void reflector_start(reflector *r);

/* Nothing is told any more. */
void reflector_stop(reflector *r);
void reflector_free(reflector *r);

/* Since when it has had no working watch, of live_now; 0: it has one. */
int64_t reflector_lost_since(const reflector *r);

#endif
