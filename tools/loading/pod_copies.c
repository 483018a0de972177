/* Makes a copy as the controller would make another pod: without a node, a status, or a uid. */
#include "loading/pod_copies.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/text_buffer.h"
#include "cli/words.h"
#include "loading/new_objects.h"

bool pod_copies_possible(const berth_pod *sample)
{
    for (uint32_t i = 0; i < sample->resource_claim_count; i++)
        if (sample->resource_claims[i].claim_template.len > 0)
            return false;
    for (uint32_t i = 0; i < sample->volume_count; i++)
        if (sample->volumes[i].source.kind == BERTH_VOLUME_EPHEMERAL)
            return false;
    return true;
}

/* ---- claims of a StatefulSet ---- */

/* Whether a volume's claim comes from a volumeClaimTemplate: its name ends with the pod's name. */
static bool is_own_claim(const berth_volume *volume, berth_str pod)
{
    berth_str claim = volume->source.handle;
    return volume->source.kind == BERTH_VOLUME_CLAIM && claim.len > pod.len + 1 &&
           claim.data[claim.len - pod.len - 1] == '-' &&
           memcmp(claim.data + claim.len - pod.len, pod.data, pod.len) == 0;
}

typedef struct claim_search {
    berth_str namespace_name, name;
    berth_object *found;
} claim_search;

static berth_status look_at_claim(void *context, const berth_object *object, berth_error *error)
{
    claim_search *search = context;
    const berth_metadata *meta = &object->as.persistent_volume_claim->meta;
    (void)error;
    if (search->found == NULL && words_equal(meta->name, search->name) &&
        words_equal(meta->namespace_name, search->namespace_name))
        search->found = heap_object(object);
    return BERTH_OK;
}

/* Add a claim like the sample's, without a volume. If the input lacks the sample's claim, nothing
 * is added. */
static berth_status add_claim(const pod_copies *p, const berth_pod *sample, berth_str like,
                              berth_str name, berth_error *error)
{
    claim_search search = {sample->meta.namespace_name, like, NULL};
    TRY(berth_engine_objects(p->engine, BERTH_KIND_PERSISTENT_VOLUME_CLAIM, look_at_claim, &search,
                             error));
    if (search.found == NULL)
        return BERTH_OK;
    berth_persistent_volume_claim claim =
        new_volume_claim_like(search.found->as.persistent_volume_claim);
    claim.meta.name = name;
    const berth_object object = {.kind = BERTH_KIND_PERSISTENT_VOLUME_CLAIM,
                                 .as.persistent_volume_claim = &claim};
    berth_status status = p->add(p->context, &object, error);
    if (status == BERTH_E_EXISTS) /* left from an earlier pod */
        status = BERTH_OK;
    berth_object_destroy(search.found);
    return status;
}

/* Make the volumes of a copy; `names` receives the names of its claims. */
static berth_status copy_volumes(const pod_copies *p, const berth_pod *sample, berth_str name,
                                 berth_volume *volumes, text_buffer *names, berth_error *error)
{
    for (uint32_t i = 0; i < sample->volume_count; i++) {
        volumes[i] = sample->volumes[i];
        if (!is_own_claim(&volumes[i], sample->meta.name))
            continue;
        berth_str old = volumes[i].source.handle;
        text_add_str(&names[i], (berth_str){old.data, old.len - sample->meta.name.len});
        text_add_str(&names[i], name);
        volumes[i].source.handle = text_str(&names[i]);
        TRY(add_claim(p, sample, old, volumes[i].source.handle, error));
    }
    return BERTH_OK;
}

/* ---- pods ---- */

static void copy_labels(const berth_pod *sample, berth_str name, berth_str number,
                        berth_key_value *labels)
{
    for (uint32_t i = 0; i < sample->meta.labels.count; i++) {
        labels[i] = sample->meta.labels.entries[i];
        if (words_equal(labels[i].key, words_of("statefulset.kubernetes.io/pod-name")))
            labels[i].value = name;
        if (words_equal(labels[i].key, words_of("apps.kubernetes.io/pod-index")))
            labels[i].value = number;
    }
}

static berth_status add_copy(const pod_copies *p, const berth_pod *sample, berth_str name,
                             berth_str number, berth_error *error)
{
    berth_key_value *labels = heap_new(sample->meta.labels.count + 1, sizeof(*labels));
    berth_volume *volumes = heap_new(sample->volume_count + 1, sizeof(*volumes));
    text_buffer *names = heap_new(sample->volume_count + 1, sizeof(*names));
    copy_labels(sample, name, number, labels);
    berth_pod pod = new_pod_like(sample);
    pod.meta.name = name;
    pod.meta.labels.entries = labels;
    const bool numbered = words_equal(p->kind, words_of("StatefulSet"));
    berth_status status =
        numbered ? copy_volumes(p, sample, name, volumes, names, error) : BERTH_OK;
    if (numbered)
        pod.volumes = volumes;
    const berth_object object = {.kind = BERTH_KIND_POD, .as.pod = &pod};
    if (status == BERTH_OK)
        status = p->add(p->context, &object, error);
    free(labels);
    free(volumes);
    for (uint32_t i = 0; i < sample->volume_count; i++)
        text_free(&names[i]);
    free(names);
    return status;
}

berth_status pod_copies_add(const pod_copies *p, berth_pod_id sample, uint64_t count,
                            berth_error *error)
{
    const bool numbered = words_equal(p->kind, words_of("StatefulSet"));
    berth_object *object = NULL;
    TRY(berth_engine_pod_object(p->engine, sample, NULL, &object, error));
    const berth_pod *pod = object->as.pod;
    berth_status status = BERTH_OK;
    text_buffer name = {0};
    for (uint64_t n = numbered ? 0 : 1; count > 0 && status == BERTH_OK; n++) {
        char number[24];
        snprintf(number, sizeof(number), "%" PRIu64, n);
        text_clear(&name);
        text_add_str(&name, p->name);
        text_add(&name, "-%s%s", numbered ? "" : "scaled-", number);
        if (berth_engine_find_pod(p->engine, pod->meta.namespace_name, text_str(&name)) !=
            BERTH_POD_NONE)
            continue;
        status = add_copy(p, pod, text_str(&name), words_of(number), error);
        count--;
    }
    text_free(&name);
    berth_object_destroy(object);
    return status;
}
