/* Validates the fields that matter for placement as an API server does. Each complaint names the
 * field, the value, and the expected values. Source: kubernetes v1.36 pkg/apis/core/validation and
 * apimachinery's label validation. */
#include "inspect/values.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/suggest.h"
#include "inspect/fresh.h"

enum { NAME_LEN_MAX = 253, LABEL_LEN_MAX = 63 };

#define SHOW(text) (int)(text).len, (text).data != NULL ? (text).data : ""
#define IS(text, word) \
    ((text).len == sizeof(word) - 1 && memcmp((text).data, word, sizeof(word) - 1) == 0)

typedef struct check {
    const berth_error *origin;
    findings *findings;
} check;

/* The path to a value, from the inside out; written only for complaints. */
typedef struct at {
    const struct at *up;
    const char *name; /* NULL: `index` counts */
    uint32_t index;
} at;

static void write_at(const at *where, char *out, size_t size)
{
    if (where->up != NULL)
        write_at(where->up, out, size);
    size_t len = strlen(out);
    if (where->name == NULL)
        snprintf(out + len, size - len, "[%" PRIu32 "]", where->index);
    else
        snprintf(out + len, size - len, "%s%s", len > 0 ? "." : "", where->name);
}

static void complain(const check *c, const at *where, const char *leaf, const char *format, ...)
    __attribute__((format(printf, 4, 5), cold));

/* `where` or `leaf`, the last part of the path, may be NULL. */
static void complain(const check *c, const at *where, const char *leaf, const char *format, ...)
{
    berth_error place = *c->origin;
    char text[400];
    va_list args;
    const at whole = {where, leaf, 0};
    place.field[0] = '\0';
    if (leaf != NULL || where != NULL)
        write_at(leaf != NULL ? &whole : where, place.field, sizeof(place.field));
    va_start(args, format);
    int len = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    findings_add(c->findings, FINDING_VALUE,
                 (berth_str){text, (size_t)len < sizeof(text) ? (uint32_t)len : sizeof(text) - 1},
                 &place, 1);
}

/* The allowed words of a field. */
typedef struct choices {
    const char *shown;
    berth_str words[7];
} choices;

#define W(text)                \
    {                          \
        text, sizeof(text) - 1 \
    }

static bool is_one_of(berth_str text, const choices *of)
{
    for (const berth_str *one = of->words; one->data != NULL; one++)
        if (one->len == text.len && memcmp(one->data, text.data, text.len) == 0)
            return true;
    return false;
}

static void check_word(const check *c, const at *where, const char *leaf, berth_str text,
                       const choices *of)
{
    if (!is_one_of(text, of))
        complain(c, where, leaf, "expected %s, found \"%.*s\"", of->shown, SHOW(text));
}

static const choices node_operators = {
    "In, NotIn, Exists, DoesNotExist, Gt or Lt",
    {W("In"), W("Exists"), W("NotIn"), W("DoesNotExist"), W("Gt"), W("Lt")}};
static const choices label_operators = {"In, NotIn, Exists or DoesNotExist",
                                        {W("In"), W("Exists"), W("NotIn"), W("DoesNotExist")}};
static const choices toleration_operators = {"Equal, Exists, Lt or Gt",
                                             {W("Equal"), W("Exists"), W("Lt"), W("Gt")}};
static const choices effects = {"NoSchedule, PreferNoSchedule or NoExecute",
                                {W("NoSchedule"), W("PreferNoSchedule"), W("NoExecute")}};
static const choices unsatisfiable = {"DoNotSchedule or ScheduleAnyway",
                                      {W("DoNotSchedule"), W("ScheduleAnyway")}};
static const choices policies = {"Honor or Ignore", {W("Honor"), W("Ignore")}};
static const choices preemption = {"PreemptLowerPriority or Never",
                                   {W("PreemptLowerPriority"), W("Never")}};
static const choices access_modes = {
    "ReadWriteOnce, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod",
    {W("ReadWriteOnce"), W("ReadOnlyMany"), W("ReadWriteMany"), W("ReadWriteOncePod")}};

/* ---- names ---- */

static inline bool is_letter_or_digit(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9');
}

/* Whether a name consists only of lower-case letters, digits and '-'. */
static bool is_plain(berth_str name)
{
    static const unsigned char plain[256] = {['a' ... 'z'] = 1, ['0' ... '9'] = 1, ['-'] = 1};
    uint32_t i = 0;
    while (i < name.len && plain[(unsigned char)name.data[i]])
        i++;
    return i == name.len;
}

/* Whether a name is a DNS name: lower-case letters, digits, '-', and '.' between labels. */
static bool is_dns_name(berth_str name, bool dots, uint32_t longest)
{
    if (name.len == 0 || name.len > longest || !is_letter_or_digit(name.data[0]) ||
        !is_letter_or_digit(name.data[name.len - 1]))
        return false;
    if (is_plain(name))
        return true;
    for (uint32_t i = 1; dots && i + 1 < name.len; i++) {
        char ch = name.data[i];
        if (is_letter_or_digit(ch) || ch == '-')
            continue;
        if (ch != '.' || !is_letter_or_digit(name.data[i - 1]) ||
            !is_letter_or_digit(name.data[i + 1]))
            return false;
    }
    return dots;
}

static void check_names(const check *c, const berth_metadata *meta)
{
    static const at where = {NULL, "metadata", 0};
    if (!is_dns_name(meta->name, true, NAME_LEN_MAX))
        complain(c, &where, "name", "expected small letters, digits, '-' and '.', found \"%.*s\"",
                 SHOW(meta->name));
    if (meta->namespace_name.len > 0 && !IS(meta->namespace_name, "default") &&
        !is_dns_name(meta->namespace_name, false, LABEL_LEN_MAX))
        complain(c, &where, "namespace", "expected small letters, digits and '-', found \"%.*s\"",
                 SHOW(meta->namespace_name));
}

/* ---- selectors ---- */

static void check_requirements(const check *c, const at *up, const char *part,
                               berth_requirements list, const choices *operators)
{
    const at where = {up, part, 0};
    for (uint32_t i = 0; i < list.count; i++) {
        const berth_requirement *one = &list.items[i];
        const at item = {&where, NULL, i};
        check_word(c, &item, "operator", one->op, operators);
        if ((IS(one->op, "In") || IS(one->op, "NotIn")) && one->values.count == 0)
            complain(c, &item, "values", "expected values for the operator %.*s, found none",
                     SHOW(one->op));
        if ((IS(one->op, "Exists") || IS(one->op, "DoesNotExist")) && one->values.count > 0)
            complain(c, &item, "values", "expected no values for the operator %.*s", SHOW(one->op));
        if ((IS(one->op, "Gt") || IS(one->op, "Lt")) && one->values.count != 1)
            complain(c, &item, "values",
                     "expected one number for the operator %.*s, found %" PRIu32 " values",
                     SHOW(one->op), one->values.count);
    }
}

static void check_selector(const check *c, const at *up, const char *name,
                           const berth_label_selector *selector)
{
    const at where = {up, name, 0};
    if (selector != NULL)
        check_requirements(c, &where, "matchExpressions", selector->match_expressions,
                           &label_operators);
}

static void check_node_term(const check *c, const at *where, const berth_node_selector_term *term)
{
    check_requirements(c, where, "matchExpressions", term->match_expressions, &node_operators);
    check_requirements(c, where, "matchFields", term->match_fields, &node_operators);
}

/* ---- containers ---- */

static const at spec = {NULL, "spec", 0};

static int compare(berth_quantity a, berth_quantity b)
{
    if (a.units != b.units)
        return a.units < b.units ? -1 : 1;
    return (a.nanos > b.nanos) - (a.nanos < b.nanos);
}

static void check_limit(const check *c, const at *container, const berth_resource *request,
                        const berth_resource *limit)
{
    const at resources = {container, "resources", 0};
    const at requests = {&resources, "requests", 0};
    char name[128], asked[64], allowed[64];
    if (compare(request->amount, limit->amount) <= 0)
        return;
    snprintf(name, sizeof(name), "%.*s", SHOW(request->name));
    berth_quantity_format(request->amount, true, asked, sizeof(asked));
    berth_quantity_format(limit->amount, true, allowed, sizeof(allowed));
    complain(c, &requests, name, "expected at most the limit of %s, found %s", allowed, asked);
}

/* Whether a container may request a resource of this name without a domain. */
static bool is_known_resource(berth_str name)
{
    static const char pages[] = "hugepages-";
    return IS(name, "cpu") || IS(name, "memory") || IS(name, "ephemeral-storage") ||
           (name.len > sizeof(pages) - 1 && memcmp(name.data, pages, sizeof(pages) - 1) == 0);
}

static void check_amount(const check *c, const at *list, const berth_resource *one)
{
    static const char *const known[] = {"cpu", "memory", "ephemeral-storage", NULL};
    char name[128], amount[64];
    snprintf(name, sizeof(name), "%.*s", SHOW(one->name));
    if (memchr(name, '/', strlen(name)) == NULL && !is_known_resource(one->name)) {
        const char *like = suggest_among(name, known);
        complain(c, list, name,
                 "no node offers such a resource: expected cpu, memory, ephemeral-storage, "
                 "hugepages-SIZE, or a name with a domain%s%s%s",
                 like != NULL ? ": did you mean " : "", like != NULL ? like : "",
                 like != NULL ? "?" : "");
        return;
    }
    if (IS(one->name, "cpu") || one->amount.nanos == 0)
        return;
    berth_quantity_format(one->amount, false, amount, sizeof(amount));
    if (is_known_resource(one->name))
        complain(c, list, name, "expected whole bytes, found %s: did you mean %" PRId64 "Mi?",
                 amount, one->amount.units * 1000 + one->amount.nanos / 1000000);
    else
        complain(c, list, name, "expected a whole number, found %s", amount);
}

static bool holds(berth_resources list, const berth_resource *one)
{
    for (uint32_t i = 0; i < list.count; i++)
        if (words_equal(list.items[i].name, one->name) &&
            compare(list.items[i].amount, one->amount) == 0)
            return true;
    return false;
}

/* Check amounts, except those in `told`: a limit is also the request if there is none. */
static void check_amounts(const check *c, const at *container, const char *part,
                          berth_resources list, berth_resources told)
{
    const at resources = {container, "resources", 0};
    const at where = {&resources, part, 0};
    for (uint32_t i = 0; i < list.count; i++)
        if (!holds(told, &list.items[i]))
            check_amount(c, &where, &list.items[i]);
}

static void check_containers(const check *c, const char *name, const berth_container *list,
                             uint32_t count)
{
    const at where = {&spec, name, 0};
    for (uint32_t i = 0; i < count; i++) {
        const at item = {&where, NULL, i};
        const berth_resources none = {0};
        check_amounts(c, &item, "limits", list[i].limits, none);
        check_amounts(c, &item, "requests", list[i].requests, list[i].limits);
        if (list[i].limits.count == 0)
            continue;
        for (uint32_t r = 0; r < list[i].requests.count; r++)
            for (uint32_t l = 0; l < list[i].limits.count; l++)
                if (words_equal(list[i].requests.items[r].name, list[i].limits.items[l].name))
                    check_limit(c, &item, &list[i].requests.items[r], &list[i].limits.items[l]);
    }
}

/* ---- affinity ---- */

static const at affinity_at = {&spec, "affinity", 0};
static const char required_name[] = "requiredDuringSchedulingIgnoredDuringExecution";
static const char preferred_name[] = "preferredDuringSchedulingIgnoredDuringExecution";

static void check_weight(const check *c, const at *where, int32_t weight)
{
    if (weight < 1 || weight > 100)
        complain(c, where, "weight", "expected 1 to 100, found %" PRId32, weight);
}

static void check_terms(const check *c, const at *up, const berth_pod_affinity_term *terms,
                        uint32_t count, bool weighted)
{
    const at where = {up, weighted ? preferred_name : required_name, 0};
    for (uint32_t i = 0; i < count; i++) {
        const at item = {&where, NULL, i};
        const at inner = {&item, "podAffinityTerm", 0};
        const at *term = weighted ? &inner : &item;
        if (weighted)
            check_weight(c, &item, terms[i].weight);
        if (terms[i].topology_key.len == 0)
            complain(c, term, "topologyKey", "expected a key, found none");
        check_selector(c, term, "labelSelector", terms[i].label_selector);
        check_selector(c, term, "namespaceSelector", terms[i].namespace_selector);
    }
}

static void check_pod_affinity(const check *c, const char *name, const berth_pod_affinity *affinity)
{
    const at where = {&affinity_at, name, 0};
    if (affinity->required_count + affinity->preferred_count == 0)
        return;
    check_terms(c, &where, affinity->required, affinity->required_count, false);
    check_terms(c, &where, affinity->preferred, affinity->preferred_count, true);
}

static void check_node_affinity(const check *c, const berth_node_affinity *affinity)
{
    const at where = {&affinity_at, "nodeAffinity", 0};
    const at required_at = {&where, required_name, 0};
    const at terms = {&required_at, "nodeSelectorTerms", 0};
    const at preferred_at = {&where, preferred_name, 0};
    const berth_node_selector *required = affinity->required;
    if (required == NULL && affinity->preferred_count == 0)
        return;
    if (required != NULL && required->count == 0)
        complain(c, &terms, NULL, "expected a term, found none");
    for (uint32_t i = 0; required != NULL && i < required->count; i++) {
        const at term = {&terms, NULL, i};
        check_node_term(c, &term, &required->terms[i]);
    }
    for (uint32_t i = 0; i < affinity->preferred_count; i++) {
        const at item = {&preferred_at, NULL, i};
        const at preference = {&item, "preference", 0};
        check_weight(c, &item, affinity->preferred[i].weight);
        check_node_term(c, &preference, &affinity->preferred[i].preference);
    }
}

/* ---- the rest of a pod ---- */

static void check_toleration(const check *c, uint32_t i, const berth_toleration *one)
{
    const at list = {&spec, "tolerations", 0};
    const at where = {&list, NULL, i};
    if (one->op.len > 0)
        check_word(c, &where, "operator", one->op, &toleration_operators);
    if (one->key.len == 0 && !IS(one->op, "Exists"))
        complain(c, &where, "operator", "expected Exists where there is no key, found \"%.*s\"",
                 SHOW(one->op));
    if (IS(one->op, "Exists") && one->value.len > 0)
        complain(c, &where, "value", "expected no value for the operator Exists, found \"%.*s\"",
                 SHOW(one->value));
    if (one->effect.len > 0)
        check_word(c, &where, "effect", one->effect, &effects);
}

static void check_spread(const check *c, uint32_t i, const berth_topology_spread *one)
{
    const at list = {&spec, "topologySpreadConstraints", 0};
    const at where = {&list, NULL, i};
    if (one->max_skew <= 0)
        complain(c, &where, "maxSkew", "expected a number above 0, found %" PRId32, one->max_skew);
    if (one->topology_key.len == 0)
        complain(c, &where, "topologyKey", "expected a key, found none");
    check_word(c, &where, "whenUnsatisfiable", one->when_unsatisfiable, &unsatisfiable);
    if (one->min_domains < 0)
        complain(c, &where, "minDomains", "expected a number above 0, found %" PRId32,
                 one->min_domains);
    if (one->min_domains > 0 && !IS(one->when_unsatisfiable, "DoNotSchedule"))
        complain(c, &where, "minDomains",
                 "expected whenUnsatisfiable: DoNotSchedule beside it, found \"%.*s\"",
                 SHOW(one->when_unsatisfiable));
    if (one->node_affinity_policy.len > 0)
        check_word(c, &where, "nodeAffinityPolicy", one->node_affinity_policy, &policies);
    if (one->node_taints_policy.len > 0)
        check_word(c, &where, "nodeTaintsPolicy", one->node_taints_policy, &policies);
    check_selector(c, &where, "labelSelector", one->label_selector);
}

static void check_pod(const check *c, const berth_pod *pod)
{
    check_containers(c, "containers", pod->containers, pod->container_count);
    check_containers(c, "initContainers", pod->init_containers, pod->init_container_count);
    for (uint32_t i = 0; i < pod->toleration_count; i++)
        check_toleration(c, i, &pod->tolerations[i]);
    for (uint32_t i = 0; i < pod->spread_count; i++)
        check_spread(c, i, &pod->spreads[i]);
    check_node_affinity(c, &pod->node_affinity);
    check_pod_affinity(c, "podAffinity", &pod->pod_affinity);
    check_pod_affinity(c, "podAntiAffinity", &pod->pod_anti_affinity);
    if (pod->preemption_policy.len > 0)
        check_word(c, &spec, "preemptionPolicy", pod->preemption_policy, &preemption);
}

/* ---- other kinds ---- */

static void check_node(const check *c, const berth_node *node)
{
    const at list = {&spec, "taints", 0};
    for (uint32_t i = 0; i < node->taint_count; i++) {
        const at where = {&list, NULL, i};
        check_word(c, &where, "effect", node->taints[i].effect, &effects);
    }
}

static void check_claim(const check *c, const berth_persistent_volume_claim *claim)
{
    const at list = {&spec, "accessModes", 0};
    const at resources = {&spec, "resources", 0};
    const at requests = {&resources, "requests", 0};
    for (uint32_t i = 0; i < claim->access_modes.count; i++) {
        const at where = {&list, NULL, i};
        check_word(c, &where, NULL, claim->access_modes.items[i], &access_modes);
    }
    if (claim->request.units == 0 && claim->request.nanos == 0)
        complain(c, &requests, "storage", "expected an amount above 0, found none");
}

void values_check(const berth_object *object, const berth_error *origin, findings *f)
{
    const check c = {origin, f};
    const berth_metadata *meta = object->as.any;
    if (!is_fresh(meta))
        return;
    check_names(&c, meta);
    switch (object->kind) {
    case BERTH_KIND_POD:
        check_pod(&c, object->as.pod);
        break;
    case BERTH_KIND_NODE:
        check_node(&c, object->as.node);
        break;
    case BERTH_KIND_PERSISTENT_VOLUME_CLAIM:
        check_claim(&c, object->as.persistent_volume_claim);
        break;
    case BERTH_KIND_POD_DISRUPTION_BUDGET:
        check_selector(&c, &spec, "selector", object->as.pod_disruption_budget->selector);
        break;
    case BERTH_KIND_REPLICA_SET:
    case BERTH_KIND_STATEFUL_SET:
        check_selector(&c, &spec, "selector", object->as.replica_set->selector);
        break;
    default:
        break;
    }
}
