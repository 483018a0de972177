/* NodeAffinityArgs of a KubeSchedulerConfiguration: the affinity that is added to every pod.
 * Source: kube-scheduler v1.32.2, apis/config/validation/validation_pluginargs.go. */
#include <inttypes.h>

#include "base/text.h"
#include "config/config.h"
#include "model/labels.h"

/* Whether a text is decimal digits (a label value has no sign) that int64 can hold. */
static bool is_int64(berth_str text)
{
    int64_t value = 0;
    for (uint32_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (c < '0' || c > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, c - '0', &value))
            return false;
    }
    return text.len > 0;
}

const char *const berth__config_affinity_fields[] = {"apiVersion", "kind", "addedAffinity", NULL};

/* Check the values against the operator. */
static berth_status check_values(berth__config_tree *tree, const berth_requirement *r)
{
    bool none = berth__str_is(r->op, "Exists") || berth__str_is(r->op, "DoesNotExist");
    bool number = berth__str_is(r->op, "Gt") || berth__str_is(r->op, "Lt");
    bool any = berth__str_is(r->op, "In") || berth__str_is(r->op, "NotIn");
    if (!none && !number && !any) {
        berth__config_enter(tree, "operator");
        return berth__config_fail(tree, BERTH_E_INVALID,
                                  "must be In, NotIn, Exists, DoesNotExist, Gt or Lt, "
                                  "not \"%.*s\"",
                                  (int)r->op.len, r->op.data);
    }
    size_t outer = berth__config_enter(tree, "values");
    if (none && r->values.count != 0)
        return berth__config_fail(tree, BERTH_E_INVALID, "must be empty with operator %.*s",
                                  (int)r->op.len, r->op.data);
    if (any && r->values.count == 0)
        return berth__config_fail(tree, BERTH_E_INVALID, "must not be empty with operator %.*s",
                                  (int)r->op.len, r->op.data);
    if (number && (r->values.count != 1 || !is_int64(r->values.items[0])))
        return berth__config_fail(tree, BERTH_E_INVALID, "must be one integer with operator %.*s",
                                  (int)r->op.len, r->op.data);
    for (uint32_t i = 0; i < r->values.count; i++) {
        size_t before = berth__config_enter_at(tree, i);
        if (!berth__is_label_value(r->values.items[i]))
            return berth__config_fail(tree, BERTH_E_INVALID, "\"%.*s\" is not a label value",
                                      (int)r->values.items[i].len, r->values.items[i].data);
        berth__config_leave(tree, before);
    }
    berth__config_leave(tree, outer);
    return BERTH_OK;
}

static berth_status check_expression(berth__config_tree *tree, const berth_requirement *r)
{
    if (!berth__is_qualified_name(r->key)) {
        berth__config_enter(tree, "key");
        return berth__config_fail(tree, BERTH_E_INVALID, "\"%.*s\" is not a qualified name",
                                  (int)r->key.len, r->key.data);
    }
    return check_values(tree, r);
}

static berth_status check_field(berth__config_tree *tree, const berth_requirement *r)
{
    if (!berth__str_is(r->op, "In") && !berth__str_is(r->op, "NotIn")) {
        berth__config_enter(tree, "operator");
        return berth__config_fail(tree, BERTH_E_INVALID, "must be In or NotIn, not \"%.*s\"",
                                  (int)r->op.len, r->op.data);
    }
    if (r->values.count != 1) {
        berth__config_enter(tree, "values");
        return berth__config_fail(tree, BERTH_E_INVALID, "must hold exactly one value");
    }
    return BERTH_OK;
}

typedef berth_status (*check_fn)(berth__config_tree *tree, const berth_requirement *requirement);

static berth_status read_requirements(berth__config_tree *tree, const berth__json *term,
                                      const char *key, check_fn check, berth_requirements *out)
{
    static const char *const fields[] = {"key", "operator", "values", NULL};
    const berth__json *list;
    BERTH_TRY(berth__config_list(tree, term, key, &list));
    if (list == NULL)
        return BERTH_OK;
    berth_requirement *items = berth__config_array(tree, list->count, sizeof(*items));
    if (items == NULL)
        return BERTH_E_NOMEM;
    size_t outer = berth__config_enter(tree, key);
    for (uint32_t i = 0; i < list->count; i++) {
        const berth__json *entry = &list->as.items[i];
        size_t before = berth__config_enter_at(tree, i);
        BERTH_TRY(berth__config_object(tree, entry, fields));
        BERTH_TRY(berth__config_string(tree, entry, "key", &items[i].key));
        BERTH_TRY(berth__config_string(tree, entry, "operator", &items[i].op));
        BERTH_TRY(berth__config_strings(tree, entry, "values", &items[i].values));
        BERTH_TRY(check(tree, &items[i]));
        berth__config_leave(tree, before);
    }
    berth__config_leave(tree, outer);
    *out = (berth_requirements){items, list->count};
    return BERTH_OK;
}

static berth_status read_term(berth__config_tree *tree, const berth__json *term,
                              berth_node_selector_term *out)
{
    static const char *const fields[] = {"matchExpressions", "matchFields", NULL};
    BERTH_TRY(berth__config_object(tree, term, fields));
    BERTH_TRY(read_requirements(tree, term, "matchExpressions", check_expression,
                                &out->match_expressions));
    return read_requirements(tree, term, "matchFields", check_field, &out->match_fields);
}

static berth_status read_required(berth__config_tree *tree, const berth__json *affinity,
                                  const berth_node_selector **out)
{
    static const char *const key = "requiredDuringSchedulingIgnoredDuringExecution";
    static const char *const fields[] = {"nodeSelectorTerms", NULL};
    const berth__json *selector = berth__config_member(affinity, key);
    if (selector == NULL)
        return BERTH_OK;
    size_t outer = berth__config_enter(tree, key);
    BERTH_TRY(berth__config_object(tree, selector, fields));
    const berth__json *list;
    BERTH_TRY(berth__config_list(tree, selector, "nodeSelectorTerms", &list));
    uint32_t count = list == NULL ? 0 : list->count;
    berth_node_selector *result = berth__config_array(tree, 1, sizeof(*result));
    berth_node_selector_term *terms = berth__config_array(tree, count, sizeof(*terms));
    if (result == NULL || terms == NULL)
        return BERTH_E_NOMEM;
    size_t inner = berth__config_enter(tree, "nodeSelectorTerms");
    for (uint32_t i = 0; i < count; i++) {
        size_t before = berth__config_enter_at(tree, i);
        BERTH_TRY(read_term(tree, &list->as.items[i], &terms[i]));
        berth__config_leave(tree, before);
    }
    berth__config_leave(tree, inner);
    berth__config_leave(tree, outer);
    *result = (berth_node_selector){terms, count};
    *out = result;
    return BERTH_OK;
}

static berth_status read_preferred(berth__config_tree *tree, const berth__json *affinity,
                                   berth_node_affinity *out)
{
    static const char *const key = "preferredDuringSchedulingIgnoredDuringExecution";
    static const char *const fields[] = {"weight", "preference", NULL};
    const berth__json *list;
    BERTH_TRY(berth__config_list(tree, affinity, key, &list));
    if (list == NULL)
        return BERTH_OK;
    berth_preferred_node_term *terms = berth__config_array(tree, list->count, sizeof(*terms));
    if (terms == NULL)
        return BERTH_E_NOMEM;
    size_t outer = berth__config_enter(tree, key);
    for (uint32_t i = 0; i < list->count; i++) {
        const berth__json *entry = &list->as.items[i];
        size_t before = berth__config_enter_at(tree, i);
        BERTH_TRY(berth__config_object(tree, entry, fields));
        BERTH_TRY(berth__config_int32(
            tree, entry, "weight", (berth__config_range){INT32_MIN, INT32_MAX}, &terms[i].weight));
        const berth__json *preference = berth__config_member(entry, "preference");
        if (preference != NULL) {
            size_t inner = berth__config_enter(tree, "preference");
            BERTH_TRY(read_term(tree, preference, &terms[i].preference));
            berth__config_leave(tree, inner);
        }
        berth__config_leave(tree, before);
    }
    berth__config_leave(tree, outer);
    out->preferred = terms;
    out->preferred_count = list->count;
    return BERTH_OK;
}

berth_status berth__config_affinity_read(berth__config_tree *tree, const berth__json *args,
                                         berth_plugin_args *out)
{
    static const char *const fields[] = {"requiredDuringSchedulingIgnoredDuringExecution",
                                         "preferredDuringSchedulingIgnoredDuringExecution", NULL};
    const berth__json *affinity = berth__config_member(args, "addedAffinity");
    if (affinity == NULL)
        return BERTH_OK;
    size_t before = berth__config_enter(tree, "addedAffinity");
    BERTH_TRY(berth__config_object(tree, affinity, fields));
    berth_node_affinity *added = &out->node_affinity.added_affinity;
    BERTH_TRY(read_required(tree, affinity, &added->required));
    BERTH_TRY(read_preferred(tree, affinity, added));
    berth__config_leave(tree, before);
    return BERTH_OK;
}
