/* Chooses by client first, then by age. A closed socket reads as ended, and the server drops it. */
#include "live/serving/connections.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "cli/heap.h"

enum { NETWORK_BYTES = 8 }; /* of an IPv6 address: one client may have all that is below */

static open_connection *find(connections *c, const struct MHD_Connection *handle)
{
    for (uint32_t i = 0; i < c->capacity; i++)
        if (c->items[i].handle == handle)
            return &c->items[i];
    return NULL;
}

void connections_init(connections *c, uint32_t capacity)
{
    *c = (connections){.items = heap_new(capacity, sizeof(*c->items)), .capacity = capacity};
}

void connections_free(connections *c)
{
    free(c->items);
    *c = (connections){0};
}

static void read_client(int fd, uint8_t client[16])
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address = {.any = {.sa_family = AF_UNSPEC}};
    socklen_t size = sizeof(address);
    memset(client, 0, 16);
    if (getpeername(fd, &address.any, &size) != 0)
        return;
    if (address.any.sa_family == AF_INET) {
        client[10] = client[11] = 0xff;
        memcpy(client + 12, &address.v4.sin_addr, 4);
    } else if (address.any.sa_family == AF_INET6) {
        bool mapped = IN6_IS_ADDR_V4MAPPED(&address.v6.sin6_addr);
        memcpy(client, &address.v6.sin6_addr, mapped ? 16 : NETWORK_BYTES);
    }
}

/* The whole address of a client of IPv6. */
static void read_peer(int fd, struct in6_addr *out)
{
    union {
        struct sockaddr any;
        struct sockaddr_in6 v6;
    } address = {.any = {.sa_family = AF_UNSPEC}};
    socklen_t size = sizeof(address);
    if (getpeername(fd, &address.any, &size) == 0 && address.any.sa_family == AF_INET6)
        *out = address.v6.sin6_addr;
}

static bool same_client(const open_connection *a, const open_connection *b)
{
    return memcmp(a->client, b->client, sizeof(a->client)) == 0;
}

/* Whether to close `a` rather than `b`: prefers one that waits for headers, then the older one. */
static bool is_slower(const open_connection *a, const open_connection *b)
{
    if (a->in_request != b->in_request)
        return !a->in_request;
    return a->since < b->since;
}

/* Close the slowest connection except the new one; with `of_client`, of its client. */
static void close_slowest(connections *c, const open_connection *newest, bool of_client)
{
    open_connection *slowest = NULL;
    for (uint32_t i = 0; i < c->capacity; i++) {
        open_connection *one = &c->items[i];
        if (one->handle == NULL || one->closing || one == newest ||
            (of_client && !same_client(one, newest)))
            continue;
        if (slowest == NULL || is_slower(one, slowest))
            slowest = one;
    }
    if (slowest == NULL)
        return;
    slowest->closing = true;
    c->count--;
    shutdown(slowest->fd, SHUT_RDWR);
}

void connections_open(connections *c, struct MHD_Connection *handle)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CONNECTION_FD);
    open_connection *one = find(c, NULL);
    uint32_t of_client = 0;
    if (info == NULL || one == NULL)
        return;
    *one = (open_connection){.handle = handle, .fd = info->connect_fd, .since = ++c->clock};
    read_client(one->fd, one->client);
    c->count++;
    for (uint32_t i = 0; i < c->capacity; i++)
        of_client +=
            c->items[i].handle != NULL && !c->items[i].closing && same_client(&c->items[i], one);
    if (of_client > c->capacity / 4)
        close_slowest(c, one, true);
    else if (c->count > c->capacity / 4 * 3)
        close_slowest(c, one, false);
}

void connections_close(connections *c, const struct MHD_Connection *handle)
{
    open_connection *one = find(c, handle);
    if (one == NULL)
        return;
    c->count -= !one->closing;
    *one = (open_connection){.handle = NULL};
}

void connections_client(connections *c, const struct MHD_Connection *handle, uint8_t out[16])
{
    const open_connection *one = find(c, handle);
    memset(out, 0, 16);
    if (one != NULL)
        memcpy(out, one->client, 16);
}

void connections_request(connections *c, const struct MHD_Connection *handle, bool begins)
{
    open_connection *one = find(c, handle);
    if (one == NULL)
        return;
    one->in_request = begins;
    if (!begins)
        one->since = ++c->clock;
}

bool connections_is_local(const connections *c, const struct MHD_Connection *handle)
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    struct in6_addr address;
    for (uint32_t i = 0; i < c->capacity; i++) {
        const open_connection *one = &c->items[i];
        if (one->handle != handle)
            continue;
        if (memcmp(one->client, mapped, sizeof(mapped)) == 0)
            return one->client[12] == 127;
        memset(&address, 0, sizeof(address));
        read_peer(one->fd, &address);
        return IN6_IS_ADDR_LOOPBACK(&address);
    }
    return false;
}
