/* Applies LimitRanges before a pod is added, and quotas once all pods are known. */
#include "admission/admission.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/heap.h"
#include "cli/text_buffer.h"
#include "cli/words.h"
#include "inspect/fresh.h"

#define SHOW(text) (int)(text).len, (text).data != NULL ? (text).data : ""

static void tell(findings *f, const berth_note *note, const char *text)
{
    findings_add(f, FINDING_ADMISSION, words_of(text), note->place, 1);
}

/* ---- LimitRanges and ResourceQuotas ---- */

static void take_range(admission *a, const berth_note *note, const json_t *object, findings *f)
{
    if (!limit_ranges_add(&a->ranges, note->namespace_name, note->name, object))
        tell(f, note, "only its limits of Pods and Containers are applied");
    limit_range *range = &a->ranges.items[a->ranges.count - 1];
    range->behind = a->count;
    range->place = *note->place;
}

void admission_note(admission *a, const berth_note *note, findings *f)
{
    json_t *object = json_loadb(note->text.data, note->text.len, 0, NULL);
    if (object == NULL)
        return;
    if (words_equal(note->kind, words_of("LimitRange"))) {
        take_range(a, note, object, f);
    } else {
        const char *passed_over =
            resource_quotas_add(&a->quotas, note->namespace_name, note->name, object);
        char text[128];
        snprintf(text, sizeof(text), "not applied: %s", passed_over != NULL ? passed_over : "");
        if (passed_over != NULL)
            tell(f, note, text);
    }
    json_decref(object);
}

/* ---- pods ---- */

bool admission_pod(admission *a, berth_pod *pod, findings *f, text_buffer *reason)
{
    text_clear(reason);
    if (a->ranges.count == 0 || !is_fresh(&pod->meta))
        return false;
    const limit_range *by = limit_ranges_apply(&a->ranges, pod);
    if (by != NULL) {
        text_buffer text = {0};
        text_add(&text, "defaults of LimitRange %s/%s", by->namespace_name, by->name);
        findings_add(f, FINDING_APPLIED, text_str(&text), NULL, 1);
        text_free(&text);
        pod->template_id = 0;
    }
    (void)limit_ranges_refuse(&a->ranges, pod, reason);
    return by != NULL;
}

static bool lacks(const berth_pod *pod, const char *resource)
{
    for (uint32_t i = 0; i < pod->container_count; i++) {
        berth_resources list = pod->containers[i].requests;
        bool found = false;
        for (uint32_t k = 0; k < list.count; k++)
            found |= words_equal(list.items[k].name, words_of(resource));
        if (!found)
            return true;
    }
    return false;
}

admission_lacks admission_lacks_of(const berth_pod *pod)
{
    return (admission_lacks){.cpu = lacks(pod, "cpu"), .memory = lacks(pod, "memory")};
}

void admission_added(admission *a, const berth_pod *pod, berth_pod_id id, bool refused)
{
    if (!is_fresh(&pod->meta) || id == BERTH_POD_NONE)
        return;
    if (a->count == a->capacity)
        a->pods = heap_grow(a->pods, &a->capacity, a->count + 1, sizeof(*a->pods));
    a->pods[a->count++] = (fresh_pod){.pod = id,
                                      .lacks = admission_lacks_of(pod),
                                      .refused = refused,
                                      .runs = pod->node_name.len > 0};
}

/* ---- quotas ---- */

static int by_pod(const void *a, const void *b)
{
    const fresh_pod *left = *(const fresh_pod *const *)a;
    const fresh_pod *right = *(const fresh_pod *const *)b;
    return left->pod < right->pod ? -1 : left->pod > right->pod;
}

/* Returns the fresh pods sorted by id; freed by the caller. */
static const fresh_pod **sort_fresh(const admission *a)
{
    const fresh_pod **sorted = heap_new(a->count, sizeof(const fresh_pod *));
    for (size_t i = 0; i < a->count; i++)
        sorted[i] = &a->pods[i];
    if (a->count > 0)
        qsort(sorted, a->count, sizeof(const fresh_pod *), by_pod);
    return sorted;
}

/* Count an existing pod, from the cluster or admitted earlier. */
static void count_one(admission *a, const fresh_pod *const *sorted, const berth_engine *engine,
                      berth_pod_id pod)
{
    const fresh_pod wanted = {.pod = pod}, *key = &wanted;
    const fresh_pod *const *found =
        a->count > 0 ? bsearch(&key, sorted, a->count, sizeof(const fresh_pod *), by_pod) : NULL;
    bool is_new = found != NULL && !(*found)->runs;
    if (is_new && ((*found)->refused || *found >= a->pods + a->settled_pods))
        return;
    resource_quotas_count(&a->quotas, a->settled_quotas, engine, pod, is_new);
}

/* Count the existing pods, with and without nodes. */
static void count_present(admission *a, const berth_engine *engine)
{
    berth_node_id limit = berth_engine_node_limit(engine);
    const fresh_pod **sorted = sort_fresh(a);
    for (berth_node_id node = 0; node <= limit; node++) {
        berth_node_id of = node < limit ? node : BERTH_NODE_NONE;
        berth_pod_id pod = berth_engine_next_pod(engine, of, BERTH_POD_NONE);
        for (; pod != BERTH_POD_NONE; pod = berth_engine_next_pod(engine, of, pod))
            count_one(a, sorted, engine, pod);
    }
    free(sorted);
}

/* Report pods that were read before a LimitRange of their namespace. */
static void tell_late(const admission *a, const berth_engine *engine, findings *f)
{
    for (size_t i = a->settled_ranges; i < a->ranges.count; i++) {
        const limit_range *range = &a->ranges.items[i];
        size_t count = 0;
        for (size_t k = 0; k < range->behind; k++) {
            berth_str namespace_name = {0};
            berth_str name = {0};
            berth_engine_pod_name(engine, a->pods[k].pod, &namespace_name, &name);
            count += words_equal(namespace_name, words_of(range->namespace_name));
        }
        char text[160];
        snprintf(
            text, sizeof(text),
            "it stands behind %zu pod%s of its namespace, to which it is not applied: name its "
            "file first",
            count, count == 1 ? "" : "s");
        if (count > 0)
            findings_add(f, FINDING_ADMISSION, words_of(text), &range->place, 1);
    }
}

bool admission_refuses(admission *a, const berth_engine *engine, berth_pod_id pod,
                       admission_lacks lacks, text_buffer *reason)
{
    const char *missing = lacks.cpu && lacks.memory ? "cpu,memory"
                          : lacks.cpu               ? "cpu"
                          : lacks.memory            ? "memory"
                                                    : "";
    return resource_quotas_refuse(&a->quotas, engine, pod, missing, reason);
}

void admission_save(admission *a)
{
    resource_quotas_save(&a->quotas);
}

void admission_restore(admission *a)
{
    resource_quotas_restore(&a->quotas);
}

void admission_end(admission *a, const berth_engine *engine, findings *f,
                   void (*refused)(void *context, berth_pod_id pod, berth_str reason),
                   void *context)
{
    text_buffer reason = {0};
    tell_late(a, engine, f);
    if (a->quotas.count > a->settled_quotas)
        count_present(a, engine);
    for (size_t i = a->settled_pods; a->quotas.count > 0 && i < a->count; i++) {
        fresh_pod *pod = &a->pods[i];
        if (pod->refused || pod->runs ||
            !admission_refuses(a, engine, pod->pod, pod->lacks, &reason))
            continue;
        pod->refused = true;
        refused(context, pod->pod, text_str(&reason));
    }
    text_free(&reason);
    a->settled_pods = a->count;
    a->settled_ranges = a->ranges.count;
    a->settled_quotas = a->quotas.count;
}

void admission_free(admission *a)
{
    limit_ranges_free(&a->ranges);
    resource_quotas_free(&a->quotas);
    free(a->pods);
}
