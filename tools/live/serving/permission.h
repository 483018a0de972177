/* Whether a client may have a page: what it shows, how its request waits for the verdict, and the
 * page of a refusal.
 *
 * A request waits suspended, so other clients are served meanwhile.
 *   PERMISSION-1  The verdict is written before the connection is resumed, and read after that.
 *
 * Threads: the server's, except permission_settle. */
#ifndef BERTH_LIVE_PERMISSION_H
#define BERTH_LIVE_PERMISSION_H

#include <microhttpd.h>
#include <stdbool.h>

#include "live/serving/client_certificate.h"
#include "live/serving/debug_pages.h"

/* A client's credentials, and what it requests. */
typedef struct serving_client {
    const char *token; /* "Authorization: Bearer TOKEN"; NULL: none */
    const char *user;  /* common name of a valid certificate; NULL: none */
    const char *groups[CERTIFICATE_GROUPS_MAX + 1]; /* its organizations, ended by NULL */
    const char *verb;                               /* "get" */
    const char *path;                               /* "/metrics" */
} serving_client;

/* A request that waits. */
typedef struct permission {
    struct MHD_Connection *connection;
    bool asked;
    unsigned status; /* 200: permitted */
    char *message;   /* of a refusal, on the heap */
} permission;

/* Who decides. */
typedef struct permission_rule {
    /* Whether a path is open to everyone. NULL: every path is. */
    bool (*is_open)(void *context, const char *path);
    /* Decide, and call permission_settle once. Owner: the client is borrowed until `ask` returns.
     */
    void (*ask)(void *context, const serving_client *client, permission *waits);
    void *context;
} permission_rule;

typedef enum permission_state {
    PERMISSION_GIVEN = 0,
    PERMISSION_WAITS, /* the request is suspended, and handled again later */
    PERMISSION_REFUSED,
} permission_state;

/* Whether the request of `a` may be answered. */
permission_state permission_of(permission *a, const permission_rule *rule,
                               struct MHD_Connection *connection, const char *method,
                               const char *path);

/* Say whether a request is permitted (200), or why not. Threads: any. */
void permission_settle(permission *a, unsigned status, const char *message);

/* The page of a refusal. */
debug_page permission_page(const permission *a);

void permission_free(permission *a);

#endif
