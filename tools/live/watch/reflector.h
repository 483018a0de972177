/* Watches one kind of objects: lists it in pages, watches it, lists it again when the watch lost
 * track, and reports every difference once.
 *
 *   WAIT ---------> LIST -- complete: the rest is gone -------------> WATCH
 *    ^  back-off     |  410 on a page: from the start                  | ends: watch again from the
 *    |               v                                                | last version
 *    +---- error ----+ <------ 410, an ERROR event, silence ----------+
 *         silence
 *
 * A resource that the server does not serve (404) counts as listed and empty. It is listed again
 * from time to time, because a later server, or another setting, may serve it.
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
    const berth_object *object; /* NULL for a removal */
} watch_change;

/* The receiver of changes. */
typedef struct watch_sink {
    /* Returns the number of the change; numbers increase by one per call, over all kinds. */
    uint64_t (*change)(void *context, const watch_change *change);
    /* Whether the receiver is far behind: then no further page is requested. NULL: never. */
    bool (*is_full)(void *context);
    /* A kind is listed for the first time. */
    void (*listed)(void *context, berth_kind kind);
    /* One of our pods was seen, after `change`; its status may have changed. May be NULL. */
    void (*seen)(void *context, const object_entry *entry, const object_view *view);
    /* An object was seen, with its whole text; called before `change` reports it. May be NULL. */
    void (*text)(void *context, berth_kind kind, const object_view *view, berth_str text);
    /* The object is about to be forgotten, after `change`. May be NULL. */
    void (*gone)(void *context, berth_kind kind, const object_entry *entry);
    void *context;
} watch_sink;

/* The objects to watch. */
typedef struct watch_resource {
    berth_kind kind;
    const char *path;     /* "/api/v1/pods" */
    const char *selector; /* "fieldSelector=...", percent-encoded; "" */
    const char *rbac;     /* "pods": for the message about a missing permission */
    bool may_be_absent;   /* not every server of the watched versions serves it */
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
    berth_reader *reader; /* shared by the reflectors of one thread */
    object_table table;
    object_view view;
    stream_cut cut;
    reflector_state state;
    char version[32]; /* version to watch from; "": unknown */
    char *next_page;  /* metadata.continue; NULL: none */
    uint32_t mark;    /* the current list */
    bool listed;      /* a list was complete once */
    bool absent;      /* when last asked, the server did not serve the resource */
    bool from_anew;   /* etcd may have been restored from a backup: lower versions may be newer */
    bool wants_list;  /* the next step is a list */
    bool expired;     /* an ERROR event reported it */
    bool failed;      /* failed otherwise */
    bool saw_event;
    int status_denied; /* 401 or 403 while denied; else 0 */
    live_id request, timer, watchdog;
    int64_t began_ns, last_byte_ns,
        healthy_since_ns; /* the last: when the watch was well, or the start; 0: not started */
    int64_t backoff_ns;   /* last back-off; 0: none */
    int64_t patience_ns;  /* time to wait for a silent list */
    /* counters */
    uint64_t lists, watches, events, unchanged, refused;
} reflector;

/* Times of client-go where it has them. */
enum {
    REFLECTOR_PAGE = 1000,
    REFLECTOR_SILENCE_SECONDS = 150,
    REFLECTOR_ABSENT_SECONDS = 30, /* until an absent resource is listed again */
};

/* Initialize a zeroed reflector. Owner: all arguments must outlive it. */
void reflector_init(reflector *r, const live_transport *transport, const watch_resource *resource,
                    const watch_sink *sink, berth_reader *reader);

/* Begin with a list. */
void reflector_start(reflector *r);

/* Report nothing from now on. */
void reflector_stop(reflector *r);
void reflector_free(reflector *r);

/* Since when there has been no working watch, by live_now; 0: there is one, the resource is absent,
 * or the reflector has not been started. */
int64_t reflector_lost_since(const reflector *r);

#endif
