/* Faults of selectors as texts, written into a buffer that grows. */
#include "model/selector_problems.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/labels.h"

/* ---- texts ---- */

typedef struct text {
    berth__arena *arena;
    char *data;
    size_t len, capacity;
    bool ok;
} text;

static void put_bytes(text *out, const char *data, size_t len)
{
    if (out->len + len > out->capacity) {
        size_t capacity = 2 * (out->len + len) + 256;
        char *grown = berth__arena_alloc(out->arena, capacity, 1);
        if (grown == NULL) {
            out->ok = false;
            return;
        }
        if (out->len > 0)
            memcpy(grown, out->data, out->len);
        out->data = grown;
        out->capacity = capacity;
    }
    if (len > 0)
        memcpy(out->data + out->len, data, len);
    out->len += len;
}

static void put(text *out, const char *words)
{
    put_bytes(out, words, strlen(words));
}

static void put_format(text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_format(text *out, const char *format, ...)
{
    char words[512];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(words, sizeof(words), format, args);
    va_end(args);
    if (len > 0)
        put_bytes(out, words, len < (int)sizeof(words) ? (size_t)len : sizeof(words) - 1);
}

/* Put a text in quotes with escapes, as Go's %q or as JSON. Letters beyond ASCII stay. */
static void put_quoted(text *out, berth_str value, bool json)
{
    static const char plain[] = "\a\b\t\n\v\f\r", names[] = "abtnvfr";
    put(out, "\"");
    for (uint32_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.data[i];
        const char *named = c != 0 ? strchr(plain, c) : NULL;
        bool known = named != NULL && (!json || (c != '\a' && c != '\v'));
        if (c == '"' || c == '\\')
            put_format(out, "\\%c", c);
        else if (known)
            put_format(out, "\\%c", names[named - plain]);
        else if (json ? c < 0x20 || c == '<' || c == '>' || c == '&' : c < 0x20 || c == 0x7f)
            put_format(out, json ? "\\u%04x" : "\\x%02x", c);
        else
            put_bytes(out, value.data + i, 1);
    }
    put(out, "\"");
}

/* ---- lists of errors ---- */

/* A list of errors; equal ones count once. */
typedef struct errors {
    berth__arena *arena;
    const berth__behaviours *behaviours;
    berth_str *items;
    uint32_t count, capacity;
    bool ok;
} errors;

static text begin(errors *list)
{
    return (text){.arena = list->arena, .ok = true};
}

static void add(errors *list, const text *words)
{
    berth_str item = {words->data, (uint32_t)words->len};
    list->ok &= words->ok;
    for (uint32_t i = 0; i < list->count; i++)
        if (berth__str_eq(list->items[i], item))
            return;
    if (list->count == list->capacity) {
        uint32_t capacity = 2 * list->capacity + 4;
        berth_str *items = berth__arena_alloc(list->arena, capacity * sizeof(*items), 8);
        if (items == NULL) {
            list->ok = false;
            return;
        }
        if (list->count > 0)
            memcpy(items, list->items, list->count * sizeof(*items));
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = item;
}

/* One error as it is; several in brackets. */
static berth_str joined(errors *list, bool *ok)
{
    text out = begin(list);
    if (list->count > 1)
        put(&out, "[");
    for (uint32_t i = 0; i < list->count; i++) {
        put(&out, i > 0 ? ", " : "");
        put_bytes(&out, list->items[i].data, list->items[i].len);
    }
    if (list->count > 1)
        put(&out, "]");
    *ok &= list->ok && out.ok;
    return list->count > 0 && *ok ? (berth_str){out.data, (uint32_t)out.len} : (berth_str){0};
}

/* ---- keys and values ---- */

#define NAME_FORM "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
#define NAME_RULE                                                                               \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " \
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "      \
    "validation is '" NAME_FORM "')"
#define PREFIX_RULE                                                                               \
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "  \
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used " \
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
#define VALUE_RULE                                                                                \
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "   \
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value'," \
    "  or '12345', regex used for validation is '(" NAME_FORM ")?')"

enum { NAME_MAX_LEN = 63, PREFIX_MAX_LEN = 253 };

/* Whether a text has the form of a name or a prefix, apart from its length. */
static bool is_alphanumeric(char c, bool upper)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (upper && c >= 'A' && c <= 'Z');
}

static bool has_name_form(berth_str name)
{
    if (name.len == 0 || !is_alphanumeric(name.data[0], true) ||
        !is_alphanumeric(name.data[name.len - 1], true))
        return false;
    for (uint32_t i = 0; i < name.len; i++)
        if (!is_alphanumeric(name.data[i], true) && strchr("-_.", name.data[i]) == NULL)
            return false;
    return memchr(name.data, '\0', name.len) == NULL;
}

static bool has_prefix_form(berth_str prefix)
{
    for (uint32_t i = 0; i < prefix.len; i++) {
        char c = prefix.data[i];
        bool edge =
            i == 0 || i + 1 == prefix.len || prefix.data[i - 1] == '.' || prefix.data[i + 1] == '.';
        if (!is_alphanumeric(c, false) && (c != '-' || edge) && (c != '.' || edge))
            return false;
    }
    return prefix.len > 0;
}

static void put_next(text *out, bool *any, const char *part, const char *rule)
{
    put_format(out, "%s%s", *any ? "; " : "", part);
    put(out, rule);
    *any = true;
}

static void put_length(text *out, bool *any, const errors *list, const char *part, int most)
{
    char rule[64];
    snprintf(rule, sizeof(rule), "must be no more than %d %s", most,
             list->behaviours->selector_texts_of_keys ? "bytes" : "characters");
    put_next(out, any, part, rule);
}

/* Put the faults of a label key; a correct key puts nothing. */
static bool put_key_faults(text *out, const errors *list, berth_str key)
{
    bool any = false;
    const char *slash = key.len > 0 ? memchr(key.data, '/', key.len) : NULL;
    uint32_t prefix_len = slash != NULL ? (uint32_t)(slash - key.data) : 0;
    berth_str prefix = {key.data, prefix_len}, name = key;
    if (slash != NULL)
        name = (berth_str){slash + 1, key.len - prefix_len - 1};
    if (name.len > 0 && memchr(name.data, '/', name.len) != NULL) {
        put_next(out, &any,
                 list->behaviours->selector_texts_of_keys ? "a valid label key "
                                                          : "a qualified name ",
                 NAME_RULE " with an optional DNS subdomain prefix and '/' (e.g. "
                           "'example.com/MyName')");
        return true;
    }
    if (slash != NULL && prefix.len == 0)
        put_next(out, &any, "prefix part ", "must be non-empty");
    if (prefix.len > PREFIX_MAX_LEN)
        put_length(out, &any, list, "prefix part ", PREFIX_MAX_LEN);
    if (prefix.len > 0 && !has_prefix_form(prefix))
        put_next(out, &any, "prefix part ", PREFIX_RULE);
    if (name.len == 0)
        put_next(out, &any, "name part ", "must be non-empty");
    if (name.len > NAME_MAX_LEN)
        put_length(out, &any, list, "name part ", NAME_MAX_LEN);
    if (!has_name_form(name))
        put_next(out, &any, "name part ", NAME_RULE);
    return any;
}

static bool put_value_faults(text *out, const errors *list, berth_str value)
{
    bool any = false;
    if (value.len > NAME_MAX_LEN)
        put_length(out, &any, list, "", NAME_MAX_LEN);
    if (value.len > 0 && !has_name_form(value))
        put_next(out, &any, "", VALUE_RULE);
    return any;
}

/* ---- requirements ---- */

/* The path of a requirement in the object, with a dot at its end; "" for a label selector. */
typedef struct place {
    const char *path;
    bool node;       /* a node selector: Gt and Lt are allowed */
    bool exact;      /* from matchLabels */
    bool keeps_list; /* an empty list of values differs from an absent one */
} place;

/* Put the list of values as Kubernetes prints it in the error. */
static void put_values(text *out, const errors *list, berth_strs values, const place *at)
{
    bool json = list->behaviours->selector_texts_as_json;
    if (values.count == 0 && (values.items == NULL || !at->keeps_list)) {
        put(out, json ? "null" : "[]string(nil)");
        return;
    }
    put(out, json ? "[" : "[]string{");
    for (uint32_t i = 0; i < values.count; i++) {
        put(out, i == 0 ? "" : json ? "," : ", ");
        put_quoted(out, values.items[i], json);
    }
    put(out, json ? "]" : "}");
}

static void add_bad_values(errors *list, const place *at, berth_strs values, const char *rule)
{
    text out = begin(list);
    put_format(&out, "%svalues: Invalid value: ", at->path);
    put_values(&out, list, values, at);
    put_format(&out, ": %s", rule);
    add(list, &out);
}

static bool is_integer(berth_str value)
{
    uint32_t first = value.len > 0 && (value.data[0] == '-' || value.data[0] == '+');
    bool ok = value.len > first;
    uint64_t magnitude = 0, most = (uint64_t)INT64_MAX + (first != 0 && value.data[0] == '-');
    for (uint32_t i = first; ok && i < value.len; i++) {
        uint64_t digit = (uint64_t)(value.data[i] - '0');
        ok = value.data[i] >= '0' && value.data[i] <= '9' && magnitude <= (most - digit) / 10;
        magnitude = magnitude * 10 + digit;
    }
    return ok;
}

static void check_values(errors *list, const place *at, const berth_requirement *source)
{
    bool numeric = berth__str_is(source->op, "Gt") || berth__str_is(source->op, "Lt");
    bool listed = berth__str_is(source->op, "In") || berth__str_is(source->op, "NotIn");
    berth_strs values = source->values;
    if (listed && !at->exact && values.count == 0)
        add_bad_values(list, at, values, "for 'in', 'notin' operators, values set can't be empty");
    if (!listed && !numeric && values.count != 0)
        add_bad_values(list, at, values, "values set must be empty for exists and does not exist");
    if (numeric && values.count != 1)
        add_bad_values(list, at, values, "for 'Gt', 'Lt' operators, exactly one value is required");
    for (uint32_t i = 0; numeric && i < values.count; i++) {
        if (is_integer(values.items[i]))
            continue;
        text out = begin(list);
        put_format(&out, "%svalues[%u]: Invalid value: ", at->path, (unsigned)i);
        put_quoted(&out, values.items[i], false);
        put(&out, ": for 'Gt', 'Lt' operators, the value must be an integer");
        add(list, &out);
    }
}

/* Reports the faults that NewRequirement finds, first those of the key, last those of each
 * value. */
static void check_requirement(errors *list, const place *at, const berth_requirement *source)
{
    text faults = begin(list), out = begin(list);
    if (put_key_faults(&faults, list, source->key)) {
        put_format(&out, "%skey: Invalid value: ", at->path);
        put_quoted(&out, source->key, false);
        put(&out, ": ");
        put_bytes(&out, faults.data, faults.len);
        add(list, &out);
    }
    list->ok &= faults.ok;
    check_values(list, at, source);
    for (uint32_t i = 0; i < source->values.count; i++) {
        faults = out = begin(list);
        if (!put_value_faults(&faults, list, source->values.items[i]))
            continue;
        put_format(&out, "%svalues[%u][", at->path, (unsigned)i);
        put_bytes(&out, source->key.data, source->key.len);
        put(&out, "]: Invalid value: ");
        put_quoted(&out, source->values.items[i], false);
        put(&out, ": ");
        put_bytes(&out, faults.data, faults.len);
        list->ok &= faults.ok;
        add(list, &out);
    }
}

/* v1.15 stops at the first fault, and names no field. */
static void check_requirement_legacy(errors *list, const place *at, const berth_requirement *source)
{
    errors all = *list;
    text faults = begin(list), out = begin(list);
    if (put_key_faults(&faults, list, source->key)) {
        put(&out, "invalid label key ");
        put_quoted(&out, source->key, false);
        put(&out, ": ");
        put_bytes(&out, faults.data, faults.len);
        add(list, &out);
        return;
    }
    check_values(&all, at, source);
    if (all.count > list->count) { /* the text that follows the value */
        berth_str words = all.items[list->count];
        const char *rule = memmem(words.data, words.len, ": for '", 7);
        if (rule == NULL)
            rule = memmem(words.data, words.len, ": values set", 12);
        if (rule != NULL)
            put_bytes(&out, rule + 2, words.len - (size_t)(rule + 2 - words.data));
        add(list, &out);
        return;
    }
    for (uint32_t i = 0; i < source->values.count; i++) {
        faults = begin(list);
        if (!put_value_faults(&faults, list, source->values.items[i]))
            continue;
        put(&out, "invalid label value: ");
        put_quoted(&out, source->values.items[i], false);
        put(&out, ": ");
        put_bytes(&out, faults.data, faults.len);
        add(list, &out);
        return;
    }
}

static void check(errors *list, const place *at, const berth_requirement *source)
{
    if (list->behaviours->selector_texts_by_field)
        check_requirement(list, at, source);
    else
        check_requirement_legacy(list, at, source);
}

static bool is_operator(berth_str op, bool node)
{
    return berth__str_is(op, "In") || berth__str_is(op, "NotIn") || berth__str_is(op, "Exists") ||
           berth__str_is(op, "DoesNotExist") ||
           (node && (berth__str_is(op, "Gt") || berth__str_is(op, "Lt")));
}

/* ---- selectors ---- */

berth_str berth__selector_problem(berth__arena *arena, const berth__behaviours *behaviours,
                                  const berth_label_selector *selector, bool *ok)
{
    errors list = {.arena = arena, .behaviours = behaviours, .ok = true};
    place at = {.path = "", .exact = true};
    for (uint32_t i = 0; i < selector->match_labels.count && list.count == 0; i++) {
        const berth_key_value *pair = &selector->match_labels.entries[i];
        const berth_requirement equals = {pair->key, BERTH_STR("In"), {&pair->value, 1}};
        check(&list, &at, &equals);
    }
    at.exact = false;
    for (uint32_t i = 0; i < selector->match_expressions.count && list.count == 0; i++) {
        const berth_requirement *source = &selector->match_expressions.items[i];
        if (is_operator(source->op, false)) {
            check(&list, &at, source);
            continue;
        }
        text out = begin(&list);
        put_quoted(&out, source->op, false);
        put(&out, behaviours->selector_texts_by_field ? " is not a valid label selector operator"
                                                      : " is not a valid pod selector operator");
        add(&list, &out);
    }
    return joined(&list, ok);
}

/* ---- node selectors, preferred node affinity ---- */

static void add_unknown_operator(errors *list, const place *at, berth_str op, const char *known)
{
    text out = begin(list);
    if (!list->behaviours->selector_texts_by_field) {
        put_quoted(&out, op, false);
        put(&out, " is not a valid node selector operator");
    } else {
        put_format(&out, "%soperator: Unsupported value: ", at->path);
        put_quoted(&out, op, false);
        put_format(&out, ": supported values: %s", known);
    }
    add(list, &out);
}

static void check_expressions(errors *list, const char *terms, uint32_t term,
                              const berth_requirements *source)
{
    char path[64];
    place at = {.path = path, .node = true, .keeps_list = true};
    const bool all = list->behaviours->selector_texts_by_field;
    for (uint32_t i = 0; i < source->count && (all || list->count == 0); i++) {
        snprintf(path, sizeof(path), "%s[%u].matchExpressions[%u].", terms, (unsigned)term,
                 (unsigned)i);
        if (is_operator(source->items[i].op, true))
            check(list, &at, &source->items[i]);
        else
            add_unknown_operator(list, &at, source->items[i].op,
                                 "\"In\", \"NotIn\", \"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\"");
    }
}

/* Each field must be compared with one value. */
static void check_fields(errors *list, const char *terms, uint32_t term,
                         const berth_requirements *source)
{
    char path[64];
    const place at = {.path = path, .node = true, .keeps_list = true};
    for (uint32_t i = 0; i < source->count; i++) {
        const berth_requirement *item = &source->items[i];
        snprintf(path, sizeof(path), "%s[%u].matchFields[%u].", terms, (unsigned)term, (unsigned)i);
        if (!berth__str_is(item->op, "In") && !berth__str_is(item->op, "NotIn"))
            add_unknown_operator(list, &at, item->op, "\"In\", \"NotIn\"");
        else if (item->values.count != 1)
            add_bad_values(list, &at, item->values, "must have one element");
    }
}

berth_str berth__preferred_terms_problem(berth__arena *arena, const berth__behaviours *behaviours,
                                         const berth_node_affinity *affinity, bool *ok)
{
    errors list = {.arena = arena, .behaviours = behaviours, .ok = true};
    bool all = behaviours->selector_texts_by_field;
    for (uint32_t i = 0; i < affinity->preferred_count && (all || list.count == 0); i++) {
        const berth_preferred_node_term *term = &affinity->preferred[i];
        if (term->weight == 0)
            continue;
        check_expressions(&list, "", i, &term->preference.match_expressions);
        if (all)
            check_fields(&list, "", i, &term->preference.match_fields);
    }
    return joined(&list, ok);
}

berth_str berth__node_selector_problem(berth__arena *arena, const berth__behaviours *behaviours,
                                       const berth_node_selector *selector, bool *ok)
{
    errors list = {.arena = arena, .behaviours = behaviours, .ok = true};
    for (uint32_t i = 0; i < selector->count; i++) {
        check_expressions(&list, "nodeSelectorTerms", i, &selector->terms[i].match_expressions);
        check_fields(&list, "nodeSelectorTerms", i, &selector->terms[i].match_fields);
    }
    return joined(&list, ok);
}
