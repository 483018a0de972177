/* Text, amounts, label and node selectors, tolerations: quantities.md. */
#include <string.h>

#include "naive.h"

/* ---- text ---- */

berth_str naive_str(const char *text)
{
    return (berth_str){text, (uint32_t)strlen(text)};
}

bool naive_same(berth_str a, berth_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

bool naive_is(berth_str a, const char *text)
{
    return naive_same(a, naive_str(text));
}

bool naive_starts(berth_str a, const char *prefix)
{
    size_t n = strlen(prefix);
    return a.len >= n && memcmp(a.data, prefix, n) == 0;
}

bool naive_contains(berth_str a, const char *part)
{
    return a.len > 0 && memmem(a.data, a.len, part, strlen(part)) != NULL;
}

bool naive_in(berth_strs list, berth_str item)
{
    for (uint32_t i = 0; i < list.count; i++) {
        if (naive_same(list.items[i], item)) {
            return true;
        }
    }
    return false;
}

const berth_str *naive_label(berth_map labels, berth_str key)
{
    for (uint32_t i = 0; i < labels.count; i++) {
        if (naive_same(labels.entries[i].key, key)) {
            return &labels.entries[i].value;
        }
    }
    return NULL;
}

berth_str naive_namespace(const berth_metadata *meta)
{
    return meta->namespace_name.len > 0 ? meta->namespace_name : naive_str("default");
}

bool naive_same_object(const berth_metadata *a, const berth_metadata *b)
{
    return naive_same(naive_namespace(a), naive_namespace(b)) && naive_same(a->name, b->name);
}

/* ---- amounts ---- */

naive_nanos naive_amount(berth_quantity quantity)
{
    return (naive_nanos)quantity.units * 1000000000 + quantity.nanos;
}

static int64_t divide_up(naive_nanos amount, int64_t unit)
{
    naive_nanos whole = amount / unit;
    if (amount % unit > 0) {
        whole++;
    } else if (amount % unit < 0) {
        whole--;
    }
    return (int64_t)whole;
}

int64_t naive_value(naive_nanos amount)
{
    return divide_up(amount, 1000000000);
}

int64_t naive_milli_value(naive_nanos amount)
{
    return divide_up(amount, 1000000);
}

bool naive_resource(berth_resources list, berth_str name, naive_nanos *amount)
{
    *amount = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        if (naive_same(list.items[i].name, name)) {
            *amount = naive_amount(list.items[i].amount);
            return true;
        }
    }
    return false;
}

/* ---- validity of keys and values ---- */

static bool alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* 1 to 63 of [A-Za-z0-9._-], alphanumeric at both ends. */
static bool name_part_valid(const char *s, size_t n)
{
    if (n == 0 || n > 63 || !alphanumeric(s[0]) || !alphanumeric(s[n - 1])) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!alphanumeric(s[i]) && s[i] != '.' && s[i] != '_' && s[i] != '-') {
            return false;
        }
    }
    return true;
}

static bool lower_alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* DNS-1123 subdomain: labels of [a-z0-9-] joined by dots, alphanumeric at the ends of each. */
static bool subdomain_valid(const char *s, size_t n)
{
    if (n == 0 || n > 253) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        bool first = i == 0 || s[i - 1] == '.';
        bool last = i + 1 == n || s[i + 1] == '.';
        if (s[i] == '.' ? first || last : !lower_alphanumeric(s[i]) && s[i] != '-') {
            return false;
        }
        if ((first || last) && !lower_alphanumeric(s[i])) {
            return false;
        }
    }
    return true;
}

bool naive_qualified_name(berth_str key)
{
    const char *slash = key.len > 0 ? memchr(key.data, '/', key.len) : NULL;
    if (slash == NULL) {
        return name_part_valid(key.data, key.len);
    }
    size_t prefix = (size_t)(slash - key.data);
    return subdomain_valid(key.data, prefix) && name_part_valid(slash + 1, key.len - prefix - 1);
}

static bool label_value_valid(berth_str value)
{
    return value.len == 0 || name_part_valid(value.data, value.len);
}

/* Base-10 int64 with an optional sign. */
static bool integer_parse(berth_str text, int64_t *out)
{
    uint32_t i = text.len > 0 && (text.data[0] == '-' || text.data[0] == '+');
    naive_nanos value = 0;
    if (i == text.len) {
        return false;
    }
    for (; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || value > INT64_MAX) {
            return false;
        }
        value = value * 10 + (text.data[i] - '0');
    }
    value = text.data[0] == '-' ? -value : value;
    *out = (int64_t)value;
    return value >= INT64_MIN && value <= INT64_MAX;
}

/* ---- label selectors ---- */

static bool requirement_valid(const berth_requirement *r)
{
    int64_t operand;
    if (naive_is(r->op, "In") || naive_is(r->op, "NotIn")) {
        if (r->values.count == 0) {
            return false;
        }
    } else if (naive_is(r->op, "Exists") || naive_is(r->op, "DoesNotExist")) {
        if (r->values.count != 0) {
            return false;
        }
    } else if (naive_is(r->op, "Gt") || naive_is(r->op, "Lt")) {
        if (r->values.count != 1 || !integer_parse(r->values.items[0], &operand)) {
            return false;
        }
    } else {
        return false;
    }
    for (uint32_t i = 0; i < r->values.count; i++) {
        if (!label_value_valid(r->values.items[i])) {
            return false;
        }
    }
    return naive_qualified_name(r->key);
}

static bool requirement_matches(const berth_requirement *r, berth_map labels)
{
    const berth_str *value = naive_label(labels, r->key);
    int64_t left, right;
    if (naive_is(r->op, "In")) {
        return value != NULL && naive_in(r->values, *value);
    }
    if (naive_is(r->op, "NotIn")) {
        return value == NULL || !naive_in(r->values, *value);
    }
    if (naive_is(r->op, "Exists")) {
        return value != NULL;
    }
    if (naive_is(r->op, "DoesNotExist")) {
        return value == NULL;
    }
    if (value == NULL || r->values.count != 1 || !integer_parse(*value, &left) ||
        !integer_parse(r->values.items[0], &right)) {
        return false;
    }
    return naive_is(r->op, "Gt") ? left > right : left < right;
}

bool naive_map_matches(berth_map wanted, berth_map labels)
{
    for (uint32_t i = 0; i < wanted.count; i++) {
        const berth_str *value = naive_label(labels, wanted.entries[i].key);
        if (value == NULL || !naive_same(*value, wanted.entries[i].value)) {
            return false;
        }
    }
    return true;
}

bool naive_selector_matches(const berth_label_selector *selector, berth_map labels)
{
    if (selector == NULL || !naive_map_matches(selector->match_labels, labels)) {
        return false;
    }
    for (uint32_t i = 0; i < selector->match_expressions.count; i++) {
        if (!requirement_matches(&selector->match_expressions.items[i], labels)) {
            return false;
        }
    }
    return true;
}

bool naive_selector_valid(const berth_label_selector *selector)
{
    for (uint32_t i = 0; selector != NULL && i < selector->match_labels.count; i++) {
        const berth_key_value *pair = &selector->match_labels.entries[i];
        if (!naive_qualified_name(pair->key) || !label_value_valid(pair->value)) {
            return false;
        }
    }
    for (uint32_t i = 0; selector != NULL && i < selector->match_expressions.count; i++) {
        const berth_requirement *r = &selector->match_expressions.items[i];
        if (naive_is(r->op, "Gt") || naive_is(r->op, "Lt") || !requirement_valid(r)) {
            return false;
        }
    }
    return true;
}

bool naive_selector_empty(const berth_label_selector *selector)
{
    return selector != NULL && selector->match_labels.count == 0 &&
           selector->match_expressions.count == 0;
}

/* ---- node selectors ---- */

bool naive_term_valid(const berth_node_selector_term *term)
{
    for (uint32_t i = 0; i < term->match_expressions.count; i++) {
        if (!requirement_valid(&term->match_expressions.items[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < term->match_fields.count; i++) {
        const berth_requirement *r = &term->match_fields.items[i];
        if ((!naive_is(r->op, "In") && !naive_is(r->op, "NotIn")) || r->values.count != 1) {
            return false;
        }
    }
    return true;
}

bool naive_term_matches(const berth_node_selector_term *term, berth_map labels, berth_str name)
{
    if (term->match_expressions.count == 0 && term->match_fields.count == 0) {
        return false;
    }
    if (!naive_term_valid(term)) {
        return false;
    }
    for (uint32_t i = 0; i < term->match_expressions.count; i++) {
        if (!requirement_matches(&term->match_expressions.items[i], labels)) {
            return false;
        }
    }
    for (uint32_t i = 0; name.len > 0 && i < term->match_fields.count; i++) {
        const berth_requirement *r = &term->match_fields.items[i];
        berth_str value = naive_is(r->key, "metadata.name") ? name : naive_str("");
        if (naive_same(value, r->values.items[0]) != naive_is(r->op, "In")) {
            return false;
        }
    }
    return true;
}

bool naive_node_selector_matches(const berth_node_selector *selector, berth_map labels,
                                 berth_str name)
{
    for (uint32_t i = 0; i < selector->count; i++) {
        if (naive_term_matches(&selector->terms[i], labels, name)) {
            return true;
        }
    }
    return false;
}

bool naive_wants_node(const berth_pod *pod, const berth_node *node)
{
    const berth_node_selector *required = pod->node_affinity.required;
    return naive_map_matches(pod->node_selector, node->meta.labels) &&
           (required == NULL ||
            naive_node_selector_matches(required, node->meta.labels, node->meta.name));
}

/* ---- tolerations ---- */

static bool toleration_accepts(const berth_toleration *t, const berth_taint *taint)
{
    if (t->effect.len > 0 && !naive_same(t->effect, taint->effect)) {
        return false;
    }
    if (t->key.len > 0 && !naive_same(t->key, taint->key)) {
        return false;
    }
    if (t->op.len == 0 || naive_is(t->op, "Equal")) {
        return naive_same(t->value, taint->value);
    }
    return naive_is(t->op, "Exists");
}

bool naive_tolerates(const berth_pod *pod, const berth_taint *taint)
{
    for (uint32_t i = 0; i < pod->toleration_count; i++) {
        if (toleration_accepts(&pod->tolerations[i], taint)) {
            return true;
        }
    }
    return false;
}

const berth_taint *naive_untolerated(const berth_pod *pod, const berth_node *node)
{
    for (uint32_t i = 0; i < node->taint_count; i++) {
        const berth_taint *taint = &node->taints[i];
        if ((naive_is(taint->effect, "NoSchedule") || naive_is(taint->effect, "NoExecute")) &&
            !naive_tolerates(pod, taint)) {
            return taint;
        }
    }
    return NULL;
}
