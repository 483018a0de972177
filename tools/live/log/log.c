/* Log records are built on the stack and written with one call. */
#include "live/log/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Longer records are cut off at the end of a value. */
enum { RECORD_BYTES = 4096, VALUE_BYTES_MAX = 1500 };

static _Atomic int enabled_level;
static bool writes_json; /* written before other threads start */

typedef struct record {
    char text[RECORD_BYTES];
    size_t length;
} record;

void log_setup(bool json, int verbosity)
{
    writes_json = json;
    log_set_level(verbosity);
}

/* relaxed, as in log_level: no other data depends on the level. */
void log_set_level(int verbosity)
{
    atomic_store_explicit(&enabled_level, verbosity, memory_order_relaxed);
}

int log_level(void)
{
    return atomic_load_explicit(&enabled_level, memory_order_relaxed); /* relaxed */
}

bool log_enabled(int level)
{
    return level <= log_level();
}

/* Reserves room for the end of the record: "\"}\n". */
static void put(record *r, const char *bytes, size_t count)
{
    if (r->length + count <= RECORD_BYTES - 4) {
        memcpy(r->text + r->length, bytes, count);
        r->length += count;
    }
}

static void put_format(record *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put_format(record *r, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    put(r, text, length < (int)sizeof(text) ? (size_t)length : sizeof(text) - 1);
}

/* The length in bytes of the UTF-8 character at `text`; 0 if it is invalid. */
static size_t character(const unsigned char *text)
{
    size_t length = text[0] < 0x80                      ? 1
                    : text[0] >= 0xc2 && text[0] < 0xe0 ? 2
                    : text[0] >= 0xe0 && text[0] < 0xf0 ? 3
                    : text[0] >= 0xf0 && text[0] < 0xf5 ? 4
                                                        : 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

/* Writes a quoted string that is valid for both JSON and klog. Control characters are escaped, so
 * that a record stays one line whatever a server's message contains. */
static void put_quoted(record *r, const char *value)
{
    size_t used = 0;
    put(r, "\"", 1);
    for (const char *c = value; *c != '\0';) {
        size_t length = character((const unsigned char *)c);
        if (used + 8 > VALUE_BYTES_MAX || r->length + 16 > RECORD_BYTES) {
            put(r, "...", 3);
            break;
        }
        if (*c == '"' || *c == '\\')
            put_format(r, "\\%c", *c);
        else if (*c == '\n')
            put(r, "\\n", 2);
        else if (length == 1 && ((unsigned char)*c < 0x20 || *c == 0x7f))
            put_format(r, "\\u%04x", (unsigned char)*c);
        else if (length == 2 && (unsigned char)c[0] == 0xc2 && (unsigned char)c[1] < 0xa0)
            put_format(r, "\\u%04x",
                       (unsigned char)c[1]); /* C1 control characters, which terminals obey, too */
        else if (length == 0)
            put(r, "?", 1);
        else
            put(r, c, length);
        used += length > 0 ? length : 1;
        c += length > 0 ? length : 1;
    }
    put(r, "\"", 1);
}

static void begin_text(record *r, const char *file, int line, log_severity severity,
                       const char *message)
{
    static const char letters[] = "IWE";
    struct timespec now;
    struct tm local;
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &local);
    put_format(r, "%c%02d%02d %02d:%02d:%02d.%06ld %7ld %s:%d] ", letters[severity],
               local.tm_mon + 1, local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec,
               now.tv_nsec / 1000, syscall(SYS_gettid), file, line);
    put_quoted(r, message);
}

static void begin_json(record *r, const char *file, int line, log_severity severity, int level,
                       const char *message)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    put_format(r, "{\"ts\":%lld.%03ld,\"caller\":\"%s:%d\",\"msg\":",
               (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000, now.tv_nsec % 1000000 / 1000,
               file, line);
    put_quoted(r, message);
    if (severity == LOG_SEVERITY_INFO)
        put_format(r, ",\"v\":%d", level);
    else if (severity == LOG_SEVERITY_WARNING)
        put_format(r, ",\"severity\":\"warning\"");
}

void log_write(const char *file, int line, int level, log_severity severity, const char *message,
               ...)
{
    record r = {.length = 0};
    const char *slash = strrchr(file, '/');
    file = slash != NULL ? slash + 1 : file;
    if (writes_json)
        begin_json(&r, file, line, severity, level, message);
    else
        begin_text(&r, file, line, severity, message);
    va_list pairs;
    va_start(pairs, message);
    for (const char *key; (key = va_arg(pairs, const char *)) != NULL;) {
        const char *value = va_arg(pairs, const char *);
        if (r.length + strlen(key) + 24 > RECORD_BYTES)
            break;
        put_format(&r, writes_json ? ",\"%s\":" : " %s=", key);
        put_quoted(&r, value != NULL ? value : "");
    }
    va_end(pairs);
    if (writes_json)
        r.text[r.length++] = '}';
    r.text[r.length++] = '\n';
    if (write(STDERR_FILENO, r.text, r.length) < 0)
        return; /* nowhere left to report it */
}
