/* Totals of a pod's requests: exact sums, one rounding at the end, or (v1.15) rounding container by
 * container. A pod on a node counts what its kubelet says of its containers, too, since a pod may
 * be resized in place; one that looks for a node counts its specification alone.
 * Source: component-helpers v0.32 to v0.36, resource/helpers.go, PodRequests; kube-scheduler v1.36,
 * framework/types.go, PodInfo; engine/plugins/rules/v1.36.md, section 3. */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "model/pod_class.h"

/* What a container without a request is taken to use, in scores only. */
static const __int128 DEFAULT_CPU_NANOS = 100000000;
static const __int128 DEFAULT_MEMORY_NANOS = (__int128)209715200 * 1000000000;

typedef struct resource_rule {
    berth_str name;
    bool milli;
    bool substitute; /* a container that does not name the resource counts `missing` */
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

/* ---- what is read ---- */

typedef struct reading {
    const berth_pod *pod;
    const berth__behaviours *behaviours;
    bool of_status;  /* the pod is on a node, and its kubelet is heard */
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

static reading read_specification(const berth__model *model, const berth_pod *pod)
{
    return (reading){.pod = pod, .behaviours = &model->behaviours};
}

static reading read_on_node(const berth__model *model, const berth_pod *pod)
{
    bool of_status = model->behaviours.requests_of_status;
    return (reading){.pod = pod,
                     .behaviours = &model->behaviours,
                     .of_status = of_status,
                     .infeasible = of_status && resize_was_refused(pod)};
}

/* A container with the list of statuses that it may have one in. */
typedef struct counted {
    const berth_container *spec;
    const berth_container_status *statuses;
    uint32_t status_count;
} counted;

static counted regular_container(const berth_pod *pod, uint32_t i)
{
    return (counted){&pod->containers[i], pod->container_statuses, pod->container_status_count};
}

static counted init_container(const berth_pod *pod, uint32_t i)
{
    return (counted){&pod->init_containers[i], pod->init_container_statuses,
                     pod->init_container_status_count};
}

static const berth_container_status *status_of(const counted *c)
{
    for (uint32_t i = 0; i < c->status_count; i++)
        if (berth__str_eq(c->statuses[i].name, c->spec->name))
            return &c->statuses[i];
    return NULL;
}

/* At least what a list says; whether it names the resource. */
static bool raise_to(berth_resources list, berth_str name, __int128 *amount)
{
    __int128 listed = 0;
    bool named = named_in(list, name, &listed);
    *amount = max_of(*amount, listed);
    return named;
}

/* What a container asks for, and whether it names the resource at all. */
static bool container_names(const reading *r, const counted *c, berth_str name, __int128 *amount)
{
    const berth_container_status *status = r->of_status ? status_of(c) : NULL;
    *amount = 0;
    if (status == NULL || !status->has_resources)
        return named_in(c->spec->requests, name, amount);
    bool named = !r->infeasible && raise_to(c->spec->requests, name, amount);
    named |= raise_to(status->requests, name, amount);
    named |= raise_to(status->allocated, name, amount);
    return named;
}

static __int128 container_amount(const reading *r, const counted *c, const resource_rule *rule)
{
    __int128 amount = 0;
    if (!container_names(r, c, rule->name, &amount) && rule->substitute)
        amount = rule->missing;
    return amount;
}

/* Of an init container that runs to its end nothing is heard. */
static reading read_init(const reading *r, uint32_t i)
{
    const reading specified = {.pod = r->pod, .behaviours = r->behaviours};
    return r->pod->init_containers[i].restart_always ? *r : specified;
}

static __int128 init_amount(const reading *r, uint32_t i, const resource_rule *rule)
{
    const reading init = read_init(r, i);
    const counted c = init_container(r->pod, i);
    return container_amount(&init, &c, rule);
}

/* ---- requests of the pod as a whole ---- */

static bool is_pod_level(const berth__behaviours *behaviours, berth_str name)
{
    static const char huge[] = "hugepages-";
    return berth__str_is(name, "cpu") || berth__str_is(name, "memory") ||
           (behaviours->hugepages_of_pod && name.len > sizeof(huge) - 1 &&
            memcmp(name.data, huge, sizeof(huge) - 1) == 0);
}

static bool has_pod_level(const reading *r)
{
    for (uint32_t i = 0; r->behaviours->requests_of_pod && i < r->pod->pod_requests.count; i++)
        if (is_pod_level(r->behaviours, r->pod->pod_requests.items[i].name))
            return true;
    return false;
}

/* What the pod as a whole asks for, in place of the sum of its containers; false: nothing. */
static bool pod_names(const reading *r, berth_str name, __int128 *amount)
{
    const berth_pod *pod = r->pod;
    __int128 specified = 0;
    if (!r->behaviours->requests_of_pod || !is_pod_level(r->behaviours, name) ||
        !named_in(pod->pod_requests, name, &specified))
        return false;
    *amount = specified;
    if (r->of_status && r->behaviours->requests_of_pod_status && pod->has_status_resources) {
        *amount = r->infeasible ? 0 : specified;
        raise_to(pod->status_requests, name, amount);
        raise_to(pod->status_allocated, name, amount);
    }
    return true;
}

/* ---- totals ---- */

static __int128 containers_total(const reading *r, const resource_rule *rule)
{
    const berth_pod *pod = r->pod;
    __int128 sum = 0, sidecars = 0, peak = 0;
    for (uint32_t i = 0; i < pod->container_count; i++) {
        const counted c = regular_container(pod, i);
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

/* Whether the list of all that the pod asks for has the name. */
static bool is_named(const reading *r, berth_str name)
{
    const berth_pod *pod = r->pod;
    __int128 ignored = 0;
    bool named = pod_names(r, name, &ignored) || named_in(pod->overhead, name, &ignored);
    for (uint32_t i = 0; i < pod->container_count && !named; i++) {
        const counted c = regular_container(pod, i);
        named = container_names(r, &c, name, &ignored);
    }
    for (uint32_t i = 0; i < pod->init_container_count && !named; i++) {
        const reading init = read_init(r, i);
        const counted c = init_container(pod, i);
        named = container_names(&init, &c, name, &ignored);
    }
    return named;
}

/* What a pod on a node counts in scores: a container that names no amount is taken to use some; of
 * a pod that asks for something as a whole, only if the pod names none in any place. */
static __int128 nonzero_total(const reading *r, const resource_rule *rule)
{
    resource_rule plain = *rule;
    plain.substitute = !has_pod_level(r) || !is_named(r, rule->name);
    return modern_total(r, &plain);
}

/* Rounded up to the unit that the scheduler counts in, still in nanos. */
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
        const counted c = regular_container(pod, i);
        *use += rounded(container_amount(r, &c, rule), rule->milli);
    }
    *ask = *use;
    for (uint32_t i = 0; i < pod->init_container_count; i++) {
        const counted c = init_container(pod, i);
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

/* What a pod asks of a node, what it takes of it, and what its containers alone ask for. */
typedef struct totals {
    int64_t ask;
    int64_t use;
    int64_t containers;
} totals;

/* Whether all totals are one: nobody but the containers' specifications has a say. */
static bool is_plain(const berth_pod *pod)
{
    return pod->container_status_count == 0 && pod->init_container_status_count == 0 &&
           pod->pod_requests.count == 0;
}

static berth_status total(const berth__model *model, const berth_pod *pod,
                          const resource_rule *rule, totals *out, berth_error *error)
{
    const reading specified = read_specification(model, pod);
    __int128 ask, use, containers;
    if (model->behaviours.rounds_by_container) {
        legacy_totals(&specified, rule, &ask, &use);
        containers = use;
    } else if (is_plain(pod)) {
        ask = containers_total(&specified, rule) + overhead_of(pod, rule->name);
        BERTH_TRY(read_total(ask, rule, &out->ask, error));
        out->use = out->containers = out->ask;
        return BERTH_OK;
    } else {
        const reading on_node = read_on_node(model, pod);
        ask = modern_total(&specified, rule);
        use = rule->substitute ? nonzero_total(&on_node, rule) : modern_total(&on_node, rule);
        containers = containers_total(&specified, rule) + overhead_of(pod, rule->name);
    }
    BERTH_TRY(read_total(ask, rule, &out->ask, error));
    BERTH_TRY(read_total(containers, rule, &out->containers, error));
    return read_total(use, rule, &out->use, error);
}

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
        berth__error_field(error, "%s[%u]%s%.*s", path, (unsigned)index, part,
                           (int)list.items[i].name.len, list.items[i].name.data);
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

/* Add the scalar column of every name in `list` that is not in `out` yet; amounts of 0 only if
 * `zeros`. */
static berth_status note_scalars(berth__model *model, berth_resources list, bool zeros,
                                 berth__scalar_request *out, uint32_t *count, berth_error *error)
{
    for (uint32_t i = 0; i < list.count; i++) {
        bool ok = true;
        if (!zeros && berth__amount_nanos(list.items[i].amount) == 0)
            continue;
        uint32_t resource = berth__resource_add(model, list.items[i].name, &ok);
        if (!ok)
            return berth__error_set(error, BERTH_E_NOMEM, "no room for another resource name");
        if (resource == BERTH__RESOURCE_NONE || resource < BERTH__SCALARS)
            continue;
        uint32_t at = 0;
        while (at < *count && out[at].resource < resource)
            at++;
        if (at < *count && out[at].resource == resource)
            continue;
        memmove(&out[at + 1], &out[at], (*count - at) * sizeof(*out));
        out[at] = (berth__scalar_request){.resource = resource};
        (*count)++;
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
    uint32_t count = pod->overhead.count + pod->pod_requests.count;
    count += status_entry_count(pod->container_statuses, pod->container_status_count);
    count += status_entry_count(pod->init_container_statuses, pod->init_container_status_count);
    for (uint32_t i = 0; i < pod->container_count; i++)
        count += pod->containers[i].requests.count;
    for (uint32_t i = 0; i < pod->init_container_count; i++)
        count += pod->init_containers[i].requests.count;
    return count;
}

/* A list of scalar resources that grows. */
typedef struct scalar_list {
    berth__scalar_request *items;
    uint32_t count;
} scalar_list;

static berth_status note_statuses(berth__model *model, const berth_container_status *statuses,
                                  uint32_t count, scalar_list *out, berth_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!statuses[i].has_resources)
            continue; /* nothing of it counts */
        BERTH_TRY(note_scalars(model, statuses[i].requests, true, out->items, &out->count, error));
        BERTH_TRY(note_scalars(model, statuses[i].allocated, true, out->items, &out->count, error));
    }
    return BERTH_OK;
}

/* Every scalar that counts in some total of the pod. */
static berth_status list_scalars(berth__model *model, const berth_pod *pod, scalar_list *out,
                                 berth_error *error)
{
    const berth__behaviours *behaviours = &model->behaviours;
    bool modern = !behaviours->rounds_by_container;
    for (uint32_t i = 0; i < pod->container_count; i++)
        BERTH_TRY(
            note_scalars(model, pod->containers[i].requests, true, out->items, &out->count, error));
    for (uint32_t i = 0; i < pod->init_container_count; i++)
        BERTH_TRY(note_scalars(model, pod->init_containers[i].requests, modern, out->items,
                               &out->count,
                               error)); /* v1.15 takes the larger amount, and 0 is no larger */
    if (modern)
        BERTH_TRY(note_scalars(model, pod->overhead, true, out->items, &out->count, error));
    for (uint32_t i = 0; behaviours->requests_of_pod && i < pod->pod_requests.count; i++) {
        const berth_resources one = {&pod->pod_requests.items[i], 1};
        if (is_pod_level(behaviours, one.items->name))
            BERTH_TRY(note_scalars(model, one, true, out->items, &out->count, error));
    }
    if (!behaviours->requests_of_status)
        return BERTH_OK;
    BERTH_TRY(
        note_statuses(model, pod->container_statuses, pod->container_status_count, out, error));
    return note_statuses(model, pod->init_container_statuses, pod->init_container_status_count, out,
                         error);
}

static berth_status scalar_totals(berth__model *model, const berth_pod *pod, berth__request *out,
                                  berth_error *error)
{
    size_t bytes = (request_entry_count(pod) + 1) * sizeof(berth__scalar_request);
    scalar_list list = {.items = berth__arena_alloc(&model->scratch, bytes, 8)};
    if (list.items == NULL)
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    BERTH_TRY(list_scalars(model, pod, &list, error));
    for (uint32_t i = 0; i < list.count; i++) {
        berth__scalar_request *scalar = &list.items[i];
        resource_rule rule = {
            .name = berth__text(model, berth__resource_name(model, scalar->resource))};
        totals made;
        BERTH_TRY(total(model, pod, &rule, &made, error));
        scalar->ask = made.ask;
        scalar->use = made.use;
        scalar->scored = made.containers;
    }
    out->scalars = list.items;
    out->scalar_count = list.count;
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
    BERTH_TRY(check_amounts(pod->overhead, "spec.overhead", 0, ".", error));
    BERTH_TRY(check_amounts(pod->pod_requests, "spec.resources.requests", 0, ".", error));
    BERTH_TRY(check_amounts(pod->status_requests, "status.resources.requests", 0, ".", error));
    BERTH_TRY(check_amounts(pod->status_allocated, "status.allocatedResources", 0, ".", error));
    BERTH_TRY(check_statuses(pod->container_statuses, pod->container_status_count,
                             "status.containerStatuses", error));
    return check_statuses(pod->init_container_statuses, pod->init_container_status_count,
                          "status.initContainerStatuses", error);
}

berth_status berth__request_compute(berth__model *model, const berth_pod *pod, berth__request *out,
                                    berth_error *error)
{
    BERTH_TRY(check_pod(pod, error));
    const resource_rule fixed[BERTH__SCALARS] = {
        [BERTH__CPU] = {.name = BERTH_STR("cpu"), .milli = true},
        [BERTH__MEMORY] = {.name = BERTH_STR("memory")},
        [BERTH__EPHEMERAL] = {.name = BERTH_STR("ephemeral-storage")},
    };
    totals made;
    for (uint32_t i = 0; i < BERTH__SCALARS; i++) {
        BERTH_TRY(total(model, pod, &fixed[i], &made, error));
        out->ask[i] = made.ask;
        out->use[i] = made.use;
    }
    BERTH_TRY(scalar_totals(model, pod, out, error));
    resource_rule cpu = {BERTH_STR("cpu"), true, true, DEFAULT_CPU_NANOS};
    resource_rule memory = {BERTH_STR("memory"), false, true, DEFAULT_MEMORY_NANOS};
    BERTH_TRY(total(model, pod, &cpu, &made, error));
    out->nonzero_cpu = made.use;
    out->scored_cpu = made.containers;
    BERTH_TRY(total(model, pod, &memory, &made, error));
    out->nonzero_memory = made.use;
    out->scored_memory = made.containers;
    out->best_effort = is_best_effort(pod);
    return BERTH_OK;
}
