/* Addresses and networks of the Internet Protocol, as Go's net/netip reads and writes them. */
#ifndef BERTH_CEL_NET_H
#define BERTH_CEL_NET_H

#include "cel/value.h"

enum { BERTH__CEL_NET_TEXT = 48 };

/* An address or, with `prefix`, a network. For version 4 the first four bytes count, and the others
 * are zero. */
struct berth__cel_net {
    uint8_t bytes[16];
    bool six;
    uint8_t prefix; /* a network's number of fixed bits; else 0 */
};

/* Why a text is not an address: `what`, and the rest that was not read if the message shows it. */
typedef struct berth__cel_net_fault {
    const char *what;
    berth_str at;
} berth__cel_net_fault;

/* Whether the text is an address. If it has a zone, `*zone` is set and there is no fault. */
bool berth__cel_net_read(berth_str text, berth__cel_net *out, bool *zone,
                         berth__cel_net_fault *fault);

/* Whether it is an IPv4-mapped address (::ffff:0:0/96). */
bool berth__cel_net_is_mapped(const berth__cel_net *net);

/* Write the address in the form of RFC 5952. Returns its length. */
uint32_t berth__cel_net_write(const berth__cel_net *net, char out[BERTH__CEL_NET_TEXT]);

/* Whether two addresses agree in version and in the first `bits` bits. */
bool berth__cel_net_agree(const berth__cel_net *a, const berth__cel_net *b, uint32_t bits);

/* Whether two values of one kind are the same address or network. */
bool berth__cel_net_equal(berth__cel_value a, berth__cel_value b);

/* The result of string() for an address or a network. */
berth__cel_value berth__cel_net_text(berth__cel_run *run, berth__cel_value net);

/* The network with the bits after its prefix cleared. */
berth__cel_net berth__cel_net_masked(const berth__cel_net *net);

#endif
