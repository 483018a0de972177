/* Splits a JSON stream into objects. Reads the members of each top-level object by name without
 * parsing their values: the bracket scan skips these. Here only the text between pieces is checked;
 * the parser that receives the pieces checks their values. */
#include "text/split.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "text/bracket_scan.h"

enum { WINDOW_BYTES = 256 << 10, VALUE_MAX = 1 << 30 };

typedef struct splitter {
    berth__window *window;
    berth__piece_fn each;
    void *context;
    berth_error *error;
    char *members; /* of the current list, with items empty */
    size_t members_len;
    size_t members_capacity;
} splitter;

/* ---- the window ---- */

void berth__window_init(berth__window *window, berth__input *input,
                        const berth_allocator *allocator)
{
    *window = (berth__window){.input = input, .allocator = allocator, .line = 1};
}

void berth__window_destroy(berth__window *window)
{
    berth__free(window->allocator, window->data, window->capacity);
    *window = (berth__window){0};
}

/* Counts in strides so short that the sums fit into bytes, because vector instructions add many
 * bytes at a time. */
static size_t count_newlines(const char *text, size_t len)
{
    enum { STRIDE = 240 };
    size_t lines = 0;
    for (size_t from = 0; from < len; from += STRIDE) {
        size_t end = len - from < STRIDE ? len : from + STRIDE;
        uint8_t some = 0;
        for (size_t i = from; i < end; i++)
            some = (uint8_t)(some + (text[i] == '\n'));
        lines += some;
    }
    return lines;
}

/* Count lines up to the byte at `at`, unless they are counted beyond it already. */
static void count_lines(berth__window *window, size_t at)
{
    if (at <= window->counted)
        return;
    const char *text = window->data + window->counted;
    size_t len = at - window->counted;
    size_t lines = count_newlines(text, len);
    if (lines > 0) {
        const char *last = memrchr(text, '\n', len);
        window->line_offset = window->offset + (uint64_t)(last + 1 - window->data);
    }
    window->line += (uint32_t)lines;
    window->counted = at;
}

static berth_status grow_window(berth__window *window, size_t capacity, berth_error *error)
{
    char *data = berth__alloc(window->allocator, capacity, 64);
    if (data == NULL)
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory while reading");
    if (window->end > 0)
        memcpy(data, window->data, window->end);
    berth__free(window->allocator, window->data, window->capacity);
    window->data = data;
    window->capacity = capacity;
    return BERTH_OK;
}

static void drop_front(berth__window *window)
{
    size_t start = window->start;
    if (start == 0)
        return;
    count_lines(window, start);
    memmove(window->data, window->data + start, window->end - start);
    window->offset += start;
    window->counted -= start;
    window->at -= start;
    window->end -= start;
    window->start = 0;
}

berth_status berth__window_fill(berth__window *window, berth_error *error)
{
    size_t got = 0;
    drop_front(window);
    if (window->end >= VALUE_MAX)
        return berth__error_set(error, BERTH_E_RANGE,
                                "a single value is larger than 1 GiB, which is not read");
    if (window->capacity == 0)
        BERTH_TRY(grow_window(window, WINDOW_BYTES, error));
    else if (window->end > window->capacity / 2)
        BERTH_TRY(grow_window(window, window->capacity * 2, error));
    BERTH_TRY(berth__input_read(window->input, window->data + window->end,
                                window->capacity - window->end, &got, error));
    window->end += got;
    window->ended = got == 0;
    return BERTH_OK;
}

/* Skip blanks. With `drop`, the window may discard them and all text in front of them. */
static berth_status skip_blanks(berth__window *window, bool drop, int *c, berth_error *error)
{
    for (;;) {
        while (window->at < window->end) {
            *c = (unsigned char)window->data[window->at];
            if (*c != ' ' && *c != '\n' && *c != '\t' && *c != '\r')
                return BERTH_OK;
            window->at++;
        }
        if (drop)
            window->start = window->at;
        *c = -1;
        if (window->ended)
            return BERTH_OK;
        BERTH_TRY(berth__window_fill(window, error));
    }
}

berth_status berth__window_peek(berth__window *window, int *c, berth_error *error)
{
    return skip_blanks(window, false, c, error);
}

/* ---- pieces and faults ---- */

static berth_status fault(splitter *s, int found, const char *expected)
{
    berth__window *w = s->window;
    char what[32];
    if (found < 0)
        snprintf(what, sizeof(what), "the end of the text");
    else if (found > 0x20 && found < 0x7f)
        snprintf(what, sizeof(what), "'%c'", found);
    else
        snprintf(what, sizeof(what), "byte 0x%02x", (unsigned)found);
    berth__error_set(s->error, BERTH_E_PARSE, "found %s, expected %s", what, expected);
    if (s->error != NULL) {
        count_lines(w, w->at);
        s->error->offset = w->offset + w->at;
        s->error->line = w->line;
        s->error->column = (uint32_t)(s->error->offset - w->line_offset) + 1;
    }
    return BERTH_E_PARSE;
}

static berth_status emit(splitter *s, berth__piece_kind kind, const char *text, size_t len)
{
    berth__window *w = s->window;
    count_lines(w, w->start);
    uint64_t offset = w->offset + w->start;
    berth__piece piece = {
        .kind = kind,
        .text = {text, (uint32_t)len},
        .line = w->line,
        .column = (uint32_t)(offset - w->line_offset) + 1,
        .offset = offset,
        .ahead = kind == BERTH__PIECE_LIST_END ? len - (w->at - w->start) : 0,
    };
    return s->each(s->context, &piece, s->error);
}

static berth_status keep_members(splitter *s, const char *text, size_t len)
{
    size_t need = s->members_len + len;
    if (need > s->members_capacity) {
        size_t capacity = need < 4096 ? 4096 : need * 2;
        char *members = berth__alloc(s->window->allocator, capacity, 1);
        if (members == NULL)
            return berth__error_set(s->error, BERTH_E_NOMEM, "out of memory while reading");
        if (s->members_len > 0)
            memcpy(members, s->members, s->members_len);
        berth__free(s->window->allocator, s->members, s->members_capacity);
        s->members = members;
        s->members_capacity = capacity;
    }
    memcpy(s->members + s->members_len, text, len);
    s->members_len = need;
    return BERTH_OK;
}

/* ---- skipping values ---- */

static berth_status skip_container(splitter *s)
{
    berth__window *w = s->window;
    berth__bracket_scan scan = {0};
    for (;;) {
        w->at += berth__bracket_scan_run(&scan, w->data + w->at, w->end - w->at);
        if (scan.ended)
            return BERTH_OK;
        if (scan.too_deep) {
            w->at--;
            return fault(s, (unsigned char)w->data[w->at], "at most 1024 levels of nesting");
        }
        if (w->ended)
            return fault(s, -1, scan.in_string ? "a closing quote" : "a closing bracket");
        BERTH_TRY(berth__window_fill(w, s->error));
    }
}

static bool is_delimiter(char c)
{
    return c == ',' || c == ':' || c == '}' || c == ']' || c == '{' || c == '[' || c == '"' ||
           c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* Skip the value that begins at `at`. A missing value is a fault. */
static berth_status skip_value(splitter *s)
{
    berth__window *w = s->window;
    char first = w->data[w->at];
    if (first == '{' || first == '[' || first == '"')
        return skip_container(s);
    if (is_delimiter(first))
        return fault(s, first, "a value");
    for (;;) {
        while (w->at < w->end) {
            if (is_delimiter(w->data[w->at]))
                return BERTH_OK;
            w->at++;
        }
        if (w->ended)
            return BERTH_OK;
        BERTH_TRY(berth__window_fill(w, s->error));
    }
}

/* ---- lists and objects ---- */

/* Hand out the elements after an opening bracket. Stops in front of the closing bracket. */
static berth_status split_elements(splitter *s)
{
    berth__window *w = s->window;
    int c;
    BERTH_TRY(skip_blanks(w, true, &c, s->error));
    while (c != ']') {
        w->start = w->at;
        if (c < 0)
            return fault(s, c, "a value or ']'");
        BERTH_TRY(skip_value(s));
        BERTH_TRY(emit(s, BERTH__PIECE_ELEMENT, w->data + w->start, w->at - w->start));
        w->start = w->at;
        BERTH_TRY(skip_blanks(w, true, &c, s->error));
        if (c == ']')
            break;
        if (c != ',')
            return fault(s, c, "',' or ']'");
        w->at++;
        BERTH_TRY(skip_blanks(w, true, &c, s->error));
        if (c == ']')
            return fault(s, c, "a value");
    }
    w->start = w->at;
    return BERTH_OK;
}

/* Hand out the list whose opening bracket is at `at`. The members in front of it are kept. */
static berth_status split_items(splitter *s)
{
    berth__window *w = s->window;
    w->at++;
    BERTH_TRY(keep_members(s, w->data + w->start, w->at - w->start));
    size_t len = s->members_len;
    BERTH_TRY(keep_members(s, "]}", 2));
    BERTH_TRY(emit(s, BERTH__PIECE_LIST, s->members, s->members_len));
    s->members_len = len;
    w->start = w->at;
    BERTH_TRY(split_elements(s));
    w->at++;
    return BERTH_OK;
}

/* Read one member, starting at the opening quote of its key. Sets `*listed` if it is `items` and a
 * list. */
static berth_status split_member(splitter *s, bool *listed)
{
    static const char items[] = "\"items\"";
    berth__window *w = s->window;
    int c;
    size_t key = w->at - w->start;
    BERTH_TRY(skip_value(s));
    bool is_items = w->at - w->start - key == sizeof(items) - 1 &&
                    memcmp(w->data + w->start + key, items, sizeof(items) - 1) == 0;
    BERTH_TRY(berth__window_peek(w, &c, s->error));
    if (c != ':')
        return fault(s, c, "':' behind a key");
    w->at++;
    BERTH_TRY(berth__window_peek(w, &c, s->error));
    if (c < 0)
        return fault(s, c, "a value");
    if (!is_items || c != '[')
        return skip_value(s);
    *listed = true;
    return split_items(s);
}

static berth_status split_object(splitter *s)
{
    berth__window *w = s->window;
    bool listed = false;
    int c;
    s->members_len = 0;
    w->start = w->at++;
    BERTH_TRY(berth__window_peek(w, &c, s->error));
    while (c != '}') {
        if (c != '"')
            return fault(s, c, "a key in double quotes");
        BERTH_TRY(split_member(s, &listed));
        BERTH_TRY(berth__window_peek(w, &c, s->error));
        if (c == '}')
            break;
        if (c != ',')
            return fault(s, c, "',' or '}'");
        w->at++;
        BERTH_TRY(berth__window_peek(w, &c, s->error));
        if (c == '}')
            return fault(s, c, "a key in double quotes");
    }
    w->at++;
    if (!listed)
        return emit(s, BERTH__PIECE_OBJECT, w->data + w->start, w->at - w->start);
    BERTH_TRY(keep_members(s, w->data + w->start, w->at - w->start));
    return emit(s, BERTH__PIECE_LIST_END, s->members, s->members_len);
}

/* Skip a `---`, which may separate JSON texts, as in a YAML stream of JSON documents. */
static berth_status skip_separator(splitter *s)
{
    berth__window *w = s->window;
    w->start = w->at;
    BERTH_TRY(skip_value(s));
    if (w->at - w->start == 3 && memcmp(w->data + w->start, "---", 3) == 0)
        return BERTH_OK;
    w->at = w->start;
    return fault(s, (unsigned char)w->data[w->at], "'{' or '['");
}

static berth_status split_all(splitter *s)
{
    berth__window *w = s->window;
    for (;;) {
        int c;
        BERTH_TRY(skip_blanks(w, true, &c, s->error));
        if (c < 0)
            return BERTH_OK;
        if (c == '{') {
            BERTH_TRY(split_object(s));
        } else if (c == '[') {
            w->at++;
            BERTH_TRY(split_elements(s));
            w->at++;
        } else if (c == '-') {
            BERTH_TRY(skip_separator(s));
        } else {
            return fault(s, c, "'{' or '['");
        }
    }
}

berth_status berth__split(berth__window *window, berth__piece_fn each, void *context,
                          berth_error *error)
{
    splitter s = {.window = window, .each = each, .context = context, .error = error};
    berth_status status = split_all(&s);
    berth__free(window->allocator, s.members, s.members_capacity);
    return status;
}
