/* Addresses and networks of the Internet Protocol, as Go's net/netip reads and writes them. */
#ifndef BERTH_CEL_NET_H
#define BERTH_CEL_NET_H

#include "cel/value.h"

enum { BERTH__CEL_NET_TEXT = 48 };

/* An address, or with `prefix` a network. Of version 4 the first four bytes count, the others are
 * zero. */
struct berth__cel_net {
    uint8_t bytes[16];
    bool six;
    uint8_t prefix; /* of a network: how many bits are given; else 0 */
};

/* Why a text is no address: `what`, and where it is said, what was not read. */
typedef struct berth__cel_net_fault {
    const char *what;
    berth_str at;
} berth__cel_net_fault;

/* Whether the text is an address. A zone is read over: the fault is none, `*zone` is set. */
bool berth__cel_net_read(berth_str text, berth__cel_net *out, bool *zone,
                         berth__cel_net_fault *fault);

/* Whether it stands for an address of version 4: ::ffff:0:0/96. */
bool berth__cel_net_is_mapped(const berth__cel_net *net);

/* The address in the form that RFC 5952 asks for; its length. */
uint32_t berth__cel_net_write(const berth__cel_net *net, char out[BERTH__CEL_NET_TEXT]);

/* Whether two agree in so many bits, and in the version. */
bool berth__cel_net_agree(const berth__cel_net *a, const berth__cel_net *b, uint32_t bits);

/* Whether they are the same address or network; of one kind. */
bool berth__cel_net_equal(berth__cel_value a, berth__cel_value b);

/* What string() says of either. */
berth__cel_value berth__cel_net_text(berth__cel_run *run, berth__cel_value net);

/* The network without the bits behind its prefix. */
berth__cel_net berth__cel_net_masked(const berth__cel_net *net);

#endif
