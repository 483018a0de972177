/* Finds claims without a class in the engine's objects, and tries classes on the branch. With a
 * class that binds its volumes at once, the pod does not fit before the volume exists. So the
 * search finds only classes that wait for the first consumer. */
#include "explain/claim_remedies.h"

#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/words.h"

enum { CLASSES_TRIED_MAX = 8 };

/* ---- finding ---- */

typedef struct claim_search {
    unclassed_claims *out;
    const berth_pod *pod;
    bool has_default;
} claim_search;

static bool is_default(const berth_metadata *meta)
{
    for (uint32_t i = 0; i < meta->annotations.count; i++) {
        const berth_key_value *entry = &meta->annotations.entries[i];
        if ((words_equal(entry->key, words_of("storageclass.kubernetes.io/is-default-class")) ||
             words_equal(entry->key,
                         words_of("storageclass.beta.kubernetes.io/is-default-class"))) &&
            words_equal(entry->value, words_of("true")))
            return true;
    }
    return false;
}

static berth_status note_class(void *context, const berth_object *object, berth_error *error)
{
    claim_search *s = context;
    unclassed_claims *u = s->out;
    const berth_metadata *meta = &object->as.storage_class->meta;
    (void)error;
    s->has_default |= is_default(meta);
    u->classes = heap_grow(u->classes, &u->class_capacity, u->class_count + 1, sizeof(*u->classes));
    u->classes[u->class_count++] = heap_text(meta->name.data, meta->name.len);
    return BERTH_OK;
}

static berth_str namespace_of(const berth_metadata *meta)
{
    return meta->namespace_name.len > 0 ? meta->namespace_name : words_of("default");
}

/* Whether the pod has a volume with this claim; the claim of an ephemeral volume is named
 * POD-VOLUME. */
static bool is_claimed(const berth_pod *pod, berth_str claim)
{
    for (uint32_t i = 0; i < pod->volume_count; i++) {
        const berth_volume *volume = &pod->volumes[i];
        if (volume->source.kind == BERTH_VOLUME_CLAIM && words_equal(volume->source.handle, claim))
            return true;
        if (volume->source.kind != BERTH_VOLUME_EPHEMERAL)
            continue;
        text_buffer name = {0};
        text_add_str(&name, pod->meta.name);
        text_add(&name, "-");
        text_add_str(&name, volume->name);
        bool equal = words_equal(text_str(&name), claim);
        text_free(&name);
        if (equal)
            return true;
    }
    return false;
}

static berth_status note_claim(void *context, const berth_object *object, berth_error *error)
{
    claim_search *s = context;
    unclassed_claims *u = s->out;
    const berth_persistent_volume_claim *claim = object->as.persistent_volume_claim;
    (void)error;
    if (claim->storage_class.data != NULL || claim->volume_name.len > 0 ||
        !words_equal(namespace_of(&claim->meta), namespace_of(&s->pod->meta)) ||
        !is_claimed(s->pod, claim->meta.name))
        return BERTH_OK;
    u->claims = heap_grow(u->claims, &u->capacity, u->count + 1, sizeof(berth_object *));
    u->claims[u->count++] = heap_object(object);
    return BERTH_OK;
}

berth_status unclassed_claims_find(unclassed_claims *out, berth_engine *engine,
                                   const berth_pod *pod, berth_error *error)
{
    claim_search s = {.out = out, .pod = pod};
    bool any = false;
    for (uint32_t i = 0; i < pod->volume_count; i++)
        any |= pod->volumes[i].source.kind == BERTH_VOLUME_CLAIM ||
               pod->volumes[i].source.kind == BERTH_VOLUME_EPHEMERAL;
    if (!any)
        return BERTH_OK;
    TRY(berth_engine_objects(engine, BERTH_KIND_STORAGE_CLASS, note_class, &s, error));
    if (s.has_default)
        return BERTH_OK;
    return berth_engine_objects(engine, BERTH_KIND_PERSISTENT_VOLUME_CLAIM, note_claim, &s, error);
}

void unclassed_claims_free(unclassed_claims *u)
{
    for (size_t i = 0; i < u->count; i++)
        berth_object_destroy(u->claims[i]);
    for (size_t i = 0; i < u->class_count; i++)
        free(u->classes[i]);
    free(u->claims);
    free(u->classes);
    *u = (unclassed_claims){0};
}

/* ---- words ---- */

/* Writes "claim shop/data", "claims shop/data and shop/logs". */
static void add_claims(const unclassed_claims *u, text_buffer *out)
{
    text_add(out, "claim%s ", u->count > 1 ? "s" : "");
    for (size_t i = 0; i < u->count; i++) {
        const berth_metadata *meta = u->claims[i]->as.any;
        text_add(out, "%s", i == 0 ? "" : i + 1 < u->count ? ", " : " and ");
        text_add_str(out, namespace_of(meta));
        text_add(out, "/");
        text_add_str(out, meta->name);
    }
}

void unclassed_claims_text(const unclassed_claims *u, text_buffer *out)
{
    add_claims(u, out);
    text_add(out, " name%s no StorageClass, and %s: no volume is made for %s",
             u->count > 1 ? "" : "s",
             u->class_count > 0 ? "no StorageClass is the default"
                                : "the input has no StorageClass that is the default",
             u->count > 1 ? "them" : "it");
}

/* ---- trying ---- */

static berth_status set_class(const unclassed_claims *u, trial *t, berth_str name,
                              berth_error *error)
{
    for (size_t i = 0; i < u->count; i++) {
        berth_persistent_volume_claim changed = *u->claims[i]->as.persistent_volume_claim;
        changed.storage_class = name;
        const berth_object update = {.kind = BERTH_KIND_PERSISTENT_VOLUME_CLAIM,
                                     .as.persistent_volume_claim = &changed};
        TRY(berth_engine_update(t->branch, &update, error));
    }
    return BERTH_OK;
}

static berth_status try_class(const remedy_search *s, trial *t, const unclassed_claims *u,
                              const char *name, remedies *out, berth_error *error)
{
    trial_answer answer = {.verdict = BERTH_VERDICT_ERROR};
    pod_draft draft;
    pod_draft_open(&draft, s->object);
    berth_status status = trial_begin(t, error);
    if (status == BERTH_OK) {
        status = set_class(u, t, words_of(name), error);
        if (status == BERTH_OK)
            status = trial_decide(t, &draft.pod, 0, &answer, error);
        trial_back(t);
    }
    pod_draft_close(&draft);
    if (status != BERTH_OK || answer.verdict != BERTH_VERDICT_PLACED)
        return status;
    text_buffer text = {0};
    text_add(&text, "name StorageClass %s in ", name);
    add_claims(u, &text);
    text_add(&text, ", or mark it as the default");
    remedies_add(out, "storageClass", text.text, &answer);
    text_free(&text);
    return BERTH_OK;
}

berth_status claim_remedies_find(const remedy_search *s, trial *t, remedies *out,
                                 berth_error *error)
{
    unclassed_claims u = {0};
    berth_status status = unclassed_claims_find(&u, s->engine, s->object, error);
    for (size_t i = 0; i < u.class_count && i < CLASSES_TRIED_MAX && u.count > 0; i++)
        if (status == BERTH_OK)
            status = try_class(s, t, &u, u.classes[i], out, error);
    unclassed_claims_free(&u);
    return status;
}
