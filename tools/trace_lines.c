/* Reading of JSON lines. The envelope of an event is read here, by its brackets; objects go, as
 * they stand, to the library's own reader. */
#include "trace_lines.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exits.h"
#include "heap.h"
#include "json_slice.h"
#include "options.h"

enum { LABELS_MAX = 256, NAME_BYTES = 512 };

static const int64_t second_ns = INT64_C(1000000000);
static const int64_t time_max_s = INT64_C(6300000000);

typedef enum event_kind {
    EVENT_POD_TEMPLATE,
    EVENT_NODE_TEMPLATE,
    EVENT_POD_ADD,
    EVENT_POD_UPDATE,
    EVENT_POD_REMOVE,
    EVENT_NODE_ADD,
    EVENT_NODE_UPDATE,
    EVENT_NODE_REMOVE,
    EVENT_NODE_FAIL,
    EVENT_NODE_RETURN,
    EVENT_OBJECT_ADD,
    EVENT_OBJECT_UPDATE,
    EVENT_OBJECT_REMOVE,
    EVENT_COUNT,
} event_kind;

/* Members of a line, and bits of which are allowed. */
typedef enum member {
    MEMBER_TIME,
    MEMBER_EVENT,
    MEMBER_OBJECT,
    MEMBER_TEMPLATE,
    MEMBER_NAME,
    MEMBER_NAMESPACE,
    MEMBER_LABELS,
    MEMBER_COUNT_OF,
    MEMBER_DURATION,
    MEMBER_KIND,
    MEMBER_COUNT,
} member;

static const char *const member_names[MEMBER_COUNT] = {
    "time", "event", "object", "template", "name", "namespace", "labels", "count", "duration",
    "kind"};

#define BIT(name) (1u << MEMBER_##name)
#define MADE_FROM_TEMPLATE                                                                     \
    (BIT(TEMPLATE) | BIT(NAME) | BIT(LABELS) | BIT(COUNT_OF))

static const struct {
    const char *name;
    trace_verb verb;
    berth_kind kind;  /* BERTH_KIND_COUNT: as the object says */
    uint32_t allowed; /* beside time and event */
    uint32_t needed;
} events[EVENT_COUNT] = {
    {"pod_template", TRACE_ADD, BERTH_KIND_POD, BIT(NAME) | BIT(OBJECT), BIT(NAME) | BIT(OBJECT)},
    {"node_template", TRACE_ADD, BERTH_KIND_NODE, BIT(NAME) | BIT(OBJECT),
     BIT(NAME) | BIT(OBJECT)},
    {"pod_add", TRACE_ADD, BERTH_KIND_POD,
     BIT(OBJECT) | MADE_FROM_TEMPLATE | BIT(NAMESPACE) | BIT(DURATION), 0},
    {"pod_update", TRACE_UPDATE, BERTH_KIND_POD, BIT(OBJECT), BIT(OBJECT)},
    {"pod_remove", TRACE_REMOVE, BERTH_KIND_POD, BIT(NAME) | BIT(NAMESPACE), BIT(NAME)},
    {"node_add", TRACE_ADD, BERTH_KIND_NODE, BIT(OBJECT) | MADE_FROM_TEMPLATE, 0},
    {"node_update", TRACE_UPDATE, BERTH_KIND_NODE, BIT(OBJECT), BIT(OBJECT)},
    {"node_remove", TRACE_REMOVE, BERTH_KIND_NODE, BIT(NAME), BIT(NAME)},
    {"node_fail", TRACE_FAIL, BERTH_KIND_NODE, BIT(NAME) | BIT(DURATION), BIT(NAME)},
    {"node_return", TRACE_RETURN, BERTH_KIND_NODE, BIT(NAME), BIT(NAME)},
    {"object_add", TRACE_ADD, BERTH_KIND_COUNT, BIT(OBJECT), BIT(OBJECT)},
    {"object_update", TRACE_UPDATE, BERTH_KIND_COUNT, BIT(OBJECT), BIT(OBJECT)},
    {"object_remove", TRACE_REMOVE, BERTH_KIND_COUNT, BIT(KIND) | BIT(NAME) | BIT(NAMESPACE),
     BIT(KIND) | BIT(NAME)},
};

/* One line taken apart. */
typedef struct envelope {
    event_kind event;
    uint32_t given; /* bits */
    berth_str values[MEMBER_COUNT]; /* as they stand */
    char name[NAME_BYTES];
    char namespace_name[NAME_BYTES];
    char template_name[NAME_BYTES];
    char kind[64];
    int64_t time_ns;
    int64_t duration_ns;
    uint64_t count;
} envelope;

/* What the callbacks of the library's reader work on. */
typedef struct handing {
    trace_lines *lines;
    const envelope *line;
    trace_event_fn each;
    void *context;
    uint32_t handed; /* objects */
    bool refused;    /* by the callback, whose error stands */
} handing;

bool trace_seconds(berth_str text, int64_t *out_ns)
{
    int64_t seconds = 0;
    int64_t part_ns = 0;
    int64_t unit = second_ns;
    uint32_t at = 0;
    for (; at < text.len && text.data[at] >= '0' && text.data[at] <= '9'; at++) {
        seconds = seconds * 10 + (text.data[at] - '0');
        if (seconds > time_max_s)
            return false;
    }
    if (at == 0)
        return false;
    if (at + 1 < text.len && text.data[at] == '.') {
        for (at++; at < text.len && text.data[at] >= '0' && text.data[at] <= '9'; at++) {
            unit /= 10;
            part_ns += (text.data[at] - '0') * unit;
        }
    }
    *out_ns = seconds * second_ns + part_ns;
    if (at == text.len)
        return true;
    char copy[64];
    char *stop = NULL;
    if (text.len >= sizeof(copy) || (text.data[at] != 'e' && text.data[at] != 'E'))
        return false;
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    double value = strtod(copy, &stop);
    if (*stop != '\0' || !(value >= 0.0 && value <= (double)time_max_s))
        return false;
    *out_ns = (int64_t)(value * 1e9);
    return true;
}

/* ---- values ---- */

static berth_status fail_member(const trace_lines *t, berth_error *error, berth_status code,
                                member which, const char *message)
{
    line_file_fail(&t->lines, error, code, "%s", message);
    snprintf(error->field, sizeof(error->field), "%s", member_names[which]);
    return code;
}

/* A JSON string's text into `out`. */
static bool read_string(berth_str value, char *out, size_t size)
{
    if (value.len < 2 || value.data[0] != '"')
        return false;
    if (memchr(value.data, '\\', value.len) == NULL) {
        if (value.len - 2 >= size)
            return false;
        memcpy(out, value.data + 1, value.len - 2);
        out[value.len - 2] = '\0';
        return true;
    }
    json_t *decoded = json_loadb(value.data, value.len, JSON_DECODE_ANY, NULL);
    bool fits = decoded != NULL && json_string_length(decoded) < size;
    if (fits)
        memcpy(out, json_string_value(decoded), json_string_length(decoded) + 1);
    json_decref(decoded);
    return fits;
}

static berth_status read_text(const trace_lines *t, const envelope *line, member which, char *out,
                              size_t size, berth_error *error)
{
    out[0] = '\0';
    if ((line->given & 1u << which) == 0)
        return BERTH_OK;
    if (!read_string(line->values[which], out, size) || out[0] == '\0')
        return fail_member(t, error, BERTH_E_INVALID, which, "expected a string, and not an empty one");
    return BERTH_OK;
}

static berth_status read_time(const trace_lines *t, const envelope *line, member which,
                              int64_t missing_ns, int64_t *out_ns, berth_error *error)
{
    *out_ns = missing_ns;
    if ((line->given & 1u << which) == 0 || trace_seconds(line->values[which], out_ns))
        return BERTH_OK;
    return fail_member(t, error, BERTH_E_INVALID, which,
                       "expected a number of seconds, 0 or more and less than 200 years");
}

static berth_status read_count(const trace_lines *t, envelope *line, berth_error *error)
{
    char text[24];
    berth_str value = line->values[MEMBER_COUNT_OF];
    line->count = 1;
    if ((line->given & BIT(COUNT_OF)) == 0)
        return BERTH_OK;
    snprintf(text, sizeof(text), "%.*s", (int)(value.len < 20 ? value.len : 20), value.data);
    if (options_number(text, 1, UINT32_MAX, &line->count))
        return BERTH_OK;
    return fail_member(t, error, BERTH_E_INVALID, MEMBER_COUNT_OF,
                       "expected a whole number of 1 or more");
}

/* ---- the envelope ---- */

static int find_member(berth_str key)
{
    for (int i = 0; i < MEMBER_COUNT; i++)
        if (words_equal(key, words_of(member_names[i])))
            return i;
    return -1;
}

static berth_status split_line(const trace_lines *t, envelope *line, berth_error *error)
{
    berth_str text = {t->lines.line, (uint32_t)t->lines.len};
    size_t at = 0;
    berth_str key;
    berth_str value;
    json_slice_step step;
    while ((step = json_slice_next_member(text, &at, &key, &value)) == JSON_SLICE_MEMBER) {
        int which = find_member(key);
        if (which < 0)
            return line_file_fail(&t->lines, error, BERTH_E_INVALID,
                                  "'%.*s' is no member of an event", (int)key.len, key.data);
        if ((line->given & 1u << which) != 0)
            return fail_member(t, error, BERTH_E_INVALID, (member)which, "given twice");
        line->given |= 1u << which;
        line->values[which] = value;
    }
    bool blank = step == JSON_SLICE_END;
    for (; blank && at < text.len; at++)
        blank = strchr(" \t\r\n", text.data[at]) != NULL;
    return blank ? BERTH_OK
                 : line_file_fail(&t->lines, error, BERTH_E_PARSE,
                                  "expected one JSON object on a line of its own");
}

static berth_status read_event(const trace_lines *t, envelope *line, berth_error *error)
{
    char given[64];
    if ((line->given & BIT(EVENT)) == 0)
        return fail_member(t, error, BERTH_E_INVALID, MEMBER_EVENT, "missing");
    TRY(read_text(t, line, MEMBER_EVENT, given, sizeof(given), error));
    for (line->event = 0; line->event < EVENT_COUNT; line->event++)
        if (strcmp(events[line->event].name, given) == 0)
            return BERTH_OK;
    char message[128];
    snprintf(message, sizeof(message), "'%s' is no event; see 'berth replay --help'", given);
    return fail_member(t, error, BERTH_E_INVALID, MEMBER_EVENT, message);
}

static bool is_template(event_kind event)
{
    return event == EVENT_POD_TEMPLATE || event == EVENT_NODE_TEMPLATE;
}

static berth_status check_members(const trace_lines *t, const envelope *line, berth_error *error)
{
    char message[128];
    const char *name = events[line->event].name;
    uint32_t allowed = events[line->event].allowed | BIT(EVENT) | BIT(TIME);
    uint32_t needed = events[line->event].needed | (is_template(line->event) ? 0 : BIT(TIME));
    for (int i = 0; i < MEMBER_COUNT; i++) {
        bool given = (line->given & 1u << i) != 0;
        if (given && (allowed & 1u << i) == 0) {
            snprintf(message, sizeof(message), "%s takes none", name);
            return fail_member(t, error, BERTH_E_INVALID, (member)i, message);
        }
        if (!given && (needed & 1u << i) != 0) {
            snprintf(message, sizeof(message), "missing, and %s needs it", name);
            return fail_member(t, error, BERTH_E_INVALID, (member)i, message);
        }
    }
    bool from_template = (line->given & MADE_FROM_TEMPLATE) != 0;
    bool made = (events[line->event].allowed & BIT(TEMPLATE)) != 0;
    if (made && from_template == ((line->given & BIT(OBJECT)) != 0))
        return line_file_fail(&t->lines, error, BERTH_E_INVALID,
                              "%s takes either an object, or a template and a name", name);
    if (made && from_template && (~line->given & (BIT(TEMPLATE) | BIT(NAME))) != 0)
        return line_file_fail(&t->lines, error, BERTH_E_INVALID,
                              "%s needs both template and name", name);
    return BERTH_OK;
}

static berth_status read_envelope(trace_lines *t, envelope *line, berth_error *error)
{
    TRY(split_line(t, line, error));
    TRY(read_event(t, line, error));
    TRY(check_members(t, line, error));
    TRY(read_time(t, line, MEMBER_TIME, t->time_ns, &line->time_ns, error));
    if (line->time_ns < t->time_ns)
        return fail_member(t, error, BERTH_E_INVALID, MEMBER_TIME,
                           "earlier than the line before; a trace is sorted by time");
    TRY(
        read_time(t, line, MEMBER_DURATION, TRACE_NEVER, &line->duration_ns, error));
    TRY(read_count(t, line, error));
    TRY(
        read_text(t, line, MEMBER_NAME, line->name, sizeof(line->name), error));
    TRY(read_text(t, line, MEMBER_NAMESPACE, line->namespace_name,
                              sizeof(line->namespace_name), error));
    TRY(read_text(t, line, MEMBER_TEMPLATE, line->template_name,
                              sizeof(line->template_name), error));
    return read_text(t, line, MEMBER_KIND, line->kind, sizeof(line->kind), error);
}

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

static trace_event event_of(const envelope *line)
{
    return (trace_event){
        .time_ns = line->time_ns,
        .verb = events[line->event].verb,
        .kind = events[line->event].kind,
        .duration_ns = line->duration_ns,
        .leave_ns = TRACE_NEVER,
    };
}

/* Workloads may bring objects of other kinds along with their pods. */
static bool kind_suits(event_kind event, berth_kind kind)
{
    switch (events[event].kind) {
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
                              berth_kind_name(object->kind), events[h->line->event].name);
    }
    trace_event event = event_of(h->line);
    event.kind = object->kind;
    event.object = *object;
    return hand_event(h, &event, error);
}

static void name_template(const envelope *line, char *out, size_t size)
{
    bool node = events[line->event].kind == BERTH_KIND_NODE;
    const char *name = is_template(line->event) ? line->name : line->template_name;
    snprintf(out, size, "%s/%s", node ? "Node" : "Pod", name);
}

static berth_status on_template(void *context, const berth_object *object,
                                const berth_error *origin, berth_error *error)
{
    (void)origin;
    handing *h = context;
    trace_lines *t = h->lines;
    char key[NAME_BYTES + 8];
    h->refused = true;
    if (object->kind != events[h->line->event].kind)
        return line_file_fail(&t->lines, error, BERTH_E_INVALID, "a %s is nothing for %s",
                              berth_kind_name(object->kind), events[h->line->event].name);
    if (h->handed > 0)
        return line_file_fail(&t->lines, error, BERTH_E_INVALID,
                              "a template is one object, not a list");
    name_template(h->line, key, sizeof(key));
    uint32_t number = 0;
    if (word_table_find(&t->template_names, words_of(key), &number))
        return line_file_fail(&t->lines, error, BERTH_E_EXISTS,
                              "there is a template '%s' already", h->line->name);
    number = word_table_add(&t->template_names, words_of(key));
    t->templates = heap_grow(t->templates, &t->template_capacity, (size_t)number + 1,
                             sizeof(*t->templates));
    t->templates[number] = heap_object(object);
    h->handed++;
    h->refused = false;
    return BERTH_OK;
}

/* An error inside an object: from the reader's place in it to the place in the file. */
static void place_error(const trace_lines *t, berth_str object, berth_error *error)
{
    if (error->source[0] == '\0' || error->line <= 1) {
        error->column += error->column > 0 ? (uint32_t)(object.data - t->lines.line) : 0;
        error->line = t->lines.number;
        error->offset = UINT64_MAX;
    }
    snprintf(error->source, sizeof(error->source), "%s", t->lines.path);
}

/* The members of an object but for one, each with a comma before it. False if it is no object. */
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

/* A template may leave out its kind and its name, which the library's reader asks for: its text with both,
 * freed by the caller. NULL if it is broken, or there is no memory. */
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
        complete_template(object, berth_kind_name(events[h->line->event].kind), &len);
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
        return fail_member(t, error, BERTH_E_INVALID, MEMBER_OBJECT, "expected an object");
    if (is_template(h->line->event)) {
        status = read_template(h, error);
    } else {
        status = berth_reader_text(t->reader, object, "", on_object, h, error);
        if (status == BERTH_OK)
            status = berth_reader_finish(t->reader, t->engine, on_object, h, error);
    }
    if (status != BERTH_OK && !h->refused)
        place_error(t, object, error);
    if (status == BERTH_OK && h->handed == 0 && is_template(h->line->event))
        return line_file_fail(&t->lines, error, BERTH_E_INVALID, "no object that %s takes",
                              events[h->line->event].name);
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
    if (!read_string(quoted, to, sizeof(list->text) - list->text_used))
        return false;
    *out = words_of(to);
    list->text_used += out->len + 1;
    return true;
}

/* The line's labels over the template's. */
static berth_status merge_labels(const trace_lines *t, const envelope *line, label_list *list,
                                 berth_error *error)
{
    if ((line->given & BIT(LABELS)) == 0)
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
    return fail_member(t, error, BERTH_E_INVALID, MEMBER_LABELS,
                       "expected an object of at most 256 short strings");
}

static berth_status find_template(const trace_lines *t, const envelope *line, const berth_object **out,
                                  berth_error *error)
{
    char key[NAME_BYTES + 8];
    name_template(line, key, sizeof(key));
    uint32_t number = 0;
    if (!word_table_find(&t->template_names, words_of(key), &number))
        return line_file_fail(&t->lines, error, BERTH_E_NOT_FOUND,
                              "no line before this one makes a %s template '%s'",
                              berth_kind_name(events[line->event].kind), line->template_name);
    *out = t->templates[number];
    return BERTH_OK;
}

/* Hand out the template under one name after the other. */
static berth_status hand_made(handing *h, trace_event *event, berth_metadata *meta,
                              label_list *list, berth_error *error)
{
    const envelope *line = h->line;
    char name[NAME_BYTES + 32];
    berth_status status = BERTH_OK;
    for (uint64_t i = 0; i < line->count && status == BERTH_OK; i++) {
        if ((line->given & BIT(COUNT_OF)) != 0)
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
    const envelope *line = h->line;
    const berth_object *made_of = NULL;
    berth_node node;
    berth_pod pod;
    label_list list;
    list.count = 0;
    list.text_used = 0;
    TRY(find_template(h->lines, line, &made_of, error));
    trace_event event = event_of(line);
    event.object.kind = made_of->kind;
    event.made_of = (line->given & BIT(LABELS)) == 0 ? made_of : NULL;
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
    const envelope *line = h->line;
    trace_event event = event_of(line);
    event.name = words_of(line->name);
    bool pod = event.kind == BERTH_KIND_POD;
    event.namespace_name = words_of(
        line->namespace_name[0] != '\0' ? line->namespace_name : pod ? "default" : "");
    if (event.kind == BERTH_KIND_COUNT) {
        for (int kind = 0; kind < BERTH_KIND_COUNT; kind++)
            if (strcmp(berth_kind_name((berth_kind)kind), line->kind) == 0 &&
                kind_suits(line->event, (berth_kind)kind))
                event.kind = (berth_kind)kind;
        if (event.kind == BERTH_KIND_COUNT)
            return fail_member(h->lines, error, BERTH_E_INVALID, MEMBER_KIND,
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

/* The next line: one that is held, or from the file. */
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
    envelope line = {.given = 0};
    handing h = {.lines = t, .line = &line, .each = each, .context = context};
    TRY(next_line(t, more, error));
    if (!*more || is_blank(&t->lines))
        return BERTH_OK;
    TRY(read_envelope(t, &line, error));
    t->time_ns = line.time_ns;
    if ((line.given & BIT(OBJECT)) != 0)
        return read_object(&h, error);
    if ((line.given & BIT(TEMPLATE)) != 0)
        return make_from_template(&h, error);
    return hand_named(&h, error);
}
