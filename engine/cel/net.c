/* Addresses: text to bytes and back, by the rules of Go's net/netip. */
#include "cel/net.h"

#include <stdio.h>

enum { FOUR = 4, SIXTEEN = 16, GROUPS = 8, BITS = 8 };

static bool no(berth__cel_net_fault *fault, const char *what, berth_str at)
{
    *fault = (berth__cel_net_fault){what, at};
    return false;
}

static berth_str from(berth_str text, uint32_t at)
{
    return (berth_str){text.data + at, text.len - at};
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Read four numbers with dots between them. */
static bool read_four(berth_str text, uint8_t *out, berth__cel_net_fault *fault)
{
    static const berth_str nowhere = {0};
    uint32_t value = 0, digits = 0, done = 0;
    for (uint32_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (is_digit(c)) {
            if (digits == 1 && value == 0)
                return no(fault, "IPv4 field has octet with leading zero", nowhere);
            value = value * 10 + (uint32_t)(c - '0');
            digits++;
            if (value > UINT8_MAX)
                return no(fault, "IPv4 field has value >255", nowhere);
        } else if (c == '.') {
            if (i == 0 || i == text.len - 1 || text.data[i - 1] == '.')
                return no(fault, "IPv4 field must have at least one digit", from(text, i));
            if (done == FOUR - 1)
                return no(fault, "IPv4 address too long", nowhere);
            out[done++] = (uint8_t)value;
            value = digits = 0;
        } else {
            return no(fault, "unexpected character", from(text, i));
        }
    }
    if (done < FOUR - 1)
        return no(fault, "IPv4 address too short", nowhere);
    out[done] = (uint8_t)value;
    return true;
}

static int hex(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* An address of version 6 while it is being read. */
typedef struct reading {
    berth_str rest;
    uint8_t *bytes;
    uint32_t filled;
    int gap; /* the position of :: among the bytes; -1: there is none */
    berth__cel_net_fault *fault;
} reading;

/* Read the next group of digits. Returns false if there is none, or if it is too long. */
static bool read_group(reading *r, uint32_t *value, uint32_t *len)
{
    *value = *len = 0;
    for (; *len < r->rest.len && hex(r->rest.data[*len]) >= 0; (*len)++) {
        if (*len == FOUR)
            return no(r->fault, "each group must have 4 or less digits", r->rest);
        *value = *value * 16 + (uint32_t)hex(r->rest.data[*len]);
    }
    return *len > 0 ||
           no(r->fault, "each colon-separated field must have at least one digit", r->rest);
}

static bool read_embedded(reading *r)
{
    if (r->gap < 0 && r->filled != SIXTEEN - FOUR)
        return no(r->fault, "embedded IPv4 address must replace the final 2 fields of the address",
                  r->rest);
    if (r->filled + FOUR > SIXTEEN)
        return no(r->fault, "too many hex fields to fit an embedded IPv4 at the end of the address",
                  r->rest);
    if (!read_four(r->rest, r->bytes + r->filled, r->fault))
        return false;
    r->filled += FOUR;
    r->rest.len = 0;
    return true;
}

/* Read the colons between two groups. */
static bool read_colon(reading *r)
{
    if (r->rest.data[0] != ':')
        return no(r->fault, "unexpected character, want colon", r->rest);
    if (r->rest.len == 1)
        return no(r->fault, "colon must be followed by more characters", r->rest);
    r->rest = from(r->rest, 1);
    if (r->rest.data[0] != ':')
        return true;
    if (r->gap >= 0)
        return no(r->fault, "multiple :: in address", r->rest);
    r->gap = (int)r->filled;
    r->rest = from(r->rest, 1);
    return true;
}

static bool read_groups(reading *r)
{
    while (r->filled < SIXTEEN && (r->rest.len > 0 || r->gap != (int)r->filled)) {
        uint32_t value, len;
        if (!read_group(r, &value, &len))
            return false;
        if (len < r->rest.len && r->rest.data[len] == '.')
            return read_embedded(r);
        r->bytes[r->filled++] = (uint8_t)(value >> BITS);
        r->bytes[r->filled++] = (uint8_t)value;
        r->rest = from(r->rest, len);
        if (r->rest.len == 0)
            return true;
        if (!read_colon(r))
            return false;
    }
    return true;
}

/* Insert zeroes in place of ::. */
static bool spread(reading *r)
{
    static const berth_str nowhere = {0};
    if (r->filled == SIXTEEN)
        return r->gap < 0 ||
               no(r->fault, "the :: must expand to at least one field of zeros", nowhere);
    if (r->gap < 0)
        return no(r->fault, "address string too short", nowhere);
    uint32_t gap = (uint32_t)r->gap, behind = r->filled - gap;
    memmove(r->bytes + SIXTEEN - behind, r->bytes + gap, behind);
    memset(r->bytes + gap, 0, SIXTEEN - r->filled);
    return true;
}

static bool read_six(berth_str text, berth__cel_net *out, bool *zone, berth__cel_net_fault *fault)
{
    const char *percent = memchr(text.data, '%', text.len);
    reading r = {.rest = text, .bytes = out->bytes, .gap = -1, .fault = fault};
    if (percent != NULL) {
        r.rest.len = (uint32_t)(percent - text.data);
        *zone = r.rest.len + 1 < text.len;
        if (!*zone)
            return no(fault, "zone must be a non-empty string", (berth_str){0});
    }
    out->six = true;
    if (r.rest.len >= 2 && r.rest.data[0] == ':' && r.rest.data[1] == ':') {
        r.gap = 0;
        r.rest = from(r.rest, 2);
    }
    if (!read_groups(&r))
        return false;
    if (r.rest.len > 0)
        return no(fault, "trailing garbage after address", r.rest);
    return spread(&r);
}

bool berth__cel_net_read(berth_str text, berth__cel_net *out, bool *zone,
                         berth__cel_net_fault *fault)
{
    *out = (berth__cel_net){.six = false};
    *zone = false;
    for (uint32_t i = 0; i < text.len; i++) {
        switch (text.data[i]) {
        case '.':
            return read_four(text, out->bytes, fault);
        case ':':
            return read_six(text, out, zone, fault);
        case '%':
            return no(fault, "missing IPv6 address", (berth_str){0});
        default:
            break;
        }
    }
    return no(fault, "unable to parse IP", (berth_str){0});
}

bool berth__cel_net_is_mapped(const berth__cel_net *net)
{
    static const uint8_t mapped[SIXTEEN - FOUR] = {[10] = UINT8_MAX, [11] = UINT8_MAX};
    return net->six && memcmp(net->bytes, mapped, sizeof(mapped)) == 0;
}

static uint32_t group(const berth__cel_net *net, uint32_t i)
{
    return (uint32_t)net->bytes[2 * i] << BITS | net->bytes[2 * i + 1];
}

/* The first of the longest runs of zeroes, if it has at least two groups; otherwise none. */
static uint32_t longest_zeroes(const berth__cel_net *net, uint32_t *len)
{
    uint32_t best = GROUPS;
    *len = 1;
    for (uint32_t i = 0; i < GROUPS; i++) {
        uint32_t end = i;
        while (end < GROUPS && group(net, end) == 0)
            end++;
        if (end - i > *len) {
            best = i;
            *len = end - i;
        }
    }
    return best;
}

uint32_t berth__cel_net_write(const berth__cel_net *net, char out[BERTH__CEL_NET_TEXT])
{
    const uint8_t *b = net->bytes;
    if (!net->six)
        return (uint32_t)snprintf(out, BERTH__CEL_NET_TEXT, "%u.%u.%u.%u", b[0], b[1], b[2], b[3]);
    uint32_t zeroes, gap = longest_zeroes(net, &zeroes), len = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < GROUPS; i++) {
        if (i == gap) {
            len += (uint32_t)snprintf(out + len, BERTH__CEL_NET_TEXT - len, "::");
            i += zeroes - 1;
            continue;
        }
        const char *colon = len == 0 || out[len - 1] == ':' ? "" : ":";
        len +=
            (uint32_t)snprintf(out + len, BERTH__CEL_NET_TEXT - len, "%s%x", colon, group(net, i));
    }
    return len;
}

bool berth__cel_net_agree(const berth__cel_net *a, const berth__cel_net *b, uint32_t bits)
{
    uint32_t whole = bits / BITS, more = bits % BITS;
    if (a->six != b->six || memcmp(a->bytes, b->bytes, whole) != 0)
        return false;
    return more == 0 || (a->bytes[whole] ^ b->bytes[whole]) >> (BITS - more) == 0;
}

berth__cel_net berth__cel_net_masked(const berth__cel_net *net)
{
    berth__cel_net out = {.six = net->six, .prefix = net->prefix};
    uint32_t whole = net->prefix / BITS, more = net->prefix % BITS;
    memcpy(out.bytes, net->bytes, whole);
    if (more > 0)
        out.bytes[whole] = (uint8_t)(net->bytes[whole] & (UINT8_MAX << (BITS - more)));
    return out;
}

berth__cel_value berth__cel_net_text(berth__cel_run *run, berth__cel_value net)
{
    enum { SLASH = 5 };
    char *text = berth__cel_alloc(run, BERTH__CEL_NET_TEXT + SLASH);
    if (text == NULL)
        return berth__cel_stopped(run);
    uint32_t len = berth__cel_net_write(net.net, text);
    if (net.kind == BERTH__CEL_TYPE_CIDR)
        len += (uint32_t)snprintf(text + len, SLASH, "/%u", net.net->prefix);
    return berth__cel_string((berth_str){text, len});
}

bool berth__cel_net_equal(berth__cel_value a, berth__cel_value b)
{
    enum { ALL = 128 };
    return a.net->prefix == b.net->prefix && berth__cel_net_agree(a.net, b.net, ALL);
}
