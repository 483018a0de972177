/* Label sets and selectors: compiling, validity, matching. */
#include "model/labels.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "base/text.h"

/* ---- label sets ---- */

enum { FEW_LABELS = 32 };

static void insert_labels(berth__label *items, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        berth__label item = items[i];
        uint32_t at = i;
        while (at > 0 && items[at - 1].key > item.key) {
            items[at] = items[at - 1];
            at--;
        }
        items[at] = item;
    }
}

/* Sorted by key; equal keys keep their order. */
static void sort_labels(berth__arena *arena, berth__label *items, uint32_t count, bool *ok)
{
    if (count <= FEW_LABELS) {
        insert_labels(items, count);
        return;
    }
    berth__label *sorted = berth__arena_alloc(arena, count * sizeof(*sorted), sizeof(uint64_t));
    uint64_t *places = berth__arena_alloc(arena, count * sizeof(*places), sizeof(*places));
    if (sorted == NULL || places == NULL) {
        *ok = false;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        places[i] = (uint64_t)items[i].key << 32 | i;
    berth__sort_words(places, count);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = items[(uint32_t)places[i]];
    memcpy(items, sorted, count * sizeof(*items));
}

/* Keep only the last of equal keys (the sort is stable). */
static uint32_t last_of_each(berth__label *items, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (i + 1 == count || items[i + 1].key != items[i].key)
            items[kept++] = items[i];
    return kept;
}

berth__labels berth__labels_of(berth__arena *arena, berth__label *items, uint32_t count, bool *ok)
{
    sort_labels(arena, items, count, ok);
    return (berth__labels){items, last_of_each(items, count)};
}

berth__labels berth__labels_make(berth__intern *strings, berth__arena *arena, berth_map map,
                                 bool *ok)
{
    berth__label *items = berth__arena_alloc(arena, map.count * sizeof(*items), sizeof(uint64_t));
    if (items == NULL) {
        *ok = false;
        return (berth__labels){0};
    }
    for (uint32_t i = 0; i < map.count; i++) {
        berth_str value = map.entries[i].value;
        items[i].key = berth__intern_add(strings, map.entries[i].key, ok);
        items[i].value = berth__intern_add(strings, value.data != NULL ? value : BERTH_STR(""), ok);
    }
    return berth__labels_of(arena, items, map.count, ok);
}

berth__labels berth__annotations_make(berth__intern *strings, berth__arena *arena, berth_strs keys,
                                      berth_map map, bool *ok)
{
    if (keys.count == 0 || map.count == 0)
        return (berth__labels){0};
    berth_key_value *entries = berth__arena_alloc(arena, map.count * sizeof(*entries), 8);
    uint32_t count = 0;
    if (entries == NULL) {
        *ok = false;
        return (berth__labels){0};
    }
    for (uint32_t i = 0; i < map.count; i++)
        for (uint32_t k = 0; k < keys.count; k++)
            if (berth__str_eq(map.entries[i].key, keys.items[k])) {
                entries[count++] = map.entries[i];
                break;
            }
    return berth__labels_make(strings, arena, (berth_map){entries, count}, ok);
}

berth__sym berth__labels_get(berth__labels labels, berth__sym key)
{
    uint32_t place;
    BERTH__SEARCH(place, labels.count, i, labels.items[i].key < key);
    return place < labels.count && labels.items[place].key == key ? labels.items[place].value : 0;
}

bool berth__labels_equal(berth__labels a, berth__labels b)
{
    return a.count == b.count &&
           (a.count == 0 || memcmp(a.items, b.items, a.count * sizeof(*a.items)) == 0);
}

/* ---- requirements ---- */

/* Read a decimal int64 with an optional sign and nothing else, as Go's strconv.ParseInt does. */
static bool parse_int64(berth_str text, int64_t *out)
{
    char digits[64]; /* a label value has at most 63 bytes; most may be zeros */
    if (text.len == 0 || text.len >= sizeof(digits))
        return false;
    memcpy(digits, text.data, text.len);
    digits[text.len] = '\0';
    const char *first = digits[0] == '-' || digits[0] == '+' ? digits + 1 : digits;
    if (*first == '\0' || strspn(first, "0123456789") != strlen(first))
        return false;
    errno = 0;
    *out = strtoll(digits, NULL, 10);
    return errno == 0;
}

static bool value_listed(const berth__interned_requirement *requirement, berth__sym value)
{
    for (uint32_t i = 0; i < requirement->value_count; i++)
        if (requirement->values[i] == value)
            return true;
    return false;
}

bool berth__requirement_meets(const berth__intern *strings,
                              const berth__interned_requirement *requirement, berth__sym value)
{
    int64_t number;
    switch (requirement->op) {
    case BERTH__OP_IN:
        return value != 0 && value_listed(requirement, value);
    case BERTH__OP_NOT_IN:
        return value == 0 || !value_listed(requirement, value);
    case BERTH__OP_EXISTS:
        return value != 0;
    case BERTH__OP_NOT_EXISTS:
        return value == 0;
    case BERTH__OP_GREATER:
        return value != 0 && parse_int64(berth__intern_text(strings, value), &number) &&
               number > requirement->number;
    case BERTH__OP_LESS:
        return value != 0 && parse_int64(berth__intern_text(strings, value), &number) &&
               number < requirement->number;
    }
    return false;
}

/* ---- validity of keys and values ---- */

static bool is_alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Up to 63 of [A-Za-z0-9._-], alphanumeric at both ends. */
static bool is_name(const char *text, size_t len)
{
    if (len == 0 || len > 63 || !is_alphanumeric(text[0]) || !is_alphanumeric(text[len - 1]))
        return false;
    for (size_t i = 0; i < len; i++)
        if (!is_alphanumeric(text[i]) && text[i] != '.' && text[i] != '_' && text[i] != '-')
            return false;
    return true;
}

/* DNS-1123 subdomain: labels of [a-z0-9-] with alphanumeric ends, joined by dots, 253 at most. */
static bool is_subdomain(const char *text, size_t len)
{
    if (len == 0 || len > 253)
        return false;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        bool first = i == 0 || text[i - 1] == '.';
        bool last = i + 1 == len || text[i + 1] == '.';
        if (!alphanumeric && (first || last || (c != '-' && c != '.')))
            return false;
    }
    return true;
}

bool berth__is_qualified_name(berth_str key)
{
    const char *slash = key.len > 0 ? memchr(key.data, '/', key.len) : NULL;
    if (slash == NULL)
        return is_name(key.data, key.len);
    size_t prefix = (size_t)(slash - key.data);
    return is_subdomain(key.data, prefix) && is_name(slash + 1, key.len - prefix - 1);
}

bool berth__is_label_value(berth_str value)
{
    return value.len == 0 || is_name(value.data, value.len);
}

/* ---- compiling ---- */

static bool op_of(berth_str text, bool node_operators, berth__op *out)
{
    static const struct {
        const char *text;
        berth__op op;
        bool node_only;
    } table[] = {
        {"In", BERTH__OP_IN, false},         {"NotIn", BERTH__OP_NOT_IN, false},
        {"Exists", BERTH__OP_EXISTS, false}, {"DoesNotExist", BERTH__OP_NOT_EXISTS, false},
        {"Gt", BERTH__OP_GREATER, true},     {"Lt", BERTH__OP_LESS, true},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (berth__str_is(text, table[i].text) && (node_operators || !table[i].node_only)) {
            *out = table[i].op;
            return true;
        }
    }
    return false;
}

/* Whether the number and form of the values suit the operator. */
static bool values_suit(berth__op op, const berth_requirement *requirement, int64_t *number)
{
    switch (op) {
    case BERTH__OP_IN:
    case BERTH__OP_NOT_IN:
        if (requirement->values.count == 0)
            return false;
        break;
    case BERTH__OP_EXISTS:
    case BERTH__OP_NOT_EXISTS:
        return requirement->values.count == 0;
    case BERTH__OP_GREATER:
    case BERTH__OP_LESS:
        if (requirement->values.count != 1 || !parse_int64(requirement->values.items[0], number))
            return false;
        break;
    }
    for (uint32_t i = 0; i < requirement->values.count; i++)
        if (!berth__is_label_value(requirement->values.items[i]))
            return false;
    return true;
}

static void intern_values(berth__intern *strings, berth__arena *arena, berth_strs values,
                          berth__interned_requirement *out, bool *ok)
{
    berth__sym *syms = berth__arena_alloc(arena, values.count * sizeof(*syms), sizeof(*syms));
    if (syms == NULL) {
        *ok = false;
        return;
    }
    for (uint32_t i = 0; i < values.count; i++) {
        berth_str text = values.items[i];
        berth__sym sym = berth__intern_add(strings, text.data != NULL ? text : BERTH_STR(""), ok);
        uint32_t at = i;
        for (; at > 0 && syms[at - 1] > sym; at--)
            syms[at] = syms[at - 1];
        syms[at] = sym;
    }
    out->values = syms;
    out->value_count = values.count;
}

/* Compile one requirement. Returns false if it is invalid (which is not a failure of memory). */
static bool make_requirement(berth__intern *strings, berth__arena *arena,
                             const berth_requirement *source, bool node_operators,
                             berth__interned_requirement *out, bool *ok)
{
    *out = (berth__interned_requirement){0};
    if (!op_of(source->op, node_operators, &out->op) || !berth__is_qualified_name(source->key) ||
        !values_suit(out->op, source, &out->number))
        return false;
    out->key = berth__intern_add(strings, source->key, ok);
    if (out->op == BERTH__OP_IN || out->op == BERTH__OP_NOT_IN)
        intern_values(strings, arena, source->values, out, ok);
    return true;
}

static void sort_requirements(berth__interned_requirement *items, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        berth__interned_requirement item = items[i];
        uint32_t at = i;
        for (; at > 0 && items[at - 1].key > item.key; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

static berth__selector invalid_selector(berth__arena *arena, const char *format, berth_str culprit,
                                        bool *ok)
{
    char text[256];
    int len = snprintf(text, sizeof(text), format, (int)culprit.len, culprit.data);
    if (len >= (int)sizeof(text))
        len = sizeof(text) - 1;
    berth_str problem = berth__arena_str(arena, (berth_str){text, (uint32_t)len}, ok);
    return (berth__selector){.kind = BERTH__SELECTOR_INVALID, .problem = problem};
}

static berth_requirement pair_requirement(const berth_key_value *pair, berth_str *value)
{
    *value = pair->value.data != NULL ? pair->value : BERTH_STR("");
    return (berth_requirement){pair->key, BERTH_STR("In"), {value, 1}};
}

berth__selector berth__selector_make(berth__intern *strings, berth__arena *arena,
                                     const berth_label_selector *selector, bool *ok)
{
    if (selector == NULL)
        return (berth__selector){.kind = BERTH__SELECTOR_NOTHING};
    uint32_t pairs = selector->match_labels.count;
    uint32_t count = pairs + selector->match_expressions.count;
    if (count == 0)
        return (berth__selector){.kind = BERTH__SELECTOR_EVERYTHING};
    berth__interned_requirement *items = berth__arena_alloc(arena, count * sizeof(*items), 8);
    if (items == NULL) {
        *ok = false;
        return (berth__selector){.kind = BERTH__SELECTOR_NOTHING};
    }
    for (uint32_t i = 0; i < count; i++) {
        berth_str value;
        berth_requirement source =
            i < pairs ? pair_requirement(&selector->match_labels.entries[i], &value)
                      : selector->match_expressions.items[i - pairs];
        berth__op op;
        if (!op_of(source.op, false, &op))
            return invalid_selector(arena, "\"%.*s\" is not a valid label selector operator",
                                    source.op, ok);
        if (!make_requirement(strings, arena, &source, false, &items[i], ok))
            return invalid_selector(arena, "invalid label selector requirement on key \"%.*s\"",
                                    source.key, ok);
    }
    sort_requirements(items, count);
    return (berth__selector){BERTH__SELECTOR_REQUIREMENTS, count, items, {0}};
}

static bool anchors_better(const berth__interned_requirement *one,
                           const berth__interned_requirement *other)
{
    if (other == NULL || one->value_count != other->value_count)
        return other == NULL || one->value_count < other->value_count;
    return one->value_count > 0 && one->values[0] > other->values[0];
}

const berth__interned_requirement *berth__selector_anchor(const berth__selector *selector)
{
    const berth__interned_requirement *best = NULL;
    for (uint32_t i = 0; i < selector->count; i++)
        if (selector->items[i].op == BERTH__OP_IN && anchors_better(&selector->items[i], best))
            best = &selector->items[i];
    return best;
}

bool berth__selector_matches(const berth__intern *strings, const berth__selector *selector,
                             berth__labels labels)
{
    if (selector->kind != BERTH__SELECTOR_REQUIREMENTS)
        return selector->kind == BERTH__SELECTOR_EVERYTHING;
    for (uint32_t i = 0; i < selector->count; i++) {
        const berth__interned_requirement *requirement = &selector->items[i];
        if (!berth__requirement_meets(strings, requirement,
                                      berth__labels_get(labels, requirement->key)))
            return false;
    }
    return true;
}

berth__selector berth__selector_and(berth__arena *arena, const berth__selector *selector,
                                    berth__sym key, berth__sym value, bool *ok)
{
    if (selector->kind == BERTH__SELECTOR_NOTHING || selector->kind == BERTH__SELECTOR_INVALID)
        return *selector;
    uint32_t count = selector->count + 1;
    berth__interned_requirement *items = berth__arena_alloc(arena, count * sizeof(*items), 8);
    berth__sym *values = berth__arena_alloc(arena, sizeof(*values), sizeof(*values));
    if (items == NULL || values == NULL) {
        *ok = false;
        return *selector;
    }
    if (selector->count > 0)
        memcpy(items, selector->items, selector->count * sizeof(*items));
    values[0] = value;
    items[selector->count] = (berth__interned_requirement){key, BERTH__OP_IN, values, 1, 0};
    sort_requirements(items, count);
    return (berth__selector){BERTH__SELECTOR_REQUIREMENTS, count, items, {0}};
}

/* ---- node selectors ---- */

/* matchFields: In or NotIn with exactly one value; a field other than metadata.name reads "". The
 * values are kept even if their number is wrong, because kube-scheduler's PreFilter reads them. */
static bool make_field(berth__intern *strings, berth__arena *arena, const berth_requirement *source,
                       berth__interned_requirement *out, bool *ok)
{
    *out = (berth__interned_requirement){0};
    if (!op_of(source->op, false, &out->op) ||
        (out->op != BERTH__OP_IN && out->op != BERTH__OP_NOT_IN))
        return false;
    if (berth__str_is(source->key, "metadata.name"))
        out->key = berth__intern_add(strings, source->key, ok);
    intern_values(strings, arena, source->values, out, ok);
    return source->values.count == 1;
}

berth__node_term berth__node_term_make(berth__intern *strings, berth__arena *arena,
                                       const berth_node_selector_term *term, bool *ok)
{
    uint32_t expression_count = term->match_expressions.count;
    uint32_t field_count = term->match_fields.count;
    berth__node_term out = {.valid = true, .empty = expression_count + field_count == 0};
    berth__interned_requirement *items =
        berth__arena_alloc(arena, (expression_count + field_count) * sizeof(*items), 8);
    if (items == NULL) {
        *ok = false;
        return out;
    }
    for (uint32_t i = 0; i < expression_count; i++)
        out.valid &= make_requirement(strings, arena, &term->match_expressions.items[i], true,
                                      &items[i], ok);
    out.expressions_valid = out.valid;
    for (uint32_t i = 0; i < field_count; i++)
        out.valid &= make_field(strings, arena, &term->match_fields.items[i],
                                &items[expression_count + i], ok);
    out.expressions = items;
    out.expression_count = expression_count;
    out.fields = items + expression_count;
    out.field_count = field_count;
    return out;
}

berth__interned_node_selector berth__node_selector_make(berth__intern *strings, berth__arena *arena,
                                                        const berth_node_selector *selector,
                                                        bool *ok)
{
    berth__node_term *terms =
        berth__arena_alloc(arena, selector->count * sizeof(*terms), _Alignof(berth__node_term));
    if (terms == NULL) {
        *ok = false;
        return (berth__interned_node_selector){0};
    }
    for (uint32_t i = 0; i < selector->count; i++)
        terms[i] = berth__node_term_make(strings, arena, &selector->terms[i], ok);
    return (berth__interned_node_selector){terms, selector->count};
}

static bool fields_meet(const berth__intern *strings, const berth__node_term *term, berth__sym name)
{
    if (berth__intern_text(strings, name).len == 0)
        return true;
    for (uint32_t i = 0; i < term->field_count; i++) {
        const berth__interned_requirement *field = &term->fields[i];
        bool equal = field->key != 0 ? field->values[0] == name
                                     : berth__intern_text(strings, field->values[0]).len == 0;
        if (equal != (field->op == BERTH__OP_IN))
            return false;
    }
    return true;
}

bool berth__node_term_meets(const berth__intern *strings, const berth__node_term *term,
                            berth__sym name, berth__labels labels)
{
    if (!term->valid || term->empty)
        return false;
    for (uint32_t i = 0; i < term->expression_count; i++) {
        const berth__interned_requirement *expression = &term->expressions[i];
        if (!berth__requirement_meets(strings, expression,
                                      berth__labels_get(labels, expression->key)))
            return false;
    }
    return fields_meet(strings, term, name);
}

bool berth__node_selector_meets(const berth__intern *strings,
                                const berth__interned_node_selector *selector, berth__sym name,
                                berth__labels labels)
{
    for (uint32_t i = 0; i < selector->count; i++)
        if (berth__node_term_meets(strings, &selector->terms[i], name, labels))
            return true;
    return false;
}

/* ---- copies ---- */

berth__labels berth__labels_copy(berth__arena *arena, berth__labels labels, bool *ok)
{
    size_t bytes = labels.count * sizeof(*labels.items);
    return (berth__labels){berth__arena_copy(arena, labels.items, bytes, ok), labels.count};
}

berth__selector berth__selector_copy(berth__arena *arena, const berth__selector *source, bool *ok)
{
    berth__selector out = {.kind = source->kind,
                           .count = source->count,
                           .problem = berth__arena_str(arena, source->problem, ok)};
    berth__interned_requirement *items =
        berth__arena_copy(arena, source->items, source->count * sizeof(*items), ok);
    for (uint32_t i = 0; *ok && i < source->count; i++)
        items[i].values = berth__arena_copy(arena, items[i].values,
                                            items[i].value_count * sizeof(*items[i].values), ok);
    out.items = items;
    return out;
}
