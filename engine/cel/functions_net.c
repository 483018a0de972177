/* Functions of addresses and networks: Kubernetes' libraries ip and cidr. */
#include <stdio.h>

#include "cel/functions.h"
#include "cel/net.h"

#define DEFINE(name)                                                                     \
    berth__cel_value berth__cel_##name(berth__cel_run *run, const berth__cel_node *node, \
                                       const berth__cel_value *args)
#define NODE_UNUSED (void)node
#define BOTH_UNUSED (void)run, (void)node

/* ---- error texts ---- */

/* The text as Go's %q prints it. */
static berth_str quoted(berth__cel_run *run, berth_str text)
{
    static const char hex[] = "0123456789abcdef", from[] = "\a\b\f\n\r\t\v\"\\",
                      to[] = "abfnrtv\"\\";
    enum { LONGEST = 4 };
    char *out = berth__cel_alloc(run, (size_t)LONGEST * text.len + 2);
    uint32_t len = 0;
    if (out == NULL)
        return (berth_str){0};
    out[len++] = '"';
    for (uint32_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        const char *known = c != '\0' ? strchr(from, c) : NULL;
        if (known != NULL || c < ' ' || c == 0x7f)
            out[len++] = '\\';
        if (known != NULL) {
            out[len++] = to[known - from];
        } else if (c < ' ' || c == 0x7f) {
            out[len++] = 'x';
            out[len++] = hex[c >> 4];
            out[len++] = hex[c & 15];
        } else {
            out[len++] = (char)c;
        }
    }
    out[len++] = '"';
    return (berth_str){out, len};
}

#define TEXT(s) (int)(s).len, (s).data

/* The error of netip.ParseAddr for a text. */
static berth__cel_value address_words(berth__cel_run *run, const char *before, berth_str text,
                                      const berth__cel_net_fault *fault, const char *end)
{
    berth_str in = quoted(run, text);
    if (fault->at.len == 0)
        return berth__cel_error(run, "%sParseAddr(%.*s): %s%s", before, TEXT(in), fault->what, end);
    berth_str at = quoted(run, fault->at);
    return berth__cel_error(run, "%sParseAddr(%.*s): %s (at %.*s)%s", before, TEXT(in), fault->what,
                            TEXT(at), end);
}

/* ---- reading ---- */

static berth__cel_value net_value(berth__cel_run *run, berth__cel_type_kind kind,
                                  const berth__cel_net *net)
{
    berth__cel_net *kept = berth__cel_alloc(run, sizeof(*kept));
    if (kept == NULL)
        return berth__cel_stopped(run);
    *kept = *net;
    return (berth__cel_value){.kind = kind, .net = kept};
}

static berth__cel_value read_ip(berth__cel_run *run, berth_str text)
{
    berth__cel_net net;
    berth__cel_net_fault fault;
    bool zone;
    berth__cel_charge(run, text.len);
    if (!berth__cel_net_read(text, &net, &zone, &fault)) {
        berth_str in = quoted(run, text);
        berth__cel_value why = address_words(run, "", text, &fault, "");
        return berth__cel_error(run,
                                "IP Address %.*s parse error during conversion from string: %.*s",
                                TEXT(in), TEXT(why.text));
    }
    berth_str in = zone || berth__cel_net_is_mapped(&net) ? quoted(run, text) : (berth_str){0};
    if (zone)
        return berth__cel_error(run, "IP address %.*s with zone value is not allowed", TEXT(in));
    if (in.len > 0)
        return berth__cel_error(run, "IPv4-mapped IPv6 address %.*s is not allowed", TEXT(in));
    return net_value(run, BERTH__CEL_TYPE_IP, &net);
}

/* The number after the slash: 63 bits, without sign or leading zeroes. Returns false if it is not
 * such a number. */
static bool read_bits(berth_str text, int64_t *bits)
{
    *bits = 0;
    if (text.len == 0 || (text.len > 1 && text.data[0] == '0'))
        return false;
    for (uint32_t i = 0; i < text.len; i++) {
        int digit = text.data[i] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(*bits, 10, bits) ||
            __builtin_add_overflow(*bits, digit, bits))
            return false;
    }
    return true;
}

static berth__cel_value prefix_words(berth__cel_run *run, berth_str text, berth__cel_value why)
{
    berth_str in = quoted(run, text);
    return berth__cel_error(run, "netip.ParsePrefix(%.*s): %.*s", TEXT(in), TEXT(why.text));
}

/* A network, or the error of netip.ParsePrefix for the text. */
static berth__cel_value read_prefix(berth__cel_run *run, berth_str text)
{
    enum { FOUR_BITS = 32, SIX_BITS = 128 };
    const char *slash = text.len > 0 ? memrchr(text.data, '/', text.len) : NULL;
    if (slash == NULL)
        return prefix_words(run, text, berth__cel_error(run, "no '/'"));
    berth_str address = {text.data, (uint32_t)(slash - text.data)};
    berth_str number = {slash + 1, text.len - address.len - 1};
    berth__cel_net net;
    berth__cel_net_fault fault;
    bool zone;
    int64_t bits;
    if (!berth__cel_net_read(address, &net, &zone, &fault))
        return prefix_words(run, text, address_words(run, "", address, &fault, ""));
    if (zone)
        return prefix_words(run, text,
                            berth__cel_error(run, "IPv6 zones cannot be present in a prefix"));
    if (!read_bits(number, &bits)) {
        berth_str in = quoted(run, number);
        return prefix_words(run, text,
                            berth__cel_error(run, "bad bits after slash: %.*s", TEXT(in)));
    }
    if (bits > (net.six ? SIX_BITS : FOUR_BITS))
        return prefix_words(run, text, berth__cel_error(run, "prefix length out of range"));
    net.prefix = (uint8_t)bits;
    return net_value(run, BERTH__CEL_TYPE_CIDR, &net);
}

/* Kubernetes writes this prefix twice in front of an error of netip, and once in front of its own
 * errors. */
#define ABOUT "network address parse error during conversion from string: "

static berth__cel_value read_cidr(berth__cel_run *run, berth_str text)
{
    berth__cel_charge(run, text.len);
    berth__cel_value net = read_prefix(run, text);
    if (berth__cel_failed(net))
        return run->stopped ? net : berth__cel_error(run, ABOUT ABOUT "%.*s", TEXT(net.text));
    if (!berth__cel_net_is_mapped(net.net))
        return net;
    berth_str in = quoted(run, text);
    return berth__cel_error(run, ABOUT "IPv4-mapped IPv6 address %.*s is not allowed", TEXT(in));
}

/* ---- functions ---- */

DEFINE(ip_of)
{
    NODE_UNUSED;
    if (args[0].kind != BERTH__CEL_TYPE_CIDR)
        return read_ip(run, args[0].text);
    berth__cel_net ip = *args[0].net;
    ip.prefix = 0;
    return net_value(run, BERTH__CEL_TYPE_IP, &ip);
}

DEFINE(is_ip)
{
    NODE_UNUSED;
    return berth__cel_bool(!berth__cel_failed(read_ip(run, args[0].text)));
}

DEFINE(ip_is_canonical)
{
    NODE_UNUSED;
    char text[BERTH__CEL_NET_TEXT];
    berth__cel_value ip = read_ip(run, args[0].text);
    if (berth__cel_failed(ip))
        return ip;
    berth_str written = {text, berth__cel_net_write(ip.net, text)};
    return berth__cel_bool(berth__str_eq(written, args[0].text));
}

DEFINE(ip_family)
{
    BOTH_UNUSED;
    return berth__cel_int(args[0].net->six ? 6 : 4);
}

/* Whether an address is in the network of its version: nets[0] for version 4, nets[1] for version
 * 6. */
static bool is_in(const berth__cel_net *ip, const berth__cel_net nets[2])
{
    const berth__cel_net *net = &nets[ip->six ? 1 : 0];
    return berth__cel_net_agree(ip, net, net->prefix);
}

static bool is_unspecified(const berth__cel_net *ip)
{
    static const berth__cel_net nets[2] = {{.prefix = 32}, {.six = true, .prefix = 128}};
    return is_in(ip, nets);
}

static bool is_loopback(const berth__cel_net *ip)
{
    static const berth__cel_net nets[2] = {{{127}, .prefix = 8},
                                           {{[15] = 1}, .six = true, .prefix = 128}};
    return is_in(ip, nets);
}

static bool is_local(const berth__cel_net *ip)
{
    static const berth__cel_net nets[2] = {{{169, 254}, .prefix = 16},
                                           {{0xfe, 0x80}, .six = true, .prefix = 10}};
    return is_in(ip, nets);
}

static bool is_multicast(const berth__cel_net *ip)
{
    static const berth__cel_net nets[2] = {{{0xe0}, .prefix = 4},
                                           {{0xff}, .six = true, .prefix = 8}};
    return is_in(ip, nets);
}

DEFINE(ip_is_unspecified)
{
    BOTH_UNUSED;
    return berth__cel_bool(is_unspecified(args[0].net));
}

DEFINE(ip_is_loopback)
{
    BOTH_UNUSED;
    return berth__cel_bool(is_loopback(args[0].net));
}

/* In version 6, the low half of the second byte is the scope; the flags in the high half do not
 * matter. */
DEFINE(ip_is_link_local_multicast)
{
    BOTH_UNUSED;
    enum { SCOPE = 0x0f, LINK = 2, EVERY = 0xff };
    static const berth__cel_net four = {{224}, .prefix = 24};
    const berth__cel_net *ip = args[0].net;
    if (ip->six)
        return berth__cel_bool(ip->bytes[0] == EVERY && (ip->bytes[1] & SCOPE) == LINK);
    return berth__cel_bool(berth__cel_net_agree(ip, &four, four.prefix));
}

DEFINE(ip_is_link_local_unicast)
{
    BOTH_UNUSED;
    return berth__cel_bool(is_local(args[0].net));
}

/* As in Go, private addresses count as global unicast. */
DEFINE(ip_is_global_unicast)
{
    BOTH_UNUSED;
    static const berth__cel_net all = {{UINT8_MAX, UINT8_MAX, UINT8_MAX, UINT8_MAX}, .prefix = 32};
    const berth__cel_net *ip = args[0].net;
    return berth__cel_bool(!berth__cel_net_agree(ip, &all, all.prefix) && !is_unspecified(ip) &&
                           !is_loopback(ip) && !is_multicast(ip) && !is_local(ip));
}

DEFINE(cidr_of)
{
    NODE_UNUSED;
    return read_cidr(run, args[0].text);
}

DEFINE(is_cidr)
{
    NODE_UNUSED;
    return berth__cel_bool(!berth__cel_failed(read_cidr(run, args[0].text)));
}

DEFINE(cidr_contains_ip)
{
    NODE_UNUSED;
    bool text = args[1].kind == BERTH__CEL_TYPE_STRING;
    berth__cel_value ip = text ? read_ip(run, args[1].text) : args[1];
    if (berth__cel_failed(ip)) /* Kubernetes does not say why either */
        return run->stopped ? ip : berth__cel_no_overload();
    return berth__cel_bool(berth__cel_net_agree(args[0].net, ip.net, args[0].net->prefix));
}

DEFINE(cidr_contains_cidr)
{
    NODE_UNUSED;
    bool text = args[1].kind == BERTH__CEL_TYPE_STRING;
    berth__cel_value other = text ? read_cidr(run, args[1].text) : args[1];
    if (berth__cel_failed(other))
        return other;
    const berth__cel_net *net = args[0].net;
    return berth__cel_bool(net->prefix <= other.net->prefix &&
                           berth__cel_net_agree(net, other.net, net->prefix));
}

DEFINE(cidr_prefix_length)
{
    BOTH_UNUSED;
    return berth__cel_int(args[0].net->prefix);
}

DEFINE(cidr_masked)
{
    NODE_UNUSED;
    berth__cel_net masked = berth__cel_net_masked(args[0].net);
    return net_value(run, BERTH__CEL_TYPE_CIDR, &masked);
}
