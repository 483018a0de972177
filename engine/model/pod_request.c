/* Totals of a pod's containers: exact sums, one rounding at the end (v1.32), or rounding
 * container by container (v1.15). */
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

static __int128 container_amount(const berth_container *container, const resource_rule *rule)
{
    __int128 amount = 0;
    if (!named_in(container->requests, rule->name, &amount) && rule->substitute)
        amount = rule->missing;
    return amount;
}

static __int128 max_of(__int128 a, __int128 b)
{
    return a > b ? a : b;
}

static __int128 modern_total(const berth_pod *pod, const resource_rule *rule)
{
    __int128 sum = 0, sidecars = 0, peak = 0, overhead = 0;
    for (uint32_t i = 0; i < pod->container_count; i++)
        sum += container_amount(&pod->containers[i], rule);
    for (uint32_t i = 0; i < pod->init_container_count; i++) {
        __int128 amount = container_amount(&pod->init_containers[i], rule);
        if (pod->init_containers[i].restart_always) {
            sum += amount;
            sidecars += amount;
            peak = max_of(peak, sidecars);
        } else {
            peak = max_of(peak, amount + sidecars);
        }
    }
    named_in(pod->overhead, rule->name, &overhead);
    return max_of(sum, peak) + overhead;
}

/* Rounded up to the unit that the scheduler counts in, still in nanos. */
static __int128 rounded(__int128 nanos, bool milli)
{
    __int128 unit = milli ? 1000000 : 1000000000;
    return (nanos + unit - 1) / unit * unit;
}

static void legacy_totals(const berth_pod *pod, const resource_rule *rule, __int128 *ask,
                          __int128 *use)
{
    *use = 0;
    for (uint32_t i = 0; i < pod->container_count; i++)
        *use += rounded(container_amount(&pod->containers[i], rule), rule->milli);
    *ask = *use;
    for (uint32_t i = 0; i < pod->init_container_count; i++)
        *ask = max_of(*ask, rounded(container_amount(&pod->init_containers[i], rule), rule->milli));
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

static berth_status total(const berth__model *model, const berth_pod *pod,
                          const resource_rule *rule, int64_t *ask, int64_t *use, berth_error *error)
{
    __int128 ask_nanos, use_nanos;
    if (model->behaviours.rounds_by_container)
        legacy_totals(pod, rule, &ask_nanos, &use_nanos);
    else
        ask_nanos = use_nanos = modern_total(pod, rule);
    BERTH_TRY(read_total(ask_nanos, rule, ask, error));
    return read_total(use_nanos, rule, use, error);
}

static berth_status check_amounts(berth_resources list, const char *path, uint32_t index,
                                  const char *part, berth_error *error)
{
    for (uint32_t i = 0; i < list.count; i++) {
        int64_t ignored;
        __int128 nanos = berth__amount_nanos(list.items[i].amount);
        bool milli = berth__str_is(list.items[i].name, "cpu");
        berth_status problem = nanos < 0                                     ? BERTH_E_INVALID
                               : !berth__amount_read(nanos, milli, &ignored) ? BERTH_E_RANGE
                                                                             : BERTH_OK;
        if (problem == BERTH_OK)
            continue;
        berth__error_set(error, problem, "%s",
                         problem == BERTH_E_RANGE ? "the amount does not fit 63 bits"
                                                  : "an amount must not be negative");
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

static uint32_t request_entry_count(const berth_pod *pod)
{
    uint32_t count = pod->overhead.count;
    for (uint32_t i = 0; i < pod->container_count; i++)
        count += pod->containers[i].requests.count;
    for (uint32_t i = 0; i < pod->init_container_count; i++)
        count += pod->init_containers[i].requests.count;
    return count;
}

static berth_status scalar_totals(berth__model *model, const berth_pod *pod, berth__request *out,
                                  berth_error *error)
{
    size_t bytes = (request_entry_count(pod) + 1) * sizeof(berth__scalar_request);
    berth__scalar_request *scalars = berth__arena_alloc(&model->scratch, bytes, 8);
    if (scalars == NULL)
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    uint32_t count = 0;
    bool modern = !model->behaviours.rounds_by_container;
    for (uint32_t i = 0; i < pod->container_count; i++)
        BERTH_TRY(note_scalars(model, pod->containers[i].requests, true, scalars, &count, error));
    for (uint32_t i = 0; i < pod->init_container_count; i++)
        BERTH_TRY(note_scalars(model, pod->init_containers[i].requests, modern, scalars, &count,
                               error)); /* v1.15 takes the larger amount, and 0 is no larger */
    if (modern)
        BERTH_TRY(note_scalars(model, pod->overhead, true, scalars, &count, error));
    for (uint32_t i = 0; i < count; i++) {
        resource_rule rule = {.name =
                                  berth__text(model, model->resource_names[scalars[i].resource])};
        BERTH_TRY(total(model, pod, &rule, &scalars[i].ask, &scalars[i].use, error));
    }
    out->scalars = scalars;
    out->scalar_count = count;
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

berth_status berth__request_compute(berth__model *model, const berth_pod *pod, berth__request *out,
                                    berth_error *error)
{
    BERTH_TRY(check_containers(pod->containers, pod->container_count, "spec.containers", error));
    BERTH_TRY(check_containers(pod->init_containers, pod->init_container_count,
                               "spec.initContainers", error));
    BERTH_TRY(check_amounts(pod->overhead, "spec.overhead", 0, ".", error));
    const resource_rule fixed[BERTH__SCALARS] = {
        [BERTH__CPU] = {.name = BERTH_LITERAL("cpu"), .milli = true},
        [BERTH__MEMORY] = {.name = BERTH_LITERAL("memory")},
        [BERTH__EPHEMERAL] = {.name = BERTH_LITERAL("ephemeral-storage")},
    };
    for (uint32_t i = 0; i < BERTH__SCALARS; i++)
        BERTH_TRY(total(model, pod, &fixed[i], &out->ask[i], &out->use[i], error));
    BERTH_TRY(scalar_totals(model, pod, out, error));
    resource_rule cpu = {BERTH_LITERAL("cpu"), true, true, DEFAULT_CPU_NANOS};
    resource_rule memory = {BERTH_LITERAL("memory"), false, true, DEFAULT_MEMORY_NANOS};
    int64_t ignored;
    BERTH_TRY(total(model, pod, &cpu, &ignored, &out->nonzero_cpu, error));
    BERTH_TRY(total(model, pod, &memory, &ignored, &out->nonzero_memory, error));
    out->best_effort = is_best_effort(pod);
    return BERTH_OK;
}
