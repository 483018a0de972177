/* Writes traces as JSON lines. */
#include "traces/trace_writer.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/words.h"
#include "workloads/manifest.h"

enum {
    SORTS_MAX = 1 << 20, /* beyond this, pods of new sorts are written in full */
    SEEN_ONCE = UINT32_MAX - 1,
};

berth_status trace_writer_open(trace_writer *w, FILE *file)
{
    *w = (trace_writer){.file = file};
    w->memory = open_memstream(&w->text, &w->text_len);
    return w->memory != NULL ? BERTH_OK : BERTH_E_NOMEM;
}

void trace_writer_close(trace_writer *w)
{
    if (w->memory != NULL)
        fclose(w->memory);
    free(w->text);
    id_table_free(&w->sorts);
}

/* Writes the object's text to w->text. */
static berth_status put_object(trace_writer *w, const berth_object *object)
{
    output o;
    if (fseek(w->memory, 0, SEEK_SET) != 0)
        return BERTH_E_NOMEM;
    output_open(&o, w->memory, OUTPUT_JSON, 0);
    manifest_write(&o, object);
    return fflush(w->memory) == 0 && ferror(w->memory) == 0 ? BERTH_OK : BERTH_E_NOMEM;
}

static uint64_t hash(const char *text, size_t len)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return h;
}

static void write_seconds(FILE *file, const char *key, int64_t time_ns)
{
    fprintf(file, "\"%s\": %" PRId64, key, time_ns / 1000000000);
    int32_t part = (int32_t)(time_ns % 1000000000);
    if (part == 0)
        return;
    char digits[16];
    int len = snprintf(digits, sizeof(digits), "%09" PRId32, part);
    while (digits[len - 1] == '0')
        len--;
    fprintf(file, ".%.*s", len, digits);
}

static void begin_line(const trace_writer *w, const trace_event *event, const char *name)
{
    fputc('{', w->file);
    write_seconds(w->file, "time", event->time_ns);
    fprintf(w->file, ", \"event\": \"%s\"", name);
}

static void end_line(const trace_writer *w, const trace_event *event)
{
    if (event->duration_ns != TRACE_NEVER) {
        fputs(", ", w->file);
        write_seconds(w->file, "duration", event->duration_ns);
    }
    fputs("}\n", w->file);
}

static berth_status put_whole(trace_writer *w, const trace_event *event)
{
    const char *name = event->kind == BERTH_KIND_NODE  ? "node_add"
                       : event->kind == BERTH_KIND_POD ? "pod_add"
                                                       : "object_add";
    berth_status status = put_object(w, &event->object);
    if (status != BERTH_OK)
        return status;
    begin_line(w, event, name);
    fputs(", \"object\": ", w->file);
    fwrite(w->text, 1, w->text_len, w->file);
    end_line(w, event);
    return BERTH_OK;
}

static void put_use(const trace_writer *w, const trace_event *event, uint32_t template_number)
{
    berth_str name = trace_meta(event)->name;
    begin_line(w, event, "pod_add");
    fprintf(w->file, ", \"template\": \"t%" PRIu32 "\", \"name\": \"%.*s\"", template_number,
            (int)name.len, name.data);
    end_line(w, event);
}

/* The number of the pod's template, which is written at its first use; ID_TABLE_NONE: none yet. */
static berth_status find_template(trace_writer *w, const berth_pod *named, uint32_t *out)
{
    berth_pod pod = *named;
    pod.meta.name = words_of("template");
    const berth_object object = {.kind = BERTH_KIND_POD, .as.pod = &pod};
    berth_status status = put_object(w, &object);
    if (status != BERTH_OK)
        return status;
    uint64_t sort = hash(w->text, w->text_len);
    *out = id_table_find(&w->sorts, sort);
    if (*out == ID_TABLE_NONE) {
        if (w->sorts.count < SORTS_MAX)
            id_table_add(&w->sorts, sort, SEEN_ONCE);
    } else if (*out == SEEN_ONCE) {
        *out = w->template_count++;
        id_table_remove(&w->sorts, sort);
        id_table_add(&w->sorts, sort, *out);
        fprintf(w->file,
                "{\"event\": \"pod_template\", \"name\": \"t%" PRIu32 "\", \"object\": ", *out);
        fwrite(w->text, 1, w->text_len, w->file);
        fputs("}\n", w->file);
    }
    return BERTH_OK;
}

berth_status trace_writer_put(trace_writer *w, const trace_event *event)
{
    uint32_t template_number = ID_TABLE_NONE;
    if (event->kind == BERTH_KIND_POD && event->object.as.pod->node_name.len == 0) {
        berth_status status = find_template(w, event->object.as.pod, &template_number);
        if (status != BERTH_OK)
            return status;
    }
    if (template_number == ID_TABLE_NONE)
        return put_whole(w, event);
    put_use(w, event, template_number);
    return BERTH_OK;
}
