/* The open connections of the server, and which one to close when there are too many. Slow clients
 * must not keep others out: a client gets a quarter of the connections, and beyond three quarters
 * of them, the connection that has waited longest for the end of its request's headers is closed
 * for a new one.
 *
 * Threads: all functions run on the server's. */
#ifndef BERTH_LIVE_CONNECTIONS_H
#define BERTH_LIVE_CONNECTIONS_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct open_connection {
    struct MHD_Connection *handle; /* NULL: free */
    int fd;
    uint8_t client[16]; /* IPv6 address; of IPv4, mapped; of IPv6, the network of 64 bits */
    uint64_t since;     /* serial number of the moment at which it began to wait for a request */
    bool in_request;    /* the request's headers have arrived */
    bool closing;
} open_connection;

typedef struct connections {
    open_connection *items;
    uint32_t capacity; /* the server accepts no more at a time */
    uint32_t count;    /* those that are not closing */
    uint64_t clock;
} connections;

void connections_init(connections *c, uint32_t capacity);
void connections_free(connections *c);

/* A connection came: closes another one if there are too many. */
void connections_open(connections *c, struct MHD_Connection *handle);
void connections_close(connections *c, const struct MHD_Connection *handle);

/* Whether the client has a loopback address. */
bool connections_is_local(const connections *c, const struct MHD_Connection *handle);

/* The address of the client, as in open_connection. */
void connections_client(connections *c, const struct MHD_Connection *handle, uint8_t out[16]);

/* The headers of a connection's request have arrived, or its answer is complete. */
void connections_request(connections *c, const struct MHD_Connection *handle, bool begins);

#endif
