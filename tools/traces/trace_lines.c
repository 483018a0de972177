/* Turns JSON lines into events. Objects go unchanged to the library's own reader; templates are
 * kept as copies. */
#include "traces/trace_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "traces/json_slice.h"
#include "traces/trace_envelope.h"

enum { LABELS_MAX = 256 };

/* The context of callbacks of the library's reader. */
typedef struct handing {
    trace_lines *lines;
    const trace_envelope *line;
    trace_event_fn each;
    void *context;
    uint32_t handed; /* objects */
    bool refused;    /* the callback refused one; its error is kept */
} handing;

/* ---- objects ---- */

static berth_status hand_event(handing *h, const trace_event *event, berth_error *error)
{
    berth_error origin;
    error_set(&origin, BERTH_OK, h->lines->lines.path, "%s", "");
    origin.line = h->lines->lines.number;
    h->handed++;
    berth_status status = h->each(h->context, event, &origin, error);
    h->refused = status != BERTH_OK;
    return status;
}

static trace_event event_of(const trace_envelope *line)
{
    return (trace_event){
        .time_ns = line->time_ns,
        .verb = trace_event_rules[line->event].verb,
        .kind = trace_event_rules[line->event].kind,
        .duration_ns = line->duration_ns,
        .leave_ns = TRACE_NEVER,
    };
}

/* Whether an event may bring objects of a kind. Workloads may bring other kinds with their pods. */
static bool kind_suits(event_kind event, berth_kind kind)
{
    switch (trace_event_rules[event].kind) {
    case BERTH_KIND_NODE:
        return kind == BERTH_KIND_NODE;
    case BERTH_KIND_POD:
        return kind != BERTH_KIND_NODE;
    default:
        return kind != BERTH_KIND_NODE && kind != BERTH_KIND_POD;
    }
}

static berth_status on_object(void *context, const berth_object *object, const berth_error *origin,
                              berth_error *error)
{
    (void)origin;
    handing *h = context;
    if (!kind_suits(h->line->event, object->kind)) {
        h->refused = true;
        return line_file_fail(&h->lines->lines, error, BERTH_E_INVALID, "a %s is nothing for %s",
                              berth_kind_name(object->kind),
                              trace_event_rules[h->line->event].name);
    }
    trace_event event = event_of(h->line);
    event.kind = object->kind;
    event.object = *object;
    return hand_event(h, &event, error);
}

static void name_template(const trace_envelope *line, char *out, size_t size)
{
    bool node = trace_event_rules[line->event].kind == BERTH_KIND_NODE;
    const char *name = trace_event_is_template(line->event) ? line->name : line->template_name;
    snprintf(out, size, "%s/%s", node ? "Node" : "Pod", name);
}

static berth_status on_template(void *context, const berth_object *object,
                                const berth_error *origin, berth_error *error)
{
    (void)origin;
    handing *h = context;
    trace_lines *t = h->lines;
    char key[TRACE_NAME_BYTES + 8];
    h->refused = true;
    if (object->kind != trace_event_rules[h->line->event].kind)
        return line_file_fail(&t->lines, error, BERTH_E_INVALID, "a %s is nothing for %s",
                              berth_kind_name(object->kind),
                              trace_event_rules[h->line->event].name);
    if (h->handed > 0)
        return line_file_fail(&t->lines, error, BERTH_E_INVALID,
                              "a template is one object, not a list");
    name_template(h->line, key, sizeof(key));
    uint32_t number = 0;
    if (word_table_find(&t->template_names, words_of(key), &number))
        return line_file_fail(&t->lines, error, BERTH_E_EXISTS, "there is a template '%s' already",
                              h->line->name);
    number = word_table_add(&t->template_names, words_of(key));
    t->templates =
        heap_grow(t->templates, &t->template_capacity, (size_t)number + 1, sizeof(*t->templates));
    t->templates[number] = heap_object(object);
    h->handed++;
    h->refused = false;
    return BERTH_OK;
}

/* Convert the place of an error inside an object to its place in the file. */
static void place_error(const trace_lines *t, berth_str object, berth_error *error)
{
    if (error->source[0] == '\0' || error->line <= 1) {
        error->column += error->column > 0 ? (uint32_t)(object.data - t->lines.line) : 0;
        error->line = t->lines.number;
        error->offset = UINT64_MAX;
    }
    snprintf(error->source, sizeof(error->source), "%s", t->lines.path);
}

/* Copy the members of an object except one, each with a comma before it. Returns false if the text
 * is not an object. */
static bool copy_members(FILE *to, berth_str object, const char *but)
{
    size_t at = 0;
    berth_str key;
    berth_str value;
    json_slice_step step;
    while ((step = json_slice_next_member(object, &at, &key, &value)) == JSON_SLICE_MEMBER)
        if (!words_equal(key, words_of(but)))
            fprintf(to, ", \"%.*s\": %.*s", (int)key.len, key.data, (int)value.len, value.data);
    return step == JSON_SLICE_END;
}

/* Returns a template's text with kind and name, which it may omit but the library's reader
 * requires; freed by the caller. NULL if the template is broken, or memory is short. */
static char *complete_template(berth_str object, const char *kind, size_t *len)
{
    char *text = NULL;
    FILE *to = open_memstream(&text, len);
    if (to == NULL)
        return NULL;
    berth_str meta = json_slice_member(object, "metadata");
    if (json_slice_member(object, "kind").data == NULL)
        fprintf(to, "{\"kind\": \"%s\", \"metadata\": {\"name\": \"template\"", kind);
    else
        fputs("{\"metadata\": {\"name\": \"template\"", to);
    bool whole = meta.data == NULL || copy_members(to, meta, "name");
    fputc('}', to);
    whole = copy_members(to, object, "metadata") && whole;
    fputc('}', to);
    if (fclose(to) == 0 && whole)
        return text;
    free(text);
    return NULL;
}

static berth_status read_template(handing *h, berth_error *error)
{
    trace_lines *t = h->lines;
    size_t len = 0;
    berth_str object = h->line->values[MEMBER_OBJECT];
    char *text =
        complete_template(object, berth_kind_name(trace_event_rules[h->line->event].kind), &len);
    const berth_str given = text != NULL ? (berth_str){text, (uint32_t)len} : object;
    berth_status status = berth_reader_text(t->reader, given, "", on_template, h, error);
    free(text);
    return status;
}

static berth_status read_object(handing *h, berth_error *error)
{
    trace_lines *t = h->lines;
    berth_str object = h->line->values[MEMBER_OBJECT];
    berth_status status;
    if (object.data[0] != '{')
        return trace_member_fail(&t->lines, error, BERTH_E_INVALID, MEMBER_OBJECT,
                                 "expected an object");
    if (trace_event_is_template(h->line->event)) {
        status = read_template(h, error);
    } else {
        status = berth_reader_text(t->reader, object, "", on_object, h, error);
        if (status == BERTH_OK)
            status = berth_reader_finish(t->reader, t->engine, on_object, h, error);
    }
    if (status != BERTH_OK && !h->refused)
        place_error(t, object, error);
    if (status == BERTH_OK && h->handed == 0 && trace_event_is_template(h->line->event))
        return line_file_fail(&t->lines, error, BERTH_E_INVALID, "no object that %s takes",
                              trace_event_rules[h->line->event].name);
    return status;
}

/* ---- templates ---- */

typedef struct label_list {
    berth_key_value entries[LABELS_MAX];
    uint32_t count;
    char text[LABELS_MAX * 64];
    size_t text_used;
} label_list;

static void put_label(label_list *list, berth_key_value entry)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (words_equal(list->entries[i].key, entry.key)) {
            list->entries[i].value = entry.value;
            return;
        }
    }
    if (list->count < LABELS_MAX)
        list->entries[list->count++] = entry;
}

static bool take_text(label_list *list, berth_str quoted, berth_str *out)
{
    char *to = list->text + list->text_used;
    if (!trace_string(quoted, to, sizeof(list->text) - list->text_used))
        return false;
    *out = words_of(to);
    list->text_used += out->len + 1;
    return true;
}

/* Merge labels; those of the line override the template's. */
static berth_status merge_labels(const trace_lines *t, const trace_envelope *line, label_list *list,
                                 berth_error *error)
{
    if (!trace_envelope_has(line, MEMBER_LABELS))
        return BERTH_OK;
    size_t at = 0;
    berth_str key;
    berth_str value;
    json_slice_step step;
    while ((step = json_slice_next_member(line->values[MEMBER_LABELS], &at, &key, &value)) ==
           JSON_SLICE_MEMBER) {
        berth_key_value entry;
        const berth_str quoted_key = {key.data - 1, key.len + 2};
        if (list->count == LABELS_MAX || !take_text(list, quoted_key, &entry.key) ||
            !take_text(list, value, &entry.value))
            break;
        put_label(list, entry);
    }
    if (step == JSON_SLICE_END)
        return BERTH_OK;
    return trace_member_fail(&t->lines, error, BERTH_E_INVALID, MEMBER_LABELS,
                             "expected an object of at most 256 short strings");
}

/* Returns NULL, with an error, if no line made the template. */
static const berth_object *find_template(const trace_lines *t, const trace_envelope *line,
                                         berth_error *error)
{
    char key[TRACE_NAME_BYTES + 8];
    name_template(line, key, sizeof(key));
    uint32_t number = 0;
    if (word_table_find(&t->template_names, words_of(key), &number))
        return t->templates[number];
    line_file_fail(&t->lines, error, BERTH_E_NOT_FOUND,
                   "no line before this one makes a %s template '%s'",
                   berth_kind_name(trace_event_rules[line->event].kind), line->template_name);
    return NULL;
}

/* Pass on the template under one name after the other. */
static berth_status hand_made(handing *h, trace_event *event, berth_metadata *meta,
                              label_list *list, berth_error *error)
{
    const trace_envelope *line = h->line;
    char name[TRACE_NAME_BYTES + 32];
    berth_status status = BERTH_OK;
    for (uint64_t i = 0; i < line->count && status == BERTH_OK; i++) {
        if (trace_envelope_has(line, MEMBER_COUNT_OF))
            snprintf(name, sizeof(name), "%s-%" PRIu64, line->name, i);
        else
            snprintf(name, sizeof(name), "%s", line->name);
        meta->name = words_of(name);
        if (event->kind == BERTH_KIND_NODE)
            put_label(list, (berth_key_value){words_of("kubernetes.io/hostname"), meta->name});
        meta->labels = (berth_map){list->entries, list->count};
        status = hand_event(h, event, error);
    }
    return status;
}

static berth_status make_from_template(handing *h, berth_error *error)
{
    const trace_envelope *line = h->line;
    const berth_object *made_of = find_template(h->lines, line, error);
    berth_node node;
    berth_pod pod;
    label_list list;
    list.count = 0;
    list.text_used = 0;
    if (made_of == NULL)
        return BERTH_E_NOT_FOUND;
    trace_event event = event_of(line);
    event.object.kind = made_of->kind;
    event.made_of = !trace_envelope_has(line, MEMBER_LABELS) ? made_of : NULL;
    berth_metadata *meta = &node.meta;
    if (event.kind == BERTH_KIND_NODE) {
        node = *made_of->as.node;
        event.object.as.node = &node;
    } else {
        pod = *made_of->as.pod;
        event.object.as.pod = &pod;
        meta = &pod.meta;
    }
    for (uint32_t i = 0; i < meta->labels.count; i++)
        put_label(&list, meta->labels.entries[i]);
    TRY(merge_labels(h->lines, line, &list, error));
    meta->uid = (berth_str){0};
    if (line->namespace_name[0] != '\0')
        meta->namespace_name = words_of(line->namespace_name);
    return hand_made(h, &event, meta, &list, error);
}

/* ---- the reader ---- */

static berth_status hand_named(handing *h, berth_error *error)
{
    const trace_envelope *line = h->line;
    trace_event event = event_of(line);
    event.name = words_of(line->name);
    bool pod = event.kind == BERTH_KIND_POD;
    event.namespace_name = words_of(line->namespace_name[0] != '\0' ? line->namespace_name
                                    : pod                           ? "default"
                                                                    : "");
    if (event.kind == BERTH_KIND_COUNT) {
        for (int kind = 0; kind < BERTH_KIND_COUNT; kind++)
            if (strcmp(berth_kind_name((berth_kind)kind), line->kind) == 0 &&
                kind_suits(line->event, (berth_kind)kind))
                event.kind = (berth_kind)kind;
        if (event.kind == BERTH_KIND_COUNT)
            return trace_member_fail(
                &h->lines->lines, error, BERTH_E_INVALID, MEMBER_KIND,
                "no kind that a scheduler reads, or one with events of its own");
    }
    return hand_event(h, &event, error);
}

static bool is_blank(const line_file *f)
{
    for (size_t i = 0; i < f->len; i++)
        if (strchr(" \t\r\n", f->line[i]) == NULL)
            return false;
    return true;
}

berth_status trace_lines_open(trace_lines *t, const char *path, berth_reader *reader,
                              berth_engine *engine, berth_error *error)
{
    *t = (trace_lines){.reader = reader, .engine = engine};
    return line_file_open(&t->lines, path, error);
}

berth_status trace_lines_start(trace_lines *t, int64_t *time_ns, berth_error *error)
{
    *time_ns = 0;
    for (bool more = true;;) {
        TRY(line_file_next(&t->lines, &more, error));
        if (!more)
            break;
        t->held = heap_grow(t->held, &t->held_capacity, t->held_len + t->lines.len, 1);
        memcpy(t->held + t->held_len, t->lines.line, t->lines.len);
        t->held_len += t->lines.len;
        berth_str line = {t->lines.line, (uint32_t)t->lines.len};
        berth_str value = json_slice_member(line, "time");
        if (value.data != NULL && trace_seconds(value, time_ns))
            break;
    }
    t->lines.number = 0;
    return BERTH_OK;
}

/* Get the next line: one read ahead, or one from the file. */
static berth_status next_line(trace_lines *t, bool *more, berth_error *error)
{
    if (t->held_at == t->held_len)
        return line_file_next(&t->lines, more, error);
    const char *from = t->held + t->held_at;
    const char *stop = memchr(from, '\n', t->held_len - t->held_at);
    t->lines.len = stop != NULL ? (size_t)(stop - from) + 1 : t->held_len - t->held_at;
    memcpy(t->lines.line, from, t->lines.len);
    t->held_at += t->lines.len;
    t->lines.number++;
    *more = true;
    return BERTH_OK;
}

void trace_lines_close(trace_lines *t)
{
    free(t->held);
    for (size_t i = 0; i < t->template_names.count; i++)
        berth_object_destroy(t->templates[i]);
    free(t->templates);
    word_table_free(&t->template_names);
    line_file_close(&t->lines);
}

berth_status trace_lines_next(trace_lines *t, trace_event_fn each, void *context, bool *more,
                              berth_error *error)
{
    trace_envelope line = {.given = 0};
    handing h = {.lines = t, .line = &line, .each = each, .context = context};
    TRY(next_line(t, more, error));
    if (!*more || is_blank(&t->lines))
        return BERTH_OK;
    TRY(trace_envelope_read(&t->lines, t->time_ns, &line, error));
    t->time_ns = line.time_ns;
    if (trace_envelope_has(&line, MEMBER_OBJECT))
        return read_object(&h, error);
    if (trace_envelope_has(&line, MEMBER_TEMPLATE))
        return make_from_template(&h, error);
    return hand_named(&h, error);
}
