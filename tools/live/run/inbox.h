/* Messages of the network's thread to the deciding thread: changes of the cluster in their order,
 * complete lists, and whether to decide.
 *
 * Threads: one puts, one takes.
 *   INBOX-1  the lock guards all fields; a message is complete before it is put, and belongs to the
 *            taker once it is taken.
 *   INBOX-2  messages are taken in the order in which they were put.
 *   INBOX-3  the taker is signalled only if `waiting` says that it waits. While the putter gathers,
 *            changes and wakes do not signal; inbox_flush does, for all of them. A taker that is
 *            never signalled looks again after a second. */
#ifndef BERTH_LIVE_INBOX_H
#define BERTH_LIVE_INBOX_H

#include <pthread.h>
#include <stdbool.h>

#include "berth/objects.h"

typedef enum message_kind {
    MESSAGE_ADD = 0, /* the first three are in the order of watch_operation */
    MESSAGE_UPDATE,
    MESSAGE_REMOVE,
    MESSAGE_STAYS,    /* a pod that was to be evicted stays */
    MESSAGE_COMPARE,  /* an object of a new list, to compare with */
    MESSAGE_COMPARED, /* the new list is complete */
    MESSAGE_SYNCED,   /* every list is complete and was put before */
    MESSAGE_DECIDE,   /* we lead: decide */
    MESSAGE_PAUSE,    /* decide nothing more */
    MESSAGE_STOP,
} message_kind;

typedef struct message {
    struct message *next;
    uint64_t number; /* increases by one */
    message_kind kind;
    berth_kind object_kind;
    uint64_t born;                  /* number of the change that brought the object; 0: unknown */
    berth_object *object;           /* a copy, or NULL, for example for a removal */
    berth_str namespace_name, name; /* if there is no object: point into `texts` */
    char texts[];
} message;

typedef struct inbox {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    message *first, **last;
    size_t count;  /* put and not yet taken */
    size_t behind; /* taken and not yet processed */
    uint64_t number;
    bool woken;   /* there is work besides messages */
    bool waiting; /* the taker waits for `changed` */
    bool gathers; /* see inbox_gather */
} inbox;

void inbox_init(inbox *box);
void inbox_destroy(inbox *box);

/* Returns the message's number. */
uint64_t inbox_put_change(inbox *box, message_kind kind, berth_kind object_kind,
                          berth_str namespace_name, berth_str name, const berth_object *object);
/* The same for an update, with `born`. */
uint64_t inbox_put_update(inbox *box, const berth_object *object, uint64_t born);
uint64_t inbox_put(inbox *box, message_kind kind);

/* Number of messages that are not processed yet. */
size_t inbox_backlog(inbox *box);

/* Threads: any. */
void inbox_wake(inbox *box);

/* From now on the putter gathers, and calls inbox_flush before it waits for something else: this
 * signals what was gathered. */
void inbox_gather(inbox *box);
void inbox_flush(inbox *box);

/* Take all messages; if there is none, wait until `until_ns` of CLOCK_BOOTTIME. Messages taken
 * before count as processed. Returns NULL if there is none. Owner: the caller's; free each with
 * message_free. */
message *inbox_take(inbox *box, int64_t until_ns);

void message_free(message *m);

#endif
