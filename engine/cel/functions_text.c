/* Functions of strings. Positions count code points. */
#include "cel/functions.h"
#include <inttypes.h>

#define DEFINE(name)                                                                     \
    berth__cel_value berth__cel_##name(berth__cel_run *run, const berth__cel_node *node, \
                                       const berth__cel_value *args)

static bool is_follower(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static uint32_t points(berth_str text)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < text.len; i++)
        count += is_follower(text.data[i]) ? 0 : 1;
    return count;
}

/* The byte where code point `number` begins. `number` is at most the count of code points. */
static uint32_t byte_of(berth_str text, uint32_t number)
{
    uint32_t i = 0;
    for (; i < text.len; i++) {
        if (!is_follower(text.data[i]) && number-- == 0)
            break;
    }
    return i;
}

static berth_str part(berth_str text, uint32_t from, uint32_t to)
{
    return (berth_str){text.data + from, to - from};
}

static bool texts(const berth__cel_value *args, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (args[i].kind != BERTH__CEL_TYPE_STRING)
            return false;
    }
    return true;
}

DEFINE(size)
{
    (void)node;
    switch (args[0].kind) {
    case BERTH__CEL_TYPE_STRING:
        berth__cel_charge(run, args[0].text.len / 10);
        return berth__cel_int(points(args[0].text));
    case BERTH__CEL_TYPE_BYTES:
        return berth__cel_int(args[0].text.len);
    case BERTH__CEL_TYPE_LIST:
        return berth__cel_int(args[0].list->count);
    case BERTH__CEL_TYPE_MAP:
        return berth__cel_int(args[0].map->count);
    default:
        return berth__cel_error(run, "no such overload: size");
    }
}

/* Where `of` first occurs at or after a byte; UINT32_MAX: nowhere. */
static uint32_t occurrence(berth_str text, berth_str of, uint32_t from)
{
    if (of.len == 0)
        return from <= text.len ? from : UINT32_MAX;
    const char *found =
        from < text.len ? memmem(text.data + from, text.len - from, of.data, of.len) : NULL;
    return found == NULL ? UINT32_MAX : (uint32_t)(found - text.data);
}

DEFINE(starts_with)
{
    (void)node;
    if (!texts(args, 2))
        return berth__cel_no_overload();
    berth__cel_charge(run, args[1].text.len);
    return berth__cel_bool(args[0].text.len >= args[1].text.len &&
                           berth__str_eq(part(args[0].text, 0, args[1].text.len), args[1].text));
}

DEFINE(ends_with)
{
    (void)node;
    if (!texts(args, 2))
        return berth__cel_no_overload();
    berth_str text = args[0].text, end = args[1].text;
    berth__cel_charge(run, end.len);
    return berth__cel_bool(text.len >= end.len &&
                           berth__str_eq(part(text, text.len - end.len, text.len), end));
}

DEFINE(contains)
{
    (void)node;
    if (!texts(args, 2))
        return berth__cel_no_overload();
    berth__cel_charge(run, args[0].text.len + args[1].text.len);
    return berth__cel_bool(occurrence(args[0].text, args[1].text, 0) != UINT32_MAX);
}

/* A new text of `len` bytes, charged for. */
static char *fresh(berth__cel_run *run, size_t len)
{
    return berth__cel_charge(run, len) ? berth__cel_alloc(run, len) : NULL;
}

static berth__cel_value cased(berth__cel_run *run, berth_str text, char from, char to)
{
    char *out = fresh(run, text.len);
    if (out == NULL)
        return berth__cel_stopped(run);
    for (uint32_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        out[i] = (char)(c >= from && c <= from + 25 ? c - from + to : c);
    }
    return berth__cel_string((berth_str){out, text.len});
}

DEFINE(lower)
{
    (void)node;
    return cased(run, args[0].text, 'A', 'a');
}

DEFINE(upper)
{
    (void)node;
    return cased(run, args[0].text, 'a', 'A');
}

/* The length in bytes of the (Unicode) white space at `at`; 0: none. */
static uint32_t space_at(berth_str text, uint32_t at)
{
    static const char *const wide[] = {
        "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81",
        "\xe2\x80\x82", "\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86",
        "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8",
        "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80"};
    char c = text.data[at];
    if (c == ' ' || (c >= '\t' && c <= '\r'))
        return 1;
    berth_str rest = part(text, at, text.len);
    for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++) {
        if (berth__str_starts(rest, wide[i]))
            return (uint32_t)strlen(wide[i]);
    }
    return 0;
}

DEFINE(trim)
{
    (void)node;
    berth_str text = args[0].text;
    uint32_t from = 0, to = 0, space;
    berth__cel_charge(run, text.len);
    while (from < text.len && (space = space_at(text, from)) > 0)
        from += space;
    to = from;
    for (uint32_t i = from; i < text.len;) {
        space = space_at(text, i);
        i += space > 0 ? space : 1;
        to = space > 0 ? to : i;
    }
    return berth__cel_string(part(text, from, to));
}

static berth__cel_value out_of_range(berth__cel_run *run, int64_t index)
{
    return berth__cel_error(run, "index out of range: %" PRId64, index);
}

DEFINE(char_at)
{
    (void)node;
    berth_str text = args[0].text;
    berth__cel_charge(run, text.len);
    int64_t index = args[1].integer, count = points(text);
    if (index < 0 || index > count)
        return out_of_range(run, index);
    uint32_t from = byte_of(text, (uint32_t)index);
    uint32_t to = index == count ? from : byte_of(text, (uint32_t)index + 1);
    return berth__cel_string(part(text, from, to));
}

/* The first place of a value in a list, or the last if `from_end`; -1: nowhere. */
static berth__cel_value place(berth__cel_run *run, const berth__cel_list *list, berth__cel_value of,
                              bool from_end)
{
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t at = from_end ? list->count - 1 - i : i;
        if (berth__cel_is_true(berth__cel_equal(run, list->items[at], of)))
            return berth__cel_int(at);
    }
    return berth__cel_int(-1);
}

/* Whether a call has more than `count` arguments. */
static bool given(const berth__cel_node *node, uint32_t count)
{
    return node->arg_count > count;
}

/* Where an empty text is found if the search begins at a place. */
static berth__cel_value place_of_empty(berth__cel_run *run, int64_t from, int64_t count)
{
    if (run->release < BERTH__CEL_1_37)
        return berth__cel_int(from);
    return from < 0 ? out_of_range(run, from) : berth__cel_int(from < count ? from : count);
}

DEFINE(index_of)
{
    if (args[0].kind == BERTH__CEL_TYPE_LIST)
        return place(run, args[0].list, args[1], false);
    berth_str text = args[0].text, of = args[1].text;
    int64_t from = given(node, 2) ? args[2].integer : 0;
    berth__cel_charge(run, text.len + of.len);
    if (of.len == 0)
        return place_of_empty(run, from, points(text));
    if (from < 0)
        return out_of_range(run, from);
    if (from >= (int64_t)points(text))
        return berth__cel_int(-1);
    uint32_t at = occurrence(text, of, byte_of(text, (uint32_t)from));
    return berth__cel_int(at == UINT32_MAX ? -1 : (int64_t)points(part(text, 0, at)));
}

/* Where `of` last begins at or before byte `before`; UINT32_MAX: nowhere. */
static uint32_t last_occurrence(berth__cel_run *run, berth_str text, berth_str of, uint32_t before)
{
    if (of.len > text.len || !berth__cel_charge(run, (uint64_t)of.len * text.len / 8))
        return UINT32_MAX;
    uint32_t at = before < text.len - of.len ? before : text.len - of.len;
    for (;; at--) {
        if (berth__str_eq(part(text, at, at + of.len), of))
            return at;
        if (at == 0)
            return UINT32_MAX;
    }
}

DEFINE(last_index_of)
{
    if (args[0].kind == BERTH__CEL_TYPE_LIST)
        return place(run, args[0].list, args[1], true);
    berth_str text = args[0].text, of = args[1].text;
    int64_t count = points(text);
    int64_t from = given(node, 2) ? args[2].integer : count - 1;
    if (of.len == 0)
        return place_of_empty(run, given(node, 2) ? from : count, count);
    if (!given(node, 2) && text.len < of.len)
        return berth__cel_int(-1);
    if (from < 0)
        return out_of_range(run, from);
    if (from >= count)
        return berth__cel_int(-1);
    uint32_t at = last_occurrence(run, text, of, byte_of(text, (uint32_t)from));
    return berth__cel_int(at == UINT32_MAX ? -1 : (int64_t)points(part(text, 0, at)));
}

DEFINE(substring)
{
    berth_str text = args[0].text;
    int64_t count = points(text), from = args[1].integer;
    int64_t to = given(node, 2) ? args[2].integer : count;
    berth__cel_charge(run, text.len);
    if (given(node, 2) && from > to)
        return berth__cel_error(run, "invalid substring range. start: %" PRId64 ", end: %" PRId64,
                                from, to);
    if (from < 0 || from > count)
        return out_of_range(run, from);
    if (to < 0 || to > count)
        return out_of_range(run, to);
    return berth__cel_string(
        part(text, byte_of(text, (uint32_t)from), byte_of(text, (uint32_t)to)));
}

/* ---- replace, split, join ---- */

/* The length in bytes of the code point at `at`. */
static uint32_t point_len(berth_str text, uint32_t at)
{
    uint32_t len = 1;
    while (at + len < text.len && is_follower(text.data[at + len]))
        len++;
    return len;
}

/* The next place at or after `from` where `old` is replaced. An empty `old` occurs between all code
 * points. */
static uint32_t next_old(berth_str text, berth_str old, uint32_t from, bool first)
{
    if (old.len > 0)
        return occurrence(text, old, from);
    if (first)
        return from;
    return from < text.len ? from + point_len(text, from) : UINT32_MAX;
}

DEFINE(replace)
{
    berth_str text = args[0].text, old = args[1].text, by = args[2].text;
    int64_t most = given(node, 3) ? args[3].integer : -1;
    uint64_t hits = 0, len = text.len;
    uint32_t at = 0;
    bool first = true;
    if (berth__str_eq(old, by) || most == 0)
        return args[0];
    for (; most < 0 || hits < (uint64_t)most; hits++, first = false) {
        at = next_old(text, old, at, first);
        if (at == UINT32_MAX)
            break;
        len = len - old.len + by.len;
        at += old.len;
    }
    char *out = len < UINT32_MAX ? fresh(run, len) : NULL;
    if (out == NULL)
        return berth__cel_stopped(run);
    uint32_t from = 0, used = 0;
    at = 0;
    for (uint64_t i = 0; i < hits; i++) {
        at = next_old(text, old, at, i == 0);
        memcpy(out + used, text.data + from, at - from);
        used += at - from;
        if (by.len > 0)
            memcpy(out + used, by.data, by.len);
        used += by.len;
        from = at += old.len;
    }
    if (text.len > from)
        memcpy(out + used, text.data + from, text.len - from);
    return berth__cel_string((berth_str){out, (uint32_t)len});
}

/* Split a text at `by` into at most `most` pieces (-1: all). Returns their number; writes them to
 * `items` unless it is NULL. */
static uint32_t pieces(berth_str text, berth_str by, int64_t most, berth__cel_value *items)
{
    uint32_t count = 0, from = 0;
    while (most < 0 || count + 1 < most) {
        uint32_t at = by.len > 0 ? occurrence(text, by, from)
                      : from < text.len && from + point_len(text, from) < text.len
                          ? from + point_len(text, from)
                          : UINT32_MAX;
        if (at == UINT32_MAX)
            break;
        if (items != NULL)
            items[count] = berth__cel_string(part(text, from, at));
        count++;
        from = at + by.len;
    }
    if (by.len == 0 && text.len == 0)
        return 0;
    if (items != NULL)
        items[count] = berth__cel_string(part(text, from, text.len));
    return count + 1;
}

DEFINE(split)
{
    int64_t most = given(node, 2) ? args[2].integer : -1;
    if (!berth__cel_charge(run, args[0].text.len))
        return berth__cel_stopped(run);
    uint32_t count = most == 0 ? 0 : pieces(args[0].text, args[1].text, most, NULL);
    berth__cel_value out = berth__cel_list_make(run, count);
    if (!berth__cel_failed(out) && count > 0)
        pieces(args[0].text, args[1].text, most, out.list->items);
    return out;
}

DEFINE(join)
{
    const berth__cel_list *list = args[0].list;
    berth_str by = given(node, 1) ? args[1].text : (berth_str){0};
    uint64_t len = list->count > 0 ? (uint64_t)(list->count - 1) * by.len : 0;
    char text[BERTH__CEL_PRINT_MAX];
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i].kind != BERTH__CEL_TYPE_STRING) {
            berth_str shown = berth__cel_shown(list->items[i], text);
            return berth__cel_error(run, "join: invalid input: %.*s", (int)shown.len, shown.data);
        }
        len += list->items[i].text.len;
    }
    char *out = len < UINT32_MAX ? fresh(run, len) : NULL;
    if (out == NULL)
        return berth__cel_stopped(run);
    uint32_t used = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        berth_str item = list->items[i].text;
        if (i > 0 && by.len > 0)
            memcpy(out + used, by.data, by.len);
        used += i > 0 ? by.len : 0;
        if (item.len > 0)
            memcpy(out + used, item.data, item.len);
        used += item.len;
    }
    return berth__cel_string((berth_str){out, (uint32_t)len});
}
