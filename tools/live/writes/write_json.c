/* jansson builds and reads the JSON of all writes; times are formatted here. */
#include "live/writes/write_json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/exits.h"
#include "cli/heap.h"

berth_str write_str(const char *text)
{
    if (text == NULL)
        return (berth_str){0};
    return (berth_str){text, (uint32_t)strlen(text)};
}

static _Noreturn void no_memory(void)
{
    exit(exit_status("run", "writing a request", BERTH_E_NOMEM));
}

json_t *write_json_str(berth_str text)
{
    json_t *value = json_stringn(text.len > 0 ? text.data : "", text.len);
    if (value != NULL)
        return value;
    char *plain = heap_text(text.data, text.len);
    for (char *c = plain; *c != '\0'; c++)
        if ((unsigned char)*c > 0x7f)
            *c = '?';
    value = json_string(plain);
    free(plain);
    return value;
}

char *write_json_text(json_t *value)
{
    char *text = value != NULL ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    if (text == NULL)
        no_memory();
    json_decref(value);
    return text;
}

char *write_path(const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *path = heap_new((size_t)length + 1, 1);
    vsnprintf(path, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    return path;
}

static void time_text(char out[WRITE_TIME_BYTES], int64_t wall_ns, bool micro)
{
    time_t seconds = (time_t)(wall_ns / 1000000000);
    struct tm utc;
    gmtime_r(&seconds, &utc);
    size_t at = strftime(out, WRITE_TIME_BYTES, "%Y-%m-%dT%H:%M:%S", &utc);
    if (micro)
        snprintf(out + at, WRITE_TIME_BYTES - at, ".%06dZ", (int)(wall_ns % 1000000000 / 1000));
    else
        snprintf(out + at, WRITE_TIME_BYTES - at, "Z");
}

void write_time(char out[WRITE_TIME_BYTES], int64_t wall_ns)
{
    time_text(out, wall_ns, false);
}

void write_micro_time(char out[WRITE_TIME_BYTES], int64_t wall_ns)
{
    time_text(out, wall_ns, true);
}

static void take_text(char *out, size_t size, const json_t *value)
{
    const char *text = json_string_value(value);
    snprintf(out, size, "%s", text != NULL ? text : "");
}

void server_status_read(server_status *out, berth_str body)
{
    json_t *root = json_loadb(body.data, body.len, 0, NULL);
    out->code = (int)json_integer_value(json_object_get(root, "code"));
    take_text(out->reason, sizeof(out->reason), json_object_get(root, "reason"));
    take_text(out->message, sizeof(out->message), json_object_get(root, "message"));
    take_text(out->kind, sizeof(out->kind),
              json_object_get(json_object_get(root, "details"), "kind"));
    if (!json_is_object(root))
        snprintf(out->message, sizeof(out->message), "%.*s", WRITE_ARG(body));
    json_decref(root);
}

static berth_str copy_text(char **at, berth_str text)
{
    if (text.len == 0)
        return (berth_str){0};
    berth_str own = {*at, text.len};
    memcpy(*at, text.data, text.len);
    *at += text.len;
    return own;
}

write_pod *write_pod_copy(const write_pod *pod)
{
    size_t room = (size_t)pod->namespace_name.len + pod->name.len + pod->uid.len +
                  pod->scheduler_name.len + pod->scheduled.len + pod->nominated.len;
    write_pod *own = heap_new(sizeof(*own) + room, 1);
    char *at = (char *)(own + 1);
    *own = *pod;
    own->namespace_name = copy_text(&at, pod->namespace_name);
    own->name = copy_text(&at, pod->name);
    own->uid = copy_text(&at, pod->uid);
    own->scheduler_name = copy_text(&at, pod->scheduler_name);
    own->scheduled = copy_text(&at, pod->scheduled);
    own->nominated = copy_text(&at, pod->nominated);
    return own;
}

const char *write_preemptor_type(const write_pod *preemptor)
{
    static const char *const types[] = {"pod", "podgroup", "compositepodgroup"};
    return types[preemptor->kind];
}

bool write_str_equal(berth_str a, berth_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}
