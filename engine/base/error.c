/* Names and texts of status codes; fills and formats errors. */
#include "base/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

berth_status berth__error_set(berth_error *error, berth_status code, const char *format, ...)
{
    if (error == NULL)
        return code;
    memset(error, 0, sizeof(*error));
    error->code = code;
    error->offset = UINT64_MAX;
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof(error->message), format, args);
    va_end(args);
    return code;
}

void berth__error_object(berth_error *error, const char *format, ...)
{
    if (error == NULL)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(error->object, sizeof(error->object), format, args);
    va_end(args);
}

void berth__error_field(berth_error *error, const char *format, ...)
{
    if (error == NULL)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(error->field, sizeof(error->field), format, args);
    va_end(args);
}

const char *berth_status_name(berth_status status)
{
    switch (status) {
#define X(number, name, text) \
    case BERTH_##name:        \
        return "BERTH_" #name;
        BERTH_STATUS_LIST(X)
#undef X
    }
    return "BERTH_UNKNOWN";
}

const char *berth_status_text(berth_status status)
{
    switch (status) {
#define X(number, name, text) \
    case BERTH_##name:        \
        return text;
        BERTH_STATUS_LIST(X)
#undef X
    }
    return "unknown status";
}

/* Append as much to `out` as fits and return the new length of the whole text. */
static size_t append(char *out, size_t size, size_t at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static size_t append(char *out, size_t size, size_t at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(at < size ? out + at : NULL, at < size ? size - at : 0, format, args);
    va_end(args);
    return at + (len > 0 ? (size_t)len : 0);
}

size_t berth_error_format(const berth_error *error, char *out, size_t size)
{
    size_t at = 0;
    if (size > 0)
        out[0] = '\0';
    if (error->source[0] != '\0')
        at = append(out, size, at, "%s:", error->source);
    if (error->line != 0)
        at = append(out, size, at, "%" PRIu32 ":", error->line);
    if (error->line != 0 && error->column != 0)
        at = append(out, size, at, "%" PRIu32 ":", error->column);
    if (at > 0)
        at = append(out, size, at, " ");
    if (error->object[0] != '\0')
        at = append(out, size, at, "%s: ", error->object);
    if (error->field[0] != '\0')
        at = append(out, size, at, "%s: ", error->field);
    return append(out, size, at, "%s",
                  error->message[0] != '\0' ? error->message : berth_status_text(error->code));
}

berth_status berth__error_no_memory(berth_error *error)
{
    return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
}

berth_status berth__error_plain(berth_error *error, berth_status code)
{
    return code == BERTH_OK ? code : berth__error_set(error, code, "%s", berth_status_text(code));
}

void berth__error_named(berth_error *error, const char *kind, berth_str namespace_name,
                        berth_str name)
{
    if (error == NULL || error->object[0] != '\0')
        return;
    if (namespace_name.len > 0)
        berth__error_object(error, "%s %.*s/%.*s", kind, (int)namespace_name.len,
                            namespace_name.data, (int)name.len, name.data);
    else
        berth__error_object(error, "%s %.*s", kind, (int)name.len, name.data);
}
