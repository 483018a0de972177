/* Splits a line of a trace by its brackets. Checks everything except objects. */
#include "traces/trace_envelope.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/options.h"
#include "cli/words.h"
#include "traces/json_slice.h"

static const int64_t second_ns = INT64_C(1000000000);
static const int64_t time_max_s = INT64_C(6300000000);

static const char *const member_names[MEMBER_COUNT] = {
    "time",      "event",  "object", "template", "name",
    "namespace", "labels", "count",  "duration", "kind"};

#define BIT(name) (1u << MEMBER_##name)
#define MADE_FROM_TEMPLATE (BIT(TEMPLATE) | BIT(NAME) | BIT(LABELS) | BIT(COUNT_OF))

const event_rule trace_event_rules[EVENT_COUNT] = {
    {"pod_template", TRACE_ADD, BERTH_KIND_POD, BIT(NAME) | BIT(OBJECT), BIT(NAME) | BIT(OBJECT)},
    {"node_template", TRACE_ADD, BERTH_KIND_NODE, BIT(NAME) | BIT(OBJECT), BIT(NAME) | BIT(OBJECT)},
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

/* Converts a number with an exponent, with a double's precision. */
static bool seconds_by_exponent(berth_str text, int64_t *out_ns)
{
    char copy[64];
    char *stop = NULL;
    if (text.len >= sizeof(copy))
        return false;
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    double value = strtod(copy, &stop);
    if (stop == copy || *stop != '\0' || !(value >= 0.0 && value <= (double)time_max_s))
        return false;
    *out_ns = (int64_t)(value * 1e9);
    return true;
}

/* The end of the digits that begin at `at`. */
static uint32_t digits_end(berth_str text, uint32_t at)
{
    while (at < text.len && text.data[at] >= '0' && text.data[at] <= '9')
        at++;
    return at;
}

bool trace_seconds(berth_str text, int64_t *out_ns)
{
    int64_t seconds = 0;
    int64_t part_ns = 0;
    uint32_t whole = digits_end(text, 0);
    uint32_t end = whole;
    if (whole + 1 < text.len && text.data[whole] == '.')
        end = digits_end(text, whole + 1);
    if (whole == 0 || end == whole + 1)
        return false;
    if (end < text.len)
        return (text.data[end] == 'e' || text.data[end] == 'E') &&
               seconds_by_exponent(text, out_ns);
    for (uint32_t i = 0; i < whole && seconds <= time_max_s; i++)
        seconds = seconds * 10 + (text.data[i] - '0');
    int64_t unit_ns = second_ns / 10;
    for (uint32_t i = whole + 1; i < end; i++, unit_ns /= 10)
        part_ns += (text.data[i] - '0') * unit_ns;
    if (seconds >= time_max_s)
        return false;
    *out_ns = seconds * second_ns + part_ns;
    return true;
}

/* ---- values ---- */

berth_status trace_member_fail(const line_file *lines, berth_error *error, berth_status code,
                               member which, const char *message)
{
    line_file_fail(lines, error, code, "%s", message);
    snprintf(error->field, sizeof(error->field), "%s", member_names[which]);
    return code;
}

/* Copies a JSON string's text to `out`. */
bool trace_string(berth_str value, char *out, size_t size)
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

static berth_status read_text(const line_file *lines, const trace_envelope *line, member which,
                              char *out, size_t size, berth_error *error)
{
    out[0] = '\0';
    if ((line->given & 1u << which) == 0)
        return BERTH_OK;
    if (!trace_string(line->values[which], out, size) || out[0] == '\0')
        return trace_member_fail(lines, error, BERTH_E_INVALID, which,
                                 "expected a string, and not an empty one");
    return BERTH_OK;
}

static berth_status read_time(const line_file *lines, const trace_envelope *line, member which,
                              int64_t missing_ns, int64_t *out_ns, berth_error *error)
{
    *out_ns = missing_ns;
    if ((line->given & 1u << which) == 0 || trace_seconds(line->values[which], out_ns))
        return BERTH_OK;
    return trace_member_fail(lines, error, BERTH_E_INVALID, which,
                             "expected a number of seconds, 0 or more and less than 200 years");
}

static berth_status read_count(const line_file *lines, trace_envelope *line, berth_error *error)
{
    char text[24];
    berth_str value = line->values[MEMBER_COUNT_OF];
    line->count = 1;
    if ((line->given & BIT(COUNT_OF)) == 0)
        return BERTH_OK;
    snprintf(text, sizeof(text), "%.*s", (int)(value.len < 20 ? value.len : 20), value.data);
    if (options_number(text, 1, UINT32_MAX, &line->count))
        return BERTH_OK;
    return trace_member_fail(lines, error, BERTH_E_INVALID, MEMBER_COUNT_OF,
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

static berth_status split_line(const line_file *lines, trace_envelope *line, berth_error *error)
{
    berth_str text = {lines->line, (uint32_t)lines->len};
    size_t at = 0;
    berth_str key;
    berth_str value;
    json_slice_step step;
    while ((step = json_slice_next_member(text, &at, &key, &value)) == JSON_SLICE_MEMBER) {
        int which = find_member(key);
        if (which < 0)
            return line_file_fail(lines, error, BERTH_E_INVALID, "'%.*s' is no member of an event",
                                  (int)key.len, key.data);
        if ((line->given & 1u << which) != 0)
            return trace_member_fail(lines, error, BERTH_E_INVALID, (member)which, "given twice");
        line->given |= 1u << which;
        line->values[which] = value;
    }
    bool blank = step == JSON_SLICE_END;
    for (; blank && at < text.len; at++)
        blank = strchr(" \t\r\n", text.data[at]) != NULL;
    return blank ? BERTH_OK
                 : line_file_fail(lines, error, BERTH_E_PARSE,
                                  "expected one JSON object on a line of its own");
}

static berth_status read_event(const line_file *lines, trace_envelope *line, berth_error *error)
{
    char given[64];
    if ((line->given & BIT(EVENT)) == 0)
        return trace_member_fail(lines, error, BERTH_E_INVALID, MEMBER_EVENT, "missing");
    TRY(read_text(lines, line, MEMBER_EVENT, given, sizeof(given), error));
    for (line->event = 0; line->event < EVENT_COUNT; line->event++)
        if (strcmp(trace_event_rules[line->event].name, given) == 0)
            return BERTH_OK;
    char message[128];
    snprintf(message, sizeof(message), "'%s' is no event; see 'berth replay --help'", given);
    return trace_member_fail(lines, error, BERTH_E_INVALID, MEMBER_EVENT, message);
}

static berth_status check_members(const line_file *lines, const trace_envelope *line,
                                  berth_error *error)
{
    char message[128];
    const event_rule *rule = &trace_event_rules[line->event];
    const char *name = rule->name;
    uint32_t allowed = rule->allowed | BIT(EVENT) | BIT(TIME);
    uint32_t needed = rule->needed | (trace_event_is_template(line->event) ? 0 : BIT(TIME));
    for (int i = 0; i < MEMBER_COUNT; i++) {
        bool given = (line->given & 1u << i) != 0;
        if (given && (allowed & 1u << i) == 0) {
            snprintf(message, sizeof(message), "%s takes none", name);
            return trace_member_fail(lines, error, BERTH_E_INVALID, (member)i, message);
        }
        if (!given && (needed & 1u << i) != 0) {
            snprintf(message, sizeof(message), "missing, and %s needs it", name);
            return trace_member_fail(lines, error, BERTH_E_INVALID, (member)i, message);
        }
    }
    bool from_template = (line->given & MADE_FROM_TEMPLATE) != 0;
    bool made = (rule->allowed & BIT(TEMPLATE)) != 0;
    if (made && from_template == ((line->given & BIT(OBJECT)) != 0))
        return line_file_fail(lines, error, BERTH_E_INVALID,
                              "%s takes either an object, or a template and a name", name);
    if (made && from_template && (~line->given & (BIT(TEMPLATE) | BIT(NAME))) != 0)
        return line_file_fail(lines, error, BERTH_E_INVALID, "%s needs both template and name",
                              name);
    return BERTH_OK;
}

berth_status trace_envelope_read(const line_file *lines, int64_t last_ns, trace_envelope *line,
                                 berth_error *error)
{
    TRY(split_line(lines, line, error));
    TRY(read_event(lines, line, error));
    TRY(check_members(lines, line, error));
    TRY(read_time(lines, line, MEMBER_TIME, last_ns, &line->time_ns, error));
    if (line->time_ns < last_ns)
        return trace_member_fail(lines, error, BERTH_E_INVALID, MEMBER_TIME,
                                 "earlier than the line before; a trace is sorted by time");
    TRY(read_time(lines, line, MEMBER_DURATION, TRACE_NEVER, &line->duration_ns, error));
    TRY(read_count(lines, line, error));
    TRY(read_text(lines, line, MEMBER_NAME, line->name, sizeof(line->name), error));
    TRY(read_text(lines, line, MEMBER_NAMESPACE, line->namespace_name, sizeof(line->namespace_name),
                  error));
    TRY(read_text(lines, line, MEMBER_TEMPLATE, line->template_name, sizeof(line->template_name),
                  error));
    return read_text(lines, line, MEMBER_KIND, line->kind, sizeof(line->kind), error);
}
