/* Copies the first pod's claims for further pods, with new names and owners. */
#include "loading/podspec_claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "cli/words.h"

/* ---- ResourceClaims, which come before their pods ---- */

static const berth_owner *pod_owner(const berth_metadata *meta)
{
    for (uint32_t i = 0; i < meta->owner_count; i++)
        if (meta->owners[i].controller && words_equal(meta->owners[i].kind, words_of("Pod")))
            return &meta->owners[i];
    return NULL;
}

bool made_claims_keep(made_claims *made, const berth_object *claim)
{
    if (claim->kind != BERTH_KIND_RESOURCE_CLAIM || pod_owner(claim->as.any) == NULL)
        return false;
    made->items = heap_grow(made->items, &made->capacity, made->count + 1, sizeof(*made->items));
    made->items[made->count++] = heap_object(claim);
    return true;
}

void made_claims_free(made_claims *made)
{
    for (size_t i = 0; i < made->count; i++)
        berth_object_destroy(made->items[i]);
    free(made->items);
    *made = (made_claims){.items = NULL};
}

/* Finds the claim of that name that was made for this pod; the last one if there are several. */
static const berth_object *find_made(const made_claims *made, const berth_pod *pod, berth_str name)
{
    for (size_t i = made->count; i-- > 0;) {
        const berth_metadata *meta = made->items[i]->as.any;
        if (words_equal(meta->name, name) &&
            words_equal(meta->namespace_name, pod->meta.namespace_name) &&
            words_equal(pod_owner(meta)->uid, pod->meta.uid))
            return made->items[i];
    }
    return NULL;
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

void podspec_claims_begin(podspec_claims *c, const berth_pod *pod, const made_claims *made)
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
    for (uint32_t i = 0; i < pod->resource_claim_status_count; i++) {
        const berth_object *claim = find_made(made, pod, pod->resource_claim_statuses[i].claim);
        if (claim == NULL)
            continue;
        c->devices[i] = heap_object(claim);
        c->count++;
    }
}

void podspec_claims_offer(podspec_claims *c, const berth_object *claim)
{
    const berth_metadata *meta = claim->as.any;
    const berth_pod *pod = c->pod != NULL ? c->pod->as.pod : NULL;
    for (uint32_t i = 0; pod != NULL && i < pod->volume_count; i++)
        if (c->volumes[i] == NULL && is_own_claim(pod, &pod->volumes[i]) &&
            words_equal(pod->volumes[i].source.handle, meta->name) &&
            words_equal(pod->meta.namespace_name, meta->namespace_name)) {
            c->volumes[i] = heap_object(claim);
            c->count++;
        }
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
    berth_persistent_volume_claim claim = *like->as.persistent_volume_claim;
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
    f.pod.node_name = f.pod.nominated_node_name = f.pod.phase = (berth_str){0};
    f.pod.meta.deleting = false;
    f.pod.volumes = f.volumes;
    f.pod.resource_claim_statuses = f.statuses;
    f.pod.template_id = 0;
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
