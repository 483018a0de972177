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

/* ---- lists ---- */

/* Read a list, if it is given, with `read_entry` for each entry into `size` bytes. */
static berth_status
read_list(berth__config_tree *tree, const berth__json *object, const char *key, size_t size,
          berth_status (*read_entry)(berth__config_tree *tree, const berth__json *entry, void *out),
          void **items, uint32_t *count)
{
    const berth__json *list;
    *items = NULL;
    *count = 0;
    BERTH_TRY(berth__config_list(tree, object, key, &list));
    if (list == NULL)
        return BERTH_OK;
    *items = berth__config_array(tree, list->count, size);
    if (*items == NULL)
        return BERTH_E_NOMEM;
    size_t outer = berth__config_enter(tree, key);
    for (uint32_t i = 0; i < list->count; i++) {
        size_t before = berth__config_enter_at(tree, i);
        BERTH_TRY(read_entry(tree, &list->as.items[i], (char *)*items + i * size));
        berth__config_leave(tree, before);
    }
    berth__config_leave(tree, outer);
    *count = list->count;
    return BERTH_OK;
}

static berth_status read_requirement(berth__config_tree *tree, const berth__json *entry,
                                     berth_requirement *out)
{
    static const char *const fields[] = {"key", "operator", "values", NULL};
    BERTH_TRY(berth__config_object(tree, entry, fields));
    BERTH_TRY(berth__config_string(tree, entry, "key", &out->key));
    BERTH_TRY(berth__config_string(tree, entry, "operator", &out->op));
    return berth__config_strings(tree, entry, "values", &out->values);
}

static berth_status read_expression(berth__config_tree *tree, const berth__json *entry, void *out)
{
    BERTH_TRY(read_requirement(tree, entry, out));
    return check_expression(tree, out);
}

static berth_status read_field(berth__config_tree *tree, const berth__json *entry, void *out)
{
    BERTH_TRY(read_requirement(tree, entry, out));
    return check_field(tree, out);
}

static berth_status read_term(berth__config_tree *tree, const berth__json *json, void *out)
{
    static const char *const fields[] = {"matchExpressions", "matchFields", NULL};
    berth_node_selector_term *term = out;
    void *expressions, *of_fields;
    uint32_t count;
    BERTH_TRY(berth__config_object(tree, json, fields));
    BERTH_TRY(read_list(tree, json, "matchExpressions", sizeof(berth_requirement), read_expression,
                        &expressions, &count));
    term->match_expressions = (berth_requirements){expressions, count};
    BERTH_TRY(read_list(tree, json, "matchFields", sizeof(berth_requirement), read_field,
                        &of_fields, &count));
    term->match_fields = (berth_requirements){of_fields, count};
    return BERTH_OK;
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
    berth_node_selector *result = berth__config_array(tree, 1, sizeof(*result));
    if (result == NULL)
        return BERTH_E_NOMEM;
    void *terms;
    uint32_t count;
    BERTH_TRY(read_list(tree, selector, "nodeSelectorTerms", sizeof(berth_node_selector_term),
                        read_term, &terms, &count));
    berth__config_leave(tree, outer);
    *result = (berth_node_selector){terms, count};
    *out = result;
    return BERTH_OK;
}

static berth_status read_preferred_term(berth__config_tree *tree, const berth__json *entry,
                                        void *out)
{
    static const char *const fields[] = {"weight", "preference", NULL};
    berth_preferred_node_term *term = out;
    BERTH_TRY(berth__config_object(tree, entry, fields));
    BERTH_TRY(berth__config_int32(tree, entry, "weight",
                                  (berth__config_range){INT32_MIN, INT32_MAX}, &term->weight));
    const berth__json *preference = berth__config_member(entry, "preference");
    if (preference == NULL)
        return BERTH_OK;
    size_t before = berth__config_enter(tree, "preference");
    BERTH_TRY(read_term(tree, preference, &term->preference));
    berth__config_leave(tree, before);
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
    void *preferred;
    BERTH_TRY(read_list(tree, affinity, "preferredDuringSchedulingIgnoredDuringExecution",
                        sizeof(berth_preferred_node_term), read_preferred_term, &preferred,
                        &added->preferred_count));
    added->preferred = preferred;
    berth__config_leave(tree, before);
    return BERTH_OK;
}
