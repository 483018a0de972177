/* Faults of an expression, and the text that shows them, in the layout of cel-go's
 * common/error.go. */
#include <stdarg.h>
#include <stdio.h>

#include "cel/syntax.h"

enum { MESSAGE_MAX = 1024 };

void berth__cel_fault_add(berth__cel_source *source, uint32_t at, const char *format, ...)
{
    char text[MESSAGE_MAX];
    if (source->fault_count++ >= BERTH__CEL_FAULTS_MAX)
        return;
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    bool fine = true;
    uint32_t kept = len < MESSAGE_MAX ? (uint32_t)len : MESSAGE_MAX - 1;
    berth_str copy = berth__arena_str(source->arena, (berth_str){text, kept}, &fine);
    source->no_memory = source->no_memory || !fine;
    source->faults[source->fault_count - 1] = (berth__cel_fault){at, copy};
}

typedef struct output {
    char *data; /* NULL: only the length is needed */
    size_t len;
} output;

static void put(output *out, const char *data, size_t len)
{
    if (out->data != NULL && len > 0)
        memcpy(out->data + out->len, data, len);
    out->len += len;
}

static bool is_follower(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The line that contains a byte. */
static berth_str line_of(berth_str text, uint32_t at, uint32_t *number)
{
    uint32_t from = 0, to;
    *number = 1;
    for (uint32_t i = 0; i < at; i++) {
        if (text.data[i] == '\n') {
            from = i + 1;
            ++*number;
        }
    }
    for (to = from; to < text.len && text.data[to] != '\n';)
        to++;
    return (berth_str){text.data + from, to - from};
}

static void put_snippet(output *out, berth_str line, uint32_t column)
{
    put(out, "\n | ", 4);
    for (uint32_t i = 0; i < line.len; i++)
        put(out, line.data[i] == '\t' ? " " : line.data + i, 1);
    put(out, "\n | ", 4);
    uint32_t at = 0;
    for (uint32_t i = 0; i <= column; i++) {
        uint32_t from = at;
        while (at < line.len && (at == from || is_follower(line.data[at])))
            at++;
        const bool wide = at - from > 1, mark = i == column;
        if (wide)
            put(out, mark ? "\xef\xbc\xbe" : "\xef\xbc\x8e", 3);
        else
            put(out, mark ? "^" : ".", 1);
    }
}

static void put_fault(output *out, const berth__cel_source *source, const berth__cel_fault *fault)
{
    enum { HEAD_MAX = 64 };
    char head[HEAD_MAX];
    uint32_t number, column = 0;
    berth_str line = line_of(source->text, fault->at, &number);
    for (const char *at = line.data; at < source->text.data + fault->at; at++)
        column += is_follower(*at) ? 0 : 1;
    bool empty = source->text.len == 0;
    int len =
        snprintf(head, sizeof(head), "ERROR: <input>:%u:%u: ", number, empty ? 0 : column + 1);
    put(out, head, (size_t)len);
    put(out, fault->message.data, fault->message.len);
    if (!empty)
        put_snippet(out, line, column);
}

static void put_all(output *out, const berth__cel_source *source)
{
    enum { MORE_MAX = 64 };
    uint32_t count =
        source->fault_count < BERTH__CEL_FAULTS_MAX ? source->fault_count : BERTH__CEL_FAULTS_MAX;
    put(out, "compilation failed: ", 20);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            put(out, "\n", 1);
        put_fault(out, source, &source->faults[i]);
    }
    if (source->fault_count > count) {
        char more[MORE_MAX];
        int len = snprintf(more, sizeof(more), "\n%u more errors were truncated",
                           source->fault_count - count);
        put(out, more, (size_t)len);
    }
}

berth_str berth__cel_faults_text(berth__cel_source *source)
{
    uint32_t count =
        source->fault_count < BERTH__CEL_FAULTS_MAX ? source->fault_count : BERTH__CEL_FAULTS_MAX;
    for (uint32_t i = 1; i < count; i++) { /* few, and almost sorted */
        berth__cel_fault fault = source->faults[i];
        uint32_t k = i;
        for (; k > 0 && source->faults[k - 1].at > fault.at; k--)
            source->faults[k] = source->faults[k - 1];
        source->faults[k] = fault;
    }
    output out = {.data = NULL};
    put_all(&out, source);
    char *text = berth__arena_alloc(source->arena, out.len + 1, 1);
    if (text == NULL) {
        source->no_memory = true;
        return (berth_str){0};
    }
    out = (output){.data = text};
    put_all(&out, source);
    return (berth_str){text, (uint32_t)out.len};
}
