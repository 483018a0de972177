/* Copies the first pod's claims for further pods, with new names and owners. */
#include "loading/podspec_claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "cli/text_buffer.h"
#include "loading/new_objects.h"

/* ---- claims of the files ---- */

static const berth_owner *pod_owner(const berth_metadata *meta)
{
    for (uint32_t i = 0; i < meta->owner_count; i++)
        if (meta->owners[i].controller && words_equal(meta->owners[i].kind, words_of("Pod")))
            return &meta->owners[i];
    return NULL;
}

static text_buffer name_of(berth_kind kind, berth_str namespace_name, berth_str name)
{
    text_buffer text = {0};
    text_add(&text, "%d %.*s/%.*s", (int)kind, (int)namespace_name.len, namespace_name.data,
             (int)name.len, name.data);
    return text;
}

bool listed_claims_keep(listed_claims *listed, const berth_object *claim)
{
    const bool made = claim->kind == BERTH_KIND_RESOURCE_CLAIM && pod_owner(claim->as.any) != NULL;
    if (!made && claim->kind != BERTH_KIND_PERSISTENT_VOLUME_CLAIM)
        return false;
    const berth_metadata *meta = claim->as.any;
    const size_t before = listed->names.count;
    text_buffer name = name_of(claim->kind, meta->namespace_name, meta->name);
    const uint32_t number = word_table_add(&listed->names, text_str(&name));
    text_free(&name);
    listed->items =
        heap_grow(listed->items, &listed->capacity, listed->names.count, sizeof(*listed->items));
    if (number < before)
        berth_object_destroy(listed->items[number]);
    listed->items[number] = heap_object(claim);
    return made;
}

void listed_claims_free(listed_claims *listed)
{
    for (size_t i = 0; i < listed->names.count; i++)
        berth_object_destroy(listed->items[i]);
    free(listed->items);
    word_table_free(&listed->names);
    *listed = (listed_claims){.items = NULL};
}

/* A copy of a pod's own claim, or NULL. */
static berth_object *copy_own(const listed_claims *listed, const berth_pod *pod, berth_kind kind,
                              berth_str claim)
{
    uint32_t number;
    text_buffer name = name_of(kind, pod->meta.namespace_name, claim);
    const bool found = word_table_find(&listed->names, text_str(&name), &number);
    text_free(&name);
    if (!found || (kind == BERTH_KIND_RESOURCE_CLAIM &&
                   !words_equal(pod_owner(listed->items[number]->as.any)->uid, pod->meta.uid)))
        return NULL;
    return heap_object(listed->items[number]);
}

/* ---- the first pod ---- */

/* Whether a claim comes from a volumeClaimTemplate: it is named after the volume and the pod. */
static bool is_own_claim(const berth_pod *pod, const berth_volume *volume)
{
    berth_str claim = volume->source.handle;
    uint32_t tail = pod->meta.name.len;
    return volume->source.kind == BERTH_VOLUME_CLAIM && claim.len == volume->name.len + 1 + tail &&
           memcmp(claim.data, volume->name.data, volume->name.len) == 0 &&
           claim.data[volume->name.len] == '-' &&
           memcmp(claim.data + volume->name.len + 1, pod->meta.name.data, tail) == 0;
}

void podspec_claims_begin(podspec_claims *c, const berth_pod *pod)
{
    bool any = pod->resource_claim_status_count > 0;
    for (uint32_t i = 0; i < pod->volume_count; i++)
        any |= is_own_claim(pod, &pod->volumes[i]);
    if (!any)
        return;
    const berth_object object = {.kind = BERTH_KIND_POD, .as.pod = pod};
    c->pod = heap_object(&object);
    c->volumes = heap_new(pod->volume_count, sizeof(berth_object *));
    c->devices = heap_new(pod->resource_claim_status_count, sizeof(berth_object *));
}

berth_str podspec_claims_find(podspec_claims *c, const listed_claims *listed)
{
    berth_str shared = {0};
    const berth_pod *pod = c->pod != NULL ? c->pod->as.pod : NULL;
    for (uint32_t i = 0; pod != NULL && i < pod->volume_count; i++) {
        const berth_str claim = pod->volumes[i].source.handle;
        if (!is_own_claim(pod, &pod->volumes[i]))
            continue;
        c->volumes[i] = copy_own(listed, pod, BERTH_KIND_PERSISTENT_VOLUME_CLAIM, claim);
        c->count += c->volumes[i] != NULL;
        if (c->volumes[i] == NULL && shared.len == 0)
            shared = claim;
    }
    for (uint32_t i = 0; pod != NULL && i < pod->resource_claim_status_count; i++) {
        c->devices[i] =
            copy_own(listed, pod, BERTH_KIND_RESOURCE_CLAIM, pod->resource_claim_statuses[i].claim);
        c->count += c->devices[i] != NULL;
    }
    return shared;
}

void podspec_claims_free(podspec_claims *c)
{
    for (uint32_t i = 0; c->pod != NULL && i < c->pod->as.pod->volume_count; i++)
        berth_object_destroy(c->volumes[i]);
    for (uint32_t i = 0; c->pod != NULL && i < c->pod->as.pod->resource_claim_status_count; i++)
        berth_object_destroy(c->devices[i]);
    berth_object_destroy(c->pod);
    free(c->volumes);
    free(c->devices);
    *c = (podspec_claims){.pod = NULL};
}

/* ---- further pods ---- */

/* A pod that is being added. */
typedef struct further_pod {
    berth_engine *engine;
    berth_pod pod;
    berth_volume *volumes;
    berth_pod_claim *statuses;
    char **names; /* names of its claims */
    uint32_t name_count;
} further_pod;

/* Makes the name "FIRST-SECOND". */
static berth_str make_name(further_pod *f, berth_str first, berth_str second)
{
    size_t size = (size_t)first.len + second.len + 2;
    char *name = heap_new(size, 1);
    snprintf(name, size, "%.*s-%.*s", (int)first.len, first.data, (int)second.len, second.data);
    f->names[f->name_count++] = name;
    return words_of(name);
}

static berth_status add_volume_claim(further_pod *f, const berth_object *like, berth_volume *volume,
                                     berth_error *error)
{
    berth_persistent_volume_claim claim = new_volume_claim_like(like->as.persistent_volume_claim);
    claim.meta.name = volume->source.handle = make_name(f, volume->name, f->pod.meta.name);
    const berth_object object = {.kind = BERTH_KIND_PERSISTENT_VOLUME_CLAIM,
                                 .as.persistent_volume_claim = &claim};
    return berth_engine_add(f->engine, &object, NULL, error);
}

static berth_status add_device_claim(further_pod *f, const berth_object *like,
                                     berth_pod_claim *status, berth_error *error)
{
    berth_resource_claim claim = *like->as.resource_claim;
    berth_owner owner = *pod_owner(&claim.meta);
    owner.name = f->pod.meta.name;
    owner.uid = f->pod.meta.uid;
    claim.meta.name = claim.meta.uid = status->claim = make_name(f, f->pod.meta.name, status->name);
    claim.meta.owners = &owner;
    claim.meta.owner_count = 1;
    const berth_object object = {.kind = BERTH_KIND_RESOURCE_CLAIM, .as.resource_claim = &claim};
    return berth_engine_add(f->engine, &object, NULL, error);
}

static berth_status add_claims(const podspec_claims *c, further_pod *f, berth_error *error)
{
    berth_status status = BERTH_OK;
    for (uint32_t i = 0; i < f->pod.volume_count && status == BERTH_OK; i++)
        if (c->volumes[i] != NULL)
            status = add_volume_claim(f, c->volumes[i], &f->volumes[i], error);
    for (uint32_t i = 0; i < f->pod.resource_claim_status_count && status == BERTH_OK; i++)
        if (c->devices[i] != NULL)
            status = add_device_claim(f, c->devices[i], &f->statuses[i], error);
    return status;
}

berth_status podspec_claims_add_pod(const podspec_claims *c, berth_engine *engine, const char *name,
                                    berth_pod_id *pod, berth_error *error)
{
    further_pod f = {.engine = engine, .pod = *c->pod->as.pod};
    uint32_t volumes = f.pod.volume_count, statuses = f.pod.resource_claim_status_count;
    f.volumes = heap_new(volumes, sizeof(*f.volumes));
    f.statuses = heap_new(statuses, sizeof(*f.statuses));
    f.names = heap_new((size_t)volumes + statuses, sizeof(*f.names));
    if (volumes > 0)
        memcpy(f.volumes, f.pod.volumes, volumes * sizeof(*f.volumes));
    if (statuses > 0)
        memcpy(f.statuses, f.pod.resource_claim_statuses, statuses * sizeof(*f.statuses));
    f.pod.meta.name = f.pod.meta.uid = words_of(name);
    f.pod.volumes = f.volumes;
    f.pod.resource_claim_statuses = f.statuses;
    berth_status status = add_claims(c, &f, error);
    if (status == BERTH_OK)
        status = berth_engine_add_pod(engine, &f.pod, pod, error);
    for (uint32_t i = 0; i < f.name_count; i++)
        free(f.names[i]);
    free(f.names);
    free(f.volumes);
    free(f.statuses);
    return status;
}
