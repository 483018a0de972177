/* Makes a specification's pods as copies of its first pod, which is never scheduled. */
#include "loading/podspecs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/text_buffer.h"
#include "loading/new_objects.h"

typedef struct reading {
    podspecs *specs;
    cluster_input *input;
    berth_engine *engine;
} reading;

/* ---- reading ---- */

static bool is_taken(const reading *r, berth_str namespace_name, const char *name)
{
    return berth_engine_find_pod(r->engine, namespace_name, words_of(name)) != BERTH_POD_NONE;
}

/* Returns an unused name: the pod's own, or one made from it. */
static char *free_name(const reading *r, const berth_metadata *meta)
{
    size_t size = (size_t)meta->name.len + 32;
    char *name = heap_new(size, 1);
    snprintf(name, size, "%.*s", (int)meta->name.len, meta->name.data);
    for (unsigned i = 1; is_taken(r, meta->namespace_name, name); i++)
        snprintf(name, size, "%.*s-%u", (int)meta->name.len, meta->name.data, i);
    return name;
}

/* Add a pod of the specification as an API server would store it: new, without a node. */
static berth_status add_podspec(const reading *r, const berth_pod *source, const char *described,
                                berth_error *error)
{
    podspecs *p = r->specs;
    admission *rules = &r->input->admission;
    text_buffer refusal = {0};
    berth_pod pod = new_pod_like(source);
    podspec spec = {.object = heap_text(described, strlen(described)), .admitted = true};
    spec.name = free_name(r, &source->meta);
    (void)admission_pod(rules, &pod, &r->input->inspection.findings, &refusal);
    if (refusal.len > 0)
        spec.refusal = heap_text(refusal.text, refusal.len);
    text_free(&refusal);
    spec.lacks = admission_lacks_of(&pod);
    pod.meta.uid = source->meta.uid;
    podspec_claims_begin(&spec.claims, &pod);
    const berth_object object = {.kind = BERTH_KIND_POD, .as.pod = source};
    for (int i = 0; i < 2; i++) /* a claim that the pod names is shared by all of its pods */
        claim_book_see(&r->input->claims, &object);
    pod.meta.name = words_of(spec.name);
    p->items = heap_grow(p->items, &p->capacity, p->count + 1, sizeof(*p->items));
    p->items[p->count++] = spec;
    TRY(berth_engine_add_pod(r->engine, &pod, &p->items[p->count - 1].like, error));
    pod.meta.uid = (berth_str){0};
    admission_added(rules, &pod, p->items[p->count - 1].like,
                    true); /* this pod only represents others */
    return BERTH_OK;
}

/* Objects other than pods become part of the cluster; existing ones stay. Claims that were made for
 * a pod are copied for each further pod. */
static berth_status add_other(const reading *r, const berth_object *object, berth_error *error)
{
    if (listed_claims_keep(&r->specs->listed, object))
        return BERTH_OK;
    berth_status status = berth_engine_add(r->engine, object, NULL, error);
    if (status == BERTH_OK)
        claim_book_see(&r->input->claims, object);
    return status == BERTH_E_EXISTS ? BERTH_OK : status;
}

static berth_status on_read(void *context, const berth_object *object, const berth_error *origin,
                            berth_error *error)
{
    const reading *r = context;
    cluster_input_look(r->input, object, origin);
    berth_status status = object->kind == BERTH_KIND_POD
                              ? add_podspec(r, object->as.pod, origin->object, error)
                              : add_other(r, object, error);
    if (status != BERTH_OK) {
        error->object[0] = '\0'; /* the error is about the workload, not a pod made from it */
        cluster_input_refused(r->input, object, origin, error);
    }
    return status;
}

/* Find the claims that each pod has for itself, and say which ones are shared instead. */
static void find_own_claims(const reading *r)
{
    for (size_t s = 0; s < r->specs->count; s++) {
        podspec *spec = &r->specs->items[s];
        const berth_str shared = podspec_claims_find(&spec->claims, &r->specs->listed);
        text_buffer text = {0};
        if (shared.len == 0)
            continue;
        text_add(&text,
                 "%s: all pods share claim %.*s, which is named after this pod but does not come "
                 "with it",
                 spec->object, (int)shared.len, shared.data);
        findings_add(&r->input->inspection.findings, FINDING_CLAIM_SHARED, text_str(&text), NULL,
                     1);
        text_free(&text);
    }
}

/* Read the files, or a text (`files` NULL). */
static berth_status read_all(reading *r, const text_list *files, berth_str text, const char *name,
                             berth_error *error)
{
    berth_read_options options = cluster_input_reading(r->input);
    options.templates = true;
    berth_reader *reader = NULL;
    TRY(berth_reader_create(&options, &reader, error));
    berth_status status = BERTH_OK;
    for (size_t i = 0; files != NULL && i < files->count && status == BERTH_OK; i++)
        status = berth_reader_file(reader, files->items[i], on_read, r, error);
    if (files == NULL)
        status = berth_reader_text(reader, text, name, on_read, r, error);
    if (status == BERTH_OK)
        status = berth_reader_finish(reader, r->engine, on_read, r, error);
    berth_reader_destroy(reader);
    if (status == BERTH_OK && r->specs->count == 0)
        status = error_set(error, BERTH_E_NOT_FOUND, files != NULL ? files->items[0] : name,
                           "there is neither a pod nor a pod template in it");
    if (status != BERTH_OK)
        return status;
    find_own_claims(r);
    cluster_input_admit(r->input, r->engine);
    return BERTH_OK;
}

berth_status podspecs_read(podspecs *p, const text_list *files, cluster_input *input,
                           berth_engine *engine, berth_error *error)
{
    reading r = {p, input, engine};
    return read_all(&r, files, (berth_str){0}, NULL, error);
}

berth_status podspecs_read_text(podspecs *p, berth_str text, const char *name, cluster_input *input,
                                berth_engine *engine, berth_error *error)
{
    reading r = {p, input, engine};
    return read_all(&r, NULL, text, name, error);
}

/* ---- further pods ---- */

berth_status podspec_add_pod(podspec *spec, berth_engine *engine, berth_pod_id *pod,
                             berth_error *error)
{
    size_t size = strlen(spec->name) + 32;
    char *name = heap_new(size, 1);
    berth_status status;
    do {
        snprintf(name, size, "%s-%" PRIu64, spec->name, ++spec->serial);
        *error = (berth_error){.code = BERTH_OK};
        status = spec->claims.count > 0
                     ? podspec_claims_add_pod(&spec->claims, engine, name, pod, error)
                     : berth_engine_add_like(engine, spec->like, words_of(name), pod, error);
    } while (status == BERTH_E_EXISTS);
    free(name);
    return status;
}

void podspecs_free(podspecs *p)
{
    for (size_t s = 0; s < p->count; s++) {
        podspec *spec = &p->items[s];
        podspec_claims_free(&spec->claims);
        free(spec->object);
        free(spec->name);
        free(spec->refusal);
        free(spec->message);
        free(spec->brief);
        free(spec->by_node);
    }
    free(p->items);
    listed_claims_free(&p->listed);
}
