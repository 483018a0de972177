/* What the network's thread tells the deciding thread: changes of the cluster in their order, and
 * that lists are whole or decisions are wanted.
 *
 * Threads: one puts, one takes.
 *   INBOX-1  all fields are the lock's; a message is whole before it is put, and the taker's alone
 *            once it is taken.
 *   INBOX-2  messages are taken in the order in which they were put. */
#ifndef BERTH_LIVE_INBOX_H
#define BERTH_LIVE_INBOX_H

#include <pthread.h>
#include <stdbool.h>

#include "berth/objects.h"

typedef enum message_kind {
    MESSAGE_ADD = 0, /* the order of the first three is that of watch_operation */
    MESSAGE_UPDATE,
    MESSAGE_REMOVE,
    MESSAGE_STAYS,    /* the pod that was to be evicted is not */
    MESSAGE_COMPARE,  /* an object as it is listed anew, to be compared with */
    MESSAGE_COMPARED, /* all of it was */
    MESSAGE_SYNCED,   /* every list is whole: all of it was put before */
    MESSAGE_DECIDE,   /* we lead: decide */
    MESSAGE_PAUSE,    /* decide nothing more */
    MESSAGE_STOP,
} message_kind;

typedef struct message {
    struct message *next;
    uint64_t number; /* goes up by one */
    message_kind kind;
    berth_kind object_kind;
    uint64_t born;        /* number of the change that brought the object; 0: nobody knows */
    berth_object *object; /* a copy; NULL: of a removal, and all behind it */
    berth_str namespace_name, name; /* where there is no object: into `texts` */
    char texts[];
} message;

typedef struct inbox {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    message *first, **last;
    size_t count;  /* put and not yet taken */
    size_t behind; /* taken, and not yet done with */
    uint64_t number;
    bool woken; /* something else than a message is there to be done */
} inbox;

void inbox_init(inbox *box);
void inbox_destroy(inbox *box);

/* Returns the message's number. */
uint64_t inbox_put_change(inbox *box, message_kind kind, berth_kind object_kind,
                          berth_str namespace_name, berth_str name, const berth_object *object);
/* The same, with what it is about: `born`. */
uint64_t inbox_put_update(inbox *box, const berth_object *object, uint64_t born);
uint64_t inbox_put(inbox *box, message_kind kind);

/* How many messages are put and not done with. */
size_t inbox_backlog(inbox *box);

/* Threads: any. */
void inbox_wake(inbox *box);

/* Take all that is there, waiting until `until_ns` of CLOCK_BOOTTIME if there is nothing; those
 * taken before are done with. NULL: there is none. Owner: the caller's, one by one freed by
 * message_free. */
message *inbox_take(inbox *box, int64_t until_ns);

void message_free(message *m);

#endif
