/* Totals of a pod's requests: exact sums, rounded once at the end, or (v1.15) rounded for each
 * container. A pod on a node also counts what its kubelet reports about its containers, because a
 * pod may be resized in place. A pod that looks for a node counts only its specification.
 * Source: component-helpers v0.32 to v0.37, resource/helpers.go, PodRequests; kube-scheduler v1.36,
 * framework/types.go, PodInfo; engine/plugins/rules/v1.36.md, section 3. */
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "base/text.h"
#include "model/pod_class.h"
#include "model/request_cut.h"

/* What scores assume for a container without a request. */
static const __int128 DEFAULT_CPU_NANOS = 100000000;
static const __int128 DEFAULT_MEMORY_NANOS = (__int128)209715200 * 1000000000;

typedef struct resource_rule {
    berth_str name;
    bool milli;
    bool substitute; /* a container without the resource counts `missing` */
    __int128 missing;
} resource_rule;

static bool named_in(berth_resources list, berth_str name, __int128 *out)
{
    for (uint32_t i = 0; i < list.count; i++) {
        if (berth__str_eq(list.items[i].name, name)) {
            *out = berth__amount_nanos(list.items[i].amount);
            return true;
        }
    }
    return false;
}

static __int128 max_of(__int128 a, __int128 b)
{
    return a > b ? a : b;
}

/* ---- reading amounts ---- */

/* Where amounts come from, since v1.37. If a status does not mention them, the source before it
 * counts. */
typedef enum source {
    SPECIFIED,
    ALLOCATED,
    ACTUATED,
} source;

typedef struct reading {
    const berth__counted_pod *counted;
    const berth_pod *pod;
    const berth__behaviours *behaviours;
    bool of_status; /* the pod is on a node, and its kubelet's reports count */
    bool by_source; /* each source is summed by itself */
    source source;
    bool infeasible; /* a resize was refused: the specification does not count */
} reading;

static bool resize_was_refused(const berth_pod *pod)
{
    for (uint32_t i = 0; i < pod->condition_count; i++)
        if (berth__str_is(pod->conditions[i].type, "PodResizePending") &&
            berth__str_is(pod->conditions[i].reason, "Infeasible"))
            return true;
    return false;
}

static reading read_specification(const berth__model *model, const berth__counted_pod *counted)
{
    return (reading){.counted = counted, .pod = counted->pod, .behaviours = &model->behaviours};
}

static reading read_on_node(const berth__model *model, const berth__counted_pod *counted)
{
    bool of_status = model->behaviours.requests_of_status;
    return (reading){.counted = counted,
                     .pod = counted->pod,
                     .behaviours = &model->behaviours,
                     .of_status = of_status,
                     .by_source = of_status && model->behaviours.requests_by_source,
                     .infeasible = of_status && resize_was_refused(counted->pod)};
}

/* A container, and whether its status is among those of init containers. */
typedef struct container_read {
    const berth_container *spec;
    bool init;
} container_read;

static container_read regular_container(const berth_pod *pod, uint32_t i)
{
    return (container_read){&pod->containers[i], false};
}

static container_read init_container(const berth_pod *pod, uint32_t i)
{
    return (container_read){&pod->init_containers[i], true};
}

/* Raise the amount to what a list says; returns whether the list names the resource. */
static bool raise_to(berth_resources list, berth_str name, __int128 *amount)
{
    __int128 listed = 0;
    bool named = named_in(list, name, &listed);
    *amount = max_of(*amount, listed);
    return named;
}

/* The amount from one of a container's sources, and whether that source names the resource. Whether
 * a status counts at all depends on the whole pod, so this reads `whole`, not the part that was cut
 * out. */
static bool source_names(const reading *r, const container_read *c, berth_str name,
                         __int128 *amount)
{
    const berth__counted_pod *whole = r->counted->whole != NULL ? r->counted->whole : r->counted;
    const berth_container_status *said =
        r->source != SPECIFIED ? berth__counted_pod_status(whole, c->init, c->spec->name) : NULL;
    *amount = 0;
    if (said != NULL && r->source == ACTUATED && said->has_resources && said->requests.count > 0) {
        said = berth__counted_pod_status(r->counted, c->init, c->spec->name);
        return said != NULL && named_in(said->requests, name, amount);
    }
    if (said != NULL && said->allocated.count > 0) {
        said = berth__counted_pod_status(r->counted, c->init, c->spec->name);
        return said != NULL && named_in(said->allocated, name, amount);
    }
    return (r->source == SPECIFIED || !r->infeasible) && named_in(c->spec->requests, name, amount);
}

/* What a container requests, and whether it names the resource. */
static bool container_names(const reading *r, const container_read *c, berth_str name,
                            __int128 *amount)
{
    if (r->by_source)
        return source_names(r, c, name, amount);
    const berth_container_status *status =
        r->of_status ? berth__counted_pod_status(r->counted, c->init, c->spec->name) : NULL;
    *amount = 0;
    if (status == NULL || !status->has_resources)
        return named_in(c->spec->requests, name, amount);
    bool named = !r->infeasible && raise_to(c->spec->requests, name, amount);
    named |= raise_to(status->requests, name, amount);
    named |= raise_to(status->allocated, name, amount);
    return named;
}

static __int128 container_amount(const reading *r, const container_read *c,
                                 const resource_rule *rule)
{
    __int128 amount = 0;
    if (!container_names(r, c, rule->name, &amount) && rule->substitute)
        amount = rule->missing;
    return amount;
}

/* Before v1.37, reports about an init container that ends do not count. */
static reading read_init(const reading *r, uint32_t i)
{
    const reading specified = {.counted = r->counted, .pod = r->pod, .behaviours = r->behaviours};
    return r->by_source || r->pod->init_containers[i].restart_always ? *r : specified;
}

static __int128 init_amount(const reading *r, uint32_t i, const resource_rule *rule)
{
    const reading init = read_init(r, i);
    const container_read c = init_container(r->pod, i);
    return container_amount(&init, &c, rule);
}

/* ---- requests of the pod as a whole ---- */

static bool is_pod_level(berth_str name)
{
    static const char huge[] = "hugepages-";
    return berth__str_is(name, "cpu") || berth__str_is(name, "memory") ||
           (name.len > sizeof(huge) - 1 && memcmp(name.data, huge, sizeof(huge) - 1) == 0);
}

static const berth_pod *whole_pod(const reading *r)
{
    return r->counted->whole != NULL ? r->counted->whole->pod : r->pod;
}

static bool has_pod_level(const reading *r)
{
    const berth_resources *requests = &whole_pod(r)->pod_requests;
    for (uint32_t i = 0; r->behaviours->requests_of_pod && i < requests->count; i++)
        if (is_pod_level(requests->items[i].name))
            return true;
    return false;
}

/* Whether the status of the pod as a whole counts. */
static bool hears_pod_status(const reading *r)
{
    return r->of_status && r->behaviours->requests_of_pod_status && r->pod->has_status_resources;
}

/* What the pod as a whole requests, in place of the sum of its containers; false: nothing. Since
 * v1.37 its status may name more resources than its specification, if that names any. */
static bool pod_names(const reading *r, berth_str name, __int128 *amount)
{
    const berth_pod *pod = r->pod;
    __int128 specified = 0;
    if (!r->behaviours->requests_of_pod || !is_pod_level(name))
        return false;
    bool named = named_in(pod->pod_requests, name, &specified);
    if (r->by_source ? !has_pod_level(r) : !named)
        return false;
    *amount = specified;
    if (!hears_pod_status(r))
        return named;
    if (r->infeasible) {
        *amount = 0;
        named &= !r->by_source;
    }
    named |= raise_to(pod->status_requests, name, amount);
    return raise_to(pod->status_allocated, name, amount) || named;
}

/* ---- totals ---- */

static __int128 containers_sum(const reading *r, const resource_rule *rule)
{
    const berth_pod *pod = r->pod;
    __int128 sum = 0, sidecars = 0, peak = 0;
    for (uint32_t i = 0; i < pod->container_count; i++) {
        const container_read c = regular_container(pod, i);
        sum += container_amount(r, &c, rule);
    }
    for (uint32_t i = 0; i < pod->init_container_count; i++) {
        __int128 amount = init_amount(r, i, rule);
        if (pod->init_containers[i].restart_always) {
            sum += amount;
            sidecars += amount;
            peak = max_of(peak, sidecars);
        } else {
            peak = max_of(peak, amount + sidecars);
        }
    }
    return max_of(sum, peak);
}

/* If the pod's status reports on the pod as a whole, it replaces those of its containers. */
static const berth_resources *pod_source(const reading *r, source of)
{
    const berth_pod *whole = whole_pod(r);
    if (of == SPECIFIED || !hears_pod_status(r) || whole->status_allocated.count == 0 ||
        whole->status_requests.count == 0)
        return NULL;
    return of == ALLOCATED ? &r->pod->status_allocated : &r->pod->status_requests;
}

static __int128 source_total(const reading *r, source of, const resource_rule *rule)
{
    reading own = *r;
    __int128 amount = 0;
    const berth_resources *list = pod_source(r, of);
    own.source = of;
    if (list == NULL)
        return containers_sum(&own, rule);
    named_in(*list, rule->name, &amount);
    return amount;
}

static __int128 containers_total(const reading *r, const resource_rule *rule)
{
    if (!r->by_source)
        return containers_sum(r, rule);
    const __int128 specified = r->infeasible ? 0 : source_total(r, SPECIFIED, rule);
    return max_of(specified,
                  max_of(source_total(r, ALLOCATED, rule), source_total(r, ACTUATED, rule)));
}

static __int128 overhead_of(const berth_pod *pod, berth_str name)
{
    __int128 overhead = 0;
    named_in(pod->overhead, name, &overhead);
    return overhead;
}

static __int128 modern_total(const reading *r, const resource_rule *rule)
{
    __int128 amount = 0;
    if (!pod_names(r, rule->name, &amount))
        amount = containers_total(r, rule);
    return amount + overhead_of(r->pod, rule->name);
}

static bool containers_name(const reading *r, berth_str name)
{
    const berth_pod *pod = r->pod;
    __int128 ignored = 0;
    bool named = false;
    for (uint32_t i = 0; i < pod->container_count && !named; i++) {
        const container_read c = regular_container(pod, i);
        named = container_names(r, &c, name, &ignored);
    }
    for (uint32_t i = 0; i < pod->init_container_count && !named; i++) {
        const reading init = read_init(r, i);
        const container_read c = init_container(pod, i);
        named = container_names(&init, &c, name, &ignored);
    }
    return named;
}

static bool any_source_names(const reading *r, berth_str name)
{
    bool named = false;
    for (source of = r->infeasible ? ALLOCATED : SPECIFIED; of <= ACTUATED && !named; of++) {
        reading own = *r;
        __int128 ignored = 0;
        const berth_resources *list = pod_source(r, of);
        own.source = of;
        named = list != NULL ? named_in(*list, name, &ignored) : containers_name(&own, name);
    }
    return named;
}

/* Whether the pod requests the resource anywhere. */
static bool is_named(const reading *r, berth_str name)
{
    __int128 ignored = 0;
    return pod_names(r, name, &ignored) || named_in(r->pod->overhead, name, &ignored) ||
           (r->by_source ? any_source_names(r, name) : containers_name(r, name));
}

/* The amount that scores count for a pod on a node. A container without an amount counts as using
 * some; if the pod has requests as a whole, this happens only if it names the resource nowhere. */
static __int128 nonzero_total(const reading *r, const resource_rule *rule)
{
    resource_rule plain = *rule;
    plain.substitute = !has_pod_level(r) || !is_named(r, rule->name);
    return modern_total(r, &plain);
}

/* Round up to the unit that the scheduler counts in; the result is still in nanos. */
static __int128 rounded(__int128 nanos, bool milli)
{
    __int128 unit = milli ? 1000000 : 1000000000;
    return (nanos + unit - 1) / unit * unit;
}

static void legacy_totals(const reading *r, const resource_rule *rule, __int128 *ask, __int128 *use)
{
    const berth_pod *pod = r->pod;
    *use = 0;
    for (uint32_t i = 0; i < pod->container_count; i++) {
        const container_read c = regular_container(pod, i);
        *use += rounded(container_amount(r, &c, rule), rule->milli);
    }
    *ask = *use;
    for (uint32_t i = 0; i < pod->init_container_count; i++) {
        const container_read c = init_container(pod, i);
        *ask = max_of(*ask, rounded(container_amount(r, &c, rule), rule->milli));
    }
}

static berth_status read_total(__int128 nanos, const resource_rule *rule, int64_t *out,
                               berth_error *error)
{
    if (berth__amount_read(nanos, rule->milli, out))
        return BERTH_OK;
    berth__error_set(error, BERTH_E_RANGE, "the pod's total of %.*s does not fit 63 bits",
                     (int)rule->name.len, rule->name.data);
    berth__error_field(error, "spec.containers[].resources.requests.%.*s", (int)rule->name.len,
                       rule->name.data);
    return BERTH_E_RANGE;
}

/* What a pod needs free on a node, what it uses there, and what its containers alone request. */
typedef struct totals {
    int64_t ask;
    int64_t use;
    int64_t containers;
} totals;

/* Whether all totals are equal, because only the containers' specifications count. Since v1.37 the
 * specification does not count once a resize was refused, even if no status replaces it. */
static bool is_plain(const berth__behaviours *behaviours, const berth_pod *pod)
{
    return !(behaviours->requests_by_source && resize_was_refused(pod)) &&
           pod->container_status_count == 0 && pod->init_container_status_count == 0 &&
           pod->pod_requests.count == 0 && pod->status_allocated.count == 0;
}

static berth_status total(const berth__model *model, const berth__counted_pod *counted,
                          const resource_rule *rule, totals *out, berth_error *error)
{
    const berth_pod *pod = counted->pod;
    const reading specified = read_specification(model, counted);
    __int128 ask, use, containers;
    if (model->behaviours.rounds_by_container) {
        legacy_totals(&specified, rule, &ask, &use);
        containers = use;
    } else if (is_plain(&model->behaviours, whole_pod(&specified))) {
        ask = containers_total(&specified, rule) + overhead_of(pod, rule->name);
        BERTH_TRY(read_total(ask, rule, &out->ask, error));
        out->use = out->containers = out->ask;
        return BERTH_OK;
    } else {
        const reading on_node = read_on_node(model, counted);
        ask = modern_total(&specified, rule);
        use = rule->substitute ? nonzero_total(&on_node, rule) : modern_total(&on_node, rule);
        containers = containers_total(&specified, rule) + overhead_of(pod, rule->name);
    }
    BERTH_TRY(read_total(ask, rule, &out->ask, error));
    BERTH_TRY(read_total(containers, rule, &out->containers, error));
    return read_total(use, rule, &out->use, error);
}

static const uint32_t NO_INDEX = UINT32_MAX; /* of a path that is no list's */

static berth_status check_amounts(berth_resources list, const char *path, uint32_t index,
                                  const char *part, berth_error *error)
{
    for (uint32_t i = 0; i < list.count; i++) {
        int64_t ignored;
        __int128 nanos = berth__amount_nanos(list.items[i].amount);
        bool milli = berth__str_is(list.items[i].name, "cpu");
        bool valid = berth__amount_is_valid(list.items[i].amount);
        berth_status problem = nanos < 0 || !valid                           ? BERTH_E_INVALID
                               : !berth__amount_read(nanos, milli, &ignored) ? BERTH_E_RANGE
                                                                             : BERTH_OK;
        if (problem == BERTH_OK)
            continue;
        berth__error_set(error, problem, "%s",
                         problem == BERTH_E_RANGE ? "the amount does not fit 63 bits"
                         : valid                  ? "an amount must not be negative"
                                                  : BERTH__AMOUNT_INVALID);
        const berth_str name = list.items[i].name;
        if (index == NO_INDEX)
            berth__error_field(error, "%s%s%.*s", path, part, (int)name.len, name.data);
        else
            berth__error_field(error, "%s[%u]%s%.*s", path, (unsigned)index, part, (int)name.len,
                               name.data);
        return problem;
    }
    return BERTH_OK;
}

static berth_status check_containers(const berth_container *containers, uint32_t count,
                                     const char *path, berth_error *error)
{
    for (uint32_t i = 0; i < count; i++)
        BERTH_TRY(check_amounts(containers[i].requests, path, i, ".resources.requests.", error));
    return BERTH_OK;
}

/* Columns, in the order in which they were noted. */
typedef struct column_list {
    uint64_t *items;
    uint32_t count;
} column_list;

/* Add the scalar column of every name in `list`; amounts of 0 only if `zeros`. */
static berth_status note_scalars(berth__model *model, berth_resources list, bool zeros,
                                 column_list *out, berth_error *error)
{
    for (uint32_t i = 0; i < list.count; i++) {
        bool ok = true;
        if (!zeros && berth__amount_nanos(list.items[i].amount) == 0)
            continue;
        uint32_t resource = berth__resource_add(model, list.items[i].name, &ok);
        if (!ok)
            return berth__error_set(error, BERTH_E_NOMEM,
                                    "no room for another resource name (there may be %d)",
                                    BERTH__RESOURCES_MAX);
        if (resource != BERTH__RESOURCE_NONE && resource >= BERTH__SCALARS)
            out->items[out->count++] = resource;
    }
    return BERTH_OK;
}

static uint32_t status_entry_count(const berth_container_status *statuses, uint32_t count)
{
    uint32_t entries = 0;
    for (uint32_t i = 0; i < count; i++)
        entries += statuses[i].requests.count + statuses[i].allocated.count;
    return entries;
}

static uint32_t request_entry_count(const berth_pod *pod)
{
    uint32_t count = pod->overhead.count + pod->pod_requests.count + pod->status_requests.count +
                     pod->status_allocated.count;
    count += status_entry_count(pod->container_statuses, pod->container_status_count);
    count += status_entry_count(pod->init_container_statuses, pod->init_container_status_count);
    for (uint32_t i = 0; i < pod->container_count; i++)
        count += pod->containers[i].requests.count;
    for (uint32_t i = 0; i < pod->init_container_count; i++)
        count += pod->init_containers[i].requests.count;
    return count;
}

/* Leave out a resource that counts in no total, because it would make another class. */
static berth_status note_statuses(berth__model *model, const berth_container_status *statuses,
                                  uint32_t count, column_list *out, berth_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        const bool has_resources = statuses[i].has_resources;
        if (has_resources)
            BERTH_TRY(note_scalars(model, statuses[i].requests, true, out, error));
        if (has_resources || model->behaviours.requests_by_source)
            BERTH_TRY(note_scalars(model, statuses[i].allocated, true, out, error));
    }
    return BERTH_OK;
}

/* List every scalar that counts in some total of the pod. */
static berth_status list_scalars(berth__model *model, const berth_pod *pod, column_list *out,
                                 berth_error *error)
{
    const berth__behaviours *behaviours = &model->behaviours;
    bool modern = !behaviours->rounds_by_container;
    for (uint32_t i = 0; i < pod->container_count; i++)
        BERTH_TRY(note_scalars(model, pod->containers[i].requests, true, out, error));
    for (uint32_t i = 0; i < pod->init_container_count; i++)
        BERTH_TRY(note_scalars(model, pod->init_containers[i].requests, modern, out,
                               error)); /* v1.15 takes the larger amount, and 0 is never larger */
    if (modern)
        BERTH_TRY(note_scalars(model, pod->overhead, true, out, error));
    for (uint32_t i = 0; behaviours->requests_of_pod && i < pod->pod_requests.count; i++) {
        const berth_resources one = {&pod->pod_requests.items[i], 1};
        if (is_pod_level(one.items->name))
            BERTH_TRY(note_scalars(model, one, true, out, error));
    }
    if (!behaviours->requests_of_status)
        return BERTH_OK;
    if (behaviours->requests_by_source && behaviours->requests_of_pod_status &&
        pod->has_status_resources) {
        BERTH_TRY(note_scalars(model, pod->status_requests, true, out, error));
        BERTH_TRY(note_scalars(model, pod->status_allocated, true, out, error));
    }
    BERTH_TRY(
        note_statuses(model, pod->container_statuses, pod->container_status_count, out, error));
    return note_statuses(model, pod->init_container_statuses, pod->init_container_status_count, out,
                         error);
}

/* Sort, and keep each column once. */
static void sort_columns(column_list *columns)
{
    uint32_t kept = 0;
    berth__sort_words(columns->items, columns->count);
    for (uint32_t i = 0; i < columns->count; i++)
        if (kept == 0 || columns->items[kept - 1] != columns->items[i])
            columns->items[kept++] = columns->items[i];
    columns->count = kept;
}

static berth_status scalar_total(const berth__model *model, const berth__counted_pod *counted,
                                 berth__scalar_request *scalar, berth_error *error)
{
    resource_rule rule = {.name =
                              berth__text(model, berth__resource_name(model, scalar->resource))};
    totals made;
    BERTH_TRY(total(model, counted, &rule, &made, error));
    scalar->ask = made.ask;
    scalar->use = made.use;
    scalar->scored = made.containers;
    return BERTH_OK;
}

/* From this number of entries on, cutting a pod apart is cheaper than reading it once for each
 * resource. */
enum { ENTRIES_CUT = 32 };

static berth_status scalar_totals(berth__model *model, const berth__counted_pod *counted,
                                  berth__request *out, berth_error *error)
{
    uint32_t entries = request_entry_count(counted->pod);
    column_list columns = {berth__arena_alloc(&model->scratch, (entries + 1) * sizeof(uint64_t), 8),
                           0};
    if (columns.items == NULL)
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    BERTH_TRY(list_scalars(model, counted->pod, &columns, error));
    sort_columns(&columns);
    out->scalar_count = columns.count;
    if (columns.count == 0)
        return BERTH_OK;
    berth__scalar_request *scalars =
        berth__arena_alloc(&model->scratch, columns.count * sizeof(*scalars), 8);
    berth__request_cut cut;
    bool cuts = columns.count > 1 && entries > ENTRIES_CUT;
    if (scalars == NULL || (cuts && !berth__request_cut_make(model, counted, &cut)))
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    for (uint32_t i = 0; i < columns.count; i++) {
        berth__counted_pod part = *counted;
        scalars[i] = (berth__scalar_request){.resource = (uint32_t)columns.items[i]};
        if (cuts && !berth__request_cut_next(&cut, scalars[i].resource, &part))
            return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
        BERTH_TRY(scalar_total(model, &part, &scalars[i], error));
    }
    out->scalars = scalars;
    return BERTH_OK;
}

static bool above_zero(berth_resources list, const char *name)
{
    __int128 nanos = 0;
    return named_in(list, berth__text_of(name), &nanos) && nanos > 0;
}

static bool is_best_effort(const berth_pod *pod)
{
    for (uint32_t i = 0; i < pod->container_count; i++) {
        const berth_container *container = &pod->containers[i];
        if (above_zero(container->requests, "cpu") || above_zero(container->requests, "memory") ||
            above_zero(container->limits, "cpu") || above_zero(container->limits, "memory"))
            return false;
    }
    return true;
}

static berth_status check_statuses(const berth_container_status *statuses, uint32_t count,
                                   const char *path, berth_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        BERTH_TRY(check_amounts(statuses[i].requests, path, i, ".resources.requests.", error));
        BERTH_TRY(check_amounts(statuses[i].allocated, path, i, ".allocatedResources.", error));
    }
    return BERTH_OK;
}

static berth_status check_pod(const berth_pod *pod, berth_error *error)
{
    BERTH_TRY(check_containers(pod->containers, pod->container_count, "spec.containers", error));
    BERTH_TRY(check_containers(pod->init_containers, pod->init_container_count,
                               "spec.initContainers", error));
    BERTH_TRY(check_amounts(pod->overhead, "spec.overhead", NO_INDEX, ".", error));
    BERTH_TRY(check_amounts(pod->pod_requests, "spec.resources.requests", NO_INDEX, ".", error));
    BERTH_TRY(
        check_amounts(pod->status_requests, "status.resources.requests", NO_INDEX, ".", error));
    BERTH_TRY(
        check_amounts(pod->status_allocated, "status.allocatedResources", NO_INDEX, ".", error));
    BERTH_TRY(check_statuses(pod->container_statuses, pod->container_status_count,
                             "status.containerStatuses", error));
    return check_statuses(pod->init_container_statuses, pod->init_container_status_count,
                          "status.initContainerStatuses", error);
}

berth_status berth__request_compute(berth__model *model, const berth_pod *pod, berth__request *out,
                                    berth_error *error)
{
    BERTH_TRY(check_pod(pod, error));
    berth__counted_pod counted;
    if (!berth__counted_pod_make(&model->scratch, pod, &counted))
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    const resource_rule fixed[BERTH__SCALARS] = {
        [BERTH__CPU] = {.name = BERTH_STR("cpu"), .milli = true},
        [BERTH__MEMORY] = {.name = BERTH_STR("memory")},
        [BERTH__EPHEMERAL] = {.name = BERTH_STR("ephemeral-storage")},
    };
    totals made;
    for (uint32_t i = 0; i < BERTH__SCALARS; i++) {
        BERTH_TRY(total(model, &counted, &fixed[i], &made, error));
        out->ask[i] = made.ask;
        out->use[i] = made.use;
    }
    BERTH_TRY(scalar_totals(model, &counted, out, error));
    resource_rule cpu = {BERTH_STR("cpu"), true, true, DEFAULT_CPU_NANOS};
    resource_rule memory = {BERTH_STR("memory"), false, true, DEFAULT_MEMORY_NANOS};
    BERTH_TRY(total(model, &counted, &cpu, &made, error));
    out->nonzero_cpu = made.use;
    out->scored_cpu = made.containers;
    BERTH_TRY(total(model, &counted, &memory, &made, error));
    out->nonzero_memory = made.use;
    out->scored_memory = made.containers;
    out->best_effort = is_best_effort(pod);
    return BERTH_OK;
}
